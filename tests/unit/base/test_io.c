/*
 * Descriptors: whole writes into a pipe that takes them piece by piece, reads at an offset and
 * onward, whole files into a sink, and what file a path or a look leads to.
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

static const struct {
	const char *path; /* "" : the folder of the test, with what is after it */
	const char *link; /* made at the path; NULL: none */
	bool result;
} descriptors[] = {
    {"/dev/stdout", NULL, true},
    {"/dev/fd/0", NULL, true},
    {"/dev/fd/999", NULL, true},
    {"/proc/self/fd/1", NULL, true},
    {"/proc/thread-self/fd/1", NULL, true},
    {"/dev/null", NULL, false},
    {"/nowhere/at/all", NULL, false},
    {"plain", NULL, false},
    {"", NULL, false},
    {"to-stdout", "/dev/stdout", true},
    {"to-plain", "plain", false},
    {"to-itself", "to-itself", false},
    {"to-nothing", "none", false},
    {"folder/1", NULL, true},
    {"cwd/plain", NULL, false},
};

/* In the folder: folder leads to /proc/self/fd, cwd to this process's own. */
START_TEST(descriptor)
{
	const char *path = descriptors[_i].path;

	ck_assert_int_eq(chdir(scratch), 0);
	put("plain", "x");
	ck_assert_int_eq(symlink("/proc/self/fd", "folder"), 0);
	ck_assert_int_eq(symlink("/proc/self/cwd", "cwd"), 0);
	if (descriptors[_i].link)
		ck_assert_int_eq(symlink(descriptors[_i].link, path), 0);
	ck_assert_msg(rt_is_descriptor(path) == descriptors[_i].result, "%s", path);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

static enum rt_status take(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_buf *buf = ctx;

	return buf ? rt_buf_append(buf, data, len, err) : rt_error_set(err, RT_E_IO, "full");
}

/* More than one block, from the start whatever the offset; a sink that fails; no file. */
START_TEST(send_file)
{
	static char data[BYTES + 1];
	struct rt_buf seen = {0};
	struct rt_error err;
	int fd;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i % 251);
	put_bytes("data", data, sizeof(data));
	fd = open_file("data", O_RDONLY);
	ck_assert_int_eq(lseek(fd, 5, SEEK_SET), 5);
	ck_assert_int_eq(rt_send_file(fd, &(struct rt_sink){take, &seen}, "data", &err), RT_OK);
	ck_assert(seen.len == sizeof(data) && memcmp(seen.data, data, sizeof(data)) == 0);
	ck_assert_int_eq(rt_send_file(fd, &(struct rt_sink){take, NULL}, "data", &err), RT_FATAL);
	ck_assert_str_eq(err.message, "full");
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(rt_send_file(fd, &(struct rt_sink){take, &seen}, "data", &err), RT_FATAL);
	ck_assert_int_eq(err.sys, EBADF);
	ck_assert_ptr_nonnull(strstr(err.message, "data: "));
	rt_buf_release(&seen);
}
END_TEST

/* Whole pages are asked for, each once and not a few at a time; a descriptor that is none is the
 * flush's to tell. */
START_TEST(write_begin)
{
	uint64_t started = 0;
	int fd;

	put_bytes("data", "", 0);
	fd = open_file("data", O_RDWR);
	rt_write_begin(fd, RT_WRITE_BEGIN_BYTES - 1, &started);
	ck_assert_uint_eq(started, 0);
	rt_write_begin(fd, RT_WRITE_BEGIN_BYTES + 5000, &started);
	ck_assert_uint_eq(started, RT_WRITE_BEGIN_BYTES + 4096);
	rt_write_begin(fd, 2 * RT_WRITE_BEGIN_BYTES, &started);
	ck_assert_uint_eq(started, RT_WRITE_BEGIN_BYTES + 4096);
	ck_assert_int_eq(close(fd), 0);
	rt_write_begin(fd, 3 * RT_WRITE_BEGIN_BYTES, &started);
	ck_assert_uint_eq(started, 3 * RT_WRITE_BEGIN_BYTES);
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
	tcase_add_loop_test(tcase, descriptor, 0, sizeof(descriptors) / sizeof(descriptors[0]));
	tcase_add_test(tcase, send_file);
	tcase_add_test(tcase, write_begin);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
