/*
 * What is said of a scanned record: its kind, whether it passes, and all of its faults in order,
 * each with its place.
 */
#include "record/check.h"

#include <stdio.h>

#include "scan_text.h"

#define GOOD_RULESET                                                                               \
	"\"id\":\"r\",\"name\":\"n\",\"rules_text\":\"t\",\"org_id\":\"o\","                       \
	"\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:00:00Z\""
#define WANT_KIND                                                                                  \
	"want an issue (scan_id, file_path or severity) or a ruleset (rules_text), have neither"

/* A fault: FIELD@OFFSET: MESSAGE. */
static const struct {
	const char *what;
	enum rt_kind wanted, kind;
	const char *text;
	const char *faults[8];
} rows[] = {
    {"issue by scan_id", RT_KIND_ANY, RT_KIND_ISSUE, "{\"id\":\"a\",\"scan_id\":\"s\"}", {NULL}},
    {"issue by file_path",
     RT_KIND_ANY,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"file_path\":\"s\"}",
     {NULL}},
    {"issue by severity", RT_KIND_ANY, RT_KIND_ISSUE, "{\"id\":\"a\",\"severity\":\"s\"}", {NULL}},
    {"issue by a null", RT_KIND_ANY, RT_KIND_ISSUE, "{\"id\":\"a\",\"severity\":null}", {NULL}},
    {"issue by its place", RT_KIND_ISSUE, RT_KIND_ISSUE, "{\"id\":\"a\"}", {NULL}},
    {"issue by its place, with rules_text",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"rules_text\":7,\"rules_text\":8}",
     {NULL}},
    {"ruleset by rules_text", RT_KIND_ANY, RT_KIND_RULESET, "{" GOOD_RULESET "}", {NULL}},
    {"ruleset comes first",
     RT_KIND_ANY,
     RT_KIND_RULESET,
     "{\"severity\":7," GOOD_RULESET "}",
     {NULL}},
    {"ruleset, nulls where they may be",
     RT_KIND_ANY,
     RT_KIND_RULESET,
     "{" GOOD_RULESET ",\"description\":null,\"repo_ids\":null,\"created_by\":null}",
     {NULL}},
    {"ruleset, members of issues of any type and number",
     RT_KIND_ANY,
     RT_KIND_RULESET,
     "{" GOOD_RULESET ",\"tags\":1,\"tags\":2}",
     {NULL}},
    {"no kind", RT_KIND_ANY, RT_KIND_ANY, "{\"id\":\"a\"}", {"-@0: " WANT_KIND}},
    {"empty object", RT_KIND_ANY, RT_KIND_ANY, "{}", {"-@0: " WANT_KIND}},
    {"no kind, however wrong its members",
     RT_KIND_ANY,
     RT_KIND_ANY,
     "{\"id\":1,\"tags\":1,\"tags\":1}",
     {"-@0: " WANT_KIND}},
    {"no id", RT_KIND_ISSUE, RT_KIND_ISSUE, "{}", {"id@0: want string, have nothing"}},
    {"id null", RT_KIND_ISSUE, RT_KIND_ISSUE, "{\"id\":null}", {"id@6: want string, have null"}},
    {"id a number",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":12}",
     {"id@6: want string, have integer 12"}},
    {"id empty",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"\"}",
     {"id@6: want an id that is not empty, have \"\""}},
    {"every type wrong, in the table's order",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"tags\":[1],\"exploitable\":0,\"title\":true,\"id\":\"a\",\"cvss_score\":\"9\","
     "\"line_number\":1.0,\"cwe_ids\":\"x\"}",
     {"line_number@81: want integer or null, have number 1.0",
      "title@36: want string or null, have boolean true",
      "cwe_ids@95: want array of string or null, have string",
      "cvss_score@63: want number or null, have string",
      "tags@8: want array of string or null, have array",
      "exploitable@26: want boolean or null, have integer 0"}},
    {"integers may stand for numbers, not the reverse",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"cvss_score\":9,\"column_end\":9223372036854775808}",
     {"column_end@38: want integer or null, have number 9223372036854775808"}},
    {"a long number is not shown",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"line_number\":12345678901234567890123456789012345678901}",
     {"line_number@24: want integer or null, have number"}},
    {"object for a string",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"title\":{}}",
     {"title@18: want string or null, have object"}},
    {"empty arrays and strings pass",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"title\":\"\",\"tags\":[],\"cwe_ids\":[\"\"]}",
     {NULL}},
    {"dates of issues may be any string",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"created_at\":\"soon\"}",
     {NULL}},
    {"members twice",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"tags\":[],\"id\":\"b\",\"tags\":[],\"tags\":null}",
     {"id@25: want the member once, have it again",
      "tags@46: want the member once, have it again"}},
    {"member twice, spelled otherwise, and of a wrong type",
     RT_KIND_ISSUE,
     RT_KIND_ISSUE,
     "{\"id\":\"a\",\"title\":1,\"t\\u0069tle\":\"x\"}",
     {"title@18: want string or null, have integer 1",
      "title@33: want the member once, have it again"}},
    {"ruleset with nothing but its text",
     RT_KIND_ANY,
     RT_KIND_RULESET,
     "{\"rules_text\":\"t\"}",
     {"id@0: want string, have nothing", "name@0: want string, have nothing",
      "org_id@0: want string, have nothing", "created_at@0: want date-time, have nothing",
      "updated_at@0: want date-time, have nothing"}},
    {"nulls where they may not be",
     RT_KIND_RULESET,
     RT_KIND_RULESET,
     "{\"id\":\"r\",\"name\":null,\"rules_text\":null,\"org_id\":null,\"created_at\":null,"
     "\"updated_at\":7}",
     {"name@17: want string, have null", "rules_text@35: want string, have null",
      "org_id@49: want string, have null", "created_at@67: want date-time, have null",
      "updated_at@85: want date-time, have integer 7"}},
    {"dates that are none",
     RT_KIND_RULESET,
     RT_KIND_RULESET,
     "{\"id\":\"r\",\"name\":\"\",\"rules_text\":\"\",\"org_id\":\"\","
     "\"created_at\":\"2024-01-01\",\"updated_at\":\"2024-13-01T00:00:00Z\"}",
     {"created_at@61: want ISO 8601 date-time, have \"2024-01-01\"",
      "updated_at@87: want ISO 8601 date-time, have \"2024-13-01T00:00:00Z\""}},
    {"dates with escapes",
     RT_KIND_RULESET,
     RT_KIND_RULESET,
     "{\"id\":\"r\",\"name\":\"\",\"rules_text\":\"\",\"org_id\":\"\","
     "\"created_at\":\"\\u0032024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:00\\u005a\"}",
     {NULL}},
    {"a date all in escapes",
     RT_KIND_RULESET,
     RT_KIND_RULESET,
     "{\"id\":\"r\",\"name\":\"\",\"rules_text\":\"\",\"org_id\":\"\","
     "\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":"
     "\"\\u0032\\u0030\\u0032\\u0034\\u002d\\u0030\\u0031\\u002d\\u0030\\u0031\\u0054\\u0030"
     "\\u0030\\u003a\\u0030\\u0030\\u003a\\u0030\\u0030\\u002e\\u0030\\u0030\\u0030\\u005a\"}",
     {NULL}},
};

