/*
 * Severity, confidence and score of results: words, numbers and their boundaries, levels and who
 * sets them.
 */
#include "sarif/severity.h"
#include "sarif_make.h"
#include "sarif_run_make.h"

#define RULE(properties)                                                                           \
	"{\"tool\":{\"driver\":{\"name\":\"T\",\"rules\":[{\"id\":\"A\",\"properties\":"           \
	"{" properties "}}]}}}"
#define BAG(properties) "{\"ruleId\":\"A\",\"properties\":{" properties "}}"
#define SCORE(value) "{\"ruleId\":\"A\",\"properties\":{\"security-severity\":" value "}}"

/* A rule whose level is a note, and what two invocations say of it. */
#define LEVELS                                                                                     \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"B\"},{\"id\":\"A\",\"defaultConfiguration\":" \
	"{\"level\":\"note\"}}]}},\"invocations\":["
#define OVERRIDE(level)                                                                            \
	"{\"executionSuccessful\":true,\"ruleConfigurationOverrides\":[{\"descriptor\":{\"id\":"   \
	"\"B\"},\"configuration\":{\"level\":\"none\"}},{\"descriptor\":{\"index\":1},"            \
	"\"configuration\":{\"level\":\"" level "\"}}]}"
#define NAMED(index) "{\"ruleId\":\"A\",\"provenance\":{\"invocationIndex\":" index "}}"

static const struct {
	const char *run, *result, *severity;
	unsigned passed_over;
} severities[] = {
    /* Boundaries are on the decimal text. */
    {"{}", SCORE("\"9.0\""), "critical", 0},
    {"{}", SCORE("\"8.95\""), "high", 0},
    {"{}", SCORE("\"8.999999999999999999999\""), "high", 0},
    {"{}", SCORE("\"9\""), "critical", 0},
    {"{}", SCORE("9.8"), "critical", 0},
    {"{}", SCORE("\"9.80\""), "critical", 0},
    {"{}", SCORE("\"10.0\""), "critical", 0},
    {"{}", SCORE("1e1"), "critical", 0},
    {"{}", SCORE("\"7\""), "high", 0},
    {"{}", SCORE("\"6.99\""), "medium", 0},
    {"{}", SCORE("\"4.0\""), "medium", 0},
    {"{}", SCORE("\"3.99\""), "low", 0},
    {"{}", SCORE("\"0.1\""), "low", 0},
    {"{}", SCORE("1e-400"), "low", 0},
    {"{}", SCORE("\"\\u0039.0\""), "critical", 0},
    /* What is no score is passed over. */
    {"{}", SCORE("\"0.0\""), "medium", 1},
    {"{}", SCORE("0"), "medium", 1},
    {"{}", SCORE("\"10.1\""), "medium", 1},
    {"{}", SCORE("10.000000000000000000001"), "medium", 1},
    {"{}", SCORE("-1"), "medium", 1},
    {"{}", SCORE("\"n/a\""), "medium", 1},
    {"{}", SCORE("\" 9 \""), "critical", 0},
    {"{}", SCORE("\"+9.\""), "critical", 0},
    {"{}", SCORE("\"9,8\""), "medium", 1},
    {"{}", SCORE("\"\""), "medium", 1},
    {"{}", SCORE("true"), "medium", 1},
    {"{}", SCORE("null"), "medium", 0},
    /* Words, in any case. */
    {"{}", SCORE("\"CRITICAL\""), "critical", 0},
    {"{}", SCORE("\"High\""), "high", 0},
    {"{}", SCORE("\"MEDIUM\""), "medium", 0},
    {"{}", "{\"level\":\"note\",\"properties\":{\"security-severity\":\"moderate\"}}", "medium", 0},
    {"{}", SCORE("\"low\""), "low", 0},
    {"{}", SCORE("\"Informational\""), "info", 0},
    {"{}", SCORE("\"info\""), "info", 0},
    {"{}", SCORE("\"lowest\""), "medium", 1},
    /* The result's before the rule's, both before levels. */
    {RULE("\"security-severity\":\"9.8\""), SCORE("\"2.0\""), "low", 0},
    {RULE("\"security-severity\":\"9.8\""), SCORE("\"n/a\""), "critical", 1},
    {RULE("\"security-severity\":\"9.8\""), "{\"ruleId\":\"A\",\"level\":\"note\"}", "critical", 0},
    {RULE("\"security-severity\":\"none\""), SCORE("0.0"), "medium", 2},
    {RULE("\"security-severity\":\"9.8\""), "{\"ruleId\":\"B\",\"level\":\"note\"}", "low", 0},
    /* Levels. */
    {"{}", "{}", "medium", 0},
    {"{}", "{\"level\":\"error\"}", "high", 0},
    {"{}", "{\"level\":\"warning\"}", "medium", 0},
    {"{}", "{\"level\":\"note\"}", "low", 0},
    {"{}", "{\"level\":\"none\"}", "info", 0},
    {"{}", "{\"level\":\"n\\u006fte\"}", "low", 0},
    {LEVELS "]}", "{\"ruleId\":\"A\"}", "low", 0},
    {LEVELS "]}", "{\"ruleId\":\"B\"}", "medium", 0},
    {LEVELS OVERRIDE("error") "," OVERRIDE("warning") "]}", NAMED("0"), "high", 0},
    {LEVELS OVERRIDE("error") "," OVERRIDE("warning") "]}", NAMED("1"), "medium", 0},
    {LEVELS OVERRIDE("error") "," OVERRIDE("warning") "]}", NAMED("-1"), "low", 0},
    {LEVELS OVERRIDE("error") "," OVERRIDE("warning") "]}", NAMED("2"), "low", 0},
    {LEVELS OVERRIDE("error") "," OVERRIDE("warning") "]}", "{\"ruleId\":\"A\"}", "low", 0},
    {LEVELS OVERRIDE("error") "]}", "{\"ruleId\":\"A\"}", "high", 0},
    {LEVELS OVERRIDE("error") "]}", NAMED("5"), "low", 0},
    {LEVELS OVERRIDE("error") "]}", "{\"ruleId\":\"B\"}", "info", 0},
    {LEVELS OVERRIDE("error") "]}", "{\"ruleId\":\"A\",\"level\":\"none\"}", "info", 0},
    /* Kinds: what is not decided yet may be bad. */
    {"{}", "{\"kind\":\"informational\"}", "info", 0},
    {"{}", "{\"kind\":\"informational\",\"level\":\"error\"}", "info", 0},
    {"{}", "{\"kind\":\"informational\",\"properties\":{\"security-severity\":9.8}}", "info", 0},
    {"{}", "{\"kind\":\"fail\",\"level\":\"none\"}", "info", 0},
    {"{}", "{\"kind\":\"review\",\"level\":\"none\"}", "medium", 0},
    {"{}", "{\"kind\":\"open\",\"level\":\"error\"}", "high", 0},
    {LEVELS OVERRIDE("none") "]}", "{\"kind\":\"open\",\"level\":\"none\",\"ruleId\":\"A\"}", "low",
     0},
    {RULE("\"security-severity\":\"9.8\""),
     "{\"kind\":\"review\",\"level\":\"none\",\"ruleId\":\"A\"}", "critical", 0},
    /* rank sets nothing. */
    {"{}", "{\"rank\":100.0,\"level\":\"note\"}", "low", 0},
};

