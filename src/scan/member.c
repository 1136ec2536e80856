/*
 * The table of documented fields. What a value must be is stated here and judged in check.c.
 */
#include "scan/member.h"

/* Every value type that the contract calls by one name, with null where SPEC D4 allows it. */
#define T_ID RT_TYPE_STRING
#define T_STRING (RT_TYPE_STRING | RT_TYPE_NULL)
#define T_INTEGER (RT_TYPE_INTEGER | RT_TYPE_NULL)
#define T_NUMBER (RT_TYPE_INTEGER | RT_TYPE_NUMBER | RT_TYPE_NULL)
#define T_BOOL (RT_TYPE_BOOL | RT_TYPE_NULL)
#define T_STRINGS (RT_TYPE_STRINGS | RT_TYPE_NULL)

/* Name of each member, in the order of enum rt_member. */
static const struct rt_slice member_names[] = {
    [RT_M_ID] = {"id", 2},
    [RT_M_SCAN_ID] = {"scan_id", 7},
    [RT_M_FILE_PATH] = {"file_path", 9},
    [RT_M_LINE_NUMBER] = {"line_number", 11},
    [RT_M_CATEGORY] = {"category", 8},
    [RT_M_SEVERITY] = {"severity", 8},
    [RT_M_CONFIDENCE] = {"confidence", 10},
    [RT_M_TITLE] = {"title", 5},
    [RT_M_DESCRIPTION] = {"description", 11},
    [RT_M_COLUMN_START] = {"column_start", 12},
    [RT_M_COLUMN_END] = {"column_end", 10},
    [RT_M_EXPLANATION] = {"explanation", 11},
    [RT_M_CODE_SNIPPET] = {"code_snippet", 12},
    [RT_M_CONTEXT_BEFORE] = {"context_before", 14},
    [RT_M_CONTEXT_AFTER] = {"context_after", 13},
    [RT_M_REMEDIATION] = {"remediation", 11},
    [RT_M_REMEDIATION_CODE] = {"remediation_code", 16},
    [RT_M_CWE_IDS] = {"cwe_ids", 7},
    [RT_M_OWASP_CATEGORY] = {"owasp_category", 14},
    [RT_M_CVSS_SCORE] = {"cvss_score", 10},
    [RT_M_TAGS] = {"tags", 4},
    [RT_M_MODEL_USED] = {"model_used", 10},
    [RT_M_FALSE_POSITIVE] = {"false_positive", 14},
    [RT_M_EXPLOITABLE] = {"exploitable", 11},
    [RT_M_CREATED_AT] = {"created_at", 10},
    [RT_M_UPDATED_AT] = {"updated_at", 10},
    [RT_M_REPO_NAME] = {"repo_name", 9},
    [RT_M_SCAN_STATUS] = {"scan_status", 11},
    [RT_M_SCAN_CREATED_AT] = {"scan_created_at", 15},
    [RT_M_NAME] = {"name", 4},
    [RT_M_RULES_TEXT] = {"rules_text", 10},
    [RT_M_ORG_ID] = {"org_id", 6},
    [RT_M_REPO_IDS] = {"repo_ids", 8},
    [RT_M_CREATED_BY] = {"created_by", 10},
};

_Static_assert(sizeof(member_names) / sizeof(member_names[0]) == RT_MEMBER_COUNT, "names");
_Static_assert(RT_MEMBER_COUNT < 64, "a set of members is a uint64_t");

/* Table 2.1: member, types, whether it is required, the type's name. */
#define ISSUE_RULES(ROW)                                                                           \
	ROW(ID, T_ID, true, "string")                                                              \
	ROW(SCAN_ID, T_STRING, false, "string")                                                    \
	ROW(FILE_PATH, T_STRING, false, "string")                                                  \
	ROW(LINE_NUMBER, T_INTEGER, false, "integer")                                              \
	ROW(CATEGORY, T_STRING, false, "string")                                                   \
	ROW(SEVERITY, T_STRING, false, "string")                                                   \
	ROW(CONFIDENCE, T_NUMBER, false, "number")                                                 \
	ROW(TITLE, T_STRING, false, "string")                                                      \
	ROW(DESCRIPTION, T_STRING, false, "string")                                                \
	ROW(COLUMN_START, T_INTEGER, false, "integer")                                             \
	ROW(COLUMN_END, T_INTEGER, false, "integer")                                               \
	ROW(EXPLANATION, T_STRING, false, "string")                                                \
	ROW(CODE_SNIPPET, T_STRING, false, "string")                                               \
	ROW(CONTEXT_BEFORE, T_STRING, false, "string")                                             \
	ROW(CONTEXT_AFTER, T_STRING, false, "string")                                              \
	ROW(REMEDIATION, T_STRING, false, "string")                                                \
	ROW(REMEDIATION_CODE, T_STRING, false, "string")                                           \
	ROW(CWE_IDS, T_STRINGS, false, "array of string")                                          \
	ROW(OWASP_CATEGORY, T_STRING, false, "string")                                             \
	ROW(CVSS_SCORE, T_NUMBER, false, "number")                                                 \
	ROW(TAGS, T_STRINGS, false, "array of string")                                             \
	ROW(MODEL_USED, T_STRING, false, "string")                                                 \
	ROW(FALSE_POSITIVE, T_BOOL, false, "boolean")                                              \
	ROW(EXPLOITABLE, T_BOOL, false, "boolean")                                                 \
	ROW(CREATED_AT, T_STRING, false, "string")                                                 \
	ROW(UPDATED_AT, T_STRING, false, "string")                                                 \
	ROW(REPO_NAME, T_STRING, false, "string")                                                  \
	ROW(SCAN_STATUS, T_STRING, false, "string")                                                \
	ROW(SCAN_CREATED_AT, T_STRING, false, "string")

