/*
 * Words for what is no fault of a log (SARIF.md S46). Input: counts. Output: a line for each kind.
 */
#include <inttypes.h>
#include <stdio.h>

#include "sarif/log.h"

#define NOTE_BYTES 256u

static void tell(const struct rt_sarif *log, const char *text)
{
	log->hints.note(log->hints.note_ctx, text);
}

/* Results that are no issues, all kinds in one line (S9). */
static void tell_left_out(const struct rt_sarif *log, size_t index, const uint64_t *counts)
{
	static const struct {
		enum rt_sarif_note note;
		const char *name;
	} kinds[] = {{RT_SARIF_NOTE_PASS, "pass"},
		     {RT_SARIF_NOTE_NOT_APPLICABLE, "notApplicable"},
		     {RT_SARIF_NOTE_ABSENT, "absent"}};
	char text[NOTE_BYTES], list[NOTE_BYTES / 2] = "";
	uint64_t sum = 0;
	size_t used = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t count = counts[kinds[i].note];

		if (!count)
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s %" PRIu64,
					 sum ? ", " : "", kinds[i].name, count);
		sum += count;
	}
	if (!sum)
		return;
	(void)snprintf(text, sizeof(text), "run %zu: %" PRIu64 " result%s %s (%s)", index, sum,
		       RT_S(sum), sum == 1 ? "is no finding" : "are no findings", list);
	tell(log, text);
}

/* Words of the other kinds: of one, and of several after their number. */
static const struct {
	enum rt_sarif_note note;
	const char *one, *several;
	bool counted;
} words[] = {
    {RT_SARIF_NOTE_FAILED_EMPTY, "the scan has no results and is taken as one without issues", NULL,
     false},
    {RT_SARIF_NOTE_FAILED, "executionSuccessful is false, but there are results, which are read",
     NULL, false},
    {RT_SARIF_NOTE_PARTLY_FAILED,
     "executionSuccessful is false in a part of the invocations, and there are no results", NULL,
     false},
    {RT_SARIF_NOTE_EXTERNAL, "reference to an external file is ignored",
     "references to external files are ignored", true},
    {RT_SARIF_NOTE_MESSAGE, "message has an id that is not found",
     "messages have ids that are not found", true},
    {RT_SARIF_NOTE_SEVERITY, "value of security-severity is passed over",
     "values of security-severity are passed over", true},
    {RT_SARIF_NOTE_ORDINAL, "issue is told by its ordinal from one of an earlier run",
     "issues are told by their ordinals from those of earlier runs", true},
};

void rt_log_tell(const struct rt_sarif *log)
{
	char text[NOTE_BYTES];

	if (!log->hints.note || log->is_dry)
		return;
	if (log->no_runs)
		tell(log, "there is no run, which is taken as one without issues");
	for (size_t i = 0; i < log->run_count; i++) {
		const uint64_t *counts = log->runs[i]->notes.counts;

		tell_left_out(log, i, counts);
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			uint64_t count = counts[words[w].note];

			if (!count)
				continue;
			if (words[w].counted)
				(void)snprintf(text, sizeof(text), "run %zu: %" PRIu64 " %s", i,
					       count, count == 1 ? words[w].one : words[w].several);
			else
				(void)snprintf(text, sizeof(text), "run %zu: %s", i, words[w].one);
			tell(log, text);
		}
	}
}
