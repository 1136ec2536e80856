/*
 * Masks text. Input: text of any bytes. Output: well-formed UTF-8 without anything that acts on a
 * terminal or a reader's eye.
 */
#include "base/mask.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"

static bool is_shown(uint32_t point)
{
	return !rt_utf8_is_unsafe(point) && point != 0xFFFE && point != 0xFFFF;
}

/* Bytes before the first that is not plain ASCII. */
static size_t plain(const char *ptr, size_t len)
{
	size_t i = 0;

	while (i < len && ptr[i] >= 0x20 && ptr[i] < 0x7F)
		i++;
	return i;
}

/* What is put in the place of the len bytes at `at`. Returns how many of them it stands for. */
static size_t replace(const char *at, size_t len, enum rt_mask_lines lines, char text[24],
		      size_t *ret_len)
{
	size_t bytes = rt_utf8_length(at, len);
	uint32_t point = bytes ? rt_utf8_decode(at, bytes) : 0xFFFD;
	bool is_break = point == '\n' || point == '\r' || point == '\t';

	if (is_break && lines != RT_MASK_LINES_SHOW) {
		text[0] = ' ';
		if (lines == RT_MASK_LINES_KEEP)
			text[0] = point == '\t' ? '\t' : '\n';
		*ret_len = 1;
		return point == '\r' && len > 1 && at[1] == '\n' ? 2 : 1;
	}
	if (is_shown(point))
		*ret_len = rt_utf8_encode(point, text);
	else
		*ret_len =
		    (size_t)snprintf(text, 24, "\xE2\x9F\xA8U+%04" PRIX32 "\xE2\x9F\xA9", point);
	return bytes ? bytes : 1;
}

enum rt_status rt_mask(struct rt_slice text, enum rt_mask_lines lines, struct rt_buf *out,
		       struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < text.len;) {
		size_t run = plain(text.ptr + i, text.len - i);
		char shown[24];
		size_t len;

		if (run) {
			status = rt_buf_append(out, text.ptr + i, run, err);
			i += run;
			continue;
		}
		i += replace(text.ptr + i, text.len - i, lines, shown, &len);
		status = rt_buf_append(out, shown, len, err);
	}
	return status;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

struct rt_slice rt_first_line(struct rt_slice text)
{
	size_t from = 0, to;

	while (from < text.len && (is_blank(text.ptr[from]) || is_end(text.ptr[from])))
		from++;
	for (to = from; to < text.len && !is_end(text.ptr[to]);)
		to++;
	while (to > from && is_blank(text.ptr[to - 1]))
		to--;
	return rt_slice_make(text.len ? text.ptr + from : "", to - from);
}
