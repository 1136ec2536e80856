/*
 * The record reader: opens part after part, cuts documents into records, checks each record and
 * says where faults are, one at a time. Records are borrowed.
 */
#include "formats/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "formats/check.h"
#include "scan/items.h"

/* What comes next in the part. */
enum reader_stage {
	STAGE_PART,     /* no part is open */
	STAGE_DOCUMENT, /* a document's first byte */
	STAGE_ELEMENTS, /* in an array of records: an element, ',' or ']' */
	STAGE_MEMBERS,  /* in the object around them: a member, ',' or '}' */
	STAGE_LINES,    /* after a record that stands by itself */
	STAGE_TAIL,     /* after a document's end */
};

/* --- Faults and places ---------------------------------------------------------------------- */

/* The place of a byte of the scanned record. */
static struct rt_place place_in_record(const struct rt_reader *r, const char *at)
{
	const struct rt_record *record = &r->record;
	const struct rt_cursor_spot start = {record->offset, record->line,
					     record->offset - (record->column - 1)};
	struct rt_cursor_spot spot;

	if (r->view.text.log)
		return rt_sarif_place(r->view.text.log, record, at);
	spot = rt_cursor_spot_in(&start, record->text.ptr, at);
	/* The place is a copy, in numbers alone. */
	/* cppcheck-suppress returnDanglingLifetime */
	return r->view.cursor.place(r->view.cursor.place_ctx, &spot);
}

/* A fault of grammar at a byte of the window, as rt_cursor_refuse_at(). field: a member's name. */
static enum rt_status refuse(struct rt_reader *r, const char *at, const char *field,
			     const char *want, const char *have, struct rt_error *err)
{
	(void)rt_cursor_refuse_at(&r->view.cursor, at, want, have, err);
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
	return RT_REJECT;
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

/* The key that a kind of record is listed under. */
static struct rt_slice list_name(enum rt_kind kind)
{
	return kind == RT_KIND_ISSUE ? RT_SLICE("issues") : RT_SLICE("rulesets");
}

/* Scan the record at the cursor. */
static enum rt_status take_record(struct rt_reader *r, enum rt_kind kind, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);
	const char *after;

	r->record.kind = kind;
	while (!(after = cursor->ops->record(&cursor->scan, cursor->at, &r->record))) {
		bool fault = cursor->scan.fault.at != NULL;
		enum rt_status status = rt_cursor_retry(cursor, &spot, r->limits.record_bytes, err);

		if (status != RT_OK && fault)
			name_record(r, err);
		if (status != RT_OK)
			return status;
	}
	r->record.line = spot.line;
	r->record.offset = spot.offset;
	r->record.column = spot.offset - spot.line_start + 1;
	cursor->at = after;
	return RT_OK;
}

/* What is at the cursor is not what is wanted: name its type, having checked that it is JSON at
 * all, and go over it. */
static enum rt_status refuse_value(struct rt_reader *r, const char *want, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);
	const char *after;
	uint8_t type;

	while (!(after = cursor->ops->value(&cursor->scan, cursor->at, &type))) {
		enum rt_status status = rt_cursor_retry(cursor, &spot, r->limits.record_bytes, err);

		if (status != RT_OK)
			return status;
	}
	cursor->at = after;
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want, rt_type_name(type));
	rt_cursor_tell(cursor, &spot, err);
	return RT_REJECT;
}

/* Which member at the top a key names, which may be escaped. */
enum { TOP_ISSUES, TOP_RULESETS, TOP_RUNS, TOP_OTHER };
static int top_member(struct rt_slice key)
{
	static const struct rt_slice names[] = {RT_SLICE("issues"), RT_SLICE("rulesets"),
						RT_SLICE("runs")};
	int member = 0;

	while (member < TOP_OTHER && !rt_items_key_is(key, names[member]))
		member++;
	return member;
}

static enum rt_kind top_kind(int member)
{
	if (member >= TOP_RUNS)
		return RT_KIND_ANY;
	return member == TOP_ISSUES ? RT_KIND_ISSUE : RT_KIND_RULESET;
}

