/*
 * Makes a partial summary (partial.h): the inputs are read, then the document is written, to a file
 * that is replaced when all is well, or to the sink. The same records from the same names give the
 * same bytes. What cannot be known of a share alone is refused: which of several records with one
 * id counts; and globs that the document cannot hold.
 */
#include "ops/partial.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/put.h"
#include "base/utf8.h"
#include "files/replace.h"
#include "ops/outputs.h"
#include "output/answers.h"
#include "rewrite/target.h"
#include "state/state.h"

/* Bytes of the document that are gathered before they are passed on. */
#define OUT_BYTES ((size_t)64 * 1024)

/* Lines that wait until the document is written. */
struct lines {
	struct rt_buf text;
	uint64_t count;
};

struct run {
	const struct rt_options *options;
	struct rt_options noting; /* the same, with notes on their way into the document */
	struct rt_replace *output;
	struct rt_state *state;
	struct rt_summary summary;
	struct rt_sha256 hash;
	struct rt_buf ids;  /* struct rt_partial_id */
	uint64_t counts[3]; /* of them, by enum rt_kind */
	struct lines inputs, notes;
	uint32_t part;         /* of the data set, that the last input is */
	enum rt_status status; /* of notes */
	struct rt_error err;
	struct rt_buf out; /* of the document, not yet passed on */
};

/* --- What both sides need ----------------------------------------------------------------------
 */

void rt_partial_digest(enum rt_kind kind, struct rt_slice id, uint8_t digest[RT_PARTIAL_DIGEST])
{
	struct rt_slice domain = kind == RT_KIND_ISSUE ? RT_SLICE("issue:") : RT_SLICE("ruleset:");
	uint8_t whole[RT_SHA256_BYTES];
	struct rt_sha256 hash;

	rt_sha256_reset(&hash);
	rt_sha256_add(&hash, domain.ptr, domain.len);
	rt_sha256_add(&hash, id.ptr, id.len);
	rt_sha256_end(&hash, whole);
	memcpy(digest, whole, RT_PARTIAL_DIGEST);
}

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int rt_partial_place_compare(const struct rt_partial_id *a, const struct rt_partial_id *b)
{
	int order = compare_number(a->input, b->input);

	if (!order)
		order = compare_number(a->line, b->line);
	return order ? order : compare_number(a->column, b->column);
}

static int compare(const void *left, const void *right)
{
	const struct rt_partial_id *a = left, *b = right;
	int order = memcmp(a->digest, b->digest, RT_PARTIAL_DIGEST);

	return order ? order : rt_partial_place_compare(a, b);
}

void rt_partial_sort(struct rt_buf *ids)
{
	size_t count = ids->len / sizeof(struct rt_partial_id);

	if (count)
		qsort(ids->data, count, sizeof(struct rt_partial_id), compare);
}

/* --- Lines -------------------------------------------------------------------------------------
 */

/* A string, whatever bytes it has; null where it is absent. */
static void put_string(struct rt_put *put, struct rt_slice text)
{
	struct rt_buf mended = {0};

	if (text.ptr && put->status == RT_OK)
		put->status = rt_utf8_mend(text, &mended, put->err);
	rt_put_string(put, mended.len ? rt_buf_slice(&mended) : rt_slice_make(text.ptr, 0));
	rt_buf_release(&mended);
}

static void put_strings(struct rt_put *put, const char *const *texts, size_t count)
{
	RT_PUT(put, "[");
	for (size_t i = 0; i < count; i++) {
		rt_put(put, rt_slice_make(",", i > 0));
		put_string(put, rt_slice_make(texts[i], strlen(texts[i])));
	}
	RT_PUT(put, "]");
}

/*
 * Append what a pattern of partial.h says: for %n a uint64_t, for %s a struct rt_slice, for %a an
 * array of NUL-terminated strings and its count, a size_t.
 */
