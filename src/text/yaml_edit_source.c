/*
 * A pull that keeps the bytes it passes on, and questions about them. They are what rt_yaml_open()
 * would be given, so that each event has the place that rt_text_place() tells.
 */
#include "text/yaml_edit_source.h"

#define BOM "\xef\xbb\xbf"

static enum rt_status pull_read(struct yaml_tee *tee, char *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	enum rt_status status = RT_END;

	*ret_len = 0;
	if (!tee->ended)
		status = tee->pull.read(tee->pull.ctx, buf, cap, ret_len, err);
	if (status != RT_OK)
		*ret_len = 0;
	tee->ended = status == RT_END;
	return status == RT_END ? RT_OK : status;
}

/* Read on after the bytes of head that are kept. */
static enum rt_status head_fill(struct yaml_tee *tee, size_t want, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && tee->len < want && !tee->ended) {
		size_t len;

		status =
		    pull_read(tee, tee->head + tee->len, YAML_HEAD_BYTES - tee->len, &len, err);
		tee->len += len;
	}
	return status;
}

enum rt_status rt_yaml_tee_init(struct yaml_tee *tee, struct rt_pull pull, struct rt_error *err)
{
	enum rt_status status;
	bool open = true;

	memset(tee, 0, sizeof(*tee));
	tee->pull = pull;
	status = head_fill(tee, sizeof(BOM) - 1, err);
	if (tee->len >= 3 && memcmp(tee->head, BOM, 3) == 0) {
		tee->base = 3;
		tee->at = 3;
	}
	while (status == RT_OK && open) {
		bool final = tee->ended;

		tee->at += rt_lead_take(&tee->lead, tee->head + tee->at, tee->len - tee->at, final);
		tee->len -= tee->at;
		memmove(tee->head, tee->head + tee->at, tee->len);
		tee->at = 0;
		open = !final &&
		       (tee->len == 0 || rt_lead_is_open(&tee->lead, tee->head, tee->len, final));
		if (open)
			status = head_fill(tee, tee->len + 1, err);
	}
	tee->flow = rt_lead_is_flow(tee->head, tee->len);
	return status;
}

/* What was read by rt_yaml_tee_init(). Returns the bytes given. */
static size_t give_head(struct yaml_tee *tee, char *to, size_t cap)
{
	size_t len = rt_lead_give(&tee->lead, tee->flow, to, cap);
	size_t rest = tee->len - tee->at;

	if (rest > cap - len)
		rest = cap - len;
	memcpy(to + len, tee->head + tee->at, rest);
	tee->at += rest;
	return len + rest;
}

enum rt_status rt_yaml_tee_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct yaml_tee *tee = ctx;
	size_t len = give_head(tee, buf, cap);
	enum rt_status status = RT_OK;

	if (len == 0)
		status = pull_read(tee, buf, cap, &len, err);
	if (status != RT_OK)
		return status;
	if (len == 0)
		return RT_END;
	*ret_len = len;
	return rt_buf_append(&tee->bytes, buf, len, err);
}

void rt_yaml_tee_forget(struct yaml_tee *tee, uint64_t offset)
{
	size_t drop = (size_t)(offset - tee->base);

	if (offset <= tee->base || drop > tee->bytes.len || drop < tee->bytes.len - drop)
		return;
	memmove(tee->bytes.data, tee->bytes.data + drop, tee->bytes.len - drop);
	tee->bytes.len -= drop;
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
