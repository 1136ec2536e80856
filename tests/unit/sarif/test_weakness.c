/*
 * CWE numbers, OWASP categories and tags of results, in the spellings of many tools.
 */
#include "sarif_make.h"

#define RULE(properties)                                                                           \
	"{\"tool\":{\"driver\":{\"name\":\"T\",\"rules\":[{\"id\":\"A\",\"properties\":"           \
	"{" properties "}}]}}}"
#define BAG(properties) "{\"ruleId\":\"A\",\"properties\":{" properties "}}"
#define TAG(tag) BAG("\"tags\":[\"" tag "\"]")
#define TAXONOMIES                                                                                 \
	"\"taxonomies\":[{\"name\":\"cwe\",\"guid\":\"33333333-0000-1111-8888-000000000000\","     \
	"\"taxa\":[{\"id\":\"22\"},{\"id\":\"787\"}]},{\"name\":\"OWASP\",\"taxa\":[{\"id\":"      \
	"\"1\"}]}]"
#define RELATED(kinds)                                                                             \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"A\",\"relationships\":[{\"target\":{\"id\":"  \
	"\"119\",\"toolComponent\":{\"name\":\"CWE\"}}" kinds "}]}]}}}"

static const struct {
	const char *run, *result, *want;
} numbers[] = {
    {"{}", "{}", "[]"},
    {"{}", TAG("CWE-79"), "[\"CWE-79\"]"},
    {"{}", TAG("CWE-79: Improper Neutralization (1.2)"), "[\"CWE-79\"]"},
    {"{}", TAG("CWE-0079: x"), "[\"CWE-79\"]"},
    {"{}", TAG("external/cwe/cwe-079"), "[\"CWE-79\"]"},
    {"{}", TAG("external\\/cwe\\/cwe-079"), "[\"CWE-79\"]"},
    {"{}", TAG("cwe_79"), "[\"CWE-79\"]"},
    {"{}", TAG("cwe79"), "[\"CWE-79\"]"},
    {"{}", TAG("CWE: 79"), "[\"CWE-79\"]"},
    {"{}", TAG("see cwe/79, CWE-80 and cWe 81."), "[\"CWE-79\",\"CWE-80\",\"CWE-81\"]"},
    {"{}", TAG("cwe\\t79, CWE\\r\\n80"), "[\"CWE-79\",\"CWE-80\"]"},
    {"{}", TAG("cwx-79 cve-79 xwe-79"), "[]"},
    {"{}", TAG("xcwe-79"), "[]"},
    {"{}", TAG("_cwe-79"), "[]"},
    {"{}", TAG("cwe-79x"), "[]"},
    {"{}", TAG("cwe-0"), "[]"},
    {"{}", TAG("cwe"), "[]"},
    {"{}", TAG("cwe-"), "[]"},
    {"{}", TAG("cwe-9999999999999999999999"), "[]"},
    {"{}", TAG("79"), "[]"},
    {"{}", BAG("\"tags\":\"cwe-79\""), "[\"CWE-79\"]"},
    {"{}", BAG("\"tags\":[\"cwe-787\",\"cwe-79\",\"CWE-787\"]"), "[\"CWE-79\",\"CWE-787\"]"},
    {RULE("\"tags\":[\"cwe-787\"]"), BAG("\"tags\":[\"cwe-79\"]"), "[\"CWE-79\",\"CWE-787\"]"},
    /* The property. */
    {"{}", BAG("\"cwe\":\"79, 787\""), "[\"CWE-79\",\"CWE-787\"]"},
    {"{}", BAG("\"cwe\":\"120;129 79\""), "[\"CWE-79\",\"CWE-120\",\"CWE-129\"]"},
    {"{}", BAG("\"cwe\":\"79\\t80\\n81\\r82\""), "[\"CWE-79\",\"CWE-80\",\"CWE-81\",\"CWE-82\"]"},
    {"{}", BAG("\"cwe\":\"CWE-79, 787\""), "[\"CWE-79\",\"CWE-787\"]"},
    {"{}", BAG("\"cwe\":\"CWE-502: Deserialization of 2 things\""), "[\"CWE-502\"]"},
    {"{}", BAG("\"cwe\":79"), "[\"CWE-79\"]"},
    {"{}", BAG("\"cwe\":7.5"), "[]"},
    {"{}", BAG("\"cwe\":-79"), "[]"},
    {"{}", BAG("\"cwe\":[\"CWE-79\",80,null,[81]]"), "[\"CWE-79\",\"CWE-80\"]"},
    {"{}", BAG("\"cwe\":\"top 10\""), "[]"},
    {"{}", BAG("\"cwe\":{\"id\":79}"), "[]"},
    {RULE("\"cwe\":[\"CWE-1321\"]"), BAG(""), "[\"CWE-1321\"]"},
    /* Taxa. */
    {"{}", "{\"taxa\":[{\"id\":\"79\",\"toolComponent\":{\"name\":\"CWE\"}}]}", "[\"CWE-79\"]"},
    {"{}", "{\"taxa\":[{\"id\":\"79\",\"toolComponent\":{\"name\":\"OWASP\"}}]}", "[]"},
    {"{}", "{\"taxa\":[{\"id\":\"79\"}]}", "[]"},
    {"{}", "{\"taxa\":[{\"id\":\"CWE-79\"}]}", "[\"CWE-79\"]"},
    {"{}", "{\"taxa\":[{\"id\":\"not CWE-79\"}]}", "[]"},
    {"{}", "{\"taxa\":[{\"id\":\"CWE-79 and CWE-80\"}]}", "[]"},
    {"{" TAXONOMIES "}", "{\"taxa\":[{\"index\":1,\"toolComponent\":{\"index\":0}}]}",
     "[\"CWE-787\"]"},
    {"{" TAXONOMIES "}", "{\"taxa\":[{\"index\":0,\"toolComponent\":{\"index\":1}}]}", "[]"},
    {"{" TAXONOMIES "}", "{\"taxa\":[{\"index\":7,\"toolComponent\":{\"index\":0}}]}", "[]"},
    {RELATED(""), "{\"ruleId\":\"A\"}", "[\"CWE-119\"]"},
    {RELATED(",\"kinds\":[\"superset\"]"), "{\"ruleId\":\"A\"}", "[\"CWE-119\"]"},
    {RELATED(",\"kinds\":[\"disjoint\",\"relevant\"]"), "{\"ruleId\":\"A\"}", "[\"CWE-119\"]"},
    {RELATED(",\"kinds\":[\"disjoint\"]"), "{\"ruleId\":\"A\"}", "[]"},
    {RELATED(",\"kinds\":[\"incomparable\"]"), "{\"ruleId\":\"A\"}", "[]"},
    {RELATED(""), "{\"ruleId\":\"B\"}", "[]"},
    /* Not in messages. */
    {"{}", "{\"message\":{\"text\":\"CWE-79\"}}", "[]"},
};

