/*
 * One request as JSON text and back. It is written in one spelling; what is read has to keep the
 * rules of SPEC D12, and borrows from its text.
 */
#include "engine/request.h"

#include <stdio.h>

#include "base/json_string.h"
#include "engine/summary.h"
#include "scan/member.h"

/* Append `before`, the member's name in quotes, and a colon. */
static enum rt_status write_name(enum rt_request_member member, char before, struct rt_buf *out,
				 struct rt_error *err)
{
	struct rt_slice name = rt_request_member_name(member);
	enum rt_status status = rt_buf_reserve(out, name.len + 4, err);

	if (status != RT_OK)
		return status;
	out->data[out->len++] = before;
	out->data[out->len++] = '"';
	memcpy(out->data + out->len, name.ptr, name.len);
	out->len += name.len;
	out->data[out->len++] = '"';
	out->data[out->len++] = ':';
	return RT_OK;
}

static enum rt_status write_ids(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err)
{
	enum rt_status status = write_name(RT_RQ_ISSUE_IDS, '{', out, err);

	for (unsigned i = 0; i < request->id_count && status == RT_OK; i++) {
		status = rt_buf_append(out, i ? "," : "[", 1, err);
		if (status == RT_OK)
			status = rt_json_string_encode(request->ids[i], out, err);
	}
	return status == RT_OK ? rt_buf_append(out, "]", 1, err) : status;
}

static enum rt_status write_string(enum rt_request_member member, struct rt_slice text,
				   struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = write_name(member, ',', out, err);

	return status == RT_OK ? rt_json_string_encode(text, out, err) : status;
}

static enum rt_status write_flag(enum rt_request_member member, int flag, struct rt_buf *out,
				 struct rt_error *err)
{
	enum rt_status status = write_name(member, ',', out, err);

	return status == RT_OK ? rt_buf_append(out, flag ? "true" : "false", flag ? 4 : 5, err)
			       : status;
}

enum rt_status rt_request_write(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err)
{
	enum rt_status status = write_ids(request, out, err);

	if (status == RT_OK && request->severity != RT_REQUEST_KEEP)
		status = write_string(RT_RQ_SEVERITY, rt_severity_level((size_t)request->severity),
				      out, err);
	if (status == RT_OK && request->false_positive != RT_REQUEST_KEEP)
		status = write_flag(RT_RQ_FALSE_POSITIVE, request->false_positive, out, err);
	if (status == RT_OK && request->exploitable != RT_REQUEST_KEEP)
		status = write_flag(RT_RQ_EXPLOITABLE, request->exploitable, out, err);
	if (status == RT_OK && request->notes.ptr)
		status = write_string(RT_RQ_NOTES, request->notes, out, err);
	return status == RT_OK ? rt_buf_append(out, "}", 1, err) : status;
}

enum rt_status rt_request_parse(struct rt_slice json, struct rt_buf *scratch,
				struct rt_request *ret_request, struct rt_error *err)
{
	struct rt_request_walk walk;
	enum rt_status status;

	rt_request_walk_start(&walk, json, scratch, ret_request);
	status = rt_request_walk_next(&walk, err);
	return status == RT_END ? RT_OK : status;
}

/* --- Every fault of a document ---------------------------------------------------------------- */

/*
 * Walks over one request, whose grammar the scanner has checked, and stops at every fault, in the
 * order of the text.
 */

/* Bytes of input that a message quotes. */
#define QUOTED_MAX 100u

/* Where a walk is; a fault is told between two steps of it. */
enum stage {
	STAGE_START,
	STAGE_MEMBERS,
	STAGE_IDS, /* in the member that lists them */
	STAGE_MISSING,
	STAGE_DONE,
};

/* Table 4.1 of the contract. */
static const struct request_rule {
	struct rt_slice name;
	uint8_t types;    /* mask of enum rt_type */
	const char *type; /* in the contract's words */
} rules[RT_REQUEST_MEMBERS] = {
    [RT_RQ_ISSUE_IDS] = {{"issue_ids", 9}, RT_TYPE_ARRAY, "array of string"},
    [RT_RQ_SEVERITY] = {{"severity", 8}, RT_TYPE_STRING | RT_TYPE_NULL, "string or null"},
    [RT_RQ_FALSE_POSITIVE] = {{"false_positive", 14},
			      RT_TYPE_BOOL | RT_TYPE_NULL,
			      "boolean or null"},
    [RT_RQ_EXPLOITABLE] = {{"exploitable", 11}, RT_TYPE_BOOL | RT_TYPE_NULL, "boolean or null"},
    [RT_RQ_NOTES] = {{"notes", 5}, RT_TYPE_STRING | RT_TYPE_NULL, "string or null"},
};

