/*
 * rt_keeper: results are the same as those of issues that were kept one by one, whatever batches
 * they come to lie in; outcomes are those of the results.
 */
#include <stdio.h>
#include <string.h>

#include "ops/keeper.h"
#include "ops/results.h"
#include "plan_make.h"
#include "record_make.h"

#define KIB ((size_t)1024)
#define IDS 100

static struct rt_error err;

/* A plan that mentions `count` issues named "0", "1", ..., a hundred an update. */
static struct rt_plan *make_plan(size_t count)
{
	struct rt_plan *plan = NULL;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (size_t from = 0; from < count; from += IDS) {
		char json[IDS * 12 + 80] = "{\"severity\":\"info\",\"issue_ids\":[";
		size_t used = strlen(json);

		for (size_t i = from; i < from + IDS && i < count; i++)
			used += (size_t)sprintf(json + used, "%s\"%zu\"", i == from ? "" : ",", i);
		(void)strcpy(json + used, "]}");
		plan_add(plan, json, plan_time(from / IDS % 10));
	}
	return plan;
}

/* The text of an issue, of about that many bytes, its members in one order or another. */
static char *make_issue(size_t number, size_t len)
{
	char *text = malloc(len + 200);
	size_t used;

	ck_assert_ptr_nonnull(text);
	used = (size_t)sprintf(text, "{%s\"title\":\"%zu ",
			       number % 2 ? "\"severity\":\"low\"," : "", number);
	for (size_t i = 0; i < len; i++)
		text[used++] = (char)('a' + (number + i) % 26);
	(void)sprintf(text + used, "\",\"id\":\"%zu\"%s}", number,
		      number % 3 ? ",\"exploitable\":true,\"x\":{}" : "");
	return text;
}

static void expect_same(struct rt_results *have, struct rt_results *want, uint32_t steps,
			const char *what)
{
	for (uint32_t step = 0; step < steps; step++) {
		struct rt_result a, b;

		ck_assert_int_eq(rt_results_run(have, step, &a, &err), RT_OK);
		ck_assert_int_eq(rt_results_run(want, step, &b, &err), RT_OK);
		ck_assert_uint_eq(b.failed_count, 0);
		ck_assert_uint_eq(a.updated_count, b.updated_count);
		ck_assert_msg(rt_slice_equal(a.text, b.text), "%s: result of step %u", what, step);
	}
}

static void expect_outcomes(struct rt_results *results, uint32_t steps, const char *what)
{
	struct rt_outcome *outcomes = NULL;
	struct rt_sha256 *sha256 = NULL;
	uint32_t first = steps / 2;

	ck_assert_int_eq(rt_sha256_new(&sha256, &err), RT_OK);
	rt_results_rewind(results);
	ck_assert_int_eq(rt_outcomes_make(results, first, steps, &outcomes, &err), RT_OK);
	rt_results_rewind(results);
	for (uint32_t step = first; step < steps; step++) {
		const struct rt_outcome *outcome = &outcomes[step - first];
		uint8_t want[RT_SHA256_BYTES];
		struct rt_result result;

		ck_assert_int_eq(rt_results_run(results, step, &result, &err), RT_OK);
		rt_sha256_of(sha256, result.text, want);
		ck_assert_uint_eq(outcome->updated_count, result.updated_count);
		ck_assert_uint_eq(outcome->failed_count, result.failed_count);
		ck_assert_msg(memcmp(outcome->sha256, want, sizeof(want)) == 0,
			      "%s: digest of step %u", what, step);
	}
	free(outcomes);
	rt_sha256_free(sha256);
}

START_TEST(test_same)
{
	static const struct {
		const char *what;
		size_t count, least, more; /* issues; their lengths */
	} rows[] = {
	    {"none", 0, 1, 1},
	    {"one", 1, 10, 1},
	    {"few", 30, 10, 1000},
	    {"many batches", 4000, 10, KIB},
	    {"some a batch by themselves", 30, 10, 1000 * KIB},
	};
	size_t count = rows[_i].count;
	struct rt_plan *plan = make_plan(count);
	struct rt_results *have = NULL, *want = NULL;
	struct rt_keeper *keeper = NULL;
	unsigned seed = 5;

	ck_assert_int_eq(rt_results_new(plan, &have, &err), RT_OK);
	ck_assert_int_eq(rt_results_new(plan, &want, &err), RT_OK);
	ck_assert_int_eq(rt_keeper_new(have, &keeper, &err), RT_OK);
	for (size_t i = 0; i < count; i++) {
		size_t len = rows[_i].least + (size_t)rand_r(&seed) % rows[_i].more;
		char *text = make_issue(i, len), id[24];
		uint32_t target;
		struct made made;

		(void)sprintf(id, "%zu", i);
		target = plan_find(plan, id);
		made_init(&made, RT_KIND_ISSUE, text);
		ck_assert_int_eq(rt_results_keep(want, target, &made.record, &err), RT_OK);
		ck_assert_int_eq(rt_keeper_add(keeper, target, &made.record, &err), RT_OK);
		made_release(&made);
		free(text);
	}
	ck_assert_int_eq(rt_keeper_finish(keeper, &err), RT_OK);
	expect_same(have, want, rt_plan_steps(plan), rows[_i].what);
	expect_outcomes(have, rt_plan_steps(plan), rows[_i].what);
	rt_keeper_free(keeper);
	rt_results_free(have);
	rt_results_free(want);
	rt_plan_free(plan);
}
END_TEST
#define SAME_ROWS 5

/* The reading failed, with issues in both batches. */
START_TEST(test_abandoned)
{
	struct rt_plan *plan = make_plan(1);
	struct rt_results *results = NULL;
	struct rt_keeper *keeper = NULL;
	char *text = make_issue(0, 200 * KIB);
	struct made made;

	made_init(&made, RT_KIND_ISSUE, text);
	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	ck_assert_int_eq(rt_keeper_new(results, &keeper, &err), RT_OK);
	for (int i = 0; i < 9; i++)
		ck_assert_int_eq(rt_keeper_add(keeper, 0, &made.record, &err), RT_OK);
	rt_keeper_free(keeper);
	rt_keeper_free(NULL);
	rt_results_free(results);
	rt_plan_free(plan);
	made_release(&made);
	free(text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("keeper");
	TCase *tcase = tcase_create("keeper");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_same, 0, SAME_ROWS);
	tcase_add_test(tcase, test_abandoned);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
