/*
 * Blocks of memory that the decoder process fills and its parent empties, in turn. A socket pair
 * counts them: one byte from the child for each block filled, one back for each block emptied. A
 * child that dies closes its end, so the parent never waits for the dead.
 *
 * The parent believes nothing that it reads here: a decoder may have been taken over by its
 * input. Numbers are copied before they are checked, and checked before they are used.
 */
#ifndef RT_SOURCE_RING_H
#define RT_SOURCE_RING_H

#include "base/pull.h"
#include "decode/decode.h"

/* Blocks: enough that neither side waits for the other's every step, few enough that all of them
 * stay in a second-level cache. 4 of 256 KiB were the fastest of six sizes tried on zstd. */
#define RT_RING_BLOCKS 4u
/* Bytes of data in a block: one hand-over costs a few microseconds, this much some tens. */
#define RT_RING_DATA (256u << 10)

/* What a block holds besides data. */
enum {
	RT_BLOCK_BEGIN = 1u << 0,  /* a part begins with these data; name and has_name are set */
	RT_BLOCK_END = 1u << 1,    /* the part ends after these data */
	RT_BLOCK_FINISH = 1u << 2, /* nothing comes after; status and err are set */
};

/* Bytes of the source that are handed to a child at a time, where it has no file to read. */
#define RT_RING_SOURCE (64u << 10)

/* Bytes of a name, NUL included; longer ones are cut. */
#define RT_BLOCK_NAME 1024u

struct rt_block {
	uint32_t flags;
	uint32_t len; /* bytes of data */
	/* Bytes of them, at the start, that are no part's: of each member that is not read its
	 * enum rt_unread_reason as a byte, its name and a NUL. */
	uint32_t unread;
	int32_t status; /* of rt_decode_run() */
	uint32_t has_name;
	char name[RT_BLOCK_NAME];
	struct rt_error err;
	_Alignas(64) uint8_t data[RT_RING_DATA];
};

/* Shared between the two processes. */
struct rt_ring {
	struct rt_progress progress;
	/* What a child without a file has asked for: RT_OK and len bytes, or why there are none. */
	int32_t source_status;
	uint32_t source_len;
	uint8_t source[RT_RING_SOURCE];
	struct rt_block blocks[RT_RING_BLOCKS];
};

/*
 * Returns a ring for one run of a child after another, or NULL with err set.
 * *ret_fd: its memory as a file, owned by the caller.
 */
struct rt_ring *rt_ring_new(int *ret_fd, struct rt_error *err);

/* The ring of such a file, in another process. Returns NULL with errno set. */
struct rt_ring *rt_ring_map(int fd);

void rt_ring_free(struct rt_ring *ring);

/* --- The child's side -------------------------------------------------------------------- */

struct rt_ring_writer {
	struct rt_ring *ring;
	int sock;            /* borrowed */
	unsigned next;       /* index of the block being filled */
	unsigned free_count; /* blocks that may be filled, the current one included */
	bool is_open;        /* the current block has been begun */
	bool is_fed;         /* what was asked for is in the ring */
	uint32_t source_at;  /* bytes of it that were taken */
};

/* Start to write: all blocks are free. writer: borrowed by the output that rt_ring_emit() gives. */
void rt_ring_writer_init(struct rt_ring_writer *writer, struct rt_ring *ring, int sock);

/* The writer as an output of rt_decode_run(). When the parent has gone it exits the process. */
struct rt_emit rt_ring_emit(struct rt_ring_writer *writer);

/* Hand over what the current block has, full or not. */
void rt_ring_flush(struct rt_ring_writer *writer);

/*
 * The next bytes of the source, from the parent, as struct rt_pull has it; ctx is the writer. A
 * failure there is RT_FATAL with the message RT_RING_SOURCE_FAILED, which the parent knows better.
 */
enum rt_status rt_ring_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err);

#define RT_RING_SOURCE_FAILED "source"

/* Say how the run ended. err: read when status is negative. */
void rt_ring_finish(struct rt_ring_writer *writer, enum rt_status status,
		    const struct rt_error *err);

/* --- The parent's side ------------------------------------------------------------------- */

struct rt_ring_reader {
	struct rt_ring *ring;
	int sock;              /* borrowed */
	unsigned next;         /* index of the block being read */
	unsigned filled_count; /* blocks that may be read, the current one included */
	int stall_ms;          /* how long a decoder may make no progress at all */
	/* Where the bytes come from that a child asks for; {0}: it must not ask. Set after
	 * rt_ring_reader_init(). */
	struct rt_pull source;
	enum rt_status source_status; /* what that said last */
	struct rt_error source_err;
};

/* How waiting for a block ended. */
enum rt_wait {
	RT_WAIT_BLOCK,   /* there is one */
	RT_WAIT_GONE,    /* the child closed its end without one */
	RT_WAIT_STALLED, /* stall_ms went by and no counter moved, nor was it waiting for input */
	RT_WAIT_BROKEN,  /* the child broke the rules of the ring */
	RT_WAIT_FAILED,  /* the system failed, errno says why */
};

/* Start to read from a new child. */
void rt_ring_reader_init(struct rt_ring_reader *reader, struct rt_ring *ring, int sock,
			 int stall_ms);

/* Wait until there is a block. */
enum rt_wait rt_ring_wait(struct rt_ring_reader *reader);

/* The current block; only after RT_WAIT_BLOCK. Its contents may change at any time. */
const volatile struct rt_block *rt_ring_block(const struct rt_ring_reader *reader);

/* Give the current block back to the child. */
void rt_ring_release(struct rt_ring_reader *reader);

#endif
