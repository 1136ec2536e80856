/*
 * Whole JSON texts: the table, the limit of depth, agreement with jansson, and JSONTestSuite where
 * it is present. Every code path of the scanner must say the same.
 */
#include "scan/scan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "json_texts.h"
#include "paths.h"
#include "unit.h"

/* Check a text, in a block of its exact size, on one code path. */
static enum rt_status check(struct rt_slice text, uint64_t depth, size_t path, struct rt_error *err)
{
	char *copy = malloc(text.len ? text.len : 1);
	struct rt_limits limits;
	enum rt_status status;

	ck_assert_ptr_nonnull(copy);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	rt_limits_init(&limits);
	limits.depth = depth;
	memset(err, 0, sizeof(*err));
	scan_env(paths[path], 0);
	status = rt_json_check(copy, text.len, &limits, err);
	free(copy);
	return status;
}

START_TEST(texts)
{
	const struct json_text *row = &json_texts[_i];
	char message[sizeof(((struct rt_error *)0)->message)];

	snprintf(message, sizeof(message), "want %s, have %s", row->want, row->have);
	for (size_t path = 0; path < PATH_COUNT; path++) {
		struct rt_error err;
		enum rt_status status = check(row->text, 128, path, &err);

		ck_assert_msg(status == (row->want ? RT_REJECT : RT_OK), "%s: status %d, %s",
			      row->what, status, err.message);
		if (!row->want)
			continue;
		ck_assert_msg(strcmp(err.message, message) == 0, "%s: %s", row->what, err.message);
		ck_assert_msg(err.code == RT_E_INPUT, "%s: code %d", row->what, err.code);
		ck_assert_msg(err.offset == row->offset && err.line == row->line &&
				  err.column == row->column,
			      "%s: offset %zu, %zu:%zu", row->what, (size_t)err.offset,
			      (size_t)err.line, (size_t)err.column);
	}
}
END_TEST

/* Levels of arrays, of objects, and of both in turn; the innermost is empty. */
static struct rt_slice nested(char *buf, int form, size_t levels)
{
	char *at = buf;

	for (size_t i = 0; i < levels; i++) {
		bool object = form == 1 || (form == 2 && i % 2);

		at = stpcpy(at, !object ? "[" : i + 1 < levels ? "{\"a\":" : "{");
	}
	for (size_t i = levels; i-- > 0;)
		*at++ = form == 1 || (form == 2 && i % 2) ? '}' : ']';
	return rt_slice_make(buf, (size_t)(at - buf));
}

START_TEST(depth)
{
	static const size_t depths[] = {1, 2, 63, 64, 65, 127, 128, 129, 192, 1023, 1024};
	size_t limit = depths[_i];
	char buf[8192];

	for (size_t path = 0; path < PATH_COUNT; path++) {
		for (int form = 0; form < 3; form++) {
			struct rt_slice text = nested(buf, form, limit);
			struct rt_error err;

			ck_assert_int_eq(check(text, limit, path, &err), RT_OK);
			text = nested(buf, form, limit + 1);
			ck_assert_int_eq(check(text, limit, path, &err), RT_REJECT);
			ck_assert_int_eq(err.code, RT_E_LIMIT);
			ck_assert_str_eq(err.message, "want less nesting, have more "
						      "levels than --limit depth");
			/* The bracket of the first level too many. */
			ck_assert_int_eq(text.ptr[err.offset],
					 form == 1 || (form == 2 && limit % 2) ? '{' : '[');
			ck_assert_uint_eq(err.offset, form == 0   ? limit
						      : form == 1 ? limit * 5
								  : (limit / 2) * 6 + limit % 2);
			ck_assert_uint_eq(err.column, err.offset + 1);
		}
	}
}
END_TEST

/* A limit beyond the scanner's room is cut to that room, not obeyed. */
START_TEST(depth_beyond)
{
	size_t levels = RT_LIMIT_DEPTH_MAX + 1;
	char *text = malloc(levels);
	struct rt_error err;

	ck_assert_ptr_nonnull(text);
	memset(text, '[', levels);
	for (size_t path = 0; path < PATH_COUNT; path++) {
		ck_assert_int_eq(check(rt_slice_make(text, levels), UINT64_MAX, path, &err),
				 RT_REJECT);
		ck_assert_int_eq(err.code, RT_E_LIMIT);
		ck_assert_uint_eq(err.offset, RT_LIMIT_DEPTH_MAX);
	}
	free(text);
}
END_TEST

