/*
 * rt_copier: what comes out is what rt_rewrite() would write, however the reading and the writing
 * take turns; exports that are not for it; and what is left behind when something goes wrong.
 */
#include <signal.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "files/files.h"
#include "rewrite/copier.h"
#include "scratch.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define MIB ((size_t)1 << 20)

static struct rt_error err;
static struct rt_replace *replace;
static struct rt_copier *copier;
static struct rt_patches patches;
static char source[512];

static struct rt_options options_of(void)
{
	static const char *const paths[] = {source};
	struct rt_options options = {.paths = paths, .path_count = 1};

	rt_limits_init(&options.limits);
	return options;
}

static uint64_t stamp_of(const struct rt_options *options)
{
	struct rt_files *files;
	const struct rt_file *file;
	uint64_t stamp;

	ck_assert_int_eq(rt_files_open(options, &files, &err), RT_OK);
	while (rt_files_next(files, &file, &err) == RT_OK)
		;
	stamp = rt_files_stamp(files);
	rt_files_free(files);
	return stamp;
}

static void add(struct rt_patches *to, uint64_t offset, uint64_t len, const char *text)
{
	struct rt_patch patch = {0, offset, len, rt_slice_make(text, strlen(text))};

	ck_assert_int_eq(rt_patches_add(to, patch, &err), RT_OK);
}

static char *make_bytes(size_t len)
{
	char *bytes = malloc(len + 1);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)('a' + (i * 7 + i / 4096) % 26);
	return bytes;
}

/* Open the target "out" for "in", and start. */
static enum rt_status start(const struct rt_options *options, enum rt_replace_kind kind)
{
	const char *target = kind == RT_REPLACE_IN_PLACE ? source : at("out");

	ck_assert_int_eq(rt_replace_open(target, kind, NULL, NULL, &replace, &err), RT_OK);
	return rt_copier_start(options, replace, &copier, &err);
}

static void stop(void)
{
	rt_copier_free(copier);
	rt_replace_free(replace);
	rt_patches_release(&patches);
	copier = NULL;
	replace = NULL;
}

static void put_source(const char *bytes, size_t len)
{
	put_bytes("in", bytes, len);
	(void)snprintf(source, sizeof(source), "%s", at("in"));
}

/* Patches of random lengths at random places, told of as a reading does: pass, then add. */
START_TEST(test_same)
{
	static const struct {
		const char *what;
		size_t len, gap, told;
		enum rt_replace_kind kind;
	} rows[] = {
	    {"a small file", 1000, 100, 1, RT_REPLACE_FILE},
	    {"no patch", 9 * MIB + 5, SIZE_MAX, MIB, RT_REPLACE_FILE},
	    {"told often, many patches", 9 * MIB + 5, 300, 1, RT_REPLACE_FILE},
	    {"told seldom", 9 * MIB, 5000, 3 * MIB, RT_REPLACE_FILE},
	    {"told never", 9 * MIB, 5000, SIZE_MAX, RT_REPLACE_FILE},
	    {"few patches", 20 * MIB, 3 * MIB, 100000, RT_REPLACE_FILE},
	    {"in place", 9 * MIB + 5, 5000, 1, RT_REPLACE_IN_PLACE},
	};
	static const char *const texts[] = {"", "x", "true", "\"2026-11-21T00:00:00Z\""};
	struct rt_options options = options_of();
	size_t len = rows[_i].len, from = 0, told = 0;
	char *bytes = make_bytes(len);
	struct rt_buf want = {0};
	unsigned seed = 11;

	put_source(bytes, len);
	ck_assert_int_eq(start(&options, rows[_i].kind), RT_OK);
	while (rows[_i].gap < len - from) {
		size_t gap = (size_t)rand_r(&seed) % rows[_i].gap, cut = (size_t)rand_r(&seed) % 30;
		const char *text = texts[(size_t)rand_r(&seed) % COUNT(texts)];

		if (gap + cut > len - from)
			break;
		if (rows[_i].told != SIZE_MAX && from + gap >= told + rows[_i].told) {
			told = from + gap;
			rt_copier_pass(copier, &patches, told);
		}
		add(&patches, from + gap, cut, text);
		ck_assert_int_eq(rt_buf_append(&want, bytes + from, gap, &err), RT_OK);
		ck_assert_int_eq(rt_buf_append(&want, text, strlen(text), &err), RT_OK);
		from += gap + cut;
	}
	ck_assert_int_eq(rt_buf_append(&want, bytes + from, len - from, &err), RT_OK);
	ck_assert_msg(rt_copier_finish(copier, &patches, stamp_of(&options), &err) == RT_OK,
		      "%s: %s", rows[_i].what, err.message);
	ck_assert_int_eq(rt_replace_commit(replace, &err), RT_OK);
	stop();
	expect_bytes(rows[_i].kind == RT_REPLACE_IN_PLACE ? source : at("out"), want.data,
		     want.len);
	ck_assert_uint_eq(entries_of(scratch), rows[_i].kind == RT_REPLACE_IN_PLACE ? 1 : 2);
	rt_buf_release(&want);
	free(bytes);
}
END_TEST
#define SAME_ROWS 7

