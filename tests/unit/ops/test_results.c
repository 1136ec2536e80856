/*
 * Results of updates (contract 2.3, SPEC D7, D13, D15): the documents byte by byte, whatever was
 * executed before, and the same again.
 */
#include "ops/results.h"

#include <stdio.h>

#include "plan_make.h"
#include "record_make.h"

#define A "{\"issue_ids\":[\"a\"]"
#define NOT_FOUND ",\"error\":\"not_found\",\"message\":\"no issue has this id\"}"

/* Values of an issue's part of a document; NULL: null, and false for the flag. */
struct shown {
	const char *id, *severity, *false_positive, *exploitable, *updated_at, *title, *cvss_score;
};

static const struct {
	const char *what;
	const char *issues[4];
	const char *requests[4];
	unsigned updated, failed; /* of the last request */
	const char *failures;     /* its failed_issues */
	struct shown shown[3];    /* its updated_issues */
	unsigned unchanged;       /* of the updated ones */
} rows[] = {
    {"nothing found",
     {NULL},
     {"{\"issue_ids\":[\"b\",\"a\",\"b\"]}"},
     0,
     2,
     "{\"issue_id\":\"b\"" NOT_FOUND ",{\"issue_id\":\"a\"" NOT_FOUND,
     {{0}},
     0},
    {"an id with quotes",
     {NULL},
     {"{\"issue_ids\":[\"\\\"\\u0000\\u00e9\\n\"]}"},
     0,
     1,
     "{\"issue_id\":\"\\\"\\u0000\xC3\xA9\\n\"" NOT_FOUND,
     {{0}},
     0},
    {"nothing changes",
     {"{\"id\":\"a\",\"cvss_score\":9.80,\"title\":\"t\",\"x\":1}"},
     {A "}"},
     1,
     0,
     "",
     {{"a", .title = "\"t\"", .cvss_score = "9.80"}},
     1},
    {"members in any order, others among them",
     {"{\"x\":{\"severity\":1},\"exploitable\":true,\"severity\":\"low\",\"notes\":[1],\"id\":"
      "\"a\"}"},
     {A ",\"severity\":\"high\"}"},
     1,
     0,
     "",
     {{"a", "\"high\"", NULL, "true", "\"2025-01-01T00:00:00Z\"", NULL, NULL}},
     0},
    {"all members at once",
     {"{\"id\":\"a\",\"severity\":\"bogus\",\"false_positive\":null}"},
     {A ",\"severity\":\"info\",\"false_positive\":true,\"exploitable\":false,\"notes\":\"n\"}"},
     1,
     0,
     "",
     {{"a", "\"info\"", "true", "false", "\"2025-01-01T00:00:00Z\"", NULL, NULL}},
     0},
    {"a note alone",
     {"{\"id\":\"a\",\"updated_at\":\"never\"}"},
     {A ",\"notes\":\"\"}", A ",\"notes\":\"n\"}", A ",\"notes\":\"\"}"},
     1,
     0,
     "",
     {{"a", .updated_at = "\"2025-01-01T00:00:01Z\""}},
     1},
    {"as they are after that request",
     {"{\"id\":\"a\",\"severity\":\"low\"}", "{\"id\":\"b\",\"severity\":\"low\"}"},
     {"{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"high\"}", A ",\"severity\":\"low\"}",
      "{\"issue_ids\":[\"b\",\"x\",\"a\",\"b\"],\"severity\":\"high\"}"},
     2,
     1,
     "{\"issue_id\":\"x\"" NOT_FOUND,
     {{"b", .severity = "\"high\"", .updated_at = "\"2025-01-01T00:00:00Z\""},
      {"a", .severity = "\"high\"", .updated_at = "\"2025-01-01T00:00:02Z\""}},
     1},
    {"a flag and back",
     {"{\"id\":\"a\"}"},
     {A ",\"false_positive\":true}", A ",\"false_positive\":false}", A "}"},
     1,
     0,
     "",
     {{"a", .updated_at = "\"2025-01-01T00:00:01Z\""}},
     1},
    {"texts that look like members",
     {"{\"id\":\"a\",\"title\":\",\\\"severity\\\":\\\"low\\\"\",\"severity\":\"low\"}"},
     {A ",\"severity\":\"high\"}"},
     1,
     0,
     "",
     {{"a", .severity = "\"high\"", .updated_at = "\"2025-01-01T00:00:00Z\"",
       .title = "\",\\\"severity\\\":\\\"low\\\"\""}},
     0},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What an issue shows for a member. */
static const char *value_of(const struct shown *shown, enum rt_member m)
{
	const char *value = NULL;

	switch (m) {
	case RT_M_SEVERITY:
		value = shown->severity;
		break;
	case RT_M_FALSE_POSITIVE:
		return shown->false_positive ? shown->false_positive : "false";
	case RT_M_EXPLOITABLE:
		value = shown->exploitable;
		break;
	case RT_M_UPDATED_AT:
		value = shown->updated_at;
		break;
	case RT_M_TITLE:
		value = shown->title;
		break;
	case RT_M_CVSS_SCORE:
		value = shown->cvss_score;
		break;
	default:
		break;
	}
	return value ? value : "null";
}

/* The whole document that the last request of a row is answered with. */
static void document_of(size_t row, char *text, size_t cap)
{
	size_t len =
	    (size_t)snprintf(text, cap,
			     "{\"updated_count\":%u,\"failed_count\":%u,\"failed_issues\":[%s],"
			     "\"updated_issues\":[",
			     rows[row].updated, rows[row].failed, rows[row].failures);

	for (size_t i = 0; i < 3 && rows[row].shown[i].id; i++) {
		const struct shown *shown = &rows[row].shown[i];

		len += (size_t)snprintf(text + len, cap - len, "%s{\"id\":\"%s\"", i ? "," : "",
					shown->id);
		for (enum rt_member m = RT_M_ID + 1; m < RT_ISSUE_MEMBERS; m++)
			len += (size_t)snprintf(text + len, cap - len, ",\"%s\":%s",
						rt_member_name(m).ptr, value_of(shown, m));
		len += (size_t)snprintf(text + len, cap - len, "}");
	}
	(void)snprintf(text + len, cap - len, "]}");
}

/* Results of a row's plan, its issues kept; their texts are gone by now. */
static struct rt_results *results_of(size_t row, const struct rt_plan *plan)
{
	struct rt_results *results = NULL;
	struct rt_error err;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	for (size_t i = 0; rows[row].issues[i]; i++) {
		struct made made;

		made_init(&made, RT_KIND_ISSUE, rows[row].issues[i]);
		ck_assert_int_eq(rt_results_keep(results, rt_plan_find(plan, made.record.id),
						 &made.record, RT_SLICE(""), &err),
				 RT_OK);
		made_release(&made);
	}
	return results;
}

static void expect_last(size_t row, struct rt_results *results, uint32_t last, const char *how)
{
	struct rt_result result;
	struct rt_error err;
	char want[4096];

	document_of(row, want, sizeof(want));
	ck_assert_int_eq(rt_results_run(results, last, &result, &err), RT_OK);
	ck_assert_msg(result.text.len == strlen(want) &&
			  memcmp(result.text.ptr, want, result.text.len) == 0,
		      "%s, %s:\nwant %s\nhave %.*s", rows[row].what, how, want,
		      (int)result.text.len, result.text.ptr);
	ck_assert_uint_eq(result.updated_count, rows[row].updated);
	ck_assert_uint_eq(result.failed_count, rows[row].failed);
	ck_assert_msg(result.unchanged_count == rows[row].unchanged, "%s: %u unchanged",
		      rows[row].what, result.unchanged_count);
}

/* The last one by itself, after all before it, and once more after those again. */
START_TEST(table)
{
	struct rt_plan *plan = plan_of(rows[_i].requests);
	struct rt_results *results = results_of((size_t)_i, plan);
	uint32_t last = rt_plan_steps(plan) - 1;
	struct rt_result result;
	struct rt_error err;

	expect_last((size_t)_i, results, last, "alone");
	for (int round = 0; round < 2; round++) {
		for (uint32_t step = 0; step < last; step++)
			ck_assert_int_eq(rt_results_run(results, step, &result, &err), RT_OK);
		expect_last((size_t)_i, results, last, "after the others");
	}
	rt_results_free(results);
	rt_plan_free(plan);
}
END_TEST

/* An update that is executed after a later one finds the issue as it was before that. */
START_TEST(backwards)
{
	static const char *const requests[] = {A ",\"severity\":\"high\"}", A ",\"notes\":\"n\"}",
					       NULL};
	struct rt_plan *plan = plan_of(requests);
	struct rt_results *results = NULL;
	struct rt_result result;
	struct rt_error err;
	struct made made;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	made_init(&made, RT_KIND_ISSUE, "{\"id\":\"a\",\"severity\":\"low\"}");
	ck_assert_int_eq(rt_results_keep(results, 0, &made.record, RT_SLICE(""), &err), RT_OK);
	made_release(&made);
	ck_assert_int_eq(rt_results_run(results, 1, &result, &err), RT_OK);
	ck_assert_ptr_nonnull(strstr(result.text.ptr, "\"updated_at\":\"2025-01-01T00:00:01Z\""));
	ck_assert_int_eq(rt_results_run(results, 0, &result, &err), RT_OK);
	ck_assert_ptr_nonnull(strstr(result.text.ptr, "\"updated_at\":\"2025-01-01T00:00:00Z\""));
	ck_assert_uint_eq(result.unchanged_count, 0);
	rt_results_free(results);
	rt_plan_free(plan);
}
END_TEST

/* Whether a result has an issue whose title is a letter so many times. */
static bool has_title(struct rt_slice result, char letter, int len)
{
	const char *title = memmem(result.ptr, result.len, "\"title\":\"", 9);
	int same = 0;

	while (title && title[9 + same] == letter)
		same++;
	return same == len;
}

/* The request for an issue that is named by its number. */
static void request_of(int number, char *text, size_t cap)
{
	(void)snprintf(text, cap, "{\"issue_ids\":[\"%d\"],\"exploitable\":true}", number);
}

/* Issues come and go in any order, long ones among them: those that are kept stay what they are. */
START_TEST(dropped)
{
	enum { ISSUES = 600, LONG = 300 * 1024 };
	struct rt_results *results = NULL;
	struct rt_plan *plan = NULL;
	bool kept[ISSUES] = {false};
	char *text = malloc(LONG + 64);
	struct rt_error err;
	unsigned seed = 11;

	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (int i = 0; i < ISSUES; i++) {
		request_of(i, text, LONG);
		plan_add(plan, text, plan_time(0));
	}
	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	for (int round = 0; round < 4000; round++) {
		int i = rand_r(&seed) % ISSUES, len = i % 50 ? i * 20 + 1 : LONG;
		struct rt_result result;
		struct made made;

		if (kept[i] && rand_r(&seed) % 2) {
			ck_assert_int_eq(rt_results_run(results, (uint32_t)i, &result, &err),
					 RT_OK);
			ck_assert_msg(has_title(result.text, (char)('a' + i % 26), len),
				      "issue %d has become another", i);
			rt_results_drop(results, (uint32_t)i);
			rt_results_drop(results, (uint32_t)i);
			ck_assert(rt_results_has(results, (uint32_t)i));
		} else {
			int used = sprintf(text, "{\"id\":\"%d\",\"title\":\"", i);

			memset(text + used, 'a' + i % 26, (size_t)len);
			strcpy(text + used + len, "\"}");
			made_init(&made, RT_KIND_ISSUE, text);
			ck_assert_int_eq(
			    rt_results_keep(results, (uint32_t)i, &made.record, RT_SLICE(""), &err),
			    RT_OK);
			made_release(&made);
		}
		kept[i] = !kept[i];
	}
	rt_results_free(results);
	rt_plan_free(plan);
	free(text);
}
END_TEST

/* Arrays and strings stand in a result without blanks, and as we spell them. */
START_TEST(spelled)
{
	static const char *const forms[][2] = {
	    {"{\"id\":\"a\",\"cwe_ids\": [ \"CWE, 1\" ,\n\"\\\"]\\n\" ],\"tags\":[ \t]}",
	     "\"cwe_ids\":[\"CWE, 1\",\"\\\"]\\n\"],"},
	    {"{\"id\":\"a\",\"tags\": [\"b\"\r\n,\"c\"]}", "\"tags\":[\"b\",\"c\"],"},
	    {"{\"id\":\"a\",\"tags\": [ \"\\u0041\", \"\\/\" ],\"title\":\"t\"}",
	     "\"tags\":[\"A\",\"/\"],"},
	    {"{\"id\":\"a\",\"tags\": [ ],\"title\":\"\\u0041\x7F\"}", "\"title\":\"A\\u007f\","},
	    {"{\"id\":\"a\",\"tags\": [ ],\"title\":\"\\/\"}", "\"tags\":[],"},
	};
	static const char *const requests[] = {A "}", NULL};
	struct rt_plan *plan = plan_of(requests);
	struct rt_results *results = NULL;
	struct rt_result result;
	struct rt_error err;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *want = forms[i][1];
		struct made made;

		made_init(&made, RT_KIND_ISSUE, forms[i][0]);
		ck_assert_int_eq(rt_results_keep(results, 0, &made.record, RT_SLICE(""), &err),
				 RT_OK);
		made_release(&made);
		ck_assert_int_eq(rt_results_run(results, 0, &result, &err), RT_OK);
		ck_assert_msg(memmem(result.text.ptr, result.text.len, want, strlen(want)) != NULL,
			      "want %s, have %.*s", want, (int)result.text.len, result.text.ptr);
	}
	rt_results_free(results);
	rt_plan_free(plan);
}
END_TEST

