/*
 * Makes results of issues. What a reader would not find in SARIF's own members as it was, or would
 * find otherwise, is in properties.retriage, which readers of ours look at first: so that a log
 * that was made here gives the same issues again.
 */
#include "output/sarif_runs.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/instant.h"
#include "base/put.h"
#include "output/texts.h"
#include "output/writer.h"
#include "sarif/parts.h"
#include "scan/items.h"

/* Bytes of a text that is said of a rule; longer ones are those of results. */
#define RULE_TEXT 1024u
/* Weaknesses of a rule: GitHub takes 20 tags. */
#define RULE_WEAKNESSES 19u
#define NONE UINT32_MAX
/* In the place of a run's number: the row counts the runs of a tool and a category. */
#define CATEGORIES (UINT32_MAX - 1)

/* What is said of a rule where all its results say it. */
enum rule_text { TITLE, EXPLANATION, REMEDIATION, SCORE, RULE_TEXTS };
static const enum rt_member rule_members[RULE_TEXTS] = {
    [TITLE] = RT_M_TITLE,
    [EXPLANATION] = RT_M_EXPLANATION,
    [REMEDIATION] = RT_M_REMEDIATION,
    [SCORE] = RT_M_CVSS_SCORE,
};

/* A run, or a rule of one: what is looked for by its key. */
struct row {
	struct rt_slice key;  /* behind the row */
	uint32_t run;         /* number of the run */
	uint32_t first, last; /* of a run: its results; of a rule: its own number */
	uint32_t first_rule, last_rule, rules;

	/* Of a run. */
	struct rt_slice model, scan, repo; /* JSON texts in the key; "null": none */
	char start[RT_INSTANT_CHARS];      /* of the scan; start[0] '\0': not known */
	bool failed, weak;                 /* the scan; a result names a weakness */
	uint32_t count, parts;             /* results; runs that follow it, since it is full */

	/* Of a rule. */
	struct rt_slice category; /* JSON text in the key */
	uint32_t index;           /* in its run */
	uint32_t next;            /* rule of the run */
	unsigned level;
	bool several;                      /* its category has rules of other severities */
	struct rt_slice texts[RULE_TEXTS]; /* JSON, owned; absent: none, or not all agree */
	uint64_t weaknesses[RULE_WEAKNESSES];
	size_t weakness_count;
};

struct result {
	uint64_t offset; /* in the spool */
	uint32_t len, rule, next;
};

struct rt_sarif_runs {
	const struct rt_report_settings *settings;
	void *tree;          /* of rows */
	struct rt_buf runs;  /* struct row *, in order */
	struct rt_buf rules; /* likewise */
	struct rt_buf results;
	struct rt_spool spool;
	struct rt_sink into;
	struct rt_writer *writer; /* into the spool */
	struct rt_buf key, text, scratch;
	struct rt_buf categories; /* of rows, for GitHub */
	struct rt_sarif_tallies counts;
	/* The current result. */
	const struct rt_finding *finding;
	struct rt_slice values[RT_ISSUE_MEMBERS];
	struct row *run, *rule;
	bool no_line;
	bool said[RT_ISSUE_MEMBERS]; /* by SARIF's own members, so that it is found again */
};

static struct row **rows(const struct rt_buf *list)
{
	return (struct row **)(void *)list->data;
}

static struct result *results(const struct rt_sarif_runs *s)
{
	return (struct result *)(void *)s->results.data;
}

static bool is_text(struct rt_slice json)
{
	return json.len > 2 && *json.ptr == '"';
}

/* --- Runs and rules --------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return rt_slice_compare(a->key, b->key);
}

/* Find the row of s->key, or make it and put it into a list. run: NONE: of a run. *ret_new: it
 * was made. */
static enum rt_status find(struct rt_sarif_runs *s, uint32_t run, struct rt_buf *list,
			   struct row **ret_row, bool *ret_new, struct rt_error *err)
{
	const struct row wanted = {.key = rt_buf_slice(&s->key), .run = run};
	struct row **found = tfind(&wanted, &s->tree, by_key), *made;

