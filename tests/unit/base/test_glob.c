/*
 * Globs over paths: each sign, '/', characters, what is no glob, the same in pieces; random ones
 * against a matcher that tries everything; and patterns that would take such a one for ever.
 */
#include "base/glob.h"

#include <stdio.h>

#include "unit.h"

/* Where paths lead. */
static const char *const led[][2] = {
    {"", ""},
    {".", ""},
    {"./", ""},
    {"..", ".."},
    {"../", "../"},
    {"a", "a"},
    {"a/b", "a/b"},
    {"a//b", "a//b"},
    {"./a", "a"},
    {"././/a", "a"},
    {"a/.", "a/"},
    {"a/./b", "a/b"},
    {"a/..", ""},
    {"a/../b", "b"},
    {"a/../..", ".."},
    {"a/../../b", "../b"},
    {"../a/../b", "../b"},
    {"../../a", "../../a"},
    {"a/b/../c", "a/c"},
    {"a/b/..", "a/"},
    {"a//../b", "b"},
    {"a/b//../c", "a/c"},
    {"a/..//b", "b"},
    {"a/b/..//c", "a//c"},
    {"a/.b", "a/.b"},
    {"a/..b", "a/..b"},
    {"a/b../c", "a/b../c"},
    {"...", "..."},
    {".../..", ""},
    {"/", "/"},
    {"/..", "/"},
    {"/../a", "/a"},
    {"/a/../../b", "/b"},
    {"/./a", "/a"},
    {"C:/../a", "C:/a"},
    {"C:/a/../b", "C:/b"},
    {"C:a/../b", "C:b"},
    {"//h/../a", "//h/a"},
    {"//h", "//h"},
    {"//..", "//.."},
    {"tests/x/../../src/a.c", "src/a.c"},
};

START_TEST(path_resolve)
{
	char path[64];
	size_t len = rt_path_resolve(strcpy(path, led[_i][0]), strlen(led[_i][0]));

	ck_assert_msg(len == strlen(led[_i][1]) && memcmp(path, led[_i][1], len) == 0, "%s: %.*s",
		      led[_i][0], (int)len, path);
}
END_TEST

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct rt_slice slice(const char *text)
{
	return rt_slice_make(text, strlen(text));
}

static bool matches(const char *pattern, const char *text)
{
	ck_assert_msg(rt_glob_is(slice(pattern)), "no glob: %s", pattern);
	return rt_glob_match(slice(pattern), slice(text));
}

