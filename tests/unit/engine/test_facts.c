/*
 * Facts: counts, ages and overdue ones, what occurs most, and the limit on distinct texts.
 */
#include "engine/facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "record_make.h"

static struct rt_error err;

static uint32_t sla[RT_LEVELS] = {RT_SLA_NONE, RT_SLA_NONE, RT_SLA_NONE,
				  RT_SLA_NONE, RT_SLA_NONE, RT_SLA_NONE};

static struct rt_tallying *tallying_make(bool has_at, int64_t at, uint32_t days, uint64_t distinct)
{
	static const struct rt_siphash_key key = {1, 2};
	struct rt_tallying *tallying;
	struct rt_limits limits;

	sla[1] = days;
	rt_limits_init(&limits);
	limits.distinct_bytes = distinct;
	ck_assert_int_eq(rt_tallying_new(sla, has_at, at, &limits, &key, &tallying, &err), RT_OK);
	return tallying;
}

static enum rt_status add(struct rt_tallying *tallying, const char *text)
{
	struct rt_finding finding;
	enum rt_status status;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, text);
	finding = rt_finding_of(&made.record, (struct rt_slice){0}, 0);
	status = rt_tallying_add(tallying, &finding, &err);
	made_release(&made);
	return status;
}

/* 2026-06-15T12:00:00Z */
#define NOW INT64_C(1781524800)

static const struct {
	const char *what, *created_at; /* JSON */
	unsigned bucket;               /* RT_AGE_BUCKETS - 1: unknown */
	uint32_t days;
	bool overdue; /* after 30 days */
} ages[] = {
    {"now", "\"2026-06-15T12:00:00Z\"", 0, 0, false},
    {"a second less than a day", "\"2026-06-14T12:00:01Z\"", 0, 0, false},
    {"a day", "\"2026-06-14T12:00:00Z\"", 0, 1, false},
    {"a fraction less than a day", "\"2026-06-14T12:00:00.001Z\"", 0, 0, false},
    {"with an offset", "\"2026-06-14T14:00:00+02:00\"", 0, 1, false},
    {"7 days", "\"2026-06-08T12:00:00Z\"", 0, 7, false},
    {"8 days", "\"2026-06-07T12:00:00Z\"", 1, 8, false},
    {"30 days", "\"2026-05-16T12:00:00Z\"", 1, 30, false},
    {"31 days", "\"2026-05-15T12:00:00Z\"", 2, 31, true},
    {"90 days", "\"2026-03-17\"", 2, 90, true},
    {"91 days", "\"2026-03-16\"", 3, 91, true},
    {"180 days", "\"2025-12-17\"", 3, 180, true},
    {"181 days", "\"2025-12-16\"", 4, 181, true},
    {"long ago", "\"0000-01-01\"", 4, 740147, true},
    {"later", "\"2026-06-16\"", 0, 0, false},
    {"no date", "\"yesterday\"", 5, RT_AGE_UNKNOWN, false},
    {"null", "null", 5, RT_AGE_UNKNOWN, false},
    {"an escape", "\"2026-06\\u002d08T12:00:00Z\"", 0, 7, false},
};

#define AGES (sizeof(ages) / sizeof(ages[0]))

