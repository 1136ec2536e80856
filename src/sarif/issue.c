/*
 * Results as records of issues (SARIF.md section 3): the 29 members in the order of table 2.1, and
 * `notes` where there are any. put_made() says what each member is made from; what
 * properties.retriage gives counts before that. Strings that stand in the log as they are needed
 * are copied without decoding.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mask.h"
#include "sarif/parts.h"
#include "sarif/result.h"

/* A record that is being written. */
struct writing {
	struct rt_sarif_maker *maker;
	const struct rt_sarif_run *run;
	struct rt_sarif_rank rank;
	size_t most; /* bytes that the record may have */
	struct rt_sarif_code code;
	struct rt_sarif_fix fix;
	bool has_notes;
	struct rt_buf *out;
	struct rt_sarif_notes *notes;
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

static enum rt_status refuse_long(const struct writing *w)
{
	w->fault->at = NULL;
	(void)rt_error_limit(&w->fault->err, "the issue", "record", w->most);
	return RT_REJECT;
}

/* Mostly there is room. */
static inline __attribute__((always_inline)) enum rt_status put(struct writing *w,
								struct rt_slice text)
{
	struct rt_buf *out = w->out;

	if (out->len + text.len > w->most)
		return refuse_long(w);
	if (out->cap - out->len < text.len)
		return rt_buf_append(out, text.ptr, text.len, &w->fault->err);
	if (text.len)
		memcpy(out->data + out->len, text.ptr, text.len);
	out->len += text.len;
	return RT_OK;
}

/* A JSON value; absent: null. */
static enum rt_status put_json(struct writing *w, struct rt_slice json)
{
	return put(w, json.ptr ? json : RT_SLICE("null"));
}

/* Decoded text as a JSON string. */
static enum rt_status put_encoded(struct writing *w, struct rt_slice text)
{
	enum rt_status status = rt_json_string_encode(text, w->out, &w->fault->err);

	return status == RT_OK && w->out->len > w->most ? refuse_long(w) : status;
}

/* The same; absent: null. */
static enum rt_status put_text(struct writing *w, struct rt_slice text)
{
	return text.ptr ? put_encoded(w, text) : put(w, RT_SLICE("null"));
}

/* A number from 1; 0: null. */
static enum rt_status put_number(struct writing *w, int64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	if (!number)
		return put(w, RT_SLICE("null"));
	for (; number; number /= 10)
		digits[--at] = (char)('0' + number % 10);
	return put(w, rt_slice_make(digits + at, sizeof(digits) - at));
}

/* A value that somebody wrote over several lines, without the blanks between its tokens. */
static enum rt_status put_compact(struct writing *w, struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json);
	enum rt_status status = RT_OK;

	while (status == RT_OK && at < end) {
		const char *from = at;
		bool loose;

		if (*at == '"')
			at = rt_items_string(at + 1, end, &loose) + 1;
		else
			while (at < end && *at != '"' && rt_items_blanks(at, end) == at)
				at++;
		status = put(w, rt_slice_make(from, (size_t)(at - from)));
		at = rt_items_blanks(at, end);
	}
	return status;
}

static enum rt_status put_id(struct writing *w)
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
	return put(w, rt_slice_make(text, at));
}

static enum rt_status put_file_path(struct writing *w)
{
	struct rt_slice path = rt_buf_slice(&w->maker->path);

	if (!w->maker->has_path)
		return put(w, RT_SLICE("null"));
	w->notes->counts[RT_SARIF_NOTE_HOST] += path.len > 1 && memcmp(path.ptr, "//", 2) == 0;
	return put_text(w, path);
}

static enum rt_status put_category(struct writing *w)
{
	const struct rt_sarif_rule_found *found = &w->maker->found;

	return put_text(w, found->rule && found->rule->id.ptr && !found->by_index ? found->rule->id
										  : found->id);
}

static enum rt_status put_severity(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	const struct rt_sarif_severity_says says = {
	    .kind = maker->kind,
	    .level = maker->values[RT_SARIF_R_LEVEL],
	    .result = maker->properties,
	    .rule = maker->found.rule,
	    .invocation = maker->invocation,
	};

	return put(w, rt_sarif_severity(w->run, &says, w->notes));
}

/* The first line of the message that is not blank; absent: none. */
static enum rt_status message_line(struct writing *w, struct rt_slice *ret_line)
{
	const struct rt_sarif_message *message = &w->maker->message;
	struct rt_slice text = rt_buf_slice(&message->shown);
	enum rt_status status = RT_OK;

