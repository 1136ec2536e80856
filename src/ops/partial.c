/*
 * The public function that makes a partial summary. Input: options. Output: the document, to a file
 * that is replaced when all is well, or to the sink after the last byte of input has been checked.
 * Refuses what cannot be known of a part alone: which of several records with one id counts; and
 * globs that the document cannot hold.
 */
#include "base/utf8.h"
#include "files/replace.h"
#include "ops/outputs.h"
#include "ops/state.h"
#include "partial/partial_write.h"
#include "rewrite/target.h"

struct run {
	const struct rt_options *options;
	struct rt_options told; /* the same, with notes on their way into the document */
	struct rt_replace *output;
	struct rt_state *state;
	struct rt_partial_writer *writer;
	struct rt_summary summary;
	bool has_summary;
};

static void take_notice(void *ctx, const char *text)
{
	struct run *run = ctx;

	rt_partial_writer_note(run->writer, text);
	if (run->options->notice)
		run->options->notice(run->options->notice_ctx, text);
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
				    "want ids that stand once in a partial summary, have "
				    "duplicates left out: which of them count is not known before "
				    "all are together");
	if (options->severity_from != RT_SEVERITY_FROM_SCORE)
		return rt_error_set(err, RT_E_USAGE,
				    "want severities from scores in a partial summary, have "
				    "from levels: its head does not name them");
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
	enum rt_status status = rt_partial_writer_new(run->options, recent, &run->writer, err);

	run->told = *run->options;
	run->told.notice = take_notice;
	run->told.notice_ctx = run;
	if (status == RT_OK)
		status = rt_state_open(&run->told, &run->state, err);
	if (status != RT_OK)
		return status;
	run->has_summary = true;
	return rt_summary_init(&run->summary, recent, &run->options->limits,
			       rt_dataset_key(rt_state_dataset(run->state)), err);
}

static enum rt_status read_records(struct run *run, struct rt_error *err)
{
	const struct rt_record *record;
	struct rt_finding finding;
	struct rt_origin origin;
	enum rt_status status;

	while ((status = rt_state_next(run->state, &record, err)) == RT_OK) {
		rt_dataset_origin(rt_state_dataset(run->state), &origin);
		status = rt_partial_writer_add(run->writer, record, &origin, err);
		if (status == RT_OK && record->kind == RT_KIND_ISSUE) {
			finding = rt_finding_of(record, (struct rt_slice){0}, 0);
			status = rt_summary_add(&run->summary, &finding, err);
		}
		if (status != RT_OK)
			return status;
	}
	return status == RT_END ? RT_OK : status;
}

static enum rt_status write_output(struct run *run, struct rt_error *err)
{
	struct rt_sink sink;
	int fd;
	enum rt_status status = rt_replace_begin(run->output, &fd, err);

	if (status != RT_OK)
		return status;
	rt_summary_sort(&run->summary);
	sink = rt_replace_sink(run->output);
	status = rt_partial_writer_end(run->writer, &run->summary, &sink, err);
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
	if (run.has_summary)
		rt_summary_release(&run.summary);
	rt_state_free(run.state);
	rt_partial_writer_free(run.writer);
	rt_replace_free(run.output);
	return status;
}