struct rt_slice rt_request_member_name(enum rt_request_member member)
{
	return rules[member].name;
}

static struct rt_slice member_name(size_t member)
{
	return rules[member].name;
}

/* What is between the quotes of a string. */
static struct rt_slice unquoted(struct rt_slice string)
{
	return rt_slice_make(string.ptr + 1, string.len - 2);
}

/*
 * The text that a string stands for; raw: between its quotes. Not by jansson: where its buffer
 * cannot grow, release 2.14 leaves a character out and reports success.
 * Returns RT_OK or RT_FATAL.
 */
static enum rt_status string_text(struct rt_request_walk *walk, struct rt_slice raw,
				  struct rt_slice *ret_text, struct rt_error *err)
{
	struct rt_buf *scratch = walk->scratch;
	enum rt_status status;
	size_t len;

	if (!rt_json_string_is_escaped(raw)) {
		*ret_text = raw;
		return RT_OK;
	}
	/* Room for all the strings of the text at once: what borrows from scratch stays valid. */
	status = rt_buf_reserve(scratch, walk->text.len - scratch->len, err);
	if (status != RT_OK)
		return status;
	len = rt_json_string_decode(raw, scratch->data + scratch->len);
	*ret_text = rt_slice_make(scratch->data + scratch->len, len);
	scratch->len += len;
	return RT_OK;
}

/* Append "/name" to err's JSON pointer (RFC 6901 §3), as much of it as fits. */
static void point_to(struct rt_error *err, struct rt_slice name)
{
	char pointer[2 * sizeof(err->field) + 4];
	size_t len = 0;

	pointer[len++] = '/';
	for (size_t i = 0; i < name.len && len < sizeof(pointer) - 2; i++) {
		if (name.ptr[i] == '~' || name.ptr[i] == '/') {
			pointer[len++] = '~';
			pointer[len++] = name.ptr[i] == '~' ? '0' : '1';
		} else {
			pointer[len++] = name.ptr[i];
		}
	}
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(pointer, len));
}

/* Finish a fault whose message is set. name: the member's, or ptr NULL for the request itself. */
static enum rt_status fault(struct rt_request_walk *walk, const char *at, struct rt_slice name,
			    struct rt_error *err)
{
	if (name.ptr)
		point_to(err, name);
	walk->fault_at = at;
	return RT_REJECT;
}

static enum rt_status fault_of(struct rt_request_walk *walk, const char *at,
			       enum rt_request_member member, struct rt_error *err)
{
	return fault(walk, at, rules[member].name, err);
}

/* As fault_of(), for the id that the walk is at. */
static enum rt_status fault_of_id(struct rt_request_walk *walk, const char *at,
				  struct rt_error *err)
{
	char *field = err->field;
	size_t used;

	(void)fault_of(walk, at, RT_RQ_ISSUE_IDS, err);
	used = strlen(field);
	(void)snprintf(field + used, sizeof(err->field) - used, "/%u", walk->element);
	return RT_REJECT;
}

/* A text of the input for a message, cut where it is long. */
static const char *quote_text(struct rt_slice text, char out[static QUOTED_MAX + 4])
{
	static const char more[] = "...";

	rt_error_text(out, QUOTED_MAX, text);
	if (text.len >= QUOTED_MAX)
		memcpy(out + strlen(out), more, sizeof(more));
	return out;
}

/* What a value of a wrong type is, with the text of short ones. */
static const char *describe(struct rt_slice value, char out[static 64])
{
	uint8_t type = rt_type_of(value);

	if (type & (RT_TYPE_NUMBER | RT_TYPE_BOOL | RT_TYPE_STRING) && value.len <= 40)
		(void)snprintf(out, 64, "%s %.*s", rt_type_name(type), (int)value.len, value.ptr);
	else
		(void)snprintf(out, 64, "%s", rt_type_name(type));
	return out;
}

