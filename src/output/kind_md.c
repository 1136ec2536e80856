/*
 * The Markdown report (REPORTS R19 to R22), for summaries of jobs and comments.
 *
 * It is fitted into its bytes by losing detail, never by a cut. Reserved are the shortest form of
 * the head and the closing line, which are short whatever the counts. What is left goes to the
 * other parts of the head, then to the findings, worst first: with details as long as those have
 * not taken half of the room, as rows after that; what is left out then is counted. One finding
 * takes a quarter of the room at most, and has fewer details rather than more. The findings of a
 * rule stand together, rules in the order of their table, and what the texts of its worst one say
 * is not said again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/siphash.h"
#include "output/kind.h"
#include "output/markdown.h"

/* Bytes that what is reserved fits into, whatever the counts: it needs some 600. */
#define LIMIT_MIN 1024u
/* Code points of a title in a row, and of the report's own title; of a severity that is no level.
 */
#define TITLE_POINTS 120u
#define CVSS_POINTS 20u
#define VALUE_POINTS 40u
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

/* A part of the head in the form that is reserved, which is nothing of those that may be left out;
 * without the report's own title; whole. */
enum form { SHORT, UNTITLED, LONG };

/* What is shown of a finding with details. */
enum detail { ALL, NO_CODE, FEW, DETAILS };

/* Texts in details, in their order; those after the description are none where they are the same.
 */
static const struct {
	enum rt_member member;
	bool code;
	const char *form;
} details[] = {
    {RT_M_DESCRIPTION, false, "%w\n\n"},   {RT_M_CODE_SNIPPET, true, "%f\n"},
    {RT_M_EXPLANATION, false, "%w\n\n"},   {RT_M_REMEDIATION, false, "**Remediation:** %w\n\n"},
    {RT_M_REMEDIATION_CODE, true, "%f\n"},
};
#define TEXTS (sizeof(details) / sizeof(*details))

/* The findings of a rule. */
struct group {
	struct rt_buf name; /* severity of the worst one and rule, as in its summary */
	struct rt_buf text; /* findings with details, then rows */
	uint64_t count;
	uint64_t open; /* of the rule, listed or not */
	size_t rank;   /* of the rule in the table of rules */
	bool rows;
	uint64_t said[TEXTS]; /* hashes of the texts of the worst one; 0: not said */
};

struct md {
	struct rt_reporting r;
	struct rt_siphash_key key;
	struct rt_map numbers; /* of groups by their rules, from 1 */
	struct rt_buf groups;  /* of struct group, in the order of their worst findings */
	struct group *group;   /* of the finding that is put */
	uint64_t said[TEXTS];  /* of its piece, as in the group */
	struct rt_buf head, piece;
	size_t left;  /* bytes that findings may still take */
	size_t share; /* bytes that one may */
	size_t half;  /* bytes that are for rows alone */
	uint64_t listed;
	bool rows; /* there are no more details */
	bool full; /* nor rows */
};

/* --- Pieces ------------------------------------------------------------------------------ */

/* Add a form and its values to the piece, as rt_markdown_fill() has it. */
#define ADD(m, ...) add(m, RT_SLOTS(__VA_ARGS__))

static void add(struct md *m, const struct rt_slot *slots)
{
	struct rt_put put = {&m->piece, &m->r.texts.err, m->r.texts.status};

	rt_markdown_fill(&put, slots);
	m->r.texts.status = put.status;
}

static struct rt_slice cut(struct md *m, struct rt_slice text, size_t max)
{
	return rt_texts_cut(&m->r.texts, text, max);
}

/* A text of the whole report, masked; in the bytes of the finding's texts. */
static struct rt_slice masked(struct md *m, struct rt_slice text)
{
	return rt_texts_mask(&m->r.texts, text, RT_MASK_LINES_BLANK);
}

