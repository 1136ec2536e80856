/*
 * Tables of ids by their hashes: what is known of an id, found again in one look at memory. Ids
 * themselves are not kept: 80 bits under a secret key stand for each (see ids.h for the chances).
 *
 * An entry is 64 bits of the hash in the order of this machine (0: free), 8 more, and then whatever
 * its owner puts there; 8 other bits choose one of many tables, so that growing one does not double
 * the whole. Entries are packed: looking one up touches one cache line, or two.
 */
#ifndef RT_ENGINE_ID_TABLE_H
#define RT_ENGINE_ID_TABLE_H

#include <string.h>

#include "base/error.h"
#include "base/siphash.h"

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
