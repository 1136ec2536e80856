/*
 * How many issues were picked, and how many of them have which values: as a document (schema
 * list-count), as CSV and as a table.
 */
#ifndef RT_OUTPUT_LIST_COUNT_H
#define RT_OUTPUT_LIST_COUNT_H

#include "engine/count_by.h"
#include "output/emit.h"
#include "output/issue_table.h"
#include "output/writer.h"

/* by: sorted; of no members where only the totals are asked for. */
void rt_list_count_write(struct rt_writer *w, const struct rt_issue_totals *totals,
			 const struct rt_count_by *by);

/* raw: without the guard against formulas. */
void rt_list_count_csv(struct rt_emit *out, const struct rt_count_by *by, bool raw);

/* max: rows. */
void rt_list_count_table(struct rt_table *table, const struct rt_issue_totals *totals,
			 const struct rt_count_by *by, uint64_t max);

#endif
