/*
 * What counts of a text where scans are compared: rows, and random strings of awkward pieces
 * against a fold of what was decoded first.
 */
#include "engine/fold.h"

#include <stdlib.h>

#include "base/json_string.h"
#include "unit.h"

static const struct {
	enum rt_fold how;
	const char *json, *want;
} rows[] = {
    {RT_FOLD_CODE, "", ""},
    {RT_FOLD_CODE, "\\tif (a == b)\\r\\n\\u0020 x  ", "if(a==b)x"},
    {RT_FOLD_CODE, "say(\\\"\\\\n\\\");", "say(\"\\n\");"},
    {RT_FOLD_CODE, "\\u000b\\f\\b", "\b"},
    {RT_FOLD_MESSAGE, "on line 12, column 7", "on line 0, column 0"},
    {RT_FOLD_MESSAGE, "1234567890123456789", "0"},
    {RT_FOLD_MESSAGE, "1\\u003123 4", "0 0"},
    {RT_FOLD_MESSAGE, "a  b\\n", "a  b\n"},
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

static size_t model(const char *json, size_t len, enum rt_fold how, char *out)
{
	char text[512];
	size_t count = rt_json_string_decode(rt_slice_make(json, len), text), used = 0;
	bool digit = false;

	for (size_t i = 0; i < count; i++) {
		bool was = digit, blank = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');

		digit = text[i] >= '0' && text[i] <= '9';
		if ((how == RT_FOLD_CODE && blank) || (how == RT_FOLD_MESSAGE && digit && was))
			continue;
		out[used++] = text[i];
		if (how == RT_FOLD_MESSAGE && digit)
			out[used - 1] = '0';
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
		enum rt_fold how = (enum rt_fold)(round % 3);
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
	tcase_add_test(tcase, random_texts);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
