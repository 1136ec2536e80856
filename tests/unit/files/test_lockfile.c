/*
 * Lock files: one holder at a time, whatever holds it; gone with its holder; waiting is bounded
 * and said.
 */
#include "files/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

static char dir[] = "/tmp/retriage-test-XXXXXX";
static char path[sizeof(dir) + 8];

static void dir_make(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/lock", dir);
}

static void dir_remove(void)
{
	(void)unlink(path);
	(void)rmdir(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

static char holder[RT_LOCK_HOLDER_CHARS];

static void count(void *ctx, const char *text)
{
	++*(int *)ctx;
	(void)snprintf(holder, sizeof(holder), "%s", text);
}

/* How a process is named that is called what this one is. */
static const char *process(pid_t pid)
{
	static char text[64];

	(void)snprintf(text, sizeof(text), "process %d (%.15s)", (int)pid,
		       program_invocation_short_name);
	return text;
}

static bool made;

static enum rt_status take(unsigned wait_ms, int *waits, int *fd, struct rt_error *err)
{
	memset(err, 0, sizeof(*err));
	*waits = 0;
	return rt_lockfile_take(path, wait_ms, count, waits, fd, &made, err);
}

START_TEST(one_holder)
{
	int first = -1, second = -1, waits;
	struct rt_error err;
	char want[128];

	ck_assert_int_eq(take(1000, &waits, &first, &err), RT_OK);
	ck_assert_int_eq(waits, 0);
	ck_assert(made);
	ck_assert(fcntl(first, F_GETFD) & FD_CLOEXEC);
	ck_assert_int_eq(take(1000, &waits, &second, &err), RT_FATAL);
	ck_assert_int_eq(waits, 1);
	ck_assert_int_eq(second, -1);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_str_eq(err.path, path);
	ck_assert_str_eq(holder, process(getpid()));
	(void)snprintf(want, sizeof(want), "want the lock, have it held by %s for 1 s",
		       process(getpid()));
	ck_assert_str_eq(err.message, want);
	/* No waiting: nothing is said of it. */
	ck_assert_int_eq(take(0, &waits, &second, &err), RT_FATAL);
	ck_assert_int_eq(waits, 0);
	rt_lockfile_release(first);
	ck_assert_int_eq(take(0, &waits, &second, &err), RT_OK);
	ck_assert(!made);
	rt_lockfile_release(second);
	rt_lockfile_release(-1);
	/* The file stays, and locks nothing. */
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(take(0, &waits, &second, &err), RT_OK);
	rt_lockfile_release(second);
}
END_TEST

/* A child takes the lock and says so; it ends when we say so, or is killed. */
static pid_t child_holding(int *to_child)
{
	int from_child, said[2], orders[2];
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(said), 0);
	ck_assert_int_eq(pipe(orders), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct rt_error err;
		int fd, waits;

		(void)close(orders[1]);
		if (take(0, &waits, &fd, &err) == RT_OK && write(said[1], "x", 1) == 1)
			(void)!read(orders[0], &byte, 1);
		_exit(0);
	}
	from_child = said[0];
	(void)close(said[1]);
	(void)close(orders[0]);
	ck_assert_int_eq(read(from_child, &byte, 1), 1);
	(void)close(from_child);
	*to_child = orders[1];
	return pid;
}

START_TEST(killed_holder)
{
	int to_child, waits, fd = -1;
	pid_t pid = child_holding(&to_child);
	struct rt_error err;

	ck_assert_int_eq(take(0, &waits, &fd, &err), RT_FATAL);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(take(0, &waits, &fd, &err), RT_OK);
	rt_lockfile_release(fd);
	(void)close(to_child);
}
END_TEST

START_TEST(waited_for)
{
	int to_child, waits, fd = -1;
	pid_t pid = child_holding(&to_child), killer;
	struct rt_error err;

	killer = fork();
	ck_assert_int_ge(killer, 0);
	if (killer == 0) {
		(void)usleep(200000);
		(void)kill(pid, SIGKILL);
		_exit(0);
	}
	ck_assert_int_eq(take(60000, &waits, &fd, &err), RT_OK);
	ck_assert_int_eq(waits, 1);
	ck_assert_str_eq(holder, process(pid));
	rt_lockfile_release(fd);
	(void)close(to_child);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(waitpid(killer, NULL, 0), killer);
}
END_TEST

/* A child that was forked while the lock was held must not keep it. */
START_TEST(copied_by_child)
{
	int waits, fd = -1, again = -1, told[2];
	struct rt_error err;
	pid_t pid;

	ck_assert_int_eq(take(0, &waits, &fd, &err), RT_OK);
	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		char byte;

		(void)close(told[1]);
		(void)!read(told[0], &byte, 1);
		_exit(0);
	}
	rt_lockfile_release(fd);
	ck_assert_int_eq(take(0, &waits, &again, &err), RT_OK);
	rt_lockfile_release(again);
	(void)close(told[0]);
	(void)close(told[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

static void make_link(void)
{
	ck_assert_int_eq(symlink("/dev/null", path), 0);
}

static void make_directory(void)
{
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void make_fifo(void)
{
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void make_no_folder(void)
{
	(void)snprintf(path, sizeof(path), "%s/no/l", dir);
}

static const struct {
	const char *what;
	void (*make)(void);
	const char *message;
} refused[] = {
    {"a link", make_link, "want a regular file for the lock, have a link"},
    {"a directory", make_directory, "want a regular file for the lock, have something else"},
    {"a FIFO", make_fifo, "want a regular file for the lock, have something else"},
    {"no folder", make_no_folder, "cannot open the lock file: No such file or directory"},
};

START_TEST(refused_table)
{
	struct rt_error err;
	int waits, fd = -1;

	refused[_i].make();
	ck_assert_msg(take(60000, &waits, &fd, &err) == RT_FATAL, "%s", refused[_i].what);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.message, refused[_i].message);
	ck_assert_int_eq(waits, 0);
}
END_TEST

/* Who waits for a lock file that is replaced must not take the old one. */
START_TEST(replaced)
{
	int first = -1, second = -1, third = -1, waits;
	struct rt_error err;
	struct stat held, named;

	ck_assert_int_eq(take(0, &waits, &first, &err), RT_OK);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(take(0, &waits, &second, &err), RT_OK);
	ck_assert_int_eq(fstat(second, &held), 0);
	ck_assert_int_eq(stat(path, &named), 0);
	ck_assert(held.st_ino == named.st_ino);
	rt_lockfile_release(first);
	ck_assert_int_eq(take(0, &waits, &third, &err), RT_FATAL);
	rt_lockfile_release(second);
}
END_TEST

/* A lock that nobody holds is nobody's; a flock() is found as well. */
START_TEST(holders)
{
	char text[RT_LOCK_HOLDER_CHARS];
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_eq(fstat(fd, &st), 0);
	rt_lock_holder(&st, text);
	ck_assert_str_eq(text, "another process");
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	rt_lock_holder(&st, text);
	ck_assert_str_eq(text, process(getpid()));
	(void)close(fd);
}
END_TEST

/* Who has waited for a file that its maker takes away makes it anew, and locks that. */
START_TEST(removed)
{
	int first = -1, second = -1, third = -1, waits;
	struct rt_error err;
	pid_t pid;

	ck_assert_int_eq(take(0, &waits, &first, &err), RT_OK);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		bool well = take(60000, &waits, &second, &err) == RT_OK && waits == 1 && made;

		_exit(well && access(path, F_OK) == 0 ? 0 : 1);
	}
	(void)usleep(200000);
	rt_lockfile_remove(first, path);
	rt_lockfile_release(first);
	ck_assert_int_eq(waitpid(pid, &waits, 0), pid);
	ck_assert_int_eq(waits, 0);
	/* What another has put in its place is not taken away. */
	ck_assert_int_eq(take(0, &waits, &third, &err), RT_OK);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(take(0, &waits, &second, &err), RT_OK);
	rt_lockfile_remove(third, path);
	ck_assert_int_eq(access(path, F_OK), 0);
	rt_lockfile_release(third);
	rt_lockfile_release(second);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("lockfile");
	TCase *tcase = tcase_create("lockfile");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, dir_make, dir_remove);
	tcase_add_test(tcase, one_holder);
	tcase_add_test(tcase, killed_holder);
	tcase_add_test(tcase, waited_for);
	tcase_add_test(tcase, copied_by_child);
	tcase_add_loop_test(tcase, refused_table, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, replaced);
	tcase_add_test(tcase, holders);
	tcase_add_test(tcase, removed);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
