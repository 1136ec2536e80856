/*
 * Remarks on a journal's updates: which there are, their words, and how many are listed and told.
 */
#include "journal/remarks.h"

#include <stdio.h>

#include "base/limits.h"
#include "plan_make.h"
#include "unit.h"

#define A "2025-01-01T00:00:00Z"
#define B "2025-06-01T00:00:00Z"
#define C "2026-01-01T00:00:00Z"
#define MANY 1010u

static struct rt_remarks remarks;
static char told[8192];

static void on_notice(void *ctx, const char *text)
{
	size_t used = strlen(told);

	(void)ctx;
	(void)snprintf(told + used, sizeof(told) - used, "%s\n", text);
}

/* Requests and their times, and what is told of them; now is B. */
static const struct {
	const char *what;
	struct {
		const char *request, *at;
	} updates[5];
	uint32_t first;
	const char *told;
} rows[] = {
    {"nothing", {{NULL, NULL}}, 0, ""},
    {"two that differ", {{"{\"issue_ids\":[\"a\"]}", A}, {"{\"issue_ids\":[\"b\"]}", A}}, 0, ""},
    {"the same again, and again",
     {{"{\"issue_ids\":[\"a\"],\"notes\":\"n\"}", A},
      {"{\"issue_ids\":[\"b\"]}", A},
      {"{\"notes\":\"\\u006e\",\"issue_ids\":[\"\\u0061\",\"a\"],\"severity\":null}", A},
      {"{\"issue_ids\":[\"a\"],\"notes\":\"n\"}", B}},
     0,
     "j: entry 3: the request is equal to that of entry 1\n"
     "j: entry 4: the request is equal to that of entry 1\n"},
    {"another order, another set, an empty note",
     {{"{\"issue_ids\":[\"a\",\"b\"]}", A},
      {"{\"issue_ids\":[\"b\",\"a\"]}", A},
      {"{\"issue_ids\":[\"a\"]}", A},
      {"{\"issue_ids\":[\"a\",\"b\"],\"notes\":\"\"}", A},
      {"{\"issue_ids\":[\"a\",\"b\"],\"false_positive\":false}", A}},
     0,
     ""},
    {"back, and forward again",
     {{"{\"issue_ids\":[\"a\"]}", B},
      {"{\"issue_ids\":[\"b\"]}", A},
      {"{\"issue_ids\":[\"c\"]}", A},
      {"{\"issue_ids\":[\"d\"]}", B}},
     0,
     "j: entry 2: the time " A " is before that of entry 1, " B "\n"},
    {"in the future",
     {{"{\"issue_ids\":[\"a\"]}", B}, {"{\"issue_ids\":[\"b\"]}", C}},
     0,
     "j: entry 2: the time " C " is in the future\n"},
    {"all three, and what was before is not told",
     {{"{\"issue_ids\":[\"a\"]}", C},
      {"{\"issue_ids\":[\"a\"]}", "9999-01-01T00:00:00Z"},
      {"{\"issue_ids\":[\"a\"]}", C}},
     2,
     "j: entry 3: the request is equal to that of entry 1\n"
     "j: entry 3: the time " C " is before that of entry 2, 9999-01-01T00:00:00Z\n"
     "j: entry 3: the time " C " is in the future\n"},
};

static void setup(void)
{
	memset(&remarks, 0, sizeof(remarks));
	told[0] = '\0';
}

static void teardown(void)
{
	rt_remarks_release(&remarks);
}

START_TEST(table)
{
	struct rt_plan *plan = NULL;
	struct rt_error err;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (size_t i = 0; i < 5 && rows[_i].updates[i].request; i++)
		plan_add(plan, rows[_i].updates[i].request,
			 rt_slice_make(rows[_i].updates[i].at, RT_INSTANT_CHARS));
	ck_assert_int_eq(rt_remarks_on_plan(&remarks, plan, rows[_i].first, RT_SLICE(B), &err),
			 RT_OK);
	rt_remarks_tell(&remarks, "j", on_notice, NULL);
	ck_assert_msg(strcmp(told, rows[_i].told) == 0, "%s: have %s", rows[_i].what, told);
	rt_plan_free(plan);
}
END_TEST

/* Some are told, many are listed, all are counted. */
START_TEST(many)
{
	struct rt_plan *plan = NULL;
	struct rt_error err;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (unsigned i = 0; i < MANY; i++)
		plan_add(plan, "{\"issue_ids\":[\"a\"]}", RT_SLICE(C));
	ck_assert_int_eq(rt_remarks_on_plan(&remarks, plan, 0, rt_slice_make(NULL, 0), &err),
			 RT_OK);
	ck_assert_uint_eq(remarks.count, MANY - 1);
	ck_assert_uint_eq(remarks.listed.len, RT_REMARKS_LISTED_MAX * sizeof(struct rt_remark));
	rt_remarks_tell(&remarks, "j", on_notice, NULL);
	ck_assert_ptr_nonnull(strstr(told, "j: entry 11: the request is equal"));
	ck_assert_ptr_null(strstr(told, "j: entry 12: "));
	ck_assert_ptr_nonnull(strstr(told, "\nj: 999 more remarks\n"));
	rt_remarks_tell(&remarks, "j", NULL, NULL);
	rt_plan_free(plan);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("remarks");
	TCase *tcase = tcase_create("remarks");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, many);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
