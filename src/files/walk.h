/*
 * The candidates below one directory (SPEC D1), found without following any symbolic link.
 */
#ifndef RT_FILES_WALK_H
#define RT_FILES_WALK_H

#include "files/descend.h"

struct rt_walk {
	struct rt_paths found;  /* the candidates, in byte order */
	struct rt_paths unread; /* likewise what is neither read nor left out by choice, each
				 * with its enum rt_unread_reason as a byte before it */
	uint64_t bytes;         /* sizes of all candidates together */
};

/*
 * Collect the candidates below the directory that fd is open on; fd stays open and unmoved.
 *
 * choice: borrowed for the call. max_entries: entries of any kind that may be met before the walk
 * is given up. walk: {0} before; released by rt_walk_release() whatever is returned. Returns RT_OK;
 * RT_REJECT when there are too many entries (RT_E_LIMIT) or none is a candidate (RT_E_INPUT);
 * RT_FATAL when the system failed. err has the member but not the path.
 */
enum rt_status rt_walk_collect(struct rt_walk *walk, int fd, const struct rt_choice *choice,
			       uint64_t max_entries, struct rt_error *err);

void rt_walk_release(struct rt_walk *walk);

#endif
