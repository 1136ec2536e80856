/*
 * Gates: one read of a data set, and a verdict (WORKFLOW W1). A large file is read in lanes, whose
 * counts are put together at the end.
 */
#include "ops/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "engine/lanes.h"
#include "engine/summary.h"
#include "files/files.h"
#include "output/answer.h"
#include "output/emit.h"
#include "output/verdict.h"
#include "state/state.h"

/* Values that are named when severities that are no level are told, and bytes shown of each. */
#define TOLD_MAX 5u
#define TOLD_BYTES 40u

/* One call of rt_gate(), or what a lane counts of it. */
struct judging {
	const struct rt_options *options;
	const struct rt_gate_options *conditions;
	const struct rt_term *terms;
	size_t term_count;
	struct rt_gate *gate;
	struct rt_filter *filter;
	struct rt_state *state;
	struct rt_baseline *baseline; /* NULL: none */
	struct rt_tallying *tallying;
	struct rt_facts facts;
	uint64_t number; /* of the next issue */
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
	char text[TOLD_MAX * (TOLD_BYTES + 32) + 192];
	size_t len = (size_t)snprintf(
	    text, sizeof(text), "gate: %" PRIu64 " open issue%s a severity that is no level:", open,
	    open == 1 ? " has" : "s have");
	size_t told = 0;

	for (size_t i = 0; i < facts->severity_count && told < TOLD_MAX; i++) {
		const struct rt_count *count = &facts->severities[i];
		char value[TOLD_BYTES + 1];

		if (!count->open)
			continue;
		rt_error_text(value, sizeof(value), count->text);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s \"%s\" %" PRIu64,
					told++ ? "," : "", value, count->open);
		open -= count->open;
	}
	open -= facts->open_no_severity;
	if (facts->open_no_severity)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s none %" PRIu64,
					told ? "," : "", facts->open_no_severity);
	if (open)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ", others %" PRIu64, open);
	if (told && !options->severity_map)
		(void)snprintf(text + len, sizeof(text) - len,
			       "; --severity-map WORD=LEVEL,... reads them as levels");
	rt_notice(options, "%s", text);
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

enum rt_status rt_gate_finish(struct rt_gate *gate, const struct rt_filter *filter,
			      const struct rt_state *state, const struct rt_baseline *baseline,
			      const struct rt_options *options, struct rt_facts *facts,
			      struct rt_error *err)
{
	struct rt_gate_rest rest = {.excluded = facts->excluded,
				    .unknown = rt_filter_unknown(filter),
				    .compared = rt_baseline_compared(baseline)};
	const struct rt_dataset *dataset = state ? rt_state_dataset(state) : NULL;
	enum rt_status status = rt_filter_check(filter, facts->total + facts->excluded, err);

	if (status == RT_OK)
		status = rt_baseline_end(baseline, state, err);
	if (status != RT_OK)
		return status;
	facts->compared = rest.compared;
	if (dataset)
		rest.tools = rt_buf_slice(&rt_dataset_warnings(dataset)->failed.tools);
	if (dataset && options->failed_runs != RT_FAILED_RUNS_ACCEPT)
		rest.failed = &rt_dataset_warnings(dataset)->failed;
	facts->verdict = gate ? rt_gate_judge(gate, &rest) : NULL;
	return RT_OK;
}