/*
 * Look at members up to the first array of issues or rulesets, as far as they are in view. Returns
 * whether such an array, the object's end or a fault has been met; the fault is told by the scan of
 * the record.
 */
static bool look_members(struct rt_reader *r, bool *ret_wrapped)
{
	const struct rt_cursor *cursor = &r->view.cursor;
	const struct rt_cursor_spot start = rt_cursor_here(cursor);
	struct rt_items items;
	struct rt_item item;

	*ret_wrapped = false;
	r->no_array.kind = RT_KIND_ANY;
	rt_items_init(&items, rt_slice_make(cursor->at, (size_t)(cursor->scan.end - cursor->at)));
	while (rt_items_next(&items, &item)) {
		int member = top_member(item.key);

		if (member > TOP_RULESETS)
			continue;
		*ret_wrapped = *item.value.ptr == '[';
		if (*ret_wrapped)
			return true;
		r->no_array.kind = top_kind(member);
		r->no_array.spot = rt_cursor_spot_in(&start, cursor->at, item.value.ptr);
	}
	return rt_items_ended(&items);
}

/*
 * Whether the object at the cursor is one around `issues` or `rulesets`. The cursor stays where it
 * is. An object too long for one record must be one.
 */
static enum rt_status look_wrapped(struct rt_reader *r, bool *ret_wrapped, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	const struct rt_cursor_spot spot = rt_cursor_here(cursor);
	enum rt_status status = RT_OK;

	while (status == RT_OK && !look_members(r, ret_wrapped) && !cursor->window.final) {
		*ret_wrapped = cursor->scan.end - cursor->at >= (ptrdiff_t)r->limits.record_bytes;
		if (*ret_wrapped)
			break;
		status = rt_cursor_more(cursor, &spot, r->limits.record_bytes, err);
	}
	return status;
}

static void enter_array(struct rt_reader *r, enum rt_kind kind)
{
	r->view.cursor.at++;
	r->view.cursor.scan.depth_base++;
	r->spot.stage = STAGE_ELEMENTS;
	r->spot.first = true;
	r->spot.kind = (uint8_t)kind;
}

static void leave_document(struct rt_reader *r)
{
	r->view.cursor.scan.depth_base = 0;
	r->spot.documents++;
	r->spot.stage = STAGE_TAIL;
}

/*
 * An object at the top that has no array of ours: a record, unless it is of no kind and its
 * `issues` or `rulesets` are something else.
 */
static enum rt_status enter_record(struct rt_reader *r, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	enum rt_status status;
	const char *value;
	uint8_t type;

	r->spot.stage = STAGE_LINES;
	r->spot.documents++;
	status = take_record(r, r->kind_wanted, err);
	if (status != RT_OK || r->no_array.kind == RT_KIND_ANY ||
	    rt_check_kind(&r->record, r->kind_wanted) != RT_KIND_ANY)
		return status;
	value = r->record.text.ptr + (r->no_array.spot.offset - r->record.offset);
	(void)cursor->ops->value(&cursor->scan, value, &type);
	cursor->scan.line = r->no_array.spot.line;
	cursor->scan.line_start = r->no_array.spot.line_start;
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
	r->view.cursor.at++;
	r->view.cursor.scan.depth_base = 1;
	r->spot.stage = STAGE_MEMBERS;
	r->spot.first = true;
	r->spot.wrapped = true;
	r->spot.has_issues = r->spot.has_rulesets = r->spot.has_runs = false;
	return RT_OK;
}

static enum rt_status next_of_document(struct rt_reader *r, struct rt_error *err)
{
	static const char want[] = "an array of records, an object with \"issues\" or "
				   "\"rulesets\", or a record";
	enum rt_status status = rt_cursor_blanks(&r->view.cursor, err);

