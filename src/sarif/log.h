/*
 * The inside of a log that is being read, shared by the files of its passes: check.c and results.c
 * (the first pass), deliver.c (the second one) and sarif.c, which calls them.
 */
#ifndef RT_SARIF_LOG_H
#define RT_SARIF_LOG_H

#include "base/faults.h"
#include "sarif/result.h"
#include "sarif/sarif.h"
#include "scan/cursor.h"

/* Levels that are open around the elements of results. */
#define LOG_RESULT_LEVELS 4u

/* The members at the top of a log that are read. */
enum log_member {
	LOG_VERSION,
	LOG_SCHEMA,
	LOG_RUNS,
	LOG_INLINE, /* inlineExternalProperties */
	LOG_ISSUES, /* of an export: what has one as an array is no log */
	LOG_RULESETS,
	LOG_MEMBERS
};

/* A run while its log is read. */
struct log_run {
	struct rt_sarif_run run;
	struct rt_sarif_notes notes;
	struct rt_cursor_spot start;
	struct rt_cursor_spot tables[RT_SARIF_TABLE_COUNT];
	bool has[RT_SARIF_TABLE_COUNT];
	bool has_results;              /* the member is there */
	bool is_list;                  /* and an array */
	bool is_wrong;                 /* and something that it must not be */
	bool identified;               /* each issue so far, with all tables so far */
	struct rt_cursor_spot results; /* the member's value */
	uint64_t result_count;         /* elements of the array */
	size_t first_id;               /* of its issues, in ids */
};

/* The identities of its issues, in the order of the log. */
struct rt_sarif_ids {
	struct rt_sarif_identity *list; /* in room */
	size_t count;
	struct rt_buf room;
};

struct rt_sarif {
	struct rt_sarif_hints hints;
	const struct rt_limits *limits;
	struct rt_cursor *cursor;
	struct rt_sarif_maker *maker;
	struct log_run **runs; /* in run_list */
	size_t run_count;
	struct rt_buf run_list;
	struct rt_sarif_ids ids;

	/* The bytes of its text: pulled once, and read as often as needed from where they came, or
	 * from a temporary file. */
	struct rt_pull pull;
	uint64_t kept;         /* bytes that have been pulled and can be read again */
	int fd;                /* of the temporary file, or -1 */
	enum rt_status pulled; /* RT_OK so far; else there are no more */
	struct rt_error pull_err;

	/* Where either pass is. */
	bool first;        /* no result of the list has been met */
	uint64_t result;   /* the number of the next one, in its run */
	uint64_t repeated; /* bytes made of results, with what they repeat of their run */

	/* The first pass. */
	bool has[LOG_MEMBERS];       /* members at the top that have been met */
	struct rt_cursor_spot start; /* of the top-level object */
	uint64_t metadata;           /* bytes of the tables of all runs before the last */
	bool no_runs;                /* taken as no issues (S10) */
	bool whole;                  /* it came to the end */
	struct rt_faults faults;     /* what it found */
	size_t fault;                /* place of the next one to be told */

	/* The second pass. */
	bool ended;
	bool failed;        /* a fault was told: no record is delivered after it */
	size_t run;         /* number of the next one */
	bool in_results;    /* of the one before it */
	size_t id;          /* index of the next issue */
	struct rt_buf made; /* the record delivered last */
	struct rt_slice value;
	struct rt_scan *scan; /* of records that have values of somebody else; NULL: not yet */
};

/* The first pass: all of the log is checked, as far as it can be understood, and its faults kept.
 * Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_log_check(struct rt_sarif *log, struct rt_error *err);

/*
 * Keep a fault of the first pass. status: what something has come to that is over. Returns RT_OK:
 * go on; RT_END: nothing that follows is looked at; RT_FATAL with err set.
 */
enum rt_status rt_log_judge(struct rt_sarif *log, enum rt_status status, struct rt_error *err);

/*
 * The next record of the second pass.
 * Returns RT_OK; RT_END; RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_log_deliver(struct rt_sarif *log, struct rt_record *ret_record,
			      struct rt_error *err);

/* The place of a spot of the log (ctx) in its part. */
struct rt_place rt_log_place(const void *ctx, const struct rt_cursor_spot *spot);

/*
 * Make err of a fault. spot: of the value that fault->at points into, from which value starts; run
 * and result: numbers, or -1 for none. Returns fault->status.
 */
enum rt_status rt_log_fault(const struct rt_sarif *log, const struct rt_sarif_fault *fault,
			    const struct rt_cursor_spot *spot, const char *value, int64_t run,
			    int64_t result, struct rt_error *err);

/* What the cursor is at is no array or object, as it has to be: go over it and name what it is.
 * run, result: as above. Returns RT_REJECT or RT_FATAL with err set. */
enum rt_status rt_log_refuse_value(struct rt_sarif *log, uint8_t types, const char *field,
				   int64_t run, int64_t result, struct rt_error *err);

/* The current run in the first pass. */
static inline struct log_run *rt_log_run(const struct rt_sarif *log)
{
	return log->runs[log->run_count - 1];
}

/* Go to the results of a run, the cursor being at them. Returns RT_OK; RT_REJECT or RT_FATAL with
 * err set. */
enum rt_status rt_log_enter_results(struct rt_sarif *log, struct rt_error *err);

/*
 * Take the next result. ret_text: absent where it is no object: the cursor is still at it then.
 * ret_cut: as rt_sarif_result_read() wants it.
 * Returns RT_OK; RT_END after the last; RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_log_take_result(struct rt_sarif *log, struct rt_slice *ret_text, bool *ret_cut,
				  struct rt_error *err);

/*
 * Count what was made of the result that was taken and identified last. more: bytes besides; run:
 * its number. Returns RT_OK; RT_REJECT with err set: results repeat more of their runs than may be.
 */
enum rt_status rt_log_count(struct rt_sarif *log, uint64_t more, int64_t run, struct rt_error *err);

/*
 * Go over the results of the last run, which the cursor is at: check them, and identify them as far
 * as the tables are there; again: identify what was checked before.
 * Returns as rt_log_judge(), or RT_REJECT with err set.
 */
enum rt_status rt_log_read_results(struct rt_sarif *log, bool again, struct rt_error *err);

/* Tell the notes of all runs. Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_log_tell(const struct rt_sarif *log, struct rt_error *err);

/* --- ids.c: which of equal issues each is (S18, S19) ------------------------------------------ */

/* Add an issue. text: its result. Returns RT_OK or RT_FATAL (RT_E_NOMEM, RT_E_LIMIT). */
enum rt_status rt_sarif_ids_add(struct rt_sarif_ids *ids, const struct rt_sarif_identity *identity,
				struct rt_slice text, struct rt_error *err);

/* Whether a result is the one that an identity was added with: a file that is written through a
 * mapping may keep its times. */
bool rt_sarif_ids_is(const struct rt_sarif_identity *identity, struct rt_slice text);

/*
 * Number equal ones, but for ids of their own: sorted by run, place and message. Those, and ids
 * that the log gives, are counted in the notes of their runs. Takes 16 bytes more an
 * issue for the time of the call. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_sarif_ids_number(struct rt_sarif *log, struct rt_error *err);

#endif
