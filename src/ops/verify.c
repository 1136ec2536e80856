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

/* One call of rt_verify(). Functions below return RT_REJECT for what makes the answer "no"; the
 * report then says which check it was, and err what is wrong. */
struct run {
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
	struct rt_buf other; /* the first record that differs, as the expected export has it */
	struct rt_buf other_id;
	enum rt_kind other_kind; /* RT_KIND_ANY: there is none */
	struct rt_verify_report report;
};

static enum rt_status found(struct run *run, enum rt_verify_check check, uint64_t entry)
{
	run->report.check = check;
	run->report.entry = entry;
	return RT_REJECT;
}

/* What the input is to blame for is a finding; what the system did is not. */
static enum rt_status judge(struct run *run, enum rt_verify_check check, enum rt_status status,
			    const struct rt_error *err)
{
	bool is_input = err->code == RT_E_INPUT || err->code == RT_E_LIMIT;

	if (status >= 0)
		return status;
	return is_input ? found(run, check, 0) : RT_FATAL;
}

/* A file is of another kind than its place wants: nobody has asked for a verification of that. */
static enum rt_status misplaced(struct rt_error *err)
{
	size_t used = strlen(err->message);

	(void)snprintf(err->message + used, sizeof(err->message) - used,
		       "; verify takes the JOURNAL first, then the EXPORT");
	return RT_FATAL;
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

/* The journal has come to entry `seq`: is that the head that was kept? */
static enum rt_status check_head(struct run *run, struct rt_error *err)
{
	struct rt_journal_head now = rt_journal_head(run->history->journal);
	char want[RT_SHA256_SHORT], have[RT_SHA256_SHORT];

	if (!run->asked->head || now.seq != run->head.seq ||
	    memcmp(now.hash, run->head.hash, sizeof(now.hash)) == 0)
		return RT_OK;
	rt_sha256_short(run->head.hash, want);
	rt_sha256_short(now.hash, have);
	(void)rt_error_set(err, RT_E_INPUT,
			   "the head that was kept has the hash %s, the journal has %s", want,
			   have);
	err->line = now.seq + 1;
	err->column = 1;
	if (now.seq)
		(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, now.seq);
	return found(run, RT_VERIFY_HEAD, now.seq);
}

static enum rt_status read_journal(struct run *run, struct rt_error *err)
{
	enum rt_status status = rt_state_open_journal(run->state, RT_JOURNAL_READ, err);

	if (status == RT_REJECT && err->code == RT_E_USAGE)
		return misplaced(err);
	if (status == RT_REJECT)
		return found(run, RT_VERIFY_JOURNAL, 0);
	if (status == RT_OK) {
		run->report.base = rt_journal_base(run->history->journal);
		run->report.head = rt_journal_head(run->history->journal);
		status = check_head(run, err);
	}
	while (status == RT_OK) {
		status = rt_history_next(run->history, NULL, err);
		if (status == RT_REJECT)
			return found(run, RT_VERIFY_JOURNAL, run->report.head.seq + 1);
		if (status == RT_OK)
			status = check_head(run, err);
		if (status == RT_OK)
			run->report.head = rt_journal_head(run->history->journal);
	}
	if (status != RT_END)
		return status;
	run->report.torn_bytes = rt_journal_torn(run->history->journal);
	if (run->asked->head && run->report.head.seq < run->head.seq) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "there is no entry %" PRIu64
				   ": the journal ends with entry %" PRIu64,
				   run->head.seq, run->report.head.seq);
		return found(run, RT_VERIFY_HEAD, run->head.seq);
	}
	return RT_OK;
}

/* Remark on the entries, and on how the last line ends, which the journal has told already. */
static enum rt_status make_remarks(struct run *run, struct rt_error *err)
{
	const struct rt_options *options = rt_state_options(run->state);
	const struct rt_journal *journal = run->history->journal;
	struct rt_remarks *remarks = &run->report.remarks;
	struct rt_remark end = {.kind = RT_REMARK_TORN, .other = rt_journal_torn(journal)};
	char now[RT_INSTANT_CHARS];
	bool known = run->asked->now && rt_instant_format(run->asked->now, now);
	enum rt_status status = rt_remarks_on_plan(
	    remarks, run->history->plan, 0, rt_slice_make(known ? now : NULL, sizeof(now)), err);

