/*
 * Which place of a source each piece of made text comes from: a queue of (offset in the text,
 * place) pairs. Offsets rise, and so do places, but for those that are extents.
 */
#ifndef RT_BASE_MARKS_H
#define RT_BASE_MARKS_H

#include "base/buf.h"
#include "base/pull.h"

/* {0} is an empty one. */
struct rt_marks {
	struct rt_buf pairs;
	size_t first; /* the oldest pair in use */
	bool crosses; /* an anchor in a record has been used outside of that */
};

/* What a record takes in its source, and how it stands there: so that it can be written anew. */
struct rt_extent {
	uint64_t end;   /* offset of the byte after it */
	uint64_t style; /* 0: it cannot be, for it is what an alias stands for */
};

/* A style: flags, and from bit 8 on the blanks before its members. */
#define RT_STYLE_SOURCE 1u    /* always, so that none is 0 */
#define RT_STYLE_BRACES 2u    /* it is one of braces */
#define RT_STYLE_CRLF 4u      /* its lines end with CR LF */
#define RT_STYLE_ANCHORS 8u   /* there are anchors inside it */
#define RT_STYLE_ANCHORED 16u /* it has an anchor itself, or is in a node that has one */
#define RT_STYLE_RESPELLED                                                                         \
	32u /* a number in it is written otherwise than in JSON, and not so that                   \
	     * YAML 1.1 and 1.2 read both alike */
#define RT_STYLE_INDENT 8u

/*
 * Add a pair. at: not before the last one. A place without a line is the extent of the record whose
 * last byte is at: its offset the end, its column the style. RT_MARK_CROSSES for at: the anchor of
 * an alias is in another record.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
#define RT_MARK_CROSSES UINT64_MAX
enum rt_status rt_marks_add(struct rt_marks *marks, uint64_t at, struct rt_place place,
			    struct rt_error *err);

/*
 * The place of the last pair that is not after at; of the first one if all are; the start of a
 * source if there is none.
 */
struct rt_place rt_marks_find(const struct rt_marks *marks, uint64_t at);

/* The extent of the record whose last byte is at; {0}: there is none. */
struct rt_extent rt_marks_extent(const struct rt_marks *marks, uint64_t at);

/* Pairs that only offsets before at need may be dropped. */
void rt_marks_forget(struct rt_marks *marks, uint64_t at);

void rt_marks_release(struct rt_marks *marks);

#endif
