/*
 * zstd, xz, bzip2 and lz4 data as a stream, decoded by libarchive with exactly one filter.
 */
#ifndef RT_DECODE_FILTER_H
#define RT_DECODE_FILTER_H

#include "decode/stream.h"

struct archive;

/*
 * magic: one of RT_MAGIC_ZSTD, RT_MAGIC_XZ, RT_MAGIC_BZIP2, RT_MAGIC_LZ4.
 * below, meter: borrowed. decoder_bytes: the limit "decoder", for messages.
 * Frames one after another give one stream; nothing else may follow.
 * Returns NULL with err set when memory is short or libarchive lacks the filter.
 */
struct rt_stream *rt_filter_open(enum rt_magic magic, struct rt_stream *below,
				 struct rt_meter *meter, uint64_t decoder_bytes,
				 struct rt_error *err);

/* Bytes handed to libarchive at a time. */
#define RT_FEED_BYTES (256u << 10)

/* Bytes before those that can still be looked at: a header and the longest name we show. */
#define RT_FEED_BEFORE 2048u

/* libarchive's read callback over a stream; keeps what libarchive has no place for. */
struct rt_feed {
	struct rt_stream *below;
	uint64_t total;        /* bytes handed over */
	uint64_t nonzero_end;  /* offset after the last byte that is not zero */
	enum rt_status status; /* of the stream below */
	struct rt_error err;   /* of the stream below, when status < 0 */
	size_t len;            /* bytes of data handed over last */
	size_t before_len;     /* bytes in before: those that were handed over just before data */
	uint8_t before[RT_FEED_BEFORE];
	uint8_t data[RT_FEED_BYTES];
};

/* An archive_read_callback over a struct rt_feed. */
ssize_t rt_feed_read(struct archive *archive, void *feed, const void **ret_data);

/*
 * Copy len bytes from offset at of what has been handed over; false when they are gone or have
 * not come yet.
 */
bool rt_feed_look(const struct rt_feed *feed, uint64_t at, void *buf, size_t len);

/*
 * Turn libarchive's failure into ours: running out of memory is the limit "decoder", everything
 * else bad data. what: what was wanted, for example "a zip archive".
 * Returns RT_REJECT.
 */
enum rt_status rt_archive_reject(struct archive *archive, const char *what, uint64_t decoder_bytes,
				 struct rt_error *err);

#endif
