/*
 * What a stream is by its first bytes: old forms of tar and cpio, which have no name of their own
 * in front, and what is text.
 */
#include "decode/magic.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define FIELD 148 /* of the checksum in a tar header, 8 bytes */

/* A header of the oldest tar, with its checksum as the format writes it. */
static enum rt_magic tar_find(const char *before, int digits, const char *after, bool right)
{
	uint8_t head[RT_MAGIC_BYTES] = "a.json";
	char field[16];
	unsigned sum = 0;

	memset(head + FIELD, ' ', 8);
	for (size_t i = 0; i < sizeof(head); i++)
		sum += head[i];
	memset(field, ' ', sizeof(field));
	(void)snprintf(field, sizeof(field), "%s%0*o%s", before, digits, right ? sum : sum + 1,
		       after);
	memcpy(head + FIELD, field, 8);
	return rt_magic_find(head, sizeof(head));
}

static const struct {
	const char *before;
	int digits;
	const char *after;
	bool is_tar;
} sums[] = {
    {"", 6, "", true},   {"", 6, " ", true},    {"  ", 4, "", true},    {"", 7, "", true},
    {"", 8, "", false},  {"   ", 4, " ", true}, {"", 5, "8", false},    {"", 4, "/", false},
    {"x", 5, "", false}, {" ", 4, "", true},    {"    ", 4, "", false}, {"        ", 4, "", false},
};

START_TEST(tar_sums)
{
	enum rt_magic want = sums[_i].is_tar ? RT_MAGIC_TAR : RT_MAGIC_NONE;

	ck_assert_msg(tar_find(sums[_i].before, sums[_i].digits, sums[_i].after, true) == want,
		      "row %d", _i);
	ck_assert_int_eq(tar_find(sums[_i].before, sums[_i].digits, sums[_i].after, false),
			 RT_MAGIC_NONE);
}
END_TEST

/* Headers of the oldest cpio: two bytes of either order, the length of the name, the name. */
static const struct {
	uint8_t first, second, low, high;
	const char *name;
	bool is_cpio;
} cpios[] = {
    {0xc7, 0x71, 2, 0, "a", true},      {0x71, 0xc7, 0, 2, "a", true},
    {0xc7, 0x72, 2, 0, "a", false},     {0x71, 0xc8, 0, 2, "a", false},
    {0xc7, 0x71, 2, 0, "ab", false},    {0xc7, 0x71, 1, 0, "", false},
    {0xc7, 0x71, 0, 0, "", false},      {0xc7, 0x71, 1, 0x10, "a", false},
    {0xc7, 0x71, 0, 0x10, "a", true}, /* longer than what is looked at */
    {0xc7, 0x71, 'a', 'b', "a", false},
};

START_TEST(cpio)
{
	uint8_t head[RT_MAGIC_BYTES] = {cpios[_i].first, cpios[_i].second};
	enum rt_magic want = cpios[_i].is_cpio ? RT_MAGIC_CPIO : RT_MAGIC_NONE;

	head[20] = cpios[_i].low;
	head[21] = cpios[_i].high;
	memcpy(head + 26, cpios[_i].name, strlen(cpios[_i].name));
	ck_assert_int_eq(rt_magic_find(head, sizeof(head)), want);
	ck_assert_int_eq(rt_magic_find(head, 25), RT_MAGIC_NONE);
}
END_TEST

/* Frames that zstd and lz4 readers pass over; one of the formats' own has to come after them. */
static const struct {
	const char *head;
	size_t len;
	enum rt_magic magic;
} skipped[] = {
    {"\x50\x2a\x4d\x18\1\0\0\0x\x28\xb5\x2f\xfd", 13, RT_MAGIC_ZSTD},
    {"\x5f\x2a\x4d\x18\0\0\0\0\x28\xb5\x2f\xfd", 12, RT_MAGIC_ZSTD},
    {"\x50\x2a\x4d\x18\0\0\0\0\x04\x22\x4d\x18", 12, RT_MAGIC_LZ4},
    {"\x50\x2a\x4d\x18\0\0\0\0\x5a\x2a\x4d\x18\0\0\0\0\x28\xb5\x2f\xfd", 20, RT_MAGIC_ZSTD},
};

START_TEST(frames)
{
	ck_assert_int_eq(rt_magic_find((const uint8_t *)skipped[_i].head, skipped[_i].len),
			 skipped[_i].magic);
}
END_TEST

/* Each format is a compression, a container or neither. */
START_TEST(kinds)
{
	for (int i = 0; i <= RT_MAGIC_YAML; i++) {
		enum rt_magic magic = (enum rt_magic)i;
		bool neither = magic == RT_MAGIC_NONE || magic == RT_MAGIC_YAML;

		ck_assert_int_eq(rt_magic_is_compression(magic) + rt_magic_is_container(magic),
				 !neither);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("magic");
	TCase *tcase = tcase_create("magic");

	tcase_add_loop_test(tcase, tar_sums, 0, sizeof(sums) / sizeof(sums[0]));
	tcase_add_loop_test(tcase, cpio, 0, sizeof(cpios) / sizeof(cpios[0]));
	tcase_add_loop_test(tcase, frames, 0, sizeof(skipped) / sizeof(skipped[0]));
	tcase_add_test(tcase, kinds);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
