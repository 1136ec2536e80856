/*
 * What a plan changes in the source of an export: the patches of its parts.
 */
#ifndef RT_ENGINE_CHANGES_H
#define RT_ENGINE_CHANGES_H

#include "base/patch.h"
#include "engine/dataset.h"
#include "engine/edit_result.h"
#include "engine/issue_state.h"

/* Empty where only record_bytes is set. */
struct rt_changes {
	struct rt_patches patches;
	uint64_t record_bytes;       /* the limit "record": an edited one must be within it too */
	struct rt_issue_edits edits; /* of the current record */
	struct rt_result_editor editor;   /* of results of logs */
	struct rt_result_history history; /* of the next one */
	/* Of the first edited record of YAML with anchors inside, if some are used across records;
	 * without a code: there has been none. */
	struct rt_error refusal;
};

/*
 * Add the changes of an issue that the data set has just delivered.
 * plan, target: whose updates; borrowed for the call. Of a log,
 * target may be RT_PLAN_NONE: changes->history alone is written.
 * Returns RT_OK, or RT_FATAL with err set, place included, where it cannot be edited.
 */
enum rt_status rt_changes_add(struct rt_changes *changes, const struct rt_dataset *dataset,
			      const struct rt_record *issue, const struct rt_plan *plan,
			      uint32_t target, struct rt_error *err);

/*
 * Whether the record of that issue can be edited so, where its source is not to be written: what
 * an update of a journal, or an answer, says must be what an export can hold.
 * Returns as rt_changes_add().
 */
enum rt_status rt_changes_check(struct rt_changes *changes, const struct rt_dataset *dataset,
				const struct rt_record *issue, const struct rt_plan *plan,
				uint32_t target, struct rt_error *err);

/*
 * All issues have been added, and the data set has been read to its end: bring the patches into
 * order. Returns RT_OK, or RT_FATAL with err set where a record with anchors is edited, and YAML of
 * the data set uses anchors of records elsewhere: which of them is not known.
 */
enum rt_status rt_changes_finish(struct rt_changes *changes, const struct rt_dataset *dataset,
				 struct rt_error *err);

void rt_changes_release(struct rt_changes *changes);

#endif
