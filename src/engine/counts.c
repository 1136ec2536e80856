/*
 * Counts texts. Input: texts, again and again. Output: each once, with its number, in byte order.
 * Refuses to take more memory for them than the limit "distinct" allows.
 */
#include "engine/counts.h"

#include <stdlib.h>

#define SLOTS_FIRST 64u

void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key, uint64_t max)
{
	*counts = (struct rt_counts){.key = *key, .max = max};
}

void rt_counts_release(struct rt_counts *counts)
{
	for (size_t i = 0; i < counts->cap; i++)
		free((void *)(uintptr_t)counts->slots[i].text.ptr);
	free(counts->slots);
	counts->slots = NULL;
	counts->cap = counts->used = 0;
}

static struct rt_count *find(struct rt_count *slots, size_t cap, uint64_t hash,
			     struct rt_slice text)
{
	size_t slot = (size_t)hash & (cap - 1);

	while (slots[slot].text.ptr &&
	       (slots[slot].hash != hash || !rt_slice_equal(slots[slot].text, text)))
		slot = (slot + 1) & (cap - 1);
	return &slots[slot];
}

static enum rt_status take_bytes(struct rt_counts *counts, uint64_t bytes, struct rt_error *err)
{
	if (bytes > counts->max - counts->bytes)
		return rt_error_set(err, RT_E_LIMIT,
				    "want distinct severities and categories of at most %llu bytes "
				    "(limit \"distinct\"), have more",
				    (unsigned long long)counts->max);
	counts->bytes += bytes;
	return RT_OK;
}

static enum rt_status grow(struct rt_counts *counts, struct rt_error *err)
{
	size_t cap = counts->cap ? counts->cap * 2 : SLOTS_FIRST;
	enum rt_status status =
	    take_bytes(counts, (cap - counts->cap) * sizeof(*counts->slots), err);
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
	counts->slots = slots;
	counts->cap = cap;
	return RT_OK;
}

enum rt_status rt_counts_add(struct rt_counts *counts, struct rt_slice text, struct rt_error *err)
{
	uint64_t hash = rt_siphash(&counts->key, text).low;
	enum rt_status status = RT_OK;
	struct rt_count *slot;
	char *copy;

	if ((counts->used + 1) * 4 > counts->cap * 3)
		status = grow(counts, err);
	if (status != RT_OK)
		return status;
	slot = find(counts->slots, counts->cap, hash, text);
	if (slot->text.ptr) {
		slot->count++;
		return RT_OK;
	}
	status = take_bytes(counts, text.len + 1, err);
	if (status != RT_OK)
		return status;
	copy = malloc(text.len + 1);
	if (!copy)
		return rt_error_nomem(err);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	*slot = (struct rt_count){rt_slice_make(copy, text.len), 1, hash};
	counts->used++;
	return RT_OK;
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
