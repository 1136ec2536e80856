/*
 * The scanner's code paths, for tests that run every one this processor has.
 */
#ifndef RT_TESTS_PATHS_H
#define RT_TESTS_PATHS_H

#include <string.h>

#include "scan/scan.h"

#define PATH_COUNT 3

static const struct {
	enum rt_simd simd;
	const char *name;
} paths[PATH_COUNT] = {
    {RT_SIMD_PORTABLE, "portable"},
    {RT_SIMD_AVX2, "avx2"},
    {RT_SIMD_AVX512, "avx512"},
};

/* The functions of a code path; NULL where the processor lacks it. */
static inline const struct rt_scan_ops *path_ops(size_t path)
{
	const struct rt_scan_ops *ops = rt_scan_ops_for(paths[path].simd);

	return strcmp(ops->name, paths[path].name) == 0 ? ops : NULL;
}

#endif
