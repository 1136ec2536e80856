/*
 * What is known of a run of a SARIF log besides its results: its tool with the rules, artifacts,
 * bases of paths, invocations, identity (SARIF.md S5). Members may come in any order, so tables are
 * made of each, and what follows from several of them is made at the end. They are kept until the
 * log has been read.
 */
#ifndef RT_SARIF_RUN_H
#define RT_SARIF_RUN_H

#include "base/glob.h"
#include "base/map.h"
#include "sarif/notes.h"
#include "sarif/object.h"
#include "sarif/uri.h"

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
	struct rt_slice deprecated;        /* array: deprecatedIds, whatever is in it */
	const struct rt_slice *properties; /* RT_SARIF_PROPERTY_COUNT of them; never NULL */
	uint32_t component;                /* number of the one that it is in */
	uint8_t severity;                  /* of its security-severity: see severity.c */
	uint8_t word;                      /* of its other properties, likewise */
	/* Set while results are identified: the message of one is the title, that of one is not. */
	bool titled, untitled;
	/* Set by rt_sarif_run_end(). */
	const uint64_t *weaknesses; /* CWE numbers, ascending, each once */
	size_t weakness_count;
	struct rt_sarif_owasp owasp;
	struct rt_slice tags; /* array: its tags, each once; absent: none */
};

/* An invocation. Texts as above. */
struct rt_sarif_invocation {
	bool failed, succeeded;     /* executionSuccessful is false, or true */
	struct rt_slice start, end; /* strings: startTimeUtc, endTimeUtc */
};

/* A toolComponent. Texts are decoded. */
struct rt_sarif_component {
	uint32_t number; /* of components: 0 is the driver, n is extension n - 1; of taxonomies:
			  * their own, from 0 */
	struct rt_slice name;
	size_t first, count; /* its rules among those of the run */
	const struct rt_slice *taxa;
	size_t taxon_count; /* ids of its taxa; ptr NULL where one has none */
	bool refused;       /* one of its rules was: those after it are not known */
};

/* A base of paths, of originalUriBaseIds. */
struct rt_sarif_base {
	struct rt_slice name;         /* between its quotes */
	enum rt_sarif_path_kind kind; /* of its URI; RT_SARIF_PATH_NONE: it has none */
	struct rt_slice path;  /* its URI as a path; '/' at its end where it is a relative one */
	struct rt_slice above; /* string: the uriBaseId */
	uint32_t parent;       /* the base above; RT_SARIF_NO_BASE: none */
};

#define RT_SARIF_NO_BASE UINT32_MAX

/* An absolute path that file: is made relative to (S27), found by name. */
struct rt_sarif_root {
	struct rt_slice path; /* without '/' at the end, the letter of a drive in lower case */
	uint32_t order;       /* the lesser one counts: see path.c */
};

/* A configurationOverride that gives a level. */
struct rt_sarif_override {
	uint32_t invocation;
	struct rt_slice descriptor; /* object: whose */
	struct rt_slice level;      /* string */
};

/* A versionControlDetails. */
struct rt_sarif_repository {
	struct rt_slice name;   /* JSON string; absent: none */
	struct rt_slice mapped; /* object: mappedTo */
};

/* The two forms of a text: of a message or a multiformatMessageString. */
enum { RT_SARIF_FORM_TEXT, RT_SARIF_FORM_MARKDOWN, RT_SARIF_FORMS };
struct rt_sarif_forms {
	struct rt_slice strings[RT_SARIF_FORMS]; /* maybe absent */
};

/* What an artifactLocation says. Strings, maybe absent. */
struct rt_sarif_location {
	struct rt_slice uri, base;
};

