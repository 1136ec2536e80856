/*
 * The JUnit report (REPORTS R26 to R32), as XML 1.0: one suite with a test case for each issue,
 * worst first. Issues beyond the limits are counted in one case of their own. The counters stand
 * before the cases, which wait in a spool until all are counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/plain.h"
#include "base/spool.h"
#include "engine/ids.h"
#include "output/kind.h"

/* Bytes of a report: GitLab takes less than 30 MB a file. What is no case has room in 16 KiB. */
#define REPORT_BYTES UINT64_C(25000000)
#define CASES_BYTES (REPORT_BYTES - UINT64_C(16384))
/* Bytes of a file's last component that a name may have. */
#define BASE_BYTES 256u
/* Code points of a title in a name, and of each text in a case. */
#define NAME_POINTS 200u
#define TEXT_POINTS 4000u
#define FILTER_POINTS 1000u

enum form { PASSED, FAILED, SKIPPED, FORMS };

struct junit {
	struct rt_reporting r;
	struct rt_ordinals names;
	struct rt_spool spool;
	uint64_t listed[FORMS], bytes; /* cases, and what they take */
	/* Issues that have cases. */
	uint64_t open[RT_LEVELS], fresh[RT_LEVELS], dismissed[RT_LEVELS];
	bool full;
	struct rt_buf name, scratch, part;
};

/* --- XML --------------------------------------------------------------------------------- */

static const char *entity(char c)
{
	return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
}

/* Append masked text, escaped for an attribute or between tags. */
static enum rt_status put_xml(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	/* "&quot;" is the longest, and a NUL is put after the last one. */
	enum rt_status status = rt_buf_reserve(out, text.len * 6 + 1, err);
	const char *at = text.ptr, *end = rt_slice_end(text);
	char *to;

	if (status != RT_OK)
		return status;
	to = out->data + out->len;
	while (at < end) {
		size_t len = rt_plain_len(at, (size_t)(end - at), "&<>\"", false);

		memcpy(to, at, len);
		to += len;
		at += len;
		if (at < end)
			to = stpcpy(to, entity(*at++));
	}
	out->len = (size_t)(to - out->data);
	return RT_OK;
}

/* The same into the part of a case that is in the making; errors are kept by the texts. */
static void part_xml(struct junit *j, struct rt_slice text)
{
	if (j->r.texts.status == RT_OK)
		j->r.texts.status = put_xml(&j->part, text, &j->r.texts.err);
}

static void part_raw(struct junit *j, const char *text)
{
	if (j->r.texts.status == RT_OK)
		j->r.texts.status = rt_buf_append(&j->part, text, strlen(text), &j->r.texts.err);
}

/* The beginning of a text. */
static void part_cut(struct junit *j, struct rt_slice text, size_t max)
{
	j->scratch.len = 0;
	if (j->r.texts.status == RT_OK)
		j->r.texts.status = rt_text_cut(text, max, &j->scratch, &j->r.texts.err);
	if (j->r.texts.status == RT_OK)
		part_xml(j, rt_buf_slice(&j->scratch));
}

/* --- Names ------------------------------------------------------------------------------- */

static void add_name(struct junit *j, struct rt_slice text)
{
	if (j->r.texts.status == RT_OK)
		j->r.texts.status = rt_buf_append(&j->name, text.ptr, text.len, &j->r.texts.err);
}

static uint32_t ordinal(struct junit *j)
{
	uint32_t number = 1;

	if (j->r.texts.status == RT_OK)
		j->r.texts.status =
		    rt_ordinals_next(&j->names, rt_buf_slice(&j->name), &number, &j->r.texts.err);
	return number;
}

/* " (db.py)", of the path in the first bytes of the name. */
static void add_base(struct junit *j, size_t path_len)
{
	size_t from = path_len;
	char base[BASE_BYTES];

	if (j->r.texts.status != RT_OK)
		return;
	while (from && j->name.data[from - 1] != '/')
		from--;
	if (from == path_len || path_len - from >= sizeof(base))
		return;
	memcpy(base, j->name.data + from, path_len - from);
	add_name(j, RT_SLICE(" ("));
	add_name(j, rt_slice_make(base, path_len - from));
	add_name(j, RT_SLICE(")"));
}

