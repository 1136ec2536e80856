/*
 * Ids that stand twice, found at the end. Input: ids. Output: whether one may have been there
 * before. Refuses nothing.
 */
#include "engine/id_piles.h"

#include <stdlib.h>

#include "base/error.h"

/* A pile is chosen by 8 bits of the hash. */
#define PILE_COUNT 256u
/* Ids of one allocation: few, since each pile has room that is not in use. */
#define BLOCK_IDS 100u

struct block {
	struct block *before;
	uint64_t ids[BLOCK_IDS];
};

struct pile {
	struct block *last;
	uint64_t count;
};

struct rt_id_piles {
	struct rt_multilinear_key key;
	struct pile piles[PILE_COUNT];
};

enum rt_status rt_id_piles_new(const struct rt_siphash_key *key, struct rt_id_piles **ret_piles,
			       struct rt_error *err)
{
	struct rt_id_piles *piles = calloc(1, sizeof(*piles));

	if (!piles)
		return rt_error_nomem(err);
	rt_multilinear_key_init(&piles->key, key, RT_HASH_IDS);
	*ret_piles = piles;
	return RT_OK;
}

void rt_id_piles_free(struct rt_id_piles *piles)
{
	if (!piles)
		return;
	for (size_t i = 0; i < PILE_COUNT; i++) {
		struct block *block = piles->piles[i].last;

		while (block) {
			struct block *before = block->before;

			free(block);
			block = before;
		}
	}
	free(piles);
}

static enum rt_status add_block(struct pile *pile, struct rt_error *err)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return rt_error_nomem(err);
	block->before = pile->last;
	pile->last = block;
	return RT_OK;
}

enum rt_status rt_id_piles_add(struct rt_id_piles *piles, enum rt_kind kind, struct rt_slice id,
			       struct rt_error *err)
{
	uint64_t hash = rt_multilinear64(&piles->key, (uint32_t)kind, id);
	struct pile *pile = &piles->piles[hash % PILE_COUNT];
	size_t at = (size_t)(pile->count % BLOCK_IDS);

	if (at == 0 && add_block(pile, err) != RT_OK)
		return RT_FATAL;
	pile->last->ids[at] = hash;
	pile->count++;
	return RT_OK;
}

/* Hashes of one pile; 0: free. */
struct table {
	uint64_t *slots;
	size_t cap; /* a power of two, twice the ids or more */
};

/* Make the table empty, with room for count ids. */
static enum rt_status table_clear(struct table *t, uint64_t count, struct rt_error *err)
{
	size_t cap = 64;

	while (cap < 2 * count)
		cap *= 2;
	if (t->slots && cap <= t->cap) {
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
		return RT_OK;
	}
	free(t->slots);
	t->cap = cap;
	t->slots = calloc(cap, sizeof(*t->slots));
	return t->slots ? RT_OK : rt_error_nomem(err);
}

/* Returns whether the hash is there already. */
static bool table_add(struct table *t, uint64_t hash)
{
	size_t slot = (size_t)(hash / PILE_COUNT) & (t->cap - 1);

	/* A hash of 0 is as good as any other that nothing else has. */
	hash += !hash;
	while (t->slots[slot] && t->slots[slot] != hash)
		slot = (slot + 1) & (t->cap - 1);
	if (t->slots[slot])
		return true;
	t->slots[slot] = hash;
	return false;
}

static bool table_add_pile(struct table *t, const struct pile *pile)
{
	uint64_t left = pile->count;

	for (const struct block *block = pile->last; block; block = block->before) {
		/* The last block alone may have room left. */
		size_t used = left % BLOCK_IDS ? (size_t)(left % BLOCK_IDS) : BLOCK_IDS;

		for (size_t i = 0; i < used; i++) {
			if (table_add(t, block->ids[i]))
				return true;
		}
		left -= used;
	}
	return false;
}

enum rt_status rt_id_piles_twice(struct rt_id_piles *const *sets, size_t count, size_t share,
				 size_t shares, bool *ret_twice, struct rt_error *err)
{
	struct table table = {NULL, 0};
	enum rt_status status = RT_OK;
	bool twice = false;

	for (size_t i = share; i < PILE_COUNT && !twice && status == RT_OK; i += shares) {
		uint64_t ids = 0;

		for (size_t set = 0; set < count; set++)
			ids += sets[set]->piles[i].count;
		status = table_clear(&table, ids, err);
		for (size_t set = 0; set < count && !twice && status == RT_OK; set++)
			twice = table_add_pile(&table, &sets[set]->piles[i]);
	}
	free(table.slots);
	*ret_twice = twice;
	return status;
}
