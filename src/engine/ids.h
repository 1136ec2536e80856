/*
 * The ids of a data set, to find those that occur twice (SPEC D6), with the place of each.
 *
 * A keyed hash of each is kept, not the id, which has 36 bytes and more: 96 bits under a fresh
 * secret key make two different ids meet with a chance of 1 in 10^14 at ten million issues, and
 * nobody can aim for it. With its place an id takes 37 to 59 bytes.
 */
#ifndef RT_ENGINE_IDS_H
#define RT_ENGINE_IDS_H

#include "base/map.h"

struct rt_ids;

/* Where an id stands. */
struct rt_id_place {
	uint32_t part;   /* number of the part, from 0 */
	uint64_t line;   /* from 1 */
	uint64_t column; /* from 1 */
};

/* key: copied. ret_ids: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_ids_new(const struct rt_siphash_key *key, struct rt_ids **ret_ids,
			  struct rt_error *err);

/*
 * The hash of an id, and the memory that rt_ids_add() will need for it on its way into the cache:
 * in a large data set that memory is far away, and other work can be done until it is here.
 * kind: ids of issues and of rulesets do not meet.
 */
struct rt_hash128 rt_ids_hash(const struct rt_ids *ids, enum rt_kind kind, struct rt_slice id);

/*
 * Add an id by its hash. Ids are numbered from 0 in the order in which they are added.
 * Returns RT_OK; RT_END when it is there already: *ret_first is its number, and nothing was added;
 * RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_ids_add(struct rt_ids *ids, struct rt_hash128 hash, struct rt_id_place place,
			  uint64_t *ret_first, struct rt_error *err);

/* The place of the id with that number. */
struct rt_id_place rt_ids_place(const struct rt_ids *ids, uint64_t number);

/* NULL is allowed. */
void rt_ids_free(struct rt_ids *ids);

/* --- Ordinals -------------------------------------------------------------------------------- */

struct rt_ordinals {
	struct rt_siphash_key key;
	struct rt_map map;
};

/* An empty table. Returns RT_OK or RT_FATAL (RT_E_IO); rt_ordinals_release() in either case. */
enum rt_status rt_ordinals_init(struct rt_ordinals *ordinals, struct rt_error *err);

/*
 * Count text once more. ret_ordinal: 1 where it is the first of its kind.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_ordinals_next(struct rt_ordinals *ordinals, struct rt_slice text,
				uint32_t *ret_ordinal, struct rt_error *err);

void rt_ordinals_release(struct rt_ordinals *ordinals);

#endif
