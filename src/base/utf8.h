/*
 * UTF-8 (RFC 3629), one sequence at a time.
 */
#ifndef RT_BASE_UTF8_H
#define RT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Length of the well-formed sequence at the start of ptr: 1 to 4 bytes.
 * len: bytes that may be read, at least 1. Overlong forms, surrogates and values above U+10FFFF
 * are not well-formed.
 * Returns 0 when the bytes are not well-formed or are cut short by len.
 */
static inline size_t rt_utf8_length(const char *ptr, size_t len)
{
	const unsigned char *s = (const unsigned char *)ptr;
	unsigned char low = 0x80, high = 0xBF;
	size_t need;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	need = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	if (len < need)
		return 0;
	if (s[0] == 0xE0)
		low = 0xA0;
	else if (s[0] == 0xED)
		high = 0x9F;
	else if (s[0] == 0xF0)
		low = 0x90;
	else if (s[0] == 0xF4)
		high = 0x8F;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < need; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	}
	return need;
}

/* Code point of the well-formed sequence of len bytes (1 to 4) at ptr. */
static inline uint32_t rt_utf8_decode(const char *ptr, size_t len)
{
	static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	const unsigned char *s = (const unsigned char *)ptr;
	uint32_t point = s[0] & lead_mask[len];

	for (size_t i = 1; i < len; i++)
		point = point << 6 | (s[i] & 0x3Fu);
	return point;
}

/* Write a code point (at most U+10FFFF) to out, 4 bytes of room. Returns the bytes written. */
static inline size_t rt_utf8_encode(uint32_t point, char *out)
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xC0 | point >> 6);
		out[1] = (char)(0x80 | (point & 0x3F));
		return 2;
	}
	if (point < 0x10000) {
		out[0] = (char)(0xE0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 0x3F));
		out[2] = (char)(0x80 | (point & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | point >> 18);
	out[1] = (char)(0x80 | (point >> 12 & 0x3F));
	out[2] = (char)(0x80 | (point >> 6 & 0x3F));
	out[3] = (char)(0x80 | (point & 0x3F));
	return 4;
}

/*
 * Whether a code point can deceive or steer a person's terminal: C0 and DEL, C1, line and
 * paragraph separators, bidirectional marks, embeddings and isolates, and U+FEFF (HOSTILE 9).
 */
static inline int rt_utf8_is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C ||
	       point == 0x200E || point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

/* White space of Unicode, without the controls among it: the blank and what is as wide or wider. */
static inline int rt_utf8_is_space(uint32_t point)
{
	return point == ' ' || point == 0xA0 || point == 0x1680 ||
	       (point >= 0x2000 && point <= 0x200A) || point == 0x202F || point == 0x205F ||
	       point == 0x3000;
}

/* Code points of a text that is UTF-8. */
size_t rt_utf8_points(struct rt_slice text);

/* Length of the text's beginning that is UTF-8. */
size_t rt_utf8_prefix(struct rt_slice text);

/*
 * Copy text to out, whose bytes are dropped before, with U+FFFD for each byte that is not UTF-8.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_utf8_mend(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

#endif
