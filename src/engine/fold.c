/*
 * Folds 8 bytes at a time, as one word: the bytes that do not count are found by arithmetic on all
 * of them at once, and the others move together. Escapes are taken one by one.
 */
#include "engine/fold.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/json_string.h"
#include "scan/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define FAST __attribute__((target("bmi2,popcnt")))
#endif

/* What follows is made anew for each processor and each way to fold. */
#define INLINE static inline __attribute__((always_inline))

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define TOPS EACH(0x80)

/* The top bit of each byte that is 0. */
INLINE uint64_t zeros(uint64_t word)
{
	return ~(((word & ~TOPS) + ~TOPS) | word) & TOPS;
}

/* The top bit of each byte that is below a limit of at most 0x80. */
INLINE uint64_t below(uint64_t word, uint64_t limit)
{
	return ~(((word & ~TOPS) + EACH(0x80 - limit)) | word) & TOPS;
}

/* All bits of the bytes that have their top bit set here. */
INLINE uint64_t whole(uint64_t tops)
{
	return (tops >> 7) * 0xFF;
}

/* The first n bytes, at most 8. */
INLINE uint64_t first(unsigned n)
{
	return n < 8 ? (UINT64_C(1) << 8 * n) - 1 : UINT64_MAX;
}

INLINE void store64(char *out, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(out, &word, sizeof(word));
}

typedef uint64_t squeeze_fn(uint64_t word, uint64_t dropped);

/* Move the bytes that are not dropped, by the top bits of those that are, together at the front. */
static uint64_t squeeze(uint64_t word, uint64_t dropped)
{
	/* How many are dropped before each byte: the sums of the bytes below it. */
	uint64_t keep = ~whole(dropped), by = ((dropped >> 7) * EACH(1)) & keep;

	if (!dropped)
		return word;
	word &= keep;
	for (unsigned step = 1; step < 8; step *= 2) {
		uint64_t moved = ((by / step) & EACH(1)) * 0xFF;

		word = (word & ~moved) | (word & moved) >> 8 * step;
		by = (by & ~moved) | (by & moved) >> 8 * step;
	}
	return word;
}

#if defined(FAST)

/* The same by an instruction of the processor. */
FAST static uint64_t squeeze_fast(uint64_t word, uint64_t dropped)
{
	return _pext_u64(word, ~whole(dropped));
}

#endif

struct folding {
	enum rt_fold how;
	squeeze_fn *squeeze;
	char *out;
	bool digits; /* the last byte was one */
};

/* Fold a word without escapes, but for the bytes that are dropped already. n: its bytes. */
INLINE void put_word(struct folding *f, uint64_t word, uint64_t dropped, unsigned n)
{
	dropped |= TOPS & ~first(n);
	if (f->how == RT_FOLD_CODE)
		dropped |= zeros(word ^ EACH(' '));
	if (f->how == RT_FOLD_MESSAGE) {
		uint64_t digits = below(word ^ EACH('0'), 10);

		word = (word & ~whole(digits)) | (EACH('0') & whole(digits));
		dropped |= digits & (digits << 8 | (uint64_t)f->digits << 7);
		f->digits = digits >> (8 * n - 1) & 1;
	}
	store64(f->out, f->squeeze(word, dropped));
	f->out += 8 - __builtin_popcountll(dropped);
}

/* Fold a text word by word as long as it has no escapes, and of messages no digits either. Returns
 * its bytes. */
INLINE size_t put_plain(struct folding *f, struct rt_slice text)
{
	size_t at = 0;

	for (; text.len - at >= 8; at += 8) {
		uint64_t word = rt_bytes_load64(text.ptr + at), special = zeros(word ^ EACH('\\'));

		if (f->how == RT_FOLD_MESSAGE)
			special |= below(word ^ EACH('0'), 10);
		if (special)
			break;
		if (f->how == RT_FOLD_CODE)
			put_word(f, word, 0, 8);
		else
			store64(f->out + at, word);
	}
	if (f->how != RT_FOLD_CODE)
		f->out += at;
	f->digits = f->digits && at == 0;
	return at;
}

/* What counts of a byte that was escaped: all blanks are one. */
INLINE uint64_t counts(enum rt_fold how, char byte)
{
	if (how == RT_FOLD_CODE && byte >= '\t' && byte <= '\r')
		return ' ';
	return how == RT_FOLD_PATH && byte == '\\' ? '/' : (unsigned char)byte;
}

