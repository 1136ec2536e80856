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

#include "base/buf.h"
#include "base/instant.h"
#include "output/sarif_fit.h"
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

/* Texts that are held against those of other issues. */
static const enum rt_member compared[] = {
    RT_M_MODEL_USED, RT_M_SCAN_ID,     RT_M_REPO_NAME,   RT_M_CATEGORY,
    RT_M_TITLE,      RT_M_EXPLANATION, RT_M_REMEDIATION,
};
#define SPELLED (sizeof(compared) / sizeof(compared[0]))

/* A run, or a rule of one: what is looked for by its key. */
struct row {
	struct rt_slice key; /* behind the row */
	uint32_t run;        /* number of the run */
	struct row *next;    /* run, or rule of its run */

	/* Of a run. */
	struct row *rules, *last_rule;
	uint32_t first, last, rule_count;  /* its results */
	struct rt_slice model, scan, repo; /* JSON texts in the key; "null": none */
	char start[RT_INSTANT_CHARS];      /* of the scan; start[0] '\0': not known */
	bool failed, weak;                 /* the scan; a result names a weakness */
	uint32_t count, parts;             /* results; runs that follow it, since it is full */

	/* Of a rule. */
	struct rt_slice category; /* JSON text in the key */
	uint32_t index;           /* in its run; of a run, in the log */
	unsigned level;
	bool several;                      /* its category has rules of other severities */
	struct rt_slice texts[RULE_TEXTS]; /* JSON, owned; absent: none, or not all agree */
	uint64_t weaknesses[RULE_WEAKNESSES];
	size_t weakness_count;
};

struct result {
	uint64_t offset; /* in the spool */
	const struct row *rule;
	uint32_t len, next;
};

struct rt_sarif_runs {
	struct rt_texts *t; /* of the current finding; faults stick there */
	void *tree;         /* of rows */
	struct row *first, *last;
	uint32_t count; /* of runs */
	struct rt_buf results;
	struct rt_spool spool;
	struct rt_sink into;
	struct rt_writer *writer; /* into the spool */
	struct rt_buf key, text;
	struct rt_sarif_tallies counts;
	/* The current result. */
	struct rt_slice values[RT_ISSUE_MEMBERS];
	struct rt_buf spelled[SPELLED];
	struct row *run, *rule;
	bool no_line;
	bool said[RT_ISSUE_MEMBERS]; /* by SARIF's own members, so that it is found again */
};

static struct result *results(const struct rt_sarif_runs *s)
{
	return (struct result *)(void *)s->results.data;
}

static bool is_text(struct rt_slice json)
{
	return json.len > 2 && *json.ptr == '"';
}

/* A text in the making, in s->text. */
static struct rt_put begin_text(struct rt_sarif_runs *s)
{
	s->text.len = 0;
	return (struct rt_put){&s->text, &s->t->err, s->t->status};
}

/* Empty after a fault: half a string is no JSON, which the writer could not take. */
static struct rt_slice end_text(struct rt_sarif_runs *s, const struct rt_put *put)
{
	s->t->status = put->status;
	return put->status == RT_OK ? rt_buf_slice(&s->text) : RT_SLICE("");
}

/* --- Runs and rules --------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return rt_slice_compare(a->key, b->key);
}

/* The row of s->key; NULL: there is none. run: NONE: of a run. */
static struct row *look_up(const struct rt_sarif_runs *s, uint32_t run)
{
	const struct row wanted = {.key = rt_buf_slice(&s->key), .run = run};
	struct row **found = tfind(&wanted, &s->tree, by_key);

	return found ? *found : NULL;
}

/* Find the row of some pieces together, or make it. *ret_new: it was made. Returns NULL after a
 * fault. */
