/*
 * Bulk updates (SPEC D12 to D17, D19). What to think of is the order of things, since until the
 * journal is committed a failure leaves everything as it was.
 *
 * All requests are checked, and all faults told; then the export is read and checked, the issues
 * that are mentioned are kept, the updates are executed for their entries, and the new export is
 * written beside the old one, at the same time where that can be; the journal is appended to; the
 * new export takes its place; the updates are executed for their results. That is twice with a
 * journal, since a result takes less time to make again than to hold back in a file. Results that
 * go to a file of their own are in a temporary before anything is committed, and in their place
 * after everything else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/instant.h"
#include "base/utf8.h"
#include "engine/changes.h"
#include "engine/request_reader.h"
#include "files/files.h"
#include "files/name.h"
#include "journal/remarks.h"
#include "ops/update.h"
#include "output/answer_tables.h"
#include "output/emit.h"
#include "output/writer.h"
#include "rewrite/rewrite.h"
#include "rewrite/target.h"
#include "state/results.h"
#include "state/state.h"

/* One call of rt_apply(). */
struct run {
	struct rt_fault fault;
	const struct rt_update *update;
	struct rt_made *made; /* NULL: the requests are read */
	const char *carried;  /* of the next entry, in made->carried */
	struct rt_state *state;
	struct rt_history *history; /* of the state */
	struct rt_dataset *dataset; /* of the state */
	char at[RT_INSTANT_CHARS];
	struct rt_plan *requested; /* the requests, until they are part of the history's plan */
	uint32_t first;            /* number of the first requested update in the plan */
	struct rt_replace *replace;
	struct rt_replace *results_file; /* of update->results */
	struct rt_changes changes;
	struct rt_results *results; /* with outcomes for a journal */
	struct rt_sink sink;        /* for results; write NULL: nobody wants them */
	struct rt_table *table;     /* what they are written as; NULL: as documents */
	struct rt_update_counts counts;
	struct rt_remarks remarks; /* on the entries that were added */
};

/* --- Checking before anything is read ---------------------------------------------------- */

static enum rt_status refuse(struct rt_error *err, const char *path, const char *message)
{
	return rt_error_on(err, path, RT_E_USAGE, "%s", message);
}

static enum rt_status check_usage(const struct rt_options *options, const struct rt_update *update,
				  bool made, struct rt_error *err)
{
	const char *export;
	bool is_stdin;

	if (rt_files_check(options, true, err) != RT_OK)
		return RT_FATAL;
	if (update->request_count == 0 && !made)
		return refuse(err, NULL, "there is no request");
	export = options->paths[0];
	is_stdin = strcmp(export, "-") == 0;
	if (update->in_place && (update->output || options->journal))
		return refuse(err, export, "--in-place, -o and --journal exclude one another");
	if ((update->in_place || update->output) && options->duplicates != RT_DUPLICATES_REFUSE)
		return refuse(err, export,
			      "--duplicates cannot go with -o or --in-place, since an export that "
			      "is written keeps all of its records; use --journal");
	if (update->in_place && is_stdin)
		return refuse(err, export, "a stream cannot be updated in place");
	for (size_t i = 0; i < update->request_count; i++) {
		if (is_stdin && strcmp(update->requests[i], "-") == 0)
			return refuse(err, "-", "standard input is named twice");
		if (update->output && !rt_target_is_stream(update->output) &&
		    rt_clash_with_input(options, NULL, update->output, update->requests[i]) !=
			RT_CLASH_NONE)
			return refuse(err, update->output, "is also a request");
	}
	if (options->journal && !is_stdin &&
	    rt_clash_with_input(options, NULL, options->journal, export) == RT_CLASH_PART)
		return refuse(err, options->journal,
			      "a journal in the directory of its export would be a part of it");
	if (update->actor && rt_utf8_prefix(rt_slice_of(update->actor)) < strlen(update->actor))
		return refuse(err, NULL, "the actor is not UTF-8");
	return RT_OK;
}

/* --- The requests ------------------------------------------------------------------------ */

/* Read all requests into the plan; RT_REJECT with err set to the first fault if there is one. */
static enum rt_status take_requests(struct run *run, struct rt_request_reader *reader,
				    struct rt_error *err)
{
	const struct rt_update *update = run->update;
	bool faulty = false;

