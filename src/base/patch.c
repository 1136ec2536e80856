/*
 * A list of patches, and how a part gets them on its way. Long texts are kept once: a note on a
 * hundred issues is a hundred patches.
 */
#include "base/patch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

/* Of a text from this length on, pieces of at least PIECE bytes are looked for among those of
 * others. */
#define LONG ((size_t)256)
#define PIECE ((size_t)64)

struct item {
	uint64_t offset, len;
	size_t text_at, text_len; /* in patches->text */
	uint32_t part, order;     /* no room between members: they are written as they are */
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
	return (a->order > b->order) - (a->order < b->order);
}

static struct rt_slice text_of(const struct rt_patches *patches, const struct item *item)
{
	return item->text_len ? rt_slice_make(patches->text.data + item->text_at, item->text_len)
			      : RT_SLICE("");
}

/* The number of the item that has a long text, from 1, or 0. */
static enum rt_status find_kept(struct rt_patches *patches, struct rt_slice text,
				uint32_t **ret_number, struct rt_error *err)
{
	if (!patches->kept.cap && rt_siphash_key_init(&patches->key, err) != RT_OK)
		return RT_FATAL;
	*ret_number = rt_map_put(&patches->kept, rt_siphash(&patches->key, text), err);
	return *ret_number ? RT_OK : RT_FATAL;
}

/* Add one item. shared: its text may be that of one before it. */
static enum rt_status add_item(struct rt_patches *patches, struct rt_patch patch, bool shared,
			       struct rt_error *err)
{
	size_t count = rt_patches_count(patches);
	struct item item = {patch.offset,   patch.len,  patches->text.len,
			    patch.text.len, patch.part, (uint32_t)count};
	enum rt_status status = RT_OK;
	uint32_t *number = NULL;

	if (count >= UINT32_MAX)
		return rt_error_nomem(err);
	if (shared)
		status = find_kept(patches, patch.text, &number, err);
	if (number && *number)
		item.text_at = items(patches)[*number - 1].text_at;
	else if (status == RT_OK)
		status = rt_buf_append(&patches->text, patch.text.ptr, patch.text.len, err);
	if (status == RT_OK && count > 0 && item_compare(&items(patches)[count - 1], &item) > 0)
		patches->unsorted = true;
	if (status == RT_OK)
		status = rt_buf_append(&patches->items, &item, sizeof(item), err);
	if (status == RT_OK && number && !*number)
		*number = (uint32_t)count + 1;
	return status;
}

/* The length of a text's first piece: to the end of an object or line, where notes end. */
static size_t piece_len(struct rt_slice text)
{
	size_t len = text.len < PIECE ? text.len : PIECE;

	while (len < text.len && text.ptr[len - 1] != '}' && text.ptr[len - 1] != '\n')
		len++;
	return len;
}

enum rt_status rt_patches_add(struct rt_patches *patches, struct rt_patch patch,
			      struct rt_error *err)
{
	bool shared = patch.text.len >= LONG;
	struct rt_slice left = patch.text;
	enum rt_status status = RT_OK;

	/* All pieces but the last are inserted before the range that it replaces. */
	do {
		struct rt_patch piece = patch;
		size_t len = shared ? piece_len(left) : left.len;

		piece.text = rt_slice_make(left.ptr, len);
		left = rt_slice_make(left.ptr + len, left.len - len);
		if (left.len)
			piece.len = 0;
		status = add_item(patches, piece, shared, err);
	} while (status == RT_OK && left.len);
	return status;
}

