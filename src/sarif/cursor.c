/*
 * Moves over a log's text. Input: bytes of the source. Output: members, elements and whole values,
 * checked. Refuses what is no JSON, values and runs of blanks beyond their limits, and nesting that
 * is too deep.
 */
#include "sarif/cursor.h"

#include <stdio.h>
#include <stdlib.h>

#define BYTE_TEXT 40u

static enum rt_status cursor_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_sarif_cursor *cursor = ctx;
	enum rt_status status =
	    rt_sarif_source_read(cursor->source, cursor->next, true, buf, cap, ret_len, err);

	if (status == RT_OK)
		cursor->next += *ret_len;
	return status;
}

/* Tell the scanner about the window's bytes. */
static void show(struct rt_sarif_cursor *cursor)
{
	cursor->scan.end = cursor->window.data + cursor->window.end;
	cursor->scan.final = cursor->window.final;
	cursor->scan.origin = cursor->window.offset - (uintptr_t)cursor->window.data;
}

enum rt_status rt_sarif_cursor_new(struct rt_sarif_source *source, const struct rt_limits *limits,
				   enum rt_simd simd, size_t window,
				   struct rt_sarif_cursor **ret_cursor, struct rt_error *err)
{
	struct rt_sarif_cursor *cursor = rt_scan_alloc(sizeof(*cursor));
	uint64_t bytes = window ? window : RT_WINDOW_BYTES;
	enum rt_status status;

	if (!cursor)
		return rt_error_nomem(err);
	cursor->source = source;
	cursor->limits = limits;
	cursor->ops = rt_scan_ops_for(simd);
	if (bytes > limits->record_bytes)
		bytes = limits->record_bytes;
	status = rt_window_init(&cursor->window, (size_t)bytes, err);
	if (status != RT_OK) {
		rt_sarif_cursor_free(cursor);
		return status;
	}
	rt_scan_init(&cursor->scan, limits->depth);
	show(cursor);
	cursor->at = cursor->window.data;
	*ret_cursor = cursor;
	return RT_OK;
}

void rt_sarif_cursor_free(struct rt_sarif_cursor *cursor)
{
	if (!cursor)
		return;
	rt_window_release(&cursor->window);
	free(cursor);
}

void rt_sarif_cursor_seek(struct rt_sarif_cursor *cursor, const struct rt_sarif_spot *spot,
			  uint32_t levels)
{
	rt_window_reset(&cursor->window);
	cursor->window.offset = cursor->next = spot->offset;
	cursor->at = cursor->window.data;
	cursor->broken = false;
	show(cursor);
	cursor->scan.line = spot->line;
	cursor->scan.line_start = spot->line_start;
	cursor->scan.depth_base = levels;
}

/* Offset of a byte of the window. */
static uint64_t offset_of(const struct rt_sarif_cursor *cursor, const char *at)
{
	return cursor->scan.origin + (uintptr_t)at;
}

struct rt_sarif_spot rt_sarif_cursor_spot(const struct rt_sarif_cursor *cursor)
{
	return (struct rt_sarif_spot){offset_of(cursor, cursor->at), cursor->scan.line,
				      cursor->scan.line_start};
}

struct rt_sarif_spot rt_sarif_spot_in(const struct rt_sarif_spot *spot, const char *value,
				      const char *at)
{
	struct rt_sarif_spot in = *spot;
	const char *line = value, *feed;

	while ((feed = memchr(line, '\n', (size_t)(at - line))) != NULL) {
		line = feed + 1;
		in.line++;
		in.line_start = spot->offset + (uint64_t)(line - value);
	}
	in.offset = spot->offset + (uint64_t)(at - value);
	return in;
}

static void tell_place(const struct rt_sarif_cursor *cursor, const struct rt_sarif_spot *spot,
		       struct rt_error *err)
{
	rt_place_tell(rt_sarif_spot_place(spot, cursor->source->hints->skipped), err);
}

