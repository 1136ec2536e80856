/*
 * The JUnit report (REPORTS R26 to R32), as XML 1.0: one suite with a test case for each issue, in
 * input order. Issues beyond the limits are counted in one case of their own.
 *
 * The first case and the counters say what is known only at the end: which conditions have failed,
 * and so which cases. So cases wait in a spool, each as its parts, and take their form then.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/plain.h"
#include "base/spool.h"
#include "engine/ids.h"
#include "output/texts.h"

/* Bytes of a report: GitLab takes less than 30 MB a file. What is no case has room in 16 KiB. */
#define REPORT_BYTES UINT64_C(25000000)
#define CASES_BYTES (REPORT_BYTES - UINT64_C(16384))
/* Bytes around the parts of a case, at most. */
#define AROUND_BYTES 64u
/* Bytes of a file's last component that a name may have. */
#define BASE_BYTES 256u
/* Code points of a title in a name, and of each text in a case. */
#define NAME_POINTS 200u
#define TEXT_POINTS 4000u
#define FILTER_POINTS 1000u

/* Issues that are shown alike: of one level and status, new or not, and counted for the same
 * conditions. */
#define CLASSES (RT_LEVELS * 8)

struct class
{
	uint32_t conditions; /* as rt_gate_conditions() has them */
	uint64_t listed, left_out;
};

/* What is before a case in the spool; its parts follow. */
struct frame {
	uint32_t class;
	uint32_t open_len; /* from "<testcase" to ">" */
	uint32_t attr_len; /* message and type of a failure */
	uint32_t note_len; /* text of a skipped one */
	uint32_t text_len; /* all there is to say */
};

struct junit {
	const struct rt_report_settings *settings;
	const struct rt_facts *facts;
	struct rt_emit *out;
	struct rt_texts texts;
	struct rt_ordinals names;
	struct rt_spool spool;
	struct class classes[CLASSES];
	uint64_t listed, bytes; /* cases, and what they take */
	struct rt_buf name, scratch, part;
	struct rt_buf held; /* while the spool is read: a frame that is not whole yet */
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
	if (j->texts.status == RT_OK)
		j->texts.status = put_xml(&j->part, text, &j->texts.err);
}

static void part_raw(struct junit *j, const char *text)
{
	if (j->texts.status == RT_OK)
		j->texts.status = rt_buf_append(&j->part, text, strlen(text), &j->texts.err);
}

/* The beginning of a text. */
static void part_cut(struct junit *j, struct rt_slice text, size_t max)
{
	j->scratch.len = 0;
	if (j->texts.status == RT_OK)
		j->texts.status = rt_text_cut(text, max, &j->scratch, &j->texts.err);
	if (j->texts.status == RT_OK)
		part_xml(j, rt_buf_slice(&j->scratch));
}

/* --- Names ------------------------------------------------------------------------------- */

static void add_name(struct junit *j, struct rt_slice text)
{
	if (j->texts.status == RT_OK)
		j->texts.status = rt_buf_append(&j->name, text.ptr, text.len, &j->texts.err);
}

static uint32_t ordinal(struct junit *j)
{
	uint32_t number = 1;

	if (j->texts.status == RT_OK)
		j->texts.status =
		    rt_ordinals_next(&j->names, rt_buf_slice(&j->name), &number, &j->texts.err);
	return number;
}

/* " (db.py)", of the path in the first bytes of the name. */
static void add_base(struct junit *j, size_t path_len)
{
	size_t from = path_len;
	char base[BASE_BYTES];

	if (j->texts.status != RT_OK)
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
	struct rt_texts *t = &j->texts;
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
		add_name(j, rt_slice_make(suffix, strlen(suffix)));
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
	struct rt_texts *t = &j->texts;
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
	part_xml(j, rt_texts_title(&j->texts, NAME_POINTS));
	part_raw(j, "\" type=\"");
	part_xml(j, rt_texts_severity(&j->texts));
	part_raw(j, "\"");
}

