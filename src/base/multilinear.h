/*
 * A family of hashes with a secret key, for tables that a hostile input must not make slow or
 * wrong.
 *
 * SipHash is a pseudo-random function: nobody has been able to tell its results from random ones,
 * even where they are shown. The hashes of a table are never shown, and so less is enough: that
 * any two texts, chosen without knowing the key, meet no more often than by chance. For sums of
 * products with random factors that is a theorem (Lemire and Kaser, "Strongly universal string
 * hashing is fast", 2014, MULTILINEAR-HM), and they cost a quarter of the instructions.
 * The factors are made from a short key by SipHash. Not for texts that somebody can try out one
 * after the other under one key while watching how they meet.
 */
#ifndef RT_BASE_MULTILINEAR_H
#define RT_BASE_MULTILINEAR_H

#include "base/siphash.h"

/* Longest text that is hashed as it is; of a longer one it is the SipHash. */
#define RT_MULTILINEAR_BYTES 256u
/* Each gives 32 bits that do not depend on those of the others. */
#define RT_MULTILINEAR_ROWS 3u

/* What a key is for: keys of one seed for different uses have nothing in common. */
enum rt_hash_use { RT_HASH_IDS, RT_HASH_COUNTS };

struct rt_multilinear_key {
	struct rt_siphash_key seed;
	/* A start; two factors for the length and the tag, and for each 8 bytes of text. */
	uint64_t rows[RT_MULTILINEAR_ROWS][1 + 2 + RT_MULTILINEAR_BYTES / 4];
};

/* seed: a secret one. */
void rt_multilinear_key_init(struct rt_multilinear_key *key, const struct rt_siphash_key *seed,
			     enum rt_hash_use use);

/*
 * Hash text. tag: texts with other tags are other texts.
 * Returns 96 bits, of which `high` has 32.
 */
struct rt_hash128 rt_multilinear(const struct rt_multilinear_key *key, uint32_t tag,
				 struct rt_slice text);

/* The `low` of it. */
uint64_t rt_multilinear64(const struct rt_multilinear_key *key, uint32_t tag, struct rt_slice text);

#endif
