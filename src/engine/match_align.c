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

/* How pairs with a key are found. */
enum how {
	ORDER, /* what stands once on each side; else equally often, the first with the first */
	LINES, /* the same; but only what has a line has an order */
	ONCE,  /* what stands once on each side */
	FREE,  /* likewise, and pairs may cross */
	IDS,   /* likewise, where ids of exports are evidence */
};

/* Kinds of evidence, the strongest first. */
enum key {
	KEY_PRINT,
	KEY_CONTEXT_EXACT,
	KEY_CONTEXT,
	KEY_CODE_EXACT,
	KEY_CODE,
	KEY_COLUMN_EXACT,
	KEY_COLUMN,
	KEY_IDENTIFIER,
	KEY_ID,
	KEY_REWORDED_CONTEXT,
	KEY_REWORDED,
	KEYS,
};

static const struct {
	enum rt_match_by by;
	enum how how;
} levels[KEYS] = {
    [KEY_PRINT] = {RT_MATCH_FINGERPRINT, FREE},
    [KEY_CONTEXT_EXACT] = {RT_MATCH_CONTEXT, ORDER},
    [KEY_CONTEXT] = {RT_MATCH_CONTEXT, LINES},
    [KEY_CODE_EXACT] = {RT_MATCH_CODE, ORDER},
    [KEY_CODE] = {RT_MATCH_CODE, LINES},
    [KEY_COLUMN_EXACT] = {RT_MATCH_COLUMN, ORDER},
    [KEY_COLUMN] = {RT_MATCH_COLUMN, LINES},
    [KEY_IDENTIFIER] = {RT_MATCH_IDENTIFIER, FREE},
    [KEY_ID] = {RT_MATCH_ID, IDS},
    [KEY_REWORDED_CONTEXT] = {RT_MATCH_REWORDED, ONCE},
    [KEY_REWORDED] = {RT_MATCH_REWORDED, ONCE},
};

/* Where the code is hidden, only the very same place is evidence. */
static uint64_t key_of_place(const struct rt_match_item *item, uint64_t message)
{
	uint64_t columns = item->line ? (uint64_t)item->column << 32 | item->column_end : 0;
	uint64_t key = rt_match_mix(message, columns);

	return item->redacted && item->line ? rt_match_mix(key, item->line) : key;
}

static uint64_t key_of_code(uint64_t message, uint64_t code)
{
	return code ? rt_match_mix(message, code) : 0;
}

/* The key of an item; 0: it has none. */
static uint64_t key_of(const struct rt_match *match, const struct rt_match_item *item, enum key key)
{
	bool exact = key == KEY_CONTEXT_EXACT || key == KEY_CODE_EXACT || key == KEY_COLUMN_EXACT;
	uint64_t code = rt_match_code(item), message;

	if (item->partner != RT_MATCH_NONE || item->group != RT_MATCH_NONE || (exact && item->line))
		return 0;
	message = rt_match_mix(exact ? item->exact : item->message, item->rule);
	switch (key) {
	case KEY_PRINT:
		return item->given || !item->print ? 0 : rt_match_mix(item->print, item->rule);
	case KEY_CONTEXT_EXACT:
	case KEY_CONTEXT:
		return key_of_code(message, code ? item->context : 0);
	case KEY_CODE_EXACT:
	case KEY_CODE:
		return key_of_code(message, code);
	case KEY_COLUMN_EXACT:
	case KEY_COLUMN:
		return key_of_place(item, message);
	case KEY_IDENTIFIER:
		return item->lone_name ? rt_match_mix(rt_match_first_name(match, item), item->rule)
				       : 0;
	case KEY_ID:
		return item->id ? rt_match_mix(message, item->id) : 0;
	case KEY_REWORDED_CONTEXT:
		return code && item->long_code ? rt_match_mix(item->context, item->rule) : 0;
	case KEY_REWORDED:
		return code && item->long_code ? rt_match_mix(code, item->rule) : 0;
	case KEYS:
		break;
	}
	return 0;
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
		       enum key level, struct scratch *scratch)
{
	for (uint32_t i = stretch->from[0]; i < stretch->to[0]; i++) {
		uint64_t key = key_of(match, &match->side[0].at[i], level);

		if (key) {
			struct slot *slot = find(scratch, key);

			slot->key[0] = (uint32_t)key;
			slot->key[1] = (uint32_t)(key >> 32);
			slot->count[0]++;
		}
	}
	for (uint32_t j = stretch->to[1]; j-- > stretch->from[1];) {
		uint64_t key = key_of(match, &match->side[1].at[j], level);
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
			   enum key level, bool once, struct scratch *scratch)
{
	bool lines = !once && levels[level].how == LINES;
	uint32_t count = 0;