/* A data set delivers the second issue of an id before it says that there are two. */
START_TEST(kept_twice)
{
	static const char *const requests[] = {A "}", NULL};
	struct rt_plan *plan = plan_of(requests);
	struct rt_results *results = NULL;
	struct rt_result result;
	struct rt_error err;

	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	for (int i = 0; i < 2; i++) {
		struct made made;

		made_init(&made, RT_KIND_ISSUE,
			  i ? "{\"id\":\"a\",\"title\":\"2\"}" : "{\"id\":\"a\",\"title\":\"1\"}");
		ck_assert_int_eq(rt_results_keep(results, 0, &made.record, RT_SLICE(""), &err),
				 RT_OK);
		made_release(&made);
	}
	ck_assert_int_eq(rt_results_run(results, 0, &result, &err), RT_OK);
	ck_assert_uint_eq(result.updated_count, 1);
	ck_assert_ptr_nonnull(memmem(result.text.ptr, result.text.len, "\"title\":\"2\"", 11));
	rt_results_free(results);
	rt_plan_free(plan);
}
END_TEST

/* An issue as long as records get, and a hundred of them in one result. */
START_TEST(large)
{
	enum { IDS = 100, BYTES = 20000 };
	char *text = malloc(BYTES + 64), ids[IDS * 8 + 64] = "{\"issue_ids\":[", title[BYTES + 1];
	const char *requests[] = {ids, NULL};
	struct rt_results *results = NULL;
	struct rt_result result;
	struct rt_error err;
	struct rt_plan *plan;

	ck_assert_ptr_nonnull(text);
	memset(title, 'x', BYTES);
	title[BYTES] = '\0';
	for (int i = 0; i < IDS; i++)
		sprintf(ids + strlen(ids), "%s\"i%d\"", i ? "," : "", i);
	strcat(ids, "],\"severity\":\"high\"}");
	plan = plan_of(requests);
	ck_assert_int_eq(rt_results_new(plan, &results, &err), RT_OK);
	for (int i = 0; i < IDS; i++) {
		struct made made;

		snprintf(text, BYTES + 64, "{\"id\":\"i%d\",\"title\":\"%s\"}", i, title);
		made_init(&made, RT_KIND_ISSUE, text);
		ck_assert_int_eq(
		    rt_results_keep(results, (uint32_t)i, &made.record, RT_SLICE(""), &err), RT_OK);
		made_release(&made);
	}
	ck_assert_int_eq(rt_results_run(results, 0, &result, &err), RT_OK);
	ck_assert_uint_eq(result.updated_count, IDS);
	ck_assert_uint_gt(result.text.len, (size_t)IDS * BYTES);
	ck_assert_mem_eq(result.text.ptr + result.text.len - 2, "]}", 2);
	rt_results_free(results);
	rt_plan_free(plan);
	free(text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("results");
	TCase *tcase = tcase_create("results");

	tcase_add_loop_test(tcase, table, 0, ROWS);
	tcase_add_test(tcase, backwards);
	tcase_add_test(tcase, dropped);
	tcase_add_test(tcase, spelled);
	tcase_add_test(tcase, kept_twice);
	tcase_add_test(tcase, large);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
