/*
 * Records that wait for their delivery: in memory, in a file, dropped, and more than there may be.
 */
#include "sarif/made.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "sarif/sarif.h"
#include "text_pull.h"
#include "unit.h"

/* Record number i: its length, its marks and every byte of it follow from i. */
static void fill(struct rt_buf *text, struct rt_sarif_made_record *record, unsigned i, size_t len)
{
	struct rt_error err;

	text->len = 0;
	ck_assert_int_eq(rt_buf_reserve(text, len + 1, &err), RT_OK);
	for (size_t at = 0; at < len; at++)
		text->data[at] = (char)('a' + (i * 7 + at) % 26);
	record->text = rt_slice_make(text->data, len);
	record->place = (struct rt_place){i + 1, i * 3, i * UINT64_C(5000000000)};
	for (unsigned m = 0; m < RT_SARIF_VALUES; m++)
		record->values.lens[m] = i * m;
	for (unsigned t = 0; t < RT_SARIF_RULE_TEXTS; t++)
		record->values.texts[t] = i + t;
	record->mark_count = i % 4;
	for (unsigned m = 0; m < record->mark_count; m++) {
		/* With its padding. */
		memset(&record->marks[m], 0, sizeof(record->marks[m]));
		record->marks[m].value = m + i;
		record->marks[m].place = (struct rt_place){i, m, i + m};
	}
}

/* Put a record into the form in which it is kept. */
static void put(struct rt_buf *bytes, const struct rt_sarif_made_record *record)
{
	struct rt_error err;

	ck_assert(rt_sarif_made_begin(bytes));
	ck_assert_int_eq(rt_buf_append(bytes, record->text.ptr, record->text.len, &err), RT_OK);
	ck_assert(rt_sarif_made_end(bytes, 0, record));
}

static void add(struct rt_sarif_store *made, unsigned i, size_t len)
{
	struct rt_sarif_made_record record;
	struct rt_buf text = {0}, bytes = {0};

	fill(&text, &record, i, len);
	put(&bytes, &record);
	ck_assert(rt_sarif_store_add(made, rt_buf_slice(&bytes)));
	rt_buf_release(&text);
	rt_buf_release(&bytes);
}

static void check(struct rt_sarif_store *made, unsigned i, size_t len)
{
	struct rt_sarif_made_record want, have;
	struct rt_buf text = {0};
	struct rt_error err;

	fill(&text, &want, i, len);
	ck_assert_int_eq(rt_sarif_made_next(made, &have, &err), RT_OK);
	ck_assert(rt_slice_equal(have.text, want.text));
	ck_assert_mem_eq(&have.place, &want.place, sizeof(want.place));
	ck_assert_mem_eq(&have.values, &want.values, sizeof(want.values));
	ck_assert_uint_eq(have.mark_count, want.mark_count);
	ck_assert_mem_eq(have.marks, want.marks, want.mark_count * sizeof(want.marks[0]));
	rt_buf_release(&text);
}

/* Sizes of records: some that stay in memory; some in several files' worth; one that is large. */
static const struct {
	unsigned count;
	size_t len;
} sizes[] = {{0, 0}, {1, 0}, {100, 37}, {9000, 2000}, {3, 5000000}};

START_TEST(keeps)
{
	struct rt_sarif_store made = {.fd = -1};
	uint64_t bytes = 0;

	for (unsigned i = 0; i < sizes[_i].count; i++) {
		add(&made, i, sizes[_i].len);
		ck_assert_uint_gt(rt_sarif_store_bytes(&made), bytes);
		bytes = rt_sarif_store_bytes(&made);
		ck_assert_uint_lt(made.buf.len, RT_SPOOL_MEMORY);
	}
	for (unsigned i = 0; i < sizes[_i].count; i++)
		check(&made, i, sizes[_i].len);
	rt_sarif_store_release(&made);
}
END_TEST

/* What is dropped makes room, whether it was in memory or in the file. */
START_TEST(cuts)
{
	struct rt_sarif_store made = {.fd = -1};
	uint64_t at;

	add(&made, 0, 10);
	at = rt_sarif_store_bytes(&made);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 5000; i++)
			add(&made, i, round == 1 ? 10 : 2000);
		rt_sarif_store_cut(&made, at);
		ck_assert_uint_eq(rt_sarif_store_bytes(&made), at);
	}
	add(&made, 1, 4500000);
	add(&made, 2, 20);
	check(&made, 0, 10);
	check(&made, 1, 4500000);
	check(&made, 2, 20);
	rt_sarif_store_release(&made);
}
END_TEST

