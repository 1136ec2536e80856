/*
 * The record reader: opens part after part, cuts documents into records, checks each record and
 * says where faults are. Input: the parts of a data set. Output: checked records, borrowed. Refuses
 * records that break a rule, one fault at a time, and parts that are no export.
 */
#include "record/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "record/check.h"
#include "record/view.h"

/* What comes next in the part. */
enum reader_stage {
	STAGE_PART,     /* no part is open */
	STAGE_DOCUMENT, /* a document's first byte */
	STAGE_ELEMENTS, /* in an array of records: an element, ',' or ']' */
	STAGE_MEMBERS,  /* in the object around them: a member, ',' or '}' */
	STAGE_FOREIGN,  /* inside the value of a member that is not ours */
	STAGE_LINES,    /* after a record that stands by itself */
	STAGE_TAIL,     /* after a document's end */
};

/* What a list of elements or members waits for. */
enum reader_list { LIST_FIRST, LIST_NEXT };

/* A top object's `issues` or `rulesets` that is no array. */
struct reader_no_array {
	enum rt_kind kind;         /* RT_KIND_ANY: there is none */
	uint64_t offset;           /* of its value */
	uint64_t line, line_start; /* likewise */
};

struct rt_reader {
	struct rt_limits limits;
	bool no_logs;             /* SARIF logs are refused */
	enum rt_kind kind_wanted; /* what the caller demands of records outside of the keys */
	const struct rt_scan_ops *ops;
	struct rt_view view;

	enum reader_stage stage;
	enum reader_list list; /* of the innermost list */
	bool wrapped;          /* the array is a member of an object */
	bool has_issues;       /* the object's keys that have been met */
	bool has_rulesets;
	bool has_runs;       /* likewise, with an array, as in a SARIF log */
	uint64_t documents;  /* finished in this part */
	enum rt_kind kind;   /* what elements have to be */
	struct rt_nest nest; /* of STAGE_FOREIGN */
	struct reader_no_array no_array;

	struct rt_record record;
	struct rt_buf id; /* the decoded id, where it has escapes */
	bool broken;      /* the last fault ends its part */
	bool judging;     /* record has faults left to tell */
	unsigned check_step;
};

/* --- Faults and places ---------------------------------------------------------------------- */

/* The place of a byte of the scanned record. */
static struct rt_place place_in_record(const struct rt_reader *r, const char *at)
{
	const char *line = r->record.text.ptr, *next;
	uint64_t offset = rt_view_offset(&r->view, at);
	struct rt_place place = {r->record.line, 0, offset + rt_text_skipped(r->view.text)};

	if (rt_text_log(r->view.text))
		return rt_sarif_place(rt_text_log(r->view.text), &r->record, at);
	if (rt_text_is_yaml(r->view.text))
		return rt_text_place(r->view.text, offset);
	place.column = r->record.column + (uint64_t)(at - line);
	while ((next = memchr(line, '\n', (size_t)(at - line))) != NULL) {
		line = next + 1;
		place.line++;
		place.column = (uint64_t)(at - line) + 1;
	}
	return place;
}

/*
 * Set err to a fault at a byte of the window, with its place. code: RT_E_INPUT or RT_E_LIMIT.
 * field: a member's name or NULL. have: NULL to name the byte that stands there.
 * r->broken is set. Returns RT_REJECT.
 */
static enum rt_status refuse(struct rt_reader *r, const char *at, const char *field,
			     const char *want, const char *have, struct rt_error *err)
{
	uint64_t offset = rt_view_offset(&r->view, at);
	char byte[RT_VIEW_BYTE];

	if (!have)
		have = rt_view_describe(&r->view, at, byte);
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, have);
	rt_place_tell(rt_view_place(&r->view, r->view.scan.line,
				    offset - r->view.scan.line_start + 1, offset),
		      err);
	if (field)
		rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
	r->broken = true;
	return RT_REJECT;
}

/* No more bytes of the part can be had: what was being read is told as where it happened. */
static enum rt_status fail_read(struct rt_reader *r, enum rt_status status, struct rt_error *err)
{
	struct rt_error place;

	r->broken = true;
	if (err->line == 0 && err->code == RT_E_LIMIT) {
		(void)refuse(r, r->view.at, NULL, "", "", &place);
		rt_place_tell((struct rt_place){place.line, place.column, place.offset}, err);
	}
	return status;
}

