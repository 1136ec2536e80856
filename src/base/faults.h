/*
 * Faults of a validation, packed until the report is written.
 */
#ifndef RT_BASE_FAULTS_H
#define RT_BASE_FAULTS_H

#include "base/buf.h"

/* A run of a SARIF log: its tool with the version, masked; empty: it has no name. */
struct rt_scan_run {
	char tool[128];
	uint64_t results;
	bool failed;
};

/* Runs that are listed; the others are counted. */
#define RT_SCAN_RUNS 20u

/* Runs of SARIF logs, and those that say that their scan failed, wholly or in part (SARIF.md S10).
 */
struct rt_failed_scans {
	uint64_t count;
	char tool[128]; /* of the first one; empty: it has no name */
	struct rt_buf
	    tools;          /* of all runs, a name and a NUL each, as often as they follow others */
	struct rt_buf runs; /* the first ones, struct rt_scan_run */
	uint64_t run_count;
};

/* {0} is an empty list. */
struct rt_faults {
	struct rt_buf packed;
	uint64_t count;                /* faults found */
	uint64_t listed;               /* of them kept: at most RT_FAULTS_LISTED_MAX */
	struct rt_failed_scans failed; /* of the inputs */
};

/* Add a fault. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_faults_add(struct rt_faults *faults, const struct rt_error *fault,
			     struct rt_error *err);

/*
 * Unpack the next listed fault. at: 0 at first, kept by the caller. The texts of ret_fault are
 * whole; its sys is not kept. Returns false after the last.
 */
bool rt_faults_next(const struct rt_faults *faults, size_t *at, struct rt_error *ret_fault);

void rt_faults_release(struct rt_faults *faults);

#endif