/* Names of several kinds do not meet, nor those of several owners. */
enum rt_sarif_kind {
	RT_SARIF_N_RULE,           /* ids of rules; owner: number of the component, or ... */
	RT_SARIF_N_RULE_GUID,      /* guids of rules, in lower case; the same owners */
	RT_SARIF_N_COMPONENT,      /* owner: enum rt_sarif_among */
	RT_SARIF_N_COMPONENT_GUID, /* in lower case; likewise */
	RT_SARIF_N_BASE,           /* owner 0 */
	RT_SARIF_N_MESSAGE,        /* ids of messages; owner: number of the rule */
	RT_SARIF_N_GLOBAL,         /* ids of global messages; owner: number of the component */
	RT_SARIF_N_ROOT,           /* absolute paths of roots; owner: ends of the run */
	RT_SARIF_N_OVERRIDE,       /* bytes of a rule's number; owner: number of the invocation */
};

/* Which components there are: those of the tool, or taxonomies. */
enum rt_sarif_among { RT_SARIF_OF_TOOL, RT_SARIF_OF_TAXONOMIES };

/* The owner of what is looked for in all components: the first one counts. */
#define RT_SARIF_ANY_OWNER UINT32_MAX

/* Objects that many results refer to are cut once: they may be long, and results may be many. */
struct rt_sarif_run {
	uint32_t index;           /* in its log, from 0 */
	uint64_t record_bytes;    /* most that one text may be made of (limit "record"): the default
				   * from rt_sarif_run_init() on, until somebody sets another */
	bool old_ids;             /* ids are made as version 0.1 made them */
	bool level_first;         /* a level decides the severity, not a score */
	struct rt_prefixes strip; /* taken off paths */

	/* What its tables take: never more than the limit "metadata" (S5), as much as there is
	 * until somebody sets it. It is given back all at once. */
	uint64_t held, held_max; /* bytes */
	struct rt_sarif_piece *pieces;

	/*
	 * Names and the numbers that they stand for: ids of rules, components, bases and so on,
	 * under a fresh secret key, so that no log can aim for its slots. Of each name 96 bits of
	 * its hash are kept in its stead: two of a million meet with a chance of 1 in 10^17.
	 */
	struct rt_siphash_key key;
	struct rt_map names;

	struct rt_slice driver; /* name of the tool, decoded; absent: none */
	struct rt_slice model;  /* JSON string: model_used; absent: null */
	struct rt_sarif_invocation *invocations;
	size_t invocation_count;

	/* Tool and taxonomies. components[0] is the driver, maybe with nothing in it. */
	struct rt_sarif_component *components, *taxonomies;
	size_t component_count, taxonomy_count;
	struct rt_buf rules;    /* of struct rt_sarif_rule: of all components, one after another */
	struct rt_buf messages; /* of struct rt_sarif_forms */

	struct rt_sarif_location *artifacts;
	size_t artifact_count;

	struct rt_sarif_base *bases;
	size_t base_count;

	struct rt_sarif_repository *repositories;
	size_t repository_count;

	struct rt_buf roots; /* of struct rt_sarif_root */
	uint32_t ends;       /* how often the run was ended: what is known of roots may change */

	struct rt_buf overrides;   /* of struct rt_sarif_override: of all invocations */
	struct rt_slice directory; /* object: workingDirectory of the first invocation */

	struct rt_slice automation_id, automation_guid; /* decoded */