static const struct {
	const char *pattern;
	const char *yes[8], *no[8];
} rows[] = {
    {"a.json", {"a.json"}, {"", "a.jso", "a.jsonx", "b/a.json", "A.json", "a-json"}},
    {"*.json", {"a.json", ".json", "a.b.json"}, {"a/b.json", "/.json", "a.json/"}},
    {"*", {"", "a", "a.b"}, {"a/b", "/"}},
    {"a*b*c", {"abc", "axbxc", "abbcc", "aXbcbc"}, {"ac", "abcd", "a/bc", "ab/c"}},
    {"a?c",
     {"abc", "a?c",
      "a\xC3\xA4"
      "c",
      "a\xFF"
      "c"},
     {"ac", "abbc", "a/c"}},
    {"**", {"", "a", "a/b", "/"}, {NULL}},
    {"**/x", {"x", "a/x", "a/b/x", "/x", "x/x"}, {"ax", "a/bx", "x/", "", "x/a"}},
    {"a/**", {"a/", "a/b", "a/b/c"}, {"a", "ab", "b/a/c"}},
    {"a/**/b", {"a/b", "a/c/b", "a/c/d/b"}, {"ab", "a/cb", "a/b/c", "a//"}},
    {"**/a/**/b", {"a/b", "x/a/b", "x/y/a/z/b", "a/a/b/b"}, {"a", "b", "xa/b", "a/xb"}},
    {"**/*.json", {"a.json", "d/a.json", ".json", "d/e/.json"}, {"a.jsonl", "d.json/a"}},
    {"**/**/x", {"x", "a/x", "a/b/c/x"}, {"ax", "x/y"}},
    {"a**b", {"ab", "a/b", "axx/yyb"}, {"a", "b", "abc"}},
    {"a**/b", {"a/b", "ax/b", "a/x/b"}, {"ab", "b", "a/xb"}},
    {"***/x", {"x", "a/b/x"}, {"ax"}},
    {"**x", {"x", "ax", "a/x"}, {"xa"}},
    {"[ab]c", {"ac", "bc"}, {"cc", "c", "abc", "[ab]c"}},
    {"[a-cx]", {"a", "b", "c", "x"}, {"d", "-", "w", ""}},
    {"[!a-c]", {"d", "!", "\xC3\xA4"}, {"a", "c", "/", "", "dd"}},
    {"[^a]", {"b", "^"}, {"a", "/"}},
    {"[]a]", {"]", "a"}, {"b", "[]a]"}},
    {"[!]a]", {"b", "!"}, {"]", "a"}},
    {"[a-]", {"a", "-"}, {"b"}},
    {"[-a]", {"a", "-"}, {"b"}},
    {"[+--]", {"+", ",", "-"}, {".", "*"}},
    {"[\\]\\\\]", {"]", "\\"}, {"[", "a"}},
    {"[\xC3\xA0-\xC3\xBF]", {"\xC3\xA4"}, {"a", "\xC3", "\xA4"}},
    {"[/]", {NULL}, {"/", "["}},
    {"a[.-0]b", {"a.b", "a0b"}, {"a/b"}},
    {"[z-a]", {NULL}, {"a", "m", "z"}},
    {"[*?]", {"*", "?"}, {"a"}},
    {"\\*", {"*"}, {"a", "\\*", "\\"}},
    {"\\**", {"*", "*a"}, {"a", "*/a"}},
    {"\\a\\[", {"a["}, {"\\a\\["}},
    {"{a,b}", {"{a,b}"}, {"a", "b"}},
    {"]", {"]"}, {"["}},
    {"\xFF*", {"\xFF", "\xFF\xFE"}, {"\xFE"}},
    {"\xC3\xA4", {"\xC3\xA4"}, {"\xC3", "a"}},
};

START_TEST(table)
{
	for (size_t i = 0; i < 8 && rows[_i].yes[i]; i++)
		ck_assert_msg(matches(rows[_i].pattern, rows[_i].yes[i]), "%s must match \"%s\"",
			      rows[_i].pattern, rows[_i].yes[i]);
	for (size_t i = 0; i < 8 && rows[_i].no[i]; i++)
		ck_assert_msg(!matches(rows[_i].pattern, rows[_i].no[i]),
			      "%s must not match \"%s\"", rows[_i].pattern, rows[_i].no[i]);
}
END_TEST

START_TEST(no_glob)
{
	static const char *const patterns[] = {"",    "[",    "[a",  "a[]", "[!]",
					       "[a-", "[\\]", "a\\", "[\\"};
	static char longest[RT_GLOB_BYTES + 2];

	for (size_t i = 0; i < COUNT(patterns); i++)
		ck_assert_msg(!rt_glob_is(slice(patterns[i])), "%s", patterns[i]);
	memset(longest, 'a', sizeof(longest) - 1);
	ck_assert(!rt_glob_is(slice(longest)));
	longest[RT_GLOB_BYTES] = '\0';
	ck_assert(rt_glob_is(slice(longest)));
	ck_assert(rt_glob_match(slice(longest), slice(longest)));
	ck_assert(!rt_glob_match(slice(longest), slice(longest + 1)));
}
END_TEST