/* Scan text, which is a record and stays borrowed. */
static void scan_text(const char *block, size_t len, enum rt_kind wanted, struct rt_record *record)
{
	static struct rt_scan s;

	rt_scan_init(&s, 128);
	scan_show(&s, block, len, 0, true);
	ck_assert_ptr_eq(rt_scan_portable.record(&s, block, record), block + len);
	record->kind = rt_check_kind(record, wanted);
}

START_TEST(judge)
{
	size_t len = strlen(rows[_i].text), count = 0;
	char *block = padded(rows[_i].text, len);
	struct rt_check_fault fault;
	struct rt_record record;
	unsigned step = 0;

	scan_text(block, len, rows[_i].wanted, &record);
	ck_assert_msg(record.kind == rows[_i].kind, "%s: kind %d", rows[_i].what, record.kind);
	if (record.kind != RT_KIND_ANY)
		ck_assert_msg(rt_check_passes(&record) == !rows[_i].faults[0], "%s: passes",
			      rows[_i].what);
	for (; rt_check_next(&record, &step, &fault); count++) {
		char have[256];

		snprintf(have, sizeof(have), "%s@%zu: %s", fault.field ? fault.field : "-",
			 (size_t)(fault.at - block), fault.message);
		ck_assert_msg(rows[_i].faults[count] != NULL, "%s: also %s", rows[_i].what, have);
		ck_assert_str_eq(have, rows[_i].faults[count]);
	}
	ck_assert_msg(!rows[_i].faults[count], "%s: not said: %s", rows[_i].what,
		      rows[_i].faults[count]);
	/* It stays at the end. */
	ck_assert(!rt_check_next(&record, &step, &fault));
	free(block);
}
END_TEST