static struct row *find(struct rt_sarif_runs *s, uint32_t run, const struct rt_slice *parts,
			size_t count, bool *ret_new)
{
	struct row *row;

	*ret_new = false;
	s->key.len = 0;
	RT_STEP(s->t, rt_buf_append_all(&s->key, parts, count, &s->t->err));
	if (s->t->status != RT_OK)
		return NULL;
	row = look_up(s, run);
	if (row)
		return row;
	row = calloc(1, sizeof(*row) + s->key.len);
	if (row) {
		memcpy(row + 1, s->key.data, s->key.len);
		row->key = rt_slice_make((const char *)(row + 1), s->key.len);
		row->run = run;
		row->first = NONE;
	}
	*ret_new = row && tsearch(row, &s->tree, by_key);
	if (*ret_new)
		return row;
	free(row);
	s->t->status = rt_error_nomem(&s->t->err);
	return NULL;
}

/* A member's text; "null" where there is none. */
static struct rt_slice value_of(const struct rt_sarif_runs *s, enum rt_member m)
{
	return s->values[m].ptr ? s->values[m] : RT_SLICE("null");
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
static bool is_same(struct rt_slice json, struct rt_slice text)
{
	return is_text(json) && rt_slice_equal(rt_slice_make(json.ptr + 1, json.len - 2), text);
}

/* Find the run of the issue: part 0, or one that follows since those before it are full. */
static void find_part(struct rt_sarif_runs *s, uint32_t part)
{
	char number[16];
	int len = snprintf(number, sizeof(number), "%" PRIu32, part);
	const struct rt_slice parts[] = {value_of(s, RT_M_MODEL_USED), value_of(s, RT_M_SCAN_ID),
					 value_of(s, RT_M_REPO_NAME),
					 rt_slice_make(number, part ? (size_t)len : 0)};
	bool new = false;
	struct row *run = find(s, NONE, parts, 4, &new);

	s->run = run;
	if (!run || !new)
		return;
	run->index = s->count++;
	*(s->last ? &s->last->next : &s->first) = run;
	s->last = run;
	run->model = rt_slice_make(run->key.ptr, parts[0].len);
	run->scan = rt_slice_make(rt_slice_end(run->model), parts[1].len);
	run->repo = rt_slice_make(rt_slice_end(run->scan), parts[2].len);
	run->failed = is_same(value_of(s, RT_M_SCAN_STATUS), RT_SLICE("failed"));
	(void)utc_of(value_of(s, RT_M_SCAN_CREATED_AT), run->start);
}

static void find_run(struct rt_sarif_runs *s)
{
	find_part(s, 0);
	if (!s->run || !s->t->settings->for_github)
		return;
	if (s->run->count && s->run->count % RT_GITHUB_RESULTS == 0)
		s->run->parts = s->run->count / RT_GITHUB_RESULTS;
	if (++s->run->count > s->counts.most)
		s->counts.most = s->run->count;
	if (s->run->parts)
		find_part(s, s->run->parts);
}

/* Hold the texts of a rule against those of one more of its results. */
static void agree(struct rt_sarif_runs *s, bool new)
{
	for (size_t i = 0; i < RULE_TEXTS; i++) {
		struct rt_slice value = s->values[rule_members[i]], *text = &s->rule->texts[i];
		bool fits = value.len <= RULE_TEXT && value.len > (i == SCORE ? 0 : 2) &&
			    (i == SCORE || *value.ptr == '"');

		if (new &&fits) {
			*text = rt_slice_make(strndup(value.ptr, value.len), value.len);
			if (!text->ptr)
				s->t->status = rt_error_nomem(&s->t->err);
		} else if (!new && !(fits && rt_slice_equal(value, *text))) {
			free((void *)(uintptr_t)text->ptr);
			*text = rt_slice_make(NULL, 0);
		}
	}
}

/* A rule that is new, the last of its run. Others of its category differ from it in the last byte
 * of their keys. */
static void add_rule(struct rt_sarif_runs *s, size_t category_len)
{
	struct row *run = s->run, *rule = s->rule;

	rule->level = s->t->finding->level;
	rule->category = rt_slice_make(rule->key.ptr, category_len);
	rule->index = run->rule_count++;
	*(run->last_rule ? &run->last_rule->next : &run->rules) = rule;
	run->last_rule = rule;
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		struct row *other;

		s->key.data[category_len] = (char)('0' + level);
		other = look_up(s, run->index);
		if (other && other != rule)
			other->several = rule->several = true;
	}
}

