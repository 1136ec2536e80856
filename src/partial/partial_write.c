/*
 * Writes partial summaries (partial_form.h). Input: records and their places, then the summary.
 * Output: the document to a sink, hashed on its way. Ids wait in a sorter, inputs and notes in
 * spools, so that memory does not follow the data set.
 */
#include "partial/partial_write.h"

#include <stdlib.h>

#include "base/spool.h"
#include "base/utf8.h"
#include "output/answers.h"
#include "partial/id_sort.h"

/* Bytes of ids that are gathered before they are passed on. */
#define IDS_BYTES ((size_t)64 * 1024)

/* Lines that wait until the document is written. */
struct lines {
	struct rt_spool spool;
	struct rt_sink into;
	struct rt_writer *writer;
	uint64_t count;
};

struct rt_partial_writer {
	const struct rt_options *options;
	unsigned recent;
	struct rt_sha256 *hash;
	struct rt_id_sort *ids;
	uint64_t counts[3]; /* ids, by enum rt_kind */
	struct lines inputs, notes;
	uint32_t part;         /* of the data set, that the last input is */
	struct rt_buf text;    /* a path as UTF-8 */
	enum rt_status status; /* of notes */
	struct rt_error err;
	struct rt_sink to; /* where the document goes */
};

/* --- Lines ------------------------------------------------------------------------------------ */

static enum rt_status lines_init(struct lines *lines, struct rt_error *err)
{
	static const struct rt_style compact = {.format = RT_FORMAT_JSON};

	rt_spool_init(&lines->spool);
	lines->into = rt_spool_sink(&lines->spool);
	return rt_writer_open(compact, &lines->into, &lines->writer, err);
}

static void lines_release(struct lines *lines)
{
	rt_writer_free(lines->writer);
	rt_spool_release(&lines->spool);
}

static enum rt_status line_end(struct lines *lines, struct rt_error *err)
{
	rt_writer_object_end(lines->writer);
	lines->count++;
	return rt_writer_finish(lines->writer, err);
}

/* A string member, whatever bytes it has. text: NUL-terminated; NULL is null. */
static enum rt_status put_text(struct rt_writer *w, struct rt_slice key, const char *text,
			       struct rt_buf *room, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (key.len)
		rt_writer_key(w, key);
	if (text)
		status = rt_utf8_mend(rt_slice_make(text, strlen(text)), room, err);
	if (text && status == RT_OK)
		rt_writer_string(w, rt_buf_slice(room));
	else if (!text)
		rt_writer_null(w);
	return status;
}

static void put_count(struct rt_writer *w, struct rt_slice key, uint64_t count)
{
	rt_writer_key(w, key);
	rt_writer_uint(w, count);
}

/* --- While the data set is read --------------------------------------------------------------- */

enum rt_status rt_partial_writer_new(const struct rt_options *options, unsigned recent,
				     struct rt_partial_writer **ret_writer, struct rt_error *err)
{
	struct rt_partial_writer *w = calloc(1, sizeof(*w));
	enum rt_status status;

	if (!w)
		return rt_error_nomem(err);
	w->options = options;
	w->recent = recent;
	w->inputs.spool.fd = w->notes.spool.fd = -1;
	status = rt_sha256_new(&w->hash, err);
	if (status == RT_OK)
		status = rt_id_sort_new(0, &w->ids, err);
	if (status == RT_OK)
		status = lines_init(&w->inputs, err);
	if (status == RT_OK)
		status = lines_init(&w->notes, err);
	if (status != RT_OK) {
		rt_partial_writer_free(w);
		return status;
	}
	*ret_writer = w;
	return RT_OK;
}

void rt_partial_writer_free(struct rt_partial_writer *w)
{
	if (!w)
		return;
	rt_sha256_free(w->hash);
	rt_id_sort_free(w->ids);
	lines_release(&w->inputs);
	lines_release(&w->notes);
	rt_buf_release(&w->text);
	free(w);
}

