/*
 * The documented members of issues and rulesets: the one table behind reading, checking and
 * writing (contract 2.1 and 2.2, SPEC D4, D7, D8). Nobody spells a member's name a second time.
 *
 * A name that is in both tables of the contract is one member here; its type is a matter of
 * the kind of record.
 */
#ifndef RT_SCAN_MEMBER_H
#define RT_SCAN_MEMBER_H

#include <stdint.h>

#include "base/slice.h"
#include "retriage.h"

/* What a value is, one bit each, so that a set of them is a mask. */
enum rt_type {
	RT_TYPE_STRING = 1 << 0,
	RT_TYPE_INTEGER = 1 << 1, /* no fraction, no exponent, fits int64 (SPEC D4) */
	RT_TYPE_NUMBER = 1 << 2,  /* any other number */
	RT_TYPE_BOOL = 1 << 3,
	RT_TYPE_NULL = 1 << 4,
	RT_TYPE_STRINGS = 1 << 5, /* an array of strings, maybe empty */
	RT_TYPE_ARRAY = 1 << 6,   /* any other array */
	RT_TYPE_OBJECT = 1 << 7,
};

/* What a JSON value is by its first byte: any number RT_TYPE_NUMBER, any array RT_TYPE_ARRAY. */
static inline uint8_t rt_type_of(struct rt_slice value)
{
	switch (*value.ptr) {
	case '"':
		return RT_TYPE_STRING;
	case '{':
		return RT_TYPE_OBJECT;
	case '[':
		return RT_TYPE_ARRAY;
	case 't':
	case 'f':
		return RT_TYPE_BOOL;
	case 'n':
		return RT_TYPE_NULL;
	default:
		return RT_TYPE_NUMBER;
	}
}

/* Members by number. The first 29 are table 2.1 in its order. */
enum rt_member {
	RT_M_ID,
	RT_M_SCAN_ID,
	RT_M_FILE_PATH,
	RT_M_LINE_NUMBER,
	RT_M_CATEGORY,
	RT_M_SEVERITY,
	RT_M_CONFIDENCE,
	RT_M_TITLE,
	RT_M_DESCRIPTION,
	RT_M_COLUMN_START,
	RT_M_COLUMN_END,
	RT_M_EXPLANATION,
	RT_M_CODE_SNIPPET,
	RT_M_CONTEXT_BEFORE,
	RT_M_CONTEXT_AFTER,
	RT_M_REMEDIATION,
	RT_M_REMEDIATION_CODE,
	RT_M_CWE_IDS,
	RT_M_OWASP_CATEGORY,
	RT_M_CVSS_SCORE,
	RT_M_TAGS,
	RT_M_MODEL_USED,
	RT_M_FALSE_POSITIVE,
	RT_M_EXPLOITABLE,
	RT_M_CREATED_AT,
	RT_M_UPDATED_AT,
	RT_M_REPO_NAME,
	RT_M_SCAN_STATUS,
	RT_M_SCAN_CREATED_AT,
	/* of rulesets only */
	RT_M_NAME,
	RT_M_RULES_TEXT,
	RT_M_ORG_ID,
	RT_M_REPO_IDS,
	RT_M_CREATED_BY,
	RT_MEMBER_COUNT,
	RT_M_UNKNOWN = RT_MEMBER_COUNT, /* not documented: kept, never in a response (SPEC D5) */
};

#define RT_ISSUE_MEMBERS 29u
#define RT_RULESET_MEMBERS 9u

/* One row of table 2.1 or 2.2. */
struct rt_member_rule {
	enum rt_member member;
	uint8_t types;    /* mask of enum rt_type that the value may have, null included */
	bool required;    /* must be there */
	bool date_time;   /* the string must be an ISO 8601 date-time (SPEC D4) */
	const char *type; /* the type's name in the contract's words, for messages and schemas */
};

/* Room for a byte of every member, as vectors; those after RT_MEMBER_COUNT stay 0. */
#define RT_MEMBER_ROOM 64u

/* The types that each member of an issue must not have; 0 for those that issues do not document. */
extern const uint8_t rt_member_issue_refused[RT_MEMBER_ROOM];

/* The rows of a kind's table in its order; *ret_count is set. kind: not RT_KIND_ANY. */
const struct rt_member_rule *rt_member_rules(enum rt_kind kind, size_t *ret_count);

/* The row of one member in a kind's table; NULL where the kind does not document it. */
const struct rt_member_rule *rt_member_rule(enum rt_kind kind, enum rt_member member);

/* Name of a member; member < RT_MEMBER_COUNT. Static storage, NUL-terminated. */
struct rt_slice rt_member_name(enum rt_member member);

/* The member of that name (decoded), or RT_M_UNKNOWN. */
enum rt_member rt_member_find(struct rt_slice name);

/*
 * The same, by one probe of a hash table that its owner keeps: for the scanner, which asks a lot.
 */
#define RT_MEMBER_INDEX_SLOTS 128u

struct rt_member_index {
	uint8_t slots[RT_MEMBER_INDEX_SLOTS]; /* RT_M_UNKNOWN where empty */
};

void rt_member_index_init(struct rt_member_index *index);
enum rt_member rt_member_index_find(const struct rt_member_index *index, struct rt_slice name);

/* The name of a value's type for messages: "string", "integer", "array", ... */
const char *rt_type_name(uint8_t type);

#endif
