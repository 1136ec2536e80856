/*
 * Numbers that are looked for by another number, such as positions by a hash: sorted without a
 * comparison a step, and without memory.
 */
#ifndef RT_BASE_PAIRS_H
#define RT_BASE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct rt_pair {
	uint64_t key, value;
};

/* Sort by key, then by value. Takes time in proportion to count, whatever the numbers are. */
void rt_pairs_sort(struct rt_pair *pairs, size_t count);

/* The index of the first pair with a key in a sorted list, or where it would be. */
size_t rt_pairs_find(const struct rt_pair *pairs, size_t count, uint64_t key);

/* How many pairs from the first one on have its key; 0 of none. */
size_t rt_pairs_run(const struct rt_pair *pairs, size_t count);

#endif
