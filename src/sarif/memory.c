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

static enum rt_status refuse(struct rt_sarif_fault *fault)
{
	fault->at = NULL;
	(void)rt_error_set(&fault->err, RT_E_LIMIT, "rules and artifacts exceed --limit metadata");
	return RT_REJECT;
}

enum rt_status rt_sarif_memory_count(struct rt_sarif_memory *memory, int64_t bytes,
				     struct rt_sarif_fault *fault)
{
	if (bytes > 0 &&
	    ((uint64_t)bytes > memory->most || memory->held > memory->most - (uint64_t)bytes))
		return refuse(fault);
	memory->held += (uint64_t)bytes;
	return RT_OK;
}

enum rt_status rt_sarif_memory_take(struct rt_sarif_memory *memory, size_t count, size_t size,
				    void *ret_bytes, struct rt_sarif_fault *fault)
{
	struct rt_sarif_piece *piece;
	enum rt_status status;
	char *taken;
	size_t bytes;

	if (count > INT32_MAX || __builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 4)
		return refuse(fault);
	bytes += sizeof(*piece) + (bytes == 0);
	status = rt_sarif_memory_count(memory, (int64_t)bytes, fault);
	if (status != RT_OK)
		return status;
	piece = calloc(bytes, 1);
	if (!piece) {
		fault->at = NULL;
		memory->held -= bytes;
		return rt_error_nomem(&fault->err);
	}
	piece->next = memory->pieces;
	memory->pieces = piece;
	taken = piece->bytes;
	memcpy(ret_bytes, &taken, sizeof(taken));
	return RT_OK;
}

enum rt_status rt_sarif_memory_copy(struct rt_sarif_memory *memory, struct rt_slice text,
				    struct rt_slice *ret_copy, struct rt_sarif_fault *fault)
{
	char *bytes;
	enum rt_status status = rt_sarif_memory_take(memory, 1, text.len, &bytes, fault);

	if (status != RT_OK)
		return status;
	if (text.len)
		memcpy(bytes, text.ptr, text.len);
	*ret_copy = rt_slice_make(bytes, text.len);
	return RT_OK;
}

enum rt_status rt_sarif_memory_add(struct rt_sarif_memory *memory, struct rt_buf *table,
				   const void *element, size_t size, struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_memory_count(memory, (int64_t)size, fault);

	return status == RT_OK ? rt_buf_append(table, element, size, &fault->err) : status;
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
