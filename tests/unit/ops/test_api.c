/*
 * The public functions refuse calls that cannot be meant: no path, no request, no journal, more
 * recent issues than there may be. A program that builds its list of paths from nothing must not
 * be told that there are no findings.
 */
#include "retriage.h"

#include "scratch.h"

static struct rt_error err;
static struct rt_options options;
static const char *paths[2];
static unsigned written; /* calls of the sink */

static enum rt_status count_write(void *ctx, const void *data, size_t len, struct rt_error *e)
{
	(void)ctx;
	(void)data;
	(void)len;
	(void)e;
	written++;
	return RT_OK;
}

static const struct rt_sink sink = {count_write, NULL};
static struct rt_style style;

static enum rt_status call_summary(void)
{
	return rt_summary(&options, RT_RECENT_DEFAULT, 0, style, &sink, &err);
}

static enum rt_status call_recent(void)
{
	return rt_summary(&options, RT_RECENT_MAX + 1, 0, style, &sink, &err);
}

static enum rt_status call_partial(void)
{
	return rt_partial(&options, RT_RECENT_MAX + 1, NULL, &sink, &err);
}

static enum rt_status report(const struct rt_report_output *outputs, size_t count)
{
	struct rt_report asked;
	bool pass;

	rt_report_init(&asked);
	asked.outputs = outputs;
	asked.output_count = count;
	return rt_report(&options, &asked, &sink, &pass, &err);
}

static enum rt_status call_list(void)
{
	const struct rt_list list = {.form = (enum rt_list_form)7};
	struct rt_list_counts counts;

	return rt_list(&options, &list, style, &sink, &counts, &err);
}

static enum rt_status call_report(void)
{
	return report(NULL, 0);
}

static enum rt_status call_report_kind(void)
{
	const struct rt_report_output outputs[] = {{"csv", "-"}, {"csw", "x"}};

	return report(outputs, 2);
}

static enum rt_status call_rulesets(void)
{
	return rt_rulesets(&options, NULL, false, style, &sink, &err);
}

static enum rt_status call_validate(void)
{
	uint64_t faults;

	return rt_validate(&options, RT_KIND_ANY, style, &sink, NULL, NULL, &faults, &err);
}

static enum rt_status call_validate_kind(void)
{
	uint64_t faults;

	return rt_validate(&options, (enum rt_kind)3, style, &sink, NULL, NULL, &faults, &err);
}

static enum rt_status call_validate_requests(void)
{
	uint64_t faults;

	return rt_validate_requests(&options, style, &sink, NULL, NULL, &faults, &err);
}

static enum rt_status apply(const char *const *requests, size_t count)
{
	const struct rt_update update = {.requests = requests, .request_count = count};
	struct rt_update_counts counts;

	return rt_apply(&options, &update, style, &sink, &counts, &err);
}

static enum rt_status call_apply(void)
{
	const char *request = at("r.json");

	return apply(&request, 1);
}

static enum rt_status call_apply_nothing(void)
{
	return apply(NULL, 0);
}

static enum rt_status call_verify(void)
{
	const struct rt_verification verification = {.head = NULL};
	bool valid;

	return rt_verify(&options, &verification, style, &sink, &valid, &err);
}

static enum rt_status call_log(void)
{
	const struct rt_log_filter filter = {.issue_count = 0};

	return rt_log(&options, &filter, style, &sink, &err);
}

static enum rt_status call_log_head(void)
{
	return rt_log_head(&options, &sink, &err);
}

static enum rt_status call_serve(void)
{
#ifdef RT_WITHOUT_HTTP
	/* There is no such function; what stands in its place says the same. */
	return rt_error_set(&err, RT_E_USAGE, "%s",
			    !options.journal     ? "want a journal, have none"
			    : options.path_count ? "want one path, have 2"
						 : "want one path, have none");
#else
	const struct rt_serve serve = {.key = "0123456789abcdef", .listen = "127.0.0.1:0"};

	return rt_serve(&options, &serve, &err);
#endif
}

#define NO_PATH "want at least one path, have none"
#define NOT_ONE "want one path, have none"
#define TWO "want one path, have 2"
#define PART "want all of a journal's base, have --include or --exclude"
#define NO_JOURNAL "want a journal, have none"
#define NO_TABLE "want an answer in JSON or YAML, have a table"

