/*
 * The charts of the HTML report. Input: the facts of all findings. Output: bars stacked by
 * severity, worst first, each with its number beside it: ages, categories, files; and repositories
 * by severity. Refuses nothing.
 */
#include <inttypes.h>
#include <stdio.h>

#include "output/html.h"
#include "output/texts.h"

/* Rows of a chart, and shades of the table of repositories. */
#define BARS_SHOWN 10u
#define SHADES 4u

/* --- Parts --------------------------------------------------------------------------- */

static unsigned widest_of(const uint64_t widths[RT_LEVELS])
{
	unsigned widest = 0;

	for (unsigned i = 1; i < RT_LEVELS; i++)
		widest = widths[i] > widths[widest] ? i : widest;
	return widest;
}

/* Widths of shares in tenths: none that counts is less than `least`, and together they are room,
 * which has to be enough for that. */
static void spread(const uint64_t counts[RT_LEVELS], uint64_t room, uint64_t least,
		   uint64_t widths[RT_LEVELS])
{
	uint64_t sum = 0, used = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++)
		sum += counts[i];
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		widths[i] = counts[i] ? counts[i] * room / sum : 0;
		if (counts[i] && widths[i] < least)
			widths[i] = least;
		used += widths[i];
	}
	for (; used > room; used--)
		widths[widest_of(widths)]--;
	if (sum && used < room)
		widths[widest_of(widths)] += room - used;
}

/* Rectangles side by side with gaps between them; numbers are tenths. */
static void rectangles(struct rt_emit *e, const uint64_t widths[RT_LEVELS], uint64_t gap,
		       unsigned height)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		uint64_t width = widths[i] > gap ? widths[i] - gap : widths[i];

		if (!width)
			continue;
		rt_html_put(e,
			    "<rect class=\"s-%s\" fill=\"%s\" x=\"%" PRIu64 ".%" PRIu64
			    "\" y=\"0\" width=\"%" PRIu64 ".%" PRIu64 "\" height=\"%u\"/>",
			    rt_html_level_name(i), rt_html_level_fill(i), x / 10, x % 10,
			    width / 10, width % 10, height);
		x += widths[i];
	}
}

void rt_html_stack(struct rt_emit *e, const uint64_t counts[RT_LEVELS], uint64_t room, uint64_t gap,
		   unsigned height)
{
	uint64_t widths[RT_LEVELS] = {0};

	spread(counts, room, gap * 2, widths);
	rectangles(e, widths, gap, height);
}

void rt_html_figure(struct rt_emit *e, uint64_t value, const char *classes)
{
	rt_html_put(e, "<td class=\"%s%s\" align=\"right\">", classes, value ? "" : " zero");
	rt_html_count(e, value);
	rt_emit_text(e, "</td>");
}

bool rt_html_has_limits(const struct rt_report_settings *settings)
{
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (settings->sla[i] != RT_SLA_NONE)
			return true;
	}
	return false;
}

/* --- Charts -------------------------------------------------------------------------- */

/* The bar of one row: as long as its share of the longest, stacked by severity, worst first. */
static void row_bar(struct rt_emit *e, const uint64_t counts[RT_LEVELS], uint64_t most)
{
	uint64_t open = 0, room, shares = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		open += counts[i];
		shares += counts[i] != 0;
	}
	room = most ? open * 1200 / most : 0;
	room = room < shares * 20 ? shares * 20 : room;
	rt_emit_text(e, "<svg class=\"bar\" width=\"120\" height=\"10\" viewBox=\"0 0 120 10\""
			" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">");
	rt_html_stack(e, counts, room, 10, 10);
	rt_emit_text(e, "</svg>");
}

static void bar_cells(struct rt_emit *e, const uint64_t counts[RT_LEVELS], uint64_t open,
		      uint64_t most)
{
	rt_emit_text(e, "<td class=\"b\">");
	row_bar(e, counts, most);
	rt_emit_text(e, "</td>");
	rt_html_figure(e, open, "num");
	rt_emit_text(e, "</tr>\n");
}

static void bars_head(struct rt_emit *e, const char *title, const char *name, const char *classes)
{
	rt_html_put(
	    e, "<section class=\"panel\"><h2>%s</h2><table class=\"bars%s\" cellpadding=\"2\">",
	    title, classes);
	rt_html_put(
	    e,
	    "<thead><tr><th scope=\"col\" align=\"left\">%s</th><td class=\"b\"></td>"
	    "<th scope=\"col\" align=\"right\" class=\"num\">Open</th></tr></thead><tbody>\n",
	    name);
}

static uint64_t bucket_open(const struct rt_facts *facts, unsigned bucket)
{
	uint64_t open = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++)
		open += facts->ages[bucket][i];
	return open;
}

