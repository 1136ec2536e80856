/*
 * Filters: each rule of WORKFLOW section 4 against records that fulfil it, nearly do, or have
 * nothing there; groups; what is no expression; the words that it is shown in.
 */
#include "engine/filter.h"

#include <stdio.h>

#include "record_make.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* 2026-01-31T12:00:00Z */
static const struct rt_field_source source = {.at = INT64_C(1769860800)};

#define TERMS_MAX 8u

/* "where X", "not X" and "or", one after the other; ends with NULL. */
static size_t terms_of(const char *const *texts, struct rt_term *terms)
{
	size_t count = 0;

	for (; texts[count]; count++) {
		const char *text = texts[count];

		if (strcmp(text, "or") == 0)
			terms[count] = (struct rt_term){RT_TERM_OR, NULL};
		else if (strncmp(text, "not ", 4) == 0)
			terms[count] = (struct rt_term){RT_TERM_NOT, text + 4};
		else
			terms[count] = (struct rt_term){RT_TERM_WHERE, text};
	}
	return count;
}

static enum rt_status pick(const char *const *texts, const char *json, const char *notes,
			   bool *ret_picked, struct rt_error *err)
{
	struct rt_term terms[TERMS_MAX];
	size_t count = terms_of(texts, terms);
	struct rt_filter *filter = NULL;
	struct rt_finding finding;
	struct made made;
	enum rt_status status = rt_filter_new(terms, count, &source, &filter, err);

	if (status != RT_OK)
		return status;
	made_init(&made, RT_KIND_ISSUE, json);
	finding = rt_finding_of(&made.record, rt_slice_make(notes, notes ? strlen(notes) : 0), 0);
	status = rt_filter_pick(filter, &finding, ret_picked, err);
	made_release(&made);
	rt_filter_free(filter);
	return status;
}

