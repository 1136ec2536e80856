/*
 * The JUnit report (REPORTS R26 to R32), as XML 1.0: one suite with a test case for each issue,
 * worst first. Issues beyond the limits are counted in one case of their own. The counters stand
 * before the cases, which wait in a spool until all are counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/spool.h"
#include "output/html.h"

/* Bytes of a report: GitLab takes less than 30 MB a file. What is no case has room in 16 KiB. */
#define REPORT_BYTES UINT64_C(25000000)
#define CASES_BYTES (REPORT_BYTES - UINT64_C(16384))
/* Bytes of a file's last component that a name may have. */
#define BASE_BYTES 256u
/* Code points of a title in a name, and of each text in a case. */
#define NAME_POINTS 200u
#define TEXT_POINTS 4000u
#define FILTER_POINTS 1000u

#define OUT_END "</system-out></testcase>\n"
#define FAILURE_END "</failure></testcase>\n"

enum form { PASSED, FAILED, SKIPPED, FORMS };

struct junit {
	struct rt_reporting r;
	struct rt_spool spool;
	uint64_t listed[FORMS], bytes; /* cases, and what they take */
	/* Issues that have cases. */
	uint64_t open[RT_LEVELS], fresh[RT_LEVELS], dismissed[RT_LEVELS];
	bool full;
	struct rt_buf name;
	struct rt_buf piece; /* a case, or a text */
	struct rt_emit part; /* to it */
};

/* --- Names ------------------------------------------------------------------------------- */

static void add_name(struct junit *j, struct rt_slice text)
{
	RT_STEP(&j->r.texts, rt_buf_append(&j->name, text.ptr, text.len, &j->r.texts.err));
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
	add_name(j, rt_texts_headline(t, NAME_POINTS));
	if (path.ptr)
		add_base(j, from - 1);
	len = j->name.len;
	number = rt_reporting_ordinal(&j->r, rt_buf_slice(&j->name));
	while (number > 1 && t->status == RT_OK) {
		char suffix[16];

		(void)snprintf(suffix, sizeof(suffix), " (%" PRIu32 ")", number);
		add_name(j, rt_slice_of(suffix));
		if (rt_reporting_ordinal(&j->r, rt_buf_slice(&j->name)) == 1)
			break;
		j->name.len = len;
		number = rt_reporting_ordinal(&j->r, rt_buf_slice(&j->name));
	}
	return from;
}

/* --- Cases ------------------------------------------------------------------------------- */

static void make_open(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	size_t from = make_name(j);
	struct rt_slice class, name;

	if (t->status != RT_OK)
		return;
	class = rt_slice_make(j->name.data, from - 1);
	name = rt_slice_make(j->name.data + from, j->name.len - from);
	RT_HTML(&j->part, "<testcase classname=\"%x\"", class);
	if (rt_texts_raw_path(t).ptr)
		RT_HTML(&j->part, " file=\"%x\"", class);
	RT_HTML(&j->part, " name=\"%x\" time=\"0\">", name);
}

/* A text of at most TEXT_POINTS, after a line that names it. */
static void put_member(struct junit *j, enum rt_member m, const char *name)
{
	struct rt_texts *t = &j->r.texts;
	struct rt_slice text = rt_texts_member(t, m, RT_MASK_LINES_KEEP);

	if (text.ptr)
		RT_HTML(&j->part, "\n%s%x\n", name, rt_texts_cut(t, text, TEXT_POINTS));
}

static void make_text(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	struct rt_slice cwe;

	rt_xml_escape(&j->part, rt_texts_place(t, true));
	RT_HTML(&j->part, "\nSeverity: %x", rt_texts_severity(t));
	RT_HTML(&j->part, "\nRule: %x", rt_texts_category(t));
	cwe = rt_texts_list(t, RT_M_CWE_IDS, RT_MASK_LINES_BLANK);
	if (cwe.len)
		RT_HTML(&j->part, "\nCWE: %x", cwe);
	if (j->r.settings->compared)
		RT_HTML(&j->part, "\nSince the baseline: %s", rt_class_name(t->finding->class));
	RT_HTML(&j->part, "\nId: %x\n",
		rt_texts_mask(t, t->finding->record->id, RT_MASK_LINES_BLANK));
	if (t->finding->record->title_of != RT_TITLE_OF_OTHER)
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
	struct rt_texts *t = &j->r.texts;

	j->piece.len = 0;
	make_open(j);
	if (form == SKIPPED)
		RT_HTML(&j->part, "<skipped>%x</skipped>",
			rt_texts_last_note(t, RT_MASK_LINES_KEEP));
	if (form == FAILED) {
		RT_HTML(&j->part, "<failure message=\"%x\"", rt_texts_headline(t, NAME_POINTS));
		RT_HTML(&j->part, " type=\"%x\">", rt_texts_severity(t));
	} else {
		rt_emit_text(&j->part, "<system-out>");
	}
	make_text(j);
	rt_emit_text(&j->part, form == FAILED ? FAILURE_END : OUT_END);
	RT_STEP(t, rt_emit_finish(&j->part, &t->err));
}

