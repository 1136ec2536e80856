/*
 * Errors: what setters leave in them, and the one line that a person sees (SPEC D20).
 */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>

#include "base/utf8.h"
#include "unit.h"

#define MASK "\xEF\xBF\xBD"

static const struct {
	const char *what;
	struct rt_error err;
	const char *line;
} lines[] = {
    {"all parts",
     {.line = 12,
      .column = 7,
      .path = "export.tar.gz",
      .member = "a/b.json",
      .record = "issue \"a1\"",
      .field = "line_number",
      .message = "want integer, have string"},
     "export.tar.gz[a/b.json]:12:7: issue \"a1\": line_number: want integer, have string"},
    {"nothing", {.message = ""}, ""},
    {"message alone", {.message = "out of memory"}, "out of memory"},
    {"path and message", {.path = "x.json", .message = "want A, have B"}, "x.json: want A, have B"},
    {"path alone", {.path = "x.json"}, "x.json"},
    {"standard input", {.path = "-", .line = 1, .column = 1, .message = "m"}, "-:1:1: m"},
    {"member without a place",
     {.path = "x.zip", .member = "y.json", .message = "m"},
     "x.zip[y.json]: m"},
    {"a column without a line", {.path = "x", .column = 5, .message = "m"}, "x: m"},
    {"the largest place",
     {.path = "x", .line = UINT64_MAX, .column = UINT64_MAX, .message = "m"},
     "x:18446744073709551615:18446744073709551615: m"},
    {"record without a path", {.record = "issue \"a\"", .message = "m"}, "issue \"a\": m"},
    {"field without a record", {.path = "x", .field = "/notes", .message = "m"}, "x: /notes: m"},
    {"UTF-8 stays",
     {.path = "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", .message = "m"},
     "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80: m"},
    {"escape sequence in a path", {.path = "\x1B[31mx", .message = "m"}, MASK "[31mx: m"},
    {"carriage return and newline in a member",
     {.path = "p", .member = "a\r\nb", .message = "m"},
     "p[a" MASK MASK "b]: m"},
    {"DEL and tab in a record", {.record = "i\x7F\tj", .message = "m"}, "i" MASK MASK "j: m"},
    {"C1 in a field",
     {.field = "a\xC2\x9B"
	       "b",
      .message = "m"},
     "a" MASK "b: m"},
    {"C1 as a raw byte in a message",
     {.message = "a\x9B"
		 "b"},
     "a" MASK "b"},
    {"right-to-left override",
     {.message = "a\xE2\x80\xAE"
		 "b"},
     "a" MASK "b"},
    {"isolate",
     {.message = "a\xE2\x81\xA6"
		 "b"},
     "a" MASK "b"},
    {"line separator",
     {.message = "a\xE2\x80\xA8"
		 "b"},
     "a" MASK "b"},
    {"byte order mark",
     {.message = "\xEF\xBB\xBF"
		 "b"},
     MASK "b"},
    {"overlong form",
     {.message = "a\xC0\x8A"
		 "b"},
     "a" MASK MASK "b"},
    {"surrogate",
     {.message = "a\xED\xA0\x80"
		 "b"},
     "a" MASK MASK MASK "b"},
    {"sequence cut short", {.message = "a\xF0\x9F\x98"}, "a" MASK MASK MASK},
};

START_TEST(format_line)
{
	char line[RT_ERROR_LINE_MAX];

	ck_assert_ptr_eq(rt_error_format(&lines[_i].err, line, sizeof(line)), line);
	ck_assert_msg(strcmp(line, lines[_i].line) == 0, "%s: %s", lines[_i].what, line);
}
END_TEST

