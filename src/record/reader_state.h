/*
 * The record reader's inside, shared by reader.c (parts, checks, places) and document.c (the
 * forms of a document). Not for other stages.
 */
#ifndef RT_RECORD_READER_STATE_H
#define RT_RECORD_READER_STATE_H

#include "base/buf.h"
#include "record/check.h"
#include "record/reader.h"
#include "record/view.h"

/* What comes next in the part. */
enum reader_stage {
	STAGE_PART,     /* no part is open */
	STAGE_DOCUMENT, /* a document's first byte */
	STAGE_ELEMENTS, /* in an array of records: an element, ',' or ']' */
	STAGE_MEMBERS,  /* in the object around them: a member, ',' or '}' */
	STAGE_FOREIGN,  /* inside the value of a member that is not ours */
	STAGE_LINES,    /* after a record that stands by itself */
	STAGE_TAIL,     /* after a document's end */
};

/* What a list of elements or members waits for. */
enum reader_list { LIST_FIRST, LIST_NEXT };

/* A top object's `issues` or `rulesets` that is no array. */
struct reader_no_array {
	enum rt_kind kind;         /* RT_KIND_ANY: there is none */
	uint64_t offset;           /* of its value */
	uint64_t line, line_start; /* likewise */
};

struct rt_reader {
	struct rt_limits limits;
	bool no_logs;             /* SARIF logs are refused */
	enum rt_kind kind_wanted; /* what the caller demands of records outside of the keys */
	const struct rt_scan_ops *ops;
	struct rt_view view;

	enum reader_stage stage;
	enum reader_list list; /* of the innermost list */
	bool wrapped;          /* the array is a member of an object */
	bool has_issues;       /* the object's keys that have been met */
	bool has_rulesets;
	uint64_t documents;  /* finished in this part */
	enum rt_kind kind;   /* what elements have to be */
	struct rt_nest nest; /* of STAGE_FOREIGN */
	struct reader_no_array no_array;

	struct rt_record record;
	struct rt_buf id; /* the decoded id, where it has escapes */
	bool broken;      /* the last fault ends its part */
	bool telling;     /* the part has ended, and may have faults left to tell */
	bool judging;     /* record has faults left to tell */
	unsigned check_step;
};

/*
 * After a scan from mark failed: get more bytes and go back to mark where that is what it needs
 * (RT_OK: scan again), else set err from the scan's fault (RT_REJECT) or the read's (also
 * RT_FATAL). The bytes before mark are dropped.
 */
enum rt_status rt_reader_retry(struct rt_reader *r, struct rt_mark *mark, struct rt_error *err);

/*
 * Set err to a fault at a byte of the window, with its place. code: RT_E_INPUT or RT_E_LIMIT.
 * field: a member's name or NULL. have: NULL to name the byte that stands there.
 * r->broken is set. Returns RT_REJECT.
 */
enum rt_status rt_reader_fault(struct rt_reader *r, const char *at, const char *field,
			       const char *want, const char *have, struct rt_error *err);

/* Add to err, as far as the failed scan of r->record got to know them, its id and member. */
void rt_reader_name_record(const struct rt_reader *r, struct rt_error *err);

/* What a member of a record has to be, as struct rt_text_hints has it. */
enum rt_text_want rt_document_want(struct rt_slice list, struct rt_slice name);

/*
 * Advance to the next record of the open part and scan it into r->record; its kind is what its
 * place demands. Returns RT_OK, RT_END at the part's end, RT_REJECT or RT_FATAL.
 */
enum rt_status rt_document_next(struct rt_reader *r, struct rt_error *err);

#endif
