/*
 * Reads a data set and holds its ids against each other. Input: records. Output: the same records.
 * Refuses a second issue or ruleset with an id that has been met, naming both places.
 */
#include "engine/dataset.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "engine/ids.h"

struct rt_dataset {
	struct rt_reader *reader;
	struct rt_siphash_key key;
	struct rt_ids *ids;
	/* The name of each part that records came from, NUL-terminated, by part number. */
	struct rt_buf names;
	struct rt_buf name_at; /* of size_t: where each begins in names */
};

enum rt_status rt_dataset_open(const struct rt_options *options, enum rt_kind kind,
			       struct rt_dataset **ret_dataset, struct rt_error *err)
{
	struct rt_dataset *d = calloc(1, sizeof(*d));
	enum rt_status status;

	if (!d)
		return rt_error_nomem(err);
	status = rt_siphash_key_init(&d->key, err);
	if (status == RT_OK)
		status = rt_ids_new(&d->key, &d->ids, err);
	if (status == RT_OK)
		status = rt_reader_open(options, kind, 0, &d->reader, err);
	if (status != RT_OK) {
		rt_dataset_free(d);
		return status;
	}
	*ret_dataset = d;
	return RT_OK;
}

void rt_dataset_free(struct rt_dataset *d)
{
	if (!d)
		return;
	rt_reader_free(d->reader);
	rt_ids_free(d->ids);
	rt_buf_release(&d->names);
	rt_buf_release(&d->name_at);
	free(d);
}

const struct rt_siphash_key *rt_dataset_key(const struct rt_dataset *d)
{
	return &d->key;
}

/* Note the names of parts up to the one of origin: PATH or PATH[MEMBER]. */
static enum rt_status note_part(struct rt_dataset *d, const struct rt_origin *origin,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;

	/* A part without a record gets the next one's name; it is never asked for. */
	while (status == RT_OK && d->name_at.len / sizeof(size_t) <= origin->part) {
		const char *texts[] = {origin->path, "[", origin->member, "]"};
		size_t at = d->names.len, count = origin->member ? 4 : 1;

		status = rt_buf_append(&d->name_at, &at, sizeof(at), err);
		for (size_t i = 0; status == RT_OK && i < count; i++)
			status = rt_buf_append(&d->names, texts[i], strlen(texts[i]), err);
		if (status == RT_OK)
			status = rt_buf_append(&d->names, "", 1, err);
	}
	return status;
}

static enum rt_status refuse_second(struct rt_dataset *d, const struct rt_id_place *first,
				    struct rt_error *err)
{
	size_t at;

	memcpy(&at, d->name_at.data + first->part * sizeof(at), sizeof(at));
	(void)rt_error_set(err, RT_E_INPUT,
			   "want an id that stands once, have it at %s:%" PRIu64 ":%" PRIu64 " too",
			   d->names.data + at, first->line, first->column);
	rt_reader_blame(d->reader, RT_M_ID, err);
	return RT_REJECT;
}

enum rt_status rt_dataset_next(struct rt_dataset *d, const struct rt_record **ret_record,
			       struct rt_error *err)
{
	const struct rt_record *record;
	struct rt_id_place place, first;
	struct rt_origin origin;
	enum rt_status status = rt_reader_next(d->reader, &record, err);

	if (status != RT_OK)
		return status;
	rt_reader_origin(d->reader, &origin);
	status = note_part(d, &origin, err);
	if (status != RT_OK)
		return status;
	place = (struct rt_id_place){origin.part, origin.line, origin.column};
	status = rt_ids_add(d->ids, record->kind, record->id, place, &first, err);
	if (status == RT_END)
		return refuse_second(d, &first, err);
	if (status == RT_OK)
		*ret_record = record;
	return status;
}

enum rt_status rt_dataset_next_good(struct rt_dataset *d, const struct rt_record **ret_record,
				    struct rt_error *err)
{
	enum rt_status status = rt_dataset_next(d, ret_record, err);

	return status == RT_REJECT ? RT_FATAL : status;
}
