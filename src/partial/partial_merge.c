/*
 * Adds up partial summaries. Input: documents of any origin. Output: one summary.
 * Refuses counts that do not fit together, recent issues that are none of the document's, other
 * options than those of the first document, and an id that stands twice.
 */
#include "partial/partial_merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/spool.h"
#include "partial/id_sort.h"
#include "partial/partial_read.h"

/* Texts that are kept of an input, each with a NUL; its document only with the first of it. */
enum { TEXT_PATH, TEXT_MEMBER, TEXT_DOCUMENT, TEXTS };

/* Bytes of each that a message can show, NUL included. */
#define TEXT_MAX 1024u

struct rt_partial_merge {
	const struct rt_options *options;
	struct rt_partial_reader *reader;
	struct rt_summary summary;
	bool has_summary;
	struct rt_buf first; /* options of the first document */
	uint64_t inputs;     /* of all documents before the one at hand */
	struct rt_spool names;
	struct rt_sink into_names;
	struct rt_id_sort *ids;
	struct rt_sha256 *hash;
	/* Of the document at hand. */
	struct rt_partial_head head;
	uint8_t (*recent)[RT_PARTIAL_DIGEST]; /* digests of its recent issues, sorted */
	size_t recent_count, recent_met;
};

/* message: want X, have Y. */
static enum rt_status refuse(const struct rt_partial_merge *m, const char *field,
			     const char *message, struct rt_error *err)
{
	return rt_partial_reader_refuse(m->reader, field, err, "%s", message);
}

/* --- The lines of a document ------------------------------------------------------------------ */

static enum rt_status begin_summary(struct rt_partial_merge *m, struct rt_error *err)
{
	struct rt_siphash_key key;
	enum rt_status status = rt_siphash_key_init(&key, err);

	if (status == RT_OK)
		status = rt_buf_append(&m->first, m->head.options.ptr, m->head.options.len, err);
	if (status != RT_OK)
		return status;
	m->recent = calloc(m->head.recent ? m->head.recent : 1, sizeof(*m->recent));
	if (!m->recent)
		return rt_error_nomem(err);
	m->has_summary = true;
	return rt_summary_init(&m->summary, m->head.recent, &m->options->limits, &key, err);
}

/* What the head says by itself. */
static enum rt_status check_head(struct rt_partial_merge *m, struct rt_error *err)
{
	const struct rt_partial_head *head = &m->head;
	uint64_t most = head->issues < head->recent ? head->issues : head->recent;

	if (!rt_slice_equal(head->options, rt_buf_slice(&m->first)))
		return rt_partial_reader_refuse(
		    m->reader, "options", err,
		    "want those of the first partial summary, %.*s, have %.*s",
		    (int)(m->first.len < 300 ? m->first.len : 300), m->first.data,
		    (int)(head->options.len < 300 ? head->options.len : 300), head->options.ptr);
	if (head->recent_issues != most)
		return refuse(
		    m, "recent_issues",
		    "want as many as there are issues, up to options.recent, have another number",
		    err);
	if (head->severities < RT_SEVERITY_LEVELS)
		return refuse(m, "severities", "want at least the five levels, have fewer", err);
	if (head->false_positives > head->issues)
		return refuse(m, "false_positives", "want no more than issues, have more", err);
	if (head->inputs > UINT32_MAX - m->inputs)
		return refuse(m, "inputs", "want fewer than 2^32 in all, have more", err);
	return RT_OK;
}

/* Keep a text of an input, for a message. */
static enum rt_status keep_text(struct rt_partial_merge *m, struct rt_slice text,
				struct rt_error *err)
{
	char kept[TEXT_MAX] = "";

	if (text.ptr)
		rt_error_text(kept, sizeof(kept), text);
	return m->into_names.write(m->into_names.ctx, kept, strlen(kept) + 1, err);
}

static enum rt_status add_inputs(struct rt_partial_merge *m, struct rt_error *err)
{
	const char *document = rt_partial_reader_name(m->reader);
	struct rt_slice path = {0}, member = {0};
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < m->head.inputs; i++) {
		status = rt_partial_reader_input(m->reader, &path, &member, err);
		if (status == RT_OK)
			status = keep_text(m, path, err);
		if (status == RT_OK)
			status = keep_text(m, member, err);
		if (status == RT_OK)
			status =
			    keep_text(m, rt_slice_make(document, i ? 0 : strlen(document)), err);
	}
	return status;
}

