/*
 * Lines of many threads: each arrives once, whole and in its order, many at a time and from one
 * thread at a time; who puts them may be slower than those who bring them.
 */
#include "http/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "unit.h"

#define THREADS 4u
#define LINES 3000u /* of each; all of them are more than wait at once */
#define FILL "a line of some length, so that the room for lines which wait is filled often"

struct taker {
	atomic_uint inside; /* calls that are not over */
	atomic_uint lines;
	unsigned calls;
	unsigned next[THREADS]; /* number of the line that has to come from each */
};

/* Each line is "retriage: THREAD NUMBER FILL". */
static void take(void *ctx, const char *lines, size_t len)
{
	struct taker *taker = ctx;
	const char *end = lines + len;

	ck_assert_uint_eq(atomic_fetch_add(&taker->inside, 1), 0);
	ck_assert(len && len <= RT_HTTP_LOG_BYTES && end[-1] == '\n');
	for (const char *at = lines; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		unsigned thread, number;
		char head[64]; /* there is no NUL after the lines */
		int fill = 0;  /* where it begins */

		(void)snprintf(head, sizeof(head), "%.*s", (int)(stop - at), at);
		ck_assert_int_eq(sscanf(head, "retriage: %u %u %n", &thread, &number, &fill), 2);
		ck_assert_int_eq(stop - at - fill, sizeof(FILL) - 1);
		ck_assert_mem_eq(at + fill, FILL, sizeof(FILL) - 1);
		ck_assert_uint_lt(thread, THREADS);
		ck_assert_uint_eq(number, taker->next[thread]);
		taker->next[thread]++;
		(void)atomic_fetch_add(&taker->lines, 1);
		at = stop + 1;
	}
	taker->calls++;
	(void)usleep(1000);
	(void)atomic_fetch_sub(&taker->inside, 1);
}

struct bringer {
	struct rt_http_log *log;
	unsigned number;
};

static void *bring(void *ctx)
{
	const struct bringer *bringer = ctx;

	for (unsigned i = 0; i < LINES; i++)
		rt_http_log_note(bringer->log, "%u %u %s", bringer->number, i, FILL);
	return NULL;
}

static struct rt_http_log log_of_test;

static struct rt_http_log *make_log(struct taker *taker)
{
	log_of_test = (struct rt_http_log){.put = take, .ctx = taker};
	rt_http_log_init(&log_of_test);
	return &log_of_test;
}

START_TEST(test_many)
{
	struct taker taker = {0};
	struct rt_http_log *log = make_log(&taker);
	struct bringer bringers[THREADS];
	pthread_t threads[THREADS];
	struct rt_error err;

	ck_assert_uint_gt(THREADS * LINES * sizeof(FILL), 8 * RT_HTTP_LOG_BYTES);
	ck_assert_int_eq(rt_http_log_start(log, &err), RT_OK);
	for (unsigned i = 0; i < THREADS; i++) {
		bringers[i] = (struct bringer){log, i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, bring, &bringers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	rt_http_log_stop(log);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_uint_eq(taker.next[i], LINES);
	ck_assert_uint_lt(taker.calls, taker.lines / 10);
}
END_TEST

/* A line that comes while nothing else does is not kept back until the end. */
START_TEST(test_lone)
{
	struct taker taker = {0};
	struct rt_http_log *log = make_log(&taker);
	struct rt_error err;

	ck_assert_int_eq(rt_http_log_start(log, &err), RT_OK);
	(void)usleep(50000); /* until the thread waits, most likely */
	rt_http_log_note(log, "0 0 %s", FILL);
	for (int tries = 0; tries < 5000 && !atomic_load(&taker.lines); tries++)
		(void)usleep(1000);
	ck_assert_uint_eq(taker.lines, 1);
	rt_http_log_stop(log);
	ck_assert_uint_eq(taker.lines, 1);
}
END_TEST

/* Before there is a thread, and after it, a line is there when the call is over. */
START_TEST(test_no_thread)
{
	struct taker taker = {0};
	struct rt_http_log *log = make_log(&taker);
	struct rt_error err;

	rt_http_log_note(log, "0 0 %s", FILL);
	ck_assert_uint_eq(taker.lines, 1);
	ck_assert_int_eq(rt_http_log_start(log, &err), RT_OK);
	rt_http_log_stop(log);
	rt_http_log_note(log, "0 1 %s", FILL);
	ck_assert_uint_eq(taker.lines, 2);
}
END_TEST

START_TEST(test_nobody)
{
	struct rt_http_log *log = make_log(NULL);
	struct rt_error err;

	log->put = NULL;
	ck_assert_int_eq(rt_http_log_start(log, &err), RT_OK);
	rt_http_log_note(log, "nobody is told");
	rt_http_log_stop(log);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("http_log");
	TCase *tcase = tcase_create("http_log");

	tcase_add_test(tcase, test_many);
	tcase_add_test(tcase, test_lone);
	tcase_add_test(tcase, test_no_thread);
	tcase_add_test(tcase, test_nobody);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