static void junit_issue(void *state)
{
	struct junit *j = state;
	struct rt_texts *t = &j->r.texts;
	const struct rt_finding *finding = t->finding;
	struct rt_sink sink = rt_spool_sink(&j->spool);
	enum form form = form_of(j, finding);

	if (j->full || is_hidden(j, finding))
		return;
	make_case(j, form);
	j->full = j->bytes + j->piece.len > CASES_BYTES;
	if (j->full)
		return;
	j->bytes += j->piece.len;
	j->listed[form]++;
	j->open[finding->level] += finding->open;
	j->fresh[finding->level] += finding->open && finding->is_new;
	j->dismissed[finding->level] += !finding->open;
	RT_STEP(t, sink.write(sink.ctx, j->piece.data, j->piece.len, &t->err));
}

/* --- The end ----------------------------------------------------------------------------- */

/* "12 issues: 11 open (2 critical, 3 high), 1 dismissed" */
static void put_counts(const struct junit *j)
{
	const struct rt_facts *facts = j->r.facts;
	struct rt_emit *e = j->r.out;
	const char *before = " (";
	char expired[RT_EXPIRED_ROOM];

	RT_HTML(e, "%u %s: %u open", facts->total, facts->total == 1 ? "issue" : "issues",
		facts->open);
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		if (!facts->open_levels[level])
			continue;
		RT_HTML(e, "%s%u %x", before, facts->open_levels[level], rt_level_text(level));
		before = ", ";
	}
	rt_expired_text(facts->expired, facts->open, expired);
	RT_HTML(e, "%s%s%s, %u dismissed", *expired ? "; " : "", expired, facts->open ? ")" : "",
		facts->total - facts->open);
}

/* The case that is always there (R28), with each condition on a line of its own. */
static void put_first(struct junit *j)
{
	struct rt_texts *t = &j->r.texts;
	const struct rt_verdict *verdict = j->r.facts->verdict;
	bool failed = verdict && !verdict->pass;
	char text[RT_COMPARED_ROOM];

	RT_HTML(j->r.out, "<testcase classname=\"retriage\" name=\"%s\" time=\"0\">%s",
		verdict ? "gate" : "read",
		failed ? "<failure message=\"the gate fails\" type=\"gate\">" : "<system-out>");
	put_counts(j);
	if (j->r.facts->filter.len)
		RT_HTML(j->r.out, "\nfilter: %x",
			rt_texts_cut(t, rt_texts_mask(t, j->r.facts->filter, RT_MASK_LINES_BLANK),
				     FILTER_POINTS));
	if (j->r.facts->compared)
		RT_HTML(j->r.out, "\nsince the baseline: %s",
			rt_compared_text(j->r.facts->compared, text));
	for (size_t i = 0; verdict && i < verdict->count; i++) {
		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		RT_HTML(j->r.out, "\n%s: %t", verdict->conditions[i].pass ? "pass" : "fail",
			rt_slice_of(text));
	}
	rt_emit_text(j->r.out, failed ? FAILURE_END : OUT_END);
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
	RT_HTML(j->r.out,
		"<testcase classname=\"retriage\" name=\"not listed\" time=\"0\">%s%u %s not "
		"listed here: at most the worst %u are, in 25 MB.%s",
		fails ? "<failure message=\"issues are not listed\" type=\"limit\">"
		      : "<system-out>",
		RT_COUNTED(count, "issue is", "issues are"), j->r.settings->max_findings,
		fails ? FAILURE_END : OUT_END);
}

static void put_head(struct junit *j, uint64_t tests, uint64_t failures)
{
	RT_HTML(
	    j->r.out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuites name=\"retriage\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"0\">\n"
	    "<testsuite name=\"retriage\" tests=\"%u\" failures=\"%u\" errors=\"0\" "
	    "skipped=\"%u\" time=\"0\">\n",
	    tests, failures, tests, failures, j->listed[SKIPPED]);
}

static void junit_end(void *state)
{
	struct junit *j = state;
	uint64_t listed = j->listed[PASSED] + j->listed[FAILED] + j->listed[SKIPPED];
	bool fails, gate_fails = j->r.facts->verdict && !j->r.facts->verdict->pass;
	uint64_t rest = count_rest(j, &fails);

	if (rest)
		(void)snprintf(j->r.notice, sizeof(j->r.notice),
			       "junit has cases of %s of %s issues; one more case counts the rest",
			       RT_COUNT(listed), RT_COUNT(rest + listed));
	put_head(j, 1 + listed + (rest > 0), j->listed[FAILED] + gate_fails + fails);
	put_first(j);
	rt_html_spooled(j->r.out, &j->spool);
	if (rest)
		put_rest(j, rest, fails);
	rt_emit_text(j->r.out, "</testsuite>\n</testsuites>\n");
}

static void junit_release(void *state)
{
	struct junit *j = state;

	rt_spool_release(&j->spool);
	rt_buf_release(&j->name);
	rt_emit_release(&j->part);
	rt_buf_release(&j->piece);
}

static void junit_begin(void *state)
{
	struct junit *j = state;
	const struct rt_sink sink = rt_buf_sink(&j->piece);

	rt_spool_init(&j->spool);
	rt_emit_init(&j->part, &sink);
}

const struct rt_report_kind rt_kind_junit = {
    .name = "junit",
    .triage = true,
    .ordinals = true,
    .state_bytes = sizeof(struct junit),
    .begin = junit_begin,
    .issue = junit_issue,
    .end = junit_end,
    .release = junit_release,
};
