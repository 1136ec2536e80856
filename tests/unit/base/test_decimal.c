/*
 * Decimals: what is a number, their order, and random ones against numbers that fit 64 bits.
 */
#include "base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int order(const char *a, const char *b)
{
	struct rt_decimal x, y;

	ck_assert_msg(rt_decimal_read(rt_slice_make(a, strlen(a)), &x), "no number: %s", a);
	ck_assert_msg(rt_decimal_read(rt_slice_make(b, strlen(b)), &y), "no number: %s", b);
	return rt_decimal_compare(&x, &y);
}

START_TEST(no_numbers)
{
	static const char *const rows[] = {"",    "-",     "+1",  "01",       "-01",  "00",
					   "1.",  ".5",    "-.5", "1e",       "1e+",  "1e1.5",
					   "e1",  "1 ",    " 1",  "1..2",     "0x10", "1.2.3",
					   "--1", "1e--1", "NaN", "Infinity", "1,5",  "1_000"};
	struct rt_decimal d;

	ck_assert_msg(!rt_decimal_read(rt_slice_make(rows[_i], strlen(rows[_i])), &d), "%s",
		      rows[_i]);
}
END_TEST

/* Each is equal to or less than what follows it; a row of its own is strictly less. */
static const struct {
	const char *a, *b;
	int order;
} orders[] = {
    {"0", "-0", 0},
    {"0", "0.000", 0},
    {"0", "0e999999999999999999999", 0},
    {"1", "1.0", 0},
    {"1", "10e-1", 0},
    {"1", "0.1E+1", 0},
    {"100", "1e2", 0},
    {"9.8", "9.80", 0},
    {"0.001", "1e-3", 0},
    {"-12.5", "-125e-1", 0},
    {"9007199254740992", "9007199254740993", -1},
    {"9223372036854775807", "9223372036854775808", -1},
    {"0.1", "0.1000000000000000000000000000001", -1},
    {"123456789012345678901234567890", "123456789012345678901234567891", -1},
    {"-1", "0", -1},
    {"-1", "1", -1},
    {"-2", "-1", -1},
    {"-10", "-9", -1},
    {"9", "10", -1},
    {"0.09", "0.1", -1},
    {"0.9", "1", -1},
    {"9e9", "1e10", -1},
    {"1e-400", "1e-399", -1},
    {"1e400", "1e401", -1},
    {"-1e401", "-1e400", -1},
    {"0", "1e-9999999999999999999999", -1},
    {"1", "1e9999999999999999999999", -1},
    {"1e-9999999999999999999999", "1e-5", -1},
    {"1.05", "1.5", -1},
    {"1.05", "1.1", -1},
};

START_TEST(in_order)
{
	ck_assert_msg(order(orders[_i].a, orders[_i].b) == orders[_i].order, "%s and %s",
		      orders[_i].a, orders[_i].b);
	ck_assert_msg(order(orders[_i].b, orders[_i].a) == -orders[_i].order, "%s and %s",
		      orders[_i].b, orders[_i].a);
}
END_TEST

/* N written with its point somewhere and a power that brings it back: still N. */
static void spell(int64_t n, unsigned places, char *out, size_t cap)
{
	int64_t power = 1;

	for (unsigned i = 0; i < places; i++)
		power *= 10;
	(void)snprintf(out, cap, "%s%" PRId64 ".%0*" PRId64 "e%u", n < 0 ? "-" : "",
		       (n < 0 ? -n : n) / power, (int)places, (n < 0 ? -n : n) % power, places);
}

START_TEST(against_integers)
{
	uint64_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		char a[64], b[64];
		int64_t n[2];

		for (int i = 0; i < 2; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			n[i] = (int64_t)(seed >> 33) % 20000 - 10000;
		}
		spell(n[0], 1 + (unsigned)round % 6, a, sizeof(a));
		spell(n[1], 1 + (unsigned)round % 5, b, sizeof(b));
		ck_assert_msg(order(a, b) == (n[0] > n[1]) - (n[0] < n[1]), "%s and %s", a, b);
	}
}
END_TEST

static Suite *make(void)
{
	Suite *suite = suite_create("decimal");
	TCase *tcase = tcase_create("decimal");

	tcase_add_loop_test(tcase, no_numbers, 0, 24);
	tcase_add_loop_test(tcase, in_order, 0, COUNT(orders));
	tcase_add_test(tcase, against_integers);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
