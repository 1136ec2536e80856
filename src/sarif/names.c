/*
 * A hash table of names and their numbers: open addressing; a slot holds a hash and a number.
 */
#include "sarif/names.h"

#include <stdlib.h>

#define SLOTS_LEAST 16u

/* The hash of a name, of its kind and of its owner, from that of the name. Its low half is never 0,
 * which marks a free slot. */
static struct rt_hash128 hash_of(const struct rt_sarif_names *names, struct rt_hash128 name,
				 enum rt_sarif_kind kind, uint32_t owner)
{
	const uint64_t words[] = {name.low, name.high, (uint64_t)kind << 32 | owner};
	struct rt_hash128 hash =
	    rt_siphash(&names->key, rt_slice_make((const char *)words, sizeof(words)));

	if (!hash.low)
		hash.low = 1;
	return hash;
}

/* The slot of a hash, or the free one that it would take. */
static struct rt_sarif_name_slot *probe(const struct rt_sarif_names *names, struct rt_hash128 hash)
{
	for (size_t i = (size_t)hash.low & (names->cap - 1);; i = (i + 1) & (names->cap - 1)) {
		struct rt_sarif_name_slot *slot = &names->slots[i];

		if (!slot->low || (slot->low == hash.low && slot->high == (uint32_t)hash.high))
			return slot;
	}
}

enum rt_status rt_sarif_names_reserve(struct rt_sarif_names *names, size_t more,
				      struct rt_sarif_memory *memory, struct rt_sarif_fault *fault)
{
	struct rt_sarif_names grown = {names->key, NULL, names->cap ? names->cap : SLOTS_LEAST,
				       names->used};
	const size_t slot = sizeof(*grown.slots);
	enum rt_status status;

	/* At most three of four slots are taken. */
	while ((names->used + more) / 3 * 4 + 4 > grown.cap)
		grown.cap *= 2;
	if (grown.cap == names->cap)
		return RT_OK;
	status = rt_sarif_memory_count(memory, (int64_t)(grown.cap * slot), fault);
	if (status != RT_OK)
		return status;
	grown.slots = calloc(grown.cap, slot);
	if (!grown.slots) {
		fault->at = NULL;
		return rt_error_nomem(&fault->err);
	}
	for (size_t i = 0; i < names->cap; i++) {
		const struct rt_sarif_name_slot *old = &names->slots[i];

		if (old->low)
			*probe(&grown, (struct rt_hash128){old->low, old->high}) = *old;
	}
	free(names->slots);
	(void)rt_sarif_memory_count(memory, -(int64_t)(names->cap * slot), fault);
	*names = grown;
	return RT_OK;
}

enum rt_status rt_sarif_names_add(struct rt_sarif_names *names, enum rt_sarif_kind kind,
				  uint32_t owner, struct rt_slice name, uint32_t number,
				  bool *ret_new, struct rt_sarif_memory *memory,
				  struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_names_reserve(names, 1, memory, fault);
	struct rt_sarif_name_slot *slot;
	struct rt_hash128 hash;

	if (status != RT_OK)
		return status;
	hash = hash_of(names, rt_siphash(&names->key, name), kind, owner);
	slot = probe(names, hash);
	*ret_new = !slot->low;
	if (*ret_new) {
		*slot = (struct rt_sarif_name_slot){hash.low, (uint32_t)hash.high, number};
		names->used++;
	}
	return RT_OK;
}

/* The number at a hash. */
static bool number_at(const struct rt_sarif_names *names, struct rt_hash128 hash,
		      uint32_t *ret_number)
{
	const struct rt_sarif_name_slot *slot = probe(names, hash);

	if (slot->low)
		*ret_number = slot->number;
	return slot->low;
}

bool rt_sarif_names_find(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			 uint32_t owner, struct rt_slice name, uint32_t *ret_number)
{
	struct rt_hash128 hash;

	if (!names->cap)
		return false;
	hash = hash_of(names, rt_siphash(&names->key, name), kind, owner);
	return number_at(names, hash, ret_number);
}

void rt_sarif_names_prefixes(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			     uint32_t owner, struct rt_slice name,
			     void (*found)(void *ctx, uint32_t number), void *ctx)
{
	struct rt_siphash_prefixes prefixes;
	uint32_t number;

	if (!names->cap)
		return;
	rt_siphash_prefixes_init(&prefixes, &names->key, name);
	for (size_t at = 0; at <= name.len; at++) {
		const char *slash =
		    at < name.len ? memchr(name.ptr + at, '/', name.len - at) : NULL;

		struct rt_hash128 hash;

		at = slash ? (size_t)(slash - name.ptr) : name.len;
		hash = hash_of(names, rt_siphash_prefix(&prefixes, at), kind, owner);
		if (number_at(names, hash, &number))
			found(ctx, number);
	}
}

void rt_sarif_names_release(struct rt_sarif_names *names)
{
	free(names->slots);
	names->slots = NULL;
	names->cap = names->used = 0;
}