	*ret_new = !found;
	if (found) {
		*ret_row = *found;
		return RT_OK;
	}
	made = calloc(1, sizeof(*made) + s->key.len);
	if (!made)
		return rt_error_nomem(err);
	memcpy(made + 1, s->key.data, s->key.len);
	made->key = rt_slice_make((const char *)(made + 1), s->key.len);
	made->run = run;
	made->first = made->last = made->first_rule = made->next = NONE;
	if (!tsearch(made, &s->tree, by_key)) {
		free(made);
		return rt_error_nomem(err);
	}
	*ret_row = made;
	return rt_buf_append(list, &made, sizeof(void *), err);
}

/* A member's text; "null" where there is none. */
static struct rt_slice value_of(const struct rt_sarif_runs *s, enum rt_member m)
{
	return s->values[m].ptr ? s->values[m] : RT_SLICE("null");
}

static enum rt_status set_key(struct rt_sarif_runs *s, const struct rt_slice *parts, size_t count,
			      struct rt_error *err)
{
	s->key.len = 0;
	return rt_buf_append_all(&s->key, parts, count, err);
}

/* A time as SARIF wants it; false: it is none, or has no time of day. */
static bool utc_of(struct rt_slice json, char time[RT_INSTANT_CHARS])
{
	struct rt_slice text = {json.ptr + 1, json.len - 2};
	struct rt_instant instant;

	return is_text(json) && rt_instant_is_date_time(text) && rt_instant_parse(text, &instant) &&
	       rt_instant_format(instant.seconds, time);
}

/* Whether a JSON string is this text. */
static bool is_same(struct rt_slice json, const char *text, size_t len)
{
	return is_text(json) &&
	       rt_slice_equal(rt_slice_make(json.ptr + 1, json.len - 2), rt_slice_make(text, len));
}

/* Find the run of the issue: part 0, or one that follows since those before it are full. */
static enum rt_status find_part(struct rt_sarif_runs *s, uint32_t part, struct rt_error *err)
{
	char number[16];
	int len = snprintf(number, sizeof(number), "%" PRIu32, part);
	const struct rt_slice parts[] = {value_of(s, RT_M_MODEL_USED), value_of(s, RT_M_SCAN_ID),
					 value_of(s, RT_M_REPO_NAME),
					 rt_slice_make(number, part ? (size_t)len : 0)};
	struct row *run;
	bool new = false;
	enum rt_status status = set_key(s, parts, 4, err);

	if (status == RT_OK)
		status = find(s, NONE, &s->runs, &s->run, &new, err);
	if (status != RT_OK || !new)
		return status;
	run = s->run;
	run->index = (uint32_t)(s->runs.len / sizeof(void *)) - 1;
	run->model = rt_slice_make(run->key.ptr, parts[0].len);
	run->scan = rt_slice_make(rt_slice_end(run->model), parts[1].len);
	run->repo = rt_slice_make(rt_slice_end(run->scan), parts[2].len);
	run->failed = is_same(value_of(s, RT_M_SCAN_STATUS), "failed", 6);
	(void)utc_of(value_of(s, RT_M_SCAN_CREATED_AT), run->start);
	return RT_OK;
}

static enum rt_status find_run(struct rt_sarif_runs *s, struct rt_error *err)
{
	enum rt_status status = find_part(s, 0, err);

	if (status != RT_OK || !s->settings->for_github)
		return status;
	if (s->run->count && s->run->count % RT_GITHUB_RESULTS == 0)
		s->run->parts = s->run->count / RT_GITHUB_RESULTS;
	if (++s->run->count > s->counts.most)
		s->counts.most = s->run->count;
	return s->run->parts ? find_part(s, s->run->parts, err) : RT_OK;
}

/* Hold the texts of a rule against those of one more of its results. */
static enum rt_status agree(struct rt_sarif_runs *s, bool new, struct rt_error *err)
{
	for (size_t i = 0; i < RULE_TEXTS; i++) {
		struct rt_slice value = s->values[rule_members[i]], *text = &s->rule->texts[i];
		bool fits = value.len <= RULE_TEXT && value.len > (i == SCORE ? 0 : 2) &&
			    (i == SCORE || *value.ptr == '"');

		if (new &&fits) {
			*text = rt_slice_make(strndup(value.ptr, value.len), value.len);
			if (!text->ptr)
				return rt_error_nomem(err);
		} else if (!new && !(fits && rt_slice_equal(value, *text))) {
			free((void *)(uintptr_t)text->ptr);
			*text = rt_slice_make(NULL, 0);
		}
	}
	return RT_OK;
}

