/*
 * Lines, columns and code of results: numbers below 1, contexts with every kind of line end, lines
 * that the context does not have.
 */
#include <stdio.h>

#include "sarif_make.h"

#define PHYSICAL(members) "{\"locations\":[{\"physicalLocation\":{" members "}}]}"
#define REGION(members) PHYSICAL("\"region\":{" members "}")
/* A region of some lines in a context from line 37 on. */
#define CONTEXT(lines, text)                                                                       \
	PHYSICAL("\"region\":{" lines                                                              \
		 "},\"contextRegion\":{\"startLine\":37,\"snippet\":{\"text\":\"" text "\"}}")
#define FIVE "a\\nb\\r\\n  c\\nd\\n\\n"

static const struct {
	const char *result, *line, *start, *end;
} places[] = {
    {"{}", "null", "null", "null"},
    {"{\"locations\":[]}", "null", "null", "null"},
    {"{\"locations\":[{}]}", "null", "null", "null"},
    {PHYSICAL(""), "null", "null", "null"},
    {REGION("\"startLine\":5"), "5", "1", "null"},
    {REGION("\"startLine\":5,\"startColumn\":4,\"endLine\":9,\"endColumn\":2"), "5", "4", "2"},
    {REGION("\"startLine\":5,\"startColumn\":0,\"endColumn\":0"), "5", "null", "null"},
    {REGION("\"startLine\":5,\"startColumn\":-3,\"endColumn\":-1"), "5", "null", "null"},
    {REGION("\"startLine\":1,\"startColumn\":1,\"endColumn\":1"), "1", "1", "1"},
    {REGION("\"startLine\":0"), "null", "null", "null"},
    {REGION("\"startLine\":-1,\"startColumn\":4,\"endColumn\":5"), "null", "null", "null"},
    {REGION("\"startLine\":-0"), "null", "null", "null"},
    {REGION("\"charOffset\":100,\"charLength\":4"), "null", "null", "null"},
    {REGION("\"byteOffset\":100"), "null", "null", "null"},
    {REGION("\"startLine\":2147483648"), "2147483648", "1", "null"},
    {REGION("\"startLine\":2147483649"), "null", "null", "null"},
    {REGION("\"startLine\":7,\"startColumn\":18446744073709551615"), "7", "null", "null"},
    {"{\"locations\":[{\"physicalLocation\":{\"region\":{\"startLine\":3}}},7]}", "3", "1", "null"},
};

START_TEST(finds_lines)
{
	made_is("{}", places[_i].result, "line_number", places[_i].line);
	made_is("{}", places[_i].result, "column_start", places[_i].start);
	made_is("{}", places[_i].result, "column_end", places[_i].end);
}
END_TEST

static const struct {
	const char *result, *code, *before, *after;
} codes[] = {
    {"{}", "null", "null", "null"},
    {REGION("\"snippet\":{\"text\":\"\\tx\\u0041\\r\\n\"}"), "\"\\tx\\u0041\\r\\n\"", "null",
     "null"},
    {REGION("\"snippet\":{}"), "null", "null", "null"},
    {CONTEXT("\"startLine\":39", FIVE), "\"  c\"", "\"a\\nb\"", "\"d\\n\""},
    {CONTEXT("\"startLine\":39,\"endLine\":40", FIVE), "\"  c\\nd\"", "\"a\\nb\"", "\"\""},
    {CONTEXT("\"startLine\":38", FIVE), "\"b\"", "\"a\"", "\"  c\\nd\\n\""},
    {CONTEXT("\"startLine\":38,\"endLine\":39", FIVE), "\"b\\r\\n  c\"", "\"a\"", "\"d\\n\""},
    {CONTEXT("\"startLine\":37,\"endLine\":41", FIVE), "\"a\\nb\\r\\n  c\\nd\\n\"", "null", "null"},
    {CONTEXT("\"startLine\":41", FIVE), "\"\"", "\"a\\nb\\r\\n  c\\nd\"", "null"},
    {CONTEXT("\"startLine\":38", "a\\nb"), "\"b\"", "\"a\"", "null"},
    {CONTEXT("\"startLine\":37", "a\\u000ab"), "\"a\"", "null", "\"b\""},
    {CONTEXT("\"startLine\":38", "\\nb"), "\"b\"", "\"\"", "null"},
    {CONTEXT("\"startLine\":37", "a\\rb\\r\\nc"), "\"a\\rb\"", "null", "\"c\""},
    /* Letters after backslashes that stand for themselves end no line. */
    {CONTEXT("\"startLine\":38", "a\\\\nb\\nc\\\\n\\nd\\\\n"), "\"c\\\\n\"", "\"a\\\\nb\"",
     "\"d\\\\n\""},
    {CONTEXT("\"startLine\":38", "a\\\\r\\nb\\\\\\r\\nc\\\\\\n"), "\"b\\\\\"", "\"a\\\\r\"",
     "\"c\\\\\""},
    {CONTEXT("\"startLine\":38", "n\\nrn\\nr"), "\"rn\"", "\"n\"", "\"r\""},
    {CONTEXT("\"startLine\":37", "\\r\\n\\r\\n"), "\"\"", "null", "\"\""},
    /* Lines that the context has not: it is the code. */
    {CONTEXT("\"startLine\":42", FIVE), "\"" FIVE "\"", "null", "null"},
    {CONTEXT("\"startLine\":36", FIVE), "\"" FIVE "\"", "null", "null"},
    {CONTEXT("\"startLine\":40,\"endLine\":42", FIVE), "\"" FIVE "\"", "null", "null"},
    {CONTEXT("\"startLine\":40,\"endLine\":39", FIVE), "\"" FIVE "\"", "null", "null"},
    {CONTEXT("\"charOffset\":4", FIVE), "\"" FIVE "\"", "null", "null"},
    {CONTEXT("\"startLine\":37", ""), "\"\"", "null", "null"},
    {CONTEXT("\"startLine\":9223372036854775807", "a"), "\"a\"", "null", "null"},
    {PHYSICAL("\"region\":{\"startLine\":2},\"contextRegion\":{\"snippet\":{\"text\":\"a\\nb\"}}"),
     "\"a\\nb\"", "null", "null"},
    /* The region's own snippet, with the lines around it. */
    {CONTEXT("\"startLine\":39,\"snippet\":{\"text\":\"c\"}", FIVE), "\"c\"", "\"a\\nb\"",
     "\"d\\n\""},
    {CONTEXT("\"startLine\":50,\"snippet\":{\"text\":\"c\"}", FIVE), "\"c\"", "null", "null"},
};

