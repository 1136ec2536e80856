/*
 * Escapes of a 64-byte block at once, for the code paths with one mask bit a byte.
 */
#ifndef RT_SCAN_SCAN_ESCAPES_H
#define RT_SCAN_SCAN_ESCAPES_H

#include <stdint.h>

/*
 * The bytes that a backslash before them escapes, in a block that starts outside of an escape.
 *
 * In a run of backslashes every second one is escaped, and the byte after the run is if the run
 * is odd: they all stand an odd distance after the run's start. Which runs start on an even bit
 * is seen by adding those starts to the runs: the carry wipes out exactly their bits.
 */
static inline uint64_t escaped_bytes(uint64_t slashes)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t starts = slashes & ~(slashes << 1);
	uint64_t of_even = slashes & ~(slashes + (starts & even));
	uint64_t of_odd = slashes ^ of_even;

	return (of_even << 1 & ~even) | (of_odd << 1 & even);
}

/*
 * Take the escapes out of a block's special bytes where each has a simple byte after it and none
 * reaches into the next block; else put the backslashes in, for scan_block() to go over.
 *
 * special: without backslashes. slashes: the backslashes. simple: bytes that may stand after one,
 * 'u' aside. quotes: escaped ones are taken out likewise.
 */
static inline uint64_t block_escapes(uint64_t special, uint64_t slashes, uint64_t *quotes,
				     uint64_t simple)
{
	uint64_t escaped = escaped_bytes(slashes);

	/* One branch that is hardly ever taken: in code snippets, which blocks have escapes is
	 * anybody's guess. */
	if (__builtin_expect(((escaped & ~simple) | (slashes & ~escaped) >> 63) != 0, 0))
		return special | slashes;
	*quotes &= ~escaped;
	return special & ~escaped;
}

#endif