/* Find the rule of the issue: of a category and a severity, since GitHub reads that there. */
static enum rt_status find_rule(struct rt_sarif_runs *s, struct rt_error *err)
{
	const char level = (char)('0' + s->finding->level);
	const struct rt_slice parts[] = {value_of(s, RT_M_CATEGORY), {&level, 1}};
	struct row *rule, **all;
	bool new = false;
	enum rt_status status = set_key(s, parts, 2, err);

	if (status == RT_OK)
		status = find(s, s->run->index, &s->rules, &s->rule, &new, err);
	if (status == RT_OK && new) {
		uint32_t number = (uint32_t)(s->rules.len / sizeof(void *)) - 1;

		rule = s->rule;
		rule->level = s->finding->level;
		rule->category = rt_slice_make(rule->key.ptr, parts[0].len);
		rule->index = s->run->rules++;
		rule->first = number;
		all = rows(&s->rules);
		if (s->run->first_rule == NONE)
			s->run->first_rule = number;
		else
			all[s->run->last_rule]->next = number;
		s->run->last_rule = number;
	}
	return status == RT_OK ? agree(s, new, err) : status;
}

/* The weaknesses of the issue, among those of its rule. */
static enum rt_status add_weaknesses(struct rt_sarif_runs *s, struct rt_error *err)
{
	struct rt_slice at = rt_finding_strings(s->finding, RT_M_CWE_IDS), text;
	struct row *rule = s->rule;
	enum rt_status status;

	while ((status = rt_strings_next(&at, &s->scratch, &text, err)) == RT_OK) {
		uint64_t number = rt_cwe_number(text);
		size_t i = 0;

		while (i < rule->weakness_count && rule->weaknesses[i] != number)
			i++;
		if (number && i == rule->weakness_count && i < RULE_WEAKNESSES)
			rule->weaknesses[rule->weakness_count++] = number;
	}
	return status == RT_END ? RT_OK : status;
}

/* --- A result --------------------------------------------------------------------------------- */

static const char *level_of(unsigned level)
{
	static const char *const levels[RT_LEVELS] = {"error", "error", "warning",
						      "note",  "note",  "warning"};

	return levels[level];
}

/* The level, and the message: the description, else what names the issue. A link in it is read as
 * its text. */
static void put_description(struct rt_sarif_runs *s)
{
	struct rt_slice text = s->values[RT_M_DESCRIPTION];

	s->said[RT_M_DESCRIPTION] = is_text(text) && !memmem(text.ptr, text.len, "](", 2);
	if (!is_text(text))
		text = s->values[RT_M_TITLE];
	RT_WRITE(s->writer, "{level: %s, message: {text: %v},", level_of(s->finding->level),
		 is_text(text) ? text : s->values[RT_M_ID]);
}

static bool is_kept(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/", c));
}

/* Line, columns as far as they are in order, and code. */
static void put_region(struct rt_sarif_runs *s)
{
	struct rt_slice code = s->values[RT_M_CODE_SNIPPET];
	uint64_t line = rt_finding_position(s->finding, RT_M_LINE_NUMBER, RT_POSITION_MAX),
		 column =
		     line ? rt_finding_position(s->finding, RT_M_COLUMN_START, RT_POSITION_MAX) : 0;
	uint64_t end = rt_finding_position(s->finding, RT_M_COLUMN_END, RT_POSITION_MAX);

	s->said[RT_M_LINE_NUMBER] = line > 0;
	s->no_line = !line;
	if (!line && !s->settings->for_github)
		return;
	RT_WRITE(s->writer, "region: {startLine: %u", line ? line : 1);
	s->said[RT_M_COLUMN_START] = column > 0;
	if (column)
		RT_WRITE(s->writer, "startColumn: %u", column);
	s->said[RT_M_COLUMN_END] = column && end >= column;
	if (s->said[RT_M_COLUMN_END])
		RT_WRITE(s->writer, "endColumn: %u", end);
	if (line && is_text(code)) {
		RT_WRITE(s->writer, "snippet: {text: %v}", code);
		/* The end of its last line is none of it. */
		s->said[RT_M_CODE_SNIPPET] = code.ptr[code.len - 2] != 'n' &&
					     code.ptr[code.len - 2] != 'r' &&
					     !memmem(code.ptr, code.len, "\\u", 2);
	}
	rt_writer_object_end(s->writer);
}