	if (status == RT_END && r->spot.documents)
		return RT_END;
	if (status == RT_END)
		return rt_cursor_refuse(&r->view.cursor, want, "an empty document", err);
	if (status != RT_OK)
		return status;
	if (*r->view.cursor.at == '[') {
		r->spot.wrapped = false;
		enter_array(r, r->kind_wanted);
		return RT_OK;
	}
	if (*r->view.cursor.at != '{') {
		status = refuse_value(r, want, err);
		r->view.cursor.broken = true;
		return status;
	}
	return enter_object(r, err);
}

static enum rt_status next_of_elements(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = rt_cursor_element(&r->view.cursor, &r->spot.first,
						  "a record or ']'", "a record or ']'", err);

	if (status == RT_END) {
		if (!r->spot.wrapped)
			leave_document(r);
		else
			r->spot.stage = STAGE_MEMBERS;
		r->spot.first = false;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	/* The list goes on after a value of another type, but not after broken JSON. */
	return *r->view.cursor.at == '{' ? take_record(r, r->spot.kind, err)
					 : refuse_value(r, "a record, which is an object", err);
}

/* A member is not to stand where it does: it is told at its key. */
static enum rt_status refuse_key(struct rt_reader *r, const char *field, const char *message,
				 struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT, "%s", message);
	rt_cursor_tell(&r->view.cursor, &r->view.cursor.spot, err);
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
	r->view.cursor.broken = true;
	return RT_REJECT;
}

/* After a key: its value, an array of records or something that is not ours. */
static enum rt_status enter_member(struct rt_reader *r, enum rt_kind kind, struct rt_error *err)
{
	const struct rt_slice name = list_name(kind);
	bool *has = kind == RT_KIND_ISSUE ? &r->spot.has_issues : &r->spot.has_rulesets;
	char value = *r->view.cursor.at;
	enum rt_status status;

	if (kind != RT_KIND_ANY && value == '[') {
		if (*has)
			return refuse_key(r, name.ptr, "the field is repeated", err);
		*has = true;
		enter_array(r, kind);
		return RT_OK;
	}
	/* null is how some exporters write an empty list; it is kept like any other member. */
	if (kind == RT_KIND_ANY || value == 'n')
		return rt_cursor_skip(&r->view.cursor, err);
	status = refuse_value(r, "array", err);
	rt_error_text(err->field, sizeof(err->field), name);
	return status;
}

/* The next member of the object around the arrays: its key, and into its value. */
static enum rt_status next_of_members(struct rt_reader *r, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	int member = TOP_OTHER;
	enum rt_status status = rt_cursor_member(cursor, &r->spot.first, top_member, &member, err);
	enum rt_kind kind = top_kind(member);

	if (status == RT_END && (r->spot.has_issues || r->spot.has_rulesets)) {
		leave_document(r);
		return RT_OK;
	}
	if (status == RT_END)
		return rt_cursor_refuse_at(cursor, cursor->at - 1,
					   "an array \"issues\" or \"rulesets\"",
					   "the end of an object too long for one record", err);
	if (status == RT_REJECT && kind != RT_KIND_ANY)
		rt_error_text(err->field, sizeof(err->field), list_name(kind));
	if (status != RT_OK)
		return status;
	r->spot.has_runs = r->spot.has_runs || (member == TOP_RUNS && *cursor->at == '[');
	/* What is a log to one reader and an export to another would hide the findings of one. */
	if (r->spot.has_runs && (r->spot.has_issues || r->spot.has_rulesets ||
				 (kind != RT_KIND_ANY && *cursor->at == '[')))
		return refuse_key(r, "runs", "this document is a SARIF log and an export at once",
				  err);
	return enter_member(r, kind, err);
}

/* After a document, or a record that stands by itself: more lines of JSON, or the next document of
 * YAML. */