	for (;;) {
		const struct rt_request *request;
		struct rt_error fault;
		enum rt_status status = rt_request_reader_next(reader, &request, &fault);

		if (status == RT_END)
			return faulty ? RT_REJECT : RT_OK;
		if (status == RT_OK && !faulty)
			status = rt_plan_add(run->requested, request,
					     rt_slice_make(run->at, sizeof(run->at)), &fault);
		if (status == RT_FATAL) {
			*err = fault;
			return RT_FATAL;
		}
		if (status == RT_OK)
			continue;
		if (!faulty)
			*err = fault;
		faulty = true;
		if (update->on_fault)
			update->on_fault(update->fault_ctx, &fault);
	}
}

static enum rt_status read_requests(struct run *run, const struct rt_options *options,
				    struct rt_error *err)
{
	struct rt_request_reader *reader = NULL;
	struct rt_options input =
	    rt_request_options(options, run->update->requests, run->update->request_count);
	enum rt_status status = rt_request_reader_open(&input, &reader, err);

	if (status == RT_OK)
		status = take_requests(run, reader, err);
	rt_request_reader_free(reader);
	return status;
}

/* Whether the journal is as it was when updates were made for it, and can take them. */
static enum rt_status check_made(const struct run *run, struct rt_error *err)
{
	const struct rt_journal_base *base = rt_journal_base(run->history->journal);
	const char *journal = rt_state_options(run->state)->journal;

	if (run->first != run->made->entries)
		return rt_error_on(err, journal, RT_E_IO,
				   "the journal has changed since it was read; try again");
	if (run->made->carried.len && base && base->version < 2)
		return refuse(err, journal,
			      "a journal of version 1 cannot say where a decision was first made; "
			      "write the requests to a file and apply that");
	return RT_OK;
}

/* The plan of all updates: the journal's, then those that were requested. */
static void read_history(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	struct rt_request request;

	RT_STEP(fault, rt_state_open_journal(run->state, RT_JOURNAL_APPEND, fault->err));
	if (RT_STEP(fault, rt_state_read(run->state, fault->err)) != RT_OK) {
		fault->status = RT_FATAL;
		return;
	}
	run->history = rt_state_history(run->state);
	run->dataset = rt_state_dataset(run->state);
	run->first = rt_plan_steps(run->history->plan);
	if (run->made)
		fault->status = check_made(run, fault->err);
	if (run->first == 0) {
		rt_plan_free(run->history->plan);
		run->history->plan = run->requested;
		run->requested = NULL;
		return;
	}
	for (uint32_t i = 0; fault->status == RT_OK && i < rt_plan_steps(run->requested); i++) {
		rt_plan_request(run->requested, i, &request);
		fault->status = rt_plan_add(run->history->plan, &request,
					    rt_plan_step(run->requested, i).at, fault->err);
	}
	rt_plan_free(run->requested);
	run->requested = NULL;
}

/* --- The export -------------------------------------------------------------------------- */

/* An issue that is mentioned. */
static void take_issue(struct run *run, const struct rt_record *issue, uint32_t target)
{
	const struct rt_plan *plan = run->history->plan;
	bool requested = run->first == 0 || rt_plan_last_step(plan, target) >= run->first;
	struct rt_fault *fault = &run->fault;

	if (requested)
		RT_STEP(fault, rt_results_add(run->results, target, issue, fault->err));
	if (run->replace)
		RT_STEP(fault, rt_changes_add(&run->changes, run->dataset, issue, plan, target,
					      fault->err));
	else if (requested)
		RT_STEP(fault, rt_changes_check(&run->changes, run->dataset, issue, plan, target,
						fault->err));
}

/* Whether nothing is to be written: an update in place that changes nothing. */
static bool leaves_alone(const struct run *run)
{
	return run->update->in_place && rt_patches_count(&run->changes.patches) == 0;
}

/* Whether the export is the one that updates were made for. */
static enum rt_status check_export(const struct run *run, struct rt_error *err)
{
	uint8_t sha256[RT_SHA256_BYTES];
	uint64_t bytes;

	if (run->made && run->made->has_sha256 && rt_state_digest(run->state, 0, sha256, &bytes) &&
	    memcmp(sha256, run->made->sha256, sizeof(sha256)) != 0)
		return rt_error_on(err, rt_state_options(run->state)->paths[0], RT_E_IO,
				   "the file changed while it was read");
	return RT_OK;
}

/* Read the export: was it the journal's base, and what becomes of its source? */
static void read_export(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	const struct rt_record *record;
	uint32_t target;

	while (RT_STEP(fault, rt_state_next_base(run->state, &record, &target, fault->err)) ==
	       RT_OK) {
		if (target != RT_PLAN_NONE)
			take_issue(run, record, target);
	}
	if (fault->status == RT_END)
		fault->status = rt_results_finish(run->results, fault->err);
	RT_STEP(fault, rt_state_settle(run->state, fault->err));
	RT_STEP(fault, check_export(run, fault->err));
	if (run->replace)
		RT_STEP(fault, rt_changes_finish(&run->changes, run->dataset, fault->err));
}