/* Move the piece to the end of to. */
static void add_piece(struct md *m, struct rt_buf *to)
{
	RT_STEP(&m->r.texts, rt_buf_append(to, m->piece.data, m->piece.len, &m->r.texts.err));
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

/* A condition in words; a tool that it names may be somebody's text. */
static void add_condition(struct md *m, const struct rt_condition *condition)
{
	char text[192];

	rt_condition_text(condition, text, sizeof(text));
	if (condition->kind == RT_CONDITION_TOOL || condition->kind == RT_CONDITION_SCANS)
		ADD(m, "%w", masked(m, rt_slice_of(text)));
	else
		ADD(m, "%s", text);
}

/* The title, and the verdict with the first condition that it is due to. */
static void add_heading(struct md *m, enum form form)
{
	const struct rt_facts *facts = m->r.facts;
	const struct rt_verdict *verdict = facts->verdict;
	struct rt_slice title = form == LONG ? m->r.settings->title : RT_SLICE("");
	char text[RT_COMPARED_ROOM];

	title = masked(m, title.len ? title : RT_SLICE("retriage"));
	ADD(m, "### %w: ", cut(m, title, TITLE_POINTS));
	if (verdict)
		ADD(m, verdict->pass ? "**pass**" : "**fail**");
	else if (facts->compared && form)
		ADD(m, "%s", rt_compared_text(facts->compared, text));
	else if (facts->compared)
		ADD(m, "%n new", facts->compared->fresh);
	else
		ADD(m, "%n open of %n issue%s", facts->open, facts->total, RT_S(facts->total));
	for (size_t i = 0; verdict && form && i < verdict->count; i++) {
		if (verdict->conditions[i].pass != verdict->pass)
			continue;
		ADD(m, ": ");
		add_condition(m, &verdict->conditions[i]);
		break;
	}
	ADD(m, "\n\n");
}

/* The verdict of a comparison below a heading that has that of the gate. */
static void add_since(struct md *m, enum form form)
{
	char text[RT_COMPARED_ROOM];

	if (form && m->r.facts->compared && m->r.facts->verdict)
		ADD(m, "Since the baseline: %s.\n\n", rt_compared_text(m->r.facts->compared, text));
}

/* The column of severities that are no level is there where one is. */
static unsigned columns(const struct md *m)
{
	return m->r.facts->levels[RT_LEVEL_OTHER] ? RT_LEVELS : RT_LEVELS - 1;
}

static void add_figures(struct md *m, const uint64_t counts[RT_LEVELS])
{
	for (unsigned i = 0; i < columns(m); i++)
		ADD(m, " %n |", counts[i]);
}

/* The first row of a table by severity, and the line under it. */
static void add_columns(struct md *m, const char *first)
{
	ADD(m, "| %s", first);
	for (unsigned i = 0; i < columns(m); i++)
		ADD(m, "| %t ", i == RT_LEVEL_OTHER ? RT_SLICE("other") : rt_level_text(i));
	ADD(m, "|\n| --- |");
	for (unsigned i = 0; i < columns(m); i++)
		ADD(m, " ---: |");
}

static void add_counts(struct md *m, enum form form)
{
	const struct rt_compared *compared = m->r.facts->compared;

	(void)form;
	add_columns(m, "");
	ADD(m, "\n| open |");
	add_figures(m, m->r.facts->open_levels);
	if (compared && !compared->by_class) {
		ADD(m, "\n| new |");
		add_figures(m, compared->fresh_open);
		ADD(m, "\n| gone |");
		add_figures(m, compared->gone_levels);
	}
	ADD(m, "\n\n");
}

/* Severities that are no level, the first few of them by name. */
static void add_banner(struct md *m, enum form form)
{
	const struct rt_facts *facts = m->r.facts;
	uint64_t count = facts->levels[RT_LEVEL_OTHER];

	if (!count)
		return;
	ADD(m, "**%n issue%s a severity that is no level**", count, count == 1 ? " has" : "s have");
	for (size_t i = 0; form && i < facts->severity_count && i < VALUES_MAX; i++) {
		struct rt_slice text = facts->severities[i].text;

		ADD(m, "%s%c%s%n", i ? ", " : ": ", cut(m, masked(m, text), VALUE_POINTS),
		    text.len ? " " : "(empty) ", facts->severities[i].count);
	}
	ADD(m, "%( and others%)%(%s none %n%).\n\n", form && facts->severity_count > VALUES_MAX,
	    form && facts->no_severity, facts->severity_count ? "," : ":", facts->no_severity);
}

/* What the filter has left out, and the filter itself. */
static void add_filter(struct md *m, enum form form)
{
	const struct rt_facts *facts = m->r.facts;

	if (facts->filter.len)
		ADD(m, "A filter has left out %n issue%s%(: %c%).\n\n", facts->excluded,
		    RT_S(facts->excluded), form, masked(m, facts->filter));
}

/* All conditions, where the heading has room for one of several. */
static void add_conditions(struct md *m, enum form form)
{
	const struct rt_verdict *verdict = m->r.facts->verdict;

	for (size_t i = 0; form && verdict && verdict->count > 1 && i < verdict->count; i++) {
		ADD(m, verdict->conditions[i].pass ? "- pass: " : "- **fail**: ");
		add_condition(m, &verdict->conditions[i]);
		ADD(m, i + 1 < verdict->count ? "\n" : "\n\n");
	}
}

static void add_expired(struct md *m, enum form form)
{
	uint64_t expired = m->r.facts->expired;

	if (form && expired)
		ADD(m, "**%n dismissal%s expired** and count%s as open.\n\n", expired,
		    expired == 1 ? " has" : "s have", expired == 1 ? "s" : "");
}

static void add_overdue(struct md *m, enum form form)
{
	uint64_t undated = rt_facts_undated(m->r.facts, m->r.settings->sla);
	const char *before = ": ";

	if (!form || (!m->r.facts->overdue && !undated))
		return;
	ADD(m, "**%n overdue**", m->r.facts->overdue);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (!m->r.facts->overdue_levels[i])
			continue;
		ADD(m, "%s%t %n", before, rt_level_text(i), m->r.facts->overdue_levels[i]);
		before = ", ";
	}
	ADD(m, "%(; %n of unknown age%).\n\n", undated, undated);
}

