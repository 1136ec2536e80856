/*
 * Widths of characters: a choice of each kind, and that there is next to no other opinion than
 * that of the C library, whose version of Unicode may be another one.
 */
#include "base/width.h"

#include <locale.h>
#include <wchar.h>

#include "unit.h"

static const struct {
	const char *what;
	uint32_t point;
	unsigned columns;
} rows[] = {
    {"a letter", 'a', 1},
    {"a blank", ' ', 1},
    {"with a diaeresis", 0xE4, 1},
    {"a soft hyphen", 0xAD, 1},
    {"before the first mark", 0x2FF, 1},
    {"the first mark", 0x300, 0},
    {"the last of them", 0x36F, 0},
    {"after them", 0x370, 1},
    {"a Hebrew letter", 0x5D0, 1},
    {"a Hebrew point", 0x5B0, 0},
    {"an enclosing mark", 0x20DD, 0},
    {"zero width space", 0x200B, 0},
    {"zero width joiner", 0x200D, 0},
    {"variation selector 16", 0xFE0F, 0},
    {"an ellipsis", 0x2026, 1},
    {"a bracket of the mask", 0x27E8, 1},
    {"a leading jamo", 0x1100, 2},
    {"a vowel jamo", 0x1161, 0},
    {"Hangul", 0xAC00, 2},
    {"Hiragana", 0x3042, 2},
    {"Han", 0x4E2D, 2},
    {"Han of a later plane", 0x2A6D6, 2},
    {"a full-width letter", 0xFF21, 2},
    {"a half-width one", 0xFF71, 1},
    {"an emoji", 0x1F600, 2},
    {"a sign that may be one", 0x2764, 1},
    {"replacement character", 0xFFFD, 1},
    {"private use", 0xE000, 1},
    {"a tag", 0xE0041, 0},
    {"the last one", 0x10FFFF, 1},
};

START_TEST(choice)
{
	ck_assert_msg(rt_width(rows[_i].point) == rows[_i].columns, "%s: %u", rows[_i].what,
		      rt_width(rows[_i].point));
}
END_TEST

START_TEST(library)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	unsigned other = 0;
	locale_t before;

	if (!utf8)
		return;
	before = uselocale(utf8);
	for (uint32_t point = 0xA0; point <= 0x10FFFF; point++) {
		int columns = wcwidth((wchar_t)point);

		other += columns >= 0 && (unsigned)columns != rt_width(point);
	}
	(void)uselocale(before);
	freelocale(utf8);
	ck_assert_uint_le(other, 500);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("width");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, choice, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(cases, library);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