/* --- Results and entries ----------------------------------------------------------------- */

static enum rt_status add_entry(struct run *run, uint32_t step, const struct rt_outcome *outcome,
				struct rt_error *err)
{
	const char *actor = run->update->actor;
	struct rt_journal_entry entry = {
	    .at = rt_slice_make(run->at, sizeof(run->at)),
	    .actor = rt_slice_make(actor, actor ? strlen(actor) : 0),
	    .updated_count = outcome->updated_count,
	    .failed_count = outcome->failed_count,
	};

	rt_plan_request(run->history->plan, step, &entry.request);
	memcpy(entry.result_sha256, outcome->sha256, sizeof(entry.result_sha256));
	memcpy(entry.notes_sha256, outcome->notes_sha256, sizeof(entry.notes_sha256));
	if (run->carried) {
		entry.carried.text = rt_slice_of(run->carried);
		run->carried += entry.carried.text.len + 1;
	}
	return rt_journal_add(run->history->journal, &entry, err);
}

static void commit_journal(struct run *run)
{
	uint32_t steps = rt_plan_steps(run->history->plan);
	struct rt_fault *fault = &run->fault;

	RT_STEP(fault,
		rt_state_begin(run->state, rt_slice_make(run->at, sizeof(run->at)), fault->err));
	for (uint32_t step = run->first; fault->status == RT_OK && step < steps; step++)
		fault->status =
		    add_entry(run, step, rt_results_outcome(run->results, step), fault->err);
	RT_STEP(fault, rt_journal_commit(run->history->journal, fault->err));
}

/* Write one result document in the style that was asked for. */
static enum rt_status answer(struct run *run, struct rt_emit *out, const struct rt_result *result,
			     struct rt_style style, struct rt_error *err)
{
	const struct rt_sink into = rt_emit_sink(out);
	struct rt_writer *writer = NULL;
	enum rt_status status = RT_OK;

	if (!run->sink.write)
		return RT_OK;
	if (run->table) {
		rt_result_rows_put(run->table, result->text);
		return RT_OK;
	}
	if (style.format == RT_FORMAT_JSON && !style.pretty) {
		rt_emit_slice(out, result->text);
		rt_emit_char(out, '\n');
		return RT_OK;
	}
	if (style.format == RT_FORMAT_YAML && run->counts.requests > 1)
		rt_emit_text(out, "---\n");
	status = rt_writer_open(style, &into, &writer, err);
	if (status == RT_OK) {
		rt_writer_value(writer, result->text);
		status = rt_writer_finish(writer, err);
	}
	rt_writer_free(writer);
	return status;
}

/* Execute the updates for their results. */
static void answer_all(struct run *run, struct rt_style style)
{
	uint32_t steps = rt_plan_steps(run->history->plan);
	struct rt_fault *fault = &run->fault;
	struct rt_result result;
	struct rt_emit out; /* gathers results, so that small ones do not cost a system call each */

	rt_emit_init(&out, &run->sink);
	run->counts.requests = steps - run->first;
	if (style.format == RT_FORMAT_TABLE)
		RT_STEP(fault, rt_table_new(style, &run->table, fault->err));
	if (run->table)
		rt_result_rows_begin(run->table);
	for (uint32_t step = run->first; out.status == RT_OK && step < steps; step++) {
		if (RT_STEP(fault, rt_results_run(run->results, step, &result, fault->err)) !=
		    RT_OK)
			break;
		fault->status = answer(run, &out, &result, style, fault->err);
		run->counts.updated += result.updated_count;
		run->counts.failed += result.failed_count;
		run->counts.unchanged += result.unchanged_count;
	}
	if (run->sink.write && run->table)
		RT_STEP(fault, rt_table_send(run->table, &run->sink, fault->err));
	else if (run->sink.write)
		RT_STEP(fault, rt_emit_finish(&out, fault->err));
	rt_emit_release(&out);
}

/* Have the results in their file, but that not in its place yet. */
static void write_results(struct run *run, struct rt_style style)
{
	struct rt_fault *fault = &run->fault;
	int fd;

	if (!run->results_file)
		return;
	if (RT_STEP(fault, rt_replace_begin(run->results_file, &fd, fault->err)) == RT_OK)
		answer_all(run, style);
	RT_STEP(fault, rt_replace_settle(run->results_file, fault->err));
}

