/*
 * A text as the scanner wants it, in a block that ends with its padding: a sanitizer sees every
 * byte read after that.
 */
#ifndef RT_TESTS_SCAN_TEXT_H
#define RT_TESTS_SCAN_TEXT_H

#include <stdlib.h>

#include "paths.h"
#include "unit.h"

/* The first len bytes of text, followed by zeros. To be freed. */
static inline char *padded(const char *text, size_t len)
{
	char *block = malloc(len + RT_PADDING);

	ck_assert_ptr_nonnull(block);
	if (len)
		memcpy(block, text, len);
	memset(block + len, 0, RT_PADDING);
	return block;
}

/* Show a window to the scanner; offset: of its first byte in the text. */
static inline void scan_show(struct rt_scan *s, const char *block, size_t len, size_t offset,
			     bool final)
{
	s->end = block + len;
	s->final = final;
	s->origin = offset - (uint64_t)(uintptr_t)block;
}

/* The offset in the text of a byte of the window. */
static inline size_t scan_offset(const struct rt_scan *s, const char *at)
{
	return (size_t)(s->origin + (uintptr_t)at);
}

#endif
