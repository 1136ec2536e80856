/*
 * The Markdown report (REPORTS R19 to R22), for summaries of jobs and comments.
 *
 * It is fitted into its bytes by losing detail, never by a cut. Reserved are a head and a closing
 * line, which are short whatever the counts. What is left goes to the other parts of the head,
 * then to findings with details. Where not all of them fit, details have half of that room, and
 * rows the other half; what is left out then is counted. One finding takes a quarter of the room
 * at most, and has fewer details rather than more.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "output/markdown.h"
#include "output/texts.h"

/* Bytes that what is reserved fits into, whatever the counts: it needs some 600. */
#define LIMIT_MIN 1024u
/* Code points of a title in a row, and of the report's own title. */
#define TITLE_POINTS 120u
/* Values that the banner of unknown severities names. */
#define VALUES_MAX 5u
/* Rules that are named. */
#define RULES_MAX 10u
/* Open findings from which on rules are said beside them. */
#define RULES_LEAST 10u
/* Bytes of the shortest row: "- low · `a` · x" and its end. */
#define ROW_BYTES 18u
/* What one finding may take of the room for all. */
#define SHARE 4u

#define DOT " \xC2\xB7 "

/* What is shown of a finding with details. */
enum detail { ALL, NO_CODE, FEW, DETAILS };

struct md {
	const struct rt_report_settings *settings;
	const struct rt_facts *facts;
	struct rt_emit *out;
	struct rt_texts texts;
	struct rt_buf head, list; /* what will be written */
	struct rt_buf later;      /* rows of the findings whose details may still have to go */
	struct rt_buf piece, scratch;
	size_t left;         /* bytes that the list may still take */
	size_t share;        /* bytes that one finding may */
	size_t half;         /* bytes that details may where there are rows */
	size_t kept;         /* bytes of the list that are within that: details of the first .. */
	uint64_t kept_count; /* .. so many */
	uint64_t listed;
	bool rows; /* details have stopped to fit */
	bool full; /* rows, too */
};

/* --- Pieces ------------------------------------------------------------------------------ */

static void add(struct md *m, struct rt_slice text)
{
	if (m->texts.status == RT_OK && text.len)
		m->texts.status = rt_buf_append(&m->piece, text.ptr, text.len, &m->texts.err);
}

static void add_text(struct md *m, const char *text)
{
	add(m, rt_slice_make(text, strlen(text)));
}

static void add_uint(struct md *m, uint64_t value)
{
	char text[RT_COUNT_ROOM];

	add_text(m, rt_count_text(value, text));
}

static void add_words(struct md *m, struct rt_slice text)
{
	if (m->texts.status == RT_OK)
		m->texts.status = rt_markdown_words(text, &m->piece, &m->texts.err);
}

static void add_span(struct md *m, struct rt_slice text)
{
	if (m->texts.status == RT_OK)
		m->texts.status = rt_markdown_span(text, &m->piece, &m->texts.err);
}

static void add_fence(struct md *m, struct rt_slice text)
{
	if (m->texts.status == RT_OK)
		m->texts.status = rt_markdown_fence(text, &m->piece, &m->texts.err);
}

static void add_html(struct md *m, struct rt_slice text)
{
	if (m->texts.status == RT_OK)
		m->texts.status = rt_markdown_html(text, &m->piece, &m->texts.err);
}

/* The first code points of a text, in m->scratch. */
static struct rt_slice cut(struct md *m, struct rt_slice text, size_t max)
{
	m->scratch.len = 0;
	if (m->texts.status == RT_OK)
		m->texts.status = rt_text_cut(text, max, &m->scratch, &m->texts.err);
	return m->texts.status == RT_OK ? rt_buf_slice(&m->scratch) : RT_SLICE("");
}

/* Move the piece to the end of to. */
static void add_piece(struct md *m, struct rt_buf *to)
{
	if (m->texts.status == RT_OK)
		m->texts.status = rt_buf_append(to, m->piece.data, m->piece.len, &m->texts.err);
	m->piece.len = 0;
}

