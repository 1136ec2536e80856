/*
 * Tells issues of one identity apart. Input: identities in the order of the log. Output: an ordinal
 * for each. Identities are digests, so four bytes of them sort nearly all; what is equal in these
 * is compared whole.
 */
#include "sarif/ids.h"

#include <stdlib.h>

#define FIRST_IDS ((size_t)256)

/* The sort of four bytes: so many at a time. */
#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define PASSES 3u

/* An issue and the first bytes of its identity. */
struct key {
	uint32_t head;
	uint32_t index;
};

/* What a comparison needs to know. */
struct compare {
	const struct rt_sarif_id *list;
	const struct rt_sarif_ids_run *runs;
	size_t run_count;
};

void rt_sarif_ids_release(struct rt_sarif_ids *ids)
{
	free(ids->list);
	*ids = (struct rt_sarif_ids){0};
}

static enum rt_status ids_grow(struct rt_sarif_ids *ids, struct rt_error *err)
{
	size_t cap = ids->cap ? ids->cap * 2 : FIRST_IDS;
	struct rt_sarif_id *list;

	if (ids->count >= UINT32_MAX / 2)
		return rt_error_set(err, RT_E_LIMIT, "the log has more than 2,147,483,647 results");
	list = reallocarray(ids->list, cap, sizeof(*list));
	if (!list)
		return rt_error_nomem(err);
	ids->list = list;
	ids->cap = cap;
	return RT_OK;
}

enum rt_status rt_sarif_ids_add(struct rt_sarif_ids *ids, const struct rt_sarif_identity *identity,
				struct rt_error *err)
{
	enum rt_status status = ids->count < ids->cap ? RT_OK : ids_grow(ids, err);
	struct rt_sarif_id *id;

	if (status != RT_OK)
		return status;
	id = &ids->list[ids->count++];
	*id = (struct rt_sarif_id){.message = identity->message,
				   .line = identity->line,
				   .column = identity->column,
				   .rank = {identity->own, identity->own},
				   .given = identity->given};
	memcpy(id->id, identity->id, sizeof(id->id));
	return RT_OK;
}

bool rt_sarif_ids_same(const struct rt_sarif_id *id, const struct rt_sarif_identity *identity)
{
	return memcmp(id->id, identity->id, sizeof(id->id)) == 0 &&
	       id->message == identity->message && id->line == identity->line &&
	       id->column == identity->column;
}

/* The keys of those that have no ordinal yet. Returns how many there are. */
static size_t keys_make(const struct rt_sarif_ids *ids, struct key *keys)
{
	size_t count = 0;

	for (size_t i = 0; i < ids->count; i++) {
		if (ids->list[i].rank.number)
			continue;
		memcpy(&keys[count].head, ids->list[i].id, sizeof(keys[count].head));
		keys[count++].index = (uint32_t)i;
	}
	return count;
}

/* Sort by head. room: as many again. The result is in room, since the passes are odd in number. */
static void keys_sort(struct key *keys, struct key *room, size_t count)
{
	for (unsigned pass = 0; pass < PASSES; pass++) {
		unsigned shift = pass * DIGIT_BITS;
		size_t starts[DIGITS] = {0}, sum = 0;
		struct key *from = pass % 2 ? room : keys, *to = pass % 2 ? keys : room;

		for (size_t i = 0; i < count; i++)
			starts[from[i].head >> shift & (DIGITS - 1)]++;
		for (size_t d = 0; d < DIGITS; d++) {
			size_t start = sum;

			sum += starts[d];
			starts[d] = start;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i].head >> shift & (DIGITS - 1)]++] = from[i];
	}
}

/* The run that an issue is in: the last that begins at or before it. */
static size_t run_of(const struct compare *compare, uint32_t index)
{
	size_t low = 0, high = compare->run_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (compare->runs[middle].first <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int key_compare(const void *one, const void *other, void *ctx)
{
	const struct key *left = one, *right = other;
	const struct compare *compare = ctx;
	const struct rt_sarif_id *a = &compare->list[left->index];
	const struct rt_sarif_id *b = &compare->list[right->index];
	int result = memcmp(a->id, b->id, sizeof(a->id));

	if (!result)
		result = order(run_of(compare, left->index), run_of(compare, right->index));
	if (!result)
		result = order(a->line, b->line);
	if (!result)
		result = order(a->column, b->column);
	if (!result)
		result = order(a->message, b->message);
	return result ? result : order(left->index, right->index);
}

/* Number keys of one head. */
static void number_group(struct rt_sarif_id *list, struct key *keys, size_t count,
			 struct compare *compare)
{
	size_t first_run = 0;

	if (count == 1) {
		list[keys->index].rank = (struct rt_sarif_rank){1, 1};
		return;
	}
	qsort_r(keys, count, sizeof(*keys), key_compare, compare);
	for (size_t i = 0; i < count; i++) {
		struct rt_sarif_id *id = &list[keys[i].index];
		size_t run = run_of(compare, keys[i].index);

		id->rank.number = 1;
		if (i && memcmp(id->id, list[keys[i - 1].index].id, sizeof(id->id)) == 0) {
			id->rank.number = list[keys[i - 1].index].rank.number + 1;
			compare->runs[run].notes->counts[RT_SARIF_NOTE_EQUAL]++;
			compare->runs[run].notes->counts[RT_SARIF_NOTE_ORDINAL] += run != first_run;
		} else {
			first_run = run;
		}
	}
	for (size_t i = count; i-- > 0;) {
		struct rt_sarif_rank *rank = &list[keys[i].index].rank;
		const struct rt_sarif_rank *next =
		    i + 1 < count ? &list[keys[i + 1].index].rank : NULL;

		rank->count = next && next->number > 1 ? next->count : rank->number;
	}
}

enum rt_status rt_sarif_ids_number(struct rt_sarif_ids *ids, const struct rt_sarif_ids_run *runs,
				   size_t run_count, struct rt_error *err)
{
	struct compare compare = {ids->list, runs, run_count};
	struct key *keys = NULL;
	size_t count, end;

	if (ids->count == 0)
		return RT_OK;
	for (uint32_t i = 0; i < ids->count; i++)
		if (ids->list[i].given)
			runs[run_of(&compare, i)].notes->counts[RT_SARIF_NOTE_GIVEN]++;
	keys = calloc(ids->count, 2 * sizeof(*keys));
	if (!keys)
		return rt_error_nomem(err);
	count = keys_make(ids, keys);
	keys_sort(keys, keys + ids->count, count);
	for (size_t i = 0; i < count; i = end) {
		struct key *sorted = keys + ids->count;

		for (end = i + 1; end < count && sorted[end].head == sorted[i].head;)
			end++;
		number_group(ids->list, sorted + i, end - i, &compare);
	}
	free(keys);
	return RT_OK;
}