	rt_remarks_tell(remarks, options->journal, options->notice, options->notice_ctx);
	end.entry = run->report.head.seq + (end.other > 0);
	if (rt_journal_unended(journal))
		end.kind = RT_REMARK_UNENDED;
	if (status == RT_OK && (end.other || rt_journal_unended(journal)))
		status = rt_remarks_add(remarks, &end, err);
	return status;
}

/* --- The base ---------------------------------------------------------------------------- */

/* Keep the state's record for the comparison. */
static enum rt_status keep_expected(struct run *run, const struct rt_record *record,
				    struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_state_text(run->state, &text, err);

	if (status == RT_OK)
		status = rt_compare_add(run->compare, record->kind, record->id, text, err);
	return status;
}

static enum rt_status take_record(struct run *run, const struct rt_record *record, uint32_t target,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (target != RT_PLAN_NONE)
		status = rt_results_add(run->results, target, record, err);
	if (status == RT_OK && target != RT_PLAN_NONE && run->replace)
		status = rt_changes_add(&run->changes, rt_state_dataset(run->state), record,
					run->history->plan, target, err);
	if (status == RT_OK && run->compare)
		status = keep_expected(run, record, err);
	return status;
}

static enum rt_status read_records(struct run *run, struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status;
	uint32_t target;

	while ((status = rt_state_next_base(run->state, &record, &target, err)) == RT_OK) {
		status = take_record(run, record, target, err);
		if (status != RT_OK)
			return status;
	}
	return status == RT_END ? rt_results_finish(run->results, err) : status;
}

/*
 * Read the base. Where it is another file than the journal names, that is what is said, not what
 * may be wrong in it.
 */
static enum rt_status read_base(struct run *run, struct rt_error *err)
{
	struct rt_error read_err;
	enum rt_status read, status = rt_state_read(run->state, err);

	if (status != RT_OK)
		return status;
	read = read_records(run, &read_err);
	/* No export at all: then its digest does not matter. */
	if (read < 0 && read_err.code == RT_E_USAGE) {
		*err = read_err;
		return RT_FATAL;
	}
	status = rt_state_check_base(run->state, read == RT_OK, err);
	if (status == RT_REJECT) {
		rt_error_at(err, rt_state_options(run->state)->paths[0], NULL);
		return found(run, RT_VERIFY_BASE, 0);
	}
	if (status != RT_OK)
		return status;
	if (read != RT_OK)
		*err = read_err;
	return judge(run, RT_VERIFY_BASE, read, err);
}

/* --- The results ------------------------------------------------------------------------- */

/* Hold entry `step` + 1 against what executing it again has given. */
static enum rt_status check_result(struct run *run, uint32_t step, const struct rt_outcome *made,
				   struct rt_error *err)
{
	const struct rt_history_result *said =
	    &((const struct rt_history_result *)(const void *)run->history->results.data)[step];
	bool covers_notes = rt_journal_base(run->history->journal)->version > 1;
	char want[RT_SHA256_SHORT], have[RT_SHA256_SHORT];
	bool same = said->updated_count == made->updated_count &&
		    said->failed_count == made->failed_count &&
		    memcmp(said->sha256, made->sha256, sizeof(made->sha256)) == 0;

	if (same && (!covers_notes || memcmp(said->notes_sha256, made->notes_sha256,
					     sizeof(made->notes_sha256)) == 0))
		return RT_OK;
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
	(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, (uint64_t)step + 1);
	err->line = (uint64_t)step + 2;
	err->column = 1;
	return found(run, RT_VERIFY_RESULT, (uint64_t)step + 1);
}

static enum rt_status check_results(struct run *run, struct rt_error *err)
{
	uint32_t steps = rt_plan_steps(run->history->plan);
	enum rt_status status = RT_OK;

	for (uint32_t step = 0; status == RT_OK && step < steps; step++) {
		status = check_result(run, step, rt_results_outcome(run->results, step), err);
		run->report.entries = step + (status == RT_OK);
	}
	return status;
}

/* --- Values in messages ------------------------------------------------------------------ */

