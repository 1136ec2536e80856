/*
 * Journals taken in as plans: the updates of every entry, what each said that it did, and the
 * base that they are of.
 */
#include "journal/history.h"

#include "journal_make.h"
#include "plan_make.h"

static struct rt_options options;
static struct rt_error err;

static void setup(void)
{
	journal_dir_make();
	memset(&options, 0, sizeof(options));
	memset(&err, 0, sizeof(err));
	rt_limits_init(&options.limits);
}

/* Open "j"; status: what is expected of it. */
static void history_open(struct rt_history *history, enum rt_journal_mode mode,
			 enum rt_status status)
{
	*history = (struct rt_history){.keep_results = true};
	ck_assert_int_eq(rt_history_open(history, journal_path("j"), mode, &options, &err), status);
}

/* Read all entries; damage is RT_FATAL. */
static enum rt_status history_read(struct rt_history *history)
{
	enum rt_status status;

	do {
		status = rt_history_next(history, NULL, &err);
	} while (status == RT_OK);
	if (status == RT_REJECT)
		return RT_FATAL;
	return status == RT_END ? RT_OK : status;
}

/* Without a journal there is a plan to add to, any base will do, and there is nothing to read. */
START_TEST(without)
{
	static const uint8_t sha256[RT_SHA256_BYTES] = {1};
	struct rt_history history = {0};

	ck_assert_int_eq(rt_history_open(&history, NULL, RT_JOURNAL_READ, &options, &err), RT_OK);
	ck_assert_ptr_null(history.journal);
	ck_assert_int_eq(rt_history_next(&history, NULL, &err), RT_END);
	ck_assert_int_eq(history_read(&history), RT_OK);
	ck_assert_uint_eq(rt_plan_steps(history.plan), 0);
	plan_add(history.plan, "{\"issue_ids\":[\"a\"]}", plan_time(0));
	ck_assert_uint_eq(rt_plan_steps(history.plan), 1);
	ck_assert_int_eq(rt_history_check_base(&history, sha256, 5, &err), RT_OK);
	rt_history_release(&history);
	rt_history_release(&history);
}
END_TEST

/* Whether a step of the plan is the entry's. */
static void expect_step(const struct rt_history *history, uint32_t step)
{
	const struct rt_journal_entry *want = journal_entry(step + 1);
	const struct rt_history_result *results =
	    (const struct rt_history_result *)(const void *)history->results.data;
	struct rt_step have = rt_plan_step(history->plan, step);
	struct rt_request request;

	ck_assert(rt_slice_equal(have.at, want->at));
	rt_plan_request(history->plan, step, &request);
	ck_assert_uint_eq(request.id_count, want->request.id_count);
	for (unsigned i = 0; i < request.id_count; i++)
		ck_assert(rt_slice_equal(request.ids[i], want->request.ids[i]));
	ck_assert_int_eq(request.severity, want->request.severity);
	ck_assert_int_eq(request.false_positive, want->request.false_positive);
	ck_assert_int_eq(request.exploitable, want->request.exploitable);
	ck_assert_int_eq(request.notes.ptr == NULL, want->request.notes.ptr == NULL);
	ck_assert(rt_slice_equal(request.notes, want->request.notes));
	ck_assert_uint_eq(results[step].updated_count, want->updated_count);
	ck_assert_uint_eq(results[step].failed_count, want->failed_count);
	ck_assert_mem_eq(results[step].sha256, want->result_sha256, RT_SHA256_BYTES);
}

START_TEST(read)
{
	struct rt_history history;

	if (_i)
		journal_extend((uint64_t)_i - 1);
	history_open(&history, _i ? RT_JOURNAL_READ : RT_JOURNAL_APPEND, RT_OK);
	ck_assert_int_eq(history_read(&history), RT_OK);
	ck_assert_uint_eq(rt_plan_steps(history.plan), _i ? (uint32_t)_i - 1 : 0);
	for (uint32_t step = 0; step < rt_plan_steps(history.plan); step++)
		expect_step(&history, step);
	ck_assert_int_eq(rt_history_next(&history, NULL, &err), RT_END);
	rt_history_release(&history);
}
END_TEST

