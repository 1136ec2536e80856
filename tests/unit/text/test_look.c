/*
 * The look at what starts with a bracket: JSON as far as it goes, a sign of YAML, or neither.
 */
#include <string.h>

#include "base/slice.h"
#include "text/look.h"
#include "unit.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct {
	const char *what;
	struct rt_slice in;
	enum rt_look_verdict verdict;
} rows[] = {
    {"empty", TEXT("[ ]"), RT_LOOK_OPEN},
    {"a bracket", TEXT("{"), RT_LOOK_OPEN},
    {"members", TEXT("{\"a\" : 1 , \"b\":[true,null,{}],\"c\":\"x\"}\n"), RT_LOOK_OPEN},
    {"numbers", TEXT("[0,-0,1.50,1e3,-1.5E+07,12345678901234567890]"), RT_LOOK_OPEN},
    {"a long number",
     TEXT("[1234567890123456789012345678901234567890123456789012345678901234567890.5]"),
     RT_LOOK_OPEN},
    {"escapes", TEXT("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"]"), RT_LOOK_OPEN},
    {"not ASCII", TEXT("[\"\xc3\xa9\x7f\"]"), RT_LOOK_OPEN},
    {"JSON Lines", TEXT("{\"a\":1}\n\n{\"a\":2}\r\n [3]"), RT_LOOK_OPEN},

    {"a plain value", TEXT("{\"id\": a, \"b\": 1}"), RT_LOOK_YAML},
    {"a plain value that is not ASCII", TEXT("[\xc3\xa9"), RT_LOOK_YAML},
    {"a plain key", TEXT("{\"id\": 1, b: 1}"), RT_LOOK_YAML},
    {"single quotes", TEXT("['a']"), RT_LOOK_YAML},
    {"single quotes around a key", TEXT("{'a'"), RT_LOOK_YAML},
    {"a word in capitals", TEXT("[Zed"), RT_LOOK_YAML},
    {"an anchor", TEXT("[&a 1]"), RT_LOOK_YAML},
    {"an alias", TEXT("[1, *a]"), RT_LOOK_YAML},
    {"a tag", TEXT("{\"a\": !!str 1}"), RT_LOOK_YAML},
    {"an explicit key", TEXT("{? a : b}"), RT_LOOK_YAML},
    {"a comment", TEXT("[ # why\n1]"), RT_LOOK_YAML},
    {"a comment after a value", TEXT("[1 # why\n]"), RT_LOOK_YAML},
    {"a comment after a key", TEXT("{\"a\" # why\n: 1}"), RT_LOOK_YAML},
    {"a comment after it all", TEXT("[1] # why\n"), RT_LOOK_YAML},
    {"another document", TEXT("[1]\n---\n[2]"), RT_LOOK_YAML},
    {"a document's end", TEXT("[1]\n...\n"), RT_LOOK_YAML},
    {"a null of YAML", TEXT("[~]"), RT_LOOK_YAML},
    {"a date", TEXT("[2024-01-01]"), RT_LOOK_YAML},
    {"a time", TEXT("[1:30"), RT_LOOK_YAML},
    {"words after a number", TEXT("[3 issues]"), RT_LOOK_YAML},
    {"a capital after a number", TEXT("[3 Issues]"), RT_LOOK_YAML},
    {"what is not ASCII after a number", TEXT("[3 \xc3\xa9]"), RT_LOOK_YAML},
    {"words after a literal", TEXT("[null pointer]"), RT_LOOK_YAML},
    {"a word that starts with a literal", TEXT("[nullable]"), RT_LOOK_YAML},
    {"a long word", TEXT("[abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"), RT_LOOK_YAML},
    {"a path", TEXT("{\"file_path\": /src/a.c}"), RT_LOOK_YAML},

    {"a trailing comma", TEXT("[1,]"), RT_LOOK_NEITHER},
    {"a trailing comma in an object", TEXT("{\"a\":1,}"), RT_LOOK_NEITHER},
    {"two commas", TEXT("[1,,2]"), RT_LOOK_NEITHER},
    {"a missing comma", TEXT("[\"a\" \"b\"]"), RT_LOOK_NEITHER},
    {"a missing comma between numbers", TEXT("[1 2]"), RT_LOOK_NEITHER},
    {"a missing colon", TEXT("{\"a\" 1}"), RT_LOOK_NEITHER},
    {"a missing value", TEXT("{\"a\":}"), RT_LOOK_NEITHER},
    {"the wrong bracket", TEXT("[1}"), RT_LOOK_NEITHER},
    {"the wrong bracket first", TEXT("[}"), RT_LOOK_NEITHER},
    {"a colon in an array", TEXT("[\"a\":1]"), RT_LOOK_NEITHER},
    {"a number as a key", TEXT("{1:2}"), RT_LOOK_NEITHER},
    {"an object as a key", TEXT("{{"), RT_LOOK_NEITHER},
    {"NaN", TEXT("[NaN]"), RT_LOOK_NEITHER},
    {"Infinity", TEXT("[-Infinity]"), RT_LOOK_NEITHER},
    {"undefined", TEXT("[undefined]"), RT_LOOK_NEITHER},
    {"Python's words", TEXT("[None]"), RT_LOOK_NEITHER},
    {"Python's booleans", TEXT("[True]"), RT_LOOK_NEITHER},
    {"a leading zero", TEXT("[01]"), RT_LOOK_NEITHER},
    {"no digit before the point", TEXT("[.5]"), RT_LOOK_NEITHER},
    {"no digit after the point", TEXT("[5.]"), RT_LOOK_NEITHER},
    {"no digit between point and exponent", TEXT("[5.e1]"), RT_LOOK_NEITHER},
    {"a plus", TEXT("[+1]"), RT_LOOK_NEITHER},
    {"a base", TEXT("[0x1F]"), RT_LOOK_NEITHER},
    {"a minus alone", TEXT("[-"), RT_LOOK_NEITHER},
    {"a wrong escape", TEXT("[\"\\x41\"]"), RT_LOOK_NEITHER},
    {"an escaped NUL", TEXT("[\"\\\0"), RT_LOOK_NEITHER},
    {"a cut \\u", TEXT("[\"\\u00e\"]"), RT_LOOK_NEITHER},
    {"a NUL in \\u", TEXT("[\"\\u\0"), RT_LOOK_NEITHER},
    {"a tab in a string", TEXT("[\"\t\"]"), RT_LOOK_NEITHER},
    {"a line feed in a string", TEXT("[\"a\nb\"]"), RT_LOOK_NEITHER},
    {"a NUL", TEXT("[\0"), RT_LOOK_NEITHER},
    {"a NUL after a number", TEXT("[1\0"), RT_LOOK_NEITHER},
    {"a NUL after it all", TEXT("[1]\n\0"), RT_LOOK_NEITHER},
    {"a control byte in a word", TEXT("[a\x01"), RT_LOOK_NEITHER},
    {"two documents on a line", TEXT("{} {}"), RT_LOOK_NEITHER},
    {"a word on a line of its own", TEXT("{}\nhello\n"), RT_LOOK_NEITHER},
    {"what YAML has reserved", TEXT("[@a]"), RT_LOOK_NEITHER},
};

/* However the bytes are cut. */
START_TEST(verdict)
{
	struct rt_slice in = rows[_i].in;

	for (size_t step = 1; step <= in.len; step++) {
		enum rt_look_verdict have = RT_LOOK_OPEN;
		struct rt_look look = {0};

		for (size_t at = 0; at < in.len && have == RT_LOOK_OPEN; at += step) {
			size_t len = in.len - at < step ? in.len - at : step;

			have = rt_look_on(&look, in.ptr + at, len, at + len == in.len);
		}
		ck_assert_msg(have == rows[_i].verdict, "%s, step %zu: %d", rows[_i].what, step,
			      (int)have);
	}
}
END_TEST

/* Beyond any depth there is no verdict, and no byte is written out of place. */
START_TEST(deep)
{
	struct rt_look look = {0};

	for (size_t i = 0; i < 5000; i++)
		ck_assert_int_eq(rt_look_on(&look, "[{\"a\":", 6, false), RT_LOOK_OPEN);
	ck_assert_int_eq(rt_look_on(&look, "]", 1, true), RT_LOOK_OPEN);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("look");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, verdict, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(cases, deep);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
