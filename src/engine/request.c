/*
 * One request as JSON text, and out of a tree. It is written in one spelling; what is read has to
 * keep the rules of SPEC D12.
 */
#include "engine/request.h"

#include <jansson.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "engine/summary.h"

/* Bytes of input that a message quotes. */
#define QUOTED_MAX 100u

/* Table 4.1 of the contract, in its order. */
enum member { ISSUE_IDS, SEVERITY, FALSE_POSITIVE, EXPLOITABLE, NOTES, MEMBERS };

#define TYPE(type) (1u << JSON_##type)

static const struct {
	struct rt_slice name;
	const char *type; /* in the contract's words */
	unsigned types;
	enum rt_text_want want;
} rules[MEMBERS] = {
    [ISSUE_IDS] = {{"issue_ids", 9}, "array of string", TYPE(ARRAY), RT_WANT_STRINGS},
    [SEVERITY] = {{"severity", 8}, "string or null", TYPE(STRING) | TYPE(NULL), RT_WANT_STRING},
    [FALSE_POSITIVE] = {{"false_positive", 14},
			"boolean or null",
			TYPE(TRUE) | TYPE(FALSE) | TYPE(NULL),
			RT_WANT_ANY},
    [EXPLOITABLE] = {{"exploitable", 11},
		     "boolean or null",
		     TYPE(TRUE) | TYPE(FALSE) | TYPE(NULL),
		     RT_WANT_ANY},
    [NOTES] = {{"notes", 5}, "string or null", TYPE(STRING) | TYPE(NULL), RT_WANT_STRING},
};

static struct rt_slice member_name(size_t member)
{
	return rules[member].name;
}

/* The member of that name; MEMBERS if there is none. */
static enum member find_member(struct rt_slice name)
{
	unsigned member = 0;

	while (member < MEMBERS && !rt_slice_equal(name, rules[member].name))
		member++;
	return (enum member)member;
}

enum rt_text_want rt_request_want(struct rt_slice list, struct rt_slice name)
{
	enum member member = find_member(name);

	return list.ptr || member == MEMBERS ? RT_WANT_ANY : rules[member].want;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void put_name(struct rt_put *put, enum member member)
{
	RT_PUT(put, ",\"");
	rt_put(put, rules[member].name);
	RT_PUT(put, "\":");
}

static void put_flag(struct rt_put *put, enum member member, int flag)
{
	if (flag == RT_REQUEST_KEEP)
		return;
	put_name(put, member);
	rt_put(put, flag ? RT_SLICE("true") : RT_SLICE("false"));
}

enum rt_status rt_request_write(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err)
{
	struct rt_put put = {out, err, RT_OK};