/* The rules with the worst open ones. */
static void add_rules(struct md *m, enum form form)
{
	const struct rt_tally *rules = &m->r.facts->categories;

	if (!form || m->r.facts->open < RULES_LEAST || rules->count < 2 || !rules->rows[1].open)
		return;
	add_columns(m, "rules, worst first ");
	for (size_t i = 0; i < rules->count && i < RULES_MAX && rules->rows[i].open; i++) {
		struct rt_slice name = masked(m, rules->rows[i].text);

		name = cut(m, name.len ? name : RT_SLICE("no rule"), TITLE_POINTS);
		/* A bar would end its cell, also in a code span. */
		for (size_t k = 0; k < name.len; k++) {
			if (name.ptr[k] == '|')
				m->r.texts.cut.data[k] = '/';
		}
		ADD(m, "\n| %w |", name);
		add_figures(m, rules->rows[i].levels);
	}
	ADD(m, "\n\n");
}

/* The closing line; left_out: how many open ones are not listed. */
static void add_closing(struct md *m, uint64_t left_out)
{
	ADD(m, "Not shown: %n of %n open. Dismissed: %n.\n", left_out, m->r.facts->open,
	    m->r.facts->total - m->r.facts->open);
}

/* Each part in the longest form that fits beside what is reserved for those after it. */
static void put_head(struct md *m)
{
	static void (*const parts[])(struct md * m, enum form form) = {
	    add_heading,    add_since,   add_counts,  add_banner, add_filter,
	    add_conditions, add_expired, add_overdue, add_rules,
	};
	size_t limit = (size_t)m->r.settings->md_bytes, least[sizeof(parts) / sizeof(*parts)];
	size_t count = sizeof(parts) / sizeof(*parts);

	add_closing(m, m->r.facts->open); /* as long as it can become */
	for (size_t i = 0; i < count; i++) {
		least[i] = m->piece.len;
		parts[i](m, SHORT);
		least[i] = m->piece.len - least[i];
	}
	m->left = limit > m->piece.len ? limit - m->piece.len : 0;
	m->piece.len = 0;
	for (size_t i = 0; i < count; i++) {
		m->left += least[i];
		for (enum form form = LONG;; form--) {
			parts[i](m, form);
			if (take(m, &m->head) || form == SHORT)
				break;
		}
	}
	m->share = m->left / SHARE;
	m->half = m->left / 2;
}

