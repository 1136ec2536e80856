/*
 * Shows issues, and counts of them, as a table.
 */
#include "output/issue_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"

/* --- Rows -------------------------------------------------------------------------------- */

const char *rt_class_sign(enum rt_class class)
{
	static const char *const signs[RT_CLASSES] = {
	    [RT_CLASS_NEW] = "+",       [RT_CLASS_CHANGED] = "~",
	    [RT_CLASS_GONE] = "-",      [RT_CLASS_MOVED] = "\xE2\x86\x92", /* an arrow */
	    [RT_CLASS_AMBIGUOUS] = "?",
	};

	return signs[class] ? signs[class] : "";
}

/* How columns are laid out. */
static const struct {
	unsigned field;
	struct rt_table_column column;
} layouts[] = {
    {RT_M_SEVERITY, {.weight = 1, .min = 8}},
    /* Whole, as far as there is room: half of the line at least. */
    {RT_F_LOCATION, {.weight = 8, .keep_end = true}},
    {RT_M_FILE_PATH, {.weight = 8, .keep_end = true}},
    {RT_F_FINDING, {.weight = 5, .min = 12, .leave = 2}},
    {RT_M_TITLE, {.weight = 5, .min = 12, .leave = 2}},
    {RT_M_CATEGORY, {.weight = 3, .min = 8, .leave = 3}},
    {RT_M_MODEL_USED, {.weight = 2, .min = 10, .leave = 6}},
    {RT_F_DECIDED_AT, {.leave = 4}},
    {RT_F_STATUS, {.leave = 4}},
    {RT_F_REASON, {.leave = 4}},
    {RT_F_EXPIRES, {.leave = 4}},
    {RT_F_AGE, {.right = true, .leave = 5}},
    {RT_M_LINE_NUMBER, {.right = true, .leave = 5}},
    {RT_M_ID, {.leave = 7}}, /* cut it is of no use */
};

/* title: room for its heading. */
static struct rt_table_column column_of(unsigned field, unsigned width, char title[24])
{
	struct rt_slice name = rt_field_title(field);
	struct rt_table_column column = {.weight = 2, .min = 6, .leave = 1};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].field == field)
			column = layouts[i].column;
	}
	if (column.keep_end)
		column.min = width / 2;
	for (size_t i = 0; i <= name.len; i++)
		title[i] = i < name.len ? (char)toupper((unsigned char)name.ptr[i]) : '\0';
	column.title = title;
	return column;
}

void rt_issue_columns(struct rt_columns *columns, unsigned width, struct rt_issue_differences with)
{
	const struct {
		unsigned field;
		bool wanted;
	} all[] = {
	    {RT_M_SEVERITY, true},
	    {RT_F_LOCATION, true},
	    {RT_M_CATEGORY, true},
	    {RT_F_FINDING, true},
	    {RT_F_STATUS, with.status},
	    {RT_F_EXPIRES, with.expires},
	    {RT_M_MODEL_USED, with.tool},
	    {RT_F_AGE, with.age},
	    {RT_M_ID, rt_issue_rows_have_ids(width)},
	};

	columns->count = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].wanted)
			columns->fields[columns->count++] = all[i].field;
	}
}

bool rt_issue_rows_have_ids(unsigned width)
{
	return width == 0 || width >= 100;
}

void rt_issue_rows_begin(struct rt_issue_rows *rows, struct rt_table *table, unsigned width)
{
	struct rt_table_column columns[RT_TABLE_COLUMNS_MAX] = {{.title = ""}};
	char titles[RT_TABLE_COLUMNS_MAX][24];
	size_t count = rows->compared;

	rows->table = table;
	for (size_t i = 0; i < rows->columns->count && count < RT_TABLE_COLUMNS_MAX; i++, count++)
		columns[count] = column_of(rows->columns->fields[i],
					   width ? width : RT_WIDTH_DEFAULT, titles[count]);
	for (unsigned i = 0; rows->given && i < count; i++)
		columns[i].leave = i;
	rt_table_begin(table, columns, count);
}

void rt_issue_rows_release(struct rt_issue_rows *rows)
{
	rt_buf_release(&rows->scratch);
	rt_texts_release(&rows->texts);
}

static enum rt_tone tone_of(unsigned field, struct rt_slice text, const struct rt_finding *finding)
{
	if (!finding->open || field == RT_M_ID)
		return RT_TONE_FAINT;
	return field == RT_M_SEVERITY ? rt_tone_of_severity(text) : RT_TONE_PLAIN;
}

enum rt_status rt_issue_rows_put(struct rt_issue_rows *rows, const struct rt_finding *finding,
				 struct rt_error *err)
{
	const struct rt_report_settings settings = {.link = rows->link};
	struct rt_texts *t = &rows->texts;
	size_t room = RT_TABLE_COLUMNS_MAX - rows->compared;
	struct rt_put decoded = {&rows->scratch, &t->err, RT_OK};

