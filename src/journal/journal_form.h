/*
 * The form of a journal's lines (SPEC 3): taking one apart, and making one. Knows no file.
 */
#ifndef RT_JOURNAL_JOURNAL_FORM_H
#define RT_JOURNAL_JOURNAL_FORM_H

#include "base/sha256.h"
#include "engine/request.h"
#include "scan/scan.h"

/* What every file that may be a journal, or the begin of one, starts with. */
#define RT_JOURNAL_MAGIC "{\"retriage_journal\":"

/* What is written anew; version 1, without options and digests of notes, is read as well, and goes
 * on as it began. */
#define RT_JOURNAL_VERSION 2u

/* What is around the digests of a line. hash ends it, and prev is right before that. */
#define RT_JOURNAL_HASH_OPEN ",\"hash\":\""
#define RT_JOURNAL_HASH_CLOSE "\"}"
#define RT_JOURNAL_PREV_OPEN ",\"prev\":\""

/* Line 1 of a journal. Texts are borrowed: of a journal, as long as the object. */
struct rt_journal_base {
	uint64_t version;
	struct rt_slice name; /* decoded */
	uint8_t sha256[RT_SHA256_BYTES];
	uint64_t issues;
	struct rt_slice options;    /* JSON object of those that were given; version 1: empty */
	struct rt_slice created_at; /* YYYY-MM-DDTHH:MM:SSZ */
};

/* Where the decision of an entry was first made that `carry` has brought from an earlier scan. */
struct rt_carried {
	struct rt_slice text;  /* JSON object; ptr NULL: it was made here */
	uint64_t seq;          /* of the entry there; 0: the export itself had it */
	struct rt_slice at;    /* its time */
	struct rt_slice actor; /* decoded; ptr NULL: null */
};

/* One entry. Texts are borrowed until the next call. */
struct rt_journal_entry {
	uint64_t seq;          /* from 1 */
	struct rt_slice at;    /* YYYY-MM-DDTHH:MM:SSZ */
	struct rt_slice actor; /* decoded; ptr NULL: null */
	struct rt_carried carried;
	struct rt_request request;
	uint64_t updated_count, failed_count;
	uint8_t result_sha256[RT_SHA256_BYTES]; /* of the compact result document, no newline */
	/* Of the compact JSON array of the updated issues' notes arrays; not in version 1. */
	uint8_t notes_sha256[RT_SHA256_BYTES];
	struct rt_slice line; /* as it is, without its newline; only when read */
};

/* Where a journal ends: what `log --head` prints and `verify --head` takes. */
struct rt_journal_head {
	uint64_t seq; /* 0: no entry yet, hash is line 1's */
	uint8_t hash[RT_SHA256_BYTES];
};

/* What the lines are checked and made with. */
struct rt_journal_form {
	uint64_t version;     /* of the line 1 that was read or written last */
	const char *text_end; /* of the bytes that the line to be read is in, not before its
			       * own end; RT_PADDING zero bytes are after it */
	const struct rt_scan_ops *ops;
	struct rt_buf text;  /* the decoded texts of the line read last */
	struct rt_buf again; /* the line written again */
	struct rt_scan scan;
};

/* form: zeroed. */
void rt_journal_form_init(struct rt_journal_form *form, const struct rt_limits *limits);

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
 * Whether a text without a line end is the beginning of the entry that follows on head, or of line
 * 1 (NULL). text: form->text_end is its end.
 * Returns RT_OK: it is one; RT_END: it is a whole line; RT_REJECT with err set as above.
 */
enum rt_status rt_journal_form_begins(struct rt_journal_form *form, struct rt_slice text,
				      const struct rt_journal_head *head, struct rt_error *err);

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

#endif