/* --- Findings ---------------------------------------------------------------------------- */

/* A severity that is no level is somebody's text. */
static void add_severity(struct md *m, bool html)
{
	struct rt_slice text = rt_texts_severity(&m->r.texts);

	if (m->r.texts.finding->level == RT_LEVEL_OTHER)
		text = cut(m, text, VALUE_POINTS);
	ADD(m, "%(%t%|%(<code>%h</code>%|%c%)%)", m->r.texts.finding->level != RT_LEVEL_OTHER, text,
	    html, text, text);
}

/* The place, which leads to the source where --link says how. */
static void add_place(struct md *m)
{
	/* A copy, which stays while the place is made. */
	struct rt_slice link = cut(m, rt_texts_link(&m->r.texts), SIZE_MAX);
	struct rt_slice place = rt_texts_place(&m->r.texts, false);

	ADD(m, "%([%c](%a)%|%c%)", link.len, place, link, place);
}

/* What is new; what is listed though it was dismissed, or because that has expired. */
static void add_mark(struct md *m)
{
	const struct rt_finding *finding = m->r.texts.finding;

	ADD(m, "%( (new)%)%( (%(dismissal expired%|dismissed%))%)",
	    m->r.settings->compared && finding->is_new, finding->status != RT_STATUS_OPEN,
	    finding->open);
}

static void add_row(struct md *m)
{
	memset(m->said, 0, sizeof(m->said));
	ADD(m, "- ");
	add_severity(m, false);
	add_mark(m);
	ADD(m, DOT);
	add_place(m);
	ADD(m, DOT "%w\n", rt_texts_headline(&m->r.texts, TITLE_POINTS));
}

static void add_summary(struct md *m)
{
	ADD(m, "<details><summary>");
	add_severity(m, true);
	add_mark(m);
	ADD(m, DOT "<code>%h</code>", rt_texts_place(&m->r.texts, false));
	ADD(m, DOT "<code>%h</code></summary>\n\n", rt_texts_headline(&m->r.texts, TITLE_POINTS));
}

/* A part of a line behind others, if there is any; points: at most so many of it. */
static void add_words_of(struct md *m, const char *before, struct rt_slice text, size_t points)
{
	if (text.len)
		ADD(m, "%s%w", before, cut(m, text, points));
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
	ADD(m, "%(" DOT "**exploitable**%)" DOT "%c",
	    rt_finding_flag(t->finding, RT_M_EXPLOITABLE) == 1,
	    cut(m, masked(m, t->finding->record->id), TITLE_POINTS));
	if (rt_texts_link(t).ptr) {
		ADD(m, DOT);
		add_place(m);
	}
	ADD(m, "\n\n");
}

/* A text with lines that follow themselves once and their number, in the place of what was cut. */
static struct rt_slice fold_repeats(struct md *m, struct rt_slice text)
{
	struct rt_texts *t = &m->r.texts;
	struct rt_put put = {&t->cut, &t->err, t->status};

	t->cut.len = 0;
	while (text.len) {
		struct rt_slice line = rt_take_line(&text), after = text;
		unsigned count = 1;

		for (; line.len && after.len && rt_slice_equal(rt_take_line(&after), line); count++)
			text = after;
		rt_put(&put, line);
		if (count > 1) {
			RT_PUT(&put, " (");
			rt_put_number(&put, count);
			RT_PUT(&put, " times)");
		}
		if (text.len)
			RT_PUT(&put, "\n");
	}
	t->status = put.status;
	return rt_buf_slice(&t->cut);
}

