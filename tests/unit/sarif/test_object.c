/*
 * Cutting SARIF's objects: members, types, repeats, escapes, null.
 */
#include "sarif/object.h"

#include "unit.h"

static const struct rt_sarif_member members[] = {
    {RT_SLICE("level"), RT_SARIF_STRING, NULL},
    {RT_SLICE("index"), RT_SARIF_NUMBER, "rule.index"},
    {RT_SLICE("tags"), RT_SARIF_ARRAY | RT_SARIF_STRING, NULL},
};
#define COUNT (sizeof(members) / sizeof(members[0]))

static enum rt_status cut(const char *text, struct rt_slice *values, struct rt_sarif_fault *fault)
{
	return rt_sarif_cut(rt_slice_make(text, strlen(text)), members, COUNT, values, fault);
}

static void is_value(struct rt_slice value, const char *want)
{
	ck_assert_int_eq(value.ptr != NULL, want != NULL);
	if (want)
		ck_assert(rt_slice_equal(value, rt_slice_make(want, strlen(want))));
}

/* What is there, in any order, with escapes in keys; null and what is not there are absent. */
START_TEST(cuts)
{
	struct rt_sarif_fault fault;
	struct rt_slice values[COUNT];

	ck_assert_int_eq(cut("{ \"x\" : [1,{\"level\":2}], \"ta\\u0067s\":[\"a\"] ,\"level\":\"no"
			     "te\"}",
			     values, &fault),
			 RT_OK);
	is_value(values[0], "\"note\"");
	is_value(values[1], NULL);
	is_value(values[2], "[\"a\"]");
	ck_assert_int_eq(cut("{\"level\":null,\"index\":-1.5e3}", values, &fault), RT_OK);
	is_value(values[0], NULL);
	is_value(values[1], "-1.5e3");
	ck_assert_int_eq(cut("{}", values, &fault), RT_OK);
	is_value(values[0], NULL);
	ck_assert_int_eq(rt_sarif_cut(rt_slice_make(NULL, 0), members, COUNT, values, &fault),
			 RT_OK);
	is_value(values[2], NULL);
}
END_TEST

static const struct {
	const char *text, *field, *message;
	size_t at;
} refused[] = {
    {"{\"level\":1}", "level", "want a string, have a number", 9},
    {"{\"index\":\"1\"}", "rule.index", "want a number, have a string", 9},
    {"{\"tags\":{}}", "tags", "want a string or an array, have an object", 8},
    {"{\"level\":\"a\",\"level\":\"a\"}", "level",
     "want a member that stands once in its object, have it a second time", 13},
    {"{\"level\":null, \"level\":\"a\"}", "level",
     "want a member that stands once in its object, have it a second time", 15},
};

START_TEST(refuses)
{
	struct rt_sarif_fault fault;
	struct rt_slice values[COUNT];

	ck_assert_int_eq(cut(refused[_i].text, values, &fault), RT_REJECT);
	ck_assert_str_eq(fault.err.field, refused[_i].field);
	ck_assert_str_eq(fault.err.message, refused[_i].message);
	ck_assert_uint_eq((size_t)(fault.at - refused[_i].text), refused[_i].at);
}
END_TEST

static const struct {
	const char *text;
	int64_t least;
	bool is;
	int64_t number;
} integers[] = {
    {"0", 0, true, 0},
    {"0", 1, false, 0},
    {"-1", 0, false, 0},
    {"-1", INT64_MIN, true, -1},
    {"9223372036854775807", 0, true, INT64_MAX},
    {"9223372036854775808", 0, false, 0},
    {"-9223372036854775808", INT64_MIN, true, INT64_MIN},
    {"1.0", 0, true, 1},
    {"-20.000", -20, true, -20},
    {"0.0", 0, true, 0},
    {"9223372036854775807.0", 0, true, INT64_MAX},
    {"1.05", 0, false, 0},
    {"1.50", 0, false, 0},
    {"1.0e0", 0, false, 0},
    {"1e2", 0, false, 0},
    {"\"1\"", 0, false, 0},
};

START_TEST(reads_integers)
{
	struct rt_slice value = rt_slice_make(integers[_i].text, strlen(integers[_i].text));
	int64_t number;
	bool is = rt_sarif_integer(value, integers[_i].least, &number);

	ck_assert_int_eq(is, integers[_i].is);
	if (is)
		ck_assert_int_eq(number, integers[_i].number);
	ck_assert(!rt_sarif_integer(rt_slice_make(NULL, 0), 0, &number));
}
END_TEST

START_TEST(decodes)
{
	struct rt_sarif_fault fault;
	struct rt_buf out = {0};

	ck_assert_int_eq(rt_sarif_text(RT_SLICE("\"a\\u00e9\\n\""), &out, &fault), RT_OK);
	ck_assert_int_eq(rt_sarif_text(RT_SLICE("\"\""), &out, &fault), RT_OK);
	ck_assert(rt_slice_equal(rt_buf_slice(&out), RT_SLICE("a\xc3\xa9\n")));
	ck_assert(rt_sarif_equals(RT_SLICE("\"a\\u0062\""), RT_SLICE("ab")));
	ck_assert(!rt_sarif_equals(RT_SLICE("\"abc\""), RT_SLICE("ab")));
	ck_assert(!rt_sarif_equals(rt_slice_make(NULL, 0), RT_SLICE("")));
	rt_buf_release(&out);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_object");
	TCase *cases = tcase_create("all");

	tcase_add_test(cases, cuts);
	tcase_add_loop_test(cases, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_loop_test(cases, reads_integers, 0, sizeof(integers) / sizeof(integers[0]));
	tcase_add_test(cases, decodes);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