	/* Set by rt_sarif_run_end(). */
	struct rt_slice category; /* S20, decoded; maybe empty */
	struct rt_slice scan_id;  /* JSON string (S37) */
	bool failed;              /* an invocation says false */
	bool failed_throughout;   /* there are invocations, and each says false */
	bool succeeded;           /* there are invocations, and each says true */
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

/* What a message object says; JSON values, absent where not there. */
enum {
	RT_SARIF_MESSAGE_TEXT,
	RT_SARIF_MESSAGE_MARKDOWN,
	RT_SARIF_MESSAGE_ID,
	RT_SARIF_MESSAGE_ARGUMENTS,
	RT_SARIF_MESSAGE_MEMBERS
};

/* Rows of a table that these are cut by, from a slot on. */
#define RT_SARIF_MESSAGE_ROWS(first)                                                               \
	{RT_SLICE("text"), (first) + RT_SARIF_MESSAGE_TEXT, RT_SARIF_STRING, NULL},                \
	    {RT_SLICE("markdown"), (first) + RT_SARIF_MESSAGE_MARKDOWN, RT_SARIF_STRING, NULL},    \
	    {RT_SLICE("id"), (first) + RT_SARIF_MESSAGE_ID, RT_SARIF_STRING, NULL},                \
	    {RT_SLICE("arguments"), (first) + RT_SARIF_MESSAGE_ARGUMENTS, RT_SARIF_ARRAY, NULL},

/* Make the text of a message object (absent: none). said: its members. message: its buffers are
 * used again. notes: an id that is not found is counted. */
void rt_sarif_message_make(const struct rt_sarif_run *run, const struct rt_sarif_rule_found *found,
			   struct rt_slice object, const struct rt_slice *said,
			   struct rt_sarif_message *message, struct rt_sarif_notes *notes,
			   struct rt_sarif_fault *fault);

void rt_sarif_message_release(struct rt_sarif_message *message);

/* What an artifactLocation object says; JSON values, absent where not there. */
enum {
	RT_SARIF_LOCATION_URI,
	RT_SARIF_LOCATION_BASE,
	RT_SARIF_LOCATION_INDEX,
	RT_SARIF_LOCATION_MEMBERS
};

/* Rows of a table that these are cut by, from a slot on. */
#define RT_SARIF_LOCATION_ROWS(first)                                                              \
	{RT_SLICE("uri"), (first) + RT_SARIF_LOCATION_URI, RT_SARIF_STRING, NULL},                 \
	    {RT_SLICE("uriBaseId"), (first) + RT_SARIF_LOCATION_BASE, RT_SARIF_STRING, NULL},      \
	    {RT_SLICE("index"), (first) + RT_SARIF_LOCATION_INDEX, RT_SARIF_NUMBER, NULL},

/* Cut one, maybe absent. A fault also: its index is no integer. */
void rt_sarif_location_cut(struct rt_slice location,
			   struct rt_slice ret_said[RT_SARIF_LOCATION_MEMBERS],
			   struct rt_sarif_fault *fault);

/*
 * Append the path that an artifactLocation object stands for (S26, S27), decoded; *ret_any: there
 * is one. *ret_repository: the number of the repository that the file is in (S37); the first one
 * where that is not known.
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set.
 */
enum rt_status rt_sarif_path(const struct rt_sarif_run *run, const struct rt_slice *members,
			     struct rt_buf *out, bool *ret_any, uint32_t *ret_repository,
			     struct rt_sarif_fault *fault);

/*
 * The id of the taxon that a reportingDescriptorReference object is to: its own, else by its index
 * in its component (S32): decoded, in the run or in room; absent: none. *ret_cwe: the component is
 * named CWE. room: its bytes are dropped before.
 */
struct rt_slice rt_sarif_taxon(const struct rt_sarif_run *run, struct rt_slice reference,
			       struct rt_buf *room, bool *ret_cwe, struct rt_sarif_fault *fault);

/* --- For the files that make the tables ------------------------------------------------------- */

/* Count bytes that somebody else is about to allocate, or has given back (less than zero: not
 * refused). A fault: RT_E_LIMIT. */
void rt_sarif_memory_count(struct rt_sarif_run *run, int64_t bytes, struct rt_sarif_fault *fault);

/*
 * Take count times size bytes, all zero, aligned for anything; count: may be 0, and more than
 * INT32_MAX are refused, so that numbers of 32 bits do for all that tables hold. Returns NULL with
 * a fault: RT_E_LIMIT or RT_E_NOMEM.
 */
void *rt_sarif_memory_take(struct rt_sarif_run *run, size_t count, size_t size,
			   struct rt_sarif_fault *fault);

/* Take a copy of text; absent with a fault. */
struct rt_slice rt_sarif_memory_copy(struct rt_sarif_run *run, struct rt_slice text,
				     struct rt_sarif_fault *fault);

/* Append an element to a table that grows, which its owner releases. */
void rt_sarif_memory_add(struct rt_sarif_run *run, struct rt_buf *table, const void *element,
			 size_t size, struct rt_sarif_fault *fault);

void rt_sarif_memory_release(struct rt_sarif_run *run);

/* Add a name; absent: none is. Returns false where it was there: it keeps its number then. */
bool rt_sarif_names_add(struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			struct rt_slice name, uint32_t number, struct rt_sarif_fault *fault);

/* Find a name. false: it is not there; *ret_number is untouched. */
bool rt_sarif_names_find(const struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			 struct rt_slice name, uint32_t *ret_number);

/*
 * Find a name or its prefixes up to a '/' (S12), in one pass over it. found: called for each that
 * is there, the shorter ones first.
 */
void rt_sarif_names_prefixes(const struct rt_sarif_run *run, enum rt_sarif_kind kind,
			     uint32_t owner, struct rt_slice name,
			     void (*found)(void *ctx, uint32_t number), void *ctx);

static inline struct rt_sarif_rule *rt_sarif_rules(const struct rt_sarif_run *run)
{
	return (struct rt_sarif_rule *)(void *)run->rules.data;
}

static inline struct rt_sarif_override *rt_sarif_overrides(const struct rt_sarif_run *run)
{
	return (struct rt_sarif_override *)(void *)run->overrides.data;
}

/* --- tool.c: tools and taxonomies into tables; value: kept by the run ------------------------- */

void rt_sarif_tool_take(struct rt_sarif_run *run, struct rt_slice value,
			struct rt_sarif_fault *fault);
void rt_sarif_taxonomies_take(struct rt_sarif_run *run, struct rt_slice value,
			      struct rt_sarif_fault *fault);

/* The members of a rule's relationship. */
enum { RT_SARIF_TARGET, RT_SARIF_KINDS, RT_SARIF_RELATIONSHIPS };
extern const struct rt_cut rt_sarif_relationship_cut;

/* --- path.c ----------------------------------------------------------------------------------- */

/* Take originalUriBaseIds. */
void rt_sarif_bases_take(struct rt_sarif_run *run, struct rt_slice value,
			 struct rt_sarif_fault *fault);

/* All tables are there: resolve what absolute paths are made relative to. *ret_table: of a fault.
 */
void rt_sarif_roots_end(struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
			struct rt_sarif_fault *fault);

/* --- message.c -------------------------------------------------------------------------------- */

/* A fault: arguments, an array, maybe absent, are no strings. */
void rt_sarif_arguments_check(struct rt_slice arguments, struct rt_sarif_fault *fault);

/* --- rule.c ----------------------------------------------------------------------------------- */

/* Check the types of a reportingDescriptorReference, maybe absent. */
void rt_sarif_reference_check(struct rt_slice reference, struct rt_sarif_fault *fault);

/* All tables are there: make the overrides findable by their rules. */
void rt_sarif_overrides_end(struct rt_sarif_run *run, struct rt_sarif_fault *fault);

/* --- weakness.c ------------------------------------------------------------------------------- */

/* All tables are there: find out what each rule says of weaknesses, once, for a million results may
 * have a rule with a million relationships. */
void rt_sarif_weaknesses_end(struct rt_sarif_run *run, struct rt_sarif_fault *fault);

/* --- tables.c: what several of them need ------------------------------------------------------ */

extern const struct rt_cut rt_sarif_forms_cut; /* into RT_SARIF_FORMS */

/* Keep the text of a string, maybe absent, decoded: the string's own bytes where they are it. */
struct rt_slice rt_sarif_keep(struct rt_sarif_run *run, struct rt_slice string,
			      struct rt_sarif_fault *fault);

/* Keep a text as a JSON string. */
struct rt_slice rt_sarif_keep_json(struct rt_sarif_run *run, struct rt_slice text,
				   struct rt_sarif_fault *fault);

/* `level` of a reportingConfiguration, maybe absent. A fault: no string. */
struct rt_slice rt_sarif_level_take(struct rt_slice configuration, struct rt_sarif_fault *fault);

/* A string that is a GUID, in lower case, in room; absent: none, or too long for one. */
#define RT_SARIF_GUID_MAX 256u
struct rt_slice rt_sarif_guid(struct rt_slice string, char *room);

#endif
