/*
 * The list of patches: whatever order they are added in, they come out by part and offset, and
 * those of one place in the order they were added in.
 */
#include "base/patch.h"

#include <stdio.h>

#include "unit.h"

/* One patch as a row; the text names it. */
struct row {
	uint32_t part;
	uint64_t offset, len;
	const char *text;
};

#define ROWS 6

static const struct {
	const char *what;
	struct row rows[ROWS]; /* up to the first without a text */
	const char *order;     /* the texts in the order wanted, with a blank after each */
	bool unsorted;         /* before sorting */
} orders[] = {
    {"none", {{0}}, "", false},
    {"one", {{3, 9, 1, "a"}}, "a ", false},
    {"in order", {{0, 1, 1, "a"}, {0, 2, 1, "b"}, {1, 0, 1, "c"}}, "a b c ", false},
    {"offsets back", {{0, 5, 1, "a"}, {0, 2, 1, "b"}, {0, 9, 1, "c"}}, "b a c ", true},
    {"parts back", {{1, 0, 1, "a"}, {0, 7, 1, "b"}}, "b a ", true},
    {"part before offset", {{0, 900, 1, "a"}, {1, 3, 1, "b"}}, "a b ", false},
    {"insertions at one place", {{0, 4, 0, "a"}, {0, 4, 0, "b"}, {0, 4, 0, "c"}}, "a b c ", false},
    {"insertions at one place, mixed up",
     {{0, 4, 0, "a"}, {0, 8, 0, "x"}, {0, 4, 0, "b"}, {0, 2, 2, "r"}, {0, 4, 0, "c"}},
     "r a b c x ",
     true},
    {"insertion before a replacement", {{0, 4, 0, "a"}, {0, 4, 3, "b"}}, "a b ", false},
    {"offsets beyond 32 bits",
     {{0, UINT64_C(1) << 40, 1, "a"}, {0, 1, 1, "b"}, {0, (UINT64_C(1) << 40) - 1, 1, "c"}},
     "b c a ",
     true},
    {"the ends of numbers",
     {{UINT32_MAX, UINT64_MAX, 0, "a"}, {UINT32_MAX, 0, 0, "b"}, {0, UINT64_MAX, 0, "c"}},
     "c b a ",
     true},
};

#define ORDERS (sizeof(orders) / sizeof(orders[0]))

static void add(struct rt_patches *patches, struct row row)
{
	struct rt_patch patch = {row.part, row.offset, row.len,
				 rt_slice_make(row.text, strlen(row.text))};
	struct rt_error err;

	ck_assert_int_eq(rt_patches_add(patches, patch, &err), RT_OK);
}

START_TEST(order)
{
	struct rt_patches patches = {0};
	char have[64] = "";
	size_t count = 0;

	for (; count < ROWS && orders[_i].rows[count].text; count++)
		add(&patches, orders[_i].rows[count]);
	ck_assert_msg(patches.unsorted == orders[_i].unsorted, "%s: sorted?", orders[_i].what);
	rt_patches_sort(&patches);
	ck_assert(!patches.unsorted);
	ck_assert_uint_eq(rt_patches_count(&patches), count);
	for (size_t i = 0; i < count; i++) {
		struct rt_patch patch = rt_patches_get(&patches, i);
		const struct row *row = orders[_i].rows;

		strncat(have, patch.text.ptr, patch.text.len);
		strcat(have, " ");
		while (!rt_slice_equal(patch.text, rt_slice_make(row->text, strlen(row->text))))
			row++;
		ck_assert_uint_eq(patch.part, row->part);
		ck_assert_uint_eq(patch.offset, row->offset);
		ck_assert_uint_eq(patch.len, row->len);
	}
	ck_assert_msg(strcmp(have, orders[_i].order) == 0, "%s: want %s, have %s", orders[_i].what,
		      orders[_i].order, have);
	rt_patches_release(&patches);
}
END_TEST

/* The text is copied, and may be empty. */
START_TEST(texts)
{
	struct rt_patches patches = {0};
	char text[] = "before";
	struct rt_error err;

	add(&patches, (struct row){0, 10, 0, text});
	memset(text, '#', sizeof(text));
	add(&patches, (struct row){0, 20, 7, ""});
	ck_assert_int_eq(rt_patches_add(&patches, (struct rt_patch){0, 30, 1, {"a\0b", 3}}, &err),
			 RT_OK);
	ck_assert(rt_slice_equal(rt_patches_get(&patches, 0).text, RT_SLICE("before")));
	ck_assert_uint_eq(rt_patches_get(&patches, 1).text.len, 0);
	ck_assert_uint_eq(rt_patches_get(&patches, 1).len, 7);
	ck_assert(rt_slice_equal(rt_patches_get(&patches, 2).text, RT_SLICE("a\0b")));
	rt_patches_release(&patches);
	ck_assert_uint_eq(rt_patches_count(&patches), 0);
	ck_assert_uint_eq(rt_patches_find(&patches, 0), 0);
	rt_patches_release(&patches);
}
END_TEST

