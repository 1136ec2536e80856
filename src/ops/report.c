/*
 * Reports: one read of a data set, any number of outputs, and a verdict (REPORTS R1). Kinds in
 * input order get their findings while they are read; kinds in triage order after that, from what
 * the triage has kept. Files are renamed, and the stream is written, when all is well.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/instant.h"
#include "engine/summary.h"
#include "files/files.h"
#include "files/replace.h"
#include "ops/gate.h"
#include "ops/lint.h"
#include "ops/outputs.h"
#include "ops/trend.h"
#include "output/kind.h"
#include "output/texts.h"
#include "rewrite/target.h"
#include "state/state.h"

/* Entries of the journal that a report shows: the newest ones; the rest is counted. */
#define DECISIONS_MAX 200u
/* Of each of lint's rules. */
#define OBJECTIONS_MAX 10u

struct output {
	const struct rt_report_kind *kind;
	const char *file; /* "-": the sink */
	struct rt_replace *replace;
	struct rt_emit emit;
	struct rt_reporting *made; /* NULL: not begun */
};

struct run {
	struct rt_reading reading;
	struct rt_fault fault;
	const struct rt_report *report;
	const struct rt_sink *sink;
	struct rt_report_settings settings;
	struct rt_columns columns; /* of csv; count 0: the usual ones */
	struct output *outputs;
	size_t output_count;
	struct rt_gate *gate; /* NULL: no conditions */
	struct rt_state *old; /* of the baseline, where what is gone is read again */
	struct rt_tallying *tallying;
	struct rt_triage *triage;
	struct rt_facts facts;
	struct rt_input *inputs;
	size_t input;                  /* that the issue in hand is of */
	char head[24 + RT_SHA256_HEX]; /* SEQ:HASH */
	struct rt_decision decisions[DECISIONS_MAX];
	struct rt_trend_point trend[RT_TREND_POINTS];
	struct rt_linting *linting; /* of a record; NULL: no kind has one */
	struct rt_buf touches;
};

/* --- What the journal says ---------------------------------------------------------------- */

/* The beginning of a text, whole characters. */
static struct rt_slice cut(struct rt_slice text, size_t max)
{
	if (text.len <= max)
		return text;
	text.len = max;
	while (text.len && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80)
		text.len--;
	return text;
}

static struct rt_decision decision_of(const struct rt_history *history, uint32_t number)
{
	const struct rt_history_result *results = (const void *)history->results.data;
	const struct rt_plan *plan = history->plan;
	struct rt_step step = rt_plan_step(plan, number);
	struct rt_slice id = rt_plan_id(plan, rt_plan_mention(plan, step.first).target);

	return (struct rt_decision){
	    .sequence = (uint64_t)number + 1,
	    .at = step.made_at,
	    .actor = cut(step.maker, RT_DECISION_TEXT),
	    .carried_at = step.is_carried ? step.at : (struct rt_slice){0},
	    .carrier = cut(step.carrier, RT_DECISION_TEXT),
	    .severity = step.severity,
	    .false_positive = step.false_positive,
	    .exploitable = step.exploitable,
	    .notes = step.notes,
	    .ids = step.count,
	    .updated = results[number].updated_count,
	    .failed = results[number].failed_count,
	    .first_id = cut(id, RT_DECISION_TEXT),
	};
}

/* Newest first. */
static void list_decisions(struct run *run)
{
	const struct rt_history *history = rt_state_history(run->reading.state);
	struct rt_facts_journal *journal = &run->facts.journal;

	journal->decisions = run->decisions;
	while (journal->decision_count < journal->entries &&
	       journal->decision_count < DECISIONS_MAX) {
		uint64_t number = journal->entries - 1 - journal->decision_count;

		run->decisions[journal->decision_count++] = decision_of(history, (uint32_t)number);
	}
}

