/*
 * Results as records: which are issues, the 29 members, what properties.retriage says.
 */
#include "base/limits.h"
#include "record/check.h"
#include "scan/scan.h"

#include "sarif_make.h"

#define RULE                                                                                       \
	"{\"tool\":{\"driver\":{\"name\":\"T\",\"version\":\"1.2\",\"rules\":[{\"id\":\"A\","      \
	"\"name\":\"Name\",\"shortDescription\":{\"text\":\"Short\"},\"fullDescription\":{"        \
	"\"text\":"                                                                                \
	"\"Full "                                                                                  \
	"\\u0022text\\u0022\"},\"help\":{\"text\":\"Help\"}},{\"id\":\"B\",\"name\":\"Named\","    \
	"\"helpUri\":\"https://x\"},{\"id\":\"C\",\"shortDescription\":{\"text\":\"\"}}]}},"       \
	"\"invocations\":[{\"executionSuccessful\":true,\"startTimeUtc\":\"2026-01-01T00:00:"      \
	"00Z\"},"                                                                                  \
	"{\"executionSuccessful\":false,\"startTimeUtc\":\"2026-01-02T00:00:00Z\",\"endTimeUtc\":" \
	"\"2026-01-02T01:00:00Z\"}],\"automationDetails\":{\"id\":\"ci/1\"},"                      \
	"\"versionControlProvenance\":[{\"repositoryUri\":\"https://h/o/r.git\"}]}"
#define OWN(members) "{\"ruleId\":\"A\",\"properties\":{\"retriage\":{" members "}}}"
#define FIX(members) "{\"fixes\":[{" members "}]}"
#define REPLACED(replacements) FIX("\"artifactChanges\":[{\"replacements\":[" replacements "]}]")

static const struct {
	const char *result;
	bool issue;
	int note; /* counted once; -1: none */
} kinds[] = {
    {"{}", true, -1},
    {"{\"kind\":null}", true, -1},
    {"{\"kind\":\"fail\"}", true, -1},
    {"{\"kind\":\"open\"}", true, -1},
    {"{\"kind\":\"review\"}", true, -1},
    {"{\"kind\":\"informational\"}", true, -1},
    {"{\"kind\":\"pass\",\"level\":\"note\"}", false, RT_SARIF_NOTE_PASS},
    {"{\"kind\":\"notApplicable\"}", false, RT_SARIF_NOTE_NOT_APPLICABLE},
    {"{\"baselineState\":\"absent\"}", false, RT_SARIF_NOTE_ABSENT},
    {"{\"kind\":\"pass\",\"baselineState\":\"absent\"}", false, RT_SARIF_NOTE_PASS},
    {"{\"baselineState\":\"new\"}", true, -1},
    {"{\"baselineState\":\"somethingElse\"}", true, -1},
};

START_TEST(tells_issues)
{
	struct made made = make("{}", kinds[_i].result);

	ck_assert_int_eq(made.status, RT_OK);
	ck_assert_int_eq(made.issue, kinds[_i].issue);
	for (int i = 0; i < RT_SARIF_NOTE_COUNT; i++) {
		if (i != RT_SARIF_NOTE_DEFAULT)
			ck_assert_uint_eq(made.notes.counts[i], i == kinds[_i].note);
	}
	rt_buf_release(&made.out);
}
END_TEST