static enum rt_status put_location(struct rt_sarif_runs *s, struct rt_error *err)
{
	struct rt_slice path;
	enum rt_status status =
	    rt_finding_text(s->finding, RT_M_FILE_PATH, &s->scratch, &path, err);

	if (status != RT_OK || !path.len)
		return status;
	s->text.len = 0;
	if (*path.ptr == '/')
		status = rt_buf_append(&s->text, "file://", 7, err);
	if (status == RT_OK)
		status = rt_percent_encode(path, is_kept, &s->text, err);
	if (status != RT_OK)
		return status;
	s->said[RT_M_FILE_PATH] = s->text.len == path.len && *path.ptr != '.' && *path.ptr != '/';
	RT_WRITE(s->writer, "locations: [{physicalLocation: {artifactLocation: {uri: %s}",
		 rt_buf_slice(&s->text));
	put_region(s);
	RT_WRITE(s->writer, "}}]");
	return RT_OK;
}

static enum rt_status put_taxa(struct rt_sarif_runs *s, struct rt_error *err)
{
	struct rt_slice at = rt_finding_strings(s->finding, RT_M_CWE_IDS), text, digits;
	bool any = false;
	enum rt_status status;

	while ((status = rt_strings_next(&at, &s->scratch, &text, err)) == RT_OK) {
		if (!rt_cwe_digits(text, &digits))
			continue;
		if (!any)
			RT_WRITE(s->writer, "taxa: [");
		any = s->run->weak = true;
		RT_WRITE(s->writer, "{id: %s, toolComponent: {name: %s}}", digits, "CWE");
	}
	if (any)
		rt_writer_array_end(s->writer);
	return status == RT_END ? RT_OK : status;
}

/* A dismissal, as a suppression with the newest note (S42). */
static enum rt_status put_suppression(struct rt_sarif_runs *s, struct rt_error *err)
{
	struct rt_slice at = s->finding->notes, added_at, text, newest = {NULL, 0};
	char guid[RT_SARIF_GUID_CHARS];
	enum rt_status status = RT_END;

	if (rt_finding_flag(s->finding, RT_M_FALSE_POSITIVE) != 1)
		return RT_OK;
	while (at.ptr && (status = rt_notes_next(&at, &s->scratch, &added_at, &text, err)) == RT_OK)
		newest = text;
	if (status != RT_END)
		return status;
	RT_WRITE(s->writer, "suppressions: [{kind: %s, status: %s", "external", "accepted");
	if (newest.ptr)
		RT_WRITE(s->writer, "justification: %s", newest);
	rt_sarif_guid_of(s->finding->record->id, guid);
	RT_WRITE(s->writer, "guid: %v}]", rt_slice_make(guid, sizeof(guid)));
	return RT_OK;
}

/* Since when it is there, and what it was then. */
static void put_history(struct rt_sarif_runs *s, const struct rt_result_history *history)
{
	struct rt_slice created = s->values[RT_M_CREATED_AT], since = history->since;
	char time[RT_INSTANT_CHARS + 2] = "\"";

	if (!since.ptr && created.ptr && utc_of(created, time + 1)) {
		time[RT_INSTANT_CHARS + 1] = '"';
		since = rt_slice_make(time, sizeof(time));
	}
	/* A baseline knows better. */
	s->said[RT_M_CREATED_AT] =
	    since.ptr && (history->since.ptr || rt_slice_equal(since, created));
	if (history->state.ptr)
		RT_WRITE(s->writer, "baselineState: %v", history->state);
	if (since.ptr)
		RT_WRITE(s->writer, "provenance: {firstDetectionTimeUtc: %v}", since);
}

