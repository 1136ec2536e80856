/*
 * The request reader: opens part after part, has each document checked by the scanner and walked
 * by the rules, and says where faults are. Input: the parts of the requests. Output: checked
 * requests, borrowed. Refuses what is no object, objects on one line, requests that break a rule,
 * long documents and too many of them.
 */
#include "engine/request_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/request_walk.h"
#include "record/scan.h"
#include "record/window.h"

/* A byte of the window and the line that it is on. */
struct mark {
	const char *at;
	uint64_t line;
	uint64_t line_start; /* offset of the line's first byte */
};

struct rt_request_reader {
	struct rt_limits limits;
	const struct rt_scan_ops *ops;
	struct rt_parts *parts;
	const struct rt_part *part;
	uint32_t part_count;
	struct rt_text *text; /* NULL: no part is open */
	struct rt_window window;
	struct rt_scan scan;
	const char *at; /* the next byte to look at, in the window */

	uint64_t documents; /* met in this part */
	uint64_t count;     /* met in all parts */
	struct mark start;  /* of the document */
	struct mark told;   /* of its last fault: lines are counted on from here */
	bool judging;       /* the walk has faults left to tell */
	struct rt_request_walk walk;
	struct rt_request request;
	struct rt_buf scratch;
};

static enum rt_status pull_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

/* Never more than a document may have: what does not fit a window of just that size is beyond the
 * limit, however the bytes arrive. */
enum rt_status rt_request_reader_resize(struct rt_request_reader *r, size_t window,
					struct rt_error *err)
{
	if (window > r->limits.request_bytes)
		window = (size_t)r->limits.request_bytes;
	rt_window_release(&r->window);
	return rt_window_init(&r->window, window ? window : 1, err);
}

enum rt_status rt_request_reader_open(const struct rt_options *options,
				      struct rt_request_reader **ret_reader, struct rt_error *err)
{
	/* The scanner's gaps stand on cache lines, which is more than calloc() gives. */
	struct rt_request_reader *r = aligned_alloc(_Alignof(struct rt_request_reader), sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	memset(r, 0, sizeof(*r));
	r->limits = options->limits;
	r->ops = rt_scan_ops_for(options->simd);
	status = rt_parts_open(options, &r->parts, err);
	if (status == RT_OK)
		status = rt_request_reader_resize(r, RT_WINDOW_BYTES, err);
	if (status != RT_OK) {
		rt_request_reader_free(r);
		return status;
	}
	*ret_reader = r;
	return RT_OK;
}

static void close_part(struct rt_request_reader *r)
{
	rt_text_free(r->text);
	r->text = NULL;
}

void rt_request_reader_free(struct rt_request_reader *r)
{
	if (!r)
		return;
	close_part(r);
	rt_parts_free(r->parts);
	rt_window_release(&r->window);
	rt_buf_release(&r->scratch);
	free(r);
}

/* Tell the scanner about the window's bytes. */
static void window_show(struct rt_request_reader *r)
{
	r->scan.end = r->window.data + r->window.end;
	r->scan.final = r->window.final;
	r->scan.origin = r->window.offset - (uintptr_t)r->window.data;
}

static enum rt_status open_part(struct rt_request_reader *r, struct rt_error *err)
{
	struct rt_pull pull = {pull_part, r->parts};
	enum rt_status status = rt_parts_next(r->parts, &r->part, err);

	if (status != RT_OK)
		return status;
	r->part_count++;
	status = rt_text_open(pull, &r->limits, &r->text, err);
	if (status != RT_OK) {
		rt_error_at(err, r->part->path, r->part->member);
		return status;
	}
	rt_window_reset(&r->window);
	rt_scan_init(&r->scan, r->limits.depth);
	window_show(r);
	r->at = r->window.data;
	r->documents = 0;
	return RT_OK;
}

static struct mark mark_here(const struct rt_request_reader *r)
{
	return (struct mark){r->at, r->scan.line, r->scan.line_start};
}

/* Offset of a byte of the window in the part's JSON text. */
static uint64_t offset_of(const struct rt_request_reader *r, const char *at)
{
	return r->scan.origin + (uintptr_t)at;
}

static struct rt_place place_of(const struct rt_request_reader *r, const struct mark *mark)
{
	uint64_t offset = offset_of(r, mark->at);