/* One expression and the values of its member that it is fulfilled by, and not; "" is no member. */
static const struct {
	const char *expr, *member;
	const char *yes[8], *no[12];
} rows[] = {
    /* Texts, byte by byte. */
    {"category=a", "category", {"\"a\"", "\"\\u0061\""}, {"", "null", "\"A\"", "\"\"", "\"aa\""}},
    {"category=", "category", {"\"\""}, {"", "null", "\"a\"", "\" \""}},
    {"category", "category", {"\"\"", "\"a\""}, {"", "null"}},
    {"category=a,b", "category", {"\"a\"", "\"b\""}, {"\"a,b\"", "\"c\"", "\"\""}},
    {"category=a,", "category", {"\"a\"", "\"\""}, {"\"a,\"", "null"}},
    {"category=a\\,b", "category", {"\"a,b\""}, {"\"a\"", "\"b\""}},
    {"category=a\\\\b", "category", {"\"a\\\\b\""}, {"\"ab\""}},
    {"category=a\\..b", "category", {"\"a..b\""}, {"\"ab\"", "\"aa\""}},
    {"category=b..d", "category", {"\"b\"", "\"c\"", "\"d\""}, {"\"a\"", "\"da\"", "", "null"}},
    {"category=b..", "category", {"\"b\"", "\"z\"", "\"\xC3\xA4\""}, {"\"a\"", "\"B\""}},
    {"category=..b", "category", {"\"b\"", "\"\"", "\"B\""}, {"\"ba\"", ""}},
    {"category=a=b~c", "category", {"\"a=b~c\""}, {"\"a\""}},
    {"category=*", "category", {"\"*\""}, {"\"a\"", "\"\""}},
    {"category=\xC3\xA4", "category", {"\"\xC3\xA4\"", "\"\\u00e4\""}, {"\"a\""}},
    {"category=x\xF0\x9F\x90\x9F", "category", {"\"x\\ud83d\\udc1f\""}, {"\"x\""}},
    {"id=z", "id", {"\"z\"", "\"\\u007a\""}, {"\"zz\""}},
    /* Levels by rank, and any other text. */
    {"severity=high", "severity", {"\"high\"", "\"h\\u0069gh\""}, {"\"High\"", "\"low\"", "null"}},
    {"severity=High", "severity", {"\"High\""}, {"\"high\"", ""}},
    {"severity=", "severity", {"\"\""}, {"\"high\"", "", "null"}},
    {"severity=high..",
     "severity",
     {"\"critical\"", "\"high\""},
     {"\"medium\"", "\"High\"", "null", "", "\"\"", "\"zzz\""}},
    {"severity=..low", "severity", {"\"low\"", "\"info\""}, {"\"medium\"", "null", "\"a\""}},
    {"severity=medium..high",
     "severity",
     {"\"medium\"", "\"high\""},
     {"\"critical\"", "\"low\"", "\"mediun\""}},
    {"severity=critical,low",
     "severity",
     {"\"critical\"", "\"low\""},
     {"\"high\"", "\"medium\"", "\"info\""}},
    {"severity~(?i)^HIGH$", "severity", {"\"High\"", "\"high\""}, {"\"highs\"", "null", ""}},
    /* Numbers, exactly. */
    {"line_number=9007199254740993",
     "line_number",
     {"9007199254740993"},
     {"9007199254740992", "9007199254740994", "null", ""}},
    {"cvss_score=9.8", "cvss_score", {"9.8", "9.80", "98e-1", "0.98E1"}, {"9.81", "9.79999", "9"}},
    {"cvss_score=7..8", "cvss_score", {"7", "7.0", "7.5", "8.000"}, {"6.9999", "8.0001", "-7.5"}},
    {"cvss_score=-1..", "cvss_score", {"-1", "0", "1e400"}, {"-1.1", "-1e400", "null"}},
    {"cvss_score=..-1", "cvss_score", {"-1", "-2"}, {"0", "-0.5"}},
    {"cvss_score=0", "cvss_score", {"0", "-0", "0.0", "0e5"}, {"1e-400", "null", ""}},
    {"cvss_score=1e400", "cvss_score", {"1e400", "10e399"}, {"1e401", "1e99999999999999999999"}},
    {"cvss_score", "cvss_score", {"0", "1"}, {"null", ""}},
    {"confidence=0.1000000000000000000001",
     "confidence",
     {"0.1000000000000000000001", "0.10000000000000000000010"},
     {"0.1", "0.1000000000000000000002"}},
    {"line_number=1,5..7", "line_number", {"1", "5", "6", "7"}, {"2", "4", "8"}},
    /* Flags: null is not false but for false_positive. */
    {"false_positive", "false_positive", {"true"}, {"false", "null", ""}},
    {"false_positive=true", "false_positive", {"true"}, {"false", "null", ""}},
    {"false_positive=false", "false_positive", {"false", "null", ""}, {"true"}},
    {"exploitable", "exploitable", {"true"}, {"false", "null", ""}},
    {"exploitable=false", "exploitable", {"false"}, {"true", "null", ""}},
    {"exploitable=true,false", "exploitable", {"true", "false"}, {"null", ""}},
    /* Dates as instants. */
    {"created_at=2025-03-01",
     "created_at",
     {"\"2025-03-01\"", "\"2025-03-01T23:59:59.999Z\"", "\"2025-03-02T01:00+02:00\"",
      "\"2025-03-01 00:00\"", "\"2025-02-28T23:00:00-01:00\"", "\"2025-03-01T00:00:00\\u005a\""},
     {"\"2025-03-02\"", "\"2025-03-02T00:00:00Z\"", "\"2025-03-01T00:30+01:00\"", "\"2025-02-30\"",
      "\"\"", "\"2025-03-01x\"", "null", "", "\"2025-03-01T24:00:00Z\""}},
    {"created_at=2025-03-01T12:00:00Z",
     "created_at",
     {"\"2025-03-01T12:00\"", "\"2025-03-01T13:00:00.000+01\""},
     {"\"2025-03-01T12:00:00.001Z\"", "\"2025-03-01\""}},
    {"created_at=2025-01-01..",
     "created_at",
     {"\"2025-01-01\"", "\"2026-01-01\""},
     {"\"2024-12-31T23:59:59.999999999Z\"", "\"soon\"", "null", ""}},
    {"created_at=..2025-01-01",
     "created_at",
     {"\"2025-01-01T23:59:59.9Z\"", "\"2024-01-01\""},
     {"\"2025-01-02\"", "\"\""}},
    {"created_at=..2025-01-01T12:00:00.5Z",
     "created_at",
     {"\"2025-01-01T12:00:00.500Z\"", "\"2025-01-01T12:00:00.49Z\""},
     {"\"2025-01-01T12:00:00.50001Z\""}},
    {"created_at=2025-01-01..2025-01-01",
     "created_at",
     {"\"2025-01-01T23:59:59Z\""},
     {"\"2025-01-02\"", "\"2024-12-31\""}},
    {"created_at=-30d..",
     "created_at",
     {"\"2026-01-01T12:00:00Z\"", "\"2027-01-01\""},
     {"\"2026-01-01T11:59:59.9Z\"", "\"2026-01-01\"", ""}},
    {"created_at=..-30d",
     "created_at",
     {"\"2026-01-01T12:00:00Z\"", "\"2025-01-01\""},
     {"\"2026-01-01T12:00:00.1Z\""}},
    {"created_at=", "created_at", {"\"\""}, {"\"2025-01-01\"", "null", ""}},
    {"scan_created_at=2025-03-01..", "scan_created_at", {"\"2025-03-01\""}, {"\"2025-02-01\""}},
    {"updated_at~^2025", "updated_at", {"\"2025-02-30\""}, {"\"2026\"", "null"}},
    {"updated_at", "updated_at", {"\"never\""}, {"null", ""}},
    /* Whole days up to the present. */
    {"age=30",
     "created_at",
     {"\"2026-01-01T12:00:00Z\"", "\"2025-12-31T12:00:00.5Z\"", "\"2026-01-01\""},
     {"\"2026-01-01T12:00:00.5Z\"", "\"2025-12-31T12:00:00Z\"", "\"never\"", "null", ""}},
    {"age=0", "created_at", {"\"2026-01-31T12:00:00Z\"", "\"2030-01-01\""}, {"\"2026-01-30\""}},
    {"age=90..", "created_at", {"\"2025-11-02T12:00:00Z\"", "\"0000-01-01\""}, {"\"2025-11-03\""}},
    {"age=..7", "created_at", {"\"2026-01-24\"", "\"2030-01-01\""}, {"\"2026-01-23\"", "", "null"}},
    {"age", "created_at", {"\"2026-01-24\""}, {"\"x\"", "null", ""}},
    /* Weaknesses by number. */
    {"cwe_ids=79",
     "cwe_ids",
     {"[\"CWE-79\"]", "[\"cwe-079\"]", "[\"79\"]", "[\"CWE-79: Cross-site\"]",
      "[\"external/cwe/cwe-079\"]", "[\"CWE-1\",\"CWE-79\"]", "[\"\\u0043WE-79\"]",
      "[\"CWE: 1 cwe_0079\"]"},
     {"[]", "null", "", "[\"CWE-790\"]", "[\"CWE-7\"]", "[\"79 x\"]", "[\"CWE-\"]", "[\"cwe\"]",
      "[\"xcwe-79\",\"cve-79\",\"cwx-79\",\"xxe-79\",\"9cwe-79\",\"0cwe-79\"]", "[\"\"]"}},
    {"cwe_ids=CWE-0079", "cwe_ids", {"[\"cwe79\"]", "[ \"1\" , \"79\" ]"}, {"[\"CWE-80\"]"}},
    {"cwe_ids=70..80", "cwe_ids", {"[\"CWE-70\"]", "[\"CWE-080\"]"}, {"[\"CWE-81\"]", "[\"NVD\"]"}},
    {"cwe_ids=0..5", "cwe_ids", {"[\"CWE-0\"]", "[\"005\"]"}, {"[\"CWE-6\"]", "[\"x\"]"}},
    {"cwe_ids=NVD-CWE-Other", "cwe_ids", {"[\"NVD-CWE-Other\"]"}, {"[\"CWE-1\"]", "[]"}},
    {"cwe_ids=99999999999999999999",
     "cwe_ids",
     {"[\"CWE-99999999999999999999\"]"},
     {"[\"CWE-9\"]"}},
    {"cwe_ids=0", "cwe_ids", {"[\"CWE-000\"]"}, {"[\"CWE-1\"]", "[\"x\"]"}},
    {"cwe_ids=", "cwe_ids", {"[\"\"]", "[\"a\",\"\"]"}, {"[]", "[\"a\"]", "null"}},
    {"cwe_ids~-79$", "cwe_ids", {"[\"CWE-79\"]"}, {"[\"CWE-790\"]", "[]", "null", ""}},
    {"cwe_ids", "cwe_ids", {"[]", "[\"\"]"}, {"null", ""}},
    {"tags=a,b", "tags", {"[\"a\"]", "[\"x\",\"b\"]", "[\"\\u0062\"]"}, {"[]", "[\"ab\"]", "null"}},
    {"tags~^a", "tags", {"[\"x\",\"ab\"]"}, {"[\"ba\"]", "[]", ""}},
    /* Paths. */
    {"file_path=vendor/**",
     "file_path",
     {"\"vendor/a\"", "\"vendor/a/b.c\"", "\"vendor/\""},
     {"\"vendor\"", "\"a/vendor/b\"", "\"Vendor/a\"", "null", ""}},
    {"file_path=**/x", "file_path", {"\"x\"", "\"a/x\"", "\"a/b/x\""}, {"\"ax\"", "\"x/y\""}},
    {"file_path=*.c", "file_path", {"\"a.c\""}, {"\"a/b.c\"", "\"a.cc\""}},
    {"file_path=a?c", "file_path", {"\"abc\"", "\"a\\u00e4c\""}, {"\"a/c\"", "\"ac\""}},
    {"file_path=[ab].c", "file_path", {"\"a.c\""}, {"\"c.c\"", "\"[ab].c\""}},
    {"file_path=\\[ab].c", "file_path", {"\"[ab].c\""}, {"\"a.c\""}},
    {"file_path=a\\*", "file_path", {"\"a*\""}, {"\"ab\"", "\"a\\\\*\""}},
    {"file_path=*\\**", "file_path", {"\"a*b\"", "\"*\""}, {"\"ab\""}},
    {"file_path=*.{c,h}", "file_path", {"\"a.{c\"", "\"h}\""}, {"\"a.c\"", "\"a.h\""}},
    {"file_path=../*", "file_path", {"\"../a\""}, {"\"a\"", "\"\""}},
    {"file_path=../lib/x.c", "file_path", {"\"../lib/x.c\""}, {"\"/a\"", "\"a\"", "\"../lib\""}},
    {"file_path=../../x,a/../b",
     "file_path",
     {"\"../../x\"", "\"a/../b\""},
     {"\"../x\"", "\"a\"", "\"aa\""}},
    {"file_path=src/..", "file_path", {"\"src/\"", "\"t\""}, {"\"src\""}},
    {"file_path=..src/b", "file_path", {"\"src/b\"", "\"a\"", "\"..src/b\""}, {"\"src/c\""}},
    {"file_path=..\\/b", "file_path", {"\"/b\"", "\"/a\"", "\"../b\""}, {"\"a\"", "\"/c\""}},
    {"file_path=a/..b", "file_path", {"\"a/\"", "\"a/..b\""}, {"\"c\""}},
    {"file_path=[a\\,b]", "file_path", {"\"a\"", "\",\"", "\"b\""}, {"\"c\""}},
    {"file_path=src/a.c", "file_path", {"\"src/a.c\"", "\"src\\/a.c\""}, {"\"src/aXc\""}},
    {"file_path~\\.c$", "file_path", {"\"a/b.c\""}, {"\"a.cc\"", "null"}},
    /* Regular expressions take the rest as it is. */
    {"title~a,b", "title", {"\"xa,by\""}, {"\"a\"", "\"b\""}},
    {"title~a=b\\..", "title", {"\"a=b.c\""}, {"\"a=bc\""}},
    {"title~", "title", {"\"\"", "\"a\""}, {"null", ""}},
    {"title~^\\x{202E}", "title", {"\"\\u202ex\""}, {"\"x\""}},
    {"description~(?i)sql.*injection", "description", {"\"An SQL Injection\""}, {"\"sql\""}},
};

