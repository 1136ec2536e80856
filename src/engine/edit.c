/*
 * Edits one record in JSON text, by patches of exactly the bytes that change. What is added is
 * written in the style of what is before it. Notes that nothing can be appended to, and members
 * that occur twice, cannot be edited.
 */
#include "engine/edit.h"

#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/error.h"
#include "scan/items.h"

/* Bytes of a style that are copied for a new item: beyond, blanks are no style but a burden. */
#define STYLE_MAX 256u

/* One edit and what it meets. */
struct target {
	const struct rt_edit *edit;
	struct rt_slice value; /* in the record; ptr is NULL where the member is missing */
	bool repeated;
};

/* How the items of a list are set apart: for another one after the last. */
struct style {
	size_t count;          /* items */
	const char *end;       /* after the last value, or after the bracket */
	struct rt_slice gap;   /* what is before the last item, the comma included */
	struct rt_slice colon; /* what is between its key and its value */
};

struct editor {
	struct rt_slice record;
	struct target targets[RT_EDITS_MAX]; /* in the order of the edits */
	size_t count;
	struct style style; /* of the record's members */
	uint32_t part;
	uint64_t origin;
	struct rt_patches *patches;
	struct rt_buf text; /* of the patch in the making */
	struct rt_put put;  /* into it; what has failed sticks */
};

/* Take in one more item of a list, the last so far. */
static void style_meet(struct style *style, const struct rt_item *item)
{
	const char *from = item->key.ptr ? item->key.ptr - 1 : item->value.ptr;

	style->gap = rt_slice_make(style->end, (size_t)(from - style->end));
	if (item->key.ptr) {
		const char *after = item->key.ptr + item->key.len + 1;

		style->colon = rt_slice_make(after, (size_t)(item->value.ptr - after));
	}
	style->end = item->value.ptr + item->value.len;
	style->count++;
}

/* Go over the members: their style, and those that are edited. */
static void find_members(struct editor *e, const struct rt_edit *edits)
{
	struct rt_items items;
	struct rt_item item;

	for (size_t i = 0; i < e->count; i++)
		e->targets[i] = (struct target){.edit = &edits[i]};
	rt_items_init(&items, e->record);
	e->style.end = items.at;
	while (rt_items_next(&items, &item)) {
		style_meet(&e->style, &item);
		for (size_t i = 0; i < e->count; i++) {
			struct target *target = &e->targets[i];

			if (!rt_items_key_is(item.key, target->edit->name))
				continue;
			target->repeated = target->value.ptr != NULL;
			target->value = item.value;
		}
	}
}

/* Whether the edit can be made. */
static enum rt_status judge(const struct target *target, struct rt_error *err)
{
	uint8_t type = target->value.ptr ? rt_type_of(target->value) : RT_TYPE_NULL;

	if (target->repeated)
		(void)rt_error_set(err, RT_E_INPUT, "the field is repeated");
	else if (target->edit->kind != RT_EDIT_NOTES ||
		 (type & (RT_TYPE_ARRAY | RT_TYPE_STRING | RT_TYPE_NULL)))
		return RT_OK;
	else
		(void)rt_error_set(err, RT_E_INPUT, "want an array, a string or null, have %s",
				   rt_type_name(type));
	rt_error_text(err->field, sizeof(err->field), target->edit->name);
	return RT_REJECT;
}

/* Replace the bytes of the record by the text that has been put together. */
static void patch(struct editor *e, const char *at, size_t len)
{
	struct rt_patch patch = {
	    .part = e->part,
	    .offset = e->origin + (uint64_t)(at - e->record.ptr),
	    .len = len,
	    .text = rt_buf_slice(&e->text),
	};

	if (e->put.status == RT_OK)
		e->put.status = rt_patches_add(e->patches, patch, e->put.err);
	e->text.len = 0;
}

/* What sets another item apart from the last one, or from the one that was put before it. */
static void put_gap(struct editor *e, const struct style *style)
{
	bool first = style->count == 0 && e->text.len == 0, long_gap = style->gap.len > STYLE_MAX;
	bool comma = !first && (style->count < 2 || long_gap);

	rt_put(&e->put, rt_slice_make(",", comma));
	rt_put(&e->put, long_gap ? RT_SLICE("") : style->gap);
}

/* Add to an array of notes. */
static void extend_array(struct editor *e, const struct target *target)
{
	struct rt_slice added = target->edit->value;
	const char *at = added.ptr, *end = rt_slice_end(added);
	struct rt_items items;
	struct rt_item item;
	struct style style = {0};

	rt_items_init(&items, target->value);
	style.end = items.at;
	while (rt_items_next(&items, &item))
		style_meet(&style, &item);
	while (at < end) {
		const char *after = rt_items_value(at, end);

		put_gap(e, &style);
		rt_put(&e->put, rt_slice_make(at, (size_t)(after - at)));
		at = after + (after < end);
	}
	patch(e, style.end, 0);
}