START_TEST(finds_severity)
{
	struct made made = make(severities[_i].run, severities[_i].result);
	struct rt_slice value;

	ck_assert_int_eq(made.status, RT_OK);
	value = made_member(&made, "severity");
	ck_assert_msg(value.len == strlen(severities[_i].severity) + 2 &&
			  !memcmp(value.ptr + 1, severities[_i].severity, value.len - 2),
		      "%s: want %s, have %.*s", severities[_i].result, severities[_i].severity,
		      (int)value.len, value.ptr);
	ck_assert_uint_eq(made.notes.counts[RT_SARIF_NOTE_SEVERITY], severities[_i].passed_over);
	rt_buf_release(&made.out);
}
END_TEST

static const struct {
	const char *run, *result, *name, *want;
} values[] = {
    {RULE("\"precision\":\"very-high\""), BAG("\"confidence\":0.1"), "confidence", "0.95"},
    {RULE("\"precision\":\"HIGH\""), BAG(""), "confidence", "0.8"},
    {RULE("\"precision\":\"unknown\""), BAG("\"issue_confidence\":\"Medium\""), "confidence",
     "0.5"},
    {RULE("\"precision\":3"), BAG("\"confidence\":\"low\""), "confidence", "0.2"},
    {"{}", BAG("\"issue_confidence\":\"LOW\",\"confidence\":0.9"), "confidence", "0.2"},
    {"{}", BAG("\"confidence\":0.70"), "confidence", "0.70"},
    {"{}", BAG("\"confidence\":0"), "confidence", "0"},
    {"{}", BAG("\"confidence\":1.0"), "confidence", "1.0"},
    {"{}", BAG("\"confidence\":1.01"), "confidence", "null"},
    {"{}", BAG("\"confidence\":-0.1"), "confidence", "null"},
    {"{}", BAG("\"confidence\":\"0.5\""), "confidence", "null"},
    {"{}", BAG("\"issue_confidence\":0.5"), "confidence", "null"},
    {"{}", "{\"rank\":50}", "confidence", "null"},
    {"{}", BAG("\"security-severity\":\"9.80\""), "cvss_score", "9.80"},
    {"{}", BAG("\"security-severity\":1e1"), "cvss_score", "1e1"},
    {"{}", BAG("\"security-severity\":\"\\u0039.8\""), "cvss_score", "9.8"},
    {"{}", BAG("\"cvssv3_baseScore\":\"\\u0036.5\""), "cvss_score", "6.5"},
    {"{}", BAG("\"security-severity\":\"0.0\""), "cvss_score", "null"},
    {"{}", BAG("\"security-severity\":\"10.1\""), "cvss_score", "null"},
    {"{}", BAG("\"security-severity\":\"high\""), "cvss_score", "null"},
    {"{}", BAG("\"security-severity\":\"09.\""), "cvss_score", "9"},
    {"{}", BAG("\"security-severity\":\"\\u0020.5\\t\""), "cvss_score", "0.5"},
    {RULE("\"security-severity\":\"7.5\""), BAG("\"security-severity\":\"high\""), "cvss_score",
     "7.5"},
    {RULE("\"cvssv4_baseScore\":9.9"), BAG("\"cvssv2_score\":\"4.3\""), "cvss_score", "4.3"},
    {RULE("\"cvssv2_score\":5,\"cvssv3_baseScore\":5.30"), BAG("\"security-severity\":\"1\""),
     "cvss_score", "5.30"},
    {"{}", BAG("\"cvssv3_baseScore\":\"n/a\",\"cvssv2_score\":5"), "cvss_score", "5"},
    {"{}", BAG("\"cvssv4_baseScore\":true"), "cvss_score", "null"},
    {RULE("\"cvssv4_baseScore\":\"n/a\",\"cvssv2_score\":5"), BAG(""), "cvss_score", "5"},
    {RULE("\"security-severity\":\"11\""), BAG(""), "cvss_score", "null"},
    {RULE("\"security-severity\":\"high\""), BAG(""), "severity", "\"high\""},
};

