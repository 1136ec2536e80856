/*
 * The scanner with AVX-512 (F, BW): 64 bytes a step. Compiled with these instructions on; called
 * only where scan.c has found them. Input, output and refusals: scan_core.inc.
 */
#include <immintrin.h>

#include "base/json_string.h"
#include "scan/scan.h"

#define SCAN_OPS rt_scan_avx512
#define SCAN_NAME "avx512"
#define BLOCK 64
#define MASK_STEP 1

typedef uint64_t mask_t;

#include "scan/scan_escapes.h"

/* Vectors that every block needs: kept in memory, because the compiler would make each of them
 * anew, in two instructions, for every string. */
typedef struct {
	char space[64], plain[64], quote[64], slash[64], nibble[64];
	/* Bytes that may stand after a backslash, 'u' aside: for each low nibble the set of high
	 * nibbles it is right with, and for each high nibble its bit. */
	unsigned char low[64], high[64];
} VECTORS;

#define FOUR(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define SIXTY_FOUR(c) FOUR(FOUR(c, c, c, c))

static const VECTORS vector_table __attribute__((aligned(64))) = {
    .space = {SIXTY_FOUR(0x20)},
    .plain = {SIXTY_FOUR(0x60)},
    .quote = {SIXTY_FOUR('"')},
    .slash = {SIXTY_FOUR('\\')},
    .nibble = {SIXTY_FOUR(0xF)},
    .low = {FOUR(0, 0, 1 << 2 | 1 << 6 | 1 << 7, 0, 1 << 7, 0, 1 << 6, 0, 0, 0, 0, 0, 1 << 5, 0,
		 1 << 6, 1 << 2)},
    .high = {FOUR(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 0, 0, 0, 0, 0, 0, 0,
		  0)},
};

static inline const VECTORS *vectors_load(void)
{
	const VECTORS *vectors = &vector_table;

	/* The compiler is not to know what it points to. */
	__asm__("" : "+r"(vectors));
	return vectors;
}

/* Bytes from 0x80 look up 0 in `low`, and so are not simple. */
static inline mask_t simple_escapes(const VECTORS *v, __m512i bytes)
{
	__m512i high = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), _mm512_load_si512(v->nibble));

	return _mm512_test_epi8_mask(_mm512_shuffle_epi8(_mm512_load_si512(v->low), bytes),
				     _mm512_shuffle_epi8(_mm512_load_si512(v->high), high));
}

static inline mask_t block_special(const VECTORS *v, const char *at, mask_t *quotes)
{
	__m512i bytes = _mm512_loadu_si512(at);
	/* 0x20..0x7F becomes 0x00..0x5F; controls and bytes from 0x80 wrap to 0x60 or more. */
	__m512i plain = _mm512_sub_epi8(bytes, _mm512_load_si512(v->space));
	mask_t special = _mm512_cmpge_epu8_mask(plain, _mm512_load_si512(v->plain));
	mask_t slashes = _mm512_cmpeq_epi8_mask(bytes, _mm512_load_si512(v->slash));

	*quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_load_si512(v->quote));
	special |= *quotes;
	return block_escapes(special, slashes, quotes, simple_escapes(v, bytes));
}

static inline unsigned block_quote(const VECTORS *v, const char *at)
{
	__m512i bytes = _mm512_loadu_si512(at);
	__m512i plain = _mm512_sub_epi8(bytes, _mm512_load_si512(v->space));
	mask_t special = _mm512_cmpge_epu8_mask(plain, _mm512_load_si512(v->plain)) |
			 _mm512_cmpeq_epi8_mask(bytes, _mm512_load_si512(v->slash));
	mask_t quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_load_si512(v->quote));

	/* Below the first quote there is none of the others. */
	return (quotes ^ (quotes - 1)) & special ? BLOCK : (unsigned)_tzcnt_u64(quotes);
}

static inline bool gap_equal(const struct rt_gap *gap, const char *at)
{
	return _mm512_mask_cmpneq_epi8_mask(gap->mask, _mm512_loadu_si512(at),
					    _mm512_loadu_si512(gap->text)) == 0;
}

#include "scan/scan_core.inc"
