/*
 * The scanner in plain C: 8 bytes a step in one 64-bit word, the byte with the lowest address in
 * the lowest bits. Input, output and refusals: scan_core.inc.
 */
#include "base/bytes.h"
#include "base/json_string.h"
#include "scan/scan.h"

#define SCAN_OPS rt_scan_portable
#define SCAN_NAME "portable"
#define BLOCK 8
#define MASK_STEP 8

typedef uint64_t mask_t;
typedef char VECTORS; /* constants are free here */

static inline const VECTORS *vectors_load(void)
{
	return NULL;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define LOW_BITS (EACH_BYTE * 0x7F)

/* The top bit of every byte of word that is 0; no carry leaves a byte. */
static inline uint64_t zero_bytes(uint64_t word)
{
	return ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
}

/* Bits are the lowest of their byte, so that a count of trailing zeros is 8 × the byte. */
static inline mask_t block_special(const VECTORS *v, const char *at, mask_t *quotes)
{
	uint64_t word = rt_bytes_load64(at);
	/* Adding 0x60 to the low seven bits sets the top bit from 0x20 on. */
	uint64_t special = word | ~((word & LOW_BITS) + EACH_BYTE * 0x60);

	(void)v;
	*quotes = zero_bytes(word ^ EACH_BYTE * '"') >> 7;
	special |= zero_bytes(word ^ EACH_BYTE * '\\');
	return (special >> 7 & EACH_BYTE) | *quotes;
}

/* Blocks are short here, and escapes are not looked at. */
static inline unsigned block_quote(const VECTORS *v, const char *at)
{
	(void)v;
	(void)at;
	return BLOCK;
}

static inline bool gap_equal(const struct rt_gap *gap, const char *at)
{
	return memcmp(gap->text, at, gap->len) == 0;
}

#include "scan/scan_core.inc"
