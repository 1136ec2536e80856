/*
 * What a row of updates comes to: counts and digests of their results, without the results.
 */
#ifndef RT_OPS_OUTCOMES_H
#define RT_OPS_OUTCOMES_H

#include "base/sha256.h"
#include "ops/results.h"

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

#endif
