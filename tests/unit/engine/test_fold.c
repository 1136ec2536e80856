/*
 * What counts of a text where scans are compared: rows, and random strings of awkward pieces
 * against a fold of what was decoded first.
 */
#include "engine/fold.h"

#include <stdlib.h>

#include "base/json_string.h"
#include "unit.h"

static const struct {
	enum rt_fold_numbers which;
	const char *text, *want;
	uint64_t numbers;
} messages[] = {
    {RT_FOLD_DIGITS, "on line 12, column 7", "on line 0, column 0", 0x212170000000},
    {RT_FOLD_DIGITS, "a1b22 x-33 -4 5-6", "a0b0 x-33 -0 0-0", 0x112222331415},
    {RT_FOLD_DIGITS, "CVE-2021-44228, 1.2", "CVE-2021-44228, 0.0", 0x420215442281},
    {RT_FOLD_DIGITS, "advisory 1500, id=7 ##8 x#9 #1a", "advisory 1500, id=7 ##8 x#0 #0a",
     0x415001718191},
    {RT_FOLD_DIGITS, "1234567890123456789", "0", 0xF12345678901},
    {RT_FOLD_DIGITS, "", "", 0},
    {RT_FOLD_DIGITS, "007", "0", 0x170000000000},
    {RT_FOLD_WORDS, "17 of 1.2.3 and x1, 5. (6) -7 a-8 9-b", "0 of 1.2.3 and x1, 0. (0) -0 a-8 9-b",
     0x217111213111},
    {RT_FOLD_WORDS, "bug 12, bug12 3, see No. 4; no: #5; issues 6",
     "bug 12, bug12 0, see No. 4; no: #5; issues 0", 0x212212131415},
    {RT_FOLD_WORDS,
     "\xC3\xA9"
     "1 \xC3\xA9 2",
     "\xC3\xA9"
     "1 \xC3\xA9 0",
     0x111200000000},
};

static const struct {
	const char *code;
	bool want;
} hidden[] = {
    {"REDACTED", true},
    {"<redacted>", true},
    {"requireslogin", true},
    {"***", true},
    {"**", false},
    {"}", false},
    {"XxX", true},
    {"xy", false},
    {"\xE2\x80\xA6\xE2\x80\xA6\xE2\x80\xA6", true},
    {"\xE2\x80\xA6", false},
    {"key=****", true},
    {"key=***", false},
    {"a=\"****\";", true},
    {"'REDACTED')", true},
    {"isREDACTED", false},
    {"x:<REDACTED>", true},
    {"secret()", true},
    {"secret(x)", false},
    {"", false},
    {"a****", false},
    {"....", true},
};

static const struct {
	enum rt_fold how;
	const char *json, *want;
} rows[] = {
    {RT_FOLD_CODE, "", ""},
    {RT_FOLD_CODE, "\\tif (a == b)\\r\\n\\u0020 x  ", "if(a==b)x"},
    {RT_FOLD_CODE, "say(\\\"\\\\n\\\");", "say(\"\\n\");"},
    {RT_FOLD_CODE, "\\u000b\\f\\b", "\b"},
    {RT_FOLD_PATH, "src\\\\a 1.c", "src/a 1.c"},
    {RT_FOLD_PATH, "src\\/\\u005ca.c", "src//a.c"},
    {RT_FOLD_PATH, "\\ud83d\\ude00\\u00e9/x", "\xF0\x9F\x98\x80\xC3\xA9/x"},
};

/* Fold a string whose first and last bytes are those of its memory. */
static size_t fold(const char *json, size_t len, enum rt_fold how, char *ret_text)
{
	char *in = malloc(len ? len : 1), *out = malloc(len ? len : 1);
	size_t count;

	ck_assert(in && out);
	memcpy(in, json, len);
	count = rt_fold(rt_slice_make(in, len), how, out);
	memcpy(ret_text, out, count);
	free(in);
	free(out);
	return count;
}

START_TEST(row)
{
	char have[64];
	size_t len = fold(rows[_i].json, strlen(rows[_i].json), rows[_i].how, have);

	ck_assert_msg(len == strlen(rows[_i].want) && !memcmp(have, rows[_i].want, len), "%s: %.*s",
		      rows[_i].json, (int)len, have);
}
END_TEST

START_TEST(message)
{
	struct rt_slice text = {messages[_i].text, strlen(messages[_i].text)};
	char have[64];
	uint64_t numbers;
	size_t len = rt_fold_message(text, messages[_i].which, have, &numbers);

	ck_assert_msg(len == strlen(messages[_i].want) && !memcmp(have, messages[_i].want, len),
		      "%s: %.*s", text.ptr, (int)len, have);
	ck_assert_msg(numbers == messages[_i].numbers, "%s: %llx", text.ptr,
		      (unsigned long long)numbers);
}
END_TEST

START_TEST(redaction)
{
	struct rt_slice code = {hidden[_i].code, strlen(hidden[_i].code)};

	ck_assert_msg(rt_fold_is_redacted(code) == hidden[_i].want, "%s", code.ptr);
}
END_TEST

static size_t model(const char *json, size_t len, enum rt_fold how, char *out)
{
	char text[512];
	size_t count = rt_json_string_decode(rt_slice_make(json, len), text), used = 0;

	for (size_t i = 0; i < count; i++) {
		bool blank = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');

		if (how == RT_FOLD_CODE && blank)
			continue;
		out[used++] = text[i];
		if (how == RT_FOLD_PATH && text[i] == '\\')
			out[used - 1] = '/';
	}
	return used;
}

START_TEST(random_texts)
{
	static const char *const pieces[] = {
	    "a",        " ",   "7",         "90",      "\\n",     "\\\\",     "\\\"",
	    "\\t",      "/",   "zz",        "\\u0020", "\\u0039", "\xC3\xA9", "\\ud83d\\ude00",
	    "abcdefgh", "\\b", "123456789",
	};

	srand(1);
	for (int round = 0; round < 20000; round++) {
		enum rt_fold how = (enum rt_fold)(round % 2);
		char json[512] = "", want[512], have[512];
		size_t wanted, len, count = (size_t)rand() % 25;

		for (size_t i = 0; i < count; i++)
			strcat(json, pieces[(size_t)rand() % (sizeof(pieces) / sizeof(*pieces))]);
		wanted = model(json, strlen(json), how, want);
		len = fold(json, strlen(json), how, have);
		ck_assert_msg(len == wanted && !memcmp(have, want, len), "%d: %s", how, json);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("fold");
	TCase *tcase = tcase_create("fold");

	tcase_add_loop_test(tcase, row, 0, (int)(sizeof(rows) / sizeof(*rows)));
	tcase_add_loop_test(tcase, message, 0, (int)(sizeof(messages) / sizeof(*messages)));
	tcase_add_loop_test(tcase, redaction, 0, (int)(sizeof(hidden) / sizeof(*hidden)));
	tcase_add_test(tcase, random_texts);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