static const struct {
	const char *run, *result, *name, *want;
} members[] = {
    {RULE, "{}", "scan_id", "\"ci/1\""},
    {RULE, "{\"analysisTarget\":{\"uri\":\"a.c\"}}", "file_path", "\"a.c\""},
    {"{}",
     "{\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a%20\\u00e9.c\"}}}]}",
     "file_path", "\"a \xc3\xa9.c\""},
    {"{}", "{\"webRequest\":{\"target\":\"/a?b\"}}", "file_path", "\"/a?b\""},
    {"{}", "{\"locations\":[{}],\"webRequest\":{\"target\":\"/a?b\"}}", "file_path", "null"},
    {"{}", "{\"locations\":[],\"webRequest\":{\"target\":\"\"}}", "file_path", "null"},
    {RULE, "{\"ruleId\":\"A/x\"}", "category", "\"A\""},
    {RULE, "{\"ruleId\":\"X/y\"}", "category", "\"X/y\""},
    {RULE, "{}", "category", "null"},
    {RULE, "{\"ruleId\":\"A\"}", "title", "\"Short\""},
    {RULE, "{\"ruleId\":\"B\"}", "title", "\"Named\""},
    {RULE, "{\"ruleId\":\"C\"}", "title", "\"C\""},
    {RULE, "{\"ruleId\":\"X\",\"message\":{\"text\":\"m\"}}", "title", "\"X\""},
    {RULE, "{\"message\":{\"text\":\"\\n  one\\ntwo\"}}", "title", "\"one\""},
    {RULE, "{\"message\":{\"text\":\" \\n\"}}", "title", "\"untitled\""},
    {RULE, "{}", "title", "\"untitled\""},
    {RULE, "{\"message\":{\"text\":\"m \\u0041\"}}", "description", "\"m \\u0041\""},
    {RULE, "{\"message\":{\"text\":\"[m](1)\"}}", "description", "\"m\""},
    {RULE, "{\"message\":{}}", "description", "null"},
    {RULE, "{\"ruleId\":\"A\"}", "explanation", "\"Full \\u0022text\\u0022\""},
    {RULE, "{}", "explanation", "null"},
    {RULE, "{\"ruleId\":\"A\"}", "remediation", "\"Help\""},
    {RULE, "{\"ruleId\":\"B\"}", "remediation", "\"https://x\""},
    {RULE, "{\"ruleId\":\"A\",\"fixes\":[{\"description\":{\"text\":\"Fix\"}}]}", "remediation",
     "\"Fix\\n\\nHelp\""},
    {RULE, "{\"ruleId\":\"A\",\"fixes\":[{\"description\":{\"text\":\"[Fix](1)\"}}]}",
     "remediation", "\"Fix\\n\\nHelp\""},
    {RULE, FIX("\"description\":{\"text\":\"[Fix](1)\"}"), "remediation", "\"Fix\""},
    {RULE, "{\"ruleId\":\"A\",\"fixes\":[{\"description\":{\"text\":\"\"}}]}", "remediation",
     "\"Help\""},
    {RULE, "{\"ruleId\":\"A\",\"fixes\":[{\"description\":{\"text\":\"[](1)\"}}]}", "remediation",
     "\"Help\""},
    {RULE, FIX("\"description\":{\"text\":\"\"}"), "remediation", "\"\""},
    {RULE, FIX("\"description\":{}"), "remediation", "null"},
    {RULE, "{\"fixes\":[]}", "remediation", "null"},
    /* Replacements: the only one. */
    {"{}", REPLACED("{\"insertedContent\":{\"text\":\"x\\n\"}}"), "remediation_code", "\"x\\n\""},
    {"{}", REPLACED("{\"deletedRegion\":{}}"), "remediation_code", "\"\""},
    {"{}", REPLACED("{\"insertedContent\":{\"binary\":\"AA==\"}}"), "remediation_code", "null"},
    {"{}", REPLACED(""), "remediation_code", "null"},
    {"{}", REPLACED("{\"insertedContent\":{\"text\":\"x\"}},{}"), "remediation_code", "null"},
    {"{}", FIX("\"artifactChanges\":[{\"replacements\":[{}]},{\"replacements\":[{}]}]"),
     "remediation_code", "null"},
    {"{}", FIX("\"artifactChanges\":[]"), "remediation_code", "null"},
    {"{}", "{\"fixes\":[{\"artifactChanges\":[{\"replacements\":[{}]}]},{}]}", "remediation_code",
     "\"\""},
    /* Suppressions. */
    {"{}", "{}", "false_positive", "false"},
    {"{}", "{\"suppressions\":[]}", "false_positive", "false"},
    {"{}", "{\"suppressions\":null}", "false_positive", "false"},
    {"{}", "{\"suppressions\":[{\"kind\":\"inSource\"}]}", "false_positive", "true"},
    {"{}", "{\"suppressions\":[{\"status\":\"accepted\"}]}", "false_positive", "true"},
    {"{}", "{\"suppressions\":[{\"status\":\"accepted\"},{\"status\":\"rejected\"}]}",
     "false_positive", "false"},
    {"{}", "{\"suppressions\":[{\"status\":\"underReview\"}]}", "false_positive", "false"},
    {"{}", "{\"suppressions\":[{\"state\":\"rejected\"}]}", "false_positive", "false"},
    {"{}", "{\"suppressions\":[{\"state\":\"rejected\",\"status\":\"accepted\"}]}",
     "false_positive", "true"},
    {"{}", "{\"suppressions\":[{\"expiryUtc\":\"2001-01-01T00:00:00Z\"}]}", "false_positive",
     "true"},
    {"{}",
     "{\"suppressions\":[{\"status\":\"rejected\"}],\"properties\":{\"retriage\":"
     "{\"false_positive\":true}}}",
     "false_positive", "false"},
    /* Times: of the invocation that is named, else of the last. */
    {RULE, "{}", "created_at", "\"2026-01-02T01:00:00Z\""},
    {RULE, "{}", "scan_created_at", "\"2026-01-02T00:00:00Z\""},
    {RULE, "{\"provenance\":{\"invocationIndex\":0}}", "created_at", "\"2026-01-01T00:00:00Z\""},
    {RULE, "{\"provenance\":{\"invocationIndex\":0}}", "scan_created_at",
     "\"2026-01-01T00:00:00Z\""},
    {RULE, "{\"provenance\":{\"invocationIndex\":9}}", "scan_created_at",
     "\"2026-01-02T00:00:00Z\""},
    {RULE, "{\"provenance\":{\"invocationIndex\":9223372036854775808}}", "scan_created_at",
     "\"2026-01-02T00:00:00Z\""},
    {RULE, "{\"provenance\":{\"firstDetectionTimeUtc\":\"2020-01-01T00:00:00Z\"}}", "created_at",
     "\"2020-01-01T00:00:00Z\""},
    {"{\"invocations\":[{\"executionSuccessful\":true,\"endTimeUtc\":\"yesterday\"}]}", "{}",
     "scan_created_at", "\"yesterday\""},
    {"{}", "{}", "created_at", "null"},
    {"{}", "{}", "scan_created_at", "null"},
    {RULE, "{}", "model_used", "\"T 1.2\""},
    {"{}", "{}", "model_used", "null"},
    {RULE, "{}", "repo_name", "\"o/r\""},
    {RULE, "{}", "scan_status", "\"failed\""},
    {"{}", "{}", "scan_status", "\"completed\""},
    {"{}", "{}", "exploitable", "null"},
    {"{}", "{}", "updated_at", "null"},
    /* properties.retriage wins; null is a value there. */
    {RULE, OWN("\"severity\":\"low\""), "severity", "\"low\""},
    {RULE, OWN("\"severity\":null"), "severity", "null"},
    {RULE, OWN("\"title\":null"), "title", "null"},
    {RULE, OWN("\"ti\\u0074le\":\"x\""), "title", "\"x\""},
    {RULE, OWN("\"exploitable\":true"), "exploitable", "true"},
    {RULE, OWN("\"updated_at\":\"2026-01-01T00:00:00Z\""), "updated_at",
     "\"2026-01-01T00:00:00Z\""},
    {RULE, OWN("\"cwe_ids\":[ \"a \\\" b\" ,\n \"c\" ]"), "cwe_ids", "[\"a \\\" b\",\"c\"]"},
    {RULE, OWN("\"notes\":[ { \"added_at\" : null,\n\"text\": \"a  b\" } ]"), "notes",
     "[{\"added_at\":null,\"text\":\"a  b\"}]"},
    {RULE, OWN("\"notes\":null"), "notes", "null"},
    {RULE, OWN("\"other\":1,\"other\":2,\"rules_text\":1"), "title", "\"Short\""},
};

