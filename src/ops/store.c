/*
 * Places of records. Input: the records of an export, once. Output: the same records by id, read
 * again from the file they stand in. Refuses texts that are not what was taken in: a file that is
 * changed while it is served is an error, not an answer.
 */
#include "ops/store.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/siphash.h"
#include "base/unnamed.h"
#include "record/again.h"

/*
 * Where a record's text stands, a part of its id's hash, and a digest of the text. The digest is
 * keyed with a key that nobody else has, and who misses it once has no second try: 64 bits do.
 * Packed: there is one for each.
 */
struct place {
	uint64_t hash : 32;
	uint64_t len : 32;
	uint64_t offset;
	uint64_t digest;
};

/* Places in blocks, so that taking one more never copies what is there. */
#define BLOCK_PLACES 65536u

struct places {
	struct place **blocks;
	uint32_t count;
};

struct rt_store {
	struct rt_siphash_key key;      /* of ids */
	struct rt_siphash_key text_key; /* of digests */
	int fd;                         /* where texts are read */
	int own_fd;                     /* the temporary file, or -1 */
	uint64_t written;               /* bytes in it, pending ones included */
	struct rt_buf pending;          /* bytes that are to be written to it */
	struct places issues, rulesets;
	uint32_t *slots;     /* numbers of issues by hash; RT_STORE_NONE where free */
	uint64_t slot_count; /* a power of two */
};

struct rt_store_reader {
	struct rt_record_again again;
};

/* Bytes of texts that are gathered before they are written to the temporary file. */
#define PENDING_BYTES ((size_t)256 * 1024)

enum rt_status rt_store_new(int fd, struct rt_store **ret_store, struct rt_error *err)
{
	struct rt_store *store = calloc(1, sizeof(*store));
	enum rt_status status;

	if (!store)
		return rt_error_nomem(err);
	store->fd = fd;
	store->own_fd = -1;
	status = rt_siphash_key_init(&store->key, err);
	if (status == RT_OK)
		status = rt_siphash_key_init(&store->text_key, err);
	if (status == RT_OK && fd < 0) {
		store->fd = store->own_fd = rt_unnamed_open();
		if (store->fd < 0)
			status = rt_error_sys(err, errno, "temporary file");
	}
	if (status != RT_OK) {
		rt_store_free(store);
		return status;
	}
	*ret_store = store;
	return RT_OK;
}

static uint32_t block_count(const struct places *places)
{
	return places->count / BLOCK_PLACES + (places->count % BLOCK_PLACES != 0);
}

static void places_free(struct places *places)
{
	for (uint32_t i = 0; i < block_count(places); i++)
		free(places->blocks[i]);
	free(places->blocks);
}

void rt_store_free(struct rt_store *store)
{
	if (!store)
		return;
	places_free(&store->issues);
	places_free(&store->rulesets);
	free(store->slots);
	rt_buf_release(&store->pending);
	if (store->own_fd >= 0)
		(void)close(store->own_fd);
	free(store);
}

static const struct place *place_at(const struct places *places, uint32_t number)
{
	return &places->blocks[number / BLOCK_PLACES][number % BLOCK_PLACES];
}

static enum rt_status places_add(struct places *places, struct place place, struct rt_error *err)
{
	uint32_t block = places->count / BLOCK_PLACES;

	if (places->count == RT_STORE_NONE - 1)
		return rt_error_set(err, RT_E_LIMIT, "want fewer than 2^32 - 1 records, have more");
	if (places->count % BLOCK_PLACES == 0) {
		struct place **blocks =
		    realloc(places->blocks, (block + 1) * sizeof(struct place *));

		if (!blocks)
			return rt_error_nomem(err);
		places->blocks = blocks;
		blocks[block] = malloc(BLOCK_PLACES * sizeof(**blocks));
		if (!blocks[block])
			return rt_error_nomem(err);
	}
	places->blocks[block][places->count++ % BLOCK_PLACES] = place;
	return RT_OK;
}

static enum rt_status flush_pending(struct rt_store *store, struct rt_error *err)
{
	enum rt_status status = rt_write_all(store->own_fd, store->pending.data, store->pending.len,
					     "temporary file", err);

	store->pending.len = 0;
	return status;
}

/* Of a text that others can write over; nobody else has the temporary file. */
static uint64_t digest_of(const struct rt_store *store, struct rt_slice text)
{
	return store->own_fd < 0 ? rt_siphash(&store->text_key, text).low : 0;
}

/* Copy a text to the temporary file. */
static enum rt_status keep_text(struct rt_store *store, struct rt_slice text, uint64_t *ret_offset,
				struct rt_error *err)
{
	enum rt_status status = rt_buf_append(&store->pending, text.ptr, text.len, err);

	*ret_offset = store->written;
	store->written += text.len;
	if (status == RT_OK && store->pending.len >= PENDING_BYTES)
		status = flush_pending(store, err);
	return status;
}