/* A path whose folder is apart. */
START_TEST(below)
{
	static const struct {
		const char *pattern, *below, *name;
		bool want;
	} apart[] = {
	    {"a/**/x", "a", "b/c/x", true},
	    {"a/**/x", "a", "x", true},
	    {"a/**/x", "a", "b/c/y", false},
	    {"a/*/x", "a/b", "x", true},
	    {"a/*/x", "a/b", "c/x", false},
	    {"a*b", "a", "b", false},
	    {"a**b", "a", "b", true},
	    {"**/*.json", "x.zip", "y.json", true},
	    {"x.zip/*.json", "x.zip", "y.json", true},
	    {"x.zip", "x.zip", "", false},
	    {"*", "a", "b", false},
	    {"\xC3\xA9/?", "\xC3\xA9", "\xC3\xA9", true},
	};

	for (size_t i = 0; i < COUNT(apart); i++)
		ck_assert_msg(rt_glob_match_below(slice(apart[i].pattern), slice(apart[i].below),
						  slice(apart[i].name)) == apart[i].want,
			      "%s: %s and %s", apart[i].pattern, apart[i].below, apart[i].name);
}
END_TEST

/* The same rules, trying everything. start: the whole pattern. */
static bool tries(const char *start, const char *pattern, const char *text)
{
	if (!*pattern)
		return !*text;
	if (pattern[0] == '*' && pattern[1] == '*') {
		const char *after = pattern + strspn(pattern, "*");
		bool is_part = (pattern == start || pattern[-1] == '/') && *after == '/';

		if (is_part && tries(start, after + 1, text))
			return true;
		for (;; text++) {
			if (tries(start, after, text))
				return true;
			if (!*text)
				return false;
		}
	}
	if (*pattern == '*') {
		for (;; text++) {
			if (tries(start, pattern + 1, text))
				return true;
			if (!*text || *text == '/')
				return false;
		}
	}
	if (!*text || (*pattern == '?' ? *text == '/' : *pattern != *text))
		return false;
	return tries(start, pattern + 1, text + 1);
}

static void make_random(const char *letters, size_t max, char *text)
{
	size_t len = (size_t)rand() % (max + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = letters[(size_t)rand() % strlen(letters)];
	text[len] = '\0';
}

START_TEST(random_ones)
{
	unsigned matched = 0;

	srand(5);
	for (int i = 0; i < 200000; i++) {
		char pattern[12], text[12];
		bool want;

		make_random("a/**?b", 9, pattern + 1);
		pattern[0] = "a*/"[rand() % 3];
		make_random("a/b/a", 9, text);
		want = tries(pattern, pattern, text);
		matched += want;
		ck_assert_msg(matches(pattern, text) == want, "%s and %s: want %d", pattern, text,
			      want);
	}
	ck_assert_uint_ge(matched, 5000);
}
END_TEST

/* Each star may stand for anything here, and there is no match in the end. */
START_TEST(hostile)
{
	static const char *const parts[] = {"*a", "**a", "**/a", "*", "[ab]*", "?*"};
	static char pattern[RT_GLOB_BYTES + 1], text[10001];
	size_t len = 0, part = strlen(parts[_i]);

	while (len + part + 1 <= RT_GLOB_BYTES) {
		memcpy(pattern + len, parts[_i], part);
		len += part;
	}
	pattern[len] = 'c';
	pattern[len + 1] = '\0';
	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 1; _i == 2 && i < sizeof(text) - 1; i += 2)
		text[i] = '/';
	ck_assert(!matches(pattern, text));
	text[sizeof(text) - 2] = 'c';
	ck_assert(matches(pattern, text));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("glob");
	TCase *tcase = tcase_create("glob");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, table, 0, COUNT(rows));
	tcase_add_loop_test(tcase, path_resolve, 0, COUNT(led));
	tcase_add_test(tcase, no_glob);
	tcase_add_test(tcase, below);
	tcase_add_test(tcase, random_ones);
	tcase_add_loop_test(tcase, hostile, 0, 6);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
