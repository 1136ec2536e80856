/*
 * Writes sorted counts as a document, CSV, or a table.
 */
#include "output/list_count.h"

#include <ctype.h>
#include <stdio.h>

#include "output/csv.h"

/* --- The document ------------------------------------------------------------------------ */

/* A boolean is no text in the document. */
static bool is_flag(unsigned field)
{
	return field == RT_M_FALSE_POSITIVE || field == RT_M_EXPLOITABLE;
}

static void write_value(struct rt_writer *w, const struct rt_count_by_field *by,
			struct rt_slice value)
{
	if (value.ptr && is_flag(by->field))
		RT_WRITE(w, "%k: %b", by->name, value.ptr[0] == 't');
	else
		RT_WRITE(w, "%k: %s", by->name, value);
}

void rt_list_count_write(struct rt_writer *w, const struct rt_issue_totals *totals,
			 const struct rt_count_by *by)
{
	RT_WRITE(w, "{total_issues: %u, selected: %u, open: %u, false_positives: %u, by: [",
		 totals->total, totals->selected, totals->open, totals->selected - totals->open);
	for (size_t i = 0; i < by->field_count; i++)
		rt_writer_string(w, by->fields[i].name);
	RT_WRITE(w, "], counts: [");
	for (size_t i = 0; i < by->row_count; i++) {
		const struct rt_count_by_row *row = &by->rows[i];

		RT_WRITE(w, "{");
		for (size_t k = 0; k < by->field_count; k++)
			write_value(w, &by->fields[k], row->values[k]);
		RT_WRITE(w, "open: %u, all: %u}", row->open, row->all);
	}
	RT_WRITE(w, "]}");
}

/* --- CSV --------------------------------------------------------------------------------- */

void rt_list_count_csv(struct rt_emit *out, const struct rt_count_by *by, bool raw)
{
	for (size_t k = 0; k < by->field_count; k++) {
		rt_emit_slice(out, by->fields[k].name);
		rt_emit_char(out, ',');
	}
	rt_emit_text(out, "open,all\r\n");
	for (size_t i = 0; i < by->row_count; i++) {
		const struct rt_count_by_row *row = &by->rows[i];

		for (size_t k = 0; k < by->field_count; k++) {
			if (is_flag(by->fields[k].field))
				rt_emit_slice(out, row->values[k]);
			else if (row->values[k].ptr)
				rt_csv_text(out, row->values[k], raw);
			rt_emit_char(out, ',');
		}
		rt_emit_uint(out, row->open);
		rt_emit_char(out, ',');
		rt_emit_uint(out, row->all);
		rt_emit_text(out, "\r\n");
	}
}

/* --- The table --------------------------------------------------------------------------- */

static void put_value(struct rt_table *table, unsigned field, struct rt_slice value)
{
	enum rt_tone tone = field == RT_M_SEVERITY ? rt_tone_of_severity(value) : RT_TONE_PLAIN;

	if (!value.ptr)
		rt_table_cell(table, RT_TABLE_NOTHING, RT_TONE_FAINT);
	else
		rt_table_cell(table, value.len ? value : RT_SLICE("\"\""), tone);
}

/* Of all open issues, in whole hundredths. */
static void put_share(struct rt_table *table, uint64_t open, uint64_t all)
{
	char text[16] = "";

	if (all)
		(void)snprintf(text, sizeof(text), "%.0f %%", 100.0 * (double)open / (double)all);
	rt_table_cell(table, rt_slice_of(text), RT_TONE_FAINT);
}

static void begin(struct rt_table *table, const struct rt_count_by *by)
{
	struct rt_table_column columns[3 + RT_COUNT_BY_MEMBERS] = {
	    {.title = "OPEN", .right = true},
	    {.title = "SHARE", .right = true, .leave = 2},
	    {.title = "ALL", .right = true, .leave = 1},
	};
	char titles[RT_COUNT_BY_MEMBERS][32] = {{0}};

	for (size_t k = 0; k < by->field_count; k++) {
		struct rt_slice name = by->fields[k].name;

		for (size_t i = 0; i < name.len && i + 1 < sizeof(titles[k]); i++)
			titles[k][i] = (char)toupper((unsigned char)name.ptr[i]);
		columns[3 + k] = (struct rt_table_column){
		    .title = titles[k], .weight = 1, .min = 4, .keep_end = true};
	}
	rt_table_begin(table, columns, 3 + by->field_count);
}

void rt_list_count_table(struct rt_table *table, const struct rt_issue_totals *totals,
			 const struct rt_count_by *by, uint64_t max)
{
	size_t shown = by->row_count < max ? by->row_count : (size_t)max;

	if (shown)
		begin(table, by);
	for (size_t i = 0; i < shown; i++) {
		rt_table_cell_count(table, by->rows[i].open);
		put_share(table, by->rows[i].open, totals->open);
		rt_table_cell_count(table, by->rows[i].all);
		for (size_t k = 0; k < by->field_count; k++)
			put_value(table, by->fields[k].field, by->rows[i].values[k]);
	}
	rt_table_more(table, by->row_count - shown);
	rt_issue_totals_put(table, totals);
}
