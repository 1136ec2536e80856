/*
 * Dates and times, counted in seconds from 1970 and in digits of a fraction of any length. What
 * does not exist, such as a 30 February or an offset of a day, is no date-time.
 */
#include "base/instant.h"

#include <time.h>

#include "retriage.h"

/* 0000-01-01T00:00:00Z. */
#define SECONDS_MIN INT64_C(-62167219200)

#define DAY INT64_C(86400)
/* More than all years that a date has. */
#define DAYS_MAX 4000000

struct cursor {
	const char *at;
	const char *end;
};

/* Read exactly `digits` digits (at most 4). */
static bool take_number(struct cursor *c, int digits, int *ret_value)
{
	int value = 0;

	if (c->end - c->at < digits)
		return false;
	for (int i = 0; i < digits; i++) {
		unsigned digit = (unsigned)(c->at[i] - '0');

		if (digit > 9)
			return false;
		value = value * 10 + (int)digit;
	}
	c->at += digits;
	*ret_value = value;
	return true;
}

static bool take_char(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool take_date(struct cursor *c, int64_t *ret_days)
{
	static const unsigned char month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	static const short days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	int year, month, day, past;

	if (!take_number(c, 4, &year) || !take_char(c, '-') || !take_number(c, 2, &month) ||
	    !take_char(c, '-') || !take_number(c, 2, &day))
		return false;
	if (month < 1 || month > 12 || day < 1 ||
	    day > month_days[month - 1] + (month == 2 && is_leap(year)))
		return false;
	/* Days of the years 0 .. year-1 of the proleptic calendar; 719528 lie before 1970. */
	past = year ? year - 1 : 0;
	*ret_days = (int64_t)year * 365 + (year ? past / 4 - past / 100 + past / 400 + 1 : 0);
	*ret_days += days_before[month - 1] + (month > 2 && is_leap(year)) + day - 1 - 719528;
	return true;
}

static void take_fraction(struct cursor *c, struct rt_slice *ret_fraction)
{
	const char *first = c->at, *last;

	while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
		c->at++;
	for (last = c->at; last > first && last[-1] == '0'; last--)
		;
	*ret_fraction = rt_slice_make(first, (size_t)(last - first));
}

static bool take_time(struct cursor *c, int64_t *ret_seconds, struct rt_slice *ret_fraction)
{
	int hour, minute, second = 0;

	if (!take_number(c, 2, &hour) || !take_char(c, ':') || !take_number(c, 2, &minute))
		return false;
	if (take_char(c, ':')) {
		if (!take_number(c, 2, &second))
			return false;
		if (take_char(c, '.')) {
			const char *first = c->at;

			take_fraction(c, ret_fraction);
			if (c->at == first)
				return false;
		}
	}
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*ret_seconds = hour * 3600 + minute * 60 + second;
	return true;
}

/* The offset and the end of the text. */
static bool take_offset(struct cursor *c, int64_t *ret_seconds)
{
	int hour, minute = 0, sign;

	*ret_seconds = 0;
	if (c->at == c->end)
		return true;
	if (take_char(c, 'Z'))
		return c->at == c->end;
	sign = *c->at == '+' ? 1 : -1;
	if (!take_char(c, '+') && !take_char(c, '-'))
		return false;
	if (!take_number(c, 2, &hour))
		return false;
	if (c->at < c->end) {
		(void)take_char(c, ':');
		if (!take_number(c, 2, &minute))
			return false;
	}
	*ret_seconds = (int64_t)sign * (hour * 3600 + minute * 60);
	return hour <= 23 && minute <= 59 && c->at == c->end;
}

bool rt_instant_parse(struct rt_slice text, struct rt_instant *ret_instant)
{
	struct cursor c = {text.ptr, rt_slice_end(text)};
	struct rt_slice fraction = {"", 0};
	int64_t days, seconds = 0, offset = 0;

	if (!take_date(&c, &days))
		return false;
	if (c.at < c.end) {
		if (!take_char(&c, 'T') && !take_char(&c, ' '))
			return false;
		if (!take_time(&c, &seconds, &fraction) || !take_offset(&c, &offset))
			return false;
	}
	ret_instant->seconds = days * DAY + seconds - offset;
	ret_instant->fraction = fraction;
	return true;
}

bool rt_instant_days_ago(struct rt_slice text, int64_t at, int64_t *ret_seconds)
{
	int64_t days = 0;

	if (text.len < 3 || text.ptr[0] != '-' || text.ptr[text.len - 1] != 'd')
		return false;
	for (size_t i = 1; i < text.len - 1; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || days > DAYS_MAX)
			return false;
		days = days * 10 + (text.ptr[i] - '0');
	}
	if (days > DAYS_MAX)
		return false;
	*ret_seconds = at - days * DAY;
	return true;
}

bool rt_instant_is_date_time(struct rt_slice text)
{
	struct rt_instant instant;

	return text.len > sizeof("YYYY-MM-DD") - 1 && rt_instant_parse(text, &instant);
}

/* Write `digits` decimal digits of value and the character after them. */
static char *put_number(char *at, int digits, int64_t value, char after)
{
	at[digits] = after;
	for (int i = digits - 1; i >= 0; i--, value /= 10)
		at[i] = (char)('0' + value % 10);
	return at + digits + 1;
}

bool rt_instant_format(int64_t seconds, char text[RT_INSTANT_CHARS])
{
	/* Days are counted from the first of March of the year 0, so that a leap day is the last
	 * of its year; 153 days are any five months from March on. */
	int64_t days = seconds / DAY - (seconds % DAY < 0), second;
	int64_t since = days + 719468, era, year, month;

	if (seconds < SECONDS_MIN || seconds > RT_TIME_MAX)
		return false;
	second = seconds - days * DAY;
	era = (since >= 0 ? since : since - 146096) / 146097;
	since -= era * 146097;
	year = (since - since / 1460 + since / 36524 - since / 146096) / 365;
	since -= 365 * year + year / 4 - year / 100;
	month = (5 * since + 2) / 153;
	since -= (153 * month + 2) / 5;
	year += era * 400 + (month >= 10);
	text = put_number(text, 4, year, '-');
	text = put_number(text, 2, month < 10 ? month + 3 : month - 9, '-');
	text = put_number(text, 2, since + 1, 'T');
	text = put_number(text, 2, second / 3600, ':');
	text = put_number(text, 2, second / 60 % 60, ':');
	(void)put_number(text, 2, second % 60, 'Z');
	return true;
}

int rt_instant_compare(const struct rt_instant *a, const struct rt_instant *b)
{
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return rt_slice_compare(a->fraction, b->fraction);
}

/* --- Clocks ---------------------------------------------------------------------------------- */

uint64_t rt_clock_us(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t rt_clock_ms(void)
{
	return rt_clock_us() / 1000;
}

void rt_clock_pause(unsigned ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	(void)nanosleep(&time, NULL);
}
