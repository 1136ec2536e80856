/*
 * Memory of the tables of one run: given back all at once, and never more than the limit
 * "metadata" (SARIF.md S5).
 */
#ifndef RT_SARIF_MEMORY_H
#define RT_SARIF_MEMORY_H

#include "sarif/object.h"

struct rt_sarif_piece;

/* {.most = ...} is an empty one. */
struct rt_sarif_memory {
	uint64_t held, most; /* bytes */
	struct rt_sarif_piece *pieces;
};

/* Count bytes that somebody else is about to allocate, or has given back (less than zero: not
 * refused). A fault: RT_E_LIMIT. */
void rt_sarif_memory_count(struct rt_sarif_memory *memory, int64_t bytes,
			   struct rt_sarif_fault *fault);

/*
 * Take count times size bytes, all zero, aligned for anything; count: may be 0, and more than
 * INT32_MAX are refused, so that numbers of 32 bits do for all that tables hold. Returns NULL with
 * a fault: RT_E_LIMIT or RT_E_NOMEM.
 */
void *rt_sarif_memory_take(struct rt_sarif_memory *memory, size_t count, size_t size,
			   struct rt_sarif_fault *fault);

/* Take a copy of text; absent with a fault. */
struct rt_slice rt_sarif_memory_copy(struct rt_sarif_memory *memory, struct rt_slice text,
				     struct rt_sarif_fault *fault);

/* Append an element to a table that grows, which its owner releases. */
void rt_sarif_memory_add(struct rt_sarif_memory *memory, struct rt_buf *table, const void *element,
			 size_t size, struct rt_sarif_fault *fault);

void rt_sarif_memory_release(struct rt_sarif_memory *memory);

#endif
