/*
 * Moves over a JSON text: members, elements and whole values, checked by the scanner.
 */
#include "scan/cursor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"

#define BYTE_TEXT 40u

/* Tell the scanner about the window's bytes. */
static void show(struct rt_cursor *cursor)
{
	cursor->scan.end = cursor->window.data + cursor->window.end;
	cursor->scan.final = cursor->window.final;
	cursor->scan.origin = cursor->window.offset - (uintptr_t)cursor->window.data;
}

enum rt_status rt_cursor_init(struct rt_cursor *cursor, const struct rt_limits *limits,
			      uint64_t most, struct rt_error *err)
{
	enum rt_status status = rt_window_init(&cursor->window, most, err);

	cursor->limits = limits;
	cursor->ops = rt_scan_ops();
	if (status == RT_OK)
		rt_cursor_start(cursor);
	return status;
}

void rt_cursor_start(struct rt_cursor *cursor)
{
	rt_window_reset(&cursor->window);
	rt_scan_init(&cursor->scan, cursor->limits->depth);
	show(cursor);
	cursor->at = cursor->window.data;
	cursor->broken = false;
}

void rt_cursor_release(struct rt_cursor *cursor)
{
	rt_window_release(&cursor->window);
}

void rt_cursor_seek(struct rt_cursor *cursor, const struct rt_cursor_spot *spot, uint32_t levels)
{
	rt_window_reset(&cursor->window);
	cursor->window.offset = spot->offset;
	cursor->at = cursor->window.data;
	cursor->broken = false;
	show(cursor);
	cursor->scan.line = spot->line;
	cursor->scan.line_start = spot->line_start;
	cursor->scan.depth_base = levels;
}

/* Go back to a spot that is in view. */
static void rewind_to(struct rt_cursor *cursor, const struct rt_cursor_spot *spot)
{
	cursor->at = cursor->window.data + (spot->offset - cursor->window.offset);
	cursor->scan.line = spot->line;
	cursor->scan.line_start = spot->line_start;
}

struct rt_cursor_spot rt_cursor_here(const struct rt_cursor *cursor)
{
	return (struct rt_cursor_spot){rt_cursor_offset(cursor, cursor->at), cursor->scan.line,
				       cursor->scan.line_start};
}

struct rt_cursor_spot rt_cursor_spot_in(const struct rt_cursor_spot *spot, const char *value,
					const char *at)
{
	struct rt_cursor_spot in = *spot;
	const char *line = value, *feed;

	while ((feed = memchr(line, '\n', (size_t)(at - line))) != NULL) {
		line = feed + 1;
		in.line++;
		in.line_start = spot->offset + (uint64_t)(line - value);
	}
	in.offset = spot->offset + (uint64_t)(at - value);
	return in;
}

void rt_cursor_tell(const struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
		    struct rt_error *err)
{
	rt_place_tell(cursor->place(cursor->place_ctx, spot), err);
}