/* Bytes of a value that a message shows, and of the text before what differs. */
#define VALUE_BYTES 60u
#define VALUE_BEFORE 20u
#define VALUE_CAP (VALUE_BYTES + 12)
#define ELLIPSIS "\xE2\x80\xA6"

/* A value from a byte of it on, cut to fit, in quotes; no value is nothing. */
static void show_value(struct rt_slice value, size_t from, const char *quote, char text[VALUE_CAP])
{
	char part[VALUE_BYTES + 1];
	bool begins, ends;

	if (!value.ptr) {
		(void)snprintf(text, VALUE_CAP, "nothing");
		return;
	}
	/* Not in the middle of a character. */
	while (from > 0 && from < value.len && (value.ptr[from] & 0xC0) == 0x80)
		from--;
	begins = from == 0;
	rt_error_text(part, sizeof(part), rt_slice_make(value.ptr + from, value.len - from));
	ends = strlen(part) == value.len - from;
	(void)snprintf(text, VALUE_CAP, "%s%s%s%s%s", quote, begins ? "" : ELLIPSIS, part,
		       ends ? "" : ELLIPSIS, quote);
}

/* Two values that differ, from shortly before the place where they do. */
static void show_values(struct rt_slice want, struct rt_slice have, const char *quote,
			char want_text[VALUE_CAP], char have_text[VALUE_CAP])
{
	size_t from = 0;

	while (from < want.len && from < have.len && want.ptr[from] == have.ptr[from])
		from++;
	from = from > VALUE_BYTES - VALUE_BEFORE ? from - VALUE_BEFORE : 0;
	show_value(want, from, quote, want_text);
	show_value(have, from, quote, have_text);
}

/* --- The requests that are expected ------------------------------------------------------ */

/* A request of the files that is held against an entry. */
struct match {
	struct run *run;
	const struct rt_request_reader *reader;
	const struct rt_request *request;
	uint64_t entry;
};

/* Say where the request stands that err is about. */
static enum rt_status request_found(const struct match *m, struct rt_error *err)
{
	struct rt_origin origin;

	rt_request_reader_origin(m->reader, &origin);
	rt_error_at(err, origin.path, origin.member);
	err->line = origin.line;
	err->column = origin.column;
	err->offset = origin.offset;
	(void)snprintf(err->record, sizeof(err->record), "request %" PRIu64,
		       rt_request_reader_count(m->reader));
	return found(m->run, RT_VERIFY_REQUESTS, m->entry);
}

static enum rt_status request_differs(const struct match *m, const char *field,
				      struct rt_slice want, struct rt_slice have, const char *quote,
				      struct rt_error *err)
{
	char want_text[VALUE_CAP], have_text[VALUE_CAP];

	show_values(want, have, quote, want_text, have_text);
	(void)rt_error_set(err, RT_E_INPUT, "entry %" PRIu64 " has %s, the request has %s",
			   m->entry, want_text, have_text);
	rt_error_text(err->field, sizeof(err->field), rt_slice_of(field));
	return request_found(m, err);
}

/* Whether an id of the request is before it already. */
static bool id_repeats(const struct rt_request *request, unsigned id)
{
	for (unsigned i = 0; i < id; i++) {
		if (rt_slice_equal(request->ids[i], request->ids[id]))
			return true;
	}
	return false;
}

/* The distinct ids, in order of first mention. */
static enum rt_status match_ids(const struct match *m, const struct rt_step *step,
				struct rt_error *err)
{
	const struct rt_plan *plan = m->run->history->plan;
	struct rt_slice want = {NULL, 0}, have = {NULL, 0};
	uint32_t mention = step->first, end = step->first + step->count;
	unsigned id = 0, count = 0;
	char field[32];

	for (;; mention++, id++, count++) {
		while (mention < end && rt_plan_mention(plan, mention).repeat)
			mention++;
		while (id < m->request->id_count && id_repeats(m->request, id))
			id++;
		want = have = rt_slice_make(NULL, 0);
		if (mention < end)
			want = rt_plan_id(plan, rt_plan_mention(plan, mention).target);
		if (id < m->request->id_count)
			have = m->request->ids[id];
		if (!want.ptr && !have.ptr)
			return RT_OK;
		if (!want.ptr || !have.ptr || !rt_slice_equal(want, have))
			break;
	}
	(void)snprintf(field, sizeof(field), "/issue_ids/%u", count);
	return request_differs(m, field, want, have, "\"", err);
}

