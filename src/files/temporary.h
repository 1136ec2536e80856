/*
 * Temporary files and directories that stand beside what they are to replace, and can be told
 * from those that dead runs have left.
 *
 * One is named `.NAME.retriage-XXXXXXXX`, and its maker holds an exclusive flock() on it for as
 * long as it lives. So one whose lock can be had is nobody's.
 */
#ifndef RT_FILES_TEMPORARY_H
#define RT_FILES_TEMPORARY_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"

struct rt_temporary {
	int fd; /* the file, for reading and writing, or the directory; -1: none */
	char name[NAME_MAX + 1];
	int at;                    /* the directory it is in; borrowed */
	struct rt_temporary *next; /* of all there are in this process */
};

/*
 * Make one in the directory `at`, for the target `name` there, and lock it.
 *
 * is_directory: make a directory. mode: as for open() or mkdir(); the umask counts.
 * at: borrowed until its end. temporary: on RT_OK to be ended by rt_temporary_discard(), or renamed
 * and then told to rt_temporary_keep().
 * Returns RT_OK or RT_FATAL (RT_E_IO); err has no path.
 */
enum rt_status rt_temporary_make(struct rt_temporary *temporary, int at, const char *name,
				 bool is_directory, mode_t mode, struct rt_error *err);

/* Take it away, with all that is in it, and close it; nothing where there is none. */
void rt_temporary_discard(struct rt_temporary *temporary);

/* It has been renamed, and is no temporary any more: its name is empty. It stays open, and locked,
 * until its descriptor is closed. */
void rt_temporary_keep(struct rt_temporary *temporary);

/*
 * Take away what dead runs have left in the directory `at` for the target `name`. What cannot be
 * taken away, for whatever reason, stays: it is in nobody's way.
 */
void rt_temporary_clear(int at, const char *name);

/* Whether a name is that of one that this process has made and not yet renamed. */
bool rt_temporary_is_own(const char *name);

/*
 * Take an exclusive flock() on fd, without waiting.
 * Returns 0; or an errno: EWOULDBLOCK, another process has it; others, the file system has no
 * such locks.
 */
int rt_temporary_lock(int fd);

#endif
