/*
 * Packed faults: each comes back as it was added, and those beyond the list are counted.
 */
#include "base/faults.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "unit.h"

static const struct {
	const char *what;
	struct rt_error fault;
} rows[] = {
    {"nothing", {.code = RT_E_NONE}},
    {"all parts",
     {.code = RT_E_INPUT,
      .line = 12,
      .column = 7,
      .path = "export.tar.gz",
      .member = "a/b.json",
      .record = "issue \"a1\"",
      .field = "line_number",
      .message = "want integer, have string"}},
    {"a limit, and the largest place",
     {.code = RT_E_LIMIT, .line = UINT64_MAX, .column = UINT64_MAX, .path = "-", .message = "m"}},
    {"message alone", {.code = RT_E_USAGE, .message = "m"}},
    {"member alone", {.code = RT_E_IO, .member = "m"}},
    {"raw bytes", {.code = RT_E_INPUT, .path = "a\x01\xFF\x1B[", .message = "\xC3"}},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void assert_same(const char *what, const struct rt_error *have, const struct rt_error *want)
{
	ck_assert_msg(have->code == want->code, "%s: code %d", what, have->code);
	ck_assert_msg(have->line == want->line && have->column == want->column, "%s: place", what);
	ck_assert_msg(strcmp(have->path, want->path) == 0, "%s: path %s", what, have->path);
	ck_assert_msg(strcmp(have->member, want->member) == 0, "%s: member %s", what, have->member);
	ck_assert_msg(strcmp(have->record, want->record) == 0, "%s: record %s", what, have->record);
	ck_assert_msg(strcmp(have->field, want->field) == 0, "%s: field %s", what, have->field);
	ck_assert_msg(strcmp(have->message, want->message) == 0, "%s: message %s", what,
		      have->message);
	ck_assert_msg(have->sys == 0 && have->offset == 0, "%s: sys or offset", what);
}

START_TEST(empty)
{
	struct rt_faults faults = {0};
	struct rt_error fault;
	size_t at = 0;

	ck_assert(!rt_faults_next(&faults, &at, &fault));
	rt_faults_release(&faults);
}
END_TEST

START_TEST(all)
{
	struct rt_faults faults = {0};
	struct rt_error fault, err;
	size_t at = 0;

	for (size_t i = 0; i < ROWS; i++)
		ck_assert_int_eq(rt_faults_add(&faults, &rows[i].fault, &err), RT_OK);
	ck_assert_uint_eq(faults.count, ROWS);
	ck_assert_uint_eq(faults.listed, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		memset(&fault, 0x55, sizeof(fault));
		ck_assert_msg(rt_faults_next(&faults, &at, &fault), "%s", rows[i].what);
		assert_same(rows[i].what, &fault, &rows[i].fault);
	}
	ck_assert(!rt_faults_next(&faults, &at, &fault));
	ck_assert(!rt_faults_next(&faults, &at, &fault));
	rt_faults_release(&faults);
	ck_assert(!faults.count && !faults.listed && !faults.packed.data);
}
END_TEST

/* What is not a part of the list does not come back, and full texts do. */
START_TEST(longest)
{
	struct rt_faults faults = {0};
	struct rt_error fault = {.code = RT_E_INPUT, .line = 1, .column = 1}, got, err;
	size_t at = 0;

	memset(fault.path, 'p', sizeof(fault.path) - 1);
	memset(fault.member, '\x80', sizeof(fault.member) - 1);
	memset(fault.record, 'r', sizeof(fault.record) - 1);
	memset(fault.field, 'f', sizeof(fault.field) - 1);
	memset(fault.message, 'm', sizeof(fault.message) - 1);
	fault.offset = 77;
	fault.sys = 5;
	ck_assert_int_eq(rt_faults_add(&faults, &fault, &err), RT_OK);
	ck_assert(rt_faults_next(&faults, &at, &got));
	assert_same("longest", &got, &fault);
	rt_faults_release(&faults);
}
END_TEST

START_TEST(beyond)
{
	struct rt_faults faults = {0};
	struct rt_error fault, err;
	uint64_t line = 0;
	size_t at = 0;

	for (uint64_t i = 1; i <= RT_FAULTS_LISTED_MAX + 5; i++) {
		rt_error_set(&fault, RT_E_INPUT, "fault %llu", (unsigned long long)i);
		fault.line = i;
		ck_assert_int_eq(rt_faults_add(&faults, &fault, &err), RT_OK);
	}
	ck_assert_uint_eq(faults.count, RT_FAULTS_LISTED_MAX + 5);
	ck_assert_uint_eq(faults.listed, RT_FAULTS_LISTED_MAX);
	while (rt_faults_next(&faults, &at, &fault))
		ck_assert_uint_eq(fault.line, ++line);
	ck_assert_uint_eq(line, RT_FAULTS_LISTED_MAX);
	ck_assert_str_eq(fault.message, "fault 10000");
	rt_faults_release(&faults);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("faults");
	TCase *tcase = tcase_create("faults");

	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, all);
	tcase_add_test(tcase, longest);
	tcase_add_test(tcase, beyond);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
