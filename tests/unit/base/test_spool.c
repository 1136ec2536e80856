/*
 * The spool: bytes held back in memory and in a file come out as they went in; what cannot be
 * held is an error, and stays one.
 */
#include "base/spool.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "unit.h"

#define MEMORY ((size_t)RT_SPOOL_MEMORY)

/* The byte at a place: no two blocks of a power of two are alike. */
static char byte_at(size_t at)
{
	return (char)(at * 31 + at / 251 + at / 65537);
}

/* Receives what a spool passes on, and checks it. */
struct receiver {
	size_t at;
	size_t fail_at; /* fail the write that would go beyond this */
};

static enum rt_status receive(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct receiver *receiver = ctx;
	const char *bytes = data;

	if (len > receiver->fail_at - receiver->at)
		return rt_error_sys(err, ENOSPC, "receiver");
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != byte_at(receiver->at + i))
			ck_abort_msg("byte %zu", receiver->at + i);
	}
	receiver->at += len;
	return RT_OK;
}

static enum rt_status copy_to(struct rt_spool *spool, struct receiver *receiver,
			      struct rt_error *err)
{
	struct rt_sink sink = {receive, receiver};

	memset(err, 0, sizeof(*err));
	return rt_spool_copy(spool, &sink, err);
}

/* Append the bytes from..to in pieces of at most step. */
static enum rt_status append(struct rt_spool *spool, size_t from, size_t to, size_t step,
			     struct rt_error *err)
{
	struct rt_sink sink = rt_spool_sink(spool);
	enum rt_status status = RT_OK;
	char *piece = malloc(step);

	ck_assert_ptr_nonnull(piece);
	memset(err, 0, sizeof(*err));
	while (from < to && status == RT_OK) {
		size_t len = to - from < step ? to - from : step;

		for (size_t i = 0; i < len; i++)
			piece[i] = byte_at(from + i);
		status = sink.write(sink.ctx, piece, len, err);
		from += len;
	}
	free(piece);
	return status;
}

static const struct {
	const char *what;
	size_t bytes, step;
	bool in_file;
} sizes[] = {
    {"nothing", 0, 1, false},
    {"one byte", 1, 1, false},
    {"a few, byte by byte", 1000, 1, false},
    {"all that memory holds, in one", MEMORY, MEMORY, false},
    {"all that memory holds, in pieces", MEMORY, 1000, false},
    {"a byte more, in one", MEMORY + 1, MEMORY + 1, true},
    {"a byte more, in pieces", MEMORY + 1, 4096, true},
    {"twice, to the byte", 2 * MEMORY, MEMORY, true},
    {"several times, in odd pieces", 3 * MEMORY + 12345, 65537, true},
    {"several times, in one", 3 * MEMORY + 12345, 3 * MEMORY + 12345, true},
};

START_TEST(table)
{
	struct receiver first = {0, SIZE_MAX}, second = {0, SIZE_MAX};
	struct rt_spool spool;
	struct rt_error err;

	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, sizes[_i].bytes, sizes[_i].step, &err), RT_OK);
	ck_assert_msg((spool.fd >= 0) == sizes[_i].in_file, "%s", sizes[_i].what);
	ck_assert_msg(spool.buf.cap <= 2 * MEMORY, "%s: %zu bytes in memory", sizes[_i].what,
		      spool.buf.cap);
	ck_assert_int_eq(copy_to(&spool, &first, &err), RT_OK);
	ck_assert_msg(first.at == sizes[_i].bytes, "%s: have %zu bytes", sizes[_i].what, first.at);
	/* It can be asked for again. */
	ck_assert_int_eq(copy_to(&spool, &second, &err), RT_OK);
	ck_assert_uint_eq(second.at, sizes[_i].bytes);
	rt_spool_release(&spool);
	ck_assert_int_eq(spool.fd, -1);
	rt_spool_release(&spool);
}
END_TEST

/* Small and large appends in turn keep their order, around the border of memory and file. */
START_TEST(mixed)
{
	static const size_t steps[] = {7, MEMORY + 3, 1, MEMORY - 1, 2, 2 * MEMORY, 100000, MEMORY};
	struct receiver receiver = {0, SIZE_MAX};
	struct rt_spool spool;
	struct rt_error err;
	size_t at = 0;

	rt_spool_init(&spool);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		ck_assert_int_eq(append(&spool, at, at + steps[i], steps[i], &err), RT_OK);
		at += steps[i];
	}
	ck_assert_int_eq(copy_to(&spool, &receiver, &err), RT_OK);
	ck_assert_uint_eq(receiver.at, at);
	rt_spool_release(&spool);
}
END_TEST

/* The receiver fails at once, within the file, or when the part in memory comes. */
static const struct {
	const char *what;
	size_t bytes, fail_at;
} failures[] = {
    {"in memory", 100, 0},
    {"first block of the file", 2 * MEMORY, 0},
    {"a later block of the file", 2 * MEMORY, MEMORY / 2},
    {"in memory, after the file", MEMORY + 100, MEMORY},
};

