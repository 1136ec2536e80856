/*
 * The inside of a log that is being read, shared by the files of its passes: look.c (is it a log),
 * check.c (the first pass), deliver.c (the last one) and sarif.c, which calls them.
 */
#ifndef RT_SARIF_LOG_H
#define RT_SARIF_LOG_H

#include "base/helper.h"
#include "sarif/ahead.h"
#include "sarif/batches.h"
#include "sarif/ids.h"

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

/* Which of them a key is, maybe escaped; LOG_MEMBERS: none. */
int rt_log_member(struct rt_slice key);

/* What is known of the top-level object (S1). */
struct log_top {
	bool has[LOG_MEMBERS]; /* met; of the last two, as an array */
	bool says_sarif;       /* "$schema" has it in its name */
};

/* Whether an object with these members is a log. */
bool rt_log_top_is(const struct log_top *top);

/* Check the value of `version` (S2). spot: its own, or of the object. value: absent for none. */
enum rt_status rt_log_check_version(struct rt_slice value, struct rt_sarif_fault *fault);

/* Where the first pass is. */
enum log_stage {
	LOG_TOP,      /* in the top-level object: a member */
	LOG_IN_RUNS,  /* in the array of runs: a run */
	LOG_IN_RUN,   /* a member */
	LOG_RESULTS,  /* in its results */
	LOG_IDENTIFY, /* likewise, once more, to identify them */
	LOG_KEPT,     /* after the run, among the results of it that were kept, likewise */
	LOG_AFTER,    /* after the object */
	LOG_CHECKED,  /* the pass is over */
};

/* Levels that are open around the elements of results. */
#define LOG_RESULT_LEVELS 4u

/* A run while its log is read. */
struct log_run {
	struct rt_sarif_run run;
	struct rt_sarif_notes notes;
	struct rt_sarif_spot start;
	struct rt_sarif_spot tables[RT_SARIF_TABLE_COUNT];
	bool has[RT_SARIF_TABLE_COUNT];
	bool has_results;             /* the member is there */
	bool is_list;                 /* and an array */
	bool is_wrong;                /* and something that it must not be */
	bool identified;              /* each issue with all tables */
	bool kept;                    /* each issue so far, until they can be */
	struct rt_sarif_spot results; /* the member's value */
	uint64_t result_count;        /* elements of the array */
	size_t first_id;              /* of its issues, in ids */
	/* The records of its issues are kept, as long as each could be made with its identity. */
	bool made;
	uint64_t made_at;                 /* bytes of those of the runs before */
	struct rt_sarif_notes made_notes; /* what making them has told */
};

/* A piece of the made text, and where it comes from: marks, until they are told. */
struct log_piece {
	struct rt_buf text;
	struct rt_buf marks;   /* of struct log_mark */
	struct rt_buf layouts; /* of struct rt_record_layout, likewise */
	uint64_t offset;       /* of its first byte in the made text */
	enum rt_status status;
	struct rt_error err; /* where that is a failure: after the text */
};

struct log_mark {
	uint64_t at;
	struct rt_place place;
};

struct rt_sarif {
	struct rt_sarif_hints hints;
	const struct rt_limits *limits;
	struct rt_sarif_source source;
	struct rt_sarif_cursor *cursor;
	bool is_log;
	uint64_t raw_at; /* no log: bytes given as they were */

	/* The first pass. */
	enum log_stage stage;
	bool first[LOG_AFTER]; /* of each list: nothing has been met in it */
	struct log_top top;
	struct rt_sarif_spot start;  /* of the top-level object */
	struct rt_sarif_spot resume; /* of the array of runs; where to go on after LOG_IDENTIFY */
	struct log_run **runs;
	size_t run_count, run_cap;
	uint64_t result;               /* the number of the one at hand, in its run */
	uint64_t metadata;             /* bytes of the tables of all runs before the last */
	bool no_runs;                  /* taken as no issues (S10) */
	struct rt_sarif_worker worker; /* this thread's; has its maker */
	struct rt_sarif_ahead ahead;
	struct rt_sarif_batches *batches; /* NULL: none yet, or none any more */
	bool alone;                       /* none any more: something is wrong */
	struct rt_sarif_ids ids;
	struct rt_sarif_store made; /* records */
	bool unmade;                /* nothing is kept there any more */
	struct rt_sarif_store kept; /* results of the run at hand */

