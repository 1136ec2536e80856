/*
 * The record reader: opens part after part, has documents cut into records, checks each record
 * and says where faults are. Input: the parts of a data set. Output: checked records, borrowed.
 * Refuses records that break a rule, one fault at a time, and parts that are no export.
 */
#include "record/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "record/reader_state.h"

static enum rt_status pull_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

/*
 * The first size of the window. Never more than a record may have: what does not fit a window of
 * just that size is beyond the limit, however the bytes arrive.
 */
static size_t window_bytes(size_t wanted, const struct rt_limits *limits)
{
	size_t bytes = wanted ? wanted : RT_WINDOW_BYTES;

	if (bytes > limits->record_bytes)
		bytes = (size_t)limits->record_bytes;
	return bytes ? bytes : 1;
}

enum rt_status rt_reader_open(const struct rt_options *options, enum rt_kind kind, size_t window,
			      struct rt_reader **ret_reader, struct rt_error *err)
{
	/* The scanner's gaps stand on cache lines, which is more than calloc() gives. */
	struct rt_reader *r = aligned_alloc(_Alignof(struct rt_reader), sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	memset(r, 0, sizeof(*r));
	r->limits = options->limits;
	r->kind_wanted = kind;
	r->ops = rt_scan_ops_for(options->simd);
	status = rt_parts_open(options, &r->parts, err);
	if (status == RT_OK)
		status = rt_window_init(&r->window, window_bytes(window, &r->limits), err);
	if (status != RT_OK) {
		rt_reader_free(r);
		return status;
	}
	*ret_reader = r;
	return RT_OK;
}

static void close_part(struct rt_reader *r)
{
	rt_text_free(r->text);
	r->text = NULL;
	r->stage = STAGE_PART;
}

void rt_reader_free(struct rt_reader *r)
{
	if (!r)
		return;
	close_part(r);
	rt_parts_free(r->parts);
	rt_window_release(&r->window);
	rt_buf_release(&r->id);
	free(r);
}

/* Tell the scanner about the window's bytes. */
static void window_show(struct rt_reader *r)
{
	r->scan.end = r->window.data + r->window.end;
	r->scan.final = r->window.final;
	r->scan.origin = r->window.offset - (uintptr_t)r->window.data;
}

static enum rt_status open_part(struct rt_reader *r, struct rt_error *err)
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
	r->stage = STAGE_DOCUMENT;
	r->documents = 0;
	r->broken = false;
	return RT_OK;
}

static void err_place(struct rt_error *err, struct rt_place place)
{
	err->line = place.line;
	err->column = place.column;
	err->offset = place.offset;
}

/* The place of a byte of the scanned record. */
static struct rt_place place_in_record(const struct rt_reader *r, const char *at)
{
	const char *line = r->record.text.ptr, *next;
	uint64_t offset = rt_reader_offset(r, at);
	struct rt_place place = {r->record.line, 0, offset + rt_text_skipped(r->text)};

	if (rt_text_is_yaml(r->text))
		return rt_text_place(r->text, offset);
	place.column = r->record.column + (uint64_t)(at - line);
	while ((next = memchr(line, '\n', (size_t)(at - line))) != NULL) {
		line = next + 1;
		place.line++;
		place.column = (uint64_t)(at - line) + 1;
	}
	return place;
}

