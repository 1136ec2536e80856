/*
 * What is told of a log: where its faults are, and, in a line for each kind, what is no fault
 * (SARIF.md S46).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_string.h"
#include "sarif/log.h"

enum rt_status rt_log_fault(const struct rt_sarif *log, const struct rt_sarif_fault *fault,
			    const struct rt_cursor_spot *spot, const char *value, int64_t run,
			    int64_t result, struct rt_error *err)
{
	struct rt_cursor_spot at = *spot;

	*err = fault->err;
	if (fault->status != RT_REJECT)
		return fault->status;
	if (fault->at && value)
		at = rt_cursor_spot_in(spot, value, fault->at);
	rt_cursor_tell(log->cursor, &at, err);
	if (result >= 0)
		(void)snprintf(err->record, sizeof(err->record), "run %" PRId64 ": result %" PRId64,
			       run, result);
	else if (run >= 0)
		(void)snprintf(err->record, sizeof(err->record), "run %" PRId64, run);
	return fault->status;
}

enum rt_status rt_log_refuse_value(struct rt_sarif *log, uint8_t types, const char *field,
				   int64_t run, int64_t result, struct rt_error *err)
{
	struct rt_cursor_spot spot = rt_cursor_here(log->cursor);
	struct rt_slice byte = {log->cursor->at, 1};
	struct rt_sarif_fault fault;
	enum rt_status status;

	rt_sarif_fault_clear(&fault);
	rt_sarif_is(byte, types, field, &fault);
	status = rt_cursor_skip(log->cursor, err);
	if (status != RT_OK)
		return status;
	return rt_log_fault(log, &fault, &spot, NULL, run, result, err);
}

/* A note: how often it was met, and in how many runs. */
struct met {
	uint64_t count, runs;
};

/* Pass a note on. message: without the runs, which are added where they are several. */
static enum rt_status tell(const struct rt_sarif *log, const struct met *met, const char *message,
			   struct rt_error *err)
{
	struct rt_error note;

	if (met && met->runs > 1)
		(void)rt_error_set(&note, RT_E_NONE, "%s (in %" PRIu64 " runs)", message,
				   met->runs);
	else
		(void)rt_error_set(&note, RT_E_NONE, "%s", message);
	return log->hints.note(log->hints.note_ctx, &note, err);
}

void rt_sarif_notes_level(struct rt_sarif_notes *notes, struct rt_slice word)
{
	size_t used = strlen(notes->levels);

	if (word.len > 32 || used + word.len + sizeof(", ") > sizeof(notes->levels) ||
	    memmem(notes->levels, used, word.ptr, word.len))
		return;
	(void)snprintf(notes->levels + used, sizeof(notes->levels) - used, "%s%.*s",
		       used ? ", " : "", (int)word.len, word.ptr);
}

void rt_sarif_notes_add(struct rt_sarif_notes *sum, const struct rt_sarif_notes *notes)
{
	const char *at = notes->levels;

	for (size_t i = 0; i < RT_SARIF_NOTE_COUNT; i++)
		sum->counts[i] += notes->counts[i];
	while (*at) {
		const char *end = strstr(at, "\", ");
		size_t len = end ? (size_t)(end + 1 - at) : strlen(at);

		rt_sarif_notes_level(sum, rt_slice_make(at, len));
		at += end ? len + 2 : len;
	}
}

/* Results that are no issues, all kinds in one line (S9). */
static enum rt_status tell_left_out(const struct rt_sarif *log, const struct met *met,
				    struct rt_error *err)
{
	static const struct {
		enum rt_sarif_note note;
		const char *name;
	} kinds[] = {{RT_SARIF_NOTE_PASS, "kind: pass"},
		     {RT_SARIF_NOTE_NOT_APPLICABLE, "kind: notApplicable"},
		     {RT_SARIF_NOTE_ABSENT, "baselineState: absent"}};
	struct met all = {0, 0};
	char text[256], list[192] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct met *one = &met[kinds[i].note];

		all.count += one->count;
		all.runs = one->runs > all.runs ? one->runs : all.runs;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t count = met[kinds[i].note].count;

		if (!count)
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
					 kinds[i].name);
		if (count < all.count)
			used +=
			    (size_t)snprintf(list + used, sizeof(list) - used, " %" PRIu64, count);
	}
	if (!all.count)
		return RT_OK;
	(void)snprintf(text, sizeof(text), "%" PRIu64 " result%s skipped (%s)", all.count,
		       RT_S(all.count), list);
	return tell(log, &all, text, err);
}

