/*
 * Inside of the journal: its parts and what they share. For journal/journal*.c and their tests.
 *
 * journal_match.c reads a line and journal_form.c makes one, journal_read.c cuts the file into
 * lines, journal_append.c writes to it, journal.c opens and closes.
 */
#ifndef RT_JOURNAL_JOURNAL_STATE_H
#define RT_JOURNAL_JOURNAL_STATE_H

#include <stdio.h>

#include "base/spool.h"
#include "journal/journal.h"
#include "record/scan.h"

/* What every file that may be a journal, or the begin of one, starts with. */
#define RT_JOURNAL_MAGIC "{\"retriage_journal\":1,"

/* What stands around the digests of a line. hash ends it, and prev stands right before that. */
#define RT_JOURNAL_HASH_OPEN ",\"hash\":\""
#define RT_JOURNAL_HASH_CLOSE "\"}"
#define RT_JOURNAL_PREV_OPEN ",\"prev\":\""

/* What the lines are checked and made with. */
struct rt_journal_form {
	const char *text_end; /* of the bytes that the line to be read stands in, not before its
			       * own end; RT_PADDING zero bytes are after it */
	const struct rt_scan_ops *ops;
	struct rt_sha256 *hash;
	struct rt_buf text;    /* the decoded actor or name of the line read last */
	struct rt_buf scratch; /* the decoded texts of its request */
	struct rt_scan scan;
};

/* Returns RT_OK or RT_FATAL; rt_journal_form_release() in either case. form: zeroed. */
enum rt_status rt_journal_form_init(struct rt_journal_form *form, const struct rt_limits *limits,
				    struct rt_error *err);

void rt_journal_form_release(struct rt_journal_form *form);

/*
 * Check line 1 (SPEC 3): first its hash, then its form.
 *
 * line: without its newline; form->text_end has been set.
 * ret_base: on RT_OK its texts are borrowed from line and form, until the next line is read.
 * Returns RT_OK; RT_REJECT with code, field, message and column set in err; RT_FATAL.
 */
enum rt_status rt_journal_form_read_header(struct rt_journal_form *form, struct rt_slice line,
					   struct rt_journal_base *ret_base,
					   uint8_t ret_hash[RT_SHA256_BYTES], struct rt_error *err);

/*
 * Check an entry: its hash, then that it follows on head, then its form. As above; *head is that
 * of this line on RT_OK. ret_entry: scribbled on otherwise.
 */
enum rt_status rt_journal_form_read_entry(struct rt_journal_form *form, struct rt_slice line,
					  struct rt_journal_head *head,
					  struct rt_journal_entry *ret_entry, struct rt_error *err);

/*
 * Whether a text without a line end is the beginning of a line 1, or of the entry that follows on
 * head: whether bytes could follow that make it one, as far as that can be told. A whole line is no
 * beginning. text: form->text_end is its end. scratch: scribbled on.
 * Returns RT_OK: it is one; RT_REJECT with err set as above; RT_FATAL.
 */
enum rt_status rt_journal_form_begins_header(struct rt_journal_form *form, struct rt_slice text,
					     struct rt_error *err);
enum rt_status rt_journal_form_begins_entry(struct rt_journal_form *form, struct rt_slice text,
					    const struct rt_journal_head *head,
					    struct rt_journal_entry *scratch, struct rt_error *err);

/*
 * Append line 1 to out, newline included; ret_hash: its hash. Bytes of the name that are not UTF-8
 * become U+FFFD: the digest says which base it is, the name is for people. form->text has what is
 * written of it.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_journal_form_write_header(struct rt_journal_form *form,
					    const struct rt_journal_base *base, struct rt_buf *out,
					    uint8_t ret_hash[RT_SHA256_BYTES],
					    struct rt_error *err);

/*
 * Append the entry after head to out; *head is then its own.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where the actor is not UTF-8, RT_E_NOMEM.
 */
enum rt_status rt_journal_form_write_entry(struct rt_journal_form *form,
					   const struct rt_journal_entry *entry, struct rt_buf *out,
					   struct rt_journal_head *head, struct rt_error *err);

/* Whether a text is a time as a journal has it: YYYY-MM-DDTHH:MM:SSZ, and a real one. */
bool rt_journal_is_time(struct rt_slice text);

/* The part of the file that is in view. */
struct rt_journal_window {
	char *data;      /* NULL until the first read; RT_PADDING bytes after cap */
	size_t cap;      /* bytes */
	size_t start;    /* of the line to be looked at next */
	size_t searched; /* bytes from start on that hold no newline */
	size_t end;      /* of what was read */
	uint64_t origin; /* offset of data[0] in the file */
	size_t line_max; /* bytes of the longest line that is read */
	bool eof;
};

enum rt_journal_state {
	RT_JOURNAL_READING,
	RT_JOURNAL_ENDED, /* every entry has been read: entries may be added */
	RT_JOURNAL_DEAD,  /* a call has failed: nothing more is read or written */
};

struct rt_journal {
	struct rt_journal_form form;
	enum rt_journal_mode mode;
	enum rt_journal_state state;
	const char *path; /* as the user named it */
	char *real;       /* the file itself, where path is a link to it */
	void (*on_notice)(void *ctx, const char *text);
	void *notice_ctx;

	int fd;      /* -1: there is no file yet */
	int lock_fd; /* -1: no lock is held */
	char *lock_path;
	bool made_lock; /* the lock's file was not there; and nothing has been committed yet */
	struct rt_journal_window window;
	uint64_t end;  /* offset after the last line that is right */
	uint64_t torn; /* bytes after it: the beginning of the next line */
	bool unended;  /* it has no line end yet */

	bool has_base; /* line 1 is there, or has been set */
	bool begins;   /* it was set, and is not written yet */
	struct rt_journal_base base;
	struct rt_buf base_text; /* name and created_at */

	struct rt_journal_head head;      /* of what was read and committed */
	struct rt_journal_head next_head; /* and of what was added */
	struct rt_buf line;               /* the line being made */
	struct rt_spool pending;          /* lines for the next commit */
	uint64_t pending_bytes;
};

/* As rt_journal_open(), waiting lock_wait_ms for the lock. */
enum rt_status rt_journal_open_wait(const char *path, enum rt_journal_mode mode,
				    const struct rt_limits *limits, unsigned lock_wait_ms,
				    void (*on_notice)(void *ctx, const char *text),
				    void *notice_ctx, struct rt_journal **ret_journal,
				    struct rt_error *err);

/*
 * Read and check line 1; a journal that is to be begun is left without one, at its end.
 * Returns RT_OK, RT_REJECT or RT_FATAL.
 */
enum rt_status rt_journal_read_header(struct rt_journal *journal, struct rt_error *err);

/* Take over the texts of base, which may be borrowed. Returns RT_OK or RT_FATAL. */
enum rt_status rt_journal_keep_base(struct rt_journal *journal, const struct rt_journal_base *base,
				    struct rt_error *err);

/* What every call gives once one has failed: RT_FATAL with RT_E_IO. */
enum rt_status rt_journal_refuse(const struct rt_journal *journal, struct rt_error *err);

/* Tell the user something, formatted as by printf; nothing where nobody listens. */
void rt_journal_notice(const struct rt_journal *journal, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
