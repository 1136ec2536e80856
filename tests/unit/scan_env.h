/*
 * What the scanner looks at in the environment, for tests: its code path and its window.
 */
#ifndef RT_TESTS_SCAN_ENV_H
#define RT_TESTS_SCAN_ENV_H

#include <stdio.h>
#include <stdlib.h>

/* simd: "portable", or NULL for the fastest. window: first size in bytes, 0 for the usual one. */
static inline void scan_env(const char *simd, size_t window)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%zu", window);
	if (setenv("RETRIAGE_SIMD", simd ? simd : "", 1) != 0 ||
	    setenv("RETRIAGE_WINDOW", text, 1) != 0)
		abort();
}

#endif
