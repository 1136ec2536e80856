/*
 * Open addressing: three of four slots are taken at most, and a map that is full doubles.
 */
#include "base/map.h"

#include <stdlib.h>

#define SLOTS_FIRST 64u

static size_t next_cap(const struct rt_map *map)
{
	if (map->used < map->cap / 4 * 3)
		return map->cap;
	return map->cap ? map->cap * 2 : SLOTS_FIRST;
}

size_t rt_map_growth(const struct rt_map *map)
{
	size_t cap = next_cap(map);

	return cap == map->cap ? 0 : cap * sizeof(*map->slots);
}

uint32_t *rt_map_put(struct rt_map *map, struct rt_hash128 hash, struct rt_error *err)
{
	struct rt_map grown = {.cap = next_cap(map), .used = map->used};
	struct rt_map_slot *slot;

	if (grown.cap != map->cap) {
		grown.slots = calloc(grown.cap, sizeof(*grown.slots));
		if (!grown.slots) {
			(void)rt_error_nomem(err);
			return NULL;
		}
		for (size_t i = 0; i < map->cap; i++) {
			const struct rt_map_slot *old = &map->slots[i];

			if (old->number)
				*rt_map_slot(&grown, (struct rt_hash128){old->low, old->high}) =
				    *old;
		}
		free(map->slots);
		*map = grown;
	}
	slot = rt_map_slot(map, hash);
	if (!slot->number) {
		*slot = (struct rt_map_slot){hash.low, (uint32_t)hash.high, 0};
		map->used++;
	}
	return &slot->number;
}

void rt_map_release(struct rt_map *map)
{
	free(map->slots);
	*map = (struct rt_map){0};
}
