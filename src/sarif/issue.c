/*
 * Results as records of issues (SARIF.md section 3): the 29 members in the order of table 2.1, and
 * `notes` where there are any. sources_find() says where a value is that needs no more than to be
 * copied, writers[] what makes each of the others; what properties.retriage gives counts before
 * both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/limits.h"
#include "base/mask.h"
#include "sarif/parts.h"
#include "sarif/result.h"

/* A record that is being written. Once something has failed nothing more is written. */
struct writing {
	struct rt_sarif_maker *maker;
	const struct rt_sarif_run *run;
	struct rt_sarif_rank rank;
	struct rt_sarif_fix fix;
	bool has_notes;
	struct rt_put put;
	struct rt_sarif_notes *notes;
	struct rt_sarif_fault *fault;
	/* Where a value is: JSON as it is needed, else a decoded text, else a number from 1. */
	struct source {
		struct rt_slice json, text;
		int64_t number;
	} sources[RT_ISSUE_MEMBERS];
	char score[RT_SARIF_PLAIN_MAX];
	struct value {
		size_t at, len; /* in the buffer */
	} values[RT_ISSUE_MEMBERS];
};

/* Whether all has gone well, what w->fault was handed to included. */
static bool goes(struct writing *w)
{
	if (w->put.status == RT_OK)
		w->put.status = w->fault->status;
	return w->put.status == RT_OK;
}

/* A JSON value; absent: null. */
static void put_json(struct writing *w, struct rt_slice json)
{
	rt_put(&w->put, json.ptr ? json : RT_SLICE("null"));
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
		rt_put(&w->put, rt_slice_make(from, (size_t)(at - from)));
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
	rt_put(&w->put, rt_slice_make(text, at));
}

static void put_file_path(struct writing *w)
{
	struct rt_slice path = rt_buf_slice(&w->maker->path);

	if (!w->maker->has_path)
		path = rt_slice_make(NULL, 0);
	w->notes->counts[RT_SARIF_NOTE_HOST] += path.len > 1 && memcmp(path.ptr, "//", 2) == 0;
	w->notes->counts[RT_SARIF_NOTE_ABOVE] +=
	    path.len > 1 && memcmp(path.ptr, "..", 2) == 0 && (path.len == 2 || path.ptr[2] == '/');
	rt_put_string(&w->put, path);
}

/* The first line of the message that is not blank; absent: none. */
static struct rt_slice message_line(struct writing *w)
{
	const struct rt_sarif_message *message = &w->maker->message;
	struct rt_slice text = rt_buf_slice(&message->shown);

	if (message->json.ptr)
		text = rt_sarif_decode(message->json, &w->maker->room, w->fault);
	return !goes(w) || message->none || !text.len ? rt_slice_make(NULL, 0)
						      : rt_first_line(text);
}

static void put_title(struct writing *w)
{
	const struct rt_sarif_rule_found *found = &w->maker->found;
	struct rt_slice text = found->id;

	if (found->rule && found->rule->title.ptr) {
		rt_put(&w->put, found->rule->title);
		return;
	}
	if (!text.len)
		text = message_line(w);
	rt_put_string(&w->put, text.len ? text : RT_SLICE("untitled"));
}

/* A message; absent: null. */
static void put_message(struct writing *w, const struct rt_sarif_message *message)
{
	const struct rt_buf *shown = &message->shown;

	if (message->none || message->json.ptr)
		put_json(w, message->none ? rt_slice_make(NULL, 0) : message->json);
	else
		rt_put_string(&w->put, shown->len ? rt_buf_slice(shown) : RT_SLICE(""));
}

static void put_description(struct writing *w)
{
	put_message(w, &w->maker->message);
}

