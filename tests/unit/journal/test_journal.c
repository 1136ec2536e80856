/*
 * Journals from the outside: what is written is read, in one commit or several; what can be
 * opened, what is refused, and what is told of it.
 */
#include "journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_make.h"
#include "unit.h"

static void assert_whole(uint64_t entries)
{
	struct journal_result result = journal_read("j", RT_JOURNAL_READ);

	ck_assert_msg(result.status == RT_OK, "%s: %s", result.err.record, result.err.message);
	ck_assert_uint_eq(result.entries, entries);
	ck_assert_uint_eq(result.torn, 0);
}

static const struct {
	const char *what;
	uint64_t commits, entries; /* entries a commit */
} trips[] = {
    {"only line 1", 1, 0},
    {"one entry", 1, 1},
    {"many in one commit", 1, 100},
    {"one in each commit", 30, 1},
    {"some in each commit", 5, 7},
    /* Beyond what memory holds of a commit, and many windows of the reader. */
    {"a long commit", 1, 20000},
};

START_TEST(round_trip)
{
	struct rt_journal_base want = journal_base();
	const struct rt_journal_base *have;
	struct rt_journal *j = NULL;
	struct rt_error err;

	for (uint64_t i = 0; i < trips[_i].commits; i++)
		journal_extend(trips[_i].entries);
	assert_whole(trips[_i].commits * trips[_i].entries);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_READ, 0, &j, &err), RT_OK);
	have = rt_journal_base(j);
	ck_assert_ptr_nonnull(have);
	ck_assert(rt_slice_equal(have->name, want.name));
	ck_assert(rt_slice_equal(have->created_at, want.created_at));
	ck_assert_mem_eq(have->sha256, want.sha256, RT_SHA256_BYTES);
	ck_assert_uint_eq(have->issues, want.issues);
	ck_assert_uint_eq(rt_journal_head(j).seq, 0);
	rt_journal_free(j);
	ck_assert(!journal_exists("j.torn-0"));
}
END_TEST

/* To the byte, as section 3 of SPEC has it; the digests were made with sha256sum. */
START_TEST(to_the_byte)
{
	static const char want[] =
	    "{\"retriage_journal\":2,\"base\":{\"name\":\"base \\\"export\\\".json\",\"sha256\":"
	    "\"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2\",\"issues\":1234},"
	    "\"options\":{},\"created_at\":\"2025-01-02T03:04:05Z\",\"hash\":"
	    "\"15bf9fe4c483379af4fa54fe829b93dcb7de8997fcf41544f1ae744257826e59\"}\n"
	    "{\"seq\":1,\"at\":\"2025-01-02T03:00:01Z\",\"actor\":\"jane\",\"request\":"
	    "{\"issue_ids\":[\"\\\"1\\\\\\t0\",\"id-1-1\"],\"severity\":\"critical\","
	    "\"false_positive\":true,\"exploitable\":false},\"result\":{\"updated_count\":1,"
	    "\"failed_count\":1,\"sha256\":"
	    "\"0b1c2d3e4f60718293a4b5c6d7e8f90a1b2c3d4e5f708192a3b4c5d6e7f8091a\",\"notes_sha256\":"
	    "\"05080b0e1114171a1d202326292c2f3235383b3e4144474a4d505356595c5f62\"},\"prev\":"
	    "\"15bf9fe4c483379af4fa54fe829b93dcb7de8997fcf41544f1ae744257826e59\",\"hash\":"
	    "\"d65fa31c4dbed152347031f0f9660cd307f161324af2bfff999bed4c97125697\"}\n";
	struct rt_buf have;

	journal_extend(1);
	have = journal_bytes("j");
	ck_assert_msg(have.len == sizeof(want) - 1 && memcmp(have.data, want, have.len) == 0,
		      "want %s have %.*s", want, (int)have.len, have.data);
	rt_buf_release(&have);
}
END_TEST

/* A name whose bytes are not UTF-8 is written so that it can be read. */
START_TEST(name_not_utf8)
{
	struct rt_journal_base base = journal_base();
	struct rt_journal *j = NULL;
	struct rt_error err;

	base.name = RT_SLICE("\xFF"
			     "a\xC3\xA4\xE4");
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 0, &j, &err), RT_OK);
	ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_OK);
	ck_assert(rt_slice_equal(rt_journal_base(j)->name, RT_SLICE("\xEF\xBF\xBD"
								    "a\xC3\xA4\xEF\xBF\xBD")));
	rt_journal_free(j);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_READ, 0, &j, &err), RT_OK);
	ck_assert(rt_slice_equal(rt_journal_base(j)->name, RT_SLICE("\xEF\xBF\xBD"
								    "a\xC3\xA4\xEF\xBF\xBD")));
	rt_journal_free(j);
}
END_TEST