static enum rt_status next_of_lines(struct rt_reader *r, struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	uint64_t line = cursor->scan.line;
	enum rt_status status;

	if (r->view.text.form == RT_TEXT_YAML) {
		r->spot.stage = STAGE_DOCUMENT;
		return RT_OK;
	}
	status = rt_cursor_blanks(cursor, err);
	if (status != RT_OK)
		return status;
	if (r->spot.stage == STAGE_TAIL)
		return rt_cursor_refuse(cursor, "nothing after the document", NULL, err);
	if (cursor->scan.line == line)
		return rt_cursor_refuse(cursor, "a line break after the record", NULL, err);
	if (*cursor->at != '{')
		return refuse_value(r, "a record, which is an object", err);
	return take_record(r, r->kind_wanted, err);
}

/*
 * Advance to the next record of the open part and scan it into r->record; its kind is what its
 * place demands. Returns RT_OK, RT_END at the part's end, RT_REJECT or RT_FATAL.
 */
static enum rt_status next_in_document(struct rt_reader *r, struct rt_error *err)
{
	struct rt_marks *marks = r->view.text.marks;

	if (marks)
		rt_marks_forget(marks, rt_cursor_here(&r->view.cursor).offset);
	r->record.text.ptr = NULL;
	for (;;) {
		enum rt_status status;

		switch (r->spot.stage) {
		case STAGE_DOCUMENT:
			status = next_of_document(r, err);
			break;
		case STAGE_ELEMENTS:
			status = next_of_elements(r, err);
			break;
		case STAGE_MEMBERS:
			status = next_of_members(r, err);
			break;
		default:
			status = next_of_lines(r, err);
		}
		if (status != RT_OK || r->record.text.ptr)
			return status;
	}
}

/* --- Parts and checks ----------------------------------------------------------------------- */

/* The levels as JSON. */
static const struct rt_slice levels[] = {
    {"\"critical\"", 10}, {"\"high\"", 6}, {"\"medium\"", 8}, {"\"low\"", 5}, {"\"info\"", 6}};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

/* The level that a text without quotes is; LEVELS: none. */
static size_t find_level(struct rt_slice text)
{
	size_t i = 0;

	while (i < LEVELS &&
	       !rt_slice_equal(text, rt_slice_make(levels[i].ptr + 1, levels[i].len - 2)))
		i++;
	return i;
}

/* Take the next WORD=LEVEL off a map. Returns false at its end; ret_level: LEVELS where it is none.
 */
static bool next_pair(const char **map, struct rt_slice *ret_word, size_t *ret_level)
{
	size_t len = strcspn(*map, ","), word = strcspn(*map, "=");
	const char *at = *map;

	if (!len && !*at)
		return false;
	*map += len + (at[len] == ',');
	word = word < len ? word : len;
	*ret_word = rt_slice_make(at, word);
	*ret_level = LEVELS;
	if (word && word < len && find_level(*ret_word) == LEVELS)
		*ret_level = find_level(rt_slice_make(at + word + 1, len - word - 1));
	return true;
}

/* map: NULL: none. */
static enum rt_status check_map(const char *map, struct rt_error *err)
{
	const char *at = map ? map : "";
	struct rt_slice word, again;
	size_t level;

	if (map && !*map)
		return rt_error_set(err, RT_E_USAGE, "--severity-map: want WORD=LEVEL,...");
	while (next_pair(&at, &word, &level)) {
		if (level == LEVELS)
			return rt_error_set(
			    err, RT_E_USAGE,
			    "--severity-map: want WORD=LEVEL,..., where WORD is no "
			    "level and LEVEL is critical, high, medium, low or info; "
			    "have \"%s\"",
			    map);
		for (const char *rest = at; next_pair(&rest, &again, &level);) {
			if (rt_slice_equal(again, word))
				return rt_error_set(err, RT_E_USAGE,
						    "--severity-map: \"%.*s\" is there twice",
						    rt_slice_shown(word, 100), word.ptr);
		}
	}
	return RT_OK;
}