/* Counted to a day that is given, and to the newest scan, which is known only in the end. */
START_TEST(age)
{
	for (int has_at = 0; has_at < 2; has_at++) {
		struct rt_tallying *tallying = tallying_make(has_at, NOW, 30, RT_LIMIT_DISTINCT);
		struct rt_facts facts = {0};
		char text[256];

		snprintf(text, sizeof(text),
			 "{\"id\":\"a\",\"severity\":\"high\",\"created_at\":%s}",
			 ages[_i].created_at);
		ck_assert_int_eq(add(tallying, text), RT_OK);
		ck_assert_int_eq(add(tallying, "{\"id\":\"b\",\"false_positive\":true,"
					       "\"created_at\":\"2020-01-01\","
					       "\"scan_created_at\":\"2026-06-15T12:00:00.5Z\"}"),
				 RT_OK);
		rt_tallying_finish(tallying, &facts);
		ck_assert(facts.has_at && facts.at == NOW);
		for (unsigned i = 0; i < RT_AGE_BUCKETS; i++)
			ck_assert_msg(facts.ages[i][1] == (i == ages[_i].bucket), "%s: bucket %u",
				      ages[_i].what, i);
		ck_assert_msg(facts.oldest_days == ages[_i].days, "%s: %" PRIu32, ages[_i].what,
			      facts.oldest_days);
		ck_assert_msg(facts.overdue == ages[_i].overdue &&
				  facts.overdue_levels[1] == ages[_i].overdue,
			      "%s: overdue", ages[_i].what);
		ck_assert_msg(rt_facts_undated(&facts, sla) == (ages[_i].days == RT_AGE_UNKNOWN),
			      "%s: undated", ages[_i].what);
		rt_tallying_free(tallying);
	}
}
END_TEST

START_TEST(no_day)
{
	struct rt_tallying *tallying = tallying_make(false, 0, 1, RT_LIMIT_DISTINCT);
	struct rt_facts facts = {.excluded = 7};

	ck_assert_int_eq(add(tallying, "{\"id\":\"a\",\"severity\":\"high\","
				       "\"created_at\":\"2020-01-01\"}"),
			 RT_OK);
	rt_tallying_finish(tallying, &facts);
	ck_assert(!facts.has_at && facts.ages[RT_AGE_BUCKETS - 1][1] == 1 && facts.overdue == 0);
	ck_assert_uint_eq(facts.oldest_days, RT_AGE_UNKNOWN);
	ck_assert_uint_eq(facts.excluded, 7);
	ck_assert_uint_eq(facts.scan_first.len, 0);
	rt_tallying_free(tallying);
}
END_TEST

static void expect_row(struct rt_tally tally, size_t at, const char *text, uint64_t open,
		       uint64_t all)
{
	const struct rt_tally_row *row = &tally.rows[at];

	ck_assert(at < tally.count);
	ck_assert_msg(rt_slice_equal(row->text, rt_slice_make(text, strlen(text))) &&
			  row->open == open && row->all == all,
		      "row %zu: want %s, have %.*s", at, text, (int)row->text.len, row->text.ptr);
}