/* The names number 0 to count - 1 as "a, b or c". */
static const char *list_names(struct rt_slice (*name)(size_t), size_t count, char out[static 160])
{
	size_t len = 0;

	for (size_t i = 0; i < count && len < 160; i++) {
		const char *joint = i == 0 ? "" : i + 1 == count ? " or " : ", ";

		len += (size_t)snprintf(out + len, 160 - len, "%s%.*s", joint, (int)name(i).len,
					name(i).ptr);
	}
	return out;
}

static enum rt_status fault_of_key(struct rt_request_walk *walk, const char *at,
				   struct rt_slice name, struct rt_error *err)
{
	char want[160], have[QUOTED_MAX + 4];

	(void)rt_error_set(err, RT_E_INPUT, "want a member %s, have \"%s\"",
			   list_names(member_name, RT_REQUEST_MEMBERS, want),
			   quote_text(name, have));
	return fault(walk, at, name, err);
}

static enum rt_status take_severity(struct rt_request_walk *walk, struct rt_slice value,
				    struct rt_error *err)
{
	char want[160], have[QUOTED_MAX + 4];
	struct rt_slice text;
	enum rt_status status = string_text(walk, unquoted(value), &text, err);

	if (status != RT_OK)
		return status;
	walk->request->severity = (int)rt_severity_rank(text);
	if (walk->request->severity < (int)RT_SEVERITY_LEVELS)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "want one of %s, have \"%s\"",
			   list_names(rt_severity_level, RT_SEVERITY_LEVELS, want),
			   quote_text(text, have));
	return fault_of(walk, value.ptr, RT_RQ_SEVERITY, err);
}

/* Unicode code points of well-formed UTF-8. */
static size_t count_points(struct rt_slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
	return count;
}

static enum rt_status take_notes(struct rt_request_walk *walk, struct rt_slice value,
				 struct rt_error *err)
{
	struct rt_slice *notes = &walk->request->notes;
	enum rt_status status = string_text(walk, unquoted(value), notes, err);
	size_t count;

	if (status != RT_OK || notes->len <= RT_NOTES_POINTS_MAX)
		return status;
	count = count_points(*notes);
	if (count <= RT_NOTES_POINTS_MAX)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "want at most %u code points, have %zu",
			   RT_NOTES_POINTS_MAX, count);
	return fault_of(walk, value.ptr, RT_RQ_NOTES, err);
}

/* Items from here on. */
static size_t count_items(struct rt_items items)
{
	struct rt_item item;
	size_t count = 0;

	while (rt_items_next(&items, &item))
		count++;
	return count;
}

/* Go into the array; its elements are looked at one by one. */
static enum rt_status take_ids(struct rt_request_walk *walk, struct rt_slice value,
			       struct rt_error *err)
{
	size_t count;

	rt_items_init(&walk->ids, value);
	walk->stage = STAGE_IDS;
	count = count_items(walk->ids);
	if (count >= 1 && count <= RT_REQUEST_IDS_MAX)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "want 1 to %u ids, have %zu", RT_REQUEST_IDS_MAX,
			   count);
	return fault_of(walk, value.ptr, RT_RQ_ISSUE_IDS, err);
}

static enum rt_status step_start(struct rt_request_walk *walk, struct rt_error *err)
{
	char have[64];

	if (rt_type_of(walk->text) == RT_TYPE_OBJECT) {
		rt_items_init(&walk->members, walk->text);
		walk->stage = STAGE_MEMBERS;
		return RT_OK;
	}
	walk->stage = STAGE_DONE;
	(void)rt_error_set(err, RT_E_INPUT, "want a request, which is an object, have %s",
			   describe(walk->text, have));
	return fault(walk, walk->text.ptr, rt_slice_make(NULL, 0), err);
}

/* Judge one id and keep it. */
static enum rt_status take_id(struct rt_request_walk *walk, struct rt_slice value,
			      struct rt_error *err)
{
	bool is_string = rt_type_of(value) == RT_TYPE_STRING;
	char have[64];

	if (is_string && value.len > sizeof("\"\"") - 1)
		return string_text(walk, unquoted(value), &walk->request->ids[walk->element], err);
	if (is_string)
		(void)rt_error_set(err, RT_E_INPUT, "want an id that is not empty, have \"\"");
	else
		(void)rt_error_set(err, RT_E_INPUT, "want string, have %s", describe(value, have));
	return fault_of_id(walk, value.ptr, err);
}

/* Ids beyond the hundredth have been counted, and are not looked at. */
static enum rt_status step_id(struct rt_request_walk *walk, struct rt_error *err)
{
	enum rt_status status;
	struct rt_item item;

