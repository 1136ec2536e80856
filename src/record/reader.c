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

enum rt_status rt_reader_open(const struct rt_options *options, enum rt_kind kind, size_t window,
			      struct rt_reader **ret_reader, struct rt_error *err)
{
	static const struct rt_text_hints hints = {.want = rt_document_want, .sarif = true};
	struct rt_reader *r = rt_scan_alloc(sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	r->limits = options->limits;
	r->kind_wanted = kind;
	r->ops = rt_scan_ops_for(options->simd);
	status = rt_view_init(&r->view, options, &hints, &r->limits, window, r->limits.record_bytes,
			      err);
	if (status != RT_OK) {
		rt_reader_free(r);
		return status;
	}
	*ret_reader = r;
	return RT_OK;
}

static void close_part(struct rt_reader *r)
{
	rt_view_close_part(&r->view);
	r->stage = STAGE_PART;
}

void rt_reader_free(struct rt_reader *r)
{
	if (!r)
		return;
	rt_view_release(&r->view);
	rt_buf_release(&r->id);
	free(r);
}

void rt_reader_refuse_logs(struct rt_reader *r)
{
	r->no_logs = true;
}

static enum rt_status open_part(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = rt_view_open_part(&r->view, err);

	if (status != RT_OK)
		return status;
	if (r->no_logs && rt_text_form(r->view.text) == RT_TEXT_SARIF) {
		(void)rt_error_set(err, RT_E_USAGE,
				   "want an export that can be written, have a SARIF log: its "
				   "decisions are kept with --journal");
		rt_error_at(err, r->view.part->path, r->view.part->member);
		return RT_REJECT;
	}
	r->stage = STAGE_DOCUMENT;
	r->documents = 0;
	r->broken = false;
	r->telling = false;
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
	uint64_t offset = rt_view_offset(&r->view, at);
	struct rt_place place = {r->record.line, 0, offset + rt_text_skipped(r->view.text)};

	if (rt_text_is_made(r->view.text))
		return rt_text_place(r->view.text, offset);
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
	uint64_t offset = rt_view_offset(&r->view, at);
	char byte[RT_VIEW_BYTE];

	if (!have)
		have = rt_view_describe(&r->view, at, byte);
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	err_place(err, rt_view_place(&r->view, r->view.scan.line,
				     offset - r->view.scan.line_start + 1, offset));
	if (field)
		rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
	r->broken = true;
	return RT_REJECT;
}

enum rt_status rt_reader_retry(struct rt_reader *r, struct rt_mark *mark, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &r->view.scan.fault;
	enum rt_status status;
	struct rt_error reason;

	if (fault->at) {
		status = rt_reader_fault(r, fault->at, NULL, fault->want, fault->have, err);
		err->code = fault->code;
		return status;
	}
	rt_view_rewind(&r->view, mark);
	status = rt_view_more(&r->view, mark->at, &reason);
	mark->at = r->view.at;
	if (status == RT_OK)
		return RT_OK;
	r->broken = true;
	if (reason.line == 0 && reason.code == RT_E_LIMIT) {
		(void)rt_reader_fault(r, r->view.at, NULL, "", "", err);
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

	record->id = rt_slice_make(NULL, 0);
	if (record->types[RT_M_ID] != RT_TYPE_STRING)
		return RT_OK;
	return rt_json_string_text(rt_record_string(record, RT_M_ID), &r->id, &record->id, err);
}

/* Tell the next fault of a record that did not pass. Returns RT_END after the last. */
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
	rt_error_at(err, r->view.part->path, r->view.part->member);
	return RT_REJECT;
}

/* The next fault of a part of which no more records are read. Returns RT_END after the last. */
static enum rt_status next_of_broken(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = rt_text_next_fault(r->view.text, err);

	if (status == RT_END)
		close_part(r);
	else
		rt_error_at(err, r->view.part->path, r->view.part->member);
	return status;
}

/* The next scanned record; faults have their path filled in. */
static enum rt_status next_scanned(struct rt_reader *r, struct rt_error *err)
{
	for (;;) {
		enum rt_status status;

		if (r->view.text && r->telling) {
			status = next_of_broken(r, err);
			if (status != RT_END)
				return status;
		}
		if (!r->view.text) {
			status = open_part(r, err);
			if (status != RT_OK)
				return status;
		}
		if (rt_text_is_made(r->view.text))
			rt_text_forget(r->view.text, rt_view_offset(&r->view, r->view.at));
		status = rt_document_next(r, err);
		if (status == RT_OK)
			return RT_OK;
		if (status != RT_END)
			rt_error_at(err, r->view.part->path, r->view.part->member);
		r->telling = status == RT_REJECT && r->broken;
		if (status == RT_END)
			close_part(r);
		if (status != RT_END)
			return status;
	}
}

/* The next record or fault. */
static enum rt_status next_checked(struct rt_reader *r, const struct rt_record **ret_record,
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

enum rt_status rt_reader_next(struct rt_reader *r, const struct rt_record **ret_record,
			      struct rt_error *err)
{
	enum rt_status status = next_checked(r, ret_record, err);

	if (rt_view_judge(&r->view, RT_LIKE_EXPORT, status, err)) {
		r->stage = STAGE_PART;
		r->judging = false;
	}
	return status;
}

void rt_reader_origin(const struct rt_reader *r, struct rt_origin *ret_origin)
{
	const struct rt_record *record = &r->record;

	*ret_origin = rt_view_origin(
	    &r->view, rt_view_place(&r->view, record->line, record->column, record->offset));
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
	rt_error_at(err, r->view.part->path, r->view.part->member);
}

uint64_t rt_reader_stamp(const struct rt_reader *r)
{
	return rt_parts_stamp(r->view.parts);
}

const struct rt_unread *rt_reader_unread(const struct rt_reader *r)
{
	return rt_parts_unread(r->view.parts);
}

const struct rt_faults *rt_reader_warnings(const struct rt_reader *r)
{
	return &r->view.warnings;
}
