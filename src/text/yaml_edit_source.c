/*
 * A pull that keeps the bytes it passes on, and questions about them. They are what rt_yaml_open()
 * would be given, so that each event has the place that rt_text_place() tells.
 */
#include "text/yaml_edit_source.h"

#include "text/look.h"
#include "text/yaml_source.h"

#define BOM "\xef\xbb\xbf"

/* Read once more. At the end of the part nothing is added. */
static enum rt_status tee_fill(struct yaml_tee *tee, size_t len, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(&tee->bytes, len, err);
	size_t got;

	if (status != RT_OK || tee->ended)
		return status;
	status = tee->pull.read(tee->pull.ctx, tee->bytes.data + tee->bytes.len, len, &got, err);
	if (status == RT_OK)
		tee->bytes.len += got;
	tee->ended = status == RT_END;
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_yaml_tee_init(struct yaml_tee *tee, struct rt_pull pull, struct rt_error *err)
{
	struct rt_buf *bytes = &tee->bytes;
	enum rt_status status = RT_OK;
	struct rt_lead lead;

	memset(tee, 0, sizeof(*tee));
	tee->pull = pull;
	while (status == RT_OK && bytes->len < 3 && !tee->ended)
		status = tee_fill(tee, YAML_READ_BYTES, err);
	if (bytes->len >= 3 && memcmp(bytes->data, BOM, 3) == 0) {
		tee->base = 3;
		bytes->len -= 3;
		memmove(bytes->data, bytes->data + 3, bytes->len);
	}
	while (status == RT_OK && !rt_lead_find(&lead, bytes->data, bytes->len, tee->ended))
		status = tee_fill(tee, bytes->len + YAML_READ_BYTES, err);
	if (status == RT_OK)
		rt_lead_mend(&lead, bytes->data, bytes->len);
	return status;
}

enum rt_status rt_yaml_tee_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct yaml_tee *tee = ctx;
	enum rt_status status = RT_OK;
	size_t left;

	if (tee->given == tee->bytes.len)
		status = tee_fill(tee, cap, err);
	if (status != RT_OK)
		return status;
	left = tee->bytes.len - tee->given;
	if (left == 0)
		return RT_END;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, tee->bytes.data + tee->given, *ret_len);
	tee->given += *ret_len;
	return RT_OK;
}

void rt_yaml_tee_forget(struct yaml_tee *tee, uint64_t offset)
{
	size_t drop = (size_t)(offset - tee->base);

	if (offset <= tee->base || drop > tee->bytes.len || drop < tee->bytes.len - drop)
		return;
	memmove(tee->bytes.data, tee->bytes.data + drop, tee->bytes.len - drop);
	tee->bytes.len -= drop;
	tee->given -= drop;
	tee->base = offset;
}

/* The offset after the last byte that is kept. */
static uint64_t tee_end(const struct yaml_tee *tee)
{
	return tee->base + tee->bytes.len;
}

struct rt_slice rt_yaml_tee_slice(const struct yaml_tee *tee, uint64_t from, uint64_t to)
{
	uint64_t end = tee_end(tee);

	if (to > end)
		to = end;
	if (from < tee->base || from >= to)
		return rt_slice_make("", 0);
	return rt_slice_make(tee->bytes.data + (from - tee->base), (size_t)(to - from));
}

char rt_yaml_tee_byte(const struct yaml_tee *tee, uint64_t offset)
{
	struct rt_slice slice = rt_yaml_tee_slice(tee, offset, offset + 1);

	return slice.len ? slice.ptr[0] : '\0';
}

size_t rt_yaml_tee_break(const struct yaml_tee *tee, uint64_t offset)
{
	char c = rt_yaml_tee_byte(tee, offset);

	if (c == '\r')
		return rt_yaml_tee_byte(tee, offset + 1) == '\n' ? 2 : 1;
	return c == '\n';
}

uint64_t rt_yaml_tee_line_end(const struct yaml_tee *tee, uint64_t offset)
{
	uint64_t end = tee_end(tee);

	while (offset < end && rt_yaml_tee_break(tee, offset) == 0)
		offset++;
	return offset;
}

uint64_t rt_yaml_tee_skip_gap(const struct yaml_tee *tee, uint64_t offset)
{
	for (;;) {
		size_t len = rt_yaml_tee_break(tee, offset);
		char c = rt_yaml_tee_byte(tee, offset);

		if (len > 0)
			offset += len;
		else if (rt_yaml_is_space(c))
			offset++;
		else if (c == '#')
			offset = rt_yaml_tee_line_end(tee, offset);
		else
			return offset;
	}
}

uint64_t rt_yaml_tee_trim(const struct yaml_tee *tee, uint64_t from, uint64_t end)
{
	while (end > from && strchr(" \t\r\n", rt_yaml_tee_byte(tee, end - 1)))
		end--;
	return end;
}

uint64_t rt_yaml_tee_own_lines(const struct yaml_tee *tee, uint64_t end, uint64_t to, size_t column)
{
	uint64_t at = rt_yaml_tee_line_end(tee, end);

	for (end = at; at < to;) {
		uint64_t start = at + rt_yaml_tee_break(tee, at);
		bool tab = false;

		for (at = start; rt_yaml_is_space(rt_yaml_tee_byte(tee, at)); at++)
			tab |= rt_yaml_tee_byte(tee, at) == '\t';
		tab |= at - start > column;
		at = rt_yaml_tee_line_end(tee, at);
		if (tab && at <= to)
			end = at;
	}
	return end;
}

void rt_yaml_tee_release(struct yaml_tee *tee)
{
	rt_buf_release(&tee->bytes);
}