static void describe_journal(struct run *run)
{
	const struct rt_journal *journal = rt_state_history(run->reading.state)->journal;
	struct rt_facts_journal *said = &run->facts.journal;
	struct rt_journal_head head;
	int len;

	if (!journal || !rt_journal_base(journal))
		return;
	head = rt_journal_head(journal);
	len = snprintf(run->head, sizeof(run->head), "%" PRIu64 ":", head.seq);
	rt_sha256_hex(head.hash, run->head + len);
	said->head = rt_slice_make(run->head, (size_t)len + RT_SHA256_HEX);
	memcpy(said->base_sha256, rt_journal_base(journal)->sha256, RT_SHA256_BYTES);
	list_decisions(run);
	said->touches = (const void *)run->touches.data;
	said->touch_count = run->touches.len / sizeof(struct rt_touch);
}

/* --- Inputs ------------------------------------------------------------------------------- */

/* The last two components of a path; a directory's may end with slashes (R5). */
static struct rt_slice short_name(const char *path)
{
	size_t len = strlen(path), from, parts = 0;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from > 0; from--) {
		parts += path[from - 1] == '/';
		if (parts == 2)
			break;
	}
	return rt_slice_make(path + from, len - from);
}

/* Whether a file is what a path names, or in that folder. */
static bool is_of(const char *file, const char *path)
{
	size_t len = strlen(path);

	return strncmp(file, path, len) == 0 &&
	       (file[len] == '\0' || file[len] == '/' || (len && path[len - 1] == '/'));
}

/* Count an issue for the input that it is in; they are read in their order. */
static void count_for_input(struct run *run)
{
	const char *const *paths = run->reading.options->paths;
	struct rt_origin origin;

	rt_reader_origin(rt_dataset_reader(rt_state_dataset(run->reading.state)), &origin);
	while (run->input + 1 < run->reading.options->path_count && origin.path &&
	       !is_of(origin.path, paths[run->input]))
		run->input++;
	run->inputs[run->input].issues++;
}

/* The digests are known now. */
static void describe_inputs(struct run *run)
{
	const struct rt_options *baseline = run->reading.options->baseline;
	size_t count = run->reading.options->path_count;

	run->facts.baseline_count = baseline ? baseline->path_count : 0;
	for (size_t i = 0; i < run->facts.baseline_count; i++) {
		struct rt_input *input = &run->inputs[count + i];

		input->name = short_name(baseline->paths[i]);
		input->has_sha256 =
		    rt_baseline_digest(run->reading.baseline, i, input->sha256, &input->bytes);
		/* What was compared are those that the filter picks. */
		input->issues = run->facts.baseline_count > 1 || run->facts.filter.len
				    ? UINT64_MAX
				    : run->facts.compared->old;
	}
	run->facts.baseline = run->inputs + count;
	for (size_t i = 0; i < count; i++) {
		struct rt_input *input = &run->inputs[i];

		input->name = short_name(run->reading.options->paths[i]);
		input->has_sha256 =
		    rt_state_digest(run->reading.state, i, input->sha256, &input->bytes);
		/* Of several copies the worst is told by what all inputs have. */
		if (run->reading.options->duplicates == RT_DUPLICATES_WORST && count > 1)
			input->issues = UINT64_MAX;
	}
	run->facts.inputs = run->inputs;
	run->facts.input_count = count;
}

/* --- Targets ------------------------------------------------------------------------------ */

/* Look at a target, beside those before it. */
static enum rt_status open_target(struct run *run, size_t index, struct rt_error *err)
{
	struct output *output = &run->outputs[index];
	const struct rt_options *options = run->reading.options;
	enum rt_status status;

	for (size_t i = 0; rt_target_is_stream(output->file) && i < index; i++) {
		if (rt_target_is_stream(run->outputs[i].file))
			return rt_output_refuse(output->file, "two reports go to standard output",
						err);
	}
	if (rt_target_is_stream(output->file))
		return rt_replace_open_stream(run->sink, &output->replace, err);
	status = rt_output_open(options, options->baseline, output->file, &output->replace, err);
	for (size_t i = 0; status == RT_OK && i < index; i++) {
		if (!rt_target_is_stream(run->outputs[i].file) &&
		    rt_clash_with_file(output->file, run->outputs[i].file))
			status = rt_output_refuse(output->file, "two reports go to this file", err);
	}
	return status;
}

