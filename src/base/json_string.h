/*
 * The contents of JSON strings (RFC 8259 §7) that the scanner has checked already.
 */
#ifndef RT_BASE_JSON_STRING_H
#define RT_BASE_JSON_STRING_H

#include "base/slice.h"

/*
 * Decode the escapes of a checked string.
 *
 * text: the bytes between the quotes; grammar, surrogate pairs and UTF-8 have been checked.
 * out: receives at most text.len bytes; may be text.ptr itself. Returns the number of bytes
 * written.
 */
size_t rt_json_string_decode(struct rt_slice text, char *out);

/* Whether the string's bytes hold a backslash, so that decoding changes them. */
static inline bool rt_json_string_is_escaped(struct rt_slice text)
{
	return text.len && memchr(text.ptr, '\\', text.len) != NULL;
}

#endif