static struct rt_slice severity_text(int severity)
{
	return severity < 0 ? rt_slice_make(NULL, 0) : rt_severity_level((size_t)severity);
}

static struct rt_slice bool_text(int value)
{
	return value < 0 ? rt_slice_make(NULL, 0) : value ? RT_SLICE("true") : RT_SLICE("false");
}

static enum rt_status match_request(const struct match *m, struct rt_error *err)
{
	const struct rt_request *request = m->request;
	struct rt_step step = rt_plan_step(m->run->history->plan, (uint32_t)(m->entry - 1));
	enum rt_status status = match_ids(m, &step, err);

	if (status != RT_OK)
		return status;
	if (step.severity != request->severity)
		return request_differs(m, "/severity", severity_text(step.severity),
				       severity_text(request->severity), "\"", err);
	if (step.false_positive != request->false_positive)
		return request_differs(m, "/false_positive", bool_text(step.false_positive),
				       bool_text(request->false_positive), "", err);
	if (step.exploitable != request->exploitable)
		return request_differs(m, "/exploitable", bool_text(step.exploitable),
				       bool_text(request->exploitable), "", err);
	if (!step.notes.ptr != !request->notes.ptr ||
	    (step.notes.ptr && !rt_slice_equal(step.notes, request->notes)))
		return request_differs(m, "/notes", step.notes, request->notes, "\"", err);
	return RT_OK;
}

/* There are more requests than entries; all of them are counted, and the first is named. */
static enum rt_status too_many_requests(struct match *m, struct rt_request_reader *reader,
					uint64_t entries, struct rt_error *err)
{
	enum rt_status status;
	struct rt_error next;

	m->entry = 0;
	(void)rt_error_set(err, RT_E_INPUT, "too many");
	(void)request_found(m, err);
	do
		status = rt_request_reader_next(reader, &m->request, &next);
	while (status == RT_OK);
	if (status != RT_END) {
		*err = next;
		return status;
	}
	(void)snprintf(err->message, sizeof(err->message),
		       "the journal has %" PRIu64 " entr%s, but there are %" PRIu64 " requests",
		       entries, entries == 1 ? "y" : "ies", rt_request_reader_count(reader));
	return RT_REJECT;
}

static enum rt_status too_few_requests(struct run *run, uint64_t count, uint64_t entries,
				       struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT,
			   "want %" PRIu64 " request%s, one for each entry, have %" PRIu64, entries,
			   RT_S(entries), count);
	(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, count + 1);
	err->line = count + 2;
	err->column = 1;
	return found(run, RT_VERIFY_REQUESTS, count + 1);
}

static enum rt_status match_requests(struct run *run, struct rt_request_reader *reader,
				     struct rt_error *err)
{
	struct match m = {.run = run, .reader = reader};
	uint64_t entries = rt_plan_steps(run->history->plan);
	enum rt_status status;

	while ((status = rt_request_reader_next(reader, &m.request, err)) == RT_OK) {
		if (m.entry == entries)
			return too_many_requests(&m, reader, entries, err);
		m.entry++;
		status = match_request(&m, err);
		if (status != RT_OK)
			return status;
	}
	if (status == RT_END)
		status = m.entry < entries ? too_few_requests(run, m.entry, entries, err) : RT_OK;
	return status;
}

static enum rt_status check_requests(struct run *run, struct rt_error *err)
{
	struct rt_request_reader *reader = NULL;
	struct rt_options input = rt_request_options(
	    rt_state_options(run->state), run->asked->requests, run->asked->request_count);
	enum rt_status status = rt_request_reader_open(&input, &reader, err);

	if (status == RT_OK)
		status = match_requests(run, reader, err);
	rt_request_reader_free(reader);
	if (status == RT_REJECT && run->report.check == RT_VERIFY_REQUESTS)
		return status;
	/* Of a request with a fault no entry can have come. */
	return judge(run, RT_VERIFY_REQUESTS, status, err);
}

/* --- The export that is expected --------------------------------------------------------- */

/*
 * Hold a record of the export against the state; the first that is wrong is what err is about.
 * Returns RT_OK, or RT_FATAL with failed set.
 */
