/*
 * Cutting while scanning: what goes into the slots, what is left to others, and that a window that
 * ends early is never taken for the whole.
 */
#include <stdio.h>

#include "scan/scan.h"
#include "scan_text.h"

enum { NAME, PLACE, LINE, LIST, FIRST, ANY, SLOTS };

static const struct rt_cut_member place_members[] = {
    {RT_SLICE("line"), LINE, RT_TYPE_INTEGER, NULL},
};
static const struct rt_cut place = {place_members, 1, RT_CUT_NO_SLOT};
static const struct rt_cut_member first_members[] = {
    {RT_SLICE("any"), ANY, 0xff, NULL},
};
static const struct rt_cut first = {first_members, 1, FIRST};
static const struct rt_cut_member members[] = {
    {RT_SLICE("name"), NAME, RT_TYPE_STRING, NULL},
    {RT_SLICE("place"), PLACE, RT_TYPE_OBJECT, &place},
    {RT_SLICE("list"), LIST, RT_TYPE_ARRAY | RT_TYPE_STRINGS, &first},
};
static const struct rt_cut cut = {members, 3, RT_CUT_NO_SLOT};

/* A text, and what is cut out of it, slot by slot; NULL: it is left to others. */
static const struct {
	const char *text;
	const char *slots[SLOTS];
	bool taken;
} rows[] = {
    {"{}", {NULL}, true},
    {"{\"name\":\"a\"}", {[NAME] = "\"a\""}, true},
    {"{ \"x\" : [1,{\"name\":2}] ,\n\"name\" : \"a\\\"b\" }", {[NAME] = "\"a\\\"b\""}, true},
    {"{\"place\":{\"line\":7},\"name\":null}",
     {[NAME] = "null", [PLACE] = "{\"line\":7}", [LINE] = "7"},
     true},
    {"{\"place\":{\n\"x\":{\"line\":1}},\"line\":2}", {[PLACE] = "{\n\"x\":{\"line\":1}}"}, true},
    {"{\"place\":null}", {[PLACE] = "null"}, true},
    {"{\"list\":[]}", {[LIST] = "[]"}, true},
    {"{\"list\":[{}]}", {[LIST] = "[{}]", [FIRST] = "{"}, true},
    {"{\"list\":[ {\"any\":[1]} , {\"any\":2},\"x\" ]}",
     {[LIST] = "[ {\"any\":[1]} , {\"any\":2},\"x\" ]", [FIRST] = "{", [ANY] = "[1]"},
     true},
    /* wrong types, twice, spelled with escapes */
    {"{\"name\":1}", {NULL}, false},
    {"{\"place\":[]}", {NULL}, false},
    {"{\"place\":{\"line\":1.5}}", {NULL}, false},
    {"{\"list\":{}}", {NULL}, false},
    {"{\"list\":[1]}", {NULL}, false},
    {"{\"list\":[null]}", {NULL}, false},
    {"{\"name\":\"a\",\"name\":\"a\"}", {NULL}, false},
    {"{\"name\":null,\"name\":null}", {NULL}, false},
    {"{\"place\":{},\"place\":{}}", {NULL}, false},
    {"{\"n\\u0061me\":\"a\"}", {NULL}, false},
    /* no JSON */
    {"[]", {NULL}, false},
    {"{\"name\":\"a\",}", {NULL}, false},
    {"{\"name\" \"a\"}", {NULL}, false},
    {"{\"name\":}", {NULL}, false},
    {"{\"list\":[{},]}", {NULL}, false},
    {"{\"list\":[{} {}]}", {NULL}, false},
    {"{\"list\":[{}}", {NULL}, false},
    {"{\"place\":{\"line\":07}}", {NULL}, false},
    {"{\"name\":\"\x01\"}", {NULL}, false},
    {"{\"name\":\"\xff\"}", {NULL}, false},
    {"{,}", {NULL}, false},
    {"{name:1}", {NULL}, false},
    /* deeper than four levels */
    {"{\"place\":{\"x\":[[1]]}}", {[PLACE] = "{\"x\":[[1]]}"}, true},
    {"{\"place\":{\"x\":[[[]]]}}", {NULL}, false},
    {"{\"list\":[{\"any\":[[]]}]}", {NULL}, false},
    {"{\"list\":[{},[[[]]]]}", {NULL}, false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct rt_scan *scan_make(const char *block, size_t len, bool final)
{
	struct rt_scan *s = rt_scan_alloc(sizeof(*s));

	ck_assert_ptr_nonnull(s);
	rt_scan_init(s, 4);
	scan_show(s, block, len, 0, final);
	return s;
}

static void check(const struct rt_scan_ops *ops, size_t row)
{
	size_t len = strlen(rows[row].text);
	char *block = padded(rows[row].text, len);
	struct rt_scan *s = scan_make(block, len, true);
	struct rt_slice values[SLOTS] = {{NULL, 0}};
	const char *after = ops->cut(s, block, &cut, values);

	ck_assert_msg((after != NULL) == rows[row].taken, "%s: %s", ops->name, block);
	ck_assert_msg(!after || after == block + len, "%s: %s", ops->name, block);
	for (size_t slot = 0; after && slot < SLOTS; slot++) {
		const char *want = rows[row].slots[slot];

		ck_assert_msg((values[slot].ptr != NULL) == (want != NULL), "%s: slot %zu of %s",
			      ops->name, slot, block);
		ck_assert_msg(!want ||
				  rt_slice_equal(values[slot], rt_slice_make(want, strlen(want))),
			      "%s: slot %zu of %s", ops->name, slot, block);
	}
	/* Lines are counted as value() counts them, or not at all. */
	ck_assert_uint_eq(s->line, after && strchr(block, '\n') ? 2 : 1);
	ck_assert_uint_eq(s->depth_base, 0);
	free(s);
	free(block);
}

START_TEST(cuts)
{
	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);

		if (ops)
			check(ops, (size_t)_i);
	}
}
END_TEST

/* What is there so far of a text that goes on. */
START_TEST(windows)
{
	const char *text = rows[_i].text;

	for (size_t len = 0; len < strlen(text); len++) {
		for (size_t path = 0; path < PATH_COUNT; path++) {
			const struct rt_scan_ops *ops = path_ops(path);
			char *block = padded(text, len);
			struct rt_scan *s = scan_make(block, len, false);
			struct rt_slice values[SLOTS] = {{NULL, 0}};

			ck_assert_msg(!ops || !ops->cut(s, block, &cut, values), "%s: %s",
				      paths[path], block);
			ck_assert_uint_eq(s->line, 1);
			free(s);
			free(block);
		}
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("scan_cut");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, cuts, 0, (int)ROWS);
	tcase_add_loop_test(cases, windows, 0, (int)ROWS);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
