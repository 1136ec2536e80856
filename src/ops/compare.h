/*
 * Whether two data sets hold the same state: the same issues and rulesets with the same members,
 * whatever the order of issues, their container and their spelling (`verify --expect`).
 *
 * Kept of each record: a keyed hash of its id, and SHA-256 of its content, so memory grows by
 * 54 to 109 bytes a record. The same content: strings by their decoded characters, numbers by their
 * text (SPEC D5), arrays in order, objects by name and value whatever the order of the members, but
 * for those that occur several times: these in their order.
 */
#ifndef RT_OPS_COMPARE_H
#define RT_OPS_COMPARE_H

#include "base/siphash.h"
#include "scan/record.h"

struct rt_compare;

/* What stands against a record of the second data set. */
enum rt_compare_result {
	RT_COMPARE_SAME,
	RT_COMPARE_DIFFERENT, /* the first has the id with other content */
	RT_COMPARE_EXTRA,     /* the first has no such id */
	RT_COMPARE_MOVED,     /* a ruleset, the same, but after one that it is before in the
			       * first */
};

/* ret_compare: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_compare_new(struct rt_compare **ret_compare, struct rt_error *err);

/*
 * Add a record of the first data set. id: decoded. text: its JSON text, checked, borrowed for the
 * call. An id occurs once for each kind: the data set sees to that.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_compare_add(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
			      struct rt_slice text, struct rt_error *err);

/* Hold a record of the second against the first. Returns RT_OK with *ret_result set, or RT_FATAL.
 */
enum rt_status rt_compare_check(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
				struct rt_slice text, enum rt_compare_result *ret_result,
				struct rt_error *err);

/* Records of the first, those of a kind, that no rt_compare_check() has met. */
uint64_t rt_compare_missing(const struct rt_compare *compare, enum rt_kind kind);

/* Whether a record of the first has not been met: to name a missing one in a further pass. */
bool rt_compare_is_missing(const struct rt_compare *compare, enum rt_kind kind, struct rt_slice id);

/* NULL is allowed. */
void rt_compare_free(struct rt_compare *compare);

#endif
