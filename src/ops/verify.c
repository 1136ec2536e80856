/*
 * Verification of a journal (SPEC D19, section 3): a report with the first thing that is wrong, if
 * any.
 *
 * In this order: every line of the journal by itself and against the one before, with the head that
 * it has to extend; the base's digest and number of issues; every request executed again, and its
 * result's digest; the requests that these have to be; the export that is to hold the same state.
 * After the first fault nothing more is claimed, but how much of the export differs. What the files
 * are to blame for is a finding; what the system did ends the run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/changes.h"
#include "engine/request_reader.h"
#include "engine/summary.h"
#include "files/files.h"
#include "files/name.h"
#include "journal/remarks.h"
#include "ops/compare.h"
#include "output/answer.h"
#include "output/validate_report.h"
#include "rewrite/rewrite.h"
#include "rewrite/target.h"
#include "state/results.h"
#include "state/state.h"

/* One call of rt_verify(). A fault that is RT_REJECT makes the answer "no": the report then says
 * which check it was. */
struct run {
	struct rt_fault fault;
	const struct rt_verification *asked;
	struct rt_state *state;
	struct rt_history *history; /* of the state */
	struct rt_results *results;
	struct rt_changes changes;
	struct rt_replace *replace;     /* of asked->output */
	struct rt_replace *report_file; /* of asked->report */
	struct rt_sink sink;            /* for the report; write NULL: nobody wants it */
	struct rt_style style;          /* of the report */
	struct rt_compare *compare;     /* of asked->expect */
	struct rt_journal_head head;    /* of asked->head */
	struct rt_verify_report report;
};

/* The error says what is wrong: so the answer is "no". */
static void found(struct run *run, enum rt_verify_check check, uint64_t entry)
{
	run->report.check = check;
	run->report.entry = entry;
	run->fault.status = RT_REJECT;
}

/* What the input is to blame for is a finding; what the system did is not. */
static void judge(struct run *run, enum rt_verify_check check)
{
	const struct rt_error *err = run->fault.err;

	if (run->fault.status == RT_OK)
		return;
	run->fault.status = RT_FATAL;
	if (err->code == RT_E_INPUT || err->code == RT_E_LIMIT)
		found(run, check, 0);
}

/* The error is about an entry, whose line has it; 0: line 1. */
static void found_at(struct run *run, enum rt_verify_check check, uint64_t entry)
{
	struct rt_error *err = run->fault.err;

	err->line = entry + 1;
	err->column = 1;
	if (entry)
		(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, entry);
	found(run, check, entry);
}

/* --- The journal ------------------------------------------------------------------------- */

static enum rt_status parse_head(struct run *run, struct rt_error *err)
{
	const char *text = run->asked->head;
	char *end;

	if (!text)
		return RT_OK;
	/* At most 19 digits, none of them a needless zero, always fit. */
	run->head.seq = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && (text[0] != '0' || end == text + 1) &&
	    end - text < 20 && *end == ':' && strlen(end + 1) == RT_SHA256_HEX &&
	    rt_sha256_parse(end + 1, run->head.hash))
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE,
			    "want a head SEQ:HASH as log --head prints it, have \"%s\"", text);
}

/* The journal has come to an entry, or to its beginning: is that the head that was kept? */
static void check_head(struct run *run)
{
	struct rt_journal_head now = rt_journal_head(run->history->journal);
	char want[RT_SHA256_SHORT], have[RT_SHA256_SHORT];

	if (run->asked->head && now.seq == run->head.seq &&
	    memcmp(now.hash, run->head.hash, sizeof(now.hash)) != 0) {
		rt_sha256_short(run->head.hash, want);
		rt_sha256_short(now.hash, have);
		(void)rt_error_set(run->fault.err, RT_E_INPUT,
				   "the head that was kept has the hash %s, the journal has %s",
				   want, have);
		found_at(run, RT_VERIFY_HEAD, now.seq);
		return;
	}
	run->report.head = now;
}

static void open_journal(struct run *run)
{
	struct rt_error *err = run->fault.err;
	size_t used;

	if (RT_STEP(&run->fault, rt_state_open_journal(run->state, RT_JOURNAL_READ, err)) ==
	    RT_OK) {
		run->report.base = rt_journal_base(run->history->journal);
		run->report.head = rt_journal_head(run->history->journal);
		check_head(run);
	} else if (run->fault.status == RT_REJECT && err->code == RT_E_USAGE) {
		/* A file of another kind: nobody has asked for a verification of that. */
		used = strlen(err->message);
		(void)snprintf(err->message + used, sizeof(err->message) - used,
			       "; verify takes the JOURNAL first, then the EXPORT");
		run->fault.status = RT_FATAL;
	} else if (run->fault.status == RT_REJECT) {
		found(run, RT_VERIFY_JOURNAL, 0);
	}
}

