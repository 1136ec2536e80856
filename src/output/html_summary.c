/*
 * The first screen of the HTML report: masthead, what is not listed, the verdict, counts by
 * severity. The charts are in html_charts.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/instant.h"
#include "output/html.h"

#define DAY 86400

/* Odd severities that are named; the others are counted. */
#define SEVERITIES_SHOWN 10u
/* Tools that are named; of more it is said how many inputs there are. */
#define TOOLS_NAMED 3u

/* Levels that have a place in the counts: those with a name, and what is none where it occurs. */
static bool is_used(const struct rt_facts *facts, unsigned level)
{
	return level != RT_LEVEL_OTHER || facts->levels[level] ||
	       (facts->compared && facts->compared->before_open[level]);
}

/* --- Masthead ------------------------------------------------------------------------ */

void rt_html_title(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_tally *repos = &page->facts->repos;
	struct rt_slice name = repos->count == 1 ? repos->rows[0].text : RT_SLICE("");

	RT_HTML(e, "%(%t%|Code security%(: %t%)%)", page->settings->title.len,
		page->settings->title, name.len, name);
}

void rt_html_verdict_word(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_verdict *verdict = page->facts->verdict;

	RT_HTML(e, "%(%s%|%n open%)", verdict != NULL, verdict && verdict->pass ? "Pass" : "Fail",
		page->facts->open);
}

/* Repositories that findings name. */
static size_t count_repositories(const struct rt_facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < facts->repos.count; i++)
		count += facts->repos.rows[i].text.len > 0;
	return count;
}

/* The tools that found something: "CodeQL 2.5.4 and Flawfinder 2.0.19"; else how many files there
 * were. */
static void scanned(struct rt_emit *e, const struct rt_facts *facts)
{
	const struct rt_tally *tools = &facts->tools;
	size_t named = 0, at = 0;

	for (size_t i = 0; i < tools->count; i++)
		named += tools->rows[i].text.len > 0;
	if (!named || named > TOOLS_NAMED) {
		RT_HTML(e, "%n %s", RT_COUNTED(facts->input_count, "input", "inputs"));
		return;
	}
	for (size_t i = 0; i < tools->count; i++) {
		if (!tools->rows[i].text.len)
			continue;
		RT_HTML(e, "%s%t",
			!at               ? ""
			: at + 1 == named ? " and "
					  : ", ",
			tools->rows[i].text);
		at++;
	}
}

/* What was scanned when, and what ages are counted to. */
static void subtitle(struct rt_emit *e, const struct rt_facts *facts)
{
	size_t repositories = count_repositories(facts);
	struct rt_instant last = {0};
	bool known = rt_instant_parse(facts->scan_last, &last);
	bool apart = known && llabs(facts->at - last.seconds) > DAY;

	rt_emit_text(e, "<p class=\"sub\">");
	scanned(e, facts);
	RT_HTML(e, rt_page_subtitle, known, last.seconds, facts->total,
		RT_COUNTED(facts->total, "finding", "findings"), repositories > 1,
		RT_COUNTED(repositories, "repository", "repositories"), rt_facts_dated(facts),
		facts->at, facts->compared != NULL, apart, last.seconds, facts->open);
}

static void masthead(struct rt_emit *e, const struct rt_html_page *page)
{
	const char *skip = page->listed ? "findings" : "record";

	RT_HTML(e, rt_page_masthead, skip, skip);
	rt_html_title(e, page);
	rt_emit_text(e, "</h1>");
	subtitle(e, page->facts);
	RT_HTML(e, rt_page_nav, page->listed, page->listed);
}

/* --- Banners ------------------------------------------------------------------------- */

static const char *level_phrase(unsigned level)
{
	return level == RT_LEVEL_OTHER ? "of other severity" : rt_html_level_name(level);
}

/* Whether all of a level are listed, none, or some; NULL: there are none of it. */
static const char *listed_kind(const struct rt_html_page *page, unsigned level)
{
	uint64_t all = page->facts->levels[level], listed = page->listed_levels[level];

	if (!all)
		return NULL;
	return listed == all ? "all " : listed ? "" : "no ";
}

/* The next level that occurs after one; RT_LEVELS: none does. */
static unsigned next_level(const struct rt_html_page *page, unsigned level)
{
	for (level++; level < RT_LEVELS && !page->facts->levels[level];)
		level++;
	return level;
}