/* Pass notes on, each with the document that it is of. */
static enum rt_status tell_notes(struct rt_partial_merge *m, struct rt_error *err)
{
	const struct rt_options *options = m->options;
	char line[TEXT_MAX + 2 + RT_ERROR_LINE_MAX], text[RT_ERROR_LINE_MAX];
	struct rt_slice note = {0};
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < m->head.notes; i++) {
		status = rt_partial_reader_note(m->reader, &note, err);
		if (status != RT_OK || !options->notice)
			continue;
		rt_error_text(text, sizeof(text), note);
		(void)snprintf(line, sizeof(line), "%.*s: %s", (int)TEXT_MAX - 1,
			       rt_partial_reader_name(m->reader), text);
		options->notice(options->notice_ctx, line);
	}
	return status;
}

/* Values that are counted, in the order of the document. */
struct sums {
	uint64_t count, open;
	uint64_t unknown;   /* the count of this text */
	struct rt_buf last; /* the text before, which is less */
	bool any;
};

/* Whether a value may stand here; then it is in the sums. */
static enum rt_status check_value(struct rt_partial_merge *m, struct sums *sums,
				  const struct rt_count *value, bool may_be_none,
				  struct rt_error *err)
{
	if (value->open > value->count || (!value->count && !may_be_none))
		return refuse(m, "count", "want at least one, and those that are open, have fewer",
			      err);
	if (__builtin_add_overflow(sums->count, value->count, &sums->count) ||
	    sums->count > m->head.issues)
		return refuse(m, "count", "want counts that add up to the issues, have more", err);
	sums->open += value->open;
	return RT_OK;
}

static enum rt_status check_order(struct rt_partial_merge *m, struct sums *sums,
				  const struct rt_count *value, struct rt_error *err)
{
	if (sums->any && rt_slice_compare(rt_buf_slice(&sums->last), value->text) >= 0)
		return refuse(m, "value", "want values in byte order, have one out of it", err);
	sums->any = true;
	sums->last.len = 0;
	return rt_buf_append(&sums->last, value->text.ptr, value->text.len, err);
}

/* All values have been read. */
static enum rt_status check_sums(struct rt_partial_merge *m, struct sums *sums,
				 struct rt_error *err)
{
	rt_buf_release(&sums->last);
	if (sums->count == m->head.issues && sums->open == m->head.issues - m->head.false_positives)
		return RT_OK;
	return refuse(m, "count",
		      "want counts that add up to the issues and the open ones, have another sum",
		      err);
}

static enum rt_status add_level(struct rt_partial_merge *m, struct sums *sums, size_t level,
				struct rt_error *err)
{
	struct rt_count value = {0};
	enum rt_status status = rt_partial_reader_value(m->reader, &value, err);

	if (status == RT_OK && !rt_slice_equal(value.text, rt_severity_level(level)))
		status = refuse(m, "value",
				"want the five levels in their order, have another value", err);
	if (status == RT_OK)
		status = check_value(m, sums, &value, true, err);
	if (status != RT_OK)
		return status;
	m->summary.levels[level] += value.count;
	m->summary.open_levels[level] += value.open;
	return RT_OK;
}

static bool is_level(struct rt_slice text)
{
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++) {
		if (rt_slice_equal(text, rt_severity_level(level)))
			return true;
	}
	return false;
}

/* The next `count` lines, into a map. */
static enum rt_status add_values(struct rt_partial_merge *m, struct sums *sums, uint64_t count,
				 struct rt_counts *counts, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_count value = {0};

		status = rt_partial_reader_value(m->reader, &value, err);
		if (status == RT_OK && counts == &m->summary.severities && is_level(value.text))
			status = refuse(m, "value",
					"want a severity that is no level, have a level", err);
		if (status == RT_OK && rt_slice_equal(value.text, RT_SLICE("unknown")))
			sums->unknown = value.count;
		if (status == RT_OK)
			status = check_order(m, sums, &value, err);
		if (status == RT_OK)
			status = check_value(m, sums, &value, false, err);
		if (status == RT_OK)
			status = rt_counts_put(counts, value.text, value.count, value.open, err);
	}
	return status;
}

static enum rt_status add_severities(struct rt_partial_merge *m, struct rt_error *err)
{
	struct sums sums = {0};
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < RT_SEVERITY_LEVELS; i++)
		status = add_level(m, &sums, i, err);
	if (status == RT_OK)
		status = add_values(m, &sums, m->head.severities - RT_SEVERITY_LEVELS,
				    &m->summary.severities, err);
	if (status == RT_OK && m->head.no_severity > sums.unknown)
		status = refuse(m, "no_severity", "want no more than are unknown, have more", err);
	if (status == RT_OK)
		status = check_sums(m, &sums, err);
	rt_buf_release(&sums.last);
	return status;
}