/* The hash of a text, however it is spelled. */
static uint64_t hash_of(struct md *m, enum rt_member member)
{
	return rt_siphash(&m->key, rt_texts_decoded(&m->r.texts, member)).low;
}

/* The whole title where the summary does not have it, unless the rule or the description is that,
 * or it is about another finding. */
static void add_title(struct md *m)
{
	const struct rt_record *record = m->r.texts.finding->record;
	uint64_t hash = hash_of(m, RT_M_TITLE);
	bool is_said =
	    (rt_record_has(record, RT_M_CATEGORY) && hash == hash_of(m, RT_M_CATEGORY)) ||
	    (rt_record_has(record, RT_M_DESCRIPTION) && hash == hash_of(m, RT_M_DESCRIPTION));
	/* A copy, which stays while the title is made. */
	struct rt_slice shown = cut(m, rt_texts_headline(&m->r.texts, TITLE_POINTS), SIZE_MAX);
	struct rt_slice title = rt_texts_member(&m->r.texts, RT_M_TITLE, RT_MASK_LINES_KEEP);

	if (title.len && !is_said && record->title_of != RT_TITLE_OF_OTHER &&
	    !memmem(shown.ptr, shown.len, title.ptr, title.len))
		ADD(m, "%w\n\n", title);
}

/* Texts that neither the description nor the worst finding of the rule has said. */
static void add_texts(struct md *m, enum detail detail)
{
	const struct rt_record *record = m->r.texts.finding->record;

	for (size_t i = 0; i < TEXTS; i++) {
		enum rt_member member = details[i].member;
		struct rt_slice text;
		uint64_t hash;

		if (!rt_record_has(record, member) ||
		    (details[i].code && (detail != ALL || !rt_texts_shows_code(&m->r.texts))))
			continue;
		hash = hash_of(m, member);
		m->said[i] = hash;
		if ((m->group->count && m->group->said[i] == hash) ||
		    (i && !details[i].code && hash == m->said[0]))
			continue;
		text = rt_texts_member(&m->r.texts, member, RT_MASK_LINES_KEEP);
		if (text.ptr)
			ADD(m, details[i].form, details[i].code ? text : fold_repeats(m, text));
	}
}

static void add_details(struct md *m, enum detail detail)
{
	struct rt_slice note;

	memset(m->said, 0, sizeof(m->said));
	add_summary(m);
	add_line(m);
	if (detail == FEW) {
		ADD(m, "Its texts are too long to be shown here.\n\n</details>\n\n");
		return;
	}
	add_title(m);
	add_texts(m, detail);
	note = rt_texts_last_note(&m->r.texts, RT_MASK_LINES_KEEP);
	if (note.len)
		ADD(m, "**Note:** %w\n\n", note);
	ADD(m, "</details>\n\n");
}

/* Where the rule of the finding is in the table of rules, and how many open ones it has. */
static void rank_group(struct md *m, struct group *group)
{
	const struct rt_tally *rules = &m->r.facts->categories;
	struct rt_slice rule = rt_texts_decoded(&m->r.texts, RT_M_CATEGORY);

	while (group->rank < rules->count && !rt_slice_equal(rules->rows[group->rank].text, rule))
		group->rank++;
	if (group->rank < rules->count)
		group->open = rules->rows[group->rank].open;
}

/* The group of the finding's rule. NULL: a fault sticks. */
static struct group *find_group(struct md *m)
{
	struct rt_texts *t = &m->r.texts;
	struct rt_slice rule = cut(m, rt_texts_category(t), TITLE_POINTS);
	struct group fresh = {.count = 0};
	uint32_t *number;

	if (t->status != RT_OK)
		return NULL;
	rank_group(m, &fresh);
	number = rt_map_put(&m->numbers, rt_siphash(&m->key, rule), &t->err);
	if (!number)
		t->status = RT_FATAL;
	else if (!*number)
		t->status = rt_buf_append(&m->groups, &fresh, sizeof(fresh), &t->err);
	if (t->status != RT_OK)
		return NULL;
	if (!*number)
		*number = (uint32_t)(m->groups.len / sizeof(fresh));
	return (struct group *)(void *)m->groups.data + *number - 1;
}

