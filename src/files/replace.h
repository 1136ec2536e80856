/*
 * Replacing a file, or making a new directory, so that it is whole or not there at all
 * (SPEC section 2).
 *
 * A target that is a symbolic link stands for the file it leads to: that file is replaced, and the
 * link stays. But a link to a descriptor, such as /dev/stdout, stands for what somebody writes to,
 * and is refused. A file with several hard links gets a new file under the target's name alone,
 * which is said, and so is refused in place.
 */
#ifndef RT_FILES_REPLACE_H
#define RT_FILES_REPLACE_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"

struct rt_replace;

/* What is at the target now, and may be. */
enum rt_replace_kind {
	RT_REPLACE_FILE,      /* a regular file, which is replaced, or nothing */
	RT_REPLACE_IN_PLACE,  /* a regular file that is also the source: it must be there, and is
			       * locked against others like us until the end */
	RT_REPLACE_DIRECTORY, /* nothing: a directory is to be made */
	RT_REPLACE_STREAM,    /* not by rt_replace_open(), but rt_replace_open_stream() */
};

/*
 * Look at the target, lock it where asked to, and clear away what dead runs have left for it.
 * Nothing is made yet, so that a bad input costs nothing; but what can be refused is refused now:
 * a target of the wrong kind, a folder that cannot be written.
 *
 * RT_REPLACE_IN_PLACE: call this before the file is read for the first time. Then nothing of what
 * other runs put there is lost, and what anybody else does to the file before the commit is found
 * out there.
 *
 * target: NUL-terminated, borrowed until rt_replace_free().
 * on_notice: told, for people, that a lock is being waited for, which takes RT_LOCK_WAIT_MS at the
 * most, and with the commit that other hard links keep the old file. May be
 * NULL.
 * ret_replace: on RT_OK owned by the caller.
 * Returns RT_OK, or RT_FATAL with err set, path included: RT_E_USAGE for a target of the wrong
 * kind or a folder that is not there, RT_E_IO.
 */
enum rt_status rt_replace_open(const char *target, enum rt_replace_kind kind,
			       void (*on_notice)(void *ctx, const char *text), void *notice_ctx,
			       struct rt_replace **ret_replace, struct rt_error *err);

/*
 * The same for a stream, which cannot be replaced, but can be left alone until all is well: what is
 * written goes to a file without a name, and with the commit to sink.
 * sink: copied; its ctx is borrowed until rt_replace_free(). ret_replace: on RT_OK owned by the
 * caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_replace_open_stream(const struct rt_sink *sink, struct rt_replace **ret_replace,
				      struct rt_error *err);

/*
 * Make the temporary file or directory beside the target. *ret_fd: the file, for reading and
 * writing, or the directory; borrowed until commit or free. Once only.
 * Returns RT_OK or RT_FATAL with err set, path included.
 */
enum rt_status rt_replace_begin(struct rt_replace *replace, int *ret_fd, struct rt_error *err);

/* A sink that writes to the file that has been made. Its ctx is borrowed until commit or free. */
struct rt_sink rt_replace_sink(struct rt_replace *replace);

/*
 * Everything has been written: do all of rt_replace_commit() that may well fail, up to the flush of
 * the new file, so that something else can be committed between the two. May be left out.
 * Returns RT_OK, or RT_FATAL with err set, path included: the temporary is gone.
 */
enum rt_status rt_replace_settle(struct rt_replace *replace, struct rt_error *err);

/*
 * Everything has been written: give it the old file's mode, owner and access control list, flush
 * it, rename it over the target, flush the directory. A new file has the mode that the umask
 * leaves; a directory, and what is in it, must have been flushed by the caller.
 *
 * Returns RT_OK: the target is new and on disk; or RT_FATAL with err set, path included. Up to the
 * rename a failure leaves the target as it was, and no temporary; after it only the flush of the
 * directory is left to fail, and the message says that the new file is in place. A stream is as
 * far as its sink has taken it.
 */
enum rt_status rt_replace_commit(struct rt_replace *replace, struct rt_error *err);

/* The target as it was given to rt_replace_open(), for messages; of a stream what holds it. */
const char *rt_replace_target(const struct rt_replace *replace);

/* Without a commit before it: takes the temporary away. NULL is allowed. */
void rt_replace_free(struct rt_replace *replace);

/* Whether a name is that of a temporary that this process has made and not yet renamed. */
bool rt_temporary_is_own(const char *name);

#endif
