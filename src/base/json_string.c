/*
 * Decodes the escapes of JSON strings. Input: the bytes between the quotes, checked by the
 * scanner. Output: the UTF-8 text they stand for, never longer than the input.
 * Checks nothing: grammar is the scanner's work, and it has been done.
 */
#include "base/json_string.h"

#include <stdint.h>

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

/* Decode \uXXXX at text, with its second half where it is a pair. Returns the bytes read. */
static size_t decode_unicode(const char *text, char **out)
{
	uint32_t point = hex4(text + 2);
	size_t read = 6;

	if (point >= 0xD800 && point < 0xDC00) {
		point = 0x10000 + ((point - 0xD800) << 10) + (hex4(text + 8) - 0xDC00);
		read = 12;
	}
	*out += rt_utf8_encode(point, *out);
	return read;
}

static char decode_letter(char letter)
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

size_t rt_json_string_decode(struct rt_slice text, char *out)
{
	const char *at = text.ptr, *end = text.ptr + text.len;
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
			at += decode_unicode(at, &out);
		} else {
			*out++ = decode_letter(at[1]);
			at += 2;
		}
	}
	return (size_t)(out - start);
}