/*
 * The class and the name of a case in j->name, with a NUL in between. Class: the file as it is
 * shown, or "(no file)". Name, from the byte that is returned: category, title, the file's last
 * component, since many viewers show names alone, and a number for all but the first of these in a
 * class (R29). A title may itself end like a number: then the next one.
 */
static size_t make_name(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	struct rt_slice path = rt_texts_path(t);
	size_t from, len;
	uint32_t number;

	j->name.len = 0;
	add_name(j, path.ptr ? path : RT_SLICE("(no file)"));
	add_name(j, rt_slice_make("", 1));
	from = j->name.len;
	add_name(j, rt_texts_category(t));
	add_name(j, RT_SLICE(": "));
	add_name(j, rt_texts_title(t, NAME_POINTS));
	if (path.ptr)
		add_base(j, from - 1);
	len = j->name.len;
	number = ordinal(j);
	while (number > 1 && t->status == RT_OK) {
		char suffix[16];

		(void)snprintf(suffix, sizeof(suffix), " (%" PRIu32 ")", number);
		add_name(j, rt_slice_of(suffix));
		if (ordinal(j) == 1)
			break;
		j->name.len = len;
		number = ordinal(j);
	}
	return from;
}

/* --- Cases ------------------------------------------------------------------------------- */

static void make_open(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	size_t from = make_name(j);
	struct rt_slice class = rt_slice_make(j->name.data, t->status == RT_OK ? from - 1 : 0);

	part_raw(j, "<testcase classname=\"");
	part_xml(j, class);
	if (rt_texts_raw_path(t).ptr) {
		part_raw(j, "\" file=\"");
		part_xml(j, class);
	}
	part_raw(j, "\" name=\"");
	if (t->status == RT_OK)
		part_xml(j, rt_slice_make(j->name.data + from, j->name.len - from));
	part_raw(j, "\" time=\"0\">");
}

static void make_attributes(struct junit *j)
{
	part_raw(j, " message=\"");
	part_xml(j, rt_texts_title(&j->r.texts, NAME_POINTS));
	part_raw(j, "\" type=\"");
	part_xml(j, rt_texts_severity(&j->r.texts));
	part_raw(j, "\"");
}

/* A text of at most TEXT_POINTS, after a line that names it. */
static void put_member(struct junit *j, enum rt_member m, const char *name)
{
	struct rt_texts *t = &j->r.texts;
	struct rt_slice text = rt_texts_member(t, m, RT_MASK_LINES_KEEP);

	if (!text.ptr)
		return;
	part_raw(j, "\n");
	part_raw(j, name);
	part_cut(j, text, TEXT_POINTS);
	part_raw(j, "\n");
}

static void make_text(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	struct rt_slice cwe;

	part_xml(j, rt_texts_place(t, true));
	part_raw(j, "\nSeverity: ");
	part_xml(j, rt_texts_severity(t));
	part_raw(j, "\nRule: ");
	part_xml(j, rt_texts_category(t));
	cwe = rt_texts_list(t, RT_M_CWE_IDS, RT_MASK_LINES_BLANK);
	if (cwe.len) {
		part_raw(j, "\nCWE: ");
		part_xml(j, cwe);
	}
	if (j->r.settings->compared) {
		part_raw(j, "\nSince the baseline: ");
		part_raw(j, rt_class_name(t->finding->class));
	}
	part_raw(j, "\nId: ");
	part_xml(j, rt_texts_mask(t, t->finding->record->id, RT_MASK_LINES_BLANK));
	part_raw(j, "\n");
	put_member(j, RT_M_TITLE, "Title: ");
	put_member(j, RT_M_DESCRIPTION, "");
	put_member(j, RT_M_REMEDIATION, "Remediation: ");
}

/* What a case of an issue is like (R27). */
static enum form form_of(const struct junit *j, const struct rt_finding *finding)
{
	const struct rt_verdict *verdict = j->r.facts->verdict;
	uint32_t conditions = verdict ? rt_gate_conditions(j->r.facts->gate, finding) : 0;
	bool failed = finding->open && !verdict && (finding->is_new || !j->r.settings->compared);

	for (size_t i = 0; verdict && i < verdict->count; i++)
		failed = failed || (!verdict->conditions[i].pass && conditions >> i & 1);
	if (failed)
		return FAILED;
	return finding->open ? PASSED : SKIPPED;
}

