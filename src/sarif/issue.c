/*
 * Results as records of issues (SARIF.md section 3): the 29 members in the order of table 2.1, and
 * `notes` where there are any. put_made() says what each member is made from; what
 * properties.retriage gives counts before that. Strings that are in the log as they are needed
 * are copied without decoding.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mask.h"
#include "sarif/parts.h"
#include "sarif/result.h"

/* A record that is being written. Once something has failed nothing more is written. */
struct writing {
	struct rt_sarif_maker *maker;
	const struct rt_sarif_run *run;
	struct rt_sarif_invocation invocation;
	struct rt_sarif_rank rank;
	size_t most; /* bytes that the record may have */
	struct rt_sarif_code code;
	struct rt_sarif_fix fix;
	bool has_notes;
	struct rt_buf *out;
	struct rt_sarif_notes *notes;
	enum rt_status status;
	struct rt_sarif_fault *fault;
	struct value {
		size_t at, len; /* in out */
	} values[RT_ISSUE_MEMBERS];
};

/* The members that follow from the rule and the run alone, where the result says nothing of its
 * own: they are written once for a rule. */
#define FIRST_OF_RULE RT_M_CWE_IDS
#define LAST_OF_RULE RT_M_MODEL_USED
#define OF_RULE (LAST_OF_RULE - FIRST_OF_RULE + 1)

/* Whether all has gone well, this step included. */
static bool goes(struct writing *w, enum rt_status status)
{
	if (w->status == RT_OK)
		w->status = status;
	return w->status == RT_OK;
}

static void refuse_long(struct writing *w)
{
	w->fault->at = NULL;
	(void)rt_error_limit(&w->fault->err, "the issue", "record", w->most);
	w->status = RT_REJECT;
}

/* Mostly there is room. */
static inline __attribute__((always_inline)) void put(struct writing *w, struct rt_slice text)
{
	struct rt_buf *out = w->out;

	if (w->status != RT_OK)
		return;
	if (out->len + text.len > w->most) {
		refuse_long(w);
	} else if (out->cap - out->len < text.len) {
		w->status = rt_buf_append(out, text.ptr, text.len, &w->fault->err);
	} else if (text.len) {
		memcpy(out->data + out->len, text.ptr, text.len);
		out->len += text.len;
	}
}

/* A JSON value; absent: null. */
static void put_json(struct writing *w, struct rt_slice json)
{
	put(w, json.ptr ? json : RT_SLICE("null"));
}

/* Decoded text as a JSON string. */
static void put_encoded(struct writing *w, struct rt_slice text)
{
	if (w->status == RT_OK && goes(w, rt_json_string_encode(text, w->out, &w->fault->err)) &&
	    w->out->len > w->most)
		refuse_long(w);
}

/* The same; absent: null. */
static void put_text(struct writing *w, struct rt_slice text)
{
	if (text.ptr)
		put_encoded(w, text);
	else
		put(w, RT_SLICE("null"));
}

/* A number from 1; 0: null. */
static void put_number(struct writing *w, int64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	if (!number)
		put(w, RT_SLICE("null"));
	for (; number; number /= 10)
		digits[--at] = (char)('0' + number % 10);
	put(w, rt_slice_make(digits + at, sizeof(digits) - at));
}

/* A value that somebody wrote over several lines, without the blanks between its tokens. */
static void put_compact(struct writing *w, struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json);

	while (at < end) {
		const char *from = at;
		bool loose;

		if (*at == '"')
			at = rt_items_string(at + 1, end, &loose) + 1;
		else
			while (at < end && *at != '"' && rt_items_blanks(at, end) == at)
				at++;
		put(w, rt_slice_make(from, (size_t)(at - from)));
		at = rt_items_blanks(at, end);
	}
}

static void put_id(struct writing *w)
{
	static const char digits[] = "0123456789abcdef";
	char text[64 + 2 * RT_SARIF_ID_BYTES] = "\"s2-";
	const struct rt_sarif_rank *rank = &w->rank;
	size_t at = 4;

	if (w->run->old_ids)
		text[2] = '1';
	for (size_t i = 0; i < RT_SARIF_ID_BYTES; i++) {
		text[at++] = digits[w->maker->identity.id[i] >> 4];
		text[at++] = digits[w->maker->identity.id[i] & 0xF];
	}
	if (w->run->old_ids && rank->number > 1)
		at += (size_t)sprintf(text + at, "-%" PRIu32, rank->number);
	else if (!w->run->old_ids && rank->count > 1)
		at +=
		    (size_t)sprintf(text + at, "-%" PRIu32 "of%" PRIu32, rank->number, rank->count);
	text[at++] = '"';
	put(w, rt_slice_make(text, at));
}