/* The same, if it fits. Returns whether it did. */
static bool take(struct md *m, struct rt_buf *to)
{
	bool fits = m->piece.len <= m->left;

	if (fits) {
		m->left -= m->piece.len;
		add_piece(m, to);
	}
	m->piece.len = 0;
	return fits;
}

/* --- The head ---------------------------------------------------------------------------- */

/* "9 new (1 critical, 2 high), 14 gone, 120 carried over", or the first number alone. */
static void add_compared(struct md *m, bool as_long)
{
	char text[RT_COMPARED_ROOM];

	if (as_long)
		add_text(m, rt_compared_text(m->facts->compared, text));
	else
		add_uint(m, m->facts->compared->fresh);
	add_text(m, as_long ? "" : " new");
}

/* The same below a heading that has the verdict. */
static void add_since(struct md *m)
{
	if (!m->facts->compared || !m->facts->verdict)
		return;
	add_text(m, "Since the baseline: ");
	add_compared(m, true);
	add_text(m, ".\n\n");
}

/* What the heading says after the title: of the verdict, as much as is asked for. */
static void add_verdict(struct md *m, bool conditions)
{
	const struct rt_verdict *verdict = m->facts->verdict;
	char text[160];

	if (!verdict && m->facts->compared) {
		add_compared(m, conditions);
		return;
	}
	if (!verdict) {
		add_uint(m, m->facts->open);
		add_text(m, " open of ");
		add_uint(m, m->facts->total);
		add_text(m, m->facts->total == 1 ? " issue" : " issues");
		return;
	}
	add_text(m, verdict->pass ? "**pass**" : "**fail**");
	for (size_t i = 0; conditions && i < verdict->count; i++) {
		if (verdict->conditions[i].pass != verdict->pass)
			continue;
		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		add_text(m, ": ");
		add_text(m, text);
		return;
	}
}

static void add_heading(struct md *m, bool title, bool conditions)
{
	struct rt_slice text = title ? m->settings->title : (struct rt_slice){0};

	add_text(m, "### ");
	if (text.len) {
		text = rt_texts_mask(&m->texts, text, RT_MASK_LINES_BLANK);
		add_words(m, cut(m, text, TITLE_POINTS));
	} else {
		add_text(m, "retriage");
	}
	add_text(m, ": ");
	add_verdict(m, conditions);
	add_text(m, "\n\n");
}

/* The column of severities that are no level is there where one is. */
static unsigned columns(const struct md *m)
{
	return m->facts->levels[RT_LEVEL_OTHER] ? RT_LEVELS : RT_LEVELS - 1;
}

static void add_figures(struct md *m, const char *name, const uint64_t counts[RT_LEVELS])
{
	add_text(m, name);
	for (unsigned i = 0; i < columns(m); i++) {
		add_text(m, " ");
		add_uint(m, counts[i]);
		add_text(m, " |");
	}
}

/* The first row of a table by severity, and the line under it. */
static void add_columns(struct md *m, const char *first)
{
	add_text(m, first);
	for (unsigned i = 0; i < columns(m); i++) {
		add_text(m, " ");
		add(m, i == RT_LEVEL_OTHER ? RT_SLICE("other") : rt_level_text(i));
		add_text(m, " |");
	}
	add_text(m, "\n| --- |");
	for (unsigned i = 0; i < columns(m); i++)
		add_text(m, " ---: |");
}

static void add_counts(struct md *m)
{
	add_columns(m, "| |");
	add_figures(m, "\n| open |", m->facts->open_levels);
	if (m->facts->compared) {
		add_figures(m, "\n| new |", m->facts->compared->fresh_open);
		add_figures(m, "\n| gone |", m->facts->compared->gone_levels);
	}
	add_text(m, "\n\n");
}

