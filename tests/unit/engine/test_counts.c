/*
 * Counting texts: every one once, with its number, in byte order, and within the limit.
 */
#include "engine/counts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "unit.h"

#define MILLION 1000000u
#define SLOT sizeof(struct rt_count)

static const struct rt_siphash_key test_key = {UINT64_C(0x0123456789ABCDEF), 42};

static void add(struct rt_counts *counts, const char *text, size_t len)
{
	struct rt_error err;

	if (rt_counts_add(counts, rt_slice_make(text, len), true, &err) != RT_OK)
		ck_abort_msg("%s: %s", text, err.message);
}

START_TEST(nothing)
{
	struct rt_counts_limit limit = {0, 0};
	struct rt_counts counts;

	rt_counts_init(&counts, &test_key, &limit);
	rt_counts_sort(&counts);
	ck_assert_uint_eq(counts.used, 0);
	ck_assert_uint_eq(limit.bytes, 0);
	rt_counts_release(&counts);
	rt_counts_release(&counts);
}
END_TEST

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

/* In byte order, each added as often as its row's number says. */
static const struct {
	const char *what;
	struct rt_slice text;
} ordered[] = {
    {"empty", TEXT("")},
    {"a NUL alone", TEXT("\0")},
    {"two NULs", TEXT("\0\0")},
    {"a NUL and more", TEXT("\0a")},
    {"a capital", TEXT("Z")},
    {"a letter", TEXT("a")},
    {"a letter and a NUL", TEXT("a\0")},
    {"a letter, a NUL and more", TEXT("a\0b")},
    {"the same, longer", TEXT("a\0bc")},
    {"another after the NUL", TEXT("a\0c")},
    {"a byte of one", TEXT("a\x01")},
    {"a longer word", TEXT("ab")},
    {"numbers are no numbers", TEXT("b10")},
    {"nor here", TEXT("b9")},
    {"two bytes of UTF-8", TEXT("\xC3\xA4")},
    {"four bytes of UTF-8", TEXT("\xF0\x9F\x98\x80")},
};

#define ORDERED (sizeof(ordered) / sizeof(ordered[0]))

START_TEST(order)
{
	struct rt_counts_limit limit = {0, RT_MIB};
	struct rt_counts counts;

	rt_counts_init(&counts, &test_key, &limit);
	for (size_t round = 0; round < ORDERED; round++) {
		/* Backwards in every other round. */
		for (size_t i = 0; i < ORDERED; i++) {
			size_t row = round % 2 ? i : ORDERED - 1 - i;

			if (row >= round)
				add(&counts, ordered[row].text.ptr, ordered[row].text.len);
		}
	}
	rt_counts_sort(&counts);
	ck_assert_uint_eq(counts.used, ORDERED);
	for (size_t i = 0; i < ORDERED; i++) {
		ck_assert_msg(rt_slice_equal(counts.slots[i].text, ordered[i].text), "%zu: want %s",
			      i, ordered[i].what);
		ck_assert_msg(counts.slots[i].count == i + 1, "%s: %" PRIu64, ordered[i].what,
			      counts.slots[i].count);
	}
	rt_counts_release(&counts);
}
END_TEST

/* Texts are copied: what they came from may change. */
START_TEST(copied)
{
	struct rt_counts_limit limit = {0, RT_MIB};
	struct rt_counts counts;
	char text[] = "one";

	rt_counts_init(&counts, &test_key, &limit);
	add(&counts, text, 3);
	memcpy(text, "two", 3);
	add(&counts, text, 3);
	add(&counts, text, 3);
	rt_counts_sort(&counts);
	ck_assert_uint_eq(counts.used, 2);
	ck_assert(rt_slice_equal(counts.slots[0].text, RT_SLICE("one")));
	ck_assert(rt_slice_equal(counts.slots[1].text, RT_SLICE("two")));
	ck_assert_uint_eq(counts.slots[0].count, 1);
	ck_assert_uint_eq(counts.slots[1].count, 2);
	rt_counts_release(&counts);
}
END_TEST

