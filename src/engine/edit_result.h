/*
 * Decisions about an issue, written into the result of a SARIF log that it was made from: level,
 * suppressions and properties.retriage alone differ (SARIF.md S40 to S44).
 */
#ifndef RT_ENGINE_EDIT_RESULT_H
#define RT_ENGINE_EDIT_RESULT_H

#include "base/map.h"
#include "base/patch.h"
#include "engine/issue_state.h"

/* Memory that is used again for the next result. {0} is an empty one. */
struct rt_result_editor {
	struct rt_patches entries; /* of a suppression */
	struct rt_buf list, entry, bag, decoded, place;
	struct rt_siphash_key key; /* of hashes of suppressions, from the first one on */
	bool has_key;
};

/* What GitHub wants of each result (S50), for those that lack it: JSON strings. */
struct rt_result_fit {
	struct rt_slice message; /* its text */
	struct rt_slice uri;     /* of its first location */
	bool texts, lines;       /* set: it had no such text; no line, and was given the first */
};

/* What a comparison with an earlier scan says of a result (S55): JSON strings; absent: nothing. */
struct rt_result_history {
	struct rt_slice state;     /* baselineState */
	struct rt_slice since;     /* firstDetectionTimeUtc */
	struct rt_result_fit *fit; /* NULL: for any reader */
};

/*
 * The state that an issue has in a log: an update that sets its flag is written even where a later
 * one has taken that back, as it is when each is a run of its own.
 */
struct rt_issue_state rt_result_state_of(const struct rt_record *issue);

/*
 * Add the patches that edit a result. result: its text, checked. id: of the issue, decoded. edits:
 * made from rt_result_state_of(). history: NULL for none. part, origin, patches: as for
 * rt_edit_object(), but they may be added out of order. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_edit_result(struct rt_result_editor *editor, struct rt_slice result,
			      struct rt_slice id, const struct rt_issue_edits *edits,
			      const struct rt_result_history *history, uint32_t part,
			      uint64_t origin, struct rt_patches *patches, struct rt_error *err);

void rt_result_editor_release(struct rt_result_editor *editor);

#endif
