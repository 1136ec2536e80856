/*
 * Regular expressions: what they match, what is none, and that each limit is an error.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <dlfcn.h>
#include <pcre2.h>
#include <stdio.h>

#include "base/limits.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* No memory for one of the two things that a match needs. */
static bool no_data, no_context;

/* In the place of PCRE2's. */
pcre2_match_data *pcre2_match_data_create(uint32_t pairs, pcre2_general_context *general)
{
	pcre2_match_data *(*real)(uint32_t, pcre2_general_context *);

	*(void **)&real = dlsym(RTLD_NEXT, "pcre2_match_data_create_8");
	return no_data || !real ? NULL : real(pairs, general);
}

pcre2_match_context *pcre2_match_context_create(pcre2_general_context *general)
{
	pcre2_match_context *(*real)(pcre2_general_context *);

	*(void **)&real = dlsym(RTLD_NEXT, "pcre2_match_context_create_8");
	return no_context || !real ? NULL : real(general);
}

static enum rt_status match(const char *pattern, struct rt_slice text, bool *ret_matches,
			    struct rt_error *err)
{
	struct rt_regex *regex = NULL;
	enum rt_status status = rt_regex_new(rt_slice_make(pattern, strlen(pattern)), &regex, err);

	if (status == RT_OK)
		status = rt_regex_match(regex, text, ret_matches, err);
	rt_regex_free(regex);
	return status;
}

static const struct {
	const char *pattern, *text;
	bool matches;
} rows[] = {
    {"", "", true},
    {"b", "abc", true},
    {"^b", "abc", false},
    {"SQL", "sql", false},
    {"(?i)SQL", "an sql", true},
    {"(?i)\xC3\x84", "\xC3\xA4", true},
    {"^.$", "\xF0\x9F\x90\x9F", true},
    {"a.c", "a\nc", false},
    {"(?s)a.c", "a\nc", true},
    {"a$", "a\n", true},
    {"\\x{1F41F}", "\xF0\x9F\x90\x9F", true},
    {"(a+)+$", "aaaa", true},
    {"(\\w)\\1", "abba", true},
};

START_TEST(matches)
{
	struct rt_error err;
	bool found;

	ck_assert_int_eq(match(rows[_i].pattern,
			       rt_slice_make(rows[_i].text, strlen(rows[_i].text)), &found, &err),
			 RT_OK);
	ck_assert_msg(found == rows[_i].matches, "%s in %s", rows[_i].pattern, rows[_i].text);
}
END_TEST

START_TEST(no_patterns)
{
	static const struct {
		const char *pattern, *message;
	} bad[] = {
	    {"(", "the regular expression is wrong at byte 2: missing closing parenthesis"},
	    {"a[b", "the regular expression is wrong at byte 4: missing terminating ] for "
		    "character class"},
	    {"*", "the regular expression is wrong at byte 1: quantifier does not follow a "
		  "repeatable item"},
	    {"a\\Cb", "the regular expression is wrong at byte 4: using \\C is disabled by the "
		      "application"},
	    {"a(?C1)b", "the regular expression has a callout, which is not allowed"},
	    {"a(?C'x')b", "the regular expression has a callout, which is not allowed"},
	};
	struct rt_error err;
	bool found;

	ck_assert_int_eq(match(bad[_i].pattern, RT_SLICE("x"), &found, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.message, bad[_i].message);
}
END_TEST

START_TEST(pattern_length)
{
	static char text[RT_REGEX_PATTERN_BYTES + 1];
	struct rt_regex *regex = NULL;
	struct rt_error err;

	memset(text, 'a', sizeof(text));
	ck_assert_int_eq(rt_regex_new(rt_slice_make(text, sizeof(text) - 1), &regex, &err), RT_OK);
	rt_regex_free(regex);
	ck_assert_int_eq(rt_regex_new(rt_slice_make(text, sizeof(text)), &regex, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.message, "the regular expression exceeds 4096 bytes: it has 4097");
}
END_TEST

/* A pattern cannot lift a limit, only lower it. */
START_TEST(limits)
{
	static const struct {
		const char *pattern, *want;
		char byte, last;
		size_t len;
	} slow[] = {
	    {"(a+)+$", "takes more than 1000000 steps", 'a', 'b', 41},
	    {"(*LIMIT_MATCH=4000000000)(a+)+$", "takes more than 1000000 steps", 'a', 'b', 41},
	    {"\\s+$", "takes more than 1000000 steps", ' ', 'b', 4000},
	    {" ++[^b]", "takes more than 1000000 steps", ' ', 'b', 30000},
	    {"^(?:a|b)*$", "nests more than 1000 steps", 'a', 'c', 5000},
	    {"(*LIMIT_DEPTH=4000000000)^(?:a|b)*$", "nests more than 1000 steps", 'a', 'c', 5000},
	};
	char *text = malloc(slow[_i].len);
	struct rt_error err;
	bool found;

	ck_assert_ptr_nonnull(text);
	memset(text, slow[_i].byte, slow[_i].len);
	text[slow[_i].len - 1] = slow[_i].last;
	ck_assert_int_eq(match(slow[_i].pattern, rt_slice_make(text, slow[_i].len), &found, &err),
			 RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_msg(strstr(err.message, slow[_i].want), "%s", err.message);
	free(text);
}
END_TEST

/* With 1,900 groups each nested step takes 30 KiB. */
START_TEST(heap)
{
	char pattern[RT_REGEX_PATTERN_BYTES] = "^(?:";
	char text[900];
	struct rt_error err;
	bool found;

	memset(text, 'a', sizeof(text));
	for (int i = 0; i < 1900; i++)
		strcat(pattern, "()");
	strcat(pattern, "a|b)*c?d");
	text[899] = 'd';
	ck_assert_int_eq(match(pattern, rt_slice_make(text, sizeof(text)), &found, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_msg(strstr(err.message, "takes more than 16384 KiB of memory"), "%s",
		      err.message);
}
END_TEST

START_TEST(no_memory)
{
	struct rt_error err;
	bool found;

	no_data = _i == 0;
	no_context = _i == 1;
	ck_assert_int_eq(match("a", RT_SLICE("a"), &found, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_NOMEM);
}
END_TEST

START_TEST(no_utf8)
{
	struct rt_error err;
	bool found;

	ck_assert_int_eq(match("a", RT_SLICE("a\xFF"), &found, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_int_eq(match("\xFF", RT_SLICE("a"), &found, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
}
END_TEST

static Suite *make(void)
{
	Suite *suite = suite_create("regex");
	TCase *tcase = tcase_create("regex");

	tcase_add_loop_test(tcase, matches, 0, COUNT(rows));
	tcase_add_loop_test(tcase, no_patterns, 0, 6);
	tcase_add_test(tcase, pattern_length);
	tcase_add_loop_test(tcase, limits, 0, 6);
	tcase_add_test(tcase, heap);
	tcase_add_loop_test(tcase, no_memory, 0, 2);
	tcase_add_test(tcase, no_utf8);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
