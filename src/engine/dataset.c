/*
 * Reads a data set and holds its ids against each other. Input: records. Output: the same records,
 * or those whose ids stand for the first time. Refuses a second issue or ruleset with an id that
 * has been met, or one that differs from the first, naming both places.
 */
#include "engine/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "engine/equal.h"
#include "engine/ids.h"

struct rt_dataset {
	const struct rt_options *options;
	struct rt_reader *reader;
	bool ended; /* what there is to say at the end has been said */
	struct rt_siphash_key key;
	struct rt_ids *ids;
	/* The record that was delivered last, until its id has been held against the others. */
	bool pending;
	enum rt_kind kind;
	struct rt_hash128 hash;
	uint64_t counts[3];     /* by enum rt_kind */
	struct rt_equal *equal; /* NULL: records are not held against each other */
	uint64_t left_out[3];   /* records, by enum rt_kind */
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
	d->options = options;
	status = rt_siphash_key_init(&d->key, err);
	if (status == RT_OK)
		status = rt_ids_new(&d->key, &d->ids, err);
	if (status == RT_OK && options->duplicates == RT_DUPLICATES_EQUAL)
		status = rt_equal_new(&d->key, &d->equal, err);
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
	rt_equal_free(d->equal);
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
	const char *texts[] = {origin->path, "[", origin->member, "]"};
	size_t at = d->names.len, count = origin->member ? 4 : 1;
	enum rt_status status = RT_OK;

	if (d->name_at.len / sizeof(at) > origin->part)
		return RT_OK;
	for (size_t i = 0; status == RT_OK && i < count; i++)
		status = rt_buf_append(&d->names, texts[i], strlen(texts[i]), err);
	if (status == RT_OK)
		status = rt_buf_append(&d->names, "", 1, err);
	/* A part without a record shares the next one's name; it is never asked for. */
	while (status == RT_OK && d->name_at.len / sizeof(at) <= origin->part)
		status = rt_buf_append(&d->name_at, &at, sizeof(at), err);
	return status;
}

/* "PATH:LINE:COLUMN" of the id with that number. */
static void place_text(const struct rt_dataset *d, uint64_t number, char *text, size_t cap)
{
	struct rt_id_place place = rt_ids_place(d->ids, number);
	size_t at;

	memcpy(&at, d->name_at.data + place.part * sizeof(at), sizeof(at));
	(void)snprintf(text, cap, "%s:%" PRIu64 ":%" PRIu64, d->names.data + at, place.line,
		       place.column);
}

static enum rt_status refuse_second(struct rt_dataset *d, uint64_t first, struct rt_error *err)
{
	char place[sizeof(err->message)];

	place_text(d, first, place, sizeof(place));
	(void)rt_error_set(err, RT_E_INPUT, "want an id that stands once, have it at %s too",
			   place);
	rt_reader_blame(d->reader, RT_M_ID, err);
	return RT_REJECT;
}

/* m: a member that differs from that of the first, or RT_M_UNKNOWN. */
static enum rt_status refuse_other(struct rt_dataset *d, const struct rt_record *record,
				   uint64_t first, enum rt_member m, struct rt_error *err)
{
	char place[sizeof(err->message)];

	place_text(d, first, place, sizeof(place));
	(void)rt_error_set(err, RT_E_INPUT,
			   "want what the record with this id at %s has, have something else",
			   place);
	if (m == RT_M_UNKNOWN || record->types[m]) {
		rt_reader_blame(d->reader, m, err);
		return RT_REJECT;
	}
	rt_reader_blame(d->reader, RT_M_UNKNOWN, err);
	rt_error_text(err->field, sizeof(err->field), rt_member_name(m));
	return RT_REJECT;
}

/* Hold the id of the record at which the reader stands against the others; as rt_ids_add(). */
static enum rt_status add_id(struct rt_dataset *d, uint64_t *ret_first, struct rt_error *err)
{
	struct rt_id_place place;
	struct rt_origin origin;
	enum rt_status status;

	rt_reader_origin(d->reader, &origin);
	status = note_part(d, &origin, err);
	if (status != RT_OK)
		return status;
	place = (struct rt_id_place){origin.part, origin.line, origin.column};
	status = rt_ids_add(d->ids, d->hash, place, ret_first, err);
	d->counts[d->kind] += status == RT_OK;
	return status;
}

/*
 * Hold the last record's id against the others. This waits for the next call, so that the memory
 * it needs comes while the record is being worked on; the reader still stands at the record.
 */
static enum rt_status settle(struct rt_dataset *d, struct rt_error *err)
{
	uint64_t first = 0;
	enum rt_status status;

	d->pending = false;
	status = add_id(d, &first, err);
	return status == RT_END ? refuse_second(d, first, err) : status;
}

/*
 * Hold a record against those before it, ahead of its being delivered. Returns RT_OK; RT_END where
 * it is to be left out; RT_REJECT where it is other than the first of its id; RT_FATAL.
 */