static struct rt_slice read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long size;

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	ck_assert_int_ge(size, 0);
	rewind(file);
	data = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	return rt_slice_make(data, (size_t)size);
}

/* y_ files are JSON, n_ files are not, i_ files may be either, but the same on every path. */
static void check_file(const char *folder, const char *name)
{
	enum rt_status first = RT_OK;
	struct rt_slice text;
	char path_name[1024];

	snprintf(path_name, sizeof(path_name), "%s/%s", folder, name);
	text = read_file(path_name);
	for (size_t path = 0; path < PATH_COUNT; path++) {
		struct rt_error err;
		enum rt_status status = check(text, RT_LIMIT_DEPTH_MAX, path, &err);

		if (path == 0)
			first = status;
		ck_assert_msg(status == RT_OK || status == RT_REJECT, "%s", name);
		ck_assert_msg(status == first, "%s: %s differs", name, paths[path]);
		ck_assert_msg(name[0] != 'y' || status == RT_OK, "%s: %s", name, err.message);
		ck_assert_msg(name[0] != 'n' || status == RT_REJECT, "%s is accepted", name);
	}
	free((char *)text.ptr);
}

START_TEST(corpus)
{
	const char *corpora = getenv("RETRIAGE_CORPORA");
	char folder[512];
	struct dirent *entry;
	unsigned files = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/JSONTestSuite/test_parsing",
		 corpora ? corpora : "../shared/corpora");
	dir = opendir(folder);
	if (!dir) {
		/* In the words that `make check` counts. */
		printf("0 passed, 0 failed, 1 skipped: %s is not there\n", folder);
		fflush(stdout);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		check_file(folder, entry->d_name);
		files++;
	}
	closedir(dir);
	ck_assert_uint_gt(files, 300);
}
END_TEST

/* --- All short texts ---------------------------------------------------------------------------
 */

static const char *value_end(const char *at);

/* The byte after the members or elements of a container; NULL: it is wrong. at: after its bracket.
 */
static const char *items_end(const char *at, char close)
{
	at += *at == ' ';
	if (*at == close)
		return at + 1;
	for (;; at++) {
		if (close == '}') {
			at = *at == ' ' || *at == '"' ? value_end(at) : NULL;
			at = at && *at == ':' ? at + 1 : NULL;
		}
		at = at ? value_end(at) : NULL;
		if (!at || *at != ',')
			return at && *at == close ? at + 1 : NULL;
	}
}

/* The byte after a value with at most one blank on each side; as before. */
static const char *value_end(const char *at)
{
	at += *at == ' ';
	if (*at == '{' || *at == '[')
		at = items_end(at + 1, *at == '{' ? '}' : ']');
	else if (*at == '1')
		at += strspn(at, "1");
	else
		at = memcmp(at, "\"a\"", 3) == 0 ? at + 3 : NULL;
	return at ? at + (*at == ' ') : NULL;
}

/* Every sequence of a few tokens inside an array, which each path has to judge by the grammar. */
START_TEST(all_short)
{
	static const char *const tokens[] = {"{", "}", "[", "]", ",", ":", "\"a\"", "1", " "};
	enum { TOKENS = sizeof(tokens) / sizeof(tokens[0]), LENGTH = 6 };
	unsigned right = 0, sequences = 1;

	for (unsigned i = 0; i < LENGTH; i++)
		sequences *= TOKENS;
	for (unsigned n = 0; n < sequences; n++) {
		char text[LENGTH * 3 + 3] = "[", *at = text + 1;
		unsigned rest = n;
		const char *end;
		struct rt_error err;
		bool want;

		for (unsigned i = 0; i < LENGTH; i++, rest /= TOKENS)
			at = stpcpy(at, tokens[rest % TOKENS]);
		*at++ = ']';
		*at = '\0';
		/* Two blanks in a row are not read below. */
		if (strstr(text, "  "))
			continue;
		end = value_end(text);
		want = end == at;
		ck_assert_msg((check(rt_slice_make(text, (size_t)(at - text)), 128, (size_t)_i,
				     &err) == RT_OK) == want,
			      "%s: %s", paths[_i], text);
		right += want;
	}
	ck_assert_uint_gt(right, 300);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("json");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, texts, 0, (int)JSON_TEXTS);
	tcase_add_loop_test(cases, depth, 0, 11);
	tcase_add_test(cases, depth_beyond);
	tcase_add_test(cases, corpus);
	tcase_add_loop_test(cases, all_short, 0, PATH_COUNT);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