/* --- Putting it together ----------------------------------------------------------------- */

static void prepare(struct run *run, const struct rt_options *options, const struct rt_sink *sink)
{
	const struct rt_state_extras extras = {.again = true};
	const struct rt_update *update = run->update;
	struct rt_fault *fault = &run->fault;
	struct rt_error *err = fault->err;

	if (fault->status == RT_OK && !rt_instant_format(update->at, run->at))
		fault->status = refuse(err, NULL, "the year is not between 0000 and 9999");
	if (!run->made) {
		RT_STEP(fault, rt_plan_new(&run->requested, err));
		RT_STEP(fault, read_requests(run, options, err));
	}
	if (RT_STEP(fault, rt_state_new(options, &extras, &run->state, err)) != RT_OK)
		return;
	/* What is written besides the journal; sink is left to the one who has no file. */
	options = rt_state_options(run->state);
	RT_STEP(fault, rt_target_open(options, update->output, update->in_place, sink,
				      &run->replace, err));
	RT_STEP(fault,
		rt_target_open_results(options, update->results, update->output, update->requests,
				       update->request_count, &run->results_file, err));
	if (run->results_file)
		run->sink = rt_replace_sink(run->results_file);
	else if (!rt_target_is_stream(update->output))
		run->sink = *sink;
	read_history(run);
	/* Without a journal there are no entries that outcomes are wanted for. */
	RT_STEP(fault, rt_results_new(run->history->plan,
				      run->history->journal ? run->first
							    : rt_plan_steps(run->history->plan),
				      true, &run->results, err));
}

/* At most so many notes are told of. */
#define NOTES_TOLD_MAX 10u

/* What a note has that is not read as it was meant; empty: nothing. ret_words: of the note. */
static const char *note_fault(const struct rt_step *step, int64_t at, struct rt_slice *ret_words)
{
	static const char *const faults[] = {
	    [RT_END_NO_DAY] = "is no day: the dismissal counts as expired",
	    [RT_END_FORM] = "is not exp:YYYY-MM-DD: the dismissal counts as expired",
	    [RT_END_UNREAD] = "is not exp:YYYY-MM-DD: the dismissal has no end",
	    [RT_END_PASSED] = "has passed: the dismissal counts as expired",
	};
	struct rt_slice note = step->notes;
	enum rt_end_fault fault = rt_note_end_fault(note, at, ret_words);

	if (step->false_positive != 1) {
		*ret_words = note;
		return fault != RT_END_RIGHT || rt_note_dismisses(note)
			   ? "comes with no dismissal: it neither ends nor explains one"
			   : "";
	}
	if (fault != RT_END_RIGHT)
		return faults[fault];
	if (rt_note_reason(note, ret_words) == RT_REASON_OTHER)
		return "is no reason: want false_positive, accepted_risk, wont_fix, "
		       "used_in_tests, mitigated or duplicate";
	return "";
}

/* Tell of notes whose words for a reason or an end are not read as they were meant, by request. */
static void tell_notes(const struct run *run, const struct rt_options *options)
{
	uint32_t steps = rt_plan_steps(run->history->plan), told = 0;
	char words[48];

	for (uint32_t i = run->first; options->notice && i < steps && told < NOTES_TOLD_MAX; i++) {
		struct rt_slice said;
		struct rt_step step = rt_plan_step(run->history->plan, i);
		const char *fault = note_fault(&step, run->update->at, &said);

		/* Who carries a comment has not written it. */
		if (!*fault || (run->carried && step.false_positive != 1))
			continue;
		rt_error_text(words, sizeof(words), said);
		rt_notice(options, "the note of request %" PRIu32 ": \"%s\" %s", i - run->first + 1,
			  words, fault);
		told++;
	}
}

/* What the entries, once they are there, give rise to. Without a journal there is only the time. */
static void make_remarks(struct run *run)
{
	const struct rt_options *options = rt_state_options(run->state);
	char now[RT_INSTANT_CHARS];
	bool known = run->update->now && rt_instant_format(run->update->now, now);

	tell_notes(run, options);
	if (run->history->journal)
		run->fault.status = rt_remarks_on_plan(
		    &run->remarks, run->history->plan, run->first,
		    rt_slice_make(known ? now : NULL, sizeof(now)), run->fault.err);
	else if (known && run->update->at > run->update->now)
		rt_notice(options, "the time %.*s is in the future", (int)sizeof(run->at), run->at);
}

/* What follows on a failure, after the message. */
static void add_words(struct rt_error *err, const char *words)
{
	size_t used = strlen(err->message);

	(void)snprintf(err->message + used, sizeof(err->message) - used, "%s", words);
}