/* A fault of grammar at a byte of the window. */
static enum rt_status refuse_at(struct rt_sarif_cursor *cursor, const char *at, const char *want,
				const char *have, struct rt_error *err)
{
	char byte[BYTE_TEXT];
	size_t used;

	if (!have) {
		rt_scan_describe(&cursor->scan, at, byte, sizeof(byte));
		used = strlen(byte);
		(void)snprintf(byte + used, sizeof(byte) - used, " (as JSON)");
		have = byte;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	cursor->spot = (struct rt_sarif_spot){offset_of(cursor, at), cursor->scan.line,
					      cursor->scan.line_start};
	tell_place(cursor, &cursor->spot, err);
	cursor->broken = true;
	return RT_REJECT;
}

enum rt_status rt_sarif_cursor_refuse(struct rt_sarif_cursor *cursor, const char *want,
				      const char *have, struct rt_error *err)
{
	return refuse_at(cursor, cursor->at, want, have, err);
}

/*
 * After a scan from spot failed: get more bytes and go back to spot where that is what it needs
 * (RT_OK: scan again), else tell what was wrong. The bytes before spot are dropped.
 */
static enum rt_status retry(struct rt_sarif_cursor *cursor, const struct rt_sarif_spot *spot,
			    uint64_t max, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &cursor->scan.fault;
	size_t keep = (size_t)(spot->offset - cursor->window.offset);
	enum rt_status status;

	if (fault->at) {
		status = refuse_at(cursor, fault->at, fault->want, fault->have, err);
		err->code = fault->code;
		return status;
	}
	cursor->scan.line = spot->line;
	cursor->scan.line_start = spot->line_start;
	status =
	    rt_window_fill(&cursor->window, (struct rt_pull){cursor_pull, cursor}, keep, max, err);
	cursor->at = cursor->window.data;
	show(cursor);
	if (status == RT_OK)
		return RT_OK;
	cursor->broken = true;
	if (err->line == 0 && err->code == RT_E_LIMIT)
		tell_place(cursor, spot, err);
	return status;
}

/* A run of blanks beyond the limit, told at its first byte, which may be out of view by now. */
static enum rt_status refuse_blanks(struct rt_sarif_cursor *cursor,
				    const struct rt_sarif_spot *first, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_LIMIT,
			   "want fewer blanks in a row, have more bytes of them than the limit "
			   "\"record\"");
	cursor->spot = *first;
	tell_place(cursor, first, err);
	cursor->broken = true;
	return RT_REJECT;
}

enum rt_status rt_sarif_cursor_blanks(struct rt_sarif_cursor *cursor, struct rt_error *err)
{
	const struct rt_sarif_spot first = rt_sarif_cursor_spot(cursor);

	for (;;) {
		struct rt_sarif_spot spot;
		enum rt_status status;

		cursor->at = rt_scan_blanks(&cursor->scan, cursor->at);
		spot = rt_sarif_cursor_spot(cursor);
		if (spot.offset - first.offset > cursor->limits->record_bytes)
			return refuse_blanks(cursor, &first, err);
		if (cursor->at < cursor->scan.end)
			return RT_OK;
		if (cursor->scan.final)
			return RT_END;
		cursor->scan.fault.at = NULL;
		status = retry(cursor, &spot, cursor->limits->record_bytes, err);
		if (status != RT_OK)
			return status;
	}
}

/* As rt_sarif_cursor_blanks(), where the text must go on. */
static enum rt_status need_byte(struct rt_sarif_cursor *cursor, const char *want,
				struct rt_error *err)
{
	enum rt_status status = rt_sarif_cursor_blanks(cursor, err);

	return status == RT_END ? rt_sarif_cursor_refuse(cursor, want, NULL, err) : status;
}

enum rt_status rt_sarif_cursor_enter(struct rt_sarif_cursor *cursor, struct rt_error *err)
{
	enum rt_status status;

	if (cursor->scan.depth_base >= cursor->scan.depth_limit) {
		status = rt_sarif_cursor_refuse(cursor, "arrays and objects nested less deep",
						"more levels than the limit \"depth\" allows", err);
		err->code = RT_E_LIMIT;
		return status;
	}
	cursor->scan.depth_base++;
	cursor->at++;
	return RT_OK;
}

/* The commas of a list. RT_OK: an item stands at the cursor; RT_END: the list was left. */
static enum rt_status next_item(struct rt_sarif_cursor *cursor, bool *first, char close,
				const char *want_first, const char *want_next, struct rt_error *err)
{
	enum rt_status status = need_byte(cursor, *first ? want_first : want_next, err);

	if (status != RT_OK)
		return status;
	if (*cursor->at == close) {
		cursor->at++;
		cursor->scan.depth_base--;
		return RT_END;
	}
	if (!*first) {
		if (*cursor->at != ',')
			return rt_sarif_cursor_refuse(cursor, want_next, NULL, err);
		cursor->at++;
		status = need_byte(cursor, close == ']' ? "a value" : "a member name", err);
	}
	*first = false;
	return status;
}