static enum rt_status put(struct rt_buf *out, struct rt_error *err, const char *pattern, ...)
{
	struct rt_put into = {out, err, RT_OK};
	va_list args;

	va_start(args, pattern);
	for (;;) {
		size_t len = strcspn(pattern, "%");
		const char *const *texts;

		rt_put(&into, rt_slice_make(pattern, len));
		pattern += len;
		if (into.status != RT_OK || !*pattern)
			break;
		if (pattern[1] == 'n') {
			rt_put_number(&into, va_arg(args, uint64_t));
		} else if (pattern[1] == 's') {
			put_string(&into, va_arg(args, struct rt_slice));
		} else {
			texts = va_arg(args, const char *const *);
			put_strings(&into, texts, va_arg(args, size_t));
		}
		pattern += 2;
	}
	va_end(args);
	return into.status;
}

static struct rt_slice slice_of(const char *text)
{
	return rt_slice_make(text, text ? strlen(text) : 0);
}

/* --- While the data set is read -----------------------------------------------------------------
 */

static void take_notice(void *ctx, const char *text)
{
	struct run *run = ctx;

	if (run->status == RT_OK)
		run->status = put(&run->notes.text, &run->err, RT_PARTIAL_NOTE, slice_of(text));
	run->notes.count++;
	if (run->options->notice)
		run->options->notice(run->options->notice_ctx, text);
}

/* Take in the id of a record and its place. */
static enum rt_status add_id(struct run *run, const struct rt_record *record, struct rt_error *err)
{
	struct rt_partial_id id = {.kind = record->kind};
	enum rt_status status = RT_OK;
	struct rt_origin origin;

	rt_dataset_origin(rt_state_dataset(run->state), &origin);
	if (!run->inputs.count || run->part != origin.part) {
		run->part = origin.part;
		run->inputs.count++;
		status = put(&run->inputs.text, err, RT_PARTIAL_INPUT, slice_of(origin.path),
			     slice_of(origin.member));
	}
	id.line = origin.line;
	id.column = origin.column;
	id.input = (uint32_t)(run->inputs.count - 1);
	rt_partial_digest(record->kind, record->id, id.digest);
	run->counts[record->kind]++;
	return status == RT_OK ? rt_buf_append(&run->ids, &id, sizeof(id), err) : status;
}

/* Refuse globs that are not UTF-8: merging compares them, as JSON. */
static enum rt_status check_globs(const char *const *globs, size_t count, struct rt_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct rt_slice glob = rt_slice_make(globs[i], strlen(globs[i]));

		if (rt_utf8_prefix(glob) != glob.len)
			return rt_error_set(err, RT_E_USAGE,
					    "want globs in UTF-8 for a partial summary, have other "
					    "bytes in one of them");
	}
	return RT_OK;
}

static enum rt_status check_options(const struct rt_options *options, unsigned recent,
				    struct rt_error *err)
{
	const struct rt_choice *choice = &options->choice;
	enum rt_status status;

	if (recent > RT_RECENT_MAX)
		return rt_error_set(err, RT_E_USAGE, "want at most %u recent issues, have %u",
				    RT_RECENT_MAX, recent);
	if (options->duplicates != RT_DUPLICATES_REFUSE)
		return rt_error_set(err, RT_E_USAGE,
				    "--duplicates cannot go with --partial: which of several "
				    "issues counts is known when all shards are together");
	if (options->severity_map)
		return rt_error_set(err, RT_E_USAGE, "--severity-map cannot go with --partial");
	if (options->severity_from != RT_SEVERITY_FROM_SCORE)
		return rt_error_set(err, RT_E_USAGE,
				    "--severity-from level cannot go with --partial");
	if (options->ids != RT_IDS_S2)
		return rt_error_set(err, RT_E_USAGE, "--ids s1 cannot go with --partial");
	status = check_globs(choice->include, choice->include_count, err);
	return status == RT_OK ? check_globs(choice->exclude, choice->exclude_count, err) : status;
}