	if (walk->element == RT_REQUEST_IDS_MAX || !rt_items_next(&walk->ids, &item)) {
		walk->request->id_count = walk->element;
		walk->stage = STAGE_MEMBERS;
		return RT_OK;
	}
	status = take_id(walk, item.value, err);
	walk->element++;
	return status;
}

/* The member of that name; RT_REQUEST_MEMBERS if there is none. */
static enum rt_request_member find_member(struct rt_slice name)
{
	unsigned member = 0;

	while (member < RT_REQUEST_MEMBERS && !rt_slice_equal(name, rules[member].name))
		member++;
	return (enum rt_request_member)member;
}

enum rt_text_want rt_request_want(struct rt_slice list, struct rt_slice name)
{
	enum rt_request_member member = find_member(name);

	if (list.ptr || member == RT_REQUEST_MEMBERS)
		return RT_WANT_ANY;
	if (rules[member].types & RT_TYPE_STRING)
		return RT_WANT_STRING;
	return rules[member].types & RT_TYPE_ARRAY ? RT_WANT_STRINGS : RT_WANT_ANY;
}

/* Judge the value of a member that stands for the first time. */
static enum rt_status take_value(struct rt_request_walk *walk, enum rt_request_member member,
				 struct rt_slice value, struct rt_error *err)
{
	const struct request_rule *rule = &rules[member];
	uint8_t type = rt_type_of(value);
	char have[64];

	if (!(type & rule->types)) {
		(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", rule->type,
				   describe(value, have));
		return fault_of(walk, value.ptr, member, err);
	}
	if (type == RT_TYPE_NULL)
		return RT_OK;
	switch (member) {
	case RT_RQ_ISSUE_IDS:
		return take_ids(walk, value, err);
	case RT_RQ_SEVERITY:
		return take_severity(walk, value, err);
	case RT_RQ_FALSE_POSITIVE:
		walk->request->false_positive = *value.ptr == 't';
		return RT_OK;
	case RT_RQ_EXPLOITABLE:
		walk->request->exploitable = *value.ptr == 't';
		return RT_OK;
	default:
		return take_notes(walk, value, err);
	}
}

static enum rt_status step_member(struct rt_request_walk *walk, struct rt_error *err)
{
	enum rt_request_member member;
	enum rt_status status;
	struct rt_slice name;
	struct rt_item item;
	const char *key;

	if (!rt_items_next(&walk->members, &item)) {
		walk->stage = STAGE_MISSING;
		return RT_OK;
	}
	status = string_text(walk, item.key, &name, err);
	if (status != RT_OK)
		return status;
	key = item.key.ptr - 1;
	member = find_member(name);
	if (member == RT_REQUEST_MEMBERS)
		return fault_of_key(walk, key, name, err);
	if (walk->seen >> member & 1) {
		(void)rt_error_set(err, RT_E_INPUT, "the field is repeated");
		return fault_of(walk, key, member, err);
	}
	walk->seen |= 1u << member;
	return take_value(walk, member, item.value, err);
}

static enum rt_status step_missing(struct rt_request_walk *walk, struct rt_error *err)
{
	walk->stage = STAGE_DONE;
	if (walk->seen >> RT_RQ_ISSUE_IDS & 1)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have nothing", rules[RT_RQ_ISSUE_IDS].type);
	return fault_of(walk, walk->text.ptr, RT_RQ_ISSUE_IDS, err);
}

void rt_request_walk_start(struct rt_request_walk *walk, struct rt_slice text,
			   struct rt_buf *scratch, struct rt_request *request)
{
	*walk = (struct rt_request_walk){.text = text, .scratch = scratch, .request = request};
	scratch->len = 0;
	request->id_count = 0;
	request->severity = RT_REQUEST_KEEP;
	request->false_positive = RT_REQUEST_KEEP;
	request->exploitable = RT_REQUEST_KEEP;
	request->notes = rt_slice_make(NULL, 0);
}

enum rt_status rt_request_walk_next(struct rt_request_walk *walk, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK) {
		switch (walk->stage) {
		case STAGE_START:
			status = step_start(walk, err);
			break;
		case STAGE_MEMBERS:
			status = step_member(walk, err);
			break;
		case STAGE_IDS:
			status = step_id(walk, err);
			break;
		case STAGE_MISSING:
			status = step_missing(walk, err);
			break;
		default:
			status = RT_END;
		}
	}
	return status;
}
