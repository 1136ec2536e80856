/*
 * Defaults of the limits, and setting each by its name.
 */
#include "base/limits.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each limit that can be set: SPEC D22 for the default. */
static const struct {
	const char *name;
	size_t at;
	uint64_t preset, max;
} limits_known[] = {
    {"record", offsetof(struct rt_limits, record_bytes), 16 * RT_MIB, RT_GIB},
    {"depth", offsetof(struct rt_limits, depth), 128, 1024},
    {"members", offsetof(struct rt_limits, archive_members), 100000, UINT64_MAX},
    {"expanded", offsetof(struct rt_limits, expanded_bytes), 64 * RT_GIB, UINT64_MAX},
    {"decoder", offsetof(struct rt_limits, decoder_bytes), 256 * RT_MIB, UINT64_MAX},
    {"alias", offsetof(struct rt_limits, alias_bytes), 16 * RT_MIB, RT_GIB},
    {"distinct", offsetof(struct rt_limits, distinct_bytes), 256 * RT_MIB, UINT64_MAX},
    {"recent", offsetof(struct rt_limits, recent_bytes), 256 * RT_MIB, UINT64_MAX},
    {"request", offsetof(struct rt_limits, request_bytes), RT_MIB, RT_GIB},
    {"requests", offsetof(struct rt_limits, requests), 1000000, UINT64_MAX},
    {"md", offsetof(struct rt_limits, md_bytes), 65000, RT_GIB},
    {"metadata", offsetof(struct rt_limits, metadata_bytes), 256 * RT_MIB, 64 * RT_GIB},
    {"temporary", offsetof(struct rt_limits, temporary_bytes), 4 * RT_GIB, UINT64_MAX},
};

/* A limit that is missing from the table above would be noticed here. */
_Static_assert(sizeof(struct rt_limits) == COUNT(limits_known) * sizeof(uint64_t), "all limits");

static uint64_t limit_get(const struct rt_limits *limits, size_t at)
{
	uint64_t value;

	memcpy(&value, (const char *)limits + at, sizeof(value));
	return value;
}

START_TEST(defaults)
{
	struct rt_limits limits;

	memset(&limits, 0xAA, sizeof(limits));
	rt_limits_init(&limits);
	ck_assert_msg(limit_get(&limits, limits_known[_i].at) == limits_known[_i].preset, "%s",
		      limits_known[_i].name);
}
END_TEST

/* The names are told one by one. */
START_TEST(names)
{
	ck_assert_str_eq(rt_limits_name((size_t)_i), limits_known[_i].name);
	ck_assert_ptr_null(rt_limits_name(COUNT(limits_known)));
	ck_assert_ptr_null(rt_limits_name(SIZE_MAX));
}
END_TEST

/* A name sets its own limit and no other; its maximum is allowed, one more is not. */
START_TEST(set_by_name)
{
	struct rt_limits limits, expected;
	uint64_t value = 777, max = limits_known[_i].max;
	char text[32];

	rt_limits_init(&limits);
	expected = limits;
	ck_assert_msg(rt_limits_set(&limits, limits_known[_i].name, "777"), "%s",
		      limits_known[_i].name);
	memcpy((char *)&expected + limits_known[_i].at, &value, sizeof(value));
	ck_assert_msg(memcmp(&limits, &expected, sizeof(limits)) == 0, "%s", limits_known[_i].name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)max);
	ck_assert_msg(rt_limits_set(&limits, limits_known[_i].name, text), "%s: %s",
		      limits_known[_i].name, text);
	ck_assert_uint_eq(limit_get(&limits, limits_known[_i].at), max);
	if (max == UINT64_MAX)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)max + 1);
	ck_assert_msg(!rt_limits_set(&limits, limits_known[_i].name, text), "%s: %s",
		      limits_known[_i].name, text);
}
END_TEST

static const struct {
	const char *what, *name, *text;
	uint64_t value; /* 0: refused */
} numbers[] = {
    {"one", "members", "1", 1},
    {"leading zeros", "members", "0007", 7},
    {"KiB", "members", "3KiB", 3 * 1024},
    {"MiB", "members", "3MiB", 3 * 1024 * 1024},
    {"GiB", "members", "3GiB", UINT64_C(3) << 30},
    {"largest number", "members", "18446744073709551615", UINT64_MAX},
    {"largest number of GiB", "members", "17179869183GiB", UINT64_C(17179869183) << 30},
    {"a unit that reaches the maximum", "depth", "1KiB", 1024},
    {"a unit that goes beyond", "depth", "2KiB", 0},
    {"zero", "members", "0", 0},
    {"zero with a unit", "members", "0MiB", 0},
    {"empty", "members", "", 0},
    {"a unit alone", "members", "MiB", 0},
    {"one more than fits", "members", "18446744073709551616", 0},
    {"a digit more than fits", "members", "100000000000000000000", 0},
    {"wraps to a small number", "members", "36893488147419103233", 0},
    {"wraps by its unit", "members", "17179869184GiB", 0},
    {"wraps by its unit to a small number", "members", "17179869185GiB", 0},
    {"plus", "members", "+1", 0},
    {"minus", "members", "-1", 0},
    {"blank before", "members", " 1", 0},
    {"blank after", "members", "1 ", 0},
    {"blank before the unit", "members", "1 KiB", 0},
    {"fraction", "members", "1.5GiB", 0},
    {"exponent", "members", "1e3", 0},
    {"hexadecimal", "members", "0x10", 0},
    {"unit of another case", "members", "1kib", 0},
    {"decimal unit", "members", "1MB", 0},
    {"unit cut short", "members", "1Mi", 0},
    {"after the unit", "members", "1MiBx", 0},
    {"two units", "members", "1KiBKiB", 0},
    {"no such limit", "member", "1", 0},
    {"longer name", "membersx", "1", 0},
    {"name of another case", "Members", "1", 0},
    {"empty name", "", "1", 0},
};

START_TEST(set_number)
{
	struct rt_limits limits, before;
	bool good = numbers[_i].value != 0;
	size_t at = strcmp(numbers[_i].name, "depth") == 0
			? offsetof(struct rt_limits, depth)
			: offsetof(struct rt_limits, archive_members);

	rt_limits_init(&limits);
	before = limits;
	ck_assert_msg(rt_limits_set(&limits, numbers[_i].name, numbers[_i].text) == good, "%s",
		      numbers[_i].what);
	if (good)
		ck_assert_msg(limit_get(&limits, at) == numbers[_i].value, "%s", numbers[_i].what);
	else
		ck_assert_msg(memcmp(&limits, &before, sizeof(limits)) == 0, "%s: changed",
			      numbers[_i].what);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("limits");
	TCase *tcase = tcase_create("limits");

	tcase_add_loop_test(tcase, defaults, 0, COUNT(limits_known));
	tcase_add_loop_test(tcase, names, 0, COUNT(limits_known));
	tcase_add_loop_test(tcase, set_by_name, 0, COUNT(limits_known));
	tcase_add_loop_test(tcase, set_number, 0, COUNT(numbers));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