	*ret_line = rt_slice_make(NULL, 0);
	if (message->none)
		return RT_OK;
	if (message->json.ptr)
		status = rt_json_string_text(rt_sarif_inside(message->json), &w->maker->room, &text,
					     &w->fault->err);
	if (status == RT_OK && text.len)
		*ret_line = rt_first_line(text);
	return status;
}

static enum rt_status put_title(struct writing *w)
{
	const struct rt_sarif_rule_found *found = &w->maker->found;
	struct rt_slice line;
	enum rt_status status;

	if (found->rule && found->rule->title.ptr)
		return put(w, found->rule->title);
	if (found->id.len)
		return put_text(w, found->id);
	status = message_line(w, &line);
	if (status != RT_OK)
		return status;
	return line.len ? put_text(w, line) : put(w, RT_SLICE("\"untitled\""));
}

/* A message; absent: null. */
static enum rt_status put_message(struct writing *w, const struct rt_sarif_message *message)
{
	if (message->none || message->json.ptr)
		return put_json(w, message->none ? rt_slice_make(NULL, 0) : message->json);
	return put_encoded(w, rt_buf_slice(&message->shown));
}

/* --- Fixes ------------------------------------------------------------------------------------ */

/* Two JSON strings as one, with a blank line between them. */
static enum rt_status put_both(struct writing *w, struct rt_slice first, struct rt_slice second)
{
	enum rt_status status = put(w, rt_slice_make(first.ptr, first.len - 1));

	if (status == RT_OK)
		status = put(w, RT_SLICE("\\n\\n"));
	return status == RT_OK ? put(w, rt_slice_make(second.ptr + 1, second.len - 1)) : status;
}

static bool is_empty(const struct rt_sarif_message *message)
{
	return message->json.ptr ? message->json.len <= 2 : message->shown.len == 0;
}

/* What fixes[0] says, then the help of the rule. */
static enum rt_status put_remediation(struct writing *w)
{
	const struct rt_sarif_rule *rule = w->maker->found.rule;
	struct rt_sarif_message *message = &w->maker->fix;
	struct rt_slice help = {NULL, 0};
	enum rt_status status;

	if (rule)
		help = rule->help;
	if (!w->fix.description.ptr)
		return put_json(w, help);
	status = rt_sarif_message_make(w->run, &w->maker->found, w->fix.description, message,
				       w->notes, w->fault);
	if (status != RT_OK)
		return status;
	if (message->none || (help.ptr && is_empty(message)))
		return put_json(w, help);
	if (message->json.ptr && help.ptr)
		return put_both(w, message->json, help);
	status = put_message(w, message);
	if (status != RT_OK || !help.ptr)
		return status;
	/* In place of the closing quote. */
	w->out->len--;
	status = put(w, RT_SLICE("\\n\\n"));
	if (status == RT_OK)
		status = put(w, rt_slice_make(help.ptr + 1, help.len - 1));
	return status;
}

/* --- Classification, flags, times ------------------------------------------------------------- */

static enum rt_status put_cwe_ids(struct writing *w)
{
	const struct rt_buf *numbers = &w->maker->weaknesses.numbers;
	const uint64_t *all = (const uint64_t *)(const void *)numbers->data;
	enum rt_status status = put(w, RT_SLICE("["));

	for (size_t i = 0; status == RT_OK && i < numbers->len / sizeof(*all); i++) {
		status = put(w, i ? RT_SLICE(",\"CWE-") : RT_SLICE("\"CWE-"));
		if (status == RT_OK)
			status = put_number(w, (int64_t)all[i]);
		if (status == RT_OK)
			status = put(w, RT_SLICE("\""));
	}
	return status == RT_OK ? put(w, RT_SLICE("]")) : status;
}

static enum rt_status put_owasp_category(struct writing *w)
{
	const struct rt_sarif_owasp *owasp = &w->maker->weaknesses.owasp;
	enum rt_status status;

	if (!owasp->code[0])
		return put(w, RT_SLICE("null"));
	status = put(w, RT_SLICE("\""));
	if (status == RT_OK)
		status = put(w, rt_slice_make(owasp->code, strlen(owasp->code)));
	if (status == RT_OK && owasp->year)
		status = put(w, RT_SLICE(":"));
	if (status == RT_OK && owasp->year)
		status = put_number(w, owasp->year);
	return status == RT_OK ? put(w, RT_SLICE("\"")) : status;
}