/* The value that a missing or null member gets, or that takes the place of any other. */
static void put_value(struct editor *e, const struct target *target)
{
	bool list = target->edit->kind == RT_EDIT_NOTES;

	rt_put(&e->put, rt_slice_make("[", list));
	rt_put(&e->put, target->edit->value);
	rt_put(&e->put, rt_slice_make("]", list));
}

/* Change a member that is there. */
static void change(struct editor *e, const struct target *target)
{
	bool notes = target->edit->kind == RT_EDIT_NOTES;

	if (notes && *target->value.ptr == '[') {
		extend_array(e, target);
	} else if (notes && *target->value.ptr == '"') {
		/* A string becomes the first of an array; its bytes stay. */
		RT_PUT(&e->put, "[{\"added_at\":null,\"text\":");
		patch(e, target->value.ptr, 0);
		RT_PUT(&e->put, "},");
		rt_put(&e->put, target->edit->value);
		RT_PUT(&e->put, "]");
		patch(e, rt_slice_end(target->value), 0);
	} else {
		put_value(e, target);
		patch(e, target->value.ptr, target->value.len);
	}
}

/* Add the missing members, in the order of the edits. */
static void add_missing(struct editor *e)
{
	bool plain = e->style.colon.len == 0 || e->style.colon.len > STYLE_MAX;

	for (size_t i = 0; i < e->count; i++) {
		const struct target *target = &e->targets[i];

		if (target->value.ptr)
			continue;
		put_gap(e, &e->style);
		RT_PUT(&e->put, "\"");
		rt_put(&e->put, target->edit->name);
		RT_PUT(&e->put, "\"");
		rt_put(&e->put, plain ? RT_SLICE(":") : e->style.colon);
		put_value(e, target);
	}
	if (e->text.len)
		patch(e, e->style.end, 0);
}

/* The target that is next after a place in the record, or NULL. */
static const struct target *target_behind(const struct editor *e, const char *place)
{
	const struct target *next = NULL;

	for (size_t i = 0; i < e->count; i++) {
		const struct target *target = &e->targets[i];

		if (target->value.ptr > place && (!next || target->value.ptr < next->value.ptr))
			next = target;
	}
	return next;
}

enum rt_status rt_edit_object(struct rt_slice object, const struct rt_edit *edits, size_t count,
			      uint32_t part, uint64_t origin, struct rt_patches *patches,
			      struct rt_error *err)
{
	struct editor e = {
	    .record = object, .count = count, .part = part, .origin = origin, .patches = patches};
	const struct target *target = NULL;

	assert(count <= RT_EDITS_MAX);
	e.put = (struct rt_put){&e.text, err, RT_OK};
	find_members(&e, edits);
	for (size_t i = 0; i < count; i++) {
		if (judge(&e.targets[i], err) != RT_OK)
			return RT_REJECT;
	}
	target = target_behind(&e, e.record.ptr);
	for (; target; target = target_behind(&e, target->value.ptr))
		change(&e, target);
	add_missing(&e);
	rt_buf_release(&e.text);
	return e.put.status;
}

enum rt_status rt_edit_fits(struct rt_slice text, const struct rt_patches *patches, size_t first,
			    uint64_t max, struct rt_error *err)
{
	uint64_t bytes = text.len;

	for (size_t i = first; i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		bytes = bytes + patch.text.len - patch.len;
	}
	if (bytes <= max)
		return RT_OK;
	(void)rt_error_set(err, RT_E_LIMIT,
			   "the updated issue exceeds --limit record=%" PRIu64 ": it has %" PRIu64
			   " bytes",
			   max, bytes);
	return RT_REJECT;
}

enum rt_status rt_edit_apply(struct rt_slice text, const struct rt_patches *patches,
			     uint64_t origin, struct rt_buf *out, struct rt_error *err)
{
	size_t count = rt_patches_count(patches), at = 0;
	struct rt_put put = {out, err, RT_OK};

	out->len = 0;
	for (size_t i = 0; i < count; i++) {
		struct rt_patch next = rt_patches_get(patches, i);
		uint64_t from = next.offset - origin;

		assert(from >= at && from <= text.len && next.len <= text.len - from);
		rt_put(&put, rt_slice_make(text.ptr + at, (size_t)from - at));
		rt_put(&put, next.text);
		at = (size_t)(from + next.len);
	}
	rt_put(&put, rt_slice_make(text.ptr + at, text.len - at));
	return put.status;
}

enum rt_status rt_edit_text(struct rt_slice text, const struct rt_edit *edits, size_t count,
			    struct rt_patches *room, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status;

	rt_patches_release(room);
	status = rt_edit_object(text, edits, count, 0, 0, room, err);
	return status == RT_OK ? rt_edit_apply(text, room, 0, out, err) : status;
}