static void put_file_path(struct writing *w)
{
	struct rt_slice path = rt_buf_slice(&w->maker->path);

	if (!w->maker->has_path)
		path = rt_slice_make(NULL, 0);
	w->notes->counts[RT_SARIF_NOTE_HOST] += path.len > 1 && memcmp(path.ptr, "//", 2) == 0;
	put_text(w, path);
}

static void put_category(struct writing *w)
{
	const struct rt_sarif_rule_found *found = &w->maker->found;
	bool own = found->rule && found->rule->id.ptr && !found->by_index;

	put_text(w, own ? found->rule->id : found->id);
}

/* The first line of the message that is not blank; absent: none. */
static struct rt_slice message_line(struct writing *w)
{
	const struct rt_sarif_message *message = &w->maker->message;
	struct rt_slice text = rt_buf_slice(&message->shown);

	if (message->json.ptr)
		(void)goes(w, rt_json_string_text(rt_sarif_inside(message->json), &w->maker->room,
						  &text, &w->fault->err));
	return message->none || w->status != RT_OK || !text.len ? rt_slice_make(NULL, 0)
								: rt_first_line(text);
}

static void put_title(struct writing *w)
{
	const struct rt_sarif_rule_found *found = &w->maker->found;
	struct rt_slice text = found->id;

	if (found->rule && found->rule->title.ptr) {
		put(w, found->rule->title);
		return;
	}
	if (!text.len)
		text = message_line(w);
	put_text(w, text.len ? text : RT_SLICE("untitled"));
}

/* A message; absent: null. */
static void put_message(struct writing *w, const struct rt_sarif_message *message)
{
	if (message->none || message->json.ptr)
		put_json(w, message->none ? rt_slice_make(NULL, 0) : message->json);
	else
		put_encoded(w, rt_buf_slice(&message->shown));
}

/* What fixes[0] says, then, after a blank line, the help of the rule. */
static void put_remediation(struct writing *w)
{
	const struct rt_sarif_rule *rule = w->maker->found.rule;
	struct rt_sarif_message *message = &w->maker->fix;
	struct rt_slice help = rule ? rule->help : rt_slice_make(NULL, 0);
	size_t from = w->out->len;

	message->none = true;
	if (w->fix.description.ptr &&
	    !goes(w, rt_sarif_message_make(w->run, &w->maker->found, w->fix.description, message,
					   w->notes, w->fault)))
		return;
	if (!message->none)
		put_message(w, message);
	if (message->none || (help.ptr && w->out->len == from + 2)) {
		w->out->len = from;
		put_json(w, help);
		return;
	}
	if (!help.ptr)
		return;
	/* In place of the closing quote. */
	w->out->len--;
	put(w, RT_SLICE("\\n\\n"));
	put(w, rt_slice_make(help.ptr + 1, help.len - 1));
}

static void put_cwe_ids(struct writing *w)
{
	const struct rt_buf *numbers = &w->maker->weaknesses.numbers;
	const uint64_t *all = (const uint64_t *)(const void *)numbers->data;

	put(w, RT_SLICE("["));
	for (size_t i = 0; w->status == RT_OK && i < numbers->len / sizeof(*all); i++) {
		put(w, i ? RT_SLICE(",\"CWE-") : RT_SLICE("\"CWE-"));
		put_number(w, (int64_t)all[i]);
		put(w, RT_SLICE("\""));
	}
	put(w, RT_SLICE("]"));
}

static void put_owasp_category(struct writing *w)
{
	const struct rt_sarif_owasp *owasp = &w->maker->weaknesses.owasp;
	char text[32];

	if (owasp->year)
		(void)snprintf(text, sizeof(text), "\"%s:%u\"", owasp->code, owasp->year);
	else
		(void)snprintf(text, sizeof(text), "\"%s\"", owasp->code);
	put(w, owasp->code[0] ? rt_slice_make(text, strlen(text)) : RT_SLICE("null"));
}

static void put_cvss_score(struct writing *w)
{
	char room[RT_SARIF_PLAIN_MAX];

	put_json(w, rt_sarif_score(w->maker->properties, w->maker->found.rule, room));
}

static void put_false_positive(struct writing *w)
{
	bool suppressed = false;

	(void)goes(w, rt_sarif_suppressions_read(w->maker->values[RT_SARIF_R_SUPPRESSIONS],
						 &suppressed, w->fault));
	put(w, suppressed ? RT_SLICE("true") : RT_SLICE("false"));
}