enum rt_status rt_cursor_refuse_at(struct rt_cursor *cursor, const char *at, const char *want,
				   const char *have, struct rt_error *err)
{
	char byte[BYTE_TEXT];
	size_t used;

	if (!have) {
		rt_scan_describe(&cursor->scan, at, byte, sizeof(byte));
		used = strlen(byte);
		(void)snprintf(byte + used, sizeof(byte) - used, "%s",
			       cursor->made ? "" : " (as JSON)");
		have = byte;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	cursor->spot = (struct rt_cursor_spot){rt_cursor_offset(cursor, at), cursor->scan.line,
					       cursor->scan.line_start};
	rt_cursor_tell(cursor, &cursor->spot, err);
	cursor->broken = true;
	return RT_REJECT;
}

enum rt_status rt_cursor_more(struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
			      uint64_t max, struct rt_error *err)
{
	size_t keep = (size_t)(spot->offset - cursor->window.offset);
	enum rt_status status = rt_window_fill(&cursor->window, cursor->pull, keep, max, err);

	show(cursor);
	rewind_to(cursor, spot);
	if (status == RT_OK)
		return RT_OK;
	cursor->broken = true;
	cursor->too_long = status == RT_REJECT && cursor->window.held == RT_OK;
	if (err->line == 0 && err->code == RT_E_LIMIT)
		rt_cursor_tell(cursor, spot, err);
	return status;
}

/* The value of an escape \uXXXX; -1: it is none, or not all of it is there. */
static int escaped_unit(const char *at, const char *end)
{
	int value = 0;

	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		char c = at[i] >= 'A' ? (char)(at[i] | 0x20) : at[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return -1;
		value = value << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return value;
}

/* Read half of a surrogate pair as U+FFFD, in the window, and all that follow it there: a value is
 * scanned anew after each time. */
static void mend(struct rt_cursor *cursor)
{
	static const char whole[] = {'\\', 'u', 'f', 'f', 'f', 'd'};
	char *at = cursor->window.data + (cursor->scan.fault.half - cursor->window.data);
	const char *end = cursor->scan.end;

	while (at && end - at >= 6) {
		int unit = escaped_unit(at, end), next = escaped_unit(at + 6, end);
		bool is_high = unit >= 0xD800 && unit < 0xDC00;
		bool is_pair = is_high && next >= 0xDC00 && next < 0xE000;

		/* Its other half may be out of view. */
		if (is_high && !is_pair && !cursor->scan.final && end - at < 12 &&
		    at != cursor->scan.fault.half)
			break;
		if (!is_pair && unit >= 0xD800 && unit < 0xE000) {
			memcpy(at, whole, sizeof(whole));
			if (rt_cursor_offset(cursor, at) >= cursor->mended_to) {
				cursor->mended++;
				cursor->mended_to = rt_cursor_offset(cursor, at) + 1;
			}
		}
		at += unit < 0 ? 2 : is_pair ? 12 : 6;
		at = at < end ? memchr(at, '\\', (size_t)(end - at)) : NULL;
	}
}

enum rt_status rt_cursor_retry(struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
			       uint64_t max, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &cursor->scan.fault;
	enum rt_status status;

	if (!fault->at)
		return rt_cursor_more(cursor, spot, max, err);
	if (fault->half && cursor->mends) {
		mend(cursor);
		return RT_OK;
	}
	status = rt_cursor_refuse_at(cursor, fault->at, fault->want, fault->have, err);
	err->code = fault->code;
	return status;
}

/* A run of blanks beyond the limit, told at its first byte, which may be out of view by now. */
static enum rt_status refuse_blanks(struct rt_cursor *cursor, const struct rt_cursor_spot *first,
				    struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_LIMIT, "a run of white space exceeds --limit record");
	cursor->spot = *first;
	rt_cursor_tell(cursor, first, err);
	cursor->broken = true;
	return RT_REJECT;
}

enum rt_status rt_cursor_blanks(struct rt_cursor *cursor, struct rt_error *err)
{
	const struct rt_cursor_spot first = rt_cursor_here(cursor);

	/* Mostly there is none; after the window's end there are bytes of 0. */
	while ((unsigned char)*cursor->at <= ' ') {
		struct rt_cursor_spot spot;
		enum rt_status status;

		cursor->at = rt_scan_blanks(&cursor->scan, cursor->at);
		spot = rt_cursor_here(cursor);
		if (spot.offset - first.offset > cursor->limits->record_bytes)
			return refuse_blanks(cursor, &first, err);
		if (cursor->at < cursor->scan.end)
			return RT_OK;
		if (cursor->scan.final)
			return RT_END;
		status = rt_cursor_more(cursor, &spot, cursor->limits->record_bytes, err);
		if (status != RT_OK)
			return status;
	}
	return RT_OK;
}

enum rt_status rt_cursor_need(struct rt_cursor *cursor, const char *want, struct rt_error *err)
{
	enum rt_status status = rt_cursor_blanks(cursor, err);

	return status == RT_END ? rt_cursor_refuse(cursor, want, NULL, err) : status;
}

enum rt_status rt_cursor_enter(struct rt_cursor *cursor, struct rt_error *err)
{
	enum rt_status status;

	if (cursor->scan.depth_base >= cursor->scan.depth_limit) {
		status =
		    rt_cursor_refuse(cursor, "less nesting", "more levels than --limit depth", err);
		err->code = RT_E_LIMIT;
		return status;
	}
	cursor->scan.depth_base++;
	cursor->at++;
	return RT_OK;
}

/* The commas of a list. RT_OK: an item is at the cursor; RT_END: the list was left. */
static enum rt_status next_item(struct rt_cursor *cursor, bool *first, char close,
				const char *what_first, const char *what_next, const char *what,
				struct rt_error *err)
{
	enum rt_status status = rt_cursor_need(cursor, *first ? what_first : what_next, err);

	if (status != RT_OK)
		return status;
	if (*cursor->at == close) {
		cursor->at++;
		cursor->scan.depth_base--;
		return RT_END;
	}
	if (!*first) {
		if (*cursor->at != ',')
			return rt_cursor_refuse(cursor, what_next, NULL, err);
		cursor->at++;
		status = rt_cursor_need(cursor, what, err);
	}
	*first = false;
	return status;
}

enum rt_status rt_cursor_element(struct rt_cursor *cursor, bool *first, const char *what,
				 const char *what_first, struct rt_error *err)
{
	return next_item(cursor, first, ']', what_first, "',' or ']'", what, err);
}

enum rt_status rt_cursor_member(struct rt_cursor *cursor, bool *first,
				int (*find)(struct rt_slice key), int *ret_name,
				struct rt_error *err)
{
	enum rt_status status = next_item(cursor, first, '}', "a member name or '}'", "',' or '}'",
					  "a member name", err);
	struct rt_cursor_spot spot;
	struct rt_slice key;

	if (status != RT_OK)
		return status;
	if (*cursor->at != '"')
		return rt_cursor_refuse(cursor, "a member name", NULL, err);
	status = rt_cursor_take(cursor, cursor->limits->record_bytes, &key, err);
	if (status != RT_OK)
		return status;
	spot = cursor->spot;
	*ret_name = find(rt_slice_make(key.ptr + 1, key.len - 2));
	rt_error_text(cursor->key, sizeof(cursor->key), rt_slice_make(key.ptr + 1, key.len - 2));
	status = rt_cursor_need(cursor, "':'", err);
	if (status == RT_OK && *cursor->at != ':')
		status = rt_cursor_refuse(cursor, "':'", NULL, err);
	if (status != RT_OK)
		return status;
	cursor->at++;
	status = rt_cursor_need(cursor, "a value", err);
	if (status == RT_OK)
		cursor->spot = spot;
	return status;
}

/* The value that the cursor is at has been scanned: take it. spot: of its first byte. */
static enum rt_status taken(struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
			    const char *after, uint64_t max, struct rt_slice *ret_value,
			    struct rt_error *err)
{
	cursor->spot = *spot;
	*ret_value = rt_slice_make(cursor->at, (size_t)(after - cursor->at));
	cursor->at = after;
	if (ret_value->len <= max)
		return RT_OK;
	/* The window had room for more because of another value. */
	cursor->too_long = true;
	(void)rt_error_limit(err, "the record", "record", max);
	rt_cursor_tell(cursor, spot, err);
	return RT_REJECT;
}

enum rt_status rt_cursor_take(struct rt_cursor *cursor, uint64_t max, struct rt_slice *ret_value,
			      struct rt_error *err)
{
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);
	const char *after;

	cursor->too_long = false;
	while (!(after = cursor->ops->value(&cursor->scan, cursor->at, NULL))) {
		enum rt_status status = rt_cursor_retry(cursor, &spot, max, err);

		if (status != RT_OK)
			return status;
	}
	return taken(cursor, &spot, after, max, ret_value, err);
}

