/*
 * The state of a data set: the export, or, where the options name a journal, the export with the
 * journal's updates applied (SPEC D19), as a sequence of records.
 */
#ifndef RT_OPS_STATE_H
#define RT_OPS_STATE_H

#include "engine/dataset.h"

struct rt_state;

/*
 * options: borrowed until rt_state_free(). A journal is read and checked here.
 * ret_state: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_state_open(const struct rt_options *options, struct rt_state **ret_state,
			     struct rt_error *err);

/*
 * The next record as it is now; borrowed until the next call. Its `text` is the export's, its
 * members are the state's. As rt_dataset_next_good(); before RT_END the journal's base has been
 * held against what was read.
 */
enum rt_status rt_state_next(struct rt_state *state, const struct rt_record **ret_record,
			     struct rt_error *err);

/* See rt_dataset_key(). */
const struct rt_siphash_key *rt_state_key(const struct rt_state *state);

/* NULL is allowed. */
void rt_state_free(struct rt_state *state);

#endif
