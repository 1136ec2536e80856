/*
 * Reads a data set and finds ids that come twice. An error about one names both places.
 */
#include "engine/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/siphash.h"
#include "engine/edit.h"
#include "engine/finding.h"
#include "engine/ids.h"
#include "engine/issue_state.h"
#include "engine/summary.h"
#include "files/files.h"
#include "formats/check.h"
#include "formats/reader.h"
#include "scan/record.h"

/* --- The worst of several -------------------------------------------------------------------- */

/* What the later copies of an issue say together. */
struct copies {
	int64_t end;           /* when the first dismissal ends; INT64_MIN: one is open */
	uint32_t level;        /* the worst, as struct rt_finding has it */
	uint32_t severity_len; /* of the first worst, where it is no level; 0: there is none */
	uint64_t severity_at;  /* in worst->severities */
};

struct worst {
	struct rt_map numbers; /* by id, and by place (see put_twin()): 1 and more, in issues */
	struct rt_buf issues;  /* of uint32_t: 0: it has no copies; else 1 and more, in copies */
	struct rt_buf copies;  /* of struct copies */
	struct rt_buf severities;
	uint64_t stamp;
	struct rt_buf scratch;
	struct rt_patches patches;
	struct rt_record_again again;
};

/* When the dismissal of an issue ends; INT64_MIN where it is open. */
static enum rt_status end_of(struct worst *w, const struct rt_record *record,
			     struct rt_finding *finding, int64_t *ret_end, struct rt_error *err)
{
	struct rt_put room = {&w->scratch, err, RT_OK};
	enum rt_reason reason;

	*finding = rt_finding_of(record, rt_record_notes(record), 0);
	*ret_end = finding->open ? INT64_MIN : rt_finding_end(finding, &room, &reason);
	return room.status;
}

/* Whether one severity is worse: one that is no level is the worst. */
static bool is_worse(unsigned level, unsigned than)
{
	if (level == RT_LEVEL_OTHER || than == RT_LEVEL_OTHER)
		return than != RT_LEVEL_OTHER;
	return level < than;
}

/* Keep what a later copy says of its severity and dismissal. number: of its issue, in w->issues.
 * max: bytes of all severities. */
static enum rt_status keep_copy(struct worst *w, const struct rt_record *record, uint32_t *number,
				uint64_t max, struct rt_error *err)
{
	struct copies copy = {.severity_at = w->severities.len}, *all;
	size_t count = w->copies.len / sizeof(copy);
	struct rt_finding finding;
	enum rt_status status = end_of(w, record, &finding, &copy.end, err);

	copy.level = finding.level;
	if (status == RT_OK && copy.level == RT_LEVEL_OTHER && record->types[RT_M_SEVERITY]) {
		struct rt_slice text = record->values[RT_M_SEVERITY];

		copy.severity_len = (uint32_t)text.len;
		status = rt_buf_append(&w->severities, text.ptr, text.len, err);
	}
	if (w->severities.len > max)
		return rt_error_set(err, RT_E_LIMIT,
				    "severities of duplicate issues exceed --limit distinct");
	if (status != RT_OK)
		return status;
	if (!*number) {
		*number = (uint32_t)count + 1;
		return rt_buf_append(&w->copies, &copy, sizeof(copy), err);
	}
	all = (struct copies *)(void *)w->copies.data + *number - 1;
	if (is_worse(copy.level, all->level)) {
		copy.end = copy.end < all->end ? copy.end : all->end;
		*all = copy;
	} else if (copy.end < all->end) {
		all->end = copy.end;
	}
	return RT_OK;
}

static void worst_release(struct worst *w)
{
	rt_map_release(&w->numbers);
	rt_buf_release(&w->issues);
	rt_buf_release(&w->copies);
	rt_buf_release(&w->severities);
	rt_buf_release(&w->scratch);
	rt_patches_release(&w->patches);
	rt_record_again_release(&w->again);
}

/* The JSON text of the worst severity. */
static struct rt_slice severity_text(const struct worst *w, const struct copies *copy,
				     char quoted[RT_STATE_TEXT])
{
	if (copy->level != RT_LEVEL_OTHER)
		return rt_state_quote(rt_severity_level(copy->level), quoted);
	return copy->severity_len
		   ? rt_slice_make(w->severities.data + copy->severity_at, copy->severity_len)
		   : RT_SLICE("null");
}

