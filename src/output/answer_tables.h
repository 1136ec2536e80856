/*
 * The contract's documents as rows of tables, for people: rulesets, and results of bulk updates.
 */
#ifndef RT_OUTPUT_ANSWER_TABLES_H
#define RT_OUTPUT_ANSWER_TABLES_H

#include "output/table.h"
#include "scan/record.h"

/* Begin a table of rulesets; then add a checked one. */
void rt_ruleset_rows_begin(struct rt_table *table);
void rt_ruleset_rows_put(struct rt_table *table, const struct rt_record *ruleset);

/* Begin a table of results; then add the issues of a result document (contract 2.3), which is
 * compact JSON: those that were updated and those that failed. */
void rt_result_rows_begin(struct rt_table *table);
void rt_result_rows_put(struct rt_table *table, struct rt_slice result);

#endif