enum rt_status rt_reader_fault(struct rt_reader *r, const char *at, const char *field,
			       const char *want, const char *have, struct rt_error *err)
{
	uint64_t offset = rt_reader_offset(r, at);
	char byte[32];

	if (!have) {
		rt_scan_describe(&r->scan, at, byte, sizeof(byte));
		have = byte;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	if (rt_text_is_yaml(r->text)) {
		err_place(err, rt_text_place(r->text, offset));
	} else {
		err->line = r->scan.line;
		err->column = offset - r->scan.line_start + 1;
		err->offset = offset + rt_text_skipped(r->text);
	}
	if (field)
		rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
	r->broken = true;
	return RT_REJECT;
}

enum rt_status rt_reader_retry(struct rt_reader *r, struct reader_mark *mark, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &r->scan.fault;
	enum rt_status status;
	struct rt_error reason;

	if (fault->at) {
		status = rt_reader_fault(r, fault->at, NULL, fault->want, fault->have, err);
		err->code = fault->code;
		return status;
	}
	if (rt_text_is_yaml(r->text))
		rt_text_forget(r->text, rt_reader_offset(r, mark->at));
	rt_reader_rewind(r, mark);
	status = rt_window_fill(&r->window, r->text, (size_t)(mark->at - r->window.data),
				r->limits.record_bytes, &reason);
	r->at = mark->at = r->window.data;
	window_show(r);
	if (status == RT_OK)
		return RT_OK;
	r->broken = true;
	if (reason.line == 0 && reason.code == RT_E_LIMIT) {
		(void)rt_reader_fault(r, r->at, NULL, "", "", err);
		reason.line = err->line;
		reason.column = err->column;
		reason.offset = err->offset;
	}
	*err = reason;
	return status;
}

/* Name the record in err: its kind, as far as its members tell, and its id. */
static void err_record(const struct rt_reader *r, struct rt_slice id, struct rt_error *err)
{
	static const char *const names[] = {"record", "issue", "ruleset"};
	enum rt_kind kind = rt_check_kind(&r->record, r->record.kind);
	size_t used;

	used = (size_t)snprintf(err->record, sizeof(err->record), "%s \"", names[kind]);
	/* Room for the closing quote is kept. */
	rt_error_text(err->record + used, sizeof(err->record) - used - 1, id);
	used = strlen(err->record);
	err->record[used] = '"';
	err->record[used + 1] = '\0';
}

void rt_reader_name_record(const struct rt_reader *r, struct rt_error *err)
{
	struct rt_slice id = {NULL, 0}, name;

	if (r->record.current != RT_M_UNKNOWN) {
		name = rt_member_name((enum rt_member)r->record.current);
		rt_error_text(err->field, sizeof(err->field), name);
	}
	if (r->record.types[RT_M_ID] != RT_TYPE_STRING)
		return;
	id = rt_record_string(&r->record, RT_M_ID);
	err_record(r, id, err);
}

/* Set record.id to the decoded id; its type has been checked or is checked here. */
static enum rt_status decode_id(struct rt_reader *r, struct rt_error *err)
{
	struct rt_record *record = &r->record;
	enum rt_status status;

	record->id = rt_slice_make(NULL, 0);
	if (record->types[RT_M_ID] != RT_TYPE_STRING)
		return RT_OK;
	record->id = rt_record_string(record, RT_M_ID);
	if (!rt_json_string_is_escaped(record->id))
		return RT_OK;
	r->id.len = 0;
	status = rt_buf_reserve(&r->id, record->id.len, err);
	if (status != RT_OK)
		return status;
	r->id.len = rt_json_string_decode(record->id, r->id.data);
	record->id = rt_buf_slice(&r->id);
	return RT_OK;
}

/* Tell the next fault of a record that did not pass. Returns RT_END behind the last. */
static enum rt_status next_fault(struct rt_reader *r, struct rt_error *err)
{
	struct rt_check_fault fault;

	if (!rt_check_next(&r->record, &r->check_step, &fault)) {
		r->judging = false;
		return RT_END;
	}
	(void)rt_error_set(err, RT_E_INPUT, "%s", fault.message);
	err_place(err, place_in_record(r, fault.at));
	if (fault.field)
		rt_error_text(err->field, sizeof(err->field),
			      rt_slice_make(fault.field, strlen(fault.field)));
	if (r->record.id.ptr)
		err_record(r, r->record.id, err);
	rt_error_at(err, r->part->path, r->part->member);
	return RT_REJECT;
}

/* The next scanned record; faults have their path filled in. */
static enum rt_status next_scanned(struct rt_reader *r, struct rt_error *err)
{
	for (;;) {
		enum rt_status status;

		if (!r->text) {
			status = open_part(r, err);
			if (status != RT_OK)
				return status;
		}
		if (rt_text_is_yaml(r->text))
			rt_text_forget(r->text, rt_reader_offset(r, r->at));
		status = rt_document_next(r, err);
		if (status == RT_OK)
			return RT_OK;
		if (status != RT_END)
			rt_error_at(err, r->part->path, r->part->member);
		if (status == RT_END || (status == RT_REJECT && r->broken))
			close_part(r);
		if (status != RT_END)
			return status;
	}
}

enum rt_status rt_reader_next(struct rt_reader *r, const struct rt_record **ret_record,
			      struct rt_error *err)
{
	for (;;) {
		enum rt_status status = RT_END;

		if (r->judging)
			status = next_fault(r, err);
		if (status == RT_END)
			status = next_scanned(r, err);
		if (status != RT_OK)
			return status;
		r->record.kind = rt_check_kind(&r->record, r->record.kind);
		status = decode_id(r, err);
		if (status != RT_OK)
			return status;
		if (r->record.kind != RT_KIND_ANY && rt_check_passes(&r->record)) {
			*ret_record = &r->record;
			return RT_OK;
		}
		r->judging = true;
		r->check_step = 0;
	}
}

void rt_reader_origin(const struct rt_reader *r, struct rt_origin *ret_origin)
{
	struct rt_place place = {r->record.line, r->record.column,
				 r->record.offset + rt_text_skipped(r->text)};
	bool is_yaml = rt_text_is_yaml(r->text);

	if (is_yaml)
		place = rt_text_place(r->text, r->record.offset);
	*ret_origin = (struct rt_origin){
	    .path = r->part->path,
	    .member = r->part->member,
	    .part = r->part_count - 1,
	    .line = place.line,
	    .column = place.column,
	    .offset = place.offset,
	    .is_yaml = is_yaml,
	};
}

void rt_reader_blame(const struct rt_reader *r, enum rt_member member, struct rt_error *err)
{
	const char *at = r->record.text.ptr;

	if (member != RT_M_UNKNOWN) {
		at = r->record.values[member].ptr;
		rt_error_text(err->field, sizeof(err->field), rt_member_name(member));
	}
	err_place(err, place_in_record(r, at));
	err_record(r, r->record.id, err);
	rt_error_at(err, r->part->path, r->part->member);
}

uint64_t rt_reader_stamp(const struct rt_reader *r)
{
	return rt_parts_stamp(r->parts);
}