/* "all critical, high and medium, 4,120 of 9,001 low, no info" */
static void listed_phrase(struct rt_emit *e, const struct rt_html_page *page)
{
	const char *last = NULL;

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		const char *kind = listed_kind(page, i);
		unsigned next = next_level(page, i);

		if (!kind)
			continue;
		if (last && *kind && *kind == *last) {
			if (next < RT_LEVELS && *listed_kind(page, next) == *kind)
				rt_emit_text(e, ", ");
			else
				rt_emit_text(e, *kind == 'a' ? " and " : " or ");
		} else {
			RT_HTML(e, "%s%s", last ? ", " : "", kind);
		}
		if (!*kind)
			RT_HTML(e, "%n of %n ", page->listed_levels[i], page->facts->levels[i]);
		rt_emit_text(e, level_phrase(i));
		last = kind;
	}
}

/* What is not listed (R9), and where it can be found. */
static void banner_listed(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;
	struct rt_slice csv = page->settings->csv_name;
	uint64_t hidden = page->settings->hide_false_positives ? facts->total - facts->open : 0;

	if (page->listed == facts->total)
		return;
	RT_HTML(e, rt_page_listed, page->listed, RT_COUNTED(facts->total, "finding", "findings"));
	listed_phrase(e, page);
	RT_HTML(e, rt_page_listed_end, hidden,
		RT_COUNTED(hidden, "dismissed finding is", "dismissed findings are"), facts->total,
		csv.len, csv);
}

static void banner_filter(struct rt_emit *e, const struct rt_facts *facts)
{
	if (facts->filter.len)
		RT_HTML(e, rt_page_filtered, facts->total,
			RT_COUNTED(facts->total + facts->excluded, "finding", "findings"),
			facts->filter, RT_COUNTED(facts->excluded, "other is", "others are"));
}

/* Whether findings of no level count for a condition about a level, as a gate takes them for
 * critical: then more were found than the findings of these levels. */
static bool counts_other(const struct rt_facts *facts, const struct rt_condition *c)
{
	uint64_t open = 0;

	if (c->level >= RT_LEVEL_OTHER || !facts->open_levels[RT_LEVEL_OTHER] ||
	    c->with_false_positives)
		return false;
	if (c->kind != RT_CONDITION_FAIL_ON && c->kind != RT_CONDITION_MAX)
		return false;
	for (unsigned i = c->kind == RT_CONDITION_MAX ? c->level : 0; i <= c->level; i++)
		open += facts->open_levels[i];
	return c->found > open;
}

/* Severities that are none of the five (R42), which a gate may take for any. */
static void banner_severities(struct rt_emit *e, const struct rt_facts *facts)
{
	const struct rt_verdict *verdict = facts->verdict;
	const char *separator = "";
	bool counted = false;

	for (size_t i = 0; verdict && i < verdict->count; i++)
		counted = counted || counts_other(facts, &verdict->conditions[i]);
	if (!facts->levels[RT_LEVEL_OTHER])
		return;
	RT_HTML(e, rt_page_odd_severities,
		RT_COUNTED(facts->levels[RT_LEVEL_OTHER], "finding", "findings"));
	for (size_t i = 0; i < facts->severity_count && i < SEVERITIES_SHOWN; i++) {
		RT_HTML(e, "%s%t %n", separator, facts->severities[i].text,
			facts->severities[i].count);
		separator = ", ";
	}
	RT_HTML(e, rt_page_odd_severities_end, facts->severity_count > SEVERITIES_SHOWN,
		facts->severity_count - SEVERITIES_SHOWN, facts->no_severity, separator,
		facts->no_severity, counted, rt_html_level_name(rt_gate_unknown_as(facts->gate)));
}

/* --- Verdict ------------------------------------------------------------------------- */

/* Findings that break a condition, as links to them. */
#define BROKEN_NAMED 4u

static void broken_by(struct rt_emit *e, const struct rt_condition *c)
{
	for (size_t i = 0; i < c->place_count && i < BROKEN_NAMED; i++) {
		const struct rt_gate_place *place = &c->places[i];
		const char *slash =
		    place->place.len ? memrchr(place->place.ptr, '/', place->place.len) : NULL;
		size_t from = slash ? (size_t)(slash - place->place.ptr) + 1 : 0;

		RT_HTML(e, "%s<a href=\"#%a\"><span class=\"mono\">%t</span> %t</a>",
			i ? "<br>" : "<span class=\"broke\">", place->id,
			rt_slice_make(place->place.ptr + from, place->place.len - from),
			place->headline.len ? place->headline : place->rule);
	}
	if (c->place_count)
		rt_emit_text(e, "</span>");
}