static const struct {
	const char *what;
	enum rt_status (*call)(void);
	size_t paths;
	bool journal;
	const char *message;
	enum rt_format format;
} rows[] = {
    {"summary", call_summary, 0, false, NO_PATH, RT_FORMAT_JSON},
    {"summary of a journal", call_summary, 0, true, NO_PATH, RT_FORMAT_JSON},
    {"summary with too many", call_recent, 1, false, "want at most 1000 recent issues, have 1001",
     RT_FORMAT_JSON},
    {"a partial summary with too many", call_partial, 1, false,
     "want at most 1000 recent issues, have 1001", RT_FORMAT_JSON},
    {"list in no form", call_list, 1, false, "want a form of list, have number 7", RT_FORMAT_JSON},
    {"report nothing", call_report, 1, false, "want at least one output, have none",
     RT_FORMAT_JSON},
    {"report of another kind", call_report_kind, 1, false, "want a kind of report, have \"csw\"",
     RT_FORMAT_JSON},
    {"rulesets", call_rulesets, 0, false, NO_PATH, RT_FORMAT_JSON},
    {"rulesets of a journal", call_rulesets, 0, true, NO_PATH, RT_FORMAT_JSON},
    {"validate", call_validate, 0, false, NO_PATH, RT_FORMAT_JSON},
    {"validate a kind", call_validate_kind, 1, false, "want a kind of record, have number 3",
     RT_FORMAT_JSON},
    {"validate requests", call_validate_requests, 0, false, NO_PATH, RT_FORMAT_JSON},
    {"apply", call_apply, 0, false, NOT_ONE, RT_FORMAT_JSON},
    {"apply to a journal", call_apply, 0, true, NOT_ONE, RT_FORMAT_JSON},
    {"apply to two", call_apply, 2, false, TWO, RT_FORMAT_JSON},
    {"apply nothing", call_apply_nothing, 1, false, "want at least one request, have none",
     RT_FORMAT_JSON},
    {"verify", call_verify, 0, true, NOT_ONE, RT_FORMAT_JSON},
    {"verify two", call_verify, 2, true, TWO, RT_FORMAT_JSON},
    {"verify nothing", call_verify, 1, false, NO_JOURNAL, RT_FORMAT_JSON},
    {"log", call_log, 1, false, NO_JOURNAL, RT_FORMAT_JSON},
    {"log as a table", call_log, 1, false, NO_JOURNAL, RT_FORMAT_TABLE},
    {"log of two", call_log, 2, true, TWO, RT_FORMAT_JSON},
    {"head", call_log_head, 1, false, NO_JOURNAL, RT_FORMAT_JSON},
    {"serve", call_serve, 0, true, NOT_ONE, RT_FORMAT_JSON},
    {"serve two", call_serve, 2, true, TWO, RT_FORMAT_JSON},
    {"serve without a journal", call_serve, 1, false, NO_JOURNAL, RT_FORMAT_JSON},
    {"rulesets as a table", call_rulesets, 1, false, NO_TABLE, RT_FORMAT_TABLE},
    {"validate as a table", call_validate, 1, false, NO_TABLE, RT_FORMAT_TABLE},
    {"validate requests as one", call_validate_requests, 1, false, NO_TABLE, RT_FORMAT_TABLE},
    {"apply as a table", call_apply, 1, true, NO_TABLE, RT_FORMAT_TABLE},
};

static void options_make(size_t path_count, bool journal)
{
	scratch_setup();
	put("e.json", "[{\"id\":\"a\",\"severity\":\"low\"}]\n");
	put("r.json", "{\"issue_ids\":[\"a\"],\"severity\":\"high\"}\n");
	paths[0] = paths[1] = at("e.json");
	options = (struct rt_options){
	    .paths = path_count ? paths : NULL,
	    .path_count = path_count,
	    .journal = journal ? at("journal") : NULL,
	};
	rt_limits_init(&options.limits);
	style.format = RT_FORMAT_JSON;
}

static void expect_refusal(const char *what, enum rt_status (*call)(void), const char *message)
{
	written = 0;
	ck_assert_msg(call() == RT_FATAL, "%s", what);
	ck_assert_msg(err.code == RT_E_USAGE, "%s: code %d", what, err.code);
	ck_assert_msg(strcmp(err.message, message) == 0, "%s: have %s", what, err.message);
	ck_assert_uint_eq(written, 0);
	/* Nor is anything made. */
	ck_assert(!is_there(at("journal")));
	ck_assert(!is_there(at("journal.lock")));
	scratch_teardown();
}

