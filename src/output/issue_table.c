/*
 * Shows issues, and counts of them, as a table.
 */
#include "output/issue_table.h"

#include <stdio.h>

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

void rt_issue_rows_begin(struct rt_issue_rows *rows, struct rt_table *table, bool compared)
{
	static const struct rt_table_column columns[] = {
	    {.title = ""},
	    {.title = "SEVERITY", .weight = 1, .min = 8},
	    {.title = "PLACE", .weight = 4, .min = 8, .keep_end = true, .leave = 1},
	    {.title = "TITLE", .weight = 5, .min = 8, .leave = 2},
	    /* Cut it is of no use: a UUID or one of SARIF has room, or there is none at all. */
	    {.title = "ID", .weight = 2, .min = 40, .leave = 3},
	};

	rows->table = table;
	rows->compared = compared;
	rt_table_begin(table, compared ? columns : columns + 1, compared ? 5 : 4);
}

void rt_issue_rows_release(struct rt_issue_rows *rows)
{
	rt_buf_release(&rows->scratch);
	rt_buf_release(&rows->place);
}

/* The text of a member that is a string. */
static enum rt_status member_text(const struct rt_slice *values, enum rt_member m,
				  struct rt_buf *scratch, struct rt_slice *ret_text,
				  struct rt_error *err)
{
	struct rt_slice json = values[m];

	*ret_text = RT_TABLE_NOTHING;
	if (!json.ptr || json.ptr[0] != '"' || json.len <= 2)
		return RT_OK;
	return rt_json_string_text(rt_slice_make(json.ptr + 1, json.len - 2), scratch, ret_text,
				   err);
}

/* PATH:LINE; without a line PATH, without a path "-". */
static enum rt_status make_place(struct rt_issue_rows *rows, const struct rt_slice *values,
				 struct rt_error *err)
{
	struct rt_slice path, line = values[RT_M_LINE_NUMBER];
	enum rt_status status = member_text(values, RT_M_FILE_PATH, &rows->scratch, &path, err);

	rows->place.len = 0;
	if (status == RT_OK)
		status = rt_buf_append(&rows->place, path.ptr, path.len, err);
	if (status != RT_OK || rt_slice_equal(path, RT_TABLE_NOTHING) || !line.ptr ||
	    line.ptr[0] == 'n')
		return status;
	status = rt_buf_append(&rows->place, ":", 1, err);
	return status == RT_OK ? rt_buf_append(&rows->place, line.ptr, line.len, err) : status;
}

/* The severity; of a dismissed issue it is grey and says so. */
static enum rt_status put_severity(struct rt_issue_rows *rows, const struct rt_slice *values,
				   bool expired, struct rt_error *err)
{
	const struct rt_slice false_positive = values[RT_M_FALSE_POSITIVE];
	struct rt_slice text;
	enum rt_status status = member_text(values, RT_M_SEVERITY, &rows->scratch, &text, err);
	enum rt_tone tone = rt_tone_of_severity(text);

	rows->place.len = 0;
	if (status == RT_OK && false_positive.ptr && false_positive.ptr[0] == 't') {
		const char *mark = expired ? " (expired)" : " (dismissed)";

		tone = expired ? tone : RT_TONE_FAINT;
		status = rt_buf_append(&rows->place, text.ptr, text.len, err);
		if (status == RT_OK)
			status = rt_buf_append(&rows->place, mark, strlen(mark), err);
		text = rt_buf_slice(&rows->place);
	}
	if (status == RT_OK)
		rt_table_cell(rows->table, text, tone);
	return status;
}

enum rt_status rt_issue_rows_put(struct rt_issue_rows *rows, const struct rt_slice *values,
				 struct rt_slice id, bool expired, struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = put_severity(rows, values, expired, err);

	if (status == RT_OK)
		status = make_place(rows, values, err);
	if (status == RT_OK) {
		rt_table_cell(rows->table, rt_buf_slice(&rows->place), RT_TONE_PLAIN);
		status = member_text(values, RT_M_TITLE, &rows->scratch, &text, err);
	}
	if (status == RT_OK) {
		rt_table_cell_line(rows->table, text, RT_TONE_PLAIN);
		rt_table_cell(rows->table, id, RT_TONE_FAINT);
	}
	return status;
}

void rt_issue_rows_class(struct rt_issue_rows *rows, enum rt_class class)
{
	const char *sign = rt_class_sign(class);

	if (rows->compared)
		rt_table_cell(rows->table, rt_slice_make(sign, strlen(sign)), RT_TONE_STRONG);
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

/* " (2 critical, 209 high; 1 with an expired dismissal)"; nothing where none is open. Returns the
 * bytes written. */
static size_t put_levels(const struct rt_issue_totals *totals, char *text, size_t cap)
{
	const char *before = " (";
	char number[RT_COUNT_ROOM], expired[RT_EXPIRED_ROOM];
	size_t used = 0;

	text[0] = '\0';
	for (size_t level = 0; level < RT_LEVELS; level++) {
		struct rt_slice name =
		    level < RT_SEVERITY_LEVELS ? rt_severity_level(level) : RT_SLICE("unknown");

		if (!totals->open_levels[level])
			continue;
		used += (size_t)snprintf(text + used, cap - used, "%s%s %.*s", before,
					 rt_count_text(totals->open_levels[level], number),
					 (int)name.len, name.ptr);
		before = ", ";
	}
	rt_expired_text(totals->expired, totals->open, expired);
	return used + (size_t)snprintf(text + used, cap - used, "%s%s%s", *expired ? "; " : "",
				       expired, used ? ")" : "");
}

void rt_issue_totals_put(struct rt_table *table, const struct rt_issue_totals *totals)
{
	uint64_t decided = totals->selected - totals->open;
	char numbers[4][RT_COUNT_ROOM], of[RT_COUNT_ROOM + 8] = "", line[512];
	size_t used;

	if (totals->selected != totals->total)
		(void)snprintf(of, sizeof(of), " of %s", rt_count_text(totals->total, numbers[0]));
	used = (size_t)snprintf(line, sizeof(line), "%s issue%s%s: %s open",
				rt_count_text(totals->selected, numbers[1]), RT_S(totals->selected),
				of, rt_count_text(totals->open, numbers[2]));
	used += put_levels(totals, line + used, sizeof(line) - used);
	used += (size_t)snprintf(line + used, sizeof(line) - used, ", %s dismissed",
				 rt_count_text(decided, numbers[3]));
	rt_table_line(table, rt_slice_make(line, used), RT_TONE_STRONG);
}

void rt_compared_put(struct rt_table *table, const struct rt_compared *compared)
{
	char text[RT_COMPARED_ROOM], line[RT_COMPARED_ROOM + 32];

	if (!compared)
		return;
	(void)snprintf(line, sizeof(line), "since the baseline: %s",
		       rt_compared_text(compared, text));
	rt_table_line(table, rt_slice_make(line, strlen(line)), RT_TONE_STRONG);
}

void rt_table_more(struct rt_table *table, uint64_t count)
{
	char text[RT_COUNT_ROOM], line[64];

	if (!count)
		return;
	(void)snprintf(line, sizeof(line), "%s more", rt_count_text(count, text));
	rt_table_line(table, rt_slice_make(line, strlen(line)), RT_TONE_FAINT);
}
