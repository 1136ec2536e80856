/*
 * A SARIF log (OASIS SARIF 2.1.0) as the text of an export: {"issues":[...]}, a record for each
 * result that is an issue. Read in passes (SARIF.md S4): the first checks the whole log and makes
 * tables of each run, the identities of its results, and their records as far as they can be kept;
 * the last one delivers, and makes what was not kept from the results again.
 */
#ifndef RT_SARIF_SARIF_H
#define RT_SARIF_SARIF_H

#include "base/error.h"
#include "base/faults.h"
#include "base/pull.h"
#include "scan/record.h"

struct rt_sarif;

/* What recognition says of the first bytes of a part (S1). */
enum rt_sarif_verdict {
	RT_SARIF_NO,    /* something else, whatever follows */
	RT_SARIF_OPEN,  /* more bytes are needed */
	RT_SARIF_MAYBE, /* an object with `runs`: rt_sarif_open() finds out */
};

/* Look at the first bytes of a part's JSON text, from its first '{' on. final: there are no more.
 */
enum rt_sarif_verdict rt_sarif_look(struct rt_slice head, bool final);

/* What is known besides the bytes. */
struct rt_sarif_hints {
	enum rt_simd simd;
	bool accept_failed; /* --failed-runs accept (S10) */
	uint64_t skipped;   /* bytes of the part before the text: of a byte order mark */
	size_t window;      /* first size of what is in view, in bytes; 0: the usual one */
	bool remake; /* records are made again in the last pass, as where they cannot be kept */
	/* Reads the part again at an offset, as rt_pull's read(); NULL: it cannot, and the bytes
	 * are kept in a temporary file. */
	enum rt_status (*again)(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err);
	void *again_ctx;
	uint64_t size; /* bytes of the part, where again() is set and it is known; 0: it is not */
	/* Called with what a person may want to know, once a log and kind (S46): the note has a
	 * message. Returns RT_OK or RT_FATAL with err set. May be NULL. */
	enum rt_status (*note)(void *ctx, const struct rt_error *note, struct rt_error *err);
	void *note_ctx;
	struct rt_failed_scans *failed; /* where failed runs are counted; may be NULL */
};

/*
 * Read a part that may be a log, once and to the end of the object, or to its first fault, which
 * rt_sarif_read() then tells. pull, limits: borrowed until rt_sarif_free(). hints: copied.
 * *ret_is: it is a log. If not, rt_sarif_read() gives the text as it was.
 * ret_sarif: on RT_OK owned by the caller.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_sarif_open(struct rt_pull pull, const struct rt_sarif_hints *hints,
			     const struct rt_limits *limits, struct rt_sarif **ret_sarif,
			     bool *ret_is, struct rt_error *err);

/*
 * The next bytes of the text, as rt_pull's read(). A fault of a log has place, record ("run 0:
 * result 7"), field, code and message, not the path; nothing is delivered after it.
 */
enum rt_status rt_sarif_read(struct rt_sarif *sarif, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err);

/*
 * After rt_sarif_read() returned RT_REJECT: the next fault of the same log, as far as it can be
 * understood after those before. Returns RT_REJECT or RT_FATAL with err set; RT_END: there is none.
 */
enum rt_status rt_sarif_next_fault(struct rt_sarif *sarif, struct rt_error *err);

/* Where in the log the byte at an offset of the made text comes from; the result, where nothing
 * nearer is known. at: not before the last rt_sarif_forget(). Only for a log. */
struct rt_place rt_sarif_place(const struct rt_sarif *sarif, uint64_t at);

/* Places before offset `at` will not be asked for again. */
void rt_sarif_forget(struct rt_sarif *sarif, uint64_t at);

/* Where the members of the record stand that begins at an offset of the made text, which only rises
 * from call to call; borrowed until the next rt_sarif_read(). NULL: it has to be looked for. */
const struct rt_record_layout *rt_sarif_layout(struct rt_sarif *sarif, uint64_t at);

/* NULL is allowed. */
void rt_sarif_free(struct rt_sarif *sarif);

#endif
