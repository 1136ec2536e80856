/*
 * Identities of results: the ids of real logs, which fingerprints are used, what does not change
 * an id.
 */
#include "sarif_make.h"

#define TOOL(name) "{\"tool\":{\"driver\":{\"name\":\"" name "\"}}}"
#define AT(uri)                                                                                    \
	"\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"" uri "\"}}}]"
#define AT_LINE(uri, line)                                                                         \
	"\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"" uri               \
	"\"},\"region\":{\"startLine\":" line "}}}]"
#define AT_CODE(line, text)                                                                        \
	"\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a.c\"},\"region\":" \
	"{"                                                                                        \
	"\"startLine\":" line ",\"snippet\":{\"text\":\"" text "\"}}}}]"
#define FIRST "\"ruleId\":\"r\"," AT("a.c") ",\"message\":{\"text\":\"m\"}"
#define RESULT(members) "{" FIRST "," members "}"
#define PRINTS(members) RESULT("\"fingerprints\":{" members "}")
#define PARTIAL(members) RESULT("\"partialFingerprints\":{" members "}")
#define SNIPPET(text)                                                                              \
	"{\"ruleId\":\"r\",\"message\":{\"text\":\"m\"},\"locations\":[{\"physicalLocation\":{"    \
	"\"artifactLocation\":{\"uri\":\"a.c\"},\"region\":{\"snippet\":{\"text\":\"" text         \
	"\"}}}}]}"

/* Ids that were made by another program from the digests of the texts given beside them. */
static const struct {
	const char *run, *result, *id;
} known[] = {
    /* CodeQL: partial, primaryLocationLineHash, and the column. */
    {TOOL("CodeQL"),
     "{\"ruleId\":\"py/empty-except\"," AT(
	 "good/db_init.py") ",\"partialFingerprints\":{\"primaryLocationStartColumnFingerprint\":"
			    "\"0\",\"primaryLocationLineHash\":\"9cbc869fbfffeb60:1\"}}",
     "\"s2-deaf4b5dc7ae8487e2a72784b633215d\""},
    /* Flawfinder: fingerprint, contextHash/v1. */
    {TOOL("Flawfinder"),
     "{\"ruleId\":\"FF1048\"," AT(
	 "src/tree/param.cc") ",\"fingerprints\":{\"contextHash/v1\":"
			      "\"e6c1ad2b1d96ffc4035ed8df070600566ad240b8ded025dac30620f3fd4aa9fd\""
			      "}}",
     "\"s2-d2e9beda21f288ef40b17e3958b959bf\""},
};

START_TEST(makes_known_ids)
{
	made_is(known[_i].run, known[_i].result, "id", known[_i].id);
}
END_TEST

static struct rt_sarif_identity identity_of(const char *run, const char *result)
{
	struct made made = make(run, result);

	ck_assert_msg(made.status == RT_OK, "%s: %s", result, made.fault.err.message);
	rt_buf_release(&made.out);
	return made.identity;
}

static bool same(const char *run, const char *result, const char *other_run, const char *other)
{
	struct rt_sarif_identity a = identity_of(run, result), b = identity_of(other_run, other);

	return !memcmp(a.id, b.id, sizeof(a.id));
}