	t->settings = &settings;
	t->finding = finding;
	if (rows->compared)
		rt_table_cell(rows->table, rt_slice_of(rt_class_sign(finding->class)),
			      RT_TONE_STRONG);
	for (size_t i = 0; i < rows->columns->count && i < room; i++) {
		unsigned field = rows->columns->fields[i];
		struct rt_slice text = rt_field_text(&rows->source, finding, field, 0, &decoded);
		enum rt_tone tone;

		if (field == RT_F_LOCATION || field == RT_M_FILE_PATH)
			rt_table_link(rows->table, rt_texts_link(t));
		if (field == RT_F_LINK)
			text = rt_texts_link(t);
		if (field == RT_M_ID) {
			text = finding->record->id;
			text.len = rows->ids ? rt_short_id(rows->ids, text) : text.len;
		}
		/* A day is enough for people. */
		if (field == RT_F_DECIDED_AT && text.len > RT_DAY_ROOM - 1)
			text.len = RT_DAY_ROOM - 1;
		tone = tone_of(field, text, finding);
		if (field == RT_M_TITLE && text.len)
			rt_table_cell_line(rows->table, text, tone);
		else
			rt_table_cell(rows->table, text.len ? text : RT_TABLE_NOTHING, tone);
	}
	t->settings = NULL;
	RT_STEP(t, decoded.status);
	return rt_texts_status(t, err);
}

/* --- Short ids ---------------------------------------------------------------------------- */

/* Bytes that are kept of each id, and that a shown one has at least; and those that are left then,
 * as filters have it. */
#define START 16u
#define SHORTEST 8u
#define REST 8u

enum rt_status rt_short_ids_add(struct rt_short_ids *ids, struct rt_slice id, struct rt_error *err)
{
	char start[START] = {0};

	memcpy(start, id.ptr, id.len < START ? id.len : START);
	return rt_buf_append(&ids->starts, start, START, err);
}

static int by_start(const void *a, const void *b)
{
	return memcmp(a, b, START);
}

void rt_short_ids_sort(struct rt_short_ids *ids)
{
	if (ids->starts.len)
		qsort(ids->starts.data, ids->starts.len / START, START, by_start);
}

static size_t common(const char *a, const char *b)
{
	size_t len = 0;

	while (len < START && a[len] == b[len])
		len++;
	return len;
}

size_t rt_short_id(const struct rt_short_ids *ids, struct rt_slice id)
{
	const char *all = ids->starts.data;
	size_t count = ids->starts.len / START, from = 0, to = count, len = SHORTEST;
	char start[START] = {0};

	memcpy(start, id.ptr, id.len < START ? id.len : START);
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (memcmp(all + middle * START, start, START) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	/* Its own start is the first of those that are not before it. */
	for (size_t i = from ? from - 1 : 0; i < from + 2 && i < count; i++) {
		size_t same = i == from ? 0 : common(all + i * START, start);

		len = same + 1 > len ? same + 1 : len;
	}
	while (len < id.len && ((unsigned char)id.ptr[len] & 0xC0) == 0x80)
		len++;
	return len > START || len + REST > id.len ? id.len : len;
}

/* --- Counts ------------------------------------------------------------------------------ */

void rt_issue_totals_add(struct rt_issue_totals *totals, const struct rt_finding *finding)
{
	totals->selected++;
	totals->open += finding->open;
	totals->expired += finding->status == RT_STATUS_EXPIRED;
	totals->open_levels[finding->level] += finding->open;
}

void rt_issue_totals_merge(struct rt_issue_totals *totals, const struct rt_issue_totals *more)
{
	totals->total += more->total;
	totals->selected += more->selected;
	totals->open += more->open;
	totals->expired += more->expired;
	for (size_t level = 0; level < RT_LEVELS; level++)
		totals->open_levels[level] += more->open_levels[level];
}

/* " (2 critical, 209 high; 1 with an expired dismissal)"; nothing where none is open. */
static void put_levels(const struct rt_issue_totals *totals, char *text, size_t cap)
{
	char expired[RT_EXPIRED_ROOM];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		struct rt_slice name = rt_level_text(level);

		if (totals->open_levels[level])
			used += (size_t)snprintf(
			    text + used, cap - used, "%s%s %.*s", used ? ", " : " (",
			    RT_COUNT(totals->open_levels[level]), (int)name.len, name.ptr);
	}
	rt_expired_text(totals->expired, totals->open, expired);
	(void)snprintf(text + used, cap - used, "%s%s%s", *expired ? "; " : "", expired,
		       used ? ")" : "");
}

void rt_issue_totals_put(struct rt_table *table, const struct rt_issue_totals *totals)
{
	uint64_t decided = totals->selected - totals->open;
	char of[RT_COUNT_ROOM + 8] = "", levels[256];

	if (totals->selected != totals->total)
		(void)snprintf(of, sizeof(of), " of %s", RT_COUNT(totals->total));
	put_levels(totals, levels, sizeof(levels));
	rt_table_say(table, RT_TONE_STRONG, "%s issue%s%s: %s open%s, %s dismissed",
		     RT_COUNT(totals->selected), RT_S(totals->selected), of, RT_COUNT(totals->open),
		     levels, RT_COUNT(decided));
}

void rt_compared_put(struct rt_table *table, const struct rt_compared *compared)
{
	char text[RT_COMPARED_ROOM];

	if (compared)
		rt_table_say(table, RT_TONE_STRONG, "since the baseline: %s",
			     rt_compared_text(compared, text));
}

void rt_table_more(struct rt_table *table, uint64_t count)
{
	if (count)
		rt_table_say(table, RT_TONE_FAINT, "%s more", RT_COUNT(count));
}
