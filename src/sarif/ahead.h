/*
 * Tables of a run that follow its results, taken before them from where they seem to stand, so that
 * issues can be identified and made as they come by. It is a guess: the first pass proves it when
 * it gets there, or all is read again without one.
 */
#ifndef RT_SARIF_AHEAD_H
#define RT_SARIF_AHEAD_H

#include "base/siphash.h"
#include "sarif/cursor.h"
#include "sarif/run.h"

struct rt_sarif_ahead {
	bool tried; /* a log has one guess at most */
	bool used;  /* tables were taken, and are not proven yet */
	struct rt_siphash_key key;
	struct rt_sarif_ahead_table {
		bool taken;
		uint64_t offset; /* of its value */
		uint64_t digest; /* of its text */
	} tables[RT_SARIF_TABLE_COUNT];
};

/* Where to look, and for what. */
struct rt_sarif_ahead_task {
	struct rt_sarif_source *source; /* its hints have again() and size */
	const struct rt_limits *limits;
	uint64_t from;   /* offset of the results */
	uint32_t levels; /* arrays and objects that are open around the members of a run */
	const bool *has; /* of each table: it was met before the results */
	uint64_t most;   /* bytes that a table's text may have */
	struct rt_sarif_run *run;
	struct rt_sarif_notes *notes;
};

/*
 * Take tables, and finish all. ahead: fresh; filled in.
 * Returns RT_OK; RT_END: none were found, and the run is as it was; RT_REJECT: tables were found
 * that cannot be right, or could not be read, and the run is of no use.
 */
enum rt_status rt_sarif_ahead_take(struct rt_sarif_ahead *ahead,
				   const struct rt_sarif_ahead_task *task);

/* Whether a table is the one that was taken: the offset and text of its value. Each is asked for
 * once. */
bool rt_sarif_ahead_meet(struct rt_sarif_ahead *ahead, enum rt_sarif_table table, uint64_t offset,
			 struct rt_slice value);

/* The run has ended. Whether all tables that were taken have been met: the guess was right. */
bool rt_sarif_ahead_end(struct rt_sarif_ahead *ahead);

#endif
