/*
 * Whether records of one id are equal in documented members (SPEC D6), without their texts: in all
 * of them, or, where the worst of several issues is wanted, of an issue in its tool, rule and path.
 *
 * Equal is what an answer shows alike: strings by their characters, numbers by their text (SPEC
 * D5), arrays element by element, a missing member as null, and a missing or null false_positive
 * as false (SPEC D7). Kept of each record are 128 bits of SHA-256 over all of that and a secret
 * key, so that nobody can aim for two that meet, and 8 bits of each member by itself, to name one
 * that differs: 45 bytes a record.
 */
#ifndef RT_ENGINE_EQUAL_H
#define RT_ENGINE_EQUAL_H

#include "base/siphash.h"
#include "scan/record.h"

struct rt_equal;

/* key: copied. in_part: of an issue only tool, rule and path are compared.
 * ret_equal: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_equal_new(const struct rt_siphash_key *key, bool in_part,
			    struct rt_equal **ret_equal, struct rt_error *err);

/* Digest a checked record; it is the one at hand then. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_equal_take(struct rt_equal *equal, const struct rt_record *record,
			     struct rt_error *err);

/* Keep the one at hand under the next number, from 0. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_equal_keep(struct rt_equal *equal, struct rt_error *err);

/*
 * Whether the one at hand is equal to a kept one of the same kind.
 * ret_member: set where it is not: the first member that is known to differ, or RT_M_UNKNOWN; one
 * difference in 256 is not known.
 */
bool rt_equal_check(const struct rt_equal *equal, uint64_t number, enum rt_member *ret_member);

/* A digest of the one at hand, but for its id; borrowed until the next one. */
struct rt_slice rt_equal_digest(const struct rt_equal *equal);

/* NULL is allowed. */
void rt_equal_free(struct rt_equal *equal);

#endif