START_TEST(finds_values)
{
	made_is(values[_i].run, values[_i].result, values[_i].name, values[_i].want);
}
END_TEST

/* Levels that are none, each named once, and what was read in their place. */
START_TEST(names_levels)
{
	struct rt_sarif_notes all = {.levels = ""};
	static const char *const levels[] = {"fatal", "info", "fatal", "\\u0066atal", ""};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		char text[64];
		struct made made;

		(void)snprintf(text, sizeof(text), "{\"level\": \"%s\"}", levels[i]);
		made = make("{}", text);
		ck_assert_int_eq(made.status, RT_OK);
		ck_assert_uint_eq(made.notes.counts[RT_SARIF_NOTE_DEFAULT], i != 1);
		rt_sarif_notes_add(&all, &made.notes);
		rt_buf_release(&made.out);
	}
	ck_assert_uint_eq(all.counts[RT_SARIF_NOTE_LEVEL], 5);
	ck_assert_str_eq(all.levels, "\"fatal\", \"info\", \"\\u0066atal\", \"\"");
	for (unsigned i = 0; i < 200; i++) {
		char word[16];
		int len = snprintf(word, sizeof(word), "\"level %u\"", i);

		rt_sarif_notes_level(&all, rt_slice_make(word, (size_t)len));
	}
	ck_assert_uint_lt(strlen(all.levels), sizeof(all.levels));
}
END_TEST

static void append(struct rt_buf *text, const char *piece)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, piece, strlen(piece), &err), RT_OK);
}

/* What a rule says is judged once, not once for each result. */
START_TEST(long_scores)
{
	static const char *const starts[] = {"\"security-severity\":\"9.", ",\"precision\":\"",
					     ",\"cvssv4_baseScore\":\"-", ",\"cvssv2_score\":\"x",
					     ",\"severity\":\"\\u0020"};
	struct rt_slice result[RT_SARIF_PROPERTY_COUNT] = {{NULL, 0}};
	struct rt_sarif_rule_says said = {.rule_id = RT_SLICE("\"A\"")};
	struct rt_sarif_severity_says says = {.result = result, .invocation = -1};
	struct rt_sarif_notes notes = {.levels = ""};
	struct rt_buf text = {0}, room = {0};
	struct rt_sarif_rule_found found;
	char plain[RT_SARIF_PLAIN_MAX];
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_sarif_run run;

	append(&text, "{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"A\",\"properties\":{");
	for (size_t i = 0; i < 5; i++) {
		append(&text, starts[i]);
		for (unsigned k = 0; k < 100000; k++)
			append(&text, "1111111111");
		append(&text, i == 2 ? "x\"" : "\"");
	}
	append(&text, "}}]}}}");
	ck_assert_int_eq(rt_buf_append(&text, "", 1, &fault.err), RT_OK);
	run = run_make(text.data);
	ck_assert_int_eq(rt_sarif_rule_find(&run, &said, &room, &found, &fault), RT_OK);
	says.rule = found.rule;
	result[RT_SARIF_CVSS2] = RT_SLICE("5");
	for (unsigned i = 0; i < 50000; i++) {
		struct rt_slice score = rt_sarif_score(result, found.rule, plain);

		ck_assert(rt_slice_equal(score, RT_SLICE("5")));
		ck_assert(rt_slice_equal(rt_sarif_severity(&run, &says, &notes),
					 RT_SLICE("\"critical\"")));
		ck_assert_ptr_null(rt_sarif_confidence(result, found.rule).ptr);
	}
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_severity");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, finds_severity, 0, sizeof(severities) / sizeof(severities[0]));
	tcase_add_loop_test(cases, finds_values, 0, sizeof(values) / sizeof(values[0]));
	tcase_add_test(cases, names_levels);
	tcase_add_test(cases, long_scores);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
