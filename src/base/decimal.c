/*
 * Compares the texts of numbers as they are: no floating-point number could hold them all. A
 * power of ten beyond RT_DECIMAL_POWER_MAX, more than a text of any length can make up for with
 * zeros, counts as that one.
 */
#include "base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *digits_skip(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* The number after 'e', from its sign on. Returns false where it is none. */
static bool read_power(const char *at, const char *end, int64_t *ret_power)
{
	bool negative = at < end && *at == '-';
	int64_t power = 0;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end || digits_skip(at, end) != end)
		return false;
	for (; at < end; at++)
		power = power < RT_DECIMAL_POWER_MAX / 10 ? power * 10 + (*at - '0')
							  : RT_DECIMAL_POWER_MAX;
	*ret_power = negative ? -power : power;
	return true;
}

/* The mantissa's digits without zeros in front. point: after its last integer digit. */
static void trim(struct rt_decimal *d, const char *at, const char *point, const char *end)
{
	while (at < end && (*at == '0' || *at == '.'))
		at++;
	d->at = at;
	d->end = end;
	if (at == end) {
		d->sign = 0;
		d->power = 0;
		return;
	}
	/* Digits before the point, or, less one for the point itself, zeros after it. */
	d->power += at < point ? point - at : point + 1 - at;
}

bool rt_decimal_read(struct rt_slice text, struct rt_decimal *ret_decimal)
{
	const char *at = text.ptr, *end = rt_slice_end(text), *first, *point;
	struct rt_decimal d = {.sign = 1};

	if (at < end && *at == '-') {
		d.sign = -1;
		at++;
	}
	first = at;
	point = at = digits_skip(at, end);
	if (point == first || (*first == '0' && point - first > 1))
		return false;
	if (at < end && *at == '.') {
		at = digits_skip(point + 1, end);
		if (at == point + 1)
			return false;
	}
	if (at < end && ((*at != 'e' && *at != 'E') || !read_power(at + 1, end, &d.power)))
		return false;
	trim(&d, first, point, at);
	*ret_decimal = d;
	return true;
}

/* The next digit; 0 after the last. */
static int next_digit(const char **at, const char *end)
{
	if (*at < end && **at == '.')
		(*at)++;
	return *at < end ? *(*at)++ - '0' : 0;
}

int rt_decimal_compare(const struct rt_decimal *a, const struct rt_decimal *b)
{
	const char *a_at = a->at, *b_at = b->at;

	if (a->sign != b->sign)
		return a->sign < b->sign ? -1 : 1;
	if (a->sign == 0)
		return 0;
	if (a->power != b->power)
		return a->power < b->power ? -a->sign : a->sign;
	while (a_at < a->end || b_at < b->end) {
		int difference = next_digit(&a_at, a->end) - next_digit(&b_at, b->end);

		if (difference)
			return difference < 0 ? -a->sign : a->sign;
	}
	return 0;
}

char *rt_count_text(uint64_t count, char out[RT_COUNT_ROOM])
{
	char digits[RT_COUNT_ROOM];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = out;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}
