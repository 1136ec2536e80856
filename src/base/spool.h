/*
 * A place to hold an answer back until the whole input has been checked (SPEC D20): in memory at
 * first, beyond RT_SPOOL_MEMORY in a temporary file without a name.
 */
#ifndef RT_BASE_SPOOL_H
#define RT_BASE_SPOOL_H

#include "base/buf.h"

struct rt_spool {
	struct rt_buf buf;
	uint64_t filed; /* bytes in the file; those in buf come after them */
	int fd;         /* -1 while everything is in memory */
	bool lost;      /* an append has failed: nothing more is taken or passed on */
};

void rt_spool_init(struct rt_spool *spool);

/*
 * A sink that appends to the spool, for as long as the spool stays where it is. After a failed
 * append it fails for good: an answer with a hole in it is none.
 */
struct rt_sink rt_spool_sink(struct rt_spool *spool);

/*
 * Make room for an append of len bytes, so that it cannot fail for want of memory. Returns RT_OK,
 * or RT_FATAL with err set (RT_E_NOMEM), and the spool goes on as it was.
 */
enum rt_status rt_spool_reserve(struct rt_spool *spool, size_t len, struct rt_error *err);

/* Pass everything to sink, in order. Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_spool_copy(struct rt_spool *spool, const struct rt_sink *sink,
			     struct rt_error *err);

/*
 * Read len bytes from an offset on; all of them were appended. window: scratch that makes reads
 * near each other cheap, {0} at first. ret_bytes: borrowed until the next call with this window.
 * Returns RT_OK or RT_FATAL with err set.
 */
struct rt_spool_window {
	struct rt_buf buf;
	uint64_t at; /* offset of its first byte */
	bool exact;  /* reads are not near each other: no more than is wanted is read */
};

enum rt_status rt_spool_read(const struct rt_spool *spool, uint64_t offset, size_t len,
			     struct rt_spool_window *window, const char **ret_bytes,
			     struct rt_error *err);

void rt_spool_release(struct rt_spool *spool);

#endif
