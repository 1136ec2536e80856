/*
 * Meeting everything below a directory: for reading, copying and taking away.
 */
#ifndef RT_FILES_DESCEND_H
#define RT_FILES_DESCEND_H

#include <sys/stat.h>

#include "base/error.h"

/* One entry of a directory, none of them "." or "..". */
struct rt_entry {
	int at;           /* the directory it is in; borrowed for the call */
	const char *name; /* in that directory */
	const char *path; /* below the root, '/' between parts */
	struct stat st;   /* of itself, links not followed */
};

/* Paths below a directory, '/' between parts, each with memory of its own. {0} is none. */
struct rt_paths {
	char **paths;
	size_t count; /* in use */
	size_t cap;   /* allocated */
};

/* Add a path; its memory becomes the list's, also where this fails. RT_OK or RT_FATAL. */
enum rt_status rt_paths_push(struct rt_paths *list, char *path, struct rt_error *err);

void rt_paths_release(struct rt_paths *list);

/*
 * Open a path below the directory fd, one part after another, none of them a symbolic link.
 * Returns a new descriptor, or -1 with errno set.
 */
int rt_descend_open(int fd, const char *path, int flags);

/*
 * Call visit for every entry below the directory `root`, without following symbolic links. A
 * directory is visited before what is in it. visit may remove the entry, if that is no directory;
 * it returns RT_OK, or RT_END for a directory that is not to be gone into.
 *
 * max_entries: entries that may be met before it is given up (RT_E_LIMIT).
 * directories: {0} before; those that were met, the root not among them, every one after the one it
 * is in; released by rt_paths_release() whatever is returned.
 * Returns RT_OK; what else visit returned; RT_REJECT with too many entries or too long a path;
 * RT_FATAL where the system failed. err has the member, which is the entry's path, but no path.
 */
enum rt_status rt_descend(int root, uint64_t max_entries,
			  enum rt_status (*visit)(void *ctx, const struct rt_entry *entry,
						  struct rt_error *err),
			  void *ctx, struct rt_paths *directories, struct rt_error *err);

/*
 * Remove an entry of the directory `at` with all that is in it, as far as that can be done.
 */
void rt_descend_remove(int at, const char *name);

#endif
