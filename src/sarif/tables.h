/*
 * What the tables of a run hold, for the files of this folder that make them and look things up.
 */
#ifndef RT_SARIF_TABLES_H
#define RT_SARIF_TABLES_H

#include "sarif/names.h"
#include "sarif/run.h"
#include "sarif/uri.h"

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

/* Objects that many results refer to are cut once: they may be long, and results may be many. */
struct rt_sarif_tables {
	struct rt_sarif_memory memory;
	struct rt_sarif_names names;

	/* Tool and taxonomies. components[0] is the driver, maybe with nothing in it. */
	struct rt_sarif_component *components, *taxonomies;
	size_t component_count, taxonomy_count;
	struct rt_buf rules;    /* of struct rt_sarif_rule: of all components, one after another */
	struct rt_buf messages; /* of struct rt_sarif_forms */
	struct rt_slice driver, model;

	struct rt_sarif_location *artifacts;
	size_t artifact_count;

	struct rt_sarif_base *bases;
	size_t base_count;

	struct rt_sarif_repository *repositories;
	size_t repository_count;

	struct rt_buf roots; /* of struct rt_sarif_root */
	uint32_t ends;       /* how often the run was ended: what is known of roots may change */

	struct rt_sarif_invocation *invocations;
	size_t invocation_count;
	struct rt_buf overrides;   /* of struct rt_sarif_override: of all invocations */
	struct rt_slice directory; /* object: workingDirectory of the first invocation */

	struct rt_slice automation_id, automation_guid; /* decoded */
};

static inline struct rt_sarif_rule *rt_sarif_rules(const struct rt_sarif_tables *tables)
{
	return (struct rt_sarif_rule *)(void *)tables->rules.data;
}

static inline struct rt_sarif_override *rt_sarif_overrides(const struct rt_sarif_tables *tables)
{
	return (struct rt_sarif_override *)(void *)tables->overrides.data;
}

/* --- tool.c: tools and taxonomies into tables; value: kept by the run ------------------------- */

void rt_sarif_tool_take(struct rt_sarif_tables *tables, struct rt_slice value,
			struct rt_sarif_fault *fault);
void rt_sarif_taxonomies_take(struct rt_sarif_tables *tables, struct rt_slice value,
			      struct rt_sarif_fault *fault);

/* The members of a rule's relationship. */
enum { RT_SARIF_TARGET, RT_SARIF_KINDS, RT_SARIF_RELATIONSHIPS };
extern const struct rt_sarif_member rt_sarif_relationship_members[RT_SARIF_RELATIONSHIPS];

/* --- path.c ----------------------------------------------------------------------------------- */

/* What an artifactLocation, maybe absent, says, its types being checked. Of an artifact, its index
 * says nothing. */
struct rt_sarif_location rt_sarif_location_take(struct rt_slice location,
						struct rt_sarif_fault *fault);

/* Take originalUriBaseIds. */
void rt_sarif_bases_take(struct rt_sarif_tables *tables, struct rt_slice value,
			 struct rt_sarif_fault *fault);

/* All tables are there: resolve what absolute paths are made relative to. *ret_table: of a fault.
 */
void rt_sarif_roots_end(const struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
			struct rt_sarif_fault *fault);

/* --- message.c -------------------------------------------------------------------------------- */

/* Check the types of a message, maybe absent. */
void rt_sarif_message_check(struct rt_slice message, struct rt_sarif_fault *fault);

/* --- rule.c ----------------------------------------------------------------------------------- */

/* Check the types of a reportingDescriptorReference, maybe absent. */
void rt_sarif_reference_check(struct rt_slice reference, struct rt_sarif_fault *fault);

/* All tables are there: make the overrides findable by their rules. */
void rt_sarif_overrides_end(struct rt_sarif_tables *tables, struct rt_sarif_fault *fault);

/* --- weakness.c ------------------------------------------------------------------------------- */

/* All tables are there: find out what each rule says of weaknesses, once, for a million results may
 * have a rule with a million relationships. */
void rt_sarif_weaknesses_end(const struct rt_sarif_run *run, struct rt_sarif_fault *fault);

/* --- tables.c: what several of them need ------------------------------------------------------ */

extern const struct rt_sarif_member rt_sarif_form_members[RT_SARIF_FORMS];

/* Keep the text of a string, maybe absent, decoded: the string's own bytes where they are it. */
struct rt_slice rt_sarif_keep(struct rt_sarif_tables *tables, struct rt_slice string,
			      struct rt_sarif_fault *fault);

/* Keep a text as a JSON string. */
struct rt_slice rt_sarif_keep_json(struct rt_sarif_tables *tables, struct rt_slice text,
				   struct rt_sarif_fault *fault);

/* Items of an array or object, maybe absent. */
size_t rt_sarif_count(struct rt_slice list);

/* `level` of a reportingConfiguration, maybe absent. A fault: no string. */
struct rt_slice rt_sarif_level_take(struct rt_slice configuration, struct rt_sarif_fault *fault);

/* A string that is a GUID, in lower case, in room; absent: none, or too long for one. */
#define RT_SARIF_GUID_MAX 256u
struct rt_slice rt_sarif_guid(struct rt_slice string, char *room);

#endif
