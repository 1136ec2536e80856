/*
 * Aligning two runs of findings, each in the order of its file. Findings whose key occurs once on
 * each side are anchors; of anchors that cross, the longest chain that rises on both sides stays.
 * Between anchors the same is done again, since keys that repeat in a file are often unique there.
 */
#include <stdlib.h>

#include "engine/match_state.h"

#define ROUNDS 8 /* more find nothing more in real scans */

/* A key of a stretch: how often it is on each side, and where first on the new one. */
struct slot {
	uint32_t key[2]; /* both 0: empty */
	uint32_t count[2];
	union {
		uint32_t first;
		uint32_t group; /* in its place where groups are given */
	};
};

/* Scratch for one stretch; all of it is one allocation. */
struct scratch {
	struct slot *slots;
	uint64_t count;      /* of slots */
	uint32_t *next;      /* of a new item: the next one with its key */
	uint32_t *old, *new; /* pairs, by rising old position */
	uint32_t *tails, *prev;
};

static uint64_t key_of(const struct rt_match_item *item, enum rt_match_by by)
{
	uint64_t code = by == RT_MATCH_CONTEXT ? item->context : item->code;

	if (item->partner != RT_MATCH_NONE || item->group != RT_MATCH_NONE)
		return 0;
	if (by == RT_MATCH_COLUMN)
		return rt_match_mix(item->message, (uint64_t)item->column << 32 | item->column_end);
	return code ? rt_match_mix(item->message, code) : 0;
}

/* Room for a stretch. Returns false where there is none, or a fault before. */
static bool prepare(struct rt_match *match, const struct rt_match_stretch *stretch,
		    struct scratch *ret_scratch)
{
	size_t old = stretch->to[0] - stretch->from[0], new = stretch->to[1] - stretch->from[1];
	size_t slots = old + old / 3 + 8, bytes;
	char *at;

	bytes = slots * sizeof(struct slot) + (new + 4 * old) * sizeof(uint32_t);
	if (bytes > match->table_bytes) {
		free(match->table);
		match->table = rt_match_alloc(match, bytes);
		match->table_bytes = match->table ? bytes : 0;
	}
	if (match->fault.status != RT_OK || !match->table)
		return false;
	at = match->table;
	memset(at, 0, slots * sizeof(struct slot));
	ret_scratch->slots = match->table;
	ret_scratch->count = slots;
	ret_scratch->next = (uint32_t *)(void *)(at + slots * sizeof(struct slot));
	ret_scratch->old = ret_scratch->next + new;
	ret_scratch->new = ret_scratch->old + old;
	ret_scratch->tails = ret_scratch->new + old;
	ret_scratch->prev = ret_scratch->tails + old;
	return true;
}

/* The slot of a key, or the empty one that it would take. */
static struct slot *find(const struct scratch *scratch, uint64_t key)
{
	uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
	struct slot *slot = &scratch->slots[high * scratch->count >> 32];

	while ((slot->key[0] || slot->key[1]) && (slot->key[0] != low || slot->key[1] != high)) {
		if (++slot == scratch->slots + scratch->count)
			slot = scratch->slots;
	}
	return slot;
}

/* Count the keys of a stretch: all of the old side, and of the new one those that are there too. */
static void count_keys(const struct rt_match *match, const struct rt_match_stretch *stretch,
		       enum rt_match_by by, struct scratch *scratch)
{
	for (uint32_t i = stretch->from[0]; i < stretch->to[0]; i++) {
		uint64_t key = key_of(&match->side[0].at[i], by);

		if (key) {
			struct slot *slot = find(scratch, key);

			slot->key[0] = (uint32_t)key;
			slot->key[1] = (uint32_t)(key >> 32);
			slot->count[0]++;
		}
	}
	for (uint32_t j = stretch->to[1]; j-- > stretch->from[1];) {
		uint64_t key = key_of(&match->side[1].at[j], by);
		struct slot *slot = key ? find(scratch, key) : NULL;

		if (slot && slot->count[0]) {
			scratch->next[j - stretch->from[1]] = slot->first;
			slot->first = j;
			slot->count[1]++;
		}
	}
}

/* Candidates in rising order of the old side: keys that occur once on each side, or, where that is
 * not asked for, equally often, the first with the first. Returns how many. */
static uint32_t candidates(const struct rt_match *match, const struct rt_match_stretch *stretch,
			   enum rt_match_by by, bool once, struct scratch *scratch)
{
	uint32_t count = 0;

	for (uint32_t i = stretch->from[0]; i < stretch->to[0]; i++) {
		uint64_t key = key_of(&match->side[0].at[i], by);
		struct slot *slot = key ? find(scratch, key) : NULL;

		if (!slot || slot->count[0] != slot->count[1] || (once && slot->count[0] != 1))
			continue;
		scratch->old[count] = i;
		scratch->new[count++] = slot->first;
		slot->first = scratch->next[slot->first - stretch->from[1]];
	}
	return count;
}