START_TEST(makes_members)
{
	made_is(members[_i].run, members[_i].result, members[_i].name, members[_i].want);
}
END_TEST

/* Scan a record and check it, as records of exports are. */
static bool passes(const struct made *made, struct rt_record *record, struct rt_check_fault *fault)
{
	struct rt_scan *scan = rt_scan_alloc(sizeof(*scan));
	char *block = calloc(1, made->out.len + RT_PADDING);
	unsigned step = 0;
	bool good;

	ck_assert_ptr_nonnull(block);
	memcpy(block, made->out.data, made->out.len);
	rt_scan_init(scan, RT_LIMIT_DEPTH);
	scan->end = block + made->out.len;
	scan->final = true;
	scan->origin = 0 - (uint64_t)(uintptr_t)block;
	ck_assert_ptr_eq(rt_scan_ops()->record(scan, block, record), scan->end);
	record->kind = RT_KIND_ISSUE;
	good = rt_check_passes(record);
	if (!good)
		ck_assert(rt_check_next(record, &step, fault));
	free(block);
	free(scan);
	return good;
}

/* Every record has the 29 members in their order, nothing between them, and passes the check. */
START_TEST(makes_records)
{
	struct made made = make(members[_i].run, members[_i].result);
	struct rt_check_fault fault;
	struct rt_record record;
	struct rt_items items;
	struct rt_item item;
	unsigned m = 0;

	ck_assert_int_eq(made.status, RT_OK);
	ck_assert(passes(&made, &record, &fault));
	ck_assert_ptr_null(memchr(made.out.data, '\n', made.out.len));
	rt_items_init(&items, rt_buf_slice(&made.out));
	while (rt_items_next(&items, &item)) {
		struct rt_slice want =
		    m < RT_ISSUE_MEMBERS ? rt_member_name((enum rt_member)m) : RT_SLICE("notes");

		ck_assert(rt_slice_equal(item.key, want));
		m++;
	}
	ck_assert_uint_ge(m, RT_ISSUE_MEMBERS);
	rt_buf_release(&made.out);
}
END_TEST

