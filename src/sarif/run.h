/*
 * What is known of a run of a SARIF log besides its results: its tool with the rules, artifacts,
 * bases of paths, invocations, identity (SARIF.md S5). Members may come in any order, so tables are
 * made of each, and what follows from several of them is made at the end. They are kept until the
 * log has been read.
 */
#ifndef RT_SARIF_RUN_H
#define RT_SARIF_RUN_H

#include "base/glob.h"
#include "sarif/notes.h"
#include "sarif/object.h"

/* The members of a run that tables are made from. */
enum rt_sarif_table {
	RT_SARIF_TOOL,
	RT_SARIF_ARTIFACTS,
	RT_SARIF_BASES, /* originalUriBaseIds */
	RT_SARIF_INVOCATIONS,
	RT_SARIF_AUTOMATION, /* automationDetails */
	RT_SARIF_PROVENANCE, /* versionControlProvenance */
	RT_SARIF_TAXONOMIES,
	RT_SARIF_EXTERNAL, /* externalPropertyFileReferences (S8) */
	RT_SARIF_TABLE_COUNT
};

/* The members of a property bag that issues are made from: JSON values, absent where not there.
 * Whatever a bag holds is somebody's own, so types are looked at where they are used. */
enum rt_sarif_property {
	RT_SARIF_SECURITY_SEVERITY,
	RT_SARIF_PRECISION,
	RT_SARIF_TAGS,
	RT_SARIF_CWE,
	RT_SARIF_CVSS4, /* cvssv4_baseScore */
	RT_SARIF_CVSS3, /* cvssv3_baseScore */
	RT_SARIF_CVSS2, /* cvssv2_score */
	RT_SARIF_ISSUE_CONFIDENCE,
	RT_SARIF_CONFIDENCE,
	RT_SARIF_SEVERITY, /* words of the tool's own (S22) */
	RT_SARIF_SEVERITY_TITLE,
	RT_SARIF_PRIORITY,
	RT_SARIF_RETRIAGE,
	RT_SARIF_PROPERTY_COUNT
};

/* Cut a property bag into these, one slice each; bag: absent for none. A fault: one of them occurs
 * twice. */
void rt_sarif_properties(struct rt_slice bag, struct rt_slice ret_values[RT_SARIF_PROPERTY_COUNT],
			 struct rt_sarif_fault *fault);

/* A fault: tags, maybe absent, are neither a string nor strings. */
void rt_sarif_tags_check(struct rt_slice tags, struct rt_sarif_fault *fault);

/* A category of OWASP: A05:2021, API1:2019, A1. */
struct rt_sarif_owasp {
	unsigned year; /* 0: none */
	char code[8];  /* upper case, with a NUL; empty: no category */
};

/* A reportingDescriptor. Texts are JSON values of the log, kept by the run; absent: not there. */
struct rt_sarif_rule {
	struct rt_slice id;                /* decoded */
	struct rt_slice title;             /* string: shortDescription.text, else name */
	struct rt_slice explanation;       /* string: fullDescription.text, else its markdown */
	struct rt_slice help;              /* string: help.text, else help.markdown, else helpUri */
	struct rt_slice level;             /* string: defaultConfiguration.level; maybe none */
	struct rt_slice relationships;     /* array, its types checked as far as CWE needs them */
	const struct rt_slice *properties; /* RT_SARIF_PROPERTY_COUNT of them; never NULL */
	uint32_t component;                /* number of the one that it is in */
	uint8_t severity;                  /* of its security-severity: see severity.c */
	uint8_t word;                      /* of its other properties, likewise */
	/* Set by rt_sarif_run_end(). */
	const uint64_t *weaknesses; /* CWE numbers, ascending, each once */
	size_t weakness_count;
	struct rt_sarif_owasp owasp;
	struct rt_slice tags; /* array: its tags, each once; absent: none */
};

/* A toolComponent: the driver (number 0) or an extension. */
struct rt_sarif_component;

/* An invocation. Texts as above. */
struct rt_sarif_invocation {
	bool failed, succeeded;     /* executionSuccessful is false, or true */
	struct rt_slice start, end; /* strings: startTimeUtc, endTimeUtc */
};

struct rt_sarif_run {
	uint32_t index;        /* in its log, from 0 */
	uint64_t record_bytes; /* most that one text may be made of (limit "record"): the default
				* from rt_sarif_run_init() on, until somebody sets another */
	uint64_t table_bytes;  /* most that the tables may hold together (limit "metadata"): as
				* many as there are, until somebody sets another; looked at
				* while they are made, with RT_E_LIMIT and `at` NULL beyond it */

	/* Set by rt_sarif_run_end(). Decoded where not said otherwise; kept by the run. */
	struct rt_slice driver;   /* name of the tool; absent: none */
	struct rt_slice model;    /* JSON string: model_used; absent: null */
	struct rt_slice category; /* S20; maybe empty */
	struct rt_slice scan_id;  /* JSON string (S37) */
	const struct rt_sarif_invocation *invocations;
	size_t invocation_count;
	bool failed;            /* an invocation says false */
	bool failed_throughout; /* there are invocations, and each says false */
	bool succeeded;         /* there are invocations, and each says true */

