/*
 * How often each distinct text occurs: the maps of a summary (SPEC D9).
 */
#ifndef RT_ENGINE_COUNTS_H
#define RT_ENGINE_COUNTS_H

#include "base/siphash.h"

struct rt_count {
	struct rt_slice text; /* owned by the counts */
	uint64_t count;
	uint64_t open; /* those of them that were added as open */
	uint64_t hash;
};

/* What tables may take together, in bytes of texts and slots. */
struct rt_counts_limit {
	uint64_t bytes, max; /* taken so far; more is RT_E_LIMIT (limit "distinct") */
};

/* A table keyed by a secret hash, so that no input can make its texts meet (HOSTILE 7). */
struct rt_counts {
	struct rt_siphash_key key;
	struct rt_count *slots; /* text.ptr NULL: free */
	size_t cap, used;
	struct rt_counts_limit *limit;
};

/*
 * An empty table. key: copied. limit: what it takes is added there; borrowed until the release,
 * and may be shared with other tables.
 */
void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key,
		    struct rt_counts_limit *limit);

/*
 * Count text once more; it is copied when it is new. open: what it stands for is open.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_counts_add(struct rt_counts *counts, struct rt_slice text, bool open,
			     struct rt_error *err);

/* Count text `count` times more, `open` of them open. Returns as rt_counts_add(). */
enum rt_status rt_counts_put(struct rt_counts *counts, struct rt_slice text, uint64_t count,
			     uint64_t open, struct rt_error *err);

/* Add all counts of another table, which has the same key. Returns RT_OK or RT_FATAL. */
enum rt_status rt_counts_merge(struct rt_counts *counts, const struct rt_counts *from,
			       struct rt_error *err);

/*
 * Whether a table that takes the same texts in some other order never comes to the limit, either;
 * of tables that share a limit, all have to say so. It may come to it where this is false.
 */
bool rt_counts_fits(const struct rt_counts *counts);

/*
 * Bring the texts into byte order: afterwards the first counts->used slots are in use, and
 * nothing may be added any more.
 */
void rt_counts_sort(struct rt_counts *counts);

/*
 * Take one off a text's count in a sorted table. One that comes to 0 stays in its slot: who writes
 * the counts leaves it out. What is open is not kept any more. A text that is not there is left
 * alone.
 */
void rt_counts_take(struct rt_counts *counts, struct rt_slice text);

/* Free everything; what the limit says is taken stays. {0} is allowed. */
void rt_counts_release(struct rt_counts *counts);

#endif
