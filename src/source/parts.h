/*
 * The parts of a data set: byte streams that each hold one document, after decompression. A plain
 * file is one part; an archive has one for each candidate member (SPEC D1).
 *
 * Plain files are read by the caller's own process straight into its buffer. Everything that
 * needs a decoder is decoded by a child process under resource limits, which sends the bytes over
 * its socket; a child that dies is an error message.
 */
#ifndef RT_SOURCE_PARTS_H
#define RT_SOURCE_PARTS_H

#include "base/pull.h"
#include "files/files.h"
#include "source/magic.h"

struct rt_parts;

/* One part. */
struct rt_part {
	const char *path;   /* of the file: as the user named it, and where that is a directory, '/'
			     * and the file's path below it; "-" is standard input */
	const char *member; /* name in the archive; NULL where the file is the part */
	uint64_t size;      /* bytes where known before reading (a plain file), else 0 */
	bool plain;         /* it is a regular file, which rt_parts_read_at() reads again */
};

/*
 * Start over a data set. options: borrowed until rt_parts_free().
 * ret_parts: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_parts_open(const struct rt_options *options, struct rt_parts **ret_parts,
			     struct rt_error *err);

/*
 * Go to the next part; what was left of the one before is drained and checked first.
 * ret_part: borrowed until the next call.
 *
 * Returns RT_OK; RT_END after the last part; RT_REJECT with err set when one file cannot be read
 * (bad archive, bad checksum, no candidate in it) and the next call goes on after that file;
 * RT_FATAL with err set when the system failed or a limit of the whole run was passed.
 * err has path and member filled in.
 */
enum rt_status rt_parts_next(struct rt_parts *parts, const struct rt_part **ret_part,
			     struct rt_error *err);

/*
 * Read the next bytes of the current part into buf, at most cap (> 0) bytes; as many as can be
 * had without waiting twice. *ret_len: bytes read, at least 1 on RT_OK.
 * Returns RT_OK; RT_END at the part's end, after its checksums and its container's have been
 * checked as far as they cover it; RT_REJECT or RT_FATAL as rt_parts_next().
 */
enum rt_status rt_parts_read(struct rt_parts *parts, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err);

/*
 * Read bytes of the current part at an offset once more, as rt_parts_read(). Only where it is
 * plain. A file that has been changed since it was opened, or is shorter, is RT_E_IO.
 */
enum rt_status rt_parts_read_at(struct rt_parts *parts, uint64_t offset, void *buf, size_t cap,
				size_t *ret_len, struct rt_error *err);

/* Have rt_parts_read() go on at an offset of the current part. Only where it is plain. */
void rt_parts_seek(struct rt_parts *parts, uint64_t offset);

/* rt_files_stamp() of the files opened so far; after RT_END of all. */
uint64_t rt_parts_stamp(const struct rt_parts *parts);

/* What has not been read of the files so far; after RT_END of all of them. */
const struct rt_unread *rt_parts_unread(const struct rt_parts *parts);

/* Close everything and reap the child; NULL is allowed. */
void rt_parts_free(struct rt_parts *parts);

/* --- Files that need no decoder -------------------------------------------------------------- */

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

/* As rt_parts_read(), of a struct rt_plain. A regular file that is shorter than it was when opened
 * is RT_E_IO. */
enum rt_status rt_plain_read(void *plain, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err);

/*
 * Read a regular file's bytes at an offset, whatever has been read of it. A file that has been
 * changed since it was opened is RT_E_IO. Returns as rt_parts_read(), but for RT_END.
 */
enum rt_status rt_plain_read_at(const struct rt_plain *plain, uint64_t offset, void *buf,
				size_t cap, size_t *ret_len, struct rt_error *err);

#endif