	if (rt_text_is_yaml(r->text))
		return rt_text_place(r->text, offset);
	return (struct rt_place){mark->line, offset - mark->line_start + 1,
				 offset + rt_text_skipped(r->text)};
}

/* Add the place of a byte to err. Returns RT_REJECT. */
static enum rt_status fault_at(const struct rt_request_reader *r, const struct mark *mark,
			       struct rt_error *err)
{
	struct rt_place place = place_of(r, mark);

	err->line = place.line;
	err->column = place.column;
	err->offset = place.offset;
	return RT_REJECT;
}

/* Name the request in err that the reader is at. */
static void name_request(const struct rt_request_reader *r, struct rt_error *err)
{
	(void)snprintf(err->record, sizeof(err->record), "request %" PRIu64, r->count);
}

/* As fault_at() for want and have; have NULL: the byte that stands there. */
static enum rt_status fault_of(const struct rt_request_reader *r, const struct mark *mark,
			       const char *want, const char *have, struct rt_error *err)
{
	char byte[32];

	if (!have) {
		rt_scan_describe(&r->scan, mark->at, byte, sizeof(byte));
		have = byte;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	return fault_at(r, mark, err);
}

/* Get more bytes behind r->at, where those before are not needed any more. */
static enum rt_status window_more(struct rt_request_reader *r, struct rt_error *err)
{
	size_t keep = (size_t)(r->at - r->window.data);
	enum rt_status status;

	rt_text_forget(r->text, offset_of(r, r->at));
	status = rt_window_fill(&r->window, r->text, keep, r->limits.request_bytes, err);
	r->at = r->window.data;
	window_show(r);
	return status;
}

/* A run of blanks beyond the limit, told at its first byte, which may be out of view by now. */
static enum rt_status refuse_blanks(struct rt_request_reader *r, const struct mark *first,
				    uint64_t offset, struct rt_error *err)
{
	(void)rt_error_set(
	    err, RT_E_LIMIT,
	    "want fewer blanks in a row, have more bytes of them than the limit \"record\"");
	err->line = first->line;
	err->column = offset - first->line_start + 1;
	err->offset = offset + rt_text_skipped(r->text);
	return RT_REJECT;
}

/* Go to the next byte that is not blank. RT_OK: r->at is there; RT_END: the part is over. */
static enum rt_status skip_blanks(struct rt_request_reader *r, struct rt_error *err)
{
	const struct mark first = mark_here(r);
	uint64_t start = offset_of(r, r->at);

	for (;;) {
		enum rt_status status;

		r->at = rt_scan_blanks(&r->scan, r->at);
		if (offset_of(r, r->at) - start > r->limits.record_bytes)
			return refuse_blanks(r, &first, start, err);
		if (r->at < r->scan.end)
			return RT_OK;
		if (r->scan.final)
			return RT_END;
		status = window_more(r, err);
		if (status != RT_OK)
			return status;
	}
}

/* The scan of the document at r->start failed: have it start again with more bytes, or say why. */
static enum rt_status scan_again(struct rt_request_reader *r, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &r->scan.fault;
	enum rt_status status;

	if (fault->at) {
		struct mark mark = {fault->at, r->scan.line, r->scan.line_start};

		(void)fault_of(r, &mark, fault->want, fault->have, err);
		err->code = fault->code;
		return RT_REJECT;
	}
	if ((size_t)(r->scan.end - r->at) >= r->limits.request_bytes) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want a request of at most %" PRIu64
				   " bytes (limit \"request\"), have more",
				   r->limits.request_bytes);
		return fault_at(r, &r->start, err);
	}
	status = window_more(r, err);
	r->start.at = r->at;
	r->scan.line = r->start.line;
	r->scan.line_start = r->start.line_start;
	return status;
}

