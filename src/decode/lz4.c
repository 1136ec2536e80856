/*
 * Follows the frames of an lz4 file by their lengths, over the compressed bytes as they pass. What
 * is in the blocks, and all sums, are libarchive's to check.
 */
#include "decode/lz4.h"

#include <string.h>

#define MAGIC_FRAME 0x184D2204u
#define MAGIC_SKIPPABLE 0x184D2A50u /* to 0x184D2A5F */
#define MAGIC_LEGACY 0x184C2102u

#define SUM_BYTES 4u
#define STORED (1u << 31)
/* An old block holds 8 MiB, which a few bytes more may be needed for; a magic is a larger number.
 */
#define LEGACY_MAX ((8u << 20) + (8u << 20) / 255 + 16)

static enum rt_lz4_part frame_begin(uint32_t magic)
{
	if (magic == MAGIC_FRAME)
		return RT_LZ4_DESCRIPTOR;
	if ((magic & ~15u) == MAGIC_SKIPPABLE)
		return RT_LZ4_SKIPPABLE;
	return magic == MAGIC_LEGACY ? RT_LZ4_LEGACY : RT_LZ4_JUNK;
}

static void descriptor_end(struct rt_lz4_frames *frames)
{
	uint8_t flags = frames->bytes[0];

	frames->has_block_sums = flags & 1u << 4;
	frames->has_content_sum = flags & 1u << 2;
	/* The size of the content, the number of a dictionary, and a byte to check them. */
	frames->skip = (flags & 1u << 3 ? 8u : 0u) + (flags & 1u ? 4u : 0u) + 1;
	frames->part = RT_LZ4_BLOCK;
}

static void block_end(struct rt_lz4_frames *frames, uint32_t size)
{
	if (size) {
		frames->skip = (size & ~STORED) + (frames->has_block_sums ? SUM_BYTES : 0u);
		return;
	}
	frames->skip = frames->has_content_sum ? SUM_BYTES : 0u;
	frames->part = RT_LZ4_MAGIC;
}

/* A part has been read. */
static void part_end(struct rt_lz4_frames *frames)
{
	const uint8_t *at = frames->bytes;
	uint32_t value =
	    (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

	frames->have = 0;
	if (frames->part == RT_LZ4_DESCRIPTOR) {
		descriptor_end(frames);
	} else if (frames->part == RT_LZ4_BLOCK) {
		block_end(frames, value);
	} else if (frames->part == RT_LZ4_SKIPPABLE) {
		frames->skip = value;
		frames->part = RT_LZ4_MAGIC;
	} else if (frames->part == RT_LZ4_LEGACY && value <= LEGACY_MAX) {
		frames->skip = value;
	} else {
		frames->part = frame_begin(value);
	}
}

void rt_lz4_frames_walk(struct rt_lz4_frames *frames, const uint8_t *data, size_t len)
{
	while (len && frames->part != RT_LZ4_JUNK) {
		size_t need = frames->part == RT_LZ4_DESCRIPTOR ? 2 : sizeof(frames->bytes);
		size_t left = frames->skip ? (size_t)frames->skip : need - frames->have;
		size_t count = len < left ? len : left;

		if (frames->skip) {
			frames->skip -= count;
		} else {
			memcpy(frames->bytes + frames->have, data, count);
			frames->have += count;
			if (frames->have == need)
				part_end(frames);
		}
		data += count;
		len -= count;
	}
}

bool rt_lz4_frames_are_whole(const struct rt_lz4_frames *frames)
{
	return (frames->part == RT_LZ4_MAGIC || frames->part == RT_LZ4_LEGACY) && !frames->skip &&
	       !frames->have;
}
