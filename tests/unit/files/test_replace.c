/*
 * rt_replace: what is kept, what is refused, what is left behind, and who waits for whom.
 */
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

#include "files/replace.h"
#include "scratch.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NOBODY 65534

static struct rt_error err;
static struct rt_replace *replace;

static enum rt_status open_at(const char *target, enum rt_replace_kind kind)
{
	replace = NULL;
	return rt_replace_open(target, kind, NULL, NULL, &replace, &err);
}

static int begin(void)
{
	int fd = -1;

	ck_assert_msg(rt_replace_begin(replace, &fd, &err) == RT_OK, "%s", err.message);
	ck_assert_int_ge(fcntl(fd, F_GETFD), FD_CLOEXEC);
	return fd;
}

/* Open and write, all but the commit. */
static void prepare(const char *target, enum rt_replace_kind kind, const char *text)
{
	ck_assert_msg(open_at(target, kind) == RT_OK, "%s", err.message);
	ck_assert_int_eq(write(begin(), text, strlen(text)), (ssize_t)strlen(text));
}

static void finish(void)
{
	ck_assert_msg(rt_replace_commit(replace, &err) == RT_OK, "%s", err.message);
	rt_replace_free(replace);
	replace = NULL;
}

static void expect_refused(enum rt_status status, enum rt_code code, const char *path,
			   const char *message, const char *what)
{
	ck_assert_msg(status == RT_FATAL, "%s: status %d", what, (int)status);
	ck_assert_msg(err.code == code, "%s: code %d, %s", what, (int)err.code, err.message);
	ck_assert_msg(strstr(err.message, message) != NULL, "%s: %s", what, err.message);
	ck_assert_str_eq(err.path, path);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(test_new)
{
	mode_t mask = umask(027);

	prepare(at("new"), RT_REPLACE_FILE, "text");
	(void)umask(0);
	ck_assert(!is_there(at("new")));
	ck_assert_uint_eq(entries_of(scratch), 1);
	finish();
	(void)umask(mask);
	expect_text(at("new"), "text");
	ck_assert_uint_eq(mode_of(at("new")), 0640);
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

/* A path without a folder is in the current one. */
START_TEST(test_plain_name)
{
	ck_assert_int_eq(chdir(scratch), 0);
	prepare("new", RT_REPLACE_FILE, "text");
	finish();
	expect_text(at("new"), "text");
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* Mode, owner, attributes; nobody else can look into the file before. */
START_TEST(test_kept)
{
	static const mode_t modes[] = {0600, 0604, 0640, 04755, 0400};
	const char *path = at("old");
	bool is_root = geteuid() == 0;
	bool has_attributes;
	struct stat st;
	char value[8] = "";

	put("old", "old");
	if (is_root)
		ck_assert_int_eq(chown(path, 1234, 2345), 0);
	has_attributes = setxattr(path, "user.rt", "kept", 4, 0) == 0;
	ck_assert_int_eq(chmod(path, modes[_i]), 0);
	prepare(path, _i % 2 ? RT_REPLACE_IN_PLACE : RT_REPLACE_FILE, "new");
	expect_text(path, "old");
	finish();
	expect_text(path, "new");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, modes[_i]);
	if (is_root) {
		ck_assert_uint_eq(st.st_uid, 1234);
		ck_assert_uint_eq(st.st_gid, 2345);
	}
	if (has_attributes) {
		ck_assert_int_eq(getxattr(path, "user.rt", value, sizeof(value)), 4);
		ck_assert_str_eq(value, "kept");
	}
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

START_TEST(test_secret)
{
	struct stat st;
	int fd;

	put("old", "old");
	ck_assert_int_eq(chmod(at("old"), 0666), 0);
	ck_assert_int_eq(open_at(at("old"), RT_REPLACE_FILE), RT_OK);
	ck_assert_uint_eq(entries_of(scratch), 1);
	fd = begin();
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	rt_replace_free(replace);
}
END_TEST

START_TEST(test_abort)
{
	put("old", "old");
	prepare(at("old"), _i ? RT_REPLACE_IN_PLACE : RT_REPLACE_FILE, "new");
	ck_assert_uint_eq(entries_of(scratch), 2);
	rt_replace_free(replace);
	expect_text(at("old"), "old");
	ck_assert_uint_eq(entries_of(scratch), 1);
	/* Before the start, too; and without anything. */
	ck_assert_int_eq(open_at(at("none"), RT_REPLACE_FILE), RT_OK);
	rt_replace_free(replace);
	rt_replace_free(NULL);
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

START_TEST(test_link)
{
	char text[16] = "";

	put("old", "old");
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(symlink("../old", at("d/link")), 0);
	prepare(at("d/link"), _i ? RT_REPLACE_IN_PLACE : RT_REPLACE_FILE, "new");
	ck_assert_uint_eq(entries_of(at("d")), 1);
	finish();
	ck_assert_int_eq(readlink(at("d/link"), text, sizeof(text)), 6);
	expect_text(at("old"), "new");
	expect_text(at("d/link"), "new");
}
END_TEST

static const struct kind_row {
	const char *what, *name;
	enum rt_replace_kind kind;
	enum rt_code code;
	const char *message;
} kind_rows[] = {
    {"a directory", "d", RT_REPLACE_FILE, RT_E_USAGE, "or nothing there, have a directory"},
    {"in place", "d", RT_REPLACE_IN_PLACE, RT_E_USAGE, "in place there, have a directory"},
    {"a FIFO", "fifo", RT_REPLACE_FILE, RT_E_USAGE, "have a FIFO"},
    {"a FIFO in place", "fifo", RT_REPLACE_IN_PLACE, RT_E_USAGE, "have a FIFO"},
    {"a socket", "socket", RT_REPLACE_FILE, RT_E_USAGE, "have a device or socket"},
    {"a link to a device", "null", RT_REPLACE_FILE, RT_E_USAGE, "have a device or socket"},
    {"a link to nothing", "dangling", RT_REPLACE_FILE, RT_E_USAGE, "symbolic link to nothing"},
    {"nothing in place", "none", RT_REPLACE_IN_PLACE, RT_E_USAGE, "No such file"},
    {"no folder", "none/x", RT_REPLACE_FILE, RT_E_USAGE, "cannot open the folder"},
    {"a file for a folder", "old/x", RT_REPLACE_FILE, RT_E_USAGE, "Not a directory"},
    {"no name", "none/", RT_REPLACE_FILE, RT_E_USAGE, "cannot open the folder"},
    {"a loop", "loop", RT_REPLACE_FILE, RT_E_IO, "Too many levels"},
    {"an old file", "old", RT_REPLACE_DIRECTORY, RT_E_USAGE, "want nothing, so that a "},
    {"an old directory", "d", RT_REPLACE_DIRECTORY, RT_E_USAGE, "have a directory"},
    {"a directory by a slash", "d/", RT_REPLACE_DIRECTORY, RT_E_USAGE, "have a directory"},
    {"a directory to nothing", "dangling", RT_REPLACE_DIRECTORY, RT_E_USAGE, "link to nothing"},
    {"hard links", "hard", RT_REPLACE_IN_PLACE, RT_E_USAGE, "several hard links"},
};
#define KIND_ROWS 17

START_TEST(test_kind)
{
	const struct kind_row *row = &kind_rows[_i];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const char *target = at(row->name);

	ck_assert_uint_eq(COUNT(kind_rows), KIND_ROWS);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", scratch);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	put("old", "old");
	put("hard", "hard");
	ck_assert_int_eq(link(at("hard"), at("hard2")), 0);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
	ck_assert_int_eq(symlink("/dev/null", at("null")), 0);
	ck_assert_int_eq(symlink("nothing", at("dangling")), 0);
	ck_assert_int_eq(symlink("loop", at("loop")), 0);
	expect_refused(open_at(target, row->kind), row->code, target, row->message, row->what);
	ck_assert_ptr_null(replace);
	ck_assert_uint_eq(entries_of(scratch), 9);
}
END_TEST

/* Found out before any work. */
START_TEST(test_read_only_folder)
{
	const char *path = at("d/old");

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chmod(scratch, 0755), 0);
	ck_assert_int_eq(mkdir(at("d"), 0755), 0);
	put("d/old", "old");
	ck_assert_int_eq(seteuid(NOBODY), 0);
	for (int kind = RT_REPLACE_FILE; kind <= RT_REPLACE_IN_PLACE; kind++) {
		expect_refused(open_at(path, (enum rt_replace_kind)kind), RT_E_IO, path,
			       "cannot make a file in this folder: Permission denied", "folder");
		ck_assert_int_eq(err.sys, EACCES);
	}
	expect_refused(open_at(at("d/new"), RT_REPLACE_DIRECTORY), RT_E_IO, at("d/new"),
		       "Permission denied", "folder");
	ck_assert_int_eq(seteuid(0), 0);
	expect_text(path, "old");
}
END_TEST

/* In a folder that we may write, a file whose owner we cannot keep. */
START_TEST(test_foreign_owner)
{
	const char *path = at("old");

	if (geteuid() != 0)
		return;
	put("old", "old");
	ck_assert_int_eq(chmod(path, 0644), 0);
	ck_assert_int_eq(chmod(scratch, 0777), 0);
	ck_assert_int_eq(seteuid(NOBODY), 0);
	prepare(path, RT_REPLACE_FILE, "new");
	expect_refused(rt_replace_commit(replace, &err), RT_E_IO, path,
		       "cannot keep the owner of the file", "owner");
	rt_replace_free(replace);
	ck_assert_int_eq(seteuid(0), 0);
	expect_text(path, "old");
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

/* Of dead runs, of a living one, and names that only look alike. */
START_TEST(test_stale)
{
	static const char *const kept[] = {
	    ".out.retriage-0011223",    ".out.retriage-001122334", ".out.retriage-0011223g",
	    ".other.retriage-00112233", "out.retriage-00112233",   ".out.retriage-0011223A",
	};
	static const char live[] = ".out.retriage-0a0a0a0a", fifo[] = ".out.retriage-0b0b0b0b",
			  link[] = ".out.retriage-0c0c0c0c";
	bool is_root = geteuid() == 0;
	int fd;

	/* For root no directory is closed. */
	if (is_root)
		ck_assert(chmod(scratch, 0777) == 0 && seteuid(NOBODY) == 0);
	for (size_t i = 0; i < COUNT(kept); i++)
		put(kept[i], "");
	put(".out.retriage-00112233", "half");
	ck_assert_int_eq(chmod(at(".out.retriage-00112233"), _i ? 0400 : 0200), 0);
	ck_assert_int_eq(mkdir(at(".out.retriage-44556677"), 0700), 0);
	ck_assert_int_eq(mkdir(at(".out.retriage-44556677/a"), 0700), 0);
	ck_assert_int_eq(mkdir(at(".out.retriage-44556677/a/b"), 0700), 0);
	put(".out.retriage-44556677/a/b/c", "half");
	ck_assert_int_eq(symlink("/", at(".out.retriage-44556677/a/root")), 0);
	ck_assert_int_eq(chmod(at(".out.retriage-44556677/a/b"), 0), 0);
	ck_assert_int_eq(chmod(at(".out.retriage-44556677"), 0500), 0);
	put(live, "");
	fd = open(at(live), O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(mkfifo(at(fifo), 0600), 0);
	ck_assert_int_eq(symlink(kept[0], at(link)), 0);
	ck_assert_int_eq(open_at(at("out"), _i ? RT_REPLACE_DIRECTORY : RT_REPLACE_FILE), RT_OK);
	rt_replace_free(replace);
	ck_assert(!is_there(at(".out.retriage-00112233")));
	ck_assert(!is_there(at(".out.retriage-44556677")));
	ck_assert(is_there(at(live)));
	for (size_t i = 0; i < COUNT(kept); i++)
		ck_assert_msg(is_there(at(kept[i])), "%s", kept[i]);
	ck_assert_uint_eq(entries_of(scratch), COUNT(kept) + 3);
	close(fd);
	ck_assert(!is_root || seteuid(0) == 0);
}
END_TEST

/* While a run has a temporary, others leave it alone, even between the flush and the rename. */
START_TEST(test_own_temporary)
{
	struct rt_replace *other;

	prepare(at("out"), RT_REPLACE_FILE, "1");
	ck_assert_int_eq(rt_replace_open(at("out"), RT_REPLACE_FILE, NULL, NULL, &other, &err),
			 RT_OK);
	ck_assert_uint_eq(entries_of(scratch), 1);
	finish();
	rt_replace_free(other);
	expect_text(at("out"), "1");
}
END_TEST

/* The temporary's name is longer than the target's, which may be as long as names can be. */
START_TEST(test_long_name)
{
	char name[256], stale[256];
	size_t len = 255;

	memset(name, 'n', len);
	if (_i) {
		/* Three bytes a character, so that the cut falls into one. */
		for (size_t i = 0; i + 3 <= len; i += 3)
			memcpy(name + i, "\xE2\x82\xAC", 3);
	}
	name[len] = '\0';
	prepare(at(name), RT_REPLACE_FILE, "new");
	finish();
	expect_text(at(name), "new");
	/* A dead run's is found all the same: 236 bytes of the name fit, or 234 of whole ones. */
	(void)snprintf(stale, sizeof(stale), ".%.*s.retriage-00000000", _i ? 234 : 236, name);
	put(stale, "");
	ck_assert_int_eq(open_at(at(name), RT_REPLACE_FILE), RT_OK);
	rt_replace_free(replace);
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

/* What others do to the target between open and commit. */
START_TEST(test_changed)
{
	static const struct {
		const char *what;
		enum rt_replace_kind kind;
		const char *command; /* in the folder */
		const char *message;
	} rows[] = {
	    {"appended", RT_REPLACE_IN_PLACE, "printf x >>old", "have it changed meanwhile"},
	    {"written", RT_REPLACE_IN_PLACE, "printf olx >old", "have it changed meanwhile"},
	    {"renamed over", RT_REPLACE_IN_PLACE, "printf olx >n && mv n old", "have it changed"},
	    {"its mode", RT_REPLACE_IN_PLACE, "chmod 600 old", "have it changed meanwhile"},
	    {"gone", RT_REPLACE_IN_PLACE, "rm old", "cannot look at the old file"},
	    {"now a directory", RT_REPLACE_FILE, "rm old; mkdir old", "have it changed meanwhile"},
	    {"now a link", RT_REPLACE_FILE, "rm old; ln -s x old", "have it changed meanwhile"},
	    {"temporary gone", RT_REPLACE_FILE, "rm .old.retriage-*", "cannot rename the new file"},
	};
	char command[256];

	put("old", "old");
	prepare(at("old"), rows[_i].kind, "new");
	(void)snprintf(command, sizeof(command), "cd '%s' && %s", scratch, rows[_i].command);
	ck_assert_int_eq(system(command), 0);
	expect_refused(rt_replace_commit(replace, &err), RT_E_IO, at("old"), rows[_i].message,
		       rows[_i].what);
	rt_replace_free(replace);
	(void)snprintf(command, sizeof(command), "ls -A '%s' | grep -q retriage", scratch);
	ck_assert_msg(system(command) != 0, "%s: a temporary is left", rows[_i].what);
}
END_TEST

/* What -o replaces may come and go; nobody promised anything about it. */
START_TEST(test_unchanged)
{
	put("old", "old");
	ck_assert_int_eq(chmod(at("old"), 0640), 0);
	prepare(at("old"), RT_REPLACE_FILE, "new");
	if (_i == 0)
		ck_assert_int_eq(unlink(at("old")), 0);
	else
		ck_assert_int_eq(chmod(at("old"), 0604), 0);
	finish();
	expect_text(at("old"), "new");
	ck_assert_uint_eq(mode_of(at("old")), _i == 0 ? 0600 : 0604);
}
END_TEST

static void count_up(const char *path)
{
	struct rt_buf buf;
	char text[32];

	ck_assert_msg(open_at(path, RT_REPLACE_IN_PLACE) == RT_OK, "%s", err.message);
	buf = bytes_of(path);
	(void)snprintf(text, sizeof(text), "%d", atoi(buf.data) + 1);
	rt_buf_release(&buf);
	ck_assert_int_eq(write(begin(), text, strlen(text)), (ssize_t)strlen(text));
	finish();
}

/* Several at once, each a reader and a writer: no update is lost. */
START_TEST(test_in_place_processes)
{
	enum { PROCESSES = 4, ROUNDS = 12 };
	const char *path = at("count");
	int failed = 0;

	put("count", "0");
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			for (int round = 0; round < ROUNDS; round++)
				count_up(path);
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status = -1;

		ck_assert_int_gt(wait(&status), 0);
		failed += status != 0;
	}
	ck_assert_int_eq(failed, 0);
	expect_text(path, "48");
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

static void count_notice(void *ctx, const char *text)
{
	(*(int *)ctx)++;
	ck_assert_ptr_nonnull(strstr(text, "waiting for the lock of "));
	ck_assert_ptr_nonnull(strstr(text, ", held by process "));
	ck_assert_ptr_nonnull(strstr(text, " (test_replace) (for at most 60 s)"));
}

/* A process holds the file and is killed: its lock is gone with it, and we go on. */
START_TEST(test_in_place_wait)
{
	int fds[2], notices = 0;
	char byte;
	pid_t child;
	struct timespec pause = {.tv_nsec = 200000000};

	put("old", "old");
	ck_assert_int_eq(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		ck_assert_int_eq(open_at(at("old"), RT_REPLACE_IN_PLACE), RT_OK);
		(void)begin();
		ck_assert_int_eq(write(fds[1], "x", 1), 1);
		(void)nanosleep(&pause, NULL);
		(void)raise(SIGKILL);
	}
	ck_assert_int_eq(read(fds[0], &byte, 1), 1);
	ck_assert_int_eq(
	    rt_replace_open(at("old"), RT_REPLACE_IN_PLACE, count_notice, &notices, &replace, &err),
	    RT_OK);
	ck_assert_int_eq(notices, 1);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	/* What it left behind is cleared up. */
	ck_assert_uint_eq(entries_of(scratch), 1);
	(void)begin();
	finish();
	expect_text(at("old"), "");
}
END_TEST

START_TEST(test_directory)
{
	struct stat st;
	int fd;

	ck_assert_int_eq(open_at(at("new///"), RT_REPLACE_DIRECTORY), RT_OK);
	fd = begin();
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert(S_ISDIR(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(mkdirat(fd, "sub", 0500), 0);
	if (_i == 0) {
		finish();
		ck_assert(is_there(at("new/sub")));
	} else if (_i == 1) {
		rt_replace_free(replace);
		ck_assert_uint_eq(entries_of(scratch), 0);
		return;
	} else {
		/* Made by somebody else meanwhile: theirs stays. */
		ck_assert_int_eq(mkdir(at("new"), 0700), 0);
		expect_refused(rt_replace_commit(replace, &err), RT_E_IO, at("new///"),
			       "cannot rename the new file: File exists", "made meanwhile");
		rt_replace_free(replace);
		ck_assert_uint_eq(entries_of(at("new")), 0);
	}
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

static enum rt_status take(void *ctx, const void *data, size_t len, struct rt_error *error)
{
	return ctx ? rt_buf_append(ctx, data, len, error) : rt_error_set(error, RT_E_IO, "full");
}

/* A stream gets nothing before the commit, all with it, and an error of its own is passed on. */
START_TEST(test_stream)
{
	struct rt_buf seen = {0};
	struct rt_sink sink = {take, _i ? NULL : &seen}, into;
	int fd;

	ck_assert_int_eq(rt_replace_open_stream(&sink, &replace, &err), RT_OK);
	fd = begin();
	into = rt_replace_sink(replace);
	ck_assert_int_eq(into.write(into.ctx, "text", 4, &err), RT_OK);
	ck_assert_int_eq(write(fd, "more", 4), 4);
	ck_assert_int_eq(rt_replace_settle(replace, &err), RT_OK);
	ck_assert_uint_eq(seen.len, 0);
	if (_i == 0) {
		ck_assert_int_eq(rt_replace_commit(replace, &err), RT_OK);
		ck_assert(rt_slice_equal(rt_buf_slice(&seen), RT_SLICE("textmore")));
	} else {
		ck_assert_int_eq(rt_replace_commit(replace, &err), RT_FATAL);
		ck_assert_str_eq(err.message, "full");
	}
	rt_replace_free(replace);
	rt_buf_release(&seen);
}
END_TEST

/* One that was opened and is not wanted any more, or not even begun. */
START_TEST(test_stream_dropped)
{
	struct rt_sink sink = {take, NULL};

	ck_assert_int_eq(rt_replace_open_stream(&sink, &replace, &err), RT_OK);
	if (_i)
		(void)begin();
	rt_replace_free(replace);
}
END_TEST

static void keep_notice(void *ctx, const char *text)
{
	(void)snprintf(ctx, 512, "%s", text);
}

/* With the commit, not before, it is said that a link is broken; the other name keeps the file. */
START_TEST(test_hard_link)
{
	char told[512] = "";

	put("old", "old");
	if (_i)
		ck_assert_int_eq(link(at("old"), at("other")), 0);
	ck_assert_int_eq(
	    rt_replace_open(at("old"), RT_REPLACE_FILE, keep_notice, told, &replace, &err), RT_OK);
	ck_assert_int_eq(write(begin(), "new", 3), 3);
	ck_assert_int_eq(rt_replace_settle(replace, &err), RT_OK);
	ck_assert_str_eq(told, "");
	finish();
	ck_assert_msg(!told[0] == !_i, "%s", told);
	expect_text(at("old"), "new");
	if (_i)
		expect_text(at("other"), "old");
	if (_i)
		ck_assert_ptr_nonnull(strstr(told, "several hard links"));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("replace");
	TCase *tcase = tcase_create("replace");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_test(tcase, test_new);
	tcase_add_test(tcase, test_plain_name);
	tcase_add_loop_test(tcase, test_kept, 0, 5);
	tcase_add_test(tcase, test_secret);
	tcase_add_loop_test(tcase, test_abort, 0, 2);
	tcase_add_loop_test(tcase, test_link, 0, 2);
	tcase_add_loop_test(tcase, test_kind, 0, KIND_ROWS);
	tcase_add_test(tcase, test_read_only_folder);
	tcase_add_test(tcase, test_foreign_owner);
	tcase_add_loop_test(tcase, test_stale, 0, 2);
	tcase_add_test(tcase, test_own_temporary);
	tcase_add_loop_test(tcase, test_long_name, 0, 2);
	tcase_add_loop_test(tcase, test_changed, 0, 8);
	tcase_add_loop_test(tcase, test_unchanged, 0, 2);
	tcase_add_test(tcase, test_in_place_processes);
	tcase_add_test(tcase, test_in_place_wait);
	tcase_add_loop_test(tcase, test_directory, 0, 3);
	tcase_add_loop_test(tcase, test_stream, 0, 2);
	tcase_add_loop_test(tcase, test_stream_dropped, 0, 2);
	tcase_add_loop_test(tcase, test_hard_link, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
