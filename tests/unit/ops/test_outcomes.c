/*
 * rt_outcomes: counts and digests are those of the results that are made when all is known, in
 * whatever order issues come and batches are filled; nothing is executed before its time, and what
 * will be executed again can be.
 */
#include "ops/outcomes.h"

#include <stdio.h>
#include <string.h>

#include "plan_make.h"
#include "record_make.h"

#define KIB ((size_t)1024)

static struct rt_error err;

static const struct row {
	const char *what;
	uint32_t issues, ids;     /* in the export; and those that requests choose from */
	uint32_t steps, mentions; /* of each step */
	size_t least, more;       /* lengths of issues */
	bool in_order;            /* the nth step names the nth ids */
} rows[] = {
    {"nothing", 0, 1, 0, 1, 10, 1, false},
    {"no issue", 0, 5, 3, 2, 10, 1, false},
    {"one", 1, 1, 1, 1, 10, 1, true},
    {"an id a step, in order", 5000, 5000, 5000, 1, 10, KIB, true},
    {"an id a step, in any order", 4000, 4000, 5000, 1, 10, KIB, false},
    {"ten ids a step, in order", 3000, 3000, 300, 10, 10, KIB, true},
    {"ten ids a step, in any order", 3000, 3000, 2000, 10, 10, KIB, false},
    {"some are not there", 2000, 2500, 1500, 3, 10, KIB, false},
    {"one issue again and again", 3, 3, 2000, 2, 10, KIB, false},
    {"some a batch by themselves", 30, 30, 60, 2, 10, 3000 * KIB, false},
};

#define ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

static struct rt_plan *make_plan(const struct row *row, unsigned *seed)
{
	static const char *const levels[] = {"low", "high", "info"};
	struct rt_plan *plan = NULL;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (uint32_t step = 0; step < row->steps; step++) {
		char json[512];
		size_t used = (size_t)sprintf(json, "{\"severity\":\"%s\",\"issue_ids\":[",
					      levels[(unsigned)rand_r(seed) % 3]);

		for (uint32_t i = 0; i < row->mentions; i++) {
			uint32_t id = row->in_order ? step * row->mentions + i
						    : (uint32_t)rand_r(seed) % row->ids;

			used += (size_t)sprintf(json + used, "%s\"%u\"", i ? "," : "", id);
		}
		(void)strcpy(json + used, "]}");
		plan_add(plan, json, plan_time(step % 10));
	}
	return plan;
}

/* The text of an issue, of about that many bytes, its members in one order or another. */
static char *make_issue(uint32_t number, size_t len)
{
	char *text = malloc(len + 200);
	size_t used;

	ck_assert_ptr_nonnull(text);
	used = (size_t)sprintf(text, "{%s\"title\":\"%u ",
			       number % 2 ? "\"severity\":\"low\"," : "", number);
	for (size_t i = 0; i < len; i++)
		text[used++] = (char)('a' + (number + i) % 26);
	(void)sprintf(text + used, "\",\"id\":\"%u\"%s}", number,
		      number % 3 ? ",\"exploitable\":true,\"x\":{}" : "");
	return text;
}

/* Give all issues of a row to outcomes, where they are wanted, and to results that keep them. */
static void give(const struct row *row, const struct rt_plan *plan, struct rt_outcomes *outcomes,
		 struct rt_results *all, unsigned *seed)
{
	for (uint32_t i = 0; i < row->issues; i++) {
		char *text = make_issue(i, row->least + (size_t)rand_r(seed) % row->more), id[24];
		uint32_t target;
		struct made made;

		(void)sprintf(id, "%u", i);
		target = plan_find(plan, id);
		made_init(&made, RT_KIND_ISSUE, text);
		if (target != RT_PLAN_NONE) {
			ck_assert_int_eq(
			    rt_results_keep(all, target, &made.record, RT_SLICE(""), &err), RT_OK);
			ck_assert_int_eq(rt_outcomes_add(outcomes, target, &made.record, &err),
					 RT_OK);
		}
		made_release(&made);
		free(text);
	}
	ck_assert_int_eq(rt_outcomes_finish(outcomes, &err), RT_OK);
}