/* A file that cannot grow is said, and no failure of the run. */
START_TEST(full)
{
	struct rt_sarif_store made = {.fd = -1};
	struct rlimit limit = {RT_MIB, RT_MIB};
	struct rt_sarif_made_record record;
	struct rt_buf text = {0}, bytes = {0};
	bool room = true;
	unsigned count = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fill(&text, &record, 1, 100000);
	put(&bytes, &record);
	while (room && count++ < 1000)
		room = rt_sarif_store_add(&made, rt_buf_slice(&bytes));
	ck_assert(!room);
	rt_sarif_store_release(&made);
	rt_buf_release(&bytes);
	rt_buf_release(&text);
}
END_TEST

/* --- In a log ----------------------------------------------------------------------------------
 */

/* The length of a log's made text, and how many times a word is in it. */
static size_t read_log(struct rt_slice log, size_t *ret_count)
{
	static const char word[] = "\"rule_with_a_long_text\"";
	struct text text = {log, 0};
	struct rt_sarif_hints hints = {0};
	struct rt_limits limits;
	struct rt_sarif *sarif = NULL;
	struct rt_error err;
	enum rt_status status;
	size_t total = 0, len, met = 0;
	char buf[65536];
	bool is;

	rt_limits_init(&limits);
	*ret_count = 0;
	status =
	    rt_sarif_open((struct rt_pull){text_pull, &text}, &hints, &limits, &sarif, &is, &err);
	while (status == RT_OK) {
		status = rt_sarif_read(sarif, buf, sizeof(buf), &len, &err);
		for (size_t i = 0; status == RT_OK && i < len; i++) {
			met = buf[i] == word[met] ? met + 1 : buf[i] == word[0];
			*ret_count += met == sizeof(word) - 1;
			met %= sizeof(word) - 1;
		}
		total += status == RT_OK ? len : 0;
	}
	ck_assert_int_eq(status, RT_END);
	rt_sarif_free(sarif);
	return total;
}

/* The members of a rule that are long, one of them each time, and how often the word for its id is
 * in the text then: as category, and as title where it has no other. */
static const struct {
	const char *member;
	unsigned words;
} long_texts[] = {{"shortDescription", 1}, {"help", 2}};

/* A rule of a mebibyte, and results that each have it: far more than is kept on disk, or the signal
 * of a file that is too large would end this; the answer is right all the same. */
START_TEST(more_than_is_kept)
{
	enum { RULE = 1 << 20, RESULTS = 100 };
	const struct rlimit limit = {80 * RT_MIB, 80 * RT_MIB};
	char *log = malloc(RULE + RESULTS * 100 + 1000), *at = log;
	size_t count, len;

	ck_assert_ptr_nonnull(log);
	(void)signal(SIGXFSZ, SIG_DFL);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	at += sprintf(at,
		      "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\","
		      "\"rules\":[{\"id\":\"rule_with_a_long_text\",\"%s\":{\"text\":\"",
		      long_texts[_i].member);
	memset(at, 'x', RULE);
	at += RULE;
	at += sprintf(at, "\"}}]}},\"results\":[");
	for (unsigned i = 0; i < RESULTS; i++)
		at += sprintf(
		    at, "%s{\"ruleId\":\"rule_with_a_long_text\",\"message\":{\"text\":\"%u\"}}",
		    i ? "," : "", i);
	at += sprintf(at, "]}]}");
	len = read_log(rt_slice_make(log, (size_t)(at - log)), &count);
	ck_assert_uint_eq(count, long_texts[_i].words * RESULTS);
	ck_assert_uint_gt(len, (size_t)RULE * RESULTS);
	free(log);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_made");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, keeps, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(cases, cuts);
	tcase_add_test(cases, full);
	tcase_add_loop_test(cases, more_than_is_kept, 0,
			    sizeof(long_texts) / sizeof(long_texts[0]));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
