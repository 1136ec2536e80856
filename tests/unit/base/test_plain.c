/*
 * How far a text is plain: every byte at every place of texts of every length, each text in memory
 * of just its size, held against a look at one byte after the other.
 */
#include "base/plain.h"

#include <stdlib.h>

#include "unit.h"

#define LONGEST 50u

static size_t plain_by_bytes(const char *at, size_t len, const char *set, bool odd)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];

		if ((c && strchr(set, c)) || (odd && (c < 0x20 || c >= 0x7F)))
			return i;
	}
	return len;
}

static void check_len(const char *at, size_t len)
{
	ck_assert_uint_eq(rt_plain_len(at, len, "", true), plain_by_bytes(at, len, "", true));
	ck_assert_uint_eq(rt_plain_len(at, len, "[:", true), plain_by_bytes(at, len, "[:", true));
	ck_assert_uint_eq(rt_plain_len(at, len, "\"", false), plain_by_bytes(at, len, "\"", false));
	ck_assert_uint_eq(rt_plain_len(at, len, "abcdefgh", false),
			  plain_by_bytes(at, len, "abcdefgh", false));
}

/* A byte alone among blanks, and before another one that counts. */
static void check_places(char byte, size_t len)
{
	char *text = malloc(len);

	ck_assert_ptr_nonnull(text);
	for (size_t at = 0; at < len; at++) {
		memset(text, ' ', len);
		text[at] = byte;
		check_len(text, len);
		text[len - 1] = 'h';
		text[len / 2] = '[';
		check_len(text, len);
	}
	free(text);
}

START_TEST(places)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t len = 1; len <= LONGEST; len++)
			check_places((char)byte, len);
	}
}
END_TEST

START_TEST(nothing)
{
	ck_assert_uint_eq(rt_plain_len(NULL, 0, "[", true), 0);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("plain");
	TCase *tcase = tcase_create("plain");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, places);
	tcase_add_test(tcase, nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
