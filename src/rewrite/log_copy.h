/*
 * SARIF logs copied into one log (SARIF.md S54): runs as they are, with those results that are
 * picked, and patches in these. Nothing is made anew.
 */
#ifndef RT_REWRITE_LOG_COPY_H
#define RT_REWRITE_LOG_COPY_H

#include "base/patch.h"
#include "base/spool.h"

/* An issue of a log: where its result begins, as rt_origin has it. */
struct rt_log_pick {
	uint64_t offset;
	uint32_t part;
	uint32_t run; /* number in its log */
	bool picked;
};

/* What is copied. {0} is nothing. */
struct rt_log_picks {
	struct rt_buf parts;       /* uint32_t: the numbers of those that are logs, in order */
	struct rt_buf results;     /* struct rt_log_pick, in order; others are no issues */
	struct rt_patches patches; /* of results that are picked; sorted */
	bool others;               /* results that are no issues are copied, too */
	bool used_runs;            /* runs of which no result is copied are left out */
};

/* The one log, in the making. */
struct rt_log_copy {
	struct rt_sink sink;
	struct rt_spool tail; /* what follows the runs of the first log */
	bool begun;           /* something was written */
	uint64_t runs;        /* so far */
	uint64_t left_out;    /* results that are no issues */
	uint64_t members;     /* of logs, at the top, that only the first one's are copied of */
};

/* sink: copied; its ctx is borrowed until the release. */
void rt_log_copy_init(struct rt_log_copy *copy, const struct rt_sink *sink);

/*
 * Add the runs of the logs of a data set, which are read once more. options: can be read again.
 * stamp: of the pass that the picks come from; files that have changed since are refused.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_log_copy_add(struct rt_log_copy *copy, const struct rt_options *options,
			       const struct rt_log_picks *picks, uint64_t stamp,
			       struct rt_error *err);

/* Write what is before a run that comes from elsewhere. */
enum rt_status rt_log_copy_run(struct rt_log_copy *copy, struct rt_error *err);

/* Write the end. */
enum rt_status rt_log_copy_end(struct rt_log_copy *copy, struct rt_error *err);

void rt_log_copy_release(struct rt_log_copy *copy);
void rt_log_picks_release(struct rt_log_picks *picks);

#endif