/* Make a record of the first copy with edits. */
static enum rt_status edit(struct worst *w, const struct rt_record **record,
			   const struct rt_edit *edits, size_t count, struct rt_error *err)
{
	const struct rt_record *first = *record;
	struct rt_fault fault = {RT_OK, err};

	RT_STEP(&fault, rt_edit_text(first->text, edits, count, &w->patches, &w->again.text, err));
	RT_STEP(&fault, rt_record_again_read(&w->again, RT_KIND_ISSUE, err));
	if (fault.status == RT_REJECT)
		return rt_error_set(err, RT_E_INPUT, "copies of this issue cannot be joined");
	w->again.record.line = first->line;
	w->again.record.column = first->column;
	w->again.record.offset = first->offset;
	w->again.record.class = first->class;
	w->again.record.title_of = first->title_of;
	*record = &w->again.record;
	return fault.status;
}

/*
 * Join an issue with its copies. id: the hash of its id. record: the first copy; becomes another
 * one where a copy is worse, borrowed until the next call. Returns RT_OK or RT_FATAL.
 */
static enum rt_status worst_join(struct worst *w, struct rt_hash128 id,
				 const struct rt_record **record, struct rt_error *err)
{
	uint32_t issue = rt_map_get(&w->numbers, id), number = 0;
	const struct copies *copies;
	char quoted[RT_STATE_TEXT];
	struct rt_finding finding;
	struct rt_edit edits[2];
	size_t count = 0;
	enum rt_status status;
	int64_t end;

	if (issue)
		memcpy(&number, w->issues.data + (issue - 1) * sizeof(number), sizeof(number));
	if (!number)
		return RT_OK;
	copies = (const struct copies *)(const void *)w->copies.data + number - 1;
	status = end_of(w, *record, &finding, &end, err);
	if (status != RT_OK)
		return status;
	if (is_worse(copies->level, finding.level))
		edits[count++] = (struct rt_edit){RT_EDIT_SET, rt_member_name(RT_M_SEVERITY),
						  severity_text(w, copies, quoted)};
	if (!finding.open && copies->end < end)
		edits[count++] = (struct rt_edit){RT_EDIT_SET, rt_member_name(RT_M_FALSE_POSITIVE),
						  RT_SLICE("false")};
	return count ? edit(w, record, edits, count, err) : RT_OK;
}

/* --- Equal records --------------------------------------------------------------------------- */

/* Of SHA-256: beyond all data sets for those who do not know the key. */
#define DIGEST_BYTES 16u

struct equal {
	bool in_part; /* of an issue only tool, rule and path are compared */
	struct rt_sha256 sha256;
	uint8_t now[RT_SHA256_BYTES]; /* digest of the current record */
	enum rt_kind kind;
	struct rt_buf digests; /* of those before it: DIGEST_BYTES each */
	struct rt_buf text;    /* the current record in its one spelling */
	struct rt_buf scratch;
};

/* A string as a quote, its length and its characters. */
static void spell_text(struct rt_put *put, struct rt_slice text)
{
	uint64_t len = text.len;

	RT_PUT(put, "\"");
	rt_put(put, rt_slice_make((const char *)&len, sizeof(len)));
	rt_put(put, text);
}

/* A member's value, each string in its one spelling. */
static void spell_member(struct equal *equal, struct rt_put *put, const struct rt_record *record,
			 enum rt_member m)
{
	const struct rt_finding finding = {.record = record};
	struct rt_put room = {&equal->scratch, put->err, put->status};
	struct rt_slice list = rt_finding_strings(&finding, m), text;

