/*
 * Multilinear hashing in 64-bit arithmetic. Input: a key and bytes. Output: 96 bits. Reads only the
 * bytes it is given.
 */
#include "base/multilinear.h"

#include "base/bytes.h"

void rt_multilinear_key_init(struct rt_multilinear_key *key, const struct rt_siphash_key *seed,
			     enum rt_hash_use use)
{
	uint64_t counter[2] = {(uint64_t)use, 0};

	key->seed = *seed;
	for (size_t row = 0; row < RT_MULTILINEAR_ROWS; row++) {
		for (size_t i = 0; i < sizeof(key->rows[row]) / sizeof(uint64_t); i++) {
			counter[1]++;
			key->rows[row][i] =
			    rt_siphash(seed, rt_slice_make((char *)counter, sizeof(counter))).low;
		}
	}
}

/* The product of two sums with a word's halves. */
static inline uint64_t term(const uint64_t *factors, uint64_t word)
{
	return (factors[0] + (uint32_t)word) * (factors[1] + (word >> 32));
}

/* Up to 7 bytes. */
static inline uint64_t short_word(struct rt_slice text)
{
	uint64_t word = 0;

	for (size_t i = 0; i < text.len; i++)
		word |= (uint64_t)(unsigned char)text.ptr[i] << (8 * i);
	return word;
}

/* Add a word to all rows, or to the first two. */
static inline void add(const struct rt_multilinear_key *key, size_t factor, uint64_t word,
		       bool third, uint64_t sum[RT_MULTILINEAR_ROWS])
{
	sum[0] += term(&key->rows[0][factor], word);
	sum[1] += term(&key->rows[1][factor], word);
	if (third)
		sum[2] += term(&key->rows[2][factor], word);
}

/*
 * The sums of the rows. Words are whole, and the last one may overlap with the one before it: with
 * the length among them they tell texts apart as well as padding would.
 */
static inline __attribute__((always_inline)) void sums(const struct rt_multilinear_key *key,
						       uint32_t tag, struct rt_slice text,
						       bool third,
						       uint64_t sum[RT_MULTILINEAR_ROWS])
{
	size_t at, factor = 3;

	sum[0] = key->rows[0][0];
	sum[1] = key->rows[1][0];
	sum[2] = key->rows[2][0];
	add(key, 1, (uint64_t)tag << 32 | (uint32_t)text.len, third, sum);
	if (text.len < 8) {
		if (text.len)
			add(key, factor, short_word(text), third, sum);
		return;
	}
	for (at = 0; at + 8 <= text.len; at += 8, factor += 2)
		add(key, factor, rt_bytes_load64(text.ptr + at), third, sum);
	if (at < text.len)
		add(key, factor, rt_bytes_load64(text.ptr + text.len - 8), third, sum);
}

/*
 * One to one, and without the order that is left in sums: texts that count up would else fall into
 * a table at even distances, or next to each other.
 */
static inline uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	word = (word ^ word >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
	return word ^ word >> 32;
}

static inline uint64_t low_of(const uint64_t sum[RT_MULTILINEAR_ROWS])
{
	return mix((sum[0] >> 32 << 32) | sum[1] >> 32);
}

/* What stands for a text that is too long. Its tag is another, though its length is one of others.
 */
static struct rt_slice shorten(const struct rt_multilinear_key *key, struct rt_slice text,
			       uint32_t *tag, struct rt_hash128 *digest)
{
	*digest = rt_siphash(&key->seed, text);
	*tag = ~*tag;
	return rt_slice_make((const char *)digest, sizeof(*digest));
}

struct rt_hash128 rt_multilinear(const struct rt_multilinear_key *key, uint32_t tag,
				 struct rt_slice text)
{
	uint64_t sum[RT_MULTILINEAR_ROWS];
	struct rt_hash128 digest;

	if (text.len > RT_MULTILINEAR_BYTES)
		text = shorten(key, text, &tag, &digest);
	sums(key, tag, text, true, sum);
	return (struct rt_hash128){low_of(sum), sum[2] >> 32};
}

uint64_t rt_multilinear64(const struct rt_multilinear_key *key, uint32_t tag, struct rt_slice text)
{
	uint64_t sum[RT_MULTILINEAR_ROWS];
	struct rt_hash128 digest;

	if (text.len > RT_MULTILINEAR_BYTES)
		text = shorten(key, text, &tag, &digest);
	sums(key, tag, text, false, sum);
	return low_of(sum);
}
