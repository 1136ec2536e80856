/*
 * What every unit test program shares: Check and a main that runs one suite.
 */
#ifndef RT_TESTS_UNIT_H
#define RT_TESTS_UNIT_H

#include <check.h>
#include <malloc.h>
#include <stdlib.h>

/* Check writes the place of each assertion that holds to a file, for when a later one does not
 * come; in loops over bytes that was most of the time of a suite. */
#define _mark_point(file, line) ((void)0)

/* How many rounds of a long loop are for one that runs: under sanitizers some have to do, for all
 * of them run without. */
#ifdef RT_SANITIZED
#define UNIT_ROUNDS_FOR_ONE 3u
#else
#define UNIT_ROUNDS_FOR_ONE 1u
#endif

/* Whether memory is AddressSanitizer's, which wants terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__)
#define UNIT_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNIT_HAS_ASAN 1
#endif
#endif
#ifndef UNIT_HAS_ASAN
#define UNIT_HAS_ASAN 0
#endif

/* Bytes that are allocated; 0 where the C library's allocator is not the one in use. */
static inline size_t unit_heap(void)
{
#ifdef RT_SANITIZED
	return 0;
#else
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#endif
}

/* Run the suite that make() returns; the program fails when a test does. CK_RUN_SUITE,
 * CK_FORK and CK_VERBOSITY choose as Check documents. */
#define RT_UNIT_MAIN(make)                                                                         \
	int main(void)                                                                             \
	{                                                                                          \
		SRunner *runner = srunner_create(make());                                          \
		int failed;                                                                        \
                                                                                                   \
		srunner_run_all(runner, CK_ENV);                                                   \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                       \
	}

#endif
