/*
 * Duplicate ids. Input: ids in the order of the data set. Output: for one that stood before, its
 * first place. Memory is 14 bytes an id by the load of the tables, and the log.
 */
#include "engine/ids.h"

#include <stdlib.h>
#include <string.h>

/* Tables that grow on their own, so that growing one does not double the whole. */
#define TABLE_COUNT 256u
#define TABLE_FIRST 16u
/* Entries up to which a table doubles: all of them together have 14 MiB then. */
#define TABLE_DOUBLED 4096u
/*
 * One id: 64 bits of its hash in the order of this machine (0: free), 8 more, and its ordinal in 5
 * bytes; 8 others chose the table. Packed, so that looking one up touches one cache line.
 */
#define ENTRY_BYTES 14u
#define ORDINAL_BYTES 5u

struct table {
	unsigned char (*entries)[ENTRY_BYTES];
	size_t cap, used;
};

struct rt_ids {
	struct rt_multilinear_key key;
	struct table tables[TABLE_COUNT];
	struct rt_place_log log;
};

enum rt_status rt_ids_new(const struct rt_siphash_key *key, struct rt_ids **ret_ids,
			  struct rt_error *err)
{
	struct rt_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return rt_error_nomem(err);
	rt_multilinear_key_init(&ids->key, key, RT_HASH_IDS);
	*ret_ids = ids;
	return RT_OK;
}

void rt_ids_free(struct rt_ids *ids)
{
	if (!ids)
		return;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		free(ids->tables[i].entries);
	}
	rt_place_log_release(&ids->log);
	free(ids);
}

size_t rt_ids_memory(const struct rt_ids *ids)
{
	size_t bytes = sizeof(*ids) + rt_place_log_memory(&ids->log);

	for (size_t i = 0; i < TABLE_COUNT; i++)
		bytes += ids->tables[i].cap * ENTRY_BYTES;
	return bytes;
}

static uint64_t entry_key(const unsigned char *entry)
{
	uint64_t key;

	memcpy(&key, entry, sizeof(key));
	return key;
}

static uint64_t entry_ordinal(const unsigned char *entry)
{
	uint64_t ordinal = 0;

	for (size_t i = 0; i < ORDINAL_BYTES; i++)
		ordinal = ordinal << 8 | entry[9 + i];
	return ordinal;
}

static void entry_set(unsigned char *entry, uint64_t key, unsigned char check, uint64_t ordinal)
{
	memcpy(entry, &key, sizeof(key));
	entry[8] = check;
	for (size_t i = ORDINAL_BYTES; i > 0; i--, ordinal >>= 8)
		entry[8 + i] = (unsigned char)ordinal;
}

/* Where the search for a key starts. */
static size_t table_slot(const struct table *t, uint64_t key)
{
	return (size_t)((key >> 32) * t->cap >> 32);
}

/* The free entry for key, or the one that has key and check. */
static unsigned char *table_find(const struct table *t, uint64_t key, unsigned char check)
{
	size_t slot = table_slot(t, key);

	for (;;) {
		unsigned char *entry = t->entries[slot];
		uint64_t there = entry_key(entry);

		if (!there || (there == key && entry[8] == check))
			return entry;
		if (++slot == t->cap)
			slot = 0;
	}
}

/* Small tables double, so that an id is hardly moved; large ones must not take much more memory. */
static size_t table_next_cap(size_t cap)
{
	if (!cap)
		return TABLE_FIRST;
	return cap < TABLE_DOUBLED ? cap * 2 : cap + cap / 4;
}

static enum rt_status table_grow(struct table *t, struct rt_error *err)
{
	struct table grown = {.cap = table_next_cap(t->cap), .used = t->used};

	grown.entries = calloc(grown.cap, ENTRY_BYTES);
	if (!grown.entries)
		return rt_error_nomem(err);
	for (size_t i = 0; i < t->cap; i++) {
		const unsigned char *entry = t->entries[i];
		uint64_t key = entry_key(entry);

		if (key)
			memcpy(table_find(&grown, key, entry[8]), entry, ENTRY_BYTES);
	}
	free(t->entries);
	*t = grown;
	return RT_OK;
}