/* Add an output. file: where it goes. */
static void add_output(struct run *run, const struct rt_report_kind *kind, const char *file)
{
	run->outputs[run->output_count] = (struct output){.kind = kind, .file = file};
	RT_STEP(&run->fault, open_target(run, run->output_count++, run->fault.err));
}

static void open_targets(struct run *run)
{
	const struct rt_report *report = run->report;
	struct rt_fault *fault = &run->fault;
	bool has_sarif = false;

	run->outputs = calloc(report->output_count + 2, sizeof(*run->outputs));
	if (!run->outputs)
		RT_STEP(fault, rt_error_nomem(fault->err));
	for (size_t i = 0; fault->status == RT_OK && i < report->output_count; i++) {
		const char *name = report->outputs[i].kind;
		const struct rt_report_kind *kind = rt_report_kind_find(rt_slice_of(name));

		if (kind)
			add_output(run, kind, report->outputs[i].file);
		else
			fault->status = rt_error_set(fault->err, RT_E_USAGE,
						     "no kind of report is called \"%s\"", name);
		has_sarif = has_sarif || kind == &rt_kind_sarif;
	}
	if (fault->status != RT_OK || !report->losses)
		return;
	if (!has_sarif) {
		fault->status =
		    rt_error_set(fault->err, RT_E_USAGE, "--losses needs --to sarif=FILE");
		return;
	}
	add_output(run, &rt_kind_losses, report->losses);
	run->settings.losses = &run->outputs[run->output_count - 1].emit;
}

/* Everything is written: flush all, pass on the stream, and only then rename. */
static void commit_files(struct run *run)
{
	struct rt_fault *fault = &run->fault;

	for (size_t i = 0; i < run->output_count; i++)
		RT_STEP(fault, rt_emit_finish(&run->outputs[i].emit, fault->err));
	for (size_t i = 0; i < run->output_count; i++)
		RT_STEP(fault, rt_replace_settle(run->outputs[i].replace, fault->err));
	for (int streams = 1; streams >= 0; streams--) {
		for (size_t i = 0; i < run->output_count; i++) {
			if (rt_target_is_stream(run->outputs[i].file) == streams)
				RT_STEP(fault,
					rt_replace_commit(run->outputs[i].replace, fault->err));
		}
	}
}

/* --- Outputs ------------------------------------------------------------------------------ */

static void begin_output(struct run *run, struct output *output)
{
	RT_STEP(&run->fault, rt_reporting_new(output->kind, &run->settings, &run->facts,
					      &output->emit, &output->made, run->fault.err));
}

/* Give a finding to the kinds in input order, or, of what is gone, to those that can say so. */
static void give(struct run *run, const struct rt_finding *finding, bool gone)
{
	for (size_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];

		if (gone ? output->kind->again : !output->kind->triage)
			RT_STEP(&run->fault,
				rt_reporting_issue(output->made, finding, run->fault.err));
	}
}

/* Make the files, beside their targets; kinds in input order begin before the first finding. */
static void begin_outputs(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	struct rt_sink sink;
	int fd;

	for (size_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];

		if (RT_STEP(fault, rt_replace_begin(output->replace, &fd, fault->err)) != RT_OK)
			return;
		sink = rt_replace_sink(output->replace);
		rt_emit_init(&output->emit, &sink);
	}
	for (size_t i = 0; i < run->output_count; i++) {
		if (!run->outputs[i].kind->triage)
			begin_output(run, &run->outputs[i]);
	}
}

/* How many findings in triage order a kind wants. */
static uint64_t wanted(const struct run *run, const struct rt_report_kind *kind)
{
	assert(kind);
	if (!kind->triage)
		return 0;
	return kind->wanted ? kind->wanted(&run->settings) : run->settings.max_findings;
}

