/*
 * The keyed hash of tables: what it is by its definition, that texts which differ in a bit, their
 * length or their tag differ, that texts which count up spread, and that no byte outside is read.
 */
#include "base/multilinear.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define LEN_MAX (RT_MULTILINEAR_BYTES + 20u)

static const struct rt_siphash_key seed = {UINT64_C(0x0123456789ABCDEF), 42};

static struct rt_multilinear_key key_make(enum rt_hash_use use)
{
	struct rt_multilinear_key key;

	rt_multilinear_key_init(&key, &seed, use);
	return key;
}

/* A word of text by its definition: the last one ends where the text does. */
static uint64_t word_of(const unsigned char *text, size_t len, size_t number)
{
	size_t at = number * 8, bytes = len < 8 ? len : 8;
	uint64_t word = 0;

	if (at + bytes > len)
		at = len - bytes;
	for (size_t i = bytes; i > 0; i--)
		word = word << 8 | text[at + i - 1];
	return word;
}

/* 32 bits of one row. */
static uint64_t row_of(const uint64_t *row, uint32_t tag, const unsigned char *text, size_t len)
{
	uint64_t sum = row[0] + (row[1] + len) * (row[2] + tag);

	for (size_t i = 0; i * 8 < len; i++) {
		uint64_t word = word_of(text, len, i);

		sum += (row[3 + 2 * i] + word % 4294967296) * (row[4 + 2 * i] + word / 4294967296);
	}
	return sum / 4294967296;
}

/* The third row is not mixed, and the first two meet where it does. Each text ends its block. */
START_TEST(as_defined)
{
	struct rt_multilinear_key key = key_make(RT_HASH_IDS);

	for (size_t len = 0; len <= RT_MULTILINEAR_BYTES; len++) {
		char *text = malloc(len ? len : 1);
		struct rt_hash128 hash;

		for (size_t i = 0; i < len; i++)
			text[i] = (char)(i * 37 + len);
		hash = rt_multilinear(&key, 2, rt_slice_make(text, len));
		ck_assert_uint_eq(hash.high,
				  row_of(key.rows[2], 2, (const unsigned char *)text, len));
		ck_assert_uint_eq(hash.low, rt_multilinear64(&key, 2, rt_slice_make(text, len)));
		free(text);
	}
}
END_TEST

static bool meet(struct rt_hash128 a, struct rt_hash128 b)
{
	return a.low == b.low || a.high == b.high;
}

/* One bit, one byte less, another tag, another use. */
START_TEST(differ)
{
	struct rt_multilinear_key key = key_make(RT_HASH_IDS), other = key_make(RT_HASH_COUNTS);
	char text[LEN_MAX] = {0};

	for (size_t len = 1; len <= LEN_MAX; len++) {
		struct rt_slice whole = rt_slice_make(text, len);
		struct rt_hash128 hash = rt_multilinear(&key, 1, whole);

		for (size_t bit = 0; bit < len * 8; bit++) {
			text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
			ck_assert(!meet(hash, rt_multilinear(&key, 1, whole)));
			ck_assert_uint_ne(hash.low, rt_multilinear64(&key, 1, whole));
			text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
		}
		ck_assert(!meet(hash, rt_multilinear(&key, 1, rt_slice_make(text, len - 1))));
		ck_assert(!meet(hash, rt_multilinear(&key, 2, whole)));
		ck_assert(!meet(hash, rt_multilinear(&other, 1, whole)));
	}
}
END_TEST

/* Numbers that count up, as decimal text: no slot of as many gets many. */
START_TEST(spread)
{
	enum { SLOTS = 65536, MOST = 12 };
	static unsigned char slots[SLOTS];
	struct rt_multilinear_key key = key_make(RT_HASH_IDS);

	memset(slots, 0, sizeof(slots));
	for (unsigned i = 0; i < SLOTS; i++) {
		char text[16];
		int len = snprintf(text, sizeof(text), "iss-%08u", i);
		uint64_t hash = rt_multilinear64(&key, 1, rt_slice_make(text, (size_t)len));

		ck_assert_uint_lt(slots[hash >> 48]++, MOST);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("multilinear");
	TCase *tcase = tcase_create("multilinear");

	tcase_add_test(tcase, as_defined);
	tcase_add_test(tcase, differ);
	tcase_add_test(tcase, spread);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
