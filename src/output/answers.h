/*
 * The documents of the contract, written member by member from the table (SPEC D7, D8, D9), and
 * problem documents (RFC 9457, SPEC D21).
 */
#ifndef RT_OUTPUT_ANSWERS_H
#define RT_OUTPUT_ANSWERS_H

#include "engine/request.h"
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

/*
 * Append a problem document and a newline to out.
 *
 * title: of the HTTP status. detail: UTF-8. With status 422 there are errors: the one in fault,
 * whose field is the JSON pointer and whose record and message are the detail, and those that walk
 * goes on to, if it is not NULL.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_problem_write(unsigned status, const char *title, const char *detail,
				const struct rt_error *fault, struct rt_request_walk *walk,
				struct rt_buf *out, struct rt_error *err);

#endif
