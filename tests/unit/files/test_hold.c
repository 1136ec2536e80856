/*
 * Inputs that are read twice: what is copied and what is not, and what cannot be held.
 */
#include "files/hold.h"

#include <errno.h>

#include "base/limits.h"
#include "scratch.h"

#define CONTENT "[{\"id\":\"a\"}]\n"

static const char *path_list[4];
static struct rt_error err;

static struct rt_options options_of(size_t count, int input_fd)
{
	struct rt_options options = {.paths = path_list, .path_count = count, .input_fd = input_fd};

	rt_limits_init(&options.limits);
	memset(&err, 0, sizeof(err));
	return options;
}

/* A descriptor that gives the bytes and can give them only once. */
static int pipe_with(const char *bytes, size_t len)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], bytes, len), (ssize_t)len);
	close(fds[1]);
	return fds[0];
}

static void expect_content(int fd, const char *text)
{
	char have[256];
	ssize_t len = pread(fd, have, sizeof(have), 0);

	ck_assert_int_eq(len, (ssize_t)strlen(text));
	ck_assert_mem_eq(have, text, strlen(text));
	/* Whoever reads on finds its start. */
	ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0);
}

START_TEST(pipe_is_copied)
{
	int fd = pipe_with(CONTENT, strlen(CONTENT));
	struct rt_options options = options_of(1, fd);
	struct rt_hold hold;

	path_list[0] = "-";
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	ck_assert_int_ne(hold.options.input_fd, fd);
	ck_assert_int_eq(hold.options.input_fd, hold.fd);
	ck_assert_ptr_eq(hold.options.paths, options.paths);
	expect_content(hold.options.input_fd, CONTENT);
	rt_hold_release(&hold);
	ck_assert_int_eq(hold.fd, -1);
	rt_hold_release(&hold);
	close(fd);
}
END_TEST

/* More than a pipe holds, and more than is copied at a time. */
START_TEST(long_pipe)
{
	enum { LEN = 1000000 };
	struct rt_options options;
	struct rt_hold hold;
	struct stat st;
	char last;
	FILE *from;

	path_list[0] = "-";
	from = popen("head -c 999999 /dev/zero && printf x", "r");
	ck_assert_ptr_nonnull(from);
	options = options_of(1, fileno(from));
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	ck_assert_int_eq(fstat(hold.fd, &st), 0);
	ck_assert_int_eq(st.st_size, LEN);
	ck_assert_int_eq(pread(hold.fd, &last, 1, LEN - 1), 1);
	ck_assert_int_eq(last, 'x');
	rt_hold_release(&hold);
	pclose(from);
}
END_TEST

/* A file at its start is used as it is; one that has been read from gives what is left. */
START_TEST(file_on_input)
{
	struct rt_options options;
	struct rt_hold hold;
	int fd;

	put("in", CONTENT);
	fd = open(at("in"), O_RDONLY);
	ck_assert_int_ge(fd, 0);
	path_list[0] = "-";
	options = options_of(1, fd);
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	ck_assert_int_eq(hold.options.input_fd, fd);
	ck_assert_int_eq(hold.fd, -1);
	rt_hold_release(&hold);
	ck_assert_int_eq(lseek(fd, 1, SEEK_SET), 1);
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	ck_assert_int_ne(hold.options.input_fd, fd);
	expect_content(hold.options.input_fd, &CONTENT[1]);
	rt_hold_release(&hold);
	close(fd);
}
END_TEST

/* Standard input is left alone where no path asks for it, and held where another comes first. */
START_TEST(among_paths)
{
	int fd = pipe_with(CONTENT, strlen(CONTENT));
	struct rt_options options;
	struct rt_hold hold;
	char byte;

	put("a.json", CONTENT);
	path_list[0] = at("a.json");
	path_list[1] = at("none.json");
	path_list[2] = "-";
	options = options_of(2, fd);
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	ck_assert_int_eq(hold.options.input_fd, fd);
	ck_assert_int_eq(hold.fd, -1);
	rt_hold_release(&hold);
	options = options_of(3, fd);
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_OK);
	expect_content(hold.options.input_fd, CONTENT);
	ck_assert_int_eq(read(fd, &byte, 1), 0);
	rt_hold_release(&hold);
	close(fd);
}
END_TEST

static const struct {
	const char *what;
	size_t bytes; /* on the pipe */
	uint64_t limit;
	enum rt_status status;
	const char *message;
} limits[] = {
    {"just as many", 100, 100, RT_OK, NULL},
    {"one more", 101, 100, RT_FATAL, "want at most 100 bytes (limit \"expanded\"), have more"},
    {"none", 0, 1, RT_OK, NULL},
};

START_TEST(limit)
{
	char bytes[128] = {0};
	int fd = pipe_with(bytes, limits[_i].bytes);
	struct rt_options options = options_of(1, fd);
	struct rt_hold hold;

	path_list[0] = "-";
	options.limits.expanded_bytes = limits[_i].limit;
	ck_assert_msg(rt_hold_init(&hold, &options, &err) == limits[_i].status, "%s",
		      limits[_i].what);
	if (limits[_i].message) {
		ck_assert_int_eq(err.code, RT_E_LIMIT);
		ck_assert_str_eq(err.message, limits[_i].message);
		ck_assert_str_eq(err.path, "-");
	}
	rt_hold_release(&hold);
	close(fd);
}
END_TEST

START_TEST(refused)
{
	struct rt_options options = options_of(2, 0);
	struct rt_hold hold;

	put("a.json", CONTENT);
	ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
	path_list[0] = at("a.json");
	path_list[1] = at("fifo");
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.path, at("fifo"));
	ck_assert_ptr_nonnull(strstr(err.message, "have a FIFO"));
	rt_hold_release(&hold);

	path_list[0] = "-";
	options = options_of(1, 999);
	ck_assert_int_eq(rt_hold_init(&hold, &options, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EBADF);
	ck_assert_str_eq(err.path, "-");
	rt_hold_release(&hold);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("hold");
	TCase *tcase = tcase_create("hold");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_test(tcase, pipe_is_copied);
	tcase_add_test(tcase, long_pipe);
	tcase_add_test(tcase, file_on_input);
	tcase_add_test(tcase, among_paths);
	tcase_add_loop_test(tcase, limit, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tcase, refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