/* Whatever the room, the line is one without a hole, cut off somewhere, in a block of that size. */
START_TEST(format_cut)
{
	size_t len = strlen(lines[_i].line);

	for (size_t cap = 1; cap <= len + 2; cap++) {
		char *line = malloc(cap);

		ck_assert_ptr_nonnull(line);
		rt_error_format(&lines[_i].err, line, cap);
		ck_assert_msg(strlen(line) < cap, "%s: %zu", lines[_i].what, cap);
		ck_assert_msg(strncmp(line, lines[_i].line, strlen(line)) == 0, "%s: %zu: %s",
			      lines[_i].what, cap, line);
		/* A part stays out as a whole at most where it is a sequence or a number. */
		if (cap > len)
			ck_assert_msg(strlen(line) == len, "%s: %zu: %s", lines[_i].what, cap,
				      line);
		free(line);
	}
}
END_TEST

/* Every byte of every text is masked, which makes it three. */
START_TEST(format_longest)
{
	struct rt_error err = {.line = UINT64_MAX, .column = UINT64_MAX};
	char line[RT_ERROR_LINE_MAX], *more = malloc(4 * (size_t)RT_ERROR_LINE_MAX);

	memset(err.path, 1, sizeof(err.path) - 1);
	memset(err.member, 1, sizeof(err.member) - 1);
	memset(err.record, 1, sizeof(err.record) - 1);
	memset(err.field, 1, sizeof(err.field) - 1);
	memset(err.message, 1, sizeof(err.message) - 1);
	ck_assert_ptr_nonnull(more);
	rt_error_format(&err, line, sizeof(line));
	rt_error_format(&err, more, 4 * (size_t)RT_ERROR_LINE_MAX);
	ck_assert_uint_eq(strlen(line), strlen(more));
	free(more);
}
END_TEST

START_TEST(set)
{
	struct rt_error err;
	char text[2000];

	memset(&err, 0x55, sizeof(err));
	ck_assert_int_eq(rt_error_set(&err, RT_E_LIMIT, "want %d, have %s", 7, "nothing"),
			 RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want 7, have nothing");
	ck_assert(!err.sys && !err.line && !err.column && !err.offset);
	ck_assert(!err.path[0] && !err.member[0] && !err.record[0] && !err.field[0]);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(rt_error_set(&err, RT_E_INPUT, "%s", text), RT_FATAL);
	ck_assert_uint_eq(strlen(err.message), sizeof(err.message) - 1);
	ck_assert_int_eq(rt_error_nomem(&err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_NOMEM);
	ck_assert_str_eq(err.message, "out of memory");
}
END_TEST

static const struct {
	const char *what;
	int sys;
	enum rt_code code;
	int exit_status;
	const char *message;
} systems[] = {
    {"I/O", EIO, RT_E_IO, 3, "read: Input/output error"},
    {"no space", ENOSPC, RT_E_IO, 3, "read: No space left on device"},
    {"not allowed", EACCES, RT_E_IO, 3, "read: Permission denied"},
    {"no such file", ENOENT, RT_E_USAGE, 2, "read: No such file or directory"},
    {"no such folder", ENOTDIR, RT_E_USAGE, 2, "read: Not a directory"},
    {"no memory", ENOMEM, RT_E_NOMEM, 3, "read: Cannot allocate memory"},
    {"no such error", 99999, RT_E_IO, 3, "read: Unknown error 99999"},
};

START_TEST(set_sys)
{
	struct rt_error err;

	memset(&err, 0x55, sizeof(err));
	ck_assert_int_eq(rt_error_sys(&err, systems[_i].sys, "%s", "read"), RT_FATAL);
	ck_assert_msg(err.code == systems[_i].code, "%s: code %d", systems[_i].what, err.code);
	ck_assert_int_eq(err.sys, systems[_i].sys);
	ck_assert_msg(strcmp(err.message, systems[_i].message) == 0, "%s: %s", systems[_i].what,
		      err.message);
	ck_assert_msg(rt_error_exit_status(&err) == systems[_i].exit_status, "%s: exit status",
		      systems[_i].what);
	ck_assert(!err.path[0] && !err.line);
}
END_TEST

/* Only a wrong path becomes a failure of the system; all else of the error stays. */
START_TEST(no_usage)
{
	static const int codes[] = {ENOENT, ENOTDIR, ENOMEM, EIO};
	static const enum rt_code want[] = {RT_E_IO, RT_E_IO, RT_E_NOMEM, RT_E_IO};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct rt_error err, before;

		(void)rt_error_sys(&err, codes[i], "open");
		before = err;
		ck_assert_int_eq(rt_error_no_usage(&err), RT_FATAL);
		ck_assert_msg(err.code == want[i], "%d: code %d", codes[i], err.code);
		ck_assert_int_eq(err.sys, before.sys);
		ck_assert_str_eq(err.message, before.message);
	}
}
END_TEST

START_TEST(set_sys_long)
{
	struct rt_error err;
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rt_error_sys(&err, EIO, "%s", text);
	ck_assert_uint_eq(strlen(err.message), sizeof(err.message) - 1);
	rt_error_sys(&err, EIO, "%.*s", (int)sizeof(err.message) - 6, text);
	ck_assert_str_eq(err.message + sizeof(err.message) - 6, ": Inp");
	rt_error_sys(&err, EIO, "%s", "");
	ck_assert_str_eq(err.message, "Input/output error");
}
END_TEST

START_TEST(exit_status)
{
	static const struct {
		enum rt_code code;
		int status;
	} codes[] = {
	    {RT_E_USAGE, 2}, {RT_E_INPUT, 2}, {RT_E_LIMIT, 2}, {RT_E_IO, 3}, {RT_E_NOMEM, 3}};
	struct rt_error err;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		rt_error_set(&err, codes[i].code, "m");
		ck_assert_int_eq(rt_error_exit_status(&err), codes[i].status);
	}
}
END_TEST