/* A text of at most TEXT_POINTS, after a line that names it. */
static void put_member(struct junit *j, enum rt_member m, const char *name)
{
	struct rt_texts *t = &j->texts;
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
	struct rt_texts *t = &j->texts;
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
	if (j->settings->compared) {
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

/* A length that a frame has room for: parts are cut at some ten thousand bytes, but a path. */
static uint32_t part_len(struct junit *j, size_t from)
{
	size_t len = j->part.len - from;

	if (j->texts.status == RT_OK && len > UINT32_MAX)
		j->texts.status = rt_error_set(&j->texts.err, RT_E_LIMIT, "junit: text too long");
	return (uint32_t)len;
}

/* The case of the finding, with its frame, in j->part. */
static void make_case(struct junit *j, uint32_t class)
{
	struct rt_texts *t = &j->texts;
	struct frame frame = {.class = class};
	size_t from = sizeof(frame);

	j->part.len = 0;
	if (t->status == RT_OK)
		t->status = rt_buf_append(&j->part, &frame, sizeof(frame), &t->err);
	make_open(j);
	frame.open_len = part_len(j, from);
	from = j->part.len;
	make_attributes(j);
	frame.attr_len = part_len(j, from);
	from = j->part.len;
	if (!t->finding->open)
		part_xml(j, rt_texts_last_note(t, RT_MASK_LINES_KEEP));
	frame.note_len = part_len(j, from);
	from = j->part.len;
	make_text(j);
	frame.text_len = part_len(j, from);
	if (t->status == RT_OK)
		memcpy(j->part.data, &frame, sizeof(frame));
}

/* What a finding is shown like. */
static uint32_t class_of(struct junit *j, const struct rt_finding *finding)
{
	uint32_t conditions = j->facts->gate ? rt_gate_conditions(j->facts->gate, finding) : 0;
	uint32_t class =
	    finding->level * 8 + finding->is_new * 4 + finding->open * 2 + (conditions != 0);

	j->classes[class].conditions = conditions;
	return class;
}

static enum rt_status junit_issue(void *state, const struct rt_finding *finding,
				  struct rt_error *err)
{
	struct junit *j = state;
	struct rt_sink sink = rt_spool_sink(&j->spool);
	uint32_t class = class_of(j, finding);
	uint64_t size;

	/* A decision that a condition does not accept is no hidden one. */
	if (j->settings->hide_false_positives && !finding->open && !j->classes[class].conditions)
		return RT_OK;
	/* No more cases are listed. */
	if (j->listed >= j->settings->max_findings || j->bytes >= CASES_BYTES) {
		j->classes[class].left_out++;
		return RT_OK;
	}
	j->texts.finding = finding;
	make_case(j, class);
	if (rt_texts_status(&j->texts, err) != RT_OK)
		return j->texts.status;
	size = j->part.len + AROUND_BYTES;
	if (j->bytes + size > CASES_BYTES) {
		j->bytes = CASES_BYTES; /* no later one is listed either */
		j->classes[class].left_out++;
		return RT_OK;
	}
	j->bytes += size;
	j->listed++;
	j->classes[class].listed++;
	return sink.write(sink.ctx, j->part.data, j->part.len, err);
}

/* --- The end ----------------------------------------------------------------------------- */

enum form { PASSED, FAILED, SKIPPED };

/* The form of a class, now that the verdict is known. */
static enum form form_of(const struct junit *j, uint32_t class)
{
	const struct rt_verdict *verdict = j->facts->verdict;
	bool open = class & 2, is_new = class & 4;
	bool failed = open && !verdict && (is_new || !j->settings->compared);

	for (size_t i = 0; verdict && i < verdict->count; i++)
		failed = failed ||
			 (!verdict->conditions[i].pass && j->classes[class].conditions >> i & 1);
	if (failed)
		return FAILED;
	return open ? PASSED : SKIPPED;
}

static void put_case(struct junit *j, const struct frame *frame, const char *at)
{
	struct rt_emit *e = j->out;
	const char *attr = at + frame->open_len, *note = attr + frame->attr_len;
	const char *text = note + frame->note_len;
	enum form form = form_of(j, frame->class);

	rt_emit_bytes(e, at, frame->open_len);
	if (form == SKIPPED) {
		rt_emit_text(e, "<skipped>");
		rt_emit_bytes(e, note, frame->note_len);
		rt_emit_text(e, "</skipped><system-out>");
	} else if (form == FAILED) {
		rt_emit_text(e, "<failure");
		rt_emit_bytes(e, attr, frame->attr_len);
		rt_emit_char(e, '>');
	} else {
		rt_emit_text(e, "<system-out>");
	}
	rt_emit_bytes(e, text, frame->text_len);
	rt_emit_text(e, form == FAILED ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

/* Bytes of the spool as they come: write every case that is whole. */
static enum rt_status take_spool(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct junit *j = ctx;
	enum rt_status status = rt_buf_append(&j->held, data, len, err);
	size_t at = 0;

	while (status == RT_OK && j->held.len - at >= sizeof(struct frame)) {
		struct frame frame;
		size_t size;

		memcpy(&frame, j->held.data + at, sizeof(frame));
		size = sizeof(frame) + frame.open_len + (size_t)frame.attr_len + frame.note_len +
		       frame.text_len;
		if (j->held.len - at < size)
			break;
		put_case(j, &frame, j->held.data + at + sizeof(frame));
		at += size;
	}
	if (at) {
		memmove(j->held.data, j->held.data + at, j->held.len - at);
		j->held.len -= at;
	}
	return status;
}

/* "12 issues: 11 open (2 critical, 3 high), 1 dismissed" */
static void put_counts(const struct junit *j)
{
	const struct rt_facts *facts = j->facts;
	struct rt_emit *e = j->out;
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
	const struct rt_verdict *verdict = j->facts->verdict;

	for (size_t i = 0; verdict && i < verdict->count; i++) {
		char text[160];

		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		rt_emit_text(j->out, verdict->conditions[i].pass ? "\npass: " : "\nfail: ");
		rt_emit_text(j->out, text);
	}
}

/* The case that is always there (R28). */
static void put_first(struct junit *j)
{
	const struct rt_verdict *verdict = j->facts->verdict;
	bool failed = verdict && !verdict->pass;

	rt_emit_text(j->out, "<testcase classname=\"retriage\" name=\"");
	rt_emit_text(j->out, verdict ? "gate" : "read");
	rt_emit_text(j->out, "\" time=\"0\">");
	rt_emit_text(j->out, failed ? "<failure message=\"the gate fails\" type=\"gate\">"
				    : "<system-out>");
	put_counts(j);
	if (j->facts->filter.len) {
		rt_emit_text(j->out, "\nfilter: ");
		j->part.len = 0;
		part_cut(j, rt_texts_mask(&j->texts, j->facts->filter, RT_MASK_LINES_BLANK),
			 FILTER_POINTS);
		rt_emit_slice(j->out, rt_buf_slice(&j->part));
	}
	if (j->facts->compared) {
		char text[RT_COMPARED_ROOM];

		rt_emit_text(j->out, "\nsince the baseline: ");
		rt_emit_text(j->out, rt_compared_text(j->facts->compared, text));
	}
	put_conditions(j);
	rt_emit_text(j->out, failed ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

/* The case of those that are not listed (R31); it fails if one of them would. */
static void put_rest(struct junit *j, uint64_t left_out, uint64_t failed)
{
	struct rt_emit *e = j->out;

	rt_emit_text(e, "<testcase classname=\"retriage\" name=\"not listed\" time=\"0\">");
	rt_emit_text(e, failed ? "<failure message=\"issues are not listed\" type=\"limit\">"
			       : "<system-out>");
	rt_emit_uint(e, left_out);
	rt_emit_text(e, left_out == 1 ? " issue is not listed here, "
				      : " issues are not listed here, ");
	rt_emit_uint(e, failed);
	rt_emit_text(e, " of them as failures: a report of this kind has at most ");
	rt_emit_uint(e, j->settings->max_findings);
	rt_emit_text(e,
		     j->settings->max_findings == 1 ? " issue and 25 MB." : " issues and 25 MB.");
	rt_emit_text(e, failed ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

struct counters {
	uint64_t tests, failures, skipped, left_out, left_failed;
};

static struct counters count(const struct junit *j)
{
	struct counters c = {.tests = 1 + j->listed};

	c.failures = j->facts->verdict && !j->facts->verdict->pass;
	for (uint32_t i = 0; i < CLASSES; i++) {
		enum form form = form_of(j, i);

		c.failures += form == FAILED ? j->classes[i].listed : 0;
		c.skipped += form == SKIPPED ? j->classes[i].listed : 0;
		c.left_out += j->classes[i].left_out;
		c.left_failed += form == FAILED ? j->classes[i].left_out : 0;
	}
	c.tests += c.left_out > 0;
	c.failures += c.left_failed > 0;
	return c;
}

static void put_head(struct junit *j, const struct counters *c)
{
	char text[400];

	(void)snprintf(text, sizeof(text),
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<testsuites name=\"retriage\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
		       "\" errors=\"0\" time=\"0\">\n"
		       "<testsuite name=\"retriage\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
		       "\" errors=\"0\" skipped=\"%" PRIu64 "\" time=\"0\">\n",
		       c->tests, c->failures, c->tests, c->failures, c->skipped);
	rt_emit_text(j->out, text);
}

static enum rt_status junit_end(void *state, char *notice, size_t cap, struct rt_error *err)
{
	struct junit *j = state;
	struct counters c = count(j);
	struct rt_sink sink = {take_spool, j};
	char listed[RT_COUNT_ROOM], all[RT_COUNT_ROOM];
	enum rt_status status;

	if (c.left_out)
		(void)snprintf(notice, cap,
			       "junit has cases of %s of %s issues; one more case counts the rest",
			       rt_count_text(j->listed, listed),
			       rt_count_text(c.left_out + j->listed, all));
	put_head(j, &c);
	put_first(j);
	status = rt_spool_copy(&j->spool, &sink, err);
	if (status != RT_OK)
		return status;
	if (c.left_out)
		put_rest(j, c.left_out, c.left_failed);
	rt_emit_text(j->out, "</testsuite>\n</testsuites>\n");
	return rt_texts_status(&j->texts, err);
}

static void junit_release(void *state)
{
	struct junit *j = state;

	rt_spool_release(&j->spool);
	rt_ordinals_release(&j->names);
	rt_texts_release(&j->texts);
	rt_buf_release(&j->name);
	rt_buf_release(&j->scratch);
	rt_buf_release(&j->part);
	rt_buf_release(&j->held);
}

static enum rt_status junit_begin(void *state, const struct rt_report_settings *settings,
				  const struct rt_facts *facts, struct rt_emit *out,
				  struct rt_error *err)
{
	struct junit *j = state;

	j->settings = settings;
	j->facts = facts;
	j->out = out;
	rt_texts_init(&j->texts, settings);
	rt_spool_init(&j->spool);
	return rt_ordinals_init(&j->names, err);
}

const struct rt_report_kind rt_kind_junit = {
    .name = "junit",
    .state_bytes = sizeof(struct junit),
    .begin = junit_begin,
    .issue = junit_issue,
    .end = junit_end,
    .release = junit_release,
};
