/*
 * Places of made text: kept as blocks of one full pair and packed differences, found by binary
 * search over blocks and a walk in one.
 * Input: rising pairs. Output: the place of an offset. Refuses nothing but want of memory.
 */
#include "base/marks.h"

#include <stdlib.h>

#define FIRST_BLOCKS ((size_t)16)

/* Four numbers of at most ten bytes each. */
#define PAIR_BYTES_MAX 40u

static unsigned char *pack(unsigned char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (unsigned char)(value | 0x80);
	*p++ = (unsigned char)value;
	return p;
}

static const unsigned char *unpack(const unsigned char *p, uint64_t *ret_value)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; *p & 0x80; shift += 7)
		value |= (uint64_t)(*p++ & 0x7f) << shift;
	*ret_value = value | (uint64_t)*p++ << shift;
	return p;
}

/* Drop the blocks before first, or grow. */
static enum rt_status marks_room(struct rt_marks *marks, struct rt_error *err)
{
	struct rt_marks_block *blocks;
	size_t cap;

	if (marks->blocks && marks->first > marks->cap / 2) {
		marks->count -= marks->first;
		memmove(marks->blocks, marks->blocks + marks->first,
			marks->count * sizeof(*marks->blocks));
		marks->first = 0;
		return RT_OK;
	}
	cap = marks->cap ? marks->cap : FIRST_BLOCKS / 2;
	blocks = __builtin_mul_overflow(cap, 2, &cap)
		     ? NULL
		     : reallocarray(marks->blocks, cap, sizeof(*blocks));
	if (!blocks) {
		(void)rt_error_nomem(err);
		return RT_FATAL;
	}
	marks->blocks = blocks;
	marks->cap = cap;
	return RT_OK;
}

enum rt_status rt_marks_add(struct rt_marks *marks, uint64_t at, struct rt_place place,
			    struct rt_error *err)
{
	struct rt_marks_block *block = NULL;
	enum rt_status status;
	unsigned char *p;

	if (marks->count > marks->first)
		block = &marks->blocks[marks->count - 1];
	if (!block || block->used > RT_MARK_BYTES - PAIR_BYTES_MAX) {
		if (!marks->blocks || marks->count == marks->cap) {
			status = marks_room(marks, err);
			if (status != RT_OK)
				return status;
		}
		block = marks->blocks + marks->count++;
		block->at = at;
		block->place = place;
		block->used = 0;
	} else {
		p = pack(block->packed + block->used, at - marks->at);
		p = pack(p, place.offset - marks->place.offset);
		p = pack(p, place.line - marks->place.line);
		/* On the same line the column follows from the offset. */
		if (place.line != marks->place.line)
			p = pack(p, place.column);
		block->used = (unsigned)(p - block->packed);
	}
	marks->at = at;
	marks->place = place;
	return RT_OK;
}

static struct rt_place block_find(const struct rt_marks_block *block, uint64_t at)
{
	const unsigned char *end = block->packed + block->used;
	const unsigned char *p = block->packed;
	struct rt_place place = block->place;
	uint64_t here = block->at;

	while (p < end) {
		uint64_t step, offset, line, column;

		p = unpack(p, &step);
		p = unpack(p, &offset);
		p = unpack(p, &line);
		column = place.column + offset;
		if (line > 0)
			p = unpack(p, &column);
		here += step;
		if (here > at)
			break;
		place = (struct rt_place){place.line + line, column, place.offset + offset};
	}
	return place;
}

/* The last block that starts at or before at; the first one if none does. There is one. */
static size_t marks_search(const struct rt_marks *marks, uint64_t at)
{
	size_t low = marks->first;
	size_t high = marks->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (marks->blocks[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct rt_place rt_marks_find(const struct rt_marks *marks, uint64_t at)
{
	if (marks->count == marks->first)
		return (struct rt_place){1, 1, 0};
	return block_find(&marks->blocks[marks_search(marks, at)], at);
}

void rt_marks_forget(struct rt_marks *marks, uint64_t at)
{
	if (marks->count > marks->first)
		marks->first = marks_search(marks, at);
}

void rt_marks_release(struct rt_marks *marks)
{
	free(marks->blocks);
	*marks = (struct rt_marks){0};
}
