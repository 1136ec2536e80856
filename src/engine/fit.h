/*
 * Whether what updates make of a record is still a record that an export can hold: SPEC D22.
 */
#ifndef RT_ENGINE_FIT_H
#define RT_ENGINE_FIT_H

#include "engine/issue_state.h"

/* The notes that updates add to an issue. Each stays at UINT32_MAX once it is there. */
struct rt_note_sum {
	uint32_t count;
	uint32_t bytes; /* of their JSON texts, without what sets them apart */
};

/* Add the notes of a target's updates. */
void rt_note_sum_add(struct rt_note_sum *sum, const struct rt_plan *plan, uint32_t target);

/*
 * Hold a record's size after updates against the limit "record".
 * bytes: its size then. max: the limit. Returns RT_OK, or RT_REJECT with err set (RT_E_LIMIT).
 */
enum rt_status rt_fit_size(uint64_t bytes, uint64_t max, struct rt_error *err);

/*
 * Whether updates can be carried out on an issue's record, in an export that is not at hand to be
 * written, and whose earlier updates are known by their outcome alone.
 *
 * issue: as the export has it; base: its state. state: after all updates; changed_by names one of
 * plan, or nothing has been changed. sum: of all updates. max: the limit "record", in bytes.
 * edits: used up. Returns RT_OK; RT_REJECT with err set, its place excepted, where a member cannot
 * be edited (rt_edit_object()) or the record becomes too large; RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_fit_check(struct rt_issue_edits *edits, const struct rt_record *issue,
			    const struct rt_issue_state *base, const struct rt_issue_state *state,
			    const struct rt_plan *plan, const struct rt_note_sum *sum, uint64_t max,
			    struct rt_error *err);

#endif
