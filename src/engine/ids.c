/*
 * Duplicate ids. Input: ids in the order of the data set. Output: for one that stood before, its
 * first place. Memory is 14 bytes an id by the load of the tables, and the log.
 */
#include "engine/ids.h"

#include <stdlib.h>

#include "base/bytes.h"

/* --- The log of places ------------------------------------------------------------------------ */

/*
 * Places of records in the order of a data set, 2 or 3 bytes each: what changes from one to the
 * next, in pages that each start with a full place.
 *
 * A place is up to three variable-length numbers (7 bits a byte, the lowest first): the lines since
 * the one before, doubled, plus 1 where the part is another; then the part's difference if so;
 * then the column, as a difference where line and part stayed. In another part the line is whole.
 */

#define PAGE_BYTES 4000u
/* Three numbers of at most 10 bytes. */
#define PLACE_MAX 30u

struct place_page {
	uint64_t first; /* ordinal of the page's first place */
	struct rt_id_place start;
	size_t len;
	unsigned char bytes[PAGE_BYTES];
};

/* {0} is an empty one. */
struct place_log {
	struct place_page **pages;
	size_t page_count, page_cap;
	uint64_t count;          /* places in the log */
	struct rt_id_place last; /* the one added last */
};

static enum rt_status add_page(struct place_log *log, struct rt_id_place start,
			       struct rt_error *err)
{
	struct place_page *page;

	if (log->page_count == log->page_cap) {
		size_t cap = log->page_cap ? log->page_cap * 2 : 16;
		struct place_page **pages =
		    reallocarray(log->pages, cap, sizeof(struct place_page *));

		if (!pages)
			return rt_error_nomem(err);
		log->pages = pages;
		log->page_cap = cap;
	}
	page = malloc(sizeof(*page));
	if (!page)
		return rt_error_nomem(err);
	page->first = log->count;
	page->start = start;
	page->len = 0;
	log->pages[log->page_count++] = page;
	return RT_OK;
}

/* Append a place; not before the last one. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status log_add(struct place_log *log, struct rt_id_place place, struct rt_error *err)
{
	struct place_page *page = log->page_count ? log->pages[log->page_count - 1] : NULL;
	bool moved = place.part != log->last.part;
	uint64_t lines = moved ? place.line : place.line - log->last.line;

	if (!page || page->len > PAGE_BYTES - PLACE_MAX) {
		enum rt_status status = add_page(log, place, err);

		if (status != RT_OK)
			return status;
	} else {
		unsigned char *out = page->bytes + page->len;
		bool same_line = !moved && lines == 0;

		out += rt_bytes_put_varint(out, lines << 1 | moved);
		if (moved)
			out += rt_bytes_put_varint(out, place.part - log->last.part);
		out += rt_bytes_put_varint(out, same_line ? place.column - log->last.column
							  : place.column);
		page->len = (size_t)(out - page->bytes);
	}
	log->count++;
	log->last = place;
	return RT_OK;
}

/* A number of the log, which is whole. */
static uint64_t take_number(const unsigned char **at)
{
	uint64_t number = 0;

	*at = rt_bytes_get_varint(*at, *at + RT_BYTES_VARINT, &number);
	return number;
}

static struct rt_id_place step(struct rt_id_place place, const unsigned char **at)
{
	uint64_t lines = take_number(at);
	bool moved = lines & 1;

	lines >>= 1;
	if (moved) {
		place.part += (uint32_t)take_number(at);
		place.line = 0;
	}
	if (moved || lines)
		place.column = 0;
	place.line += lines;
	place.column += take_number(at);
	return place;
}

/* The place number ordinal, counted from 0; ordinal < log->count. */
static struct rt_id_place log_get(const struct place_log *log, uint64_t ordinal)
{
	size_t low = 0, high = log->page_count;
	const struct place_page *page;
	const unsigned char *at;
	struct rt_id_place place;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (log->pages[middle]->first <= ordinal)
			low = middle;
		else
			high = middle;
	}
	page = log->pages[low];
	place = page->start;
	at = page->bytes;
	for (uint64_t i = page->first; i < ordinal; i++)
		place = step(place, &at);
	return place;
}

static void log_release(struct place_log *log)
{
	for (size_t i = 0; i < log->page_count; i++)
		free(log->pages[i]);
	free(log->pages);
	memset(log, 0, sizeof(*log));
}

/* --- The ids ---------------------------------------------------------------------------------- */

/* Of an entry: the ordinal of the id. */
#define ORDINAL_BYTES 5u

/* Up to the size that tables double to, all of them together have 14 MiB. */
static const struct rt_id_shape own_shape = {RT_ID_HEAD + ORDINAL_BYTES, 4096};

struct rt_ids {
	struct rt_siphash_key key;
	struct rt_id_tables tables;
	struct place_log log;
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
	rt_id_tables_release(&ids->tables);
	log_release(&ids->log);
	free(ids);
}

static uint64_t entry_ordinal(const unsigned char *entry)
{
	uint64_t ordinal = 0;

	for (size_t i = 0; i < ORDINAL_BYTES; i++)
		ordinal = ordinal << 8 | entry[RT_ID_HEAD + i];
	return ordinal;
}

