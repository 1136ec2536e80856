/*
 * Gates: one read of a data set, and a verdict (WORKFLOW W1). A large file is read in lanes, whose
 * counts are put together at the end.
 */
#include "ops/gate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine/summary.h"
#include "files/files.h"
#include "output/answer.h"
#include "output/emit.h"
#include "output/verdict.h"
#include "state/state.h"

/* Bytes of a note about severities. */
#define NOTE_BYTES 512u

/* One call of rt_gate(), or what a lane counts of it. */
struct judging {
	struct rt_reading reading;
	const struct rt_gate_options *conditions;
	struct rt_gate *gate;
	struct rt_tallying *tallying;
	struct rt_facts facts;
};

/* --- Notices ----------------------------------------------------------------------------- */

/* One line of a verdict, for people who read a log. */
static void tell_line(void *ctx, struct rt_slice line)
{
	rt_notice(ctx, "gate: %.*s", (int)line.len, line.ptr);
}

/* Severities that are no level, which a gate counts all the same (W7). */
static void tell_unknown(const struct rt_options *options, const struct rt_facts *facts)
{
	uint64_t open = facts->open_levels[RT_LEVEL_OTHER];
	char text[NOTE_BYTES];
	bool maps = rt_severities_list(facts->severities, facts->severity_count, true, 0,
				       facts->open_no_severity, text, sizeof(text));

	rt_notice(options, "gate: %" PRIu64 " open issue%s a severity that is no level:%s%s", open,
		  open == 1 ? " has" : "s have", text,
		  maps && !options->severity_map
		      ? "; --severity-map WORD=LEVEL,... reads them as levels"
		      : "");
}

void rt_gate_tell(const struct rt_options *options, const struct rt_facts *facts, bool lines)
{
	const struct rt_verdict *verdict = facts->verdict;
	struct rt_error err;

	if (!facts->total && facts->excluded)
		rt_notice(options, "0 issues of %" PRIu64 " selected", facts->excluded);
	if (verdict && verdict->unknown_severity)
		tell_unknown(options, facts);
	/* By now the answer has been given, and has all that these lines say. */
	if (verdict && lines &&
	    rt_verdict_lines(verdict, tell_line, (void *)(uintptr_t)options, &err) != RT_OK)
		rt_notice(options, "gate: out of memory for the other conditions");
}

void rt_gate_finish(struct rt_gate *gate, const struct rt_reading *r, struct rt_facts *facts)
{
	struct rt_gate_rest rest = {.excluded = r->total - r->picked,
				    .unknown = rt_filter_unknown(r->filter),
				    .compared = rt_baseline_compared(r->baseline)};
	const struct rt_dataset *dataset = rt_state_dataset(r->state);

	facts->excluded = rest.excluded;
	facts->compared = rest.compared;
	if (dataset)
		rest.tools = rt_buf_slice(&rt_dataset_reader(dataset)->view.warnings.failed.tools);
	if (dataset && r->options->failed_runs != RT_FAILED_RUNS_ACCEPT)
		rest.failed = &rt_dataset_reader(dataset)->view.warnings.failed;
	facts->verdict = gate ? rt_gate_judge(gate, &rest) : NULL;
}

enum rt_status rt_gate_check_baseline(const struct rt_options *options,
				      const struct rt_gate_options *conditions,
				      const struct rt_filter *filter, bool is_gate,
				      struct rt_error *err)
{
	bool wants_new = conditions && rt_gate_wants_new(conditions);

	if (wants_new && !options->baseline)
		return rt_error_set(
		    err, RT_E_USAGE,
		    "--fail-on-new and --max-new need --baseline EXPORT; of a SARIF log that was "
		    "compared before, --where baseline=new selects what is new");
	if (is_gate && options->baseline && !wants_new && !rt_filter_wants_class(filter))
		rt_notice(options, "gate: no condition is about what is new since the --baseline; "
				   "--fail-on-new and --max-new are");
	if (options->baseline && (wants_new || rt_filter_wants_class(filter)) &&
	    rt_files_refuse_shared(options, options->baseline,
				   "is in the baseline and in the scan that is judged: nothing in "
				   "it could be new",
				   err) != RT_OK) {
		rt_baseline_explain(options->baseline, err);
		return RT_FATAL;
	}
	return rt_filter_refuse_gone(filter, err);
}

/* --- Counting ---------------------------------------------------------------------------- */

static struct judging *judging_of(struct rt_reading *r)
{
	return (struct judging *)(void *)r;
}

static enum rt_status begin(struct rt_reading *r, const struct rt_siphash_key *key,
			    struct rt_error *err)
{
	struct judging *j = judging_of(r);
	enum rt_status status;