enum rt_status rt_reader_open(const struct rt_options *options, enum rt_kind kind,
			      struct rt_reader **ret_reader, struct rt_error *err)
{
	static const struct rt_text_hints hints = {.want = rt_record_want, .sarif = true};
	struct rt_reader *r = rt_scan_alloc(sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	r->limits = options->limits;
	r->kind_wanted = kind;
	r->strip = (struct rt_prefixes){options->strip_prefixes, options->strip_prefix_count};
	r->severity_map = options->severity_map;
	status = check_map(r->severity_map, err);
	if (status == RT_OK)
		status = rt_view_init(&r->view, options, &hints, &r->limits, r->limits.record_bytes,
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
	const struct rt_marks *marks = r->view.text.marks;

	r->crosses |= marks && marks->crosses;
	rt_view_close_part(&r->view);
	r->spot.stage = STAGE_PART;
}

void rt_reader_free(struct rt_reader *r)
{
	if (!r)
		return;
	rt_view_release(&r->view);
	rt_buf_release(&r->id);
	rt_buf_release(&r->logs);
	rt_buf_release(&r->path[0]);
	rt_buf_release(&r->path[1]);
	free(r);
}

static enum rt_status open_part(struct rt_reader *r, struct rt_error *err)
{
	enum rt_status status = rt_view_open_part(&r->view, err);
	uint32_t number = r->view.part_count - 1;

	if (status == RT_OK && r->view.text.form == RT_TEXT_SARIF)
		status = rt_buf_append(&r->logs, &number, sizeof(number), err);
	if (status != RT_OK)
		return status;
	r->spot.stage = STAGE_DOCUMENT;
	r->spot.documents = 0;
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
	const char *at;

	if (!rt_check_next(&r->record, &r->check_step, &at, err)) {
		r->judging = false;
		return RT_END;
	}
	rt_place_tell(place_in_record(r, at), err);
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

		if (r->view.text.open && r->view.cursor.broken)
			close_part(r);
		if (!r->view.text.open) {
			status = open_part(r, err);
			if (status != RT_OK)
				return status;
		}
		status = r->view.text.log ? rt_sarif_next(r->view.text.log, &r->record, err)
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

/* Take prefixes off the path of a checked record; a log has done so before it made ids. */
static enum rt_status strip_path(struct rt_reader *r, struct rt_error *err)
{
	struct rt_slice path, rest;
	enum rt_status status;

	if (!r->strip.count || r->view.text.log ||
	    r->record.types[RT_M_FILE_PATH] != RT_TYPE_STRING)
		return RT_OK;
	status = rt_json_string_text(rt_record_string(&r->record, RT_M_FILE_PATH), &r->path[0],
				     &path, err);
	if (status != RT_OK)
		return status;
	rest = rt_path_strip(path, r->strip);
	if (rest.len == path.len)
		return RT_OK;
	r->path[1].len = 0;
	status = rt_json_string_encode(rest, &r->path[1], err);
	r->record.values[RT_M_FILE_PATH] = rt_buf_slice(&r->path[1]);
	return status;
}

/* Read a severity of another system as the level that it is mapped to. */
static enum rt_status map_severity(struct rt_reader *r, struct rt_error *err)
{
	const char *at = r->severity_map;
	struct rt_slice text, word;
	enum rt_status status;
	size_t level;

	if (!at || r->view.text.log || r->record.types[RT_M_SEVERITY] != RT_TYPE_STRING)
		return RT_OK;
	status = rt_json_string_text(rt_record_string(&r->record, RT_M_SEVERITY), &r->path[0],
				     &text, err);
	if (status != RT_OK || find_level(text) < LEVELS)
		return status;
	while (next_pair(&at, &word, &level)) {
		if (rt_slice_equal(word, text)) {
			r->record.values[RT_M_SEVERITY] = levels[level];
			break;
		}
	}
	return RT_OK;
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
			status = map_severity(r, err);
			return status == RT_OK ? strip_path(r, err) : status;
		}
		r->judging = true;
		r->check_step = 0;
	}
}

enum rt_status rt_reader_next(struct rt_reader *r, const struct rt_record **ret_record,
			      struct rt_error *err)
{
	enum rt_status status = next_checked(r, ret_record, err);