/* Write a report in triage order. */
static void write_sorted(struct run *run, struct output *output)
{
	uint64_t count = rt_triage_count(run->triage), want = wanted(run, output->kind);
	struct rt_fault *fault = &run->fault;
	const struct rt_finding *finding;

	begin_output(run, output);
	for (uint64_t i = 0; fault->status == RT_OK && i < count && i < want; i++) {
		fault->status = rt_triage_get(run->triage, i, &finding, fault->err);
		RT_STEP(fault, rt_reporting_issue(output->made, finding, fault->err));
	}
}

static void end_outputs(struct run *run)
{
	struct rt_fault *fault = &run->fault;

	if (fault->status == RT_OK)
		rt_triage_sort(run->triage);
	for (size_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];

		if (fault->status == RT_OK && output->kind->triage)
			write_sorted(run, output);
		RT_STEP(fault, rt_reporting_end(output->made, run->reading.options, fault->err));
	}
}

/* --- Reading ------------------------------------------------------------------------------ */

/* What a record says of an issue: which of the entries that it shows are about it, and what lint
 * finds. */
static void look_at_decisions(struct run *run, const struct rt_finding *finding)
{
	const struct rt_record *base;
	struct rt_effects effects = {0};
	struct rt_fault *fault = &run->fault;

	if (!run->linting)
		return;
	if (finding->decided)
		effects = rt_state_effects(run->reading.state, &base);
	while (finding->decided && rt_effects_next(&effects)) {
		struct rt_touch touch = {finding->number, (uint64_t)effects.number + 1};

		if (touch.sequence + DECISIONS_MAX > run->facts.journal.entries)
			RT_STEP(fault,
				rt_buf_append(&run->touches, &touch, sizeof(touch), fault->err));
	}
	RT_STEP(fault, rt_linting_add(run->linting, finding, fault->err));
}

/* What kinds may know of a data set once it is open. */
static void settings_open(struct run *run, struct rt_state *state)
{
	run->settings.options = rt_state_options(state);
	run->settings.dataset = rt_state_dataset(state);
	run->settings.plan = rt_state_history(state)->plan;
}

static struct run *run_of(struct rt_reading *r)
{
	return (struct run *)(void *)r;
}

/* The data set is open: what kinds in input order want to know, they know now. */
static enum rt_status begin(struct rt_reading *r, const struct rt_siphash_key *key,
			    struct rt_error *err)
{
	struct run *run = run_of(r);
	const struct rt_report *report = run->report;

	if (run->linting)
		RT_STEP(&run->fault, rt_linting_begin(run->linting, r->state, err));
	run->facts.journal.entries = rt_plan_steps(rt_state_history(r->state)->plan);
	run->facts.compared = rt_baseline_compared(r->baseline);
	settings_open(run, r->state);
	if (RT_STEP(&run->fault, rt_tallying_new(run->settings.sla, report->at, &r->options->limits,
						 key, &run->facts, &run->tallying, err)) != RT_OK)
		return run->fault.status;
	if (run->gate)
		rt_filter_for_gate(r->filter);
	rt_filter_tell(r->filter, r->options);
	run->facts.filter = rt_filter_text(r->filter);
	begin_outputs(run);
	return run->fault.status;
}

static enum rt_status see(struct rt_reading *r, const struct rt_finding *finding,
			  struct rt_error *err)
{
	struct run *run = run_of(r);

	count_for_input(run);
	return run->gate ? rt_gate_see(run->gate, finding, err) : RT_OK;
}

/* Count a finding, hold it against the conditions, keep it if it is among the worst, and write it
 * to the kinds in input order. */
static enum rt_status take(struct rt_reading *r, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct run *run = run_of(r);

	look_at_decisions(run, finding);
	RT_STEP(&run->fault, rt_tallying_add(run->tallying, finding, err));
	if (run->gate)
		RT_STEP(&run->fault, rt_gate_add(run->gate, finding, err));
	RT_STEP(&run->fault, rt_triage_add(run->triage, finding, err));
	give(run, finding, false);
	return run->fault.status;
}

