/*
 * The candidates below one directory (SPEC D1), found without following any symbolic link.
 */
#ifndef RT_INPUT_WALK_H
#define RT_INPUT_WALK_H

#include "base/error.h"

struct rt_walk {
	char **names;   /* paths below the directory, '/' between parts, in byte order */
	size_t count;   /* names in use */
	size_t cap;     /* names allocated */
	uint64_t bytes; /* sizes of all of them together */
};

/*
 * Collect the candidates below the directory that fd is open on; fd stays open and unmoved.
 *
 * max_entries: entries of any kind that may be met before the walk is given up.
 * walk: {0} before; released by rt_walk_release() whatever is returned.
 * Returns RT_OK; RT_REJECT when there are too many entries (RT_E_LIMIT) or none is a candidate
 * (RT_E_INPUT); RT_FATAL when the system failed. err has the member but not the path.
 */
enum rt_status rt_walk_collect(struct rt_walk *walk, int fd, uint64_t max_entries,
			       struct rt_error *err);

/*
 * Open a path below the directory fd, one part after another, none of them a symbolic link.
 * Returns a new descriptor, or -1 with errno set.
 */
int rt_walk_open(int fd, const char *name, int flags);

void rt_walk_release(struct rt_walk *walk);

#endif
