/*
 * From updates to patches: of the issues that a plan mentions, the ranges of the source that become
 * something else. JSON is patched on the way; the records of YAML source are collected, and found
 * again in a pass over the parts that have some.
 */
#include "engine/changes.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/edit.h"
#include "engine/fit.h"
#include "files/files.h"
#include "formats/yaml_edit.h"

/* A record in YAML source, which is edited when it is found again. */
struct yaml_item {
	uint64_t offset;
	uint32_t part;
	uint32_t target; /* of the plan */
	struct rt_issue_state base;
};

/* Edit the current record into patches. */
static enum rt_status edit_record(struct rt_changes *changes, const struct rt_dataset *dataset,
				  const struct rt_record *issue, const struct rt_origin *origin,
				  struct rt_patches *patches, struct rt_error *err)
{
	size_t first = rt_patches_count(patches);
	enum rt_status status = rt_edit_record(issue, changes->edits.edits, changes->edits.count,
					       origin->part, origin->offset, patches, err);

	if (status == RT_OK)
		/* What is written must be readable again. */
		status = rt_fit_size(rt_edit_size(issue->text, patches, first),
				     changes->record_bytes, err);
	if (status != RT_REJECT)
		return status;
	rt_dataset_blame(dataset, err);
	return RT_FATAL;
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
	struct rt_slice text = rt_sarif_result(rt_dataset_log(dataset));
	struct rt_issue_state base = rt_result_state_of(issue);
	size_t first = rt_patches_count(&changes->patches);
	struct rt_origin origin;
	enum rt_status status = RT_OK;

	changes->edits.count = 0;
	if (target != RT_PLAN_NONE)
		status = rt_issue_edits_make(&changes->edits, &base, plan, target, err);
	if (status != RT_OK)
		return status;
	rt_dataset_origin(dataset, &origin);
	status =
	    rt_edit_result(&changes->editor, text, issue->id, &changes->edits, &changes->history,
			   origin.part, origin.offset, &changes->patches, err);
	if (status == RT_OK)
		status = rt_fit_size(rt_edit_size(text, &changes->patches, first),
				     changes->record_bytes, err);
	if (status == RT_REJECT)
		rt_dataset_blame(dataset, err);
	return status == RT_REJECT ? RT_FATAL : status;
}

enum rt_status rt_changes_add(struct rt_changes *changes, const struct rt_dataset *dataset,
			      const struct rt_record *issue, const struct rt_plan *plan,
			      uint32_t target, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_issue_state base;
	struct rt_origin origin;
	struct yaml_item item;

	rt_dataset_origin(dataset, &origin);
	/* The record that the result will make must fit, too. */
	if (origin.form == RT_TEXT_SARIF) {
		status = target == RT_PLAN_NONE
			     ? RT_OK
			     : rt_changes_check(changes, dataset, issue, plan, target, err);
		return status == RT_OK ? edit_result(changes, dataset, issue, plan, target, err)
				       : status;
	}
	/* The editor of YAML would find the same faults, but does not know the issue. */
	if (origin.form == RT_TEXT_YAML) {
		status = rt_changes_check(changes, dataset, issue, plan, target, err);
		item = (struct yaml_item){.offset = origin.offset,
					  .part = origin.part,
					  .target = target,
					  .base = rt_issue_state_of(issue)};
		if (status == RT_OK && changes->edits.count)
			status = rt_buf_append(&changes->yaml, &item, sizeof(item), err);
		return status;
	}
	base = rt_issue_state_of(issue);
	status = rt_issue_edits_make(&changes->edits, &base, plan, target, err);
	if (status == RT_OK && changes->edits.count)
		status = edit_record(changes, dataset, issue, &origin, &changes->patches, err);
	return status;
}

static enum rt_status pull_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

/* Makes the edits of the records of a part, one after the other. */
struct editing {
	struct rt_changes *changes;
	const struct rt_plan *plan;
	const struct yaml_item *items;
};

static enum rt_status make_edits(void *ctx, size_t index, struct rt_yaml_record *record,
				 struct rt_error *err)
{
	struct editing *editing = ctx;
	const struct yaml_item *item = &editing->items[index];
	struct rt_issue_edits *edits = &editing->changes->edits;
	enum rt_status status =
	    rt_issue_edits_make(edits, &item->base, editing->plan, item->target, err);

	record->edits = edits->edits;
	record->edit_count = edits->count;
	return status;
}

/* Edit the count records of the part that has been opened. */
static enum rt_status edit_part(struct editing *editing, struct rt_parts *parts,
				const struct rt_part *part, const struct rt_limits *limits,
				size_t count, struct rt_error *err)
{
	struct rt_pull pull = {pull_part, parts};
	struct rt_yaml_record *list = calloc(count, sizeof(*list));
	const struct rt_yaml_records records = {list, count, make_edits, editing};
	enum rt_status status;

	if (!list)
		return rt_error_nomem(err);
	for (size_t i = 0; i < count; i++)
		list[i].offset = editing->items[i].offset;
	status = rt_yaml_edit(pull, limits, &records, editing->items[0].part,
			      &editing->changes->patches, err);
	if (status != RT_OK)
		rt_error_at(err, part->path, part->member);
	free(list);
	return status;
}

static enum rt_status edit_parts(struct rt_changes *changes, struct rt_parts *parts,
				 const struct rt_plan *plan, const struct rt_options *options,
				 struct rt_error *err)
{
	struct editing editing = {changes, plan,
				  (const struct yaml_item *)(const void *)changes->yaml.data};
	size_t left = changes->yaml.len / sizeof(*editing.items);
	const struct rt_part *part;
	enum rt_status status = RT_OK;

	for (uint32_t number = 0; (status = rt_parts_next(parts, &part, err)) == RT_OK; number++) {
		size_t count = 0;

		while (count < left && editing.items[count].part == number)
			count++;
		if (count == 0)
			continue;
		status = edit_part(&editing, parts, part, &options->limits, count, err);
		if (status != RT_OK)
			return status;
		editing.items += count;
		left -= count;
	}
	return status;
}

static enum rt_status find_yaml(struct rt_changes *changes, const struct rt_plan *plan,
				const struct rt_options *options, uint64_t stamp,
				struct rt_error *err)
{
	struct rt_parts *parts = NULL;
	enum rt_status status = rt_parts_open(options, &parts, err);

	if (status == RT_OK)
		status = edit_parts(changes, parts, plan, options, err);
	if (status == RT_END && rt_parts_stamp(parts) != stamp)
		status = rt_files_refuse_changed(options, err);
	rt_parts_free(parts);
	return status < 0 ? RT_FATAL : RT_OK;
}

enum rt_status rt_changes_finish(struct rt_changes *changes, const struct rt_plan *plan,
				 const struct rt_options *options, uint64_t stamp,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (changes->yaml.len)
		status = find_yaml(changes, plan, options, stamp, err);
	if (status == RT_OK)
		rt_patches_sort(&changes->patches);
	return status;
}

void rt_changes_release(struct rt_changes *changes)
{
	rt_patches_release(&changes->patches);
	rt_issue_edits_release(&changes->edits);
	rt_result_editor_release(&changes->editor);
	rt_buf_release(&changes->yaml);
}
