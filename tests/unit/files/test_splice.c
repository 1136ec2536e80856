/*
 * rt_splice() against a copy made byte by byte: sizes around its blocks, patches few and many, at
 * the edges, of other parts; and everything that it refuses or that fails.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "files/splice.h"
#include "scratch.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

static struct rt_error err;

static void add(struct rt_patches *patches, uint32_t part, uint64_t offset, uint64_t len,
		const char *text, size_t text_len)
{
	struct rt_patch patch = {part, offset, len, rt_slice_make(text, text_len)};

	ck_assert_int_eq(rt_patches_add(patches, patch, &err), RT_OK);
}

static char *make_bytes(size_t len)
{
	char *bytes = malloc(len + 1);
	uint64_t state = 88172645463325252u;

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		bytes[i] = (char)state;
	}
	return bytes;
}

/* What must come out, made the plain way. To be released. */
static struct rt_buf reference(const char *bytes, size_t len, const struct rt_patches *patches,
			       uint32_t part)
{
	struct rt_buf out = {0};
	size_t from = 0;

	for (size_t i = 0; i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		if (patch.part != part)
			continue;
		ck_assert_int_eq(rt_buf_append(&out, bytes + from, patch.offset - from, &err), 0);
		ck_assert_int_eq(rt_buf_append(&out, patch.text.ptr, patch.text.len, &err), 0);
		from = patch.offset + patch.len;
	}
	ck_assert_int_eq(rt_buf_append(&out, bytes + from, len - from, &err), 0);
	return out;
}