/* What the other kinds say, of one and of several after their number. */
static const struct {
	enum rt_sarif_note note;
	bool of_runs; /* a run is what is counted */
	const char *one, *several;
} words[] = {
    /* Their words follow (S6). */
    {RT_SARIF_NOTE_LEVEL, false, "result has a level that SARIF does not know",
     "results have levels that SARIF does not know"},
    {RT_SARIF_NOTE_CLEAN, true, "run succeeded without results: taken as no issues",
     "runs succeeded without results: taken as no issues"},
    {RT_SARIF_NOTE_FAILED_EMPTY, true,
     "run has no results: taken as no issues (--failed-runs accept)",
     "runs have no results: taken as no issues (--failed-runs accept)"},
    {RT_SARIF_NOTE_FAILED, true, "run failed (executionSuccessful is false); its results are read",
     "runs failed (executionSuccessful is false); their results are read"},
    {RT_SARIF_NOTE_PARTLY_FAILED, true,
     "run failed in part (executionSuccessful is false in some invocations) and has no results",
     "runs failed in part (executionSuccessful is false in some invocations) and have no results"},
    {RT_SARIF_NOTE_HALF, false, "half of a character (a surrogate) is read as U+FFFD",
     "halves of characters (surrogates) are read as U+FFFD"},
    {RT_SARIF_NOTE_EXTERNAL, false, "reference to an external file is ignored",
     "references to external files are ignored"},
    {RT_SARIF_NOTE_MESSAGE, false, "message has an id that is not found",
     "messages have ids that are not found"},
    {RT_SARIF_NOTE_SEVERITY, false, "value of security-severity is ignored",
     "values of security-severity are ignored"},
    {RT_SARIF_NOTE_WORD, false,
     "issue has neither level nor security-severity: its severity is the tool's own word",
     "issues have neither level nor security-severity: their severity is the tool's own word"},
    {RT_SARIF_NOTE_DEFAULT, false, "issue does not say how severe it is: taken as medium",
     "issues do not say how severe they are: taken as medium"},
    {RT_SARIF_NOTE_HOST, false,
     "path begins with the name of a host: in file://HOST/PATH the first word is one",
     "paths begin with the name of a host: in file://HOST/PATH the first word is one"},
    {RT_SARIF_NOTE_END, false, "suppression has an end that is no date: it is taken to have ended",
     "suppressions have ends that are no dates: they are taken to have ended"},
    {RT_SARIF_NOTE_ABOVE, false, "path leads above the folder that paths begin at",
     "paths lead above the folder that paths begin at"},
    {RT_SARIF_NOTE_ORDINAL, false, "issue has the identity of one of an earlier run",
     "issues have identities of issues of earlier runs"},
    {RT_SARIF_NOTE_GIVEN, false,
     "issue has an id that the log itself gives it: decisions and duplicates go by it",
     "issues have ids that the log itself gives them: decisions and duplicates go by them"},
    {RT_SARIF_NOTE_EQUAL, false,
     "issue differs from another of the log by its order alone: decide about both alike, since "
     "the next scan may number them otherwise",
     "issues differ from others of the log by their order alone: decide about equal ones alike, "
     "since the next scan may number them otherwise"},
};

/* Write each kind of note once. */
static enum rt_status tell_all(const struct rt_sarif *log, const struct met *met,
			       const char *levels, struct rt_error *err)
{
	enum rt_status status = tell_left_out(log, met, err);
	char text[256];

	for (size_t i = 0; status == RT_OK && i < sizeof(words) / sizeof(words[0]); i++) {
		const struct met *one = &met[words[i].note];
		const char *more = words[i].note == RT_SARIF_NOTE_LEVEL ? levels : "";

		if (!one->count || (words[i].note == RT_SARIF_NOTE_EQUAL && !log->hints.begins))
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s%s%s", one->count,
			       one->count == 1 ? words[i].one : words[i].several, *more ? ": " : "",
			       more);
		status = tell(log, words[i].of_runs ? NULL : one, text, err);
	}
	return status;
}

/* Note what a report tells of a run: tool, version, results. */
static enum rt_status list_run(struct rt_failed_scans *scans, const struct log_run *of,
			       struct rt_error *err)
{
	struct rt_scan_run said = {.results = of->result_count, .failed = of->run.failed};
	struct rt_slice name = of->run.driver;
	struct rt_buf decoded = {0};
	enum rt_status status = RT_OK;

	if (scans->run_count++ >= RT_SCAN_RUNS)
		return RT_OK;
	if (of->run.model.len > 2) /* without its quotes */
		status =
		    rt_json_string_text(rt_slice_make(of->run.model.ptr + 1, of->run.model.len - 2),
					&decoded, &name, err);
	rt_error_text(said.tool, sizeof(said.tool), name);
	if (status == RT_OK)
		status = rt_buf_append(&scans->runs, &said, sizeof(said), err);
	rt_buf_release(&decoded);
	return status;
}

/* Note whose run it is, and whether it says that its scan failed. */
static enum rt_status note_run(struct rt_failed_scans *scans, const struct log_run *of,
			       struct rt_error *err)
{
	const struct rt_sarif_run *run = &of->run;
	char tool[sizeof(scans->tool)];
	size_t size;

	rt_error_text(tool, sizeof(tool), run->driver);
	size = strlen(tool) + 1;
	if (run->failed && !scans->count++)
		memcpy(scans->tool, tool, size);
	if (list_run(scans, of, err) != RT_OK)
		return RT_FATAL;
	if (scans->tools.len >= size &&
	    memcmp(scans->tools.data + scans->tools.len - size, tool, size) == 0)
		return RT_OK;
	return rt_buf_append(&scans->tools, tool, size, err);
}

enum rt_status rt_log_tell(const struct rt_sarif *log, struct rt_error *err)
{
	struct met met[RT_SARIF_NOTE_COUNT] = {{0, 0}};
	struct rt_sarif_notes all = {{0}, ""};
	enum rt_status status = RT_OK;

	if (!log->hints.note || log->failed)
		return RT_OK;
	for (size_t i = 0; i < log->run_count; i++) {
		const uint64_t *counts = log->runs[i]->notes.counts;

		rt_sarif_notes_add(&all, &log->runs[i]->notes);
		for (size_t kind = 0; kind < RT_SARIF_NOTE_COUNT; kind++) {
			met[kind].runs += counts[kind] > 0;
		}
		if (log->hints.failed && note_run(log->hints.failed, log->runs[i], err) != RT_OK)
			return RT_FATAL;
	}
	for (size_t kind = 0; kind < RT_SARIF_NOTE_COUNT; kind++)
		met[kind].count = all.counts[kind];
	met[RT_SARIF_NOTE_HALF].count = log->cursor->mended;
	if (log->no_runs && log->hints.accept_failed)
		status = tell(log, NULL, "no runs: taken as no issues (--failed-runs accept)", err);
	return status == RT_OK ? tell_all(log, met, all.levels, err) : status;
}
