/*
 * What updates come to: counts and digests of their results, without the results.
 *
 * Issues come in the order of the export. Each update is executed, and its result digested, when
 * the last of its issues has come: so of one that names an issue or two no text is kept.
 */
#ifndef RT_OPS_OUTCOMES_H
#define RT_OPS_OUTCOMES_H

#include "base/sha256.h"
#include "ops/results.h"

struct rt_outcomes;

struct rt_outcome {
	unsigned updated_count, failed_count;
	uint8_t sha256[RT_SHA256_BYTES];       /* of the result document, compact, no newline */
	uint8_t notes_sha256[RT_SHA256_BYTES]; /* rt_results_notes() */
};

/*
 * plan: borrowed until rt_outcomes_free(), as by results. first: the number of the first update
 * that is executed; those before it are taken to have been made. results: borrowed likewise,
 * nothing kept in it yet. again: its updates will be
 * executed once more, and texts have to stay for that. ret_outcomes: on RT_OK owned by the caller.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_outcomes_new(const struct rt_plan *plan, uint32_t first,
			       struct rt_results *results, bool again,
			       struct rt_outcomes **ret_outcomes, struct rt_error *err);

/*
 * The issue with the id of a target. issue: borrowed for the call.
 * Returns as rt_results_keep().
 */
enum rt_status rt_outcomes_add(struct rt_outcomes *outcomes, uint32_t target,
			       const struct rt_record *issue, struct rt_error *err);

/* There are no more issues: execute what is left. Returns as rt_outcomes_add(). */
enum rt_status rt_outcomes_finish(struct rt_outcomes *outcomes, struct rt_error *err);

/* That of an update, from `first` on; after rt_outcomes_finish(). Borrowed as long as outcomes. */
const struct rt_outcome *rt_outcomes_get(const struct rt_outcomes *outcomes, uint32_t step);

/* NULL is allowed. */
void rt_outcomes_free(struct rt_outcomes *outcomes);

#endif
