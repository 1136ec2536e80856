/*
 * Writing to journals: torn tails are kept and cut off, two writers take turns, a full disk leaves
 * the journal as it was, and nothing is written into a file that is not as it was read.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal_make.h"
#include "unit.h"

/* Calls of the journal that are to fail: the error numbers, of the next call first; 0: it works. */
static struct {
	int cut[4], flush[4];
} faults;

static int take_fault(int list[4])
{
	int fault = list[0];

	memmove(list, list + 1, 3 * sizeof(list[0]));
	list[3] = 0;
	return fault;
}

/* In the place of the C library's. */
int ftruncate(int fd, off_t size)
{
	int fault = take_fault(faults.cut);

	if (!fault)
		return (int)syscall(SYS_ftruncate, fd, size);
	errno = fault;
	return -1;
}

int fdatasync(int fd)
{
	int fault = take_fault(faults.flush);

	if (!fault)
		return (int)syscall(SYS_fdatasync, fd);
	errno = fault;
	return -1;
}

static void assert_whole(uint64_t entries)
{
	struct journal_result result = journal_read("j", RT_JOURNAL_READ);

	ck_assert_msg(result.status == RT_OK, "%s: %s", result.err.record, result.err.message);
	ck_assert_uint_eq(result.entries, entries);
	ck_assert_uint_eq(result.torn, 0);
}

static void assert_bytes(const char *name, const void *want, size_t len)
{
	struct rt_buf have = journal_bytes(name);

	ck_assert_msg(have.len == len && (len == 0 || memcmp(have.data, want, len) == 0), "%s",
		      name);
	rt_buf_release(&have);
}

/* Open "j", at its end. */
static struct rt_journal *open_at_end(void)
{
	static struct rt_journal_entry entry;
	struct rt_journal *j = NULL;
	struct rt_error err;

	ck_assert_msg(journal_open("j", RT_JOURNAL_APPEND, 60000, &j, &err) == RT_OK, "%s",
		      err.message);
	while (rt_journal_next(j, &entry, &err) == RT_OK)
		;
	return j;
}

/* Put bytes after "j". Returns all of it. */
static struct rt_buf put_tail(const char *tail, size_t len)
{
	struct rt_buf bytes = journal_bytes("j");
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&bytes, tail, len, &err), RT_OK);
	journal_put("j", bytes.data, bytes.len);
	return bytes;
}

/* The line after entry 4 is cut anywhere: the next writer keeps it, and goes on after entry 4. */
START_TEST(torn_anywhere)
{
	size_t starts[8];
	struct rt_buf whole;

	journal_extend(5);
	whole = journal_bytes("j");
	ck_assert_uint_eq(journal_lines(&whole, starts, 8), 6);
	for (size_t size = starts[5] + 1; size + 1 < starts[6]; size += 23) {
		char want[512];

		journal_put("j", whole.data, size);
		journal_extend(2);
		assert_bytes("j.torn-5", whole.data + starts[5], size - starts[5]);
		(void)snprintf(want, sizeof(want),
			       "%s: the last %zu %s the beginning of entry 5: an "
			       "incomplete append, or a cut; moved to %s\n",
			       journal_path("j"), size - starts[5],
			       size == starts[5] + 1 ? "byte was" : "bytes were",
			       journal_path("j.torn-5"));
		ck_assert_str_eq(journal_notices, want);
		ck_assert_int_eq(unlink(journal_path("j.torn-5")), 0);
		assert_whole(6);
	}
	rt_buf_release(&whole);
}
END_TEST

/* A name that is taken is left alone, link or file. */
START_TEST(torn_again)
{
	struct rt_buf bytes;

	journal_extend(1);
	bytes = put_tail("{\"seq\":2", 8);
	journal_put("j.torn-2", "first", 5);
	ck_assert_int_eq(symlink("elsewhere", journal_path("j.torn-2-2")), 0);
	journal_extend(1);
	assert_bytes("j.torn-2", "first", 5);
	ck_assert(!journal_exists("elsewhere"));
	assert_bytes("j.torn-2-3", "{\"seq\":2", 8);
	assert_whole(2);
	rt_buf_release(&bytes);
}
END_TEST