void rt_patches_sort(struct rt_patches *patches)
{
	rt_map_release(&patches->kept);
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
	    .part = item->part,
	    .offset = item->offset,
	    .len = item->len,
	    .text = text_of(patches, item),
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

bool rt_patches_has_part(const struct rt_patches *patches, uint32_t part)
{
	size_t at = rt_patches_find(patches, part);

	return at < rt_patches_count(patches) && items(patches)[at].part == part;
}

enum rt_status rt_patches_select(const struct rt_patches *patches, uint32_t part, uint32_t count,
				 struct rt_patches *selected, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = rt_patches_find(patches, part);
	     status == RT_OK && i < rt_patches_count(patches) &&
	     items(patches)[i].part - part < count;
	     i++)
		status = rt_patches_add(selected, rt_patches_get(patches, i), err);
	rt_patches_sort(selected);
	return status;
}

uint64_t rt_patches_new_size(const struct rt_patches *patches, uint32_t part, uint64_t size)
{
	for (size_t i = rt_patches_find(patches, part);
	     i < rt_patches_count(patches) && items(patches)[i].part == part; i++)
		size += items(patches)[i].text_len - items(patches)[i].len;
	return size;
}

void rt_patches_release(struct rt_patches *patches)
{
	rt_buf_release(&patches->items);
	rt_buf_release(&patches->text);
	rt_map_release(&patches->kept);
	patches->unsorted = false;
}

/* --- Applying them --------------------------------------------------------------------------- */

/* Bytes pulled at once: what stays in the processor's cache between a read and a write is copied
 * fastest. */
#define BLOCK_BYTES ((size_t)256 * 1024)

void rt_patching_begin(struct rt_patching *patching, const struct rt_patches *patches,
		       uint32_t part, const struct rt_sink *to)
{
	size_t next = rt_patches_find(patches, part), end = next;

	while (end < rt_patches_count(patches) && items(patches)[end].part == part)
		end++;
	*patching = (struct rt_patching){.patches = patches, .to = to, .next = next, .end = end};
}

/* Pass on the texts of the patches that are made here. */
static enum rt_status put_texts(struct rt_patching *p, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && !p->replaced && p->next < p->end) {
		struct rt_patch patch = rt_patches_get(p->patches, p->next);

		if (patch.offset > p->at)
			break;
		if (patch.offset < p->at)
			return rt_error_reject(err, RT_E_IO,
					       "changes overlap: one begins at offset %" PRIu64,
					       patch.offset);
		p->next++;
		p->replaced = patch.len;
		if (patch.text.len)
			status = p->to->write(p->to->ctx, patch.text.ptr, patch.text.len, err);
	}
	return status;
}

enum rt_status rt_patching_pass(struct rt_patching *p, const char *data, size_t len,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		uint64_t left = UINT64_MAX;
		size_t piece;

		status = put_texts(p, err);
		if (p->replaced)
			left = p->replaced;
		else if (p->next < p->end)
			left = items(p->patches)[p->next].offset - p->at;
		piece = left < len ? (size_t)left : len;
		if (p->replaced)
			p->replaced -= piece;
		else if (status == RT_OK)
			status = p->to->write(p->to->ctx, data, piece, err);
		p->at += piece;
		data += piece;
		len -= piece;
	}
	return status;
}

enum rt_status rt_patches_apply(const struct rt_patches *patches, uint32_t part,
				struct rt_pull from, const struct rt_sink *to, struct rt_error *err)
{
	char *block = malloc(BLOCK_BYTES);
	enum rt_status status = block ? RT_OK : rt_error_nomem(err);
	struct rt_patching patching;
	size_t len = 0;

	rt_patching_begin(&patching, patches, part, to);
	while (status == RT_OK) {
		status = from.read(from.ctx, block, BLOCK_BYTES, &len, err);
		if (status == RT_OK)
			status = rt_patching_pass(&patching, block, len, err);
	}
	free(block);
	if (status == RT_END)
		status = put_texts(&patching, err);
	if (status == RT_OK && (patching.replaced || patching.next < patching.end))
		return rt_error_reject(
		    err, RT_E_IO, "the file was changed: this part ends after %" PRIu64 " byte%s",
		    patching.at, RT_S(patching.at));
	return status;
}