START_TEST(sink_fails)
{
	struct receiver receiver = {0, failures[_i].fail_at};
	struct rt_spool spool;
	struct rt_error err;
	enum rt_status status;

	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, failures[_i].bytes, 65536, &err), RT_OK);
	status = copy_to(&spool, &receiver, &err);
	ck_assert_msg(status == RT_FATAL, "%s: status %d", failures[_i].what, status);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, ENOSPC);
	ck_assert_str_eq(err.message, "receiver: No space left on device");
	ck_assert_msg(receiver.at <= failures[_i].fail_at, "%s", failures[_i].what);
	rt_spool_release(&spool);
}
END_TEST

/* The folder is not there: another takes the file. */
START_TEST(folder_missing)
{
	struct receiver receiver = {0, SIZE_MAX};
	struct rt_spool spool;
	struct rt_error err;

	ck_assert_int_eq(setenv("TMPDIR", "/nonexistent/retriage", 1), 0);
	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, MEMORY + 1, 65536, &err), RT_OK);
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	ck_assert_int_ge(spool.fd, 0);
	ck_assert_int_eq(copy_to(&spool, &receiver, &err), RT_OK);
	ck_assert_uint_eq(receiver.at, MEMORY + 1);
	rt_spool_release(&spool);
}
END_TEST

/* No file can be had: what fits in memory does not need one, and the rest is lost for good. */
START_TEST(no_file)
{
	struct receiver receiver = {0, SIZE_MAX};
	struct rlimit before, none;
	struct rt_spool spool;
	struct rt_error err;
	enum rt_status status;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, MEMORY, 65536, &err), RT_OK);
	ck_assert_int_eq(spool.fd, -1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	status = append(&spool, MEMORY, MEMORY + 1, 1, &err);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EMFILE);
	ck_assert_str_eq(err.message, "temporary file: Too many open files");
	/* Also when a file could be had again. */
	ck_assert_int_eq(append(&spool, MEMORY, MEMORY + 1, 1, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(copy_to(&spool, &receiver, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_uint_eq(receiver.at, 0);
	rt_spool_release(&spool);
}
END_TEST

/* An empty TMPDIR is none. */
START_TEST(folder_empty)
{
	struct rt_spool spool;
	struct rt_error err;

	ck_assert_int_eq(setenv("TMPDIR", "", 1), 0);
	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, MEMORY + 1, 65536, &err), RT_OK);
	ck_assert_int_ge(spool.fd, 0);
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	rt_spool_release(&spool);
}
END_TEST

/* The file is in $TMPDIR, has no name there, and is nobody else's. */
START_TEST(no_name)
{
	char dir[] = "/tmp/retriage-test-XXXXXX";
	struct stat of_dir, of_file;
	struct rt_spool spool;
	struct rt_error err;
	DIR *listing;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(setenv("TMPDIR", dir, 1), 0);
	rt_spool_init(&spool);
	ck_assert_int_eq(append(&spool, 0, MEMORY + 1, 65536, &err), RT_OK);
	ck_assert_int_eq(stat(dir, &of_dir), 0);
	ck_assert_int_eq(fstat(spool.fd, &of_file), 0);
	ck_assert(of_dir.st_dev == of_file.st_dev);
	ck_assert_uint_eq(of_file.st_nlink, 0);
	ck_assert_uint_eq(of_file.st_mode & 0777, 0600);
	listing = opendir(dir);
	ck_assert_ptr_nonnull(listing);
	for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
		ck_assert_msg(entry->d_name[0] == '.', "%s", entry->d_name);
	ck_assert_int_eq(closedir(listing), 0);
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	rt_spool_release(&spool);
}
END_TEST

/* The file may not grow: a write that is cut short and then fails. */
START_TEST(file_full)
{
	struct receiver receiver = {0, SIZE_MAX};
	struct rlimit before, small;
	struct rt_spool spool;
	struct rt_error err;
	enum rt_status status;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1000000;
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	rt_spool_init(&spool);
	status = append(&spool, 0, MEMORY + (size_t)_i, _i ? MEMORY + (size_t)_i : 1, &err);
	if (_i == 0) /* within memory: the file comes with the next byte */
		status = append(&spool, MEMORY, MEMORY + 1, 1, &err);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	ck_assert(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EFBIG);
	ck_assert_int_eq(append(&spool, 0, 10, 10, &err), RT_FATAL);
	ck_assert_int_eq(copy_to(&spool, &receiver, &err), RT_FATAL);
	ck_assert_uint_eq(receiver.at, 0);
	rt_spool_release(&spool);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("spool");
	TCase *tcase = tcase_create("spool");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, table, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tcase, mixed);
	tcase_add_loop_test(tcase, sink_fails, 0, sizeof(failures) / sizeof(failures[0]));
	tcase_add_test(tcase, folder_missing);
	tcase_add_test(tcase, no_file);
	tcase_add_test(tcase, folder_empty);
	tcase_add_test(tcase, no_name);
	tcase_add_loop_test(tcase, file_full, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
