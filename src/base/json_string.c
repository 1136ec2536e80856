/*
 * JSON strings to text and back. Reading checks nothing: grammar is the scanner's work, and it has
 * been done. What is written is safe on a terminal, and has one spelling.
 */
#include "base/json_string.h"

#include <stdint.h>

#include "base/plain.h"
#include "base/utf8.h"

static uint32_t hex4(const char *text)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t c = (unsigned char)text[i];

		/* '0'..'9' are 0x30.., letters 0x41.. and 0x61..: bit 6 tells them apart. */
		value = value << 4 | ((c & 0xF) + (c >> 6) * 9);
	}
	return value;
}

/* Decode \uXXXX at text, with its second half where it is a pair; half of one is U+FFFD. Returns
 * the bytes read. */
static size_t decode_unicode(const char *text, const char *end, char **out)
{
	uint32_t point = hex4(text + 2), low = 0;
	size_t read = 6;

	if (point >= 0xD800 && point < 0xDC00 && end - text >= 12 && text[6] == '\\' &&
	    text[7] == 'u')
		low = hex4(text + 8);
	if (low >= 0xDC00 && low < 0xE000) {
		point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
		read = 12;
	} else if (point >= 0xD800 && point < 0xE000) {
		point = 0xFFFD;
	}
	*out += rt_utf8_encode(point, *out);
	return read;
}

size_t rt_json_string_decode(struct rt_slice text, char *out)
{
	const char *at = text.ptr, *end = rt_slice_end(text);
	char *start = out;

	while (at < end) {
		const char *stop = memchr(at, '\\', (size_t)(end - at));
		size_t run = (size_t)((stop ? stop : end) - at);

		memmove(out, at, run);
		out += run;
		at += run;
		if (!stop)
			break;
		if (at[1] == 'u') {
			at += decode_unicode(at, end, &out);
		} else {
			*out++ = rt_json_string_letter(at[1]);
			at += 2;
		}
	}
	return (size_t)(out - start);
}

enum rt_status rt_json_string_unescape(struct rt_slice text, struct rt_buf *room,
				       struct rt_slice *ret_text, struct rt_error *err)
{
	enum rt_status status;

	room->len = 0;
	status = rt_buf_reserve(room, text.len, err);
	if (status != RT_OK)
		return status;
	room->len = rt_json_string_decode(text, room->data);
	*ret_text = rt_buf_slice(room);
	return RT_OK;
}

/* What a character of a string needs, told by its first byte. */
enum { PLAIN, ESCAPED, SOME_ESCAPED };

#define FOUR(x) x, x, x, x

/* C0, '"', '\\', DEL; and the lead bytes of U+0080.., U+0600.., U+2000.. and U+F000.. */
static const uint8_t encode_class[256] = {
    FOUR(FOUR(ESCAPED)),   FOUR(FOUR(ESCAPED)),   ['"'] = ESCAPED,
    ['\\'] = ESCAPED,      [0x7F] = ESCAPED,      [0xC2] = SOME_ESCAPED,
    [0xD8] = SOME_ESCAPED, [0xE2] = SOME_ESCAPED, [0xEF] = SOME_ESCAPED,
};

size_t rt_json_string_plain(const char *ptr, size_t len)
{
	size_t at = 0;

	for (;; at++) {
		uint8_t kind;

		at += rt_plain_len(ptr + at, len - at, "\"\\", true);
		if (at == len)
			return at;
		kind = encode_class[(uint8_t)ptr[at]];
		/* The bytes after a lead byte are there: the text is well-formed. */
		if (kind == ESCAPED ||
		    (kind == SOME_ESCAPED &&
		     rt_utf8_is_unsafe(rt_utf8_decode(ptr + at, (uint8_t)ptr[at] < 0xE0 ? 2 : 3))))
			return at;
	}
}

uint32_t rt_json_string_point(const char *ptr, size_t *ret_len)
{
	uint8_t lead = (uint8_t)*ptr;

	*ret_len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3;
	return rt_utf8_decode(ptr, *ret_len);
}

size_t rt_json_string_escape(uint32_t point, char *out)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[] = "btn\0fr"; /* U+0008 to U+000D */

	out[0] = '\\';
	if (point == '"' || point == '\\') {
		out[1] = (char)point;
		return 2;
	}
	if (point >= 0x08 && point <= 0x0D && letters[point - 0x08]) {
		out[1] = letters[point - 0x08];
		return 2;
	}
	out[1] = 'u';
	for (unsigned i = 0; i < 4; i++)
		out[2 + i] = digits[point >> (12 - 4 * i) & 0xF];
	return 6;
}

/* The letters of the escapes that rt_json_string_escape() makes, but for 'u'. */
static const bool own_letter[256] = {
    ['"'] = true, ['\\'] = true, ['b'] = true, ['f'] = true,
    ['n'] = true, ['r'] = true,  ['t'] = true,
};

bool rt_json_string_is_own(struct rt_slice text)
{
	size_t at = 0;

	for (;;) {
		at += rt_json_string_plain(text.ptr + at, text.len - at);
		if (at == text.len)
			return true;
		/* A backslash is followed by its letter. */
		if (text.ptr[at] != '\\' || !own_letter[(uint8_t)text.ptr[at + 1]])
			return false;
		at += 2;
	}
}

size_t rt_json_string_encoded_len(struct rt_slice text)
{
	size_t len = 2, at = 0;
	char escape[6];

	while (at < text.len) {
		size_t run = rt_json_string_plain(text.ptr + at, text.len - at), read;

		len += run;
		at += run;
		if (at == text.len)
			break;
		len += rt_json_string_escape(rt_json_string_point(text.ptr + at, &read), escape);
		at += read;
	}
	return len;
}

enum rt_status rt_json_string_encode(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, text.len + 2, err);
	size_t at = 0;

	if (status != RT_OK)
		return status;
	out->data[out->len++] = '"';
	while (at < text.len) {
		size_t run = rt_json_string_plain(text.ptr + at, text.len - at), len;

		memcpy(out->data + out->len, text.ptr + at, run);
		out->len += run;
		at += run;
		if (at == text.len)
			break;
		/* Room for the escape, and for what is left if it needs none, with its quote. */
		status = rt_buf_reserve(out, 6 + (text.len - at) + 1, err);
		if (status != RT_OK)
			return status;
		out->len += rt_json_string_escape(rt_json_string_point(text.ptr + at, &len),
						  out->data + out->len);
		at += len;
	}
	out->data[out->len++] = '"';
	return RT_OK;
}
