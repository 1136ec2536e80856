/*
 * Memory for tables. Input: sizes. Output: zeroed bytes that live as long as their run. Refuses
 * what goes beyond the limit.
 */
#include "sarif/memory.h"

#include <stdalign.h>
#include <stdlib.h>

/* Bytes of the first piece; the next ones double up to the larger number. */
#define PIECE_LEAST ((size_t)2048)
#define PIECE_MOST ((size_t)256 * 1024)

/* Bytes of what is cut from a piece that others are cut from too. Under a sanitizer nothing is, so
 * that it sees where each ends. */
#ifdef RT_SANITIZED
#define SMALL_MOST ((size_t)0)
#define UNIT ((size_t)1)
#else
#define SMALL_MOST (PIECE_LEAST / 4)
#define UNIT alignof(max_align_t)
#endif

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

/* A new piece with so much room, at least 1 byte. */
static enum rt_status piece_new(struct rt_sarif_memory *memory, size_t size,
				struct rt_sarif_piece **ret_piece, struct rt_sarif_fault *fault)
{
	struct rt_sarif_piece *piece;
	enum rt_status status;
	size_t bytes;

	if (__builtin_add_overflow(offsetof(struct rt_sarif_piece, bytes), size, &bytes) || !bytes)
		return refuse(fault);
	status = rt_sarif_memory_count(memory, (int64_t)bytes, fault);
	if (status != RT_OK)
		return status;
	piece = calloc(bytes, 1);
	if (!piece) {
		fault->at = NULL;
		memory->held -= bytes;
		(void)rt_error_nomem(&fault->err);
		return RT_FATAL;
	}
	*ret_piece = piece;
	return RT_OK;
}

/* What does not fit is a piece of its own, after the one that is being cut. */
static enum rt_status take_large(struct rt_sarif_memory *memory, size_t size, char **ret_bytes,
				 struct rt_sarif_fault *fault)
{
	struct rt_sarif_piece *piece;
	enum rt_status status = piece_new(memory, size, &piece, fault);

	if (status != RT_OK)
		return status;
	*ret_bytes = piece->bytes;
	if (memory->pieces) {
		piece->next = memory->pieces->next;
		memory->pieces->next = piece;
	} else {
		memory->pieces = piece;
		memory->size = memory->used = size;
	}
	return RT_OK;
}

static enum rt_status piece_start(struct rt_sarif_memory *memory, struct rt_sarif_fault *fault)
{
	size_t size = memory->size < PIECE_LEAST ? PIECE_LEAST : memory->size * 2;
	struct rt_sarif_piece *piece;
	enum rt_status status;

	if (size > PIECE_MOST)
		size = PIECE_MOST;
	status = piece_new(memory, size, &piece, fault);
	if (status != RT_OK)
		return status;
	piece->next = memory->pieces;
	memory->pieces = piece;
	memory->size = size;
	memory->used = 0;
	return RT_OK;
}

static enum rt_status take_small(struct rt_sarif_memory *memory, size_t size, char **ret_bytes,
				 struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;

	if (memory->size - memory->used < size)
		status = piece_start(memory, fault);
	if (status != RT_OK)
		return status;
	*ret_bytes = memory->pieces->bytes + memory->used;
	memory->used += size;
	return RT_OK;
}

enum rt_status rt_sarif_memory_take(struct rt_sarif_memory *memory, size_t count, size_t size,
				    void *ret_bytes, struct rt_sarif_fault *fault)
{
	enum rt_status status;
	char *taken;
	size_t bytes;

	if (count > INT32_MAX || __builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 4)
		return refuse(fault);
	bytes = bytes ? (bytes + UNIT - 1) / UNIT * UNIT : UNIT;
	if (bytes > SMALL_MOST)
		status = take_large(memory, bytes, &taken, fault);
	else
		status = take_small(memory, bytes, &taken, fault);
	if (status == RT_OK)
		memcpy(ret_bytes, &taken, sizeof(taken));
	return status;
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

void rt_sarif_memory_release(struct rt_sarif_memory *memory)
{
	while (memory->pieces) {
		struct rt_sarif_piece *piece = memory->pieces;

		memory->pieces = piece->next;
		free(piece);
	}
	memory->used = memory->size = 0;
	memory->held = 0;
}