/* What fixes[0] says, then, after a blank line, the help of the rule. */
static void put_remediation(struct writing *w)
{
	const struct rt_sarif_rule *rule = w->maker->found.rule;
	struct rt_sarif_message *message = &w->maker->fix;
	struct rt_slice help = rule ? rule->help : rt_slice_make(NULL, 0);
	size_t from = w->put.out->len;

	rt_sarif_message_make(w->run, &w->maker->found, w->fix.description, w->fix.said, message,
			      w->notes, w->fault);
	if (!goes(w))
		return;
	if (!message->none)
		put_message(w, message);
	if (message->none || (help.ptr && w->put.out->len == from + 2)) {
		w->put.out->len = from;
		put_json(w, help);
		return;
	}
	if (!help.ptr)
		return;
	/* In place of the closing quote. */
	w->put.out->len--;
	RT_PUT(&w->put, "\\n\\n");
	rt_put(&w->put, rt_slice_make(help.ptr + 1, help.len - 1));
}

static void put_cwe_ids(struct writing *w)
{
	const struct rt_buf *numbers = &w->maker->weaknesses.numbers;
	const uint64_t *all = (const uint64_t *)(const void *)numbers->data;

	RT_PUT(&w->put, "[");
	for (size_t i = 0; i < numbers->len / sizeof(*all); i++) {
		rt_put(&w->put, i ? RT_SLICE(",\"CWE-") : RT_SLICE("\"CWE-"));
		rt_put_number(&w->put, all[i]);
		RT_PUT(&w->put, "\"");
	}
	RT_PUT(&w->put, "]");
}

static void put_owasp_category(struct writing *w)
{
	const struct rt_sarif_owasp *owasp = &w->maker->weaknesses.owasp;

	if (!owasp->code[0]) {
		RT_PUT(&w->put, "null");
		return;
	}
	RT_PUT(&w->put, "\"");
	rt_put(&w->put, rt_slice_make(owasp->code, strlen(owasp->code)));
	if (owasp->year) {
		RT_PUT(&w->put, ":");
		rt_put_number(&w->put, owasp->year);
	}
	RT_PUT(&w->put, "\"");
}

static void put_tags(struct writing *w)
{
	rt_sarif_tags(&w->maker->weaknesses, w->run, w->maker->properties, w->maker->found.rule,
		      w->put.out, w->fault);
	(void)goes(w);
}

/* --- The record ------------------------------------------------------------------------------- */

/* The invocation that found the result, else the last, else one that says nothing. */
static struct rt_sarif_invocation invocation_of(const struct rt_sarif_run *run, int64_t said)
{
	size_t count = run->invocation_count;

	if (!count)
		return (struct rt_sarif_invocation){.failed = false};
	return run->invocations[said >= 0 && (uint64_t)said < count ? (size_t)said : count - 1];
}

/* The severity that the scanner gave before somebody decided another one; empty: nobody knows. */
static struct rt_slice given_severity(struct writing *w, struct rt_sarif_severity_says says)
{
	struct rt_slice decided = w->maker->own[RT_M_SEVERITY], text;
	struct rt_sarif_notes unsaid = {.counts = {0}};
	bool is_decided = false;

	/* The level may be that of the decision, as it is written (S41). */
	if (says.kind == RT_SARIF_KIND_FAIL && decided.len > 2)
		is_decided = rt_slice_equal(says.level, rt_sarif_level_of(decided.ptr[1]));
	if (is_decided)
		says.level.ptr = NULL;
	text = rt_sarif_severity(w->run, &says, &unsaid);
	return is_decided && unsaid.counts[RT_SARIF_NOTE_DEFAULT] ? RT_SLICE("")
								  : rt_sarif_inside(text);
}

/* What the rule says of the result. */
static void rule_find(struct writing *w)
{
	const struct rt_sarif_maker *maker = w->maker;
	const struct rt_sarif_rule_found *found = &maker->found;
	const struct rt_sarif_rule *rule = found->rule;
	const struct rt_sarif_severity_says says = {
	    .kind = maker->kind,
	    .level = maker->values[RT_SARIF_R_LEVEL],
	    .result = maker->properties,
	    .rule = rule,
	    .invocation = maker->invocation,
	};
	struct source *sources = w->sources;

	sources[RT_M_CATEGORY].text = found->id;
	if (rule && rule->id.ptr && !found->by_index)
		sources[RT_M_CATEGORY].text = rule->id;
	if (rule)
		sources[RT_M_EXPLANATION].json = rule->explanation;
	/* What is passed over is counted only where it decides. */
	if (maker->own[RT_M_SEVERITY].ptr)
		w->maker->rated = given_severity(w, says);
	else
		sources[RT_M_SEVERITY].json = rt_sarif_severity(w->run, &says, w->notes);
	sources[RT_M_CONFIDENCE].json = rt_sarif_confidence(maker->properties, rule);
	sources[RT_M_CVSS_SCORE].json = rt_sarif_score(maker->properties, rule, w->score);
}

