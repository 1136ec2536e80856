/*
 * Repacking that goes wrong: a full disk, a killed child, damaged and hostile input, patches of
 * another file. An error each time, never a crash, and nobody left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "repack_make.h"
#include "unit.h"

static const char *const formats[] = {"", "ustar", "zip"};
static const char *const filters[] = {"", "gzip", "zstd", "xz", "bzip2", "lz4"};
#define KINDS ((int)(COUNT(formats) * COUNT(filters)))

static struct rt_buf archive, packed;
static struct rt_patches patches;
static struct repacked result;

static void setup(void)
{
	memset(&archive, 0, sizeof(archive));
	memset(&packed, 0, sizeof(packed));
	memset(&patches, 0, sizeof(patches));
	memset(&result, 0, sizeof(result));
}

static void teardown(void)
{
	int status;

	rt_buf_release(&archive);
	rt_buf_release(&packed);
	rt_patches_release(&patches);
	rt_buf_release(&result.bytes);
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

/* Bytes that no compression makes smaller. */
static void noise(char *data, size_t len)
{
	uint32_t state = 1;

	for (size_t i = 0; i < len; i++) {
		state = state * 1664525u + 1013904223u;
		data[i] = (char)(state >> 24);
	}
	/* Not taken for anything. */
	data[0] = '[';
}

static struct rt_slice make_input(const char *format, const char *filter, size_t len)
{
	char *data = malloc(len);
	struct rt_buf gz = {0};

	noise(data, len);
	make_packed(&gz, "gzip", "", data, len / 2);
	{
		const struct make_member members[] = {
		    {.name = "a.json", .data = data, .len = len},
		    {.name = "other.bin", .data = data, .len = len},
		    {.name = "b.json.gz", .data = gz.data, .len = gz.len}};

		if (!format[0])
			make_packed(&packed, filter, "", data, len);
		else
			make_archive(&archive, format, members, COUNT(members));
		if (format[0] && filter[0])
			make_packed(&packed, filter, "", archive.data, archive.len);
	}
	rt_buf_release(&gz);
	free(data);
	return filter[0] ? rt_buf_slice(&packed) : rt_buf_slice(&archive);
}

/* --- The system -------------------------------------------------------------------------- */