enum rt_status rt_cursor_cut(struct rt_cursor *cursor, uint64_t max, const struct rt_cut *cut,
			     struct rt_slice *values, size_t count, bool *ret_cut,
			     struct rt_slice *ret_value, struct rt_error *err)
{
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);
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
		status = rt_cursor_retry(cursor, &spot, max, err);
		if (status != RT_OK)
			return status;
	}
}

enum rt_status rt_cursor_skip(struct rt_cursor *cursor, struct rt_error *err)
{
	memset(&cursor->nest, 0, sizeof(cursor->nest));
	for (;;) {
		enum rt_status status = rt_cursor_blanks(cursor, err);
		const char *from = cursor->at;
		struct rt_cursor_spot spot;

		if (status != RT_OK && status != RT_END)
			return status;
		if (cursor->ops->nested(&cursor->scan, &cursor->nest, cursor->at, &cursor->at))
			return RT_OK;
		if (!cursor->scan.fault.at && cursor->at != from)
			continue;
		spot = rt_cursor_here(cursor);
		status = rt_cursor_retry(cursor, &spot, cursor->limits->record_bytes, err);
		if (status != RT_OK)
			return status;
	}
}

/* --- The window ------------------------------------------------------------------------------ */

static size_t first_size(uint64_t max)
{
	const char *wanted = secure_getenv("RETRIAGE_WINDOW");
	uint64_t bytes = wanted ? strtoull(wanted, NULL, 10) : 0;

	if (bytes == 0 || bytes > RT_WINDOW_BYTES)
		bytes = RT_WINDOW_BYTES;
	if (bytes > max)
		bytes = max;
	return bytes ? (size_t)bytes : 1;
}