/* GitHub uses the second alone. */
static void put_fingerprints(struct rt_sarif_runs *s)
{
	uint8_t digest[RT_SHA256_BYTES];
	char hash[RT_SHA256_HEX];

	rt_sha256_of(s->finding->record->id, digest);
	rt_sha256_hex(digest, hash);
	hash[16] = ':';
	hash[17] = '1';
	RT_WRITE(s->writer, "partialFingerprints: {retriageId/v1: %s, primaryLocationLineHash: %s}",
		 s->finding->record->id, rt_slice_make(hash, 18));
}

/* --- properties.retriage (S51) ---------------------------------------------------------------- */

/* Members that are null for who finds nothing else. */
static const enum rt_member nullable[] = {
    RT_M_FILE_PATH,     RT_M_LINE_NUMBER, RT_M_CODE_SNIPPET,     RT_M_CONTEXT_BEFORE,
    RT_M_CONTEXT_AFTER, RT_M_CONFIDENCE,  RT_M_REMEDIATION_CODE, RT_M_EXPLOITABLE,
    RT_M_UPDATED_AT,    RT_M_REPO_NAME,   RT_M_COLUMN_END,
};

static void see_run(struct rt_sarif_runs *s)
{
	const struct row *run = s->run;
	struct rt_slice created = s->values[RT_M_CREATED_AT];

	s->said[RT_M_FALSE_POSITIVE] = true;
	s->said[RT_M_MODEL_USED] = is_text(value_of(s, RT_M_MODEL_USED));
	s->said[RT_M_SCAN_STATUS] =
	    is_same(value_of(s, RT_M_SCAN_STATUS), run->failed ? "failed" : "completed",
		    run->failed ? 6 : 9);
	s->said[RT_M_SCAN_CREATED_AT] =
	    run->start[0] ? is_same(value_of(s, RT_M_SCAN_CREATED_AT), run->start, RT_INSTANT_CHARS)
			  : *value_of(s, RT_M_SCAN_CREATED_AT).ptr == 'n';
	if (!run->start[0] && (!created.ptr || *created.ptr == 'n'))
		s->said[RT_M_CREATED_AT] = true;
	/* Without a line there are no columns to be found. */
	if (!s->said[RT_M_LINE_NUMBER] && *value_of(s, RT_M_COLUMN_START).ptr == 'n')
		s->said[RT_M_COLUMN_START] = true;
	for (size_t i = 0; i < sizeof(nullable) / sizeof(nullable[0]); i++) {
		if (*value_of(s, nullable[i]).ptr == 'n')
			s->said[nullable[i]] = true;
	}
	/* The line that GitHub is told is none. */
	if (s->no_line && s->settings->for_github)
		s->said[RT_M_LINE_NUMBER] = s->said[RT_M_COLUMN_START] = false;
}

static void put_properties(struct rt_sarif_runs *s)
{
	see_run(s);
	RT_WRITE(s->writer, "properties: {retriage: {");
	for (enum rt_member m = 0; m < RT_ISSUE_MEMBERS; m++) {
		if (!s->said[m])
			rt_writer_value_field(s->writer, rt_member_name(m), value_of(s, m));
	}
	if (s->finding->notes.ptr)
		RT_WRITE(s->writer, "notes: %v", s->finding->notes);
	RT_WRITE(s->writer, "}}");
}

/* Put the result into the spool, without what its rule is called. */
static enum rt_status spool_result(struct rt_sarif_runs *s, const struct rt_result_history *history,
				   struct rt_error *err)
{
	struct result result = {
	    .offset = s->spool.filed + s->spool.buf.len, .rule = s->rule->first, .next = NONE};
	uint32_t number = (uint32_t)(s->results.len / sizeof(result));
	enum rt_status status;

	memset(s->said, 0, sizeof(s->said));
	s->no_line = false;
	put_description(s);
	status = put_location(s, err);
	if (status == RT_OK && s->no_line && s->settings->for_github)
		status = rt_sarif_tally(&s->counts.lines, s->finding, err);
	if (status == RT_OK)
		status = put_taxa(s, err);
	if (status == RT_OK)
		status = put_suppression(s, err);
	if (status != RT_OK)
		return status;
	put_history(s, history);
	put_fingerprints(s);
	put_properties(s);
	rt_writer_object_end(s->writer);
	status = rt_writer_finish(s->writer, err);
	if (status != RT_OK)
		return status;
	/* One record, and little more. */
	result.len = (uint32_t)(s->spool.filed + s->spool.buf.len - result.offset);
	if (s->run->first == NONE)
		s->run->first = number;
	else
		results(s)[s->run->last].next = number;
	s->run->last = number;
	return rt_buf_append(&s->results, &result, sizeof(result), err);
}

