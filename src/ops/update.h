/*
 * Updates that the program itself has made up, and not read from requests.
 */
#ifndef RT_OPS_UPDATE_H
#define RT_OPS_UPDATE_H

#include "state/state.h"

struct rt_made {
	struct rt_plan *plan;  /* the updates; the callee owns it */
	struct rt_buf carried; /* for each of them a JSON object of where its decision was first
				* made, and a NUL; borrowed; empty: all are made here */
	/* What they were made for, and what has to be there still: */
	uint32_t entries; /* in the journal */
	uint8_t sha256[RT_SHA256_BYTES];
	bool has_sha256; /* of the export */
};

/* Whether a journal is there to be read; one that is not may be begun by this. path: NULL: none. */
bool rt_made_has_journal(const char *path);

/* An export has been read, with its digest, and its journal: updates are made for these. */
void rt_made_for(struct rt_made *made, struct rt_state *state);

/*
 * Append updates to the journal of an export as rt_apply() does, without results. The requests of
 * update are not looked at. Returns RT_OK or RT_FATAL: RT_E_USAGE where the journal is of a version
 * that cannot name what was carried, RT_E_IO where the journal or the export is no longer as it
 * was.
 */
enum rt_status rt_apply_made(const struct rt_options *options, const struct rt_update *update,
			     struct rt_made *made, struct rt_update_counts *ret_counts,
			     struct rt_error *err);

#endif
