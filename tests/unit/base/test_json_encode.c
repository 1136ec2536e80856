/*
 * Text as JSON strings: what is escaped, that one text has one spelling, and that others read it
 * back.
 */
#include <jansson.h>
#include <stdint.h>

#include "base/json_string.h"
#include "base/utf8.h"
#include "unit.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct {
	const char *what;
	struct rt_slice in, out;
} rows[] = {
    {"empty", TEXT(""), TEXT("\"\"")},
    {"absent", {NULL, 0}, TEXT("\"\"")},
    {"plain", TEXT("plain text"), TEXT("\"plain text\"")},
    {"quote", TEXT("\""), TEXT("\"\\\"\"")},
    {"backslash", TEXT("\\"), TEXT("\"\\\\\"")},
    {"slash stays", TEXT("/"), TEXT("\"/\"")},
    {"letters", TEXT("\b\f\n\r\t"), TEXT("\"\\b\\f\\n\\r\\t\"")},
    {"control without a letter", TEXT("\v"), TEXT("\"\\u000b\"")},
    {"NUL", TEXT("a\0b"), TEXT("\"a\\u0000b\"")},
    {"last of C0", TEXT("\x1F "), TEXT("\"\\u001f \"")},
    {"DEL", TEXT("~\x7F"), TEXT("\"~\\u007f\"")},
    {"first of C1", TEXT("\xC2\x80"), TEXT("\"\\u0080\"")},
    {"last of C1, and after it", TEXT("\xC2\x9F\xC2\xA0"), TEXT("\"\\u009f\xC2\xA0\"")},
    {"Arabic letter mark", TEXT("\xD8\x9C\xD8\x9D"), TEXT("\"\\u061c\xD8\x9D\"")},
    {"separators", TEXT("\xE2\x80\xA8\xE2\x80\xA9"), TEXT("\"\\u2028\\u2029\"")},
    {"override",
     TEXT("a\xE2\x80\xAE"
	  "b"),
     TEXT("\"a\\u202eb\"")},
    {"isolates", TEXT("\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA"),
     TEXT("\"\\u2066\\u2069\xE2\x81\xAA\"")},
    {"byte order mark", TEXT("\xEF\xBB\xBF\xEF\xBB\xBE"), TEXT("\"\\ufeff\xEF\xBB\xBE\"")},
    {"four bytes stay", TEXT("\xF0\x9F\x98\x80"), TEXT("\"\xF0\x9F\x98\x80\"")},
    {"at the end of eight bytes", TEXT("1234567\n12345678"), TEXT("\"1234567\\n12345678\"")},
    {"at the start of eight bytes", TEXT("12345678\n1234567"), TEXT("\"12345678\\n1234567\"")},
    {"all of eight bytes", TEXT("\n\n\n\n\n\n\n\n"), TEXT("\"\\n\\n\\n\\n\\n\\n\\n\\n\"")},
};

/* A copy in a block of its exact size, so that a sanitizer sees one byte too far. */
static char *copy_of(struct rt_slice text)
{
	char *copy = malloc(text.len ? text.len : 1);

	ck_assert_ptr_nonnull(copy);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	return copy;
}

START_TEST(table)
{
	char *copy = copy_of(rows[_i].in);
	struct rt_slice in = rt_slice_make(rows[_i].in.ptr ? copy : NULL, rows[_i].in.len);
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&out, "x", 1, &err), RT_OK);
	ck_assert_int_eq(rt_json_string_encode(in, &out, &err), RT_OK);
	ck_assert_msg(out.data[0] == 'x' &&
			  rt_slice_equal(rt_slice_make(out.data + 1, out.len - 1), rows[_i].out),
		      "%s: have %.*s", rows[_i].what, (int)out.len, out.data);
	ck_assert_uint_eq(rt_json_string_encoded_len(in), rows[_i].out.len);
	rt_buf_release(&out);
	free(copy);
}
END_TEST