/* HOSTILE 7: a million distinct texts fit the limit; the third of them come once more. */
START_TEST(million)
{
	struct rt_counts_limit limit = {0, RT_LIMIT_DISTINCT};
	struct rt_counts counts;
	char text[64];

	rt_counts_init(&counts, &test_key, &limit);
	for (unsigned i = 0; i < MILLION + MILLION / 3; i++) {
		/* In a mixed-up order: 7919 has no divisor in common with a million. */
		unsigned n =
		    i < MILLION ? (unsigned)(i * UINT64_C(7919) % MILLION) : 3 * (i - MILLION);

		add(&counts, text,
		    (size_t)snprintf(text, sizeof(text), "category-%07u-of-a-scan", n));
	}
	ck_assert_uint_le(limit.bytes, limit.max);
	rt_counts_sort(&counts);
	ck_assert_uint_eq(counts.used, MILLION);
	for (unsigned n = 0; n < MILLION; n++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "category-%07u-of-a-scan", n);
		uint64_t expected = n % 3 == 0 && n < MILLION / 3 * 3 ? 2 : 1;

		if (!rt_slice_equal(counts.slots[n].text, rt_slice_make(text, len)) ||
		    counts.slots[n].count != expected)
			ck_abort_msg("%s: have %.*s, %" PRIu64 " times", text,
				     (int)counts.slots[n].text.len, counts.slots[n].text.ptr,
				     counts.slots[n].count);
	}
	rt_counts_release(&counts);
}
END_TEST

/* Add up to count distinct texts of ten bytes; the number of the first that is refused. */
static unsigned fill(struct rt_counts *counts, unsigned count, struct rt_error *err)
{
	char text[16];

	for (unsigned n = 0; n < count; n++) {
		snprintf(text, sizeof(text), "%010u", n);
		if (rt_counts_add(counts, rt_slice_make(text, 10), true, err) != RT_OK)
			return n;
	}
	return count;
}

/* By its limit, a table takes no text more, but goes on counting those it has. */
static const struct {
	const char *what;
	uint64_t max;
	unsigned fits;
} limits[] = {
    {"nothing", 0, 0},
    {"not the first slots", 64 * SLOT - 1, 0},
    {"the first slots and no text", 64 * SLOT, 0},
    {"a byte too few for a text", 64 * SLOT + 41, 0},
    {"one text", 64 * SLOT + 42, 1},
    {"two texts", 64 * SLOT + 84, 2},
    {"as many as the first slots take", 64 * SLOT + 48 * 42, 48},
    {"no room to grow", 192 * SLOT + 48 * 42 - 1, 48},
    {"room to grow, and the old slots' room for texts", 192 * SLOT + 48 * 42, 48 + 64 * SLOT / 42},
};

START_TEST(limited)
{
	struct rt_counts_limit limit = {0, limits[_i].max};
	struct rt_counts counts;
	struct rt_error err = {0};
	char message[256];
	unsigned fits = limits[_i].fits < 96 ? limits[_i].fits : 96, got;

	rt_counts_init(&counts, &test_key, &limit);
	got = fill(&counts, 1000, &err);
	ck_assert_msg(got == fits, "%s: %u fit", limits[_i].what, got);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	snprintf(message, sizeof(message),
		 "want distinct values of at most %" PRIu64
		 " bytes (limit \"distinct\"), have more",
		 limit.max);
	ck_assert_str_eq(err.message, message);
	ck_assert_uint_le(limit.bytes, limit.max);
	ck_assert_uint_eq(fill(&counts, fits, &err), fits);
	rt_counts_sort(&counts);
	ck_assert_uint_eq(counts.used, fits);
	for (unsigned n = 0; n < fits; n++)
		ck_assert_uint_eq(counts.slots[n].count, 2);
	rt_counts_release(&counts);
}
END_TEST