/* Opening and reading makes nothing, not even a lock; nor does a writer that commits nothing. */
START_TEST(reading_leaves_nothing)
{
	struct rt_journal *j = NULL;
	struct rt_error err;
	struct rt_buf before, after;

	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 0, &j, &err), RT_OK);
	ck_assert_ptr_null(rt_journal_base(j));
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_OK);
	rt_journal_free(j);
	ck_assert(!journal_exists("j"));
	ck_assert(!journal_exists("j.lock"));
	journal_extend(3);
	ck_assert(journal_exists("j.lock"));
	ck_assert_int_eq(unlink(journal_path("j.lock")), 0);
	before = journal_bytes("j");
	before.len -= 10;
	journal_put("j", before.data, before.len);
	ck_assert_int_eq(chmod(journal_path("j"), 0400), 0);
	ck_assert_uint_eq(journal_read("j", RT_JOURNAL_READ).entries, 2);
	after = journal_bytes("j");
	ck_assert_uint_eq(before.len, after.len);
	ck_assert_mem_eq(before.data, after.data, after.len);
	ck_assert(!journal_exists("j.lock"));
	ck_assert(!journal_exists("j.torn-3"));
	rt_buf_release(&before);
	rt_buf_release(&after);
	rt_journal_free(NULL);
}
END_TEST

static void make_nothing(void)
{
}

static void make_directory(void)
{
	ck_assert_int_eq(mkdir(journal_path("j"), 0700), 0);
}

static void make_fifo(void)
{
	ck_assert_int_eq(mkfifo(journal_path("j"), 0600), 0);
}

static void make_device(void)
{
	ck_assert_int_eq(symlink("/dev/null", journal_path("j")), 0);
}

static void make_link_to_nothing(void)
{
	ck_assert_int_eq(symlink("nothing", journal_path("j")), 0);
}

static void make_empty(void)
{
	journal_put("j", "", 0);
}

static void make_export(void)
{
	journal_put("j", "[{\"id\":\"a\"}]\n", 13);
}

static void make_text(void)
{
	journal_put("j", "{\"retriage_journal\":3,", 22);
}

/* Larger than a line may be, with no newline in it. */
static void make_large(void)
{
	size_t len = (size_t)16 << 20;
	char *text = malloc(len);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', len);
	journal_put("j", text, len);
	free(text);
}

static void make_large_begin(void)
{
	size_t len = (size_t)16 << 20;
	char *text = malloc(len);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', len);
	memcpy(text, RT_JOURNAL_MAGIC, sizeof(RT_JOURNAL_MAGIC) - 1);
	text[len - 1] = '\n';
	journal_put("j", text, len);
	free(text);
}

#define BOTH 3u
#define READ 1u
#define APPEND 2u

static const struct {
	const char *what;
	void (*make)(void);
	unsigned modes;
	enum rt_status status;
	enum rt_code code;
	const char *message;
} refused[] = {
    {"nothing", make_nothing, READ, RT_FATAL, RT_E_USAGE,
     "cannot open the journal: No such file or directory"},
    {"a directory", make_directory, BOTH, RT_FATAL, RT_E_USAGE,
     "want a regular file for the journal, have a directory"},
    {"a FIFO", make_fifo, BOTH, RT_FATAL, RT_E_USAGE,
     "want a regular file for the journal, have a FIFO"},
    {"a device", make_device, BOTH, RT_FATAL, RT_E_USAGE,
     "want a regular file for the journal, have a device or socket"},
    {"a link to nothing", make_link_to_nothing, READ, RT_FATAL, RT_E_USAGE,
     "cannot open the journal: No such file or directory"},
    {"a link to nothing", make_link_to_nothing, APPEND, RT_FATAL, RT_E_USAGE,
     "want a regular file for the journal, have a link to nothing"},
    {"an empty file", make_empty, READ, RT_REJECT, RT_E_INPUT,
     "want a journal, have an empty file"},
    {"an export", make_export, BOTH, RT_REJECT, RT_E_INPUT, "want a journal, have another file"},
    {"another version, cut short", make_text, BOTH, RT_REJECT, RT_E_INPUT,
     "want version 1 or 2 of the journal's form, have 3"},
    {"a large file", make_large, BOTH, RT_REJECT, RT_E_INPUT, "want a journal, have another file"},
    {"a large first line", make_large_begin, BOTH, RT_REJECT, RT_E_LIMIT,
     "want at most 7340032 bytes in a line, have more"},
};