/* Whether a record has members that are documented nowhere. */
static bool has_others(const struct rt_record *record)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, record->text);
	while (record->others && rt_items_next(&items, &item)) {
		if (rt_member_find(item.key) == RT_M_UNKNOWN &&
		    !rt_items_key_is(item.key, RT_SLICE("notes")))
			return true;
	}
	return false;
}

enum rt_status rt_sarif_runs_add(struct rt_sarif_runs *s, const struct rt_finding *finding,
				 const struct rt_result_history *history, struct rt_error *err)
{
	enum rt_status status;

	s->finding = finding;
	rt_finding_values(finding, s->values);
	status = find_run(s, err);
	if (status == RT_OK && has_others(finding->record))
		status = rt_sarif_tally(&s->counts.fields, finding, err);
	if (status == RT_OK)
		status = find_rule(s, err);
	if (status == RT_OK)
		status = add_weaknesses(s, err);
	return status == RT_OK ? spool_result(s, history, err) : status;
}

/* --- The runs --------------------------------------------------------------------------------- */

/* The id of a rule, as a JSON string in s->text. */
static enum rt_status rule_id(struct rt_sarif_runs *s, const struct row *rule, struct rt_error *err)
{
	struct rt_slice name = is_text(rule->category) ? rule->category : RT_SLICE("\"unknown\"");
	struct rt_put put = {&s->text, err, RT_OK};

	s->text.len = 0;
	rt_put(&put, rt_slice_make(name.ptr, name.len - rule->several));
	if (rule->several) {
		RT_PUT(&put, "/");
		rt_put(&put, rt_level_text(rule->level));
		RT_PUT(&put, "\"");
	}
	return put.status;
}

static struct rt_slice text_of(const struct row *rule, enum rule_text text, struct rt_slice other)
{
	return rule->texts[text].ptr ? rule->texts[text] : other;
}

/* The score of a rule, which GitHub makes a severity of: its own where that is in the band of the
 * level, else the least of the band. */
static void put_score(struct rt_writer *w, const struct row *rule)
{
	static const char *const least[] = {"9.0", "7.0", "4.0", "1.0"};
	struct rt_slice own = text_of(rule, SCORE, RT_SLICE(""));
	char text[16] = "", *end;
	double score, most = rule->level ? 0 : 10.01;

	if (rule->level >= 4)
		return;
	if (rule->level)
		most = strtod(least[rule->level - 1], NULL);
	if (own.len && own.len < sizeof(text))
		memcpy(text, own.ptr, own.len);
	score = strtod(text, &end);
	if (end == text || score < strtod(least[rule->level], NULL) || score >= most)
		(void)snprintf(text, sizeof(text), "%s", least[rule->level]);
	RT_WRITE(w, "security-severity: %s,", text);
}

static enum rt_status put_rule(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *rule,
			       struct rt_error *err)
{
	enum rt_status status = rule_id(s, rule, err);
	struct rt_slice id = rt_buf_slice(&s->text), title;
	char tag[48];

	if (status != RT_OK)
		return status;
	title = text_of(rule, TITLE, id);
	RT_WRITE(w, "{id: %v, shortDescription: {text: %v}, fullDescription: {text: %v},", id,
		 title, text_of(rule, EXPLANATION, title));
	RT_WRITE(w, "help: {text: %v}, properties: {", text_of(rule, REMEDIATION, title));
	put_score(w, rule);
	RT_WRITE(w, "tags: [%s", "security");
	for (size_t i = 0; i < rule->weakness_count; i++) {
		int len =
		    snprintf(tag, sizeof(tag), "external/cwe/cwe-%03" PRIu64, rule->weaknesses[i]);

		rt_writer_string(w, rt_slice_make(tag, (size_t)len));
	}
	RT_WRITE(w, "]}}");
	return RT_OK;
}

static int by_category(const void *left, const void *right)
{
	const struct row *const *a = left, *const *b = right;

	if ((*a)->run != (*b)->run)
		return (*a)->run < (*b)->run ? -1 : 1;
	return rt_slice_compare((*a)->category, (*b)->category);
}