static void read_journal(struct run *run)
{
	struct rt_fault *fault = &run->fault;

	open_journal(run);
	if (fault->status != RT_OK)
		return;
	while (RT_STEP(fault, rt_history_next(run->history, NULL, fault->err)) == RT_OK)
		check_head(run);
	if (fault->status == RT_REJECT && run->report.check != RT_VERIFY_HEAD)
		found(run, RT_VERIFY_JOURNAL, run->report.head.seq + 1);
	if (fault->status != RT_END)
		return;
	fault->status = RT_OK;
	run->report.torn_bytes = rt_journal_torn(run->history->journal);
	if (run->asked->head && run->report.head.seq < run->head.seq) {
		(void)rt_error_set(fault->err, RT_E_INPUT,
				   "there is no entry %" PRIu64
				   ": the journal ends with entry %" PRIu64,
				   run->head.seq, run->report.head.seq);
		found(run, RT_VERIFY_HEAD, run->head.seq);
	}
}

/* Remark on the entries, and on how the last line ends, which the journal has told already. */
static void make_remarks(struct run *run)
{
	const struct rt_options *options = rt_state_options(run->state);
	const struct rt_journal *journal = run->history->journal;
	struct rt_remarks *remarks = &run->report.remarks;
	struct rt_remark end = {.kind = RT_REMARK_TORN, .other = run->report.torn_bytes};
	char now[RT_INSTANT_CHARS];
	bool known = run->asked->now && rt_instant_format(run->asked->now, now);

	if (run->fault.status != RT_OK)
		return;
	run->fault.status =
	    rt_remarks_on_plan(remarks, run->history->plan, 0,
			       rt_slice_make(known ? now : NULL, sizeof(now)), run->fault.err);
	rt_remarks_tell(remarks, options->journal, options->notice, options->notice_ctx);
	end.entry = run->report.head.seq + (end.other > 0);
	if (rt_journal_unended(journal))
		end.kind = RT_REMARK_UNENDED;
	if (end.other || rt_journal_unended(journal))
		RT_STEP(&run->fault, rt_remarks_add(remarks, &end, run->fault.err));
}

/* --- The base ---------------------------------------------------------------------------- */

/* A record of the base: execute what is asked of it, and keep what the comparison wants. */
static void take_record(struct run *run, const struct rt_record *record, uint32_t target)
{
	struct rt_fault *fault = &run->fault;
	struct rt_slice text;

	if (target != RT_PLAN_NONE)
		RT_STEP(fault, rt_results_add(run->results, target, record, fault->err));
	if (target != RT_PLAN_NONE && run->replace)
		RT_STEP(fault, rt_changes_add(&run->changes, rt_state_dataset(run->state), record,
					      run->history->plan, target, fault->err));
	if (run->compare && RT_STEP(fault, rt_state_text(run->state, &text, fault->err)) == RT_OK)
		fault->status =
		    rt_compare_add(run->compare, record->kind, record->id, text, fault->err);
}

/*
 * Read the base. Where it is another file than the journal names, that is what is said, not what
 * may be wrong in it.
 */
static void read_base(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	const struct rt_record *record;
	struct rt_error other;
	enum rt_status status;
	uint32_t target;

	if (RT_STEP(fault, rt_state_read(run->state, fault->err)) != RT_OK)
		return;
	while (RT_STEP(fault, rt_state_next_base(run->state, &record, &target, fault->err)) ==
	       RT_OK)
		take_record(run, record, target);
	if (fault->status == RT_END)
		fault->status = rt_results_finish(run->results, fault->err);
	/* No export at all: then its digest does not matter. */
	if (fault->status != RT_OK && fault->err->code == RT_E_USAGE) {
		fault->status = RT_FATAL;
		return;
	}
	status = rt_state_check_base(run->state, fault->status == RT_OK, &other);
	if (status == RT_OK) {
		judge(run, RT_VERIFY_BASE);
		return;
	}
	*fault->err = other;
	fault->status = status;
	if (status == RT_REJECT) {
		rt_error_at(fault->err, rt_state_options(run->state)->paths[0], NULL);
		found(run, RT_VERIFY_BASE, 0);
	}
}

