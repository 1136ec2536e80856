/*
 * Issues of exports as runs of a SARIF log (SARIF.md S47 to S51): one for each tool, scan and
 * repository, whose results wait in a temporary file until its rules are known.
 */
#ifndef RT_OUTPUT_SARIF_RUNS_H
#define RT_OUTPUT_SARIF_RUNS_H

#include "base/spool.h"
#include "engine/edit_result.h"
#include "output/kind.h"
#include "rewrite/log_copy.h"

/* Results of a run that GitHub takes: where a run has more, it becomes several. */
#define RT_GITHUB_RESULTS 25000u

struct rt_sarif_runs;

/* texts: borrowed, of the finding that is added, with the settings; faults stick there, also that
 * of this, which returns NULL then. */
struct rt_sarif_runs *rt_sarif_runs_new(struct rt_texts *texts);

/* Add the finding. history: as a result of a log gets it. */
void rt_sarif_runs_add(struct rt_sarif_runs *runs, const struct rt_result_history *history);

/* So many of a kind; the id of the first one. */
struct rt_sarif_tally {
	uint64_t count;
	struct rt_buf example;
};

/* Count the finding. */
void rt_sarif_tally(struct rt_sarif_tally *count, struct rt_texts *texts);

/* What has been added so far. Borrowed. */
struct rt_sarif_tallies {
	struct rt_sarif_tally fields; /* issues with undocumented members, which are lost */
	struct rt_sarif_tally lines;  /* issues that GitHub is told to be on line 1 */
	uint32_t most;                /* results of a run, before it became several */
};
const struct rt_sarif_tallies *rt_sarif_runs_tallies(const struct rt_sarif_runs *runs);

/* Add all runs to a log. */
void rt_sarif_runs_write(struct rt_sarif_runs *runs, struct rt_log_copy *copy);

/* NULL is allowed. */
void rt_sarif_runs_free(struct rt_sarif_runs *runs);

#endif
