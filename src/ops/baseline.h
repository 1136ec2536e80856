/*
 * What of a data set was there before: it is read once to be compared with its baseline, and then
 * again, to answer. `diff` has the same classes (ops/scans.h).
 */
#ifndef RT_OPS_BASELINE_H
#define RT_OPS_BASELINE_H

#include "engine/gate.h"
#include "state/state.h"

struct rt_baseline;

/*
 * Open a data set as rt_state_open() does, and compare it with options->baseline, if there is
 * one. extras: NULL: none. terms: which issues counts are about. source: of their fields.
 * ret_state: back at its first record. ret_baseline: NULL without a baseline. Both are on RT_OK
 * owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_baseline_open(const struct rt_options *options,
				const struct rt_state_extras *extras, const struct rt_term *terms,
				size_t term_count, const struct rt_field_source *source,
				struct rt_state **ret_state, struct rt_baseline **ret_baseline,
				struct rt_error *err);

/* err is why a baseline could not be read: say what one is to people who have none yet, or several
 * scans for one. */
void rt_baseline_explain(const struct rt_options *baseline, struct rt_error *err);

/* The digest of a path of options->baseline, as rt_state_digest() of a state with those extras. */
bool rt_baseline_digest(const struct rt_baseline *baseline, size_t index,
			uint8_t sha256[RT_SHA256_BYTES], uint64_t *ret_bytes);

/* Set what became of a finding, by its number; texts are borrowed until the next call. baseline:
 * NULL is allowed. Returns RT_OK or RT_FATAL (RT_E_IO: the data set has changed). */
enum rt_status rt_baseline_mark(struct rt_baseline *baseline, struct rt_finding *finding,
				struct rt_error *err);

/* What became of an issue of the baseline, by its number there: gone, or not scanned;
 * RT_CLASS_NONE: it is one of the data set, too. */
enum rt_class rt_baseline_old_class(const struct rt_baseline *baseline, uint64_t number);

/* Everything was read again: was it the same? Returns as before. */
enum rt_status rt_baseline_end(const struct rt_baseline *baseline, const struct rt_state *state,
			       struct rt_error *err);

/* NULL of NULL. Borrowed from the baseline. */
const struct rt_compared *rt_baseline_compared(const struct rt_baseline *baseline);

/* NULL is allowed. */
void rt_baseline_free(struct rt_baseline *baseline);

#endif