START_TEST(finds_numbers)
{
	made_is(numbers[_i].run, numbers[_i].result, "cwe_ids", numbers[_i].want);
}
END_TEST

static const struct {
	const char *run, *result, *want;
} categories[] = {
    {"{}", "{}", "null"},
    {"{}", TAG("OWASP-A05:2021-Security Misconfiguration"), "\"A05:2021\""},
    {"{}", BAG("\"tags\":[\"OWASP-A6:2017-x\",\"OWASP-A05:2021-y\"]"), "\"A05:2021\""},
    {"{}", BAG("\"tags\":[\"OWASP-A05:2021-y\",\"OWASP-A6:2017-x\"]"), "\"A05:2021\""},
    {"{}", BAG("\"tags\":[\"owasp a1\",\"owasp a2\"]"), "\"A1\""},
    {"{}", BAG("\"tags\":[\"OWASP A6:2017, A05:2021\"]"), "\"A05:2021\""},
    {"{}", BAG("\"tags\":[\"owasp\"]"), "null"},
    {"{}", BAG("\"tags\":[\"owasx a1\",\"owaxp a1\"]"), "null"},
    {"{}", BAG("\"tags\":[\"owasp-top10\"]"), "null"},
    {"{}", BAG("\"tags\":[\"A05:2021\"]"), "null"},
    {"{}", TAG("external/owasp/owasp-a1"), "\"A1\""},
    {"{}", TAG("owasp-api1:2019"), "\"API1:2019\""},
    {"{}", TAG("OWASP.A05_2021"), "\"A05:2021\""},
    {"{}", TAG("owasp-top10-2021-a03"), "\"A03:2021\""},
    {"{}", TAG("owasp:2021-A03/2017-A01"), "\"A03:2021\""},
    {"{}", TAG("owasp:2017-A01/2021-A03"), "\"A03:2021\""},
    {"{}", TAG("owasp a1 2017, a2 2021, a3"), "\"A2:2021\""},
    {"{}", TAG("owasp a1 2021 a2"), "\"A1:2021\""},
    {"{}", TAG("owasp-a100"), "null"},
    {"{}", TAG("owasx a1"), "null"},
    {"{}", TAG("owasp apx1"), "null"},
    {"{}", TAG("owasp b1"), "null"},
    {"{}", TAG("owxsp a1"), "null"},
    {"{}", TAG("owasx a1"), "null"},
    {"{}", TAG("owasp{a1{"), "\"A1\""},
    {"{}", TAG("owasp a1 2121"), "\"A1\""},
    {"{}", TAG("owasp-ab1"), "null"},
    {"{}", TAG("owasp a1 1999"), "\"A1\""},
    {RULE("\"tags\":[\"owasp a1:2021\"]"), BAG("\"tags\":[\"owasp a2:2021\"]"), "\"A1:2021\""},
    {RULE("\"tags\":[\"owasp a1:2017\"]"), BAG("\"tags\":[\"owasp a2:2021\"]"), "\"A2:2021\""},
};