enum rt_status rt_window_init(struct rt_window *w, uint64_t max, struct rt_error *err)
{
	size_t bytes = first_size(max);

	memset(w, 0, sizeof(*w));
	w->data = malloc(bytes + RT_PADDING);
	if (!w->data)
		return rt_error_nomem(err);
	w->cap = bytes;
	rt_window_reset(w);
	return RT_OK;
}

void rt_window_release(struct rt_window *w)
{
	free(w->data);
	w->data = NULL;
}

void rt_window_reset(struct rt_window *w)
{
	w->end = 0;
	w->offset = 0;
	w->final = false;
	w->held = RT_OK;
	memset(w->data, 0, RT_PADDING);
}

/* Room for as many bytes again as are in use, as far as max allows. */
static enum rt_status window_grow(struct rt_window *w, uint64_t max, struct rt_error *err)
{
	uint64_t cap = (uint64_t)w->cap * 2;
	char *data;

	if (w->end < w->cap)
		return RT_OK;
	if (w->end >= max) {
		rt_error_limit(err, "the record", "record", max);
		return RT_REJECT;
	}
	if (cap > max)
		cap = max;
	data = realloc(w->data, (size_t)cap + RT_PADDING);
	if (!data)
		return rt_error_nomem(err);
	w->data = data;
	w->cap = (size_t)cap;
	return RT_OK;
}

enum rt_status rt_window_fill(struct rt_window *w, struct rt_pull pull, size_t keep, uint64_t max,
			      struct rt_error *err)
{
	size_t kept = w->end - keep;
	enum rt_status status;
	size_t got;

	/* With a failed read, too, so that the caller finds the byte to keep at the same place. */
	memmove(w->data, w->data + keep, kept);
	w->offset += keep;
	w->end = kept;
	memset(w->data + w->end, 0, RT_PADDING);
	if (w->held != RT_OK) {
		*err = w->held_err;
		return w->held;
	}
	status = window_grow(w, max, err);
	if (status != RT_OK)
		return status;
	do {
		status = pull.read(pull.ctx, w->data + w->end, w->cap - w->end, &got, err);
		if (status != RT_OK)
			break;
		w->end += got;
	} while (w->end < w->cap && w->end < kept * 2);
	memset(w->data + w->end, 0, RT_PADDING);
	if (status == RT_END) {
		w->final = true;
	} else if (status != RT_OK) {
		w->held = status;
		w->held_err = *err;
		return w->end > kept ? RT_OK : status;
	}
	return RT_OK;
}
