/*
 * Finds what later copies of an issue have that is worse, and lays it over the first copy's text,
 * so that everything above sees one plain record.
 */
#include "engine/worst.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/edit.h"
#include "engine/finding.h"
#include "engine/ids.h"
#include "engine/issue_state.h"
#include "engine/summary.h"
#include "record/reader.h"

/* A later copy of an issue. */
struct copy {
	uint64_t first;        /* number of the issue's id */
	int64_t end;           /* when its dismissal ends; INT64_MIN: it is open */
	uint32_t severity_len; /* of a severity that is no level; 0: there is none */
	uint32_t level;        /* as struct rt_finding has it */
	uint64_t severity_at;  /* in worst->severities */
};

struct rt_worst {
	const struct rt_options *options;
	struct rt_ids *ids; /* while the copies are looked for */
	uint64_t ids_count;
	struct rt_buf copies; /* of struct copy, by number */
	struct rt_buf severities;
	size_t next; /* the first copy of a later issue */
	uint64_t stamp;
	struct rt_buf scratch;
	struct rt_patches patches;
	struct rt_record_again again;
};

/* When the dismissal of an issue ends; INT64_MIN where it is open. */
static enum rt_status end_of(struct rt_worst *w, const struct rt_record *record,
			     struct rt_finding *finding, int64_t *ret_end, struct rt_error *err)
{
	enum rt_reason reason;

	*finding = rt_finding_of(record, rt_record_notes(record), 0);
	*ret_end = INT64_MIN;
	return finding->open ? RT_OK : rt_finding_end(finding, &w->scratch, ret_end, &reason, err);
}

/* Keep what a later copy says of its severity and dismissal. */
static enum rt_status keep_copy(struct rt_worst *w, const struct rt_record *record, uint64_t first,
				struct rt_error *err)
{
	struct copy copy = {.first = first, .severity_at = w->severities.len};
	struct rt_finding finding;
	enum rt_status status = end_of(w, record, &finding, &copy.end, err);

	copy.level = finding.level;
	if (status == RT_OK && copy.level == RT_LEVEL_OTHER && record->types[RT_M_SEVERITY]) {
		struct rt_slice text = record->values[RT_M_SEVERITY];

		copy.severity_len = (uint32_t)text.len;
		status = rt_buf_append(&w->severities, text.ptr, text.len, err);
	}
	if (w->severities.len > w->options->limits.distinct_bytes)
		return rt_error_set(err, RT_E_LIMIT,
				    "severities of duplicate issues exceed the limit \"distinct\"");
	return status == RT_OK ? rt_buf_append(&w->copies, &copy, sizeof(copy), err) : status;
}

static enum rt_status take(struct rt_worst *w, const struct rt_record *record, struct rt_error *err)
{
	static const struct rt_id_place nowhere = {0, 1, 1};
	uint64_t first;
	enum rt_status status =
	    rt_ids_add(w->ids, rt_ids_hash(w->ids, record->kind, record->id), nowhere, &first, err);

	if (status == RT_END)
		return record->kind == RT_KIND_ISSUE ? keep_copy(w, record, first, err) : RT_OK;
	return status;
}

static int compare_copies(const void *a, const void *b)
{
	const struct copy *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	/* Of equal severities that are no level the first is taken. */
	return (left->severity_at > right->severity_at) - (left->severity_at < right->severity_at);
}

static enum rt_status read_all(struct rt_worst *w, enum rt_kind kind, struct rt_error *err)
{
	struct rt_options options = *w->options;
	struct rt_reader *reader = NULL;
	const struct rt_record *record;
	enum rt_status status;

	options.notice = NULL;
	options.progress = NULL;
	status = rt_reader_open(&options, kind, &reader, err);
	while (status == RT_OK) {
		status = rt_reader_next(reader, &record, err);
		if (status == RT_OK)
			status = take(w, record, err);
		if (status == RT_REJECT)
			status = RT_OK;
	}
	if (status == RT_END) {
		w->stamp = rt_reader_stamp(reader);
		if (w->copies.len)
			qsort(w->copies.data, w->copies.len / sizeof(struct copy),
			      sizeof(struct copy), compare_copies);
	}
	rt_reader_free(reader);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_worst_find(const struct rt_options *options, enum rt_kind kind,
			     const struct rt_siphash_key *key, struct rt_worst **ret_worst,
			     struct rt_error *err)
{
	struct rt_worst *w = calloc(1, sizeof(*w));
	enum rt_status status;