/* Patches are taken on the way, and written before the end is known. */
START_TEST(test_along)
{
	struct rt_options options = options_of();
	char *bytes = make_bytes(12 * MIB);
	struct stat st;

	put_source(bytes, 12 * MIB);
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
	add(&patches, 10, 5, "one");
	rt_copier_pass(copier, &patches, 100);
	ck_assert_uint_eq(rt_patches_count(&patches), 1);
	rt_copier_pass(copier, &patches, 3 * MIB);
	ck_assert_uint_eq(rt_patches_count(&patches), 0);
	/* The thread has all of the first step to do when the second is told of. */
	for (size_t to = 6; to <= 12; to += 2) {
		add(&patches, to * MIB - 1, 1, "");
		rt_copier_pass(copier, &patches, to * MIB);
	}
	ck_assert_int_eq(rt_copier_finish(copier, &patches, stamp_of(&options), &err), RT_OK);
	ck_assert_int_eq(rt_replace_commit(replace, &err), RT_OK);
	ck_assert_int_eq(stat(at("out"), &st), 0);
	/* What had been reserved for the whole file is cut off. */
	ck_assert_int_eq(st.st_size, (off_t)(12 * MIB - 2 - 4));
	stop();
	free(bytes);
}
END_TEST

/* Not for a copier: nothing is begun, so rt_rewrite() may follow. */
START_TEST(test_other)
{
	static const char gzip[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
	struct rt_options options = options_of();
	int fds[2] = {-1, -1}, begun = -1;

	if (_i == 0) {
		put_source(gzip, sizeof(gzip) - 1);
	} else if (_i == 1) {
		ck_assert_int_eq(mkdir(at("in"), 0700), 0);
		put("in/a.json", "[]");
		(void)snprintf(source, sizeof(source), "%s", at("in"));
	} else {
		(void)snprintf(source, sizeof(source), "-");
		ck_assert_int_eq(pipe(fds), 0);
		options.input_fd = fds[0];
	}
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_END);
	ck_assert_uint_eq(entries_of(scratch), _i == 2 ? 0 : 1);
	ck_assert_int_eq(rt_replace_begin(replace, &begun, &err), RT_OK);
	stop();
	ck_assert_uint_eq(entries_of(scratch), _i == 2 ? 0 : 1);
	if (_i == 2) {
		close(fds[0]);
		close(fds[1]);
	}
}
END_TEST

/* The reading failed: nothing stays, whatever the thread is at. */
START_TEST(test_abandoned)
{
	struct rt_options options = options_of();
	char *bytes = make_bytes(9 * MIB);

	put_source(bytes, 9 * MIB);
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
	ck_assert_uint_eq(entries_of(scratch), 2);
	add(&patches, 10, 5, "one");
	for (size_t to = 3; _i && to <= 9; to += 3)
		rt_copier_pass(copier, &patches, to * MIB);
	stop();
	ck_assert_uint_eq(entries_of(scratch), 1);
	free(bytes);
}
END_TEST

static void expect_refused(uint64_t stamp, const char *path, const char *message)
{
	ck_assert_int_eq(rt_copier_finish(copier, &patches, stamp, &err), RT_FATAL);
	ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_str_eq(err.path, path);
	stop();
	ck_assert_uint_eq(entries_of(scratch), 1);
}

