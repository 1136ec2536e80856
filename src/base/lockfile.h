/*
 * A lock that one process at a time holds: an exclusive open-file-description lock (Linux
 * F_OFD_SETLK) on a file of its own, which is made where it is missing and never removed. The
 * system drops it with the process that held it, so a file that is left behind locks nothing.
 */
#ifndef RT_BASE_LOCKFILE_H
#define RT_BASE_LOCKFILE_H

#include "retriage.h"

/*
 * Take the lock on a file, and wait for it if another holds it.
 *
 * path: NUL-terminated. wait_ms: for how long at most; 0 tries once.
 * on_wait: called once, before the waiting; may be NULL.
 * ret_fd: on RT_OK the descriptor that holds the lock, for rt_lockfile_release().
 *
 * Returns RT_OK, or RT_FATAL: RT_E_USAGE where path is something else than a regular file or its
 * folder is not there, RT_E_IO where the system failed or the time is over.
 */
enum rt_status rt_lockfile_take(const char *path, unsigned wait_ms, void (*on_wait)(void *ctx),
				void *wait_ctx, int *ret_fd, struct rt_error *err);

/* Give the lock back, also where a child process has a copy of fd. -1 is allowed. */
void rt_lockfile_release(int fd);

#endif
