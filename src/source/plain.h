/*
 * A file that needs no decoder, read in the caller's own process.
 */
#ifndef RT_SOURCE_PLAIN_H
#define RT_SOURCE_PLAIN_H

#include "base/pull.h"
#include "decode/magic.h"
#include "files/files.h"

struct rt_plain {
	const struct rt_file *file; /* borrowed */
	uint64_t at;                /* of the next byte */
	uint8_t head[RT_MAGIC_BYTES];
	size_t head_len; /* bytes that were looked at */
};

/*
 * Look at a file's first bytes. What comes from a pipe is kept in head and delivered first.
 * plain: filled in; holds nothing that must be released. Returns RT_OK or RT_FATAL (RT_E_IO).
 */
enum rt_status rt_plain_open(struct rt_plain *plain, const struct rt_file *file,
			     struct rt_error *err);

/* As rt_parts_read(). A regular file that is shorter than it was when opened is
 * RT_E_IO. */
enum rt_status rt_plain_read(struct rt_plain *plain, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err);

/*
 * Read a regular file's bytes at an offset, whatever has been read of it. A file that has been
 * changed since it was opened is RT_E_IO. Returns as rt_parts_read(), but for RT_END.
 */
enum rt_status rt_plain_read_at(const struct rt_plain *plain, uint64_t offset, void *buf,
				size_t cap, size_t *ret_len, struct rt_error *err);

#endif