/* Mark the rules whose category has several. */
static enum rt_status mark_several(struct rt_sarif_runs *s, struct rt_error *err)
{
	size_t count = s->rules.len / sizeof(void *);
	struct row **sorted = malloc(s->rules.len + 1);

	if (!sorted)
		return rt_error_nomem(err);
	if (count)
		memcpy(sorted, s->rules.data, s->rules.len);
	qsort(sorted, count, sizeof(void *), by_category);
	for (size_t i = 1; i < count; i++) {
		if (by_category(&sorted[i - 1], &sorted[i]) == 0)
			sorted[i - 1]->several = sorted[i]->several = true;
	}
	free(sorted);
	return RT_OK;
}

static enum rt_status put_tool(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *run,
			       struct rt_error *err)
{
	enum rt_status status = RT_OK;

	RT_WRITE(w, "{tool: {driver: {name: %v, rules: [",
		 is_text(run->model) ? run->model : RT_SLICE("\"retriage\""));
	for (uint32_t i = run->first_rule; status == RT_OK && i != NONE;
	     i = rows(&s->rules)[i]->next)
		status = put_rule(s, w, rows(&s->rules)[i], err);
	RT_WRITE(w, "]}}");
	return status;
}

/* The category of a run, as a JSON string without its last quote in s->text. */
static enum rt_status make_category(struct rt_sarif_runs *s, const struct row *run,
				    struct rt_error *err)
{
	struct rt_slice name = is_text(run->repo)    ? run->repo
			       : is_text(run->model) ? run->model
						     : RT_SLICE("\"retriage\"");
	struct rt_put put = {&s->text, err, RT_OK};

	s->text.len = 0;
	if (s->settings->category.len)
		rt_put_string(&put, s->settings->category);
	else
		rt_put(&put, name);
	if (put.status == RT_OK)
		s->text.len--;
	return put.status;
}

/* Which of the runs of a tool and a category one is, from 1: GitHub takes one, the next ones are
 * parts of it. */
static enum rt_status find_number(struct rt_sarif_runs *s, const struct row *run,
				  uint32_t *ret_number, struct rt_error *err)
{
	const struct rt_slice parts[] = {run->model, rt_buf_slice(&s->text)};
	struct row *row = NULL;
	bool new = false;
	enum rt_status status = set_key(s, parts, 2, err);

	if (status == RT_OK)
		status = find(s, CATEGORIES, &s->categories, &row, &new, err);
	if (status == RT_OK)
		*ret_number = ++row->count;
	return status;
}

/* What GitHub tells scans apart by: CATEGORY/SCAN. */
static enum rt_status put_category(struct rt_sarif_runs *s, struct rt_writer *w,
				   const struct row *run, struct rt_error *err)
{
	struct rt_put put = {&s->text, err, make_category(s, run, err)};
	uint32_t number = 1;

	if (put.status == RT_OK && s->settings->for_github)
		put.status = find_number(s, run, &number, err);
	if (number > 1) {
		RT_PUT(&put, "/part-");
		rt_put_number(&put, number);
	}
	RT_PUT(&put, "/");
	if (is_text(run->scan))
		rt_put(&put, rt_slice_make(run->scan.ptr + 1, run->scan.len - 2));
	RT_PUT(&put, "\"");
	if (put.status != RT_OK)
		return put.status;
	RT_WRITE(w, "automationDetails: {id: %v}", rt_buf_slice(&s->text));
	return RT_OK;
}

static void put_scan(struct rt_writer *w, const struct row *run)
{
	RT_WRITE(w, "invocations: [{executionSuccessful: %b", !run->failed);
	if (run->start[0])
		RT_WRITE(w, "startTimeUtc: %s", rt_slice_make(run->start, RT_INSTANT_CHARS));
	RT_WRITE(w, "}]");
	if (run->weak)
		RT_WRITE(w, "taxonomies: [{name: %s, organization: %s}]", "CWE", "MITRE");
}