/* Find the rule of the issue: of a category and a severity, since GitHub reads that there. */
static void find_rule(struct rt_sarif_runs *s)
{
	const char level = (char)('0' + s->t->finding->level);
	struct rt_slice category = value_of(s, RT_M_CATEGORY);
	const struct rt_slice parts[] = {is_text(category) ? category : RT_SLICE("\"unknown\""),
					 {&level, 1}};
	bool new = false;

	s->rule = find(s, s->run->index, parts, 2, &new);
	if (!s->rule)
		return;
	if (new)
		add_rule(s, parts[0].len);
	agree(s, new);
}

/* The weaknesses of the issue, among those of its rule. */
static void add_weaknesses(struct rt_sarif_runs *s)
{
	struct rt_slice at = rt_finding_strings(s->t->finding, RT_M_CWE_IDS), text;
	struct row *rule = s->rule;

	while (rt_texts_string(s->t, &at, &text)) {
		uint64_t number = rt_cwe_number(text);
		size_t i = 0;

		while (i < rule->weakness_count && rule->weaknesses[i] != number)
			i++;
		if (number && i == rule->weakness_count && i < RULE_WEAKNESSES)
			rule->weaknesses[rule->weakness_count++] = number;
	}
}

/* --- A result --------------------------------------------------------------------------------- */

/* The level, and the message: the description, else what names the issue. A link in it is read as
 * its text. */
static void put_description(struct rt_sarif_runs *s)
{
	static const char *const levels[RT_LEVELS] = {"error", "error", "warning",
						      "note",  "note",  "warning"};
	struct rt_slice text = s->values[RT_M_DESCRIPTION];

	s->said[RT_M_DESCRIPTION] = is_text(text) && !memmem(text.ptr, text.len, "](", 2);
	if (!is_text(text))
		text = s->values[RT_M_TITLE];
	RT_WRITE(s->writer, "{level: %s, message: {text: %v},", levels[s->t->finding->level],
		 is_text(text) ? text : s->values[RT_M_ID]);
}

/* Line, columns as far as they are in order, and code. */
static void put_region(struct rt_sarif_runs *s)
{
	const struct rt_finding *finding = s->t->finding;
	struct rt_slice code = s->values[RT_M_CODE_SNIPPET];
	uint64_t line = rt_finding_position(finding, RT_M_LINE_NUMBER, RT_POSITION_MAX),
		 column =
		     line ? rt_finding_position(finding, RT_M_COLUMN_START, RT_POSITION_MAX) : 0;
	uint64_t end = rt_finding_position(finding, RT_M_COLUMN_END, RT_POSITION_MAX);

	s->said[RT_M_LINE_NUMBER] = line > 0;
	s->no_line = !line;
	if (!line && !s->t->settings->for_github)
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
	RT_WRITE(s->writer, "}");
}

static void put_location(struct rt_sarif_runs *s)
{
	struct rt_slice path = rt_texts_decoded(s->t, RT_M_FILE_PATH), uri;
	struct rt_put put = begin_text(s);

	if (!path.len)
		return;
	rt_put_uri(&put, path);
	uri = end_text(s, &put);
	s->said[RT_M_FILE_PATH] = uri.len == path.len && *path.ptr != '.' && *path.ptr != '/';
	RT_WRITE(s->writer, "locations: [{physicalLocation: {artifactLocation: {uri: %s}", uri);
	put_region(s);
	RT_WRITE(s->writer, "}}]");
	if (s->no_line && s->t->settings->for_github)
		rt_sarif_tally(&s->counts.lines, s->t);
}

