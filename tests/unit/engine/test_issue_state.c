/*
 * What updates make of one issue (SPEC D13, D14): the state read from a record, each update's
 * change, and the record after them, worked out all at once and update by update.
 */
#include "engine/issue_state.h"

#include <stdio.h>

#include "engine/edit.h"
#include "engine/summary.h"
#include "plan_make.h"
#include "record_make.h"

#define OTHER RT_STATE_OTHER

/* States of members after the id. false_positive: what a response shows. */
static const struct {
	const char *what, *members;
	int severity, false_positive, exploitable;
} states[] = {
    {"nothing there", "\"x\":1", OTHER, 0, OTHER},
    {"nulls", "\"severity\":null,\"false_positive\":null,\"exploitable\":null", OTHER, 0, OTHER},
    {"the first level", "\"severity\":\"critical\"", 0, 0, OTHER},
    {"high", "\"severity\":\"high\"", 1, 0, OTHER},
    {"medium", "\"severity\":\"medium\"", 2, 0, OTHER},
    {"low", "\"severity\":\"low\"", 3, 0, OTHER},
    {"the last level", "\"severity\":\"info\"", 4, 0, OTHER},
    {"no level", "\"severity\":\"bogus\"", OTHER, 0, OTHER},
    {"another case", "\"severity\":\"High\"", OTHER, 0, OTHER},
    {"empty", "\"severity\":\"\"", OTHER, 0, OTHER},
    {"a level and more", "\"severity\":\"lower\"", OTHER, 0, OTHER},
    {"a part of one", "\"severity\":\"lo\"", OTHER, 0, OTHER},
    {"an escape", "\"severity\":\"l\\u006fw\"", 3, 0, OTHER},
    {"all escapes", "\"severity\":\"\\u0063\\u0072\\u0069\\u0074\\u0069\\u0063\\u0061\\u006C\"", 0,
     0, OTHER},
    {"escapes of nine letters",
     "\"severity\":\"\\u0063\\u0072\\u0069\\u0074\\u0069\\u0063\\u0061\\u006C\\u006C\"", OTHER, 0,
     OTHER},
    {"an escape that is no letter", "\"severity\":\"low\\n\"", OTHER, 0, OTHER},
    {"true", "\"false_positive\":true,\"exploitable\":true", OTHER, 1, 1},
    {"false", "\"false_positive\":false,\"exploitable\":false", OTHER, 0, 0},
};

#define STATES (sizeof(states) / sizeof(states[0]))

START_TEST(state_of)
{
	struct rt_issue_state state;
	struct made made;
	char text[256];

	snprintf(text, sizeof(text), "{\"id\":\"a\",%s}", states[_i].members);
	made_init(&made, RT_KIND_ISSUE, text);
	state = rt_issue_state_of(&made.record);
	ck_assert_msg(state.severity == states[_i].severity, "%s: severity %d", states[_i].what,
		      state.severity);
	ck_assert_msg((state.false_positive == 1) == states[_i].false_positive,
		      "%s: false_positive %d", states[_i].what, state.false_positive);
	ck_assert_msg(state.exploitable == states[_i].exploitable, "%s: exploitable %d",
		      states[_i].what, state.exploitable);
	ck_assert_uint_eq(state.changed_by, RT_PLAN_NONE);
	made_release(&made);
}
END_TEST

#define A "{\"issue_ids\":[\"a\"]"
#define AT(n) "\"updated_at\":\"2025-01-01T00:00:0" #n "Z\""
#define NOTE(n, text) "{\"added_at\":\"2025-01-01T00:00:0" #n "Z\",\"text\":\"" text "\"}"

