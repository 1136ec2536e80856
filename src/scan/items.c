/*
 * Steps through checked JSON text. Input: the text of an array or object. Output: slices of it,
 * item by item. Checks nothing: where the text is not what it should be, the items are not
 * either, but no byte outside of it is read.
 */
#include "scan/items.h"

#include "base/bytes.h"
#include "base/json_string.h"
#include "scan/scan_escapes.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define LOW_BITS (EACH_BYTE * 0x7F)

/* The top bit of every byte of word that is 0; no carry leaves a byte. */
static inline uint64_t zero_bytes(uint64_t word)
{
	return ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
}

/* The first quote or backslash, or end. */
static inline const char *special_find(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');

	for (; end - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		int found = _mm_movemask_epi8(
		    _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)));

		if (found)
			return at + __builtin_ctz((unsigned)found);
	}
#endif
	for (; end - at >= 8; at += 8) {
		uint64_t word = rt_bytes_load64(at);
		uint64_t found =
		    zero_bytes(word ^ EACH_BYTE * '"') | zero_bytes(word ^ EACH_BYTE * '\\');

		if (found)
			return at + __builtin_ctzll(found) / 8;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

const char *rt_items_string(const char *at, const char *end, bool *ret_loose)
{
	for (;;) {
		at = special_find(at, end);
		if (at == end || *at == '"')
			return at;
		if (end - at < 2)
			return end;
		if (at[1] == 'u' || at[1] == '/')
			*ret_loose = true;
		at += 2;
	}
}

const char *rt_items_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/* The same where there are none as a rule. */
static inline const char *skip_blanks(const char *at, const char *end)
{
	return at < end && (unsigned char)*at > ' ' ? at : rt_items_blanks(at, end);
}

/* Whether a byte ends a number or a literal. */
static bool is_delimiter(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\r' ||
	       c == '\t';
}

#ifdef __SSE2__

#define BLOCK 64u

/* Which bytes of a block are what, a bit each. */
struct marks {
	uint64_t quotes, slashes, opens, closes;
};

/* What a code path has of its own. */
struct path {
	struct marks (*marks_of)(const char *block);
	/* Bit n is the parity of bits 0 to n: between two quotes all are set, the first quote's
	 * too. */
	uint64_t (*parities)(uint64_t bits);
	unsigned (*count)(uint64_t bits);
};

/* Step over an array or object; at: its bracket. Returns the byte after it, or end. */
static inline __attribute__((always_inline)) const char *
container_walk(const char *at, const char *end, const struct path path)
{
	uint64_t inside = 0, escape = 0; /* of the bytes before the block */
	size_t depth = 0;

	for (; at < end; at += (size_t)(end - at) < BLOCK ? (size_t)(end - at) : BLOCK) {
		size_t left = (size_t)(end - at);
		const char *block = at;
		char tail[BLOCK];
		struct marks marks;
		uint64_t strings, brackets;
		unsigned closes;

		if (left < BLOCK) {
			memset(tail, 0, BLOCK);
			block = memcpy(tail, at, left);
		}
		marks = path.marks_of(block);
		if (marks.slashes | escape) {
			uint64_t slashes = marks.slashes & ~escape;
			uint64_t escaped = escaped_bytes(slashes) | escape;

			marks.quotes &= ~escaped;
			escape = (slashes & ~escaped) >> 63;
		}
		strings = path.parities(marks.quotes) ^ inside;
		inside = 0 - (strings >> 63);
		marks.opens &= ~strings;
		marks.closes &= ~strings;
		closes = path.count(marks.closes);
		/* Most blocks do not end it. */
		if (closes < depth) {
			depth += path.count(marks.opens);
			depth -= closes;
			continue;
		}
		for (brackets = marks.opens | marks.closes; brackets; brackets &= brackets - 1) {
			if (marks.opens & brackets & -brackets)
				depth++;
			else if (--depth == 0)
				return at + __builtin_ctzll(brackets) + 1;
		}
	}
	return end;
}

/* Add those of 16 bytes, the first of which is bit `at`. */
static inline void marks_add(struct marks *marks, const char *bytes, unsigned at)
{
	__m128i text = _mm_loadu_si128((const __m128i *)(const void *)bytes);
	/* Braces and brackets differ in this bit only. */
	__m128i folded = _mm_or_si128(text, _mm_set1_epi8(0x20));

#define MARKS(v, c)                                                                                \
	(uint64_t)(unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c))) << at
	marks->quotes |= MARKS(text, '"');
	marks->slashes |= MARKS(text, '\\');
	marks->opens |= MARKS(folded, '{');
	marks->closes |= MARKS(folded, '}');
#undef MARKS
}

static inline struct marks marks_of(const char *block)
{
	struct marks marks = {0};

	marks_add(&marks, block, 0);
	marks_add(&marks, block + 16, 16);
	marks_add(&marks, block + 32, 32);
	marks_add(&marks, block + 48, 48);
	return marks;
}