	if (!w)
		return rt_error_nomem(err);
	w->options = options;
	status = rt_record_again_init(&w->again, err);
	if (status == RT_OK)
		status = rt_ids_new(key, &w->ids, err);
	if (status == RT_OK)
		status = read_all(w, kind, err);
	rt_ids_free(w->ids);
	w->ids = NULL;
	if (status != RT_OK) {
		rt_worst_free(w);
		return status;
	}
	*ret_worst = w;
	return RT_OK;
}

void rt_worst_free(struct rt_worst *w)
{
	if (!w)
		return;
	rt_ids_free(w->ids);
	rt_buf_release(&w->copies);
	rt_buf_release(&w->severities);
	rt_buf_release(&w->scratch);
	rt_patches_release(&w->patches);
	rt_record_again_release(&w->again);
	free(w);
}

uint64_t rt_worst_stamp(const struct rt_worst *w)
{
	return w->stamp;
}

/* Whether one severity is worse: one that is no level is the worst. */
static bool is_worse(unsigned level, unsigned than)
{
	if (level == RT_LEVEL_OTHER || than == RT_LEVEL_OTHER)
		return than != RT_LEVEL_OTHER;
	return level < than;
}

/* The JSON text of a copy's severity. */
static struct rt_slice severity_text(const struct rt_worst *w, const struct copy *copy,
				     char quoted[RT_STATE_TEXT])
{
	if (copy->level != RT_LEVEL_OTHER)
		return rt_state_quote(rt_severity_level(copy->level), quoted);
	return copy->severity_len
		   ? rt_slice_make(w->severities.data + copy->severity_at, copy->severity_len)
		   : RT_SLICE("null");
}

/* Make a record of the first copy with edits. */
static enum rt_status edit(struct rt_worst *w, const struct rt_record **record,
			   const struct rt_edit *edits, size_t count, struct rt_error *err)
{
	const struct rt_record *first = *record;
	enum rt_status status;

	rt_patches_release(&w->patches);
	status = rt_edit_record(first, edits, count, 0, 0, &w->patches, err);
	if (status == RT_OK)
		status = rt_edit_apply(first->text, &w->patches, 0, &w->again.text, err);
	if (status == RT_OK)
		status = rt_record_again_read(&w->again, RT_KIND_ISSUE, err);
	if (status == RT_REJECT)
		return rt_error_set(err, RT_E_INPUT, "copies of this issue cannot be joined");
	w->again.record.line = first->line;
	w->again.record.column = first->column;
	w->again.record.offset = first->offset;
	w->again.record.class = first->class;
	*record = &w->again.record;
	return status;
}

enum rt_status rt_worst_join(struct rt_worst *w, uint64_t number, const struct rt_record **record,
			     struct rt_error *err)
{
	const struct copy *copies = (const void *)w->copies.data, *worst = NULL;
	size_t count = w->copies.len / sizeof(*copies), edit_count = 0;
	char quoted[RT_STATE_TEXT];
	struct rt_finding finding;
	struct rt_edit edits[2];
	enum rt_status status;
	bool reopened = false;
	unsigned level;
	int64_t end;

	while (w->next < count && copies[w->next].first < number)
		w->next++;
	if (w->next == count || copies[w->next].first > number)
		return RT_OK;
	status = end_of(w, *record, &finding, &end, err);
	if (status != RT_OK)
		return status;
	level = finding.level;
	for (; w->next < count && copies[w->next].first == number; w->next++) {
		const struct copy *copy = &copies[w->next];

		reopened |= !finding.open && copy->end < end;
		if (is_worse(copy->level, level)) {
			worst = copy;
			level = copy->level;
		}
	}
	if (worst)
		edits[edit_count++] = (struct rt_edit){RT_EDIT_SET, rt_member_name(RT_M_SEVERITY),
						       severity_text(w, worst, quoted)};
	if (reopened)
		edits[edit_count++] = (struct rt_edit){
		    RT_EDIT_SET, rt_member_name(RT_M_FALSE_POSITIVE), RT_SLICE("false")};
	return edit_count ? edit(w, record, edits, edit_count, err) : RT_OK;
}