	j->gate = NULL;
	j->tallying = NULL;
	rt_filter_for_gate(r->filter);
	status = rt_gate_new(j->conditions, &j->gate, err);
	return status == RT_OK ? rt_tallying_new(NULL, r->at, &r->options->limits, key, &j->facts,
						 &j->tallying, err)
			       : status;
}

static enum rt_status see(struct rt_reading *r, const struct rt_finding *finding,
			  struct rt_error *err)
{
	return rt_gate_see(judging_of(r)->gate, finding, err);
}

static enum rt_status take(struct rt_reading *r, const struct rt_finding *finding,
			   struct rt_error *err)
{
	enum rt_status status = rt_tallying_add(judging_of(r)->tallying, finding, err);

	return status == RT_OK ? rt_gate_add(judging_of(r)->gate, finding, err) : status;
}

static enum rt_status merge(struct rt_reading *first, struct rt_reading *next, struct rt_error *err)
{
	rt_gate_merge(judging_of(first)->gate, judging_of(next)->gate);
	return rt_tallying_merge(judging_of(first)->tallying, judging_of(next)->tallying, err);
}

static void release(struct rt_reading *r)
{
	rt_tallying_free(judging_of(r)->tallying);
	rt_gate_free(judging_of(r)->gate);
}

static const struct rt_consumer judge_all = {.bytes = sizeof(struct judging),
					     .begin = begin,
					     .see = see,
					     .take = take,
					     .merge = merge,
					     .release = release};

/* --- Gates ------------------------------------------------------------------------------- */

void rt_gate_options_init(struct rt_gate_options *options)
{
	*options = (struct rt_gate_options){
	    .fail_on = -1, .unknown_as = -1, .at_least = RT_MAX_NONE, .fail_on_new = -1};
	for (size_t i = 0; i < RT_MAX_NAMES; i++)
		options->max[i] = options->max_new[i] = RT_MAX_NONE;
}

static void add_line(void *ctx, struct rt_slice line)
{
	rt_emit_slice(ctx, line);
	rt_emit_char(ctx, '\n');
}

static enum rt_status send_verdict(const struct rt_verdict *verdict, struct rt_style style,
				   const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	enum rt_status status = RT_OK;

	if (style.format == RT_FORMAT_TABLE) {
		rt_answer_text(&answer);
		status = rt_verdict_lines(verdict, add_line, &answer.text, err);
	} else {
		status = rt_answer_init(&answer, style, err);
		if (status == RT_OK)
			rt_verdict_write(answer.writer, verdict);
	}
	if (status == RT_OK)
		status = rt_answer_send(&answer, sink, err);
	rt_answer_release(&answer);
	return status;
}

/* Everything was read: judge, and pass the verdict on. */
static enum rt_status judge(struct judging *j, struct rt_style style, const struct rt_sink *sink,
			    bool *ret_pass, struct rt_error *err)
{
	enum rt_status status;

	rt_tallying_finish(j->tallying);
	rt_gate_finish(j->gate, &j->reading, &j->facts);
	assert(j->facts.verdict);
	status = send_verdict(j->facts.verdict, style, sink, err);
	if (status != RT_OK)
		return status;
	rt_gate_tell(j->reading.options, &j->facts, style.format != RT_FORMAT_TABLE);
	*ret_pass = j->facts.verdict->pass;
	return RT_OK;
}

/* All that can be wrong without a look at the data set. */
static enum rt_status prepare(struct judging *j, struct rt_error *err)
{
	const struct rt_options *options = j->reading.options;
	struct rt_gate *gate = NULL;
	enum rt_status status = rt_files_check(options, false, err);

	if (status == RT_OK)
		status = rt_lanes_check(options, err);
	if (status == RT_OK)
		status = rt_gate_new(j->conditions, &gate, err);
	rt_gate_free(gate);
	if (status == RT_OK)
		status = rt_reading_prepare(&j->reading, err);
	if (status == RT_OK)
		status =
		    rt_gate_check_baseline(options, j->conditions, j->reading.filter, true, err);
	return status;
}

enum rt_status rt_gate(const struct rt_options *options, const struct rt_gate_options *conditions,
		       const struct rt_term *terms, size_t count, struct rt_style style,
		       const struct rt_sink *sink, bool *ret_pass, struct rt_error *err)
{
	struct judging j = {.reading = {.options = options,
					.terms = terms,
					.term_count = count,
					.at = conditions->at},
			    .conditions = conditions};
	struct rt_reading *first;
	enum rt_status status = prepare(&j, err);

	*ret_pass = false;
	if (status == RT_OK)
		status = rt_read(&j.reading, &judge_all, &first, err);
	if (status == RT_OK)
		status = judge(judging_of(first), style, sink, ret_pass, err);
	rt_reading_release(&j.reading);
	return status;
}