/* Files may not grow as long as the output has to. */
START_TEST(test_full_disk)
{
	const char *format = formats[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct rlimit limit = {200000, 200000};
	struct rt_file file = {.path = "test", .seekable = true};
	struct rt_options options = {.path_count = 1};
	struct rt_error err = {0};
	uint32_t parts = 77;
	struct rt_slice input;
	enum rt_status status;
	char *path;
	int out;

	if (!format[0] && !filter[0])
		return;
	input = make_input(format, filter, 300000);
	path = make_file("out", "", 0);
	file.fd = repack_file(input);
	file.size = input.len;
	out = open(path, O_RDWR | O_CLOEXEC);
	repack_patch(&patches, 0, 1, 1, "X");
	repack_patch(&patches, 1, 1, 1, "X");
	rt_limits_init(&options.limits);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	status = repack_file_to(&file, &options, &patches, 0, &parts, out, &err);
	ck_assert_msg(status == RT_FATAL && err.code == RT_E_IO && err.sys == EFBIG,
		      "%s in %s: status %d code %d sys %d: %s", format, filter, (int)status,
		      (int)err.code, err.sys, err.message);
	ck_assert_uint_eq(parts, 77);
	close(out);
	close(file.fd);
	(void)unlink(path);
	free(path);
}
END_TEST

/* /dev/full takes no byte. */
START_TEST(test_no_space)
{
	struct rt_slice input = make_input("ustar", "zstd", 300000);
	struct rt_file file = {.path = "test", .seekable = true, .size = input.len};
	int out = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct rt_options options = {.path_count = 1};
	struct rt_error err = {0};
	uint32_t parts;

	ck_assert_int_ge(out, 0);
	file.fd = repack_file(input);
	rt_limits_init(&options.limits);
	ck_assert_int_eq(repack_file_to(&file, &options, &patches, 0, &parts, out, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, ENOSPC);
	ck_assert_ptr_nonnull(strstr(err.message, "cannot write the file: No space left"));
	close(out);
	close(file.fd);
}
END_TEST

/* The child of a process, waited for. */
static pid_t child_of(pid_t parent)
{
	char path[64];
	char text[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	for (int i = 0; i < 1000; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		close(fd);
		if (got > 0) {
			text[got] = '\0';
			return (pid_t)strtol(text, NULL, 10);
		}
		(void)usleep(1000);
	}
	return 0;
}

START_TEST(test_killed)
{
	struct rt_slice input = make_input("ustar", "xz", 6000000);
	int status = 0;
	pid_t caller = fork();
	pid_t child;

	if (caller == 0) {
		repack_run(&result, input, &patches, 0, NULL);
		_exit(result.status == RT_REJECT && strstr(result.err.message, "(signal 9)") ? 0
											     : 1);
	}
	child = child_of(caller);
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(caller, &status, 0), caller);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* --- The input --------------------------------------------------------------------------- */

/* Whatever was done to the bytes: an answer, and where it is a good one, a good file. */
static void check_damaged(struct rt_slice input, const char *what)
{
	struct made_result read;

	repack_run(&result, input, &patches, 0, NULL);
	ck_assert_msg(result.status == RT_OK || result.err.message[0], "%s: no message", what);
	ck_assert_msg(!strstr(result.err.message, "stopped") &&
			  !strstr(result.err.message, "rules"),
		      "%s: %s", what, result.err.message);
	if (result.status == RT_OK && result.bytes.len) {
		repack_parts(&read, rt_buf_slice(&result.bytes));
		ck_assert_msg(read.status == RT_OK, "%s: written, not readable: %s", what,
			      read.err.message);
		rt_buf_release(&read.text);
	}
	rt_buf_release(&result.bytes);
}

START_TEST(test_damaged)
{
	const char *format = formats[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct rt_slice input;
	uint32_t state = (uint32_t)_i + 1;
	char *copy;

	if (!format[0] && !filter[0])
		return;
	make_standard(&archive, format[0] ? format : "ustar");
	if (filter[0])
		make_packed(&packed, filter, "", archive.data, format[0] ? archive.len : 700);
	input = filter[0] ? rt_buf_slice(&packed) : rt_buf_slice(&archive);
	copy = malloc(input.len);
	repack_patch(&patches, 0, 2, 1, "XX");
	repack_patch(&patches, 1, 3, 0, "YYY");
	for (unsigned i = 0; i < 40; i++) {
		size_t len = input.len;

		memcpy(copy, input.ptr, len);
		state = state * 1664525u + 1013904223u;
		if (i % 2)
			len = (state >> 8) % len;
		else
			copy[(state >> 8) % len] ^= (char)(1u << (state >> 29));
		/* A file that needs no decoder is not for the repacker. */
		if (len > 600 && rt_magic_find((uint8_t *)copy, 512) != RT_MAGIC_NONE)
			check_damaged(rt_slice_make(copy, len), format[0] ? format : filter);
	}
	free(copy);
}
END_TEST

START_TEST(test_limits)
{
	static const struct {
		const char *what, *format, *filter, *limit, *value, *message;
	} rows[] = {
	    {"bytes of a document", "", "zstd", "expanded", "1000", "limit \"expanded\""},
	    {"bytes of a tar", "ustar", "gzip", "expanded", "1000", "limit \"expanded\""},
	    {"bytes of a zip member", "zip", "", "expanded", "1000", "limit \"expanded\""},
	    {"members", "ustar", "", "members", "2", "limit \"members\""},
	    {"members of a zip", "zip", "", "members", "2", "limit \"members\""},
	};
	struct rt_slice input = make_input(rows[_i].format, rows[_i].filter, 50000);
	struct rt_options options = {.path_count = 1};

	rt_limits_init(&options.limits);
	ck_assert(rt_limits_set(&options.limits, rows[_i].limit, rows[_i].value));
	repack_patch(&patches, 0, 1, 1, "X");
	repack_run(&result, input, &patches, 0, &options.limits);
	ck_assert_msg(result.status < 0 && result.err.code == RT_E_LIMIT, "%s: status %d code %d",
		      rows[_i].what, (int)result.status, (int)result.err.code);
	ck_assert_msg(strstr(result.err.message, rows[_i].message), "%s: %s", rows[_i].what,
		      result.err.message);
}
END_TEST

/* Patches for bytes that are not there: the file is another one. */
START_TEST(test_other_file)
{
	const char *format = formats[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct rt_slice input;

	if (!format[0] && !filter[0])
		return;
	input = make_input(format, filter, 5000);
	repack_patch(&patches, 0, 4999, 2, "X");
	repack_run(&result, input, &patches, 0, NULL);
	ck_assert_msg(result.status == RT_FATAL && result.err.code == RT_E_IO,
		      "%s in %s: status %d: %s", format, filter, (int)result.status,
		      result.err.message);
	ck_assert_msg(strstr(result.err.message, "it was changed"), "%s", result.err.message);
	ck_assert_str_eq(result.err.member, format[0] ? "a.json" : "");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("repack_fail");
	TCase *tcase = tcase_create("repack_fail");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_full_disk, 0, KINDS);
	tcase_add_test(tcase, test_no_space);
	tcase_add_test(tcase, test_killed);
	tcase_add_loop_test(tcase, test_damaged, 0, KINDS);
	tcase_add_loop_test(tcase, test_limits, 0, 5);
	tcase_add_loop_test(tcase, test_other_file, 0, KINDS);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