/* What properties.retriage has wrong, the check of records finds. */
static const struct {
	const char *result, *field;
} wrong[] = {
    {OWN("\"title\":\"x\",\"line_number\":\"7\""), "line_number"},
    {OWN("\"id\":null"), "id"},
    {OWN("\"id\":\"\""), "id"},
    {OWN("\"tags\":[1]"), "tags"},
    {OWN("\"cvss_score\":\"9\""), "cvss_score"},
    {OWN("\"exploitable\":1"), "exploitable"},
    {OWN("\"exploitable\":1,\"notes\":[\"n\"]"), "exploitable"},
};

START_TEST(wrong_own_members)
{
	struct made made = make(RULE, wrong[_i].result);
	struct rt_check_fault fault;
	struct rt_record record;

	ck_assert_int_eq(made.status, RT_OK);
	ck_assert(!passes(&made, &record, &fault));
	ck_assert_str_eq(fault.field, wrong[_i].field);
	rt_buf_release(&made.out);
}
END_TEST

static const struct {
	const char *result, *field, *message;
} refused[] = {
    {"{\"kind\":\"bad\"}", "kind",
     "want \"fail\", \"open\", \"review\", \"informational\", \"pass\" or \"notApplicable\", have "
     "\"bad\""},
    {"{\"kind\":7}", "kind", "want a string, have a number"},
    {"{\"ruleId\":\"A\",\"ruleId\":\"A\"}", "ruleId",
     "want a member that stands once in its object, have it a second time"},
    {"{\"message\":\"m\"}", "message", "want an object, have a string"},
    {"{\"fixes\":[7]}", "fixes", "want an object, have a number"},
    {REPLACED("{\"insertedContent\":{\"text\":7}}"), "insertedContent.text",
     "want a string, have a number"},
    {"{\"suppressions\":[null]}", "suppressions", "want an object, have null"},
    {"{\"suppressions\":[{\"status\":\"open\"}]}", "suppressions.status",
     "want \"accepted\", \"underReview\" or \"rejected\", have \"open\""},
    {"{\"suppressions\":[{\"state\":\"open\"}]}", "suppressions.state",
     "want \"accepted\", \"underReview\" or \"rejected\", have \"open\""},
    {"{\"provenance\":{\"invocationIndex\":1.5}}", "provenance.invocationIndex",
     "want an integer, have 1.5"},
    {"{\"provenance\":{\"firstDetectionTimeUtc\":7}}", "firstDetectionTimeUtc",
     "want a string, have a number"},
    {"{\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a.c\"}}}],"
     "\"analysisTarget\":{\"uri\":7}}",
     "artifactLocation.uri", "want a string, have a number"},
    {"{\"webRequest\":{\"target\":7}}", "webRequest.target", "want a string, have a number"},
    {"{\"properties\":{\"retriage\":7}}", "properties.retriage", "want an object, have a number"},
    {OWN("\"severity\":\"low\",\"severity\":\"low\""), "severity",
     "want a member that stands once in its object, have it a second time"},
    {OWN("\"notes\":7"), "notes", "want a string, an array or null, have a number"},
    {OWN("\"notes\":[],\"notes\":[]"), "notes",
     "want a member that stands once in its object, have it a second time"},
};