static enum rt_status check_record(struct run *run, const struct rt_dataset *expected,
				   const struct rt_record *record, struct rt_error *err,
				   struct rt_error *failed)
{
	struct rt_verify_counts *counts = &run->report.differences[record->kind];
	enum rt_compare_result result;
	enum rt_status status =
	    rt_compare_check(run->compare, record->kind, record->id, record->text, &result, failed);

	if (status != RT_OK || result == RT_COMPARE_SAME)
		return status;
	counts->different += result == RT_COMPARE_DIFFERENT || result == RT_COMPARE_MOVED;
	counts->extra += result == RT_COMPARE_EXTRA;
	if (run->report.compared)
		return RT_OK;
	run->report.compared = true;
	(void)rt_error_set(err, RT_E_INPUT, "want the state that the journal leads to, have %s",
			   result == RT_COMPARE_EXTRA   ? "a record that it does not have"
			   : result == RT_COMPARE_MOVED ? "rulesets in another order"
							: "other content");
	rt_dataset_blame(expected, err);
	(void)found(run, RT_VERIFY_EXPECT, 0);
	if (result != RT_COMPARE_DIFFERENT)
		return RT_OK;
	run->other_kind = record->kind;
	status = rt_buf_append(&run->other, record->text.ptr, record->text.len, failed);
	if (status == RT_OK)
		status = rt_buf_append(&run->other_id, record->id.ptr, record->id.len, failed);
	return status;
}

/* A notice about the export that is expected, and not about the base. */
static void pass_notice(void *ctx, const char *text)
{
	const struct run *run = ctx;
	const struct rt_options *options = rt_state_options(run->state);

	rt_notice(options, "%s: %s", run->asked->expect, text);
}

/* Name the member in which the first record that differs does so. */
static enum rt_status name_member(struct run *run, struct rt_error *err, struct rt_error *failed)
{
	struct rt_difference difference = {.name = {NULL, 0}};
	char want[VALUE_CAP], have[VALUE_CAP];
	struct rt_slice text;
	enum rt_status status = rt_state_text(run->state, &text, failed);

	if (status == RT_OK)
		status = rt_compare_member(run->compare, text, rt_buf_slice(&run->other),
					   &difference, failed);
	if (status != RT_OK || !difference.name.ptr)
		return status;
	show_values(difference.want, difference.have, "", want, have);
	(void)snprintf(err->message, sizeof(err->message), "want %s, have %s", want, have);
	rt_error_text(err->field, sizeof(err->field), difference.name);
	return RT_OK;
}

/* Take in a record of the base again, now that it is known that something differs. */
static enum rt_status look_again(struct run *run, const struct rt_record *record,
				 struct rt_error *err, struct rt_error *failed)
{
	if (record->kind == run->other_kind &&
	    rt_slice_equal(record->id, rt_buf_slice(&run->other_id)))
		return name_member(run, err, failed);
	if (!rt_compare_is_missing(run->compare, record->kind, record->id))
		return RT_OK;
	run->report.differences[record->kind].missing++;
	if (run->report.compared)
		return RT_OK;
	run->report.compared = true;
	(void)rt_error_set(err, RT_E_INPUT, "this record of the base is missing in %s",
			   run->asked->expect);
	rt_dataset_blame(rt_state_dataset(run->state), err);
	(void)found(run, RT_VERIFY_EXPECT, 0);
	return RT_OK;
}

/* Read the base once more, for what differs from it. err: what was found so far. */
static enum rt_status read_again(struct run *run, struct rt_error *err)
{
	const struct rt_record *record;
	struct rt_error failed;
	enum rt_status status = rt_state_again(run->state, &failed);
	uint32_t target;

	while (status == RT_OK &&
	       (status = rt_state_next_base(run->state, &record, &target, &failed)) == RT_OK)
		status = look_again(run, record, err, &failed);
	if (status == RT_END && run->report.compared)
		return RT_OK;
	if (status == RT_END)
		(void)rt_error_set(&failed, RT_E_IO,
				   "the journal's export changed while it was read");
	*err = failed;
	return RT_FATAL;
}

