/*
 * Words out of bytes, the same on every machine.
 */
#ifndef RT_BASE_BYTES_H
#define RT_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

/* The 8 bytes at `at`, of any alignment, as a number; the byte with the lowest address lowest. */
static inline uint64_t rt_bytes_load64(const void *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

#endif
