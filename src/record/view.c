/*
 * Shows parts to the scanner. Input: the parts of a run. Output: a window on the text of the open
 * one, and the places of its bytes in the part's source.
 * What the stages before it refuse gets the part's path.
 */
#include "record/view.h"

#include <stdio.h>

#include "files/files.h"

static enum rt_status pull_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

static enum rt_status read_again(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	return rt_parts_read_at(ctx, offset, buf, cap, ret_len, err);
}

static enum rt_status take_note(void *ctx, const struct rt_error *note, struct rt_error *err)
{
	struct rt_view *view = ctx;
	struct rt_error placed = *note;

	rt_error_at(&placed, view->part->path, view->part->member);
	return rt_faults_add(&view->warnings, &placed, err);
}

enum rt_status rt_view_init(struct rt_view *view, const struct rt_options *options,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    size_t window, uint64_t window_max, struct rt_error *err)
{
	enum rt_status status = rt_parts_open(options, &view->parts, err);
	size_t bytes = window ? window : RT_WINDOW_BYTES;

	if (bytes > window_max)
		bytes = (size_t)window_max;
	view->limits = limits;
	view->hints = *hints;
	view->hints.head = &view->head;
	view->hints.simd = options->simd;
	view->hints.accept_failed = options->failed_runs == RT_FAILED_RUNS_ACCEPT;
	view->hints.window = window;
	view->hints.again_ctx = view->parts;
	view->hints.note = take_note;
	view->hints.note_ctx = view;
	view->hints.failed = &view->warnings.failed;
	if (status == RT_OK)
		view->hints.converter = rt_parts_converter(view->parts);
	view->window_max = window_max;
	return status == RT_OK ? rt_window_init(&view->window, bytes ? bytes : 1, err) : status;
}

/* Tell the scanner about the window's bytes. */
static void show(struct rt_view *view)
{
	view->scan.end = view->window.data + view->window.end;
	view->scan.final = view->window.final;
	view->scan.origin = view->window.offset - (uintptr_t)view->window.data;
}

enum rt_status rt_view_open_part(struct rt_view *view, struct rt_error *err)
{
	struct rt_pull pull = {pull_part, view->parts};
	enum rt_status status = rt_parts_next(view->parts, &view->part, err);
	const char *name;

	view->fresh = status == RT_OK;
	if (status != RT_OK)
		return status;
	view->part_count++;
	name = view->part->member ? view->part->member : view->part->path;
	view->hints.named_yaml = rt_name_is_yaml(name, strlen(name));
	view->hints.again = view->part->plain ? read_again : NULL;
	status = rt_text_open(pull, &view->hints, view->limits, &view->text, err);
	if (status != RT_OK) {
		rt_error_at(err, view->part->path, view->part->member);
		return status;
	}
	rt_window_reset(&view->window);
	rt_scan_init(&view->scan, view->limits->depth);
	show(view);
	view->at = view->window.data;
	return RT_OK;
}

bool rt_view_judge(struct rt_view *view, enum rt_likeness want, enum rt_status status,
		   struct rt_error *err)
{
	bool fresh = view->fresh;

	view->fresh = false;
	/* What has no place was found in decoding; what is read as a log is one. */
	if (!fresh || (view->text && rt_text_form(view->text) == RT_TEXT_SARIF) ||
	    status != RT_REJECT || err->line == 0 ||
	    rt_likeness_tell(want, rt_slice_make(view->head.data, view->head.len), err) ==
		RT_LIKE_NOTHING)
		return false;
	rt_view_close_part(view);
	return true;
}

void rt_view_close_part(struct rt_view *view)
{
	rt_text_free(view->text);
	view->text = NULL;
}

static enum rt_status pull_text(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_text_read(ctx, buf, cap, ret_len, err);
}

enum rt_status rt_view_more(struct rt_view *view, const char *keep, struct rt_error *err)
{
	struct rt_pull pull = {pull_text, view->text};
	size_t from = (size_t)(keep - view->window.data);
	enum rt_status status;

	rt_text_forget(view->text, rt_view_offset(view, keep));
	status = rt_window_fill(&view->window, pull, from, view->window_max, err);
	view->at = view->window.data;
	show(view);
	return status;
}

/* A run of blanks beyond the limit, told at its first byte, which may be out of view by now. */
static enum rt_status refuse_blanks(const struct rt_view *view, const struct rt_mark *first,
				    uint64_t offset, struct rt_error *err)
{
	struct rt_place place =
	    rt_view_place(view, first->line, offset - first->line_start + 1, offset);

	(void)rt_error_set(
	    err, RT_E_LIMIT,
	    "want fewer blanks in a row, have more bytes of them than the limit \"record\"");
	rt_place_tell(place, err);
	return RT_REJECT;
}

enum rt_status rt_view_skip_blanks(struct rt_view *view, uint64_t max, struct rt_error *err)
{
	const struct rt_mark first = rt_view_mark(view);
	uint64_t start = rt_view_offset(view, view->at);

	for (;;) {
		enum rt_status status;

		view->at = rt_scan_blanks(&view->scan, view->at);
		if (rt_view_offset(view, view->at) - start > max)
			return refuse_blanks(view, &first, start, err);
		if (view->at < view->scan.end)
			return RT_OK;
		if (view->scan.final)
			return RT_END;
		status = rt_view_more(view, view->at, err);
		if (status != RT_OK)
			return status;
	}
}

bool rt_view_can_seek(const struct rt_view *view)
{
	return view->text && view->part->plain && rt_text_form(view->text) == RT_TEXT_JSON;
}

void rt_view_seek(struct rt_view *view, uint64_t offset)
{
	uint32_t levels = view->scan.depth_base;

	rt_text_drop(view->text);
	rt_parts_seek(view->parts, offset + rt_text_skipped(view->text));
	rt_window_reset(&view->window);
	view->window.offset = offset;
	rt_scan_init(&view->scan, view->limits->depth);
	view->scan.depth_base = levels;
	show(view);
	view->at = view->window.data;
}

const char *rt_view_describe(const struct rt_view *view, const char *at, char *out)
{
	size_t used;

	rt_scan_describe(&view->scan, at, out, RT_VIEW_BYTE);
	used = strlen(out);
	if (!rt_text_is_yaml(view->text))
		(void)snprintf(out + used, RT_VIEW_BYTE - used, " (as JSON)");
	return out;
}

struct rt_place rt_view_place(const struct rt_view *view, uint64_t line, uint64_t column,
			      uint64_t offset)
{
	if (rt_text_is_yaml(view->text))
		return rt_text_place(view->text, offset);
	return (struct rt_place){line, column, offset + rt_text_skipped(view->text)};
}

struct rt_origin rt_view_origin(const struct rt_view *view, struct rt_place place)
{
	return (struct rt_origin){
	    .path = view->part->path,
	    .member = view->part->member,
	    .part = view->part_count - 1,
	    .line = place.line,
	    .column = place.column,
	    .offset = place.offset,
	    .form = rt_text_form(view->text),
	};
}

void rt_view_release(struct rt_view *view)
{
	rt_view_close_part(view);
	rt_faults_release(&view->warnings);
	rt_parts_free(view->parts);
	rt_window_release(&view->window);
}
