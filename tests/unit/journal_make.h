/*
 * Journals for tests: made through the journal itself, in a folder of the test's own, and read
 * back to the end.
 */
#ifndef RT_TESTS_JOURNAL_MAKE_H
#define RT_TESTS_JOURNAL_MAKE_H

#include "base/buf.h"
#include <stdio.h>

#include "journal/journal.h"

#define JOURNAL_TIME "2025-01-02T03:04:05Z"

/* Fixtures of a test case: an empty folder, and its removal with all that is in it. */
void journal_dir_make(void);
void journal_dir_remove(void);

/* The path of a name in the folder; valid until the eighth call from here. */
const char *journal_path(const char *name);

/* Whether there is such a name. */
bool journal_exists(const char *name);

/* The bytes of a file of the folder, to be released; the test fails when there is none. */
struct rt_buf journal_bytes(const char *name);

/* Write a file of the folder anew. */
void journal_put(const char *name, const void *data, size_t len);

/* What a journal has told its listener, a line each; emptied by journal_open(). */
extern char journal_notices[8192];

/* rt_journal_open() of "j" or another name with default limits. err is zeroed before. */
enum rt_status journal_open(const char *name, enum rt_journal_mode mode, unsigned wait_ms,
			    struct rt_journal **ret_journal, struct rt_error *err);

/* Line 1 as these tests have it. */
struct rt_journal_base journal_base(void);

/*
 * The entry for a number from 1: another actor, time, request and result each time, all members
 * of a request among them. Valid until the next call.
 */
const struct rt_journal_entry *journal_entry(uint64_t n);

/* Whether an entry that was read is the one for its number, its line aside. */
bool journal_entry_equal(const struct rt_journal_entry *have, uint64_t n);

/* Open "j" to append, read to its end, begin it where needed, add entries and commit. */
void journal_extend(uint64_t count);

/* What reading a journal to its end has given. */
struct journal_result {
	enum rt_status status; /* RT_OK: to the end */
	struct rt_error err;
	uint64_t entries; /* that were right, each of them equal to journal_entry() */
	uint64_t torn;
	bool unended;
	struct rt_journal_head head;
	bool has_base;
};

struct journal_result journal_read(const char *name, enum rt_journal_mode mode);

/* The offset of each line, and of the end: count + 1 of them, at most cap. Returns count. */
size_t journal_lines(const struct rt_buf *bytes, size_t *starts, size_t cap);

#endif
