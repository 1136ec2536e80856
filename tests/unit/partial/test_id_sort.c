/*
 * Sorting ids outside of memory: whatever their number, and however few fit into memory, they come
 * out as a plain sort has them. And their bytes: each id comes back as it went in, in no more bytes
 * than it takes, and no other bytes are one.
 */
#include "partial/id_sort.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "unit.h"

/* Repeatable random numbers (xorshift). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct rt_partial_id random_id(uint64_t *state)
{
	struct rt_partial_id id = {.kind =
				       next_random(state) % 2 ? RT_KIND_ISSUE : RT_KIND_RULESET};

	/* Few digests, so that they meet. */
	memset(id.digest, 7, sizeof(id.digest));
	id.digest[next_random(state) % 2 ? 0 : 15] = (uint8_t)next_random(state);
	id.input = (uint32_t)(next_random(state) % 3);
	id.line = next_random(state) % 5;
	id.column = next_random(state);
	return id;
}

static int by_order(const void *left, const void *right)
{
	const struct rt_partial_id *a = left, *b = right;
	int order = memcmp(a->digest, b->digest, sizeof(a->digest));

	return order ? order : rt_id_place_compare(a, b);
}

/* Ids, and how many fit into memory: none, one run less or more than a file holds, many files. */
static const struct {
	size_t ids, run;
} sorts[] = {
    {0, 4},      {1, 4},    {4, 4},      {5, 4},        {1000, 0},
    {64 * 4, 4}, {257, 4},  {65 * 4, 4}, {4096 * 3, 3}, {4096 * 3 + 100, 3},
    {9001, 1},   {4097, 1},
};

START_TEST(test_sort)
{
	size_t count = sorts[_i].ids;
	uint64_t state = 88172645463325252u + (uint64_t)_i;
	struct rt_partial_id *ids = calloc(count + 1, sizeof(*ids)), id;
	struct rt_id_sort *sort;
	struct rt_error err;

	ck_assert_int_eq(rt_id_sort_new(sorts[_i].run, &sort, &err), RT_OK);
	for (size_t i = 0; i < count; i++) {
		ids[i] = random_id(&state);
		ck_assert_int_eq(rt_id_sort_add(sort, &ids[i], &err), RT_OK);
	}
	qsort(ids, count, sizeof(*ids), by_order);
	ck_assert_int_eq(rt_id_sort_end(sort, &err), RT_OK);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(rt_id_sort_next(sort, &id, &err), RT_OK);
		ck_assert_msg(by_order(&id, &ids[i]) == 0 && id.column == ids[i].column,
			      "%zu of %zu ids", i, count);
	}
	ck_assert_int_eq(rt_id_sort_next(sort, &id, &err), RT_END);
	rt_id_sort_free(sort);
	free(ids);
}
END_TEST

/* Temporary files that can take no more: told, whether a run is written or runs become one. */
START_TEST(test_full)
{
	struct rlimit limit = {.rlim_cur = _i ? 64 * 4 * sizeof(struct rt_partial_id) + 1 : 100};
	uint64_t state = 7;
	struct rt_partial_id id;
	struct rt_id_sort *sort;
	enum rt_status status = RT_OK;
	struct rt_error err;

	limit.rlim_max = limit.rlim_cur;
	ck_assert_ptr_ne(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(rt_id_sort_new(4, &sort, &err), RT_OK);
	for (size_t i = 0; status == RT_OK && i < 64 * 4 * 3; i++) {
		id = random_id(&state);
		status = rt_id_sort_add(sort, &id, &err);
	}
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert(err.code == RT_E_IO && err.sys == EFBIG && err.message[0]);
	rt_id_sort_free(sort);
}
END_TEST

static const uint64_t numbers[] = {
    0,          1, 127, 128, 16383, 16384, UINT32_MAX, (UINT64_C(1) << 35) - 1, UINT64_C(1) << 63,
    UINT64_MAX,
};

START_TEST(test_bytes)
{
	struct rt_partial_id id = {.input = UINT32_MAX, .kind = RT_KIND_RULESET}, again;
	uint8_t bytes[RT_PARTIAL_ID_MAX + 1];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		id.line = numbers[i];
		id.column = numbers[sizeof(numbers) / sizeof(numbers[0]) - 1 - i];
		id.input = (uint32_t)numbers[i];
		size_t len = rt_partial_id_write(&id, bytes);

		ck_assert_uint_le(len, RT_PARTIAL_ID_MAX);
		ck_assert_uint_eq(rt_partial_id_read(bytes, sizeof(bytes), &again), len);
		ck_assert(again.input == id.input && again.kind == id.kind &&
			  again.line == id.line && again.column == id.column);
		for (size_t cut = 0; cut < len; cut++)
			ck_assert_uint_eq(rt_partial_id_read(bytes, cut, &again), 0);
	}
}
END_TEST

/* What stands after a digest and is no id. */
static const struct {
	const char *what, *bytes;
	size_t len;
} bad[] = {
    {"a number with a byte too many", "\x81\x00\x01\x01", 4},
    {"an input beyond 32 bits", "\x80\x80\x80\x80\x20\x01\x01", 7},
    {"a line beyond 64 bits", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01", 12},
    {"a line that does not end", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 13},
};

START_TEST(test_bad)
{
	uint8_t bytes[RT_PARTIAL_DIGEST + 16] = {0};
	struct rt_partial_id id;

	memcpy(bytes + RT_PARTIAL_DIGEST, bad[_i].bytes, bad[_i].len);
	ck_assert_msg(!rt_partial_id_read(bytes, RT_PARTIAL_DIGEST + bad[_i].len, &id), "%s",
		      bad[_i].what);
}
END_TEST

static Suite *make(void)
{
	Suite *suite = suite_create("id_sort");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, test_sort, 0, (int)(sizeof(sorts) / sizeof(sorts[0])));
	tcase_add_loop_test(tcase, test_full, 0, 2);
	tcase_add_test(tcase, test_bytes);
	tcase_add_loop_test(tcase, test_bad, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