/* Another file than the one that was read; one that changes or shrinks meanwhile. */
START_TEST(test_changed)
{
	static const char *const messages[] = {"changed meanwhile", "changed meanwhile",
					       "it was changed"};
	static const struct timespec times[2] = {{1, 0}, {1, 0}};
	struct rt_options options = options_of();
	char *bytes = make_bytes(5 * MIB);
	uint64_t stamp;

	put_source(bytes, 5 * MIB);
	stamp = stamp_of(&options);
	if (_i == 0)
		put_source(bytes, 4 * MIB);
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
	rt_copier_pass(copier, &patches, 3 * MIB);
	if (_i == 1)
		ck_assert_int_eq(utimensat(AT_FDCWD, source, times, 0), 0);
	else if (_i == 2)
		ck_assert_int_eq(truncate(source, 1000), 0);
	expect_refused(stamp, source, messages[_i]);
	free(bytes);
}
END_TEST

/* The path leads to what was read, before and after, but not while the thread opened it. */
START_TEST(test_swapped)
{
	struct rt_options options = options_of();
	char *bytes = make_bytes(3 * MIB);
	uint64_t stamp;

	put_bytes("a", bytes, 3 * MIB);
	put_bytes("b", bytes, 3 * MIB);
	(void)snprintf(source, sizeof(source), "%s", at("in"));
	ck_assert_int_eq(symlink("a", source), 0);
	stamp = stamp_of(&options);
	ck_assert_int_eq(unlink(source), 0);
	ck_assert_int_eq(symlink("b", source), 0);
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
	ck_assert_int_eq(unlink(source), 0);
	ck_assert_int_eq(symlink("a", source), 0);
	ck_assert_int_eq(unlink(at("b")), 0);
	ck_assert_uint_eq(stamp_of(&options), stamp);
	ck_assert_int_eq(rt_copier_finish(copier, &patches, stamp, &err), RT_FATAL);
	ck_assert_ptr_nonnull(strstr(err.message, "changed meanwhile"));
	stop();
	free(bytes);
}
END_TEST

/* Patches that overlap, lie after the end, or come too late. */
START_TEST(test_bad_patch)
{
	static const size_t places[] = {100, 6 * MIB, 100};
	struct rt_options options = options_of();
	char *bytes = make_bytes(5 * MIB);

	put_source(bytes, 5 * MIB);
	ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
	if (_i == 2)
		rt_copier_pass(copier, &patches, 3 * MIB);
	add(&patches, places[_i], 1, "x");
	if (_i < 2)
		add(&patches, places[_i], 1, "x");
	rt_copier_pass(copier, &patches, 3 * MIB);
	/* The thread may have failed by now: nobody must wait for it. */
	rt_copier_pass(copier, &patches, 5 * MIB);
	expect_refused(stamp_of(&options), source, "want changes in order");
	free(bytes);
}
END_TEST

/* A disk that is full: when space is reserved, or only when a long text is written. */
START_TEST(test_full)
{
	struct rt_options options = options_of();
	struct rlimit limit = {3 * MIB, 3 * MIB};
	size_t len = _i ? 2 * MIB : 4 * MIB;
	char *bytes = make_bytes(len);
	uint64_t stamp;

	put_source(bytes, len);
	stamp = stamp_of(&options);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	if (_i == 0) {
		ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_FATAL);
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_str_eq(err.path, at("out"));
		stop();
		ck_assert_uint_eq(entries_of(scratch), 1);
	} else {
		ck_assert_int_eq(start(&options, RT_REPLACE_FILE), RT_OK);
		bytes[len] = '\0';
		add(&patches, 5, 0, bytes);
		expect_refused(stamp, at("out"), "cannot write the new file");
	}
	free(bytes);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("copier");
	TCase *tcase = tcase_create("copier");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, test_same, 0, SAME_ROWS);
	tcase_add_test(tcase, test_along);
	tcase_add_loop_test(tcase, test_other, 0, 3);
	tcase_add_loop_test(tcase, test_abandoned, 0, 2);
	tcase_add_loop_test(tcase, test_changed, 0, 3);
	tcase_add_test(tcase, test_swapped);
	tcase_add_loop_test(tcase, test_bad_patch, 0, 3);
	tcase_add_loop_test(tcase, test_full, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