/*
 * After a scan from mark failed: get more bytes and go back to mark where that is what it needs
 * (RT_OK: scan again), else set err from the scan's fault (RT_REJECT) or the read's (also
 * RT_FATAL). The bytes before mark are dropped.
 */
static enum rt_status retry(struct rt_reader *r, struct rt_mark *mark, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &r->view.scan.fault;
	enum rt_status status;

	if (fault->at) {
		status = refuse(r, fault->at, NULL, fault->want, fault->have, err);
		err->code = fault->code;
		return status;
	}
	rt_view_rewind(&r->view, mark);
	status = rt_view_more(&r->view, mark->at, err);
	mark->at = r->view.at;
	return status == RT_OK ? RT_OK : fail_read(r, status, err);
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

/* Add to err, as far as the failed scan of r->record got to know them, its id and member. */
static void name_record(const struct rt_reader *r, struct rt_error *err)
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

/* --- The forms of a document (SPEC D2) ------------------------------------------------------ */

/* Go to the next byte that is not blank. RT_OK: r->view.at is there; RT_END: the text is over. */
static enum rt_status skip_blanks(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status;

	/* Mostly there is none; after the window's end there are bytes of 0. */
	if ((unsigned char)*r->view.at > ' ')
		return RT_OK;
	status = rt_view_skip_blanks(&r->view, r->limits.record_bytes, err);
	return status < 0 ? fail_read(r, status, err) : status;
}

/* As skip_blanks(), where the text must go on. */
static enum rt_status need_byte(struct rt_reader *r, const char *want, struct rt_error *err)
{
	enum rt_status status = skip_blanks(r, err);

	return status == RT_END ? refuse(r, r->view.at, NULL, want, NULL, err) : status;
}

/* The key that a kind of record is listed under. */
static struct rt_slice list_name(enum rt_kind kind)
{
	return kind == RT_KIND_ISSUE ? RT_SLICE("issues") : RT_SLICE("rulesets");
}

/* The record begins at a byte that mark was at, and ends before another. */
static void end_record(struct rt_reader *r, const struct rt_mark *mark, const char *after)
{
	r->record.line = mark->line;
	r->record.offset = r->view.scan.origin + (uintptr_t)mark->at;
	r->record.column = r->record.offset - mark->line_start + 1;
	r->view.at = after;
}

/* Scan the record at r->view.at. */
static enum rt_status take_record(struct rt_reader *r, enum rt_kind kind, struct rt_error *err)
{
	struct rt_mark mark = rt_view_mark(&r->view);
	const char *after;

	r->record.kind = kind;
	while (!(after = r->ops->record(&r->view.scan, r->view.at, &r->record))) {
		bool fault = r->view.scan.fault.at != NULL;
		enum rt_status status = retry(r, &mark, err);

		if (status != RT_OK && fault)
			name_record(r, err);
		if (status != RT_OK)
			return status;
	}
	end_record(r, &mark, after);
	return RT_OK;
}

/* What stands at r->view.at is no record: name its type, having checked that it is JSON at all. */
static enum rt_status refuse_value(struct rt_reader *r, const char *want, struct rt_error *err)
{
	struct rt_mark mark = rt_view_mark(&r->view), after;
	uint8_t type;

	while (!(after.at = r->ops->value(&r->view.scan, r->view.at, &type))) {
		enum rt_status status = retry(r, &mark, err);

		if (status != RT_OK)
			return status;
	}
	after.line = r->view.scan.line;
	after.line_start = r->view.scan.line_start;
	rt_view_rewind(&r->view, &mark);
	(void)refuse(r, mark.at, NULL, want, rt_type_name(type), err);
	rt_view_rewind(&r->view, &after);
	r->broken = false;
	return RT_REJECT;
}

/*
 * Read the key at r->view.at and the colon, and go to its value. ret_kind: what the key's elements
 * are, RT_KIND_ANY where it is not one of ours; *ret_runs: it is "runs".
 */
static const char *scan_key(struct rt_reader *r, const char *at, enum rt_kind *ret_kind,
			    bool *ret_runs)
{
	const char *key = at + 1, *after = r->ops->value(&r->view.scan, at, NULL);
	char plain[6 * 8];
	struct rt_slice name;

	if (!after)
		return NULL;
	name = rt_slice_make(key, (size_t)(after - key - 1));
	if (name.len <= sizeof(plain) && rt_json_string_is_escaped(name)) {
		name.len = rt_json_string_decode(name, plain);
		name.ptr = plain;
	}
	*ret_runs = rt_slice_equal(name, RT_SLICE("runs"));
	*ret_kind = RT_KIND_ANY;
	for (enum rt_kind kind = RT_KIND_ISSUE; kind <= RT_KIND_RULESET; kind++) {
		if (rt_slice_equal(name, list_name(kind)))
			*ret_kind = kind;
	}
	at = rt_scan_blanks(&r->view.scan, after);
	if (*at != ':') {
		bool more = at >= r->view.scan.end && !r->view.scan.final;

		r->view.scan.fault =
		    (struct rt_scan_fault){more ? NULL : at, "':'", NULL, RT_E_INPUT};
		return NULL;
	}
	at = rt_scan_blanks(&r->view.scan, at + 1);
	if (at >= r->view.scan.end && !r->view.scan.final) {
		r->view.scan.fault.at = NULL;
		return NULL;
	}
	return at;
}

/* Look at members up to the first array of ours, the object's end, a fault, or "more" (NULL). */
static const char *look_members(struct rt_reader *r, bool *ret_wrapped)
{
	const char *at = rt_scan_blanks(&r->view.scan, r->view.at + 1);

	*ret_wrapped = false;
	r->no_array.kind = RT_KIND_ANY;
	while (*at == '"') {
		enum rt_kind kind;
		bool runs;

		at = scan_key(r, at, &kind, &runs);
		if (!at)
			return NULL;
		if (kind != RT_KIND_ANY && *at == '[') {
			*ret_wrapped = true;
			return at;
		}
		if (kind != RT_KIND_ANY)
			r->no_array =
			    (struct reader_no_array){kind, rt_view_offset(&r->view, at),
						     r->view.scan.line, r->view.scan.line_start};
		at = r->ops->value(&r->view.scan, at, NULL);
		if (!at)
			return NULL;
		at = rt_scan_blanks(&r->view.scan, at);
		if (*at == ',')
			at = rt_scan_blanks(&r->view.scan, at + 1);
	}
	/* Its end, or a fault that the scan of a record will find again. */
	r->view.scan.fault.at = at;
	return at < r->view.scan.end || r->view.scan.final ? at : (r->view.scan.fault.at = NULL);
}

/*
 * Whether the object at r->view.at is one around `issues` or `rulesets`. r->view.at stays where it
 * is. An object too long for one record must be one.
 */
static enum rt_status look_wrapped(struct rt_reader *r, bool *ret_wrapped, struct rt_error *err)
{
	struct rt_mark mark = rt_view_mark(&r->view);
	enum rt_status status = RT_OK;

	r->view.scan.depth_base++;
	while (!look_members(r, ret_wrapped)) {
		if (r->view.scan.fault.at)
			break; /* not JSON: the scan of a record says so */
		if (r->view.window.end - (size_t)(mark.at - r->view.window.data) >=
		    r->limits.record_bytes) {
			*ret_wrapped = true;
			break;
		}
		status = retry(r, &mark, err);
		if (status != RT_OK)
			break;
	}
	r->view.scan.depth_base--;
	rt_view_rewind(&r->view, &mark);
	return status;
}

static void enter_array(struct rt_reader *r, enum rt_kind kind)
{
	r->view.at++;
	r->view.scan.depth_base++;
	r->stage = STAGE_ELEMENTS;
	r->list = LIST_FIRST;
	r->kind = kind;
}

static void leave_document(struct rt_reader *r)
{
	r->view.scan.depth_base = 0;
	r->documents++;
	r->stage = STAGE_TAIL;
}

/*
 * An object at the top that has no array of ours: a record, unless it is of no kind and its
 * `issues` or `rulesets` are something else.
 */
static enum rt_status enter_record(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status;
	const char *value;
	uint8_t type;

	r->stage = STAGE_LINES;
	r->documents++;
	status = take_record(r, r->kind_wanted, err);
	if (status != RT_OK || r->no_array.kind == RT_KIND_ANY ||
	    rt_check_kind(&r->record, r->kind_wanted) != RT_KIND_ANY)
		return status;
	value = r->record.text.ptr + (r->no_array.offset - r->record.offset);
	(void)r->ops->value(&r->view.scan, value, &type);
	r->view.scan.line = r->no_array.line;
	r->view.scan.line_start = r->no_array.line_start;
	return refuse(r, value, list_name(r->no_array.kind).ptr, "array", rt_type_name(type), err);
}

/* An object at the top: one around arrays of records, or a record. */
static enum rt_status enter_object(struct rt_reader *r, struct rt_error *err)
{
	bool wrapped;
	enum rt_status status = look_wrapped(r, &wrapped, err);

	if (status != RT_OK)
		return status;
	if (!wrapped)
		return enter_record(r, err);
	r->view.at++;
	r->view.scan.depth_base = 1;
	r->stage = STAGE_MEMBERS;
	r->list = LIST_FIRST;
	r->wrapped = true;
	r->has_issues = r->has_rulesets = r->has_runs = false;
	return RT_OK;
}

static enum rt_status next_of_document(struct rt_reader *r, struct rt_error *err)
{
	static const char want[] = "an array of records, an object with \"issues\" or "
				   "\"rulesets\", or a record";
	enum rt_status status = skip_blanks(r, err);

	if (status == RT_END && r->documents)
		return RT_END;
	if (status == RT_END)
		return refuse(r, r->view.at, NULL, want, "an empty document", err);
	if (status != RT_OK)
		return status;
	if (*r->view.at == '[') {
		r->wrapped = false;
		enter_array(r, r->kind_wanted);
		return RT_OK;
	}
	if (*r->view.at != '{') {
		status = refuse_value(r, want, err);
		r->broken = true;
		return status;
	}
	return enter_object(r, err);
}

/*
 * The commas of a list. RT_OK: an item stands at r->view.at; RT_END: the list was closed.
 */
static enum rt_status next_item(struct rt_reader *r, char close, const char *want_first,
				const char *want_next, struct rt_error *err)
{
	enum rt_status status = need_byte(r, r->list == LIST_NEXT ? want_next : want_first, err);

	if (status != RT_OK)
		return status;
	if (*r->view.at == close) {
		r->view.at++;
		return RT_END;
	}
	if (r->list == LIST_NEXT) {
		if (*r->view.at != ',')
			return refuse(r, r->view.at, NULL, want_next, NULL, err);
		r->view.at++;
		return need_byte(r, want_first, err);
	}
	return RT_OK;
}

static enum rt_status next_of_elements(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = next_item(r, ']', "a record or ']'", "',' or ']'", err);

	if (status == RT_END) {
		r->view.scan.depth_base--;
		if (!r->wrapped)
			leave_document(r);
		else
			r->stage = STAGE_MEMBERS;
		r->list = LIST_NEXT;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	status = *r->view.at == '{' ? take_record(r, r->kind, err)
				    : refuse_value(r, "a record, which is an object", err);
	/* The list goes on after a value of another type, but not after broken JSON. */
	r->list = LIST_NEXT;
	return status;
}

/* What is a log to one reader and an export to another would hide the findings of one of them. */
static enum rt_status refuse_both(struct rt_reader *r, const struct rt_mark *key,
				  struct rt_error *err)
{
	rt_view_rewind(&r->view, key);
	(void)refuse(r, r->view.at, "runs", "", "", err);
	(void)snprintf(err->message, sizeof(err->message),
		       "this document is a SARIF log and an export at once");
	return RT_REJECT;
}

/*
 * After the key at r->view.at, whose lines key has: its value, an array of records or something
 * that is not ours.
 */
static enum rt_status enter_member(struct rt_reader *r, const struct rt_mark *key,
				   enum rt_kind kind, const char *value, struct rt_error *err)
{
	const struct rt_slice name = list_name(kind);
	bool *has = kind == RT_KIND_ISSUE ? &r->has_issues : &r->has_rulesets;
	enum rt_status status;

	if (kind != RT_KIND_ANY && *value == '[') {
		if (*has) {
			rt_view_rewind(&r->view, key);
			return refuse(r, r->view.at, name.ptr, "the member once", "it again", err);
		}
		*has = true;
		r->view.at = value;
		enter_array(r, kind);
		return RT_OK;
	}
	r->view.at = value;
	/* null is how some exporters write an empty list; it is kept like any other member. */
	if (kind != RT_KIND_ANY && *value != 'n') {
		status = refuse_value(r, "array", err);
		rt_error_text(err->field, sizeof(err->field), name);
		return status;
	}
	memset(&r->nest, 0, sizeof(r->nest));
	r->stage = STAGE_FOREIGN;
	return RT_OK;
}

/* The next member of the object around the arrays: its key, and into its value. */
static enum rt_status next_of_members(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = next_item(r, '}', "a member name", "',' or '}'", err);
	struct rt_mark mark;
	enum rt_kind kind;
	const char *value;
	bool runs;

	if (status == RT_END && (r->has_issues || r->has_rulesets)) {
		leave_document(r);
		return RT_OK;
	}
	if (status == RT_END)
		return refuse(r, r->view.at - 1, NULL, "an array \"issues\" or \"rulesets\"",
			      "the end of an object too long for one record", err);
	if (status != RT_OK)
		return status;
	if (*r->view.at != '"')
		return refuse(r, r->view.at, NULL, "a member name", NULL, err);
	mark = rt_view_mark(&r->view);
	while (!(value = scan_key(r, r->view.at, &kind, &runs))) {
		status = retry(r, &mark, err);
		if (status != RT_OK)
			return status;
	}
	r->list = LIST_NEXT;
	r->has_runs = r->has_runs || (runs && *value == '[');
	if (r->has_runs &&
	    (r->has_issues || r->has_rulesets || (kind != RT_KIND_ANY && *value == '[')))
		return refuse_both(r, &mark, err);
	return enter_member(r, &mark, kind, value, err);
}

/* Go over a value of any size, piece by piece; blanks between them are counted here. */
static enum rt_status next_of_foreign(struct rt_reader *r, struct rt_error *err)
{
	for (;;) {
		enum rt_status status = skip_blanks(r, err);
		const char *from = r->view.at;
		struct rt_mark mark;

		if (status != RT_OK && status != RT_END)
			return status;
		if (r->ops->nested(&r->view.scan, &r->nest, r->view.at, &r->view.at)) {
			r->stage = STAGE_MEMBERS;
			return RT_OK;
		}
		if (!r->view.scan.fault.at && r->view.at != from)
			continue;
		mark = rt_view_mark(&r->view);
		status = retry(r, &mark, err);
		if (status != RT_OK)
			return status;
	}
}

/* After a record that stands by itself: more lines of JSON, or the next document of YAML. */
static enum rt_status next_of_lines(struct rt_reader *r, struct rt_error *err)
{
	uint64_t line = r->view.scan.line;
	enum rt_status status;

	if (rt_text_is_yaml(r->view.text)) {
		r->stage = STAGE_DOCUMENT;
		return RT_OK;
	}
	status = skip_blanks(r, err);
	if (status != RT_OK)
		return status;
	if (r->view.scan.line == line)
		return refuse(r, r->view.at, NULL, "a line break after the record", NULL, err);
	if (*r->view.at != '{')
		return refuse_value(r, "a record, which is an object", err);
	return take_record(r, r->kind_wanted, err);
}

static enum rt_status next_of_tail(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status;

	if (rt_text_is_yaml(r->view.text)) {
		r->stage = STAGE_DOCUMENT;
		return RT_OK;
	}
	status = skip_blanks(r, err);
	if (status == RT_OK)
		return refuse(r, r->view.at, NULL, "nothing after the document", NULL, err);
	return status;
}

/*
 * Advance to the next record of the open part and scan it into r->record; its kind is what its
 * place demands. Returns RT_OK, RT_END at the part's end, RT_REJECT or RT_FATAL.
 */
static enum rt_status next_in_document(struct rt_reader *r, struct rt_error *err)
{
	if (rt_text_is_yaml(r->view.text))
		rt_text_forget(r->view.text, rt_view_offset(&r->view, r->view.at));
	r->record.text.ptr = NULL;
	for (;;) {
		enum rt_status status;

		switch (r->stage) {
		case STAGE_DOCUMENT:
			status = next_of_document(r, err);
			break;
		case STAGE_ELEMENTS:
			status = next_of_elements(r, err);
			break;
		case STAGE_MEMBERS:
			status = next_of_members(r, err);
			break;
		case STAGE_FOREIGN:
			status = next_of_foreign(r, err);
			break;
		case STAGE_LINES:
			status = next_of_lines(r, err);
			break;
		default:
			status = next_of_tail(r, err);
		}
		if (status != RT_OK || r->record.text.ptr)
			return status;
	}
}

/* --- Parts and checks ----------------------------------------------------------------------- */

enum rt_status rt_reader_open(const struct rt_options *options, enum rt_kind kind, size_t window,
			      struct rt_reader **ret_reader, struct rt_error *err)
{
	static const struct rt_text_hints hints = {
	    .want = rt_record_want, .wanted = RT_WANTED_RECORDS, .sarif = true};
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
	return RT_OK;
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
	rt_place_tell(place_in_record(r, fault.at), err);
	if (fault.field)
		rt_error_text(err->field, sizeof(err->field),
			      rt_slice_make(fault.field, strlen(fault.field)));
	if (r->record.id.ptr)
		err_record(r, r->record.id, err);
	rt_error_at(err, r->view.part->path, r->view.part->member);
	return RT_REJECT;
}

/* The next scanned record; faults have their path filled in. */
static enum rt_status next_scanned(struct rt_reader *r, struct rt_error *err)
{
	for (;;) {
		enum rt_status status;

		if (r->view.text && r->broken)
			close_part(r);
		if (!r->view.text) {
			status = open_part(r, err);
			if (status != RT_OK)
				return status;
		}
		status = rt_text_log(r->view.text)
			     ? rt_sarif_next(rt_text_log(r->view.text), &r->record, err)
			     : next_in_document(r, err);
		if (status == RT_OK)
			return RT_OK;
		if (status != RT_END) {
			rt_error_at(err, r->view.part->path, r->view.part->member);
			return status;
		}
		close_part(r);
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

uint64_t rt_reader_offset(const struct rt_reader *r)
{
	return rt_view_offset(&r->view, r->view.at);
}

void rt_reader_spot(const struct rt_reader *r, struct rt_spot *ret_spot)
{
	*ret_spot = (struct rt_spot){
	    .offset = rt_reader_offset(r),
	    .documents = r->documents,
	    .levels = r->view.scan.depth_base,
	    .stage = (uint8_t)r->stage,
	    .list = (uint8_t)r->list,
	    .kind = (uint8_t)r->kind,
	    .wrapped = r->wrapped,
	    .has_issues = r->has_issues,
	    .has_rulesets = r->has_rulesets,
	    .has_runs = r->has_runs,
	};
}

bool rt_spot_alike(const struct rt_spot *a, const struct rt_spot *b)
{
	return a->documents == b->documents && a->levels == b->levels && a->stage == b->stage &&
	       a->list == b->list && a->kind == b->kind && a->wrapped == b->wrapped &&
	       a->has_issues == b->has_issues && a->has_rulesets == b->has_rulesets &&
	       a->has_runs == b->has_runs;
}

enum rt_status rt_reader_guess(struct rt_reader *r, uint64_t from, struct rt_spot *ret_spot,
			       struct rt_error *err)
{
	enum rt_kind kind = r->record.kind;
	enum rt_status status;
	uint64_t offset;

	if (!rt_view_can_seek(&r->view))
		return RT_END;
	rt_view_seek(&r->view, from);
	status = rt_view_more(&r->view, r->view.at, err);
	if (status != RT_OK)
		return status;
	if (!rt_border_find(&r->view, r->ops, kind, r->stage == STAGE_LINES, &offset))
		return RT_END;
	rt_view_seek(&r->view, offset);
	rt_reader_spot(r, ret_spot);
	return RT_OK;
}

void rt_reader_origin(const struct rt_reader *r, struct rt_origin *ret_origin)
{
	const struct rt_record *record = &r->record;

	struct rt_place place = {record->line, record->column, record->offset};

	if (!rt_text_log(r->view.text))
		place = rt_view_place(&r->view, place.line, place.column, place.offset);
	*ret_origin = rt_view_origin(&r->view, place);
}

void rt_reader_blame(const struct rt_reader *r, enum rt_member member, struct rt_error *err)
{
	const char *at = r->record.text.ptr;

	if (member != RT_M_UNKNOWN) {
		at = r->record.values[member].ptr;
		rt_error_text(err->field, sizeof(err->field), rt_member_name(member));
	}
	rt_place_tell(place_in_record(r, at), err);
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