/* Where it is, and the code there. */
static void place_find(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	struct source *sources = w->sources;
	struct rt_sarif_code code;

	sources[RT_M_LINE_NUMBER].number = maker->region.line;
	sources[RT_M_COLUMN_START].number = maker->region.column;
	sources[RT_M_COLUMN_END].number = maker->region.end_column;
	/* No fingerprint is looked at any more. */
	rt_sarif_region_code(&maker->region, maker->values[RT_SARIF_C_SNIPPET],
			     maker->values[RT_SARIF_C_CONTEXT], &maker->entries, &code, w->fault);
	sources[RT_M_CODE_SNIPPET] = (struct source){.json = code.json, .text = code.code};
	sources[RT_M_CONTEXT_BEFORE].text = code.before;
	sources[RT_M_CONTEXT_AFTER].text = code.after;
	if (w->run->repository_count)
		sources[RT_M_REPO_NAME].json = w->run->repositories[maker->repository].name;
}

/* What its scan says. */
static void scan_find(struct writing *w)
{
	const struct rt_sarif_maker *maker = w->maker;
	const struct rt_sarif_invocation said = invocation_of(w->run, maker->invocation);
	struct rt_slice seen = maker->values[RT_SARIF_C_FIRST_SEEN];
	struct source *sources = w->sources;

	sources[RT_M_SCAN_ID].json = w->run->scan_id;
	sources[RT_M_MODEL_USED].json = w->run->model;
	sources[RT_M_CREATED_AT].json = seen.ptr ? seen : said.end.ptr ? said.end : said.start;
	sources[RT_M_SCAN_STATUS].json =
	    w->run->failed ? RT_SLICE("\"failed\"") : RT_SLICE("\"completed\"");
	sources[RT_M_SCAN_CREATED_AT].json = said.start.ptr ? said.start : said.end;
}

/* Find what the members are made from. */
static void sources_find(struct writing *w)
{
	struct rt_sarif_maker *maker = w->maker;
	const struct rt_slice *values = maker->values;
	enum rt_sarif_suppressed suppressed =
	    rt_sarif_suppressions_read(values[RT_SARIF_R_SUPPRESSIONS], w->fault);

	maker->rated.ptr = NULL;
	maker->reopened = suppressed == RT_SARIF_REJECTED;
	w->fix = rt_sarif_fix_read(values[RT_SARIF_R_FIXES], w->fault);
	w->sources[RT_M_REMEDIATION_CODE].json = w->fix.code;
	w->sources[RT_M_FALSE_POSITIVE].json =
	    suppressed == RT_SARIF_SUPPRESSED ? RT_SLICE("true") : RT_SLICE("false");
	rt_sarif_weaknesses_make(&maker->weaknesses, w->run, values[RT_SARIF_R_TAXA],
				 maker->properties, maker->found.rule, w->fault);
	rule_find(w);
	place_find(w);
	scan_find(w);
	(void)goes(w);
}

/* What writes a member that is in none of the sources. */
static void (*const writers[RT_ISSUE_MEMBERS])(struct writing *w) = {
    [RT_M_ID] = put_id,
    [RT_M_FILE_PATH] = put_file_path,
    [RT_M_TITLE] = put_title,
    [RT_M_DESCRIPTION] = put_description,
    [RT_M_REMEDIATION] = put_remediation,
    [RT_M_CWE_IDS] = put_cwe_ids,
    [RT_M_OWASP_CATEGORY] = put_owasp_category,
    [RT_M_TAGS] = put_tags,
};

