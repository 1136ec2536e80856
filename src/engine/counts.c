/*
 * Counts texts: each is kept once, with its number, and in the end they are brought into byte
 * order. They take no more memory than the limit "distinct" allows.
 */
#include "engine/counts.h"

#include <stdlib.h>

#define ROWS_FIRST 48u
/* Bytes of a text beside its own: its NUL, and at most what an allocation adds and rounds up. */
#define TEXT_COST 32u

void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key,
		    struct rt_counts_limit *limit)
{
	*counts =
	    (struct rt_counts){.key = *key, .limit = limit, .row_bytes = sizeof(struct rt_count)};
}

static struct rt_count *row_at(const struct rt_counts *counts, size_t index)
{
	return (struct rt_count *)(void *)((char *)counts->slots + index * counts->row_bytes);
}

void rt_counts_release(struct rt_counts *counts)
{
	for (size_t i = 0; i < counts->used; i++)
		free((void *)(uintptr_t)row_at(counts, i)->text.ptr);
	free(counts->slots);
	rt_map_release(&counts->map);
	counts->slots = NULL;
	counts->used = counts->room = 0;
}

/* Make room for one more text. The map that grows and the grown one are there together for a while,
 * and both count. */
static enum rt_status grow(struct rt_counts *counts, struct rt_slice text, struct rt_error *err)
{
	struct rt_counts_limit *limit = counts->limit;
	size_t room = counts->room;
	uint64_t bytes = rt_map_growth(&counts->map) + text.len + TEXT_COST;
	void *rows;

	if (counts->used == room)
		room = room ? 2 * room : ROWS_FIRST;
	bytes += (room - counts->room) * counts->row_bytes;
	if (bytes > limit->max - limit->bytes)
		return rt_error_limit(err,
				      limit->what ? limit->what : "the size of distinct values",
				      "distinct", limit->max);
	limit->bytes += bytes;
	if (room == counts->room)
		return RT_OK;
	rows = reallocarray(counts->slots, room, counts->row_bytes);
	if (!rows)
		return rt_error_nomem(err);
	counts->slots = rows;
	counts->room = room;
	return RT_OK;
}

/* Make the row of a text that is not in the table. */
static struct rt_count *add_row(struct rt_counts *counts, struct rt_hash128 hash,
				struct rt_slice text, struct rt_error *err)
{
	size_t cap = counts->map.cap;
	struct rt_count *row;
	uint32_t *number;
	char *copy;

	if (grow(counts, text, err) != RT_OK)
		return NULL;
	number = rt_map_put(&counts->map, hash, err);
	if (!number)
		return NULL;
	if (counts->map.cap != cap)
		counts->limit->bytes -= cap * sizeof(struct rt_map_slot);
	copy = malloc(text.len + 1);
	if (!copy) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	row = memset(row_at(counts, counts->used), 0, counts->row_bytes);
	row->text = rt_slice_make(copy, text.len);
	*number = (uint32_t)++counts->used;
	return row;
}

void *rt_counts_row(struct rt_counts *counts, struct rt_slice text, struct rt_error *err)
{
	struct rt_hash128 hash = rt_siphash(&counts->key, text);
	uint32_t number = rt_map_get(&counts->map, hash);

	return number ? row_at(counts, number - 1) : add_row(counts, hash, text, err);
}

struct rt_slice rt_counts_keep(struct rt_counts *counts, struct rt_slice text,
			       struct rt_fault *fault)
{
	const struct rt_count *row =
	    fault->status == RT_OK ? rt_counts_row(counts, text, fault->err) : NULL;

	if (row)
		return row->text;
	fault->status = RT_FATAL;
	return (struct rt_slice){0};
}

enum rt_status rt_counts_put(struct rt_counts *counts, struct rt_slice text, uint64_t count,
			     uint64_t open, struct rt_error *err)
{
	struct rt_count *row = rt_counts_row(counts, text, err);

	if (!row)
		return RT_FATAL;
	row->count += count;
	row->open += open;
	return RT_OK;
}

enum rt_status rt_counts_merge(struct rt_counts *counts, const struct rt_counts *from,
			       struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < from->used; i++) {
		const struct rt_count *row = row_at(from, i);

		status = rt_counts_put(counts, row->text, row->count, row->open, err);
	}
	return status;
}

/* Most is taken while the map grows for the last time, at worst with nearly all texts in it. */
bool rt_counts_fits(const struct rt_counts *counts)
{
	const struct rt_counts_limit *limit = counts->limit;

	return counts->map.cap / 2 * sizeof(struct rt_map_slot) <= limit->max - limit->bytes;
}

static int by_text(const void *a, const void *b)
{
	const struct rt_count *left = a, *right = b;

	return rt_slice_compare(left->text, right->text);
}

void rt_counts_sort(struct rt_counts *counts)
{
	if (counts->used)
		qsort(counts->slots, counts->used, counts->row_bytes, by_text);
}

struct rt_count *rt_counts_find(const struct rt_counts *counts, struct rt_slice text)
{
	const struct rt_count wanted = {.text = text};

	return counts->used
		   ? bsearch(&wanted, counts->slots, counts->used, counts->row_bytes, by_text)
		   : NULL;
}
