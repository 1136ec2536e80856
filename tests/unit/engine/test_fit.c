/*
 * rt_fit_check: the size it works out from sums is the size of the record that is written, to the
 * byte, in whatever style the record is; and what cannot be edited is refused.
 */
#include "engine/fit.h"

#include <stdio.h>

#include "engine/edit.h"
#include "plan_make.h"
#include "record_make.h"

#define A "{\"issue_ids\":[\"a\"]"

static struct rt_error err;

/* --- Both ways to a size ------------------------------------------------------------------ */

/* The size that the record of issue "a" has after a plan, as it is written. */
static uint64_t written_size(const struct rt_record *issue, const struct rt_plan *plan)
{
	struct rt_issue_state base = rt_issue_state_of(issue);
	struct rt_issue_edits edits = {0};
	struct rt_patches patches = {0};
	struct rt_buf out = {0};
	uint64_t size;

	ck_assert_int_eq(rt_issue_edits_make(&edits, &base, plan, plan_find(plan, "a"), &err),
			 RT_OK);
	ck_assert_int_eq(rt_edit_record(issue, edits.edits, edits.count, 0, 0, &patches, &err),
			 RT_OK);
	rt_patches_sort(&patches);
	ck_assert_int_eq(rt_edit_apply(issue->text, &patches, 0, &out, &err), RT_OK);
	size = out.len;
	rt_buf_release(&out);
	rt_patches_release(&patches);
	rt_issue_edits_release(&edits);
	return size;
}

static enum rt_status check(const struct rt_record *issue, const struct rt_plan *plan, uint64_t max)
{
	struct rt_issue_state base = rt_issue_state_of(issue), state = base;
	struct rt_issue_edits edits = {0};
	struct rt_note_sum sum = {0};
	enum rt_status status;

	memset(&err, 0, sizeof(err));
	rt_issue_state_run(&state, plan, plan_find(plan, "a"));
	rt_note_sum_add(&sum, plan, plan_find(plan, "a"));
	status = rt_fit_check(&edits, issue, &base, &state, plan, &sum, max, &err);
	rt_issue_edits_release(&edits);
	return status;
}

static void check_size(const char *text, const struct rt_plan *plan)
{
	char want[160];
	struct made made;
	uint64_t size;

	made_init(&made, RT_KIND_ISSUE, text);
	size = written_size(&made.record, plan);
	(void)snprintf(want, sizeof(want),
		       "want at most %llu bytes (limit \"record\") after the update, have %llu",
		       (unsigned long long)size - 1, (unsigned long long)size);
	ck_assert_msg(check(&made.record, plan, size) == RT_OK, "%s: %s", text, err.message);
	ck_assert_int_eq(check(&made.record, plan, size + 100000), RT_OK);
	ck_assert_msg(check(&made.record, plan, size - 1) == RT_REJECT, "%s", text);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, want);
	made_release(&made);
}

/* --- Styles ------------------------------------------------------------------------------- */

static const char *const records[] = {
    "{\"id\":\"a\"}",
    "{\"id\":\"a\",\"notes\":null}",
    "{\"id\":\"a\",\"notes\":\"old\"}",
    "{\"id\":\"a\",\"notes\":[]}",
    "{\"id\":\"a\",\"notes\":[   ]}",
    "{\"id\":\"a\",\"notes\":[  7]}",
    "{\"id\":\"a\",\"notes\":[1, 2,\n\t 3 ] }",
    "{ \"id\" : \"a\" ,\n  \"severity\" : \"low\" ,\n  \"notes\" : [\n    {},\n    {}\n  ] }",
    "{\n  \"id\": \"a\",\n  \"severity\": \"critical\",\n  \"false_positive\": true\n}",
    "{\"severity\":\"medium\",\"exploitable\":null,\"updated_at\":\"2025\",\"id\":\"a\"}",
};

#define RECORDS (sizeof(records) / sizeof(records[0]))