static void check_row(size_t row, const char *value, bool expected)
{
	const char *texts[] = {rows[row].expr, NULL};
	char json[256], negated[256];
	struct rt_error err;
	bool picked;

	if (*value)
		(void)snprintf(json, sizeof(json), "{\"%s\":%s}", rows[row].member, value);
	else
		(void)snprintf(json, sizeof(json), "{\"%s\":\"x\"}", "scan_id");
	ck_assert_int_eq(pick(texts, json, NULL, &picked, &err), RT_OK);
	ck_assert_msg(picked == expected, "%s of %s", rows[row].expr, json);
	(void)snprintf(negated, sizeof(negated), "not %s", rows[row].expr);
	texts[0] = negated;
	ck_assert_int_eq(pick(texts, json, NULL, &picked, &err), RT_OK);
	ck_assert_msg(picked != expected, "%s of %s", negated, json);
}

START_TEST(expressions)
{
	for (size_t i = 0; i < COUNT(rows[_i].yes) && rows[_i].yes[i]; i++)
		check_row((size_t)_i, rows[_i].yes[i], true);
	for (size_t i = 0; i < COUNT(rows[_i].no) && rows[_i].no[i]; i++)
		check_row((size_t)_i, rows[_i].no[i], false);
}
END_TEST

static const struct {
	const char *expr, *notes;
	bool picked;
} note_rows[] = {
    {"notes", NULL, false},
    {"notes", "[]", false},
    {"notes", "[{\"added_at\":null,\"text\":\"a\"}]", true},
    {"notes=a", "[{\"added_at\":null,\"text\":\"a\"}]", true},
    {"notes=a", "[{\"added_at\":\"x\",\"text\":\"b\"}, {\"text\":\"\\u0061\"}]", true},
    {"notes=a", "[{\"te\\u0078\\u0074\":\"a\"}]", true},
    {"notes=a", "[{\"added_at\":\"a\",\"text\":\"b\"}]", false},
    {"notes~exp:2026", "[{\"added_at\":null,\"text\":\"vendored exp:2026-12-31\"}]", true},
    {"notes~exp:", NULL, false},
    {"not notes~exp:", NULL, true},
    {"notes=", "[{\"text\":\"\"}]", true},
};

