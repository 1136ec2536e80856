/*
 * The scanner with AVX2: 64 bytes a step in two halves. Compiled with these instructions on;
 * called only where scan.c has found them. Input, output and refusals: scan_core.inc.
 */
#include <immintrin.h>

#include "base/json_string.h"
#include "scan/scan.h"

#define SCAN_OPS rt_scan_avx2
#define SCAN_NAME "avx2"
#define BLOCK 64
#define MASK_STEP 1

typedef uint64_t mask_t;

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
 * special: without backslashes. slashes: the backslashes. simple: bytes that may be after one,
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

static inline __m256i load32(const void *at)
{
	return _mm256_loadu_si256((const __m256i *)at);
}

/* One bit a byte of two halves. */
static inline mask_t mask64(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (mask_t)(uint32_t)_mm256_movemask_epi8(high)
							 << 32;
}

/* Vectors that every block needs: kept in memory, because the compiler would make each of them
 * anew, in two instructions, for every string. */
typedef struct {
	char space[32], quote[32], slash[32], nibble[32];
	/* Bytes that may be after a backslash, 'u' aside: for each low nibble the set of high
	 * nibbles it is right with, and for each high nibble its bit. */
	unsigned char low[32], high[32];
} VECTORS;

#define TWICE(...) __VA_ARGS__, __VA_ARGS__
#define THIRTY_TWO(c) TWICE(TWICE(TWICE(TWICE(TWICE(c)))))

static const VECTORS vector_table __attribute__((aligned(32))) = {
    .space = {THIRTY_TWO(0x20)},
    .quote = {THIRTY_TWO('"')},
    .slash = {THIRTY_TWO('\\')},
    .nibble = {THIRTY_TWO(0xF)},
    .low = {TWICE(0, 0, 1 << 2 | 1 << 6 | 1 << 7, 0, 1 << 7, 0, 1 << 6, 0, 0, 0, 0, 0, 1 << 5, 0,
		  1 << 6, 1 << 2)},
    .high = {TWICE(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 0, 0, 0, 0, 0, 0, 0,
		   0)},
};

static inline const VECTORS *vectors_load(void)
{
	const VECTORS *vectors = &vector_table;

	/* The compiler is not to know what it points to. */
	__asm__("" : "+r"(vectors));
	return vectors;
}

/* Controls, and bytes from 0x80, which are negative as signed bytes; and quotes. */
static inline __m256i special32(const VECTORS *v, __m256i bytes, __m256i quotes)
{
	return _mm256_or_si256(_mm256_cmpgt_epi8(load32(v->space), bytes), quotes);
}

/* Bytes that are no escape but for 'u'; bytes from 0x80 look up 0 in `low`. */
static inline __m256i not_simple32(const VECTORS *v, __m256i bytes)
{
	__m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), load32(v->nibble));
	__m256i both = _mm256_and_si256(_mm256_shuffle_epi8(load32(v->low), bytes),
					_mm256_shuffle_epi8(load32(v->high), high));

	return _mm256_cmpeq_epi8(both, _mm256_setzero_si256());
}

static inline mask_t block_special(const VECTORS *v, const char *at, mask_t *quotes)
{
	__m256i quote = load32(v->quote), slash = load32(v->slash);
	__m256i low = load32(at), high = load32(at + 32);
	__m256i low_quotes = _mm256_cmpeq_epi8(low, quote);
	__m256i high_quotes = _mm256_cmpeq_epi8(high, quote);
	mask_t slashes = mask64(_mm256_cmpeq_epi8(low, slash), _mm256_cmpeq_epi8(high, slash));
	mask_t special = mask64(special32(v, low, low_quotes), special32(v, high, high_quotes));

	*quotes = mask64(low_quotes, high_quotes);
	return block_escapes(special, slashes, quotes,
			     ~mask64(not_simple32(v, low), not_simple32(v, high)));
}

static inline unsigned block_quote(const VECTORS *v, const char *at)
{
	__m256i quote = load32(v->quote), slash = load32(v->slash), space = load32(v->space);
	__m256i low = load32(at), high = load32(at + 32);
	__m256i low_others =
	    _mm256_or_si256(_mm256_cmpgt_epi8(space, low), _mm256_cmpeq_epi8(low, slash));
	__m256i high_others =
	    _mm256_or_si256(_mm256_cmpgt_epi8(space, high), _mm256_cmpeq_epi8(high, slash));
	mask_t special = mask64(low_others, high_others);
	mask_t quotes = mask64(_mm256_cmpeq_epi8(low, quote), _mm256_cmpeq_epi8(high, quote));

	/* Below the first quote there is none of the others. */
	return (quotes ^ (quotes - 1)) & special ? BLOCK : (unsigned)_tzcnt_u64(quotes);
}

static inline bool gap_equal(const struct rt_gap *gap, const char *at)
{
	__m256i low = _mm256_cmpeq_epi8(load32(at), load32(gap->text));
	__m256i high = _mm256_cmpeq_epi8(load32(at + 32), load32(gap->text + 32));

	return (~mask64(low, high) & gap->mask) == 0;
}

#include "scan/scan_core.inc"