static void put_value(struct writing *w, enum rt_member m)
{
	const struct source *source = &w->sources[m];
	struct rt_slice own = w->maker->own[m];

	if (own.ptr && m != RT_M_FALSE_POSITIVE)
		put_compact(w, own);
	else if (writers[m])
		writers[m](w);
	else if (source->json.ptr || !source->number)
		source->json.ptr ? rt_put(&w->put, source->json)
				 : rt_put_string(&w->put, source->text);
	else
		rt_put_number(&w->put, (uint64_t)source->number);
}

/* Refuse a record that has become too long. */
static void check_length(struct writing *w)
{
	if (w->put.status != RT_OK || w->put.out->len <= w->run->record_bytes)
		return;
	w->fault->at = NULL;
	(void)rt_error_limit(&w->fault->err, "the issue", "record", w->run->record_bytes);
	w->put.status = RT_REJECT;
}

/* The documented members, the first of all with the record's brace before it. */
static void put_members(struct writing *w)
{
	const struct rt_buf *out = w->put.out;

	for (enum rt_member m = 0; w->put.status == RT_OK && m < RT_ISSUE_MEMBERS; m++) {
		rt_put(&w->put, m ? RT_SLICE(",\"") : RT_SLICE("{\""));
		rt_put(&w->put, rt_member_name(m));
		RT_PUT(&w->put, "\":");
		w->values[m].at = out->len;
		put_value(w, m);
		w->values[m].len = out->len - w->values[m].at;
		check_length(w);
	}
}

/* The first ten characters of a time, a JSON value, in the form of a day; absent: it is none. */
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
	struct rt_slice id = {w->put.out->data + value->at, value->len};
	char guid[RT_SARIF_GUID_CHARS];

	/* One that properties.retriage gives may be no string, which is refused later. */
	if (rt_sarif_type(w->maker->own_notes) != RT_SARIF_ARRAY ||
	    rt_sarif_type(id) != RT_SARIF_STRING)
		return false;
	rt_sarif_guid_of(rt_sarif_decode(id, &w->maker->room, w->fault), guid);
	return rt_sarif_guid_is(s->guid, guid);
}

/* Whether a suppression says when it ends, by a property or in its text. */
static bool has_end(const struct rt_sarif_suppression *s)
{
	for (size_t i = 0; i + 4 <= s->justification.len; i++) {
		if (strncasecmp(s->justification.ptr + i, "exp:", 4) == 0)
			return true;
	}
	return s->expiry.ptr;
}

/* Put when a suppression ends. What is no date has passed (S42), and readers of notes find none. */
static void put_end(struct writing *w, const struct rt_sarif_suppression *s)
{
	struct rt_slice day = day_of(s->expiry);
	struct rt_instant instant;

	if (!s->expiry.ptr)
		return;
	w->notes->counts[RT_SARIF_NOTE_END] +=
	    *s->status.ptr == 'a' && (!day.ptr || !rt_instant_parse(day, &instant));
	RT_PUT(&w->put, " exp:");
	rt_put(&w->put, day.ptr ? day : RT_SLICE("?"));
}

/* Why a result is suppressed, as a note. all: also without words, since others end. */
static void put_reason(struct writing *w, struct rt_slice entry, bool all)
{
	const struct rt_sarif_suppression s = rt_sarif_suppression_read(entry, w->fault);

	if (!goes(w) || is_ours(w, &s) ||
	    !(s.justification.len || s.expiry.ptr || s.author.len || s.reason || all))
		return;
	rt_put(&w->put,
	       w->has_notes ? RT_SLICE(",{\"added_at\":") : RT_SLICE(",\"notes\":[{\"added_at\":"));
	rt_put(&w->put, day_of(s.time).ptr ? s.time : RT_SLICE("null"));
	RT_PUT(&w->put, ",\"text\":\"");
	rt_put(&w->put, s.kind);
	RT_PUT(&w->put, ", ");
	rt_put(&w->put, *s.status.ptr == 'u' ? RT_SLICE("under review") : s.status);
	if (s.author.len)
		RT_PUT(&w->put, " by ");
	rt_put(&w->put, s.author);
	if (s.justification.len || s.reason)
		RT_PUT(&w->put, ": ");
	if (s.reason) {
		RT_PUT(&w->put, "reason:");
		rt_put(&w->put, rt_slice_of(s.reason));
		rt_put(&w->put, rt_slice_make(" ", s.justification.len > 0));
	}
	rt_put(&w->put, s.justification);
	put_end(w, &s);
	RT_PUT(&w->put, "\"}");
	w->has_notes = true;
}

