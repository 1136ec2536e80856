/*
 * How often each distinct text occurs: the maps of a summary (SPEC D9).
 */
#ifndef RT_ENGINE_COUNTS_H
#define RT_ENGINE_COUNTS_H

#include "base/map.h"

/* A row. An owner may have larger ones, which begin with this. */
struct rt_count {
	struct rt_slice text; /* owned by the counts; ends with a NUL */
	uint64_t count;
	uint64_t open; /* those of them that were added as open */
};

/* What tables may take together, in bytes of texts and slots. */
struct rt_counts_limit {
	uint64_t bytes, max; /* taken so far; more is RT_E_LIMIT (limit "distinct") */
	const char *what;    /* is too large, in the message; NULL: the size of distinct values */
};

struct rt_counts {
	struct rt_siphash_key key;
	struct rt_map map;      /* of hashes to rows, from 1 */
	struct rt_count *slots; /* used of them, in the order of their making */
	size_t used, room, row_bytes;
	struct rt_counts_limit *limit;
};

/*
 * An empty table; its row_bytes may be set to more before anything is added. key: copied. limit:
 * what it takes is added there; borrowed until the release, and may be shared with other tables.
 */
void rt_counts_init(struct rt_counts *counts, const struct rt_siphash_key *key,
		    struct rt_counts_limit *limit);

/* The row of a text, which is made where it is new: copied, with zeros behind it. NULL with err
 * set. It moves when others are made. */
void *rt_counts_row(struct rt_counts *counts, struct rt_slice text, struct rt_error *err);

/* Keep a text as long as the table: that of its row; ptr NULL on a fault. */
struct rt_slice rt_counts_keep(struct rt_counts *counts, struct rt_slice text,
			       struct rt_fault *fault);

/*
 * Count text `count` times more, `open` of them open; it is copied when it is new.
 * Returns RT_OK or RT_FATAL with err set.
 */
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

/* Bring the texts into byte order; nothing may be added any more. */
void rt_counts_sort(struct rt_counts *counts);

/* The row of a text in a sorted table; NULL: there is none. Who writes the counts leaves rows out
 * whose count is 0. */
struct rt_count *rt_counts_find(const struct rt_counts *counts, struct rt_slice text);

/* Free everything; what the limit says is taken stays. {0} is allowed. */
void rt_counts_release(struct rt_counts *counts);

#endif
