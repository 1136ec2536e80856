/*
 * How many issues have each value of a field, or of up to three together (WORKFLOW section 2,
 * --count-by).
 */
#ifndef RT_ENGINE_COUNT_BY_H
#define RT_ENGINE_COUNT_BY_H

#include "engine/counts.h"
#include "engine/field.h"

#define RT_COUNT_BY_MEMBERS 3u

/* One value, or several together. */
struct rt_count_by_row {
	struct rt_slice values[RT_COUNT_BY_MEMBERS]; /* decoded; "true", "false" of a boolean; ptr
						      * NULL: missing, null or an empty list */
	uint64_t open, all;
	/* Of all rows with its first values, up to each of them. */
	uint64_t group_open[RT_COUNT_BY_MEMBERS], group_all[RT_COUNT_BY_MEMBERS];
};

/* What is counted by. */
struct rt_count_by_field {
	unsigned field;       /* enum rt_field, or a member */
	unsigned depth;       /* of folder:N */
	struct rt_slice name; /* as it was given; borrowed */
};

/* Counting under way. */
struct rt_count_by {
	struct rt_count_by_field fields[RT_COUNT_BY_MEMBERS];
	size_t field_count;
	struct rt_field_source source;
	struct rt_counts counts;
	struct rt_counts_limit limit;
	struct rt_buf key, scratch;
	struct rt_put room; /* into scratch, of the issue that is counted: a fault sticks */
	struct rt_buf texts[RT_COUNT_BY_MEMBERS], spans[RT_COUNT_BY_MEMBERS];
	struct rt_count_by_row *rows; /* set by rt_count_by_sort() */
	size_t row_count;
};

/*
 * Nothing counted yet. members: up to three names, with commas between them, of those that can be
 * counted by, NULL: of none. key: for the hashes, copied. It points into itself and stays where it
 * is. Returns RT_OK, or RT_FATAL (RT_E_USAGE); release it in both cases.
 */
enum rt_status rt_count_by_init(struct rt_count_by *by, const char *members,
				const struct rt_limits *limits, const struct rt_siphash_key *key,
				struct rt_error *err);

/*
 * Check such a text by itself. ret_fields, ret_count: set on RT_OK. Returns as above.
 */
enum rt_status rt_count_by_members(const char *text,
				   struct rt_count_by_field ret_fields[RT_COUNT_BY_MEMBERS],
				   size_t *ret_count, struct rt_error *err);

/* Count an issue once under each different value, or pair of them: a list has several. Returns
 * RT_OK or RT_FATAL (RT_E_LIMIT: of what was counted so far, or of the pairs of this issue). */
enum rt_status rt_count_by_add(struct rt_count_by *by, const struct rt_finding *finding,
			       struct rt_error *err);

/*
 * Bring the rows into order, after which nothing may be added: severities by rank, then others
 * in byte order; other values most open first, then most at all, then in byte order; what is
 * missing last. Of several fields the first one's values as if it were alone, and within each the
 * next one's. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_count_by_sort(struct rt_count_by *by, struct rt_error *err);

void rt_count_by_release(struct rt_count_by *by);

#endif
