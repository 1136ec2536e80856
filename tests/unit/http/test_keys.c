/*
 * Key files: what is let in under which name, and every line that is refused, by its number.
 */
#include "http/keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "unit.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const struct {
	const char *what;
	struct rt_slice text;
	size_t count;      /* keys in the set afterwards */
	enum rt_code code; /* RT_E_NONE: all of it is good */
	uint64_t line;
} files[] = {
    {"nothing", RT_SLICE(""), 0, RT_E_NONE, 0},
    {"one", RT_SLICE("a sha256:" A64 "\n"), 1, RT_E_NONE, 0},
    {"no newline at the end", RT_SLICE("a sha256:" A64), 1, RT_E_NONE, 0},
    {"CR LF", RT_SLICE("a sha256:" A64 "\r\n\r\nb sha256:" B64 "\r\n"), 2, RT_E_NONE, 0},
    {"comments", RT_SLICE("# x\n\n#\na sha256:" A64 "\n\n"), 1, RT_E_NONE, 0},
    {"one name, two keys", RT_SLICE("a sha256:" A64 "\na sha256:" B64 "\n"), 2, RT_E_NONE, 0},
    {"one key, two names", RT_SLICE("a sha256:" A64 "\nb sha256:" A64), 1, RT_E_INPUT, 2},
    {"no digest", RT_SLICE("a sha256:" A64 "\n\na"), 1, RT_E_INPUT, 3},
    {"no name", RT_SLICE(" sha256:" A64), 0, RT_E_INPUT, 1},
    {"blank before it", RT_SLICE(" a sha256:" A64), 0, RT_E_INPUT, 1},
    {"two blanks", RT_SLICE("a  sha256:" A64), 0, RT_E_INPUT, 1},
    {"blank after it", RT_SLICE("a sha256:" A64 " "), 0, RT_E_INPUT, 1},
    {"a tab", RT_SLICE("a\tsha256:" A64), 0, RT_E_INPUT, 1},
    {"63 digits", RT_SLICE("a sha256:a" B64 "\n"), 0, RT_E_INPUT, 1},
    {"capital letters", RT_SLICE("a sha256:A" B64), 0, RT_E_INPUT, 1},
    {"another digest", RT_SLICE("a sha512:" A64), 0, RT_E_INPUT, 1},
    {"NUL in it", RT_SLICE("a\0 sha256:" A64), 0, RT_E_INPUT, 1},
    {"NUL as a line", RT_SLICE("\0\n"), 0, RT_E_INPUT, 1},
    {"a name of 64", RT_SLICE(A64 " sha256:" A64), 1, RT_E_NONE, 0},
    {"a name of 65", RT_SLICE(A64 "a sha256:" A64), 0, RT_E_INPUT, 1},
    {"all it may hold", RT_SLICE("aZ09._@- sha256:" A64), 1, RT_E_NONE, 0},
    {"a slash in it", RT_SLICE("a/b sha256:" A64), 0, RT_E_INPUT, 1},
    {"a letter above ASCII", RT_SLICE("\xC3\xBC sha256:" A64), 0, RT_E_INPUT, 1},
};

START_TEST(test_files)
{
	struct rt_keys keys = {0};
	struct rt_error err = {0};
	enum rt_status status = rt_keys_add_text(&keys, files[_i].text, &err);

	ck_assert_msg((status == RT_OK) == (files[_i].code == RT_E_NONE), "%s", files[_i].what);
	ck_assert_msg(keys.count == files[_i].count, "%s: %zu", files[_i].what, keys.count);
	if (status != RT_OK) {
		ck_assert_msg(err.code == files[_i].code, "%s", files[_i].what);
		ck_assert_msg(err.line == files[_i].line, "%s: line %u", files[_i].what,
			      (unsigned)err.line);
		ck_assert_msg(!strstr(err.message, "aaaa"), "%s", files[_i].what);
	}
	free(keys.items);
}
END_TEST

static const struct {
	const char *what;
	const char *key;
	bool good;
} keys_alone[] = {
    {"15 characters", "123456789012345", false},
    {"16 characters", "1234567890123456", true},
    {"all that is visible", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true},
    {"a blank", "12345678 90123456", false},
    {"a newline", "1234567890123456\n", false},
    {"DEL", "1234567890123456\x7F", false},
    {"a letter above ASCII", "1234567890123456\xC3\xBC", false},
};

START_TEST(test_alone)
{
	struct rt_keys keys = {0};
	struct rt_error err = {0};
	enum rt_status status = rt_keys_add_key(&keys, keys_alone[_i].key, &err);

	ck_assert_msg((status == RT_OK) == keys_alone[_i].good, "%s", keys_alone[_i].what);
	ck_assert_msg(status == RT_OK || err.code == RT_E_USAGE, "%s", keys_alone[_i].what);
	if (status == RT_OK)
		ck_assert_str_eq(keys.items[0].name, "default");
	free(keys.items);
}
END_TEST

/* Each key is found under its own name, and one bit makes it another. */
START_TEST(test_find)
{
	static char made[100][44];
	struct rt_keys keys = {0};
	const char *found;
	struct rt_error err;
	char name[8];

	for (unsigned i = 0; i < 100; i++) {
		char line[160];

		snprintf(name, sizeof(name), "n%u", i);
		ck_assert_int_eq(rt_serve_new_key(name, made[i], line, &err), RT_OK);
		ck_assert_uint_eq(strlen(made[i]), 43);
		ck_assert_int_eq(rt_keys_add_text(&keys, rt_slice_make(line, strlen(line)), &err),
				 RT_OK);
	}
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		ck_assert_int_eq(rt_keys_find(&keys, made[i], &found, &err), RT_OK);
		ck_assert_str_eq(found, name);
		for (unsigned bit = 0; bit < 43 * 8; bit += 17) {
			made[i][bit / 8] ^= (char)(1u << bit % 7);
			ck_assert_int_eq(rt_keys_find(&keys, made[i], &found, &err), RT_OK);
			ck_assert_ptr_null(found);
			made[i][bit / 8] ^= (char)(1u << bit % 7);
		}
	}
	ck_assert_int_eq(rt_keys_find(&keys, NULL, &found, &err), RT_OK);
	ck_assert_ptr_null(found);
	free(keys.items);
}
END_TEST

START_TEST(test_too_many)
{
	struct rt_keys keys = {0};
	struct rt_error err = {0};
	enum rt_status status = RT_OK;
	unsigned added = 0;

	for (; added < 2 * RT_HTTP_KEYS_MAX && status == RT_OK; added++) {
		char line[160], key[44];

		ck_assert_int_eq(rt_serve_new_key("a", key, line, &err), RT_OK);
		status = rt_keys_add_text(&keys, rt_slice_make(line, strlen(line)), &err);
	}
	ck_assert_uint_eq(added, RT_HTTP_KEYS_MAX + 1);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	free(keys.items);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("keys");
	TCase *tcase = tcase_create("keys");

	tcase_add_loop_test(tcase, test_files, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_loop_test(tcase, test_alone, 0, sizeof(keys_alone) / sizeof(keys_alone[0]));
	tcase_add_test(tcase, test_find);
	tcase_add_test(tcase, test_too_many);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
