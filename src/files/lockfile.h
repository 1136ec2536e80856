/*
 * A lock that one process at a time holds: an exclusive open-file-description lock (Linux
 * F_OFD_SETLK) on a file of its own, which is made where it is missing. The system drops it with
 * the process that held it, so a file that is left there locks nothing. Only who has made the file
 * may take it away, while holding its lock: who has waited for that finds that the name is gone.
 */
#ifndef RT_FILES_LOCKFILE_H
#define RT_FILES_LOCKFILE_H

#include <sys/stat.h>

#include "retriage.h"

/*
 * Take the lock on a file, and wait for it if another holds it.
 *
 * path: NUL-terminated. wait_ms: for how long at most; 0 tries once.
 * on_wait: called once, before the waiting; may be NULL.
 * ret_fd: on RT_OK the descriptor that holds the lock, for rt_lockfile_release().
 * ret_made: on RT_OK whether the file was not there before.
 *
 * Returns RT_OK, or RT_FATAL: RT_E_USAGE where path is something else than a regular file or its
 * folder is not there, RT_E_IO where the system failed or the time is over.
 */
enum rt_status rt_lockfile_take(const char *path, unsigned wait_ms, void (*on_wait)(void *ctx),
				void *wait_ctx, int *ret_fd, bool *ret_made, struct rt_error *err);

/* Take away the file that this process has made and holds the lock of; before its release. */
void rt_lockfile_remove(int fd, const char *path);

/* Give the lock back, also where a child process has a copy of fd. -1 is allowed. */
void rt_lockfile_release(int fd);

#endif
