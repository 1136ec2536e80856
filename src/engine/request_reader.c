/*
 * Reads requests: opens part after part, has each document checked by the scanner and walked by the
 * rules, and says which request has the faults. A document is an object on lines of its own.
 */
#include "engine/request_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/request.h"
#include "formats/view.h"

struct rt_request_reader {
	const struct rt_options *options;
	bool ended; /* what there is to say at the end has been said */
	struct rt_limits limits;
	uint64_t documents;          /* met in this part */
	uint64_t count;              /* met in all parts */
	struct rt_cursor_spot start; /* of the document */
	bool judging;                /* the walk has faults left to tell */
	struct rt_request_walk walk;
	struct rt_view view; /* last, for its cursor is large */
};

struct rt_options rt_request_options(const struct rt_options *options, const char *const *paths,
				     size_t count)
{
	return (struct rt_options){
	    .paths = paths,
	    .path_count = count,
	    .input_fd = options->input_fd,
	    .limits = options->limits,
	    .notice = options->notice,
	    .notice_ctx = options->notice_ctx,
	    .strict_input = options->strict_input,
	};
}

enum rt_status rt_request_reader_open(const struct rt_options *options,
				      struct rt_request_reader **ret_reader, struct rt_error *err)
{
	static const struct rt_text_hints hints = {.want = rt_request_want};
	struct rt_request_reader *r = rt_scan_alloc(sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	r->options = options;
	r->limits = options->limits;
	status = rt_view_init(&r->view, options, &hints, &r->limits, r->limits.request_bytes, err);
	if (status != RT_OK) {
		rt_request_reader_free(r);
		return status;
	}
	*ret_reader = r;
	return RT_OK;
}

void rt_request_reader_free(struct rt_request_reader *r)
{
	if (!r)
		return;
	rt_view_release(&r->view);
	rt_tree_release(&r->walk.tree);
	free(r);
}

/* Name the request in err that the reader is at. */
static void name_request(const struct rt_request_reader *r, struct rt_error *err)
{
	(void)snprintf(err->record, sizeof(err->record), "request %" PRIu64, r->count);
}

/* Add to what the walk said where the request is. */
static enum rt_status tell(struct rt_request_reader *r, enum rt_status status, struct rt_error *err)
{
	r->judging = status == RT_REJECT;
	if (status == RT_REJECT) {
		name_request(r, err);
		rt_cursor_tell(&r->view.cursor, &r->start, err);
	}
	return status;
}

/* The scan of the document at r->start failed: have it start again with more bytes, or say why. */
static enum rt_status scan_again(struct rt_request_reader *r, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;

	if (!cursor->scan.fault.at &&
	    (size_t)(cursor->scan.end - cursor->at) >= r->limits.request_bytes) {
		(void)rt_error_limit(err, "the request", "request", r->limits.request_bytes);
		rt_cursor_tell(cursor, &r->start, err);
		return RT_REJECT;
	}
	return rt_cursor_retry(cursor, &r->start, r->limits.request_bytes, err);
}

/* Have the document at the cursor in the window as a whole, and go to what follows. */
static enum rt_status scan_document(struct rt_request_reader *r, struct rt_slice *ret_text,
				    struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	const char *after;

	r->start = rt_cursor_here(cursor);
	while (!(after = cursor->ops->value(&cursor->scan, cursor->at, NULL))) {
		enum rt_status status = scan_again(r, err);

		if (status != RT_OK)
			return status;
	}
	*ret_text = rt_slice_make(cursor->at, (size_t)(after - cursor->at));
	cursor->at = after;
	return RT_OK;
}

/* Go to the next document of the open part. RT_END: there is none. */
static enum rt_status next_document(struct rt_request_reader *r, struct rt_slice *ret_text,
				    struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	uint64_t line = cursor->scan.line;
	enum rt_status status = rt_cursor_blanks(cursor, err);
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);

	if (status != RT_OK)
		return status;
	/* The text of YAML has a line break after each document. */
	if (r->documents > 0 && cursor->scan.line == line)
		return rt_cursor_refuse(cursor, "a line break after the request", NULL, err);
	if (r->count == r->limits.requests) {
		(void)rt_error_limit(err, "the number of requests", "requests", r->limits.requests);
		rt_cursor_tell(cursor, &spot, err);
		return RT_FATAL;
	}
	r->documents++;
	r->count++;
	status = scan_document(r, ret_text, err);
	if (status != RT_OK)
		name_request(r, err);
	return status;
}

/* The next document of the open part, or its first fault. */
static enum rt_status next_of_part(struct rt_request_reader *r, struct rt_error *err)
{
	struct rt_slice text = {NULL, 0};
	enum rt_status status = next_document(r, &text, err);

	if (status == RT_OK)
		return tell(r, rt_request_parse(&r->walk, text, err), err);
	/* After a fault of grammar nothing can be made out; what the part looks like is told while
	 * it is open. */
	(void)rt_view_judge(&r->view, RT_CONTENT_REQUEST, status, err);
	rt_view_close_part(&r->view);
	return status;
}

/* All has been read: say what has not. Returns RT_END or a fault. */
static enum rt_status finish(struct rt_request_reader *r, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!r->ended)
		status = rt_unread_tell(rt_request_reader_unread(r), r->options, " of the requests",
					err);
	r->ended = true;
	return status == RT_OK ? RT_END : status;
}

/* The next request or fault. */
static enum rt_status next_request(struct rt_request_reader *r,
				   const struct rt_request **ret_request, struct rt_error *err)
{
	enum rt_status status = RT_END;

	if (r->judging)
		status = tell(r, rt_request_walk_next(&r->walk, err), err);
	while (status == RT_END) {
		if (!r->view.text.open) {
			r->documents = 0;
			status = rt_view_open_part(&r->view, err);
			if (status != RT_OK)
				return status == RT_END ? finish(r, err) : status;
		}
		status = next_of_part(r, err);
	}
	if (status == RT_OK)
		*ret_request = &r->walk.request;
	else
		rt_error_at(err, r->view.part->path, r->view.part->member);
	return status;
}

const struct rt_unread *rt_request_reader_unread(const struct rt_request_reader *r)
{
	return rt_parts_unread(r->view.parts);
}

enum rt_status rt_request_reader_next(struct rt_request_reader *r,
				      const struct rt_request **ret_request, struct rt_error *err)
{
	enum rt_status status = next_request(r, ret_request, err);

	if (rt_view_judge(&r->view, RT_CONTENT_REQUEST, status, err))
		r->judging = false;
	return status;
}

uint64_t rt_request_reader_count(const struct rt_request_reader *r)
{
	return r->count;
}

void rt_request_reader_origin(const struct rt_request_reader *r, struct rt_origin *ret_origin)
{
	*ret_origin =
	    rt_view_origin(&r->view, r->view.cursor.place(r->view.cursor.place_ctx, &r->start));
}
