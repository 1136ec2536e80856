/*
 * The ids of a data set, to say at its end whether one may stand twice (SPEC D6), for a reader that
 * tells no places.
 *
 * A table (engine/ids.h) is asked for every id as it comes, and its memory is far away. Here hashes
 * are put on piles, each at its end, and a pile is looked through when all are there: what that
 * needs is near. An id takes 8 bytes. Two different ones have the same hash with a chance of 1 in
 * 300,000 at ten million ids, under a key that nobody knows; whoever is told that an id may stand
 * twice reads again and sees.
 */
#ifndef RT_ENGINE_ID_PILES_H
#define RT_ENGINE_ID_PILES_H

#include "base/multilinear.h"
#include "retriage.h"

struct rt_id_piles;

/* key: copied. ret_piles: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_id_piles_new(const struct rt_siphash_key *key, struct rt_id_piles **ret_piles,
			       struct rt_error *err);

/* Add an id. kind: ids of issues and of rulesets do not meet. Returns as rt_id_piles_new(). */
enum rt_status rt_id_piles_add(struct rt_id_piles *piles, enum rt_kind kind, struct rt_slice id,
			       struct rt_error *err);

/*
 * Whether an id may stand twice in all sets together, which have the same key; if not, none does.
 *
 * share, shares: only that share of all ids is looked at, so that several threads can do it;
 * shares 1: all.
 * ret_twice: set on RT_OK. Returns as rt_id_piles_new().
 */
enum rt_status rt_id_piles_twice(struct rt_id_piles *const *sets, size_t count, size_t share,
				 size_t shares, bool *ret_twice, struct rt_error *err);

/* NULL is allowed. */
void rt_id_piles_free(struct rt_id_piles *piles);

#endif