static enum rt_status put_cvss_score(struct writing *w)
{
	char room[RT_SARIF_PLAIN_MAX];

	return put_json(w, rt_sarif_score(w->maker->properties, w->maker->found.rule, room));
}

static enum rt_status put_false_positive(struct writing *w)
{
	bool suppressed;
	enum rt_status status = rt_sarif_suppressions_read(
	    w->maker->values[RT_SARIF_R_SUPPRESSIONS], &suppressed, w->fault);

	if (status != RT_OK)
		return status;
	return put(w, suppressed ? RT_SLICE("true") : RT_SLICE("false"));
}

/* The invocation that found the result, else the last; NULL: none. */
static const struct rt_sarif_invocation *invocation_of(const struct writing *w)
{
	if (!w->run->invocation_count)
		return NULL;
	if (w->maker->invocation >= 0 && (uint64_t)w->maker->invocation < w->run->invocation_count)
		return &w->run->invocations[w->maker->invocation];
	return &w->run->invocations[w->run->invocation_count - 1];
}

static enum rt_status put_created_at(struct writing *w)
{
	const struct rt_sarif_invocation *invocation = invocation_of(w);

	if (w->maker->first_seen.ptr)
		return put(w, w->maker->first_seen);
	if (!invocation)
		return put_json(w, rt_slice_make(NULL, 0));
	return put_json(w, invocation->end.ptr ? invocation->end : invocation->start);
}

static enum rt_status put_scan_created_at(struct writing *w)
{
	const struct rt_sarif_invocation *invocation = invocation_of(w);

	if (!invocation)
		return put_json(w, rt_slice_make(NULL, 0));
	return put_json(w, invocation->start.ptr ? invocation->start : invocation->end);
}

static enum rt_status put_repo_name(struct writing *w)
{
	struct rt_slice name;
	enum rt_status status = rt_sarif_repository(w->run, w->maker->file, &name, w->fault);

	return status == RT_OK ? put_json(w, name) : status;
}

/* --- The record ------------------------------------------------------------------------------- */

/* Members that follow from the place and the code. */
static enum rt_status put_of_place(struct writing *w, enum rt_member m)
{
	switch (m) {
	case RT_M_FILE_PATH:
		return put_file_path(w);
	case RT_M_LINE_NUMBER:
		return put_number(w, w->maker->region.line);
	case RT_M_COLUMN_START:
		return put_number(w, w->maker->region.column);
	case RT_M_COLUMN_END:
		return put_number(w, w->maker->region.end_column);
	case RT_M_CODE_SNIPPET:
		return w->code.json.ptr ? put(w, w->code.json) : put_text(w, w->code.code);
	case RT_M_CONTEXT_BEFORE:
		return put_text(w, w->code.before);
	case RT_M_CONTEXT_AFTER:
		return put_text(w, w->code.after);
	case RT_M_REPO_NAME:
		return put_repo_name(w);
	default:
		return put(w, RT_SLICE("null"));
	}
}

/* Members that follow from the run and its invocations. */
static enum rt_status put_of_run(struct writing *w, enum rt_member m)
{
	switch (m) {
	case RT_M_SCAN_ID:
		return put_json(w, w->run->scan_id);
	case RT_M_MODEL_USED:
		return put_json(w, w->run->model);
	case RT_M_CREATED_AT:
		return put_created_at(w);
	case RT_M_SCAN_STATUS:
		return put(w, w->run->failed ? RT_SLICE("\"failed\"") : RT_SLICE("\"completed\""));
	case RT_M_SCAN_CREATED_AT:
		return put_scan_created_at(w);
	default:
		return put_of_place(w, m);
	}
}

/* A member that properties.retriage does not give. */
static enum rt_status put_made(struct writing *w, enum rt_member m)
{
	struct rt_sarif_maker *maker = w->maker;
	const struct rt_sarif_rule *rule = maker->found.rule;

