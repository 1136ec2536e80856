/*
 * Anchors and aliases: records the JSON text of anchored nodes and finds it again by name.
 * Input: names, and text as it is made. Output: the text of a node. Refuses aliases without an
 * anchor or inside their own node, and more text or names than the limit. The names are kept in
 * a balanced tree, which no choice of names makes slow.
 */
#include "text/yaml_anchors.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

struct anchor_name {
	size_t range;
	char name[];
};

/* What a name costs beside its bytes: the node of the tree, the allocations, the range. */
#define NAME_COST 96u

static int name_compare(const void *a, const void *b)
{
	const struct anchor_name *left = a;
	const struct anchor_name *right = b;

	return strcmp(left->name, right->name);
}

void rt_yaml_anchors_init(struct rt_yaml_anchors *anchors, uint64_t max)
{
	*anchors = (struct rt_yaml_anchors){.max = max};
}

static struct rt_yaml_range *anchors_ranges(const struct rt_yaml_anchors *anchors)
{
	return (struct rt_yaml_range *)(void *)anchors->ranges.data;
}

static enum rt_status anchors_use(struct rt_yaml_anchors *anchors, size_t len, struct rt_error *err)
{
	if (len > anchors->max - anchors->used)
		return rt_error_set(err, RT_E_LIMIT,
				    "want at most %" PRIu64
				    " byte%s in the anchored nodes of a document, have more",
				    anchors->max, RT_S(anchors->max));
	anchors->used += len;
	return RT_OK;
}

static struct anchor_name *name_new(const unsigned char *name)
{
	size_t len = strlen((const char *)name);
	struct anchor_name *entry = malloc(sizeof(*entry) + len + 1);

	if (entry)
		memcpy(entry->name, name, len + 1);
	return entry;
}

/* The entry of a name, made if there is none. NULL: no memory. */
static struct anchor_name *anchors_enter(struct rt_yaml_anchors *anchors, const unsigned char *name)
{
	struct anchor_name *made = name_new(name);
	struct anchor_name **found;

	if (!made)
		return NULL;
	found = tsearch(made, &anchors->names, name_compare);
	if (!found || *found != made)
		free(made);
	return found ? *found : NULL;
}

enum rt_status rt_yaml_anchors_begin(struct rt_yaml_anchors *anchors, const unsigned char *name,
				     size_t *ret_range, struct rt_error *err)
{
	struct rt_yaml_range range = {anchors->text.len, SIZE_MAX};
	struct anchor_name *entry;
	enum rt_status status;

	status = anchors_use(anchors, strlen((const char *)name) + NAME_COST, err);
	if (status != RT_OK)
		return status;
	status = rt_buf_append(&anchors->ranges, &range, sizeof(range), err);
	if (status != RT_OK)
		return status;
	entry = anchors_enter(anchors, name);
	if (!entry)
		return rt_error_nomem(err);
	entry->range = anchors->count++;
	anchors->open++;
	*ret_range = entry->range;
	return RT_OK;
}

enum rt_status rt_yaml_anchors_record(struct rt_yaml_anchors *anchors, const char *text, size_t len,
				      struct rt_error *err)
{
	enum rt_status status = anchors_use(anchors, len, err);

	if (status != RT_OK)
		return status;
	return rt_buf_append(&anchors->text, text, len, err);
}

enum rt_status rt_yaml_anchors_repeat(struct rt_yaml_anchors *anchors, struct rt_slice *text,
				      struct rt_error *err)
{
	size_t from = (size_t)(text->ptr - anchors->text.data);
	enum rt_status status = anchors_use(anchors, text->len, err);

	if (status == RT_OK)
		status = rt_buf_reserve(&anchors->text, text->len, err);
	if (status != RT_OK)
		return status;
	text->ptr = anchors->text.data + from;
	return rt_buf_append(&anchors->text, text->ptr, text->len, err);
}

void rt_yaml_anchors_end(struct rt_yaml_anchors *anchors, size_t range)
{
	anchors_ranges(anchors)[range].to = anchors->text.len;
	anchors->open--;
}

enum rt_status rt_yaml_anchors_find(const struct rt_yaml_anchors *anchors,
				    const unsigned char *name, struct rt_slice *ret_text,
				    struct rt_error *err)
{
	struct anchor_name *key = name_new(name);
	struct anchor_name **found;
	struct rt_yaml_range range;

	if (!key)
		return rt_error_nomem(err);
	found = tfind(key, &anchors->names, name_compare);
	free(key);
	if (!found)
		return rt_error_set(err, RT_E_INPUT, "want an anchor before its alias, have *%s",
				    (const char *)name);
	range = anchors_ranges(anchors)[(*found)->range];
	if (range.to == SIZE_MAX)
		return rt_error_set(err, RT_E_INPUT,
				    "want an alias outside its own node, have *%s in it",
				    (const char *)name);
	*ret_text = rt_slice_make(anchors->text.data + range.from, range.to - range.from);
	return RT_OK;
}

void rt_yaml_anchors_clear(struct rt_yaml_anchors *anchors)
{
	tdestroy(anchors->names, free);
	anchors->names = NULL;
	anchors->text.len = 0;
	anchors->ranges.len = 0;
	anchors->count = 0;
	anchors->open = 0;
	anchors->used = 0;
}

void rt_yaml_anchors_release(struct rt_yaml_anchors *anchors)
{
	rt_yaml_anchors_clear(anchors);
	rt_buf_release(&anchors->text);
	rt_buf_release(&anchors->ranges);
}
