/*
 * XXH64, the checksum of zstd frames (RFC 8878 §3.1.1), which libarchive's writer leaves out.
 */
#ifndef RT_OUTPUT_REPACK_XXH64_H
#define RT_OUTPUT_REPACK_XXH64_H

#include <stddef.h>
#include <stdint.h>

struct rt_xxh64 {
	uint64_t lanes[4];
	uint64_t total;   /* bytes so far */
	uint8_t rest[32]; /* those of the last stripe, which is not full */
};

/* Seed 0. */
void rt_xxh64_init(struct rt_xxh64 *hash);
void rt_xxh64_update(struct rt_xxh64 *hash, const void *data, size_t len);

/* The hash of all bytes so far; zstd keeps its low 32 bits. */
uint64_t rt_xxh64_end(const struct rt_xxh64 *hash);

#endif
