/*
 * Plans: which updates there are, which ids they mention and in which order, and what a request
 * looks like that is read back from one.
 */
#include "engine/plan.h"

#include <stdio.h>

#include "plan_make.h"

/* A plan in words: for each step its mentions as TARGET(next), r where it is a repeat. */
static void show(const struct rt_plan *plan, char *text, size_t cap)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t s = 0; s < rt_plan_steps(plan); s++) {
		struct rt_step step = rt_plan_step(plan, s);

		for (uint32_t i = 0; i < step.count; i++) {
			struct rt_mention m = rt_plan_mention(plan, step.first + i);
			struct rt_slice id = rt_plan_id(plan, m.target);

			ck_assert_uint_eq(m.step, s);
			len += (size_t)snprintf(text + len, cap - len, "%.*s", (int)id.len, id.ptr);
			if (m.repeat)
				len += (size_t)snprintf(text + len, cap - len, "r");
			if (m.next != RT_PLAN_NONE)
				len += (size_t)snprintf(text + len, cap - len, "(%u)",
							rt_plan_mention(plan, m.next).step);
			len += (size_t)snprintf(text + len, cap - len, " ");
		}
		len += (size_t)snprintf(text + len, cap - len, "|");
	}
}

static const struct {
	const char *what;
	const char *requests[5];
	const char *shown;
	const char *targets; /* each with the steps of its first and last mention */
} rows[] = {
    {"nothing", {NULL}, "", ""},
    {"one id", {"{\"issue_ids\":[\"a\"]}"}, "a |", "a00"},
    {"order of mention", {"{\"issue_ids\":[\"b\",\"a\",\"c\"]}"}, "b a c |", "b00a00c00"},
    {"repeats", {"{\"issue_ids\":[\"b\",\"a\",\"b\",\"b\",\"a\"]}"}, "b a br br ar |", "b00a00"},
    {"a chain over updates",
     {"{\"issue_ids\":[\"a\",\"b\"]}", "{\"issue_ids\":[\"b\",\"c\"]}",
      "{\"issue_ids\":[\"c\",\"a\"]}"},
     "a(2) b(1) |b c(2) |c a |",
     "a02b01c12"},
    {"repeats do not join the chain",
     {"{\"issue_ids\":[\"a\",\"a\"]}", "{\"issue_ids\":[\"b\"]}",
      "{\"issue_ids\":[\"b\",\"a\",\"b\",\"a\"]}"},
     "a(2) ar |b(2) |b a br ar |",
     "a02b12"},
    {"ids that differ in case, form and length",
     {"{\"issue_ids\":[\"a\",\"A\",\"\xC3\xA4\",\"a\xCC\x88\",\"aa\",\"\\u0061\"]}"},
     "a A \xC3\xA4 a\xCC\x88 aa ar |",
     "a00A00\xC3\xA4"
     "00a\xCC\x88"
     "00aa00"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

START_TEST(table)
{
	struct rt_plan *plan = plan_of(rows[_i].requests);
	char text[512], targets[512];
	size_t len = 0;

	show(plan, text, sizeof(text));
	ck_assert_msg(strcmp(text, rows[_i].shown) == 0, "%s: want %s, have %s", rows[_i].what,
		      rows[_i].shown, text);
	targets[0] = '\0';
	for (uint32_t t = 0; t < rt_plan_targets(plan); t++) {
		struct rt_slice id = rt_plan_id(plan, t);

		ck_assert_uint_eq(rt_plan_find(plan, id), t);
		len += (size_t)snprintf(
		    targets + len, sizeof(targets) - len, "%.*s%u%u", (int)id.len, id.ptr,
		    rt_plan_mention(plan, rt_plan_first(plan, t)).step, rt_plan_last_step(plan, t));
	}
	ck_assert_msg(strcmp(targets, rows[_i].targets) == 0, "%s: want %s, have %s", rows[_i].what,
		      rows[_i].targets, targets);
	ck_assert_uint_eq(plan_find(plan, "no"), RT_PLAN_NONE);
	ck_assert_uint_eq(plan_find(plan, ""), RT_PLAN_NONE);
	rt_plan_free(plan);
}
END_TEST

/* A request and what is read back; NULL: the same. */
static const struct {
	const char *what, *request, *back;
} requests[] = {
    {"ids only", "{\"issue_ids\":[\"a\"]}", NULL},
    {"all",
     "{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"info\",\"false_positive\":true,"
     "\"exploitable\":false,\"notes\":\"n\"}",
     NULL},
    {"the first level", "{\"issue_ids\":[\"a\"],\"severity\":\"critical\"}", NULL},
    {"false", "{\"issue_ids\":[\"a\"],\"false_positive\":false}", NULL},
    {"an empty note", "{\"issue_ids\":[\"a\"],\"notes\":\"\"}", NULL},
    {"null is left out", "{\"issue_ids\":[\"a\"],\"severity\":null,\"notes\":null}",
     "{\"issue_ids\":[\"a\"]}"},
    {"repeats stay", "{\"issue_ids\":[\"b\",\"a\",\"b\"]}", NULL},
    {"escapes", "{\"notes\":\"\\u0000\\u0061\",\"issue_ids\":[\"\\\"\\u0000\",\"\\\"\"]}",
     "{\"issue_ids\":[\"\\\"\\u0000\",\"\\\"\"],\"notes\":\"\\u0000a\"}"},
};

#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

START_TEST(read_back)
{
	const char *want = requests[_i].back ? requests[_i].back : requests[_i].request;
	/* One before, so that nothing is at 0. */
	const char *list[] = {"{\"issue_ids\":[\"x\",\"a\"],\"notes\":\"before\"}",
			      requests[_i].request, NULL};
	struct rt_plan *plan = plan_of(list);
	struct rt_request request;
	struct rt_buf text = {0};
	struct rt_error err;

	rt_plan_request(plan, 1, &request);
	ck_assert_int_eq(rt_request_write(&request, &text, &err), RT_OK);
	ck_assert_msg(text.len == strlen(want) && memcmp(text.data, want, text.len) == 0,
		      "%s: %.*s", requests[_i].what, (int)text.len, text.data);
	rt_buf_release(&text);
	rt_plan_free(plan);
}
END_TEST

/* Times are kept once where they are the same, and are right where they are not. */
START_TEST(times)
{
	struct rt_plan *plan;
	struct rt_error err;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (size_t i = 0; i < 30; i++)
		plan_add(plan, "{\"issue_ids\":[\"a\"]}", plan_time(i / 3 % 2 ? 4 : i % 3));
	for (uint32_t i = 0; i < 30; i++)
		ck_assert(
		    rt_slice_equal(rt_plan_step(plan, i).at, plan_time(i / 3 % 2 ? 4 : i % 3)));
	rt_plan_free(plan);
}
END_TEST

#define MANY 3000u

/* The table of ids grows and still finds every one, in order of first mention. */
START_TEST(many)
{
	struct rt_plan *plan;
	struct rt_error err;
	char json[128], id[32];

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(json, sizeof(json),
			 "{\"issue_ids\":[\"id-%u\",\"id-%u\"],\"notes\":\"%u\"}", i, i / 2, i);
		plan_add(plan, json, plan_time(i % 10));
	}
	ck_assert_uint_eq(rt_plan_steps(plan), MANY);
	ck_assert_uint_eq(rt_plan_targets(plan), MANY);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(id, sizeof(id), "id-%u", i);
		ck_assert_uint_eq(plan_find(plan, id), i);
		snprintf(id, sizeof(id), "%u", i);
		ck_assert(
		    rt_slice_equal(rt_plan_step(plan, i).notes, rt_slice_make(id, strlen(id))));
		ck_assert_uint_eq(rt_plan_mention(plan, rt_plan_first(plan, i)).step, i);
		ck_assert_uint_eq(rt_plan_last_step(plan, i), i * 2 + 1 < MANY ? i * 2 + 1 : i);
	}
	ck_assert_uint_eq(plan_find(plan, "id-3000"), RT_PLAN_NONE);
	rt_plan_free(plan);
}
END_TEST

START_TEST(nothing)
{
	struct rt_plan *plan;
	struct rt_error err;

	rt_plan_free(NULL);
	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	ck_assert_uint_eq(rt_plan_steps(plan), 0);
	ck_assert_uint_eq(rt_plan_targets(plan), 0);
	ck_assert_uint_eq(plan_find(plan, "a"), RT_PLAN_NONE);
	rt_plan_free(plan);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("plan");
	TCase *tcase = tcase_create("plan");

	tcase_add_loop_test(tcase, table, 0, ROWS);
	tcase_add_loop_test(tcase, read_back, 0, REQUESTS);
	tcase_add_test(tcase, times);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
