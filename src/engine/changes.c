/*
 * From updates to patches: of the issues that a plan mentions, the ranges of the source that become
 * something else. Of JSON it is the members that are edited; a record of YAML is written anew from
 * its edited text, for which it must be no alias, and nobody else may need its anchors.
 */
#include "engine/changes.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/edit.h"
#include "formats/yaml_write.h"

/* What a change of the current record has come to. */
static enum rt_status told(const struct rt_dataset *dataset, enum rt_status status,
			   struct rt_error *err)
{
	if (status == RT_REJECT)
		rt_dataset_blame(dataset, err);
	return status == RT_REJECT ? RT_FATAL : status;
}

/* Edit the current record into patches. */
static enum rt_status edit_record(struct rt_changes *changes, const struct rt_dataset *dataset,
				  const struct rt_record *issue, const struct rt_origin *origin,
				  struct rt_patches *patches, struct rt_error *err)
{
	size_t first = rt_patches_count(patches);
	struct rt_fault fault = {RT_OK, err};

	RT_STEP(&fault, rt_edit_object(issue->text, changes->edits.edits, changes->edits.count,
				       origin->part, origin->offset, patches, err));
	RT_STEP(&fault, rt_edit_fits(issue->text, patches, first, changes->record_bytes, err));
	return told(dataset, fault.status, err);
}

enum rt_status rt_changes_check(struct rt_changes *changes, const struct rt_dataset *dataset,
				const struct rt_record *issue, const struct rt_plan *plan,
				uint32_t target, struct rt_error *err)
{
	static const struct rt_origin nowhere = {0};
	struct rt_issue_state base = rt_issue_state_of(issue);
	enum rt_status status = rt_issue_edits_make(&changes->edits, &base, plan, target, err);
	struct rt_patches dropped = {0};

	if (status == RT_OK && changes->edits.count)
		status = edit_record(changes, dataset, issue, &nowhere, &dropped, err);
	rt_patches_release(&dropped);
	return status;
}

/* Edit the result of a log that the current record was made of. */
static enum rt_status edit_result(struct rt_changes *changes, const struct rt_dataset *dataset,
				  const struct rt_record *issue, const struct rt_plan *plan,
				  uint32_t target, struct rt_error *err)
{
	struct rt_slice text = rt_sarif_result(rt_dataset_reader(dataset)->view.text.log);
	struct rt_issue_state base = rt_result_state_of(issue);
	size_t first = rt_patches_count(&changes->patches);
	struct rt_fault fault = {RT_OK, err};
	struct rt_origin origin;

	changes->edits.count = 0;
	if (target != RT_PLAN_NONE)
		RT_STEP(&fault, rt_issue_edits_make(&changes->edits, &base, plan, target, err));
	rt_reader_origin(rt_dataset_reader(dataset), &origin);
	RT_STEP(&fault, rt_edit_result(&changes->editor, text, issue->id, &changes->edits,
				       &changes->history, origin.part, origin.offset,
				       &changes->patches, err));
	RT_STEP(&fault, rt_edit_fits(text, &changes->patches, first, changes->record_bytes, err));
	return told(dataset, fault.status, err);
}

/* Refuse the current record, whose extent or anchors do not allow it to be written anew. */
static enum rt_status refuse_yaml(const struct rt_dataset *dataset, const char *want,
				  const char *have, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s where it is changed, have %s", want, have);
	return told(dataset, RT_REJECT, err);
}

/* Whether the current record, of YAML, can be written anew, as far as is known here. */
static enum rt_status check_yaml(struct rt_changes *changes, const struct rt_dataset *dataset,
				 const struct rt_origin *origin, struct rt_error *err)
{
	if (!origin->extent.style || origin->extent.end < origin->offset)
		return refuse_yaml(dataset, "an issue that is written out", "an alias", err);
	if (origin->extent.style & RT_STYLE_ANCHORED)
		return refuse_yaml(dataset, "an issue without an anchor on it or around it", "one",
				   err);
	if (origin->extent.style & RT_STYLE_RESPELLED)
		return refuse_yaml(
		    dataset, "an issue whose numbers are written as in JSON",
		    "one like 08, 0o7 or .5e3, which a new record would lose: quote it", err);
	if (origin->extent.style & RT_STYLE_ANCHORS && changes->refusal.code == RT_E_NONE)
		(void)refuse_yaml(dataset, "an issue without an anchor inside",
				  "one in an export whose aliases cross issues", &changes->refusal);
	return RT_OK;
}

/* Write the current record anew as YAML. */
static enum rt_status edit_yaml(struct rt_changes *changes, const struct rt_dataset *dataset,
				const struct rt_record *issue, const struct rt_origin *origin,
				struct rt_error *err)
{
	static const struct rt_origin nowhere = {0};
	struct rt_buf json = {0}, yaml = {0};
	struct rt_patches patches = {0};
	struct rt_patch patch = {.part = origin->part, .offset = origin->offset};
	struct rt_fault fault = {RT_OK, err};

	RT_STEP(&fault, edit_record(changes, dataset, issue, &nowhere, &patches, err));
	RT_STEP(&fault, check_yaml(changes, dataset, origin, err));
	RT_STEP(&fault, rt_edit_apply(issue->text, &patches, 0, &json, err));
	RT_STEP(&fault, rt_yaml_write(rt_buf_slice(&json), origin->extent.style, &yaml, err));
	patch.len = origin->extent.end - origin->offset;
	patch.text = rt_buf_slice(&yaml);
	RT_STEP(&fault, rt_patches_add(&changes->patches, patch, err));
	rt_patches_release(&patches);
	rt_buf_release(&json);
	rt_buf_release(&yaml);
	return fault.status;
}

enum rt_status rt_changes_add(struct rt_changes *changes, const struct rt_dataset *dataset,
			      const struct rt_record *issue, const struct rt_plan *plan,
			      uint32_t target, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_issue_state base;
	struct rt_origin origin;

	rt_reader_origin(rt_dataset_reader(dataset), &origin);
	/* The record that the result will make must fit, too. */
	if (origin.form == RT_TEXT_SARIF) {
		status = target == RT_PLAN_NONE
			     ? RT_OK
			     : rt_changes_check(changes, dataset, issue, plan, target, err);
		return status == RT_OK ? edit_result(changes, dataset, issue, plan, target, err)
				       : status;
	}
	base = rt_issue_state_of(issue);
	status = rt_issue_edits_make(&changes->edits, &base, plan, target, err);
	if (status != RT_OK || !changes->edits.count)
		return status;
	if (origin.form == RT_TEXT_YAML)
		return edit_yaml(changes, dataset, issue, &origin, err);
	return edit_record(changes, dataset, issue, &origin, &changes->patches, err);
}

enum rt_status rt_changes_finish(struct rt_changes *changes, const struct rt_dataset *dataset,
				 struct rt_error *err)
{
	if (changes->refusal.code != RT_E_NONE && rt_dataset_reader(dataset)->crosses) {
		*err = changes->refusal;
		return RT_FATAL;
	}
	rt_patches_sort(&changes->patches);
	return RT_OK;
}

void rt_changes_release(struct rt_changes *changes)
{
	rt_patches_release(&changes->patches);
	rt_issue_edits_release(&changes->edits);
	rt_result_editor_release(&changes->editor);
}
