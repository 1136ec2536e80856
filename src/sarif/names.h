/*
 * Names of a run's tables and the numbers that they stand for: ids of rules, components, bases and
 * so on, in one hash table under a fresh secret key, so that no log can aim for its slots.
 *
 * Of each name 96 bits of its hash are kept in its stead. Two of a million names meet with a
 * chance of 1 in 10^17, and nobody can aim for it (as in engine/ids.h).
 */
#ifndef RT_SARIF_NAMES_H
#define RT_SARIF_NAMES_H

#include "base/map.h"
#include "sarif/memory.h"

/* Names of several kinds do not meet, nor those of several owners. */
enum rt_sarif_kind {
	RT_SARIF_N_RULE,           /* ids of rules; owner: number of the component, or ... */
	RT_SARIF_N_RULE_GUID,      /* guids of rules, in lower case; the same owners */
	RT_SARIF_N_COMPONENT,      /* owner 0 */
	RT_SARIF_N_COMPONENT_GUID, /* in lower case; owner 0 */
	RT_SARIF_N_TAXONOMY,
	RT_SARIF_N_TAXONOMY_GUID,
	RT_SARIF_N_BASE,     /* owner 0 */
	RT_SARIF_N_MESSAGE,  /* ids of messages; owner: number of the rule */
	RT_SARIF_N_GLOBAL,   /* ids of global messages; owner: number of the component */
	RT_SARIF_N_ROOT,     /* absolute paths of roots; owner: ends of the run */
	RT_SARIF_N_OVERRIDE, /* bytes of a rule's number; owner: number of the invocation */
};

/* The owner of what is looked for in all components: the first one counts. */
#define RT_SARIF_ANY_OWNER UINT32_MAX

/* {.key = ..., .memory = ...} is an empty one. */
struct rt_sarif_names {
	struct rt_siphash_key key;
	struct rt_sarif_memory *memory; /* where the bytes are counted */
	struct rt_map map;              /* released by rt_map_release() */
};

/* Add a name; absent: none is. Returns false where it was there: it keeps its number then. */
bool rt_sarif_names_add(struct rt_sarif_names *names, enum rt_sarif_kind kind, uint32_t owner,
			struct rt_slice name, uint32_t number, struct rt_sarif_fault *fault);

/* Find a name. false: it is not there; *ret_number is untouched. */
bool rt_sarif_names_find(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			 uint32_t owner, struct rt_slice name, uint32_t *ret_number);

/*
 * Find a name or its prefixes up to a '/' (S12), in one pass over it. found: called for each that
 * is there, the shorter ones first.
 */
void rt_sarif_names_prefixes(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			     uint32_t owner, struct rt_slice name,
			     void (*found)(void *ctx, uint32_t number), void *ctx);

#endif