/* The invocation that found the result, else the last, else one that says nothing. */
static struct rt_sarif_invocation invocation_of(const struct rt_sarif_run *run, int64_t said)
{
	size_t count = run->invocation_count;

	if (!count)
		return (struct rt_sarif_invocation){.failed = false};
	return run->invocations[said >= 0 && (uint64_t)said < count ? (size_t)said : count - 1];
}

static void put_repo_name(struct writing *w)
{
	struct rt_slice name = {NULL, 0};

	(void)goes(w, rt_sarif_repository(w->run, w->maker->file, &name, w->fault));
	put_json(w, name);
}

/* --- The record ------------------------------------------------------------------------------- */

static struct rt_slice severity_of(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	const struct rt_sarif_severity_says says = {
	    .kind = maker->kind,
	    .level = maker->values[RT_SARIF_R_LEVEL],
	    .result = maker->properties,
	    .rule = maker->found.rule,
	    .invocation = maker->invocation,
	};

	return rt_sarif_severity(w->run, &says, w->notes);
}

/* What a member is that is in the log, or in a table, as it is needed; absent: null. */
static struct rt_slice json_of(struct writing *w, enum rt_member m)
{
	const struct rt_sarif_rule *rule = w->maker->found.rule;
	const struct rt_slice start = w->invocation.start, end = w->invocation.end;

	switch (m) {
	case RT_M_SCAN_ID:
		return w->run->scan_id;
	case RT_M_SEVERITY:
		return severity_of(w);
	case RT_M_CONFIDENCE:
		return rt_sarif_confidence(w->maker->properties, rule);
	case RT_M_EXPLANATION:
		return rule ? rule->explanation : rt_slice_make(NULL, 0);
	case RT_M_REMEDIATION_CODE:
		return w->fix.code;
	case RT_M_MODEL_USED:
		return w->run->model;
	case RT_M_CREATED_AT:
		return w->maker->first_seen.ptr ? w->maker->first_seen : end.ptr ? end : start;
	case RT_M_SCAN_STATUS:
		return w->run->failed ? RT_SLICE("\"failed\"") : RT_SLICE("\"completed\"");
	case RT_M_SCAN_CREATED_AT:
		return start.ptr ? start : end;
	default:
		return rt_slice_make(NULL, 0);
	}
}

/* Members that follow from the place and the code, and those that are taken as they are. */
static void put_of_place(struct writing *w, enum rt_member m)
{
	const struct rt_sarif_region *region = &w->maker->region;

	switch (m) {
	case RT_M_FILE_PATH:
		put_file_path(w);
		break;
	case RT_M_LINE_NUMBER:
		put_number(w, region->line);
		break;
	case RT_M_COLUMN_START:
		put_number(w, region->column);
		break;
	case RT_M_COLUMN_END:
		put_number(w, region->end_column);
		break;
	case RT_M_CODE_SNIPPET:
		if (w->code.json.ptr)
			put(w, w->code.json);
		else
			put_text(w, w->code.code);
		break;
	case RT_M_CONTEXT_BEFORE:
		put_text(w, w->code.before);
		break;
	case RT_M_CONTEXT_AFTER:
		put_text(w, w->code.after);
		break;
	case RT_M_REPO_NAME:
		put_repo_name(w);
		break;
	default:
		put_json(w, json_of(w, m));
	}
}

/* A member that properties.retriage does not give. */
static void put_made(struct writing *w, enum rt_member m)
{
	struct rt_sarif_maker *maker = w->maker;

	switch (m) {
	case RT_M_ID:
		put_id(w);
		break;
	case RT_M_CATEGORY:
		put_category(w);
		break;
	case RT_M_TITLE:
		put_title(w);
		break;
	case RT_M_DESCRIPTION:
		put_message(w, &maker->message);
		break;
	case RT_M_REMEDIATION:
		put_remediation(w);
		break;
	case RT_M_CWE_IDS:
		put_cwe_ids(w);
		break;
	case RT_M_OWASP_CATEGORY:
		put_owasp_category(w);
		break;
	case RT_M_CVSS_SCORE:
		put_cvss_score(w);
		break;
	case RT_M_TAGS:
		(void)goes(w, rt_sarif_tags(&maker->weaknesses, maker->properties,
					    maker->found.rule, w->out, w->fault));
		break;
	case RT_M_FALSE_POSITIVE:
		put_false_positive(w);
		break;
	default:
		put_of_place(w, m);
	}
}

