/*
 * What the passes over a log do with one result: look at it, identify it, make its record. Two
 * threads may, each with a maker of its own; the tables of a run are only read.
 */
#ifndef RT_SARIF_WORK_H
#define RT_SARIF_WORK_H

#include "sarif/cursor.h"
#include "sarif/made.h"
#include "sarif/result.h"

/* What is to be done with results of a run. */
struct rt_sarif_task {
	const struct rt_sarif_run *run;
	uint64_t skipped; /* bytes of the part before the log's text */
	bool check;       /* all that is read of them; else that was done before */
	bool entry;       /* they are entries, else text */
	bool identify;    /* those that are issues */
	bool make;        /* their records as well */
};

/* With what. */
struct rt_sarif_worker {
	struct rt_sarif_maker *maker;
	struct rt_buf made;               /* records, in the form in which they are kept */
	struct rt_sarif_notes notes;      /* of reading and checking */
	struct rt_sarif_notes made_notes; /* of making records */
};

/* What has become of a result. */
struct rt_sarif_done {
	bool issue;      /* it is one */
	bool identified; /* else, where that was to be done: it was refused */
	bool made; /* its record is at the end of worker->made; else, likewise: it was refused */
	struct rt_sarif_identity identity;
};

/* maker: borrowed or owned, as the caller sees to it. */
void rt_sarif_worker_release(struct rt_sarif_worker *worker);

/*
 * Do what there is to do with a result. value: its text, from '{' to '}', or its entry; spot: of
 * its first byte in the log. A fault of an entry has no place. Returns RT_OK; RT_REJECT or RT_FATAL
 * with fault set. That an issue cannot be identified is a fault only where it was checked before,
 * for a table that tells may still follow; what keeps its record from being made is none, for it
 * comes up again when it is needed.
 */
enum rt_status rt_sarif_work(struct rt_sarif_worker *worker, const struct rt_sarif_task *task,
			     struct rt_slice value, const struct rt_sarif_spot *spot,
			     struct rt_sarif_done *ret_done, struct rt_sarif_fault *fault);

/*
 * Make the record of the result read and identified last by maker. text: it is
 * appended there. ret_record: borrowed from it.
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set.
 */
enum rt_status rt_sarif_record_make(struct rt_sarif_maker *maker, const struct rt_sarif_task *task,
				    struct rt_slice value, const struct rt_sarif_spot *spot,
				    struct rt_buf *text, struct rt_sarif_notes *notes,
				    struct rt_sarif_made_record *ret_record,
				    struct rt_sarif_fault *fault);

#endif