	for (uint32_t i = stretch->from[0]; i < stretch->to[0]; i++) {
		const struct rt_match_item *item = &match->side[0].at[i];
		uint64_t key = key_of(match, item, level);
		struct slot *slot = key ? find(scratch, key) : NULL;

		if (!slot || slot->count[0] != slot->count[1] || (once && slot->count[0] != 1) ||
		    (lines && !item->line))
			continue;
		if (once && rt_match_strangers(match, item, &match->side[1].at[slot->first]))
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

/* Pair all candidates: they may cross. */
static void join_all(struct rt_match *match, enum rt_match_by by, const struct scratch *scratch,
		     uint32_t count, bool renamed)
{
	for (uint32_t n = 0; n < count; n++)
		rt_match_join(match, scratch->old[n], scratch->new[n], by, renamed);
}

/* Align one stretch once: what lies between its pairs goes to match->next, or, where there are
 * none, all of it to match->rest. */
static void align(struct rt_match *match, const struct rt_match_stretch *stretch, enum key level,
		  bool renamed)
{
	struct rt_match_stretch between = {{stretch->from[0], stretch->from[1]}, {0, 0}};
	enum how how = levels[level].how;
	struct scratch scratch;
	uint32_t pairs;

	if (!prepare(match, stretch, &scratch))
		return;
	count_keys(match, stretch, level, &scratch);
	pairs = candidates(match, stretch, level, true, &scratch);
	if (how >= FREE)
		join_all(match, levels[level].by, &scratch, pairs, renamed);
	pairs = longest_chain(&scratch, pairs);
	if (pairs == 0 && how <= LINES)
		pairs = longest_chain(&scratch, candidates(match, stretch, level, false, &scratch));
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
		if (how < FREE)
			rt_match_join(match, scratch.old[n], scratch.new[n], levels[level].by,
				      renamed);
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

/* Whether items of both sides have the key, so that stretches need be looked at. */
static bool occurs(const struct rt_match *match, enum key level)
{
	bool any = true;

	for (int side = 0; side < 2 && any; side++) {
		const struct rt_match_items *items = &match->side[side];

		any = false;
		for (uint32_t i = 0; i < items->count && !any; i++)
			any = key_of(match, &items->at[i], level) != 0;
	}
	return any;
}

void rt_match_align(struct rt_match *match, bool renamed)
{
	for (enum key level = KEY_PRINT; level < KEYS; level++) {
		int rounds = levels[level].how >= FREE ? 1 : ROUNDS;

		if (!match->live.len || !occurs(match, level) ||
		    (levels[level].how == IDS && !rt_match_trusts_ids(match)))
			continue;
		match->rest.len = 0;
		for (int round = 0; round < rounds && match->live.len > 0; round++) {
			match->next.len = 0;
			for (size_t i = 0; i < rt_match_stretches(&match->live); i++)
				align(match, rt_match_stretch(&match->live, i), level, renamed);
			swap(&match->live, &match->next);
		}
		RT_STEP(&match->fault, rt_buf_append(&match->live, match->rest.data,
						     match->rest.len, match->fault.err));
	}
}

/* Give the items of a stretch a group for each key that is on both sides. */
static void group(struct rt_match *match, const struct rt_match_stretch *stretch, enum key level)
{
	struct scratch scratch;

	if (!prepare(match, stretch, &scratch))
		return;
	count_keys(match, stretch, level, &scratch);
	for (size_t i = 0; i < scratch.count; i++)
		scratch.slots[i].group = RT_MATCH_NONE;
	for (int side = 0; side < 2; side++) {
		for (uint32_t i = stretch->from[side]; i < stretch->to[side]; i++) {
			struct rt_match_item *item = &match->side[side].at[i];
			uint64_t key = key_of(match, item, level);
			struct slot *slot = key ? find(&scratch, key) : NULL;

			if (!slot || slot->count[0] == 0 || slot->count[1] == 0)
				continue;
			if (slot->group == RT_MATCH_NONE)
				slot->group = match->groups++;
			item->group = slot->group;
			item->by = (uint8_t)levels[level].by;
		}
	}
}

void rt_match_ambiguous(struct rt_match *match)
{
	for (size_t i = 0; i < rt_match_stretches(&match->live); i++) {
		for (enum key level = KEY_CONTEXT_EXACT; level <= KEY_COLUMN; level++)
			group(match, rt_match_stretch(&match->live, i), level);
	}
}
