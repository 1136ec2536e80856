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

/* The first 1 to 8 bytes at `at` as a number, the lowest first. */
static inline uint64_t rt_bytes_number(const void *at, unsigned bytes)
{
	const unsigned char *from = (const unsigned char *)at;
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | from[bytes];
	return value;
}

/* Bytes of a number at most, 7 bits a byte: the lowest first, bit 7 set in all but the last. */
#define RT_BYTES_VARINT 10u

/* Write a number like that. Returns the bytes written. */
static inline size_t rt_bytes_put_varint(unsigned char *out, uint64_t number)
{
	size_t len = 0;

	for (; number > 0x7F; number >>= 7)
		out[len++] = (unsigned char)(number | 0x80);
	out[len++] = (unsigned char)number;
	return len;
}

/*
 * Read a number that is written in as few bytes as it takes. at: NULL is allowed. Returns the byte
 * after it, or NULL: there is none up to end.
 */
static inline const unsigned char *
rt_bytes_get_varint(const unsigned char *at, const unsigned char *end, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
		unsigned char byte = *at++;

		if ((shift == 63 && byte > 1) || (shift && !byte))
			return NULL;
		number |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			*ret_number = number;
			return at;
		}
	}
	return NULL;
}

#endif
