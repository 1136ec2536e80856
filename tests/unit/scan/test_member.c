/*
 * The table of documented members, held to the contract's tables 2.1 and 2.2, and the two ways of
 * finding a member by its name.
 */
#include "scan/member.h"

#include "unit.h"

/* The contract's rows, spelled once more here so that the table is checked by something else. */
static const struct {
	enum rt_kind kind;
	const char *name;
	const char *type;
	unsigned types;
	bool required;
} rows[] = {
#define S RT_TYPE_STRING
#define N RT_TYPE_NULL
#define I RT_TYPE_INTEGER
#define F (RT_TYPE_INTEGER | RT_TYPE_NUMBER)
#define L RT_TYPE_STRINGS
#define ISSUE(name, type, types)                                                                   \
	{                                                                                          \
		RT_KIND_ISSUE, name, type, types, (types) == S                                     \
	}
    ISSUE("id", "string", S),
    ISSUE("scan_id", "string", S | N),
    ISSUE("file_path", "string", S | N),
    ISSUE("line_number", "integer", I | N),
    ISSUE("category", "string", S | N),
    ISSUE("severity", "string", S | N),
    ISSUE("confidence", "number", F | N),
    ISSUE("title", "string", S | N),
    ISSUE("description", "string", S | N),
    ISSUE("column_start", "integer", I | N),
    ISSUE("column_end", "integer", I | N),
    ISSUE("explanation", "string", S | N),
    ISSUE("code_snippet", "string", S | N),
    ISSUE("context_before", "string", S | N),
    ISSUE("context_after", "string", S | N),
    ISSUE("remediation", "string", S | N),
    ISSUE("remediation_code", "string", S | N),
    ISSUE("cwe_ids", "array of string", L | N),
    ISSUE("owasp_category", "string", S | N),
    ISSUE("cvss_score", "number", F | N),
    ISSUE("tags", "array of string", L | N),
    ISSUE("model_used", "string", S | N),
    ISSUE("false_positive", "boolean", RT_TYPE_BOOL | N),
    ISSUE("exploitable", "boolean", RT_TYPE_BOOL | N),
    ISSUE("created_at", "string", S | N),
    ISSUE("updated_at", "string", S | N),
    ISSUE("repo_name", "string", S | N),
    ISSUE("scan_status", "string", S | N),
    ISSUE("scan_created_at", "string", S | N),
#define RULESET(name, type, types, required)                                                       \
	{                                                                                          \
		RT_KIND_RULESET, name, type, types, required                                       \
	}
    RULESET("id", "string", S, true),
    RULESET("name", "string", S, true),
    RULESET("description", "string", S | N, false),
    RULESET("rules_text", "string", S, true),
    RULESET("org_id", "string", S, true),
    RULESET("repo_ids", "array of string", L | N, false),
    RULESET("created_at", "date-time", S, true),
    RULESET("updated_at", "date-time", S, true),
    RULESET("created_by", "string", S | N, false),
#undef S
#undef N
#undef I
#undef F
#undef L
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

START_TEST(table)
{
	size_t count,
	    at = (size_t)_i < RT_ISSUE_MEMBERS ? (size_t)_i : (size_t)_i - RT_ISSUE_MEMBERS;
	const struct rt_member_rule *rule = rt_member_rules(rows[_i].kind, &count);
	struct rt_slice name;

	ck_assert_uint_eq(count,
			  rows[_i].kind == RT_KIND_ISSUE ? RT_ISSUE_MEMBERS : RT_RULESET_MEMBERS);
	rule += at;
	name = rt_member_name(rule->member);
	ck_assert_str_eq(name.ptr, rows[_i].name);
	ck_assert_uint_eq(name.len, strlen(rows[_i].name));
	ck_assert_str_eq(rule->type, rows[_i].type);
	ck_assert_uint_eq(rule->types, rows[_i].types);
	ck_assert_int_eq(rule->required, rows[_i].required);
	ck_assert_int_eq(rule->date_time, strcmp(rows[_i].type, "date-time") == 0);
	ck_assert_ptr_eq(rt_member_rule(rows[_i].kind, rule->member), rule);
	/* The first members are table 2.1 in its order: the check of issues counts on it. */
	if (rows[_i].kind == RT_KIND_ISSUE)
		ck_assert_int_eq(rule->member, _i);
}
END_TEST

START_TEST(undocumented)
{
	ck_assert_uint_eq(ROWS, RT_ISSUE_MEMBERS + RT_RULESET_MEMBERS);
	ck_assert_ptr_null(rt_member_rule(RT_KIND_ISSUE, RT_M_RULES_TEXT));
	ck_assert_ptr_null(rt_member_rule(RT_KIND_ISSUE, RT_M_NAME));
	ck_assert_ptr_null(rt_member_rule(RT_KIND_RULESET, RT_M_SEVERITY));
	ck_assert_ptr_null(rt_member_rule(RT_KIND_RULESET, RT_M_UNKNOWN));
}
END_TEST

/* Both ways find a name and nothing that is only near it. */
static void find(struct rt_slice name, enum rt_member want)
{
	struct rt_member_index index;

	rt_member_index_init(&index);
	ck_assert_msg(rt_member_find(name) == want, "%.*s", (int)name.len, name.ptr);
	ck_assert_msg(rt_member_index_find(&index, name) == want, "index: %.*s", (int)name.len,
		      name.ptr);
}

START_TEST(names)
{
	struct rt_slice name = rt_member_name((enum rt_member)_i);
	char near[32];

	find(name, (enum rt_member)_i);
	/* One byte less, one more, each byte changed. */
	find(rt_slice_make(name.ptr, name.len - 1), RT_M_UNKNOWN);
	find(rt_slice_make(name.ptr, name.len + 1), RT_M_UNKNOWN); /* its NUL */
	for (size_t i = 0; i < name.len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			memcpy(near, name.ptr, name.len);
			near[i] = (char)(near[i] ^ 1 << bit);
			find(rt_slice_make(near, name.len), RT_M_UNKNOWN);
		}
	}
}
END_TEST

/* Whatever the name, the index gives the answer of the table. */
START_TEST(index_agrees)
{
	unsigned short seed[3] = {1, 2, 3};
	struct rt_member_index index;
	char name[24];

	rt_member_index_init(&index);
	find(RT_SLICE(""), RT_M_UNKNOWN);
	for (unsigned i = 0; i < 200000; i++) {
		size_t len = 1 + (size_t)nrand48(seed) % sizeof(name);

		for (size_t at = 0; at < len; at++)
			name[at] = (char)nrand48(seed);
		ck_assert_int_eq(rt_member_index_find(&index, rt_slice_make(name, len)),
				 rt_member_find(rt_slice_make(name, len)));
	}
}
END_TEST

START_TEST(type_names)
{
	static const char *const words[] = {"string", "integer",         "number", "boolean",
					    "null",   "array of string", "array",  "object"};

	for (unsigned bit = 0; bit < 8; bit++)
		ck_assert_str_eq(rt_type_name((uint8_t)(1u << bit)), words[bit]);
	ck_assert_str_eq(rt_type_name(0), "nothing");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("member");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, table, 0, (int)ROWS);
	tcase_add_test(cases, undocumented);
	tcase_add_loop_test(cases, names, 0, RT_MEMBER_COUNT);
	tcase_add_test(cases, index_agrees);
	tcase_add_test(cases, type_names);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
