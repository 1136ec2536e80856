/*
 * Patching on the way. Input: a stream and a sorted list of patches. Output: the stream's bytes,
 * read straight into the caller's buffer, with the ranges of one part replaced. Nothing is held
 * but the place in the list.
 * Refuses a stream that ends before its last patch does.
 */
#include "rewrite/patch_stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

/* Bytes passed over at a time. */
#define SKIP_BYTES 4096u

struct patch_stream {
	struct rt_stream stream;
	struct rt_stream *below;
	const struct rt_patches *patches;
	size_t next;          /* index of the next patch */
	size_t end;           /* index after the part's last patch */
	uint64_t at;          /* bytes taken from below */
	struct rt_slice text; /* of the patch before `next`, not yet delivered */
};

static enum rt_status refuse_short(uint64_t want, uint64_t have, struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO,
			    "the file was changed: this part had %" PRIu64
			    " byte%s or more and now has %" PRIu64,
			    want, RT_S(want), have);
}

/* Take len bytes from below and forget them. */
static enum rt_status patch_skip(struct patch_stream *patch, uint64_t len, struct rt_error *err)
{
	uint8_t block[SKIP_BYTES];
	uint64_t end = patch->at + len;

	while (patch->at < end) {
		uint64_t left = end - patch->at;
		size_t got = 0;
		enum rt_status status =
		    rt_stream_read(patch->below, block,
				   left < sizeof(block) ? (size_t)left : sizeof(block), &got, err);

		if (status == RT_END)
			return refuse_short(end, patch->at, err);
		if (status != RT_OK)
			return status;
		patch->at += got;
	}
	return RT_OK;
}

/* Bytes of the source that may pass before the next patch; UINT64_MAX where there is none. */
static uint64_t patch_distance(const struct patch_stream *patch)
{
	struct rt_patch next;

	if (patch->next == patch->end)
		return UINT64_MAX;
	next = rt_patches_get(patch->patches, patch->next);
	assert(next.offset >= patch->at);
	return next.offset - patch->at;
}

/* Up to the first byte that can be delivered: pass over what is replaced. */
static enum rt_status patch_advance(struct patch_stream *patch, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && !patch->text.len && patch_distance(patch) == 0) {
		struct rt_patch next = rt_patches_get(patch->patches, patch->next++);

		patch->text = next.text;
		status = patch_skip(patch, next.len, err);
	}
	return status;
}

static enum rt_status patch_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	struct patch_stream *patch = (struct patch_stream *)stream;
	enum rt_status status = patch_advance(patch, err);
	uint64_t distance;

	if (status != RT_OK)
		return status;
	if (patch->text.len) {
		*ret_len = patch->text.len < cap ? patch->text.len : cap;
		memcpy(buf, patch->text.ptr, *ret_len);
		patch->text.ptr += *ret_len;
		patch->text.len -= *ret_len;
		return RT_OK;
	}
	distance = patch_distance(patch);
	status = rt_stream_read(patch->below, buf, distance < cap ? (size_t)distance : cap, ret_len,
				err);
	if (status == RT_OK)
		patch->at += *ret_len;
	if (status == RT_END && patch->next < patch->end)
		return refuse_short(patch->at + distance, patch->at, err);
	return status;
}

static void patch_free(struct rt_stream *stream)
{
	free(stream);
}

struct rt_stream *rt_patch_stream_open(struct rt_stream *below, const struct rt_patches *patches,
				       uint32_t part, struct rt_error *err)
{
	struct patch_stream *patch = calloc(1, sizeof(*patch));

	if (!patch) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	patch->stream.read = patch_read;
	patch->stream.free = patch_free;
	patch->below = below;
	patch->patches = patches;
	patch->next = rt_patches_find(patches, part);
	patch->end =
	    part < UINT32_MAX ? rt_patches_find(patches, part + 1) : rt_patches_count(patches);
	return &patch->stream;
}

bool rt_patches_has_part(const struct rt_patches *patches, uint32_t part)
{
	size_t at = rt_patches_find(patches, part);

	return at < rt_patches_count(patches) && rt_patches_get(patches, at).part == part;
}

enum rt_status rt_patches_new_size(const struct rt_patches *patches, uint32_t part, uint64_t size,
				   uint64_t *ret_size, struct rt_error *err)
{
	uint64_t added = 0, removed = 0;

	for (size_t i = rt_patches_find(patches, part); i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		if (patch.part != part)
			break;
		if (patch.offset > size || patch.len > size - patch.offset)
			return refuse_short(patch.offset + patch.len, size, err);
		added += patch.text.len;
		removed += patch.len;
	}
	*ret_size = size - removed + added;
	return RT_OK;
}