/* The rules with the worst open ones. */
static void add_rules(struct md *m)
{
	const struct rt_tally *rules = &m->facts->categories;

	if (m->facts->open < RULES_LEAST || rules->count < 2 || !rules->rows[1].open)
		return;
	add_columns(m, "| rules, worst first |");
	for (size_t i = 0; i < rules->count && i < RULES_MAX && rules->rows[i].open; i++) {
		struct rt_slice name =
		    rt_texts_mask(&m->texts, rules->rows[i].text, RT_MASK_LINES_BLANK);

		name = cut(m, name.len ? name : RT_SLICE("no rule"), TITLE_POINTS);
		add_text(m, "\n| ");
		/* A bar would end its cell, also in a code span. */
		for (size_t k = 0; k < m->scratch.len; k++) {
			if (m->scratch.data[k] == '|')
				m->scratch.data[k] = '/';
		}
		add_words(m, name);
		add_figures(m, " |", rules->rows[i].levels);
	}
	add_text(m, "\n\n");
}

/* Severities that are no level; values: the first few of them by name. */
static void add_banner(struct md *m, bool values)
{
	const struct rt_facts *facts = m->facts;
	uint64_t count = facts->levels[RT_LEVEL_OTHER];

	if (!count)
		return;
	add_text(m, "**");
	add_uint(m, count);
	add_text(m, count == 1 ? " issue has a severity that is no level**"
			       : " issues have a severity that is no level**");
	for (size_t i = 0; values && i < facts->severity_count && i < VALUES_MAX; i++) {
		struct rt_slice text =
		    rt_texts_mask(&m->texts, facts->severities[i].text, RT_MASK_LINES_BLANK);

		add_text(m, i ? ", " : ": ");
		add_span(m, cut(m, text, 40));
		add_text(m, facts->severities[i].text.len ? " " : "(empty) ");
		add_uint(m, facts->severities[i].count);
	}
	if (values && facts->severity_count > VALUES_MAX)
		add_text(m, " and others");
	if (values && facts->no_severity) {
		add_text(m, facts->severity_count ? ", none " : ": none ");
		add_uint(m, facts->no_severity);
	}
	add_text(m, ".\n\n");
}

/* What the filter has left out; text: with the filter itself. */
static void add_filter(struct md *m, bool text)
{
	uint64_t count = m->facts->excluded;

	if (!m->facts->filter.len)
		return;
	add_text(m, "A filter has left out ");
	add_uint(m, count);
	add_text(m, count == 1 ? " issue" : " issues");
	if (text) {
		add_text(m, ": ");
		add_span(m, rt_texts_mask(&m->texts, m->facts->filter, RT_MASK_LINES_BLANK));
	}
	add_text(m, ".\n\n");
}

/* All conditions, where the heading has room for one of several. */
static void add_conditions(struct md *m)
{
	const struct rt_verdict *verdict = m->facts->verdict;
	char text[160];

	for (size_t i = 0; verdict && verdict->count > 1 && i < verdict->count; i++) {
		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		add_text(m, verdict->conditions[i].pass ? "- pass: " : "- **fail**: ");
		add_text(m, text);
		add_text(m, i + 1 < verdict->count ? "\n" : "\n\n");
	}
}

static void add_expired(struct md *m)
{
	uint64_t expired = m->facts->expired;

	if (!expired)
		return;
	add_text(m, "**");
	add_uint(m, expired);
	add_text(m, expired == 1 ? " dismissal has expired** and counts as open.\n\n"
				 : " dismissals have expired** and count as open.\n\n");
}

static void add_overdue(struct md *m)
{
	uint64_t undated = rt_facts_undated(m->facts, m->settings->sla);

	if (!m->facts->overdue && !undated)
		return;
	add_text(m, "**");
	add_uint(m, m->facts->overdue);
	add_text(m, " overdue**");
	for (unsigned i = 0, any = 0; i < RT_LEVELS; i++) {
		if (!m->facts->overdue_levels[i])
			continue;
		add_text(m, any++ ? ", " : ": ");
		add(m, rt_level_text(i));
		add_text(m, " ");
		add_uint(m, m->facts->overdue_levels[i]);
	}
	if (undated) {
		add_text(m, "; ");
		add_uint(m, undated);
		add_text(m, " of unknown age");
	}
	add_text(m, ".\n\n");
}

/*
 * A part of the head in its long form, if that fits beside what is reserved, else in its short one,
 * which is reserved: its bytes are in m->left no more.
 */