static void entry_number(unsigned char *entry, uint64_t ordinal)
{
	for (size_t i = ORDINAL_BYTES; i > 0; i--, ordinal >>= 8)
		entry[RT_ID_HEAD - 1 + i] = (unsigned char)ordinal;
}

struct rt_hash128 rt_ids_hash(const struct rt_ids *ids, enum rt_kind kind, struct rt_slice id)
{
	struct rt_hash128 hash = rt_siphash_id(&ids->key, kind, id);

	rt_id_fetch(&ids->tables, hash, own_shape);
	return hash;
}

enum rt_status rt_ids_add(struct rt_ids *ids, struct rt_hash128 hash, struct rt_id_place place,
			  uint64_t *ret_first, struct rt_error *err)
{
	struct rt_id_table *table = rt_id_table(&ids->tables, hash);
	unsigned char *entry = rt_id_place(table, hash, own_shape, err);

	if (!entry)
		return RT_FATAL;
	if (rt_id_is_there(entry)) {
		*ret_first = entry_ordinal(entry);
		return RT_END;
	}
	if (log_add(&ids->log, place, err) != RT_OK)
		return RT_FATAL;
	rt_id_take(table, entry, hash);
	entry_number(entry, ids->log.count - 1);
	return RT_OK;
}

struct rt_id_place rt_ids_place(const struct rt_ids *ids, uint64_t number)
{
	return log_get(&ids->log, number);
}

/* --- Ordinals -------------------------------------------------------------------------------- */

#define SLOTS_FIRST 1024u

enum rt_status rt_ordinals_init(struct rt_ordinals *o, struct rt_error *err)
{
	*o = (struct rt_ordinals){0};
	return rt_siphash_key_init(&o->key, err);
}

void rt_ordinals_release(struct rt_ordinals *o)
{
	free(o->hashes);
	free(o->counts);
	*o = (struct rt_ordinals){0};
}

/* The slot of a hash, or the free one where it belongs. */
static size_t find(const uint64_t *hashes, size_t cap, uint64_t hash)
{
	size_t at = hash & (cap - 1);

	while (hashes[at] && hashes[at] != hash)
		at = (at + 1) & (cap - 1);
	return at;
}

/* Keep a quarter of the slots free. */
static enum rt_status grow(struct rt_ordinals *o, struct rt_error *err)
{
	size_t cap = o->cap ? o->cap * 2 : SLOTS_FIRST;
	uint64_t *hashes;
	uint32_t *counts;

	if (o->used < o->cap / 4 * 3)
		return RT_OK;
	hashes = calloc(cap, sizeof(*hashes));
	counts = calloc(cap, sizeof(*counts));
	if (!hashes || !counts) {
		free(hashes);
		free(counts);
		return rt_error_nomem(err);
	}
	for (size_t i = 0; i < o->cap; i++) {
		size_t at;

		if (!o->hashes[i])
			continue;
		at = find(hashes, cap, o->hashes[i]);
		hashes[at] = o->hashes[i];
		counts[at] = o->counts[i];
	}
	free(o->hashes);
	free(o->counts);
	o->hashes = hashes;
	o->counts = counts;
	o->cap = cap;
	return RT_OK;
}

enum rt_status rt_ordinals_next(struct rt_ordinals *o, struct rt_slice text, uint32_t *ret_ordinal,
				struct rt_error *err)
{
	uint64_t hash = rt_siphash(&o->key, text).low | 1; /* 0 is free */
	enum rt_status status = grow(o, err);
	size_t at;

	if (status != RT_OK)
		return status;
	at = find(o->hashes, o->cap, hash);
	o->used += !o->hashes[at];
	o->hashes[at] = hash;
	if (o->counts[at] != UINT32_MAX)
		o->counts[at]++;
	*ret_ordinal = o->counts[at];
	return RT_OK;
}

/* --- The table of ids ------------------------------------------------------------------------ */

#define TABLE_FIRST 16u

enum rt_status rt_id_grow(struct rt_id_table *table, struct rt_id_shape shape, struct rt_error *err)
{
	struct rt_id_table grown = {.used = table->used};
	size_t bytes = shape.entry_bytes;

	grown.cap = table->cap < shape.doubled ? table->cap * 2 : table->cap + table->cap / 4;
	if (grown.cap < TABLE_FIRST)
		grown.cap = TABLE_FIRST;
	grown.entries = calloc(grown.cap, bytes);
	if (!grown.entries)
		return rt_error_nomem(err);
	for (size_t i = 0; i < table->cap; i++) {
		const unsigned char *entry = table->entries + i * bytes;
		uint64_t key;

		memcpy(&key, entry, sizeof(key));
		if (key)
			memcpy(rt_id_find(&grown, key, entry[sizeof(key)], bytes), entry, bytes);
	}
	free(table->entries);
	*table = grown;
	return RT_OK;
}

void rt_id_tables_release(struct rt_id_tables *tables)
{
	for (size_t i = 0; i < RT_ID_TABLES; i++)
		free(tables->each[i].entries);
	*tables = (struct rt_id_tables){0};
}