START_TEST(refused_table)
{
	refused[_i].make();
	for (unsigned mode = READ; mode <= APPEND; mode++) {
		struct rt_journal *j = NULL;
		struct rt_error err;
		enum rt_status status;

		if (!(refused[_i].modes & mode))
			continue;
		status = journal_open("j", mode == READ ? RT_JOURNAL_READ : RT_JOURNAL_APPEND, 0,
				      &j, &err);
		ck_assert_msg(status == refused[_i].status, "%s: status %d", refused[_i].what,
			      status);
		ck_assert_ptr_null(j);
		ck_assert_msg(err.code == refused[_i].code, "%s: code %d", refused[_i].what,
			      err.code);
		ck_assert_msg(strcmp(err.message, refused[_i].message) == 0, "%s: have %s",
			      refused[_i].what, err.message);
		ck_assert_str_eq(err.path, journal_path("j"));
		if (status == RT_REJECT)
			ck_assert_str_eq(err.record, "journal header");
		/* Nothing is left beside it; a lock that was there stays. */
		ck_assert_msg(!journal_exists("j.lock"), "%s: lock", refused[_i].what);
		journal_put("j.lock", "", 0);
		(void)journal_open("j", RT_JOURNAL_APPEND, 0, &j, &err);
		rt_journal_free(j);
		ck_assert_msg(journal_exists("j.lock"), "%s: lock", refused[_i].what);
		ck_assert_int_eq(unlink(journal_path("j.lock")), 0);
	}
}
END_TEST

/* A folder that is not there is nobody's journal to be begun. */
START_TEST(no_folder)
{
	struct rt_journal *j = NULL;
	struct rt_error err;

	ck_assert_int_eq(journal_open("no/j", RT_JOURNAL_APPEND, 0, &j, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
}
END_TEST

/* A file that cannot be opened is not one that is not there: a writer would begin it anew. */
START_TEST(no_descriptors)
{
	enum rt_journal_mode mode = _i ? RT_JOURNAL_APPEND : RT_JOURNAL_READ;
	struct rlimit before, small;
	unsigned opened = 0;
	int first;

	journal_extend(1);
	first = fcntl(STDERR_FILENO, F_DUPFD, 0);
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(close(first), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (unsigned more = 0; more < 8; more++) {
		struct rt_journal *j = NULL;
		struct rt_error err;
		enum rt_status status;

		small = before;
		small.rlim_cur = (rlim_t)first + more;
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &small), 0);
		status = journal_open("j", mode, 0, &j, &err);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (status == RT_OK) {
			opened++;
			ck_assert_msg(rt_journal_base(j) != NULL, "with %u more", more);
			rt_journal_free(j);
			continue;
		}
		ck_assert_int_eq(status, RT_FATAL);
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_int_eq(err.sys, EMFILE);
	}
	ck_assert_uint_ge(opened, 1);
	ck_assert_uint_lt(opened, 8);
}
END_TEST

/* A journal that was given descriptor 0 closes that as any other. */
START_TEST(descriptor_zero)
{
	struct rt_journal *j = NULL;
	struct rt_error err;

	journal_extend(1);
	(void)close(0);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_READ, 0, &j, &err), RT_OK);
	ck_assert_int_ne(fcntl(0, F_GETFD), -1);
	rt_journal_free(j);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
}
END_TEST

/* A link leads to the journal, and to its lock. */
START_TEST(links)
{
	struct rt_journal *j = NULL, *other = NULL;
	struct rt_error err;
	char want[128];

	journal_extend(2);
	ck_assert_int_eq(symlink("j", journal_path("link")), 0);
	ck_assert_uint_eq(journal_read("link", RT_JOURNAL_READ).entries, 2);
	ck_assert_int_eq(journal_open("link", RT_JOURNAL_APPEND, 0, &j, &err), RT_OK);
	ck_assert(!journal_exists("link.lock"));
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 0, &other, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	(void)snprintf(want, sizeof(want),
		       "want the lock, have it held by process %d (test_journal) for 0 s",
		       (int)getpid());
	ck_assert_str_eq(err.message, want);
	rt_journal_free(j);
}
END_TEST

/* The waiting is said, once. */
START_TEST(waiting_is_said)
{
	struct rt_journal *j = NULL, *other = NULL;
	char want[256];
	struct rt_error err;

	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 0, &j, &err), RT_OK);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 1200, &other, &err), RT_FATAL);
	(void)snprintf(want, sizeof(want),
		       "waiting for the lock of %s, held by process %d (test_journal) (for at most "
		       "1 s)\n",
		       journal_path("j"), (int)getpid());
	ck_assert_str_eq(journal_notices, want);
	rt_journal_free(j);
}
END_TEST