START_TEST(refused)
{
	options_make(rows[_i].paths, rows[_i].journal);
	style.format = rows[_i].format;
	expect_refusal(rows[_i].what, rows[_i].call, rows[_i].message);
}
END_TEST

/* What may stand in an answer and nowhere else. */
static const struct {
	const char *what;
	enum rt_status (*call)(void);
	bool journal;
	bool include, exclude;
	const char *message;
} partial[] = {
    {"summary of a part", call_summary, true, true, false, PART},
    {"rulesets of a part", call_rulesets, true, false, true, PART},
    {"apply to a part", call_apply, true, false, true, PART},
    {"verify a part", call_verify, true, true, true, PART},
    {"log of a part", call_log, true, true, false, PART},
#ifndef RT_WITHOUT_HTTP
    {"serve a part", call_serve, true, true, false, PART},
#endif
};

START_TEST(refused_partial)
{
	static const char *const globs[] = {"**"};

	options_make(1, partial[_i].journal);
	options.choice = (struct rt_choice){globs, partial[_i].include, globs, partial[_i].exclude};
	expect_refusal(partial[_i].what, partial[_i].call, partial[_i].message);
}
END_TEST

/* --- Nobody is told ---------------------------------------------------------------------- */

static enum rt_status keep_write(void *ctx, const void *data, size_t len, struct rt_error *e)
{
	return rt_buf_append(ctx, data, len, e);
}

/* What was written has to hold a text. */
static void expect_written(struct rt_buf *out, const char *text)
{
	ck_assert_int_eq(rt_buf_append(out, "", 1, &err), RT_OK);
	ck_assert_msg(strstr(out->data, text) != NULL, "not in: %s", out->data);
	rt_buf_release(out);
}

/* Without the functions that are told of notes and faults all is done, and faults are counted. */
START_TEST(without_notice)
{
	struct rt_buf out = {0};
	const struct rt_sink keep = {keep_write, &out};
	struct rt_gate_options conditions;
	struct rt_report_output output;
	struct rt_report asked;
	struct rt_list_counts counts;
	struct rt_update_counts updated;
	uint64_t faults = 0;
	bool pass = true;

	options_make(1, false);
	put("e.json",
	    "[{\"id\":\"a\",\"severity\":\"=odd\"},{\"id\":\"b\",\"severity\":\"low\"}]\n");
	ck_assert_int_eq(rt_list(&options, &(struct rt_list){.form = RT_LIST_CSV, .csv_raw = true},
				 style, &keep, &counts, &err),
			 RT_OK);
	ck_assert_uint_eq(counts.selected, 2);
	expect_written(&out, ",\"=odd\",");
	output = (struct rt_report_output){"csv", at("out.csv")};
	rt_gate_options_init(&conditions);
	conditions.fail_on = 4;
	rt_report_init(&asked);
	asked.outputs = &output;
	asked.output_count = 1;
	asked.conditions = &conditions;
	asked.csv_raw = true;
	ck_assert_int_eq(rt_report(&options, &asked, &keep, &pass, &err), RT_OK);
	ck_assert(!pass);
	out = bytes_of(at("out.csv"));
	expect_written(&out, ",\"=odd\",");
	ck_assert_int_eq(rt_apply(&options,
				  &(struct rt_update){.requests = &(const char *){at("r.json")},
						      .request_count = 1,
						      .at = 1767225600,
						      .now = 1767225599},
				  style, &keep, &updated, &err),
			 RT_OK);
	ck_assert_uint_eq(updated.updated, 1);
	expect_written(&out, "\"updated_count\":1");
	put("e.json", "[{\"id\":2},{\"id\":1}]\n");
	ck_assert_int_eq(
	    rt_validate(&options, RT_KIND_ISSUE, style, &keep, NULL, NULL, &faults, &err), RT_OK);
	ck_assert_uint_eq(faults, 2);
	expect_written(&out, "\"valid\":false");
	scratch_teardown();
}
END_TEST