static enum rt_status add_input(struct rt_partial_writer *w, const struct rt_origin *origin,
				struct rt_error *err)
{
	struct rt_writer *out = w->inputs.writer;
	enum rt_status status;

	if (w->inputs.count && w->part == origin->part)
		return RT_OK;
	w->part = origin->part;
	rt_writer_object_begin(out);
	status = put_text(out, RT_SLICE("path"), origin->path, &w->text, err);
	if (status == RT_OK)
		status = put_text(out, RT_SLICE("member"), origin->member, &w->text, err);
	return status == RT_OK ? line_end(&w->inputs, err) : status;
}

enum rt_status rt_partial_writer_add(struct rt_partial_writer *w, const struct rt_record *record,
				     const struct rt_origin *origin, struct rt_error *err)
{
	struct rt_partial_id id = {
	    .kind = record->kind, .line = origin->line, .column = origin->column};
	enum rt_status status = add_input(w, origin, err);

	if (status != RT_OK)
		return status;
	id.input = (uint32_t)(w->inputs.count - 1);
	rt_partial_digest(w->hash, record->kind, record->id, id.digest);
	w->counts[record->kind]++;
	return rt_id_sort_add(w->ids, &id, err);
}

void rt_partial_writer_note(struct rt_partial_writer *w, const char *text)
{
	if (w->status != RT_OK)
		return;
	rt_writer_object_begin(w->notes.writer);
	w->status = put_text(w->notes.writer, RT_SLICE("note"), text, &w->text, &w->err);
	if (w->status == RT_OK)
		w->status = line_end(&w->notes, &w->err);
}

/* --- The document ----------------------------------------------------------------------------- */

/* Pass bytes on, and hash them. */
static enum rt_status hashed_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_partial_writer *w = ctx;

	rt_sha256_add(w->hash, data, len);
	return w->to.write(w->to.ctx, data, len, err);
}

/* Globs, which are UTF-8. */
static void put_globs(struct rt_writer *out, struct rt_slice key, const char *const *globs,
		      size_t count)
{
	rt_writer_key(out, key);
	rt_writer_array_begin(out);
	for (size_t i = 0; i < count; i++)
		rt_writer_string(out, rt_slice_make(globs[i], strlen(globs[i])));
	rt_writer_array_end(out);
}

/* What decides which records count, and which are shown: equal in all partials that are merged. */
static void put_options(const struct rt_partial_writer *w, struct rt_writer *out)
{
	const struct rt_options *options = w->options;
	const struct rt_choice *choice = &options->choice;

	rt_writer_key(out, RT_SLICE("options"));
	rt_writer_object_begin(out);
	put_count(out, RT_SLICE("recent"), w->recent);
	rt_writer_key(out, RT_SLICE("failed_runs"));
	rt_writer_string(out, options->failed_runs == RT_FAILED_RUNS_ACCEPT ? RT_SLICE("accept")
									    : RT_SLICE("refuse"));
	put_globs(out, RT_SLICE("include"), choice->include, choice->include_count);
	put_globs(out, RT_SLICE("exclude"), choice->exclude, choice->exclude_count);
	rt_writer_object_end(out);
}

static enum rt_status put_head(const struct rt_partial_writer *w, const struct rt_summary *summary,
			       struct rt_writer *out, struct rt_error *err)
{
	rt_writer_object_begin(out);
	rt_writer_key(out, RT_SLICE("retriage_partial"));
	rt_writer_number(out, RT_SLICE(RT_PARTIAL_VERSION));
	rt_writer_key(out, RT_SLICE("version"));
	rt_writer_string(out, RT_SLICE(RT_VERSION));
	put_options(w, out);
	put_count(out, RT_SLICE("inputs"), w->inputs.count);
	put_count(out, RT_SLICE("notes"), w->notes.count);
	put_count(out, RT_SLICE("issues"), w->counts[RT_KIND_ISSUE]);
	put_count(out, RT_SLICE("rulesets"), w->counts[RT_KIND_RULESET]);
	put_count(out, RT_SLICE("false_positives"), summary->false_positives);
	put_count(out, RT_SLICE("no_severity"), summary->no_severity);
	put_count(out, RT_SLICE("severities"), RT_SEVERITY_LEVELS + summary->severities.used);
	put_count(out, RT_SLICE("categories"), summary->categories.used);
	put_count(out, RT_SLICE("recent_issues"), summary->recent.count);
	rt_writer_object_end(out);
	return rt_writer_finish(out, err);
}