enum rt_status rt_sarif_cursor_element(struct rt_sarif_cursor *cursor, bool *first,
				       struct rt_error *err)
{
	return next_item(cursor, first, ']', "a value or ']'", "',' or ']'", err);
}

enum rt_status rt_sarif_cursor_member(struct rt_sarif_cursor *cursor, bool *first,
				      int (*find)(struct rt_slice key), int *ret_name,
				      struct rt_error *err)
{
	enum rt_status status =
	    next_item(cursor, first, '}', "a member name or '}'", "',' or '}'", err);
	struct rt_sarif_spot spot;
	struct rt_slice key;

	if (status != RT_OK)
		return status;
	if (*cursor->at != '"')
		return rt_sarif_cursor_refuse(cursor, "a member name", NULL, err);
	status = rt_sarif_cursor_take(cursor, cursor->limits->record_bytes, &key, err);
	if (status != RT_OK)
		return status;
	spot = cursor->spot;
	*ret_name = find(rt_sarif_inside(key));
	rt_error_text(cursor->key, sizeof(cursor->key), rt_sarif_inside(key));
	status = need_byte(cursor, "':'", err);
	if (status == RT_OK && *cursor->at != ':')
		status = rt_sarif_cursor_refuse(cursor, "':'", NULL, err);
	if (status != RT_OK)
		return status;
	cursor->at++;
	status = need_byte(cursor, "a value", err);
	if (status == RT_OK)
		cursor->spot = spot;
	return status;
}

/* The value that the cursor is at has been scanned: take it. spot: of its first byte. */
static enum rt_status taken(struct rt_sarif_cursor *cursor, const struct rt_sarif_spot *spot,
			    const char *after, uint64_t max, struct rt_slice *ret_value,
			    struct rt_error *err)
{
	cursor->spot = *spot;
	*ret_value = rt_slice_make(cursor->at, (size_t)(after - cursor->at));
	cursor->at = after;
	if (ret_value->len <= max)
		return RT_OK;
	/* The window had room for more because of another value. */
	(void)rt_error_set(err, RT_E_LIMIT, "want at most %llu byte%s (limit \"record\"), have %zu",
			   (unsigned long long)max, RT_S(max), ret_value->len);
	tell_place(cursor, spot, err);
	return RT_REJECT;
}

enum rt_status rt_sarif_cursor_take(struct rt_sarif_cursor *cursor, uint64_t max,
				    struct rt_slice *ret_value, struct rt_error *err)
{
	const struct rt_sarif_spot spot = rt_sarif_cursor_spot(cursor);
	const char *after;

	while (!(after = cursor->ops->value(&cursor->scan, cursor->at, NULL))) {
		enum rt_status status = retry(cursor, &spot, max, err);

		if (status != RT_OK)
			return status;
	}
	return taken(cursor, &spot, after, max, ret_value, err);
}

enum rt_status rt_sarif_cursor_cut(struct rt_sarif_cursor *cursor, uint64_t max,
				   const struct rt_cut *cut, struct rt_slice *values, size_t count,
				   bool *ret_cut, struct rt_slice *ret_value, struct rt_error *err)
{
	const struct rt_sarif_spot spot = rt_sarif_cursor_spot(cursor);
	const char *after;

	for (;;) {
		enum rt_status status;

		memset(values, 0, count * sizeof(*values));
		after = cursor->ops->cut(&cursor->scan, cursor->at, cut, values);
		*ret_cut = after != NULL;
		if (!after)
			after = cursor->ops->value(&cursor->scan, cursor->at, NULL);
		if (after)
			return taken(cursor, &spot, after, max, ret_value, err);
		status = retry(cursor, &spot, max, err);
		if (status != RT_OK)
			return status;
	}
}

enum rt_status rt_sarif_cursor_skip(struct rt_sarif_cursor *cursor, struct rt_error *err)
{
	memset(&cursor->nest, 0, sizeof(cursor->nest));
	for (;;) {
		enum rt_status status = rt_sarif_cursor_blanks(cursor, err);
		const char *from = cursor->at;
		struct rt_sarif_spot spot;

		if (status != RT_OK && status != RT_END)
			return status;
		if (cursor->ops->nested(&cursor->scan, &cursor->nest, cursor->at, &cursor->at))
			return RT_OK;
		if (!cursor->scan.fault.at && cursor->at != from)
			continue;
		spot = rt_sarif_cursor_spot(cursor);
		status = retry(cursor, &spot, cursor->limits->record_bytes, err);
		if (status != RT_OK)
			return status;
	}
}
