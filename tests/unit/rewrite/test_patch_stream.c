/*
 * Patches applied to a stream: every place a patch can have, reads of every size, and streams
 * that are not the ones the patches were made for.
 */
#include <check.h>
#include <stdlib.h>

#include "base/error.h"
#include "rewrite/patch_stream.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A stream over memory that gives at most step bytes a read, then fails or ends. */
struct memory {
	struct rt_stream stream;
	struct rt_slice left;
	size_t step;
	bool fails;
};

static enum rt_status memory_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct memory *memory = (struct memory *)stream;
	size_t len = memory->left.len < cap ? memory->left.len : cap;

	if (!len && memory->fails) {
		(void)rt_error_set(err, RT_E_INPUT, "below");
		return RT_REJECT;
	}
	if (!len)
		return RT_END;
	len = len < memory->step ? len : memory->step;
	memcpy(buf, memory->left.ptr, len);
	memory->left.ptr += len;
	memory->left.len -= len;
	*ret_len = len;
	return RT_OK;
}

static struct rt_patches patches;

static void setup(void)
{
	memset(&patches, 0, sizeof(patches));
}

static void teardown(void)
{
	rt_patches_release(&patches);
}

static void add(uint32_t part, uint64_t offset, uint64_t len, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_patches_add(&patches,
					(struct rt_patch){part, offset, len, {text, strlen(text)}},
					&err),
			 RT_OK);
	rt_patches_sort(&patches);
}

/* Read all of part 1 of text; step and cap bytes at a time. */
static enum rt_status read_all(const char *text, size_t step, size_t cap, bool fails, char *out,
			       size_t *ret_len, struct rt_error *err)
{
	struct memory memory = {.stream = {.read = memory_read},
				.left = {text, strlen(text)},
				.step = step,
				.fails = fails};
	struct rt_stream *stream = rt_patch_stream_open(&memory.stream, &patches, 1, err);
	enum rt_status status = RT_OK;
	size_t len = 0;

	*ret_len = 0;
	ck_assert_ptr_nonnull(stream);
	while ((status = rt_stream_read(stream, out + *ret_len, cap, &len, err)) == RT_OK) {
		ck_assert_uint_gt(len, 0);
		ck_assert_uint_le(len, cap);
		*ret_len += len;
	}
	rt_stream_free(stream);
	return status;
}

struct row {
	const char *what;
	const char *source;
	struct {
		uint64_t offset, len;
		const char *text;
	} patch[3];
	const char *want; /* NULL: the source is too short */
};

static const struct row rows[] = {
    {"none", "abcdef", {{0}}, "abcdef"},
    {"none in nothing", "", {{0}}, ""},
    {"first byte", "abcdef", {{0, 1, "X"}}, "Xbcdef"},
    {"last byte", "abcdef", {{5, 1, "X"}}, "abcdeX"},
    {"all", "abcdef", {{0, 6, "X"}}, "X"},
    {"all away", "abcdef", {{0, 6, ""}}, ""},
    {"in front", "abcdef", {{0, 0, "XY"}}, "XYabcdef"},
    {"after", "abcdef", {{6, 0, "XY"}}, "abcdefXY"},
    {"into nothing", "", {{0, 0, "XY"}}, "XY"},
    {"one after the other", "abcdef", {{1, 2, "X"}, {3, 1, "YYYY"}, {4, 0, "Z"}}, "aXYYYYZef"},
    {"two at one place", "abcdef", {{2, 0, "X"}, {2, 0, "Y"}}, "abXYcdef"},
    {"insert, then replace there", "abcdef", {{2, 0, "X"}, {2, 2, "Y"}}, "abXYef"},
    {"gaps only", "abcdef", {{0, 1, ""}, {2, 1, ""}, {4, 2, ""}}, "bd"},
    {"begins after the end", "abc", {{4, 0, "X"}}, NULL},
    {"ends after the end", "abc", {{2, 2, "X"}}, NULL},
    {"in nothing", "", {{0, 1, "X"}}, NULL},
};

static void check_row(const struct row *row, size_t step, size_t cap)
{
	struct rt_error err = {0};
	char out[64];
	size_t len;
	enum rt_status status = read_all(row->source, step, cap, false, out, &len, &err);

	if (!row->want) {
		ck_assert_msg(status == RT_FATAL && err.code == RT_E_IO, "%s: status %d", row->what,
			      (int)status);
		ck_assert_msg(strstr(err.message, "it was changed"), "%s: %s", row->what,
			      err.message);
		return;
	}
	ck_assert_msg(status == RT_END, "%s: %s", row->what, err.message);
	ck_assert_msg(len == strlen(row->want) && memcmp(out, row->want, len) == 0,
		      "%s, %zu by %zu: have %.*s", row->what, step, cap, (int)len, out);
}

START_TEST(test_rows)
{
	const struct row *row = &rows[_i];
	struct rt_error err;
	uint64_t size = 0;
	enum rt_status status;

	/* Those of other parts are not for this one. */
	add(0, 0, 1, "other");
	add(2, 1, 0, "other");
	for (size_t i = 0; i < COUNT(row->patch) && row->patch[i].text; i++)
		add(1, row->patch[i].offset, row->patch[i].len, row->patch[i].text);
	for (size_t step = 1; step < 8; step++) {
		for (size_t cap = 1; cap < 8; cap++)
			check_row(row, step, cap);
	}
	status = rt_patches_new_size(&patches, 1, strlen(row->source), &size, &err);
	ck_assert_msg(status == (row->want ? RT_OK : RT_FATAL), "%s", row->what);
	if (row->want)
		ck_assert_uint_eq(size, strlen(row->want));
	ck_assert_int_eq(rt_patches_has_part(&patches, 1), row->patch[0].text != NULL);
	ck_assert(!rt_patches_has_part(&patches, 3));
}
END_TEST

/* The error of the stream below comes through, also while bytes are passed over. */
START_TEST(test_below)
{
	struct rt_error err;
	char out[64];
	size_t len;

	if (_i)
		add(1, 2, 3, "X");
	ck_assert_int_eq(read_all("abc", 1, 8, true, out, &len, &err), RT_REJECT);
	ck_assert_str_eq(err.message, "below");
}
END_TEST

START_TEST(test_last_part)
{
	struct rt_error err;
	uint64_t size;

	add(UINT32_MAX, 0, 1, "XYZ");
	ck_assert(rt_patches_has_part(&patches, UINT32_MAX));
	ck_assert_int_eq(rt_patches_new_size(&patches, UINT32_MAX, 5, &size, &err), RT_OK);
	ck_assert_uint_eq(size, 7);
	rt_stream_free(rt_patch_stream_open(NULL, &patches, UINT32_MAX, &err));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("patch_stream");
	TCase *tcase = tcase_create("patch_stream");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_rows, 0, (int)COUNT(rows));
	tcase_add_loop_test(tcase, test_below, 0, 2);
	tcase_add_test(tcase, test_last_part);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
