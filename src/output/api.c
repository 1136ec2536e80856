/*
 * The public functions that answer: a data set in, one document out.
 * Input: options. Output: the document's bytes to a sink, after the last byte of input has been
 * checked. Refuses to answer from a data set with any fault (SPEC D20).
 */
#include "base/spool.h"
#include "engine/dataset.h"
#include "engine/ruleset.h"
#include "output/answers.h"
#include "output/report.h"

/* An answer under way: a writer into a spool. */
struct answer {
	struct rt_spool spool;
	struct rt_sink into;
	struct rt_writer *writer;
};

static enum rt_status answer_init(struct answer *a, struct rt_style style, struct rt_error *err)
{
	rt_spool_init(&a->spool);
	a->into = rt_spool_sink(&a->spool);
	a->writer = NULL;
	return rt_writer_open(style, &a->into, &a->writer, err);
}

/* The document is whole: pass it on. */
static enum rt_status answer_send(struct answer *a, const struct rt_sink *sink,
				  struct rt_error *err)
{
	enum rt_status status = rt_writer_finish(a->writer, err);

	return status == RT_OK ? rt_spool_copy(&a->spool, sink, err) : status;
}

static void answer_release(struct answer *a)
{
	rt_writer_free(a->writer);
	rt_spool_release(&a->spool);
}

static enum rt_status count_issues(struct rt_dataset *dataset, struct rt_summary *summary,
				   struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status;

	while ((status = rt_dataset_next_good(dataset, &record, err)) == RT_OK) {
		if (record->kind == RT_KIND_ISSUE)
			status = rt_summary_add(summary, record, err);
		if (status != RT_OK)
			return status;
	}
	if (status == RT_END)
		rt_summary_sort(summary);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_summary(const struct rt_options *options, unsigned recent, struct rt_style style,
			  const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_dataset *dataset = NULL;
	struct rt_summary summary = {0};
	struct answer answer = {.spool.fd = -1};
	enum rt_status status = rt_dataset_open(options, RT_KIND_ANY, &dataset, err);

	if (status != RT_OK)
		goto out;
	status = rt_summary_init(&summary, recent < RT_RECENT_MAX ? recent : RT_RECENT_MAX,
				 &options->limits, rt_dataset_key(dataset), err);
	if (status == RT_OK)
		status = count_issues(dataset, &summary, err);
	if (status == RT_OK)
		status = answer_init(&answer, style, err);
	if (status != RT_OK)
		goto out;
	rt_answer_summary(answer.writer, &summary);
	status = answer_send(&answer, sink, err);
out:
	answer_release(&answer);
	rt_summary_release(&summary);
	rt_dataset_free(dataset);
	return status;
}

static enum rt_status list_rulesets(struct rt_dataset *dataset, struct rt_slice repo_id,
				    bool org_wide, struct rt_writer *w, struct rt_error *err)
{
	struct rt_buf scratch = {0};
	const struct rt_record *record;
	enum rt_status status;
	bool matches;

	rt_writer_array_begin(w);
	while ((status = rt_dataset_next_good(dataset, &record, err)) == RT_OK) {
		if (record->kind != RT_KIND_RULESET)
			continue;
		status = rt_ruleset_matches(record, repo_id, org_wide, &scratch, &matches, err);
		if (status != RT_OK)
			break;
		if (matches)
			rt_answer_ruleset(w, record);
	}
	rt_writer_array_end(w);
	rt_buf_release(&scratch);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_rulesets(const struct rt_options *options, const char *repo_id, bool org_wide,
			   struct rt_style style, const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_slice repo = rt_slice_make(repo_id, repo_id ? strlen(repo_id) : 0);
	struct rt_dataset *dataset = NULL;
	struct answer answer = {.spool.fd = -1};
	enum rt_status status = rt_dataset_open(options, RT_KIND_ANY, &dataset, err);

	if (status == RT_OK)
		status = answer_init(&answer, style, err);
	if (status == RT_OK)
		status = list_rulesets(dataset, repo, org_wide, answer.writer, err);
	if (status == RT_OK)
		status = answer_send(&answer, sink, err);
	answer_release(&answer);
	rt_dataset_free(dataset);
	return status;
}

/* What a validation has found so far. */
struct validation {
	struct rt_faults faults;
	void (*on_fault)(void *ctx, const struct rt_error *fault);
	void *ctx;
};

static enum rt_status find_faults(struct rt_dataset *dataset, struct validation *v,
				  struct rt_error *err)
{
	for (;;) {
		const struct rt_record *record;
		struct rt_error fault;
		enum rt_status status = rt_dataset_next(dataset, &record, &fault);

		if (status == RT_OK)
			continue;
		if (status == RT_END)
			return RT_OK;
		if (status == RT_FATAL) {
			*err = fault;
			return RT_FATAL;
		}
		status = rt_faults_add(&v->faults, &fault, err);
		if (status != RT_OK)
			return status;
		if (v->on_fault)
			v->on_fault(v->ctx, &fault);
	}
}

enum rt_status rt_validate(const struct rt_options *options, enum rt_kind kind,
			   struct rt_style style, const struct rt_sink *sink,
			   void (*on_fault)(void *ctx, const struct rt_error *fault),
			   void *fault_ctx, uint64_t *ret_faults, struct rt_error *err)
{
	struct validation v = {.on_fault = on_fault, .ctx = fault_ctx};
	struct rt_dataset *dataset = NULL;
	struct answer answer = {.spool.fd = -1};
	enum rt_status status = rt_dataset_open(options, kind, &dataset, err);

	if (status == RT_OK)
		status = find_faults(dataset, &v, err);
	if (status == RT_OK)
		status = answer_init(&answer, style, err);
	if (status != RT_OK)
		goto out;
	rt_report_write(answer.writer, rt_dataset_count(dataset, RT_KIND_ISSUE),
			rt_dataset_count(dataset, RT_KIND_RULESET), &v.faults);
	status = answer_send(&answer, sink, err);
	if (status == RT_OK)
		*ret_faults = v.faults.count;
out:
	answer_release(&answer);
	rt_faults_release(&v.faults);
	rt_dataset_free(dataset);
	return status;
}