static enum rt_status add_categories(struct rt_partial_merge *m, struct rt_error *err)
{
	struct sums sums = {0};
	enum rt_status status =
	    add_values(m, &sums, m->head.categories, &m->summary.categories, err);

	if (status == RT_OK)
		status = check_sums(m, &sums, err);
	rt_buf_release(&sums.last);
	return status;
}

static int compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, RT_PARTIAL_DIGEST);
}

/* The recent issues are issues of the document, as its ids will show. */
static enum rt_status add_recent(struct rt_partial_merge *m, struct rt_error *err)
{
	const struct rt_record *issue;
	enum rt_status status = RT_OK;

	m->recent_count = m->recent_met = 0;
	while (status == RT_OK && m->recent_count < m->head.recent_issues) {
		status = rt_partial_reader_issue(m->reader, &issue, err);
		if (status != RT_OK)
			break;
		rt_partial_digest(m->hash, RT_KIND_ISSUE, issue->id, m->recent[m->recent_count++]);
		status = rt_recent_add(&m->summary.recent, issue, false, err);
	}
	if (m->recent_count)
		qsort(m->recent, m->recent_count, RT_PARTIAL_DIGEST, compare_digests);
	return status;
}

/* --- Its ids ---------------------------------------------------------------------------------- */

/* Both lists are in order, and no id stands twice. */
static void meet_recent(struct rt_partial_merge *m, const struct rt_partial_id *id)
{
	if (m->recent_met < m->recent_count &&
	    memcmp(m->recent[m->recent_met], id->digest, RT_PARTIAL_DIGEST) == 0)
		m->recent_met++;
}

static enum rt_status add_ids(struct rt_partial_merge *m, struct rt_error *err)
{
	const struct rt_partial_head *head = &m->head;
	uint64_t issues = 0, count;
	enum rt_status status = RT_OK;

	if (__builtin_add_overflow(head->issues, head->rulesets, &count))
		return refuse(m, "rulesets", "want fewer, have more than there can be", err);
	for (uint64_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_partial_id id;

		status = rt_partial_reader_id(m->reader, &id, err);
		if (status == RT_OK && id.input >= head->inputs)
			status = refuse(
			    m, "", "want ids from the inputs that are named, have one from another",
			    err);
		if (status != RT_OK)
			break;
		issues += id.kind == RT_KIND_ISSUE;
		meet_recent(m, &id);
		id.input += (uint32_t)m->inputs;
		status = rt_id_sort_add(m->ids, &id, err);
	}
	if (status == RT_OK && issues != head->issues)
		status =
		    refuse(m, "issues",
			   "want as many as there are ids of issues, have another number", err);
	if (status == RT_OK && m->recent_met != m->recent_count)
		status = refuse(
		    m, "", "want recent issues whose ids are there, each once, have others", err);
	return status;
}

/* --- Ids of all documents --------------------------------------------------------------------- */

/* Finds the texts of one input among those of all. */
struct finder {
	uint64_t left; /* inputs up to the one that is wanted */
	size_t index, len;
	char texts[TEXTS][TEXT_MAX];
};

static enum rt_status find_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct finder *f = ctx;
	const char *bytes = data;

	(void)err;
	for (size_t i = 0; i < len && f->left; i++) {
		/* Nothing there: the document of the input before. */
		if (bytes[i] || f->len || f->index != TEXT_DOCUMENT)
			f->texts[f->index][f->len++] = bytes[i];
		if (bytes[i])
			continue;
		f->len = 0;
		f->index = (f->index + 1) % TEXTS;
		f->left -= f->index == 0;
	}
	return RT_OK;
}

static enum rt_status find_texts(struct rt_partial_merge *m, const struct rt_partial_id *id,
				 struct finder *f, struct rt_error *err)
{
	struct rt_sink sink = {find_write, f};

	f->left = (uint64_t)id->input + 1;
	return rt_spool_copy(&m->names, &sink, err);
}

