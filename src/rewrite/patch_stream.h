/*
 * A stream with patches applied while its bytes pass.
 */
#ifndef RT_REWRITE_PATCH_STREAM_H
#define RT_REWRITE_PATCH_STREAM_H

#include "base/patch.h"
#include "decode/stream.h"

/*
 * The bytes of `below` with the patches of one part applied.
 *
 * below: borrowed; at its start. patches: borrowed, sorted. part: number of the part.
 * A read gives RT_FATAL (RT_E_IO) where the part is shorter than its patches say: it is another
 * one than they were made for.
 * Returns NULL with err set when memory is short.
 */
struct rt_stream *rt_patch_stream_open(struct rt_stream *below, const struct rt_patches *patches,
				       uint32_t part, struct rt_error *err);

/* Whether a sorted list has a patch for this part. */
bool rt_patches_has_part(const struct rt_patches *patches, uint32_t part);

/*
 * Bytes of a part of `size` bytes after its patches.
 * Returns RT_OK; RT_FATAL (RT_E_IO) where the part is shorter than its patches say.
 */
enum rt_status rt_patches_new_size(const struct rt_patches *patches, uint32_t part, uint64_t size,
				   uint64_t *ret_size, struct rt_error *err);

#endif
