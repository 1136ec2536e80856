/*
 * Byte streams inside the decoder process: each pulls from the one below it. A file, a
 * decompressor and a member of a container are streams; a decoder is a stack of them.
 */
#ifndef RT_SOURCE_STREAM_H
#define RT_SOURCE_STREAM_H

#include <sys/types.h>

#include "base/error.h"
#include "base/pull.h"
#include "source/magic.h"

/* What a decoder has done so far. */
struct rt_progress {
	uint64_t consumed; /* bytes taken from the file, or written to a new one */
	uint64_t expanded; /* bytes that came out of decompression */
	/* Told after every RT_PROGRESS_STEP bytes of both; NULL: nobody is. */
	void (*tell)(void *ctx, const struct rt_progress *progress);
	void *ctx;
	uint64_t told;
};

#define RT_PROGRESS_STEP (UINT64_C(1) << 20)

static inline void rt_progress_add(struct rt_progress *progress, uint64_t consumed,
				   uint64_t expanded)
{
	progress->consumed += consumed;
	progress->expanded += expanded;
	if (!progress->tell ||
	    progress->consumed + progress->expanded - progress->told < RT_PROGRESS_STEP)
		return;
	progress->told = progress->consumed + progress->expanded;
	progress->tell(progress->ctx, progress);
}

/* Counts what comes out of decompression against the limit "expanded" (SPEC D22). */
struct rt_meter {
	struct rt_progress *progress;
	uint64_t expanded;     /* bytes so far */
	uint64_t expanded_max; /* what the run has left */
	uint64_t limit;        /* the whole limit, for the message */
};

/* Count len more bytes. Returns RT_OK, or RT_FATAL with err set (RT_E_LIMIT). */
enum rt_status rt_meter_add(struct rt_meter *meter, uint64_t len, struct rt_error *err);

/* The head of every stream; a kind of stream has it as its first member. */
struct rt_stream {
	/* At most cap (> 0) bytes into buf. RT_OK with *ret_len > 0; RT_END when all is read and
	 * has been checked, down to the end of the stream below; RT_REJECT, RT_FATAL. */
	enum rt_status (*read)(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
			       struct rt_error *err);
	void (*free)(struct rt_stream *stream); /* NULL: it is its maker's */
	uint8_t head[RT_MAGIC_BYTES];           /* bytes that were looked at and not yet read */
	size_t head_at;
	size_t head_len;
	enum rt_status state; /* RT_OK until the first other status, which sticks */
};

/*
 * Read the next bytes of a struct rt_stream, at most cap (> 0); *ret_len: at least 1 on RT_OK.
 * Returns RT_OK, RT_END, RT_REJECT or RT_FATAL; err is set on the last two. Must not be called
 * again after one of these.
 */
enum rt_status rt_stream_read(void *stream, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err);

/* The stream as a pull; borrowed. */
static inline struct rt_pull rt_stream_pull(struct rt_stream *stream)
{
	return (struct rt_pull){rt_stream_read, stream};
}

/*
 * Look at the first bytes without taking them; only before the first read.
 * *ret_magic: what they are. Returns RT_OK, also for an empty stream; RT_REJECT or RT_FATAL.
 */
enum rt_status rt_stream_sniff(struct rt_stream *stream, enum rt_magic *ret_magic,
			       struct rt_error *err);

/* Free the stream, not the one below it; NULL is allowed. */
void rt_stream_free(struct rt_stream *stream);

/*
 * A file as a stream. fd: borrowed; a regular file, or -1: source has the bytes.
 * Returns NULL with err set when memory is short.
 */
struct rt_stream *rt_stream_file(int fd, struct rt_pull source, struct rt_progress *progress,
				 struct rt_error *err);

/* Go on at an offset of such a file, of which the head was not looked at. */
void rt_stream_file_seek(struct rt_stream *stream, uint64_t at);

/*
 * A decompressor over another stream; magic is one of the five compressions.
 *
 * below: borrowed. meter: borrowed; every byte that comes out is counted.
 * decoder_bytes: the memory limit, for messages.
 * Returns NULL with err set when it cannot be started.
 */
struct rt_stream *rt_stream_decompress(enum rt_magic magic, struct rt_stream *below,
				       struct rt_meter *meter, uint64_t decoder_bytes,
				       struct rt_error *err);

#endif
