/*
 * Escapes of a 64-byte block at once, for the code paths with one mask bit a byte.
 */
#ifndef RT_RECORD_SCAN_ESCAPES_H
#define RT_RECORD_SCAN_ESCAPES_H

#include <stdint.h>

/*
 * Take the escapes out of a block's special bytes where all of its backslashes stand alone, none
 * is its last byte, and each has a simple escape behind it; else put the backslashes in, for
 * scan_block() to go over.
 *
 * special: without backslashes. slashes: the backslashes. simple: bytes that may stand
 * behind one, 'u' aside. quotes: escaped ones are taken out likewise.
 */
static inline uint64_t block_escapes(uint64_t special, uint64_t slashes, uint64_t *quotes,
				     uint64_t simple)
{
	uint64_t behind = slashes << 1;

	/* One branch that is hardly ever taken: in code snippets, which blocks have escapes is
	 * anybody's guess. */
	if (__builtin_expect((((slashes | ~simple) & behind) | slashes >> 63) != 0, 0))
		return special | slashes;
	*quotes &= ~behind;
	return special & ~behind;
}

#endif