static int open_new(const char *name)
{
	int fd = open(at(name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* Splice "in" to "out" after `before` bytes, and look at what came. */
static void expect_splice(size_t len, struct rt_patches *patches, uint32_t part, size_t before,
			  const char *what)
{
	char *bytes = make_bytes(len);
	struct rt_buf want, have;
	int in, out = open_new("out");

	put_bytes("in", bytes, len);
	in = open(at("in"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(lseek(in, 3, SEEK_SET), 3);
	ck_assert_int_eq(write(out, "..........", before), (ssize_t)before);
	rt_patches_sort(patches);
	ck_assert_msg(rt_splice(in, len, patches, part, out, &err) == RT_OK, "%s: %s", what,
		      err.message);
	ck_assert_int_eq(lseek(in, 0, SEEK_CUR), 3);
	want = reference(bytes, len, patches, part);
	have = bytes_of(at("out"));
	ck_assert_msg(have.len == want.len + before, "%s: %zu bytes, want %zu", what,
		      have.len - before, want.len);
	ck_assert_msg(memcmp(have.data + before, want.data ? want.data : "", want.len) == 0,
		      "%s: other bytes", what);
	rt_buf_release(&want);
	rt_buf_release(&have);
	rt_patches_release(patches);
	free(bytes);
	close(in);
	close(out);
	ck_assert_int_eq(unlink(at("out")), 0);
}

/* One patch: where it lies, against the sizes of blocks and of ranges for the system to copy. */
START_TEST(test_one)
{
	static const struct {
		const char *what;
		size_t len, offset, cut, text;
	} rows[] = {
	    {"empty file", 0, 0, 0, 0},
	    {"insertion into an empty file", 0, 0, 0, 5},
	    {"insertion at the start", 100, 0, 0, 5},
	    {"insertion at the end", 100, 100, 0, 5},
	    {"all of it cut", 100, 0, 100, 0},
	    {"all of it replaced", 100, 0, 100, 9},
	    {"one byte of a block", 256 * KIB, 256 * KIB - 1, 1, 1},
	    {"at a block's edge", 512 * KIB, 256 * KIB, 1, 3},
	    {"over a block's edge", 512 * KIB, 256 * KIB - 7, 20, 3},
	    {"a block cut", 1024 * KIB, 100, 256 * KIB, 3},
	    {"blocks cut", 1024 * KIB, 100, 700 * KIB, 0},
	    {"a text longer than a block", 300 * KIB, 1000, 10, 700 * KIB},
	    {"ranges, the length kept", 5 * MIB, 3 * MIB, 7, 7},
	    {"ranges, the length changed", 5 * MIB, 2 * MIB, 7, 8},
	    {"ranges, changed by a page", 5 * MIB, 2 * MIB, 0, 4096},
	    {"ranges, the end cut", 5 * MIB, 5 * MIB - 1, 1, 0},
	    {"ranges over several flushes", 20 * MIB + 5, 19 * MIB, 1, 0},
	};
	struct rt_patches patches = {0};
	char *text = make_bytes(rows[_i].text);

	ck_assert_uint_lt((size_t)_i, COUNT(rows));
	add(&patches, 4, rows[_i].offset, rows[_i].cut, text, rows[_i].text);
	expect_splice(rows[_i].len, &patches, 4, (size_t)_i % 4, rows[_i].what);
	free(text);
}
END_TEST
#define ONE_ROWS 17

START_TEST(test_none)
{
	static const size_t sizes[] = {1, 256 * KIB, 256 * KIB + 1, MIB, 17 * MIB + 1};
	struct rt_patches patches = {0};

	for (size_t i = 0; i < COUNT(sizes); i++)
		expect_splice(sizes[i], &patches, 0, 0, "no patch");
	/* Those of the parts before and after it are not for this one. */
	add(&patches, 1, 10, 20, "before", 6);
	add(&patches, 3, 10, 20, "behind", 6);
	expect_splice(1000, &patches, 2, 0, "patches of others");
}
END_TEST

/* More patches than pieces of one write, in gaps of every length down to none. */
START_TEST(test_many)
{
	size_t len = MIB + 123, at_byte = 0;
	struct rt_patches patches = {0};
	char *text = make_bytes(2000);
	unsigned seed = 7 + (unsigned)_i;

	while (at_byte < len - 4000) {
		size_t cut = (size_t)rand_r(&seed) % 40, more = (size_t)rand_r(&seed) % 60;

		add(&patches, 1, at_byte, cut, text + (size_t)rand_r(&seed) % 1900, more);
		at_byte += cut + (_i ? (size_t)rand_r(&seed) % 200 : 0) + (cut == 0);
	}
	ck_assert_uint_gt(rt_patches_count(&patches), 5000);
	expect_splice(len, &patches, 1, 0, "many patches");
	free(text);
}
END_TEST

/* Two insertions at one place come in the order they were made in. */
START_TEST(test_same_place)
{
	struct rt_patches patches = {0};
	int in, out = open_new("out");

	put("in", "ab");
	in = open(at("in"), O_RDONLY | O_CLOEXEC);
	add(&patches, 0, 1, 0, "1", 1);
	add(&patches, 0, 1, 0, "2", 1);
	add(&patches, 0, 1, 1, "3", 1);
	ck_assert_int_eq(rt_splice(in, 2, &patches, 0, out, &err), RT_OK);
	expect_text(at("out"), "a123");
	rt_patches_release(&patches);
	close(in);
	close(out);
}
END_TEST

START_TEST(test_bad_patch)
{
	static const struct {
		const char *what;
		uint64_t offset, cut, offset2, cut2;
	} rows[] = {
	    {"overlap", 0, 5, 4, 1},
	    {"after the end", 0, 1, 101, 0},
	    {"over the end", 0, 1, 90, 11},
	    {"a length that wraps", 0, 1, 90, UINT64_MAX},
	};
	struct rt_patches patches = {0};
	char bytes[100] = "";
	int in, out = open_new("out");

	put_bytes("in", bytes, sizeof(bytes));
	in = open(at("in"), O_RDONLY | O_CLOEXEC);
	add(&patches, 0, rows[_i].offset, rows[_i].cut, "x", 1);
	add(&patches, 0, rows[_i].offset2, rows[_i].cut2, "x", 1);
	ck_assert_msg(rt_splice(in, 100, &patches, 0, out, &err) == RT_REJECT, "%s", rows[_i].what);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_ptr_nonnull(strstr(err.message, "want changes in order within 100 bytes"));
	expect_text(at("out"), "");
	rt_patches_release(&patches);
	close(in);
	close(out);
}
END_TEST

START_TEST(test_shrunk)
{
	static const size_t sizes[] = {10, 300 * KIB, 3 * MIB};
	static const struct rt_patches none;
	size_t len = sizes[_i];
	char *bytes = make_bytes(len);
	int in, out = open_new("out");

	put_bytes("in", bytes, len);
	in = open(at("in"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(rt_splice(in, len + 1, &none, 0, out, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_ptr_nonnull(strstr(err.message, "it was changed"));
	free(bytes);
	close(in);
	close(out);
}
END_TEST

START_TEST(test_unreadable)
{
	static const struct rt_patches none;
	int out = open_new("out");

	ck_assert_int_eq(rt_splice(out, 10, &none, 0, out, &err), RT_REJECT);
	ck_assert_ptr_nonnull(strstr(err.message, "it was changed"));
	ck_assert_int_eq(rt_splice(-1, 2 * MIB, &none, 0, out, &err), RT_REJECT);
	ck_assert_int_eq(err.sys, EBADF);
	close(out);
}
END_TEST

/* A disk that is full, found while writing (small), or before it (large). */
START_TEST(test_full)
{
	static const struct rt_patches none;
	static const size_t sizes[] = {100 * KIB, 3 * MIB};
	struct rlimit limit = {64 * KIB, 64 * KIB};
	char *bytes = make_bytes(sizes[_i]);
	int in, out = open_new("out"), full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	put_bytes("in", bytes, sizes[_i]);
	in = open(at("in"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(rt_splice(in, sizes[_i], &none, 0, full, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, ENOSPC);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(rt_splice(in, sizes[_i], &none, 0, out, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.message, "cannot write the new file"));
	/* As far as it goes, or not at all. */
	ck_assert_int_eq(lseek(out, 0, SEEK_END), _i == 0 ? (off_t)limit.rlim_cur : 0);
	free(bytes);
	close(in);
	close(out);
	close(full);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("splice");
	TCase *tcase = tcase_create("splice");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, test_one, 0, ONE_ROWS);
	tcase_add_test(tcase, test_none);
	tcase_add_loop_test(tcase, test_many, 0, 2);
	tcase_add_test(tcase, test_same_place);
	tcase_add_loop_test(tcase, test_bad_patch, 0, 4);
	tcase_add_loop_test(tcase, test_shrunk, 0, 3);
	tcase_add_test(tcase, test_unreadable);
	tcase_add_loop_test(tcase, test_full, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