/* A condition in words, its number first; what a click on it shows, and what breaks it. */
static void condition(struct rt_emit *e, const struct rt_facts *facts, const struct rt_condition *c,
		      bool named)
{
	const char *name = c->level < RT_LEVELS ? rt_html_level_name(c->level) : "";
	bool is_new = c->kind == RT_CONDITION_FAIL_ON_NEW || c->kind == RT_CONDITION_MAX_NEW;
	bool above = c->kind == RT_CONDITION_FAIL_ON || c->kind == RT_CONDITION_FAIL_ON_NEW;
	bool least = c->kind == RT_CONDITION_AT_LEAST;
	const char *kept = c->pass ? "kept" : "broken";
	char text[192];

	RT_HTML(e, rt_page_condition, c->pass ? "ok" : "no",
		(above || is_new || c->kind == RT_CONDITION_MAX) && c->level < RT_LEVELS &&
		    c->found && !c->risen,
		name, above, counts_other(facts, c), is_new, c->with_false_positives);
	if (c->kind == RT_CONDITION_SELECTED || c->kind == RT_CONDITION_SCANS ||
	    c->kind == RT_CONDITION_TOOL) {
		rt_condition_text(c, text, sizeof(text));
		RT_HTML(e, rt_page_condition_words, rt_slice_of(text), kept);
		return;
	}
	RT_HTML(e, rt_page_condition_number, c->found, least, is_new ? "new" : "open",
		c->level == RT_LEVEL_OTHER, c->level < RT_LEVEL_OTHER, name, above && c->level,
		c->allowed, least ? "expected" : "allowed", kept);
	if (named)
		broken_by(e, c);
	rt_emit_text(e, "</li>");
}

/* Broken conditions come first. What breaks them is named where the page lists it. */
static void conditions(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_verdict *verdict = page->facts->verdict;
	bool named = page->listed == page->facts->total && page->facts->compared;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < verdict->count; i++) {
			if (verdict->conditions[i].pass == (pass == 1))
				condition(e, page->facts, &verdict->conditions[i], named);
		}
	}
}

/* The class of numbers of some size, so that they fit where they stand; `more`: less room. */
static const char *size_class(uint64_t value, bool more)
{
	static const char *const classes[] = {"", " n4", " n5", " n6", " n7", " n8"};
	size_t size = more && value >= 100 ? 1 : 0;

	for (uint64_t bound = 1000; value >= bound && size < 5; bound *= 10)
		size++;
	return classes[size];
}

static void other_figure(struct rt_emit *e, uint64_t value, const char *filter, const char *wanted,
			 const char *one, const char *many)
{
	if (!value)
		return;
	RT_HTML(e, "<li><span data-f=\"%s\" data-v=\"%s\"><b>%n</b> %s</span></li>", filter, wanted,
		value, value == 1 ? one : many);
}

/* What can be said where no condition was given. */
static void no_conditions(struct rt_emit *e, const struct rt_facts *facts)
{
	other_figure(e, facts->exploitable, "exploitable", "true", "exploitable", "exploitable");
	other_figure(e, facts->overdue, "overdue", "true", "overdue", "overdue");
	other_figure(e, facts->total - facts->open, "status", "dismissed", "dismissed",
		     "dismissed");
	rt_emit_text(e, "<li>No gate was asked for.</li>");
}

static void verdict_block(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_verdict *verdict = page->facts->verdict;
	bool pass = verdict && verdict->pass;

	RT_HTML(e, rt_page_verdict,
		pass      ? "pass"
		: verdict ? "fail"
			  : "none",
		verdict ? "" : size_class(page->facts->open, false), verdict != NULL);
	rt_html_verdict_word(e, page);
	RT_HTML(e, rt_page_verdict_mark, verdict != NULL, pass);
	if (verdict)
		conditions(e, page);
	else
		no_conditions(e, page->facts);
	other_figure(e, page->facts->expired, "status", "expired",
		     "dismissal has expired and counts as open",
		     "dismissals have expired and count as open");
	rt_emit_text(e, "</ul></div>\n");
}

/* --- Severities ---------------------------------------------------------------------- */

static void severity_bar(struct rt_emit *e, const struct rt_facts *facts)
{
	const char *separator = "";

	rt_emit_text(e, "<svg class=\"prop\" role=\"img\" aria-label=\"Open by severity: ");
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (!is_used(facts, i))
			continue;
		RT_HTML(e, "%s%n %s", separator, facts->open_levels[i], rt_html_level_name(i));
		separator = ", ";
	}
	RT_HTML(e, rt_page_severity_bar, !facts->open);
	if (facts->open)
		rt_html_stack(e, facts->open_levels, "", 0, 10040, 40, 18);
	rt_emit_text(e, "</svg>\n");
}

/* What a row of the figures says of a level. With a baseline those up to FIGURES_OPEN are an
 * account: each column adds up. */
