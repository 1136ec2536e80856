/*
 * Issues as rows of a table, and a line of counts: what `list` and `summary` have in common.
 */
#ifndef RT_OUTPUT_ISSUE_TABLE_H
#define RT_OUTPUT_ISSUE_TABLE_H

#include "engine/field.h"
#include "engine/gate.h"
#include "output/table.h"
#include "output/texts.h"

/* What a table puts in the place of a text that is missing, null or empty. */
#define RT_TABLE_NOTHING RT_SLICE("-")

/* The beginnings of ids, by which they are shown as short as filters take them. {0}: none yet. */
struct rt_short_ids {
	struct rt_buf starts;
};

/* Add each id of the data set; then bring them into order. Returns RT_OK or RT_FATAL. */
enum rt_status rt_short_ids_add(struct rt_short_ids *ids, struct rt_slice id, struct rt_error *err);
void rt_short_ids_sort(struct rt_short_ids *ids);

/* Bytes of an id that no other one begins with, 8 or more; all where that is no beginning. */
size_t rt_short_id(const struct rt_short_ids *ids, struct rt_slice id);

/* Rows under way. {0} before rt_issue_rows_begin(), but for what the caller says. */
struct rt_issue_rows {
	struct rt_table *table;
	const struct rt_columns *columns; /* said by the caller, as what follows */
	struct rt_field_source source;
	const char *link; /* of locations, as rt_texts_link() has it; NULL: none */
	bool given;    /* columns were asked for: the first of them stay where there is no room */
	bool compared; /* the first column says what became of an issue */
	const struct rt_short_ids *ids; /* NULL: they are shown whole */
	struct rt_buf scratch;
	struct rt_texts texts; /* for links */
};

/* Whether a table of that width has room for ids. width: as in struct rt_style. */
bool rt_issue_rows_have_ids(unsigned width);

/* What the rows of a table differ in, and which gets a column for that. */
struct rt_issue_differences {
	bool status, expires, tool, age;
};

/* The usual columns: severity, location, rule, finding, what rows differ in, and the id where there
 * is room. */
void rt_issue_columns(struct rt_columns *columns, unsigned width, struct rt_issue_differences with);

/* Begin the table. */
void rt_issue_rows_begin(struct rt_issue_rows *rows, struct rt_table *table, unsigned width);

/* The sign of a class, "+" of what is new; empty of what is as it was. */
const char *rt_class_sign(enum rt_class class);

/* Add an issue. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_issue_rows_put(struct rt_issue_rows *rows, const struct rt_finding *finding,
				 struct rt_error *err);

void rt_issue_rows_release(struct rt_issue_rows *rows);

/* Counts of issues that were picked out of all. */
struct rt_issue_totals {
	uint64_t total, selected, open, expired; /* expired ones are open */
	uint64_t open_levels[RT_LEVELS];
};

/* Count one that was picked; total is counted by the caller. */
void rt_issue_totals_add(struct rt_issue_totals *totals, const struct rt_finding *finding);

/* Add the counts of other issues, total included. */
void rt_issue_totals_merge(struct rt_issue_totals *totals, const struct rt_issue_totals *more);

/* A line of its own: "213 issues of 4,812: 211 open (2 critical, 209 high), 2 dismissed". */
void rt_issue_totals_put(struct rt_table *table, const struct rt_issue_totals *totals);

/* A line of its own: "since the baseline: 9 new (9 low), 14 gone, 120 carried over"; NULL: none. */
void rt_compared_put(struct rt_table *table, const struct rt_compared *compared);

/* A line of its own, where there are rows that are not shown: "188 more". */
void rt_table_more(struct rt_table *table, uint64_t count);

#endif