static const struct {
	const char *one, *other;
	bool same;
} pairs[] = {
    /* Not usable: something else is the identity. */
    {PRINTS("\"matchBasedId/v1\":\"requires login\""), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"h\":\"1234567\""), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"h\":\"12345678\""), RESULT("\"level\":\"note\""), false},
    {PRINTS("\"h\":\"00000000-0000\""), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"h\":\"a b c d e f\""), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"h\":\"abcdefgh\\t\""), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"h\":null"), RESULT("\"level\":\"note\""), true},
    {RESULT("\"correlationGuid\":\"00000000-0000-0000-0000-000000000000\""),
     RESULT("\"level\":\"note\""), true},
    {RESULT("\"guid\":\"11111111-0000-0000-0000-000000000000\""), RESULT("\"level\":\"note\""),
     true},
    {PRINTS("\"a\":\"requires login\",\"b\":\"abcdefgh\""), PRINTS("\"b\":\"abcdefgh\""), true},
    /* A fingerprint that is an object. */
    {PRINTS("\"h\":{\"value\":\"abcdefgh\"}"), PRINTS("\"h\":\"abcdefgh\""), true},
    {PRINTS("\"h\":{\"other\":\"abcdefgh\"}"), RESULT("\"level\":\"note\""), true},
    {PRINTS("\"\\u0068\":\"abc\\u0064efgh\""), PRINTS("\"h\":\"abcdefgh\""), true},
    /* Versions: the lowest; as numbers. */
    {PRINTS("\"h/v1\":\"11111111\",\"h/v2\":\"22222222\""),
     PRINTS("\"h/v3\":\"33333333\",\"h/v2\":\"22222222\",\"h/v1\":\"11111111\""), true},
    {PRINTS("\"h/v10\":\"11111111\",\"h/v9\":\"99999999\""), PRINTS("\"h/v9\":\"99999999\""), true},
    {PRINTS("\"h\":\"00000001\",\"h/v1\":\"11111111\""), PRINTS("\"h\":\"00000001\""), true},
    {PRINTS("\"h/v99999999999999999999\":\"11111111\",\"h/v100000000000000000000\":\"22222222\""),
     PRINTS("\"h/v99999999999999999999\":\"11111111\""), true},
    {PRINTS("\"h/v1\":\"11111111\""), PRINTS("\"h/v2\":\"11111111\""), false},
    /* what is no version, and one with zeros before it */
    {PRINTS("\"7\":\"11111111\""), PRINTS("\"8\":\"11111111\""), false},
    {PRINTS("\"h1\":\"11111111\""), PRINTS("\"h2\":\"11111111\""), false},
    {PRINTS("\"v1\":\"11111111\""), PRINTS("\"v2\":\"11111111\""), false},
    {PRINTS("\"hv1\":\"11111111\""), PRINTS("\"hv2\":\"11111111\""), false},
    {PRINTS("\"h/\":\"11111111\""), PRINTS("\"h/v\":\"11111111\""), false},
    {PRINTS("\"h/v01\":\"11111111\",\"h/v2\":\"22222222\""), PRINTS("\"h/v01\":\"11111111\""),
     true},
    {PRINTS("\"h/v0\":\"11111111\""), PRINTS("\"h/v0\":\"11111111\""), true},
    {PRINTS("\"b\":\"22222222\",\"a\":\"11111111\""), PRINTS("\"a\":\"11111111\""), true},
    /* Kinds in their order. */
    {RESULT("\"correlationGuid\":\"ABCDEF00-0000-0000-0000-000000000000\",\"fingerprints\":{"
	    "\"h\":\"abcdefgh\"}"),
     "{\"correlationGuid\":\"abcdef00-0000-0000-0000-000000000000\",\"ruleId\":\"other\"}", true},
    {RESULT("\"fingerprints\":{\"h\":\"abcdefgh\"},\"partialFingerprints\":{\"h\":\"zzzzzzzz\"}"),
     PRINTS("\"h\":\"abcdefgh\""), true},
    {PRINTS("\"h\":\"abcdefgh\""), PARTIAL("\"h\":\"abcdefgh\""), false},
    {PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\",\"other\":\"ijklmnop\""),
     PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\""), true},
    {PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\",\"primaryLocationStartColumnFingerprint\":"
	     "\"4\""),
     PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\""), false},
    {PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\",\"primaryLocationStartColumnFingerprint\":"
	     "{\"value\":\"4\"}"),
     PARTIAL("\"primaryLocationLineHash\":\"abcdefgh\""), true},
    {PARTIAL("\"primaryLocationLineHash\":\"0:1\",\"other\":\"ijklmnop\""),
     PARTIAL("\"other\":\"ijklmnop\""), true},
    {PARTIAL("\"b\":\"ijklmnop\",\"a\":\"abcdefgh\""),
     PARTIAL("\"a\":\"abcdefgh\",\"b\":\"ijklmnop\""), true},
    {PARTIAL("\"b\":\"ijklmnop\",\"a\":\"abcdefgh\""), PARTIAL("\"a\":\"abcdefgh\""), false},
    /* What tells of the commit tells nothing of the finding. */
    {PARTIAL("\"commitSha\":\"1f2e3d4c5b6a7988\",\"email\":\"a@b.example\",\"author\":\"unspaced\","
	     "\"date\":\"2024-01-01T00:00:00Z\",\"commitMessage\":\"add-config\""),
     RESULT("\"level\":\"note\""), true},
    {PARTIAL("\"commitSha\":\"1f2e3d4c5b6a7988\",\"dates\":\"ijklmnop\""),
     PARTIAL("\"dates\":\"ijklmnop\""), true},
    {PARTIAL("\"a\":\"short\""), RESULT("\"level\":\"note\""), true},
    /* What is in a place, and what is not. */
    {"{\"ruleId\":\"r\"," AT_LINE("a.c", "1") "}", "{\"ruleId\":\"r\"," AT_LINE("a.c", "21") "}",
     true},
    {"{\"ruleId\":\"r\"," AT("a.c") "}", "{\"ruleId\":\"r\"," AT("b.c") "}", false},
    {"{\"ruleId\":\"r/x\"," AT("a.c") "}", "{\"ruleId\":\"r/y\"," AT("a.c") "}", false},
    {"{\"ruleId\":\"r\",\"fingerprints\":{\"h\":\"abcdefgh\"}," AT("a.c") "}",
     "{\"ruleId\":\"r\",\"fingerprints\":{\"h\":\"abcdefgh\"}," AT("b.c") "}", false},
    /* Lines where code is not shown, and only there. */
    {"{\"ruleId\":\"r\"," AT_CODE("1", "REDACTED") "}",
     "{\"ruleId\":\"r\"," AT_CODE("2", "REDACTED") "}", false},
    {"{\"ruleId\":\"r\"," AT_CODE("1", "REDACTED") "}",
     "{\"ruleId\":\"r\"," AT_CODE("1", " REDACTED\\n") "}", true},
    {"{\"ruleId\":\"r\"," AT_CODE("1", "REDACT") "}",
     "{\"ruleId\":\"r\"," AT_CODE("2", "REDACT") "}", true},
    {"{\"ruleId\":\"r\",\"fingerprints\":{\"h\":\"abcdefgh\"}," AT_CODE("1", "REDACTED") "}",
     "{\"ruleId\":\"r\",\"fingerprints\":{\"h\":\"abcdefgh\"}," AT_CODE("2", "REDACTED") "}", true},
    /* Content: blanks in code, the message, the name of what it is in. */
    {"{\"ruleId\":\"r\",\"message\":{\"text\":\"on line 559 column 7\"}}",
     "{\"ruleId\":\"r\",\"message\":{\"text\":\"on line 1 column 12\"}}", true},
    {"{\"ruleId\":\"r\",\"message\":{\"text\":\"line 5\"}}",
     "{\"ruleId\":\"r\",\"message\":{\"text\":\"line\"}}", false},
    {SNIPPET("  a  =\\t b;\\r\\n c\\n"), SNIPPET("a = b; c"), true},
    {SNIPPET("a = b;"), SNIPPET("a =b;"), false},
    {SNIPPET(""), "{" FIRST "}", true},
    {"{\"message\":{\"text\":\"a\"}}", "{\"message\":{\"text\":\"b\"}}", false},
    {"{\"message\":{\"text\":\"[a](1)\"}}", "{\"message\":{\"text\":\"a\"}}", false},
    {"{\"message\":{\"text\":\"\\u0061\"}}", "{\"message\":{\"text\":\"a\"}}", true},
    {"{\"message\":{\"text\":\"\"}}", "{}", true},
    {"{\"locations\":[{\"logicalLocations\":[{\"fullyQualifiedName\":\"a::b\"}]}]}",
     "{\"locations\":[{\"logicalLocations\":[{\"fullyQualifiedName\":\"a::c\"}]}]}", false},
    {"{\"locations\":[{\"logicalLocations\":[{\"fullyQualifiedName\":\"\"}]}]}", "{}", true},
};

