/*
 * Which place of a source each piece of made text comes from: a queue of (offset in the text,
 * place) pairs, both in rising order. Packed, since YAML has a pair for each key and value.
 */
#ifndef RT_BASE_MARKS_H
#define RT_BASE_MARKS_H

#include "base/error.h"
#include "base/pull.h"

#define RT_MARK_BYTES 208u

/* One full pair and, packed after it, what later ones add to it. */
struct rt_marks_block {
	uint64_t at;
	struct rt_place place;
	unsigned used; /* bytes of packed */
	unsigned char packed[RT_MARK_BYTES];
};

/* {0} is an empty one. */
struct rt_marks {
	struct rt_marks_block *blocks;
	size_t first; /* the oldest block in use */
	size_t count; /* blocks in use and before first */
	size_t cap;
	uint64_t at; /* the pair added last */
	struct rt_place place;
};

/* Add a pair. at and place: not before the last ones. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_marks_add(struct rt_marks *marks, uint64_t at, struct rt_place place,
			    struct rt_error *err);

/*
 * The place of the last pair that is not after at; of the first one if all are; the start of a
 * source if there is none.
 */
struct rt_place rt_marks_find(const struct rt_marks *marks, uint64_t at);

/* Pairs that only offsets before at need may be dropped. */
void rt_marks_forget(struct rt_marks *marks, uint64_t at);

void rt_marks_release(struct rt_marks *marks);

#endif