static void put_part(struct md *m, void (*part)(struct md *m, bool as_long))
{
	size_t reserved;

	part(m, false);
	reserved = m->piece.len;
	m->piece.len = 0;
	m->left += reserved;
	part(m, true);
	if (take(m, &m->head))
		return;
	part(m, false);
	(void)take(m, &m->head);
}

static void heading(struct md *m, bool as_long)
{
	size_t size;

	add_heading(m, as_long, as_long);
	size = m->piece.len;
	if (!as_long || size <= m->left)
		return;
	/* Better without the title than without the reason. */
	m->piece.len = 0;
	add_heading(m, false, true);
}

static void put_optional(struct md *m, void (*part)(struct md *m))
{
	part(m);
	(void)take(m, &m->head);
}

/* Bytes of the shortest form of everything that has to be there. */
static size_t reserve(struct md *m)
{
	size_t bytes;

	add_heading(m, false, false);
	add_banner(m, false);
	add_filter(m, false);
	add_counts(m);
	bytes = m->piece.len;
	m->piece.len = 0;
	return bytes;
}

/* The closing line; left_out: how many open ones are not listed. */
static void add_closing(struct md *m, uint64_t left_out)
{
	add_text(m, "Not shown: ");
	add_uint(m, left_out);
	add_text(m, " of ");
	add_uint(m, m->facts->open);
	add_text(m, " open. Dismissed: ");
	add_uint(m, m->facts->total - m->facts->open);
	add_text(m, ".\n");
}

static void put_head(struct md *m)
{
	size_t limit = (size_t)m->settings->md_bytes, needed = reserve(m);

	add_closing(m, m->facts->open); /* as long as it can become */
	needed += m->piece.len + 1;     /* an empty line after rows */
	m->piece.len = 0;
	m->left = limit > needed ? limit - needed : 0;
	put_part(m, heading);
	put_optional(m, add_since);
	add_counts(m);
	m->left += m->piece.len;
	(void)take(m, &m->head);
	put_part(m, add_banner);
	put_part(m, add_filter);
	put_optional(m, add_conditions);
	put_optional(m, add_expired);
	put_optional(m, add_overdue);
	put_optional(m, add_rules);
	m->share = m->left / SHARE;
	m->half = m->left / 2;
}

/* --- Findings ---------------------------------------------------------------------------- */

/* A severity that is no level is somebody's text. */
static void add_severity(struct md *m, bool html)
{
	struct rt_slice text = rt_texts_severity(&m->texts);

	if (m->texts.finding->level != RT_LEVEL_OTHER) {
		add(m, text);
	} else if (html) {
		add_text(m, "<code>");
		add_html(m, cut(m, text, 40));
		add_text(m, "</code>");
	} else {
		add_span(m, cut(m, text, 40));
	}
}

/* The place, which leads to the source where --link says how. */
static void add_place(struct md *m)
{
	struct rt_slice link = rt_texts_link(&m->texts);
	bool linked = link.ptr;

	link = cut(m, link, SIZE_MAX); /* which stays while the place is made */
	add_text(m, linked ? "[" : "");
	add_span(m, rt_texts_place(&m->texts, false));
	if (!linked)
		return;
	add_text(m, "](");
	if (m->texts.status == RT_OK)
		m->texts.status = rt_markdown_target(link, &m->piece, &m->texts.err);
	add_text(m, ")");
}

/* What is new; what is listed though it was dismissed, or because that has expired. */
static void add_mark(struct md *m)
{
	if (m->settings->compared && m->texts.finding->is_new)
		add_text(m, " (new)");
	if (m->texts.finding->status == RT_STATUS_OPEN)
		return;
	add_text(m, m->texts.finding->open ? " (dismissal expired)" : " (dismissed)");
}

static void add_row(struct md *m)
{
	add_text(m, "- ");
	add_severity(m, false);
	add_mark(m);
	add_text(m, DOT);
	add_place(m);
	add_text(m, DOT);
	add_words(m, rt_texts_title(&m->texts, TITLE_POINTS));
	add_text(m, "\n");
}