START_TEST(notes)
{
	const char *texts[] = {note_rows[_i].expr, NULL};
	struct rt_error err;
	bool picked;

	ck_assert_int_eq(pick(texts, "{\"id\":\"a\"}", note_rows[_i].notes, &picked, &err), RT_OK);
	ck_assert_msg(picked == note_rows[_i].picked, "%s of %s", note_rows[_i].expr,
		      note_rows[_i].notes ? note_rows[_i].notes : "none");
}
END_TEST

static const struct {
	const char *terms[TERMS_MAX];
	const char *json;
	bool picked;
} groups[] = {
    {{NULL}, "{}", true},
    {{"category=a", "severity=low"}, "{\"category\":\"a\",\"severity\":\"low\"}", true},
    {{"category=a", "severity=low"}, "{\"category\":\"a\",\"severity\":\"info\"}", false},
    {{"category=a", "severity=low"}, "{\"category\":\"b\",\"severity\":\"low\"}", false},
    {{"category=a", "not severity=low"}, "{\"category\":\"a\"}", true},
    {{"category=a", "or", "category=b"}, "{\"category\":\"a\"}", true},
    {{"category=a", "or", "category=b"}, "{\"category\":\"b\"}", true},
    {{"category=a", "or", "category=b"}, "{\"category\":\"c\"}", false},
    {{"category=a", "severity=low", "or", "category=b", "not exploitable"},
     "{\"category\":\"a\",\"severity\":\"high\",\"exploitable\":false}",
     false},
    {{"category=a", "severity=low", "or", "category=b", "not exploitable"},
     "{\"category\":\"b\",\"severity\":\"high\"}",
     true},
    {{"category=a", "severity=low", "or", "category=b", "not exploitable"},
     "{\"category\":\"b\",\"severity\":\"low\",\"exploitable\":true}",
     false},
    {{"category=a", "or", "category=b", "or", "category=c"}, "{\"category\":\"c\"}", true},
    {{"category=a", "or", "category=b", "severity=low", "or", "category=c"},
     "{\"category\":\"b\"}",
     false},
};