START_TEST(tells_apart)
{
	ck_assert_msg(same(TOOL("T"), pairs[_i].one, TOOL("T"), pairs[_i].other) == pairs[_i].same,
		      "%s and %s", pairs[_i].one, pairs[_i].other);
}
END_TEST

#define RUN(tool, id) "{\"tool\":{\"driver\":{" tool "}},\"automationDetails\":{\"id\":\"" id "\"}}"

START_TEST(depends_on_the_run)
{
	const char *result = PRINTS("\"h\":\"abcdefgh\"");
	const char *run = RUN("\"name\":\"T\",\"version\":\"1\"", "ci/py/1");

	ck_assert(same(run, result, RUN("\"version\":\"2\",\"name\":\"T\"", "ci/py/2"), result));
	ck_assert(!same(run, result, RUN("\"name\":\"U\"", "ci/py/1"), result));
	ck_assert(!same(run, result, RUN("\"name\":\"T\"", "ci/js/1"), result));
	ck_assert(same(RUN("\"name\":\"T\"", "x"), result, TOOL("T"), result));
}
END_TEST

/* What orders equal results: line, column, message. */
START_TEST(orders_equals)
{
	struct rt_sarif_identity a, b;

	a = identity_of("{}", "{" AT_LINE("a.c", "7,\"startColumn\":3") "}");
	ck_assert_uint_eq(a.line, 7);
	ck_assert_uint_eq(a.column, 3);
	ck_assert(!a.own);
	a = identity_of("{}", "{" AT_LINE("a.c", "2147483648") "}");
	ck_assert_uint_eq(a.line, 2147483648);
	ck_assert_uint_eq(a.column, 1);
	a = identity_of("{}", "{}");
	ck_assert_uint_eq(a.line, 0);
	ck_assert_uint_eq(a.column, 0);
	a = identity_of("{}",
			"{\"message\":{\"text\":\"a\"},\"fingerprints\":{\"h\":\"abcdefgh\"}}");
	b = identity_of("{}",
			"{\"message\":{\"text\":\"b\"},\"fingerprints\":{\"h\":\"abcdefgh\"}}");
	ck_assert_mem_eq(a.id, b.id, sizeof(a.id));
	/* SHA-256 of "a" is ca978112ca1bbdca.... */
	ck_assert_uint_eq(a.message, UINT64_C(0xca978112ca1bbdca));
	ck_assert_uint_ne(a.message, b.message);
}
END_TEST

