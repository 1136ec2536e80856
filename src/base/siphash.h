/*
 * SipHash-1-3 with 128 bits of result (Aumasson and Bernstein, 2012): a keyed hash that an input
 * cannot be made to collide under without the key, by as many rounds as the tables of Rust and
 * Python take.
 *
 * OpenSSL has it too, behind EVP_MAC: there one hash of a 36-byte id costs several hundred
 * nanoseconds, as much as reading the whole record. The tests hold this one to OpenSSL's.
 */
#ifndef RT_BASE_SIPHASH_H
#define RT_BASE_SIPHASH_H

#include <stdint.h>

#include "base/error.h"

struct rt_siphash_key {
	uint64_t k0, k1;
};

struct rt_hash128 {
	uint64_t low, high; /* the first and the last 8 bytes of the result, little-endian */
};

/* A fresh key from the system. Returns RT_OK or RT_FATAL (RT_E_IO). */
enum rt_status rt_siphash_key_init(struct rt_siphash_key *key, struct rt_error *err);

/* Hash text under key. */
struct rt_hash128 rt_siphash(const struct rt_siphash_key *key, struct rt_slice text);

/* The same of an id. kind: ids of issues and of rulesets do not meet. */
static inline struct rt_hash128 rt_siphash_id(const struct rt_siphash_key *key, enum rt_kind kind,
					      struct rt_slice id)
{
	struct rt_siphash_key own = {key->k0 ^ (uint64_t)kind, key->k1};

	return rt_siphash(&own, id);
}

/* Hashes of prefixes of one text, the shorter ones first: all together for one pass over it. */
struct rt_siphash_prefixes {
	uint64_t v[4]; /* after the text up to `at` */
	struct rt_slice text;
	size_t at;
};

/* text: borrowed for as long as prefixes are hashed. */
void rt_siphash_prefixes_init(struct rt_siphash_prefixes *prefixes,
			      const struct rt_siphash_key *key, struct rt_slice text);

/* The hash of the first len bytes, as rt_siphash() gives it. len: not less than the last one. */
struct rt_hash128 rt_siphash_prefix(struct rt_siphash_prefixes *prefixes, size_t len);

#endif