/* The place that is known first is the innermost one; it stays. */
START_TEST(at)
{
	struct rt_error err;

	rt_error_set(&err, RT_E_INPUT, "m");
	rt_error_at(&err, NULL, "inner");
	ck_assert_str_eq(err.path, "");
	ck_assert_str_eq(err.member, "inner");
	rt_error_at(&err, "path", NULL);
	ck_assert_str_eq(err.path, "path");
	rt_error_at(&err, "other", "outer");
	ck_assert_str_eq(err.path, "path");
	ck_assert_str_eq(err.member, "inner");
	ck_assert_str_eq(err.message, "m");
}
END_TEST

static const struct {
	const char *dir, *name, *path;
} belows[] = {
    {"d", "a.json", "d/a.json"},
    {"d/", "b/a.json", "d/b/a.json"},
    {"/", "a", "/a"},
    {"d", NULL, "d"},
    {"d//", "a", "d//a"},
    {"", "a", "a"},
};

/* A file below a directory has a path, and is no member of it. */
START_TEST(below)
{
	char full[sizeof(((struct rt_error *)0)->path)];
	struct rt_error err;

	for (size_t i = 0; i < sizeof(belows) / sizeof(belows[0]); i++) {
		rt_error_set(&err, RT_E_INPUT, "m");
		rt_error_at(&err, NULL, "inner");
		rt_error_below(&err, belows[i].dir, belows[i].name);
		ck_assert_str_eq(err.path, belows[i].path);
		ck_assert_str_eq(err.member, "inner");
		rt_error_below(&err, "other", "name");
		ck_assert_str_eq(err.path, belows[i].path);
		rt_error_set(&err, RT_E_INPUT, "m");
		rt_error_at(&err, NULL, belows[i].name);
		rt_error_member_below(&err, belows[i].dir);
		ck_assert_str_eq(err.path, belows[i].path);
		ck_assert_str_eq(err.member, "");
	}
	memset(full, 'x', sizeof(full) - 1);
	full[sizeof(full) - 1] = '\0';
	rt_error_set(&err, RT_E_INPUT, "m");
	rt_error_below(&err, full, "a.json");
	ck_assert_str_eq(err.path, full);
	full[sizeof(full) - 2] = '\0';
	rt_error_set(&err, RT_E_INPUT, "m");
	rt_error_below(&err, full, "a.json");
	ck_assert_uint_eq(strlen(err.path), sizeof(full) - 1);
}
END_TEST

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct {
	const char *what;
	size_t cap;
	struct rt_slice in;
	const char *out;
} texts[] = {
    {"empty", 8, {NULL, 0}, ""},
    {"shorter", 8, TEXT("abc"), "abc"},
    {"fits", 8, TEXT("1234567"), "1234567"},
    {"one too long", 8, TEXT("12345678"), "1234567"},
    {"room for the end alone", 1, TEXT("abc"), ""},
    {"NUL inside", 8, TEXT("a\0b"),
     "a\x01"
     "b"},
    {"NUL at the end", 8, TEXT("a\0"), "a\x01"},
    {"sequence fits", 8,
     TEXT("12345\xC3\xA4"
	  "x"),
     "12345\xC3\xA4"},
    {"two bytes across", 8, TEXT("123456\xC3\xA4"), "123456"},
    {"three bytes across, one over", 8, TEXT("12345\xE2\x82\xAC"), "12345"},
    {"three bytes across, two over", 8, TEXT("123456\xE2\x82\xAC"), "123456"},
    {"four bytes across, one over", 8, TEXT("1234\xF0\x9F\x98\x80"), "1234"},
    {"four bytes across, three over", 8, TEXT("123456\xF0\x9F\x98\x80"), "123456"},
    {"nothing but a sequence", 4, TEXT("\xF0\x9F\x98\x80"), ""},
    {"continuation bytes alone", 8, TEXT("\x80\x80\x80\x80\x80\x80\x80\x80\x80"),
     "\x80\x80\x80\x80\x80\x80\x80"},
    {"more continuation bytes than a sequence has", 8, TEXT("12\xF0\x80\x80\x80\x80\x80\x80"),
     "12\xF0\x80\x80\x80\x80"},
};

