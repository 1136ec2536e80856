/*
 * The documents of the contract, written member by member from the table (SPEC D7, D8, D9).
 */
#ifndef RT_OUTPUT_ANSWERS_H
#define RT_OUTPUT_ANSWERS_H

#include "engine/summary.h"
#include "output/writer.h"

/*
 * Write one issue as in a response: all 29 members in the order of table 2.1.
 * values: RT_ISSUE_MEMBERS checked JSON texts by member, ptr NULL where missing.
 */
void rt_answer_issue(struct rt_writer *w, const struct rt_slice *values);

/* Write one checked ruleset as in a response: all 9 members in the order of table 2.2. */
void rt_answer_ruleset(struct rt_writer *w, const struct rt_record *ruleset);

/* Write a summary whose maps have been sorted (contract 2.4). */
void rt_answer_summary(struct rt_writer *w, const struct rt_summary *summary);

#endif
