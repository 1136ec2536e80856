/*
 * The contents of JSON strings (RFC 8259 §7): decoding those that the scanner has checked already,
 * and encoding text.
 */
#ifndef RT_BASE_JSON_STRING_H
#define RT_BASE_JSON_STRING_H

#include "base/buf.h"

/*
 * Decode the escapes of a checked string.
 *
 * text: the bytes between the quotes; grammar, surrogate pairs and UTF-8 have been checked.
 * out: receives at most text.len bytes; may be text.ptr itself. Returns the number of bytes
 * written.
 */
size_t rt_json_string_decode(struct rt_slice text, char *out);

/*
 * Decode the escapes of a checked string into room, whose bytes are dropped before. text: as above.
 * *ret_text: borrowed from room. Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_json_string_unescape(struct rt_slice text, struct rt_buf *room,
				       struct rt_slice *ret_text, struct rt_error *err);

/*
 * Append text to out as a JSON string, its quotes included. What rt_utf8_is_unsafe() names is
 * escaped (as \n, \t and so on where JSON has a letter, else as \u and four lower-case digits),
 * '"' and '\' get a backslash, all else stays as it is: one text has one spelling.
 *
 * text: well-formed UTF-8. Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_json_string_encode(struct rt_slice text, struct rt_buf *out,
				     struct rt_error *err);

/* Bytes that this appends. */
size_t rt_json_string_encoded_len(struct rt_slice text);

/*
 * The pieces of that, for who writes elsewhere. Bytes of well-formed UTF-8 before the first
 * character that is escaped; the code point of that character, whose bytes (1 to 3) are *ret_len;
 * its escape, written to out (6 bytes of room), with the bytes written returned.
 */
size_t rt_json_string_plain(const char *ptr, size_t len);
uint32_t rt_json_string_point(const char *ptr, size_t *ret_len);
size_t rt_json_string_escape(uint32_t point, char *out);

/*
 * Whether the bytes between a checked string's quotes are spelled as rt_json_string_encode() would
 * do it, so that they can be copied. May say no for the sake of speed.
 */
bool rt_json_string_is_own(struct rt_slice text);

/* The character that a backslash and a letter other than u stand for. */
static inline char rt_json_string_letter(char letter)
{
	switch (letter) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return letter;
	}
}

/* Whether the string's bytes hold a backslash, so that decoding changes them. */
static inline bool rt_json_string_is_escaped(struct rt_slice text)
{
	return text.ptr && memchr(text.ptr, '\\', text.len) != NULL;
}

/*
 * The text that a checked string stands for: text itself where it has no escapes, else as
 * rt_json_string_unescape() gives it, with the same result.
 */
static inline enum rt_status rt_json_string_text(struct rt_slice text, struct rt_buf *room,
						 struct rt_slice *ret_text, struct rt_error *err)
{
	if (rt_json_string_is_escaped(text))
		return rt_json_string_unescape(text, room, ret_text, err);
	*ret_text = text;
	return RT_OK;
}

#endif
