/*
 * Meeting everything below a directory: for copying and for taking away.
 */
#ifndef RT_FILES_DESCEND_H
#define RT_FILES_DESCEND_H

#include <sys/stat.h>

#include "base/error.h"

/* One entry of a directory, none of them "." or "..". */
struct rt_entry {
	int at;           /* the directory it stands in; borrowed for the call */
	const char *name; /* in that directory */
	const char *path; /* below the root, '/' between parts */
	struct stat st;   /* of itself, links not followed */
};

/* The directories below a root, the root not among them; every one after the one it is in. */
struct rt_descent {
	char **paths;
	size_t count, cap;
};

/*
 * Call visit for every entry below the directory `root`, without following symbolic links. A
 * directory is visited before what is in it. visit may remove the entry, if that is no directory.
 *
 * max_entries: entries that may be met before it is given up (RT_E_LIMIT).
 * descent: {0} before; the directories that were met; released by rt_descent_release() whatever is
 * returned.
 * Returns RT_OK; what visit returned if that was not RT_OK; RT_REJECT where the directory cannot
 * be walked; RT_FATAL (RT_E_NOMEM). err has the member, which is the entry's path, but no path.
 */
enum rt_status rt_descend(int root, uint64_t max_entries,
			  enum rt_status (*visit)(void *ctx, const struct rt_entry *entry,
						  struct rt_error *err),
			  void *ctx, struct rt_descent *descent, struct rt_error *err);

void rt_descent_release(struct rt_descent *descent);

/*
 * Remove an entry of the directory `at` with all that is in it, as far as that can be done.
 */
void rt_descend_remove(int at, const char *name);

#endif
