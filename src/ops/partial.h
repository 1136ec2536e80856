/*
 * Partial summaries: what one machine has read of its share of a data set, made small, so that the
 * shares of all machines are counted together (schemas/partial-head.schema.json).
 */
#ifndef RT_OPS_PARTIAL_H
#define RT_OPS_PARTIAL_H

#include "engine/summary.h"

/*
 * Read all partial summaries of options->paths, each once, in this order, and count what is in
 * them: the summary that one run over all their inputs would have come to. Memory follows the
 * number of ids (engine/ids.h) and the names of the inputs, which limits.metadata_bytes bounds.
 *
 * options->notice gets the notes of each. summary: {0} at first, afterwards not sorted, to be
 * released in any case. Returns RT_OK; RT_FATAL with err set: RT_E_INPUT also where an id stands
 * twice, with both inputs in err, and where they were not made with the same options.
 */
enum rt_status rt_partials_read(const struct rt_options *options, struct rt_summary *summary,
				struct rt_error *err);

#endif