static void oldest(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	if (facts->oldest_days == RT_AGE_UNKNOWN)
		return;
	rt_emit_text(e, "<p class=\"rest\">Oldest: ");
	if (page->oldest.len) {
		rt_emit_text(e, "<a href=\"#");
		rt_html_anchor(e, facts->oldest_id);
		rt_emit_text(e, "\">");
	}
	rt_html_counted(e, facts->oldest_days, "day", "days");
	rt_emit_text(e, ", <span class=\"mono\">");
	if (page->oldest.len)
		rt_html_escape(e, rt_buf_slice(&page->oldest));
	else
		rt_html_text(e, facts->oldest_id);
	rt_emit_text(e, page->oldest.len ? "</span></a></p>" : "</span></p>");
}

/* What is overdue, and how long each severity may take. */
static void overdue(struct rt_emit *e, const struct rt_html_page *page)
{
	uint64_t undated = rt_facts_undated(page->facts, page->settings->sla);
	const char *separator = " (limits: ";

	if (!rt_html_has_limits(page->settings))
		return;
	rt_emit_text(e, "<p class=\"rest\">");
	rt_emit_text(e, "<b");
	if (page->facts->overdue)
		rt_emit_text(e, " class=\"overdue\" data-f=\"overdue\" data-v=\"true\"");
	else if (!undated)
		rt_emit_text(e, " class=\"good\"");
	rt_emit_text(e, ">");
	rt_html_count(e, page->facts->overdue);
	rt_emit_text(e, " overdue</b>");
	if (undated) {
		rt_emit_text(e, ", <b>");
		rt_html_count(e, undated);
		rt_emit_text(e, "</b> of unknown age");
	}
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (page->settings->sla[i] == RT_SLA_NONE)
			continue;
		rt_html_put(e, "%s%s %u", separator, rt_html_level_name(i),
			    (unsigned)page->settings->sla[i]);
		separator = ", ";
	}
	rt_emit_text(e, " days)</p>");
}

static void ages(struct rt_emit *e, const struct rt_html_page *page)
{
	static const char *const buckets[RT_AGE_BUCKETS][2] = {
	    {"0\xE2\x80\x93"
	     "7 days",
	     "0..7"},
	    {"8\xE2\x80\x93"
	     "30",
	     "8..30"},
	    {"31\xE2\x80\x93"
	     "90",
	     "31..90"},
	    {"91\xE2\x80\x93"
	     "180",
	     "91..180"},
	    {"over 180", "181.."},
	    {"unknown", ""},
	};
	const struct rt_facts *facts = page->facts;
	uint64_t most = 0;

	for (unsigned i = 0; i < RT_AGE_BUCKETS; i++)
		most = bucket_open(facts, i) > most ? bucket_open(facts, i) : most;
	bars_head(e, "Age of open findings", "Age", " age");
	for (unsigned i = 0; i < RT_AGE_BUCKETS; i++) {
		uint64_t open = bucket_open(facts, i);

		if (i == RT_AGE_BUCKETS - 1 && !open)
			break;
		rt_html_put(
		    e, "<tr><th scope=\"row\" align=\"left\" data-f=\"age\" data-v=\"%s\">%s</th>",
		    open ? buckets[i][1] : "", buckets[i][0]);
		bar_cells(e, facts->ages[i], open, most);
	}
	rt_emit_text(e, "</tbody></table>");
	overdue(e, page);
	oldest(e, page);
	rt_emit_text(e, "</section>\n");
}

struct chart {
	const char *title, *head, *field, *what, *many;
	bool paths; /* texts are paths: shown as findings show them, and set as code */
};

/* A row's text, masked, appended to out. */
static enum rt_status row_text(struct rt_slice text, bool path, struct rt_buf *out,
			       struct rt_error *err)
{
	struct rt_buf shortened = {0};
	enum rt_status status = RT_OK;

	if (path) {
		status = rt_path_shorten(text, &shortened, err);
		text = rt_buf_slice(&shortened);
	}
	if (status == RT_OK)
		status = rt_mask_markup(text, RT_MASK_LINES_BLANK, out, err);
	rt_buf_release(&shortened);
	return status;
}

/* A row's name, which page.js makes a filter of. */
static void row_name(struct rt_emit *e, struct rt_slice text, const struct chart *chart)
{
	struct rt_buf name = {0};
	struct rt_error err;
	enum rt_status status = RT_OK;

	if (text.len)
		status = row_text(text, chart->paths, &name, &err);
	rt_emit_fail(e, status, &err);
	rt_html_put(e, "<tr><th scope=\"row\" align=\"left\" data-f=\"%s\" data-v=\"",
		    chart->field);
	rt_html_escape(e, rt_buf_slice(&name));
	rt_emit_text(e, "\">");
	if (name.len)
		rt_html_name(e, rt_buf_slice(&name), chart->paths, (struct rt_slice){0});
	else
		rt_html_put(e, "<span class=\"nm none\">no %s</span>", chart->what);
	rt_emit_text(e, "</th>");
	rt_buf_release(&name);
}