/* Keep a longest chain of the candidates that rises on the new side too. Returns its length. */
static uint32_t longest_chain(struct scratch *scratch, uint32_t count)
{
	uint32_t length = 0, at;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t low = 0, high = length;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (scratch->new[scratch->tails[middle]] < scratch->new[k])
				low = middle + 1;
			else
				high = middle;
		}
		scratch->prev[k] = low > 0 ? scratch->tails[low - 1] : RT_MATCH_NONE;
		scratch->tails[low] = k;
		if (low == length)
			length++;
	}
	at = length ? scratch->tails[length - 1] : RT_MATCH_NONE;
	for (uint32_t n = length; n-- > 0; at = scratch->prev[at])
		scratch->tails[n] = at;
	for (uint32_t n = 0; n < length; n++) {
		scratch->old[n] = scratch->old[scratch->tails[n]];
		scratch->new[n] = scratch->new[scratch->tails[n]];
	}
	return length;
}

static void join(struct rt_match *match, uint32_t old, uint32_t new, enum rt_match_by by,
		 bool renamed)
{
	struct rt_match_item *a = &match->side[0].at[old], *b = &match->side[1].at[new];

	if (by == RT_MATCH_COLUMN && rt_match_other_code(a, b))
		by = RT_MATCH_CHANGED;
	if (renamed)
		by += RT_MATCH_RENAMED_CONTEXT;
	a->partner = new;
	b->partner = old;
	a->by = b->by = (uint8_t)by;
}

/* Align one stretch once: what lies between its pairs goes to match->next, or, where there are
 * none, all of it to match->rest. */
static void align(struct rt_match *match, const struct rt_match_stretch *stretch,
		  enum rt_match_by by, bool renamed)
{
	struct rt_match_stretch between = {{stretch->from[0], stretch->from[1]}, {0, 0}};
	struct scratch scratch;
	uint32_t pairs;

	if (!prepare(match, stretch, &scratch))
		return;
	count_keys(match, stretch, by, &scratch);
	pairs = longest_chain(&scratch, candidates(match, stretch, by, true, &scratch));
	if (pairs == 0)
		pairs = longest_chain(&scratch, candidates(match, stretch, by, false, &scratch));
	if (pairs == 0) {
		rt_match_push(match, &match->rest, *stretch);
		return;
	}
	for (uint32_t n = 0; n <= pairs; n++) {
		between.to[0] = n < pairs ? scratch.old[n] : stretch->to[0];
		between.to[1] = n < pairs ? scratch.new[n] : stretch->to[1];
		if (between.from[0] < between.to[0] && between.from[1] < between.to[1])
			rt_match_push(match, &match->next, between);
		if (n == pairs)
			break;
		join(match, scratch.old[n], scratch.new[n], by, renamed);
		between.from[0] = scratch.old[n] + 1;
		between.from[1] = scratch.new[n] + 1;
	}
}

static void swap(struct rt_buf *a, struct rt_buf *b)
{
	struct rt_buf kept = *a;

	*a = *b;
	*b = kept;
}

void rt_match_align(struct rt_match *match, enum rt_match_by first, enum rt_match_by last,
		    bool renamed)
{
	for (enum rt_match_by by = first; by <= last; by++) {
		match->rest.len = 0;
		for (int round = 0; round < ROUNDS && match->live.len > 0; round++) {
			match->next.len = 0;
			for (size_t i = 0; i < rt_match_stretches(&match->live); i++)
				align(match, rt_match_stretch(&match->live, i), by, renamed);
			swap(&match->live, &match->next);
		}
		RT_STEP(&match->fault, rt_buf_append(&match->live, match->rest.data,
						     match->rest.len, match->fault.err));
	}
}

/* Give the items of a stretch a group for each key that is on both sides. */
static void group(struct rt_match *match, const struct rt_match_stretch *stretch,
		  enum rt_match_by by)
{
	struct scratch scratch;

	if (!prepare(match, stretch, &scratch))
		return;
	count_keys(match, stretch, by, &scratch);
	for (size_t i = 0; i < scratch.count; i++)
		scratch.slots[i].group = RT_MATCH_NONE;
	for (int side = 0; side < 2; side++) {
		for (uint32_t i = stretch->from[side]; i < stretch->to[side]; i++) {
			struct rt_match_item *item = &match->side[side].at[i];
			uint64_t key = key_of(item, by);
			struct slot *slot = key ? find(&scratch, key) : NULL;

			if (!slot || slot->count[0] == 0 || slot->count[1] == 0)
				continue;
			if (slot->group == RT_MATCH_NONE)
				slot->group = match->groups++;
			item->group = slot->group;
			item->by = (uint8_t)by;
		}
	}
}

void rt_match_ambiguous(struct rt_match *match)
{
	for (size_t i = 0; i < rt_match_stretches(&match->live); i++) {
		for (enum rt_match_by by = RT_MATCH_CONTEXT; by <= RT_MATCH_COLUMN; by++)
			group(match, rt_match_stretch(&match->live, i), by);
	}
}
