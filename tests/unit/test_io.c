/*
 * Descriptors: whole writes into a pipe that takes them piece by piece, reads at an offset and
 * onward, and whether two looks were at one file.
 */
#include "base/io.h"

#include <errno.h>
#include <sys/wait.h>

#include "scratch.h"

#define BYTES ((size_t)1 << 20)

static int open_file(const char *name, int flags)
{
	int fd = open(at(name), flags | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* More than a pipe holds, through a child that takes it byte by byte at first. */
START_TEST(write_pieces)
{
	static char data[BYTES], seen[BYTES];
	int fds[2], status;
	struct rt_error err;
	pid_t child;

	for (size_t i = 0; i < BYTES; i++)
		data[i] = (char)(i * 31 + i / 256);
	ck_assert_int_eq(pipe(fds), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		size_t len = 0;
		ssize_t got = 1;

		close(fds[1]);
		for (size_t most = 1; got > 0 && len<BYTES; most += len> 100) {
			got = rt_read_at(fds[0], seen + len,
					 BYTES - len < most ? BYTES - len : most, -1);
			len += got > 0 ? (size_t)got : 0;
		}
		_exit(len == BYTES && memcmp(data, seen, BYTES) == 0 ? 0 : 1);
	}
	close(fds[0]);
	ck_assert_int_eq(rt_write_all(fds[1], data, BYTES, "pipe", &err), RT_OK);
	close(fds[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* A failure names what it was about, and its errno. */
START_TEST(write_fails)
{
	struct rt_error err;
	int fd;

	put("file", "");
	fd = open_file("file", O_RDONLY);
	ck_assert_int_eq(rt_write_all(fd, "", 0, "the thing", &err), RT_OK);
	ck_assert_int_eq(rt_write_all(fd, "x", 1, "the thing", &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EBADF);
	ck_assert_int_eq(strncmp(err.message, "the thing: ", 11), 0);
	close(fd);
}
END_TEST

START_TEST(read_places)
{
	char bytes[8];
	int fd;

	put("file", "abcdef");
	fd = open_file("file", O_RDONLY);
	ck_assert_int_eq(rt_read_at(fd, bytes, 2, 3), 2);
	ck_assert_mem_eq(bytes, "de", 2);
	ck_assert_int_eq(rt_read_at(fd, bytes, 4, -1), 4);
	ck_assert_mem_eq(bytes, "abcd", 4);
	ck_assert_int_eq(rt_read_at(fd, bytes, 8, -1), 2);
	ck_assert_int_eq(rt_read_at(fd, bytes, 8, -1), 0);
	ck_assert_int_eq(rt_read_at(fd, bytes, 8, 6), 0);
	close(fd);
	errno = 0;
	ck_assert_int_eq(rt_read_at(fd, bytes, 8, -1), -1);
	ck_assert_int_eq(errno, EBADF);
}
END_TEST

/* A hard link is the same file; another one with the same bytes is not. */
START_TEST(same_file)
{
	struct stat one, again, other;

	put("one", "x");
	put("other", "x");
	ck_assert_int_eq(link(at("one"), at("again")), 0);
	ck_assert_int_eq(stat(at("one"), &one), 0);
	ck_assert_int_eq(stat(at("again"), &again), 0);
	ck_assert_int_eq(stat(at("other"), &other), 0);
	ck_assert(rt_same_file(&one, &one));
	ck_assert(rt_same_file(&one, &again));
	ck_assert(!rt_same_file(&one, &other));
	other = one;
	other.st_dev++;
	ck_assert(!rt_same_file(&one, &other));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("io");
	TCase *tcase = tcase_create("io");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_test(tcase, write_pieces);
	tcase_add_test(tcase, write_fails);
	tcase_add_test(tcase, read_places);
	tcase_add_test(tcase, same_file);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