/* A list that has been released or sorted can be added to. */
START_TEST(used_again)
{
	struct rt_patches patches = {0};

	add(&patches, (struct row){5, 1, 1, "a"});
	rt_patches_release(&patches);
	add(&patches, (struct row){2, 1, 1, "b"});
	ck_assert(!patches.unsorted);
	add(&patches, (struct row){1, 1, 1, "c"});
	rt_patches_sort(&patches);
	add(&patches, (struct row){0, 1, 1, "d"});
	ck_assert(patches.unsorted);
	rt_patches_sort(&patches);
	ck_assert(rt_slice_equal(rt_patches_get(&patches, 0).text, RT_SLICE("d")));
	ck_assert(rt_slice_equal(rt_patches_get(&patches, 1).text, RT_SLICE("c")));
	ck_assert(rt_slice_equal(rt_patches_get(&patches, 2).text, RT_SLICE("b")));
	rt_patches_release(&patches);
}
END_TEST

static const struct {
	const char *what;
	uint32_t part;
	size_t index;
} finds[] = {
    {"before the first", 0, 0},
    {"the first", 1, 0},
    {"between", 2, 3},
    {"one with one patch", 3, 3},
    {"after it", 4, 4},
    {"the last", 70000, 4},
    {"after the last", 70001, 6},
    {"the largest", UINT32_MAX, 6},
};

#define FINDS (sizeof(finds) / sizeof(finds[0]))

START_TEST(find)
{
	struct rt_patches patches = {0};

	ck_assert_uint_eq(rt_patches_find(&patches, finds[_i].part), 0);
	for (uint64_t i = 0; i < 3; i++)
		add(&patches, (struct row){1, i, 1, "a"});
	add(&patches, (struct row){3, 0, 1, "b"});
	add(&patches, (struct row){70000, 0, 0, "c"});
	add(&patches, (struct row){70000, 1, 0, "c"});
	ck_assert_msg(rt_patches_find(&patches, finds[_i].part) == finds[_i].index, "%s: %zu",
		      finds[_i].what, rt_patches_find(&patches, finds[_i].part));
	rt_patches_release(&patches);
}
END_TEST

#define MANY 20000u

/* Many places, added all mixed up, several texts at each. */
START_TEST(many)
{
	struct rt_patches patches = {0};

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t place = i * 7919 % (MANY / 4);
		char text[32];

		snprintf(text, sizeof(text), "%u.%u", (unsigned)place, (unsigned)(i / (MANY / 4)));
		add(&patches, (struct row){(uint32_t)(place / 100), place % 100, 0, text});
	}
	rt_patches_sort(&patches);
	ck_assert_uint_eq(rt_patches_count(&patches), MANY);
	for (size_t i = 0; i < MANY; i++) {
		struct rt_patch patch = rt_patches_get(&patches, i);
		char text[32];

		snprintf(text, sizeof(text), "%zu.%zu", i / 4, i % 4);
		ck_assert_uint_eq(patch.part, i / 400);
		ck_assert_uint_eq(patch.offset, i / 4 % 100);
		ck_assert_msg(rt_slice_equal(patch.text, rt_slice_make(text, strlen(text))),
			      "patch %zu", i);
	}
	for (uint32_t part = 0; part < MANY / 400; part++)
		ck_assert_uint_eq(rt_patches_find(&patches, part), part * 400u);
	rt_patches_release(&patches);
}
END_TEST

/* A text of lines that begins with one of its own. */
static struct rt_slice lines(char *room, size_t cap, unsigned own, unsigned count)
{
	size_t len = (size_t)snprintf(room, cap, "%u {", own);

	for (unsigned i = 0; i < count; i++)
		len += (size_t)snprintf(room + len, cap - len, "{\"text\":\"%0100u\"},\n", i);
	return rt_slice_make(room, len);
}

#define ALIKE 1000u

/* Long texts that have most in common are held once, and come out whole and in order. */
START_TEST(alike)
{
	struct rt_patches patches = {0};
	static char room[64 * 1024], have[64 * 1024];
	struct rt_slice text;
	struct rt_error err;
	size_t at = 0;

	for (unsigned i = 0; i < ALIKE; i++) {
		text = lines(room, sizeof(room), i, 300);
		ck_assert_int_eq(
		    rt_patches_add(&patches, (struct rt_patch){i % 2, 10 * i, i % 3, text}, &err),
		    RT_OK);
	}
	ck_assert_uint_lt(patches.text.len, sizeof(room) + ALIKE * 256);
	rt_patches_sort(&patches);
	for (unsigned n = 0; n < ALIKE; n++) {
		unsigned i = n < ALIKE / 2 ? 2 * n : 2 * (n - ALIKE / 2) + 1;
		size_t len = 0;

		text = lines(room, sizeof(room), i, 300);
		while (len < text.len) {
			struct rt_patch patch = rt_patches_get(&patches, at++);

			ck_assert_uint_eq(patch.part, i % 2);
			ck_assert_uint_eq(patch.offset, 10 * i);
			memcpy(have + len, patch.text.ptr, patch.text.len);
			len += patch.text.len;
			ck_assert_uint_eq(patch.len, len == text.len ? i % 3 : 0);
		}
		ck_assert(rt_slice_equal(rt_slice_make(have, len), text));
	}
	ck_assert_uint_eq(at, rt_patches_count(&patches));
	rt_patches_release(&patches);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("patch");
	TCase *tcase = tcase_create("patch");

	tcase_add_loop_test(tcase, order, 0, ORDERS);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, used_again);
	tcase_add_loop_test(tcase, find, 0, FINDS);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, alike);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
