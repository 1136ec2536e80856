/*
 * XXH64 with seed 0. Input: bytes in pieces of any size. Output: 64 bits, the same on every
 * machine. Four lanes take 8 bytes each of a stripe of 32; what is left is mixed in at the end.
 */
#include "output/repack_xxh64.h"

#include <string.h>

#include "base/bytes.h"

#define STRIPE 32u

#define PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME_5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotate(uint64_t value, unsigned by)
{
	return value << by | value >> (64 - by);
}

static uint64_t lane_round(uint64_t lane, uint64_t word)
{
	return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static void stripe_add(struct rt_xxh64 *hash, const uint8_t *stripe)
{
	for (size_t i = 0; i < 4; i++)
		hash->lanes[i] = lane_round(hash->lanes[i], rt_bytes_load64(stripe + 8 * i));
}

void rt_xxh64_init(struct rt_xxh64 *hash)
{
	*hash = (struct rt_xxh64){.lanes = {PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1}};
}

void rt_xxh64_update(struct rt_xxh64 *hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t have = (size_t)(hash->total % STRIPE);

	hash->total += len;
	if (have) {
		size_t more = STRIPE - have < len ? STRIPE - have : len;

		memcpy(hash->rest + have, bytes, more);
		bytes += more;
		len -= more;
		if (have + more < STRIPE)
			return;
		stripe_add(hash, hash->rest);
	}
	for (; len >= STRIPE; bytes += STRIPE, len -= STRIPE)
		stripe_add(hash, bytes);
	if (len)
		memcpy(hash->rest, bytes, len);
}

/* The lanes in one number, or the seed where no stripe was full. */
static uint64_t lanes_merge(const struct rt_xxh64 *hash)
{
	uint64_t value;

	if (hash->total < STRIPE)
		return PRIME_5;
	value = rotate(hash->lanes[0], 1) + rotate(hash->lanes[1], 7) + rotate(hash->lanes[2], 12) +
		rotate(hash->lanes[3], 18);
	for (size_t i = 0; i < 4; i++)
		value = (value ^ lane_round(0, hash->lanes[i])) * PRIME_1 + PRIME_4;
	return value;
}

uint64_t rt_xxh64_end(const struct rt_xxh64 *hash)
{
	size_t left = (size_t)(hash->total % STRIPE);
	const uint8_t *at = hash->rest;
	uint64_t value = lanes_merge(hash) + hash->total;

	for (; left >= 8; at += 8, left -= 8)
		value = rotate(value ^ lane_round(0, rt_bytes_load64(at)), 27) * PRIME_1 + PRIME_4;
	if (left >= 4) {
		uint64_t word = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
				(uint64_t)at[3] << 24;

		value = rotate(value ^ word * PRIME_1, 23) * PRIME_2 + PRIME_3;
		at += 4;
		left -= 4;
	}
	for (; left; at++, left--)
		value = rotate(value ^ *at * PRIME_5, 11) * PRIME_1;
	value = (value ^ value >> 33) * PRIME_2;
	value = (value ^ value >> 29) * PRIME_3;
	return value ^ value >> 32;
}