/* Every code point at every place in eight bytes: escaped if unsafe, and read back by jansson. */
START_TEST(points)
{
	struct rt_buf out = {0};
	struct rt_error err;

	for (uint32_t point = 0; point <= 0x10FFFF; point++) {
		char text[16] = "1234567";
		size_t before = point % 8, len = before + rt_utf8_encode(point, text + before);
		bool escaped = rt_utf8_is_unsafe(point) || point == '"' || point == '\\';
		json_t *back;

		if ((point >= 0xD800 && point <= 0xDFFF) || (point > 0x30000 && point % 97))
			continue;
		out.len = 0;
		ck_assert_int_eq(rt_json_string_encode(rt_slice_make(text, len), &out, &err),
				 RT_OK);
		ck_assert_uint_eq(rt_json_string_encoded_len(rt_slice_make(text, len)), out.len);
		if ((out.len != len + 2) != escaped)
			ck_abort_msg("U+%04X: %.*s", point, (int)out.len, out.data);
		back = json_loadb(out.data, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		if (json_string_length(back) != len ||
		    memcmp(json_string_value(back), text, len) != 0)
			ck_abort_msg("U+%04X: %.*s", point, (int)out.len, out.data);
		json_decref(back);
	}
	rt_buf_release(&out);
}
END_TEST

/* A code point at every place of a text of some blocks: there it is that plain text ends, if it is
 * to be escaped. */
START_TEST(places)
{
	enum { ROOM = 40 };

	for (uint32_t point = 0; point <= 0xFFFF;
	     point += point < 0x2100 || point > 0xEFFF ? 1 : 61) {
		bool escaped = rt_utf8_is_unsafe(point) || point == '"' || point == '\\';

		for (size_t before = 0; before <= ROOM; before++) {
			char text[2 * ROOM + 4];
			size_t len = before, have;

			if (point >= 0xD800 && point <= 0xDFFF)
				break;
			memset(text, 'x', sizeof(text));
			len += rt_utf8_encode(point, text + before) + (before * 7 + point) % ROOM;
			have = rt_json_string_plain(text, len);
			if (have != (escaped ? before : len))
				ck_abort_msg("U+%04X after %zu of %zu: %zu", point, before, len,
					     have);
		}
	}
}
END_TEST

/* A character, and what follows a backslash, at every place of a text of some blocks: whether we
 * would have written it so. Escapes and characters that stay as they are stand around it. */
START_TEST(own)
{
	static const char around[] =
	    "\\n12\xE2\x80\xA6 \xC3\xA9\\\\34567\\\"890\xE2\x82\xAC ab\\tcdefghijk\\\\";

	for (size_t before = 0; before < sizeof(around); before++) {
		bool splits = before > 0 && (around[before] & 0xC0) == 0x80;

		/* Not in the middle of an escape. */
		for (size_t i = 0; i < before; i++) {
			if (around[i] == '\\' && ++i == before)
				splits = true;
		}
		for (unsigned c = 1; c < 0x100 && !splits; c++) {
			char text[128];
			bool escape = c >= 0x80, is_own = !strchr("\"\\\x7F", (int)c) && c >= ' ';
			int len;

			/* Beyond ASCII: the letter after a backslash. */
			if (escape)
				is_own = strchr("\"\\bfnrt", (int)(c - 0x80)) && c > 0x80;
			if (c == '\\' || (escape && c - 0x80 < ' '))
				continue;
			len = snprintf(text, sizeof(text), "%.*s%s%c%s", (int)before, around,
				       escape ? "\\" : "", (char)(c & 0x7F), around + before);
			if (rt_json_string_is_own(rt_slice_make(text, (size_t)len)) != is_own)
				ck_abort_msg("%d after %zu: %s", c, before, text);
		}
	}
	ck_assert(!rt_json_string_is_own(RT_SLICE("0123456789abcdefg\xE2\x80\x8F")));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("json_encode");
	TCase *tcase = tcase_create("json_encode");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, points);
	tcase_add_test(tcase, places);
	tcase_add_test(tcase, own);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