/* --- The results ------------------------------------------------------------------------- */

/* Hold entry `step` + 1 against what executing it again has given. */
static void check_result(struct run *run, uint32_t step, const struct rt_outcome *made)
{
	const struct rt_history_result *said =
	    &((const struct rt_history_result *)(const void *)run->history->results.data)[step];
	struct rt_error *err = run->fault.err;
	bool covers_notes = rt_journal_base(run->history->journal)->version > 1;
	char want[RT_SHA256_SHORT], have[RT_SHA256_SHORT];
	bool same = said->updated_count == made->updated_count &&
		    said->failed_count == made->failed_count &&
		    memcmp(said->sha256, made->sha256, sizeof(made->sha256)) == 0;

	if (same && (!covers_notes || memcmp(said->notes_sha256, made->notes_sha256,
					     sizeof(made->notes_sha256)) == 0))
		return;
	rt_sha256_short(same ? said->notes_sha256 : said->sha256, want);
	rt_sha256_short(same ? made->notes_sha256 : made->sha256, have);
	if (same)
		(void)rt_error_set(err, RT_E_INPUT, "want notes with SHA-256 %s, have %s", want,
				   have);
	else
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a result of %" PRIu64 " updated, %" PRIu64
				   " failed and SHA-256 %s, have %u, %u and %s",
				   said->updated_count, said->failed_count, want,
				   made->updated_count, made->failed_count, have);
	rt_error_text(err->field, sizeof(err->field),
		      same ? RT_SLICE("result/notes_sha256") : RT_SLICE("result"));
	found_at(run, RT_VERIFY_RESULT, (uint64_t)step + 1);
}

static void check_results(struct run *run)
{
	for (uint32_t step = 0;
	     run->fault.status == RT_OK && step < rt_plan_steps(run->history->plan); step++) {
		check_result(run, step, rt_results_outcome(run->results, step));
		run->report.entries = step + (run->fault.status == RT_OK);
	}
}

/* --- The requests that are expected ------------------------------------------------------ */

/* Leave each id in the place where it is mentioned first; others mean nothing (SPEC D13). */
static void drop_repeats(struct rt_request *request)
{
	unsigned kept = 0;

	for (unsigned i = 0, k; i < request->id_count; i++) {
		for (k = 0; k < kept && !rt_slice_equal(request->ids[k], request->ids[i]); k++)
			;
		if (k == kept)
			request->ids[kept++] = request->ids[i];
	}
	request->id_count = kept;
}

/* Find the member in which an entry is another request. Returns false where it is the same. */
static bool differ(struct rt_request entry, struct rt_request request, char field[32])
{
	const char *member = "notes";
	unsigned id = 0;

	drop_repeats(&entry);
	drop_repeats(&request);
	while (id < entry.id_count && id < request.id_count &&
	       rt_slice_equal(entry.ids[id], request.ids[id]))
		id++;
	if (id < entry.id_count || id < request.id_count) {
		(void)snprintf(field, 32, "/issue_ids/%u", id);
		return true;
	}
	if (entry.severity != request.severity)
		member = "severity";
	else if (entry.false_positive != request.false_positive)
		member = "false_positive";
	else if (entry.exploitable != request.exploitable)
		member = "exploitable";
	else if (entry.notes.ptr && request.notes.ptr ? rt_slice_equal(entry.notes, request.notes)
						      : entry.notes.ptr == request.notes.ptr)
		return false;
	(void)snprintf(field, 32, "/%s", member);
	return true;
}

/* Say where the request stands that the error is about. entry: 0: it has none. */
static void request_found(struct run *run, const struct rt_request_reader *reader, uint64_t entry)
{
	struct rt_error *err = run->fault.err;
	struct rt_origin origin;

	rt_request_reader_origin(reader, &origin);
	rt_error_at(err, origin.path, origin.member);
	err->line = origin.line;
	err->column = origin.column;
	err->offset = origin.offset;
	(void)snprintf(err->record, sizeof(err->record), "request %" PRIu64,
		       rt_request_reader_count(reader));
	found(run, RT_VERIFY_REQUESTS, entry);
}

