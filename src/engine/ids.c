/*
 * Finds ids that occur twice: a hash of each, with its number, and the places by number.
 */
#include "engine/ids.h"

#include <stdlib.h>

/* --- Places ----------------------------------------------------------------------------------- */

/* Places of records in the order of a data set, in pages, which are never moved. */
#define PAGE_PLACES ((size_t)4096)

struct place {
	uint64_t line : 40, part : 24;
	uint64_t column;
};

/* {0} is empty. */
struct places {
	struct place **pages;
	size_t page_count, page_cap;
	uint64_t count;
};

static enum rt_status add_page(struct places *places, struct rt_error *err)
{
	size_t cap = places->page_cap ? places->page_cap * 2 : 16;
	struct place **pages, *page;

	if (places->page_count == places->page_cap) {
		pages = reallocarray(places->pages, cap, sizeof(struct place *));
		if (!pages)
			return rt_error_nomem(err);
		places->pages = pages;
		places->page_cap = cap;
	}
	page = malloc(PAGE_PLACES * sizeof(*page));
	if (!page)
		return rt_error_nomem(err);
	places->pages[places->page_count++] = page;
	return RT_OK;
}

static enum rt_status add_place(struct places *places, struct rt_id_place place,
				struct rt_error *err)
{
	size_t at = (size_t)(places->count % PAGE_PLACES);

	if (at == 0 && add_page(places, err) != RT_OK)
		return RT_FATAL;
	places->pages[places->page_count - 1][at] =
	    (struct place){place.line & 0xffffffffff, place.part & 0xffffff, place.column};
	places->count++;
	return RT_OK;
}

/* --- The ids ---------------------------------------------------------------------------------- */

/* Maps that share the ids, so that one that grows is a small part of them: while it does there are
 * both, the old one and the new one. */
#define MAPS 256u

struct rt_ids {
	struct rt_siphash_key key;
	struct rt_map maps[MAPS]; /* of numbers from 1 */
	struct places places;
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
	for (size_t i = 0; i < ids->places.page_count; i++)
		free(ids->places.pages[i]);
	free(ids->places.pages);
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
	uint32_t *number = rt_map_put(map_of(ids, hash), hash, err);

	if (!number)
		return RT_FATAL;
	if (*number) {
		*ret_first = *number - 1;
		return RT_END;
	}
	if (ids->places.count == UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT, "there are more than 2^32 - 1 records");
	if (add_place(&ids->places, place, err) != RT_OK)
		return RT_FATAL;
	*number = (uint32_t)ids->places.count;
	return RT_OK;
}

struct rt_id_place rt_ids_place(const struct rt_ids *ids, uint64_t number)
{
	struct place place = ids->places.pages[number / PAGE_PLACES][number % PAGE_PLACES];

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
