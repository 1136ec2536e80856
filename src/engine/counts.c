/*
 * Counts texts. Input: texts, again and again. Output: each once, with its number, in byte order.
 * Refuses to take more memory for them than the limit "distinct" allows.
 */
#include "engine/counts.h"

#include <stdlib.h>

#define SLOTS_FIRST 64u
/* Bytes of a text beside its own: its NUL, and at most what an allocation adds and rounds up. */
#define TEXT_COST 32u

void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key,
		    struct rt_counts_limit *limit)
{
	*counts = (struct rt_counts){.key = *key, .limit = limit};
}

void rt_counts_release(struct rt_counts *counts)
{
	for (size_t i = 0; i < counts->cap; i++)
		free((void *)(uintptr_t)counts->slots[i].text.ptr);
	free(counts->slots);
	counts->slots = NULL;
	counts->cap = counts->used = 0;
}

static inline struct rt_count *find(struct rt_count *slots, size_t cap, uint64_t hash,
				    struct rt_slice text)
{
	size_t slot = (size_t)hash & (cap - 1);

	while (slots[slot].text.ptr &&
	       (slots[slot].hash != hash || !rt_slice_equal(slots[slot].text, text)))
		slot = (slot + 1) & (cap - 1);
	return &slots[slot];
}

static enum rt_status take_bytes(struct rt_counts_limit *limit, uint64_t bytes,
				 struct rt_error *err)
{
	if (bytes > limit->max - limit->bytes)
		return rt_error_limit(err, "the size of distinct values", "distinct", limit->max);
	limit->bytes += bytes;
	return RT_OK;
}

/* The table that grows and the grown one are there together for a while, and both count. */
static enum rt_status grow(struct rt_counts *counts, struct rt_error *err)
{
	size_t cap = counts->cap ? counts->cap * 2 : SLOTS_FIRST;
	enum rt_status status = take_bytes(counts->limit, cap * sizeof(*counts->slots), err);
	struct rt_count *slots;

	if (status != RT_OK)
		return status;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return rt_error_nomem(err);
	for (size_t i = 0; i < counts->cap; i++) {
		struct rt_count *old = &counts->slots[i];

		if (old->text.ptr)
			*find(slots, cap, old->hash, old->text) = *old;
	}
	free(counts->slots);
	counts->limit->bytes -= counts->cap * sizeof(*counts->slots);
	counts->slots = slots;
	counts->cap = cap;
	return RT_OK;
}

/* added: a text that is not in the table, which copies it, with its counts. */
static enum rt_status add_new(struct rt_counts *counts, const struct rt_count *added,
			      struct rt_error *err)
{
	struct rt_slice text = added->text;
	enum rt_status status = RT_OK;
	char *copy;

	if ((counts->used + 1) * 4 > counts->cap * 3)
		status = grow(counts, err);
	if (status == RT_OK)
		status = take_bytes(counts->limit, (uint64_t)text.len + TEXT_COST, err);
	if (status != RT_OK)
		return status;
	copy = malloc(text.len + 1);
	if (!copy)
		return rt_error_nomem(err);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	*find(counts->slots, counts->cap, added->hash, text) = (struct rt_count){
	    rt_slice_make(copy, text.len), added->count, added->open, added->hash};
	counts->used++;
	return RT_OK;
}

static inline enum rt_status add(struct rt_counts *counts, const struct rt_count *added,
				 struct rt_error *err)
{
	struct rt_count *slot =
	    counts->cap ? find(counts->slots, counts->cap, added->hash, added->text) : NULL;

	if (!slot || !slot->text.ptr)
		return add_new(counts, added, err);
	slot->count += added->count;
	slot->open += added->open;
	return RT_OK;
}

enum rt_status rt_counts_add(struct rt_counts *counts, struct rt_slice text, bool open,
			     struct rt_error *err)
{
	return rt_counts_put(counts, text, 1, open, err);
}

enum rt_status rt_counts_put(struct rt_counts *counts, struct rt_slice text, uint64_t count,
			     uint64_t open, struct rt_error *err)
{
	struct rt_count added = {text, count, open, rt_siphash13(&counts->key, text).low};

	return add(counts, &added, err);
}

enum rt_status rt_counts_merge(struct rt_counts *counts, const struct rt_counts *from,
			       struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < from->cap; i++) {
		if (from->slots[i].text.ptr)
			status = add(counts, &from->slots[i], err);
	}
	return status;
}

/* Most is taken while the table grows for the last time, at worst with nearly all texts in it. */
bool rt_counts_fits(const struct rt_counts *counts)
{
	const struct rt_counts_limit *limit = counts->limit;
	size_t before = counts->cap > SLOTS_FIRST ? counts->cap / 2 : 0;

	return before * sizeof(*counts->slots) <= limit->max - limit->bytes;
}

static int by_text(const void *a, const void *b)
{
	const struct rt_count *left = a, *right = b;

	return rt_slice_compare(left->text, right->text);
}

void rt_counts_sort(struct rt_counts *counts)
{
	size_t to = 0;

	for (size_t from = 0; from < counts->cap; from++) {
		if (!counts->slots[from].text.ptr)
			continue;
		if (to != from) {
			counts->slots[to] = counts->slots[from];
			counts->slots[from].text.ptr = NULL;
		}
		to++;
	}
	if (to)
		qsort(counts->slots, to, sizeof(*counts->slots), by_text);
}

void rt_counts_take(struct rt_counts *counts, struct rt_slice text)
{
	struct rt_count wanted = {.text = text}, *slot;

	slot = counts->used ? bsearch(&wanted, counts->slots, counts->used, sizeof(wanted), by_text)
			    : NULL;
	if (slot && slot->count)
		slot->count--;
}
