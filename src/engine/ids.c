/*
 * Finds ids that occur twice: a hash of each, with its number, and the places by number.
 */
#include "engine/ids.h"

#include <stdlib.h>

#include "base/buf.h"

/* --- The ids ---------------------------------------------------------------------------------- */

struct place {
	uint64_t line : 40, part : 24;
	uint64_t column;
};

/* Maps that share the ids, so that one that grows is a small part of them: while it does there are
 * both, the old one and the new one. */
#define MAPS 256u

struct rt_ids {
	struct rt_siphash_key key;
	struct rt_map maps[MAPS]; /* of numbers from 1 */
	struct rt_buf places;     /* of struct place, by number */
};

static struct rt_map *map_of(struct rt_ids *ids, struct rt_hash128 hash)
{
	return &ids->maps[hash.high % MAPS];
}

enum rt_status rt_ids_new(const struct rt_siphash_key *key, struct rt_ids **ret_ids,
			  struct rt_error *err)
{
	struct rt_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return rt_error_nomem(err);
	ids->key = *key;
	*ret_ids = ids;
	return RT_OK;
}

void rt_ids_free(struct rt_ids *ids)
{
	if (!ids)
		return;
	for (size_t i = 0; i < MAPS; i++)
		rt_map_release(&ids->maps[i]);
	rt_buf_release(&ids->places);
	free(ids);
}

struct rt_hash128 rt_ids_hash(const struct rt_ids *ids, enum rt_kind kind, struct rt_slice id)
{
	struct rt_hash128 hash = rt_siphash_id(&ids->key, kind, id);
	const struct rt_map *map = &ids->maps[hash.high % MAPS];

	if (map->cap)
		__builtin_prefetch(&map->slots[hash.low & (map->cap - 1)], 1);
	return hash;
}

enum rt_status rt_ids_add(struct rt_ids *ids, struct rt_hash128 hash, struct rt_id_place place,
			  uint64_t *ret_first, struct rt_error *err)
{
	struct place kept = {place.line & 0xffffffffff, place.part & 0xffffff, place.column};
	uint32_t *number = rt_map_put(map_of(ids, hash), hash, err);
	size_t count = ids->places.len / sizeof(kept);

	if (!number)
		return RT_FATAL;
	if (*number) {
		*ret_first = *number - 1;
		return RT_END;
	}
	if (count == UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT, "there are more than 2^32 - 1 records");
	if (rt_buf_append(&ids->places, &kept, sizeof(kept), err) != RT_OK)
		return RT_FATAL;
	*number = (uint32_t)count + 1;
	return RT_OK;
}

struct rt_id_place rt_ids_place(const struct rt_ids *ids, uint64_t number)
{
	struct place place;

	memcpy(&place, ids->places.data + number * sizeof(place), sizeof(place));
	return (struct rt_id_place){place.part, place.line, place.column};
}

/* --- Ordinals -------------------------------------------------------------------------------- */

enum rt_status rt_ordinals_init(struct rt_ordinals *o, struct rt_error *err)
{
	*o = (struct rt_ordinals){.map = {0}};
	return rt_siphash_key_init(&o->key, err);
}

void rt_ordinals_release(struct rt_ordinals *o)
{
	rt_map_release(&o->map);
}

enum rt_status rt_ordinals_next(struct rt_ordinals *o, struct rt_slice text, uint32_t *ret_ordinal,
				struct rt_error *err)
{
	uint32_t *ordinal = rt_map_put(&o->map, rt_siphash(&o->key, text), err);

	if (!ordinal)
		return RT_FATAL;
	*ordinal += *ordinal != UINT32_MAX;
	*ret_ordinal = *ordinal;
	return RT_OK;
}