/* Whether a file is both the scan and its baseline, so that nothing could be new. */
static bool is_own_baseline(const struct rt_options *options)
{
	for (size_t i = 0; i < options->path_count; i++) {
		for (size_t k = 0; k < options->baseline->path_count; k++) {
			struct stat a, b;

			if (stat(options->paths[i], &a) == 0 &&
			    stat(options->baseline->paths[k], &b) == 0 && S_ISREG(a.st_mode) &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return true;
		}
	}
	return false;
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
		return rt_error_set(
		    err, RT_E_USAGE,
		    "--baseline changes nothing without --fail-on-new or --max-new");
	if (wants_new && is_own_baseline(options))
		return rt_error_set(
		    err, RT_E_USAGE,
		    "the baseline is the scan that is judged: nothing could be new");
	return rt_filter_refuse_gone(filter, err);
}

/* --- Counting ---------------------------------------------------------------------------- */

/* Make the conditions and the filter. Returns RT_OK; RT_FATAL: RT_E_USAGE, RT_E_NOMEM. */
static enum rt_status prepare(struct judging *j, struct rt_error *err)
{
	enum rt_status status = rt_gate_new(j->conditions, &j->gate, err);

	if (status == RT_OK)
		status = rt_filter_new(j->terms, j->term_count, j->conditions->at, &j->filter, err);
	if (status == RT_OK) {
		rt_filter_for_gate(j->filter);
		status = rt_gate_check_baseline(j->options, j->conditions, j->filter, true, err);
	}
	return status;
}

static enum rt_status begin_counting(struct judging *j, const struct rt_siphash_key *key,
				     struct rt_error *err)
{
	return rt_tallying_new(NULL, true, j->conditions->at, &j->options->limits, key,
			       &j->tallying, err);
}

/* Count the record that the state is at. */
static enum rt_status take_record(struct judging *j, const struct rt_record *record,
				  struct rt_error *err)
{
	struct rt_finding finding;
	enum rt_status status;
	bool picked;

	if (record->kind != RT_KIND_ISSUE)
		return RT_OK;
	finding = rt_finding_of(record, (struct rt_slice){0}, j->number++);
	status = rt_baseline_mark(j->baseline, &finding, err);
	if (status == RT_OK)
		status = rt_gate_see(j->gate, &finding, err);
	if (status == RT_OK)
		status = rt_state_pick(j->state, j->filter, false, &finding, &picked, err);
	if (status == RT_OK && !picked)
		j->facts.excluded++;
	if (status == RT_OK && picked)
		status = rt_tallying_add(j->tallying, &finding, err);
	if (status == RT_OK && picked)
		status = rt_gate_add(j->gate, &finding, err);
	return status;
}

static void release(struct judging *j)
{
	rt_tallying_free(j->tallying);
	rt_state_free(j->state);
	rt_baseline_free(j->baseline);
	rt_filter_free(j->filter);
	rt_gate_free(j->gate);
}

/* Read the data set by one reader. j: prepared. */
static enum rt_status read_alone(struct judging *j, struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status = rt_baseline_open(j->options, NULL, j->terms, j->term_count,
						 j->conditions->at, &j->state, &j->baseline, err);

	if (status == RT_OK)
		status = begin_counting(j, rt_dataset_key(rt_state_dataset(j->state)), err);
	while (status == RT_OK && (status = rt_state_next(j->state, &record, err)) == RT_OK)
		status = take_record(j, record, err);
	return status == RT_END ? RT_OK : status;
}

/* --- In lanes ---------------------------------------------------------------------------- */

static void share_free(void *share)
{
	release(share);
	free(share);
}

/* ctx: the call as it was prepared. */
static enum rt_status share_begin(void *ctx, const struct rt_siphash_key *key, void **ret_share,
				  struct rt_error *err)
{
	const struct judging *whole = ctx;
	struct judging *j = calloc(1, sizeof(*j));
	enum rt_status status;

	if (!j)
		return rt_error_nomem(err);
	j->options = whole->options;
	j->conditions = whole->conditions;
	j->terms = whole->terms;
	j->term_count = whole->term_count;
	status = prepare(j, err);
	if (status == RT_OK)
		status = rt_state_alone(j->options, &j->state, err);
	if (status == RT_OK)
		status = begin_counting(j, key, err);
	if (status != RT_OK) {
		share_free(j);
		return status;
	}
	*ret_share = j;
	return RT_OK;
}

static enum rt_status share_take(void *share, const struct rt_record *record, struct rt_error *err)
{
	struct judging *j = share;

	rt_state_stand(j->state, record);
	return take_record(j, record, err);
}

/* Put the counts of all shares into the first. */
static bool share_join(void *ctx, const struct rt_lanes *lanes)
{
	struct judging *first = rt_lanes_share(lanes, 0);
	struct rt_error err;

	(void)ctx;
	for (size_t i = 1; i < rt_lanes_used(lanes); i++) {
		struct judging *next = rt_lanes_share(lanes, i);

		if (rt_tallying_merge(first->tallying, next->tallying, &err) != RT_OK)
			return false;
		rt_gate_merge(first->gate, next->gate);
		rt_filter_merge(first->filter, next->filter);
		first->facts.excluded += next->facts.excluded;
	}
	return true;
}

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
	struct rt_emit emit;
	enum rt_status status;

	if (style.format == RT_FORMAT_TABLE) {
		rt_emit_init(&emit, sink);
		status = rt_verdict_lines(verdict, add_line, &emit, err);
		if (status == RT_OK)
			status = rt_emit_finish(&emit, err);
		rt_emit_release(&emit);
		return status;
	}
	status = rt_answer_init(&answer, style, err);
	if (status == RT_OK) {
		rt_verdict_write(answer.writer, verdict);
		status = rt_answer_send(&answer, sink, err);
	}
	rt_answer_release(&answer);
	return status;
}

/* Everything was read: judge, and pass the verdict on. */
static enum rt_status judge(struct judging *j, struct rt_style style, const struct rt_sink *sink,
			    bool *ret_pass, struct rt_error *err)
{
	enum rt_status status;

	*ret_pass = false;
	rt_tallying_finish(j->tallying, &j->facts);
	status =
	    rt_gate_finish(j->gate, j->filter, j->state, j->baseline, j->options, &j->facts, err);
	if (status == RT_OK)
		status = send_verdict(j->facts.verdict, style, sink, err);
	if (status == RT_OK)
		rt_gate_tell(j->options, &j->facts, style.format != RT_FORMAT_TABLE);
	if (status == RT_OK && j->facts.verdict)
		*ret_pass = j->facts.verdict->pass;
	return status;
}

enum rt_status rt_gate(const struct rt_options *options, const struct rt_gate_options *conditions,
		       const struct rt_term *terms, size_t count, struct rt_style style,
		       const struct rt_sink *sink, bool *ret_pass, struct rt_error *err)
{
	struct judging j = {
	    .options = options, .conditions = conditions, .terms = terms, .term_count = count};
	const struct rt_lane_work work = {share_begin, share_take, share_join, share_free, &j};
	struct judging *first = &j;
	struct rt_lanes *lanes = NULL;
	enum rt_status status = rt_files_check(options, false, err);

	if (status == RT_OK)
		status = rt_lanes_check(options, err);
	if (status == RT_OK)
		status = prepare(&j, err);
	if (status == RT_OK) {
		rt_filter_tell(j.filter, options);
		lanes = rt_lanes_read(options, &work);
	}
	if (lanes)
		first = rt_lanes_share(lanes, 0);
	else if (status == RT_OK)
		status = read_alone(&j, err);
	if (status == RT_OK)
		status = judge(first, style, sink, ret_pass, err);
	rt_lanes_free(lanes);
	release(&j);
	return status;
}