/* The results of a run, each with its rule before what was kept of it. */
static enum rt_status put_results(struct rt_sarif_runs *s, struct rt_writer *w,
				  const struct row *run, struct rt_error *err)
{
	struct rt_spool_window window = {.at = 0};
	struct rt_put put = {&s->scratch, err, RT_OK};

	for (uint32_t i = run->first; put.status == RT_OK && i != NONE; i = results(s)[i].next) {
		const struct result *result = &results(s)[i];
		const struct row *rule = rows(&s->rules)[result->rule];
		const char *bytes;

		s->scratch.len = 0;
		put.status = rule_id(s, rule, err);
		RT_PUT(&put, "{\"ruleId\":");
		rt_put(&put, rt_buf_slice(&s->text));
		RT_PUT(&put, ",\"ruleIndex\":");
		rt_put_number(&put, rule->index);
		RT_PUT(&put, ",");
		if (put.status == RT_OK)
			put.status = rt_spool_read(&s->spool, result->offset, result->len, &window,
						   &bytes, err);
		if (put.status != RT_OK)
			break;
		/* Without its brace, and without the line break. */
		rt_put(&put, rt_slice_make(bytes + 1, result->len - 2));
		if (put.status == RT_OK)
			rt_writer_value(w, rt_buf_slice(&s->scratch));
	}
	rt_buf_release(&window.buf);
	return put.status;
}

static enum rt_status write_run(struct rt_sarif_runs *s, const struct row *run,
				const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_writer *w = NULL;
	enum rt_status status =
	    rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, sink, &w, err);

	if (status != RT_OK)
		return status;
	status = put_tool(s, w, run, err);
	if (status == RT_OK)
		status = put_category(s, w, run, err);
	put_scan(w, run);
	RT_WRITE(w, "results: [");
	if (status == RT_OK)
		status = put_results(s, w, run, err);
	RT_WRITE(w, "]}");
	if (status == RT_OK)
		status = rt_writer_finish(w, err);
	rt_writer_free(w);
	return status;
}

enum rt_status rt_sarif_runs_write(struct rt_sarif_runs *s, struct rt_log_copy *copy,
				   struct rt_error *err)
{
	size_t count = s->runs.len / sizeof(void *);
	enum rt_status status = mark_several(s, err);

	for (size_t i = 0; status == RT_OK && i < count; i++) {
		status = rt_log_copy_run(copy, err);
		if (status == RT_OK)
			status = write_run(s, rows(&s->runs)[i], &copy->sink, err);
	}
	return status;
}

enum rt_status rt_sarif_tally(struct rt_sarif_tally *count, const struct rt_finding *finding,
			      struct rt_error *err)
{
	struct rt_slice id = finding->record->id;

	return count->count++ ? RT_OK : rt_buf_append(&count->example, id.ptr, id.len, err);
}

const struct rt_sarif_tallies *rt_sarif_runs_tallies(const struct rt_sarif_runs *s)
{
	return &s->counts;
}

enum rt_status rt_sarif_runs_new(const struct rt_report_settings *settings,
				 struct rt_sarif_runs **ret_runs, struct rt_error *err)
{
	struct rt_sarif_runs *s = calloc(1, sizeof(*s));
	enum rt_status status;

	if (!s)
		return rt_error_nomem(err);
	s->settings = settings;
	rt_spool_init(&s->spool);
	s->into = rt_spool_sink(&s->spool);
	status =
	    rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &s->into, &s->writer, err);
	if (status != RT_OK) {
		rt_sarif_runs_free(s);
		return status;
	}
	*ret_runs = s;
	return RT_OK;
}

static void row_free(void *node)
{
	struct row *row = node;

	for (size_t i = 0; i < RULE_TEXTS; i++)
		free((void *)(uintptr_t)row->texts[i].ptr);
	free(row);
}

void rt_sarif_runs_free(struct rt_sarif_runs *s)
{
	if (!s)
		return;
	tdestroy(s->tree, row_free);
	rt_buf_release(&s->runs);
	rt_buf_release(&s->rules);
	rt_buf_release(&s->categories);
	rt_buf_release(&s->counts.fields.example);
	rt_buf_release(&s->counts.lines.example);
	rt_buf_release(&s->results);
	rt_spool_release(&s->spool);
	rt_writer_free(s->writer);
	rt_buf_release(&s->key);
	rt_buf_release(&s->text);
	rt_buf_release(&s->scratch);
	free(s);
}
