/*
 * The Markdown report (REPORTS R19 to R22), for summaries of jobs and comments.
 *
 * It is fitted into its bytes by losing detail, never by a cut. Reserved are a head and a closing
 * line, which are short whatever the counts. What is left goes to the other parts of the head, then
 * to the findings, worst first: with details as long as those have not taken half of the room, as
 * rows after that; what is left out then is counted. One finding takes a quarter of the room at
 * most, and has fewer details rather than more. The findings of a rule stand together, where its
 * worst one has its place, and what the texts of that one say is not said again.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/map.h"
#include "base/siphash.h"
#include "output/kind.h"
#include "output/markdown.h"

/* Bytes that what is reserved fits into, whatever the counts: it needs some 600. */
#define LIMIT_MIN 1024u
/* Code points of a title in a row, and of the report's own title. */
#define TITLE_POINTS 120u
#define CVSS_POINTS 20u
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

/* Texts that findings of one rule often have in common. */
static const enum rt_member shared_texts[] = {RT_M_DESCRIPTION, RT_M_CODE_SNIPPET, RT_M_EXPLANATION,
					      RT_M_REMEDIATION, RT_M_REMEDIATION_CODE};
#define SHARED (sizeof(shared_texts) / sizeof(*shared_texts))

/* The findings of a rule. */
struct group {
	struct rt_buf name; /* severity of the worst one and rule, as in its summary */
	struct rt_buf text; /* findings with details, then rows */
	uint64_t count;
	bool rows;
	uint64_t said[SHARED]; /* hashes of the texts of the worst one */
};

struct md {
	struct rt_reporting r;
	struct rt_siphash_key key;
	struct rt_map numbers; /* of groups by their rules, from 1 */
	struct rt_buf groups;  /* of struct group, in the order of their worst findings */
	struct group *group;   /* of the finding that is put */
	enum detail detail;    /* of its piece */
	struct rt_buf head, piece, scratch;
	size_t left;  /* bytes that findings may still take */
	size_t share; /* bytes that one may */
	size_t half;  /* bytes that are for rows alone */
	uint64_t listed;
	bool rows; /* there are no more details */
	bool full; /* nor rows */
};

/* --- Pieces ------------------------------------------------------------------------------ */

static void add(struct md *m, struct rt_slice text)
{
	if (m->r.texts.status == RT_OK && text.len)
		m->r.texts.status = rt_buf_append(&m->piece, text.ptr, text.len, &m->r.texts.err);
}

static void add_text(struct md *m, const char *text)
{
	add(m, rt_slice_of(text));
}

/* Words of our own, at most 255 bytes. */
static void say(struct md *m, const char *format, ...) RT_PRINTF(2, 3);

static void say(struct md *m, const char *format, ...)
{
	char text[RT_COMPARED_ROOM + 32];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_text(m, text);
}

static void add_words(struct md *m, struct rt_slice text)
{
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_markdown_words(text, &m->piece, &m->r.texts.err);
}

static void add_span(struct md *m, struct rt_slice text)
{
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_markdown_span(text, &m->piece, &m->r.texts.err);
}

static void add_fence(struct md *m, struct rt_slice text)
{
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_markdown_fence(text, &m->piece, &m->r.texts.err);
}

static void add_html(struct md *m, struct rt_slice text)
{
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_markdown_html(text, &m->piece, &m->r.texts.err);
}

/* The first code points of a text, in m->scratch. */
static struct rt_slice cut(struct md *m, struct rt_slice text, size_t max)
{
	m->scratch.len = 0;
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_text_cut(text, max, &m->scratch, &m->r.texts.err);
	return m->r.texts.status == RT_OK ? rt_buf_slice(&m->scratch) : RT_SLICE("");
}

