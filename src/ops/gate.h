/*
 * What is told of a verdict: the same of a gate and of a report with conditions.
 */
#ifndef RT_OPS_GATE_H
#define RT_OPS_GATE_H

#include "engine/facts.h"
#include "ops/reading.h"

/* Everything was read: judge. gate: NULL: none. facts: gets the verdict, and what else is known of
 * the reading. */
void rt_gate_finish(struct rt_gate *gate, const struct rt_reading *r, struct rt_facts *facts);

/* Conditions about new issues want a baseline; and where a gate has one and none of them, that is
 * told. conditions: NULL: none. Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_gate_check_baseline(const struct rt_options *options,
				      const struct rt_gate_options *conditions,
				      const struct rt_filter *filter, bool is_gate,
				      struct rt_error *err);

/* Tell options->notice that nothing was picked, severities that are no level, and, with lines, the
 * verdict. */
void rt_gate_tell(const struct rt_options *options, const struct rt_facts *facts, bool lines);

#endif