static enum rt_status leave(struct rt_reading *r, const struct rt_finding *finding,
			    struct rt_error *err)
{
	struct run *run = run_of(r);

	look_at_decisions(run, finding);
	for (size_t i = 0; i < run->output_count; i++)
		RT_STEP(&run->fault, rt_reporting_step(run->outputs[i].made,
						       run->outputs[i].kind->left_out, err));
	return run->fault.status;
}

static const struct rt_consumer report_all = {
    .begin = begin, .see = see, .take = take, .leave = leave};

/* A data set has been read. */
static void tell_read(struct run *run)
{
	for (size_t i = 0; i < run->output_count; i++) {
		const struct output *output = &run->outputs[i];

		assert(output->kind);
		RT_STEP(&run->fault,
			rt_reporting_step(output->made, output->kind->read, run->fault.err));
	}
}

/* Read the baseline once more, and give what it alone has to the kinds that can say so. */
static void read_gone(struct run *run)
{
	const struct rt_state_extras again = {.again = true};
	struct rt_fault *fault = &run->fault;
	struct rt_finding finding;
	uint64_t number = 0;

	if (!run->report->keep_gone || !run->reading.baseline)
		return;
	if (RT_STEP(fault, rt_state_open(run->reading.options->baseline, &again, &run->old,
					 fault->err)) == RT_OK)
		settings_open(run, run->old);
	while (RT_STEP(fault, rt_reading_next_gone(&run->reading, run->old, &number, &finding,
						   fault->err)) == RT_OK) {
		if (finding.class == RT_CLASS_GONE)
			give(run, &finding, true);
	}
	if (fault->status != RT_END)
		return;
	fault->status = RT_OK;
	tell_read(run);
}

/* --- The run ------------------------------------------------------------------------------ */

static void settings_fill(struct run *run)
{
	const struct rt_report *report = run->report;
	struct rt_report_settings *settings = &run->settings;

	*settings = (struct rt_report_settings){
	    .title = {report->title, report->title ? strlen(report->title) : 0},
	    .link = report->link,
	    .strip = {run->reading.options->strip_prefixes,
		      run->reading.options->strip_prefix_count},
	    .max_findings = report->max_findings,
	    .no_code = report->no_code,
	    .hide_false_positives = report->hide_false_positives,
	    .md_bytes = run->reading.options->limits.md_bytes,
	    .csv_raw = report->csv_raw,
	    .csv_bom = report->csv_bom,
	    .show_secrets = report->show_secrets,
	    .columns = run->columns.count ? &run->columns : NULL,
	    .source = run->reading.fields.source,
	    .asked = run->reading.options,
	    .conditions = report->conditions,
	    .history = report->history,
	    .compared = run->reading.options->baseline != NULL,
	    .for_github = report->for_github,
	    .keep_suppressed = report->keep_suppressed,
	    .category = {report->category, report->category ? strlen(report->category) : 0},
	    /* A result that is no issue is one of which nothing holds, so that --where leaves it
	     * out and --not does not; copies of others are left out unseen. */
	    .others = run->reading.options->duplicates == RT_DUPLICATES_REFUSE &&
		      /* Nor would they have a baselineState, which all have or none; and GitHub
		       * takes what has passed for a finding. */
		      !run->reading.options->baseline && !report->for_github,
	};
	for (size_t i = 0; i < report->term_count; i++)
		settings->others = settings->others && report->terms[i].kind == RT_TERM_NOT;
	memcpy(settings->sla, run->reading.fields.sla, sizeof(settings->sla));
	for (size_t i = 0; i < report->output_count; i++) {
		const char *file = report->outputs[i].file, *name = rt_name_base(file);

		if (strcmp(report->outputs[i].kind, "csv") == 0 && !rt_target_is_stream(file))
			settings->csv_name = rt_slice_of(name);
	}
}