START_TEST(tallies)
{
	static const char *const issues[] = {
	    "{\"id\":\"1\",\"category\":\"b\",\"severity\":\"high\",\"file_path\":\"f\","
	    "\"scan_created_at\":\"2026-01-02\",\"created_at\":\"2026-01-01\"}",
	    "{\"id\":\"2\",\"category\":\"\\u0062\",\"severity\":\"High\",\"exploitable\":true,"
	    "\"scan_created_at\":\"2026-01-01T23:30:00-01:00\",\"created_at\":\"2025-01-01\"}",
	    "{\"id\":\"3\",\"category\":\"a\",\"severity\":null,\"repo_name\":\"r\","
	    "\"scan_created_at\":\"no date\"}",
	    "{\"id\":\"4\",\"category\":\"c\",\"severity\":\"low\"}",
	    "{\"id\":\"5\",\"category\":\"c\",\"severity\":\"low\",\"false_positive\":true,"
	    "\"exploitable\":true,\"created_at\":\"2000-01-01\"}",
	    "{\"id\":\"6\",\"category\":\"d\",\"severity\":\"High\",\"false_positive\":true}",
	    "{\"id\":\"7\",\"category\":null,\"severity\":\"low\",\"false_positive\":true}",
	    "{\"id\":\"8\",\"category\":\"\",\"severity\":\"\",\"exploitable\":false}",
	};
	struct rt_tallying *tallying = tallying_make(false, 0, 10, RT_LIMIT_DISTINCT);
	struct rt_facts facts = {0};

	for (size_t i = 0; i < sizeof(issues) / sizeof(issues[0]); i++)
		ck_assert_int_eq(add(tallying, issues[i]), RT_OK);
	rt_tallying_finish(tallying, &facts);
	ck_assert(facts.total == 8 && facts.open == 5 && facts.exploitable == 1);
	ck_assert(facts.levels[3] == 3 && facts.open_levels[3] == 1);
	ck_assert(facts.levels[RT_LEVEL_OTHER] == 4 && facts.open_levels[RT_LEVEL_OTHER] == 3);
	ck_assert(facts.no_severity == 1 && facts.open_no_severity == 1);
	ck_assert_uint_eq(facts.severity_count, 2);
	ck_assert(facts.severities[1].count == 2 && facts.severities[1].open == 1);
	ck_assert_uint_eq(facts.categories.count, 5);
	expect_row(facts.categories, 0, "b", 2, 2);
	expect_row(facts.categories, 1, "", 1, 2);
	expect_row(facts.categories, 2, "c", 1, 2);
	expect_row(facts.categories, 3, "a", 1, 1);
	expect_row(facts.categories, 4, "d", 0, 1);
	ck_assert(facts.categories.rows[0].levels[1] == 1 &&
		  facts.categories.rows[0].levels[RT_LEVEL_OTHER] == 1);
	expect_row(facts.repos, 0, "", 4, 7);
	expect_row(facts.repos, 1, "r", 1, 1);
	expect_row(facts.files, 1, "f", 1, 1);
	ck_assert(rt_slice_equal(facts.scan_first, RT_SLICE("2026-01-02T00:00:00Z")));
	ck_assert(rt_slice_equal(facts.scan_last, RT_SLICE("2026-01-02T00:30:00Z")));
	ck_assert(rt_slice_equal(facts.oldest_id, RT_SLICE("2")));
	ck_assert_uint_eq(facts.oldest_days, 366);
	ck_assert_uint_eq(facts.overdue, 0);
	rt_tallying_free(tallying);
}
END_TEST

/* For a gate: of many texts none is kept. */
START_TEST(severities_alone)
{
	static const struct rt_siphash_key key = {1, 2};
	struct rt_tallying *tallying;
	struct rt_facts facts = {0};
	struct rt_limits limits;
	char text[128];

	rt_limits_init(&limits);
	limits.distinct_bytes = 16 * RT_KIB;
	ck_assert_int_eq(rt_tallying_new(NULL, true, NOW, &limits, &key, &tallying, &err), RT_OK);
	for (size_t i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text),
			 "{\"id\":\"a\",\"severity\":\"%s\",\"file_path\":\"f%zu\","
			 "\"created_at\":\"2020-01-01\"}",
			 i % 2 ? "High" : "high", i);
		ck_assert_int_eq(add(tallying, text), RT_OK);
	}
	rt_tallying_finish(tallying, &facts);
	ck_assert(facts.open == 5000 && facts.levels[1] == 2500 && facts.severity_count == 1);
	ck_assert(facts.files.count == 0 && facts.overdue == 0 && facts.oldest_id.len == 0);
	rt_tallying_free(tallying);
}
END_TEST

