/*
 * What is told of a verdict: the same of a gate and of a report with conditions.
 */
#ifndef RT_OPS_GATE_H
#define RT_OPS_GATE_H

#include "engine/facts.h"

/* Tell options->notice that nothing was picked, each condition of a verdict that failed, and
 * severities that are no level. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_gate_tell(const struct rt_options *options, const struct rt_facts *facts,
			    struct rt_error *err);

#endif
