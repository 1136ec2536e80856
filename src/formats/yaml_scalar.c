/*
 * Scalars of YAML as JSON: what type a plain scalar has, and a number's JSON text. Integers in 0o
 * and 0x have to fit 64 bits; decimal numbers may have any length, as in JSON.
 */
#include "formats/yaml_scalar.h"

#include <stdint.h>
#include <stdio.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t count_digits(struct rt_slice text, size_t at)
{
	size_t from = at;

	while (at < text.len && is_digit(text.ptr[at]))
		at++;
	return at - from;
}

/* Whether text is one of the three spellings of a word: word, Word, WORD. */
static bool is_word(struct rt_slice text, const char *lower, const char *upper)
{
	if (text.len != strlen(lower))
		return false;
	if (memcmp(text.ptr, upper, text.len) == 0)
		return true;
	return (text.ptr[0] == lower[0] || text.ptr[0] == upper[0]) &&
	       memcmp(text.ptr + 1, lower + 1, text.len - 1) == 0;
}

/* 0o and 0x integers, which have no sign. */
static enum rt_yaml_type based_type(struct rt_slice text)
{
	bool hex = text.ptr[1] == 'x';
	size_t i;

	for (i = 2; i < text.len; i++) {
		char c = text.ptr[i];
		bool fits = hex ? is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
				: c >= '0' && c <= '7';

		if (!fits)
			return YAML_TYPE_STRING;
	}
	return hex ? YAML_TYPE_HEX : YAML_TYPE_OCTAL;
}

/* ".inf" and ".nan" from at on; only .inf may have a sign before it. */
static enum rt_yaml_type dotted_type(struct rt_slice text, size_t at)
{
	struct rt_slice word = rt_slice_make(text.ptr + at + 1, text.len - at - 1);

	if (is_word(word, "inf", "INF"))
		return YAML_TYPE_NONFINITE;
	/* "NaN" is the middle spelling; .Nan is a string. */
	if (at == 0 && word.len == 3 &&
	    (!memcmp(word.ptr, "nan", 3) || !memcmp(word.ptr, "NaN", 3) ||
	     !memcmp(word.ptr, "NAN", 3)))
		return YAML_TYPE_NONFINITE;
	return YAML_TYPE_STRING;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static enum rt_yaml_type number_type(struct rt_slice text)
{
	size_t at = text.ptr[0] == '-' || text.ptr[0] == '+';
	size_t whole = count_digits(text, at);
	size_t part = 0;
	bool point;

	at += whole;
	point = at < text.len && text.ptr[at] == '.';
	if (point) {
		part = count_digits(text, at + 1);
		if (whole + part == 0)
			return dotted_type(text, at);
		at += 1 + part;
	}
	if (whole + part == 0)
		return YAML_TYPE_STRING;
	if (at == text.len)
		return point ? YAML_TYPE_FLOAT : YAML_TYPE_INT;
	if (text.ptr[at] != 'e' && text.ptr[at] != 'E')
		return YAML_TYPE_STRING;
	at++;
	at += at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+');
	part = count_digits(text, at);
	return part > 0 && at + part == text.len ? YAML_TYPE_FLOAT : YAML_TYPE_STRING;
}

enum rt_yaml_type rt_yaml_scalar_type(struct rt_slice text)
{
	char first = text.len ? text.ptr[0] : '~';

	if (first == '~')
		return text.len <= 1 ? YAML_TYPE_NULL : YAML_TYPE_STRING;
	if (first == '0' && text.len > 2 && (text.ptr[1] == 'o' || text.ptr[1] == 'x'))
		return based_type(text);
	if (is_digit(first) || first == '-' || first == '+' || first == '.')
		return number_type(text);
	if (is_word(text, "null", "NULL"))
		return YAML_TYPE_NULL;
	return is_word(text, "true", "TRUE") || is_word(text, "false", "FALSE") ? YAML_TYPE_BOOL
										: YAML_TYPE_STRING;
}

const char *rt_yaml_type_name(enum rt_yaml_type type)
{
	static const char *const names[] = {
	    [YAML_TYPE_STRING] = "a string",  [YAML_TYPE_NULL] = "null",
	    [YAML_TYPE_BOOL] = "a boolean",   [YAML_TYPE_INT] = "an integer",
	    [YAML_TYPE_OCTAL] = "an integer", [YAML_TYPE_HEX] = "an integer",
	    [YAML_TYPE_FLOAT] = "a float",    [YAML_TYPE_NONFINITE] = "a float",
	};

	return names[type];
}

static enum rt_status append_based(struct rt_buf *out, unsigned bits, struct rt_slice text,
				   struct rt_error *err)
{
	uint64_t value = 0;
	char number[24];
	size_t i;
	int len;

	for (i = 2; i < text.len; i++) {
		char c = text.ptr[i];
		unsigned digit =
		    is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;

		if (value >> (64 - bits))
			return rt_error_set(err, RT_E_INPUT,
					    "want an integer that fits 64 bits, have %.*s",
					    rt_slice_shown(text, 80), text.ptr);
		value = value << bits | digit;
	}
	len = snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
	return rt_buf_append(out, number, (size_t)len, err);
}

/*
 * A decimal integer or a float: drop a plus sign and leading zeros, add the digits that JSON
 * wants on both sides of a point.
 */
static enum rt_status append_decimal(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, text.len + 2, err);
	size_t at = text.ptr[0] == '-' || text.ptr[0] == '+';
	size_t end;
	char *to;

	if (status != RT_OK)
		return status;
	to = out->data + out->len;
	if (text.ptr[0] == '-')
		*to++ = '-';
	end = at + count_digits(text, at);
	while (at + 1 < end && text.ptr[at] == '0')
		at++;
	if (at == end)
		*to++ = '0';
	while (at < end)
		*to++ = text.ptr[at++];
	if (at < text.len && text.ptr[at] == '.') {
		*to++ = text.ptr[at++];
		if (at == text.len || !is_digit(text.ptr[at]))
			*to++ = '0';
	}
	while (at < text.len)
		*to++ = text.ptr[at++];
	out->len = (size_t)(to - out->data);
	return RT_OK;
}

enum rt_status rt_yaml_append_number(struct rt_buf *out, enum rt_yaml_type type,
				     struct rt_slice text, struct rt_error *err)
{
	if (type == YAML_TYPE_OCTAL)
		return append_based(out, 3, text, err);
	if (type == YAML_TYPE_HEX)
		return append_based(out, 4, text, err);
	return append_decimal(out, text, err);
}

bool rt_yaml_number_stays(struct rt_slice text, struct rt_slice json, bool tagged)
{
	if (text.len > 1 && text.ptr[0] == '0' && text.ptr[1] == 'x')
		return true;
	/* 1e3 is a string in YAML 1.1, and so is .5e3. */
	if (memchr(text.ptr, 'e', text.len) || memchr(text.ptr, 'E', text.len))
		return !tagged && rt_slice_equal(text, json);
	if (text.ptr[0] == '.')
		return true;
	if (text.ptr[0] == '+')
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	/* The rest that JSON may have is the 0 of 1.0, for 1. or !!float 1. */
	return json.len >= text.len && memcmp(json.ptr, text.ptr, text.len) == 0;
}
