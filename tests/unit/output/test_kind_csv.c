/*
 * CSV: each type of member, formulas, cuts, quotes; and that the quick way from JSON text to a
 * field and the slow one by decoded text agree.
 */
#include <stdio.h>

#include "base/mask.h"
#include "output/csv.h"
#include "report_make.h"

#define HEADER                                                                                     \
	"id,scan_id,file_path,line_number,category,severity,confidence,title,description,"         \
	"column_start,column_end,explanation,code_snippet,context_before,context_after,"           \
	"remediation,remediation_code,cwe_ids,owasp_category,cvss_score,tags,model_used,"          \
	"false_positive,exploitable,created_at,updated_at,repo_name,scan_status,scan_created_at,"  \
	"notes,status\r\n"

static void check_csv(struct report_run *run, const char *record, const char *row)
{
	char *text = report_text(run, &record, 1);

	ck_assert_int_eq(strncmp(text, HEADER, sizeof(HEADER) - 1), 0);
	ck_assert_str_eq(text + sizeof(HEADER) - 1, row);
	free(text);
}

/* A record whose title is some JSON text, and its field. */
static char *field_of(struct report_run *run, const char *title)
{
	size_t len = strlen(title);
	char *record = malloc(len + 32), *text, *field, *end;

	ck_assert_ptr_nonnull(record);
	(void)snprintf(record, len + 32, "{\"id\":\"i\",\"title\":%s}", title);
	text = report_text(run, (const char *const *)&record, 1);
	ck_assert_int_eq(strncmp(text + sizeof(HEADER) - 1, "\"i\",,,,,,,", 10), 0);
	field = text + sizeof(HEADER) - 1 + 10;
	end = strstr(field, ",,,,,,,,,,,,,,,false,,,,,,,,\"open\"\r\n");
	ck_assert_msg(end != NULL, "row: %s", field);
	*end = '\0';
	field = strdup(field);
	free(text);
	free(record);
	return field;
}

START_TEST(empty)
{
	struct report_run run = report_run_of(&rt_kind_csv);
	char *text = report_text(&run, NULL, 0);

	ck_assert_str_eq(text, HEADER);
	ck_assert_str_eq(run.notice, "");
	free(text);
}
END_TEST

/* Every member, in the contract's order whatever the record's. */
START_TEST(members)
{
	struct report_run run = report_run_of(&rt_kind_csv);

	check_csv(
	    &run,
	    "{\"scan_created_at\":\"2025-01-01\",\"scan_status\":\"done\",\"repo_name\":\"r\","
	    "\"updated_at\":\"u\",\"created_at\":\"c\",\"exploitable\":true,"
	    "\"false_positive\":true,\"model_used\":\"m\",\"tags\":[],\"cvss_score\":-1,"
	    "\"owasp_category\":\"A03\",\"cwe_ids\":[\"CWE-89\",\"CWE-\\\"9\"],"
	    "\"remediation_code\":\"rc\",\"remediation\":\"fix\",\"context_after\":\"ca\","
	    "\"context_before\":\"cb\",\"code_snippet\":\"x\\ny\",\"explanation\":\"e\","
	    "\"column_end\":9,\"column_start\":1,\"description\":\"\",\"title\":\"t\","
	    "\"confidence\":0.9e400,\"severity\":\"high\",\"category\":\"sqli\","
	    "\"line_number\":12,\"file_path\":\"a,b\",\"scan_id\":\"s\",\"id\":\"i\","
	    "\"other\":1,\"notes\":[{\"added_at\":null,\"text\":\"one\"},"
	    "{\"added_at\":\"2025-01-01T00:00:00Z\",\"text\":\"two \\\"2\\\"\"}]}",
	    "\"i\",\"s\",\"a,b\",12,\"sqli\",\"high\",0.9e400,\"t\",\"\",1,9,\"e\",\"x\ny\","
	    "\"cb\",\"ca\",\"fix\",\"rc\",\"CWE-89; CWE-\"\"9\",\"A03\",-1,\"\",\"m\",true,"
	    "true,\"c\",\"u\",\"r\",\"done\",\"2025-01-01\",\"one; two \"\"2\"\"\","
	    "\"dismissed\"\r\n");
	run.settings.no_code = true;
	check_csv(&run,
		  "{\"id\":\"i\",\"code_snippet\":\"x\",\"context_before\":\"x\","
		  "\"context_after\":\"x\",\"remediation_code\":\"x\",\"exploitable\":null}",
		  "\"i\",,,,,,,,,,,,,,,,,,,,,,false,,,,,,,,\"open\"\r\n");
}
END_TEST