#define RULE(name, types, required, type) {RT_M_##name, types, required, false, type},
#define REFUSED(name, types, required, type) [RT_M_##name] = (uint8_t) ~(types),

static const struct rt_member_rule issue_rules[] = {ISSUE_RULES(RULE)};

const uint8_t rt_member_issue_refused[RT_MEMBER_ROOM] = {ISSUE_RULES(REFUSED)};

static const struct rt_member_rule ruleset_rules[] = {
    {RT_M_ID, T_ID, true, false, "string"},
    {RT_M_NAME, RT_TYPE_STRING, true, false, "string"},
    {RT_M_DESCRIPTION, T_STRING, false, false, "string"},
    {RT_M_RULES_TEXT, RT_TYPE_STRING, true, false, "string"},
    {RT_M_ORG_ID, RT_TYPE_STRING, true, false, "string"},
    {RT_M_REPO_IDS, T_STRINGS, false, false, "array of string"},
    {RT_M_CREATED_AT, RT_TYPE_STRING, true, true, "date-time"},
    {RT_M_UPDATED_AT, RT_TYPE_STRING, true, true, "date-time"},
    {RT_M_CREATED_BY, T_STRING, false, false, "string"},
};

_Static_assert(sizeof(issue_rules) / sizeof(issue_rules[0]) == RT_ISSUE_MEMBERS, "table 2.1");
_Static_assert(sizeof(ruleset_rules) / sizeof(ruleset_rules[0]) == RT_RULESET_MEMBERS, "table 2.2");

const struct rt_member_rule *rt_member_rules(enum rt_kind kind, size_t *ret_count)
{
	*ret_count = kind == RT_KIND_ISSUE ? RT_ISSUE_MEMBERS : RT_RULESET_MEMBERS;
	return kind == RT_KIND_ISSUE ? issue_rules : ruleset_rules;
}

const struct rt_member_rule *rt_member_rule(enum rt_kind kind, enum rt_member member)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(kind, &count);

	for (size_t i = 0; i < count; i++) {
		if (rules[i].member == member)
			return &rules[i];
	}
	return NULL;
}

struct rt_slice rt_member_name(enum rt_member member)
{
	return member_names[member];
}

enum rt_member rt_member_find(struct rt_slice name)
{
	for (size_t i = 0; i < RT_MEMBER_COUNT; i++) {
		if (rt_slice_equal(member_names[i], name))
			return (enum rt_member)i;
	}
	return RT_M_UNKNOWN;
}

/* Spreads the 34 names well enough that few probes meet a second one. */
static size_t index_slot(struct rt_slice name)
{
	size_t first = (unsigned char)name.ptr[0];
	size_t last = (unsigned char)name.ptr[name.len - 1];
	size_t middle = (unsigned char)name.ptr[name.len / 2];

	return (first * 7 + last * 3 + middle * 29 + name.len * 5) % RT_MEMBER_INDEX_SLOTS;
}

void rt_member_index_init(struct rt_member_index *index)
{
	memset(index->slots, RT_M_UNKNOWN, sizeof(index->slots));
	for (size_t i = 0; i < RT_MEMBER_COUNT; i++) {
		size_t slot = index_slot(member_names[i]);

		while (index->slots[slot] != RT_M_UNKNOWN)
			slot = (slot + 1) % RT_MEMBER_INDEX_SLOTS;
		index->slots[slot] = (uint8_t)i;
	}
}

enum rt_member rt_member_index_find(const struct rt_member_index *index, struct rt_slice name)
{
	size_t slot;

	if (name.len == 0)
		return RT_M_UNKNOWN;
	for (slot = index_slot(name); index->slots[slot] != RT_M_UNKNOWN;
	     slot = (slot + 1) % RT_MEMBER_INDEX_SLOTS) {
		if (rt_slice_equal(member_names[index->slots[slot]], name))
			return (enum rt_member)index->slots[slot];
	}
	return RT_M_UNKNOWN;
}

const char *rt_type_name(uint8_t type)
{
	static const struct {
		uint8_t type;
		const char *name;
	} names[] = {
	    {RT_TYPE_STRING, "string"}, {RT_TYPE_INTEGER, "integer"},
	    {RT_TYPE_NUMBER, "number"}, {RT_TYPE_BOOL, "boolean"},
	    {RT_TYPE_NULL, "null"},     {RT_TYPE_STRINGS, "array of string"},
	    {RT_TYPE_ARRAY, "array"},   {RT_TYPE_OBJECT, "object"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].type == type)
			return names[i].name;
	}
	return "nothing";
}