static inline uint64_t parities(uint64_t bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	bits ^= bits << 8;
	bits ^= bits << 16;
	return bits ^ bits << 32;
}

static inline unsigned count_bits(uint64_t bits)
{
	bits -= bits >> 1 & EACH_BYTE * 0x55;
	bits = (bits & EACH_BYTE * 0x33) + (bits >> 2 & EACH_BYTE * 0x33);
	return (unsigned)(((bits + (bits >> 4)) & EACH_BYTE * 0x0F) * EACH_BYTE >> 56);
}

const char *rt_items_container(const char *at, const char *end)
{
	return container_walk(at, end, (struct path){marks_of, parities, count_bits});
}

#ifdef __x86_64__
/* The same with AVX2 and what came with it. */
#define WIDE __attribute__((target("avx2,pclmul,popcnt")))

WIDE static inline struct marks marks_of_wide(const char *block)
{
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
	__m256i bit = _mm256_set1_epi8(0x20);
	__m256i low_folded = _mm256_or_si256(low, bit), high_folded = _mm256_or_si256(high, bit);

#define MARK(v, c) (uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(c)))
	return (struct marks){
	    .quotes = MARK(low, '"') | (uint64_t)MARK(high, '"') << 32,
	    .slashes = MARK(low, '\\') | (uint64_t)MARK(high, '\\') << 32,
	    .opens = MARK(low_folded, '{') | (uint64_t)MARK(high_folded, '{') << 32,
	    .closes = MARK(low_folded, '}') | (uint64_t)MARK(high_folded, '}') << 32,
	};
#undef MARK
}

WIDE static inline uint64_t parities_wide(uint64_t bits)
{
	__m128i product =
	    _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi8((char)0xFF), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

WIDE static inline unsigned count_wide(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

WIDE static const char *container_end_wide(const char *at, const char *end)
{
	return container_walk(at, end, (struct path){marks_of_wide, parities_wide, count_wide});
}
#endif

#else

/* Likewise, byte by byte. */
const char *rt_items_container(const char *at, const char *end)
{
	size_t depth = 0;
	bool loose;

	while (at < end) {
		char c = *at++;

		if (c == '"') {
			at = rt_items_string(at, end, &loose);
			at += at < end;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return at;
		}
	}
	return end;
}

#endif

static inline const char *container_end(const char *at, const char *end)
{
#ifdef WIDE
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
	    __builtin_cpu_supports("popcnt"))
		return container_end_wide(at, end);
#endif
	return rt_items_container(at, end);
}

const char *rt_items_value(const char *at, const char *end)
{
	bool loose;

	if (at == end)
		return end;
	if (*at == '{' || *at == '[')
		return container_end(at, end);
	if (*at == '"') {
		at = rt_items_string(at + 1, end, &loose);
		return at + (at < end);
	}
	while (at < end && !is_delimiter(*at))
		at++;
	return at;
}

void rt_items_init(struct rt_items *items, struct rt_slice list)
{
	/* Nothing has no bytes, not even from an address on. */
	items->at = list.len > 0 ? list.ptr + 1 : list.ptr;
	items->end = rt_slice_end(list);
	items->object = list.len > 0 && *list.ptr == '{';
}

/* Step over a member's key and its colon; at: its quote. Returns the first byte of the value. */
static inline const char *step_key(const char *at, const char *end, struct rt_slice *ret_key)
{
	const char *from = at + 1;
	bool loose;

	at = rt_items_string(from, end, &loose);
	*ret_key = rt_slice_make(from, (size_t)(at - from));
	at = skip_blanks(at + (at < end), end);
	return skip_blanks(at + (at < end), end);
}

bool rt_items_next(struct rt_items *items, struct rt_item *ret_item)
{
	const char *at = skip_blanks(items->at, items->end), *end = items->end, *from;

	if (at < end && *at == ',')
		at = skip_blanks(at + 1, end);
	if (at == end || *at == ']' || *at == '}')
		return false;
	ret_item->key = rt_slice_make(NULL, 0);
	if (items->object)
		at = step_key(at, end, &ret_item->key);
	from = at;
	at = rt_items_value(at, end);
	ret_item->value = rt_slice_make(from, (size_t)(at - from));
	items->at = at;
	return at > from;
}

bool rt_items_key_is(struct rt_slice key, struct rt_slice name)
{
	/* Each character has at most six bytes for each of its own. */
	char plain[6 * RT_ITEMS_NAME_MAX];

	if (!rt_json_string_is_escaped(key))
		return rt_slice_equal(key, name);
	if (key.len > sizeof(plain))
		return false;
	key.len = rt_json_string_decode(key, plain);
	key.ptr = plain;
	return rt_slice_equal(key, name);
}