static const struct {
	const char *title, *field;
} fields[] = {
    {"null", ""},
    {"\"\"", "\"\""},
    {"\"a \\\"b\\\" c\"", "\"a \"\"b\"\" c\""},
    {"\"a\\\\b\\/c\\tdef\"", "\"a\\b/c\tdef\""},
    {"\"one\\r\\ntwo\\rthree\\nfour\"", "\"one\ntwo\nthree\nfour\""},
    /* formulas */
    {"\"=1\"", "\"'=1\""},
    {"\"  +1\"", "\"'  +1\""},
    {"\" -1\"", "\"' -1\""},
    {"\"@x\"", "\"'@x\""},
    {"\"\\u003d1\"", "\"'=1\""},
    {"\"\xEF\xBC\x9D"
     "1\"",
     "\"'\xEF\xBC\x9D"
     "1\""},
    {"\"\xEF\xBC\x8B"
     "1\"",
     "\"'\xEF\xBC\x8B"
     "1\""},
    {"\"\xEF\xBC\x8D"
     "1\"",
     "\"'\xEF\xBC\x8D"
     "1\""},
    {"\"\xC2\xA0\xEF\xBC\xA0"
     "1\"",
     "\"'\xC2\xA0\xEF\xBC\xA0"
     "1\""},
    {"\"\\tx\"", "\"'\tx\""},
    {"\" \\nx\"", "\"' \nx\""},
    {"\"\\rx\"", "\"'\nx\""},
    {"\"\\u0000x\"", "\"'\xE2\x9F\xA8U+0000\xE2\x9F\xA9x\""},
    {"\"\xE1\x9A\x80=1\"", "\"'\xE1\x9A\x80=1\""},
    {"\"\xE2\x80\x83=1\"", "\"'\xE2\x80\x83=1\""},
    {"\"\xE2\x80\xAF=1\"", "\"'\xE2\x80\xAF=1\""},
    {"\"\xE2\x81\x9F=1\"", "\"'\xE2\x81\x9F=1\""},
    {"\"a=1\"", "\"a=1\""},
    {"\"\x7F=1\"", "\"\xE2\x9F\xA8U+007F\xE2\x9F\xA9=1\""},
    {"\"\\ud55c\\uad6d=1\"", "\"\xED\x95\x9C\xEA\xB5\xAD=1\""},
    {"\"'=1\"", "\"'=1\""},
    /* what acts on a terminal or deceives an eye */
    {"\"a\\u001b[1m\x7F\xC2\x9B\xE2\x80\xAE\\u202e\xEF\xBB\xBF\xEF\xBF\xBE\"",
     "\"a\xE2\x9F\xA8U+001B\xE2\x9F\xA9[1m\xE2\x9F\xA8U+007F\xE2\x9F\xA9\xE2\x9F\xA8U+009B"
     "\xE2\x9F\xA9\xE2\x9F\xA8U+202E\xE2\x9F\xA9\xE2\x9F\xA8U+202E\xE2\x9F\xA9\xE2\x9F\xA8U+FEFF"
     "\xE2\x9F\xA9\xE2\x9F\xA8U+FFFE\xE2\x9F\xA9\""},
    {"\"\xF0\x9F\x98\x80 \\ud83d\\ude00 \xC3\xA4\\u00e4\"",
     "\"\xF0\x9F\x98\x80 \xF0\x9F\x98\x80 \xC3\xA4\xC3\xA4\""},
    /* line breaks and tabs by their numbers */
    {"\"a\\u000a\\u000a\\u0009::b\\u000d\\u000ac\\u000dd\"",
     "\"a\n\n\t\xE2\x9F\xA8:\xE2\x9F\xA9:b\nc\nd\""},
    /* commands of CI systems */
    {"\"::error::x\\n\\u00a0 ::y a::b\"",
     "\"\xE2\x9F\xA8:\xE2\x9F\xA9:error::x\n\xC2\xA0 \xE2\x9F\xA8:\xE2\x9F\xA9:y a::b\""},
    {"\"\\u003a\\u003ax ##[a] #[b] ##\\u005bc\"",
     "\"\xE2\x9F\xA8:\xE2\x9F\xA9:x ##\xE2\x9F\xA8[\xE2\x9F\xA9"
     "a] #[b] "
     "##\xE2\x9F\xA8[\xE2\x9F\xA9"
     "c\""},
};

START_TEST(texts)
{
	struct report_run run = report_run_of(&rt_kind_csv);
	char *field = field_of(&run, fields[_i].title);

	ck_assert_str_eq(field, fields[_i].field);
	free(field);
}
END_TEST