/* What two have counted is what one would have, unless it may have come to the limit. */
START_TEST(merged)
{
	static const char *const texts[] = {
	    "{\"id\":\"a\",\"severity\":\"high\",\"exploitable\":true}",
	    "{\"id\":\"a\",\"severity\":\"high\",\"false_positive\":true}",
	    "{\"id\":\"a\",\"severity\":\"odd\"}",
	    "{\"id\":\"a\",\"severity\":\"Odd\",\"false_positive\":true}",
	    "{\"id\":\"a\",\"severity\":null}",
	    "{\"id\":\"a\",\"severity\":\"low\"}",
	    "{\"id\":\"a\",\"severity\":\"odd\"}",
	    "{\"id\":\"a\"}",
	};
	static const struct rt_siphash_key key = {1, 2};
	struct rt_tallying *all[3];
	struct rt_facts facts[2] = {{.at = 0}, {.at = 0}};
	struct rt_limits limits;

	rt_limits_init(&limits);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(rt_tallying_new(NULL, true, NOW, &limits, &key, &all[i], &err),
				 RT_OK);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(add(all[0], texts[i]), RT_OK);
		ck_assert_int_eq(add(all[1 + i / 3 % 2], texts[i]), RT_OK);
	}
	ck_assert_int_eq(rt_tallying_merge(all[1], all[2], &err), RT_OK);
	rt_tallying_finish(all[0], &facts[0]);
	rt_tallying_finish(all[1], &facts[1]);
	ck_assert_mem_eq(facts[1].levels, facts[0].levels, sizeof(facts[0].levels));
	ck_assert_mem_eq(facts[1].open_levels, facts[0].open_levels, sizeof(facts[0].open_levels));
	ck_assert(facts[1].total == 8 && facts[1].open == 6 && facts[1].exploitable == 1);
	ck_assert(facts[1].no_severity == 2 && facts[1].open_no_severity == 2);
	ck_assert(facts[1].severity_count == 2 && facts[0].severity_count == 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(rt_slice_equal(facts[1].severities[i].text, facts[0].severities[i].text));
		ck_assert_uint_eq(facts[1].severities[i].count, facts[0].severities[i].count);
		ck_assert_uint_eq(facts[1].severities[i].open, facts[0].severities[i].open);
	}
	for (size_t i = 0; i < 3; i++)
		rt_tallying_free(all[i]);
}
END_TEST

/* Severities for which there is just room: in some other order there may be none. */
START_TEST(merged_near_limit)
{
	static const struct rt_siphash_key key = {1, 2};
	unsigned fine = 0, doubtful = 0;
	struct rt_limits limits;
	char text[64];

	rt_limits_init(&limits);
	for (limits.distinct_bytes = 16 * RT_KIB; limits.distinct_bytes < 64 * RT_KIB;
	     limits.distinct_bytes += 512) {
		struct rt_tallying *all[2];
		enum rt_status status = RT_OK;

		for (size_t i = 0; i < 2; i++)
			ck_assert_int_eq(
			    rt_tallying_new(NULL, true, NOW, &limits, &key, &all[i], &err), RT_OK);
		for (size_t i = 0; status == RT_OK && i < 150; i++) {
			snprintf(text, sizeof(text), "{\"id\":\"a\",\"severity\":\"s%zu\"}", i);
			status = add(all[1], text);
		}
		if (status == RT_OK) {
			status = rt_tallying_merge(all[0], all[1], &err);
			fine += status == RT_OK;
			doubtful += status == RT_END;
		}
		rt_tallying_free(all[0]);
		rt_tallying_free(all[1]);
	}
	ck_assert_msg(fine > 0 && doubtful > 0, "%u fine, %u doubtful", fine, doubtful);
}
END_TEST

/* Distinct texts have a limit; equal ones have none. */
START_TEST(limit)
{
	struct rt_tallying *tallying = tallying_make(true, 0, 1, 64 * RT_KIB);
	enum rt_status status = RT_OK;
	size_t added = 0;
	char text[64];

	for (size_t i = 0; i < 5000; i++)
		ck_assert_int_eq(add(tallying, "{\"id\":\"a\",\"file_path\":\"same\"}"), RT_OK);
	while (status == RT_OK && added < 5000) {
		snprintf(text, sizeof(text), "{\"id\":\"a\",\"file_path\":\"f%zu\"}", added++);
		status = add(tallying, text);
	}
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_msg(added > 100 && added < 1000, "%zu", added);
	rt_tallying_free(tallying);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("facts");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, age, 0, AGES);
	tcase_add_test(tcase, no_day);
	tcase_add_test(tcase, tallies);
	tcase_add_test(tcase, limit);
	tcase_add_test(tcase, severities_alone);
	tcase_add_test(tcase, merged);
	tcase_add_test(tcase, merged_near_limit);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
