/* Prefixes that are taken off the front of paths (--strip-prefix, TRIAGE T19). */
#ifndef RT_BASE_PREFIX_H
#define RT_BASE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Each NUL-terminated; borrowed. */
struct rt_prefixes {
	const char *const *list;
	size_t count;
};

/* Step over each "./" at the start, and the slashes after it. */
struct rt_slice rt_path_undot(struct rt_slice path);

/*
 * Take the longest prefix that the path lies below off its front. Both slashes are slashes; "./" at
 * either's start and slashes at a prefix's end are nothing. Returns what is left, a part of path;
 * path itself where it lies below none.
 */
struct rt_slice rt_path_strip(struct rt_slice path, struct rt_prefixes prefixes);

#endif
