/*
 * Bulk-update results (contract 2.3): each update executed on the issues it names, and the
 * document that says so.
 *
 * An issue's part of a response is the same every time but for four members, so it is written once
 * and kept in pieces: a result is then a matter of copying.
 */
#ifndef RT_OPS_RESULTS_H
#define RT_OPS_RESULTS_H

#include "base/sha256.h"
#include "engine/issue_state.h"

struct rt_results;

/* One executed update. */
struct rt_result {
	unsigned updated_count, failed_count;
	unsigned unchanged_count; /* of the updated ones: nothing in them changed */
	struct rt_slice text; /* the compact document, no newline; borrowed until the next call */
};

/*
 * plan: borrowed until rt_results_free(); nothing may be added to it any more.
 * ret_results: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_results_new(const struct rt_plan *plan, struct rt_results **ret_results,
			      struct rt_error *err);

/* An issue of the export with the id of a target: kept as it is there. */
enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_error *err);

/* Execute an update without writing its result. Updates are executed once each, in their order. */
void rt_results_skip(struct rt_results *results, uint32_t step);

/* Execute an update and write its result. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_results_run(struct rt_results *results, uint32_t step,
			      struct rt_result *ret_result, struct rt_error *err);

/* Whether the export has an issue with the id of a target. */
bool rt_results_has(const struct rt_results *results, uint32_t target);

/* Back to the state of the export, so that the updates can be executed again. */
void rt_results_rewind(struct rt_results *results);

/* NULL is allowed. */
void rt_results_free(struct rt_results *results);

/* --- Outcomes of updates ---------------------------------------------------------------------- */

/*
 * What a row of updates comes to: counts and digests of their results, without the results.
 */

struct rt_outcome {
	unsigned updated_count, failed_count;
	uint8_t sha256[RT_SHA256_BYTES]; /* of the result document, compact, no newline */
};

/*
 * Execute the updates from step `first` to before `end`.
 * ret_outcomes: on RT_OK one for each, to be given to free(). Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_outcomes_make(struct rt_results *results, uint32_t first, uint32_t end,
				struct rt_outcome **ret_outcomes, struct rt_error *err);

/* --- Digests in a second thread --------------------------------------------------------------- */

/*
 * SHA-256 of many texts, worked out in a second thread while the next texts are made.
 */

struct rt_digest_queue;

/*
 * count: number of the texts that will be added at most.
 * ret_queue: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_digest_queue_new(uint32_t count, struct rt_digest_queue **ret_queue,
				   struct rt_error *err);

/* Add a text, not empty, which is copied. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_digest_queue_add(struct rt_digest_queue *queue, struct rt_slice text,
				   struct rt_error *err);

/* All texts have been added: wait for their digests. */
void rt_digest_queue_finish(struct rt_digest_queue *queue);

/*
 * The digest of a text by its number, from 0 in the order of adding; after
 * rt_digest_queue_finish(). RT_SHA256_BYTES, borrowed as long as the queue.
 */
const uint8_t *rt_digest_queue_get(const struct rt_digest_queue *queue, uint32_t number);

/* Waits for the thread. NULL is allowed. */
void rt_digest_queue_free(struct rt_digest_queue *queue);

#endif
