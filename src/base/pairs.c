/*
 * Sorts pairs of numbers by their bytes, the highest first: each one is swapped into the part of
 * its byte, and each part is sorted by the bytes that follow.
 */
#include "base/pairs.h"

#define FEW 24u /* that many are sorted faster by insertion */
#define BYTES 16u

static int is_less(const struct rt_pair *a, const struct rt_pair *b)
{
	return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void insert_all(struct rt_pair *pairs, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct rt_pair pair = pairs[i];
		size_t at = i;

		for (; at > 0 && is_less(&pair, &pairs[at - 1]); at--)
			pairs[at] = pairs[at - 1];
		pairs[at] = pair;
	}
}

static unsigned byte_of(const struct rt_pair *pair, unsigned level)
{
	uint64_t word = level < 8 ? pair->key : pair->value;

	return (unsigned)(word >> (56 - 8 * (level & 7))) & 0xFF;
}

/* Bring the pairs into the order of one byte. ends: behind the last one of each. */
static void part(struct rt_pair *pairs, unsigned level, const size_t counts[256], size_t ends[256])
{
	size_t next[256], at = 0;

	for (unsigned b = 0; b < 256; b++) {
		next[b] = at;
		at += counts[b];
		ends[b] = at;
	}
	for (unsigned b = 0; b < 256; b++) {
		while (next[b] < ends[b]) {
			struct rt_pair pair = pairs[next[b]];
			unsigned to = byte_of(&pair, level);

			while (to != b) {
				struct rt_pair other = pairs[next[to]];

				pairs[next[to]++] = pair;
				pair = other;
				to = byte_of(&pair, level);
			}
			pairs[next[b]++] = pair;
		}
	}
}

/* Sort pairs whose bytes above a level are the same. It calls itself once a byte at most. */
static void sort_from(struct rt_pair *pairs, size_t count, unsigned level)
{
	size_t counts[256], ends[256];
	unsigned first;

	do {
		if (count <= FEW || level == BYTES) {
			insert_all(pairs, count);
			return;
		}
		for (unsigned b = 0; b < 256; b++)
			counts[b] = 0;
		for (size_t i = 0; i < count; i++)
			counts[byte_of(&pairs[i], level)]++;
		first = byte_of(&pairs[0], level++);
	} while (counts[first] == count);
	part(pairs, level - 1, counts, ends);
	for (unsigned b = 0; b < 256; b++)
		sort_from(pairs + ends[b] - counts[b], counts[b], level);
}

void rt_pairs_sort(struct rt_pair *pairs, size_t count)
{
	sort_from(pairs, count, 0);
}

size_t rt_pairs_find(const struct rt_pair *pairs, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t rt_pairs_run(const struct rt_pair *pairs, size_t count)
{
	size_t run = count > 0;

	while (run < count && pairs[run].key == pairs[0].key)
		run++;
	return run;
}