START_TEST(grouped)
{
	struct rt_error err;
	bool picked;

	ck_assert_int_eq(pick(groups[_i].terms, groups[_i].json, NULL, &picked, &err), RT_OK);
	ck_assert_int_eq(picked, groups[_i].picked);
}
END_TEST

#define FIELDS                                                                                     \
	"id, scan_id, file_path, line_number, category, severity, confidence, title, "             \
	"description, column_start, column_end, explanation, code_snippet, context_before, "       \
	"context_after, remediation, remediation_code, cwe_ids, owasp_category, cvss_score, "      \
	"tags, model_used, false_positive, exploitable, created_at, updated_at, repo_name, "       \
	"scan_status, scan_created_at, notes, age, status, baseline, reason, expires, overdue, "   \
	"folder or owner"
#define BACKSLASH                                                                                  \
	"want \\\\ for a backslash; a single one comes before one of , \\ .. * ? [ that is "       \
	"meant literally"
#define EACH_OR "each --or needs a --where or --not before and after it"

static const struct {
	const char *terms[4];
	const char *field, *message;
} bad[] = {
    {{"sevrity=high"}, "--where sevrity=high", "want " FIELDS ", have \"sevrity\""},
    {{""}, "--where ", "want " FIELDS ", have \"\""},
    {{"not =x"}, "--not =x", "want " FIELDS ", have \"\""},
    {{"Severity"}, "--where Severity", "want " FIELDS ", have \"Severity\""},
    {{"severity =high"}, "--where severity =high", "want " FIELDS ", have \"severity \""},
    {{"severity=hihg.."},
     "--where severity=hihg..",
     "want one of the levels critical, high, medium, low and info, have \"hihg\""},
    {{"severity=critical..low"},
     "--where severity=critical..low",
     "want the lower end of a range first, or \\.. for two dots, have \"critical..low\""},
    {{"category=b..a"},
     "--where category=b..a",
     "want the lower end of a range first, or \\.. for two dots, have \"b..a\""},
    {{"category=src/../a.c"},
     "--where category=src/../a.c",
     "want the lower end of a range first, or \\.. for two dots, have \"src/../a.c\""},
    {{"category=a..b..c"},
     "--where category=a..b..c",
     "want FROM..TO, FROM.. or ..TO, or \\.. for two dots, have \"a..b..c\""},
    {{"category=.."},
     "--where category=..",
     "want FROM..TO, FROM.. or ..TO, or \\.. for two dots, have \"..\""},
    {{"category=a\\"}, "--where category=a\\", BACKSLASH},
    {{"file_path=C:\\src\\*.c"}, "--where file_path=C:\\src\\*.c", BACKSLASH},
    {{"line_number=x"}, "--where line_number=x", "want a number, have \"x\""},
    {{"line_number="}, "--where line_number=", "want a number, have \"\""},
    {{"line_number=1,"}, "--where line_number=1,", "want a number, have \"\""},
    {{"line_number=007"}, "--where line_number=007", "want a number, have \"007\""},
    {{"line_number=1..x"}, "--where line_number=1..x", "want a number, have \"x\""},
    {{"cvss_score=1e9999999999"},
     "--where cvss_score=1e9999999999",
     "want a number, have \"1e9999999999\""},
    {{"cvss_score=9..7"},
     "--where cvss_score=9..7",
     "want the lower end of a range first, or \\.. for two dots, have \"9..7\""},
    {{"cvss_score~9"},
     "--where cvss_score~9",
     "want ~ only with a field of text, have \"cvss_score~9\""},
    {{"age~9"}, "--where age~9", "want ~ only with a field of text, have \"age~9\""},
    {{"exploitable~t"},
     "--where exploitable~t",
     "want ~ only with a field of text, have \"exploitable~t\""},
    {{"exploitable=yes"}, "--where exploitable=yes", "want true or false, have \"yes\""},
    {{"exploitable="}, "--where exploitable=", "want true or false, have \"\""},
    {{"exploitable=false..true"},
     "--where exploitable=false..true",
     "want true or false, have \"false\""},
    {{"created_at=soon"},
     "--where created_at=soon",
     "want a date, a date-time or -30d for 30 days ago, have \"soon\""},
    {{"created_at=2025-02-30.."},
     "--where created_at=2025-02-30..",
     "want a date, a date-time or -30d for 30 days ago, have \"2025-02-30\""},
    {{"created_at=-3xd"},
     "--where created_at=-3xd",
     "want a date, a date-time or -30d for 30 days ago, have \"-3xd\""},
    {{"created_at=2025-02-02..2025-02-01"},
     "--where created_at=2025-02-02..2025-02-01",
     "want the lower end of a range first, or \\.. for two dots, have "
     "\"2025-02-02..2025-02-01\""},
    {{"created_at=2025-02-05..2025-02-01"},
     "--where created_at=2025-02-05..2025-02-01",
     "want the lower end of a range first, or \\.. for two dots, have "
     "\"2025-02-05..2025-02-01\""},
    {{"created_at=-3/d.."},
     "--where created_at=-3/d..",
     "want a date, a date-time or -30d for 30 days ago, have \"-3/d\""},
    {{"created_at=..-30e"},
     "--where created_at=..-30e",
     "want a date, a date-time or -30d for 30 days ago, have \"-30e\""},
    {{"created_at=-9999999999999999999999d.."},
     "--where created_at=-9999999999999999999999d..",
     "want a date, a date-time or -30d for 30 days ago, have \"-9999999999999999999999d\""},
    {{"created_at=-99999999d.."},
     "--where created_at=-99999999d..",
     "want a date, a date-time or -30d for 30 days ago, have \"-99999999d\""},
    {{"created_at=-30d"},
     "--where created_at=-30d",
     "want days ago as the end of a range, as in -30d.., have \"-30d\""},
    {{"cwe_ids=x.."},
     "--where cwe_ids=x..",
     "want the number of a weakness, as in 79 or CWE-79, have \"x\""},
    {{"file_path=[a"},
     "--where file_path=[a",
     "want a glob of at most 1024 bytes with each [ closed, have \"[a\""},
    {{"title~("},
     "--where title~(",
     "the regular expression is wrong at byte 2: missing closing parenthesis"},
    {{"title=\xFF"}, "--where title=\xFF", "want UTF-8, have another encoding"},
    {{"or", "category"}, "", EACH_OR},
    {{"category", "or"}, "", EACH_OR},
    {{"category", "or", "or", "title"}, "", EACH_OR},
    {{"or"}, "", EACH_OR},
};

