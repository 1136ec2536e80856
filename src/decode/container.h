/*
 * Containers: tar, zip, 7z and cpio, read by libarchive with exactly the one format.
 */
#ifndef RT_DECODE_CONTAINER_H
#define RT_DECODE_CONTAINER_H

#include "decode/decode.h"

/* Whether a container can only be read by seeking in it: its directory is at its end. */
static inline bool rt_container_must_seek(enum rt_magic magic)
{
	return magic == RT_MAGIC_ZIP || magic == RT_MAGIC_7ZIP;
}

/*
 * Deliver every candidate member, in the container's order.
 *
 * stream: a tar or cpio from its first byte; NULL for zip and 7z.
 * fd, size: a regular file that is a zip or 7z as a whole; unused for tar and cpio.
 * Returns as rt_decode_run().
 */
enum rt_status rt_container_run(struct rt_decode *decode, enum rt_magic magic,
				struct rt_stream *stream, int fd, uint64_t size,
				struct rt_error *err);

#endif
