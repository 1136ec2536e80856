/*
 * Opening a container: libarchive with one format, over a stream or over a seekable file.
 */
#ifndef RT_DECODE_CONTAINER_OPEN_H
#define RT_DECODE_CONTAINER_OPEN_H

#include "decode/filter.h"

/* What libarchive reads from. {0} before rt_container_open(). */
struct rt_container_source {
	struct archive *archive;
	struct rt_feed *feed;  /* tar and cpio; else NULL */
	uint8_t *block;        /* zip and 7z: RT_FEED_BYTES; else NULL */
	int fd;                /* zip and 7z */
	uint64_t at;           /* offset of the next read in fd */
	uint64_t size;         /* bytes of fd */
	uint64_t entries;      /* zip: entries of the central directory */
	enum rt_status status; /* of reading fd */
	struct rt_error err;   /* of reading fd, when status < 0 */
	struct rt_progress *progress;
};

/*
 * Make the archive ready for archive_read_open1(). The directory of a zip and the header of a 7z
 * are checked before libarchive sees them.
 *
 * stream: borrowed, for tar and cpio. fd, size: for zip and 7z. progress: borrowed.
 * source: released by rt_container_close() whatever is returned.
 * Returns RT_OK; RT_REJECT when the container is bad; RT_FATAL.
 */
enum rt_status rt_container_open(struct rt_container_source *source, enum rt_magic magic,
				 struct rt_stream *stream, int fd, uint64_t size,
				 const struct rt_limits *limits, struct rt_progress *progress,
				 struct rt_error *err);

void rt_container_close(struct rt_container_source *source);

#endif
