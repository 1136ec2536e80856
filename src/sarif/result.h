/*
 * A result of a SARIF log: whether it is an issue, which one, and its record of 29 members
 * (SARIF.md sections 2 and 3).
 */
#ifndef RT_SARIF_RESULT_H
#define RT_SARIF_RESULT_H

#include "base/sha256.h"
#include "sarif/severity.h"
#include "sarif/weakness.h"
#include "scan/record.h"

/* Which of equal results one is. */
struct rt_sarif_rank {
	uint32_t number; /* from 1 */
	uint32_t count;  /* how many there are */
};

/* What makes one result the same issue in every scan (S16 to S18). It is kept of each issue. */
#define RT_SARIF_ID_BYTES 16u
#define RT_SARIF_SUM_MASK ((UINT32_C(1) << 29) - 1)
struct rt_sarif_identity {
	uint8_t id[RT_SARIF_ID_BYTES]; /* of S16; where own: of properties.retriage.id */
	/* Order among equals (S18). */
	uint64_t message;          /* first bytes of the message's digest */
	uint32_t line, column;     /* 0: none; larger ones are UINT32_MAX */
	struct rt_sarif_rank rank; /* set by ids.c; number 0: not known yet */
	uint32_t run;              /* whose it is */
	bool own : 1;              /* the id is given by properties.retriage (S21) */
	bool given : 1;            /* by that, or by correlationGuid */
	uint32_t sum : 29;         /* checksum of the result's text: RT_SARIF_SUM_MASK */
};

/* The region of locations[0]. 0: none. */
struct rt_sarif_region {
	int64_t line, column; /* from 1 */
	int64_t end_line, end_column;
	int64_t context_line; /* the first one of the context */
};

/* Numbers of a region, in the order of these. */
enum {
	RT_SARIF_REGION_LINE,
	RT_SARIF_REGION_COLUMN,
	RT_SARIF_REGION_END_LINE,
	RT_SARIF_REGION_END_COLUMN,
	RT_SARIF_REGION_NUMBERS
};

/* The lines of a region and those around it. */
struct rt_sarif_code {
	struct rt_slice json;                /* string of the log that is the code; or absent */
	struct rt_slice code, before, after; /* decoded, in room; absent: none */
};

/* The members of a result that are read. */
enum rt_sarif_result_member {
	RT_SARIF_R_RULE_ID,
	RT_SARIF_R_RULE_INDEX,
	RT_SARIF_R_RULE,
	RT_SARIF_R_KIND,
	RT_SARIF_R_LEVEL,
	RT_SARIF_R_MESSAGE,
	RT_SARIF_R_LOCATIONS,
	RT_SARIF_R_TARGET, /* analysisTarget */
	RT_SARIF_R_FINGERPRINTS,
	RT_SARIF_R_PARTIAL,     /* partialFingerprints */
	RT_SARIF_R_CORRELATION, /* correlationGuid */
	RT_SARIF_R_TAXA,
	RT_SARIF_R_SUPPRESSIONS,
	RT_SARIF_R_BASELINE, /* baselineState */
	RT_SARIF_R_PROVENANCE,
	RT_SARIF_R_FIXES,
	RT_SARIF_R_WEB_REQUEST,
	RT_SARIF_R_PROPERTIES,
	RT_SARIF_R_COUNT
};

/* Where the members go that are read of what is inside: after those of the result. */
enum rt_sarif_cut_slot {
	RT_SARIF_C_PROPERTIES = RT_SARIF_R_COUNT, /* the first of RT_SARIF_PROPERTY_COUNT */
	RT_SARIF_C_REGION = RT_SARIF_C_PROPERTIES + RT_SARIF_PROPERTY_COUNT,
	/* the first of RT_SARIF_REGION_NUMBERS */
	RT_SARIF_C_SNIPPET = RT_SARIF_C_REGION + RT_SARIF_REGION_NUMBERS,
	RT_SARIF_C_CONTEXT_LINE,
	RT_SARIF_C_CONTEXT,
	RT_SARIF_C_MESSAGE, /* the first of RT_SARIF_MESSAGE_MEMBERS */
	RT_SARIF_C_PLACE = RT_SARIF_C_MESSAGE + RT_SARIF_MESSAGE_MEMBERS,
	/* the first of RT_SARIF_LOCATION_MEMBERS */
	RT_SARIF_C_LOGICAL = RT_SARIF_C_PLACE + RT_SARIF_LOCATION_MEMBERS,
	RT_SARIF_C_LOCATION, /* only whether there is one */
	RT_SARIF_C_REQUEST,  /* target of webRequest */
	RT_SARIF_C_FIRST_SEEN,
	RT_SARIF_C_INVOCATION,
	/* What others are cut out of. */
	RT_SARIF_C_PHYSICAL,
	RT_SARIF_C_ARTIFACT,
	RT_SARIF_C_LOGICALS,
	RT_SARIF_C_REGION_OBJECT,
	RT_SARIF_C_CONTEXT_OBJECT,
	RT_SARIF_C_SNIPPET_OBJECT,
	RT_SARIF_C_CONTEXT_SNIPPET,
	RT_SARIF_CUT_SLOTS
};

