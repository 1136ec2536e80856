/*
 * Bulk-update results (contract 2.3): each update executed on the issues it names, and the
 * document that says so; and what results come to, counts and digests, without the documents.
 *
 * An issue's part of a response is the same every time but for four members, so it is written once
 * and kept in pieces: a result is then a matter of copying. Updates can be executed in any order,
 * each as soon as its issues are known, and again.
 */
#ifndef RT_STATE_RESULTS_H
#define RT_STATE_RESULTS_H

#include "base/sha256.h"
#include "engine/issue_state.h"

struct rt_results;

/* One executed update. */
struct rt_result {
	unsigned updated_count, failed_count;
	unsigned unchanged_count; /* of the updated ones: nothing in them changed */
	struct rt_slice text; /* the compact document, no newline; borrowed until the next call */
};

/* What one comes to. */
struct rt_outcome {
	unsigned updated_count, failed_count;
	uint8_t sha256[RT_SHA256_BYTES];       /* of the result document, compact, no newline */
	uint8_t notes_sha256[RT_SHA256_BYTES]; /* rt_results_notes() */
};

/*
 * plan: borrowed until rt_results_free(); nothing may be added to it any more. first: the first
 * update whose outcome is wanted. again: updates will be executed once more after their outcomes
 * are known, and texts have to stay for that.
 * ret_results: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_results_new(const struct rt_plan *plan, uint32_t first, bool again,
			      struct rt_results **ret_results, struct rt_error *err);

/*
 * The issue of the export with the id of a target: kept as it is there, and each update executed
 * for its outcome once the last of its issues has come, so that of one that names an issue or two
 * no text is kept. Returns RT_OK; RT_FATAL: RT_E_NOMEM, or RT_E_LIMIT where it would have 4 GiB.
 */
enum rt_status rt_results_add(struct rt_results *results, uint32_t target,
			      const struct rt_record *issue, struct rt_error *err);

/* There are no more issues: execute what is left. Returns as rt_results_add(). */
enum rt_status rt_results_finish(struct rt_results *results, struct rt_error *err);

/* That of an update, from `first` on; after rt_results_finish(). Borrowed as long as results. */
const struct rt_outcome *rt_results_outcome(const struct rt_results *results, uint32_t number);

/*
 * An issue is kept, once, and nothing executed for it. notes: items of the notes that updates
 * before those of the plan have added to the record's, maybe none; borrowed for the call.
 * Returns as rt_results_add().
 */
enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_slice notes,
			       struct rt_error *err);

/*
 * Execute an update and write its result, as if all before it had been executed. An id whose issue
 * was not kept is a failed one. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_results_run(struct rt_results *results, uint32_t number,
			      struct rt_result *ret_result, struct rt_error *err);

/*
 * What notes the issues of an update have after it, those that did not fail: SHA-256 of the compact
 * JSON array of their notes arrays, in the result's order. As rt_results_run().
 */
enum rt_status rt_results_notes(struct rt_results *results, uint32_t number,
				uint8_t ret_sha256[RT_SHA256_BYTES], struct rt_error *err);

/* NULL is allowed. */
void rt_results_free(struct rt_results *results);

#endif