/* The kept bytes are as private as the journal. */
START_TEST(torn_mode)
{
	static const mode_t modes[] = {0600, 0640, 0664};
	struct stat st;

	journal_extend(1);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		journal_put("j", RT_JOURNAL_MAGIC, 10);
		ck_assert_int_eq(chmod(journal_path("j"), modes[i]), 0);
		journal_extend(1);
		ck_assert_int_eq(stat(journal_path("j.torn-0"), &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, modes[i]);
		ck_assert_int_eq(stat(journal_path("j"), &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, modes[i]);
		ck_assert_int_eq(unlink(journal_path("j.torn-0")), 0);
	}
}
END_TEST

/* Only the last newline is gone, of an entry or of line 1: the next writer adds it, and goes on. */
START_TEST(line_end_added)
{
	size_t starts[8];
	struct rt_buf whole;
	char want[512];

	journal_extend(5);
	whole = journal_bytes("j");
	ck_assert_uint_eq(journal_lines(&whole, starts, 8), 6);
	for (size_t entries = 0; entries < 5; entries++) {
		size_t size = starts[entries + 1];

		journal_put("j", whole.data, size - 1);
		journal_extend(1);
		assert_bytes("j", whole.data, starts[entries + 2]);
		(void)snprintf(want, sizeof(want),
			       "%s: the last line was whole, but had no line end; it has one now\n",
			       journal_path("j"));
		ck_assert_str_eq(journal_notices, want);
		(void)snprintf(want, sizeof(want), "j.torn-%zu", entries + 1);
		ck_assert(!journal_exists(want));
	}
	rt_buf_release(&whole);
}
END_TEST

/* A torn first line that looks like ours is kept as number 0; an empty file is begun. */
START_TEST(torn_begin)
{
	struct rt_buf whole;
	size_t header;

	journal_extend(1);
	whole = journal_bytes("j");
	header = (size_t)((char *)memchr(whole.data, '\n', whole.len) - whole.data);
	for (size_t size = 0; size < header; size += size < 25 ? 3 : 19) {
		journal_put("j", whole.data, size);
		journal_extend(1);
		assert_bytes("j", whole.data, whole.len);
		ck_assert(journal_exists("j.torn-0") == (size > 0));
		if (size == 0)
			continue;
		assert_bytes("j.torn-0", whole.data, size);
		ck_assert_int_eq(unlink(journal_path("j.torn-0")), 0);
	}
	rt_buf_release(&whole);
}
END_TEST

static const struct {
	const char *what;
	int cut[4], flush[4];
	const char *message; /* NULL: all is well */
	bool is_cut;         /* the tail is gone */
} torn_faults[] = {
    {"nothing", {0}, {0}, NULL, true},
    {"interrupted, twice", {EINTR, EINTR}, {0}, NULL, true},
    {"it cannot be cut",
     {EIO},
     {0},
     "cannot cut off the journal's torn tail: Input/output error",
     false},
    {"the cut cannot be flushed",
     {0},
     {EIO},
     "cannot cut off the journal's torn tail: Input/output error",
     true},
};

/* Where the tail cannot be cut off, or that may not last, nothing is written; the tail is kept. */
START_TEST(torn_not_cut)
{
	struct rt_journal *j;
	struct rt_buf bytes;
	struct rt_error err;
	enum rt_status status;

	journal_extend(2);
	bytes = put_tail("{\"seq\":3", 8);
	j = open_at_end();
	ck_assert_int_eq(rt_journal_add(j, journal_entry(3), &err), RT_OK);
	memcpy(faults.cut, torn_faults[_i].cut, sizeof(faults.cut));
	memcpy(faults.flush, torn_faults[_i].flush, sizeof(faults.flush));
	/* What an earlier call has left there says nothing about a call that works. */
	errno = EINTR;
	status = rt_journal_commit(j, &err);
	assert_bytes("j.torn-3", "{\"seq\":3", 8);
	if (torn_faults[_i].message) {
		ck_assert_msg(status == RT_FATAL, "%s", torn_faults[_i].what);
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_str_eq(err.message, torn_faults[_i].message);
		assert_bytes("j", bytes.data, bytes.len - (torn_faults[_i].is_cut ? 8 : 0));
	} else {
		ck_assert_msg(status == RT_OK, "%s: %s", torn_faults[_i].what, err.message);
	}
	rt_journal_free(j);
	if (!torn_faults[_i].message)
		assert_whole(3);
	rt_buf_release(&bytes);
}
END_TEST

/* Begin "/j", in a process of its own whose root is the test's folder. Returns its status. */
static int begin_in_root(const char *folder)
{
	struct rt_journal_base base = journal_base();
	struct rt_journal *j = NULL;
	struct rt_limits limits;
	struct rt_error err;

	if (chroot(folder) != 0 || chdir("/") != 0)
		return 2;
	rt_limits_init(&limits);
	if (rt_journal_open("/j", RT_JOURNAL_APPEND, &limits, 0, NULL, NULL, &j, &err) != RT_OK ||
	    rt_journal_begin(j, &base, &err) != RT_OK || rt_journal_commit(j, &err) != RT_OK) {
		(void)fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	return 0;
}

/* The folder of "/j" is "/". Not every user may have another root. */
START_TEST(in_root)
{
	const char *folder = journal_path("");
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(begin_in_root(folder));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		return;
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	assert_whole(0);
}
END_TEST

/* A commit of nothing does nothing, not even to a torn tail. */
START_TEST(nothing_to_commit)
{
	struct rt_journal *j;
	struct rt_buf bytes;
	struct rt_error err;

	journal_extend(2);
	bytes = journal_bytes("j");
	journal_put("j", bytes.data, bytes.len - 5);
	j = open_at_end();
	ck_assert_uint_gt(rt_journal_torn(j), 0);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_OK);
	rt_journal_free(j);
	assert_bytes("j", bytes.data, bytes.len - 5);
	ck_assert(!journal_exists("j.torn-2"));
	rt_buf_release(&bytes);
}
END_TEST

/* One object, many commits, as a server makes them; others can read in between. */
START_TEST(many_commits)
{
	struct rt_journal_base base = journal_base();
	struct rt_journal *j = open_at_end();
	struct rt_journal_head head;
	struct rt_error err;
	uint64_t seq = 0;

	ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned k = 0; k < i % 4; k++)
			ck_assert_int_eq(rt_journal_add(j, journal_entry(++seq), &err), RT_OK);
		ck_assert_int_eq(rt_journal_commit(j, &err), RT_OK);
		head = rt_journal_head(j);
		ck_assert_uint_eq(head.seq, seq);
		assert_whole(seq);
		ck_assert_mem_eq(journal_read("j", RT_JOURNAL_READ).head.hash, head.hash,
				 sizeof(head.hash));
	}
	rt_journal_free(j);
}
END_TEST