/* All that can be refused without reading findings. */
static void open_run(struct run *run, struct rt_state_extras *extras)
{
	const struct rt_report *report = run->report;
	const struct rt_options *options = run->reading.options;
	struct rt_fault *fault = &run->fault;
	struct rt_error *err = fault->err;
	uint64_t kept = 0;

	RT_STEP(fault, rt_files_check(options, false, err));
	run->inputs = calloc(options->path_count +
				 (options->baseline ? options->baseline->path_count : 0) + 1,
			     sizeof(*run->inputs));
	if (!run->inputs)
		RT_STEP(fault, rt_error_nomem(err));
	RT_STEP(fault, rt_link_check(report->link, err));
	RT_STEP(fault, rt_reading_prepare(&run->reading, err));
	run->reading.fields.source.link = report->link;
	if (report->columns)
		RT_STEP(fault, rt_columns_read(report->columns, false, "--columns",
					       &run->reading.fields.source, &run->columns, err));
	settings_fill(run);
	if (report->conditions)
		RT_STEP(fault, rt_gate_new(report->conditions, &run->gate, err));
	run->facts.gate = run->gate;
	RT_STEP(fault, rt_gate_check_baseline(options, report->conditions, run->reading.filter,
					      false, err));
	open_targets(run);
	for (size_t i = 0; fault->status == RT_OK && i < run->output_count; i++) {
		uint64_t want = wanted(run, run->outputs[i].kind);

		extras->digests = extras->digests || run->outputs[i].kind->inputs;
		extras->again = extras->again || run->outputs[i].kind->again;
		if (run->outputs[i].kind->inputs && !run->linting)
			fault->status =
			    rt_linting_new(options, report->at, true, &run->linting, err);
		kept = want > kept ? want : kept;
	}
	RT_STEP(fault, rt_triage_new(kept, rt_gate_unknown_as(run->gate), &run->triage, err));
}

/* Everything has been read: what is known now. */
static void complete_facts(struct run *run)
{
	struct rt_facts *facts = &run->facts;
	struct rt_fault *fault = &run->fault;

	rt_tallying_finish(run->tallying);
	if (run->linting) {
		RT_STEP(fault, rt_linting_finish(run->linting, fault->err));
		RT_STEP(fault, rt_linting_objections(run->linting, OBJECTIONS_MAX,
						     &facts->objections, fault->err));
	}
	describe_journal(run);
	rt_gate_finish(run->gate, &run->reading, facts);
	facts->trend = run->trend;
	if (run->report->history)
		RT_STEP(fault, rt_trend_points(run->report->history, run->trend,
					       &facts->trend_count, fault->err));
	describe_inputs(run);
}

static void close_run(struct run *run)
{
	for (size_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];

		rt_reporting_free(output->made);
		rt_emit_release(&output->emit);
		rt_replace_free(output->replace);
	}
	free(run->outputs);
	free(run->inputs);
	rt_linting_free(run->linting);
	rt_buf_release(&run->touches);
	rt_triage_free(run->triage);
	rt_tallying_free(run->tallying);
	rt_state_free(run->old);
	rt_reading_release(&run->reading);
	rt_gate_free(run->gate);
	free(run);
}

void rt_report_init(struct rt_report *report)
{
	*report = (struct rt_report){.max_findings = RT_REPORT_FINDINGS};
}

const char *rt_report_kind_name(size_t index)
{
	return rt_report_kinds[index] ? rt_report_kinds[index]->name : NULL;
}

/* Findings that get no link, since they are of no repository. */
static void tell_unlinked(const struct run *run)
{
	const struct rt_options *options = run->reading.options;
	const struct rt_tally *repos = &run->facts.repos;
	char numbers[2][RT_COUNT_ROOM];

	if (!run->report->link || !strstr(run->report->link, "{repo}"))
		return;
	for (size_t i = 0; i < repos->count; i++) {
		if (!repos->rows[i].text.len)
			rt_notice(options,
				  "%s of %s issues have no link: they have no repo_name for {repo}",
				  rt_count_text(repos->rows[i].all, numbers[0]),
				  rt_count_text(run->facts.total, numbers[1]));
	}
}

