/*
 * A map from keyed hashes to numbers: what is under a number is the owner's. 96 bits of the
 * hash stand for the text, which nobody can make meet without the key (HOSTILE 7), and no text has
 * to be looked at, which would be far away.
 */
#ifndef RT_BASE_MAP_H
#define RT_BASE_MAP_H

#include "base/error.h"
#include "base/siphash.h"

struct rt_map_slot {
	uint64_t low;
	uint32_t high;
	uint32_t number; /* 0: free */
};

/* {0} is empty. */
struct rt_map {
	struct rt_map_slot *slots;
	size_t cap, used; /* cap: a power of two or 0 */
};

/* The slot of a hash, or the free one where it belongs. The map has slots. */
static inline struct rt_map_slot *rt_map_slot(const struct rt_map *map, struct rt_hash128 hash)
{
	size_t at = (size_t)hash.low & (map->cap - 1);

	while (map->slots[at].number &&
	       (map->slots[at].low != hash.low || map->slots[at].high != (uint32_t)hash.high))
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

/* The number of a hash; 0: it is not there. */
static inline uint32_t rt_map_get(const struct rt_map *map, struct rt_hash128 hash)
{
	return map->cap ? rt_map_slot(map, hash)->number : 0;
}

/* Bytes that rt_map_put() allocates for one more hash; 0 as long as there is room. */
size_t rt_map_growth(const struct rt_map *map);

/*
 * The number of a hash. One that is new has 0, and is there once the caller has set another number,
 * before the next call. NULL with err set where there is no memory.
 */
uint32_t *rt_map_put(struct rt_map *map, struct rt_hash128 hash, struct rt_error *err);

void rt_map_release(struct rt_map *map);

#endif