START_TEST(raw)
{
	struct report_run run = report_run_of(&rt_kind_csv);
	char *field;

	run.settings.csv_raw = true;
	field = field_of(&run, "\"=1\"");
	ck_assert_str_eq(field, "\"=1\"");
	ck_assert_str_eq(run.notice,
			 "csv: texts that begin like formulas are not guarded (--csv-raw)");
	free(field);
}
END_TEST

/* Lists and notes are guarded by what they begin with, unless nothing is. */
START_TEST(joined)
{
	struct report_run run = report_run_of(&rt_kind_csv);

	run.settings.csv_raw = true;
	check_csv(&run, "{\"id\":\"i\",\"tags\":[\"=a\",\"b\"]}",
		  "\"i\",,,,,,,,,,,,,,,,,,,,\"=a; b\",,false,,,,,,,,\"open\"\r\n");
	run = report_run_of(&rt_kind_csv);
	check_csv(&run,
		  "{\"id\":\"i\",\"tags\":[ \"=a\" , \"=b\"],\"cwe_ids\":[\"a\",\"=b\"],"
		  "\"notes\":[{\"text\":\"+n\"}]}",
		  "\"i\",,,,,,,,,,,,,,,,,\"a; =b\",,,\"'=a; =b\",,false,,,,,,,\"'+n\",\"open\""
		  "\r\n");
}
END_TEST

/* 32,000 code points are a field, one more is cut; with csv_raw nothing is. */
START_TEST(cut)
{
	struct report_run run = report_run_of(&rt_kind_csv);
	size_t points = _i == 0 ? 32000 : 32001;
	char *title = malloc(2 * points + 3), *field;
	const char *mark = "\xE2\x80\xA6 \xE2\x9F\xA8"
			   "1 characters more\xE2\x9F\xA9\"";

	title[0] = '"';
	for (size_t i = 0; i < points; i++)
		memcpy(title + 1 + 2 * i, "\xC3\xA4", 2);
	memcpy(title + 1 + 2 * points, "\"", 2);
	run.settings.csv_raw = _i == 2;
	field = field_of(&run, title);
	if (_i == 1) {
		ck_assert_int_eq(strncmp(field, title, 64001), 0);
		ck_assert_str_eq(field + 64001, mark);
	} else {
		ck_assert_str_eq(field, title);
	}
	free(field);
	free(title);
}
END_TEST

/* A list is cut like a text: of this one 32,000 of 40,004 code points are left. */
START_TEST(cut_list)
{
	struct report_run run = report_run_of(&rt_kind_csv);
	char half[20001], *record, *row;
	int len;

	memset(half, 'x', sizeof(half) - 1);
	half[0] = '=';
	half[sizeof(half) - 1] = '\0';
	ck_assert_int_gt(
	    asprintf(&record, "{\"id\":\"i\",\"tags\":[\"%s\",\"%s\",\"\"]}", half, half), 0);
	run.settings.csv_raw = _i == 1;
	if (_i == 1)
		len = asprintf(&row,
			       "\"i\",,,,,,,,,,,,,,,,,,,,\"%s; %s; \",,false,,,,,,,,\"open\"\r\n",
			       half, half);
	else
		len = asprintf(&row,
			       "\"i\",,,,,,,,,,,,,,,,,,,,\"'%s; %.11998s\xE2\x80\xA6 \xE2\x9F\xA8"
			       "8004 characters more\xE2\x9F\xA9\",,false,,,,,,,,\"open\"\r\n",
			       half, half);
	ck_assert_int_gt(len, 0);
	check_csv(&run, record, row);
	free(record);
	free(row);
}
END_TEST

/* The mark of a command is found wherever the pieces end that a long text is written in. */
START_TEST(command_between_pieces)
{
	static const char *const heads[] = {"##", "##vso", "##TeamCity"};
	struct report_run run = report_run_of(&rt_kind_csv);

	run.settings.csv_raw = true;
	for (int before = 4080; before < 4100; before++) {
		char title[4200], want[4200], *field;

		(void)snprintf(title, sizeof(title), "\"%0*d%s[x\"", before, 0, heads[_i]);
		(void)snprintf(want, sizeof(want), "\"%0*d%s\xE2\x9F\xA8[\xE2\x9F\xA9x\"", before,
			       0, heads[_i]);
		field = field_of(&run, title);
		ck_assert_str_eq(field, want);
		free(field);
	}
}
END_TEST