/* Have the document at r->at in the window as a whole. r->at is behind it then. */
static enum rt_status scan_document(struct rt_request_reader *r, struct rt_error *err)
{
	const char *behind;

	r->start = mark_here(r);
	while (!(behind = r->ops->value(&r->scan, r->at, NULL))) {
		enum rt_status status = scan_again(r, err);

		if (status != RT_OK)
			return status;
	}
	r->at = behind;
	return RT_OK;
}

/* Go to the next document of the open part and begin its walk. RT_END: there is none. */
static enum rt_status next_document(struct rt_request_reader *r, struct rt_error *err)
{
	uint64_t line = r->scan.line;
	enum rt_status status = skip_blanks(r, err);
	struct mark mark = mark_here(r);

	if (status != RT_OK)
		return status;
	/* The text of YAML has a line break behind each document. */
	if (r->documents > 0 && r->scan.line == line)
		return fault_of(r, &mark, "a line break behind the request", NULL, err);
	if (r->count == r->limits.requests) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want at most %" PRIu64
				   " requests (limit \"requests\"), have more",
				   r->limits.requests);
		(void)fault_at(r, &mark, err);
		return RT_FATAL;
	}
	r->documents++;
	r->count++;
	status = scan_document(r, err);
	if (status != RT_OK) {
		name_request(r, err);
		return status;
	}
	rt_request_walk_start(&r->walk, rt_slice_make(r->start.at, (size_t)(r->at - r->start.at)),
			      &r->scratch, &r->request);
	r->told = r->start;
	return RT_OK;
}

/* Add to a fault of the walk where it is. */
static enum rt_status tell_fault(struct rt_request_reader *r, struct rt_error *err)
{
	const char *at = r->walk.fault_at, *feed;

	if (at < r->told.at)
		r->told = r->start;
	while ((feed = memchr(r->told.at, '\n', (size_t)(at - r->told.at))) != NULL) {
		r->told.at = feed + 1;
		r->told.line++;
		r->told.line_start = offset_of(r, r->told.at);
	}
	r->told.at = at;
	name_request(r, err);
	return fault_at(r, &r->told, err);
}

/* Walk on in the current document. RT_OK: it has passed; RT_END: it has no more faults to tell. */
static enum rt_status judge(struct rt_request_reader *r, struct rt_error *err)
{
	bool passes = !r->judging;
	enum rt_status status = rt_request_walk_next(&r->walk, err);

	r->judging = status == RT_REJECT;
	if (status == RT_REJECT)
		return tell_fault(r, err);
	return status == RT_END && passes ? RT_OK : status;
}

/* The next document or fault of the open part. */
static enum rt_status next_of_part(struct rt_request_reader *r, struct rt_error *err)
{
	enum rt_status status = next_document(r, err);

	/* Behind a fault of grammar nothing can be made out. */
	if (status != RT_OK)
		close_part(r);
	return status == RT_OK ? judge(r, err) : status;
}

enum rt_status rt_request_reader_next(struct rt_request_reader *r,
				      const struct rt_request **ret_request, struct rt_error *err)
{
	enum rt_status status = RT_END;

	if (r->judging)
		status = judge(r, err);
	while (status == RT_END) {
		if (!r->text) {
			status = open_part(r, err);
			if (status != RT_OK)
				return status;
		}
		status = next_of_part(r, err);
	}
	if (status == RT_OK)
		*ret_request = &r->request;
	else
		rt_error_at(err, r->part->path, r->part->member);
	return status;
}

uint64_t rt_request_reader_count(const struct rt_request_reader *r)
{
	return r->count;
}

void rt_request_reader_origin(const struct rt_request_reader *r, struct rt_origin *ret_origin)
{
	struct rt_place place = place_of(r, &r->start);

	*ret_origin = (struct rt_origin){
	    .path = r->part->path,
	    .member = r->part->member,
	    .part = r->part_count - 1,
	    .line = place.line,
	    .column = place.column,
	    .offset = place.offset,
	    .is_yaml = rt_text_is_yaml(r->text),
	};
}