	RT_PUT(&put, "{\"issue_ids\":");
	for (unsigned i = 0; i < request->id_count; i++) {
		rt_put(&put, i ? RT_SLICE(",") : RT_SLICE("["));
		rt_put_string(&put, request->ids[i]);
	}
	RT_PUT(&put, "]");
	if (request->severity != RT_REQUEST_KEEP) {
		put_name(&put, SEVERITY);
		rt_put_string(&put, rt_severity_level((size_t)request->severity));
	}
	put_flag(&put, FALSE_POSITIVE, request->false_positive);
	put_flag(&put, EXPLOITABLE, request->exploitable);
	if (request->notes.ptr) {
		put_name(&put, NOTES);
		rt_put_string(&put, request->notes);
	}
	RT_PUT(&put, "}");
	return put.status;
}

/* --- Every fault of a document ---------------------------------------------------------------- */

static struct rt_slice text_of(const json_t *string)
{
	return rt_slice_make(json_string_value(string), json_string_length(string));
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

/* What a value of a wrong type is, with its text where that is short and the tree has it: not that
 * of a number with a fraction or an exponent. */
static const char *describe(const json_t *value, char out[static 64])
{
	static const char *const names[] = {
	    [JSON_OBJECT] = "object", [JSON_ARRAY] = "array",       [JSON_STRING] = "string",
	    [JSON_REAL] = "number",   [JSON_TRUE] = "boolean true", [JSON_FALSE] = "boolean false",
	    [JSON_NULL] = "null",
	};
	char quoted[QUOTED_MAX + 4];

	if (json_is_string(value) && json_string_length(value) <= 40)
		(void)snprintf(out, 64, "string \"%s\"", quote_text(text_of(value), quoted));
	else if (json_is_integer(value))
		(void)snprintf(out, 64, "number %" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		(void)snprintf(out, 64, "%s", names[json_typeof(value)]);
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

/* Judge the next id and keep it. Those beyond the hundredth have been counted, and are not looked
 * at. */
static enum rt_status take_id(struct rt_request_walk *walk, struct rt_error *err)
{
	unsigned number = walk->request.id_count;
	const json_t *id = json_array_get(walk->ids, number);
	char have[64];

	if (!id || number == RT_REQUEST_IDS_MAX) {
		walk->ids = NULL;
		return RT_OK;
	}
	walk->request.ids[walk->request.id_count++] = text_of(id);
	if (json_string_length(id))
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s",
			   json_is_string(id) ? "an id that is not empty" : "string",
			   json_is_string(id) ? "\"\"" : describe(id, have));
	(void)snprintf(err->field, sizeof(err->field), "/issue_ids/%u", number);
	return RT_REJECT;
}

/* Keep a value that is of the right type and not null. Returns whether it is right, else err has a
 * message. */
static bool take_value(struct rt_request_walk *walk, enum member member, json_t *value,
		       struct rt_error *err)
{
	struct rt_request *request = &walk->request;
	char want[160], have[QUOTED_MAX + 4];
	size_t count;

	switch (member) {
	case ISSUE_IDS: /* its elements are looked at one by one */
		walk->ids = value;
		count = json_array_size(value);
		if (count >= 1 && count <= RT_REQUEST_IDS_MAX)
			return true;
		(void)rt_error_set(err, RT_E_INPUT, "want 1 to %u ids, have %zu",
				   RT_REQUEST_IDS_MAX, count);
		return false;
	case SEVERITY:
		request->severity = (int)rt_severity_rank(text_of(value));
		if (request->severity < (int)RT_SEVERITY_LEVELS)
			return true;
		(void)rt_error_set(err, RT_E_INPUT, "want one of %s, have \"%s\"",
				   list_names(rt_severity_level, RT_SEVERITY_LEVELS, want),
				   quote_text(text_of(value), have));
		return false;
	case NOTES:
		request->notes = text_of(value);
		count = rt_utf8_points(request->notes);
		if (count > RT_NOTES_POINTS_MAX)
			(void)rt_error_set(err, RT_E_INPUT, "want at most %u code points, have %zu",
					   RT_NOTES_POINTS_MAX, count);
		return count <= RT_NOTES_POINTS_MAX;
	default:
		*(member == EXPLOITABLE ? &request->exploitable : &request->false_positive) =
		    json_is_true(value);
		return true;
	}
}

/* Judge the next member and keep it. */
static enum rt_status take_member(struct rt_request_walk *walk, struct rt_error *err)
{
	struct rt_slice name = rt_slice_of(json_object_iter_key(walk->member));
	json_t *value = json_object_iter_value(walk->member);
	enum member member = find_member(name);
	char want[160], have[QUOTED_MAX + 4];

	walk->member = json_object_iter_next(walk->tree.root, walk->member);
	if (member == MEMBERS)
		(void)rt_error_set(err, RT_E_INPUT, "want a member %s, have \"%s\"",
				   list_names(member_name, MEMBERS, want), quote_text(name, have));
	else if (!(rules[member].types >> json_typeof(value) & 1))
		(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", rules[member].type,
				   describe(value, have));
	else if (json_is_null(value) || take_value(walk, member, value, err))
		return RT_OK;
	rt_tree_point(err, name);
	return RT_REJECT;
}

/* What is missing. */
static enum rt_status end(struct rt_request_walk *walk, struct rt_error *err)
{
	char have[64];

	walk->ended = true;
	if (json_object_get(walk->tree.root, "issue_ids"))
		return RT_END;
	if (json_is_object(walk->tree.root)) {
		(void)rt_error_set(err, RT_E_INPUT, "want %s, have nothing", rules[ISSUE_IDS].type);
		rt_tree_point(err, rules[ISSUE_IDS].name);
		return RT_REJECT;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want a request, which is an object, have %s",
			   describe(walk->tree.root, have));
	return RT_REJECT;
}

enum rt_status rt_request_walk_start(struct rt_request_walk *walk, struct rt_slice text,
				     struct rt_error *err)
{
	enum rt_status status;

	/* An array is no request, whatever is in it. */
	if (*text.ptr == '[')
		text = RT_SLICE("[]");
	status = rt_tree_read(&walk->tree, text, err);
	walk->request.id_count = 0;
	walk->request.severity = RT_REQUEST_KEEP;
	walk->request.false_positive = RT_REQUEST_KEEP;
	walk->request.exploitable = RT_REQUEST_KEEP;
	walk->request.notes = rt_slice_make(NULL, 0);
	walk->member = json_object_iter(walk->tree.root);
	walk->ids = NULL;
	walk->ended = status != RT_OK;
	return status;
}

enum rt_status rt_request_walk_next(struct rt_request_walk *walk, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && (walk->ids || walk->member))
		status = walk->ids ? take_id(walk, err) : take_member(walk, err);
	if (status != RT_OK)
		return status;
	return walk->ended ? RT_END : end(walk, err);
}

enum rt_status rt_request_parse(struct rt_request_walk *walk, struct rt_slice text,
				struct rt_error *err)
{
	enum rt_status status = rt_request_walk_start(walk, text, err);

	if (status == RT_OK)
		status = rt_request_walk_next(walk, err);
	return status == RT_END ? RT_OK : status;
}
