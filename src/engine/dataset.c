/*
 * Reads a data set and finds ids that come twice. An error about one names both places.
 */
#include "engine/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "engine/equal.h"
#include "engine/ids.h"
#include "engine/worst.h"
#include "files/hold.h"

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
	struct rt_equal *equal; /* NULL: records are not compared with each other */
	struct rt_ids *twins; /* for equal results of one log: what they are but for their number */
	struct rt_hold hold;  /* for `worst`, which reads twice */
	struct rt_worst *worst;
	struct rt_buf text;
	uint64_t left_out[3]; /* records, by enum rt_kind */
	/* The name of each part that records came from, NUL-terminated, by part number. */
	struct rt_buf names;
	struct rt_buf name_at; /* of size_t: where each begins in names */
};

/* Make what finds out whether records with one id are one. */
static enum rt_status open_duplicates(struct rt_dataset *d, enum rt_kind kind, struct rt_error *err)
{
	bool worst = d->options->duplicates == RT_DUPLICATES_WORST;
	enum rt_status status;

	if (d->options->duplicates == RT_DUPLICATES_REFUSE)
		return RT_OK;
	status = rt_equal_new(&d->key, worst, &d->equal, err);
	if (status != RT_OK || !worst)
		return status == RT_OK ? rt_ids_new(&d->key, &d->twins, err) : status;
	status = rt_hold_init(&d->hold, d->options, err);
	d->options = &d->hold.options;
	return status == RT_OK ? rt_worst_find(d->options, kind, &d->key, &d->worst, err) : status;
}

enum rt_status rt_dataset_open(const struct rt_options *options, enum rt_kind kind,
			       struct rt_dataset **ret_dataset, struct rt_error *err)
{
	struct rt_dataset *d = calloc(1, sizeof(*d));
	enum rt_status status;

	if (!d)
		return rt_error_nomem(err);
	d->options = options;
	d->hold.fd = -1;
	status = rt_siphash_key_init(&d->key, err);
	if (status == RT_OK)
		status = rt_ids_new(&d->key, &d->ids, err);
	if (status == RT_OK)
		status = open_duplicates(d, kind, err);
	if (status == RT_OK)
		status = rt_reader_open(d->options, kind, &d->reader, err);
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
	rt_ids_free(d->twins);
	rt_worst_free(d->worst);
	rt_hold_release(&d->hold);
	rt_buf_release(&d->text);
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
	(void)rt_error_set(err, RT_E_INPUT, "duplicate id, also at %s; see --duplicates", place);
	rt_reader_blame(d->reader, RT_M_ID, err);
	return RT_REJECT;
}

/* m: a member that differs from that of the first, or RT_M_UNKNOWN. */
static enum rt_status refuse_other(struct rt_dataset *d, const struct rt_record *record,
				   uint64_t first, enum rt_member m, struct rt_error *err)
{
	char place[sizeof(err->message)];

	place_text(d, first, place, sizeof(place));
	(void)rt_error_set(err, RT_E_INPUT, "differs from the %s with this id at %s",
			   record->kind == RT_KIND_ISSUE ? "issue" : "ruleset", place);
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

/* Of an id made of a SARIF result, what equal results have in common: all but their number. */
static struct rt_slice unnumbered(struct rt_slice id)
{
	const size_t len = 3 + 32;

	if (id.len < len || (memcmp(id.ptr, "s1-", 3) != 0 && memcmp(id.ptr, "s2-", 3) != 0) ||
	    (id.len > len && id.ptr[len] != '-'))
		return (struct rt_slice){0};
	return rt_slice_make(id.ptr, len);
}

/* Whether the record, whose digest is known, is a result of SARIF that has been met under another
 * number: RT_END then. */
static enum rt_status find_twin(struct rt_dataset *d, const struct rt_record *record,
				struct rt_error *err)
{
	static const struct rt_id_place nowhere = {0, 1, 1};
	struct rt_slice digest = rt_equal_digest(d->equal), id = unnumbered(record->id);
	enum rt_status status;
	uint64_t first;

	if (!d->twins || !id.ptr)
		return RT_OK;
	d->text.len = 0;
	status = rt_buf_append(&d->text, digest.ptr, digest.len, err);
	if (status == RT_OK)
		status = rt_buf_append(&d->text, id.ptr, id.len, err);
	if (status != RT_OK)
		return status;
	return rt_ids_add(d->twins, rt_ids_hash(d->twins, d->kind, rt_buf_slice(&d->text)), nowhere,
			  &first, err);
}

/*
 * Compare a record with those before it, before it is delivered. Returns RT_OK; RT_END where it is
 * left out; RT_REJECT where it is not what the first one with its id is; RT_FATAL.
 */
static enum rt_status compare(struct rt_dataset *d, const struct rt_record **record,
			      struct rt_error *err)
{
	uint64_t number = d->counts[RT_KIND_ISSUE] + d->counts[RT_KIND_RULESET], first = 0;
	enum rt_status status = rt_equal_take(d->equal, *record, err);
	enum rt_member member;

	if (status == RT_OK)
		status = find_twin(d, *record, err);
	if (status == RT_OK) {
		status = add_id(d, &first, err);
		if (status == RT_END && !rt_equal_check(d->equal, first, &member))
			status = refuse_other(d, *record, first, member, err);
	}
	d->left_out[d->kind] += status == RT_END;
	if (status == RT_OK)
		status = rt_equal_keep(d->equal, err);
	if (status == RT_OK && d->worst && d->kind == RT_KIND_ISSUE)
		status = rt_worst_join(d->worst, number, record, err);
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
		       d->worst ? "a copy of an earlier one" : "equal to an earlier one");
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

	if (!d->ended && d->worst && rt_worst_stamp(d->worst) != rt_reader_stamp(d->reader))
		return rt_error_set(err, RT_E_IO, "a file changed while it was read");
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
		status = compare(d, ret_record, err);
		if (status != RT_END)
			break;
		status = RT_OK;
	}
	return status;
}

const struct rt_record *rt_dataset_record(const struct rt_dataset *d)
{
	return rt_reader_record(d->reader);
}

const struct rt_buf *rt_dataset_logs(const struct rt_dataset *d)
{
	return rt_reader_logs(d->reader);
}

struct rt_sarif *rt_dataset_log(const struct rt_dataset *d)
{
	return rt_reader_log(d->reader);
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
