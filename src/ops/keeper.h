/*
 * Issues kept for results in a second thread, while the next ones are read: writing them down as
 * they stand in a response takes as long as reading them.
 */
#ifndef RT_OPS_KEEPER_H
#define RT_OPS_KEEPER_H

#include "ops/results.h"

struct rt_keeper;

/*
 * results: borrowed until rt_keeper_free(), and the keeper's alone until rt_keeper_finish().
 * ret_keeper: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_keeper_new(struct rt_results *results, struct rt_keeper **ret_keeper,
			     struct rt_error *err);

/*
 * As rt_results_keep(), sooner or later, and in the order of the calls; what goes wrong may be said
 * by a later call. issue: copied, all but its id, which no result needs.
 */
enum rt_status rt_keeper_add(struct rt_keeper *keeper, uint32_t target,
			     const struct rt_record *issue, struct rt_error *err);

/* All issues have been added: have the last ones kept. Returns as rt_results_keep(). */
enum rt_status rt_keeper_finish(struct rt_keeper *keeper, struct rt_error *err);

/* Waits for the thread. NULL is allowed. */
void rt_keeper_free(struct rt_keeper *keeper);

#endif