/* An entry that cannot be written ends the object, and nothing of the batch is written. */
START_TEST(actor_not_utf8)
{
	struct rt_journal_entry entry = *journal_entry(3);
	struct rt_journal *j;
	struct rt_buf before;
	struct rt_error err;

	journal_extend(2);
	before = journal_bytes("j");
	j = open_at_end();
	ck_assert_int_eq(rt_journal_add(j, &entry, &err), RT_OK);
	entry.actor = RT_SLICE("J\xF6rg");
	ck_assert_int_eq(rt_journal_add(j, &entry, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.message, "want an actor in UTF-8, have bytes that are not");
	ck_assert_int_eq(rt_journal_add(j, journal_entry(4), &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_FATAL);
	ck_assert_str_eq(err.message, "an earlier call for this journal has failed");
	rt_journal_free(j);
	assert_bytes("j", before.data, before.len);
	rt_buf_release(&before);
}
END_TEST

/* What others may do to the file while it is open. */
static void grow(void)
{
	struct rt_buf bytes = put_tail("x", 1);

	rt_buf_release(&bytes);
}

static void shrink(void)
{
	struct rt_buf bytes = journal_bytes("j");

	journal_put("j", bytes.data, bytes.len - 1);
	rt_buf_release(&bytes);
}

static void replace(void)
{
	struct rt_buf bytes = journal_bytes("j");

	journal_put("new", bytes.data, bytes.len);
	ck_assert_int_eq(rename(journal_path("new"), journal_path("j")), 0);
	rt_buf_release(&bytes);
}

static void vanish(void)
{
	ck_assert_int_eq(rename(journal_path("j"), journal_path("old")), 0);
}

static const struct {
	const char *what;
	void (*change)(void);
	const char *message; /* its beginning */
} changes[] = {
    {"it grew", grow, "want the journal to have "},
    {"it shrank", shrink, "want the journal to have "},
    {"it was replaced", replace, "want the journal that was read, have another file"},
    {"it went away", vanish, "cannot look at the journal: No such file"},
};

START_TEST(changed_meanwhile)
{
	struct rt_buf before = {0};
	struct rt_journal *j;
	struct rt_error err;

	journal_extend(2);
	j = open_at_end();
	ck_assert_int_eq(rt_journal_add(j, journal_entry(3), &err), RT_OK);
	changes[_i].change();
	if (journal_exists("j"))
		before = journal_bytes("j");
	ck_assert_msg(rt_journal_commit(j, &err) == RT_FATAL, "%s", changes[_i].what);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_msg(strncmp(err.message, changes[_i].message, strlen(changes[_i].message)) == 0,
		      "%s: have %s", changes[_i].what, err.message);
	ck_assert_str_eq(err.path, journal_path("j"));
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_FATAL);
	rt_journal_free(j);
	if (before.data)
		assert_bytes("j", before.data, before.len);
	else
		ck_assert(!journal_exists("j"));
	rt_buf_release(&before);
}
END_TEST

/* Somebody made the file that was not there. */
START_TEST(made_meanwhile)
{
	struct rt_journal_base base = journal_base();
	struct rt_journal *j = open_at_end();
	struct rt_error err;

	ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	journal_put("j", "", 0);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EEXIST);
	rt_journal_free(j);
	assert_bytes("j", "", 0);
}
END_TEST