/* Of the folder that is expected one file is not read. */
START_TEST(folder_without_notice)
{
	struct rt_buf out = {0};
	const struct rt_sink keep = {keep_write, &out};
	struct rt_update_counts updated;
	bool pass = true;

	options_make(1, false);
	put("e.json",
	    "[{\"id\":\"a\",\"severity\":\"=odd\"},{\"id\":\"b\",\"severity\":\"low\"}]\n");
	ck_assert_int_eq(mkdir(at("state"), 0700), 0);
	put("state/README", "x");
	options.journal = at("journal");
	ck_assert_int_eq(rt_apply(&options,
				  &(struct rt_update){.requests = &(const char *){at("r.json")},
						      .request_count = 1,
						      .output = at("state/e.json"),
						      .at = 1767225600},
				  style, &keep, &updated, &err),
			 RT_OK);
	rt_buf_release(&out);
	for (int round = 0; round < 2; round++) {
		const char *expect = at(round ? "e.json" : "state");

		pass = round != 0;
		ck_assert_int_eq(rt_verify(&options, &(struct rt_verification){.expect = expect},
					   style, &keep, &pass, &err),
				 RT_OK);
		ck_assert_int_eq(pass, round == 0);
		expect_written(&out, round ? "\"different\":1" : "\"valid\":true");
	}
	options.journal = NULL;
	scratch_teardown();
}
END_TEST

static void keep_notice(void *ctx, const char *text)
{
	ck_assert_int_eq(rt_buf_append(ctx, text, strlen(text), &err), RT_OK);
}

/* A time is in the future where it is known what time it is. */
START_TEST(future)
{
	static const struct {
		int64_t now;
		const char *notice;
	} times[] = {
	    {1767225599, "the time 2026-01-01T00:00:00Z is in the future"},
	    {1767225600, ""},
	    {0, ""},
	    {INT64_MIN, ""},
	};
	struct rt_buf told = {0};
	struct rt_update_counts updated;
	bool valid;

	options_make(1, false);
	options.notice = keep_notice;
	options.notice_ctx = &told;
	ck_assert_int_eq(rt_apply(&options,
				  &(struct rt_update){.requests = &(const char *){at("r.json")},
						      .request_count = 1,
						      .at = 1767225600,
						      .now = times[_i].now},
				  style, &sink, &updated, &err),
			 RT_OK);
	ck_assert_int_eq(rt_buf_append(&told, "", 1, &err), RT_OK);
	ck_assert_str_eq(told.data, times[_i].notice);
	/* Of a journal the entry is named, by who writes it and by who verifies it. */
	options.journal = at("journal");
	for (int round = 0; round < 2; round++) {
		told.len = 0;
		if (round)
			ck_assert_int_eq(rt_verify(&options,
						   &(struct rt_verification){.now = times[_i].now},
						   style, &sink, &valid, &err),
					 RT_OK);
		else
			ck_assert_int_eq(
			    rt_apply(&options,
				     &(struct rt_update){.requests = &(const char *){at("r.json")},
							 .request_count = 1,
							 .at = 1767225600,
							 .now = times[_i].now},
				     style, &sink, &updated, &err),
			    RT_OK);
		ck_assert_int_eq(rt_buf_append(&told, "", 1, &err), RT_OK);
		ck_assert_msg((strstr(told.data, "entry 1") && strstr(told.data, "future")) ==
				  (*times[_i].notice != '\0'),
			      "round %d: %s", round, told.data);
	}
	rt_buf_release(&told);
	scratch_teardown();
}
END_TEST

/* What a folder holds that is not read is in a partial summary, whoever else is told. */
START_TEST(partial_without_notice)
{
	struct rt_buf out = {0};
	const struct rt_sink keep = {keep_write, &out};
	const char *folder;

	options_make(1, false);
	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	ck_assert_int_eq(rename(at("e.json"), at("in/e.json")), 0);
	put("in/README", "x");
	folder = at("in");
	options.paths = &folder;
	ck_assert_int_eq(rt_partial(&options, 10, NULL, &keep, &err), RT_OK);
	expect_written(&out, "{\"note\":\"not read: 1 without an ending\"}");
	scratch_teardown();
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("api");
	TCase *tests = tcase_create("all");

	tcase_add_loop_test(tests, refused, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tests, refused_partial, 0, sizeof(partial) / sizeof(partial[0]));
	tcase_add_test(tests, without_notice);
	tcase_add_test(tests, folder_without_notice);
	tcase_add_loop_test(tests, future, 0, 4);
	tcase_add_test(tests, partial_without_notice);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