static void expect(const struct rt_outcomes *outcomes, struct rt_results *all, uint32_t first,
		   uint32_t steps, const char *what)
{
	struct rt_sha256 *sha256 = NULL;

	ck_assert_int_eq(rt_sha256_new(&sha256, &err), RT_OK);
	for (uint32_t step = first; step < steps; step++) {
		const struct rt_outcome *have = rt_outcomes_get(outcomes, step);
		uint8_t want[RT_SHA256_BYTES];
		struct rt_result result;

		ck_assert_int_eq(rt_results_run(all, step, &result, &err), RT_OK);
		rt_sha256_of(sha256, result.text, want);
		ck_assert_uint_eq(have->updated_count, result.updated_count);
		ck_assert_uint_eq(have->failed_count, result.failed_count);
		ck_assert_msg(memcmp(have->sha256, want, sizeof(want)) == 0,
			      "%s: digest of step %u", what, step);
	}
	rt_sha256_free(sha256);
}

/* Even rows: everything, once. Odd ones: from the middle on, and the results after that again. */
START_TEST(same)
{
	const struct row *row = &rows[_i / 2];
	bool again = _i % 2;
	unsigned seed = 5;
	struct rt_plan *plan = make_plan(row, &seed);
	uint32_t first = again ? row->steps / 2 : 0;
	struct rt_results *results = NULL, *all = NULL;
	struct rt_outcomes *outcomes = NULL;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	ck_assert_int_eq(rt_results_new(plan, &all, &err), RT_OK);
	ck_assert_int_eq(rt_outcomes_new(plan, first, results, again, &outcomes, &err), RT_OK);
	give(row, plan, outcomes, all, &seed);
	expect(outcomes, all, first, row->steps, row->what);
	for (uint32_t step = first; again && step < row->steps; step++) {
		struct rt_result a, b;

		ck_assert_int_eq(rt_results_run(results, step, &a, &err), RT_OK);
		ck_assert_int_eq(rt_results_run(all, step, &b, &err), RT_OK);
		ck_assert_msg(rt_slice_equal(a.text, b.text), "%s: step %u", row->what, step);
		ck_assert_uint_eq(a.unchanged_count, b.unchanged_count);
	}
	rt_outcomes_free(outcomes);
	rt_results_free(results);
	rt_results_free(all);
	rt_plan_free(plan);
}
END_TEST

/* A data set delivers the second issue of an id before it says that there are two. */
START_TEST(twice)
{
	static const char *const requests[] = {"{\"issue_ids\":[\"0\"]}",
					       "{\"issue_ids\":[\"0\",\"1\"]}", NULL};
	struct rt_plan *plan = plan_of(requests);
	struct rt_results *results = NULL;
	struct rt_outcomes *outcomes = NULL;
	struct made made;
	char *text = make_issue(0, 20);

	made_init(&made, RT_KIND_ISSUE, text);
	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	ck_assert_int_eq(rt_outcomes_new(plan, 0, results, false, &outcomes, &err), RT_OK);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(rt_outcomes_add(outcomes, 0, &made.record, &err), RT_OK);
	ck_assert_int_eq(rt_outcomes_finish(outcomes, &err), RT_OK);
	ck_assert_uint_eq(rt_outcomes_get(outcomes, 1)->updated_count, 1);
	ck_assert_uint_eq(rt_outcomes_get(outcomes, 1)->failed_count, 1);
	rt_outcomes_free(outcomes);
	rt_results_free(results);
	rt_plan_free(plan);
	made_release(&made);
	free(text);
}
END_TEST

/* The reading failed, with issues in both batches. */
START_TEST(abandoned)
{
	const struct row *row = &rows[3];
	unsigned seed = 5;
	struct rt_plan *plan = make_plan(row, &seed);
	struct rt_results *results = NULL;
	struct rt_outcomes *outcomes = NULL;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	ck_assert_int_eq(rt_outcomes_new(plan, 0, results, false, &outcomes, &err), RT_OK);
	for (uint32_t i = 0; i < 9; i++) {
		char *text = make_issue(i, 200 * KIB);
		struct made made;

		made_init(&made, RT_KIND_ISSUE, text);
		ck_assert_int_eq(rt_outcomes_add(outcomes, i, &made.record, &err), RT_OK);
		made_release(&made);
		free(text);
	}
	rt_outcomes_free(outcomes);
	rt_outcomes_free(NULL);
	rt_results_free(results);
	rt_plan_free(plan);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("outcomes");
	TCase *tcase = tcase_create("outcomes");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, same, 0, 2 * ROWS);
	tcase_add_test(tcase, twice);
	tcase_add_test(tcase, abandoned);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