/* A line as long as it may be, and one that is longer: refused before anything is written. */
START_TEST(long_lines)
{
	struct rt_journal_base base = journal_base();
	size_t len = (size_t)7340032;
	struct rt_journal_entry entry = *journal_entry(3);
	struct rt_journal *j = NULL;
	struct rt_error err;
	char *text = malloc(len);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', len);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_APPEND, 0, &j, &err), RT_OK);
	ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	entry.actor = rt_slice_make(text, len - 1000);
	ck_assert_int_eq(rt_journal_add(j, &entry, &err), RT_OK);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_OK);
	entry.actor = rt_slice_make(text, len);
	ck_assert_int_eq(rt_journal_add(j, &entry, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_int_eq(rt_journal_commit(j, &err), RT_FATAL);
	rt_journal_free(j);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_READ, 0, &j, &err), RT_OK);
	ck_assert_int_eq(rt_journal_next(j, &entry, &err), RT_OK);
	ck_assert_uint_eq(entry.actor.len, len - 1000);
	ck_assert_int_eq(rt_journal_next(j, &entry, &err), RT_END);
	rt_journal_free(j);
	free(text);
}
END_TEST

/* A tail that is longer than a line can be is damage, whether a newline comes or not. */
START_TEST(long_tails)
{
	static const char begin[] = "{\"seq\":6,\"at\":\"2025-01-02T03:00:03Z\",\"actor\":\"";
	size_t len = (size_t)20 << 20, room;
	struct journal_result result;
	struct rt_buf bytes;
	struct rt_error err;

	journal_extend(5);
	bytes = journal_bytes("j");
	room = bytes.len;
	ck_assert_int_eq(rt_buf_reserve(&bytes, len, &err), RT_OK);
	memset(bytes.data + room, 'x', len);
	memcpy(bytes.data + room, begin, sizeof(begin) - 1);
	journal_put("j", bytes.data, room + 7000000);
	result = journal_read("j", RT_JOURNAL_READ);
	ck_assert_int_eq(result.status, RT_OK);
	ck_assert_uint_eq(result.entries, 5);
	ck_assert_uint_eq(result.torn, 7000000);
	for (unsigned newline = 0; newline < 2; newline++) {
		if (newline)
			bytes.data[room + len - 1] = '\n';
		journal_put("j", bytes.data, room + len);
		result = journal_read("j", RT_JOURNAL_READ);
		ck_assert_int_eq(result.status, RT_REJECT);
		ck_assert_int_eq(result.err.code, RT_E_LIMIT);
		ck_assert_str_eq(result.err.record, "entry 6");
		ck_assert_uint_eq(result.err.line, 7);
	}
	rt_buf_release(&bytes);
}
END_TEST

/*
 * A reader has seen the start of a torn tail when a writer cuts it off and writes its own lines
 * there: it reads those, and no mixture.
 */
START_TEST(reader_and_writer)
{
	static const char begin[] = "{\"seq\":3,\"at\":\"2025-01-02T03:00:03Z\",\"actor\":\"";
	static struct rt_journal_entry entry;
	size_t tail = (size_t)RT_WINDOW_BYTES * 2;
	struct rt_journal *j = NULL;
	struct rt_buf bytes;
	struct rt_error err;
	size_t room;

	journal_extend(2);
	bytes = journal_bytes("j");
	room = bytes.len;
	ck_assert_int_eq(rt_buf_reserve(&bytes, tail, &err), RT_OK);
	memset(bytes.data + room, 'x', tail);
	memcpy(bytes.data + room, begin, sizeof(begin) - 1);
	journal_put("j", bytes.data, room + tail);
	rt_buf_release(&bytes);
	ck_assert_int_eq(journal_open("j", RT_JOURNAL_READ, 0, &j, &err), RT_OK);
	ck_assert_int_eq(rt_journal_next(j, &entry, &err), RT_OK);
	journal_extend(2000);
	for (uint64_t n = 2; n <= 2002; n++) {
		ck_assert_msg(rt_journal_next(j, &entry, &err) == RT_OK, "%s: %s", err.record,
			      err.message);
		ck_assert(journal_entry_equal(&entry, n));
	}
	ck_assert_int_eq(rt_journal_next(j, &entry, &err), RT_END);
	rt_journal_free(j);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("journal");
	TCase *tcase = tcase_create("journal");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, journal_dir_make, journal_dir_remove);
	tcase_add_loop_test(tcase, round_trip, 0, sizeof(trips) / sizeof(trips[0]));
	tcase_add_test(tcase, to_the_byte);
	tcase_add_test(tcase, name_not_utf8);
	tcase_add_test(tcase, reading_leaves_nothing);
	tcase_add_loop_test(tcase, refused_table, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, no_folder);
	tcase_add_loop_test(tcase, no_descriptors, 0, 2);
	tcase_add_test(tcase, descriptor_zero);
	tcase_add_test(tcase, links);
	tcase_add_test(tcase, waiting_is_said);
	tcase_add_test(tcase, long_lines);
	tcase_add_test(tcase, long_tails);
	tcase_add_test(tcase, reader_and_writer);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
