/*
 * Whether an updated record is one that an export can hold: its members can be edited, and it does
 * not become too large.
 */
#include "engine/fit.h"

#include <inttypes.h>

#include "base/error.h"
#include "engine/edit.h"

/* More than sets a note apart from another. */
#define NOTE_GAP_MAX 300u

/* A note as small as they come, and two: their sizes tell what sets notes apart in a record. */
static const struct rt_slice one_note = {"{}", 2}, two_notes = {"{},{}", 5};

static uint32_t add_up(uint32_t sum, size_t more)
{
	return more < UINT32_MAX - sum ? sum + (uint32_t)more : UINT32_MAX;
}

void rt_note_sum_add(struct rt_note_sum *sum, const struct rt_plan *plan, uint32_t target)
{
	uint32_t mention = rt_plan_first(plan, target);

	while (mention != RT_PLAN_NONE) {
		struct rt_mention now = rt_plan_mention(plan, mention);
		struct rt_step step = rt_plan_step(plan, now.step);

		if (step.notes.len) {
			sum->count = add_up(sum->count, 1);
			sum->bytes = add_up(sum->bytes, rt_issue_note_size(&step));
		}
		mention = now.next;
	}
}

enum rt_status rt_fit_size(uint64_t bytes, uint64_t max, struct rt_error *err)
{
	if (bytes <= max)
		return RT_OK;
	(void)rt_error_set(err, RT_E_LIMIT,
			   "the updated issue exceeds --limit record=%" PRIu64 ": it has %" PRIu64
			   " bytes",
			   max, bytes);
	return RT_REJECT;
}

/* The size of a record that has been edited. */
static enum rt_status edited_size(const struct rt_record *issue, const struct rt_issue_edits *edits,
				  uint64_t *ret_bytes, struct rt_error *err)
{
	struct rt_patches patches = {0};
	enum rt_status status =
	    rt_edit_object(issue->text, edits->edits, edits->count, 0, 0, &patches, err);

	*ret_bytes = rt_edit_size(issue->text, &patches, 0);
	rt_patches_release(&patches);
	return status;
}

enum rt_status rt_fit_check(struct rt_issue_edits *edits, const struct rt_record *issue,
			    const struct rt_issue_state *base, const struct rt_issue_state *state,
			    const struct rt_plan *plan, const struct rt_note_sum *sum, uint64_t max,
			    struct rt_error *err)
{
	uint64_t with_one, with_two, bytes;
	enum rt_status status =
	    rt_issue_edits_to(edits, base, state, plan, sum->count ? one_note : RT_SLICE(""), err);

	if (status == RT_OK)
		status = edited_size(issue, edits, &with_one, err);
	if (status != RT_OK || sum->count == 0)
		return status == RT_OK ? rt_fit_size(with_one, max, err) : status;
	bytes = with_one - one_note.len + sum->bytes;
	if (bytes + (uint64_t)(sum->count - 1) * NOTE_GAP_MAX <= max)
		return RT_OK;
	status = rt_issue_edits_to(edits, base, state, plan, two_notes, err);
	if (status == RT_OK)
		status = edited_size(issue, edits, &with_two, err);
	if (status != RT_OK)
		return status;
	bytes += (sum->count - 1) * (with_two - with_one - one_note.len);
	return rt_fit_size(bytes, max, err);
}
