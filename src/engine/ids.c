/*
 * Finds ids that occur twice: a hash of each, with its number, and the places by number. Memory is
 * 14 bytes an id by the load of the tables, and 16 for its place.
 */
#include "engine/ids.h"

#include <stdlib.h>
#include <string.h>

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

/* --- The tables ------------------------------------------------------------------------------- */

#define TABLES 256u
#define TABLE_FIRST 16u
/* Entries up to which a table doubles, so that an id is hardly moved: all of them together have 14
 * MiB then. Larger ones grow by a quarter, so that there is not much more memory than needed. */
#define TABLE_DOUBLED 4096u

/* Of an entry: its key, which is not 0 where it is taken; a byte more of the hash; the ordinal. */
#define ENTRY_HEAD 9u
#define ORDINAL_BYTES 5u
#define ENTRY_BYTES (ENTRY_HEAD + ORDINAL_BYTES)

struct table {
	unsigned char *entries;
	size_t cap, used;
};

static uint64_t key_of(const unsigned char *entry)
{
	uint64_t key;

	memcpy(&key, entry, sizeof(key));
	return key;
}

static unsigned char *start_of(const struct table *table, uint64_t key)
{
	return table->entries + (size_t)((key >> 32) * table->cap >> 32) * ENTRY_BYTES;
}

/* The entry that has this key and byte, or the free one for them. The table has a free one. */
static unsigned char *find(const struct table *table, uint64_t key, unsigned char more)
{
	unsigned char *entry = start_of(table, key);
	const unsigned char *end = table->entries + table->cap * ENTRY_BYTES;

	while (key_of(entry) && (key_of(entry) != key || entry[ENTRY_HEAD - 1] != more)) {
		entry += ENTRY_BYTES;
		if (entry == end)
			entry = table->entries;
	}
	return entry;
}

static enum rt_status grow(struct table *table, struct rt_error *err)
{
	struct table grown = {.used = table->used};

	grown.cap = table->cap < TABLE_DOUBLED ? table->cap * 2 : table->cap + table->cap / 4;
	if (grown.cap < TABLE_FIRST)
		grown.cap = TABLE_FIRST;
	grown.entries = calloc(grown.cap, ENTRY_BYTES);
	if (!grown.entries)
		return rt_error_nomem(err);
	for (size_t i = 0; i < table->cap; i++) {
		const unsigned char *entry = table->entries + i * ENTRY_BYTES;

		if (key_of(entry))
			memcpy(find(&grown, key_of(entry), entry[ENTRY_HEAD - 1]), entry,
			       ENTRY_BYTES);
	}
	free(table->entries);
	*table = grown;
	return RT_OK;
}

/* --- The ids ---------------------------------------------------------------------------------- */

struct rt_ids {
	struct rt_siphash_key key;
	struct table tables[TABLES];
	struct places places;
};

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
	for (size_t i = 0; i < TABLES; i++)
		free(ids->tables[i].entries);
	for (size_t i = 0; i < ids->places.page_count; i++)
		free(ids->places.pages[i]);
	free(ids->places.pages);
	free(ids);
}

static uint64_t entry_ordinal(const unsigned char *entry)
{
	uint64_t ordinal = 0;

	for (size_t i = 0; i < ORDINAL_BYTES; i++)
		ordinal = ordinal << 8 | entry[ENTRY_HEAD + i];
	return ordinal;
}

static void entry_number(unsigned char *entry, uint64_t ordinal)
{
	for (size_t i = ORDINAL_BYTES; i > 0; i--, ordinal >>= 8)
		entry[ENTRY_HEAD - 1 + i] = (unsigned char)ordinal;
}

struct rt_hash128 rt_ids_hash(const struct rt_ids *ids, enum rt_kind kind, struct rt_slice id)
{
	struct rt_hash128 hash = rt_siphash_id(&ids->key, kind, id);
	const struct table *table = &ids->tables[hash.high % TABLES];

	hash.low = hash.low ? hash.low : 1;
	if (table->cap)
		__builtin_prefetch(start_of(table, hash.low), 1);
	return hash;
}

enum rt_status rt_ids_add(struct rt_ids *ids, struct rt_hash128 hash, struct rt_id_place place,
			  uint64_t *ret_first, struct rt_error *err)
{
	struct table *table = &ids->tables[hash.high % TABLES];
	unsigned char *entry, more = (unsigned char)(hash.high >> 8);

	/* At most 85 % full; one entry stays free at least, where a search ends. */
	if ((table->used + 1) * 20 > table->cap * 17 && grow(table, err) != RT_OK)
		return RT_FATAL;
	entry = find(table, hash.low, more);
	if (key_of(entry)) {
		*ret_first = entry_ordinal(entry);
		return RT_END;
	}
	if (add_place(&ids->places, place, err) != RT_OK)
		return RT_FATAL;
	memcpy(entry, &hash.low, sizeof(hash.low));
	entry[ENTRY_HEAD - 1] = more;
	entry_number(entry, ids->places.count - 1);
	table->used++;
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
