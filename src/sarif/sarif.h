/*
 * A SARIF log (OASIS SARIF 2.1.0) as records of issues, one for each result that is one, in two
 * passes (SARIF.md S4): the first checks the whole log and keeps tables of its runs and 48 bytes an
 * issue, the second makes one record at a time.
 */
#ifndef RT_SARIF_SARIF_H
#define RT_SARIF_SARIF_H

#include "base/buf.h"
#include "base/error.h"
#include "base/faults.h"
#include "base/glob.h"
#include "base/pull.h"
#include "scan/record.h"

struct rt_sarif;

/* What recognition says of the first bytes of a part (S1). */
enum rt_sarif_verdict {
	RT_SARIF_NO,   /* something else, whatever follows */
	RT_SARIF_OPEN, /* more bytes are needed */
	RT_SARIF_LIKE, /* likewise, but what is too long for a record is one */
	RT_SARIF_YES,  /* a log */
};

/* Look at the first bytes of a part's JSON text, from its first '{' on. final: there are no more.
 */
enum rt_sarif_verdict rt_sarif_look(struct rt_slice head, bool final);

/* What is known besides the bytes. */
struct rt_sarif_hints {
	bool accept_failed;       /* --failed-runs accept (S10) */
	bool begins;              /* a journal is begun: what to heed is told, once */
	bool level_first;         /* --severity-from level (S22) */
	bool old_ids;             /* --ids s1 (S18) */
	struct rt_prefixes strip; /* taken off paths, before ids are made */
	uint64_t skipped;         /* bytes of the part before the text: of a byte order mark */
	/* Reads the part again at an offset, as rt_pull's read(); NULL: it cannot, and the bytes
	 * are kept in a temporary file. */
	enum rt_status (*again)(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err);
	void *again_ctx;
	/* Called with what a person may want to know, once a log and kind (S46): the note has a
	 * message. Returns RT_OK or RT_FATAL with err set. May be NULL. */
	enum rt_status (*note)(void *ctx, const struct rt_error *note, struct rt_error *err);
	void *note_ctx;
	struct rt_failed_scans *failed; /* where failed runs are counted; may be NULL */
};

/*
 * Read a log, once and as far as it can be understood; rt_sarif_next() tells the faults.
 * pull, limits: borrowed until rt_sarif_free(). hints: copied.
 * ret_sarif: on RT_OK owned by the caller.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_sarif_open(struct rt_pull pull, const struct rt_sarif_hints *hints,
			     const struct rt_limits *limits, struct rt_sarif **ret_sarif,
			     struct rt_error *err);

/*
 * The next record of a log. ret_record: borrowed until the next call; its place is that of its
 * result, its id is not set. A fault has place, record ("run 0: result 7"), field, code and
 * message, not the path; the next call tells the next one, and no record comes after it.
 * Returns RT_OK; RT_END; RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_sarif_next(struct rt_sarif *sarif, struct rt_record *ret_record,
			     struct rt_error *err);

/* The text of the result that the record delivered last was made from; borrowed as long as that. */
struct rt_slice rt_sarif_result(const struct rt_sarif *sarif);

/* The number of its run in the log, and its own in that, from 0. */
uint32_t rt_sarif_run_number(const struct rt_sarif *sarif);
uint32_t rt_sarif_result_number(const struct rt_sarif *sarif);

/*
 * The record that it would be if its result had another text, one that decisions have changed.
 * text: checked. out: what it holds is replaced. Returns RT_OK; RT_REJECT (RT_E_LIMIT: it would be
 * too long) or RT_FATAL with err set, without a place.
 */
enum rt_status rt_sarif_remake(struct rt_sarif *sarif, struct rt_slice text, struct rt_buf *out,
			       struct rt_error *err);

/* Where in the log a byte of the record delivered last comes from; its result, where nothing nearer
 * is known. */
struct rt_place rt_sarif_place(const struct rt_sarif *sarif, const struct rt_record *record,
			       const char *at);

/* NULL is allowed. */
void rt_sarif_free(struct rt_sarif *sarif);

#endif