/* Results are lost: who does not know that would have the updates made twice. */
static void tell_lost(const struct run *run)
{
	if (run->fault.status != RT_OK && (run->replace || run->history->journal))
		add_words(run->fault.err, "; the updates are made all the same");
}

static void commit_export(struct run *run)
{
	struct rt_fault *fault = &run->fault;

	if (fault->status != RT_OK)
		return;
	fault->status = rt_replace_commit(run->replace, fault->err);
	if (fault->status != RT_OK && run->history->journal)
		add_words(fault->err, "; the journal has the updates: retriage verify -o writes "
				      "what it leads to");
}

/* The journal is committed: put the files in their places. */
static void commit_files(struct run *run, bool writes)
{
	/* A stream that breaks off takes nothing back from the journal. */
	bool export_last = run->history->journal && rt_target_is_stream(run->update->output);
	struct rt_fault *fault = &run->fault;

	if (writes && !export_last)
		commit_export(run);
	if (fault->status == RT_OK && run->results_file) {
		fault->status = rt_replace_commit(run->results_file, fault->err);
		tell_lost(run);
	}
	if (export_last)
		commit_export(run);
}

/* Everything is known to be well: make it so. */
static void commit(struct run *run, struct rt_style style)
{
	bool writes = run->replace && !leaves_alone(run);
	uint64_t stamp = rt_parts_stamp(rt_dataset_reader(run->dataset)->view.parts);
	struct rt_fault *fault = &run->fault;

	if (writes)
		RT_STEP(fault, rt_rewrite(rt_state_options(run->state), &run->changes.patches,
					  stamp, run->replace, fault->err));
	/* What may well fail comes before the journal's entries, which cannot be taken back. */
	write_results(run, style);
	if (writes)
		RT_STEP(fault, rt_replace_settle(run->replace, fault->err));
	if (run->history->journal)
		commit_journal(run);
	if (fault->status == RT_OK)
		commit_files(run, writes);
}

static void release(struct run *run)
{
	rt_replace_free(run->replace);
	rt_replace_free(run->results_file);
	rt_results_free(run->results);
	rt_changes_release(&run->changes);
	rt_plan_free(run->requested);
	rt_state_free(run->state);
	rt_table_free(run->table);
	rt_remarks_release(&run->remarks);
}

static enum rt_status apply(const struct rt_options *options, const struct rt_update *update,
			    struct rt_made *made, struct rt_style style, const struct rt_sink *sink,
			    struct rt_update_counts *ret_counts, struct rt_error *err)
{
	struct run run = {.fault = {check_usage(options, update, made, err), err},
			  .update = update,
			  .made = made,
			  .requested = made ? made->plan : NULL,
			  .carried = made ? made->carried.data : NULL,
			  .changes.record_bytes = options->limits.record_bytes};

	prepare(&run, options, sink);
	if (run.fault.status == RT_OK)
		read_export(&run);
	if (run.fault.status == RT_OK)
		make_remarks(&run);
	if (run.fault.status == RT_OK)
		commit(&run, style);
	if (run.fault.status == RT_OK) {
		rt_remarks_tell(&run.remarks, options->journal, options->notice,
				options->notice_ctx);
		if (!run.results_file)
			answer_all(&run, style);
		tell_lost(&run);
	}
	if (run.fault.status == RT_OK)
		*ret_counts = run.counts;
	release(&run);
	return run.fault.status;
}

enum rt_status rt_apply(const struct rt_options *options, const struct rt_update *update,
			struct rt_style style, const struct rt_sink *sink,
			struct rt_update_counts *ret_counts, struct rt_error *err)
{
	enum rt_status status = rt_style_check(style, RT_FORMAT_TABLE, err);

	return status == RT_OK ? apply(options, update, NULL, style, sink, ret_counts, err)
			       : status;
}

bool rt_made_has_journal(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && st.st_size > 0;
}

void rt_made_for(struct rt_made *made, struct rt_state *state)
{
	uint64_t bytes;

	made->entries = rt_plan_steps(rt_state_history(state)->plan);
	made->has_sha256 = rt_state_digest(state, 0, made->sha256, &bytes);
}

enum rt_status rt_apply_made(const struct rt_options *options, const struct rt_update *update,
			     struct rt_made *made, struct rt_update_counts *ret_counts,
			     struct rt_error *err)
{
	const struct rt_sink nobody = {NULL, NULL};

	return apply(options, update, made, (struct rt_style){.format = RT_FORMAT_JSON}, &nobody,
		     ret_counts, err);
}
