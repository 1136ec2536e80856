/*
 * The summary's counts: levels, other severities, categories, what stands for a missing value,
 * false positives, and the limit that its maps share (SPEC D9).
 */
#include "engine/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "record_make.h"
#include "unit.h"

static const struct rt_siphash_key test_key = {3, 4};

static void summary_make(struct rt_summary *summary, size_t recent, uint64_t distinct)
{
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	if (distinct)
		limits.distinct_bytes = distinct;
	ck_assert_int_eq(rt_summary_init(summary, recent, &limits, &test_key, &err), RT_OK);
}

/* Add an issue. members: after its id. */
static enum rt_status add(struct rt_summary *summary, const char *members, struct rt_error *err)
{
	struct rt_finding finding;
	enum rt_status status;
	struct made made;
	char text[256];

	memset(err, 0, sizeof(*err));
	snprintf(text, sizeof(text), "{\"id\":\"a\",%s}", members);
	made_init(&made, RT_KIND_ISSUE, text);
	finding = rt_finding_of(&made.record, (struct rt_slice){0}, 0);
	status = rt_summary_add(summary, &finding, err);
	made_release(&made);
	return status;
}

/* The counts as one line: "critical high medium low info | other=n ... | category=n ...". */
static void show(struct rt_summary *summary, char *text, size_t cap)
{
	const struct rt_counts *maps[] = {&summary->severities, &summary->categories};
	size_t len = 0;

	for (size_t i = 0; i < RT_SEVERITY_LEVELS; i++)
		len += (size_t)snprintf(text + len, cap - len, "%" PRIu64 " ", summary->levels[i]);
	for (size_t m = 0; m < 2; m++) {
		len += (size_t)snprintf(text + len, cap - len, "|");
		for (size_t i = 0; i < maps[m]->used; i++)
			len +=
			    (size_t)snprintf(text + len, cap - len, " %.*s=%" PRIu64,
					     (int)maps[m]->slots[i].text.len,
					     maps[m]->slots[i].text.ptr, maps[m]->slots[i].count);
	}
}

/* The counts of a map add up to all issues. */
static void assert_sums(const char *what, const struct rt_summary *summary)
{
	uint64_t severities = 0, categories = 0;

	for (size_t i = 0; i < RT_SEVERITY_LEVELS; i++)
		severities += summary->levels[i];
	for (size_t i = 0; i < summary->severities.used; i++)
		severities += summary->severities.slots[i].count;
	for (size_t i = 0; i < summary->categories.used; i++)
		categories += summary->categories.slots[i].count;
	ck_assert_msg(severities == summary->total, "%s: severities", what);
	ck_assert_msg(categories == summary->total, "%s: categories", what);
}

static const struct {
	const char *what;
	const char *issues[8];
	const char *shown;
	uint64_t false_positives;
} rows[] = {
    {"nothing", {NULL}, "0 0 0 0 0 ||", 0},
    {"every level",
     {"\"severity\":\"info\",\"category\":\"a\"", "\"severity\":\"low\",\"category\":\"a\"",
      "\"severity\":\"medium\",\"category\":\"a\"", "\"severity\":\"high\",\"category\":\"a\"",
      "\"severity\":\"critical\",\"category\":\"a\"", "\"severity\":\"high\",\"category\":\"a\"",
      "\"severity\":\"info\",\"category\":\"a\""},
     "1 2 1 1 2 || a=7",
     0},
    {"categories in byte order",
     {"\"severity\":\"low\",\"category\":\"xss\"", "\"severity\":\"low\",\"category\":\"Xss\"",
      "\"severity\":\"low\",\"category\":\"\"", "\"severity\":\"low\",\"category\":\"sqli\"",
      "\"severity\":\"low\",\"category\":\"xss\"",
      "\"severity\":\"low\",\"category\":\"\xC3\xA4\""},
     "0 0 0 6 0 || =1 Xss=1 sqli=1 xss=2 \xC3\xA4=1",
     0},
    {"no category",
     {"\"severity\":\"low\"", "\"severity\":\"low\",\"category\":null",
      "\"severity\":\"low\",\"category\":\"unknown\""},
     "0 0 0 3 0 || unknown=3",
     0},
    {"no severity",
     {"\"category\":\"a\"", "\"severity\":null,\"category\":\"a\"",
      "\"severity\":\"unknown\",\"category\":\"a\""},
     "0 0 0 0 0 | unknown=3| a=3",
     0},
    {"other severities, in byte order",
     {"\"severity\":\"urgent\",\"category\":\"a\"", "\"severity\":\"High\",\"category\":\"a\"",
      "\"severity\":\"\",\"category\":\"a\"", "\"severity\":\"high \",\"category\":\"a\"",
      "\"severity\":\"hig\",\"category\":\"a\"", "\"severity\":\"urgent\",\"category\":\"a\""},
     "0 0 0 0 0 | =1 High=1 hig=1 high =1 urgent=2| a=6",
     0},
    {"escapes",
     {"\"severity\":\"\\u0068igh\",\"category\":\"a\\tb\"",
      "\"severity\":\"high\",\"category\":\"a\\u0009b\"",
      "\"severity\":\"h\\u0020\",\"category\":\"\\u0061\\u0062\""},
     "0 2 0 0 0 | h =1| a\tb=2 ab=1",
     0},
    {"a level and a NUL is no level",
     {"\"severity\":\"low\\u0000\",\"category\":\"a\""},
     "0 0 0 0 0 | low=1| a=1",
     0},
    {"false positives count in all, too",
     {"\"severity\":\"low\",\"category\":\"a\",\"false_positive\":true",
      "\"severity\":\"low\",\"category\":\"a\",\"false_positive\":false",
      "\"severity\":\"low\",\"category\":\"a\",\"false_positive\":null",
      "\"severity\":\"low\",\"category\":\"a\"",
      "\"severity\":\"low\",\"category\":\"a\",\"false_positive\":true"},
     "0 0 0 5 0 || a=5",
     2},
};

