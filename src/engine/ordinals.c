/*
 * Counts equal texts. Input: texts, one after the other. Output: the number of each among its
 * equals. Texts are not kept.
 */
#include "engine/ordinals.h"

#include <stdlib.h>

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