/* Whether the result itself says nothing of what its rule says. */
static bool is_of_rule(const struct rt_sarif_maker *maker)
{
	bool says = maker->has_own || maker->values[RT_SARIF_R_TAXA].ptr;

	for (size_t i = 0; i <= RT_SARIF_CVSS2; i++)
		says |= maker->properties[i].ptr != NULL;
	return !says;
}

static void put_value(struct writing *w, enum rt_member m)
{
	struct rt_sarif_maker *maker = w->maker;

	/* The room that titles are decoded in holds the lines of code after that. */
	if (m == RT_M_CODE_SNIPPET)
		(void)goes(w,
			   rt_sarif_region_code(&maker->region, &maker->room, &w->code, w->fault));
	if (maker->own[m].ptr && m != RT_M_FALSE_POSITIVE)
		put_compact(w, maker->own[m]);
	else
		put_made(w, m);
}

/* Members from one to another, the first of all with the record's brace before it. */
static void put_members(struct writing *w, enum rt_member first, enum rt_member last)
{
	for (enum rt_member m = first; w->status == RT_OK && m <= last; m++) {
		put(w, m ? RT_SLICE(",\"") : RT_SLICE("{\""));
		put(w, rt_member_name(m));
		put(w, RT_SLICE("\":"));
		w->values[m].at = w->out->len;
		put_value(w, m);
		w->values[m].len = w->out->len - w->values[m].at;
	}
}

/* What was written for another result of the rule, if that does. Where the values are in it is
 * put before it. */
static void put_kept(struct writing *w, struct rt_slice kept)
{
	struct value *values = w->values + FIRST_OF_RULE;
	const size_t bytes = OF_RULE * sizeof(*values);

	memcpy(values, kept.ptr, bytes);
	for (size_t i = 0; i < OF_RULE; i++)
		values[i].at += w->out->len;
	put(w, rt_slice_make(kept.ptr + bytes, kept.len - bytes));
}

/* The members that follow from the rule and the run, where they do. */
static void put_rule_members(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	bool shared = is_of_rule(maker);
	struct rt_slice kept = {NULL, 0};
	struct value values[OF_RULE];
	size_t from = w->out->len;

	if (shared)
		kept = rt_sarif_weaknesses_kept(&maker->weaknesses, w->run, maker->found.rule);
	if (kept.ptr) {
		put_kept(w, kept);
		return;
	}
	if (w->status == RT_OK)
		w->status = rt_sarif_weaknesses_make(
		    &maker->weaknesses, w->run, maker->values[RT_SARIF_R_TAXA], maker->properties,
		    maker->found.rule, w->fault);
	put_members(w, FIRST_OF_RULE, LAST_OF_RULE);
	if (w->status != RT_OK || !shared)
		return;
	memcpy(values, w->values + FIRST_OF_RULE, sizeof(values));
	for (size_t i = 0; i < OF_RULE; i++)
		values[i].at -= from;
	rt_sarif_weaknesses_keep(&maker->weaknesses, maker->found.rule,
				 rt_slice_make((const char *)values, sizeof(values)),
				 rt_slice_make(w->out->data + from, w->out->len - from));
}

/* The day of a time, a JSON value; absent: it is none. */
static struct rt_slice day_of(struct rt_slice time)
{
	struct rt_slice text = {NULL, 0};

	if (rt_sarif_type(time) == RT_SARIF_STRING)
		text = rt_sarif_inside(time);
	if (!text.ptr || text.len < 10)
		return rt_slice_make(NULL, 0);
	for (size_t i = 0; i < 10; i++) {
		char c = text.ptr[i];

		if (i == 4 || i == 7 ? c != '-' : c < '0' || c > '9')
			return rt_slice_make(NULL, 0);
	}
	return rt_slice_make(text.ptr, 10);
}

/* Whether a suppression is one that a decision was written as, whose notes are kept elsewhere. */
static bool is_ours(struct writing *w, const struct rt_sarif_suppression *s)
{
	const struct value *value = &w->values[RT_M_ID];
	struct rt_slice id = {w->out->data + value->at, value->len};
	char guid[RT_SARIF_GUID_CHARS];

	/* One that properties.retriage gives may be no string, which is refused later. */
	if (s->guid.len != sizeof(guid) || rt_sarif_type(w->maker->own_notes) != RT_SARIF_ARRAY ||
	    rt_sarif_type(id) != RT_SARIF_STRING ||
	    !goes(w,
		  rt_json_string_text(rt_sarif_inside(id), &w->maker->room, &id, &w->fault->err)))
		return false;
	rt_sarif_guid_of(id, guid);
	return memcmp(guid, s->guid.ptr, sizeof(guid)) == 0;
}

