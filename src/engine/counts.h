/*
 * How often each distinct text occurs: the maps of a summary (SPEC D9).
 */
#ifndef RT_ENGINE_COUNTS_H
#define RT_ENGINE_COUNTS_H

#include "base/siphash.h"

struct rt_count {
	struct rt_slice text; /* owned by the counts */
	uint64_t count;
	uint64_t hash;
};

/* A table keyed by a secret hash, so that no input can make its texts meet (HOSTILE 7). */
struct rt_counts {
	struct rt_siphash_key key;
	struct rt_count *slots; /* text.ptr NULL: free */
	size_t cap, used;
	uint64_t bytes, max; /* taken by texts and slots; their limit */
};

/* An empty table. max: bytes it may take, more is RT_E_LIMIT (limit "distinct"). */
void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key, uint64_t max);

/* Count text once more; it is copied when it is new. Returns RT_OK or RT_FATAL with err set. */
enum rt_status rt_counts_add(struct rt_counts *counts, struct rt_slice text, struct rt_error *err);

/*
 * Bring the texts into byte order: afterwards the first counts->used slots are in use, and
 * nothing may be added any more.
 */
void rt_counts_sort(struct rt_counts *counts);

void rt_counts_release(struct rt_counts *counts);

#endif
