/*
 * A result of a SARIF log: whether it is an issue, which one, and its record of 29 members
 * (SARIF.md sections 2 and 3). Input: a result's checked JSON text and the tables of its run.
 * Output: its identity, and a record as JSON text.
 */
#ifndef RT_SARIF_RESULT_H
#define RT_SARIF_RESULT_H

#include "base/sha256.h"
#include "sarif/region.h"
#include "sarif/run.h"

/* What makes one result the same issue in every scan (S16 to S18). */
#define RT_SARIF_ID_BYTES 16u
struct rt_sarif_identity {
	uint8_t id[RT_SARIF_ID_BYTES]; /* of S16; where own: of properties.retriage.id */
	bool own;                      /* the id is given by properties.retriage (S21) */
	/* Order among equals (S18). */
	uint32_t line, column; /* 0: none; larger ones are UINT32_MAX */
	uint64_t message;      /* first bytes of the message's digest */
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

/* Slots of a result that was cut while it was scanned: those of its members, then these. */
enum rt_sarif_cut_slot {
	RT_SARIF_C_PROPERTIES = RT_SARIF_R_COUNT, /* the first of RT_SARIF_PROPERTY_COUNT */
	RT_SARIF_C_REGION = RT_SARIF_C_PROPERTIES + RT_SARIF_PROPERTY_COUNT,
	/* the first of RT_SARIF_REGION_NUMBERS */
	RT_SARIF_C_SNIPPET = RT_SARIF_C_REGION + RT_SARIF_REGION_NUMBERS,
	RT_SARIF_C_CONTEXT_LINE,
	RT_SARIF_C_CONTEXT,
	RT_SARIF_C_ARTIFACT,
	RT_SARIF_C_LOGICAL,
	RT_SARIF_C_LOCATION, /* only whether there is one */
	RT_SARIF_C_FIRST_SEEN,
	RT_SARIF_C_INVOCATION,
	/* What others are cut out of. */
	RT_SARIF_C_PHYSICAL,
	RT_SARIF_C_LOGICALS,
	RT_SARIF_C_REGION_OBJECT,
	RT_SARIF_C_CONTEXT_OBJECT,
	RT_SARIF_C_SNIPPET_OBJECT,
	RT_SARIF_C_CONTEXT_SNIPPET,
	RT_SARIF_CUT_SLOTS
};

/* Memory that is used again from result to result: made once a log. */
struct rt_sarif_maker;

/* Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_sarif_maker_new(struct rt_sarif_maker **ret_maker, struct rt_error *err);

/* NULL is allowed. */
void rt_sarif_maker_free(struct rt_sarif_maker *maker);

/*
 * Cut a result. run: may still lack tables; text: from '{' to
 * '}', borrowed until the next call. notes: results that are no issues are counted.
 * *ret_issue: it is one (S9).
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set, its `at` in text.
 */
enum rt_status rt_sarif_result_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				    struct rt_slice text, bool *ret_issue,
				    struct rt_sarif_notes *notes, struct rt_sarif_fault *fault);

/* The same of one that was cut while it was scanned, without properties.retriage. cut: slots; what
 * is in them is borrowed until the next call. A fault has no place. */
enum rt_status rt_sarif_result_take(struct rt_sarif_maker *maker,
				    const struct rt_slice cut[RT_SARIF_CUT_SLOTS], bool *ret_issue,
				    struct rt_sarif_notes *notes, struct rt_sarif_fault *fault);

/*
 * Check the members of the result read last, which is an issue, whether or not its record needs
 * them. identified: rt_sarif_result_identify() has just identified it, and what that has looked at
 * is right. Returns as before.
 */
enum rt_status rt_sarif_result_check(struct rt_sarif_maker *maker, bool identified,
				     struct rt_sarif_fault *fault);

/* The identity of the result read last. Only with all tables. Returns as before. */
enum rt_status rt_sarif_result_identify(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run,
					struct rt_sarif_identity *ret_identity,
					struct rt_sarif_fault *fault);

/* The values of a record: members of an issue, then `notes`. */
#define RT_SARIF_NOTES RT_ISSUE_MEMBERS
#define RT_SARIF_VALUES (RT_ISSUE_MEMBERS + 1)

/* Their JSON texts stand one after the other, without names. Those of rules, which are long and the
 * same in many records, are put in where a record is given. */
struct rt_sarif_values {
	/* Bytes. 0: notes are not there; any other value is a text of the rule. */
	uint32_t lens[RT_SARIF_VALUES];
	uint32_t texts[RT_SARIF_RULE_TEXTS]; /* for rt_sarif_rule_text() */
};

/* The value that a text of a rule is. */
static inline enum rt_sarif_rule_text rt_sarif_rule_text_of(unsigned value)
{
	return value == RT_M_REMEDIATION ? RT_SARIF_HELP : RT_SARIF_EXPLANATION;
}

/* Where values of properties.retriage, which are checked as records are, come from. */
struct rt_sarif_mark {
	unsigned value;
	const char *from; /* byte of the result's text */
};
struct rt_sarif_marks {
	size_t count;
	struct rt_sarif_mark marks[RT_SARIF_VALUES];
};

/*
 * Append the values of the record of the result read and identified last: all 29 members, and
 * `notes` where properties.retriage has them; no line break in them. Returns as before.
 */
enum rt_status rt_sarif_result_write(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     struct rt_buf *out, struct rt_sarif_values *ret_values,
				     struct rt_sarif_marks *ret_marks, struct rt_sarif_notes *notes,
				     struct rt_sarif_fault *fault);

#endif