/* Add to a message how many records of a kind there are of which something is said. */
static void add_count(struct rt_error *err, const char **joint, uint64_t count, const char *kind,
		      const char *one, const char *many)
{
	size_t used = strlen(err->message);

	if (!count)
		return;
	(void)snprintf(err->message + used, sizeof(err->message) - used, "%s%" PRIu64 " %s%s %s",
		       *joint, count, kind, RT_S(count), count == 1 ? one : many);
	*joint = ", ";
}

/* Something differs: say how much does. */
static void add_counts(const struct run *run, struct rt_error *err)
{
	static const char *const kinds[] = {
	    [RT_KIND_ISSUE] = "issue", [RT_KIND_RULESET] = "ruleset"};
	const char *joint = "; in all, ";

	for (enum rt_kind kind = RT_KIND_ISSUE; kind <= RT_KIND_RULESET; kind++) {
		const struct rt_verify_counts *counts = &run->report.differences[kind];

		add_count(err, &joint, counts->different, kinds[kind], "differs", "differ");
		add_count(err, &joint, counts->missing, kinds[kind], "is missing", "are missing");
		add_count(err, &joint, counts->extra, kinds[kind], "is extra", "are extra");
	}
}

static enum rt_status check_expected(struct run *run, struct rt_error *err)
{
	struct rt_options options = *rt_state_options(run->state);
	struct rt_dataset *dataset = NULL;
	const struct rt_record *record;
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
		status = check_record(run, dataset, record, err, &failed);
	rt_dataset_free(dataset);
	if (status != RT_END) {
		/* An export with a fault is none to be counted in. */
		run->report.compared = false;
		*err = failed;
		return judge(run, RT_VERIFY_EXPECT, status, err);
	}
	if (!run->report.compared && !rt_compare_missing(run->compare))
		return RT_OK;
	status = read_again(run, err);
	if (status != RT_OK)
		return status;
	add_counts(run, err);
	return RT_REJECT;
}

/* --- Putting it together ----------------------------------------------------------------- */

static enum rt_status write_output(struct run *run, struct rt_error *err)
{
	const struct rt_options *options = rt_state_options(run->state);
	const struct rt_dataset *dataset = rt_state_dataset(run->state);
	enum rt_status status = rt_changes_finish(&run->changes, dataset, err);

	if (status == RT_OK)
		status = rt_rewrite(options, &run->changes.patches, rt_dataset_stamp(dataset),
				    run->replace, err);
	return status == RT_OK ? rt_replace_settle(run->replace, err) : status;
}

static enum rt_status send_report(struct run *run, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	char line[RT_ERROR_LINE_MAX + 64];
	enum rt_status status;
	size_t len;

	if (run->style.format == RT_FORMAT_TABLE) {
		rt_verify_report_line(&run->report, line, sizeof(line) - 1);
		len = strlen(line);
		line[len] = '\n';
		return run->sink.write(run->sink.ctx, line, len + 1, err);
	}
	status = rt_answer_init(&answer, run->style, err);
	if (status == RT_OK) {
		rt_verify_report_write(answer.writer, &run->report);
		status = rt_answer_send(&answer, &run->sink, err);
	}
	rt_answer_release(&answer);
	return status;
}

/*
 * All is known: what is written in files comes into its place, the state before the report; what
 * may well fail comes before both.
 */
static enum rt_status publish(struct run *run, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool written = false;
	int fd;

	if (run->report_file) {
		status = rt_replace_begin(run->report_file, &fd, err);
		if (status == RT_OK)
			status = send_report(run, err);
		if (status == RT_OK)
			status = rt_replace_settle(run->report_file, err);
	}
	if (status == RT_OK && run->report.valid && run->replace) {
		status = rt_replace_commit(run->replace, err);
		written = status == RT_OK;
	}
	if (status == RT_OK && run->report_file)
		status = rt_replace_commit(run->report_file, err);
	else if (status == RT_OK && run->sink.write)
		status = send_report(run, err);
	if (status != RT_OK && written)
		(void)strncat(err->message, "; the export is written all the same",
			      sizeof(err->message) - strlen(err->message) - 1);
	return status;
}

/* Open what is written; sink is left to the one who has no file. */
static enum rt_status open_targets(struct run *run, const struct rt_sink *sink,
				   struct rt_error *err)
{
	const struct rt_options *options = rt_state_options(run->state);
	const struct rt_verification *asked = run->asked;
	enum rt_status status =
	    rt_target_open(options, asked->output, false, sink, &run->replace, err);

