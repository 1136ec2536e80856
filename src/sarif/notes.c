/*
 * What is told of a log: where its faults are, and in words what is no fault (SARIF.md S46). Input:
 * faults and counts. Output: an error with its place and record; a line for each kind of note.
 */
#include <inttypes.h>
#include <stdio.h>

#include "sarif/log.h"

enum rt_status rt_log_fault(const struct rt_sarif *log, enum rt_status status,
			    const struct rt_sarif_fault *fault, const struct rt_sarif_spot *spot,
			    const char *value, int64_t run, int64_t result, struct rt_error *err)
{
	struct rt_sarif_spot at = *spot;

	*err = fault->err;
	if (status != RT_REJECT)
		return status;
	if (fault->at && value)
		at = rt_sarif_spot_in(spot, value, fault->at);
	rt_sarif_spot_place(&at, log->hints.skipped, err);
	if (result >= 0)
		(void)snprintf(err->record, sizeof(err->record), "run %" PRId64 ": result %" PRId64,
			       run, result);
	else if (run >= 0)
		(void)snprintf(err->record, sizeof(err->record), "run %" PRId64, run);
	return status;
}

enum rt_status rt_log_refuse_value(struct rt_sarif *log, uint8_t types, const char *field,
				   int64_t run, int64_t result, struct rt_error *err)
{
	struct rt_sarif_spot spot = rt_sarif_cursor_spot(log->cursor);
	struct rt_slice byte = {log->cursor->at, 1};
	struct rt_sarif_fault fault;
	enum rt_status status;

	(void)rt_sarif_is(byte, types, field, &fault);
	fault.at = NULL;
	status = rt_sarif_cursor_skip(log->cursor, err);
	if (status != RT_OK)
		return status;
	return rt_log_fault(log, RT_REJECT, &fault, &spot, NULL, run, result, err);
}

/* Pass a note on. run: its number, or -1 for the log. */
static enum rt_status tell(const struct rt_sarif *log, int64_t run, const char *message,
			   struct rt_error *err)
{
	struct rt_error note;

	(void)rt_error_set(&note, RT_E_NONE, "%s", message);
	if (run >= 0)
		(void)snprintf(note.record, sizeof(note.record), "run %" PRId64, run);
	return log->hints.note(log->hints.note_ctx, &note, err);
}

/* Results that are no issues, all kinds in one line (S9). */
static enum rt_status tell_left_out(const struct rt_sarif *log, int64_t run, const uint64_t *counts,
				    struct rt_error *err)
{
	static const struct {
		enum rt_sarif_note note;
		const char *name;
	} kinds[] = {{RT_SARIF_NOTE_PASS, "pass"},
		     {RT_SARIF_NOTE_NOT_APPLICABLE, "notApplicable"},
		     {RT_SARIF_NOTE_ABSENT, "absent"}};
	char text[256], list[128] = "";
	uint64_t sum = 0;
	size_t used = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t count = counts[kinds[i].note];

		if (count)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s %" PRIu64,
						 sum ? ", " : "", kinds[i].name, count);
		sum += count;
	}
	if (!sum)
		return RT_OK;
	(void)snprintf(text, sizeof(text), "%" PRIu64 " result%s %s (%s)", sum, RT_S(sum),
		       sum == 1 ? "is no finding" : "are no findings", list);
	return tell(log, run, text, err);
}

/* Words of the other kinds: of one, and of several after their number. */
static const struct {
	enum rt_sarif_note note;
	bool counted;
	const char *one, *several;
} words[] = {
    {RT_SARIF_NOTE_FAILED_EMPTY, false,
     "this scan has no results, which is taken as no issues (--failed-runs accept)", NULL},
    {RT_SARIF_NOTE_FAILED, false,
     "executionSuccessful is false, but there are results, which are read", NULL},
    {RT_SARIF_NOTE_PARTLY_FAILED, false,
     "executionSuccessful is false in some invocations, and there are no results", NULL},
    {RT_SARIF_NOTE_EXTERNAL, true, "reference to an external file is ignored",
     "references to external files are ignored"},
    {RT_SARIF_NOTE_MESSAGE, true, "message has an id that is not found",
     "messages have ids that are not found"},
    {RT_SARIF_NOTE_SEVERITY, true, "value of security-severity is passed over",
     "values of security-severity are passed over"},
    {RT_SARIF_NOTE_ORDINAL, true, "issue has the identity of one of an earlier run",
     "issues have identities of issues of earlier runs"},
};

static enum rt_status tell_run(const struct rt_sarif *log, size_t run, struct rt_error *err)
{
	const uint64_t *counts = log->runs[run]->notes.counts;
	enum rt_status status = tell_left_out(log, (int64_t)run, counts, err);
	char text[256];

	for (size_t i = 0; status == RT_OK && i < sizeof(words) / sizeof(words[0]); i++) {
		uint64_t count = counts[words[i].note];

		if (!count)
			continue;
		if (words[i].counted)
			(void)snprintf(text, sizeof(text), "%" PRIu64 " %s", count,
				       count == 1 ? words[i].one : words[i].several);
		else
			(void)snprintf(text, sizeof(text), "%s", words[i].one);
		status = tell(log, (int64_t)run, text, err);
	}
	return status;
}

enum rt_status rt_log_tell(const struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!log->hints.note || log->is_dry)
		return RT_OK;
	if (log->no_runs && log->hints.accept_failed)
		status = tell(log, -1,
			      "there is no run, which is taken as no issues (--failed-runs accept)",
			      err);
	for (size_t i = 0; status == RT_OK && i < log->run_count; i++)
		status = tell_run(log, i, err);
	return status;
}