/* Decoded text, as of counts: nothing in it is an escape, and a byte that is not UTF-8 no sign. */
START_TEST(decoded)
{
	static const struct {
		const char *text, *field;
	} rows[] = {
	    {"", "\"\""},
	    {"a\"b", "\"a\"\"b\""},
	    {"\xC2\xA0=1", "\"'\xC2\xA0=1\""},
	    {"\\u003d1", "\"\\u003d1\""},
	    {"\xFF=1", "\"\xEF\xBF\xBD=1\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rt_buf out = {0}, scratch = {0};
		struct rt_sink sink = rt_buf_sink(&out);
		struct rt_emit emit;
		struct rt_error err;

		rt_emit_init(&emit, &sink);
		ck_assert_int_eq(rt_csv_text(&emit,
					     rt_slice_make(rows[i].text, strlen(rows[i].text)),
					     false, &scratch, &err),
				 RT_OK);
		ck_assert_int_eq(rt_emit_finish(&emit, &err), RT_OK);
		ck_assert_msg(rt_slice_equal(rt_buf_slice(&out),
					     rt_slice_make(rows[i].field, strlen(rows[i].field))),
			      "%s: %.*s", rows[i].text, (int)out.len, out.data);
		rt_emit_release(&emit);
		rt_buf_release(&out);
		rt_buf_release(&scratch);
	}
}
END_TEST

/* What a field has to be, by way of the decoded text. */
static char *expected(struct rt_slice text)
{
	struct rt_buf masked = {0}, out = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_mask(text, RT_MASK_LINES_KEEP, &masked, &err), RT_OK);
	rt_buf_append(&out, "\"", 1, &err);
	for (size_t i = 0; i < masked.len; i++)
		rt_buf_append(&out, "\"\"", masked.data[i] == '"' ? 2 : 0, &err),
		    rt_buf_append(&out, masked.data + i, masked.data[i] == '"' ? 0 : 1, &err);
	rt_buf_append(&out, "\"", 2, &err);
	rt_buf_release(&masked);
	return out.data;
}

static unsigned random_below(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

/* Random texts of what is special and what is not, in JSON with and without escapes. */
START_TEST(ways_agree)
{
	static const char *const pieces[] = {"\\n",
					     "\\r",
					     "\\t",
					     " ",
					     ":",
					     "::",
					     "#",
					     "##[",
					     "##vso[",
					     "vso",
					     "teamcity",
					     "[",
					     "\\\"",
					     "\\\\",
					     "abcdefgh",
					     "x",
					     "\xC3\xA4",
					     "\xE2\x80\xAE",
					     "\x7F",
					     "\xC2\x85",
					     "\\u003a",
					     "\\u0023",
					     "\\u005B",
					     "\\ud83d\\ude00",
					     "\\u0001",
					     "\xEF\xBF\xBF",
					     "\\u0022",
					     "\\u00a0",
					     "0123456789012345"};
	struct report_run run = report_run_of(&rt_kind_csv);
	unsigned seed = (unsigned)_i + 1;

	run.settings.csv_raw = true;
	for (int round = 0; round < 200; round++) {
		struct rt_buf json = {0}, scratch = {0};
		unsigned count = random_below(&seed, round % 50 ? 30 : 3000);
		struct rt_slice text;
		struct rt_error err;
		char *field, *wanted;

		rt_buf_append(&json, "\"", 1, &err);
		for (unsigned i = 0; i < count; i++) {
			const char *piece =
			    pieces[random_below(&seed, sizeof(pieces) / sizeof(pieces[0]))];

			rt_buf_append(&json, piece, strlen(piece), &err);
		}
		rt_buf_append(&json, "\"", 2, &err);
		ck_assert_int_eq(rt_json_string_text(rt_slice_make(json.data + 1, json.len - 3),
						     &scratch, &text, &err),
				 RT_OK);
		field = field_of(&run, json.data);
		wanted = expected(text);
		ck_assert_msg(strcmp(field, wanted) == 0, "%s:\n%s\nnot\n%s", json.data, field,
			      wanted);
		free(field);
		free(wanted);
		rt_buf_release(&json);
		rt_buf_release(&scratch);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("kind_csv");
	TCase *tc = tcase_create("csv");

	tcase_add_test(tc, empty);
	tcase_add_test(tc, members);
	tcase_add_loop_test(tc, texts, 0, sizeof(fields) / sizeof(fields[0]));
	tcase_add_test(tc, raw);
	tcase_add_test(tc, joined);
	tcase_add_loop_test(tc, cut, 0, 3);
	tcase_add_loop_test(tc, cut_list, 0, 2);
	tcase_add_loop_test(tc, command_between_pieces, 0, 3);
	tcase_add_test(tc, decoded);
	tcase_add_loop_test(tc, ways_agree, 0, 10);
	suite_add_tcase(suite, tc);
	return suite;
}

RT_UNIT_MAIN(make_suite)
