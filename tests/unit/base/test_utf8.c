/*
 * UTF-8: every code point there and back, and the verdict on every two-byte prefix with many
 * tails, against one that decodes first and asks for the shortest form afterwards.
 */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "unit.h"

#define POINT_MAX 0x10FFFFu

static bool is_surrogate(uint32_t point)
{
	return point >= 0xD800 && point <= 0xDFFF;
}

/* Length that RFC 3629 gives a code point. */
static size_t point_length(uint32_t point)
{
	return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/* Check's assertions write to a pipe each time: too slow for this many. */
static void point_check(uint32_t point)
{
	size_t need = point_length(point), len, accepted;
	char bytes[4] = {'?', '?', '?', '?'};

	len = rt_utf8_encode(point, bytes);
	if (len != need)
		ck_abort_msg("U+%04X: %zu bytes", point, len);
	for (size_t i = len; i < sizeof(bytes); i++) {
		if (bytes[i] != '?')
			ck_abort_msg("U+%04X: byte %zu written", point, i);
	}
	accepted = rt_utf8_length(bytes, 4);
	if (accepted != (is_surrogate(point) ? 0 : len))
		ck_abort_msg("U+%04X: %zu bytes accepted", point, accepted);
	if (accepted && rt_utf8_decode(bytes, len) != point)
		ck_abort_msg("U+%04X: decoded", point);
	for (size_t cut = 1; cut < len; cut++) {
		if (rt_utf8_length(bytes, cut) != 0)
			ck_abort_msg("U+%04X: cut to %zu bytes", point, cut);
	}
}

START_TEST(points)
{
	for (uint32_t point = 0; point <= POINT_MAX; point++)
		point_check(point);
}
END_TEST

static const struct {
	const char *what;
	uint32_t point;
	const char *bytes;
} known[] = {
    {"NUL", 0x0, "\0"},
    {"letter", 0x41, "A"},
    {"last of one byte", 0x7F, "\x7F"},
    {"first of two", 0x80, "\xC2\x80"},
    {"a with diaeresis", 0xE4, "\xC3\xA4"},
    {"last of two", 0x7FF, "\xDF\xBF"},
    {"first of three", 0x800, "\xE0\xA0\x80"},
    {"euro sign", 0x20AC, "\xE2\x82\xAC"},
    {"last before the surrogates", 0xD7FF, "\xED\x9F\xBF"},
    {"first after the surrogates", 0xE000, "\xEE\x80\x80"},
    {"replacement character", 0xFFFD, "\xEF\xBF\xBD"},
    {"last of three", 0xFFFF, "\xEF\xBF\xBF"},
    {"first of four", 0x10000, "\xF0\x90\x80\x80"},
    {"grinning face", 0x1F600, "\xF0\x9F\x98\x80"},
    {"last", 0x10FFFF, "\xF4\x8F\xBF\xBF"},
};

START_TEST(known_points)
{
	size_t len = point_length(known[_i].point);
	char bytes[4];

	ck_assert_msg(rt_utf8_encode(known[_i].point, bytes) == len, "%s", known[_i].what);
	ck_assert_msg(memcmp(bytes, known[_i].bytes, len) == 0, "%s: encoded", known[_i].what);
	ck_assert_msg(rt_utf8_length(known[_i].bytes, len) == len, "%s: length", known[_i].what);
	ck_assert_msg(rt_utf8_decode(known[_i].bytes, len) == known[_i].point, "%s: decoded",
		      known[_i].what);
}
END_TEST

/* What rt_utf8_length() has to say, by decoding whatever the first byte promises. */
static size_t length_expected(const unsigned char *s, size_t len)
{
	size_t need = s[0] < 0x80             ? 1
		      : (s[0] & 0xE0) == 0xC0 ? 2
		      : (s[0] & 0xF0) == 0xE0 ? 3
		      : (s[0] & 0xF8) == 0xF0 ? 4
					      : 0;
	uint32_t point = need == 1 ? s[0] : s[0] & (0x7Fu >> need);

	if (need == 0 || need > len)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		point = point * 64 + s[i] % 64;
	}
	return point <= POINT_MAX && !is_surrogate(point) && point_length(point) == need ? need : 0;
}

/* One first byte, every second one. */
START_TEST(prefixes)
{
	static const unsigned char tails[] = {0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90,
					      0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
	unsigned char s[4] = {(unsigned char)_i};

	for (unsigned rest = 0; rest < 256 * sizeof(tails) * sizeof(tails); rest++) {
		s[1] = (unsigned char)(rest % 256);
		s[2] = tails[rest / 256 % sizeof(tails)];
		s[3] = tails[rest / 256 / sizeof(tails)];
		for (size_t len = 1; len <= 4; len++) {
			size_t got = rt_utf8_length((const char *)s, len);

			if (got != length_expected(s, len))
				ck_abort_msg("%02X %02X %02X %02X, %zu of them: %zu", s[0], s[1],
					     s[2], s[3], len, got);
		}
	}
}
END_TEST

/* A sequence that is cut short lies at the end of its block: nothing after it may be read. */
START_TEST(cut_short)
{
	static const char *const starts[] = {"\xC3", "\xE2\x82", "\xE2", "\xF0\x9F\x98", "\xF4"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t len = strlen(starts[i]);
		char *block = malloc(len);

		ck_assert_ptr_nonnull(block);
		memcpy(block, starts[i], len);
		ck_assert_uint_eq(rt_utf8_length(block, len), 0);
		free(block);
	}
}
END_TEST

/* Unicode's categories Cc, Zl and Zp, its property Bidi_Control, and the byte order mark. */
static const struct {
	uint32_t first, last;
} unsafe[] = {
    {0x0, 0x1F},      {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200E, 0x200F},
    {0x2028, 0x2029}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF},
};

START_TEST(unsafe_points)
{
	for (uint32_t point = 0; point <= POINT_MAX; point++) {
		bool expected = false;

		for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
			expected |= point >= unsafe[i].first && point <= unsafe[i].last;
		if (!rt_utf8_is_unsafe(point) != !expected)
			ck_abort_msg("U+%04X", point);
	}
}
END_TEST

/* Unicode's category Zs. */
static const struct {
	uint32_t first, last;
} spaces[] = {
    {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
    {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};

START_TEST(space_points)
{
	for (uint32_t point = 0; point <= POINT_MAX; point++) {
		bool expected = false;

		for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
			expected |= point >= spaces[i].first && point <= spaces[i].last;
		if (!rt_utf8_is_space(point) != !expected)
			ck_abort_msg("U+%04X", point);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("utf8");
	TCase *tcase = tcase_create("utf8");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, points);
	tcase_add_loop_test(tcase, known_points, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_loop_test(tcase, prefixes, 0, 256);
	tcase_add_test(tcase, cut_short);
	tcase_add_test(tcase, unsafe_points);
	tcase_add_test(tcase, space_points);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