/* A decision that a condition does not accept is no hidden one. */
static bool is_hidden(const struct junit *j, const struct rt_finding *finding)
{
	return j->r.settings->hide_false_positives && !finding->open &&
	       !(j->r.facts->gate && rt_gate_conditions(j->r.facts->gate, finding));
}

/* The case of the finding, in j->part. */
static void make_case(struct junit *j, enum form form)
{
	j->part.len = 0;
	make_open(j);
	if (form == SKIPPED) {
		part_raw(j, "<skipped>");
		part_xml(j, rt_texts_last_note(&j->r.texts, RT_MASK_LINES_KEEP));
		part_raw(j, "</skipped>");
	}
	part_raw(j, form == FAILED ? "<failure" : "<system-out>");
	if (form == FAILED)
		make_attributes(j);
	part_raw(j, form == FAILED ? ">" : "");
	make_text(j);
	part_raw(j, form == FAILED ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

static enum rt_status junit_issue(void *state, const struct rt_finding *finding,
				  struct rt_error *err)
{
	struct junit *j = state;
	struct rt_sink sink = rt_spool_sink(&j->spool);
	enum form form = form_of(j, finding);

	if (j->full || is_hidden(j, finding))
		return RT_OK;
	make_case(j, form);
	if (rt_texts_status(&j->r.texts, err) != RT_OK)
		return j->r.texts.status;
	j->full = j->bytes + j->part.len > CASES_BYTES;
	if (j->full)
		return RT_OK;
	j->bytes += j->part.len;
	j->listed[form]++;
	j->open[finding->level] += finding->open;
	j->fresh[finding->level] += finding->open && finding->is_new;
	j->dismissed[finding->level] += !finding->open;
	return sink.write(sink.ctx, j->part.data, j->part.len, err);
}

/* --- The end ----------------------------------------------------------------------------- */

/* "12 issues: 11 open (2 critical, 3 high), 1 dismissed" */
static void put_counts(const struct junit *j)
{
	const struct rt_facts *facts = j->r.facts;
	struct rt_emit *e = j->r.out;
	const char *before = " (";
	char expired[RT_EXPIRED_ROOM];

	rt_emit_uint(e, facts->total);
	rt_emit_text(e, facts->total == 1 ? " issue: " : " issues: ");
	rt_emit_uint(e, facts->open);
	rt_emit_text(e, " open");
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		if (!facts->open_levels[level])
			continue;
		rt_emit_text(e, before);
		rt_emit_uint(e, facts->open_levels[level]);
		rt_emit_char(e, ' ');
		rt_emit_slice(e, rt_level_text(level));
		before = ", ";
	}
	rt_expired_text(facts->expired, facts->open, expired);
	rt_emit_text(e, *expired ? "; " : "");
	rt_emit_text(e, expired);
	rt_emit_text(e, facts->open ? ")" : "");
	rt_emit_text(e, ", ");
	rt_emit_uint(e, facts->total - facts->open);
	rt_emit_text(e, " dismissed");
}

/* Each condition on a line of its own. */
static void put_conditions(struct junit *j)
{
	const struct rt_verdict *verdict = j->r.facts->verdict;

	for (size_t i = 0; verdict && i < verdict->count; i++) {
		char text[160];

		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		rt_emit_text(j->r.out, verdict->conditions[i].pass ? "\npass: " : "\nfail: ");
		rt_emit_text(j->r.out, text);
	}
}

/* The case that is always there (R28). */
static void put_first(struct junit *j)
{
	const struct rt_verdict *verdict = j->r.facts->verdict;
	bool failed = verdict && !verdict->pass;

	rt_emit_text(j->r.out, "<testcase classname=\"retriage\" name=\"");
	rt_emit_text(j->r.out, verdict ? "gate" : "read");
	rt_emit_text(j->r.out, "\" time=\"0\">");
	rt_emit_text(j->r.out, failed ? "<failure message=\"the gate fails\" type=\"gate\">"
				      : "<system-out>");
	put_counts(j);
	if (j->r.facts->filter.len) {
		rt_emit_text(j->r.out, "\nfilter: ");
		j->part.len = 0;
		part_cut(j, rt_texts_mask(&j->r.texts, j->r.facts->filter, RT_MASK_LINES_BLANK),
			 FILTER_POINTS);
		rt_emit_slice(j->r.out, rt_buf_slice(&j->part));
	}
	if (j->r.facts->compared) {
		char text[RT_COMPARED_ROOM];

		rt_emit_text(j->r.out, "\nsince the baseline: ");
		rt_emit_text(j->r.out, rt_compared_text(j->r.facts->compared, text));
	}
	put_conditions(j);
	rt_emit_text(j->r.out, failed ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

/* Issues that have no case. *ret_fails: one of them would fail. */
static uint64_t count_rest(const struct junit *j, bool *ret_fails)
{
	const struct rt_facts *facts = j->r.facts;
	uint64_t rest = 0;

	*ret_fails = false;
	for (unsigned i = 0; i < 2 * RT_LEVELS; i++) {
		unsigned level = i / 2;
		struct rt_finding like = {.level = level, .status = RT_STATUS_OPEN, .open = true};
		uint64_t left = facts->open_levels[level] - j->open[level];

		like.is_new =
		    facts->compared && facts->compared->fresh_open[level] > j->fresh[level];
		if (i % 2) {
			like.status = RT_STATUS_DISMISSED;
			like.open = false;
			left =
			    facts->levels[level] - facts->open_levels[level] - j->dismissed[level];
		}
		if (!left || is_hidden(j, &like))
			continue;
		*ret_fails = *ret_fails || form_of(j, &like) == FAILED;
		rest += left;
	}
	return rest;
}

/* The case of those that are not listed (R31). */
static void put_rest(struct junit *j, uint64_t count, bool fails)
{
	struct rt_emit *e = j->r.out;

	rt_emit_text(e, "<testcase classname=\"retriage\" name=\"not listed\" time=\"0\">");
	rt_emit_text(e, fails ? "<failure message=\"issues are not listed\" type=\"limit\">"
			      : "<system-out>");
	rt_emit_uint(e, count);
	rt_emit_text(e, count == 1 ? " issue is" : " issues are");
	rt_emit_text(e, " not listed here: at most the worst ");
	rt_emit_uint(e, j->r.settings->max_findings);
	rt_emit_text(e, " are, in 25 MB.");
	rt_emit_text(e, fails ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

static void put_head(struct junit *j, uint64_t tests, uint64_t failures)
{
	char text[400];

	(void)snprintf(text, sizeof(text),
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<testsuites name=\"retriage\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
		       "\" errors=\"0\" time=\"0\">\n"
		       "<testsuite name=\"retriage\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
		       "\" errors=\"0\" skipped=\"%" PRIu64 "\" time=\"0\">\n",
		       tests, failures, tests, failures, j->listed[SKIPPED]);
	rt_emit_text(j->r.out, text);
}

static enum rt_status junit_end(void *state, struct rt_error *err)
{
	struct junit *j = state;
	struct rt_sink sink = rt_emit_sink(j->r.out);
	uint64_t listed = j->listed[PASSED] + j->listed[FAILED] + j->listed[SKIPPED];
	bool fails, gate_fails = j->r.facts->verdict && !j->r.facts->verdict->pass;
	uint64_t rest = count_rest(j, &fails);
	enum rt_status status;

	if (rest)
		(void)snprintf(j->r.notice, sizeof(j->r.notice),
			       "junit has cases of %s of %s issues; one more case counts the rest",
			       RT_COUNT(listed), RT_COUNT(rest + listed));
	put_head(j, 1 + listed + (rest > 0), j->listed[FAILED] + gate_fails + fails);
	put_first(j);
	status = rt_spool_copy(&j->spool, &sink, err);
	if (status != RT_OK)
		return status;
	if (rest)
		put_rest(j, rest, fails);
	rt_emit_text(j->r.out, "</testsuite>\n</testsuites>\n");
	return RT_OK;
}

static void junit_release(void *state)
{
	struct junit *j = state;

	rt_spool_release(&j->spool);
	rt_ordinals_release(&j->names);
	rt_buf_release(&j->name);
	rt_buf_release(&j->scratch);
	rt_buf_release(&j->part);
}

static enum rt_status junit_begin(void *state, struct rt_error *err)
{
	struct junit *j = state;

	rt_spool_init(&j->spool);
	return rt_ordinals_init(&j->names, err);
}

const struct rt_report_kind rt_kind_junit = {
    .name = "junit",
    .triage = true,
    .state_bytes = sizeof(struct junit),
    .begin = junit_begin,
    .issue = junit_issue,
    .end = junit_end,
    .release = junit_release,
};
