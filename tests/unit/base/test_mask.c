/*
 * Masked text: what may be seen, what becomes visible, and what a CI system would take for a
 * command; first lines.
 */
#include "base/mask.h"

#include <stdio.h>

#include "unit.h"

#define ESC(hex) "\xE2\x9F\xA8U+" hex "\xE2\x9F\xA9"
#define COLON "\xE2\x9F\xA8:\xE2\x9F\xA9"
#define BRACKET "\xE2\x9F\xA8[\xE2\x9F\xA9"

static const struct {
	const char *text;
	const char *kept, *blank, *shown; /* by what becomes of line breaks; NULL: as kept */
} rows[] = {
    {"", "", NULL, NULL},
    {"plain \xC3\xA4 \xF0\x9F\x98\x80", "plain \xC3\xA4 \xF0\x9F\x98\x80", NULL, NULL},
    {"a\tb\nc", "a\tb\nc", "a b c", "a" ESC("0009") "b" ESC("000A") "c"},
    {"a\r\nb\rc\r", "a\nb\nc\n", "a b c ",
     "a" ESC("000D") ESC("000A") "b" ESC("000D") "c" ESC("000D")},
    {"\033[1m\x7F\xC2\x85", ESC("001B") "[1m" ESC("007F") ESC("0085"), NULL, NULL},
    {"\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF\xD8\x9C",
     ESC("202E") ESC("2066") ESC("2028") ESC("FEFF") ESC("FFFE") ESC("FFFF") ESC("061C"), NULL,
     NULL},
    {"a\xFF"
     "b\xC3",
     "a\xEF\xBF\xBD"
     "b\xEF\xBF\xBD",
     NULL, NULL},
    {"::error::x", COLON ":error::x", NULL, NULL},
    {" \xC2\xA0::x", " \xC2\xA0" COLON ":x", NULL, NULL},
    {"a ::x", "a ::x", NULL, NULL},
    {"a\n ::x\n\t::y", "a\n " COLON ":x\n\t" COLON ":y", "a  ::x  ::y",
     "a" ESC("000A") " ::x" ESC("000A") ESC("0009") "::y"},
    {"\n::x", "\n" COLON ":x", " " COLON ":x", ESC("000A") "::x"},
    {":x:", ":x:", NULL, NULL},
    {":::", COLON "::", NULL, NULL},
    {":", ":", NULL, NULL},
    {"##[a #[b ###[c [", "##" BRACKET "a #[b ###" BRACKET "c [", NULL, NULL},
    {"##vso[a ##VSO[ #vso[ vso[ ##teamcity[ ##team[",
     "##vso" BRACKET "a ##VSO" BRACKET " #vso[ vso[ ##teamcity" BRACKET " ##team[", NULL, NULL},
    {"#", "#", NULL, NULL},
};

static void check_mask(const char *text, enum rt_mask_lines lines, const char *want)
{
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_mask(rt_slice_make(text, strlen(text)), lines, &out, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	ck_assert_str_eq(out.data, want);
	rt_buf_release(&out);
}

START_TEST(masks)
{
	const char *kept = rows[_i].kept;

	check_mask(rows[_i].text, RT_MASK_LINES_KEEP, kept);
	check_mask(rows[_i].text, RT_MASK_LINES_BLANK, rows[_i].blank ? rows[_i].blank : kept);
	check_mask(rows[_i].text, RT_MASK_LINES_SHOW, rows[_i].shown ? rows[_i].shown : kept);
}
END_TEST

/* The same wherever in a longer text it stands. */
START_TEST(masks_anywhere)
{
	char text[256], want[256];

	for (int before = 0; before < 40; before++) {
		for (int after = 0; after < 40; after += 13) {
			snprintf(text, sizeof(text), "%0*d\n%s %0*d", before + 1, 0, rows[_i].text,
				 after + 1, 0);
			snprintf(want, sizeof(want), "%0*d\n%s %0*d", before + 1, 0, rows[_i].kept,
				 after + 1, 0);
			check_mask(text, RT_MASK_LINES_KEEP, want);
		}
	}
}
END_TEST

/* For markup, what looks like a command stays, and nothing else does. */
START_TEST(markup)
{
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_int_eq(
	    rt_mask_markup(RT_SLICE("::error::\x1b\n ##[a"), RT_MASK_LINES_KEEP, &out, &err),
	    RT_OK);
	ck_assert(rt_slice_equal(rt_buf_slice(&out), RT_SLICE("::error::" ESC("001B") "\n ##[a")));
	rt_buf_release(&out);
}
END_TEST

START_TEST(nul)
{
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_mask(RT_SLICE("a\0b"), RT_MASK_LINES_KEEP, &out, &err), RT_OK);
	ck_assert(rt_slice_equal(rt_buf_slice(&out), RT_SLICE("a" ESC("0000") "b")));
	rt_buf_release(&out);
}
END_TEST

static const struct {
	const char *text, *line;
} lines[] = {
    {"", ""},
    {" \t\r\n", ""},
    {"one", "one"},
    {"\n \n one \ntwo", "one"},
    {"one\rtwo", "one"},
    {"\t x\ty\t\r\n", "x\ty"},
};

START_TEST(first)
{
	struct rt_slice line = rt_first_line(rt_slice_make(lines[_i].text, strlen(lines[_i].text)));

	ck_assert_ptr_nonnull(line.ptr);
	ck_assert_msg(line.len == strlen(lines[_i].line) &&
			  memcmp(line.ptr, lines[_i].line, line.len) == 0,
		      "%.*s", (int)line.len, line.ptr);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("mask");
	TCase *tc = tcase_create("mask");

	tcase_add_loop_test(tc, masks_anywhere, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tc, masks, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tc, nul);
	tcase_add_test(tc, markup);
	tcase_add_loop_test(tc, first, 0, sizeof(lines) / sizeof(lines[0]));
	suite_add_tcase(suite, tc);
	return suite;
}

RT_UNIT_MAIN(make_suite)
