/*
 * Tells issues of one identity apart by ordinals, in an order that depends on where they stand and
 * what they say.
 */
#include "sarif/log.h"

#include <isa-l/crc.h>
#include <stdlib.h>

#include "base/bytes.h"

/* Who can write a log gains nothing by a collision, so a checksum will do. */
static uint32_t text_sum(struct rt_slice text)
{
	return crc32_gzip_refl(0, (const unsigned char *)text.ptr, text.len);
}

bool rt_sarif_ids_is(const struct rt_sarif_identity *identity, struct rt_slice text)
{
	return identity->sum == (text_sum(text) & RT_SARIF_SUM_MASK);
}

enum rt_status rt_sarif_ids_add(struct rt_sarif_ids *ids, const struct rt_sarif_identity *identity,
				struct rt_slice text, struct rt_error *err)
{
	struct rt_sarif_identity added = *identity;
	enum rt_status status;

	if (ids->count >= UINT32_MAX / 2)
		return rt_error_set(err, RT_E_LIMIT, "the log has more than 2,147,483,647 results");
	added.sum = text_sum(text) & RT_SARIF_SUM_MASK;
	added.rank = (struct rt_sarif_rank){identity->own, identity->own};
	ids->room.len = ids->count * sizeof(added);
	status = rt_buf_append(&ids->room, &added, sizeof(added), err);
	ids->list = (struct rt_sarif_identity *)(void *)ids->room.data;
	ids->count += status == RT_OK;
	return status;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* An issue to be sorted: most differ in the first bytes of their ids. */
struct sorted {
	uint64_t first;
	uint32_t index;
};

static int compare(const void *one, const void *other, void *ctx)
{
	const struct sorted *left = one, *right = other;
	const struct rt_sarif_identity *list = ctx;
	const struct rt_sarif_identity *a = &list[left->index], *b = &list[right->index];
	int result = order(left->first, right->first);

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

/* Number issues by their sorted indexes. */
static void number(struct rt_sarif_identity *list, const struct sorted *sorted, size_t count,
		   struct log_run *const *runs)
{
	size_t first_run = 0;

	for (size_t i = 0; i < count; i++) {
		struct rt_sarif_identity *id = &list[sorted[i].index];
		uint64_t *counts = runs[id->run]->notes.counts;

		id->rank.number = 1;
		if (i && memcmp(id->id, list[sorted[i - 1].index].id, sizeof(id->id)) == 0) {
			id->rank.number = list[sorted[i - 1].index].rank.number + 1;
			counts[RT_SARIF_NOTE_EQUAL]++;
			counts[RT_SARIF_NOTE_ORDINAL] += id->run != first_run;
		} else {
			first_run = id->run;
		}
	}
	for (size_t i = count; i-- > 0;) {
		struct rt_sarif_rank *rank = &list[sorted[i].index].rank;
		const struct rt_sarif_rank *next =
		    i + 1 < count ? &list[sorted[i + 1].index].rank : NULL;

		rank->count = next && next->number > 1 ? next->count : rank->number;
	}
}

enum rt_status rt_sarif_ids_number(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_sarif_ids *ids = &log->ids;
	struct sorted *sorted = calloc(ids->count + 1, sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return rt_error_nomem(err);
	for (size_t i = 0; i < ids->count; i++) {
		log->runs[ids->list[i].run]->notes.counts[RT_SARIF_NOTE_GIVEN] +=
		    ids->list[i].given;
		if (ids->list[i].rank.number)
			continue;
		sorted[count].first = rt_bytes_load64(ids->list[i].id);
		sorted[count++].index = (uint32_t)i;
	}
	qsort_r(sorted, count, sizeof(*sorted), compare, ids->list);
	number(ids->list, sorted, count, log->runs);
	free(sorted);
	return RT_OK;
}