START_TEST(table)
{
	struct rt_summary summary;
	struct rt_error err;
	char shown[512];
	size_t count = 0;

	summary_make(&summary, 2, 0);
	for (; count < 8 && rows[_i].issues[count]; count++)
		ck_assert_int_eq(add(&summary, rows[_i].issues[count], &err), RT_OK);
	rt_summary_sort(&summary);
	show(&summary, shown, sizeof(shown));
	ck_assert_msg(strcmp(shown, rows[_i].shown) == 0, "%s: %s", rows[_i].what, shown);
	ck_assert_uint_eq(summary.total, count);
	ck_assert_uint_eq(summary.recent.count, count < 2 ? count : 2);
	ck_assert_msg(summary.false_positives == rows[_i].false_positives, "%s: %" PRIu64,
		      rows[_i].what, summary.false_positives);
	assert_sums(rows[_i].what, &summary);
	rt_summary_release(&summary);
}
END_TEST

/* Open are those whose false_positive is not true: of a level, of another severity, of a category.
 */
START_TEST(open)
{
	static const char *const issues[] = {
	    "\"severity\":\"low\",\"category\":\"a\",\"false_positive\":true",
	    "\"severity\":\"low\",\"category\":\"a\",\"false_positive\":false",
	    "\"severity\":\"low\",\"category\":\"b\",\"false_positive\":null",
	    "\"severity\":\"x\",\"category\":\"b\",\"false_positive\":true",
	    "\"severity\":\"x\",\"category\":\"b\"",
	};
	struct rt_summary summary;
	struct rt_error err;

	summary_make(&summary, 0, 0);
	for (size_t i = 0; i < sizeof(issues) / sizeof(issues[0]); i++)
		ck_assert_int_eq(add(&summary, issues[i], &err), RT_OK);
	rt_summary_sort(&summary);
	ck_assert_uint_eq(summary.levels[3], 3);
	ck_assert_uint_eq(summary.open_levels[3], 2);
	ck_assert_uint_eq(summary.severities.slots[0].count, 2);
	ck_assert_uint_eq(summary.severities.slots[0].open, 1);
	ck_assert_uint_eq(summary.categories.slots[0].open, 1);
	ck_assert_uint_eq(summary.categories.slots[1].count, 3);
	ck_assert_uint_eq(summary.categories.slots[1].open, 2);
	ck_assert_uint_eq(summary.total - summary.false_positives, 3);
	rt_summary_release(&summary);
}
END_TEST

START_TEST(level_names)
{
	static const char *const names[] = {"critical", "high", "medium", "low", "info"};

	ck_assert_uint_eq(RT_SEVERITY_LEVELS, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < RT_SEVERITY_LEVELS; i++)
		ck_assert(rt_slice_equal(rt_severity_level(i),
					 rt_slice_make(names[i], strlen(names[i]))));
}
END_TEST

/* Distinct values of either member, or of both, run into the one limit. */
static const struct {
	const char *what;
	bool severity, category; /* changes from issue to issue */
} floods[] = {
    {"categories", false, true},
    {"severities", true, false},
    {"both", true, true},
};

START_TEST(limit)
{
	enum { DISTINCT = 100000 };
	struct rt_summary summary;
	struct rt_error err = {0};
	enum rt_status status = RT_OK;
	int n = 0;

	summary_make(&summary, 0, DISTINCT);
	for (; status == RT_OK && n < DISTINCT; n++) {
		char text[128];

		snprintf(text, sizeof(text), "\"severity\":\"value %d\",\"category\":\"value %d\"",
			 floods[_i].severity ? n : 0, floods[_i].category ? n : 0);
		status = add(&summary, text, &err);
	}
	ck_assert_msg(status == RT_FATAL, "%s: %d values taken", floods[_i].what, n);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want distinct values of at most 100000 "
				      "bytes (limit \"distinct\"), have more");
	ck_assert_uint_le(summary.distinct.bytes, DISTINCT);
	/* It was not refused long before. */
	ck_assert_uint_ge(summary.distinct.bytes, DISTINCT / 3);
	rt_summary_release(&summary);
}
END_TEST

START_TEST(limit_recent)
{
	struct rt_limits limits;
	struct rt_summary summary;
	struct rt_error err;

	rt_limits_init(&limits);
	limits.recent_bytes = 10;
	ck_assert_int_eq(rt_summary_init(&summary, 5, &limits, &test_key, &err), RT_OK);
	ck_assert_int_eq(add(&summary, "\"title\":\"longer than ten\"", &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_uint_eq(summary.total, 0);
	rt_summary_release(&summary);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("summary");
	TCase *tcase = tcase_create("summary");

	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, open);
	tcase_add_test(tcase, level_names);
	tcase_add_loop_test(tcase, limit, 0, sizeof(floods) / sizeof(floods[0]));
	tcase_add_test(tcase, limit_recent);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