static void put_taxa(struct rt_sarif_runs *s)
{
	struct rt_slice at = rt_finding_strings(s->t->finding, RT_M_CWE_IDS), text, digits;
	bool any = false;

	while (rt_texts_string(s->t, &at, &text)) {
		if (!rt_cwe_digits(text, &digits))
			continue;
		if (!any)
			RT_WRITE(s->writer, "taxa: [");
		any = s->run->weak = true;
		RT_WRITE(s->writer, "{id: %s, toolComponent: {name: %s}}", digits, "CWE");
	}
	if (any)
		RT_WRITE(s->writer, "]");
}

/* A dismissal, as a suppression with the newest note (S42). */
static void put_suppression(struct rt_sarif_runs *s)
{
	const struct rt_finding *finding = s->t->finding;
	struct rt_slice at = finding->notes, added_at, text, newest = {NULL, 0};
	char guid[RT_SARIF_GUID_CHARS];

	if (rt_finding_flag(finding, RT_M_FALSE_POSITIVE) != 1)
		return;
	while (rt_texts_note(s->t, &at, &added_at, &text))
		newest = text;
	RT_WRITE(s->writer, "suppressions: [{kind: %s, status: %s", "external", "accepted");
	if (newest.ptr)
		RT_WRITE(s->writer, "justification: %s", newest);
	rt_sarif_guid_of(finding->record->id, guid);
	RT_WRITE(s->writer, "guid: %v}]", rt_slice_make(guid, sizeof(guid)));
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

	rt_sha256_of(s->t->finding->record->id, digest);
	rt_sha256_hex(digest, hash);
	hash[16] = ':';
	hash[17] = '1';
	RT_WRITE(s->writer, "partialFingerprints: {retriageId/v1: %s, primaryLocationLineHash: %s}",
		 s->t->finding->record->id, rt_slice_make(hash, 18));
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
	    is_same(value_of(s, RT_M_SCAN_STATUS),
		    run->failed ? RT_SLICE("failed") : RT_SLICE("completed"));
	s->said[RT_M_SCAN_CREATED_AT] = run->start[0]
					    ? is_same(value_of(s, RT_M_SCAN_CREATED_AT),
						      rt_slice_make(run->start, RT_INSTANT_CHARS))
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
	if (s->no_line && s->t->settings->for_github)
		s->said[RT_M_LINE_NUMBER] = s->said[RT_M_COLUMN_START] = false;
}

static void put_properties(struct rt_sarif_runs *s)
{
	see_run(s);
	RT_WRITE(s->writer, "properties: {retriage: {");
	for (enum rt_member m = 0; m < RT_ISSUE_MEMBERS; m++) {
		if (s->said[m])
			continue;
		rt_writer_key(s->writer, rt_member_name(m));
		rt_writer_value(s->writer, value_of(s, m));
	}
	if (s->t->finding->notes.ptr)
		RT_WRITE(s->writer, "notes: %v", s->t->finding->notes);
	RT_WRITE(s->writer, "}}");
}