enum figures {
	FIGURES_BEFORE,
	FIGURES_NEW,
	FIGURES_GONE,
	FIGURES_UNSCANNED,
	FIGURES_DECIDED,
	FIGURES_RERATED,
	FIGURES_OPEN,
	FIGURES_OVERDUE,
	FIGURES_DISMISSED,
	FIGURES
};

static const struct {
	const char *head, *classes;
	bool account; /* only with a baseline */
	bool always;  /* also where it is 0 of every level */
} figure_rows[FIGURES] = {
    [FIGURES_BEFORE] = {"before", "", true, true},
    [FIGURES_NEW] = {"new", "new", true, true},
    [FIGURES_GONE] = {"gone", "away", true, true},
    [FIGURES_UNSCANNED] = {"not scanned", "", true, false},
    [FIGURES_DECIDED] = {"decided", "", true, false},
    [FIGURES_RERATED] = {"re-rated, other", "", true, false},
    [FIGURES_OPEN] = {"Open", "big", false, true},
    [FIGURES_OVERDUE] = {"overdue", "bad", false, true},
    [FIGURES_DISMISSED] = {"dismissed", "fp", false, true},
};

static int64_t figure_of(const struct rt_facts *facts, enum figures row, unsigned level)
{
	const struct rt_compared *said = facts->compared;
	int64_t open = (int64_t)facts->open_levels[level];

	switch (row) {
	case FIGURES_BEFORE:
		return (int64_t)said->before_open[level];
	case FIGURES_NEW:
		return (int64_t)said->fresh_open[level];
	case FIGURES_GONE:
		return -(int64_t)said->gone_open[level];
	case FIGURES_UNSCANNED:
		return -(int64_t)said->unscanned_open[level];
	case FIGURES_DECIDED:
		return said->decided[level];
	case FIGURES_RERATED:
		for (enum figures i = 0; i < FIGURES_RERATED; i++)
			open -= figure_of(facts, i, level);
		return open;
	case FIGURES_OPEN:
		return open;
	case FIGURES_OVERDUE:
		return (int64_t)facts->overdue_levels[level];
	default:
		return (int64_t)facts->levels[level] - open;
	}
}

/* A cell; a change has its sign. */
static void figure(struct rt_emit *e, enum figures row, int64_t value)
{
	bool change = row > FIGURES_BEFORE && row < FIGURES_OPEN && value;

	RT_HTML(e, "<td class=\"%s%s\" align=\"right\">%s%n</td>", figure_rows[row].classes,
		value ? "" : " zero",
		!change     ? ""
		: value < 0 ? "\xE2\x88\x92"
			    : "+",
		(uint64_t)(value < 0 ? -value : value));
}

static void figures_row(struct rt_emit *e, const struct rt_facts *facts, enum figures row)
{
	int64_t all = 0;
	bool any = figure_rows[row].always;

	if (figure_rows[row].account && (!facts->compared || facts->compared->by_class))
		return;
	for (unsigned i = 0; i < RT_LEVELS; i++)
		any = any || figure_of(facts, row, i);
	if (!any)
		return;
	RT_HTML(e, "<tr%s><th scope=\"row\" align=\"left\">%s</th>",
		row == FIGURES_OPEN ? " class=\"open\"" : "", figure_rows[row].head);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		all += figure_of(facts, row, i);
		if (is_used(facts, i))
			figure(e, row, figure_of(facts, row, i));
	}
	figure(e, row, all);
	rt_emit_text(e, "</tr>\n");
}

static void severity_figures(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	RT_HTML(e, rt_page_figures, size_class(facts->open, facts->levels[RT_LEVEL_OTHER] != 0));
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (is_used(facts, i))
			RT_HTML(e, rt_page_figures_level, rt_html_level_name(i), i,
				rt_html_level_word(i));
	}
	rt_emit_text(e, rt_page_figures_all);
	for (enum figures row = 0; row < FIGURES; row++) {
		if (row != FIGURES_OVERDUE || rt_html_has_limits(page->settings))
			figures_row(e, facts, row);
	}
	rt_emit_text(e, "</tbody></table>");
}

/* The one sentence that has to be read: "9 new since 1 June 2026, 1 critical and 2 high. 14 gone."
 */