	if (rt_view_judge(&r->view, RT_CONTENT_EXPORT, status, err)) {
		r->spot.stage = STAGE_PART;
		r->judging = false;
	}
	return status;
}

void rt_reader_spot(const struct rt_reader *r, struct rt_spot *ret_spot)
{
	*ret_spot = r->spot;
	ret_spot->offset = rt_cursor_here(&r->view.cursor).offset;
	ret_spot->levels = r->view.cursor.scan.depth_base;
}

bool rt_spot_alike(const struct rt_spot *a, const struct rt_spot *b)
{
	return a->documents == b->documents && a->levels == b->levels && a->stage == b->stage &&
	       a->first == b->first && a->kind == b->kind && a->wrapped == b->wrapped &&
	       a->has_issues == b->has_issues && a->has_rulesets == b->has_rulesets &&
	       a->has_runs == b->has_runs;
}

/* Objects that are tried: lists inside a record have few, and each one may be as long as the
 * window. */
#define TRIES_MAX 64u

/* The next record's '{', from after a '}'; NULL: something else is there. */
static const char *next_record(const char *at, bool lines)
{
	bool apart = false;

	/* The zero bytes after the window end the blanks. */
	for (; rt_is_blank(*at) || (*at == ',' && !lines && !apart); at++) {
		if (*at == (lines ? '\n' : ','))
			apart = true;
	}
	return apart && *at == '{' ? at : NULL;
}

/* Whether the object at `at` is one that nobody would take for something else. */
static bool is_record(struct rt_cursor *cursor, const char *at, enum rt_kind kind)
{
	struct rt_record record;

	if (!cursor->ops->record(&cursor->scan, at, &record))
		return false;
	record.kind = rt_check_kind(&record, RT_KIND_ANY);
	return record.kind == kind && rt_check_passes(&record);
}

/*
 * Find the first '}' in view after which there seems to be another record of a kind: what stands
 * between records, and an object that passes as one. Objects that are no record, such as those of
 * lists inside records, are passed over. lines: records are lines of their own; else commas stand
 * between them. ret_offset: of the byte after the '}'.
 */
static bool find_border(struct rt_cursor *cursor, enum rt_kind kind, bool lines,
			uint64_t *ret_offset)
{
	const char *at = cursor->at;

	for (unsigned tries = 0; tries < TRIES_MAX;) {
		const char *record;

		at = memchr(at, '}', (size_t)(cursor->scan.end - at));
		if (!at)
			return false;
		record = next_record(++at, lines);
		if (!record)
			continue;
		if (is_record(cursor, record, kind)) {
			*ret_offset = rt_cursor_offset(cursor, at);
			return true;
		}
		tries++;
	}
	return false;
}

enum rt_status rt_reader_guess(struct rt_reader *r, uint64_t from, struct rt_spot *ret_spot,
			       struct rt_error *err)
{
	struct rt_cursor *cursor = &r->view.cursor;
	enum rt_kind kind = r->record.kind;
	struct rt_cursor_spot spot;
	enum rt_status status;
	uint64_t offset;

	if (!rt_view_can_seek(&r->view))
		return RT_END;
	rt_view_seek(&r->view, from);
	spot = rt_cursor_here(cursor);
	status = rt_cursor_more(cursor, &spot, r->limits.record_bytes, err);
	if (status != RT_OK)
		return status;
	if (!find_border(cursor, kind, r->spot.stage == STAGE_LINES, &offset))
		return RT_END;
	rt_view_seek(&r->view, offset);
	rt_reader_spot(r, ret_spot);
	return RT_OK;
}

void rt_reader_origin(const struct rt_reader *r, struct rt_origin *ret_origin)
{
	const struct rt_marks *marks = r->view.text.marks;

	*ret_origin = rt_view_origin(&r->view, place_in_record(r, r->record.text.ptr));
	if (marks)
		ret_origin->extent =
		    rt_marks_extent(marks, r->record.offset + r->record.text.len - 1);
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