START_TEST(refused)
{
	struct rt_error err;
	bool picked;

	ck_assert_int_eq(pick(bad[_i].terms, "{}", NULL, &picked, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.message, bad[_i].message);
	ck_assert_str_eq(err.field, bad[_i].field);
}
END_TEST

/* Too many steps are no answer: not with --not either, and the issue and the field are named. */
START_TEST(steps)
{
	static const char json[] =
	    "{\"id\":\"iss-1\",\"title\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}";
	const char *texts[2][2] = {{"title~(a+)+$", NULL}, {"not title~(a+)+$", NULL}};
	struct rt_error err;
	bool picked;

	ck_assert_int_eq(pick(texts[_i], json, NULL, &picked, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.record, "issue \"iss-1\"");
	ck_assert_str_eq(err.field, "title");
}
END_TEST

START_TEST(shown)
{
	const char *const texts[] = {"severity=high..",  "not file_path=vendor/**", "or",
				     "title~it's (a|b)", "category=\xC3\xA4",       NULL};
	struct rt_term terms[TERMS_MAX];
	size_t count = terms_of(texts, terms);
	struct rt_filter *filter;
	struct rt_error err;
	struct rt_slice text;

	ck_assert_int_eq(rt_filter_new(terms, count, &source, &filter, &err), RT_OK);
	text = rt_filter_text(filter);
	ck_assert_msg(rt_slice_equal(text, RT_SLICE("--where severity=high.. --not "
						    "'file_path=vendor/**' --or --where "
						    "'title~it'\\''s (a|b)' --where "
						    "'category=\xC3\xA4'")),
		      "%.*s", (int)text.len, text.ptr);
	ck_assert(!rt_filter_wants_notes(filter));
	rt_filter_free(filter);
	ck_assert_int_eq(rt_filter_new(NULL, 0, &source, &filter, &err), RT_OK);
	ck_assert_uint_eq(rt_filter_text(filter).len, 0);
	rt_filter_free(filter);
	terms[0] = (struct rt_term){RT_TERM_NOT, "notes=x"};
	ck_assert_int_eq(rt_filter_new(terms, 1, &source, &filter, &err), RT_OK);
	ck_assert(rt_filter_wants_notes(filter));
	rt_filter_free(filter);
}
END_TEST

START_TEST(fields)
{
	ck_assert_str_eq(rt_filter_field(0), "id");
	ck_assert_str_eq(rt_filter_field(28), "scan_created_at");
	ck_assert_str_eq(rt_filter_field(29), "notes");
	ck_assert_str_eq(rt_filter_field(30), "age");
	ck_assert_str_eq(rt_filter_field(31), "status");
	ck_assert_str_eq(rt_filter_field(32), "baseline");
	ck_assert_str_eq(rt_filter_field(33), "reason");
	ck_assert_str_eq(rt_filter_field(34), "expires");
	ck_assert_str_eq(rt_filter_field(35), "overdue");
	ck_assert_str_eq(rt_filter_field(36), "folder");
	ck_assert_str_eq(rt_filter_field(37), "owner");
	ck_assert_str_eq(rt_filter_field(38), "rule");
	ck_assert_str_eq(rt_filter_field(47), "updated");
	ck_assert_str_eq(rt_filter_field(48), "until");
	ck_assert_ptr_null(rt_filter_field(49));
}
END_TEST

static Suite *make(void)
{
	Suite *suite = suite_create("filter");
	TCase *tcase = tcase_create("filter");

	tcase_add_loop_test(tcase, expressions, 0, COUNT(rows));
	tcase_add_loop_test(tcase, notes, 0, COUNT(note_rows));
	tcase_add_loop_test(tcase, grouped, 0, COUNT(groups));
	tcase_add_loop_test(tcase, refused, 0, COUNT(bad));
	tcase_add_loop_test(tcase, steps, 0, 2);
	tcase_add_test(tcase, shown);
	tcase_add_test(tcase, fields);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
