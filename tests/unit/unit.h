/*
 * What every unit test program shares: Check and a main that runs one suite.
 */
#ifndef RT_TESTS_UNIT_H
#define RT_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

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