enum rt_status rt_store_add(struct rt_store *store, const struct rt_dataset *dataset,
			    const struct rt_record *record, struct rt_error *err)
{
	bool is_issue = record->kind == RT_KIND_ISSUE;
	enum rt_status status = RT_OK;
	struct rt_origin origin;
	struct place place = {0};

	place.hash = (uint32_t)rt_siphash(&store->key, record->id).low;
	place.len = (uint32_t)record->text.len;
	place.digest = digest_of(store, record->text);
	if (record->text.len > UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT,
				    "want a record below 4 GiB, have a longer one");
	if (store->own_fd >= 0) {
		uint64_t offset;

		status = keep_text(store, record->text, &offset, err);
		place.offset = offset;
	} else {
		rt_dataset_origin(dataset, &origin);
		place.offset = origin.offset;
	}
	if (status == RT_OK)
		status = places_add(is_issue ? &store->issues : &store->rulesets, place, err);
	return status;
}

enum rt_status rt_store_finish(struct rt_store *store, struct rt_error *err)
{
	uint64_t count = 64, mask;
	enum rt_status status = RT_OK;

	if (store->own_fd >= 0)
		status = flush_pending(store, err);
	rt_buf_release(&store->pending);
	if (status != RT_OK)
		return status;
	while (count < (uint64_t)store->issues.count * 2)
		count *= 2;
	store->slots = malloc(count * sizeof(*store->slots));
	if (!store->slots)
		return rt_error_nomem(err);
	store->slot_count = count;
	mask = count - 1;
	memset(store->slots, 0xff, count * sizeof(*store->slots));
	for (uint32_t i = 0; i < store->issues.count; i++) {
		uint64_t slot = place_at(&store->issues, i)->hash & mask;

		while (store->slots[slot] != RT_STORE_NONE)
			slot = (slot + 1) & mask;
		store->slots[slot] = i;
	}
	return RT_OK;
}

uint32_t rt_store_issues(const struct rt_store *store)
{
	return store->issues.count;
}

uint32_t rt_store_rulesets(const struct rt_store *store)
{
	return store->rulesets.count;
}

/* --- Reading again ----------------------------------------------------------------------- */

enum rt_status rt_store_reader_new(struct rt_store_reader **ret_reader, struct rt_error *err)
{
	struct rt_store_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return rt_error_nomem(err);
	if (rt_record_again_init(&reader->again, err) != RT_OK) {
		free(reader);
		return RT_FATAL;
	}
	*ret_reader = reader;
	return RT_OK;
}

void rt_store_reader_free(struct rt_store_reader *reader)
{
	if (!reader)
		return;
	rt_record_again_release(&reader->again);
	free(reader);
}

enum rt_status rt_store_refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO,
			    "want an export that stays as it was read, have it changed");
}

/* Read the record at a place, which must be the one taken in. */
static enum rt_status read_record(const struct rt_store *store, struct rt_store_reader *reader,
				  const struct place *place, enum rt_kind kind,
				  struct rt_error *err)
{
	struct rt_buf *text = &reader->again.text;
	enum rt_status status;

	text->len = 0;
	status = rt_buf_reserve(text, place->len, err);
	while (status == RT_OK && text->len < place->len) {
		ssize_t got = rt_read_at(store->fd, text->data + text->len, place->len - text->len,
					 (off_t)(place->offset + text->len));

		if (got < 0)
			return rt_error_sys(err, errno, "cannot read the export");
		if (got == 0)
			return rt_store_refuse_changed(err);
		text->len += (size_t)got;
	}
	if (status != RT_OK)
		return status;
	if (digest_of(store, rt_buf_slice(text)) != place->digest)
		return rt_store_refuse_changed(err);
	status = rt_record_again_read(&reader->again, kind, err);
	return status == RT_REJECT ? rt_store_refuse_changed(err) : status;
}

enum rt_status rt_store_find(const struct rt_store *store, struct rt_store_reader *reader,
			     struct rt_slice id, uint32_t *ret_number,
			     const struct rt_record **ret_record, struct rt_error *err)
{
	uint32_t hash = (uint32_t)rt_siphash(&store->key, id).low;
	uint64_t mask = store->slot_count - 1;

	for (uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
		uint32_t number = store->slots[slot];
		const struct place *place;
		enum rt_status status;

		*ret_number = number;
		if (number == RT_STORE_NONE)
			return RT_OK;
		place = place_at(&store->issues, number);
		if (place->hash != hash)
			continue;
		status = read_record(store, reader, place, RT_KIND_ISSUE, err);
		if (status != RT_OK)
			return status;
		if ((uint32_t)rt_siphash(&store->key, reader->again.record.id).low != hash)
			return rt_store_refuse_changed(err);
		*ret_record = &reader->again.record;
		if (rt_slice_equal(reader->again.record.id, id))
			return RT_OK;
	}
}

enum rt_status rt_store_ruleset(const struct rt_store *store, struct rt_store_reader *reader,
				uint32_t number, const struct rt_record **ret_record,
				struct rt_error *err)
{
	const struct place *place = place_at(&store->rulesets, number);
	enum rt_status status = read_record(store, reader, place, RT_KIND_RULESET, err);

	if (status != RT_OK)
		return status;
	if ((uint32_t)rt_siphash(&store->key, reader->again.record.id).low != place->hash)
		return rt_store_refuse_changed(err);
	*ret_record = &reader->again.record;
	return RT_OK;
}