	switch (m) {
	case RT_M_ID:
		return put_id(w);
	case RT_M_CATEGORY:
		return put_category(w);
	case RT_M_SEVERITY:
		return put_severity(w);
	case RT_M_CONFIDENCE:
		return put_json(w, rt_sarif_confidence(maker->properties, rule));
	case RT_M_TITLE:
		return put_title(w);
	case RT_M_DESCRIPTION:
		return put_message(w, &maker->message);
	case RT_M_EXPLANATION:
		return put_json(w, rule ? rule->explanation : rt_slice_make(NULL, 0));
	case RT_M_REMEDIATION:
		return put_remediation(w);
	case RT_M_REMEDIATION_CODE:
		return put_json(w, w->fix.code);
	case RT_M_CWE_IDS:
		return put_cwe_ids(w);
	case RT_M_OWASP_CATEGORY:
		return put_owasp_category(w);
	case RT_M_CVSS_SCORE:
		return put_cvss_score(w);
	case RT_M_TAGS:
		return rt_sarif_tags(&maker->weaknesses, maker->properties, rule, w->out, w->fault);
	case RT_M_FALSE_POSITIVE:
		return put_false_positive(w);
	default:
		return put_of_run(w, m);
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

static enum rt_status put_value(struct writing *w, enum rt_member m)
{
	struct rt_sarif_maker *maker = w->maker;

	/* The room that titles are decoded in holds the lines of code after that. */
	if (m == RT_M_CODE_SNIPPET) {
		enum rt_status status =
		    rt_sarif_region_code(&maker->region, &maker->room, &w->code, w->fault);

		if (status != RT_OK)
			return status;
	}
	if (maker->own[m].ptr && m != RT_M_FALSE_POSITIVE)
		return put_compact(w, maker->own[m]);
	return put_made(w, m);
}

/* Members from one to another, the first of all with the record's brace before it. */
static enum rt_status put_members(struct writing *w, enum rt_member first, enum rt_member last)
{
	enum rt_status status = RT_OK;

	for (enum rt_member m = first; status == RT_OK && m <= last; m++) {
		status = put(w, m ? RT_SLICE(",\"") : RT_SLICE("{\""));
		if (status == RT_OK)
			status = put(w, rt_member_name(m));
		if (status == RT_OK)
			status = put(w, RT_SLICE("\":"));
		w->values[m].at = w->out->len;
		if (status == RT_OK)
			status = put_value(w, m);
		w->values[m].len = w->out->len - w->values[m].at;
	}
	return status;
}

/* What was written for another result of the rule, if that does. Where the values stand in it is
 * put before it. */
static enum rt_status put_kept(struct writing *w, struct rt_slice kept)
{
	struct value *values = w->values + FIRST_OF_RULE;
	const size_t bytes = OF_RULE * sizeof(*values);

	memcpy(values, kept.ptr, bytes);
	for (size_t i = 0; i < OF_RULE; i++)
		values[i].at += w->out->len;
	return put(w, rt_slice_make(kept.ptr + bytes, kept.len - bytes));
}

/* The members that follow from the rule and the run, where they do. */
static enum rt_status put_rule_members(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	bool shared = is_of_rule(maker);
	struct rt_slice kept = {NULL, 0};
	struct value values[OF_RULE];
	size_t from = w->out->len;
	enum rt_status status;

	if (shared)
		kept = rt_sarif_weaknesses_kept(&maker->weaknesses, w->run, maker->found.rule);
	if (kept.ptr)
		return put_kept(w, kept);
	status =
	    rt_sarif_weaknesses_make(&maker->weaknesses, w->run, maker->values[RT_SARIF_R_TAXA],
				     maker->properties, maker->found.rule, w->fault);
	if (status == RT_OK)
		status = put_members(w, FIRST_OF_RULE, LAST_OF_RULE);
	if (status != RT_OK || !shared)
		return status;
	memcpy(values, w->values + FIRST_OF_RULE, sizeof(values));
	for (size_t i = 0; i < OF_RULE; i++)
		values[i].at -= from;
	rt_sarif_weaknesses_keep(&maker->weaknesses, maker->found.rule,
				 rt_slice_make((const char *)values, sizeof(values)),
				 rt_slice_make(w->out->data + from, w->out->len - from));
	return RT_OK;
}

/* Put several pieces. */
static enum rt_status put_all(struct writing *w, const struct rt_slice *pieces, size_t count)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < count; i++)
		status = put(w, pieces[i]);
	return status;
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
static enum rt_status is_ours(struct writing *w, const struct rt_sarif_suppression *s,
			      bool *ret_ours)
{
	const struct value *value = &w->values[RT_M_ID];
	struct rt_slice id = {w->out->data + value->at + 1, value->len - 2};
	char guid[RT_SARIF_GUID_CHARS];
	enum rt_status status;

	*ret_ours = false;
	if (s->guid.len != sizeof(guid) || rt_sarif_type(w->maker->own_notes) != RT_SARIF_ARRAY)
		return RT_OK;
	status = rt_json_string_text(id, &w->maker->room, &id, &w->fault->err);
	if (status != RT_OK)
		return status;
	rt_sarif_guid_of(id, guid);
	*ret_ours = memcmp(guid, s->guid.ptr, sizeof(guid)) == 0;
	return RT_OK;
}

/* Why a result is suppressed, as a note; *any: one has been put before, or now. */
static enum rt_status put_reason(struct writing *w, struct rt_slice entry, bool *any)
{
	struct rt_sarif_suppression s;
	enum rt_status status = rt_sarif_suppression_read(entry, &s, w->fault);
	struct rt_slice day, pieces[10];
	size_t count = 0;
	bool ours;