#define GROUP_BEGIN "<details><summary>"
#define GROUP_OF " of "
#define GROUP_NAMED " findings</summary>\n\n"
#define GROUP_END "</details>\n\n"
#define COUNT_BYTES sizeof("99,999,999")

/* Bytes that a finding takes beside its own: what is around those of a rule, once a second one
 * comes, and an empty line after rows. */
static size_t around(const struct md *m, bool row)
{
	size_t bytes = row && !m->group->rows;

	if (m->group->count == 1)
		bytes += sizeof(GROUP_BEGIN GROUP_OF GROUP_NAMED GROUP_END) - 1 + 2 * COUNT_BYTES +
			 m->group->name.len;
	return bytes;
}

/* The finding is the worst one of its rule: what its summary says of that, and what is said. */
static void begin_group(struct md *m)
{
	add_severity(m, true);
	ADD(m, DOT "<code>%h</code>" DOT, cut(m, rt_texts_category(&m->r.texts), TITLE_POINTS));
	add_piece(m, &m->group->name);
	memcpy(m->group->said, m->said, sizeof(m->said));
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
			begin_group(m);
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
		add_details(m, detail);
		if (m->piece.len <= m->share)
			break;
	}
	return put_finding(m, false, m->half);
}

static int by_rank(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	return (left->rank > right->rank) - (left->rank < right->rank);
}

/* The groups, in the order of the table of rules; with a baseline those with new ones first, as
 * they came. A rule with one finding has nothing around it. */
static void add_groups(struct md *m)
{
	struct group *groups = (struct group *)(void *)m->groups.data;
	bool list = false;

	if (!m->r.settings->compared && m->groups.len)
		qsort(groups, m->groups.len / sizeof(*groups), sizeof(*groups), by_rank);

	for (size_t i = 0; i < m->groups.len / sizeof(*groups); i++) {
		const struct group *g = &groups[i];

		if (!g->count)
			continue;
		if (list && (g->count > 1 || !g->rows))
			ADD(m, "\n");
		if (g->count > 1)
			ADD(m, GROUP_BEGIN "%t%n%(" GROUP_OF "%n%)" GROUP_NAMED,
			    rt_buf_slice(&g->name), g->count, g->count < g->open, g->open);
		ADD(m, "%t", rt_buf_slice(&g->text));
		if (g->count > 1)
			ADD(m, g->rows ? "\n" GROUP_END : GROUP_END);
		list = g->count == 1 && g->rows;
	}
	if (list)
		ADD(m, "\n");
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
}

static void md_begin(void *state)
{
	struct md *m = state;
	struct rt_texts *t = &m->r.texts;

	if (m->r.settings->md_bytes < LIMIT_MIN)
		t->status = rt_error_set(&t->err, RT_E_USAGE,
					 "limit md: want at least %u bytes, have %" PRIu64,
					 LIMIT_MIN, m->r.settings->md_bytes);
	RT_STEP(t, rt_siphash_key_init(&m->key, &t->err));
	put_head(m);
}

static void md_issue(void *state)
{
	struct md *m = state;

	if (m->full || !rt_report_is_due(m->r.facts, m->r.texts.finding))
		return;
	m->group = find_group(m);
	if (m->group)
		m->rows = m->rows || !put_details(m);
	if (m->group && m->rows) {
		add_row(m);
		m->full = !put_finding(m, true, 0);
	}
}

static void md_end(void *state)
{
	struct md *m = state;

	add_groups(m);
	/* Those that are open came first. */
	add_closing(m, m->listed < m->r.facts->open ? m->r.facts->open - m->listed : 0);
	rt_emit_slice(m->r.out, rt_buf_slice(&m->head));
	rt_emit_slice(m->r.out, rt_buf_slice(&m->piece));
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