static enum rt_status open_output(struct run *run, const char *output, const struct rt_sink *sink,
				  struct rt_error *err)
{
	const struct rt_options *options = run->options;
	enum rt_status status;

	if (!output || rt_target_is_stream(output))
		return rt_replace_open_stream(sink, &run->output, err);
	status = rt_output_check(options, output, err);
	if (status != RT_OK)
		return status;
	return rt_replace_open(output, RT_REPLACE_FILE, options->notice, options->notice_ctx,
			       &run->output, err);
}

static enum rt_status open_run(struct run *run, unsigned recent, struct rt_error *err)
{
	enum rt_status status;

	run->noting = *run->options;
	run->noting.notice = take_notice;
	run->noting.notice_ctx = run;
	status = rt_state_open(&run->noting, &run->state, err);
	if (status != RT_OK)
		return status;
	return rt_summary_init(&run->summary, recent, &run->options->limits,
			       rt_dataset_key(rt_state_dataset(run->state)), err);
}

static enum rt_status read_records(struct run *run, struct rt_error *err)
{
	const struct rt_record *record;
	struct rt_finding finding;
	enum rt_status status;

	while ((status = rt_state_next(run->state, &record, err)) == RT_OK) {
		status = add_id(run, record, err);
		if (status == RT_OK && record->kind == RT_KIND_ISSUE) {
			finding = rt_finding_of(record, (struct rt_slice){0}, 0);
			status = rt_summary_add(&run->summary, &finding, err);
		}
		if (status != RT_OK)
			return status;
	}
	return status == RT_END ? RT_OK : status;
}

/* --- The document ------------------------------------------------------------------------------
 */

/* Pass on what has been gathered, and hash it. */
static enum rt_status send(struct run *run, struct rt_buf *out, struct rt_error *err)
{
	struct rt_sink sink = rt_replace_sink(run->output);
	size_t len = out->len;

	out->len = 0;
	if (!len)
		return RT_OK;
	rt_sha256_add(&run->hash, out->data, len);
	return sink.write(sink.ctx, out->data, len, err);
}

/* The head, with what decides which records count, and which are shown. */
static enum rt_status put_head(struct run *run, struct rt_error *err)
{
	const struct rt_options *options = run->options;
	const struct rt_choice *choice = &options->choice;
	const struct rt_summary *summary = &run->summary;
	struct rt_slice failed_runs =
	    options->failed_runs == RT_FAILED_RUNS_ACCEPT ? RT_SLICE("accept") : RT_SLICE("refuse");

	return put(&run->out, err,
		   RT_PARTIAL_MAGIC RT_PARTIAL_VERSION RT_PARTIAL_HEAD RT_PARTIAL_OPTIONS
		       RT_PARTIAL_COUNTS,
		   RT_SLICE(RT_VERSION), (uint64_t)summary->recent.max, failed_runs,
		   choice->include, choice->include_count, choice->exclude, choice->exclude_count,
		   run->inputs.count, run->notes.count, run->counts[RT_KIND_ISSUE],
		   run->counts[RT_KIND_RULESET], summary->false_positives, summary->no_severity,
		   (uint64_t)(RT_SEVERITY_LEVELS + summary->severities.used),
		   (uint64_t)summary->categories.used, (uint64_t)summary->recent.count);
}

static enum rt_status put_counts(struct run *run, const struct rt_counts *counts,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < counts->used; i++) {
		const struct rt_count *value = &counts->slots[i];

		status =
		    put(&run->out, err, RT_PARTIAL_VALUE, value->text, value->count, value->open);
		if (status == RT_OK && run->out.len > OUT_BYTES)
			status = send(run, &run->out, err);
	}
	return status;
}

static enum rt_status put_recent(struct run *run, struct rt_error *err)
{
	static const struct rt_style compact = {.format = RT_FORMAT_JSON};
	struct rt_sink sink = rt_buf_sink(&run->out);
	struct rt_writer *writer = NULL;
	enum rt_status status = rt_writer_open(compact, &sink, &writer, err);