	if (status == RT_OK)
		status = is_ours(w, &s, &ours);
	if (status != RT_OK)
		return status;
	day = day_of(s.expiry);
	if (ours || (!s.justification.len && !day.ptr))
		return RT_OK;
	pieces[count++] =
	    *any ? RT_SLICE(",{\"added_at\":") : RT_SLICE(",\"notes\":[{\"added_at\":");
	pieces[count++] = day_of(s.time).ptr ? s.time : RT_SLICE("null");
	pieces[count++] = RT_SLICE(",\"text\":\"");
	pieces[count++] = s.kind;
	pieces[count++] = RT_SLICE(", ");
	pieces[count++] = *s.status.ptr == 'u' ? RT_SLICE("under review") : s.status;
	pieces[count++] = s.justification.len ? RT_SLICE(": ") : RT_SLICE("");
	pieces[count++] = s.justification.len ? s.justification : RT_SLICE("");
	pieces[count++] = day.ptr ? RT_SLICE(" exp:") : RT_SLICE("");
	pieces[count++] = day.ptr ? day : RT_SLICE("");
	*any = true;
	status = put_all(w, pieces, count);
	return status == RT_OK ? put(w, RT_SLICE("\"}")) : status;
}

/* Notes of properties.retriage after those of suppressions. */
static enum rt_status put_more_notes(struct writing *w, struct rt_slice notes)
{
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	if (rt_sarif_type(notes) == RT_SARIF_STRING) {
		const struct rt_slice pieces[] = {RT_SLICE(",{\"added_at\":null,\"text\":"), notes,
						  RT_SLICE("}")};

		return put_all(w, pieces, 3);
	}
	rt_items_init(&items, notes);
	while (rt_sarif_type(notes) == RT_SARIF_ARRAY && status == RT_OK &&
	       rt_items_next(&items, &item)) {
		status = put(w, RT_SLICE(","));
		if (status == RT_OK)
			status = put_compact(w, item.value);
	}
	return status;
}

/* Notes, where there are any. */
static enum rt_status put_notes(struct writing *w)
{
	struct rt_slice list = w->maker->values[RT_SARIF_R_SUPPRESSIONS];
	struct rt_slice notes = w->maker->own_notes;
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && status == RT_OK && rt_items_next(&items, &item))
		status = put_reason(w, item.value, &w->has_notes);
	if (status == RT_OK && w->has_notes) {
		status = put_more_notes(w, notes);
		return status == RT_OK ? put(w, RT_SLICE("]")) : status;
	}
	if (status == RT_OK && notes.ptr)
		status = put(w, RT_SLICE(",\"notes\":"));
	w->has_notes = notes.ptr != NULL;
	return status == RT_OK && notes.ptr ? put_compact(w, notes) : status;
}

static enum rt_status put_end(struct writing *w)
{
	enum rt_status status = put_notes(w);

	if (status == RT_OK)
		status = put(w, RT_SLICE("}"));
	/* The scanner may look beyond it. */
	return status == RT_OK ? rt_buf_reserve(w->out, RT_PADDING, &w->fault->err) : status;
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
			    .rank = rank,
			    .most = (size_t)run->record_bytes,
			    .out = out,
			    .notes = notes,
			    .fault = fault};
	enum rt_status status;

	out->len = 0;
	fault->at = NULL;
	rt_sarif_notes_add(notes, &maker->message_notes);
	status = rt_sarif_fix_read(maker->values[RT_SARIF_R_FIXES], &w.fix, fault);
	if (status == RT_OK)
		status = put_members(&w, RT_M_ID, FIRST_OF_RULE - 1);
	if (status == RT_OK)
		status = put_rule_members(&w);
	if (status == RT_OK)
		status = put_members(&w, LAST_OF_RULE + 1, RT_ISSUE_MEMBERS - 1);
	if (status == RT_OK)
		status = put_end(&w);
	if (status != RT_OK)
		return status;
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
