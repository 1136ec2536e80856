/*
 * Which of the mutants is alive: included before every source of the program that mutate.py makes,
 * in which all of them stand. Input: LD_MUTANT, its number; it begins with LD_ because of the
 * environment only what is for the loader reaches the decoder's program. Without it none is.
 */
#ifndef RT_MUTANT_H
#define RT_MUTANT_H

#include <stdlib.h>

/* Weak: each source has one, and the linker keeps one a program. */
__attribute__((weak, visibility("hidden"))) int rt_mutant;

__attribute__((weak, visibility("hidden"), constructor)) void rt_mutant_choose(void);
__attribute__((weak, visibility("hidden"), constructor)) void rt_mutant_choose(void)
{
	const char *number = getenv("LD_MUTANT");

	rt_mutant = number ? atoi(number) : 0;
}

#endif