START_TEST(takes_own_ids)
{
	const char *result = "{\"properties\":{\"retriage\":{\"id\":\"\\u0061bc\"}}}";
	struct rt_sarif_identity identity = identity_of("{}", result);

	ck_assert(identity.own);
	/* SHA-256 of "abc". */
	ck_assert_uint_eq(identity.id[0], 0xba);
	ck_assert_uint_eq(identity.id[15], 0x23);
	made_is("{}", result, "id", "\"\\u0061bc\"");
}
END_TEST

/* An ordinal has its place. */
START_TEST(ends_with_ordinal)
{
	static const struct {
		struct rt_sarif_rank rank;
		bool old;
		const char *end;
	} ranks[] = {{{1, 1}, false, ""},
		     {{1, 2}, false, "-1of2"},
		     {{2, 2}, false, "-2of2"},
		     {{UINT32_MAX, UINT32_MAX}, false, "-4294967295of4294967295"},
		     {{1, 2}, true, ""},
		     {{2, 2}, true, "-2"},
		     {{UINT32_MAX, UINT32_MAX}, true, "-4294967295"}};
	struct made made = make(known[0].run, known[0].result);
	struct rt_sarif_maker *maker;
	struct rt_sarif_run run;

	ck_assert_int_eq(rt_sarif_maker_new(&maker, &made.fault.err), RT_OK);
	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &made.fault.err), RT_OK);
	run_take(&run, known[0].run);
	ck_assert_int_eq(rt_sarif_result_read(maker, slice_of(known[0].result), false, &made.issue,
					      &made.notes, &made.fault),
			 RT_OK);
	ck_assert_int_eq(rt_sarif_result_identify(maker, &run, &made.identity, &made.fault), RT_OK);
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		struct rt_slice id, end = slice_of(ranks[i].end);

		run.old_ids = ranks[i].old;
		ck_assert_int_eq(made_write(maker, &run, ranks[i].rank, &made), RT_OK);
		id = made_member(&made, "id");
		ck_assert_mem_eq(id.ptr, ranks[i].old ? "\"s1-" : "\"s2-", 4);
		ck_assert_uint_eq(id.len, 4 + 2 * RT_SARIF_ID_BYTES + end.len + 1);
		ck_assert_mem_eq(rt_slice_end(id) - end.len - 1, end.ptr, end.len);
	}
	rt_sarif_run_release(&run);
	rt_sarif_maker_free(maker);
	rt_buf_release(&made.out);
}
END_TEST

static const struct {
	const char *result, *field, *message;
} refused[] = {
    {PRINTS("\"h\":7"), "fingerprints", "want a string or an object, have a number"},
    {PRINTS("\"h\":{\"value\":7}"), "fingerprints.value", "want a string, have a number"},
    {PRINTS("\"h\":\"abcdefgh\",\"\\u0068\":\"abcdefgh\""), "fingerprints",
     "want each name once, have \"h\" twice"},
    {PARTIAL("\"h\":[]"), "partialFingerprints", "want a string or an object, have an array"},
    {RESULT("\"correlationGuid\":7"), "correlationGuid", "want a string, have a number"},
};

START_TEST(refuses)
{
	struct made made = make("{}", refused[_i].result);

	ck_assert_int_eq(made.status, RT_REJECT);
	ck_assert_str_eq(made.fault.err.field, refused[_i].field);
	ck_assert_str_eq(made.fault.err.message, refused[_i].message);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_identity");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, makes_known_ids, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_loop_test(cases, tells_apart, 0, sizeof(pairs) / sizeof(pairs[0]));
	tcase_add_test(cases, depends_on_the_run);
	tcase_add_test(cases, orders_equals);
	tcase_add_test(cases, takes_own_ids);
	tcase_add_test(cases, ends_with_ordinal);
	tcase_add_loop_test(cases, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
