/*
 * The forms of a document (SPEC D2): walks from record to record through arrays, objects with
 * `issues` and `rulesets`, JSON Lines and single records. Input: the reader's window. Output: one
 * scanned record at a time. Refuses whatever is none of these forms, and anything after them.
 */
#include "record/reader_state.h"

#include "base/json_string.h"

/* A run of blanks beyond the limit, told at its first byte, which may be out of view by now. */
static enum rt_status refuse_blanks(struct rt_reader *r, const struct rt_mark *first,
				    uint64_t offset, struct rt_error *err)
{
	r->view.scan.line = first->line;
	r->view.scan.line_start = first->line_start;
	(void)rt_reader_fault(r, r->view.at, NULL, "fewer blanks in a row",
			      "more bytes of them than the limit \"record\"", err);
	err->code = RT_E_LIMIT;
	if (!rt_text_is_made(r->view.text)) {
		err->column = offset - first->line_start + 1;
		err->offset = offset + rt_text_skipped(r->view.text);
	}
	return RT_REJECT;
}

/* Go to the next byte that is not blank. RT_OK: r->view.at is there; RT_END: the text is over. */
static enum rt_status skip_blanks(struct rt_reader *r, struct rt_error *err)
{
	const struct rt_mark first = rt_view_mark(&r->view);
	uint64_t start = rt_view_offset(&r->view, r->view.at);

	for (;;) {
		struct rt_mark mark;
		enum rt_status status;

		r->view.at = rt_scan_blanks(&r->view.scan, r->view.at);
		if (rt_view_offset(&r->view, r->view.at) - start > r->limits.record_bytes)
			return refuse_blanks(r, &first, start, err);
		if (r->view.at < r->view.scan.end)
			return RT_OK;
		if (r->view.scan.final)
			return RT_END;
		mark = rt_view_mark(&r->view);
		r->view.scan.fault.at = NULL;
		status = rt_reader_retry(r, &mark, err);
		if (status != RT_OK)
			return status;
	}
}

/* As skip_blanks(), where the text must go on. */
static enum rt_status need_byte(struct rt_reader *r, const char *want, struct rt_error *err)
{
	enum rt_status status = skip_blanks(r, err);

	return status == RT_END ? rt_reader_fault(r, r->view.at, NULL, want, NULL, err) : status;
}

/* The key that a kind of record is listed under. */
static struct rt_slice list_name(enum rt_kind kind)
{
	return kind == RT_KIND_ISSUE ? RT_SLICE("issues") : RT_SLICE("rulesets");
}

/* What a kind of record wants of a member's type; RT_KIND_ANY: what either kind wants. */
static unsigned types_wanted(enum rt_kind kind, enum rt_member m)
{
	const struct rt_member_rule *issue = rt_member_rule(RT_KIND_ISSUE, m);
	const struct rt_member_rule *ruleset = rt_member_rule(RT_KIND_RULESET, m);
	unsigned types = 0;

	if (issue && kind != RT_KIND_RULESET)
		types |= issue->types;
	if (ruleset && kind != RT_KIND_ISSUE)
		types |= ruleset->types;
	return types;
}

enum rt_text_want rt_document_want(struct rt_slice list, struct rt_slice name)
{
	enum rt_kind kind = RT_KIND_ANY;
	unsigned types;

	if (rt_slice_equal(list, list_name(RT_KIND_ISSUE)))
		kind = RT_KIND_ISSUE;
	else if (rt_slice_equal(list, list_name(RT_KIND_RULESET)))
		kind = RT_KIND_RULESET;
	else if (list.ptr)
		return RT_WANT_ANY;
	/* Notes may be a string (SPEC D14); no number is right in their place. */
	if (kind != RT_KIND_RULESET && rt_slice_equal(name, RT_SLICE("notes")))
		return RT_WANT_STRING;
	types = types_wanted(kind, rt_member_find(name));
	if (types & RT_TYPE_STRING)
		return RT_WANT_STRING;
	return types & RT_TYPE_STRINGS ? RT_WANT_STRINGS : RT_WANT_ANY;
}