/* Issues at paths that no repository has, in reports whose readers look for them in one. */
static void tell_absolute(const struct run *run)
{
	char names[64] = "";
	uint64_t most = 0;

	for (size_t i = 0; i < run->output_count; i++) {
		const struct output *output = &run->outputs[i];
		size_t used = strlen(names);

		if (!output->made || !output->made->absolute)
			continue;
		(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			       output->kind->name);
		most = output->made->absolute > most ? output->made->absolute : most;
	}
	if (most)
		rt_notice(run->reading.options,
			  "%s: %s issue%s, which no repository has; --strip-prefix FOLDER takes "
			  "the beginning off",
			  names, RT_COUNT(most),
			  most == 1 ? " is at an absolute path" : "s are at absolute paths");
}

/* Which tools ran (TRIAGE T25): a line a run of a SARIF log, also of one that has found nothing. */
static void tell_runs(const struct run *run)
{
	const struct rt_options *options = run->reading.options;
	const struct rt_failed_scans *scans =
	    &rt_dataset_reader(rt_state_dataset(run->reading.state))->view.warnings.failed;
	const struct rt_scan_run *runs = (const void *)scans->runs.data;
	size_t listed = scans->runs.len / sizeof(*runs);
	char number[RT_COUNT_ROOM];

	for (size_t i = 0; i < listed; i++)
		rt_notice(options, "%s: %s result%s%s",
			  *runs[i].tool ? runs[i].tool : "unnamed tool",
			  rt_count_text(runs[i].results, number), RT_S(runs[i].results),
			  runs[i].failed ? ", and its scan failed" : "");
	if (scans->run_count > listed)
		rt_notice(options, "runs of tools that are not listed: %s",
			  rt_count_text(scans->run_count - listed, number));
}

/* "wrote report.html (html of 1,207 issues)" */
static void tell_written(const struct run *run)
{
	char count[RT_COUNT_ROOM];

	for (size_t i = 0; i < run->output_count; i++) {
		const struct output *output = &run->outputs[i];

		if (!rt_target_is_stream(output->file))
			rt_notice(run->reading.options, "wrote %.400s (%s of %s issue%s)",
				  output->file, output->kind->name,
				  rt_count_text(run->facts.total, count), RT_S(run->facts.total));
	}
}

enum rt_status rt_report(const struct rt_options *options, const struct rt_report *report,
			 const struct rt_sink *sink, bool *ret_pass, struct rt_error *err)
{
	struct rt_state_extras extras = {.keep_results = true};
	struct run *run;
	enum rt_status status;

	if (report->output_count == 0)
		return rt_error_set(err, RT_E_USAGE, "there is no output");
	run = calloc(1, sizeof(*run));
	if (!run)
		return rt_error_nomem(err);
	run->reading = (struct rt_reading){.options = options,
					   .terms = report->terms,
					   .term_count = report->term_count,
					   .at = report->at,
					   .needs_notes = true};
	run->fault.err = err;
	run->report = report;
	run->sink = sink;
	open_run(run, &extras);
	RT_STEP(&run->fault, rt_read_alone(&run->reading, &report_all, &extras, err));
	tell_read(run);
	read_gone(run);
	if (run->fault.status == RT_OK)
		complete_facts(run);
	end_outputs(run);
	commit_files(run);
	if (run->fault.status == RT_OK)
		rt_gate_tell(options, &run->facts, true);
	if (report->history)
		RT_STEP(&run->fault,
			rt_trend_append(report->history, &run->facts, report->at, err));
	status = run->fault.status;
	if (status == RT_OK) {
		tell_runs(run);
		tell_unlinked(run);
		tell_absolute(run);
		tell_written(run);
		*ret_pass = !run->facts.verdict || run->facts.verdict->pass;
	}
	close_run(run);
	return status;
}
