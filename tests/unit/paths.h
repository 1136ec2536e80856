/*
 * The scanner's code paths, for tests that run every one this processor has.
 */
#ifndef RT_TESTS_PATHS_H
#define RT_TESTS_PATHS_H

#include <string.h>

#include "scan/scan.h"
#include "scan_env.h"

#define PATH_COUNT 2

static const char *const paths[PATH_COUNT] = {"portable", "avx2"};

/* The functions of a code path; NULL where the processor lacks it. */
static inline const struct rt_scan_ops *path_ops(size_t path)
{
	const struct rt_scan_ops *ops;

	scan_env(paths[path], 0);
	ops = rt_scan_ops();
	scan_env(NULL, 0);
	return strcmp(ops->name, paths[path]) == 0 ? ops : NULL;
}

#endif