static enum rt_status put_value(struct rt_writer *out, const struct rt_count *count,
				struct rt_error *err)
{
	rt_writer_object_begin(out);
	rt_writer_key(out, RT_SLICE("value"));
	rt_writer_string(out, count->text);
	put_count(out, RT_SLICE("count"), count->count);
	put_count(out, RT_SLICE("open"), count->open);
	rt_writer_object_end(out);
	return rt_writer_finish(out, err);
}

static enum rt_status put_summary(const struct rt_summary *summary, struct rt_writer *out,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < RT_SEVERITY_LEVELS; i++) {
		struct rt_count level = {rt_severity_level(i), summary->levels[i],
					 summary->open_levels[i], 0};

		status = put_value(out, &level, err);
	}
	for (size_t i = 0; status == RT_OK && i < summary->severities.used; i++)
		status = put_value(out, &summary->severities.slots[i], err);
	for (size_t i = 0; status == RT_OK && i < summary->categories.used; i++)
		status = put_value(out, &summary->categories.slots[i], err);
	for (size_t i = 0; status == RT_OK && i < summary->recent.count; i++) {
		rt_answer_issue(out, summary->recent.issues[i]->values);
		status = rt_writer_finish(out, err);
	}
	return status;
}

static enum rt_status put_ids(struct rt_partial_writer *w, const struct rt_sink *sink,
			      struct rt_error *err)
{
	struct rt_partial_id id;
	struct rt_buf buf = {0};
	enum rt_status status = rt_id_sort_end(w->ids, err);

	if (status == RT_OK)
		status = rt_buf_reserve(&buf, IDS_BYTES, err);
	while (status == RT_OK && (status = rt_id_sort_next(w->ids, &id, err)) == RT_OK) {
		buf.len += rt_partial_id_write(&id, (uint8_t *)buf.data + buf.len);
		if (buf.len <= IDS_BYTES - RT_PARTIAL_ID_MAX)
			continue;
		status = sink->write(sink->ctx, buf.data, buf.len, err);
		buf.len = 0;
	}
	if (status == RT_END)
		status = sink->write(sink->ctx, buf.data, buf.len, err);
	rt_buf_release(&buf);
	return status;
}

/* All but the digest at the end. */
static enum rt_status put_hashed(struct rt_partial_writer *w, const struct rt_summary *summary,
				 struct rt_writer *out, const struct rt_sink *sink,
				 struct rt_error *err)
{
	enum rt_status status = put_head(w, summary, out, err);

	if (status == RT_OK)
		status = rt_spool_copy(&w->inputs.spool, sink, err);
	if (status == RT_OK)
		status = rt_spool_copy(&w->notes.spool, sink, err);
	if (status == RT_OK)
		status = put_summary(summary, out, err);
	return status == RT_OK ? put_ids(w, sink, err) : status;
}

enum rt_status rt_partial_writer_end(struct rt_partial_writer *w, const struct rt_summary *summary,
				     const struct rt_sink *sink, struct rt_error *err)
{
	static const struct rt_style compact = {.format = RT_FORMAT_JSON};
	struct rt_sink hashed = {hashed_write, w};
	struct rt_writer *out = NULL;
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status = w->status;

	if (status != RT_OK) {
		*err = w->err;
		return status;
	}
	w->to = *sink;
	rt_sha256_reset(w->hash);
	status = rt_writer_open(compact, &hashed, &out, err);
	if (status == RT_OK)
		status = put_hashed(w, summary, out, &hashed, err);
	rt_writer_free(out);
	if (status != RT_OK)
		return status;
	rt_sha256_end(w->hash, digest);
	return sink->write(sink->ctx, digest, sizeof(digest), err);
}