	/* A fault that waits to be told. */
	enum rt_status held;
	struct rt_error held_err;

	/* The last pass. */
	bool begun, ended;
	bool delivers; /* the last pass has begun */
	struct rt_sarif_heads heads;
	size_t run;      /* the one at hand */
	bool in_results; /* there are more of its results */
	size_t id;       /* index of the next issue */
	struct log_piece pieces[2];
	size_t piece;            /* the one that is read */
	size_t given;            /* bytes of it */
	struct rt_helper helper; /* makes the other one meanwhile, where records are kept */
	bool helps;              /* it does now */
	bool no_help;            /* there is none */
	struct rt_buf marks;     /* of struct log_mark: those of pieces that were read */
	size_t mark;             /* the first one that is needed */
	struct rt_buf layouts;   /* of struct rt_record_layout, likewise */
	size_t layout;           /* likewise */
	bool is_dry;             /* only faults are wanted */
};

/*
 * Look over the top-level object, without the first pass's eyes: *ret_is: it is a log. Where its
 * version is wrong, or there is none, fault_err is that, and *ret_fault is set.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_log_recognise(struct rt_sarif *log, bool *ret_is, bool *ret_fault,
				struct rt_error *fault_err, struct rt_error *err);

/*
 * Go on with the first pass to its end or to the next fault.
 * Returns RT_END; RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_log_check(struct rt_sarif *log, struct rt_error *err);

/*
 * Have the next piece of the made text in log->pieces[log->piece], with some bytes of it.
 * Returns RT_OK; RT_END; RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_log_next_piece(struct rt_sarif *log, struct rt_error *err);

/* Look for the next fault of the last pass, which is over. Returns likewise. */
enum rt_status rt_log_deliver_dry(struct rt_sarif *log, struct rt_error *err);

/*
 * Make err of a fault. spot: of the value that fault->at points into, from which value starts; run
 * and result: numbers, or -1 for none. Returns status.
 */
enum rt_status rt_log_fault(const struct rt_sarif *log, enum rt_status status,
			    const struct rt_sarif_fault *fault, const struct rt_sarif_spot *spot,
			    const char *value, int64_t run, int64_t result, struct rt_error *err);

/* What the cursor is at is no array or object, as it has to be: go over it and name what it is.
 * run, result: as above. Returns RT_REJECT or RT_FATAL with err set. */
enum rt_status rt_log_refuse_value(struct rt_sarif *log, uint8_t types, const char *field,
				   int64_t run, int64_t result, struct rt_error *err);

/* The run at hand in the first pass. */
static inline struct log_run *rt_log_run(const struct rt_sarif *log)
{
	return log->runs[log->run_count - 1];
}

/* Have the tables of a run before they are come to, where that can be. Returns RT_OK; RT_END: it
 * cannot; RT_REJECT: all is to be read again, as after any fault while log->ahead.used is set. */
enum rt_status rt_log_look_ahead(struct rt_sarif *log, struct log_run *run);

/* What was kept of the records of a run, the last one, is of no use. */
void rt_log_drop_made(struct rt_sarif *log, struct log_run *run);

/* The results of a run come, or come again: which stage tells. The cursor is to enter the list
 * after it. Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_log_begin_results(struct rt_sarif *log, struct log_run *run, enum log_stage stage,
				    struct rt_error *err);

/* Go on with the next result, or leave the list for the next stage. Returns RT_OK; RT_REJECT or
 * RT_FATAL with err set. */
enum rt_status rt_log_next_result(struct rt_sarif *log, struct rt_error *err);

/* A run that the cursor is after has all its tables: go on with its results once more, to identify
 * them. Returns RT_OK; RT_REJECT or RT_FATAL with err set. */
enum rt_status rt_log_identify(struct rt_sarif *log, struct log_run *run, struct rt_error *err);

/* The same for the next result that was kept. */
enum rt_status rt_log_next_kept(struct rt_sarif *log, struct rt_error *err);

/* Tell the notes of all runs. Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_log_tell(const struct rt_sarif *log, struct rt_error *err);

#endif