	if (status == RT_OK)
		status = rt_target_open_results(options, asked->report, asked->output, NULL, 0,
						&run->report_file, err);
	if (run->report_file)
		run->sink = rt_replace_sink(run->report_file);
	else if (!rt_target_is_stream(asked->output))
		run->sink = *sink;
	return status;
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

static enum rt_status prepare(struct run *run, const struct rt_options *options,
			      const struct rt_sink *sink, struct rt_error *err)
{
	const struct rt_state_extras extras = {.again = true, .keep_results = true};
	enum rt_status status = rt_files_check(options, true, err);

	if (status == RT_OK && !options->journal)
		status = rt_error_set(err, RT_E_USAGE, "no journal is named");
	if (status == RT_OK && run->asked->output && options->duplicates != RT_DUPLICATES_REFUSE) {
		status = rt_error_set(err, RT_E_USAGE,
				      "--duplicates cannot go with -o, since an export that is "
				      "written keeps all of its records");
		rt_error_at(err, options->paths[0], NULL);
	}
	if (status == RT_OK)
		status = parse_head(run, err);
	if (status == RT_OK)
		status = check_target(run->asked, options, run->asked->output, err);
	if (status == RT_OK)
		status = check_target(run->asked, options, run->asked->report, err);
	if (status == RT_OK && streams(run->asked, options) > 1) {
		status = rt_error_set(err, RT_E_USAGE, "standard input is named twice");
		rt_error_at(err, "-", NULL);
	}
	if (status == RT_OK)
		status = rt_state_new(options, &extras, &run->state, err);
	if (status != RT_OK)
		return status;
	run->history = rt_state_history(run->state);
	status = open_targets(run, sink, err);
	if (status == RT_OK && run->asked->expect)
		status = rt_compare_new(&run->compare, err);
	return status;
}

static enum rt_status verify(struct run *run, struct rt_error *err)
{
	enum rt_status status = read_journal(run, err);

	if (status == RT_OK)
		status = make_remarks(run, err);
	if (status == RT_OK)
		status = rt_results_new(run->history->plan, 0, false, &run->results, err);
	if (status == RT_OK)
		status = read_base(run, err);
	if (status == RT_OK)
		status = check_results(run, err);
	if (status == RT_OK && run->asked->request_count)
		status = check_requests(run, err);
	if (status == RT_OK && run->asked->expect)
		status = check_expected(run, err);
	if (status == RT_OK && run->asked->output)
		status = write_output(run, err);
	/* The fault of a journal has its place; what is wrong with entries as a whole gets it. */
	if (status == RT_REJECT && !err->path[0])
		rt_error_at(err, rt_state_options(run->state)->journal, NULL);
	return status;
}

static void release(struct run *run)
{
	rt_replace_free(run->replace);
	rt_replace_free(run->report_file);
	rt_results_free(run->results);
	rt_compare_free(run->compare);
	rt_changes_release(&run->changes);
	rt_buf_release(&run->other);
	rt_buf_release(&run->other_id);
	rt_remarks_release(&run->report.remarks);
	rt_state_free(run->state);
}

enum rt_status rt_verify(const struct rt_options *options,
			 const struct rt_verification *verification, struct rt_style style,
			 const struct rt_sink *sink, bool *ret_valid, struct rt_error *err)
{
	struct run run = {
	    .asked = verification,
	    .style = style,
	    .changes.record_bytes = options->limits.record_bytes,
	};
	struct rt_error fault;
	enum rt_status status = prepare(&run, options, sink, err);

	if (status == RT_OK) {
		status = verify(&run, &fault);
		run.report.valid = status == RT_OK;
		run.report.fault = &fault;
		if (status < 0)
			*err = fault;
	}
	if (status == RT_OK || status == RT_REJECT) {
		struct rt_error sent;

		*ret_valid = run.report.valid;
		status = publish(&run, &sent);
		if (status != RT_OK)
			*err = sent;
		else if (run.report.valid && run.replace && !rt_target_is_stream(run.asked->output))
			rt_target_note(rt_state_options(run.state), run.asked->output);
	}
	release(&run);
	return status;
}
