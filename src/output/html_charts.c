/*
 * The charts of the HTML report: bars stacked by severity, worst first, each with its number beside
 * it, of ages, categories and files; repositories by severity; and with a baseline what became of
 * all findings, and where they are new or gone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "output/html.h"
#include "output/texts.h"

/* Rows of a chart, and shades of the table of repositories. */
#define BARS_SHOWN 10u
#define SHADES 4u

/* --- Parts --------------------------------------------------------------------------- */

static size_t widest_of(const uint64_t *widths, size_t count)
{
	size_t widest = 0;

	for (size_t i = 1; i < count; i++)
		widest = widths[i] > widths[widest] ? i : widest;
	return widest;
}

/* Widths of shares in tenths: none that counts is less than `least`, and together they are room,
 * which has to be enough for that. */
static void spread(const uint64_t *counts, size_t count, uint64_t room, uint64_t least,
		   uint64_t *widths)
{
	uint64_t sum = 0, used = 0;

	for (size_t i = 0; i < count; i++)
		sum += counts[i];
	for (size_t i = 0; i < count; i++) {
		widths[i] = counts[i] ? counts[i] * room / sum : 0;
		if (counts[i] && widths[i] < least)
			widths[i] = least;
		used += widths[i];
	}
	for (; used > room; used--)
		widths[widest_of(widths, count)]--;
	if (sum && used < room)
		widths[widest_of(widths, count)] += room - used;
}

static void rectangle(struct rt_emit *e, const char *name, const char *fill, const char *style,
		      uint64_t x, uint64_t width, unsigned height)
{
	if (width)
		RT_HTML(e,
			"<rect class=\"s-%s%s\" fill=\"%s\" x=\"%u.%u\" y=\"0\" width=\"%u.%u\" "
			"height=\"%u\"/>",
			name, style, fill, x / 10, x % 10, width / 10, width % 10, height);
}

/* Rectangles side by side from x on, with gaps between them; numbers are tenths. Returns where the
 * next one begins. */
static uint64_t rectangles(struct rt_emit *e, const uint64_t widths[RT_LEVELS], const char *style,
			   uint64_t x, uint64_t gap, unsigned height)
{
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		uint64_t width = widths[i] > gap ? widths[i] - gap : widths[i];

		rectangle(e, rt_html_level_name(i), rt_html_level_fill(i), style, x, width, height);
		x += widths[i];
	}
	return x;
}

void rt_html_stack(struct rt_emit *e, const uint64_t counts[RT_LEVELS], const char *style,
		   uint64_t from, uint64_t room, uint64_t gap, unsigned height)
{
	uint64_t widths[RT_LEVELS] = {0};

	spread(counts, RT_LEVELS, room, gap * 2, widths);
	(void)rectangles(e, widths, style, from, gap, height);
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

/* The cells of one row: a bar as long as its share of the longest, stacked by severity, worst
 * first, and its number. */
static void bar_cells(struct rt_emit *e, const uint64_t counts[RT_LEVELS], uint64_t open,
		      uint64_t most)
{
	uint64_t room = most ? open * 1200 / most : 0, shares = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++)
		shares += counts[i] != 0;
	rt_emit_text(e, rt_page_bar);
	rt_html_stack(e, counts, "", 0, room < shares * 20 ? shares * 20 : room, 10, 10);
	RT_HTML(e, rt_page_bar_end, !open, open);
}

static uint64_t sum_of(const uint64_t counts[RT_LEVELS])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < RT_LEVELS; i++)
		sum += counts[i];
	return sum;
}

static void oldest(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;
	bool listed = page->oldest.len > 0;

	if (facts->oldest_days != RT_AGE_UNKNOWN)
		RT_HTML(e, rt_page_oldest, listed, facts->oldest_id,
			RT_COUNTED(facts->oldest_days, "day", "days"), listed,
			rt_buf_slice(&page->oldest), facts->oldest_id, listed);
}