/* One by one, with the entry shown; and results only where they are asked for. */
START_TEST(one_by_one)
{
	struct rt_journal_entry entry;
	struct rt_history history;

	journal_extend(5);
	history_open(&history, RT_JOURNAL_READ, RT_OK);
	history.keep_results = false;
	for (uint64_t seq = 1; seq <= 5; seq++) {
		ck_assert_int_eq(rt_history_next(&history, &entry, &err), RT_OK);
		ck_assert(journal_entry_equal(&entry, seq));
		ck_assert_uint_eq(rt_plan_steps(history.plan), seq);
	}
	ck_assert_int_eq(rt_history_next(&history, &entry, &err), RT_END);
	ck_assert_uint_eq(history.results.len, 0);
	rt_history_release(&history);
}
END_TEST

/* Break a byte of the journal's line, from 0. */
static void damage(size_t line)
{
	struct rt_buf bytes = journal_bytes("j");
	size_t starts[16];

	ck_assert_uint_gt(journal_lines(&bytes, starts, 15), line);
	bytes.data[starts[line] + 30] ^= 1;
	journal_put("j", bytes.data, bytes.len);
	rt_buf_release(&bytes);
}

START_TEST(damaged)
{
	struct rt_history history;

	journal_extend(4);
	damage((size_t)_i);
	history_open(&history, RT_JOURNAL_READ, _i ? RT_OK : RT_REJECT);
	if (_i) {
		ck_assert_int_eq(history_read(&history), RT_FATAL);
		ck_assert_uint_eq(rt_plan_steps(history.plan), (uint32_t)_i - 1);
	}
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_uint_eq(err.line, (uint64_t)_i + 1);
	ck_assert_str_eq(err.path, journal_path("j"));
	rt_history_release(&history);
	/* The one that tells an entry from the run. */
	if (_i) {
		history_open(&history, RT_JOURNAL_READ, RT_OK);
		for (int n = 1; n < _i; n++)
			ck_assert_int_eq(rt_history_next(&history, NULL, &err), RT_OK);
		ck_assert_int_eq(rt_history_next(&history, NULL, &err), RT_REJECT);
		rt_history_release(&history);
	}
}
END_TEST

static const struct {
	const char *what;
	size_t byte; /* of the digest that is another; RT_SHA256_BYTES: none */
	int64_t more;
	const char *field, *message;
} bases[] = {
    {"the base", RT_SHA256_BYTES, 0, NULL, NULL},
    {"the first byte", 0, 0, "base/sha256", "want the base export with SHA-256 "},
    {"the last byte", RT_SHA256_BYTES - 1, 0, "base/sha256", "want the base export with SHA-256 "},
    {"one issue more", RT_SHA256_BYTES, 1, "base/issues", "want a base export of "},
    {"one issue less", RT_SHA256_BYTES, -1, "base/issues", "want a base export of "},
    {"both", 3, 1, "base/sha256", "want the base export with SHA-256 "},
};

START_TEST(check_base)
{
	struct rt_journal_base base = journal_base();
	struct rt_history history;
	enum rt_status status;

	journal_extend(1);
	history_open(&history, RT_JOURNAL_READ, RT_OK);
	if (bases[_i].byte < RT_SHA256_BYTES)
		base.sha256[bases[_i].byte] ^= 0x10;
	status = rt_history_check_base(&history, base.sha256,
				       base.issues + (uint64_t)bases[_i].more, &err);
	ck_assert_msg(status == (bases[_i].field ? RT_REJECT : RT_OK), "%s", bases[_i].what);
	if (bases[_i].field) {
		ck_assert_int_eq(err.code, RT_E_INPUT);
		ck_assert_str_eq(err.field, bases[_i].field);
		ck_assert_int_eq(strncmp(err.message, bases[_i].message, strlen(bases[_i].message)),
				 0);
	}
	rt_history_release(&history);
}
END_TEST

/* A journal that is to be begun is of any base. */
START_TEST(base_of_none)
{
	static const uint8_t sha256[RT_SHA256_BYTES] = {1};
	struct rt_history history;

	history_open(&history, RT_JOURNAL_APPEND, RT_OK);
	ck_assert_int_eq(history_read(&history), RT_OK);
	ck_assert_int_eq(rt_history_check_base(&history, sha256, 5, &err), RT_OK);
	rt_history_release(&history);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("history");
	TCase *tcase = tcase_create("history");

	tcase_add_checked_fixture(tcase, setup, journal_dir_remove);
	tcase_add_test(tcase, without);
	tcase_add_loop_test(tcase, read, 0, 12);
	tcase_add_test(tcase, one_by_one);
	tcase_add_loop_test(tcase, damaged, 0, 5);
	tcase_add_loop_test(tcase, check_base, 0, sizeof(bases) / sizeof(bases[0]));
	tcase_add_test(tcase, base_of_none);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
