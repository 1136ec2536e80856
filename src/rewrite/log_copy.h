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
	uint32_t run;    /* number in its log */
	uint32_t result; /* number in its run */
	uint32_t before; /* of its run that are picked and before it; set by who asks */
	bool picked;
	bool filtered; /* it is not picked, since a filter is about others */
};

/* What is copied. {0} is nothing. */
struct rt_log_picks {
	struct rt_buf parts;       /* uint32_t: the numbers of those that are logs, in order */
	struct rt_buf results;     /* struct rt_log_pick, in order; others are no issues */
	struct rt_patches patches; /* of results that are picked; sorted */
	bool others;               /* results that are no issues are copied, too */
	bool used_runs;            /* runs of which no result is copied are left out */
};

/* What may be changed of a run on its way. */
enum rt_log_member {
	RT_LOG_RESULTS,
	RT_LOG_TOOL,
	RT_LOG_AUTOMATION, /* automationDetails */
	RT_LOG_SHARED,     /* what results mean by themselves: taxonomies, bases */
	RT_LOG_COLUMN_KIND,
	RT_LOG_POINTED, /* other tables that results point into by number */
	RT_LOG_OTHER,
	RT_LOG_RESULT, /* an element of results */
};

/* Runs that become one: the first of them that has an array of results, with the results of all. */
struct rt_log_joint {
	struct rt_spool body, tail; /* up to the last result, and from there on */
	uint64_t results;           /* so far */
};

/* What becomes of a run. */
struct rt_log_fate {
	bool dropped;
	struct rt_log_joint *joint; /* NULL: it stands by itself */
	bool heads;                 /* the joint: all of it is copied, of others their results */
};

/* Who looks at what is copied, and changes it. */
struct rt_log_shaper {
	void *ctx;
	/* A run begins. Returns as shape(). */
	enum rt_status (*begin)(void *ctx, uint32_t part, uint32_t number,
				struct rt_log_fate *ret_fate, struct rt_error *err);
	/* Whether a value that begins with a byte is handed to shape(). */
	bool (*wants)(void *ctx, enum rt_log_member member, char first);
	/* Append to out what a value, JSON text, becomes. Returns RT_OK or RT_FATAL with err set.
	 */
	enum rt_status (*shape)(void *ctx, enum rt_log_member member, struct rt_slice value,
				struct rt_buf *out, struct rt_error *err);
	/* A run ends: append to out what is put behind its last member, with a comma. Returns as
	 * shape(). */
	enum rt_status (*end)(void *ctx, struct rt_buf *out, struct rt_error *err);
};

/* The one log, in the making. */
struct rt_log_copy {
	struct rt_sink sink;
	const struct rt_log_shaper *shaper; /* NULL: all is copied as it is */
	struct rt_spool tail;               /* what follows the runs of the first log */
	bool begun;                         /* something was written */
	uint64_t runs;                      /* so far */
	uint64_t left_out;                  /* results that are no issues */
	uint64_t members; /* of logs, at the top, that only the first one's are copied of */
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

/* Add a run that was joined of others. */
enum rt_status rt_log_copy_joint(struct rt_log_copy *copy, struct rt_log_joint *joint,
				 struct rt_error *err);

/* Write what is before a run that comes from elsewhere. */
enum rt_status rt_log_copy_run(struct rt_log_copy *copy, struct rt_error *err);

/* Write the end. */
enum rt_status rt_log_copy_end(struct rt_log_copy *copy, struct rt_error *err);

void rt_log_copy_release(struct rt_log_copy *copy);
void rt_log_picks_release(struct rt_log_picks *picks);

#endif