/* Texts of which one is long; the long one comes as number `at`. Returns whether all were taken. */
static bool with_long(struct rt_counts *counts, unsigned texts, unsigned at)
{
	char text[1000];
	struct rt_error err;

	for (unsigned n = 0; n < texts; n++) {
		memset(text, 'x', sizeof(text));
		snprintf(text, sizeof(text), "%010u", n);
		if (rt_counts_add(counts, rt_slice_make(text, n == at ? sizeof(text) : 10), true,
				  &err) != RT_OK)
			return false;
	}
	return true;
}

/* What fits does so in every order; with a text's bytes less, there is an order that does not. */
START_TEST(fits)
{
	static const unsigned numbers[] = {1, 48, 49, 96, 97, 500};
	const unsigned texts = numbers[_i];
	struct rt_counts_limit limit = {0, UINT64_MAX};
	struct rt_counts counts;
	bool passed;

	rt_counts_init(&counts, &test_key, &limit);
	ck_assert(rt_counts_fits(&counts));
	ck_assert(with_long(&counts, texts, texts - 1));
	limit.max = limit.bytes;
	ck_assert(rt_counts_fits(&counts) == (texts <= 48));
	if (texts > 48) {
		limit.max += counts.cap / 2 * SLOT - 1;
		ck_assert(!rt_counts_fits(&counts));
		limit.max++;
		ck_assert(rt_counts_fits(&counts));
	}
	rt_counts_release(&counts);

	for (unsigned at = 0; at < texts; at++) {
		limit.bytes = 0;
		rt_counts_init(&counts, &test_key, &limit);
		passed = with_long(&counts, texts, at);
		rt_counts_release(&counts);
		ck_assert_msg(passed, "of %u texts the long one at %u", texts, at);
	}
	/* The last text comes after the table has grown, and is the only one then. */
	if (texts == 49 || texts == 97) {
		limit = (struct rt_counts_limit){0, limit.max - 43};
		rt_counts_init(&counts, &test_key, &limit);
		ck_assert(!with_long(&counts, texts, 0));
		rt_counts_release(&counts);
	}
}
END_TEST

START_TEST(long_text)
{
	struct rt_counts_limit limit = {0, RT_MIB};
	struct rt_counts counts;
	struct rt_error err = {0};
	char *text = malloc(RT_MIB);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', RT_MIB);
	rt_counts_init(&counts, &test_key, &limit);
	ck_assert_int_eq(rt_counts_add(&counts, rt_slice_make(text, RT_MIB), true, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_int_eq(rt_counts_add(&counts, rt_slice_make(text, RT_MIB / 2), true, &err),
			 RT_OK);
	ck_assert_int_eq(rt_counts_add(&counts, rt_slice_make(text, RT_MIB / 2), true, &err),
			 RT_OK);
	ck_assert_int_eq(rt_counts_add(&counts, rt_slice_make(text, RT_MIB / 2 - 1), true, &err),
			 RT_FATAL);
	ck_assert_uint_eq(counts.used, 1);
	rt_counts_release(&counts);
	free(text);
}
END_TEST

/* Two tables share one limit. */
START_TEST(shared)
{
	struct rt_counts_limit limit = {0, 2 * 64 * SLOT + 10 * 42};
	struct rt_counts one, two;
	struct rt_error err;

	rt_counts_init(&one, &test_key, &limit);
	rt_counts_init(&two, &test_key, &limit);
	ck_assert_uint_eq(fill(&one, 7, &err), 7);
	ck_assert_uint_eq(fill(&two, 20, &err), 3);
	ck_assert_uint_eq(fill(&one, 20, &err), 7);
	ck_assert_uint_eq(limit.bytes, limit.max);
	rt_counts_release(&one);
	rt_counts_release(&two);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("counts");
	TCase *tcase = tcase_create("counts");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, order);
	tcase_add_test(tcase, copied);
	tcase_add_test(tcase, million);
	tcase_add_loop_test(tcase, limited, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_loop_test(tcase, fits, 0, 6);
	tcase_add_test(tcase, long_text);
	tcase_add_test(tcase, shared);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
