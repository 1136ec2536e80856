/*
 * Ids that stand twice, in one set or in two: found by the share that their hash belongs to and by
 * no other; ids that stand once, and kinds, are not. Memory stays within what an id may take.
 */
#include "engine/id_piles.h"

#include <inttypes.h>
#include <stdio.h>

#include "unit.h"

#define SETS 3u
#define SHARES_MAX 5u
/* Bytes of an id, and of piles that have one id each. */
#define BYTES_PER_ID 9u
#define BYTES_FEW (UINT64_C(300) << 10)

static const struct rt_siphash_key test_key = {UINT64_C(0xFEDCBA9876543210), 7};

static void add(struct rt_id_piles *piles, enum rt_kind kind, uint64_t n)
{
	struct rt_error err;
	char text[32];
	int len = snprintf(text, sizeof(text), "issue-%" PRIu64, n);

	ck_assert_int_eq(rt_id_piles_add(piles, kind, rt_slice_make(text, (size_t)len), &err),
			 RT_OK);
}

/* Numbers 0 to count, one after the other to each set. */
static void fill(struct rt_id_piles **sets, uint64_t count)
{
	struct rt_error err;

	for (size_t i = 0; i < SETS; i++)
		ck_assert_int_eq(rt_id_piles_new(&test_key, &sets[i], &err), RT_OK);
	for (uint64_t n = 0; n < count; n++)
		add(sets[n % SETS], RT_KIND_ISSUE, n);
}

/* How many of so many shares find an id that stands twice. */
static size_t finders(struct rt_id_piles *const *sets, size_t shares)
{
	struct rt_error err;
	size_t found = 0;

	for (size_t share = 0; share < shares; share++) {
		bool twice;

		ck_assert_int_eq(rt_id_piles_twice(sets, SETS, share, shares, &twice, &err), RT_OK);
		found += twice;
	}
	return found;
}

static void check(struct rt_id_piles *const *sets, size_t want, const char *what)
{
	for (size_t shares = 1; shares <= SHARES_MAX; shares++)
		ck_assert_msg(finders(sets, shares) == want, "%s, %zu shares", what, shares);
}

static void release(struct rt_id_piles **sets)
{
	for (size_t i = 0; i < SETS; i++)
		rt_id_piles_free(sets[i]);
}

/* Few ids, so that piles have none or one; and so many that piles are longer than an allocation. */
static const uint64_t counts[] = {0, 1, 2, 100, 1000, 100000};

START_TEST(once)
{
	struct rt_id_piles *sets[SETS];

	fill(sets, counts[_i]);
	check(sets, 0, "no id twice");
	/* Kinds have ids of their own. */
	add(sets[0], RT_KIND_RULESET, 0);
	check(sets, 0, "another kind");
	add(sets[1], RT_KIND_RULESET, 0);
	check(sets, 1, "the other kind twice");
	release(sets);
}
END_TEST

/* The first, the last and one in the middle, in the same set and in others. */
START_TEST(twice)
{
	uint64_t count = counts[_i];
	const uint64_t again[] = {0, count / 2, count - 1};

	for (size_t i = 0; count && i < 3 * SETS; i++) {
		struct rt_id_piles *sets[SETS];

		fill(sets, count);
		add(sets[i % SETS], RT_KIND_ISSUE, again[i / SETS]);
		check(sets, 1, "an id twice");
		release(sets);
	}
}
END_TEST

START_TEST(memory)
{
	struct rt_id_piles *sets[SETS];
	size_t before = unit_heap();

	fill(sets, counts[_i]);
	ck_assert_uint_le(unit_heap() - before, SETS * BYTES_FEW + counts[_i] * BYTES_PER_ID);
	release(sets);
}
END_TEST

static Suite *suite_make(void)
{
	const int rows = sizeof(counts) / sizeof(counts[0]);
	Suite *suite = suite_create("id_piles");
	TCase *tcase = tcase_create("id_piles");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, once, 0, rows);
	tcase_add_loop_test(tcase, twice, 0, rows);
	tcase_add_loop_test(tcase, memory, 0, rows);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
