/*
 * Makes UTF-8 of any bytes: U+FFFD replaces each that is not part of a character.
 */
#include "base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

size_t rt_utf8_points(struct rt_slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
	return count;
}

size_t rt_utf8_prefix(struct rt_slice text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (len == 0)
			break;
		at += len;
	}
	return at;
}

enum rt_status rt_utf8_mend(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	out->len = 0;
	while (status == RT_OK && text.len) {
		size_t good = rt_utf8_prefix(text);

		status = rt_buf_append(out, text.ptr, good, err);
		text = rt_slice_make(text.ptr + good, text.len - good);
		if (status != RT_OK || text.len == 0)
			break;
		status = rt_buf_append(out, REPLACEMENT, sizeof(REPLACEMENT) - 1, err);
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	}
	return status;
}
