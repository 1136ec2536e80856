/*
 * Which place of a source each piece of made text comes from: a queue of (offset in the text,
 * place) pairs, both in rising order.
 */
#ifndef RT_BASE_MARKS_H
#define RT_BASE_MARKS_H

#include "base/buf.h"
#include "base/pull.h"

/* {0} is an empty one. */
struct rt_marks {
	struct rt_buf pairs;
	size_t first; /* the oldest pair in use */
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
