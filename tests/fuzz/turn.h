/*
 * Which of several ways of trying an input have their turn: a code path, a size of a window, a
 * number of threads.
 *
 * All of them, unless FUZZ_TURNS=one is in the environment: then one, which the input's bytes
 * choose. A fuzzer that has millions of inputs to try is given it, so that all ways are taken over
 * time and an input costs one; what is replayed, in `make check`, from the kept corpus and after a
 * find, goes all ways.
 */
#ifndef TESTS_FUZZ_TURN_H
#define TESTS_FUZZ_TURN_H

#include <stddef.h>
#include <stdint.h>

/*
 * The first way of count (1 or more) that data has its turn with.
 *
 * ret_end: the way after the last one. The same for the same bytes. Refuses nothing.
 */
size_t turn_first(const uint8_t *data, size_t size, size_t count, size_t *ret_end);

#endif