extern const struct rt_cut rt_sarif_result_cut;

/* The result that was read last, and memory that is used again for the next one. */
struct rt_sarif_maker {
	/* Of the log: set by rt_sarif_result_read(). Absent: not there. */
	struct rt_slice values[RT_SARIF_CUT_SLOTS];
	const struct rt_slice *properties;     /* among them */
	struct rt_slice own[RT_ISSUE_MEMBERS]; /* properties.retriage; null is a value there */
	struct rt_slice own_notes;
	bool has_own; /* there is such an object */
	enum rt_sarif_result_kind kind;
	struct rt_sarif_region region;
	int64_t invocation; /* provenance.invocationIndex; -1: none */
	uint32_t passed;    /* bit m: member m, fingerprints, has been found right */

	/* What it says was decided, as struct rt_record has it: set by rt_sarif_result_write(). */
	struct rt_slice rated;
	bool reopened;

	/* With the tables of the run: set by rt_sarif_result_find(). */
	struct rt_sarif_rule_found found;
	struct rt_sarif_message message;
	struct rt_sarif_notes message_notes; /* what making it counted */
	uint32_t repository;                 /* its number */
	bool has_path;
	struct rt_buf path;                /* decoded */
	struct rt_sarif_identity identity; /* made, or known from an earlier pass */

	/* Memory. */
	struct rt_buf rule_room, room, preimage, entries, prints;
	struct rt_sarif_message fix; /* fixes[0].description */
	struct rt_sarif_weaknesses weaknesses;
};

/* Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_sarif_maker_new(struct rt_sarif_maker **ret_maker, struct rt_error *err);

/* NULL is allowed. */
void rt_sarif_maker_free(struct rt_sarif_maker *maker);

/*
 * Read a result. text: from '{' to '}', borrowed until the next call; is_cut: the scanner has cut
 * it into maker->values. notes: results that are no issues are counted. *ret_issue: it is one (S9).
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set, its `at` in text.
 */
enum rt_status rt_sarif_result_read(struct rt_sarif_maker *maker, struct rt_slice text, bool is_cut,
				    bool *ret_issue, struct rt_sarif_notes *notes,
				    struct rt_sarif_fault *fault);

/* Check the members of the result read last, which is an issue, whether or not its record needs
 * them. Returns as before. */
enum rt_status rt_sarif_result_check(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault);

/* What the tables say of the result read last: its rule, message and path. Only with all of them.
 * Returns as before. */
enum rt_status rt_sarif_result_find(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				    struct rt_sarif_fault *fault);

/* The same, and its identity. */
enum rt_status rt_sarif_result_identify(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run,
					struct rt_sarif_identity *ret_identity,
					struct rt_sarif_fault *fault);

/*
 * Write the record of the result that was read and found last, whose identity is known: all 29
 * members, and `notes` where properties.retriage has them, without a line break. rank: goes behind
 * the id of one of several (S18). out: its bytes are dropped before. ret_record: borrowed from out;
 * its id and place are not set, and the types of values that properties.retriage gives are those of
 * the first byte. Returns as before; RT_REJECT with RT_E_LIMIT: it would be longer than
 * run->record_bytes.
 */
enum rt_status rt_sarif_result_write(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     struct rt_sarif_rank rank, struct rt_buf *out,
				     struct rt_record *ret_record, struct rt_sarif_notes *notes,
				     struct rt_sarif_fault *fault);

/* Of identity.c: identity of a result whose rule, message and path are known. */
void rt_sarif_identify(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
		       struct rt_sarif_fault *fault);

/* Of identity.c: what a result can be told by, for comparisons of scans. ret_prints: borrowed from
 * maker until the next call. */
void rt_sarif_prints_find(struct rt_sarif_maker *maker, struct rt_prints *ret_prints,
			  struct rt_sarif_fault *fault);

/* Of identity.c: check both objects of fingerprints. */
void rt_sarif_fingerprints_check(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault);

/* --- region.c: lines and columns, and the code there (S29, S30) ------------------------------- */

/* Set lines and columns of a region from its members, and the first line of its context.
 * A fault: one of them is no integer. */
void rt_sarif_region_take(struct rt_sarif_region *region,
			  const struct rt_slice numbers[RT_SARIF_REGION_NUMBERS],
			  struct rt_slice context_line, struct rt_sarif_fault *fault);

/*
 * Cut the context into the lines of the region, those before and those after; the end of a piece's
 * last line is dropped. snippet, context: strings, maybe absent: the text of either. room: for
 * decoded text; its bytes are dropped before.
 */
void rt_sarif_region_code(const struct rt_sarif_region *region, struct rt_slice snippet,
			  struct rt_slice context, struct rt_buf *room,
			  struct rt_sarif_code *ret_code, struct rt_sarif_fault *fault);

#endif