/* Fold a backslash, a u and what belongs to that. Returns their bytes. */
INLINE size_t put_point(struct folding *f, struct rt_slice text)
{
	bool pair = (text.ptr[2] | 0x20) == 'd' && strchr("89abAB", text.ptr[3]);
	size_t len = pair ? 12 : 6;
	char decoded[8] = "";
	unsigned n = (unsigned)rt_json_string_decode(rt_slice_make(text.ptr, len), decoded);

	decoded[0] = (char)counts(f->how, decoded[0]);
	put_word(f, rt_bytes_load64(decoded), 0, n);
	return len;
}

/* Resolve the escapes of a word: their backslashes are dropped. n: its bytes; on return those
 * before an escape that does not end here, or names a code point. */
INLINE uint64_t resolve(enum rt_fold how, uint64_t word, uint64_t escapes, uint64_t *ret_dropped,
			unsigned *n)
{
	while (escapes) {
		unsigned at = (unsigned)__builtin_ctzll(escapes) & ~7u, next = at + 8;
		char letter = (char)(next < 64 ? (char)(word >> next) : 'u');

		if (letter == 'u') {
			*n = at / 8;
			break;
		}
		word &= ~(UINT64_C(0xFF) << next);
		word |= counts(how, rt_json_string_letter(letter)) << next;
		*ret_dropped |= UINT64_C(0x80) << at;
		escapes &= ~(UINT64_C(0xFFFF) << at);
	}
	return word;
}

/* The 8 bytes from `at` on, or what there are of them. */
INLINE uint64_t load(struct rt_slice text, size_t at)
{
	size_t left = text.len - at;
	uint64_t word = 0;

	if (left >= 8)
		return rt_bytes_load64(text.ptr + at);
	if (text.len >= 8)
		return rt_bytes_load64(text.ptr + text.len - 8) >> 8 * (8 - left);
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)(unsigned char)text.ptr[at + i] << 8 * i;
	return word;
}

INLINE size_t fold(struct rt_slice json, enum rt_fold how, squeeze_fn *by, char *out)
{
	struct folding f = {how, by, out, false};
	size_t at = 0;

	while (at < json.len) {
		uint64_t word, escapes, dropped = 0;
		unsigned n;

		at += put_plain(&f, rt_slice_make(json.ptr + at, json.len - at));
		if (at == json.len)
			break;
		word = load(json, at);
		escapes = zeros(word ^ EACH('\\'));
		n = json.len - at < 8 ? (unsigned)(json.len - at) : 8;
		if (escapes)
			word = resolve(how, word, escapes, &dropped, &n);
		if (n == 0) {
			at += put_point(&f, rt_slice_make(json.ptr + at, json.len - at));
			continue;
		}
		put_word(&f, word, dropped, n);
		at += n;
	}
	return (size_t)(f.out - out);
}

static size_t fold_portable(struct rt_slice json, enum rt_fold how, char *out)
{
	return fold(json, how, squeeze, out);
}

#if defined(FAST)

FAST static size_t fold_fast(struct rt_slice json, enum rt_fold how, char *out)
{
	if (how == RT_FOLD_CODE)
		return fold(json, RT_FOLD_CODE, squeeze_fast, out);
	if (how == RT_FOLD_MESSAGE)
		return fold(json, RT_FOLD_MESSAGE, squeeze_fast, out);
	return fold(json, RT_FOLD_PATH, squeeze_fast, out);
}

rt_fold_fn *rt_fold_choose(void)
{
	/* Zen 1 and 2 take a hundred cycles for that instruction. */
	if (rt_scan_ops() == &rt_scan_portable || __builtin_cpu_is("znver1") ||
	    __builtin_cpu_is("znver2"))
		return fold_portable;
	return fold_fast;
}

#else

rt_fold_fn *rt_fold_choose(void)
{
	return fold_portable;
}

#endif

uint32_t rt_fold_number(struct rt_slice text)
{
	uint64_t a = text.len, b = UINT64_C(0x9E3779B97F4A7C15);
	size_t at = 0;

	for (; at + 16 <= text.len; at += 16) {
		a = (a ^ rt_bytes_load64(text.ptr + at)) * UINT64_C(0xFF51AFD7ED558CCD);
		b = (b ^ rt_bytes_load64(text.ptr + at + 8)) * UINT64_C(0xC4CEB9FE1A85EC53);
	}
	for (; at < text.len; at += 8)
		a = (a ^ load(text, at)) * UINT64_C(0xFF51AFD7ED558CCD);
	a = (a ^ a >> 32 ^ b ^ b >> 32) * UINT64_C(0xC4CEB9FE1A85EC53);
	return (uint32_t)(a >> 32);
}