/* Whether one of several suppressions ends: then those that do not are notes as well. */
static bool any_ends(struct writing *w, struct rt_slice list)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && rt_items_next(&items, &item)) {
		const struct rt_sarif_suppression s =
		    rt_sarif_suppression_read(item.value, w->fault);

		if (goes(w) && has_end(&s) && !is_ours(w, &s))
			return true;
	}
	return false;
}

/* Notes of properties.retriage after those of suppressions. */
static void put_more_notes(struct writing *w, struct rt_slice notes)
{
	struct rt_items items;
	struct rt_item item;

	if (rt_sarif_type(notes) == RT_SARIF_STRING) {
		RT_PUT(&w->put, ",{\"added_at\":null,\"text\":");
		rt_put(&w->put, notes);
		RT_PUT(&w->put, "}");
	}
	rt_items_init(&items, notes);
	while (rt_sarif_type(notes) == RT_SARIF_ARRAY && rt_items_next(&items, &item)) {
		RT_PUT(&w->put, ",");
		put_compact(w, item.value);
	}
	RT_PUT(&w->put, "]");
}

/* Notes, where there are any. */
static void put_notes(struct writing *w)
{
	struct rt_slice list = w->maker->values[RT_SARIF_R_SUPPRESSIONS];
	struct rt_slice notes = w->maker->own_notes;
	bool all = any_ends(w, list);
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && w->put.status == RT_OK && rt_items_next(&items, &item))
		put_reason(w, item.value, all);
	if (w->has_notes) {
		put_more_notes(w, notes);
		return;
	}
	w->has_notes = notes.ptr != NULL;
	if (!notes.ptr)
		return;
	RT_PUT(&w->put, ",\"notes\":");
	put_compact(w, notes);
}

/* The type of a value that was made here, with something after it: its arrays are of strings. */
static uint8_t type_of(struct rt_slice value)
{
	uint8_t type = rt_type_of(value);

	if (type != RT_TYPE_NUMBER)
		return type == RT_TYPE_ARRAY ? RT_TYPE_STRINGS : type;
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] != '-' && (value.ptr[i] < '0' || value.ptr[i] > '9'))
			return RT_TYPE_NUMBER;
	}
	/* Fewer digits than the largest has. */
	if (value.len < 19)
		return RT_TYPE_INTEGER;
	errno = 0;
	(void)strtoll(value.ptr, NULL, 10);
	return errno ? RT_TYPE_NUMBER : RT_TYPE_INTEGER;
}

enum rt_status rt_sarif_result_write(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     struct rt_sarif_rank rank, struct rt_buf *out,
				     struct rt_record *ret_record, struct rt_sarif_notes *notes,
				     struct rt_sarif_fault *fault)
{
	struct writing w = {.maker = maker,
			    .run = run,
			    .rank = rank,
			    .put = {out, &fault->err, RT_OK},
			    .notes = notes,
			    .fault = fault};

	out->len = 0;
	rt_sarif_fault_clear(fault);
	rt_sarif_notes_add(notes, &maker->message_notes);
	sources_find(&w);
	put_members(&w);
	put_notes(&w);
	RT_PUT(&w.put, "}");
	check_length(&w);
	/* The scanner may look beyond it. */
	if (goes(&w))
		w.put.status = rt_buf_reserve(out, RT_PADDING, &fault->err);
	if (w.put.status != RT_OK)
		return w.put.status;
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