/* What the rows that are not shown have together. */
static void rest(struct rt_emit *e, const struct rt_tally *tally, const struct chart *chart)
{
	uint64_t texts = 0, open = 0;
	char one[32], many[32];

	for (size_t i = BARS_SHOWN; i < tally->count; i++) {
		texts += tally->rows[i].open != 0;
		open += tally->rows[i].open;
	}
	if (!texts)
		return;
	(void)snprintf(one, sizeof(one), "more %s", chart->what);
	(void)snprintf(many, sizeof(many), "more %s", chart->many);
	rt_emit_text(e, "<p class=\"rest\">");
	rt_html_counted(e, texts, one, many);
	rt_emit_text(e, " with ");
	rt_html_count(e, open);
	rt_emit_text(e, " open</p>");
}

static void bars(struct rt_emit *e, const struct rt_tally *tally, const struct chart *chart)
{
	bars_head(e, chart->title, chart->head, "");
	for (size_t i = 0; i < tally->count && i < BARS_SHOWN; i++) {
		const struct rt_tally_row *row = &tally->rows[i];

		if (!row->open)
			break;
		row_name(e, row->text, chart);
		bar_cells(e, row->levels, row->open, tally->rows[0].open);
	}
	rt_emit_text(e, "</tbody></table>");
	rest(e, tally, chart);
	rt_emit_text(e, "</section>\n");
}

/* --- Repositories by severity -------------------------------------------------------- */

static const struct chart repositories = {
    .field = "repo_name", .what = "repository", .many = "repositories"};

/* 0 of none, else 1 to SHADES by the square root of the share of the most. */
static unsigned shade(uint64_t value, uint64_t most)
{
	for (unsigned i = SHADES - 1; value && i > 0; i--) {
		if (value * SHADES * SHADES >= (uint64_t)i * i * most)
			return i + 1;
	}
	return value ? 1 : 0;
}

static void heat_row(struct rt_emit *e, const struct rt_html_page *page,
		     const struct rt_tally_row *row, uint64_t most)
{
	const struct rt_facts *facts = page->facts;

	row_name(e, row->text, &repositories);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (!facts->open_levels[i])
			continue;
		rt_html_put(e, "<td align=\"right\" class=\"h-%s q%u\">", rt_html_level_name(i),
			    shade(row->levels[i], most));
		rt_html_count(e, row->levels[i]);
		rt_emit_text(e, "</td>");
	}
	rt_emit_text(e, "</tr>\n");
}

static void heat_head(struct rt_emit *e, const struct rt_facts *facts)
{
	rt_emit_text(e, "<section class=\"panel\"><h2>Open by repository</h2><table class=\"heat\""
			" cellpadding=\"4\"><thead><tr><th scope=\"col\" align=\"left\">Repository"
			"</th>");
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (!facts->open_levels[i])
			continue;
		rt_emit_text(e, "<th scope=\"col\" align=\"left\"><span class=\"sv\">");
		rt_html_glyph(e, i);
		rt_html_put(e, "<span class=\"hw\"> %s</span></span></th>", rt_html_level_word(i));
	}
	rt_emit_text(e, "</tr></thead><tbody>\n");
}

static void heat(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;
	const struct rt_tally *repos = &facts->repos;
	uint64_t most = 0;

	if (repos->count < 2)
		return;
	for (size_t i = 0; i < repos->count && i < BARS_SHOWN; i++) {
		for (unsigned level = 0; level < RT_LEVELS; level++) {
			if (repos->rows[i].levels[level] > most)
				most = repos->rows[i].levels[level];
		}
	}
	heat_head(e, facts);
	for (size_t i = 0; i < repos->count && i < BARS_SHOWN; i++)
		heat_row(e, page, &repos->rows[i], most);
	rt_emit_text(e, "</tbody></table>");
	rest(e, repos, &repositories);
	rt_emit_text(e, "</section>\n");
}

/* --- The whole ----------------------------------------------------------------------- */

void rt_html_charts(struct rt_emit *e, const struct rt_html_page *page)
{
	static const struct chart categories = {
	    "Categories with most open", "Category", "category", "category", "categories", false};
	static const struct chart files = {
	    "Files with most open", "File", "file_path", "file", "files", true};

	rt_emit_text(e, "<div class=\"grid\"><div class=\"col\">");
	ages(e, page);
	heat(e, page);
	rt_emit_text(e, "</div>\n");
	bars(e, &page->facts->categories, &categories);
	bars(e, &page->facts->files, &files);
	rt_emit_text(e, "</div>\n");
}