START_TEST(text)
{
	char *field = malloc(texts[_i].cap);

	ck_assert_ptr_nonnull(field);
	rt_error_text(field, texts[_i].cap, texts[_i].in);
	ck_assert_msg(strcmp(field, texts[_i].out) == 0, "%s: %s", texts[_i].what, field);
	free(field);
}
END_TEST

/* However a text is cut, what is left of it is UTF-8. */
START_TEST(text_cut)
{
	static const char whole[] = "x\xC3\xA4y\xE2\x82\xACz\xF0\x9F\x98\x80\xC3\xA4";

	for (size_t cap = 1; cap <= sizeof(whole) + 1; cap++) {
		char field[sizeof(whole) + 1];
		size_t len;

		rt_error_text(field, cap, rt_slice_make(whole, sizeof(whole) - 1));
		len = strlen(field);
		ck_assert_uint_lt(len, cap);
		/* Nothing more is lost than the sequence that does not fit. */
		ck_assert_uint_ge(len + 4, cap < sizeof(whole) ? cap : sizeof(whole));
		ck_assert_mem_eq(field, whole, len);
		for (size_t i = 0; i < len; i += rt_utf8_length(field + i, len - i))
			ck_assert_msg(rt_utf8_length(field + i, len - i), "cap %zu", cap);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("error");
	TCase *tcase = tcase_create("error");

	tcase_add_loop_test(tcase, format_line, 0, sizeof(lines) / sizeof(lines[0]));
	tcase_add_loop_test(tcase, format_cut, 0, sizeof(lines) / sizeof(lines[0]));
	tcase_add_test(tcase, format_longest);
	tcase_add_test(tcase, set);
	tcase_add_loop_test(tcase, set_sys, 0, sizeof(systems) / sizeof(systems[0]));
	tcase_add_test(tcase, no_usage);
	tcase_add_test(tcase, set_sys_long);
	tcase_add_test(tcase, exit_status);
	tcase_add_test(tcase, at);
	tcase_add_test(tcase, below);
	tcase_add_loop_test(tcase, text, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tcase, text_cut);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
