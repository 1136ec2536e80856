/*
 * Shows parts to the scanner: a window on the text of the open one, and the places of its bytes in
 * the part's source. Errors of earlier stages get the part's path.
 */
#include "formats/view.h"

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

static enum rt_status pull_text(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct rt_view *view = ctx;
	struct rt_marks *marks = view->text.marks;

	/* What is out of view is not asked for again. */
	if (marks)
		rt_marks_forget(marks, view->cursor.window.offset);
	return rt_text_read(&view->text, buf, cap, ret_len, err);
}

/* Where a byte of the text comes from: a place of the part's own source. */
static struct rt_place place_of(const void *ctx, const struct rt_cursor_spot *spot)
{
	const struct rt_view *view = ctx;

	if (view->text.marks)
		return rt_marks_find(view->text.marks, spot->offset);
	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + view->text.skipped};
}

enum rt_status rt_view_init(struct rt_view *view, const struct rt_options *options,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    uint64_t most, struct rt_error *err)
{
	enum rt_status status = rt_parts_open(options, &view->parts, err);

	view->limits = limits;
	view->hints = *hints;
	view->hints.log.accept_failed = options->failed_runs == RT_FAILED_RUNS_ACCEPT;
	view->hints.log.old_ids = options->ids == RT_IDS_S1;
	view->hints.log.level_first = options->severity_from == RT_SEVERITY_FROM_LEVEL;
	view->hints.log.strip =
	    (struct rt_prefixes){options->strip_prefixes, options->strip_prefix_count};
	view->hints.log.again_ctx = view->parts;
	view->hints.log.note = take_note;
	view->hints.log.note_ctx = view;
	view->hints.log.failed = &view->warnings.failed;
	view->cursor.place = place_of;
	view->cursor.place_ctx = view;
	view->cursor.pull = (struct rt_pull){pull_text, view};
	return status == RT_OK ? rt_cursor_init(&view->cursor, limits, most, err) : status;
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
	view->hints.named_sarif = rt_name_is_sarif(name, strlen(name));
	view->hints.log.again = view->part->plain ? read_again : NULL;
	rt_text_close(&view->text);
	status = rt_text_open(&view->text, pull, &view->hints, view->limits, err);
	if (status != RT_OK) {
		rt_error_at(err, view->part->path, view->part->member);
		return status;
	}
	view->cursor.made = view->text.form == RT_TEXT_YAML;
	rt_cursor_start(&view->cursor);
	return RT_OK;
}

bool rt_view_judge(struct rt_view *view, enum rt_content want, enum rt_status status,
		   struct rt_error *err)
{
	bool fresh = view->fresh;
	struct rt_slice made = {NULL, 0};

	view->fresh = false;
	/* What has no place was found in decoding; what is read as a log is one. */
	if (!fresh || view->text.log || status != RT_REJECT || err->line == 0)
		return false;
	if (view->text.form == RT_TEXT_YAML && view->cursor.window.offset == 0)
		made = rt_slice_make(view->cursor.window.data, view->cursor.window.end);
	if (rt_content_tell(want, rt_text_first(&view->text), made, err) == RT_CONTENT_NOTHING)
		return false;
	rt_view_close_part(view);
	return true;
}

void rt_view_close_part(struct rt_view *view)
{
	rt_text_close(&view->text);
}

bool rt_view_can_seek(const struct rt_view *view)
{
	return view->text.open && view->part->plain && view->text.form == RT_TEXT_JSON;
}

void rt_view_seek(struct rt_view *view, uint64_t offset)
{
	const struct rt_cursor_spot spot = {.offset = offset, .line = 1};
	uint32_t levels = view->cursor.scan.depth_base;

	rt_text_drop(&view->text);
	rt_parts_seek(view->parts, offset + view->text.skipped);
	rt_cursor_start(&view->cursor);
	rt_cursor_seek(&view->cursor, &spot, levels);
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
	    .form = view->text.form,
	};
}

void rt_view_release(struct rt_view *view)
{
	rt_view_close_part(view);
	rt_faults_release(&view->warnings);
	rt_parts_free(view->parts);
	rt_cursor_release(&view->cursor);
}