/* Each documented member with a value of each type: both checks say what the table says. */
START_TEST(every_type)
{
	static const char *const values[] = {"\"x\"", "1",       "1.5", "true",
					     "null",  "[\"a\"]", "[1]", "{}"};
	const struct rt_member_rule *rule;
	size_t count;

	rule = rt_member_rules(_i ? RT_KIND_RULESET : RT_KIND_ISSUE, &count);
	for (size_t i = 0; i < count; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			enum rt_member m = rule[i].member;
			struct rt_check_fault fault;
			struct rt_record record;
			char text[128], *block;
			unsigned step = 0;
			bool right = rule[i].types >> bit & 1;

			snprintf(text, sizeof(text), "{\"%s\":%s%s}", rt_member_name(m).ptr,
				 values[bit], m == RT_M_ID ? "" : ",\"id\":\"a\"");
			block = padded(text, strlen(text));
			scan_text(block, strlen(text), _i ? RT_KIND_RULESET : RT_KIND_ISSUE,
				  &record);
			if (!_i)
				ck_assert_msg(rt_check_passes(&record) == right, "%s", text);
			while (rt_check_next(&record, &step, &fault)) {
				bool this = strcmp(fault.field, rt_member_name(m).ptr) == 0;

				/* "x" is no date, which is a matter of its own. */
				ck_assert_msg(!this || !right || rule[i].date_time, "%s", text);
				if (this)
					right = true;
			}
			ck_assert_msg(right, "%s: no fault", text);
			free(block);
		}
	}
}
END_TEST

/* What of YAML's values must stay text. */
static const struct {
	struct rt_slice list, name; /* list: "", none */
	enum rt_text_want want;
} wants[] = {
    {RT_SLICE("issues"), RT_SLICE("notes"), RT_WANT_STRING},
    {RT_SLICE(""), RT_SLICE("notes"), RT_WANT_STRING},
    {RT_SLICE("rulesets"), RT_SLICE("notes"), RT_WANT_ANY},
    {RT_SLICE("issues"), RT_SLICE("title"), RT_WANT_STRING},
    {RT_SLICE("issues"), RT_SLICE("tags"), RT_WANT_STRINGS},
    {RT_SLICE("issues"), RT_SLICE("line_number"), RT_WANT_ANY},
    {RT_SLICE("issues"), RT_SLICE("rules_text"), RT_WANT_ANY},
    {RT_SLICE("rulesets"), RT_SLICE("rules_text"), RT_WANT_STRING},
    {RT_SLICE("rulesets"), RT_SLICE("repo_ids"), RT_WANT_STRINGS},
    {RT_SLICE("others"), RT_SLICE("title"), RT_WANT_ANY},
};

START_TEST(want)
{
	struct rt_slice list = wants[_i].list.len ? wants[_i].list : (struct rt_slice){NULL, 0};

	ck_assert_msg(rt_record_want(list, wants[_i].name) == wants[_i].want, "%s: %s",
		      wants[_i].list.ptr, wants[_i].name.ptr);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("check");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, judge, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(cases, every_type, 0, 2);
	tcase_add_loop_test(cases, want, 0, (int)(sizeof(wants) / sizeof(wants[0])));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