static const char *const plans[][8] = {
    {A ",\"severity\":\"critical\"}"},
    {A ",\"severity\":\"high\"}", A ",\"severity\":\"low\"}", A ",\"exploitable\":true}"},
    {A ",\"false_positive\":true}", A ",\"false_positive\":false}"},
    {A ",\"notes\":\"n\"}"},
    {A ",\"notes\":\"n\"}", A ",\"notes\":\"t\\u0000\\\"\\u2028\xC3\xBC\"}",
     "{\"issue_ids\":[\"a\",\"a\"],\"notes\":\"twice\"}", "{\"issue_ids\":[\"b\"],\"notes\":\"x\"}",
     A ",\"severity\":\"info\",\"notes\":\"\"}", A ",\"notes\":\"\\\\\"}"},
};

START_TEST(test_sizes)
{
	struct rt_plan *plan = plan_of(plans[_i]);

	for (size_t i = 0; i < RECORDS; i++)
		check_size(records[i], plan);
	rt_plan_free(plan);
}
END_TEST

/* Blanks that are too many to be a style, and many notes. */
START_TEST(test_many)
{
	struct rt_plan *plan = plan_of(plans[4]);
	char text[2048];

	for (unsigned i = 0; i < 2000; i++)
		plan_add(plan, i % 3 ? A ",\"notes\":\"some\"}" : A ",\"notes\":\"\\n\"}",
			 plan_time(9));
	for (unsigned blanks = 255; blanks < 259; blanks++) {
		(void)snprintf(text, sizeof(text), "{\"id\":\"a\",\"notes\":[1,%*s 2]}",
			       (int)blanks - 2, "");
		check_size(text, plan);
	}
	rt_plan_free(plan);
}
END_TEST

/* --- What is refused ---------------------------------------------------------------------- */

static const struct {
	const char *record, *plan[3], *field;
} refused[] = {
    {"{\"id\":\"a\",\"notes\":5}", {A ",\"notes\":\"n\"}"}, "notes"},
    {"{\"id\":\"a\",\"notes\":[],\"notes\":[]}", {A ",\"notes\":\"n\"}"}, "notes"},
    {"{\"id\":\"a\",\"updated_at\":1,\"updated_at\":1}",
     {A ",\"severity\":\"low\"}"},
     "updated_at"},
};

START_TEST(test_refused)
{
	struct rt_plan *plan = plan_of(refused[_i].plan);
	struct made made;

	made_init(&made, RT_KIND_ISSUE, refused[_i].record);
	ck_assert_int_eq(check(&made.record, plan, UINT64_MAX), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.field, refused[_i].field);
	made_release(&made);
	rt_plan_free(plan);
}
END_TEST

/* Sums stay where they can grow no further, and are refused there. */
START_TEST(test_full_sum)
{
	struct rt_plan *plan = plan_of(plans[4]);
	struct rt_note_sum sum = {UINT32_MAX - 1, UINT32_MAX - 1};
	struct rt_issue_edits edits = {0};
	struct rt_issue_state state;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, records[0]);
	state = rt_issue_state_of(&made.record);
	rt_note_sum_add(&sum, plan, plan_find(plan, "a"));
	ck_assert_uint_eq(sum.count, UINT32_MAX);
	ck_assert_uint_eq(sum.bytes, UINT32_MAX);
	ck_assert_int_eq(
	    rt_fit_check(&edits, &made.record, &state, &state, plan, &sum, RT_GIB, &err),
	    RT_REJECT);
	rt_issue_edits_release(&edits);
	made_release(&made);
	rt_plan_free(plan);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("fit");
	TCase *tests = tcase_create("all");

	tcase_add_loop_test(tests, test_sizes, 0, sizeof(plans) / sizeof(plans[0]));
	tcase_add_test(tests, test_many);
	tcase_add_loop_test(tests, test_refused, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tests, test_full_sum);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