static void add_summary(struct md *m)
{
	add_text(m, "<details><summary>");
	add_severity(m, true);
	add_mark(m);
	add_text(m, DOT "<code>");
	add_html(m, rt_texts_place(&m->texts, false));
	add_text(m, "</code>" DOT "<code>");
	add_html(m, rt_texts_title(&m->texts, TITLE_POINTS));
	add_text(m, "</code></summary>\n\n");
}

/* One line: category, CWE, OWASP, CVSS, exploitable, id. */
static void add_line(struct md *m)
{
	struct rt_texts *t = &m->texts;
	struct rt_slice text;

	add_words(m, cut(m, rt_texts_category(t), TITLE_POINTS));
	text = rt_texts_list(t, RT_M_CWE_IDS, RT_MASK_LINES_BLANK);
	if (text.len) {
		add_text(m, DOT);
		add_words(m, cut(m, text, TITLE_POINTS));
	}
	text = rt_texts_member(t, RT_M_OWASP_CATEGORY, RT_MASK_LINES_BLANK);
	if (text.len) {
		add_text(m, DOT);
		add_words(m, cut(m, text, TITLE_POINTS));
	}
	text = rt_finding_number(t->finding, RT_M_CVSS_SCORE);
	if (text.ptr) {
		add_text(m, DOT "CVSS ");
		add_words(m, cut(m, text, 20));
	}
	if (rt_finding_flag(t->finding, RT_M_EXPLOITABLE) == 1)
		add_text(m, DOT "**exploitable**");
	add_text(m, DOT);
	add_span(
	    m, cut(m, rt_texts_mask(t, t->finding->record->id, RT_MASK_LINES_BLANK), TITLE_POINTS));
	if (rt_texts_link(t).ptr) {
		add_text(m, DOT);
		add_place(m);
	}
	add_text(m, "\n\n");
}

/* Whether two members, a one that is there, have one text, as where a scanner has only one. */
static bool is_same(const struct md *m, enum rt_member a, enum rt_member b)
{
	const struct rt_record *record = m->texts.finding->record;

	return rt_record_has(record, b) && rt_slice_equal(record->values[a], record->values[b]);
}

/* A text, after its name in bold, unless the description has said it. */
static void add_member(struct md *m, enum rt_member member, const char *name)
{
	struct rt_slice text = rt_texts_member(&m->texts, member, RT_MASK_LINES_KEEP);

	if (!text.ptr || (member != RT_M_DESCRIPTION && is_same(m, member, RT_M_DESCRIPTION)))
		return;
	add_text(m, name);
	add_words(m, text);
	add_text(m, "\n\n");
}

static void add_code(struct md *m, enum rt_member member)
{
	struct rt_slice text;

	if (!rt_texts_shows_code(&m->texts))
		return;
	text = rt_texts_member(&m->texts, member, RT_MASK_LINES_KEEP);
	if (!text.ptr)
		return;
	add_fence(m, text);
	add_text(m, "\n");
}

/* The whole title where the summary has only its beginning, unless the description is that. */
static void add_title(struct md *m)
{
	struct rt_slice shown = rt_texts_title(&m->texts, TITLE_POINTS), title;
	size_t len = shown.len;

	if (is_same(m, RT_M_TITLE, RT_M_DESCRIPTION))
		return;
	title = rt_texts_member(&m->texts, RT_M_TITLE, RT_MASK_LINES_KEEP);
	if (title.len <= len)
		return;
	add_words(m, title);
	add_text(m, "\n\n");
}

static void add_details(struct md *m, enum detail detail)
{
	struct rt_slice note;

	add_summary(m);
	add_line(m);
	if (detail == FEW) {
		add_text(m, "Its texts are too long to be shown here.\n\n</details>\n\n");
		return;
	}
	add_title(m);
	add_member(m, RT_M_DESCRIPTION, "");
	if (detail == ALL)
		add_code(m, RT_M_CODE_SNIPPET);
	add_member(m, RT_M_EXPLANATION, "");
	add_member(m, RT_M_REMEDIATION, "**Remediation:** ");
	if (detail == ALL)
		add_code(m, RT_M_REMEDIATION_CODE);
	note = rt_texts_last_note(&m->texts, RT_MASK_LINES_KEEP);
	if (note.len) {
		add_text(m, "**Note:** ");
		add_words(m, note);
		add_text(m, "\n\n");
	}
	add_text(m, "</details>\n\n");
}