	if (list.ptr)
		RT_PUT(put, "[");
	while (rt_strings_step(&list, &room, &text))
		spell_text(put, text);
	if (!rt_record_has(record, m))
		rt_put(put, m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null"));
	else if (record->types[m] & RT_TYPE_STRING)
		spell_text(put, rt_finding_string(&finding, m, &room));
	else if (!(record->types[m] & RT_TYPE_STRINGS))
		rt_put(put, record->values[m]);
	/* No value has a line break, so that none can run into the next. */
	RT_PUT(put, "\n");
	if (room.status != RT_OK)
		put->status = room.status;
}

/* Whether a member is compared; the id is the same wherever two records are. */
static bool is_compared(const struct equal *equal, enum rt_member m)
{
	if (equal->in_part && equal->kind == RT_KIND_ISSUE)
		return m == RT_M_MODEL_USED || m == RT_M_CATEGORY || m == RT_M_FILE_PATH;
	return m != RT_M_ID;
}

/* An end and a reason, which no member has: two of which one lasts longer are not equal. */
static void spell_dismissal(struct equal *equal, struct rt_put *put, const struct rt_record *record)
{
	struct rt_finding finding = rt_finding_of(record, rt_record_notes(record), 0);
	struct rt_put room = {&equal->scratch, put->err, put->status};
	enum rt_reason reason;
	int64_t end;

	if (finding.open)
		return;
	end = rt_finding_end(&finding, &room, &reason);
	rt_put(put, rt_slice_make((const char *)&end, sizeof(end)));
	rt_put(put, rt_slice_make((const char *)&reason, sizeof(reason)));
	if (room.status != RT_OK)
		put->status = room.status;
}

/* Digest a checked record; it is the current one then. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status equal_take(struct equal *equal, const struct rt_siphash_key *key,
				 const struct rt_record *record, struct rt_error *err)
{
	struct rt_put put = {&equal->text, err, RT_OK};
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(record->kind, &count);

	equal->kind = record->kind;
	equal->text.len = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_compared(equal, rules[i].member))
			spell_member(equal, &put, record, rules[i].member);
	}
	if (record->kind == RT_KIND_ISSUE && !equal->in_part)
		spell_dismissal(equal, &put, record);
	if (put.status != RT_OK)
		return put.status;
	rt_sha256_reset(&equal->sha256);
	rt_sha256_add(&equal->sha256, key, sizeof(*key));
	rt_sha256_add(&equal->sha256, equal->text.data, equal->text.len);
	rt_sha256_end(&equal->sha256, equal->now);
	return RT_OK;
}

/* Whether the current one is equal to a kept one of the same kind. */
static bool equal_check(const struct equal *equal, uint64_t number)
{
	return memcmp(equal->digests.data + number * DIGEST_BYTES, equal->now, DIGEST_BYTES) == 0;
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

/*
 * Put into text what the current record, a result of SARIF, has in common with its twins, which are
 * it under another number: what is compared, the id without its number, and the place. Empty: it is
 * none, and has no twins. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
static enum rt_status put_twin(const struct equal *equal, const struct rt_record *record,
			       struct rt_buf *text, struct rt_error *err)
{
	static const enum rt_member place[] = {RT_M_LINE_NUMBER, RT_M_COLUMN_START,
					       RT_M_COLUMN_END};
	struct rt_slice id = unnumbered(record->id);
	struct rt_put put = {text, err, RT_OK};

	text->len = 0;
	if (equal->kind != RT_KIND_ISSUE || !id.ptr)
		return RT_OK;
	rt_put(&put, rt_slice_make((const char *)equal->now, DIGEST_BYTES));
	rt_put(&put, id);
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		RT_PUT(&put, " ");
		if (rt_record_has(record, place[i]))
			rt_put(&put, record->values[place[i]]);
	}
	return put.status;
}

/* --- The copies of each issue ------------------------------------------------------------------
 */

/* Find the issue of a record, by its place and then by its id, or make it one. *ret_number: in
 * w->issues. Returns RT_OK; RT_END: it is there already, and this is a copy; RT_FATAL. */
static enum rt_status find_issue(struct worst *w, const struct rt_siphash_key *key,
				 const struct rt_record *record, struct rt_slice twin,
				 uint32_t *ret_number, struct rt_error *err)
{
	struct rt_hash128 id = rt_siphash_id(key, record->kind, record->id), place = {0};
	uint32_t issue = 0, *number, none = 0;
	bool is_new;

	if (twin.len) {
		place = rt_siphash(key, twin);
		issue = rt_map_get(&w->numbers, place);
	}
	if (!issue)
		issue = rt_map_get(&w->numbers, id);
	is_new = !issue;
	if (is_new) {
		if (rt_buf_append(&w->issues, &none, sizeof(none), err) != RT_OK)
			return RT_FATAL;
		issue = (uint32_t)(w->issues.len / sizeof(none));
		number = rt_map_put(&w->numbers, id, err);
		if (!number)
			return RT_FATAL;
		*number = issue;
	}
	if (twin.len) {
		number = rt_map_put(&w->numbers, place, err);
		if (!number)
			return RT_FATAL;
		*number = issue;
	}
	*ret_number = issue - 1;
	return is_new ? RT_OK : RT_END;
}

/* Read all records. equal, text: as they are used by the next reader. */
static enum rt_status find_copies(struct worst *w, struct rt_reader *reader,
				  const struct rt_siphash_key *key, struct equal *equal,
				  struct rt_buf *text, uint64_t max, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint64_t issues = 0;

	while (status == RT_OK || status == RT_REJECT) {
		const struct rt_record *record;
		struct rt_fault fault = {RT_OK, err};
		uint32_t number = 0;

		status = rt_reader_next(reader, &record, err);
		if (status != RT_OK || record->kind != RT_KIND_ISSUE)
			continue;
		if (++issues == UINT32_MAX)
			return rt_error_set(err, RT_E_LIMIT,
					    "there are more than 2^32 - 1 records");
		RT_STEP(&fault, equal_take(equal, key, record, err));
		RT_STEP(&fault, put_twin(equal, record, text, err));
		status =
		    RT_STEP(&fault, find_issue(w, key, record, rt_buf_slice(text), &number, err));
		if (status == RT_END)
			status = keep_copy(w, record, (uint32_t *)(void *)w->issues.data + number,
					   max, err);
	}
	return status == RT_END ? RT_OK : status;
}

/*
 * Read a whole data set for its copies. options: as for rt_reader_open(), with files that can be
 * read again. Faults are left to the next reader. Returns RT_OK or RT_FATAL.
 */
static enum rt_status worst_find(struct worst *w, const struct rt_options *options,
				 enum rt_kind kind, const struct rt_siphash_key *key,
				 struct equal *equal, struct rt_buf *text, struct rt_error *err)
{
	struct rt_options quiet = *options;
	struct rt_reader *reader = NULL;
	struct rt_fault fault = {rt_record_again_init(&w->again, err), err};

	quiet.notice = NULL;
	quiet.progress = NULL;
	RT_STEP(&fault, rt_reader_open(&quiet, kind, &reader, err));
	if (RT_STEP(&fault, find_copies(w, reader, key, equal, text, options->limits.distinct_bytes,
					err)) == RT_OK)
		w->stamp = rt_parts_stamp(reader->view.parts);
	rt_reader_free(reader);
	return fault.status;
}

/* --- Dataset --------------------------------------------------------------------------------- */

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
	uint64_t counts[3];   /* by enum rt_kind */
	struct equal equal;   /* unless a second record with an id is refused */
	struct rt_ids *twins; /* of equal results of logs: put_twin() */
	struct rt_hold hold;  /* for `worst`, which reads twice */
	struct worst worst;
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
	status = rt_ids_new(&d->key, &d->twins, err);
	if (status != RT_OK || !worst)
		return status;
	d->equal.in_part = true;
	status = rt_hold_init(&d->hold, d->options, err);
	d->options = &d->hold.options;
	return status == RT_OK
		   ? worst_find(&d->worst, d->options, kind, &d->key, &d->equal, &d->text, err)
		   : status;
}

enum rt_status rt_dataset_open(const struct rt_options *options, enum rt_kind kind,
			       struct rt_dataset **ret_dataset, struct rt_error *err)
{
	struct rt_dataset *d = calloc(1, sizeof(*d));
	struct rt_fault fault = {RT_OK, err};