/* What is overdue, and how long each severity may take. */
static void overdue(struct rt_emit *e, const struct rt_html_page *page)
{
	uint64_t undated = rt_facts_undated(page->facts, page->settings->sla);
	const char *separator = " (limits: ";

	if (!rt_html_has_limits(page->settings))
		return;
	RT_HTML(e, rt_page_overdue, page->facts->overdue, !page->facts->overdue && !undated,
		page->facts->overdue, undated, undated);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (page->settings->sla[i] == RT_SLA_NONE)
			continue;
		RT_HTML(e, "%s%s %u", separator, rt_html_level_name(i), page->settings->sla[i]);
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
		most = sum_of(facts->ages[i]) > most ? sum_of(facts->ages[i]) : most;
	RT_HTML(e, rt_page_bars, "Age of open findings", " age", "Age");
	for (unsigned i = 0; i < RT_AGE_BUCKETS; i++) {
		uint64_t open = sum_of(facts->ages[i]);

		if (i == RT_AGE_BUCKETS - 1 && !open)
			break;
		RT_HTML(e, rt_page_age, open ? buckets[i][1] : "", buckets[i][0]);
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

/* A row's name, which page.js makes a filter of. shared: bytes that all names begin with. */
static void row_name(struct rt_emit *e, struct rt_slice text, const struct chart *chart,
		     size_t shared)
{
	struct rt_buf shortened = {0}, masked = {0};
	struct rt_error err;
	struct rt_fault fault = {RT_OK, &err};
	struct rt_slice name;

	if (chart->paths) {
		RT_STEP(&fault, rt_path_shorten(text, &shortened, &err));
		text = rt_buf_slice(&shortened);
	}
	RT_STEP(&fault, rt_mask_markup(text, RT_MASK_LINES_BLANK, &masked, &err));
	rt_emit_fail(e, fault.status, &err);
	name = masked.len ? rt_buf_slice(&masked) : RT_SLICE("");
	if (shared >= name.len || memcmp(name.ptr, text.ptr, shared) != 0)
		shared = 0;
	RT_HTML(e, rt_page_row_name, chart->field, name, !name.len, chart->what, shared, name,
		rt_slice_make(name.ptr + shared, name.len - shared));
	if (name.len && !shared)
		rt_html_name(e, name, chart->paths, (struct rt_slice){0});
	rt_emit_text(e, "</th>");
	rt_buf_release(&shortened);
	rt_buf_release(&masked);
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
	RT_HTML(e, "<p class=\"rest\">%n %s with %n open</p>", RT_COUNTED(texts, one, many), open);
}

static void bars(struct rt_emit *e, const struct rt_tally *tally, const struct chart *chart)
{
	uint64_t most = 0;

	for (size_t i = 0; i < tally->count && i < BARS_SHOWN; i++)
		most = tally->rows[i].open > most ? tally->rows[i].open : most;
	RT_HTML(e, rt_page_bars, chart->title, "", chart->head);
	for (size_t i = 0; i < tally->count && i < BARS_SHOWN; i++) {
		const struct rt_tally_row *row = &tally->rows[i];

		if (!row->open)
			break;
		row_name(e, row->text, chart, 0);
		bar_cells(e, row->levels, row->open, most);
	}
	rt_emit_text(e, "</tbody></table>");
	rest(e, tally, chart);
	rt_emit_text(e, "</section>\n");
}

/* Up to and with the last slash. */
static struct rt_slice folder_of(struct rt_slice path)
{
	while (path.len && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

static int compare_texts(const void *a, const void *b)
{
	const struct rt_tally_row *left = a, *right = b;

	return rt_slice_compare(left->text, right->text);
}

/* The files of a tally by their folders, in its order; rows: as many as the tally's. */
static struct rt_tally by_folder(const struct rt_tally *files, struct rt_tally_row *rows,
				 unsigned unknown_as)
{
	size_t used = 0;

	for (size_t i = 0; i < files->count; i++) {
		rows[i] = files->rows[i];
		rows[i].text = folder_of(rows[i].text);
	}
	qsort(rows, files->count, sizeof(*rows), compare_texts);
	for (size_t i = 0; i < files->count; i++) {
		struct rt_tally_row *last = &rows[used ? used - 1 : 0];

		if (!used || !rt_slice_equal(last->text, rows[i].text)) {
			rows[used++] = rows[i];
			continue;
		}
		last->open += rows[i].open;
		last->all += rows[i].all;
		for (unsigned level = 0; level < RT_LEVELS; level++)
			last->levels[level] += rows[i].levels[level];
	}
	rt_tally_sort(rows, used, unknown_as);
	return (struct rt_tally){rows, used};
}

/* Files; or their folders, where no file has more than one of a hundred of many findings. */
static void where(struct rt_emit *e, const struct rt_facts *facts)
{
	static const struct chart files = {
	    "Files, worst first", "File", "file_path", "file", "files", true};
	static const struct chart folders = {
	    "Folders, worst first", "Folder", "file_path", "folder", "folders", true};
	struct rt_tally_row *rows = NULL;
	bool spread_out = facts->open >= 100;

	for (size_t i = 0; i < facts->files.count; i++)
		spread_out = spread_out && (!facts->files.rows[i].text.len ||
					    facts->files.rows[i].open * 100 <= facts->open);
	if (spread_out)
		rows = malloc((facts->files.count + 1) * sizeof(*rows));
	if (rows) {
		struct rt_tally tally =
		    by_folder(&facts->files, rows, rt_gate_unknown_as(facts->gate));

		bars(e, &tally, &folders);
	} else {
		bars(e, &facts->files, &files);
	}
	free(rows);
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

static void heat_row(struct rt_emit *e, const struct rt_facts *facts,
		     const struct rt_tally_row *row, const uint64_t most[RT_LEVELS], size_t shared)
{
	row_name(e, row->text, &repositories, shared);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (facts->open_levels[i])
			RT_HTML(e, rt_page_heat_cell, rt_html_level_name(i),
				shade(row->levels[i], most[i]), row->levels[i]);
	}
	rt_emit_text(e, "</tr>\n");
}

static void heat_head(struct rt_emit *e, const struct rt_facts *facts)
{
	rt_emit_text(e, rt_page_heat);
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (facts->open_levels[i])
			RT_HTML(e, rt_page_heat_level, i, rt_html_level_word(i));
	}
	rt_emit_text(e, "</tr></thead><tbody>\n");
}

static void heat(struct rt_emit *e, const struct rt_facts *facts)
{
	const struct rt_tally *repos = &facts->repos;
	uint64_t most[RT_LEVELS] = {0}; /* a severity is shaded by itself */
	size_t shared = repos->count ? folder_of(repos->rows[0].text).len : 0;

	if (repos->count < 2)
		return;
	/* What all names begin with tells none from another. */
	for (size_t i = 0; i < repos->count; i++) {
		size_t folder = folder_of(repos->rows[i].text).len;

		if (folder_of(repos->rows[0].text).len != folder ||
		    memcmp(repos->rows[i].text.ptr, repos->rows[0].text.ptr, folder) != 0)
			shared = 0;
	}
	for (size_t i = 0; i < repos->count && i < BARS_SHOWN; i++) {
		for (unsigned level = 0; level < RT_LEVELS; level++) {
			if (repos->rows[i].levels[level] > most[level])
				most[level] = repos->rows[i].levels[level];
		}
	}
	heat_head(e, facts);
	for (size_t i = 0; i < repos->count && i < BARS_SHOWN; i++)
		heat_row(e, facts, &repos->rows[i], most, shared);
	rt_emit_text(e, "</tbody></table>");
	rest(e, repos, &repositories);
	rt_emit_text(e, "</section>\n");
}

/* --- With a baseline ------------------------------------------------------------------ */

#define STRIP_HEIGHT 20u
#define STRIP_ROOM 10025u /* tenths, with the gap behind the last rectangle */
#define STRIP_GAP UINT64_C(25)

void rt_html_strip(struct rt_emit *e, const struct rt_facts *facts)
{
	static const char *const words[] = {"gone", "dismissed", "carried over and open", "new"};
	static const char *const styles[] = {"low hollow", "fp", "low tint", "low"};
	const struct rt_compared *said = facts->compared;
	uint64_t counts[3 * RT_LEVELS + 1], widths[3 * RT_LEVELS + 1], x, sums[4] = {0};
	uint64_t *kept = counts + RT_LEVELS + 1, *fresh = kept + RT_LEVELS;

	sums[1] = counts[RT_LEVELS] = facts->total - facts->open;
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		counts[i] = said->gone_levels[i];
		fresh[i] = said->fresh_open[i];
		kept[i] = facts->open_levels[i] - fresh[i];
		sums[0] += counts[i];
		sums[2] += kept[i];
		sums[3] += fresh[i];
	}
	rt_emit_text(e, "\n<svg class=\"prop strip\" role=\"img\" aria-label=\"");
	for (unsigned i = 0; i < 4; i++)
		RT_HTML(e, "%s%n %s", i ? ", " : "", sums[i], words[i]);
	rt_emit_text(e, rt_page_strip);
	spread(counts, 3 * RT_LEVELS + 1, STRIP_ROOM, STRIP_GAP * 2, widths);
	x = rectangles(e, widths, " hollow", 0, STRIP_GAP, STRIP_HEIGHT);
	if (widths[RT_LEVELS])
		rectangle(e, "fp", "#c5cad2", "", x, widths[RT_LEVELS] - STRIP_GAP, STRIP_HEIGHT);
	x = rectangles(e, &widths[RT_LEVELS + 1], " tint", x + widths[RT_LEVELS], STRIP_GAP,
		       STRIP_HEIGHT);
	(void)rectangles(e, &widths[2 * RT_LEVELS + 1], "", x, STRIP_GAP, STRIP_HEIGHT);
	rt_emit_text(e, "</svg><p class=\"legend\">");
	for (unsigned i = 0; i < 4; i++)
		RT_HTML(e, rt_page_legend, styles[i], sums[i], words[i]);
	rt_emit_text(e, "</p>\n");
}

/* How many are open there now: of a category, or of the files right in a folder. */
static uint64_t open_there(const struct rt_facts *facts, enum rt_compared_where where,
			   struct rt_slice text)
{
	bool folder = where == RT_COMPARED_FOLDER;
	const struct rt_tally *tally = folder ? &facts->files : &facts->categories;
	uint64_t open = 0;

	for (size_t i = 0; i < tally->count; i++) {
		struct rt_slice name = tally->rows[i].text;

		name = folder ? folder_of(name) : name;
		open += rt_slice_equal(name, text) ? tally->rows[i].open : 0;
	}
	return open;
}

/* A row: gone to the left of an axis, new to the right, and how many are open; most: of a row, of
 * either kind. */
static void change_cells(struct rt_emit *e, const struct rt_compared_change *change,
			 const uint64_t most[2], uint64_t open)
{
	const uint64_t room = 1300, side = 140; /* tenths; each side has place for its least */
	const uint64_t *counts[2] = {change->gone, change->fresh};
	const uint64_t sums[2] = {sum_of(change->gone), sum_of(change->fresh)};
	const uint64_t span = most[0] + most[1] ? most[0] + most[1] : 1;
	uint64_t widths[2], axis = side + room * most[0] / span;

	for (int i = 0; i < 2; i++) {
		uint64_t shares = 0;

		for (unsigned level = 0; level < RT_LEVELS; level++)
			shares += counts[i][level] != 0;
		widths[i] = sums[i] * room / span;
		widths[i] = widths[i] < shares * 20 ? shares * 20 : widths[i];
	}
	RT_HTML(e, rt_page_change, !sums[0], sums[0], sums[0], axis / 10, axis % 10);
	rt_html_stack(e, change->gone, " hollow", axis - widths[0], widths[0], 10, 10);
	rt_html_stack(e, change->fresh, "", axis + 10, widths[1], 10, 10);
	RT_HTML(e, rt_page_change_end, !sums[1], sums[1], sums[1], !open, open);
}

/* Categories with open findings of which none is new, and none is gone. all: every one that
 * changed. */
static uint64_t count_unchanged(const struct rt_facts *facts, const struct rt_compared_changes *all)
{
	uint64_t count = 0;

	for (size_t i = 0; i < facts->categories.count; i++) {
		bool changed = !facts->categories.rows[i].open;

		for (size_t k = 0; k < all->count && !changed; k++)
			changed =
			    rt_slice_equal(all->worst[k].text, facts->categories.rows[i].text);
		count += !changed;
	}
	return count;
}

/* Returns whether anything is new or gone; else nothing is written. */
static bool changes(struct rt_emit *e, const struct rt_facts *facts, enum rt_compared_where where)
{
	static const struct chart charts[] = {
	    {"Rules that changed", "Rule", "category", "rule", "rules", false},
	    {"Folders that changed", "Folder", "file_path", "folder", "folders", true}};
	const struct rt_compared_changes *all = &facts->compared->changes[where];
	const struct chart *chart = &charts[where];
	uint64_t moved = where == RT_COMPARED_FOLDER ? facts->compared->classes[RT_CLASS_MOVED] : 0;
	uint64_t most[2] = {0}, more = all->all - all->count, same;

	if (!all->count)
		return false;
	for (size_t i = 0; i < all->count; i++) {
		uint64_t gone = sum_of(all->worst[i].gone), fresh = sum_of(all->worst[i].fresh);

		most[0] = gone > most[0] ? gone : most[0];
		most[1] = fresh > most[1] ? fresh : most[1];
	}
	RT_HTML(e, rt_page_changes, chart->title, chart->head);
	for (size_t i = 0; i < all->count; i++) {
		const struct rt_compared_change *change = &all->worst[i];

		row_name(e, change->text, chart, 0);
		change_cells(e, change, most, open_there(facts, where, change->text));
	}
	same = where == RT_COMPARED_CATEGORY && !more ? count_unchanged(facts, all) : 0;
	RT_HTML(e, rt_page_changes_end, same, RT_COUNTED(same, "rule is", "rules are"), more, more,
		more == 1 ? chart->what : chart->many, moved,
		RT_COUNTED(moved, "finding moved and counts", "findings moved and count"));
	return true;
}

/* --- The whole ----------------------------------------------------------------------- */

void rt_html_charts(struct rt_emit *e, const struct rt_html_page *page)
{
	static const struct chart categories = {
	    "Rules, worst first", "Rule", "category", "rule", "rules", false};
	const struct rt_compared *said = page->facts->compared;

	bool aged = rt_facts_dated(page->facts) || rt_html_has_limits(page->settings);

	if (aged || page->facts->repos.count > 1) {
		rt_emit_text(e, "<div class=\"grid\"><div class=\"col\">");
		if (aged)
			ages(e, page);
		heat(e, page->facts);
		rt_emit_text(e, "</div>\n");
	} else {
		rt_emit_text(e, "<div class=\"grid two\">");
	}
	if (!said || !changes(e, page->facts, RT_COMPARED_CATEGORY))
		bars(e, &page->facts->categories, &categories);
	if (!said || !changes(e, page->facts, RT_COMPARED_FOLDER))
		where(e, page->facts);
	rt_emit_text(e, "</div>\n");
}