static void headline(struct rt_emit *e, const struct rt_compared *said)
{
	uint64_t dismissed = said ? said->fresh : 0;
	unsigned parts = 0, at = 0;

	if (!said || (said->by_class && !said->fresh))
		return;
	RT_HTML(e, rt_page_headline, said->fresh, said->fresh, said->since != INT64_MIN,
		said->since);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		parts += said->fresh_open[i] > 0;
		dismissed -= said->fresh_open[i];
	}
	parts += dismissed > 0;
	for (unsigned i = 0; i <= RT_LEVELS; i++) {
		uint64_t value = i < RT_LEVELS ? said->fresh_open[i] : dismissed;

		if (!value)
			continue;
		RT_HTML(e, "%s%n %s", at && at + 1 == parts ? " and " : ", ", value,
			i < RT_LEVELS ? rt_html_level_name(i) : "dismissed");
		at++;
	}
	RT_HTML(e, rt_page_headline_end, !said->by_class, said->classes[RT_CLASS_GONE],
		said->issues - said->fresh, said->classes[RT_CLASS_NOT_SCANNED],
		said->classes[RT_CLASS_NOT_SCANNED]);
}

/* Whether a condition asks for findings at all. */
static bool expects_findings(const struct rt_facts *facts)
{
	for (size_t i = 0; facts->verdict && i < facts->verdict->count; i++) {
		if (facts->verdict->conditions[i].kind == RT_CONDITION_AT_LEAST)
			return true;
	}
	return false;
}

static void nothing_found(struct rt_emit *e, const struct rt_facts *facts)
{
	RT_HTML(e, rt_page_nothing_found,
		RT_COUNTED(facts->input_count, "input was", "inputs were"), facts->excluded,
		RT_COUNTED(facts->excluded, "finding is", "findings are"),
		facts->input_count == 1 ? "It holds" : "They hold", !expects_findings(facts));
	headline(e, facts->compared);
	rt_emit_text(e, "</section>\n");
}

#define TREND_HEIGHT UINT64_C(400) /* tenths of what is drawn */

/* Open findings of a report as a column, worst at the bottom; most: of all reports. */
static void trend_column(struct rt_emit *e, const uint64_t levels[RT_LEVELS], uint64_t most,
			 uint64_t x, uint64_t width)
{
	uint64_t top = TREND_HEIGHT;

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		uint64_t height = levels[i] * TREND_HEIGHT / most;

		height = levels[i] && !height ? 1 : height;
		if (!height)
			continue;
		top -= height < top ? height : top;
		RT_HTML(e, rt_page_trend_part, rt_html_level_name(i), rt_html_level_fill(i), x,
			top / 10, top % 10, width, height / 10, height % 10);
	}
}

/* Open by severity of the earlier reports in a history, and of this one (R15). */
static void trend(struct rt_emit *e, const struct rt_facts *facts)
{
	uint64_t most = facts->open ? facts->open : 1, count = facts->trend_count + 1,
		 step = 1000 / count;

	if (!facts->trend_count)
		return;
	for (size_t i = 0; i < facts->trend_count; i++)
		most = facts->trend[i].open > most ? facts->trend[i].open : most;
	rt_emit_text(e, rt_page_trend);
	for (size_t i = 0; i < count; i++)
		trend_column(e,
			     i < facts->trend_count ? facts->trend[i].levels : facts->open_levels,
			     most, i * step, step > 3 ? step - 2 : step);
	RT_HTML(e, rt_page_trend_end, RT_COUNTED(count, "report", "reports"),
		rt_slice_make(facts->trend->day, sizeof(facts->trend->day)), facts->trend->open,
		most, facts->open);
}

static void severities(struct rt_emit *e, const struct rt_html_page *page)
{
	if (!page->facts->total) {
		nothing_found(e, page->facts);
		return;
	}
	rt_emit_text(e, "<section class=\"sevs\"><h2 class=\"vh\">Open by severity</h2>");
	headline(e, page->facts->compared);
	if (page->facts->compared && !page->facts->compared->by_class)
		rt_html_strip(e, page->facts);
	else
		severity_bar(e, page->facts);
	trend(e, page->facts);
	severity_figures(e, page);
	rt_emit_text(e, "</section>\n");
}

/* --- The whole ----------------------------------------------------------------------- */

void rt_html_summary(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	masthead(e, page);
	banner_filter(e, facts);
	banner_listed(e, page);
	banner_severities(e, facts);
	if (page->withheld)
		RT_HTML(e, rt_page_withheld, RT_COUNTED(page->withheld, "finding", "findings"));
	rt_emit_text(e, "<section id=\"summary\" class=\"summary\" aria-label=\"Summary\">\n");
	verdict_block(e, page);
	severities(e, page);
	rt_emit_text(e, "</section>\n");
	if (facts->open)
		rt_html_charts(e, page);
	else if (facts->total)
		RT_HTML(e, rt_page_nothing_open, facts->total > 1, facts->total,
			facts->journal.head.len);
}