	if (!d)
		return rt_error_nomem(err);
	d->options = options;
	d->hold.fd = -1;
	RT_STEP(&fault, rt_siphash_key_init(&d->key, err));
	RT_STEP(&fault, rt_ids_new(&d->key, &d->ids, err));
	RT_STEP(&fault, open_duplicates(d, kind, err));
	if (RT_STEP(&fault, rt_reader_open(d->options, kind, &d->reader, err)) != RT_OK) {
		rt_dataset_free(d);
		return fault.status;
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
	rt_buf_release(&d->equal.digests);
	rt_buf_release(&d->equal.text);
	rt_buf_release(&d->equal.scratch);
	rt_ids_free(d->twins);
	worst_release(&d->worst);
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
	const char *member = origin->member ? origin->member : "";
	size_t at = d->names.len;
	enum rt_status status = RT_OK;

	if (d->name_at.len / sizeof(at) > origin->part)
		return RT_OK;
	status = RT_BUF_PUT(&d->names, err, rt_slice_make(origin->path, strlen(origin->path)),
			    origin->member ? RT_SLICE("[") : RT_SLICE(""),
			    rt_slice_make(member, strlen(member)),
			    origin->member ? RT_SLICE("]") : RT_SLICE(""), rt_slice_make("", 1));
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

/* The record has an id that stood before; differs: and is not what that one is. */
static enum rt_status refuse(struct rt_dataset *d, uint64_t first, bool differs,
			     struct rt_error *err)
{
	bool is_issue = d->kind == RT_KIND_ISSUE;
	char place[sizeof(err->message)];

	place_text(d, first, place, sizeof(place));
	if (differs)
		(void)rt_error_set(err, RT_E_INPUT, "differs%s from the %s with this id at %s",
				   is_issue && d->equal.in_part ? " in tool, rule or path" : "",
				   is_issue ? "issue" : "ruleset", place);
	else
		(void)rt_error_set(err, RT_E_INPUT,
				   RT_DUPLICATE_ID ", also at %s; see --duplicates", place);
	rt_reader_blame(d->reader, differs ? RT_M_UNKNOWN : RT_M_ID, err);
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
 * it needs comes while the record is being worked on; the reader is still at the record.
 */
static enum rt_status settle(struct rt_dataset *d, struct rt_error *err)
{
	uint64_t first = 0;
	enum rt_status status;

	d->pending = false;
	status = add_id(d, &first, err);
	return status == RT_END ? refuse(d, first, false, err) : status;
}

/* Whether the record, whose digest is known, is a result of SARIF that has been met under another
 * number: RT_END then. */
static enum rt_status find_twin(struct rt_dataset *d, const struct rt_record *record,
				struct rt_error *err)
{
	static const struct rt_id_place nowhere = {0, 1, 1};
	enum rt_status status = put_twin(&d->equal, record, &d->text, err);
	uint64_t first;

	if (status != RT_OK || !d->text.len)
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
	uint64_t first = 0;
	enum rt_status status = equal_take(&d->equal, &d->key, *record, err);

	if (status == RT_OK)
		status = find_twin(d, *record, err);
	if (status == RT_OK) {
		status = add_id(d, &first, err);
		if (status == RT_END && !equal_check(&d->equal, first))
			status = refuse(d, first, true, err);
	}
	d->left_out[d->kind] += status == RT_END;
	if (status == RT_OK)
		status = rt_buf_append(&d->equal.digests, d->equal.now, DIGEST_BYTES, err);
	if (status == RT_OK && d->equal.in_part && d->kind == RT_KIND_ISSUE)
		status = worst_join(&d->worst, d->hash, record, err);
	return status;
}

/* Say how many records were left out. */
static void tell_left_out(const struct rt_dataset *d)
{
	const struct rt_options *options = d->options;
	uint64_t issues = d->left_out[RT_KIND_ISSUE], rulesets = d->left_out[RT_KIND_RULESET];
	char parts[2][40] = {"", ""};

	if (issues == 0 && rulesets == 0)
		return;
	if (issues)
		(void)snprintf(parts[0], sizeof(parts[0]), "%" PRIu64 " issue%s", issues,
			       issues == 1 ? "" : "s");
	if (rulesets)
		(void)snprintf(parts[1], sizeof(parts[1]), "%" PRIu64 " ruleset%s", rulesets,
			       rulesets == 1 ? "" : "s");
	rt_notice(options, "left out: %s%s%s, each %s", parts[0], issues && rulesets ? " and " : "",
		  parts[1],
		  d->equal.in_part ? "a copy of an earlier one" : "equal to an earlier one");
}

/* What a person may want to know of the parts (SARIF.md S46). */
static void tell_warnings(const struct rt_faults *warnings, const struct rt_options *options)
{
	char line[RT_ERROR_LINE_MAX];
	struct rt_error warning;
	size_t at = 0;

	while (options->notice && rt_faults_next(warnings, &at, &warning)) {
		(void)rt_error_format(&warning, line, sizeof(line));
		rt_notice(options, "note: %s", line);
	}
	if (warnings->count > warnings->listed)
		rt_notice(options, "note: and %" PRIu64 " more",
			  warnings->count - warnings->listed);
}

/* All has been read: say what there is to say about the whole. Returns RT_END or a fault. */
static enum rt_status finish(struct rt_dataset *d, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!d->ended && d->equal.in_part &&
	    d->worst.stamp != rt_parts_stamp(d->reader->view.parts))
		return rt_error_set(err, RT_E_IO, "a file changed while it was read");
	if (!d->ended) {
		tell_warnings(&d->reader->view.warnings, d->options);
		tell_left_out(d);
		status =
		    rt_unread_tell(rt_parts_unread(d->reader->view.parts), d->options, "", err);
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

struct rt_reader *rt_dataset_reader(const struct rt_dataset *d)
{
	return d->reader;
}

uint64_t rt_dataset_count(const struct rt_dataset *d, enum rt_kind kind)
{
	return d->counts[kind];
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
