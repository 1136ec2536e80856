/*
 * The frames of an lz4 file, followed by their lengths. libarchive passes over a frame that is cut,
 * and over bytes behind the last one, without a word.
 */
#ifndef RT_DECODE_LZ4_H
#define RT_DECODE_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the next bytes are. */
enum rt_lz4_part {
	RT_LZ4_MAGIC,      /* the first four of a frame */
	RT_LZ4_DESCRIPTOR, /* two with flags */
	RT_LZ4_BLOCK,      /* the length of a block */
	RT_LZ4_SKIPPABLE,  /* the length of a frame that is skipped */
	RT_LZ4_LEGACY,     /* the length of an old frame's block, or the magic of another frame */
	RT_LZ4_JUNK,       /* no frame's */
};

/* Where a walk is; {0} at the start of a file. */
struct rt_lz4_frames {
	enum rt_lz4_part part;
	uint64_t skip;    /* bytes that come before that part */
	uint8_t bytes[4]; /* what there is of it */
	size_t have;
	bool has_block_sums, has_content_sum;
};

/* Go over the next bytes of the file. */
void rt_lz4_frames_walk(struct rt_lz4_frames *frames, const uint8_t *data, size_t len);

/* Whether the bytes so far end with a frame. */
bool rt_lz4_frames_are_whole(const struct rt_lz4_frames *frames);

#endif
