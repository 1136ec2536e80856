/*
 * Descriptors: whole writes, reads that signals do not break off, and what file one leads to.
 */
#ifndef RT_BASE_IO_H
#define RT_BASE_IO_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/pull.h"

/*
 * Write all of data to fd. what: begins the message of a failure, for example "temporary file".
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_write_all(int fd, const void *data, size_t len, const char *what,
			    struct rt_error *err);

/*
 * Read from a descriptor, repeated after signals: at offset, or onward where offset is negative.
 * Returns the bytes read, 0 at the end, -1 with errno set.
 */
ssize_t rt_read_at(int fd, void *buf, size_t cap, off_t offset);

/*
 * Fill bytes with random ones, repeated after signals. len: up to 256, which the system never gives
 * a part of. Returns whether it did; else errno is set.
 */
bool rt_random(void *bytes, size_t len);

/* Bytes after which the system is asked to start writing to disk: a copy of 220 MB and its fsync()
 * take 57 ms so, with its space allocated before, and 108 ms without both. */
#define RT_WRITE_BEGIN_BYTES (UINT64_C(8) << 20)

/*
 * Have the system begin to write a new file to disk while more of it is made, RT_WRITE_BEGIN_BYTES
 * at a time, so that less is left to wait for when it is flushed. Failure shows in the flush. end:
 * bytes that have been written from the start on; started: those that this was asked for, 0 at
 * first.
 */
void rt_write_begin(int fd, uint64_t end, uint64_t *started);

/* --- Bytes on their way ---------------------------------------------------------------------- */

/*
 * Pass all that is pulled on to a sink. to: NULL: it is dropped.
 * Returns RT_OK at the end of it; else what the one or the other said.
 */
enum rt_status rt_pull_copy(struct rt_pull from, const struct rt_sink *to, struct rt_error *err);

/* Bytes of a file that are pulled, whatever its offset. */
struct rt_range {
	int fd;
	uint64_t at, end; /* end: UINT64_MAX: the file's own, wherever that is */
	const char *what; /* begins the message of a failure, which is RT_FATAL */
};

/* range: borrowed as long as it is pulled from. */
struct rt_pull rt_range_pull(struct rt_range *range);

/* Bytes that a file is written by. */
#define RT_OUT_BYTES ((size_t)64 * 1024)

/* A file that is written from its offset on, in large pieces. {.fd, .what} is one that is empty. */
struct rt_outfile {
	int fd;
	const char *what; /* begins the message of a failure */
	uint64_t written; /* bytes that are in the file */
	size_t len;       /* bytes that wait */
	char block[RT_OUT_BYTES];
};

/* Of a struct rt_outfile, as a sink has it. */
enum rt_status rt_outfile_write(void *out, const void *data, size_t len, struct rt_error *err);
enum rt_status rt_outfile_flush(struct rt_outfile *out, struct rt_error *err);

/*
 * Append a whole file to text, which the caller releases whatever is returned. words: what begins
 * the message where the file cannot be opened, and where it cannot be read; and the message where
 * it has more than max bytes. Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_read_file(const char *path, size_t max, const char *const words[3],
			    struct rt_buf *text, struct rt_error *err);

/* The same of a descriptor, from where it is; below 0: errno says why there is none. */
enum rt_status rt_read_fd(int fd, size_t max, const char *const words[3], struct rt_buf *text,
			  struct rt_error *err);

/*
 * Whether a path leads through a link to a descriptor, as /dev/stdout and /dev/fd/3 do: what looks
 * like a file there is another process's, or the shell's, open file.
 */
bool rt_is_descriptor(const char *path);

/* Whether two looks were at one file. */
static inline bool rt_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* --- Files without a name -------------------------------------------------------------------- */

/*
 * Append to a file without a name (base/forker.h) what is copied from an input. *written: bytes in
 * it, which this adds to. max: the limit "temporary". what: begins the message of a failure.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_LIMIT, RT_E_IO).
 */
enum rt_status rt_unnamed_write(int fd, const void *data, size_t len, uint64_t *written,
				uint64_t max, const char *what, struct rt_error *err);

#endif