/* Files may have only so many bytes: a write is cut short, the next one fails. */
static enum rt_status commit_limited(struct rt_journal *j, size_t bytes, struct rt_error *err)
{
	struct rlimit before, small;
	enum rt_status status;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = bytes;
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	status = rt_journal_commit(j, err);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	return status;
}

static const struct {
	const char *what;
	uint64_t before, added;
	size_t room; /* bytes after those that are there */
} full[] = {
    {"no byte of the first journal", 0, 1, 0},
    {"a part of line 1", 0, 1, 30},
    {"line 1 and a part of an entry", 0, 1, 400},
    {"no byte more", 3, 1, 0},
    {"a part of an entry", 3, 1, 100},
    {"some entries of many", 3, 100, 10000},
    {"some entries of a batch that is in a file", 3, 20000, 5000000},
};

START_TEST(disk_full)
{
	struct rt_journal_base base = journal_base();
	struct rt_buf before = {0};
	struct rt_journal *j;
	struct rt_error err;

	if (full[_i].before) {
		journal_extend(full[_i].before);
		before = journal_bytes("j");
	}
	j = open_at_end();
	if (!full[_i].before)
		ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	for (uint64_t n = 1; n <= full[_i].added; n++)
		ck_assert_int_eq(rt_journal_add(j, journal_entry(full[_i].before + n), &err),
				 RT_OK);
	ck_assert_msg(commit_limited(j, before.len + full[_i].room, &err) == RT_FATAL, "%s",
		      full[_i].what);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, EFBIG);
	ck_assert_str_eq(err.message, "cannot write the journal: File too large");
	ck_assert_uint_eq(rt_journal_head(j).seq, full[_i].before);
	/* There is room again, but not for this object. */
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_FATAL);
	ck_assert_int_eq(rt_journal_add(j, journal_entry(9), &err), RT_FATAL);
	rt_journal_free(j);
	/* Of a journal that could not begin nothing is left. */
	ck_assert(journal_exists("j") == (full[_i].before > 0));
	if (full[_i].before)
		assert_bytes("j", before.data, before.len);
	journal_extend(1);
	assert_whole(full[_i].before + 1);
	rt_buf_release(&before);
}
END_TEST

/* A torn tail that cannot be kept is not cut off. */
START_TEST(no_room_for_torn)
{
	static const char begin[] = "{\"seq\":3,\"at\":\"2025-01-02T03:00:03Z\",\"actor\":\"";
	size_t tail = 100000;
	char *text = malloc(tail);
	struct rt_journal *j;
	struct rt_buf bytes;
	struct rt_error err;

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', tail);
	memcpy(text, begin, sizeof(begin) - 1);
	journal_extend(2);
	bytes = put_tail(text, tail);
	j = open_at_end();
	ck_assert_int_eq(rt_journal_add(j, journal_entry(3), &err), RT_OK);
	ck_assert_int_eq(commit_limited(j, tail - 1, &err), RT_FATAL);
	ck_assert_str_eq(err.message, "cannot write the torn tail's file: File too large");
	rt_journal_free(j);
	ck_assert(!journal_exists("j.torn-3"));
	assert_bytes("j", bytes.data, bytes.len);
	journal_extend(1);
	assert_bytes("j.torn-3", text, tail);
	assert_whole(3);
	rt_buf_release(&bytes);
	free(text);
}
END_TEST

#define WRITERS 2
#define EACH 200

/* Several processes, an entry at a time: each number is given once, and the chain is whole. */
START_TEST(two_writers)
{
	pid_t pids[WRITERS];
	int status;

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		ck_assert_int_ge(pids[i], 0);
		if (pids[i] == 0) {
			for (int n = 0; n < EACH; n++)
				journal_extend(1);
			_exit(0);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(status, 0);
	}
	assert_whole(WRITERS * EACH);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("journal_append");
	TCase *tcase = tcase_create("journal_append");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, journal_dir_make, journal_dir_remove);
	tcase_add_test(tcase, torn_anywhere);
	tcase_add_test(tcase, line_end_added);
	tcase_add_test(tcase, torn_again);
	tcase_add_test(tcase, torn_mode);
	tcase_add_test(tcase, torn_begin);
	tcase_add_loop_test(tcase, torn_not_cut, 0, sizeof(torn_faults) / sizeof(torn_faults[0]));
	tcase_add_test(tcase, in_root);
	tcase_add_test(tcase, nothing_to_commit);
	tcase_add_test(tcase, many_commits);
	tcase_add_test(tcase, actor_not_utf8);
	tcase_add_loop_test(tcase, changed_meanwhile, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(tcase, made_meanwhile);
	tcase_add_loop_test(tcase, disk_full, 0, sizeof(full) / sizeof(full[0]));
	tcase_add_test(tcase, no_room_for_torn);
	tcase_add_test(tcase, two_writers);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
