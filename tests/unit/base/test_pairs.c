/*
 * Pairs of numbers, sorted: held to qsort(), on keys that share bytes, are all the same, or none.
 */
#include "base/pairs.h"

#include <stdlib.h>

#include "unit.h"

#define COUNT 3000u

static int compare(const void *left, const void *right)
{
	const struct rt_pair *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static uint64_t number(uint64_t mask)
{
	uint64_t word = 0;

	for (int i = 0; i < 5; i++)
		word = word << 15 ^ (uint64_t)rand();
	return word & mask;
}

START_TEST(as_qsort)
{
	static const uint64_t masks[] = {UINT64_MAX, 0, 1, 0xFF00, UINT64_C(0xFF) << 56, 0x3F3F};
	static struct rt_pair have[COUNT], want[COUNT];
	size_t kinds = sizeof(masks) / sizeof(*masks);

	srand(1);
	for (size_t round = 0; round < kinds * kinds; round++) {
		for (size_t count = 0; count <= COUNT; count = count * 3 + 1) {
			for (size_t i = 0; i < count; i++)
				have[i] = (struct rt_pair){number(masks[round % kinds]),
							   number(masks[round / kinds])};
			memcpy(want, have, count * sizeof(*have));
			qsort(want, count, sizeof(*want), compare);
			rt_pairs_sort(have, count);
			ck_assert_mem_eq(have, want, count * sizeof(*have));
			ck_assert_uint_eq(rt_pairs_run(have, count) > 0, count > 0);
		}
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("pairs");
	TCase *tcase = tcase_create("pairs");

	tcase_add_test(tcase, as_qsort);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
