/*
 * The texts of an export's records in a spool, where each stands, and the numbers of issues by
 * their ids.
 */
#include "state/store.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/siphash.h"
#include "base/spool.h"
#include "formats/check.h"

/* Where a record's text stands. */
struct place {
	uint64_t offset;
	uint32_t len;
	uint32_t mark; /* see rt_store_mark() */
};

struct rt_store {
	struct rt_siphash_key key; /* of ids */
	struct rt_spool spool;
	uint64_t kept;                  /* bytes in it */
	struct rt_buf issues, rulesets; /* struct place */
	struct rt_map numbers;          /* of issues, from 1 */
	struct rt_record_again again;   /* the record that was read last */
	struct rt_spool_window window;
};

enum rt_status rt_store_new(struct rt_store **ret_store, struct rt_error *err)
{
	struct rt_store *store = calloc(1, sizeof(*store));

	if (!store)
		return rt_error_nomem(err);
	rt_spool_init(&store->spool);
	store->window.exact = true;
	if (rt_siphash_key_init(&store->key, err) != RT_OK ||
	    rt_record_again_init(&store->again, err) != RT_OK) {
		rt_store_free(store);
		return RT_FATAL;
	}
	*ret_store = store;
	return RT_OK;
}

void rt_store_free(struct rt_store *store)
{
	if (!store)
		return;
	rt_buf_release(&store->issues);
	rt_buf_release(&store->rulesets);
	rt_map_release(&store->numbers);
	rt_spool_release(&store->spool);
	rt_record_again_release(&store->again);
	rt_buf_release(&store->window.buf);
	free(store);
}

static uint32_t count_of(const struct rt_buf *places)
{
	return (uint32_t)(places->len / sizeof(struct place));
}

static const struct place *place_at(const struct rt_buf *places, uint32_t number)
{
	return (const struct place *)(const void *)places->data + number;
}

static enum rt_status places_add(struct rt_buf *places, struct place place, struct rt_error *err)
{
	if (count_of(places) == RT_STORE_NONE)
		return rt_error_set(err, RT_E_LIMIT, "there are more than 2^32 - 1 records");
	return rt_buf_append(places, &place, sizeof(place), err);
}

enum rt_status rt_store_add(struct rt_store *store, const struct rt_record *record,
			    struct rt_error *err)
{
	struct rt_sink sink = rt_spool_sink(&store->spool);
	bool is_issue = record->kind == RT_KIND_ISSUE;
	struct place place = {.offset = store->kept, .len = (uint32_t)record->text.len};
	struct rt_fault fault = {RT_OK, err};
	uint32_t *number;

	if (record->text.len > UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT, "a record exceeds 4 GiB");
	store->kept += place.len;
	RT_STEP(&fault, sink.write(sink.ctx, record->text.ptr, record->text.len, err));
	RT_STEP(&fault, places_add(is_issue ? &store->issues : &store->rulesets, place, err));
	if (fault.status != RT_OK || !is_issue)
		return fault.status;
	number = rt_map_put(&store->numbers, rt_siphash(&store->key, record->id), err);
	if (!number)
		return RT_FATAL;
	*number = count_of(&store->issues);
	return RT_OK;
}

uint32_t *rt_store_mark(struct rt_store *store, uint32_t number)
{
	return &((struct place *)(void *)store->issues.data)[number].mark;
}

uint32_t rt_store_issues(const struct rt_store *store)
{
	return count_of(&store->issues);
}

uint32_t rt_store_rulesets(const struct rt_store *store)
{
	return count_of(&store->rulesets);
}

/* --- Reading again ----------------------------------------------------------------------- */

/* Read the record at a place. */
static enum rt_status read_record(struct rt_store *store, const struct place *place,
				  enum rt_kind kind, struct rt_error *err)
{
	struct rt_buf *text = &store->again.text;
	const char *kept;
	struct rt_fault fault = {RT_OK, err};

	text->len = 0;
	RT_STEP(&fault, rt_spool_read(&store->spool, place->offset, place->len, &store->window,
				      &kept, err));
	RT_STEP(&fault, rt_buf_append(text, kept, place->len, err));
	return RT_STEP(&fault, rt_record_again_read(&store->again, kind, err));
}

enum rt_status rt_store_find(struct rt_store *store, struct rt_slice id, uint32_t *ret_number,
			     const struct rt_record **ret_record, struct rt_error *err)
{
	/* 0 becomes RT_STORE_NONE. */
	uint32_t number = rt_map_get(&store->numbers, rt_siphash(&store->key, id)) - 1;

	*ret_number = number;
	*ret_record = &store->again.record;
	if (number == RT_STORE_NONE)
		return RT_OK;
	return read_record(store, place_at(&store->issues, number), RT_KIND_ISSUE, err);
}

enum rt_status rt_store_ruleset(struct rt_store *store, uint32_t number,
				const struct rt_record **ret_record, struct rt_error *err)
{
	*ret_record = &store->again.record;
	return read_record(store, place_at(&store->rulesets, number), RT_KIND_RULESET, err);
}
