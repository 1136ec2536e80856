/*
 * The journal: an append-only JSON Lines file of the updates of one base export, each line chained
 * to the one before by its SHA-256 (SPEC D19, section 3).
 *
 * One object serves reading and writing. A writer holds the lock from rt_journal_open() to
 * rt_journal_free(), reads every entry up to RT_END, adds its own, and commits them at once.
 */
#ifndef RT_JOURNAL_JOURNAL_H
#define RT_JOURNAL_JOURNAL_H

#include "journal/journal_form.h"

struct rt_journal;

enum rt_journal_mode {
	RT_JOURNAL_READ,   /* must exist; no lock is taken, and nothing is written anywhere */
	RT_JOURNAL_APPEND, /* may be absent or empty: then it begins with the first commit */
};

/*
 * Open a journal and check its first line.
 *
 * path: NUL-terminated, borrowed until rt_journal_free().
 * limits: borrowed likewise; request_bytes bounds a line.
 * lock_wait_ms: how long RT_JOURNAL_APPEND waits for the lock.
 * on_notice: told in words, for people, that the lock is being waited for, that the journal is of
 * version 1, and of the journal's tail: by a reader what it is, by a writer what was done about it;
 * may be NULL. The text is not masked. ret_journal: on RT_OK owned by the caller.
 *
 * Returns RT_OK; RT_REJECT when line 1 is damaged (err names path, line and what is wrong);
 * RT_FATAL: RT_E_USAGE where there is no such file to read or it is not a regular file, RT_E_IO
 * where the system failed or the lock could not be had in time.
 */
enum rt_status rt_journal_open(const char *path, enum rt_journal_mode mode,
			       const struct rt_limits *limits, unsigned lock_wait_ms,
			       void (*on_notice)(void *ctx, const char *text), void *notice_ctx,
			       struct rt_journal **ret_journal, struct rt_error *err);

/* Line 1; NULL while there is none (a journal to be begun). */
const struct rt_journal_base *rt_journal_base(const struct rt_journal *journal);

/*
 * The next entry in order, its hash, chain and number checked.
 * Returns RT_OK; RT_END after the last one; RT_REJECT for a damaged line, with err naming path,
 * line, `entry N` as its record, and what is wrong: nothing can be read after it; RT_FATAL.
 *
 * A last line without its line end that is whole and right is an entry as any other. What is the
 * beginning of one is none: an append that was not finished, or what is left of an entry that was
 * cut, which of them the file cannot show. Everything else without a line end is damage.
 */
enum rt_status rt_journal_next(struct rt_journal *journal, struct rt_journal_entry *ret_entry,
			       struct rt_error *err);

/* The head after the entries read and committed so far. */
struct rt_journal_head rt_journal_head(const struct rt_journal *journal);

/* Bytes of the beginning of an entry at the end; known after RT_END, 0 if there is none. */
uint64_t rt_journal_torn(const struct rt_journal *journal);

/* Whether the last line, which is whole, has no line end; known after RT_END. */
bool rt_journal_unended(const struct rt_journal *journal);

/*
 * Set line 1 of a journal that has none; before the first rt_journal_add(). Nothing is written.
 *
 * base: created_at in its form; its version is not looked at; options: ptr NULL for none. Bytes of
 * the name that are not UTF-8 are replaced by U+FFFD; what is written is what rt_journal_base()
 * then gives. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_journal_begin(struct rt_journal *journal, const struct rt_journal_base *base,
				struct rt_error *err);

/*
 * Add an entry to those that the next commit writes; entry->seq and line are not looked at.
 * Only after RT_END, and after rt_journal_begin() where there was no line 1. entry->at in its form.
 * Returns RT_OK; RT_FATAL: RT_E_USAGE where the actor is not UTF-8, RT_E_LIMIT where the line would
 * be longer than any that is read, or RT_E_IO: then the object takes no more, and nothing of what
 * was added is written; RT_E_NOMEM: this entry was not added.
 */
enum rt_status rt_journal_add(struct rt_journal *journal, const struct rt_journal_entry *entry,
			      struct rt_error *err);

/*
 * Write what was begun and added: a torn tail is kept aside first, or the line end that the last
 * line lacks is added, then whole lines in one write
 * (as far as they fit memory) and one fdatasync; the first commit flushes the directory too. With
 * nothing begun or added it does nothing. There may be any number of commits.
 * Returns RT_OK: it is on disk. RT_FATAL: what was written is cut back as far as the system lets
 * us, and the object takes no more.
 */
enum rt_status rt_journal_commit(struct rt_journal *journal, struct rt_error *err);

/*
 * Releases the lock, and takes its file away where that was made for a journal to which nothing was
 * committed. NULL is allowed.
 */
void rt_journal_free(struct rt_journal *journal);

#endif