/* With as many details as its share allows. Returns whether it fitted. */
static bool put_details(struct md *m)
{
	for (enum detail detail = ALL; detail < DETAILS; detail++) {
		m->piece.len = 0;
		add_details(m, detail);
		if (m->piece.len <= m->share)
			break;
	}
	return take(m, &m->list);
}

static void put_row(struct md *m)
{
	m->full = !take(m, &m->list);
	m->listed += !m->full;
}

/* A finding that has its details: its row, too, unless they stay whatever comes. */
static void keep_row(struct md *m)
{
	m->listed++;
	if (m->list.len <= m->half) {
		m->kept = m->list.len;
		m->kept_count = m->listed;
		return;
	}
	add_row(m);
	add_piece(m, &m->later);
}

/* Not all findings have room for details: those that came last get rows in their place. */
static void make_rows(struct md *m)
{
	const char *at = m->later.data, *end = rt_slice_end(rt_buf_slice(&m->later));

	m->rows = true;
	m->left += m->list.len - m->kept;
	m->list.len = m->kept;
	m->listed = m->kept_count;
	while (at < end && !m->full) {
		const char *next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;

		add(m, rt_slice_make(at, (size_t)(next - at)));
		put_row(m);
		at = next;
	}
	m->later.len = 0;
}

/* --- The report -------------------------------------------------------------------------- */

static uint64_t md_wanted(const struct rt_report_settings *settings)
{
	return settings->md_bytes / ROW_BYTES + 1;
}

static void md_release(void *state)
{
	struct md *m = state;

	rt_texts_release(&m->texts);
	rt_buf_release(&m->head);
	rt_buf_release(&m->list);
	rt_buf_release(&m->later);
	rt_buf_release(&m->piece);
	rt_buf_release(&m->scratch);
}

static enum rt_status md_begin(void *state, const struct rt_report_settings *settings,
			       const struct rt_facts *facts, struct rt_emit *out,
			       struct rt_error *err)
{
	struct md *m = state;

	if (settings->md_bytes < LIMIT_MIN)
		return rt_error_set(err, RT_E_USAGE,
				    "limit md: want at least %u bytes, have %" PRIu64, LIMIT_MIN,
				    settings->md_bytes);
	m->settings = settings;
	m->facts = facts;
	m->out = out;
	rt_texts_init(&m->texts, settings);
	put_head(m);
	return rt_texts_status(&m->texts, err);
}

static enum rt_status md_issue(void *state, const struct rt_finding *finding, struct rt_error *err)
{
	struct md *m = state;

	if (m->full || !rt_report_is_due(m->facts, finding))
		return RT_OK;
	m->texts.finding = finding;
	if (!m->rows && put_details(m)) {
		keep_row(m);
	} else {
		if (!m->rows)
			make_rows(m);
		if (!m->full) {
			add_row(m);
			put_row(m);
		}
	}
	return rt_texts_status(&m->texts, err);
}

static enum rt_status md_end(void *state, char *notice, size_t cap, struct rt_error *err)
{
	struct md *m = state;

	(void)notice;
	(void)cap;
	/* A list ends with an empty line. */
	if (m->rows && m->listed)
		add_text(m, "\n");
	/* Those that are open came first. */
	add_closing(m, m->listed < m->facts->open ? m->facts->open - m->listed : 0);
	if (rt_texts_status(&m->texts, err) != RT_OK)
		return m->texts.status;
	rt_emit_slice(m->out, rt_buf_slice(&m->head));
	rt_emit_slice(m->out, rt_buf_slice(&m->list));
	rt_emit_slice(m->out, rt_buf_slice(&m->piece));
	return RT_OK;
}

const struct rt_report_kind rt_kind_md = {
    .name = "md",
    .triage = true,
    .wanted = md_wanted,
    .state_bytes = sizeof(struct md),
    .begin = md_begin,
    .issue = md_issue,
    .end = md_end,
    .release = md_release,
};
