/*
 * The ids of a data set, to find those that occur twice (SPEC D6), with the place of each.
 *
 * Two designs were weighed: keeping the ids (36 bytes and more each), and keeping a keyed hash of
 * each. The hash won: 80 bits under a fresh secret key make two different ids meet with a chance
 * of 1 in 10^10 at ten million issues, and nobody can aim for it. Per id it takes 14 bytes in a
 * table that is 68 to 85 % full, and 16 for its place: below 37 in all, once there is a million;
 * before that tables are at most 14 MiB.
 */
#ifndef RT_ENGINE_IDS_H
#define RT_ENGINE_IDS_H

#include <string.h>

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

/* --- The table of ids ------------------------------------------------------------------------ */

#define RT_ID_TABLES 256u
/* Bytes of an entry that are not its owner's. */
#define RT_ID_HEAD 9u

/* How the tables of an owner are. */
struct rt_id_shape {
	size_t entry_bytes;
	/* Entries up to which a table doubles, so that an id is hardly moved; larger ones grow by a
	 * quarter, so that there is not much more memory than needed. */
	size_t doubled;
};

struct rt_id_table {
	unsigned char *entries;
	size_t cap, used;
};

/* {0} is empty. */
struct rt_id_tables {
	struct rt_id_table each[RT_ID_TABLES];
};

static inline struct rt_id_table *rt_id_table(struct rt_id_tables *tables, struct rt_hash128 hash)
{
	return &tables->each[hash.high % RT_ID_TABLES];
}

/* Whether an entry is taken. */
static inline bool rt_id_is_there(const unsigned char *entry)
{
	uint64_t key;

	memcpy(&key, entry, sizeof(key));
	return key != 0;
}

static inline unsigned char *rt_id_start(const struct rt_id_table *table, uint64_t key,
					 size_t entry_bytes)
{
	return table->entries + (size_t)((key >> 32) * table->cap >> 32) * entry_bytes;
}

static inline uint64_t rt_id_key(struct rt_hash128 hash)
{
	return hash.low ? hash.low : 1;
}

static inline unsigned char rt_id_check(struct rt_hash128 hash)
{
	return (unsigned char)(hash.high >> 8);
}

/* Have the memory that will be looked at on its way into the cache. */
static inline void rt_id_fetch(const struct rt_id_tables *tables, struct rt_hash128 hash,
			       struct rt_id_shape shape)
{
	const struct rt_id_table *table = &tables->each[hash.high % RT_ID_TABLES];

	if (table->cap)
		__builtin_prefetch(rt_id_start(table, rt_id_key(hash), shape.entry_bytes), 1);
}

/* The entry that has this key and check, or the free one for them. The table has a free one. */
static inline unsigned char *rt_id_find(const struct rt_id_table *table, uint64_t key,
					unsigned char check, size_t entry_bytes)
{
	unsigned char *entry = rt_id_start(table, key, entry_bytes);
	const unsigned char *end = table->entries + table->cap * entry_bytes;

	for (;;) {
		uint64_t there;

		memcpy(&there, entry, sizeof(there));
		if (!there || (there == key && entry[sizeof(key)] == check))
			return entry;
		entry += entry_bytes;
		if (entry == end)
			entry = table->entries;
	}
}

/* The entry of an id that is there, or NULL. */
static inline unsigned char *rt_id_seek(const struct rt_id_tables *tables, struct rt_hash128 hash,
					struct rt_id_shape shape)
{
	const struct rt_id_table *table = &tables->each[hash.high % RT_ID_TABLES];
	unsigned char *entry;

	if (!table->cap)
		return NULL;
	entry = rt_id_find(table, rt_id_key(hash), rt_id_check(hash), shape.entry_bytes);
	return rt_id_is_there(entry) ? entry : NULL;
}

/* Make a table larger. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_id_grow(struct rt_id_table *table, struct rt_id_shape shape,
			  struct rt_error *err);

/* The entry of an id, or where it goes to; NULL with err set where there is no memory. */
static inline unsigned char *rt_id_place(struct rt_id_table *table, struct rt_hash128 hash,
					 struct rt_id_shape shape, struct rt_error *err)
{
	/* At most 85 % full; one entry stays free at least, where a search ends. */
	if ((table->used + 1) * 20 > table->cap * 17 && rt_id_grow(table, shape, err) != RT_OK)
		return NULL;
	return rt_id_find(table, rt_id_key(hash), rt_id_check(hash), shape.entry_bytes);
}

/* Take a free entry, that of rt_id_place(), for an id. */
static inline void rt_id_take(struct rt_id_table *table, unsigned char *entry,
			      struct rt_hash128 hash)
{
	uint64_t key = rt_id_key(hash);

	memcpy(entry, &key, sizeof(key));
	entry[sizeof(key)] = rt_id_check(hash);
	table->used++;
}

void rt_id_tables_release(struct rt_id_tables *tables);

#endif