	for (size_t i = 0; status == RT_OK && i < run->summary.recent.count; i++) {
		rt_answer_issue(writer, run->summary.recent.issues[i]->values);
		status = rt_writer_finish(writer, err);
		if (status == RT_OK)
			status = send(run, &run->out, err);
	}
	rt_writer_free(writer);
	return status;
}

static enum rt_status put_ids(struct run *run, struct rt_error *err)
{
	const struct rt_partial_id *id = (const void *)run->ids.data;
	size_t count = run->ids.len / sizeof(*id);
	enum rt_status status = RT_OK;

	rt_partial_sort(&run->ids);
	for (size_t i = 0; status == RT_OK && i < count; i++, id++) {
		unsigned char bytes[RT_PARTIAL_ID_MAX];
		size_t len = RT_PARTIAL_DIGEST;

		memcpy(bytes, id->digest, len);
		len += rt_bytes_put_varint(bytes + len, (uint64_t)id->input << 1 |
							    (id->kind == RT_KIND_RULESET));
		len += rt_bytes_put_varint(bytes + len, id->line);
		len += rt_bytes_put_varint(bytes + len, id->column);
		status = rt_buf_append(&run->out, bytes, len, err);
		if (status == RT_OK && run->out.len > OUT_BYTES)
			status = send(run, &run->out, err);
	}
	return status == RT_OK ? send(run, &run->out, err) : status;
}

/* All but the digest at the end. */
static enum rt_status put_hashed(struct run *run, struct rt_error *err)
{
	enum rt_status status = put_head(run, err);

	if (status == RT_OK)
		status = send(run, &run->out, err);
	if (status == RT_OK)
		status = send(run, &run->inputs.text, err);
	if (status == RT_OK)
		status = send(run, &run->notes.text, err);
	for (size_t i = 0; status == RT_OK && i < RT_SEVERITY_LEVELS; i++)
		status = put(&run->out, err, RT_PARTIAL_VALUE, rt_severity_level(i),
			     run->summary.levels[i], run->summary.open_levels[i]);
	if (status == RT_OK)
		status = put_counts(run, &run->summary.severities, err);
	if (status == RT_OK)
		status = put_counts(run, &run->summary.categories, err);
	if (status == RT_OK)
		status = put_recent(run, err);
	return status == RT_OK ? put_ids(run, err) : status;
}

static enum rt_status write_output(struct run *run, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sink sink;
	int fd;
	enum rt_status status = run->status;

	if (status != RT_OK) {
		*err = run->err;
		return status;
	}
	status = rt_replace_begin(run->output, &fd, err);
	if (status != RT_OK)
		return status;
	rt_summary_sort(&run->summary);
	rt_sha256_reset(&run->hash);
	status = put_hashed(run, err);
	if (status != RT_OK)
		return status;
	rt_sha256_end(&run->hash, digest);
	sink = rt_replace_sink(run->output);
	status = sink.write(sink.ctx, digest, sizeof(digest), err);
	return status == RT_OK ? rt_replace_commit(run->output, err) : status;
}

enum rt_status rt_partial(const struct rt_options *options, unsigned recent, const char *output,
			  const struct rt_sink *sink, struct rt_error *err)
{
	struct run run = {.options = options};
	enum rt_status status = check_options(options, recent, err);

	if (status == RT_OK)
		status = open_output(&run, output, sink, err);
	if (status == RT_OK)
		status = open_run(&run, recent, err);
	if (status == RT_OK)
		status = read_records(&run, err);
	if (status == RT_OK)
		status = write_output(&run, err);
	rt_summary_release(&run.summary);
	rt_state_free(run.state);
	rt_buf_release(&run.ids);
	rt_buf_release(&run.inputs.text);
	rt_buf_release(&run.notes.text);
	rt_buf_release(&run.out);
	rt_replace_free(run.output);
	return status;
}