/* Members after the id before and after requests; changes: one digit an update, 1: it has. */
static const struct {
	const char *what, *before;
	const char *requests[6];
	const char *changes, *after;
} rows[] = {
    {"nothing asked for", "\"severity\":\"low\"", {A "}"}, "0", "\"severity\":\"low\""},
    {"a level",
     "\"severity\":\"low\",\"x\":9.80",
     {A ",\"severity\":\"high\"}"},
     "1",
     "\"severity\":\"high\",\"x\":9.80," AT(0)},
    {"the same level",
     "\"severity\":\"low\"",
     {A ",\"severity\":\"low\"}"},
     "0",
     "\"severity\":\"low\""},
    {"the same level, escaped",
     "\"severity\":\"l\\u006fw\"",
     {A ",\"severity\":\"low\"}"},
     "0",
     "\"severity\":\"l\\u006fw\""},
    {"a level that was none",
     "\"severity\":\"bogus\"",
     {A ",\"severity\":\"critical\"}"},
     "1",
     "\"severity\":\"critical\"," AT(0)},
    {"a level that was missing",
     "\"x\":1",
     {A ",\"severity\":\"critical\"}"},
     "1",
     "\"x\":1,\"severity\":\"critical\"," AT(0)},
    {"a level and back",
     "\"severity\":\"low\",\"updated_at\":null",
     {A ",\"severity\":\"high\"}", A ",\"severity\":\"low\"}"},
     "11",
     "\"severity\":\"low\"," AT(1)},
    {"the last change counts",
     "\"severity\":\"low\",\"updated_at\":\"old\"",
     {A ",\"severity\":\"high\"}", A ",\"severity\":\"info\"}", A ",\"severity\":\"info\"}"},
     "110",
     "\"severity\":\"info\"," AT(1)},
    {"true",
     "\"false_positive\":false,\"exploitable\":null",
     {A ",\"false_positive\":true,\"exploitable\":true}"},
     "1",
     "\"false_positive\":true,\"exploitable\":true," AT(0)},
    {"false where there is null",
     "\"false_positive\":null,\"exploitable\":null",
     {A ",\"false_positive\":false,\"exploitable\":false}"},
     "1",
     "\"false_positive\":null,\"exploitable\":false," AT(0)},
    {"a missing flag is false", "\"x\":1", {A ",\"false_positive\":false}"}, "0", "\"x\":1"},
    {"a missing flag and back",
     "\"x\":1",
     {A ",\"false_positive\":true}", A ",\"false_positive\":false}"},
     "11",
     "\"x\":1,\"false_positive\":false," AT(1)},
    {"a null flag and back",
     "\"false_positive\":null",
     {A ",\"false_positive\":false}", A ",\"false_positive\":true}",
      A ",\"false_positive\":false}"},
     "011",
     "\"false_positive\":false," AT(2)},
    {"a flag and back",
     "\"false_positive\":true",
     {A ",\"false_positive\":false}", A ",\"false_positive\":true}"},
     "11",
     "\"false_positive\":true," AT(1)},
    {"exploitable and back",
     "\"exploitable\":null",
     {A ",\"exploitable\":true}", A ",\"exploitable\":false}"},
     "11",
     "\"exploitable\":false," AT(1)},
    {"an empty note", "\"notes\":\"old\"", {A ",\"notes\":\"\"}"}, "0", "\"notes\":\"old\""},
    {"notes",
     "\"x\":1",
     {A ",\"notes\":\"one\"}", A "}", A ",\"notes\":\"t\\u0000\\\"\"}"},
     "101",
     "\"x\":1," AT(2) ",\"notes\":[" NOTE(0, "one") "," NOTE(2, "t\\u0000\\\"") "]"},
    {"notes after a string",
     "\"notes\":\"o\\\"ld\"",
     {A ",\"notes\":\"new\"}"},
     "1",
     "\"notes\":[{\"added_at\":null,\"text\":\"o\\\"ld\"}," NOTE(0, "new") "]," AT(0)},
    {"notes after notes",
     "\"notes\":[7]",
     {A ",\"notes\":\"new\"}", A ",\"notes\":\"new\"}"},
     "11",
     "\"notes\":[7," NOTE(0, "new") "," NOTE(1, "new") "]," AT(1)},
    {"a note beside what stays",
     "\"severity\":\"low\"",
     {A ",\"severity\":\"low\",\"notes\":\"n\"}"},
     "1",
     "\"severity\":\"low\"," AT(0) ",\"notes\":[" NOTE(0, "n") "]"},
    {"other ids",
     "\"severity\":\"low\"",
     {"{\"issue_ids\":[\"b\"],\"severity\":\"high\"}", A ",\"severity\":\"info\"}",
      "{\"issue_ids\":[\"b\",\"a\",\"a\"],\"notes\":\"n\"}"},
     "-11",
     "\"severity\":\"info\"," AT(2) ",\"notes\":[" NOTE(2, "n") "]"},
    {"all at once",
     "\"severity\":\"low\",\"notes\":null",
     {A ",\"severity\":\"high\",\"false_positive\":true,\"exploitable\":false,\"notes\":\"n\"}"},
     "1",
     "\"severity\":\"high\",\"notes\":[" NOTE(0, "n") "],\"false_positive\":true,"
						      "\"exploitable\":false," AT(0)},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The record's text after all updates of the plan. To be released. */
static struct rt_buf apply(const char *text, const struct rt_plan *plan)
{
	struct rt_issue_edits edits = {0};
	struct rt_patches patches = {0};
	struct rt_issue_state base;
	struct rt_buf out = {0};
	struct rt_error err;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, text);
	base = rt_issue_state_of(&made.record);
	ck_assert_int_eq(rt_issue_edits_make(&edits, &base, plan, plan_find(plan, "a"), &err),
			 RT_OK);
	/* Twice: what the first time left is dropped. */
	ck_assert_int_eq(rt_issue_edits_make(&edits, &base, plan, plan_find(plan, "a"), &err),
			 RT_OK);
	ck_assert_int_eq(
	    rt_edit_record(&made.record, edits.edits, edits.count, 0, 0, &patches, &err), RT_OK);
	rt_patches_sort(&patches);
	ck_assert_int_eq(rt_edit_apply(made.record.text, &patches, 0, &out, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	rt_patches_release(&patches);
	rt_issue_edits_release(&edits);
	made_release(&made);
	return out;
}

START_TEST(all_at_once)
{
	struct rt_plan *plan = plan_of(rows[_i].requests);
	char before[512], after[512];
	struct rt_buf out;

	snprintf(before, sizeof(before), "{\"id\":\"a\",%s}", rows[_i].before);
	snprintf(after, sizeof(after), "{\"id\":\"a\",%s}", rows[_i].after);
	out = apply(before, plan);
	ck_assert_msg(strcmp(out.data, after) == 0, "%s:\nwant %s\nhave %s", rows[_i].what, after,
		      out.data);
	rt_buf_release(&out);
	rt_plan_free(plan);
}
END_TEST

/* Which updates change something, and what the members are then. */
START_TEST(step_by_step)
{
	struct rt_plan *plan = plan_of(rows[_i].requests);
	struct rt_issue_state state, run;
	uint32_t last = RT_PLAN_NONE;
	struct made made;
	char text[512];

	snprintf(text, sizeof(text), "{\"id\":\"a\",%s}", rows[_i].before);
	made_init(&made, RT_KIND_ISSUE, text);
	state = run = rt_issue_state_of(&made.record);
	for (uint32_t s = 0; s < rt_plan_steps(plan); s++) {
		struct rt_step step = rt_plan_step(plan, s);
		char want = rows[_i].changes[s];

		if (want == '-')
			continue;
		ck_assert_msg(rt_issue_state_step(&state, &step, s) == (want == '1'),
			      "%s: update %u", rows[_i].what, s);
		last = want == '1' ? s : last;
		ck_assert_uint_eq(state.changed_by, last);
	}
	rt_issue_state_run(&run, plan, plan_find(plan, "a"));
	ck_assert_int_eq(run.severity, state.severity);
	ck_assert_int_eq(run.false_positive, state.false_positive);
	ck_assert_int_eq(run.exploitable, state.exploitable);
	ck_assert_uint_eq(run.changed_by, state.changed_by);
	made_release(&made);
	rt_plan_free(plan);
}
END_TEST

/* One update by itself, as a run of its own has it: the same record in the end. */
START_TEST(one_by_one)
{
	struct rt_buf text = {0};
	struct rt_error err;
	struct made all, one;
	char before[512], after[512];

	snprintf(before, sizeof(before), "{\"id\":\"a\",%s}", rows[_i].before);
	snprintf(after, sizeof(after), "{\"id\":\"a\",%s}", rows[_i].after);
	ck_assert_int_eq(rt_buf_append(&text, before, strlen(before) + 1, &err), RT_OK);
	for (size_t s = 0; rows[_i].requests[s]; s++) {
		struct rt_plan *plan;
		struct rt_buf next;

		ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
		plan_add(plan, rows[_i].requests[s], plan_time(s));
		if (plan_find(plan, "a") != RT_PLAN_NONE) {
			next = apply(text.data, plan);
			rt_buf_release(&text);
			text = next;
		}
		rt_plan_free(plan);
	}
	/* Members may stand in another order; their values are the same. */
	made_init(&one, RT_KIND_ISSUE, text.data);
	made_init(&all, RT_KIND_ISSUE, after);
	ck_assert_uint_eq(one.record.text.len, all.record.text.len);
	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		enum rt_member m = rt_state_members[i];

		ck_assert_msg(one.record.types[m] == all.record.types[m], "%s: %s", rows[_i].what,
			      text.data);
		/* An escaped level that went away comes back plain. */
		if (one.record.types[m])
			ck_assert_msg(rt_slice_equal(one.record.values[m], all.record.values[m]),
				      "%s: %s", rows[_i].what, text.data);
	}
	made_release(&one);
	made_release(&all);
	rt_buf_release(&text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("issue_state");
	TCase *tcase = tcase_create("issue_state");

	tcase_add_loop_test(tcase, state_of, 0, STATES);
	tcase_add_loop_test(tcase, all_at_once, 0, ROWS);
	tcase_add_loop_test(tcase, step_by_step, 0, ROWS);
	tcase_add_loop_test(tcase, one_by_one, 0, ROWS);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
