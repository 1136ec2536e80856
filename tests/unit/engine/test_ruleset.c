/*
 * Which rulesets a repository sees (SPEC D11).
 */
#include "engine/ruleset.h"

#include <stdio.h>

#include "record_make.h"
#include "unit.h"

/* Whether the row matches its repository alone, and with the rulesets of no repository. */
static const struct {
	const char *what;
	const char *repo_ids; /* JSON text; NULL: the member is missing */
	const char *repo_id;  /* NULL: all rulesets */
	bool alone, org_wide;
} rows[] = {
    {"all: missing", NULL, NULL, true, true},
    {"all: null", "null", NULL, true, true},
    {"all: empty", "[]", NULL, true, true},
    {"all: bound", "[\"r1\"]", NULL, true, true},
    {"missing", NULL, "r1", false, true},
    {"null", "null", "r1", false, true},
    {"empty", "[]", "r1", false, true},
    {"empty with blanks", "[ \n\t]", "r1", false, true},
    {"the only one", "[\"r1\"]", "r1", true, true},
    {"another", "[\"r2\"]", "r1", false, false},
    {"the first", "[\"r1\",\"r2\",\"r3\"]", "r1", true, true},
    {"one in between", "[\"r2\",\"r1\",\"r3\"]", "r1", true, true},
    {"the last", "[\"r2\",\"r3\",\"r1\"]", "r1", true, true},
    {"none of many", "[\"r2\",\"r3\",\"r4\"]", "r1", false, false},
    {"blanks between", "[ \"r2\" ,\n \"r1\" ]", "r1", true, true},
    {"longer", "[\"r12\"]", "r1", false, false},
    {"shorter", "[\"r\"]", "r1", false, false},
    {"another case", "[\"R1\"]", "r1", false, false},
    {"blank after", "[\"r1 \"]", "r1", false, false},
    {"empty text", "[\"\"]", "r1", false, false},
    {"empty text asked for", "[\"r1\",\"\"]", "", true, true},
    {"empty text asked for, not there", "[\"r1\"]", "", false, false},
    {"empty text asked for, empty list", "[]", "", false, true},
    {"escaped", "[\"\\u0072\\u0031\"]", "r1", true, true},
    {"escaped, after one that is not", "[\"r2\",\"\\u00721\"]", "r1", true, true},
    {"escaped, another", "[\"\\u0072\\u0032\"]", "r1", false, false},
    {"escaped, asked for as written", "[\"\\u0072\\u0031\"]", "\\u0072\\u0031", false, false},
    {"a quote", "[\"a\\\"b\"]", "a\"b", true, true},
    {"after a quote", "[\"a\\\"b\",\"r1\"]", "r1", true, true},
    {"a backslash at the end", "[\"a\\\\\",\"r1\"]", "r1", true, true},
    {"a backslash and a quote at the end", "[\"\\\\\\\"\",\"r1\"]", "r1", true, true},
    {"within a string", "[\"x,r1\",\"\\\"r1\\\"\"]", "r1", false, false},
    {"a bracket within a string", "[\"]\",\"r1\"]", "r1", true, true},
    {"UTF-8", "[\"\xC3\xA4\"]", "\xC3\xA4", true, true},
    {"UTF-8, escaped", "[\"\\u00e4\"]", "\xC3\xA4", true, true},
    {"a pair", "[\"\\ud83d\\ude00\"]", "\xF0\x9F\x98\x80", true, true},
    {"a NUL after", "[\"r1\\u0000\"]", "r1", false, false},
};

/* The buffer has something of a call before in it, which must not matter. */
START_TEST(table)
{
	const char *id = rows[_i].repo_id, *repo_ids = rows[_i].repo_ids;
	struct rt_slice repo_id = rt_slice_make(id, id ? strlen(id) : 0);
	struct rt_buf scratch = {0};
	struct rt_error err;
	char text[256];
	struct made made;

	ck_assert_int_eq(rt_buf_append(&scratch, "r1r1r1", 6, &err), RT_OK);
	snprintf(text, sizeof(text), "{\"id\":\"s\"%s%s,\"name\":\"r1\"}",
		 repo_ids ? ",\"repo_ids\":" : "", repo_ids ? repo_ids : "");
	made_init(&made, RT_KIND_RULESET, text);
	for (int org_wide = 0; org_wide < 2; org_wide++) {
		bool expected = org_wide ? rows[_i].org_wide : rows[_i].alone;
		bool matches = !expected;

		ck_assert_int_eq(
		    rt_ruleset_matches(&made.record, repo_id, org_wide, &scratch, &matches, &err),
		    RT_OK);
		ck_assert_msg(matches == expected, "%s%s", rows[_i].what,
			      org_wide ? ", org-wide" : "");
	}
	made_release(&made);
	rt_buf_release(&scratch);
}
END_TEST

/* A long escaped id makes the buffer grow, and is compared whole. */
START_TEST(long_id)
{
	enum { LEN = 100000 };
	char *text = malloc(LEN + 64), *id = malloc(LEN);
	struct rt_buf scratch = {0};
	struct rt_error err;
	struct made made;
	bool matches = false;
	int at;

	ck_assert(text && id);
	memset(id, 'x', LEN);
	at = sprintf(text, "{\"id\":\"s\",\"repo_ids\":[\"\\u0078");
	memset(text + at, 'x', LEN - 1);
	strcpy(text + at + LEN - 1, "\"]}");
	made_init(&made, RT_KIND_RULESET, text);
	ck_assert_int_eq(rt_ruleset_matches(&made.record, rt_slice_make(id, LEN), false, &scratch,
					    &matches, &err),
			 RT_OK);
	ck_assert(matches);
	ck_assert_int_eq(rt_ruleset_matches(&made.record, rt_slice_make(id, LEN - 1), false,
					    &scratch, &matches, &err),
			 RT_OK);
	ck_assert(!matches);
	made_release(&made);
	rt_buf_release(&scratch);
	free(text);
	free(id);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("ruleset");
	TCase *tcase = tcase_create("ruleset");

	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, long_id);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
