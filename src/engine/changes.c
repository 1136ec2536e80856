/*
 * From updates to patches. Input: the issues of an export that a plan mentions. Output: the ranges
 * of its source that become something else. JSON is patched on the way; the records of YAML source
 * are collected, and found again in a pass over the parts that have some.
 * Refuses records that cannot be edited without harm to others.
 */
#include "engine/changes.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/edit.h"
#include "engine/fit.h"
#include "files/files.h"
#include "text/yaml_edit.h"

/* A record in YAML source. */
struct yaml_item {
	uint64_t offset;
	uint32_t part;
	uint32_t edit_count;
	size_t first_edit; /* in changes->yaml_edits */
};

/* One of its edits; the value lies in changes->yaml_text. */
struct yaml_edit_item {
	enum rt_edit_kind kind;
	struct rt_slice name; /* static storage */
	size_t value_at, value_len;
};

static enum rt_status collect_yaml(struct rt_changes *changes, const struct rt_origin *origin,
				   struct rt_error *err)
{
	struct yaml_item item = {
	    .offset = origin->offset,
	    .part = origin->part,
	    .edit_count = (uint32_t)changes->edits.count,
	    .first_edit = changes->yaml_edits.len / sizeof(struct yaml_edit_item),
	};
	enum rt_status status = rt_buf_append(&changes->yaml, &item, sizeof(item), err);

	for (size_t i = 0; status == RT_OK && i < changes->edits.count; i++) {
		const struct rt_edit *edit = &changes->edits.edits[i];
		struct yaml_edit_item kept = {edit->kind, edit->name, changes->yaml_text.len,
					      edit->value.len};

		status = rt_buf_append(&changes->yaml_text, edit->value.ptr, edit->value.len, err);
		if (status == RT_OK)
			status = rt_buf_append(&changes->yaml_edits, &kept, sizeof(kept), err);
	}
	return status;
}

/* Edit the record at hand into patches. */
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

enum rt_status rt_changes_add(struct rt_changes *changes, const struct rt_dataset *dataset,
			      const struct rt_record *issue, const struct rt_plan *plan,
			      uint32_t target, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_issue_state base;
	struct rt_origin origin;

	rt_dataset_origin(dataset, &origin);
	/* The editor of YAML would find the same faults, but does not know the issue. */
	if (origin.form == RT_TEXT_YAML) {
		status = rt_changes_check(changes, dataset, issue, plan, target, err);
		if (status == RT_OK && changes->edits.count)
			status = collect_yaml(changes, &origin, err);
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

/* Lay out records as rt_yaml_edit() takes them. */
static void lay_out(const struct rt_changes *changes, const struct yaml_item *items, size_t count,
		    struct rt_yaml_record *records, struct rt_edit *edits)
{
	const struct yaml_edit_item *kept =
	    (const struct yaml_edit_item *)(const void *)changes->yaml_edits.data;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		records[i] =
		    (struct rt_yaml_record){items[i].offset, edits + used, items[i].edit_count};
		for (size_t e = 0; e < items[i].edit_count; e++) {
			const struct yaml_edit_item *from = &kept[items[i].first_edit + e];

			edits[used++] =
			    (struct rt_edit){from->kind, from->name,
					     rt_slice_make(changes->yaml_text.data + from->value_at,
							   from->value_len)};
		}
	}
}

/* Edit the count records of the part that has been opened. */
static enum rt_status edit_part(struct rt_changes *changes, struct rt_parts *parts,
				const struct rt_part *part, const struct rt_limits *limits,
				const struct yaml_item *items, size_t count, struct rt_error *err)
{
	struct rt_pull pull = {pull_part, parts};
	struct rt_yaml_record *records = calloc(count, sizeof(*records));
	struct rt_edit *edits = calloc(count, RT_EDITS_MAX * sizeof(*edits));
	enum rt_status status;

	if (!records || !edits) {
		status = rt_error_nomem(err);
		goto out;
	}
	lay_out(changes, items, count, records, edits);
	status = rt_yaml_edit(pull, limits, records, count, items[0].part, &changes->patches, err);
	if (status != RT_OK)
		rt_error_at(err, part->path, part->member);
out:
	free(records);
	free(edits);
	return status;
}

static enum rt_status edit_parts(struct rt_changes *changes, struct rt_parts *parts,
				 const struct rt_options *options, struct rt_error *err)
{
	const struct yaml_item *items = (const struct yaml_item *)(const void *)changes->yaml.data;
	size_t left = changes->yaml.len / sizeof(*items);
	const struct rt_part *part;
	enum rt_status status = RT_OK;

	for (uint32_t number = 0; (status = rt_parts_next(parts, &part, err)) == RT_OK; number++) {
		size_t count = 0;

		while (count < left && items[count].part == number)
			count++;
		if (count == 0)
			continue;
		status = edit_part(changes, parts, part, &options->limits, items, count, err);
		if (status != RT_OK)
			return status;
		items += count;
		left -= count;
	}
	return status;
}

static enum rt_status find_yaml(struct rt_changes *changes, const struct rt_options *options,
				uint64_t stamp, struct rt_error *err)
{
	struct rt_parts *parts = NULL;
	enum rt_status status = rt_parts_open(options, &parts, err);

	if (status == RT_OK)
		status = edit_parts(changes, parts, options, err);
	if (status == RT_END && rt_parts_stamp(parts) != stamp)
		status = rt_files_refuse_changed(options, err);
	rt_parts_free(parts);
	return status < 0 ? RT_FATAL : RT_OK;
}

enum rt_status rt_changes_finish(struct rt_changes *changes, const struct rt_options *options,
				 uint64_t stamp, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (changes->yaml.len)
		status = find_yaml(changes, options, stamp, err);
	if (status == RT_OK)
		rt_patches_sort(&changes->patches);
	return status;
}

void rt_changes_release(struct rt_changes *changes)
{
	rt_patches_release(&changes->patches);
	rt_issue_edits_release(&changes->edits);
	rt_buf_release(&changes->yaml);
	rt_buf_release(&changes->yaml_edits);
	rt_buf_release(&changes->yaml_text);
}