/* Hold the request that was read last against the entry of its number. */
static void match_request(struct run *run, const struct rt_request_reader *reader,
			  const struct rt_request *request)
{
	uint64_t number = rt_request_reader_count(reader);
	struct rt_error *err = run->fault.err;
	struct rt_request entry;
	char field[32];

	if (number > rt_plan_steps(run->history->plan)) {
		(void)rt_error_set(err, RT_E_INPUT, "the journal has no entry for this request");
		request_found(run, reader, 0);
		return;
	}
	rt_plan_request(run->history->plan, (uint32_t)number - 1, &entry);
	if (!differ(entry, *request, field))
		return;
	(void)rt_error_set(err, RT_E_INPUT, "entry %" PRIu64 " and this request differ", number);
	(void)snprintf(err->field, sizeof(err->field), "%s", field);
	request_found(run, reader, number);
}

static void check_requests(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	struct rt_request_reader *reader = NULL;
	struct rt_options input = rt_request_options(
	    rt_state_options(run->state), run->asked->requests, run->asked->request_count);
	const struct rt_request *request;
	uint64_t count;

	RT_STEP(fault, rt_request_reader_open(&input, &reader, fault->err));
	while (RT_STEP(fault, rt_request_reader_next(reader, &request, fault->err)) == RT_OK)
		match_request(run, reader, request);
	if (fault->status == RT_END) {
		fault->status = RT_OK;
		count = rt_request_reader_count(reader);
		if (count < rt_plan_steps(run->history->plan)) {
			(void)rt_error_set(fault->err, RT_E_INPUT,
					   "there is no request for this entry");
			found_at(run, RT_VERIFY_REQUESTS, count + 1);
		}
	}
	rt_request_reader_free(reader);
	/* Of a request with a fault no entry can have come. */
	if (run->report.check != RT_VERIFY_REQUESTS)
		judge(run, RT_VERIFY_REQUESTS);
}

/* --- The export that is expected --------------------------------------------------------- */

/* Say of the record that was read last what is wrong with it, where it is the first. */
static void record_found(struct run *run, const struct rt_dataset *dataset, const char *what)
{
	if (run->report.compared)
		return;
	run->report.compared = true;
	(void)rt_error_set(run->fault.err, RT_E_INPUT, "%s", what);
	rt_dataset_blame(dataset, run->fault.err);
	found(run, RT_VERIFY_EXPECT, 0);
}

/* Hold a record of the export against the state. failed: what keeps that from being done. */
static enum rt_status check_record(struct run *run, const struct rt_dataset *expected,
				   const struct rt_record *record, struct rt_error *failed)
{
	static const char *const words[] = {
	    [RT_COMPARE_DIFFERENT] = "the state that the journal leads to has other content",
	    [RT_COMPARE_EXTRA] = "the state that the journal leads to has no such record",
	    [RT_COMPARE_MOVED] =
		"the state that the journal leads to has rulesets in another order",
	};
	struct rt_verify_counts *counts = &run->report.differences[record->kind];
	enum rt_compare_result result;
	enum rt_status status =
	    rt_compare_check(run->compare, record->kind, record->id, record->text, &result, failed);

	if (status != RT_OK || result == RT_COMPARE_SAME)
		return status;
	*(result == RT_COMPARE_EXTRA ? &counts->extra : &counts->different) += 1;
	record_found(run, expected, words[result]);
	return RT_OK;
}

/* A notice about the export that is expected, and not about the base. */
static void pass_notice(void *ctx, const char *text)
{
	const struct run *run = ctx;
	const struct rt_options *options = rt_state_options(run->state);

	rt_notice(options, "%s: %s", run->asked->expect, text);
}

/* Read the base once more, to name the first record of it that is missing. */
static void name_missing(struct run *run)
{
	struct rt_fault *fault = &run->fault;
	const struct rt_record *record;
	uint32_t target;

	RT_STEP(fault, rt_state_again(run->state, fault->err));
	while (RT_STEP(fault, rt_state_next_base(run->state, &record, &target, fault->err)) ==
	       RT_OK) {
		if (rt_compare_is_missing(run->compare, record->kind, record->id))
			record_found(run, rt_state_dataset(run->state),
				     "the expected export has no such record");
	}
	if (fault->status == RT_END)
		fault->status = rt_error_set(fault->err, RT_E_IO,
					     "the journal's export changed while it was read");
}

/* Something differs: say how much does. */
static void add_counts(const struct run *run, struct rt_error *err)
{
	struct rt_verify_counts all = {0};
	size_t used = strlen(err->message);

	for (enum rt_kind kind = RT_KIND_ISSUE; kind <= RT_KIND_RULESET; kind++) {
		all.different += run->report.differences[kind].different;
		all.missing += run->report.differences[kind].missing;
		all.extra += run->report.differences[kind].extra;
	}
	(void)snprintf(err->message + used, sizeof(err->message) - used,
		       "; records in all: %" PRIu64 " different, %" PRIu64 " missing, %" PRIu64
		       " extra",
		       all.different, all.missing, all.extra);
}

