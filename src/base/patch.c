/*
 * The list of patches. Input: ranges and texts in any order. Output: the same in order.
 * That ranges do not overlap is the callers' to see to.
 */
#include "base/patch.h"

#include <stdlib.h>

#include "base/io.h"

struct item {
	uint64_t offset, len;
	size_t text_at, text_len; /* in patches->text, where each text lies after the one before */
	uint64_t part;            /* no room between members: they are written as they are */
};

static struct item *items(const struct rt_patches *patches)
{
	return (struct item *)(void *)patches->items.data;
}

static int item_compare(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->text_at > b->text_at) - (a->text_at < b->text_at);
}

enum rt_status rt_patches_add(struct rt_patches *patches, struct rt_patch patch,
			      struct rt_error *err)
{
	struct item item = {patch.offset, patch.len, patches->text.len, patch.text.len, patch.part};
	enum rt_status status = rt_buf_append(&patches->text, patch.text.ptr, patch.text.len, err);
	size_t count = rt_patches_count(patches);

	if (status == RT_OK && count > 0 && item_compare(&items(patches)[count - 1], &item) > 0)
		patches->unsorted = true;
	if (status == RT_OK)
		status = rt_buf_append(&patches->items, &item, sizeof(item), err);
	return status;
}

void rt_patches_sort(struct rt_patches *patches)
{
	if (patches->unsorted)
		qsort(items(patches), rt_patches_count(patches), sizeof(struct item), item_compare);
	patches->unsorted = false;
}

size_t rt_patches_count(const struct rt_patches *patches)
{
	return patches->items.len / sizeof(struct item);
}

struct rt_patch rt_patches_get(const struct rt_patches *patches, size_t index)
{
	const struct item *item = &items(patches)[index];

	return (struct rt_patch){
	    .part = (uint32_t)item->part,
	    .offset = item->offset,
	    .len = item->len,
	    .text = item->text_len
			? rt_slice_make(patches->text.data + item->text_at, item->text_len)
			: RT_SLICE(""),
	};
}

size_t rt_patches_find(const struct rt_patches *patches, uint32_t part)
{
	size_t low = 0, high = rt_patches_count(patches);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items(patches)[middle].part < part)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum rt_status rt_patches_save(const struct rt_patches *patches, int fd, struct rt_error *err)
{
	static const char what[] = "cannot write the patches";
	enum rt_status status =
	    rt_write_all(fd, patches->items.data, patches->items.len, what, err);

	if (status == RT_OK)
		status = rt_write_all(fd, patches->text.data, patches->text.len, what, err);
	return status;
}

bool rt_patches_view(struct rt_patches *ret_patches, void *map, size_t len, uint64_t count,
		     uint64_t text_len)
{
	char *data = map;
	size_t items_len;

	if (__builtin_mul_overflow(count, sizeof(struct item), &items_len) || items_len > len ||
	    len - items_len != text_len)
		return false;
	*ret_patches =
	    (struct rt_patches){.items = {.data = data, .len = items_len},
				.text = {.data = data + items_len, .len = (size_t)text_len}};
	return true;
}

void rt_patches_release(struct rt_patches *patches)
{
	rt_buf_release(&patches->items);
	rt_buf_release(&patches->text);
	patches->unsorted = false;
}
