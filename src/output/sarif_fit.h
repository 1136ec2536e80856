/*
 * What is changed in logs while they are copied into one: addresses of results, which have other
 * numbers there, and what GitHub does not take.
 */
#ifndef RT_OUTPUT_SARIF_FIT_H
#define RT_OUTPUT_SARIF_FIT_H

#include "output/settings.h"
#include "rewrite/log_copy.h"

/* What GitHub takes of each: more is refused. */
#define RT_GITHUB_RUNS 20u
#define RT_GITHUB_RULES 25000u
#define RT_GITHUB_EXTENSIONS 100u
#define RT_GITHUB_TAGS 20u
#define RT_GITHUB_LOCATIONS 1000u
#define RT_GITHUB_STEPS 10000u

/* Logs that are copied, of one data set. */
struct rt_log_side {
	const struct rt_options *options;
	uint64_t stamp;
	struct rt_log_picks picks;
};

/* How often something was changed. */
struct rt_fit_counts {
	uint64_t links;           /* whose result is not there */
	uint64_t locations, tags; /* beyond what GitHub takes */
	uint64_t flows;           /* with steps beyond that */
	uint64_t rules;           /* equal to others, which got a guid */
	uint64_t runs;            /* that were emptied by a filter */
	uint64_t joined;          /* runs that became part of another */
	uint64_t left_out;        /* results of the first that are no issues */
	uint64_t most_results, most_rules, most_extensions;
};

/*
 * Copy the logs of some data sets. for_github: runs that a filter has emptied are left out, those
 * of one tool and category are joined where their tool and tables agree, and refused else.
 * category: empty: runs keep theirs. counts: added to.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_sarif_fit_copy(struct rt_log_copy *copy, struct rt_log_side *sides, size_t count,
				 const struct rt_report_settings *settings,
				 struct rt_fit_counts *counts, struct rt_error *err);

/* Put a category: {tool} is the name of the tool, {n} the number of the run among those of that
 * tool, from 1. */
void rt_put_category(struct rt_put *put, struct rt_slice category, struct rt_slice tool,
		     uint32_t number);

/* Whether each run of a tool has a category of its own by that. */
bool rt_category_counts(struct rt_slice category);

#endif