/* Why a result is suppressed, as a note. */
static void put_reason(struct writing *w, struct rt_slice entry)
{
	struct rt_sarif_suppression s;
	struct rt_slice day;

	if (!goes(w, rt_sarif_suppression_read(entry, &s, w->fault)))
		return;
	day = day_of(s.expiry);
	if (is_ours(w, &s) || (!s.justification.len && !day.ptr))
		return;
	put(w, w->has_notes ? RT_SLICE(",{\"added_at\":") : RT_SLICE(",\"notes\":[{\"added_at\":"));
	put(w, day_of(s.time).ptr ? s.time : RT_SLICE("null"));
	put(w, RT_SLICE(",\"text\":\""));
	put(w, s.kind);
	put(w, RT_SLICE(", "));
	put(w, *s.status.ptr == 'u' ? RT_SLICE("under review") : s.status);
	if (s.justification.len) {
		put(w, RT_SLICE(": "));
		put(w, s.justification);
	}
	if (day.ptr) {
		put(w, RT_SLICE(" exp:"));
		put(w, day);
	}
	put(w, RT_SLICE("\"}"));
	w->has_notes = true;
}

/* Notes of properties.retriage after those of suppressions. */
static void put_more_notes(struct writing *w, struct rt_slice notes)
{
	struct rt_items items;
	struct rt_item item;

	if (rt_sarif_type(notes) == RT_SARIF_STRING) {
		put(w, RT_SLICE(",{\"added_at\":null,\"text\":"));
		put(w, notes);
		put(w, RT_SLICE("}"));
	}
	rt_items_init(&items, notes);
	while (rt_sarif_type(notes) == RT_SARIF_ARRAY && rt_items_next(&items, &item)) {
		put(w, RT_SLICE(","));
		put_compact(w, item.value);
	}
	put(w, RT_SLICE("]"));
}

/* Notes, where there are any. */
static void put_notes(struct writing *w)
{
	struct rt_slice list = w->maker->values[RT_SARIF_R_SUPPRESSIONS];
	struct rt_slice notes = w->maker->own_notes;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && w->status == RT_OK && rt_items_next(&items, &item))
		put_reason(w, item.value);
	if (w->has_notes) {
		put_more_notes(w, notes);
		return;
	}
	w->has_notes = notes.ptr != NULL;
	if (!notes.ptr)
		return;
	put(w, RT_SLICE(",\"notes\":"));
	put_compact(w, notes);
}

/* The type of a value that was made here: its arrays are of strings, its numbers short. */
static uint8_t type_of(struct rt_slice value)
{
	uint8_t type = rt_type_of(value);

	if (type != RT_TYPE_NUMBER)
		return type == RT_TYPE_ARRAY ? RT_TYPE_STRINGS : type;
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] != '-' && (value.ptr[i] < '0' || value.ptr[i] > '9'))
			return RT_TYPE_NUMBER;
	}
	return RT_TYPE_INTEGER;
}

enum rt_status rt_sarif_result_write(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     struct rt_sarif_rank rank, struct rt_buf *out,
				     struct rt_record *ret_record, struct rt_sarif_notes *notes,
				     struct rt_sarif_fault *fault)
{
	struct writing w = {.maker = maker,
			    .run = run,
			    .invocation = invocation_of(run, maker->invocation),
			    .rank = rank,
			    .most = (size_t)run->record_bytes,
			    .out = out,
			    .notes = notes,
			    .fault = fault};

	out->len = 0;
	fault->at = NULL;
	rt_sarif_notes_add(notes, &maker->message_notes);
	w.status = rt_sarif_fix_read(maker->values[RT_SARIF_R_FIXES], &w.fix, fault);
	put_members(&w, RT_M_ID, FIRST_OF_RULE - 1);
	put_rule_members(&w);
	put_members(&w, LAST_OF_RULE + 1, RT_ISSUE_MEMBERS - 1);
	put_notes(&w);
	put(&w, RT_SLICE("}"));
	/* The scanner may look beyond it. */
	if (w.status == RT_OK)
		w.status = rt_buf_reserve(out, RT_PADDING, &fault->err);
	if (w.status != RT_OK)
		return w.status;
	*ret_record = (struct rt_record){.kind = RT_KIND_ISSUE,
					 .text = rt_buf_slice(out),
					 .current = RT_M_UNKNOWN,
					 .others = w.has_notes};
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++) {
		ret_record->values[m] = rt_slice_make(out->data + w.values[m].at, w.values[m].len);
		ret_record->types[m] = type_of(ret_record->values[m]);
	}
	return RT_OK;
}
