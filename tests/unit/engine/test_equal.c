/*
 * Whether records are equal in all documented members: pairs that are and pairs that are not, each
 * member by itself, and many records kept.
 */
#include "engine/equal.h"

#include <stdio.h>

#include "base/limits.h"
#include "record_make.h"
#include "unit.h"

static const struct rt_siphash_key test_key = {5, 6};

static struct rt_equal *equal;

static void setup(void)
{
	struct rt_error err;

	ck_assert_int_eq(rt_equal_new(&test_key, false, &equal, &err), RT_OK);
}

static void teardown(void)
{
	rt_equal_free(equal);
}

static void take(enum rt_kind kind, const char *text)
{
	struct rt_error err;
	struct made made;

	made_init(&made, kind, text);
	ck_assert_int_eq(rt_equal_take(equal, &made.record, &err), RT_OK);
	made_release(&made);
}

static void keep(enum rt_kind kind, const char *text)
{
	struct rt_error err;

	take(kind, text);
	ck_assert_int_eq(rt_equal_keep(equal, &err), RT_OK);
}

static const struct {
	const char *what, *a, *b;
	enum rt_member differs; /* RT_M_UNKNOWN: nothing */
} rows[] = {
    {"the same", "\"severity\":\"low\"", "\"severity\":\"low\"", RT_M_UNKNOWN},
    {"another string", "\"severity\":\"low\"", "\"severity\":\"high\"", RT_M_SEVERITY},
    {"order and blanks", "\"title\":\"t\",\"tags\":[\"a\",\"b\"]",
     " \"tags\" : [ \"a\" ,\n\"b\" ] , \"title\" : \"t\" ", RT_M_UNKNOWN},
    {"spelling of a string", "\"title\":\"a/\xC3\xA9\"", "\"title\":\"\\u0061\\/\\u00e9\"",
     RT_M_UNKNOWN},
    {"spelling in an array", "\"tags\":[\"a\\n\"]", "\"tags\":[\"\\u0061\\u000a\"]", RT_M_UNKNOWN},
    {"unknown members", "\"x\":1,\"y\":[{}]", "\"x\":2", RT_M_UNKNOWN},
    {"missing and null", "\"title\":null", "\"scan_id\":null", RT_M_UNKNOWN},
    {"null and empty", "\"title\":null", "\"title\":\"\"", RT_M_TITLE},
    {"null and \"null\"", "\"title\":null", "\"title\":\"null\"", RT_M_TITLE},
    {"a flag that is missing and false", "\"false_positive\":false", "\"title\":null",
     RT_M_UNKNOWN},
    {"a flag that is null and false", "\"false_positive\":false", "\"false_positive\":null",
     RT_M_UNKNOWN},
    {"a flag that is missing and true", "\"false_positive\":true", "\"title\":null",
     RT_M_FALSE_POSITIVE},
    {"the other flag is not false where it is missing", "\"exploitable\":false", "\"title\":null",
     RT_M_EXPLOITABLE},
    {"numbers by their text", "\"cvss_score\":9.8", "\"cvss_score\":9.80", RT_M_CVSS_SCORE},
    {"empty and no array", "\"tags\":[]", "\"tags\":null", RT_M_TAGS},
    {"an array's order", "\"tags\":[\"a\",\"b\"]", "\"tags\":[\"b\",\"a\"]", RT_M_TAGS},
    {"elements cut otherwise", "\"tags\":[\"a\",\"b\"]", "\"tags\":[\"a\\\",\\\"b\"]", RT_M_TAGS},
    {"members cut otherwise", "\"code_snippet\":\"a\\n\",\"context_before\":\"b\"",
     "\"code_snippet\":\"a\",\"context_before\":\"\\nb\"", RT_M_CODE_SNIPPET},
    {"the first of several", "\"title\":\"a\",\"severity\":\"low\"",
     "\"title\":\"b\",\"severity\":\"high\"", RT_M_SEVERITY},
    {"one value in two members", "\"title\":\"a\"", "\"description\":\"a\"", RT_M_TITLE},
};

START_TEST(pairs)
{
	enum rt_member member = RT_M_UNKNOWN;
	char text[2][256];

	(void)snprintf(text[0], sizeof(text[0]), "{\"id\":\"i\",%s}", rows[_i].a);
	(void)snprintf(text[1], sizeof(text[1]), "{\"id\":\"i\",%s}", rows[_i].b);
	for (int first = 0; first < 2; first++) {
		keep(RT_KIND_ISSUE, text[first]);
		take(RT_KIND_ISSUE, text[!first]);
		ck_assert_msg(rt_equal_check(equal, (uint64_t)first, &member) ==
				  (rows[_i].differs == RT_M_UNKNOWN),
			      "%s, %d first", rows[_i].what, first);
		ck_assert_msg(member == rows[_i].differs, "%s: member %d", rows[_i].what,
			      (int)member);
	}
}
END_TEST

/* Each documented member counts, of both kinds. */
START_TEST(each_member)
{
	static const enum rt_kind kinds[] = {RT_KIND_ISSUE, RT_KIND_RULESET};
	enum rt_member member = RT_M_UNKNOWN;
	char text[256];
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(kinds[_i], &count);

	keep(kinds[_i], "{\"id\":\"i\"}");
	for (size_t m = 0; m < count; m++) {
		struct rt_slice name = rt_member_name(rules[m].member);

		/* The id is the same where records are held against each other. */
		if (rules[m].member == RT_M_ID)
			continue;
		(void)snprintf(text, sizeof(text), "{\"id\":\"i\",\"%.*s\":\"value\"}",
			       (int)name.len, name.ptr);
		take(kinds[_i], text);
		ck_assert_msg(!rt_equal_check(equal, 0, &member), "%s", text);
		ck_assert_msg(member == rules[m].member, "%s: member %d", text, (int)member);
	}
	take(kinds[_i], "{\"id\":\"i\",\"notes\":\"value\",\"other\":1}");
	ck_assert(rt_equal_check(equal, 0, &member));
}
END_TEST

START_TEST(many)
{
	enum { COUNT = 5000 };
	enum rt_member member;
	char text[128];

	for (int i = 0; i < COUNT; i++) {
		(void)snprintf(text, sizeof(text), "{\"id\":\"%d\",\"title\":\"%d\"}", i, i * 7);
		keep(RT_KIND_ISSUE, text);
	}
	for (int i = 0; i < COUNT; i++) {
		(void)snprintf(text, sizeof(text), "{\"title\":\"%d\",\"id\":\"%d\"}", i * 7, i);
		take(RT_KIND_ISSUE, text);
		ck_assert(rt_equal_check(equal, (uint64_t)i, &member));
		ck_assert(!rt_equal_check(equal, (uint64_t)(i + 1) % COUNT, &member));
	}
}
END_TEST

START_TEST(free_nothing)
{
	rt_equal_free(NULL);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("equal");
	TCase *tcase = tcase_create("equal");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, pairs, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tcase, each_member, 0, 2);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, free_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
