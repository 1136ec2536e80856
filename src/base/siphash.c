/*
 * SipHash-1-3-128. Reads only the bytes it is given.
 */
#include "base/siphash.h"

#include <errno.h>

#include "base/bytes.h"
#include "base/io.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void turn(struct state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32) + s->v3;
	s->v2 += s->v1;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static inline void absorb(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	turn(s);
	s->v0 ^= word;
}

/* Half of the hash. */
static inline uint64_t half(struct state *s)
{
	turn(s);
	turn(s);
	turn(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

static inline struct state start(const struct rt_siphash_key *key)
{
	/* The constants are the text "somepseudorandomlygeneratedbytes". */
	return (struct state){
	    key->k0 ^ UINT64_C(0x736f6d6570736575),
	    key->k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xEE,
	    key->k0 ^ UINT64_C(0x6c7967656e657261),
	    key->k1 ^ UINT64_C(0x7465646279746573),
	};
}

/* Absorb the whole words of a text from `at` on. Returns where they end. */
static inline size_t words(struct state *s, struct rt_slice text, size_t at)
{
	for (; at + 8 <= text.len; at += 8)
		absorb(s, rt_bytes_load64(text.ptr + at));
	return at;
}

/* Absorb the bytes that are no whole word, and say what the hash is. */
static inline struct rt_hash128 finish(struct state s, struct rt_slice text, size_t at)
{
	uint64_t last = (uint64_t)text.len << 56;
	size_t left = text.len - at;
	struct rt_hash128 hash;

	if (left && at)
		last |= rt_bytes_load64(text.ptr + text.len - 8) >> (64 - 8 * left);
	for (size_t i = 0; !at && i < left; i++)
		last |= (uint64_t)(unsigned char)text.ptr[i] << (8 * i);
	absorb(&s, last);
	s.v2 ^= 0xEE;
	hash.low = half(&s);
	s.v1 ^= 0xDD;
	hash.high = half(&s);
	return hash;
}

struct rt_hash128 rt_siphash(const struct rt_siphash_key *key, struct rt_slice text)
{
	struct state s = start(key);
	size_t at = words(&s, text, 0);

	return finish(s, text, at);
}

void rt_siphash_prefixes_init(struct rt_siphash_prefixes *prefixes,
			      const struct rt_siphash_key *key, struct rt_slice text)
{
	struct state s = start(key);

	*prefixes = (struct rt_siphash_prefixes){{s.v0, s.v1, s.v2, s.v3}, text, 0};
}

struct rt_hash128 rt_siphash_prefix(struct rt_siphash_prefixes *prefixes, size_t len)
{
	uint64_t *v = prefixes->v;
	struct state s = {v[0], v[1], v[2], v[3]};
	struct rt_slice text = rt_slice_make(prefixes->text.ptr, len);

	prefixes->at = words(&s, text, prefixes->at);
	v[0] = s.v0;
	v[1] = s.v1;
	v[2] = s.v2;
	v[3] = s.v3;
	return finish(s, text, prefixes->at);
}

enum rt_status rt_siphash_key_init(struct rt_siphash_key *key, struct rt_error *err)
{
	return rt_random(key, sizeof(*key)) ? RT_OK : rt_error_sys(err, errno, "random key");
}
