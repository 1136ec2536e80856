/*
 * Executes updates for their outcomes. Input: issues and a plan, in the form of struct rt_results.
 * Output: for each update its counts and its result's SHA-256, which are worked out in a second
 * thread where there are many.
 */
#include "ops/outcomes.h"

#include <stdlib.h>

#include "base/error.h"
#include "ops/digest_queue.h"

enum rt_status rt_outcomes_make(struct rt_results *results, uint32_t first, uint32_t end,
				struct rt_outcome **ret_outcomes, struct rt_error *err)
{
	uint32_t count = end - first;
	struct rt_outcome *outcomes = calloc(count ? count : 1, sizeof(*outcomes));
	struct rt_digest_queue *queue = NULL;
	enum rt_status status;

	if (!outcomes)
		return rt_error_nomem(err);
	status = rt_digest_queue_new(count, &queue, err);
	for (uint32_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_result result;

		status = rt_results_run(results, first + i, &result, err);
		if (status != RT_OK)
			break;
		outcomes[i].updated_count = result.updated_count;
		outcomes[i].failed_count = result.failed_count;
		status = rt_digest_queue_add(queue, result.text, err);
	}
	if (status == RT_OK) {
		rt_digest_queue_finish(queue);
		for (uint32_t i = 0; i < count; i++)
			memcpy(outcomes[i].sha256, rt_digest_queue_get(queue, i), RT_SHA256_BYTES);
		*ret_outcomes = outcomes;
	} else {
		free(outcomes);
	}
	rt_digest_queue_free(queue);
	return status;
}