/* An id stands twice: name both inputs. */
static enum rt_status refuse_second(struct rt_partial_merge *m, const struct rt_partial_id *first,
				    const struct rt_partial_id *second, struct rt_error *err)
{
	struct finder at_first = {.len = 0}, at_second = at_first;
	enum rt_status status = find_texts(m, first, &at_first, err);
	const char *member = at_first.texts[TEXT_MEMBER];

	if (status == RT_OK)
		status = find_texts(m, second, &at_second, err);
	if (status != RT_OK)
		return status;
	(void)rt_error_set(
	    err, RT_E_INPUT,
	    "duplicate id, also at %.400s%s%.200s%s:%" PRIu64 ":%" PRIu64 " (in %.150s and %.150s)",
	    at_first.texts[TEXT_PATH], *member ? "[" : "", member, *member ? "]" : "", first->line,
	    first->column, at_second.texts[TEXT_DOCUMENT], at_first.texts[TEXT_DOCUMENT]);
	err->line = second->line;
	err->column = second->column;
	(void)snprintf(err->record, sizeof(err->record), "%s",
		       second->kind == RT_KIND_ISSUE ? "issue" : "ruleset");
	(void)snprintf(err->field, sizeof(err->field), "id");
	member = at_second.texts[TEXT_MEMBER];
	rt_error_at(err, at_second.texts[TEXT_PATH], *member ? member : NULL);
	return RT_FATAL;
}

/* Whether each id stands once; if not, the first one is told that one run would have met. */
static enum rt_status check_ids(struct rt_partial_merge *m, struct rt_error *err)
{
	struct rt_partial_id id, before = {.line = 0}, first = before, second = before;
	bool any = false, in_group = false, found = false;
	enum rt_status status = rt_id_sort_end(m->ids, err);

	while (status == RT_OK && (status = rt_id_sort_next(m->ids, &id, err)) == RT_OK) {
		bool same = any && memcmp(id.digest, before.digest, RT_PARTIAL_DIGEST) == 0;

		if (same && !in_group && (!found || rt_id_place_compare(&id, &second) < 0)) {
			found = true;
			first = before;
			second = id;
		}
		in_group = same;
		before = id;
		any = true;
	}
	if (status == RT_END)
		return found ? refuse_second(m, &first, &second, err) : RT_OK;
	return status;
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Read one document, whose head has been read. */
static enum rt_status add_document(struct rt_partial_merge *m, struct rt_error *err)
{
	enum rt_status status = m->has_summary ? RT_OK : begin_summary(m, err);

	if (status == RT_OK)
		status = check_head(m, err);
	if (status == RT_OK)
		status = add_inputs(m, err);
	if (status == RT_OK)
		status = tell_notes(m, err);
	if (status == RT_OK)
		status = add_severities(m, err);
	if (status == RT_OK)
		status = add_categories(m, err);
	if (status == RT_OK)
		status = add_recent(m, err);
	if (status == RT_OK)
		status = add_ids(m, err);
	if (status == RT_OK)
		status = rt_partial_reader_end(m->reader, err);
	m->inputs += m->head.inputs;
	m->summary.total += m->head.issues;
	m->summary.false_positives += m->head.false_positives;
	m->summary.open += m->head.issues - m->head.false_positives;
	m->summary.no_severity += m->head.no_severity;
	return status;
}

static enum rt_status open_all(struct rt_partial_merge *m, struct rt_error *err)
{
	enum rt_status status = rt_partial_reader_new(m->options, &m->reader, err);

	if (status == RT_OK)
		status = rt_id_sort_new(0, &m->ids, err);
	return status == RT_OK ? rt_sha256_new(&m->hash, err) : status;
}

enum rt_status rt_partial_merge_new(const struct rt_options *options,
				    struct rt_partial_merge **ret_merge, struct rt_error *err)
{
	struct rt_partial_merge *m = calloc(1, sizeof(*m));
	enum rt_status status;

	if (!m)
		return rt_error_nomem(err);
	m->options = options;
	rt_spool_init(&m->names);
	m->into_names = rt_spool_sink(&m->names);
	status = open_all(m, err);
	while (status == RT_OK &&
	       (status = rt_partial_reader_next(m->reader, &m->head, err)) == RT_OK)
		status = add_document(m, err);
	if (status == RT_END)
		status = check_ids(m, err);
	if (status != RT_OK) {
		rt_partial_merge_free(m);
		return status;
	}
	*ret_merge = m;
	return RT_OK;
}

struct rt_summary *rt_partial_merge_summary(struct rt_partial_merge *m)
{
	return &m->summary;
}

void rt_partial_merge_free(struct rt_partial_merge *m)
{
	if (!m)
		return;
	rt_partial_reader_free(m->reader);
	if (m->has_summary)
		rt_summary_release(&m->summary);
	rt_buf_release(&m->first);
	rt_spool_release(&m->names);
	rt_id_sort_free(m->ids);
	rt_sha256_free(m->hash);
	free(m->recent);
	free(m);
}
