/*
 * What libarchive reads for us: what comes out of a compression, and the members of a tar, 7z or
 * cpio. It is not trusted to say that all is well: whatever it warns of is refused, and an end has
 * to be the format's own.
 */
#ifndef RT_SOURCE_UNPACKER_H
#define RT_SOURCE_UNPACKER_H

#include "source/stream.h"

struct archive;
struct archive_entry;

/* --- The frames of lz4 ----------------------------------------------------------------------- */

/* What the next bytes are. */
enum rt_lz4_part {
	RT_LZ4_MAGIC,      /* the first four of a frame */
	RT_LZ4_DESCRIPTOR, /* two with flags */
	RT_LZ4_BLOCK,      /* the length of a block */
	RT_LZ4_SKIPPABLE,  /* the length of a frame that is skipped */
	RT_LZ4_LEGACY,     /* the length of an old frame's block, or the magic of another frame */
	RT_LZ4_JUNK,       /* no frame's */
};

/* --- Headers of tar -------------------------------------------------------------------------- */

#define RT_TAR_BLOCK 512u
/* Bytes that a header for all members may have; it has a comment as a rule. */
#define RT_TAR_GLOBAL 4096u

/* --- The unpacker ---------------------------------------------------------------------------- */

/* Bytes handed to libarchive at a time. */
#define RT_FEED_BYTES (256u << 10)

struct rt_unpacker {
	struct rt_stream stream; /* all of a compression; of a container, the current member */
	struct rt_meter *meter; /* counts the stream's bytes; NULL: they are as the file has them */
	uint64_t file_size;     /* of a container that is sought in */
	/* For unpacker.c; archive for those who ask libarchive of its entries. */
	struct archive *archive;
	enum rt_magic magic;
	uint64_t decoder_bytes;
	bool begun;
	const uint8_t *data; /* libarchive's bytes, not yet read */
	size_t len;
	uint64_t total; /* bytes of the stream that have been read or are in data */
	uint64_t size;  /* of the member, as its header says; UINT64_MAX where it does not */
	struct rt_stream *below;
	uint64_t fed;          /* bytes handed over; of what is sought in, the place */
	uint64_t nonzero_end;  /* offset after the last of them that is not zero */
	enum rt_status status; /* of the stream below */
	struct rt_error err;   /* of the stream below, when status < 0 */
	/* Of lz4, what comes next: bytes to go over, then a part, and the sums of the frame. */
	uint64_t skip;
	enum rt_lz4_part part;
	unsigned block_sum, content_sum;
	/* Of tar, a header for all members: bytes of it that are to come, and those that were. */
	size_t global_left, global_len;
	char global[RT_TAR_GLOBAL + RT_TAR_BLOCK];
	uint8_t bytes[RT_FEED_BYTES];
};

/*
 * Start on a compression, but gzip, or a container, but zip.
 *
 * below: borrowed; where the container is sought in, a file that rt_stream_file_seek() takes.
 * decoder_bytes: the limit "decoder", for messages.
 * Frames of a compression one after another give one stream; nothing else may follow.
 * Returns NULL with err set when memory is short or libarchive lacks the format.
 */
struct rt_unpacker *rt_unpacker_open(enum rt_magic magic, struct rt_stream *below,
				     uint64_t decoder_bytes, struct rt_error *err);

/*
 * Go to a container's next member, whose bytes are then the stream's.
 * Returns RT_OK; RT_END after the last, where the end is good; RT_REJECT or RT_FATAL.
 */
enum rt_status rt_unpacker_next(struct rt_unpacker *unpacker, struct archive_entry **ret_entry,
				struct rt_error *err);

/*
 * Turn libarchive's failure into ours: that of the stream below, where it has one; else running out
 * of memory is the limit "decoder", everything else bad data.
 * Returns RT_REJECT, or what the stream below said.
 */
enum rt_status rt_unpacker_reject(const struct rt_unpacker *unpacker, struct rt_error *err);

/* NULL is allowed. */
void rt_unpacker_free(struct rt_unpacker *unpacker);

/* libarchive's number of a compression. */
int rt_filter_code(enum rt_magic magic);

#endif