START_TEST(finds_categories)
{
	made_is(categories[_i].run, categories[_i].result, "owasp_category", categories[_i].want);
}
END_TEST

static const struct {
	const char *run, *result, *want;
} tags[] = {
    {"{}", "{}", "[]"},
    {"{}", BAG("\"tags\":\"one\""), "[\"one\"]"},
    {"{}", BAG("\"tags\":[]"), "[]"},
    {"{}", BAG("\"tags\":[ \"b\" ,\"a\", \"b\", \"\\u0061\", \"\", \"\"]"), "[\"b\",\"a\",\"\"]"},
    {RULE("\"tags\":[\"z\",\"y\"]"), BAG("\"tags\":[\"y\",\"x\"]"), "[\"z\",\"y\",\"x\"]"},
    {"{}", BAG("\"tags\":[\"\\u0061\\n\"]"), "[\"\\u0061\\n\"]"},
    {"{}",
     BAG("\"tags\":[\"9\",\"8\",\"7\",\"6\",\"5\",\"4\",\"3\",\"2\",\"1\",\"0\",\"9\",\"8\","
	 "\"a\",\"0\",\"b\",\"1\",\"c\",\"2\",\"c\"]"),
     "[\"9\",\"8\",\"7\",\"6\",\"5\",\"4\",\"3\",\"2\",\"1\",\"0\",\"a\",\"b\",\"c\"]"},
};

START_TEST(keeps_each_tag_once)
{
	made_is(tags[_i].run, tags[_i].result, "tags", tags[_i].want);
}
END_TEST

/* A second result of a rule, and the same rule in another run. */
START_TEST(knows_rules_of_one_run)
{
	static const char *runs[] = {RULE("\"tags\":[\"cwe-1\",\"owasp a1\"]"),
				     RULE("\"tags\":[\"cwe-2\"]")};
	struct rt_sarif_maker *maker;
	struct rt_error err;

	ck_assert_int_eq(rt_sarif_maker_new(&maker, &err), RT_OK);
	for (unsigned i = 0; i < 4; i++) {
		struct rt_sarif_notes notes = {0};
		struct rt_sarif_identity identity;
		struct rt_sarif_fault fault;
		struct rt_sarif_run run;
		struct made made = {0};
		bool issue;

		ck_assert_int_eq(rt_sarif_run_init(&run, i, &err), RT_OK);
		run_take(&run, runs[i % 2]);
		for (unsigned j = 0; j < 2; j++) {
			struct rt_slice text = slice_of(j ? TAG("cwe-3") : BAG(""));
			const char *want =
			    i % 2 ? "[\"CWE-2\",\"CWE-3\"]" : "[\"CWE-1\",\"CWE-3\"]";

			ck_assert_int_eq(
			    rt_sarif_result_read(maker, text, false, &issue, &notes, &fault),
			    RT_OK);
			ck_assert_int_eq(rt_sarif_result_identify(maker, &run, &identity, &fault),
					 RT_OK);
			ck_assert_int_eq(
			    made_write(maker, &run, (struct rt_sarif_rank){1, 1}, &made), RT_OK);
			if (j)
				ck_assert(
				    rt_slice_equal(made_member(&made, "cwe_ids"), slice_of(want)));
			ck_assert(rt_slice_equal(made_member(&made, "owasp_category"),
						 slice_of(i % 2 ? "null" : "\"A1\"")));
		}
		rt_buf_release(&made.out);
		rt_sarif_run_release(&run);
	}
	rt_sarif_maker_free(maker);
}
END_TEST

static const struct {
	const char *run, *result, *field, *message;
} refused[] = {
    {"{}", BAG("\"tags\":7"), "tags", "want a string or an array, have a number"},
    {"{}", BAG("\"tags\":[\"a\",7]"), "tags", "want a string, have a number"},
    {"{}", BAG("\"tags\":[null]"), "tags", "want a string, have null"},
    {"{}", BAG("\"tags\":[],\"tags\":[]"), "tags", "want each field once, have this one twice"},
    {"{}", "{\"taxa\":[7]}", "taxa", "want an object, have a number"},
};

START_TEST(refuses)
{
	struct made made = make(refused[_i].run, refused[_i].result);

	ck_assert_int_eq(made.status, RT_REJECT);
	ck_assert_str_eq(made.fault.err.field, refused[_i].field);
	ck_assert_str_eq(made.fault.err.message, refused[_i].message);
	rt_buf_release(&made.out);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_weakness");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, finds_numbers, 0, sizeof(numbers) / sizeof(numbers[0]));
	tcase_add_loop_test(cases, finds_categories, 0, sizeof(categories) / sizeof(categories[0]));
	tcase_add_loop_test(cases, keeps_each_tag_once, 0, sizeof(tags) / sizeof(tags[0]));
	tcase_add_test(cases, knows_rules_of_one_run);
	tcase_add_loop_test(cases, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