START_TEST(refuses)
{
	struct made made = make("{}", refused[_i].result);

	ck_assert_int_eq(made.status, RT_REJECT);
	ck_assert_str_eq(made.fault.err.field, refused[_i].field);
	ck_assert_str_eq(made.fault.err.message, refused[_i].message);
	ck_assert(made.fault.at > refused[_i].result &&
		  made.fault.at < refused[_i].result + strlen(refused[_i].result));
	rt_buf_release(&made.out);
}
END_TEST

/* One maker after a refusal, and many tags: what was there before does not show. */
START_TEST(forgets)
{
	struct rt_sarif_maker *maker;
	struct rt_error err;
	struct made first, other, again;

	ck_assert_int_eq(rt_sarif_maker_new(&maker, &err), RT_OK);
	first = made_by(maker, "{}", "{\"message\":{\"text\":\"m\"}}");
	other =
	    made_by(maker, RULE,
		    "{\"ruleId\":\"A\",\"message\":{\"text\":\"[n](1)\"},\"provenance\":{"
		    "\"invocationIndex\":1},\"suppressions\":[{\"status\":7}],\"properties\":{"
		    "\"tags\":[\"cwe-1 owasp a1\"],\"retriage\":{\"title\":\"x\",\"notes\":[]}},"
		    "\"webRequest\":{\"target\":\"/x\"}}");
	ck_assert_int_eq(other.status, RT_REJECT);
	again = made_by(maker, "{}", "{\"message\":{\"text\":\"m\"}}");
	ck_assert(rt_slice_equal(rt_buf_slice(&first.out), rt_buf_slice(&again.out)));
	rt_buf_release(&first.out);
	rt_buf_release(&other.out);
	rt_buf_release(&again.out);
	rt_sarif_maker_free(maker);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_result");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, tells_issues, 0, sizeof(kinds) / sizeof(kinds[0]));
	tcase_add_loop_test(cases, makes_members, 0, sizeof(members) / sizeof(members[0]));
	tcase_add_loop_test(cases, makes_records, 0, sizeof(members) / sizeof(members[0]));
	tcase_add_loop_test(cases, wrong_own_members, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_loop_test(cases, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(cases, forgets);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