static void check_expected(struct run *run)
{
	struct rt_options options = *rt_state_options(run->state);
	struct rt_dataset *dataset = NULL;
	const struct rt_record *record;
	bool is_missing = false;
	struct rt_error failed;
	enum rt_status status;

	options.paths = &run->asked->expect;
	options.path_count = 1;
	if (options.notice) {
		options.notice = pass_notice;
		options.notice_ctx = run;
	}
	status = rt_dataset_open(&options, RT_KIND_ANY, &dataset, &failed);
	while (status == RT_OK &&
	       (status = rt_dataset_next_good(dataset, &record, &failed)) == RT_OK)
		status = check_record(run, dataset, record, &failed);
	rt_dataset_free(dataset);
	if (status != RT_END) {
		/* An export with a fault is none to be counted in. */
		run->report.compared = false;
		*run->fault.err = failed;
		run->fault.status = status;
		judge(run, RT_VERIFY_EXPECT);
		return;
	}
	for (enum rt_kind kind = RT_KIND_ISSUE; kind <= RT_KIND_RULESET; kind++) {
		run->report.differences[kind].missing = rt_compare_missing(run->compare, kind);
		is_missing = is_missing || run->report.differences[kind].missing;
	}
	if (!run->report.compared && is_missing)
		name_missing(run);
	if (run->fault.status == RT_REJECT)
		add_counts(run, run->fault.err);
}

/* --- Putting it together ----------------------------------------------------------------- */

static void write_output(struct run *run)
{
	const struct rt_dataset *dataset = rt_state_dataset(run->state);
	struct rt_fault *fault = &run->fault;

	RT_STEP(fault, rt_changes_finish(&run->changes, dataset, fault->err));
	RT_STEP(fault, rt_rewrite(rt_state_options(run->state), &run->changes.patches,
				  rt_parts_stamp(rt_dataset_reader(dataset)->view.parts),
				  run->replace, fault->err));
	RT_STEP(fault, rt_replace_settle(run->replace, fault->err));
}

static enum rt_status send_report(struct run *run, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	char line[RT_ERROR_LINE_MAX + 64];
	enum rt_status status = RT_OK;

	if (run->style.format == RT_FORMAT_TABLE) {
		rt_verify_report_line(&run->report, line, sizeof(line));
		rt_answer_text(&answer);
		rt_emit_text(&answer.text, line);
		rt_emit_char(&answer.text, '\n');
	} else {
		status = rt_answer_init(&answer, run->style, err);
		if (status == RT_OK)
			rt_verify_report_write(answer.writer, &run->report);
	}
	if (status == RT_OK)
		status = rt_answer_send(&answer, &run->sink, err);
	rt_answer_release(&answer);
	return status;
}

/*
 * All is known: what is written in files comes into its place, the state before the report; what
 * may well fail comes before both.
 */
static enum rt_status publish(struct run *run, struct rt_error *err)
{
	struct rt_fault fault = {RT_OK, err};
	bool written = false;
	int fd;

	if (run->report_file) {
		RT_STEP(&fault, rt_replace_begin(run->report_file, &fd, err));
		RT_STEP(&fault, send_report(run, err));
		RT_STEP(&fault, rt_replace_settle(run->report_file, err));
	}
	if (run->report.valid && run->replace)
		written = RT_STEP(&fault, rt_replace_commit(run->replace, err)) == RT_OK;
	if (run->report_file)
		RT_STEP(&fault, rt_replace_commit(run->report_file, err));
	else if (run->sink.write)
		RT_STEP(&fault, send_report(run, err));
	if (fault.status != RT_OK && written)
		(void)strncat(err->message, "; the export is written all the same",
			      sizeof(err->message) - strlen(err->message) - 1);
	return fault.status;
}

/* What is written must not be what is read. target: NULL is allowed. */
static enum rt_status check_target(const struct rt_verification *asked,
				   const struct rt_options *options, const char *target,
				   struct rt_error *err)
{
	const char *have = NULL;

	if (!target || rt_target_is_stream(target))
		return RT_OK;
	if (asked->expect &&
	    rt_clash_with_input(options, NULL, target, asked->expect) != RT_CLASH_NONE)
		have = "the file of --expect";
	for (size_t i = 0; i < asked->request_count; i++) {
		if (rt_clash_with_input(options, NULL, target, asked->requests[i]) != RT_CLASH_NONE)
			have = "a request";
	}
	if (!have)
		return RT_OK;
	return rt_error_on(err, target, RT_E_USAGE, "is also %s", have);
}

