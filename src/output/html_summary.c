/*
 * The first screen of the HTML report: masthead, what is not listed, the verdict, counts by
 * severity. The charts are in html_charts.c.
 */
#include <string.h>

#include "base/instant.h"
#include "output/html.h"

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

	if (page->settings->title.len) {
		rt_html_text(e, page->settings->title);
		return;
	}
	rt_emit_text(e, "Code security");
	if (repos->count == 1 && repos->rows[0].text.len)
		RT_HTML(e, ": %t", repos->rows[0].text);
}

void rt_html_verdict_word(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_verdict *verdict = page->facts->verdict;

	if (verdict) {
		rt_emit_text(e, verdict->pass ? "Pass" : "Fail");
		return;
	}
	RT_HTML(e, "%n open", page->facts->open);
}

/* Repositories that findings name. */
static size_t count_repositories(const struct rt_facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < facts->repos.count; i++)
		count += facts->repos.rows[i].text.len > 0;
	return count;
}

/* The tools that found something, and when they ran: "CodeQL 2.5.4 and Flawfinder 2.0.19, scanned
 * 15 June 2026: "; else how many files there were. */
static void scanned(struct rt_emit *e, const struct rt_facts *facts)
{
	const struct rt_tally *tools = &facts->tools;
	struct rt_instant last;
	size_t named = 0;

	for (size_t i = 0; i < tools->count; i++)
		named += tools->rows[i].text.len > 0;
	if (!named || named > TOOLS_NAMED) {
		RT_HTML(e, "%n %s", RT_COUNTED(facts->input_count, "input", "inputs"));
	} else {
		for (size_t i = 0, at = 0; i < tools->count; i++) {
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
	if (rt_instant_parse(facts->scan_last, &last))
		RT_HTML(e, ", scanned %d", last.seconds);
	rt_emit_text(e, ": ");
}

static void subtitle(struct rt_emit *e, const struct rt_facts *facts)
{
	size_t repositories = count_repositories(facts);

	rt_emit_text(e, "<p class=\"sub\">");
	scanned(e, facts);
	if (facts->total)
		RT_HTML(e, "%n %s", RT_COUNTED(facts->total, "finding", "findings"));
	else
		rt_emit_text(e, "no findings");
	if (repositories > 1)
		RT_HTML(e, " in %n %s", RT_COUNTED(repositories, "repository", "repositories"));
	rt_emit_text(e, ".");
	if (facts->has_at && rt_facts_dated(facts)) {
		RT_HTML(e, " Ages are counted to %d%s", facts->at,
			facts->compared ? " from the oldest scan that had the finding." : ".");
	} else if (facts->open) {
		rt_emit_text(e, " No finding says when it was first seen.");
	}
	rt_emit_text(e, "</p>");
}

static void masthead(struct rt_emit *e, const struct rt_html_page *page)
{
	const char *skip = page->listed ? "findings" : "record";

	RT_HTML(
	    e,
	    "<a class=\"skip\" href=\"#%s\">Skip to the %s</a>\n<header class=\"mast\"><div><h1>",
	    skip, skip);
	rt_html_title(e, page);
	rt_emit_text(e, "</h1>");
	subtitle(e, page->facts);
	rt_emit_text(e,
		     "</div><nav aria-label=\"Parts of this report\"><a href=\"#summary\">Summary"
		     "</a> ");
	if (page->listed)
		RT_HTML(e, "<a href=\"#findings\">Findings <b>%n</b></a> ", page->listed);
	rt_emit_text(e, "<a href=\"#record\">Record</a></nav></header>\n");
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
	uint64_t hidden = page->settings->hide_false_positives ? facts->total - facts->open : 0;

	if (page->listed == facts->total)
		return;
	RT_HTML(e, "<p class=\"banner\" role=\"note\"><b>Listed below: %n of %n %s</b> (",
		page->listed, RT_COUNTED(facts->total, "finding", "findings"));
	listed_phrase(e, page);
	rt_emit_text(e, "). ");
	if (hidden)
		RT_HTML(e, "%n %s counted, not listed. ",
			RT_COUNTED(hidden, "dismissed finding is", "dismissed findings are"));
	RT_HTML(e, "All counts and charts are of all %n. ", facts->total);
	if (page->settings->csv_name.len) {
		RT_HTML(e, "Every finding is in <span class=\"mono\">%t</span>.",
			page->settings->csv_name);
	} else {
		rt_emit_text(e, "<span class=\"mono\">--to csv=FILE</span> writes every finding.");
	}
	rt_emit_text(e, "</p>\n");
}

static void banner_filter(struct rt_emit *e, const struct rt_facts *facts)
{
	if (!facts->filter.len)
		return;
	RT_HTML(e,
		"<p class=\"banner\" role=\"note\"><b>%n of %n %s</b>: this page is about those "
		"that <span class=\"mono\">%t</span> picks. %n %s not counted here.</p>\n",
		facts->total, RT_COUNTED(facts->total + facts->excluded, "finding", "findings"),
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
	RT_HTML(e, "<p class=\"banner\" role=\"note\"><b>%n %s outside the five severities</b> (",
		RT_COUNTED(facts->levels[RT_LEVEL_OTHER], "finding", "findings"));
	for (size_t i = 0; i < facts->severity_count && i < SEVERITIES_SHOWN; i++) {
		RT_HTML(e, "%s%t %n", separator, facts->severities[i].text,
			facts->severities[i].count);
		separator = ", ";
	}
	if (facts->severity_count > SEVERITIES_SHOWN)
		RT_HTML(e, ", %u more", facts->severity_count - SEVERITIES_SHOWN);
	if (facts->no_severity)
		RT_HTML(e, "%snone given %n", separator, facts->no_severity);
	rt_emit_text(e, "), shown as Other");
	if (counted)
		RT_HTML(e, ", counted as %s by the gate",
			rt_html_level_name(rt_gate_unknown_as(facts->gate)));
	rt_emit_text(e, ".</p>\n");
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
			place->title.len ? place->title : place->rule);
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
	const char *what = is_new ? "new" : "open";
	char text[192];

	RT_HTML(e, "<li class=\"%s\"><span", c->pass ? "ok" : "no");
	if ((above || is_new || c->kind == RT_CONDITION_MAX) && c->level < RT_LEVELS && c->found)
		RT_HTML(e, " data-f=\"severity\" data-v=\"%s%s%s\"%s%s", name, above ? ".." : "",
			counts_other(facts, c) ? ",other" : "", is_new ? " data-new=\"\"" : "",
			c->with_false_positives ? " data-all=\"\"" : "");
	if (c->kind == RT_CONDITION_SELECTED || c->kind == RT_CONDITION_SCANS ||
	    c->kind == RT_CONDITION_TOOL) {
		rt_condition_text(c, text, sizeof(text));
		RT_HTML(e, ">%t</span><span class=\"st\">: %s</span></li>", rt_slice_of(text),
			c->pass ? "kept" : "broken");
		return;
	}
	RT_HTML(e, "><b>%n</b> ", c->found);
	if (c->kind == RT_CONDITION_AT_LEAST)
		rt_emit_text(e, "in all, at least ");
	else if (c->level == RT_LEVEL_TOTAL)
		RT_HTML(e, "%s, ", what);
	else if (c->level == RT_LEVEL_OTHER)
		RT_HTML(e, "%s of other severity, ", what);
	else
		RT_HTML(e, "%s at %s%s, ", what, name, above && c->level ? " and above" : "");
	RT_HTML(e, "%n%s</span><span class=\"st\">: %s</span>", c->allowed,
		c->kind == RT_CONDITION_AT_LEAST ? "\xC2\xA0"
						   "expected"
						 : "\xC2\xA0"
						   "allowed",
		c->pass ? "kept" : "broken");
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

static void verdict_mark(struct rt_emit *e, bool pass)
{
	RT_HTML(e,
		"<svg class=\"vm\" width=\"48\" height=\"48\" viewBox=\"0 0 48 48\" "
		"aria-hidden=\"true\" focusable=\"false\">%s</svg>",
		pass ? "<path d=\"M11 25 21 35 38 14\" fill=\"none\" stroke=\"currentColor\""
		       " stroke-width=\"6\" stroke-linecap=\"round\""
		       " stroke-linejoin=\"round\"/>"
		     : "<path d=\"M10 10 38 38M38 10 10 38\" stroke=\"currentColor\""
		       " stroke-width=\"7\" stroke-linecap=\"round\"/>");
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

	RT_HTML(e, "<div class=\"verdict v-%s%s\"><h2 class=\"vw\"><span>",
		!verdict        ? "none"
		: verdict->pass ? "pass"
				: "fail",
		verdict ? "" : size_class(page->facts->open, false));
	if (verdict)
		rt_emit_text(e, "<span class=\"vh\">Gate: </span>");
	rt_html_verdict_word(e, page);
	rt_emit_text(e, "</span>");
	if (verdict)
		verdict_mark(e, verdict->pass);
	rt_emit_text(e, "</h2><ul>");
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
	rt_emit_text(e, "\" width=\"640\" height=\"18\" viewBox=\"0 0 1000 18\""
			" preserveAspectRatio=\"none\">");
	if (facts->open) {
		rt_html_stack(e, facts->open_levels, "", 0, 10040, 40, 18);
	} else {
		rt_emit_text(e, "<rect class=\"empty\" fill=\"#8c939c\" opacity=\".3\" x=\"0\""
				" y=\"0\" width=\"1000\" height=\"18\"/>");
	}
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

	if (figure_rows[row].account && !facts->compared)
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

	RT_HTML(e, "<table class=\"figs%s\" cellpadding=\"4\"><thead><tr><td></td>",
		size_class(facts->open, facts->levels[RT_LEVEL_OTHER] != 0));
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (!is_used(facts, i))
			continue;
		RT_HTML(e,
			"<th scope=\"col\" align=\"left\" data-f=\"severity\" data-v=\"%s\"><span "
			"class=\"sv\">%g %s</span></th>",
			rt_html_level_name(i), i, rt_html_level_word(i));
	}
	rt_emit_text(e, "<th scope=\"col\" align=\"left\" class=\"sum\"><span class=\"sv\">All"
			"</span></th></tr></thead><tbody>\n");
	for (enum figures row = 0; row < FIGURES; row++) {
		if (row != FIGURES_OVERDUE || rt_html_has_limits(page->settings))
			figures_row(e, facts, row);
	}
	rt_emit_text(e, "</tbody></table>");
}

static void since(struct rt_emit *e, const struct rt_compared *said)
{
	if (said->since == INT64_MIN)
		rt_emit_text(e, " since the baseline");
	else
		RT_HTML(e, " since %d", said->since);
}

/* The one sentence that has to be read: "9 new since 1 June 2026, 1 critical and 2 high. 14 gone."
 */
static void headline(struct rt_emit *e, const struct rt_compared *said)
{
	uint64_t dismissed = said ? said->fresh : 0;
	unsigned parts = 0, at = 0;

	if (!said)
		return;
	rt_emit_text(e, "<p class=\"lede\">");
	if (said->fresh) {
		RT_HTML(e,
			"<span class=\"n\" data-f=\"baseline\" data-v=\"new\" data-all=\"\">%n "
			"new</span>",
			said->fresh);
	} else {
		rt_emit_text(e, "Nothing new");
	}
	since(e, said);
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
	RT_HTML(e, ". %n gone, %n carried over", said->classes[RT_CLASS_GONE],
		said->issues - said->fresh);
	if (said->classes[RT_CLASS_NOT_SCANNED])
		RT_HTML(e, ", %n not scanned", said->classes[RT_CLASS_NOT_SCANNED]);
	rt_emit_text(e, ".</p>");
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
	RT_HTML(e,
		"<section class=\"sevs proud\"><h2>Nothing found.</h2><p>%n %s read to the last "
		"byte and checked. ",
		RT_COUNTED(facts->input_count, "input was", "inputs were"));
	if (facts->excluded) {
		RT_HTML(e, "%n %s there, and the filter picks none of them.",
			RT_COUNTED(facts->excluded, "finding is", "findings are"));
	} else {
		RT_HTML(e, "%s no finding: none open, none dismissed.",
			facts->input_count == 1 ? "It holds" : "They hold");
	}
	if (!expects_findings(facts))
		rt_emit_text(e,
			     " A scan that did not run looks the same: <span class=\"mono\">"
			     "--at-least 1</span> or <span class=\"mono\">--expect-tool NAME</span>"
			     " tells them apart.");
	rt_emit_text(e,
		     " <a href=\"#record\">The record</a> below names each file, so that this can"
		     " be checked.</p>");
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
		RT_HTML(e,
			"<rect class=\"s-%s\" fill=\"%s\" x=\"%u\" y=\"%u.%u\" width=\"%u\" "
			"height=\"%u.%u\"/>",
			rt_html_level_name(i), rt_html_level_fill(i), x, top / 10, top % 10, width,
			height / 10, height % 10);
	}
}

/* Open by severity of the earlier reports in a history, and of this one (R15). */
static void trend(struct rt_emit *e, const struct rt_facts *facts)
{
	uint64_t most = facts->open, count = facts->trend_count + 1, step = 1000 / count;

	if (!facts->trend_count)
		return;
	for (size_t i = 0; i < facts->trend_count; i++)
		most = facts->trend[i].open > most ? facts->trend[i].open : most;
	most = most ? most : 1;
	rt_emit_text(e, "<svg class=\"trend\" width=\"640\" height=\"40\" viewBox=\"0 0 1000 40\""
			" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">");
	for (size_t i = 0; i < facts->trend_count; i++)
		trend_column(e, facts->trend[i].levels, most, i * step, step > 3 ? step - 2 : step);
	trend_column(e, facts->open_levels, most, facts->trend_count * step,
		     step > 3 ? step - 2 : step);
	RT_HTML(e,
		"</svg><p class=\"legend\">Open in %n %s since %t: first %n, most %n, now %n</p>\n",
		RT_COUNTED(count, "report", "reports"),
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
	if (page->facts->compared)
		rt_html_strip(e, page->facts);
	else
		severity_bar(e, page->facts);
	trend(e, page->facts);
	severity_figures(e, page);
	rt_emit_text(e, "</section>\n");
}

/* --- The whole ----------------------------------------------------------------------- */

static void nothing_open(struct rt_emit *e, const struct rt_facts *facts)
{
	rt_emit_text(e, "<section class=\"proud wide\"><h2>Nothing is open</h2><p>");
	if (facts->total == 1) {
		rt_emit_text(e, "The one finding is dismissed.");
	} else {
		RT_HTML(e, "All %n findings are dismissed.", facts->total);
	}
	rt_emit_text(e, " The reason is with each finding");
	if (facts->journal.head.len)
		rt_emit_text(e, " and in <a href=\"#record\">the record</a>");
	rt_emit_text(e, ".</p></section>\n");
}

void rt_html_summary(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	masthead(e, page);
	rt_emit_text(e, "<main>\n");
	banner_filter(e, facts);
	banner_listed(e, page);
	banner_severities(e, facts);
	rt_emit_text(e, "<section id=\"summary\" class=\"summary\" aria-label=\"Summary\">\n");
	verdict_block(e, page);
	severities(e, page);
	rt_emit_text(e, "</section>\n");
	if (facts->open)
		rt_html_charts(e, page);
	else if (facts->total)
		nothing_open(e, facts);
}