/* 0 marks a free entry. */
static uint64_t key_of(struct rt_hash128 hash)
{
	return hash.low ? hash.low : 1;
}

static unsigned char check_of(struct rt_hash128 hash)
{
	return (unsigned char)(hash.high >> 8);
}

struct rt_hash128 rt_ids_hash(const struct rt_ids *ids, enum rt_kind kind, struct rt_slice id)
{
	struct rt_hash128 hash = rt_multilinear(&ids->key, (uint32_t)kind, id);
	const struct table *t = &ids->tables[hash.high % TABLE_COUNT];

	if (t->cap)
		__builtin_prefetch(t->entries[table_slot(t, key_of(hash))], 1);
	return hash;
}

/* Where an id is or goes to, once there is room for one more; NULL with err set where there is no
 * memory. */
static unsigned char *look_up(struct table *t, struct rt_hash128 hash, struct rt_error *err)
{
	if ((t->used + 1) * 20 > t->cap * 17 && table_grow(t, err) != RT_OK)
		return NULL;
	return table_find(t, key_of(hash), check_of(hash));
}

enum rt_status rt_ids_add(struct rt_ids *ids, struct rt_hash128 hash, struct rt_id_place place,
			  uint64_t *ret_first, struct rt_error *err)
{
	struct table *t = &ids->tables[hash.high % TABLE_COUNT];
	unsigned char *entry = look_up(t, hash, err);

	if (!entry)
		return RT_FATAL;
	if (entry_key(entry)) {
		*ret_first = entry_ordinal(entry);
		return RT_END;
	}
	if (rt_place_log_add(&ids->log, place, err) != RT_OK)
		return RT_FATAL;
	entry_set(entry, key_of(hash), check_of(hash), ids->log.count - 1);
	t->used++;
	return RT_OK;
}

struct rt_id_place rt_ids_place(const struct rt_ids *ids, uint64_t number)
{
	return rt_place_log_get(&ids->log, number);
}

/* --- The log of places ------------------------------------------------------------------------ */

/*
 * Packs places. Input: places in order. Output: any of them again.
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

static size_t put_number(unsigned char *out, uint64_t number)
{
	size_t len = 0;

	for (; number > 0x7F; number >>= 7)
		out[len++] = (unsigned char)(number | 0x80);
	out[len++] = (unsigned char)number;
	return len;
}

static uint64_t get_number(const unsigned char **at)
{
	uint64_t number = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		unsigned char byte = *(*at)++;

		number |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			return number;
	}
}

static enum rt_status add_page(struct rt_place_log *log, struct rt_id_place start,
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

enum rt_status rt_place_log_add(struct rt_place_log *log, struct rt_id_place place,
				struct rt_error *err)
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

		out += put_number(out, lines << 1 | moved);
		if (moved)
			out += put_number(out, place.part - log->last.part);
		out += put_number(out, same_line ? place.column - log->last.column : place.column);
		page->len = (size_t)(out - page->bytes);
	}
	log->count++;
	log->last = place;
	return RT_OK;
}

static struct rt_id_place step(struct rt_id_place place, const unsigned char **at)
{
	uint64_t lines = get_number(at);
	bool moved = lines & 1;

	lines >>= 1;
	if (moved) {
		place.part += (uint32_t)get_number(at);
		place.line = 0;
	}
	if (moved || lines)
		place.column = 0;
	place.line += lines;
	place.column += get_number(at);
	return place;
}

struct rt_id_place rt_place_log_get(const struct rt_place_log *log, uint64_t ordinal)
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

size_t rt_place_log_memory(const struct rt_place_log *log)
{
	return log->page_count * sizeof(struct place_page) +
	       log->page_cap * sizeof(struct place_page *);
}

void rt_place_log_release(struct rt_place_log *log)
{
	for (size_t i = 0; i < log->page_count; i++)
		free(log->pages[i]);
	free(log->pages);
	memset(log, 0, sizeof(*log));
}