/* Put the result into the spool, without what its rule is called. */
static void spool_result(struct rt_sarif_runs *s, const struct rt_result_history *history)
{
	struct result result = {
	    .offset = s->spool.filed + s->spool.buf.len, .rule = s->rule, .next = NONE};
	uint32_t number = (uint32_t)(s->results.len / sizeof(result));

	memset(s->said, 0, sizeof(s->said));
	s->no_line = false;
	put_description(s);
	put_location(s);
	put_taxa(s);
	put_suppression(s);
	put_history(s, history);
	put_fingerprints(s);
	put_properties(s);
	RT_WRITE(s->writer, "}");
	RT_STEP(s->t, rt_writer_finish(s->writer, &s->t->err));
	/* One record, and little more. */
	result.len = (uint32_t)(s->spool.filed + s->spool.buf.len - result.offset);
	RT_STEP(s->t, rt_buf_append(&s->results, &result, sizeof(result), &s->t->err));
	if (s->t->status != RT_OK)
		return;
	*(s->run->first == NONE ? &s->run->first : &results(s)[s->run->last].next) = number;
	s->run->last = number;
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

/* Texts that are equal get one spelling. */
static void spell(struct rt_sarif_runs *s)
{
	for (size_t i = 0; i < SPELLED && s->t->status == RT_OK; i++) {
		struct rt_slice *value = &s->values[compared[i]];

		if (!is_text(*value) ||
		    rt_json_string_is_own(rt_slice_make(value->ptr + 1, value->len - 2)))
			continue;
		s->spelled[i].len = 0;
		RT_STEP(s->t, rt_json_string_encode(rt_texts_decoded(s->t, compared[i]),
						    &s->spelled[i], &s->t->err));
		if (s->t->status == RT_OK)
			*value = rt_buf_slice(&s->spelled[i]);
	}
}

void rt_sarif_runs_add(struct rt_sarif_runs *s, const struct rt_result_history *history)
{
	const struct rt_finding *finding = s->t->finding;

	rt_finding_values(finding, s->values);
	spell(s);
	find_run(s);
	if (has_others(finding->record))
		rt_sarif_tally(&s->counts.fields, s->t);
	if (s->run)
		find_rule(s);
	if (!s->run || !s->rule)
		return;
	add_weaknesses(s);
	spool_result(s, history);
}

/* --- The runs --------------------------------------------------------------------------------- */

/* The id of a rule, as a JSON string. */
static struct rt_slice rule_id(struct rt_sarif_runs *s, const struct row *rule)
{
	struct rt_put put = begin_text(s);

	rt_put(&put, rt_slice_make(rule->category.ptr, rule->category.len - rule->several));
	if (rule->several) {
		RT_PUT(&put, "/");
		rt_put(&put, rt_level_text(rule->level));
		RT_PUT(&put, "\"");
	}
	return end_text(s, &put);
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

static void put_rule(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *rule)
{
	struct rt_slice id = rule_id(s, rule), title = text_of(rule, TITLE, id);
	char tag[48];

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
}

static void put_tool(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *run)
{
	RT_WRITE(w, "{tool: {driver: {name: %v, rules: [",
		 is_text(run->model) ? run->model : RT_SLICE("\"retriage\""));
	for (const struct row *rule = run->rules; rule; rule = rule->next)
		put_rule(s, w, rule);
	RT_WRITE(w, "]}}");
}

/* Which of the runs of a tool and a category one is, from 1: GitHub takes one, the next ones are
 * parts of it. category: empty: of all runs of the tool. */
static uint32_t find_number(struct rt_sarif_runs *s, const struct row *run,
			    struct rt_slice category)
{
	const struct rt_slice parts[] = {run->model, category};
	bool new;
	struct row *row = find(s, CATEGORIES, parts, 2, &new);

	return row ? ++row->count : 1;
}

/* Put the category of a run, and the quote before it. Returns whether no other run has it. */
static bool begin_category(struct rt_sarif_runs *s, const struct row *run, struct rt_put *put)
{
	struct rt_slice asked = s->t->settings->category;
	struct rt_slice tool = is_text(run->model) ? run->model : RT_SLICE("\"retriage\"");
	struct rt_put text = {&s->key, put->err, put->status};
	uint32_t number;

	if (!asked.len) {
		rt_put(put, is_text(run->repo) ? run->repo : tool);
		/* It goes on in the place of its last quote. */
		s->text.len -= s->text.len > 0;
		return false;
	}
	number = find_number(s, run, RT_SLICE(""));
	s->key.len = 0;
	rt_put_string(&text, asked);
	put->status = text.status;
	rt_put_category(put, rt_slice_make(s->key.data, s->key.len - (s->key.len > 0)),
			rt_slice_make(tool.ptr + 1, tool.len - 2), number);
	return rt_category_counts(asked);
}

/* What GitHub tells scans apart by: CATEGORY/SCAN, as a JSON string. */
static void put_category(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *run)
{
	struct rt_put put = begin_text(s);
	bool is_own = begin_category(s, run, &put);
	uint32_t number = 1;

	if (s->t->settings->for_github && !is_own)
		number = find_number(s, run, rt_buf_slice(&s->text));
	if (number > 1) {
		RT_PUT(&put, "/part-");
		rt_put_number(&put, number);
	}
	RT_PUT(&put, "/");
	if (is_text(run->scan))
		rt_put(&put, rt_slice_make(run->scan.ptr + 1, run->scan.len - 2));
	RT_PUT(&put, "\"");
	if (put.status == RT_OK)
		RT_WRITE(w, "automationDetails: {id: %v}", rt_buf_slice(&s->text));
	RT_STEP(s->t, put.status);
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
static void put_results(struct rt_sarif_runs *s, struct rt_writer *w, const struct row *run)
{
	struct rt_spool_window window = {.at = 0};

	for (uint32_t i = run->first; i != NONE; i = results(s)[i].next) {
		const struct result *result = &results(s)[i];
		const char *bytes;

		RT_STEP(s->t, rt_spool_read(&s->spool, result->offset, result->len, &window, &bytes,
					    &s->t->err));
		if (s->t->status != RT_OK)
			break;
		RT_WRITE(w, "{ruleId: %v, ruleIndex: %u", rule_id(s, result->rule),
			 result->rule->index);
		/* Its members and its end, without its first brace and the line break. */
		rt_writer_value(w, rt_slice_make(bytes + 1, result->len - 2));
	}
	rt_buf_release(&window.buf);
}

void rt_sarif_runs_write(struct rt_sarif_runs *s, struct rt_log_copy *copy)
{
	struct rt_writer *w = NULL;
	struct rt_texts *t = s->t;

	RT_STEP(t, rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &copy->sink, &w,
				  &t->err));
	for (const struct row *run = s->first; run && t->status == RT_OK; run = run->next) {
		RT_STEP(t, rt_log_copy_run(copy, &t->err));
		put_tool(s, w, run);
		put_category(s, w, run);
		put_scan(w, run);
		RT_WRITE(w, "results: [");
		put_results(s, w, run);
		RT_WRITE(w, "]}");
		RT_STEP(t, rt_writer_finish(w, &t->err));
	}
	rt_writer_free(w);
}

void rt_sarif_tally(struct rt_sarif_tally *count, struct rt_texts *t)
{
	struct rt_slice id = t->finding->record->id;

	if (!count->count++)
		RT_STEP(t, rt_buf_append(&count->example, id.ptr, id.len, &t->err));
}

const struct rt_sarif_tallies *rt_sarif_runs_tallies(const struct rt_sarif_runs *s)
{
	return &s->counts;
}

struct rt_sarif_runs *rt_sarif_runs_new(struct rt_texts *t)
{
	struct rt_sarif_runs *s = calloc(1, sizeof(*s));

	if (!s) {
		t->status = rt_error_nomem(&t->err);
		return NULL;
	}
	s->t = t;
	rt_spool_init(&s->spool);
	s->into = rt_spool_sink(&s->spool);
	RT_STEP(t, rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &s->into, &s->writer,
				  &t->err));
	return s;
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
	rt_buf_release(&s->counts.fields.example);
	rt_buf_release(&s->counts.lines.example);
	for (size_t i = 0; i < SPELLED; i++)
		rt_buf_release(&s->spelled[i]);
	rt_buf_release(&s->results);
	rt_spool_release(&s->spool);
	rt_writer_free(s->writer);
	rt_buf_release(&s->key);
	rt_buf_release(&s->text);
	free(s);
}