/* How often standard input is to be read. */
static size_t streams(const struct rt_verification *asked, const struct rt_options *options)
{
	size_t count = strcmp(options->paths[0], "-") == 0;

	count += asked->expect && strcmp(asked->expect, "-") == 0;
	for (size_t i = 0; i < asked->request_count; i++)
		count += strcmp(asked->requests[i], "-") == 0;
	return count;
}

static void prepare(struct run *run, const struct rt_options *options, const struct rt_sink *sink)
{
	const struct rt_state_extras extras = {.again = true, .keep_results = true};
	const struct rt_verification *asked = run->asked;
	struct rt_fault *fault = &run->fault;
	struct rt_error *err = fault->err;

	RT_STEP(fault, rt_files_check(options, true, err));
	if (!options->journal)
		RT_STEP(fault, rt_error_set(err, RT_E_USAGE, "no journal is named"));
	if (asked->output && options->duplicates != RT_DUPLICATES_REFUSE)
		RT_STEP(fault, rt_error_on(err, options->paths[0], RT_E_USAGE,
					   "--duplicates cannot go with -o, since an export that "
					   "is written keeps all of its records"));
	RT_STEP(fault, parse_head(run, err));
	RT_STEP(fault, check_target(asked, options, asked->output, err));
	RT_STEP(fault, check_target(asked, options, asked->report, err));
	if (fault->status == RT_OK && streams(asked, options) > 1)
		fault->status = rt_error_on(err, "-", RT_E_USAGE, "standard input is named twice");
	if (RT_STEP(fault, rt_state_new(options, &extras, &run->state, err)) != RT_OK)
		return;
	run->history = rt_state_history(run->state);
	options = rt_state_options(run->state);
	RT_STEP(fault, rt_target_open(options, asked->output, false, sink, &run->replace, err));
	RT_STEP(fault, rt_target_open_results(options, asked->report, asked->output, NULL, 0,
					      &run->report_file, err));
	if (run->report_file)
		run->sink = rt_replace_sink(run->report_file);
	else if (!rt_target_is_stream(asked->output))
		run->sink = *sink;
	if (asked->expect)
		RT_STEP(fault, rt_compare_new(&run->compare, err));
}

/* The steps of a verification, each of which comes after those before it have found nothing. */
static void verify(struct run *run)
{
	struct rt_error *err = run->fault.err;

	read_journal(run);
	make_remarks(run);
	RT_STEP(&run->fault, rt_results_new(run->history->plan, 0, false, &run->results, err));
	read_base(run);
	check_results(run);
	if (run->fault.status == RT_OK && run->asked->request_count)
		check_requests(run);
	if (run->fault.status == RT_OK && run->asked->expect)
		check_expected(run);
	if (run->asked->output)
		write_output(run);
	/* The fault of a journal has its place; what is wrong with entries as a whole gets it. */
	if (run->fault.status == RT_REJECT && !err->path[0])
		rt_error_at(err, rt_state_options(run->state)->journal, NULL);
}

static void release(struct run *run)
{
	rt_replace_free(run->replace);
	rt_replace_free(run->report_file);
	rt_results_free(run->results);
	rt_compare_free(run->compare);
	rt_changes_release(&run->changes);
	rt_remarks_release(&run->report.remarks);
	rt_state_free(run->state);
}

enum rt_status rt_verify(const struct rt_options *options,
			 const struct rt_verification *verification, struct rt_style style,
			 const struct rt_sink *sink, bool *ret_valid, struct rt_error *err)
{
	struct rt_error fault;
	struct run run = {
	    .fault = {RT_OK, &fault},
	    .asked = verification,
	    .style = style,
	    .changes.record_bytes = options->limits.record_bytes,
	};
	enum rt_status status;

	prepare(&run, options, sink);
	if (run.fault.status == RT_OK)
		verify(&run);
	status = run.fault.status;
	if (status != RT_OK)
		*err = fault;
	run.report.valid = status == RT_OK;
	run.report.fault = &fault;
	if (status != RT_FATAL) {
		struct rt_error sent = {.code = RT_E_NONE};

		*ret_valid = run.report.valid;
		status = publish(&run, &sent);
		if (status != RT_OK)
			*err = sent;
	}
	release(&run);
	return status;
}
