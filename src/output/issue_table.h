/*
 * Issues as rows of a table, and a line of counts: what `list` and `summary` have in common.
 */
#ifndef RT_OUTPUT_ISSUE_TABLE_H
#define RT_OUTPUT_ISSUE_TABLE_H

#include "engine/gate.h"
#include "output/table.h"

/* What a table puts in the place of a text that is missing, null or empty. */
#define RT_TABLE_NOTHING RT_SLICE("-")

/* Rows under way. {0} before rt_issue_rows_begin(). */
struct rt_issue_rows {
	struct rt_table *table; /* borrowed */
	bool compared;          /* the first column says what became of an issue */
	struct rt_buf scratch, place;
};

/* Begin a table of severity, place, title and id. compared: with a column before them. */
void rt_issue_rows_begin(struct rt_issue_rows *rows, struct rt_table *table, bool compared);

/* The sign of a class, "+" of what is new; empty of what is as it was. */
const char *rt_class_sign(enum rt_class class);

/* Before a row, where they are compared: its class. */
void rt_issue_rows_class(struct rt_issue_rows *rows, enum rt_class class);

/*
 * Add an issue; the severity of one that was dismissed says so, and whether that has expired.
 * values: RT_ISSUE_MEMBERS checked JSON texts by member, ptr NULL where missing.
 * id: decoded. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_issue_rows_put(struct rt_issue_rows *rows, const struct rt_slice *values,
				 struct rt_slice id, bool expired, struct rt_error *err);

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
