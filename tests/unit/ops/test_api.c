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
	return rt_summary(&options, RT_RECENT_DEFAULT, style, &sink, &err);
}

static enum rt_status call_recent(void)
{
	return rt_summary(&options, RT_RECENT_MAX + 1, style, &sink, &err);
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
#define TWICE "want ids that stand once, have duplicates left out"
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
	enum rt_duplicates duplicates;
	bool include, exclude;
	const char *message;
} partial[] = {
    {"apply", call_apply, false, RT_DUPLICATES_EQUAL, false, false, TWICE},
    {"apply to a journal", call_apply, true, RT_DUPLICATES_FIRST, false, false, TWICE},
    {"verify", call_verify, true, RT_DUPLICATES_EQUAL, false, false, TWICE},
    {"summary of a part", call_summary, true, RT_DUPLICATES_REFUSE, true, false, PART},
    {"rulesets of a part", call_rulesets, true, RT_DUPLICATES_REFUSE, false, true, PART},
    {"apply to a part", call_apply, true, RT_DUPLICATES_REFUSE, false, true, PART},
    {"verify a part", call_verify, true, RT_DUPLICATES_REFUSE, true, true, PART},
    {"log", call_log, true, RT_DUPLICATES_EQUAL, false, false, TWICE},
    {"log of a part", call_log, true, RT_DUPLICATES_REFUSE, true, false, PART},
#ifndef RT_WITHOUT_HTTP
    {"serve", call_serve, true, RT_DUPLICATES_FIRST, false, false, TWICE},
    {"serve a part", call_serve, true, RT_DUPLICATES_REFUSE, true, false, PART},
#endif
};

START_TEST(refused_partial)
{
	static const char *const globs[] = {"**"};

	options_make(1, partial[_i].journal);
	options.duplicates = partial[_i].duplicates;
	options.choice = (struct rt_choice){globs, partial[_i].include, globs, partial[_i].exclude};
	expect_refusal(partial[_i].what, partial[_i].call, partial[_i].message);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("api");
	TCase *tests = tcase_create("all");

	tcase_add_loop_test(tests, refused, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tests, refused_partial, 0, sizeof(partial) / sizeof(partial[0]));
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
