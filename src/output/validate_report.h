/*
 * The report of a validation (schema validate-report).
 */
#ifndef RT_OUTPUT_VALIDATE_REPORT_H
#define RT_OUTPUT_VALIDATE_REPORT_H

#include "base/faults.h"
#include "base/sha256.h"
#include "files/unread.h"
#include "journal/journal.h"
#include "journal/remarks.h"
#include "output/writer.h"

/* What has passed; what was not asked for is 0. */
struct rt_report_counts {
	uint64_t issues, rulesets, requests;
};

/* warnings: what is no fault; NULL: none. */
void rt_report_write(struct rt_writer *w, struct rt_report_counts counts,
		     const struct rt_faults *faults, const struct rt_faults *warnings,
		     const struct rt_unread *unread);

/* --- The report of a verification ------------------------------------------------------------ */

/* What found the fault that a report names. */
enum rt_verify_check {
	RT_VERIFY_JOURNAL,  /* form, numbers, hashes and chain of the journal's lines */
	RT_VERIFY_BASE,     /* the base export is the one that line 1 names */
	RT_VERIFY_RESULT,   /* an entry's request, executed again, gives the result it names */
	RT_VERIFY_HEAD,     /* the journal extends a head that was kept elsewhere */
	RT_VERIFY_REQUESTS, /* the journal holds the requests of files, and no others */
	RT_VERIFY_EXPECT,   /* an export holds the state the journal leads to */
};

/* How the records of an expected export differ from the state, those of a kind. */
struct rt_verify_counts {
	uint64_t different, missing, extra;
};

struct rt_verify_report {
	bool valid;
	const struct rt_journal_base *base; /* NULL where line 1 is damaged */
	uint64_t entries;                   /* that have been found well, from the first on */
	struct rt_journal_head head;        /* after them */
	uint64_t torn_bytes;                /* at the end: the beginning of an entry */
	struct rt_remarks remarks;
	bool compared; /* with an export, to its end; and it is another */
	struct rt_verify_counts differences[RT_KIND_RULESET + 1]; /* by enum rt_kind */
	/* Where not valid: */
	enum rt_verify_check check;
	uint64_t entry; /* its number, 0 where the fault is not one entry's */
	const struct rt_error *fault;
};

void rt_verify_report_write(struct rt_writer *w, const struct rt_verify_report *report);

/* The verdict as one line for people, without a newline, masked. text: RT_ERROR_LINE_MAX + 64. */
void rt_verify_report_line(const struct rt_verify_report *report, char *text, size_t cap);

#endif