	bool old_ids;                   /* ids are made as version 0.1 made them */
	bool level_first;               /* a level decides the severity, not a score */
	struct rt_prefixes strip;       /* taken off paths */
	struct rt_sarif_tables *tables; /* of run.c */
};

/* Start a run. Returns RT_OK or RT_FATAL (RT_E_NOMEM). rt_sarif_run_release() in either case. */
enum rt_status rt_sarif_run_init(struct rt_sarif_run *run, uint32_t index, struct rt_error *err);

/* The table that a member of a run makes; RT_SARIF_TABLE_COUNT: none. key: maybe escaped. */
enum rt_sarif_table rt_sarif_run_table(struct rt_slice key);

/*
 * Take a member's value; each table at most once. value: borrowed for the call; what is kept is
 * copied. Null is as good as not called. notes: where to count what is no fault.
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set, its `at` in value.
 */
enum rt_status rt_sarif_run_take(struct rt_sarif_run *run, enum rt_sarif_table table,
				 struct rt_slice value, struct rt_sarif_notes *notes,
				 struct rt_sarif_fault *fault);

/*
 * All tables are there: finish what needs several of them. May be called again after another
 * rt_sarif_run_take(). Returns RT_OK; RT_REJECT or RT_FATAL with fault set, its `at` NULL and
 * *ret_table the table it is about (a loop of bases: RT_SARIF_BASES).
 */
enum rt_status rt_sarif_run_end(struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
				struct rt_sarif_fault *fault);

/* Bytes of memory that the tables hold. */
uint64_t rt_sarif_run_bytes(const struct rt_sarif_run *run);

void rt_sarif_run_release(struct rt_sarif_run *run);

/* --- Lookup: only after rt_sarif_run_end() ---------------------------------------------------- */

/* What a result, a taxon or an override says of a rule: JSON values, absent where not there. */
struct rt_sarif_rule_says {
	struct rt_slice rule_id;    /* string: ruleId */
	struct rt_slice rule_index; /* number: ruleIndex */
	struct rt_slice rule;       /* object: a reportingDescriptorReference */
};

struct rt_sarif_rule_found {
	struct rt_slice id;               /* of the rule (S11), decoded, whole; absent: none. In
					   * the run or in room */
	const struct rt_sarif_rule *rule; /* the descriptor (S12); NULL: none */
	bool by_index;                    /* it has another id, which nobody sees */
	const struct rt_sarif_component *component; /* whose it is, or would be; never NULL */
};

/*
 * Find the rule (S11 to S13). room: for decoded text; its bytes are dropped before.
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set.
 */
enum rt_status rt_sarif_rule_find(const struct rt_sarif_run *run,
				  const struct rt_sarif_rule_says *says, struct rt_buf *room,
				  struct rt_sarif_rule_found *ret_found,
				  struct rt_sarif_fault *fault);

/*
 * The level that ruleConfigurationOverrides of an invocation give a rule (S23): a JSON string kept
 * by the run; absent: none. invocation: less than invocation_count; rule: as found
 * in the run, or NULL.
 */
struct rt_slice rt_sarif_override(const struct rt_sarif_run *run, size_t invocation,
				  const struct rt_sarif_rule *rule);

/* A message of a result (S14, S15). {0} before its first use, released once after the last. */
struct rt_sarif_message {
	/* JSON string of the log that is the text as it is: no argument, no link. Else absent,
	 * and the buffers hold decoded texts. */
	struct rt_slice json;
	struct rt_buf text;  /* before S15, for identity */
	struct rt_buf shown; /* after it */
	bool none;           /* there is neither text nor id */

	struct rt_buf arguments, room; /* of message.c */
};

/* Make the text of a message object (absent: none). message: its buffers are used again.
 * notes: an id that is not found is counted. */
void rt_sarif_message_make(const struct rt_sarif_run *run, const struct rt_sarif_rule_found *found,
			   struct rt_slice object, struct rt_sarif_message *message,
			   struct rt_sarif_notes *notes, struct rt_sarif_fault *fault);

void rt_sarif_message_release(struct rt_sarif_message *message);

/*
 * Append the path that an artifactLocation object stands for (S26, S27), decoded; *ret_any: there
 * is one. Returns RT_OK; RT_REJECT or RT_FATAL with fault set.
 */
enum rt_status rt_sarif_path(const struct rt_sarif_run *run, struct rt_slice location,
			     struct rt_buf *out, bool *ret_any, struct rt_sarif_fault *fault);

/* The repository of the file that an artifactLocation object stands for (S37), absent: of no file.
 * Returns a JSON string kept by the run; absent: none. */
struct rt_slice rt_sarif_repository(const struct rt_sarif_run *run, struct rt_slice location,
				    struct rt_sarif_fault *fault);

/*
 * The id of the taxon that a reportingDescriptorReference object is to: its own, else by its index
 * in its component (S32): decoded, in the run or in room; absent: none. *ret_cwe: the component is
 * named CWE. room: its bytes are dropped before.
 */
struct rt_slice rt_sarif_taxon(const struct rt_sarif_run *run, struct rt_slice reference,
			       struct rt_buf *room, bool *ret_cwe, struct rt_sarif_fault *fault);

#endif
