/*
 * Escapes of JSON strings, decoded beside the text and in its place.
 */
#include "base/json_string.h"

#include <stdint.h>
#include <stdio.h>

#include "base/utf8.h"
#include "unit.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct {
	const char *what;
	struct rt_slice in, out;
	bool escaped;
} rows[] = {
    {"empty", TEXT(""), TEXT(""), false},
    {"plain", TEXT("plain text"), TEXT("plain text"), false},
    {"UTF-8 as it is", TEXT("\xC3\xA4\xF0\x9F\x98\x80"), TEXT("\xC3\xA4\xF0\x9F\x98\x80"), false},
    {"quote", TEXT("\\\""), TEXT("\""), true},
    {"backslash", TEXT("\\\\"), TEXT("\\"), true},
    {"slash", TEXT("\\/"), TEXT("/"), true},
    {"backspace", TEXT("\\b"), TEXT("\b"), true},
    {"form feed", TEXT("\\f"), TEXT("\f"), true},
    {"newline", TEXT("\\n"), TEXT("\n"), true},
    {"carriage return", TEXT("\\r"), TEXT("\r"), true},
    {"tab", TEXT("\\t"), TEXT("\t"), true},
    {"all letters", TEXT("\\\"\\\\\\/\\b\\f\\n\\r\\t"), TEXT("\"\\/\b\f\n\r\t"), true},
    {"backslash before a letter of an escape", TEXT("\\\\n"), TEXT("\\n"), true},
    {"backslash before u", TEXT("\\\\u0041"), TEXT("\\u0041"), true},
    {"two backslashes and an escape", TEXT("\\\\\\n"), TEXT("\\\n"), true},
    {"text around", TEXT("a\\tb\\nc"), TEXT("a\tb\nc"), true},
    {"NUL", TEXT("a\\u0000b"), TEXT("a\0b"), true},
    {"one byte", TEXT("\\u0041"), TEXT("A"), true},
    {"two bytes", TEXT("\\u00e4"), TEXT("\xC3\xA4"), true},
    {"two bytes, capitals", TEXT("\\u00E4"), TEXT("\xC3\xA4"), true},
    {"three bytes", TEXT("\\u20ac"), TEXT("\xE2\x82\xAC"), true},
    {"mixed case", TEXT("\\uFfFd"), TEXT("\xEF\xBF\xBD"), true},
    {"before the surrogates", TEXT("\\ud7ff"), TEXT("\xED\x9F\xBF"), true},
    {"after the surrogates", TEXT("\\ue000"), TEXT("\xEE\x80\x80"), true},
    {"pair", TEXT("\\ud83d\\ude00"), TEXT("\xF0\x9F\x98\x80"), true},
    {"half a pair", TEXT("\\ud83d"), TEXT("\xEF\xBF\xBD"), true},
    {"the other half", TEXT("\\ude00x"), TEXT("\xEF\xBF\xBDx"), true},
    {"half before a pair", TEXT("\\ud83d\\ud83d\\ude00"), TEXT("\xEF\xBF\xBD\xF0\x9F\x98\x80"),
     true},
    {"half before another escape", TEXT("\\ud83d\\n"), TEXT("\xEF\xBF\xBD\n"), true},
    {"first pair", TEXT("\\uD800\\uDC00"), TEXT("\xF0\x90\x80\x80"), true},
    {"last pair", TEXT("\\uDBFF\\uDFFF"), TEXT("\xF4\x8F\xBF\xBF"), true},
    {"two pairs", TEXT("\\ud83d\\ude00\\ud83d\\ude01"), TEXT("\xF0\x9F\x98\x80\xF0\x9F\x98\x81"),
     true},
    {"pair and text", TEXT("x\\ud83d\\ude00y"), TEXT("x\xF0\x9F\x98\x80y"), true},
    {"escapes side by side", TEXT("\\u0031\\u0032\\u0033"), TEXT("123"), true},
    {"digits after", TEXT("\\u00414"), TEXT("A4"), true},
};

/* Decode a copy of in, in a block of its exact size; in place or into another such block. */
static void decode(size_t row, bool in_place)
{
	size_t len = rows[row].in.len, got;
	char *copy = malloc(len ? len : 1), *out = in_place ? copy : malloc(len ? len : 1);

	ck_assert(copy && out);
	memcpy(copy, rows[row].in.ptr, len);
	got = rt_json_string_decode(rt_slice_make(copy, len), out);
	ck_assert_msg(got <= len, "%s: longer", rows[row].what);
	ck_assert_msg(rt_slice_equal(rt_slice_make(out, got), rows[row].out),
		      "%s: have %zu bytes %.*s", rows[row].what, got, (int)got, out);
	if (!in_place) {
		ck_assert_msg(memcmp(copy, rows[row].in.ptr, len) == 0, "%s: changed",
			      rows[row].what);
		free(out);
	}
	free(copy);
}

START_TEST(table)
{
	size_t row = (size_t)_i;

	decode(row, false);
	decode(row, true);
	ck_assert_msg(rt_json_string_is_escaped(rows[row].in) == rows[row].escaped, "%s",
		      rows[row].what);
}
END_TEST

/* The text is the bytes themselves where they have no escape, and in room where they have. */
START_TEST(plain_text)
{
	size_t row = (size_t)_i;
	struct rt_slice in = rows[row].in, text = {NULL, 0};
	struct rt_buf room = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&room, "before", 6, &err), RT_OK);
	ck_assert_int_eq(rt_json_string_text(in, &room, &text, &err), RT_OK);
	ck_assert_msg(rt_slice_equal(text, rows[row].out), "%s", rows[row].what);
	ck_assert_msg((text.ptr == in.ptr) == !rows[row].escaped, "%s", rows[row].what);
	ck_assert_msg(rows[row].escaped == (text.ptr == room.data), "%s", rows[row].what);
	rt_buf_release(&room);
}
END_TEST

/* Absent text is not escaped. */
START_TEST(absent)
{
	ck_assert(!rt_json_string_is_escaped(rt_slice_make(NULL, 0)));
}
END_TEST

/* Every code point as an escape, with small and with capital digits. */
START_TEST(points)
{
	for (uint32_t point = 0; point <= 0x10FFFF; point++) {
		char text[2][16], expected[4], out[16];
		uint32_t high = 0xD800 + (point - 0x10000) / 0x400, low = 0xDC00 + point % 0x400;
		size_t len = rt_utf8_encode(point, expected);

		if (point >= 0xD800 && point <= 0xDFFF)
			continue;
		if (point < 0x10000) {
			snprintf(text[0], sizeof(text[0]), "\\u%04x", point);
			snprintf(text[1], sizeof(text[1]), "\\u%04X", point);
		} else {
			snprintf(text[0], sizeof(text[0]), "\\u%04x\\u%04x", high, low);
			snprintf(text[1], sizeof(text[1]), "\\u%04X\\u%04X", high, low);
		}
		for (size_t i = 0; i < 2; i++) {
			struct rt_slice in = rt_slice_make(text[i], strlen(text[i]));

			if (rt_json_string_decode(in, out) != len || memcmp(out, expected, len))
				ck_abort_msg("%s", text[i]);
		}
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("json_string");
	TCase *tcase = tcase_create("json_string");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tcase, plain_text, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, absent);
	tcase_add_test(tcase, points);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
