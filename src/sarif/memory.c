/*
 * Memory for the tables of a run: a list of pieces, one for each that is taken, and a count that
 * stays below the limit.
 */
#include "sarif/memory.h"

#include <stdalign.h>
#include <stdlib.h>

struct rt_sarif_piece {
	struct rt_sarif_piece *next;
	alignas(max_align_t) char bytes[];
};

static const char too_much[] = "rules and artifacts exceed --limit metadata";

void rt_sarif_memory_count(struct rt_sarif_memory *memory, int64_t bytes,
			   struct rt_sarif_fault *fault)
{
	if (bytes > 0 &&
	    ((uint64_t)bytes > memory->most || memory->held > memory->most - (uint64_t)bytes))
		rt_sarif_refuse_limit(fault, too_much);
	if (fault->status == RT_OK)
		memory->held += (uint64_t)bytes;
}

void *rt_sarif_memory_take(struct rt_sarif_memory *memory, size_t count, size_t size,
			   struct rt_sarif_fault *fault)
{
	struct rt_sarif_piece *piece;
	size_t bytes;

	if (count > INT32_MAX || __builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 4) {
		rt_sarif_refuse_limit(fault, too_much);
		return NULL;
	}
	bytes += sizeof(*piece) + (bytes == 0);
	rt_sarif_memory_count(memory, (int64_t)bytes, fault);
	piece = fault->status == RT_OK ? calloc(bytes, 1) : NULL;
	if (!piece) {
		if (fault->status == RT_OK)
			fault->status = rt_error_nomem(&fault->err);
		return NULL;
	}
	piece->next = memory->pieces;
	memory->pieces = piece;
	return piece->bytes;
}

struct rt_slice rt_sarif_memory_copy(struct rt_sarif_memory *memory, struct rt_slice text,
				     struct rt_sarif_fault *fault)
{
	char *bytes = rt_sarif_memory_take(memory, 1, text.len, fault);

	if (bytes && text.len)
		memcpy(bytes, text.ptr, text.len);
	return rt_slice_make(bytes, bytes ? text.len : 0);
}

void rt_sarif_memory_add(struct rt_sarif_memory *memory, struct rt_buf *table, const void *element,
			 size_t size, struct rt_sarif_fault *fault)
{
	rt_sarif_memory_count(memory, (int64_t)size, fault);
	if (fault->status == RT_OK)
		fault->status = rt_buf_append(table, element, size, &fault->err);
}

void rt_sarif_memory_release(struct rt_sarif_memory *memory)
{
	while (memory->pieces) {
		struct rt_sarif_piece *piece = memory->pieces;

		memory->pieces = piece->next;
		free(piece);
	}
	memory->held = 0;
}