/* Scan the record at r->view.at. */
static enum rt_status take_record(struct rt_reader *r, enum rt_kind kind, struct rt_error *err)
{
	struct rt_mark mark = rt_view_mark(&r->view);
	const char *after;

	r->record.kind = kind;
	while (!(after = r->ops->record(&r->view.scan, r->view.at, &r->record))) {
		bool fault = r->view.scan.fault.at != NULL;
		enum rt_status status = rt_reader_retry(r, &mark, err);

		if (status != RT_OK && fault)
			rt_reader_name_record(r, err);
		if (status != RT_OK)
			return status;
	}
	r->record.line = mark.line;
	r->record.offset = r->view.scan.origin + (uintptr_t)mark.at;
	r->record.column = r->record.offset - mark.line_start + 1;
	r->view.at = after;
	return RT_OK;
}

/* What stands at r->view.at is no record: name its type, having checked that it is JSON at all. */
static enum rt_status refuse_value(struct rt_reader *r, const char *want, struct rt_error *err)
{
	struct rt_mark mark = rt_view_mark(&r->view), after;
	uint8_t type;

	while (!(after.at = r->ops->value(&r->view.scan, r->view.at, &type))) {
		enum rt_status status = rt_reader_retry(r, &mark, err);

		if (status != RT_OK)
			return status;
	}
	after.line = r->view.scan.line;
	after.line_start = r->view.scan.line_start;
	rt_view_rewind(&r->view, &mark);
	(void)rt_reader_fault(r, mark.at, NULL, want, rt_type_name(type), err);
	rt_view_rewind(&r->view, &after);
	r->broken = false;
	return RT_REJECT;
}

/*
 * Read the key at r->view.at and the colon, and go to its value. ret_kind: what the key's elements
 * are, RT_KIND_ANY where it is not one of ours.
 */
static const char *scan_key(struct rt_reader *r, const char *at, enum rt_kind *ret_kind)
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

		at = scan_key(r, at, &kind);
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
		status = rt_reader_retry(r, &mark, err);
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
	return rt_reader_fault(r, value, list_name(r->no_array.kind).ptr, "array",
			       rt_type_name(type), err);
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
	r->has_issues = r->has_rulesets = false;
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
		return rt_reader_fault(r, r->view.at, NULL, want, "an empty document", err);
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
			return rt_reader_fault(r, r->view.at, NULL, want_next, NULL, err);
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
	if (*r->view.at == '{')
		status = take_record(r, r->kind, err);
	else
		status = refuse_value(r, "a record, which is an object", err);
	/* The list goes on after a value of another type, but not after broken JSON. */
	r->list = LIST_NEXT;
	return status;
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
			return rt_reader_fault(r, r->view.at, name.ptr, "the member once",
					       "it again", err);
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

	if (status == RT_END && (r->has_issues || r->has_rulesets)) {
		leave_document(r);
		return RT_OK;
	}
	if (status == RT_END)
		return rt_reader_fault(r, r->view.at - 1, NULL,
				       "an array \"issues\" or \"rulesets\"",
				       "the end of an object too long for one record", err);
	if (status != RT_OK)
		return status;
	if (*r->view.at != '"')
		return rt_reader_fault(r, r->view.at, NULL, "a member name", NULL, err);
	mark = rt_view_mark(&r->view);
	while (!(value = scan_key(r, r->view.at, &kind))) {
		status = rt_reader_retry(r, &mark, err);
		if (status != RT_OK)
			return status;
	}
	r->list = LIST_NEXT;
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
		status = rt_reader_retry(r, &mark, err);
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
		return rt_reader_fault(r, r->view.at, NULL, "a line break after the record", NULL,
				       err);
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
		return rt_reader_fault(r, r->view.at, NULL, "nothing after the document", NULL,
				       err);
	return status;
}

enum rt_status rt_document_next(struct rt_reader *r, struct rt_error *err)
{
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