/* Spell the ends of lines otherwise. */
static void respell(const char *text, char *out)
{
	for (; *text; text++) {
		*out++ = *text;
		if (*text != '\\')
			continue;
		text++;
		out += *text == 'n' ? sprintf(out, "u000A") : sprintf(out, "%c", *text);
	}
	*out = '\0';
}

START_TEST(cuts_code)
{
	made_is("{}", codes[_i].result, "code_snippet", codes[_i].code);
	made_is("{}", codes[_i].result, "context_before", codes[_i].before);
	made_is("{}", codes[_i].result, "context_after", codes[_i].after);
}
END_TEST

/* Lines of a context are the same, whether or not it is spelled as we spell. */
START_TEST(cuts_any_spelling)
{
	char other[1024];
	struct made made;

	if (!strstr(codes[_i].result, "contextRegion") ||
	    (!strcmp(codes[_i].before, "null") && !strcmp(codes[_i].after, "null")))
		return;
	respell(codes[_i].result, other);
	made = make("{}", other);
	ck_assert(rt_slice_equal(made_member(&made, "context_before"), slice_of(codes[_i].before)));
	ck_assert(rt_slice_equal(made_member(&made, "context_after"), slice_of(codes[_i].after)));
	ck_assert(rt_slice_equal(made_member(&made, "code_snippet"), slice_of(codes[_i].code)));
	rt_buf_release(&made.out);
}
END_TEST

static const struct {
	const char *result, *field, *message;
} refused[] = {
    {REGION("\"startLine\":\"5\""), "startLine", "want a number, have a string"},
    {REGION("\"startLine\":5.5"), "startLine", "want an integer, have 5.5"},
    {REGION("\"endColumn\":1e2"), "endColumn", "want an integer, have 1e2"},
    {REGION("\"snippet\":{\"text\":7}"), "snippet.text", "want a string, have a number"},
    {"{\"locations\":[null]}", "locations", "want an object, have null"},
    {"{\"locations\":{}}", "locations", "want an array, have an object"},
    {"{\"locations\":[{\"logicalLocations\":[7]}]}", "logicalLocations",
     "want an object, have a number"},
};

START_TEST(refuses)
{
	struct made made = make("{}", refused[_i].result);

	ck_assert_int_eq(made.status, RT_REJECT);
	ck_assert_str_eq(made.fault.err.field, refused[_i].field);
	ck_assert_str_eq(made.fault.err.message, refused[_i].message);
	ck_assert(made.fault.at > refused[_i].result &&
		  made.fault.at < refused[_i].result + strlen(refused[_i].result));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_region");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, finds_lines, 0, sizeof(places) / sizeof(places[0]));
	tcase_add_loop_test(cases, cuts_code, 0, sizeof(codes) / sizeof(codes[0]));
	tcase_add_loop_test(cases, cuts_any_spelling, 0, sizeof(codes) / sizeof(codes[0]));
	tcase_add_loop_test(cases, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