/* Move the piece to the end of to. */
static void add_piece(struct md *m, struct rt_buf *to)
{
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_buf_append(to, m->piece.data, m->piece.len, &m->r.texts.err);
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

/* The verdict of a comparison below a heading that has that of the gate. */
static void add_since(struct md *m)
{
	char text[RT_COMPARED_ROOM];

	if (m->r.facts->compared && m->r.facts->verdict)
		say(m, "Since the baseline: %s.\n\n", rt_compared_text(m->r.facts->compared, text));
}

/* A condition in words; a tool that it names may be somebody's text. */
static void add_condition(struct md *m, const struct rt_condition *condition)
{
	char text[192];

	rt_condition_text(condition, text, sizeof(text));
	if (condition->kind == RT_CONDITION_TOOL || condition->kind == RT_CONDITION_SCANS)
		add_words(m, rt_texts_mask(&m->r.texts, rt_slice_of(text), RT_MASK_LINES_BLANK));
	else
		add_text(m, text);
}

/* What the heading says after the title: of the verdict, as much as is asked for. */
static void add_verdict(struct md *m, bool conditions)
{
	const struct rt_facts *facts = m->r.facts;
	const struct rt_verdict *verdict = facts->verdict;
	char text[RT_COMPARED_ROOM];

	if (!verdict && facts->compared && conditions)
		add_text(m, rt_compared_text(facts->compared, text));
	else if (!verdict && facts->compared)
		say(m, "%s new", RT_COUNT(facts->compared->fresh));
	else if (!verdict)
		say(m, "%s open of %s issue%s", RT_COUNT(facts->open), RT_COUNT(facts->total),
		    RT_S(facts->total));
	else
		add_text(m, verdict->pass ? "**pass**" : "**fail**");
	for (size_t i = 0; verdict && conditions && i < verdict->count; i++) {
		if (verdict->conditions[i].pass != verdict->pass)
			continue;
		add_text(m, ": ");
		add_condition(m, &verdict->conditions[i]);
		return;
	}
}

static void add_heading(struct md *m, bool title, bool conditions)
{
	struct rt_slice text = title ? m->r.settings->title : (struct rt_slice){0};

	add_text(m, "### ");
	if (text.len) {
		text = rt_texts_mask(&m->r.texts, text, RT_MASK_LINES_BLANK);
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
	return m->r.facts->levels[RT_LEVEL_OTHER] ? RT_LEVELS : RT_LEVELS - 1;
}

static void add_figures(struct md *m, const char *name, const uint64_t counts[RT_LEVELS])
{
	add_text(m, name);
	for (unsigned i = 0; i < columns(m); i++) {
		say(m, " %s |", RT_COUNT(counts[i]));
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
	add_figures(m, "\n| open |", m->r.facts->open_levels);
	if (m->r.facts->compared) {
		add_figures(m, "\n| new |", m->r.facts->compared->fresh_open);
		add_figures(m, "\n| gone |", m->r.facts->compared->gone_levels);
	}
	add_text(m, "\n\n");
}

/* The rules with the worst open ones. */
static void add_rules(struct md *m)
{
	const struct rt_tally *rules = &m->r.facts->categories;

	if (m->r.facts->open < RULES_LEAST || rules->count < 2 || !rules->rows[1].open)
		return;
	add_columns(m, "| rules, worst first |");
	for (size_t i = 0; i < rules->count && i < RULES_MAX && rules->rows[i].open; i++) {
		struct rt_slice name =
		    rt_texts_mask(&m->r.texts, rules->rows[i].text, RT_MASK_LINES_BLANK);

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
	const struct rt_facts *facts = m->r.facts;
	uint64_t count = facts->levels[RT_LEVEL_OTHER];

	if (!count)
		return;
	say(m, "**%s issue%s a severity that is no level**", RT_COUNT(count),
	    count == 1 ? " has" : "s have");
	for (size_t i = 0; values && i < facts->severity_count && i < VALUES_MAX; i++) {
		struct rt_slice text =
		    rt_texts_mask(&m->r.texts, facts->severities[i].text, RT_MASK_LINES_BLANK);

		add_text(m, i ? ", " : ": ");
		add_span(m, cut(m, text, 40));
		say(m, "%s%s", facts->severities[i].text.len ? " " : "(empty) ",
		    RT_COUNT(facts->severities[i].count));
	}
	if (values && facts->severity_count > VALUES_MAX)
		add_text(m, " and others");
	if (values && facts->no_severity)
		say(m, "%s none %s", facts->severity_count ? "," : ":",
		    RT_COUNT(facts->no_severity));
	add_text(m, ".\n\n");
}

/* What the filter has left out; text: with the filter itself. */
static void add_filter(struct md *m, bool text)
{
	uint64_t count = m->r.facts->excluded;

	if (!m->r.facts->filter.len)
		return;
	say(m, "A filter has left out %s issue%s", RT_COUNT(count), RT_S(count));
	if (text) {
		add_text(m, ": ");
		add_span(m, rt_texts_mask(&m->r.texts, m->r.facts->filter, RT_MASK_LINES_BLANK));
	}
	add_text(m, ".\n\n");
}

/* All conditions, where the heading has room for one of several. */
static void add_conditions(struct md *m)
{
	const struct rt_verdict *verdict = m->r.facts->verdict;

	for (size_t i = 0; verdict && verdict->count > 1 && i < verdict->count; i++) {
		add_text(m, verdict->conditions[i].pass ? "- pass: " : "- **fail**: ");
		add_condition(m, &verdict->conditions[i]);
		add_text(m, i + 1 < verdict->count ? "\n" : "\n\n");
	}
}

static void add_expired(struct md *m)
{
	uint64_t expired = m->r.facts->expired;

	if (expired)
		say(m, "**%s dismissal%s expired** and count%s as open.\n\n", RT_COUNT(expired),
		    expired == 1 ? " has" : "s have", expired == 1 ? "s" : "");
}

static void add_overdue(struct md *m)
{
	uint64_t undated = rt_facts_undated(m->r.facts, m->r.settings->sla);

	if (!m->r.facts->overdue && !undated)
		return;
	say(m, "**%s overdue**", RT_COUNT(m->r.facts->overdue));
	for (unsigned i = 0, any = 0; i < RT_LEVELS; i++) {
		if (!m->r.facts->overdue_levels[i])
			continue;
		add_text(m, any++ ? ", " : ": ");
		add(m, rt_level_text(i));
		say(m, " %s", RT_COUNT(m->r.facts->overdue_levels[i]));
	}
	if (undated)
		say(m, "; %s of unknown age", RT_COUNT(undated));
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
	say(m, "Not shown: %s of %s open. Dismissed: %s.\n", RT_COUNT(left_out),
	    RT_COUNT(m->r.facts->open), RT_COUNT(m->r.facts->total - m->r.facts->open));
}

static void put_head(struct md *m)
{
	size_t limit = (size_t)m->r.settings->md_bytes, needed = reserve(m);

	add_closing(m, m->r.facts->open); /* as long as it can become */
	needed += m->piece.len;
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
	struct rt_slice text = rt_texts_severity(&m->r.texts);

	if (m->r.texts.finding->level != RT_LEVEL_OTHER) {
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
	struct rt_slice link = rt_texts_link(&m->r.texts);
	bool linked = link.ptr;

	link = cut(m, link, SIZE_MAX); /* which stays while the place is made */
	add_text(m, linked ? "[" : "");
	add_span(m, rt_texts_place(&m->r.texts, false));
	if (!linked)
		return;
	add_text(m, "](");
	if (m->r.texts.status == RT_OK)
		m->r.texts.status = rt_markdown_target(link, &m->piece, &m->r.texts.err);
	add_text(m, ")");
}

/* What is new; what is listed though it was dismissed, or because that has expired. */
static void add_mark(struct md *m)
{
	if (m->r.settings->compared && m->r.texts.finding->is_new)
		add_text(m, " (new)");
	if (m->r.texts.finding->status == RT_STATUS_OPEN)
		return;
	add_text(m, m->r.texts.finding->open ? " (dismissal expired)" : " (dismissed)");
}

static void add_row(struct md *m)
{
	add_text(m, "- ");
	add_severity(m, false);
	add_mark(m);
	add_text(m, DOT);
	add_place(m);
	add_text(m, DOT);
	add_words(m, rt_texts_title(&m->r.texts, TITLE_POINTS));
	add_text(m, "\n");
}

static void add_summary(struct md *m)
{
	add_text(m, "<details><summary>");
	add_severity(m, true);
	add_mark(m);
	add_text(m, DOT "<code>");
	add_html(m, rt_texts_place(&m->r.texts, false));
	add_text(m, "</code>" DOT "<code>");
	add_html(m, rt_texts_title(&m->r.texts, TITLE_POINTS));
	add_text(m, "</code></summary>\n\n");
}

/* A part of a line behind others, if there is any; points: at most so many of it. */
static void add_words_of(struct md *m, const char *before, struct rt_slice text, size_t points)
{
	if (!text.len)
		return;
	add_text(m, before);
	add_words(m, cut(m, text, points));
}

/* One line: category, CWE, OWASP, CVSS, exploitable, id. */
static void add_line(struct md *m)
{
	struct rt_texts *t = &m->r.texts;

	add_words_of(m, "", rt_texts_category(t), TITLE_POINTS);
	add_words_of(m, DOT, rt_texts_list(t, RT_M_CWE_IDS, RT_MASK_LINES_BLANK), TITLE_POINTS);
	add_words_of(m, DOT, rt_texts_member(t, RT_M_OWASP_CATEGORY, RT_MASK_LINES_BLANK),
		     TITLE_POINTS);
	add_words_of(m, DOT "CVSS ", rt_finding_number(t->finding, RT_M_CVSS_SCORE), CVSS_POINTS);
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
	const struct rt_record *record = m->r.texts.finding->record;

	return rt_record_has(record, b) && rt_slice_equal(record->values[a], record->values[b]);
}

/* Hashes of the texts that findings of a rule may have in common; 0: there is none. */
static void hash_texts(const struct md *m, uint64_t ret_hashes[SHARED])
{
	const struct rt_record *record = m->r.texts.finding->record;

	for (size_t i = 0; i < SHARED; i++)
		ret_hashes[i] = rt_record_has(record, shared_texts[i])
				    ? rt_siphash13_low(&m->key, record->values[shared_texts[i]])
				    : 0;
}

/* Whether the worst finding of the rule has said a text. */
static bool is_said(const struct md *m, enum rt_member member)
{
	uint64_t hashes[SHARED];
	bool said = false;

	hash_texts(m, hashes);
	for (size_t i = 0; m->group->count && i < SHARED; i++)
		said = said ||
		       (shared_texts[i] == member && hashes[i] && m->group->said[i] == hashes[i]);
	return said;
}

/* A text with lines that follow themselves once and their number, in m->scratch. */
static struct rt_slice fold_repeats(struct md *m, struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	m->scratch.len = 0;
	while (at < end && m->r.texts.status == RT_OK) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct rt_slice line = rt_slice_make(at, (size_t)((stop ? stop : end) - at));
		char times[48] = "";
		unsigned count = 0;

		for (; stop && line.len && (size_t)(end - at) >= line.len &&
		       !memcmp(at, line.ptr, line.len) &&
		       (at + line.len == end || at[line.len] == '\n');
		     count++)
			at += line.len + (at + line.len < end);
		if (!count)
			at = stop ? stop + 1 : end;
		if (count > 1)
			(void)snprintf(times, sizeof(times), " (%u times)", count);
		m->r.texts.status = rt_buf_append(&m->scratch, line.ptr, line.len, &m->r.texts.err);
		if (m->r.texts.status == RT_OK)
			m->r.texts.status =
			    rt_buf_append(&m->scratch, times, strlen(times), &m->r.texts.err);
		if (m->r.texts.status == RT_OK && at < end)
			m->r.texts.status = rt_buf_append(&m->scratch, "\n", 1, &m->r.texts.err);
	}
	return rt_buf_slice(&m->scratch);
}

/* A text, after its name in bold, unless the description or the worst one of the rule says it. */
static void add_member(struct md *m, enum rt_member member, const char *name)
{
	struct rt_slice text = rt_texts_member(&m->r.texts, member, RT_MASK_LINES_KEEP);

	if (!text.ptr || is_said(m, member) ||
	    (member != RT_M_DESCRIPTION && is_same(m, member, RT_M_DESCRIPTION)))
		return;
	add_text(m, name);
	add_words(m, fold_repeats(m, text));
	add_text(m, "\n\n");
}

static void add_code(struct md *m, enum rt_member member)
{
	struct rt_slice text;

	if (!rt_texts_shows_code(&m->r.texts) || is_said(m, member))
		return;
	text = rt_texts_member(&m->r.texts, member, RT_MASK_LINES_KEEP);
	if (!text.ptr)
		return;
	add_fence(m, text);
	add_text(m, "\n");
}

/* The whole title where the summary has only its beginning, unless the description is that. */
static void add_title(struct md *m)
{
	struct rt_slice shown = rt_texts_title(&m->r.texts, TITLE_POINTS), title;
	size_t len = shown.len;

	if (is_same(m, RT_M_TITLE, RT_M_DESCRIPTION))
		return;
	title = rt_texts_member(&m->r.texts, RT_M_TITLE, RT_MASK_LINES_KEEP);
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
	note = rt_texts_last_note(&m->r.texts, RT_MASK_LINES_KEEP);
	if (note.len) {
		add_text(m, "**Note:** ");
		add_words(m, note);
		add_text(m, "\n\n");
	}
	add_text(m, "</details>\n\n");
}

/* The group of the finding's rule. NULL: an error is kept. */
static struct group *find_group(struct md *m)
{
	struct rt_slice rule = cut(m, rt_texts_category(&m->r.texts), TITLE_POINTS);
	struct group fresh = {.count = 0};
	uint32_t *number;

	if (m->r.texts.status != RT_OK)
		return NULL;
	number = rt_map_put(&m->numbers, rt_siphash13(&m->key, rule), &m->r.texts.err);
	if (!number)
		m->r.texts.status = RT_FATAL;
	else if (!*number)
		m->r.texts.status =
		    rt_buf_append(&m->groups, &fresh, sizeof(fresh), &m->r.texts.err);
	if (m->r.texts.status != RT_OK)
		return NULL;
	if (!*number)
		*number = (uint32_t)(m->groups.len / sizeof(fresh));
	return (struct group *)(void *)m->groups.data + *number - 1;
}

/* What its summary says of a rule. */
static void name_group(struct md *m)
{
	add_severity(m, true);
	add_text(m, DOT "<code>");
	add_html(m, cut(m, rt_texts_category(&m->r.texts), TITLE_POINTS));
	add_text(m, "</code>" DOT);
	add_piece(m, &m->group->name);
}

#define GROUP_BEGIN "<details><summary>"
#define GROUP_NAMED " findings</summary>\n\n"
#define GROUP_END "</details>\n\n"
#define COUNT_BYTES sizeof("99,999,999")

/* Bytes that a finding takes beside its own: what is around those of a rule, once a second one
 * comes, and an empty line after rows. */
static size_t around(const struct md *m, bool row)
{
	size_t bytes = row && !m->group->rows;

	if (m->group->count == 1)
		bytes += sizeof(GROUP_BEGIN GROUP_NAMED GROUP_END) - 1 + COUNT_BYTES +
			 m->group->name.len;
	return bytes;
}

/* The finding is the worst one of its rule: what of its texts is said with such details. */
static void keep_said(struct md *m, enum detail detail)
{
	uint64_t *said = m->group->said;

	hash_texts(m, said);
	for (size_t i = 0; i < SHARED; i++) {
		bool code = shared_texts[i] == RT_M_CODE_SNIPPET ||
			    shared_texts[i] == RT_M_REMEDIATION_CODE;

		if (detail > NO_CODE ||
		    (code && (detail != ALL || !rt_texts_shows_code(&m->r.texts))))
			said[i] = 0;
	}
}

/* Put the piece to the group, if it leaves so many bytes. Returns whether it did. */
static bool put_finding(struct md *m, bool row, size_t least)
{
	size_t bytes = m->piece.len + around(m, row);
	bool fits = bytes <= m->left && m->left - bytes >= least;

	if (fits) {
		m->left -= bytes;
		add_piece(m, &m->group->text);
		if (!m->group->count)
			name_group(m);
		if (!m->group->count)
			keep_said(m, row ? DETAILS : m->detail);
		m->group->count++;
		m->group->rows = row;
		m->listed++;
	}
	m->piece.len = 0;
	return fits;
}

/* With as many details as its share allows. Returns whether it fitted. */
static bool put_details(struct md *m)
{
	for (enum detail detail = ALL; detail < DETAILS; detail++) {
		m->piece.len = 0;
		m->detail = detail;
		add_details(m, detail);
		if (m->piece.len <= m->share)
			break;
	}
	return put_finding(m, false, m->half);
}

/* Write the groups. A rule with one finding has none around it. */
static void emit_groups(struct md *m)
{
	const struct group *groups = (const struct group *)(const void *)m->groups.data;
	bool list = false;

	for (size_t i = 0; i < m->groups.len / sizeof(*groups); i++) {
		const struct group *g = &groups[i];

		if (!g->count)
			continue;
		if (list && (g->count > 1 || !g->rows))
			rt_emit_text(m->r.out, "\n");
		if (g->count > 1) {
			rt_emit_text(m->r.out, GROUP_BEGIN);
			rt_emit_slice(m->r.out, rt_buf_slice(&g->name));
			rt_emit_text(m->r.out, RT_COUNT(g->count));
			rt_emit_text(m->r.out, GROUP_NAMED);
		}
		rt_emit_slice(m->r.out, rt_buf_slice(&g->text));
		if (g->count > 1)
			rt_emit_text(m->r.out, g->rows ? "\n" GROUP_END : GROUP_END);
		list = g->count == 1 && g->rows;
	}
	if (list)
		rt_emit_text(m->r.out, "\n");
}

/* --- The report -------------------------------------------------------------------------- */

static uint64_t md_wanted(const struct rt_report_settings *settings)
{
	return settings->md_bytes / ROW_BYTES + 1;
}

static void md_release(void *state)
{
	struct md *m = state;

	struct group *groups = (struct group *)(void *)m->groups.data;

	for (size_t i = 0; i < m->groups.len / sizeof(*groups); i++) {
		rt_buf_release(&groups[i].name);
		rt_buf_release(&groups[i].text);
	}
	rt_buf_release(&m->groups);
	rt_map_release(&m->numbers);
	rt_buf_release(&m->head);
	rt_buf_release(&m->piece);
	rt_buf_release(&m->scratch);
}

static enum rt_status md_begin(void *state, struct rt_error *err)
{
	struct md *m = state;

	if (m->r.settings->md_bytes < LIMIT_MIN)
		return rt_error_set(err, RT_E_USAGE,
				    "limit md: want at least %u bytes, have %" PRIu64, LIMIT_MIN,
				    m->r.settings->md_bytes);
	if (rt_siphash_key_init(&m->key, err) != RT_OK)
		return RT_FATAL;
	put_head(m);
	return RT_OK;
}

static enum rt_status md_issue(void *state, const struct rt_finding *finding, struct rt_error *err)
{
	struct md *m = state;

	(void)err;
	if (m->full || !rt_report_is_due(m->r.facts, finding))
		return RT_OK;
	m->group = find_group(m);
	if (m->group)
		m->rows = m->rows || !put_details(m);
	if (m->group && m->rows) {
		add_row(m);
		m->full = !put_finding(m, true, 0);
	}
	return RT_OK;
}

static enum rt_status md_end(void *state, struct rt_error *err)
{
	struct md *m = state;

	(void)err;
	/* Those that are open came first. */
	add_closing(m, m->listed < m->r.facts->open ? m->r.facts->open - m->listed : 0);
	rt_emit_slice(m->r.out, rt_buf_slice(&m->head));
	emit_groups(m);
	rt_emit_slice(m->r.out, rt_buf_slice(&m->piece));
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
