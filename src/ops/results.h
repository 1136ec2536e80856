/*
 * Bulk-update results (contract 2.3): each update executed on the issues it names, and the
 * document that says so.
 *
 * An issue's part of a response is the same every time but for four members, so it is written once
 * and kept in pieces: a result is then a matter of copying. Updates can be executed in any order,
 * each as soon as its issues are known, and again.
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

/*
 * An issue of the export with the id of a target: kept as it is there. One that was kept before is
 * kept no more. notes: items of the notes that updates before those of the plan have added to the
 * record's, maybe none; borrowed for the call.
 * Returns RT_OK; RT_FATAL: RT_E_NOMEM, or RT_E_LIMIT where it would have 4 GiB.
 */
enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_slice notes,
			       struct rt_error *err);

/*
 * Execute an update and write its result, as if all before it had been executed. An id whose issue
 * was not kept is a failed one. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_results_run(struct rt_results *results, uint32_t step,
			      struct rt_result *ret_result, struct rt_error *err);

/*
 * What notes the issues of an update have after it, those that did not fail: SHA-256 of the compact
 * JSON array of their notes arrays, in the result's order. As rt_results_run().
 */
enum rt_status rt_results_notes(struct rt_results *results, uint32_t step,
				uint8_t ret_sha256[RT_SHA256_BYTES], struct rt_error *err);

/* Whether the export has an issue with the id of a target. */
bool rt_results_has(const struct rt_results *results, uint32_t target);

/* The text of an issue, kept or not, is of no use any more: no update that mentions it will run. */
void rt_results_drop(struct rt_results *results, uint32_t target);

/* NULL is allowed. */
void rt_results_free(struct rt_results *results);

#endif
