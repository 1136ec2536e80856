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

/* settings: borrowed. ret_runs: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_sarif_runs_new(const struct rt_report_settings *settings,
				 struct rt_sarif_runs **ret_runs, struct rt_error *err);

/* Add an issue. history: as a result of a log gets it. Returns RT_OK or RT_FATAL. */
enum rt_status rt_sarif_runs_add(struct rt_sarif_runs *runs, const struct rt_finding *finding,
				 const struct rt_result_history *history, struct rt_error *err);

/* So many of a kind; the id of the first one. */
struct rt_sarif_tally {
	uint64_t count;
	struct rt_buf example;
};

/* Count an issue. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_sarif_tally(struct rt_sarif_tally *count, const struct rt_finding *finding,
			      struct rt_error *err);

/* What has been added so far. Borrowed. */
struct rt_sarif_tallies {
	struct rt_sarif_tally fields; /* issues with undocumented members, which are lost */
	struct rt_sarif_tally lines;  /* issues that GitHub is told to be on line 1 */
	uint32_t most;                /* results of a run, before it became several */
};
const struct rt_sarif_tallies *rt_sarif_runs_tallies(const struct rt_sarif_runs *runs);

/* Add all runs to a log. Returns RT_OK or RT_FATAL. */
enum rt_status rt_sarif_runs_write(struct rt_sarif_runs *runs, struct rt_log_copy *copy,
				   struct rt_error *err);

/* NULL is allowed. */
void rt_sarif_runs_free(struct rt_sarif_runs *runs);

#endif