static enum rt_status compare(struct rt_dataset *d, const struct rt_record *record,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;
	enum rt_member member;
	uint64_t first = 0;

	if (d->equal)
		status = rt_equal_take(d->equal, record, err);
	if (status == RT_OK)
		status = add_id(d, &first, err);
	if (status == RT_OK && d->equal)
		status = rt_equal_keep(d->equal, err);
	if (status == RT_END && d->equal && !rt_equal_check(d->equal, first, &member))
		status = refuse_other(d, record, first, member, err);
	d->left_out[d->kind] += status == RT_END;
	return status;
}

/* Say how many records were left out. */
static void tell_left_out(const struct rt_dataset *d)
{
	const struct rt_options *options = d->options;
	uint64_t issues = d->left_out[RT_KIND_ISSUE], rulesets = d->left_out[RT_KIND_RULESET];
	char text[160], parts[2][40] = {"", ""};

	if (!options->notice || (issues == 0 && rulesets == 0))
		return;
	if (issues)
		(void)snprintf(parts[0], sizeof(parts[0]), "%" PRIu64 " issue%s", issues,
			       issues == 1 ? "" : "s");
	if (rulesets)
		(void)snprintf(parts[1], sizeof(parts[1]), "%" PRIu64 " ruleset%s", rulesets,
			       rulesets == 1 ? "" : "s");
	(void)snprintf(text, sizeof(text), "left out: %s%s%s, each %s", parts[0],
		       issues && rulesets ? " and " : "", parts[1],
		       d->equal ? "equal to an earlier one" : "with the id of an earlier one");
	options->notice(options->notice_ctx, text);
}

void rt_dataset_tell_warnings(const struct rt_faults *warnings, const struct rt_options *options)
{
	static const char prefix[] = "note: ";
	char line[sizeof(prefix) + RT_ERROR_LINE_MAX];
	struct rt_error warning;
	size_t at = 0;

	if (!options->notice)
		return;
	memcpy(line, prefix, sizeof(prefix));
	while (rt_faults_next(warnings, &at, &warning)) {
		(void)rt_error_format(&warning, line + sizeof(prefix) - 1, RT_ERROR_LINE_MAX);
		options->notice(options->notice_ctx, line);
	}
	if (warnings->count > warnings->listed) {
		(void)snprintf(line, sizeof(line), "note: and %" PRIu64 " more",
			       warnings->count - warnings->listed);
		options->notice(options->notice_ctx, line);
	}
}

/* All has been read: say what there is to say about the whole. Returns RT_END or a fault. */
static enum rt_status finish(struct rt_dataset *d, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!d->ended) {
		rt_dataset_tell_warnings(rt_reader_warnings(d->reader), d->options);
		tell_left_out(d);
		status = rt_unread_tell(rt_reader_unread(d->reader), d->options, "", err);
	}
	d->ended = true;
	return status == RT_OK ? RT_END : status;
}

enum rt_status rt_dataset_next(struct rt_dataset *d, const struct rt_record **ret_record,
			       struct rt_error *err)
{
	enum rt_status status = d->pending ? settle(d, err) : RT_OK;

	while (status == RT_OK) {
		status = rt_reader_next(d->reader, ret_record, err);
		if (status == RT_END)
			return finish(d, err);
		if (status != RT_OK)
			break;
		d->kind = (*ret_record)->kind;
		d->hash = rt_ids_hash(d->ids, d->kind, (*ret_record)->id);
		d->pending = d->options->duplicates == RT_DUPLICATES_REFUSE;
		if (d->pending)
			break;
		status = compare(d, *ret_record, err);
		if (status != RT_END)
			break;
		status = RT_OK;
	}
	return status;
}

void rt_dataset_refuse_logs(struct rt_dataset *d)
{
	rt_reader_refuse_logs(d->reader);
}

uint64_t rt_dataset_count(const struct rt_dataset *d, enum rt_kind kind)
{
	return d->counts[kind];
}

void rt_dataset_origin(const struct rt_dataset *d, struct rt_origin *ret_origin)
{
	rt_reader_origin(d->reader, ret_origin);
}

void rt_dataset_blame(const struct rt_dataset *d, struct rt_error *err)
{
	rt_reader_blame(d->reader, RT_M_UNKNOWN, err);
}

enum rt_status rt_dataset_next_good(struct rt_dataset *d, const struct rt_record **ret_record,
				    struct rt_error *err)
{
	enum rt_status status = rt_dataset_next(d, ret_record, err);

	return status == RT_REJECT ? RT_FATAL : status;
}

const struct rt_unread *rt_dataset_unread(const struct rt_dataset *d)
{
	return rt_reader_unread(d->reader);
}

const struct rt_faults *rt_dataset_warnings(const struct rt_dataset *d)
{
	return rt_reader_warnings(d->reader);
}

uint64_t rt_dataset_stamp(const struct rt_dataset *d)
{
	return rt_reader_stamp(d->reader);
}
