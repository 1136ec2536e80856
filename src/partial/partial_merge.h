/*
 * Puts partial summaries together: the summary that one run over all their inputs, in this order,
 * would have come to.
 *
 * Ids are held against each other through a sort outside of memory (id_sort.h), so that memory
 * follows the number of neither issues nor documents.
 */
#ifndef RT_PARTIAL_PARTIAL_MERGE_H
#define RT_PARTIAL_PARTIAL_MERGE_H

#include "engine/summary.h"

struct rt_partial_merge;

/*
 * Read all partial summaries of options->paths, each once, in this order, and add them up.
 *
 * ret_merge: on RT_OK owned by the caller. options->notice is told the notes of each.
 * Returns RT_OK; RT_FATAL with err set: RT_E_INPUT also where an id stands twice, with both inputs
 * in err, and where they were not made with the same options.
 */
enum rt_status rt_partial_merge_new(const struct rt_options *options,
				    struct rt_partial_merge **ret_merge, struct rt_error *err);

/* The summary of all, not sorted; borrowed. */
struct rt_summary *rt_partial_merge_summary(struct rt_partial_merge *merge);

/* NULL is allowed. */
void rt_partial_merge_free(struct rt_partial_merge *merge);

#endif
