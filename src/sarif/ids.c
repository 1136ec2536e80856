/*
 * Tells issues of one identity apart by ordinals, in an order that depends on where they stand and
 * what they say. Identities are digests, so eight bytes of them sort nearly all.
 */
#include "sarif/log.h"

#include <stdlib.h>

/* An issue and the first bytes of its identity. */
struct key {
	uint64_t head;
	uint32_t index;
};

enum rt_status rt_sarif_ids_add(struct rt_sarif_ids *ids, const struct rt_sarif_identity *identity,
				struct rt_error *err)
{
	struct rt_sarif_identity added = *identity;
	enum rt_status status;

	if (ids->count >= UINT32_MAX / 2)
		return rt_error_set(err, RT_E_LIMIT, "the log has more than 2,147,483,647 results");
	added.rank = (struct rt_sarif_rank){identity->own, identity->own};
	ids->room.len = ids->count * sizeof(added);
	status = rt_buf_append(&ids->room, &added, sizeof(added), err);
	ids->list = (struct rt_sarif_identity *)(void *)ids->room.data;
	ids->count += status == RT_OK;
	return status;
}

bool rt_sarif_ids_same(const struct rt_sarif_identity *id, const struct rt_sarif_identity *identity)
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

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int key_compare(const void *one, const void *other, void *ctx)
{
	const struct key *left = one, *right = other;
	const struct rt_sarif_identity *list = ctx;
	const struct rt_sarif_identity *a = &list[left->index], *b = &list[right->index];
	int result = order(left->head, right->head);

	if (!result)
		result = memcmp(a->id, b->id, sizeof(a->id));

	if (!result)
		result = order(a->run, b->run);
	if (!result)
		result = order(a->line, b->line);
	if (!result)
		result = order(a->column, b->column);
	if (!result)
		result = order(a->message, b->message);
	return result ? result : order(left->index, right->index);
}

/* Number sorted keys. */
static void keys_number(struct rt_sarif_identity *list, const struct key *keys, size_t count,
			struct log_run *const *runs)
{
	size_t first_run = 0;

	for (size_t i = 0; i < count; i++) {
		struct rt_sarif_identity *id = &list[keys[i].index];
		uint64_t *counts = runs[id->run]->notes.counts;

		id->rank.number = 1;
		if (i && memcmp(id->id, list[keys[i - 1].index].id, sizeof(id->id)) == 0) {
			id->rank.number = list[keys[i - 1].index].rank.number + 1;
			counts[RT_SARIF_NOTE_EQUAL]++;
			counts[RT_SARIF_NOTE_ORDINAL] += id->run != first_run;
		} else {
			first_run = id->run;
		}
	}
	for (size_t i = count; i-- > 0;) {
		struct rt_sarif_rank *rank = &list[keys[i].index].rank;
		const struct rt_sarif_rank *next =
		    i + 1 < count ? &list[keys[i + 1].index].rank : NULL;

		rank->count = next && next->number > 1 ? next->count : rank->number;
	}
}

enum rt_status rt_sarif_ids_number(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_sarif_ids *ids = &log->ids;
	struct key *keys = calloc(ids->count + 1, sizeof(*keys));
	size_t count;

	if (!keys)
		return rt_error_nomem(err);
	for (size_t i = 0; i < ids->count; i++)
		log->runs[ids->list[i].run]->notes.counts[RT_SARIF_NOTE_GIVEN] +=
		    ids->list[i].given;
	count = keys_make(ids, keys);
	qsort_r(keys, count, sizeof(*keys), key_compare, ids->list);
	keys_number(ids->list, keys, count, log->runs);
	free(keys);
	return RT_OK;
}
