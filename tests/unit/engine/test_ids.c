/*
 * Ids that stand twice: each is found again with its first place, kinds do not meet, and memory
 * stays within 24 bytes an id, once there are many. And the log after it: random places come back
 * as they went in.
 */
#include "engine/ids.h"

#include <inttypes.h>
#include <stdio.h>

#include "unit.h"

#define BYTES_PER_ID 24u
/* What tables that double may take, however few ids there are. */
#define BYTES_FEW (UINT64_C(17) << 20)

static const struct rt_siphash_key test_key = {UINT64_C(0xFEDCBA9876543210), 7};

/* Repeatable random numbers (xorshift). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool place_equal(struct rt_id_place a, struct rt_id_place b)
{
	return a.part == b.part && a.line == b.line && a.column == b.column;
}

static void place_show(char *text, size_t cap, struct rt_id_place place)
{
	snprintf(text, cap, "%u:%" PRIu64 ":%" PRIu64, place.part, place.line, place.column);
}

/*
 * How exports lie in their files. Place n is that of record n, computed anew each time.
 */
static struct rt_id_place place_pretty(uint64_t n)
{
	return (struct rt_id_place){0, 2 + 34 * n, 5};
}

/* Records of 2 to 4 KiB, all on one line. */
static struct rt_id_place place_one_line(uint64_t n)
{
	return (struct rt_id_place){0, 1, 2 + 3000 * n + n * 7919 % 1000};
}

static struct rt_id_place place_json_lines(uint64_t n)
{
	return (struct rt_id_place){0, 1 + n, 1};
}

/* Pretty, with code of any length in between: up to 200 lines a record. */
static struct rt_id_place place_long(uint64_t n)
{
	return (struct rt_id_place){0, 2 + 200 * n + n * 7919 % 150, 5};
}

/* A directory or archive of files with ten records each. */
static struct rt_id_place place_parts(uint64_t n)
{
	return (struct rt_id_place){(uint32_t)(n / 10), 2 + n % 10 * 34, 5};
}

static const struct {
	const char *what;
	struct rt_id_place (*place)(uint64_t n);
} layouts[] = {
    {"pretty", place_pretty},         {"one line", place_one_line},
    {"JSON Lines", place_json_lines}, {"pretty, many lines", place_long},
    {"many parts", place_parts},
};

#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static struct rt_slice id_make(char *text, size_t cap, uint64_t n)
{
	int len =
	    snprintf(text, cap, "%08" PRIx64 "-0000-4000-8000-%012" PRIu64, n * 2654435761u, n);

	return rt_slice_make(text, (size_t)len);
}

static enum rt_status add(struct rt_ids *ids, enum rt_kind kind, uint64_t n,
			  struct rt_id_place place, struct rt_id_place *first)
{
	struct rt_error err;
	char text[64];
	struct rt_hash128 hash = rt_ids_hash(ids, kind, id_make(text, sizeof(text), n));
	uint64_t number;
	enum rt_status status = rt_ids_add(ids, hash, place, &number, &err);

	if (status == RT_END)
		*first = rt_ids_place(ids, number);
	return status;
}

static size_t before; /* bytes allocated before there are ids */

static uint64_t memory_max(uint64_t count)
{
	return count * BYTES_PER_ID > BYTES_FEW ? count * BYTES_PER_ID : BYTES_FEW;
}

/* Add count ids; memory is measured all along, as it is largest after a growth of the tables. */
static void add_many(struct rt_ids *ids, size_t layout, uint64_t count)
{
	struct rt_id_place first;

	for (uint64_t n = 0; n < count; n++) {
		enum rt_status status =
		    add(ids, RT_KIND_ISSUE, n, layouts[layout].place(n), &first);

		if (status != RT_OK)
			ck_abort_msg("%s: id %" PRIu64 ": status %d", layouts[layout].what, n,
				     status);
		if (n >= 100000 && n % 1000 == 0 && unit_heap() - before > memory_max(n))
			ck_abort_msg("%s: %zu bytes for %" PRIu64 " ids", layouts[layout].what,
				     unit_heap() - before, n);
	}
	if (unit_heap() - before > memory_max(count))
		ck_abort_msg("%s: %zu bytes for %" PRIu64 " ids", layouts[layout].what,
			     unit_heap() - before, count);
}

/* All ids (every `step`-th) are there already, at their first places. */
static void find_many(struct rt_ids *ids, size_t layout, uint64_t count, uint64_t step)
{
	struct rt_id_place last = {UINT32_MAX, 1, 1};

	for (uint64_t n = 0; n < count; n += step) {
		struct rt_id_place first = {0};
		enum rt_status status = add(ids, RT_KIND_ISSUE, n, last, &first);
		char text[80];

		if (status == RT_END && place_equal(first, layouts[layout].place(n)))
			continue;
		place_show(text, sizeof(text), first);
		ck_abort_msg("%s: id %" PRIu64 ": status %d, %s", layouts[layout].what, n, status,
			     text);
	}
	ck_assert_uint_le(unit_heap() - before, memory_max(count));
}

static struct rt_ids *ids_new(void)
{
	struct rt_ids *ids = NULL;
	struct rt_error err;

	before = unit_heap();
	ck_assert_int_eq(rt_ids_new(&test_key, &ids, &err), RT_OK);
	return ids;
}

START_TEST(hundred_thousand)
{
	struct rt_ids *ids = ids_new();

	add_many(ids, (size_t)_i, 100000);
	find_many(ids, (size_t)_i, 100000, 1);
	rt_ids_free(ids);
}
END_TEST

/* Finding an id decodes half a page of places: not for each of a million. */
START_TEST(million)
{
	struct rt_ids *ids = ids_new();

	add_many(ids, (size_t)_i, 1000000 / UNIT_ROUNDS_FOR_ONE);
	find_many(ids, (size_t)_i, 1000000 / UNIT_ROUNDS_FOR_ONE, 17);
	rt_ids_free(ids);
}
END_TEST

/* One id may be an issue's and a ruleset's. */
START_TEST(kinds)
{
	struct rt_id_place first = {9, 9, 9}, issue = {0, 1, 1}, ruleset = {0, 2, 1},
			   later = {1, 1, 1};
	struct rt_ids *ids = ids_new();

	for (uint64_t n = 0; n < 1000; n++) {
		ck_assert_int_eq(add(ids, RT_KIND_ISSUE, n, issue, &first), RT_OK);
		ck_assert_int_eq(add(ids, RT_KIND_RULESET, n, ruleset, &first), RT_OK);
		issue.line = ruleset.line + 1;
		ruleset.line = issue.line + 1;
	}
	ck_assert_uint_eq(first.part, 9);
	for (uint64_t n = 0; n < 1000; n++) {
		ck_assert_int_eq(add(ids, RT_KIND_RULESET, n, later, &first), RT_END);
		ck_assert_uint_eq(first.line, 2 * n + 2);
		ck_assert_int_eq(add(ids, RT_KIND_ISSUE, n, later, &first), RT_END);
		ck_assert_uint_eq(first.line, 2 * n + 1);
	}
	rt_ids_free(ids);
}
END_TEST

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

/* Texts that a careless comparison takes for one another. */
static const struct rt_slice similar[] = {
    TEXT("a"),  TEXT("a\0"), TEXT("a\0b"), TEXT("a\0c"), TEXT("A"),  TEXT("a "),
    TEXT(" a"), TEXT("\0"),  TEXT("\0\0"), TEXT("1"),    TEXT("01"), TEXT("1.0"),
};

#define SIMILAR (sizeof(similar) / sizeof(similar[0]))

START_TEST(similar_ids)
{
	struct rt_ids *ids = ids_new();
	struct rt_error err;
	uint64_t first;

	for (uint64_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < SIMILAR; i++) {
			struct rt_id_place place = {0, round * SIMILAR + i + 1, 1};
			enum rt_status status = rt_ids_add(
			    ids, rt_ids_hash(ids, RT_KIND_ISSUE, similar[i]), place, &first, &err);

			ck_assert_msg(status == (round ? RT_END : RT_OK), "%zu: status %d", i,
				      status);
			if (!round)
				continue;
			ck_assert_uint_eq(first, i);
			ck_assert_uint_eq(rt_ids_place(ids, first).line, i + 1);
		}
	}
	rt_ids_free(ids);
}
END_TEST

START_TEST(free_nothing)
{
	rt_ids_free(NULL);
	rt_ids_free(ids_new());
}
END_TEST

/* A place not before the last one, with steps of every size that a number has in the log. */
static struct rt_id_place random_place(uint64_t *state, struct rt_id_place last)
{
	uint64_t kind = next_random(state) % 8;
	uint64_t step = next_random(state) >> (next_random(state) % 64);

	if (kind == 0 && last.part < UINT32_MAX / 2) {
		last.part += 1 + (uint32_t)(next_random(state) >> (33 + next_random(state) % 31));
		last.line = 1 + step / 1024;
		last.column = 1 + next_random(state) % 1000;
	} else if (kind < 4) {
		/* Lines stay below 2^62: the log doubles them. */
		last.line += last.line < UINT64_C(1) << 61 ? 1 + step / 8 : 0;
		last.column = next_random(state) >> (next_random(state) % 64);
	} else {
		last.column += UINT64_MAX - last.column > step ? step : 0;
	}
	return last;
}

#define PLACES 20000u

/* Add the id whose name is a number, in its turn, at a place. */
static void add_number(struct rt_ids *ids, size_t number, struct rt_id_place place)
{
	struct rt_slice id = rt_slice_make((const char *)&number, sizeof(number));
	struct rt_error err;
	uint64_t first;

	ck_assert_int_eq(rt_ids_add(ids, rt_ids_hash(ids, RT_KIND_ISSUE, id), place, &first, &err),
			 RT_OK);
}

START_TEST(log_random)
{
	uint64_t state = 88172645463325252u + (uint64_t)_i;
	struct rt_id_place *places = calloc(PLACES, sizeof(*places)), place = {0, 1, 1};
	struct rt_error err;
	struct rt_ids *ids;

	ck_assert_ptr_nonnull(places);
	ck_assert_int_eq(rt_ids_new(&test_key, &ids, &err), RT_OK);
	for (size_t i = 0; i < PLACES; i++) {
		/* Every part begins anew, or lines would soon be as large as they get. */
		if (i % 50 == 49)
			place = (struct rt_id_place){place.part + 1, 1, 1};
		place = places[i] = random_place(&state, place);
		add_number(ids, i, place);
	}
	for (size_t i = 0; i < PLACES; i++) {
		/* In a mixed-up order. */
		size_t n = i * 7919 % PLACES;
		struct rt_id_place got = rt_ids_place(ids, n);
		char have[80], want[80];

		if (place_equal(got, places[n]))
			continue;
		place_show(have, sizeof(have), got);
		place_show(want, sizeof(want), places[n]);
		ck_abort_msg("place %zu: want %s, have %s", n, want, have);
	}
	rt_ids_free(ids);
	free(places);
}
END_TEST

/* The extremes of each number, one after the other. */
static const struct rt_id_place extremes[] = {
    {0, 1, 1},
    {0, 1, 1},
    {0, 1, 2},
    {0, 1, UINT64_MAX},
    {0, 2, 0},
    {0, 65, 127},
    {0, 128, 128},
    {0, 192, 16383},
    {0, 256, 16384},
    {0, UINT64_MAX / 2, UINT64_MAX},
    {1, 1, 1},
    {1, UINT64_MAX / 2, 1},
    {2, UINT64_MAX / 2, UINT64_MAX},
    {UINT32_MAX, 1, 1},
    {UINT32_MAX, 1, 5},
};

#define EXTREMES (sizeof(extremes) / sizeof(extremes[0]))

START_TEST(log_extremes)
{
	struct rt_error err;
	struct rt_ids *ids;

	ck_assert_int_eq(rt_ids_new(&test_key, &ids, &err), RT_OK);
	for (size_t i = 0; i < EXTREMES; i++)
		add_number(ids, i, extremes[i]);
	for (size_t i = 0; i < EXTREMES; i++)
		ck_assert_msg(place_equal(rt_ids_place(ids, i), extremes[i]), "row %zu", i);
	rt_ids_free(ids);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("ids");
	TCase *tcase = tcase_create("ids");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, hundred_thousand, 0, LAYOUTS);
	tcase_add_loop_test(tcase, million, 0, LAYOUTS);
	tcase_add_test(tcase, kinds);
	tcase_add_test(tcase, similar_ids);
	tcase_add_test(tcase, free_nothing);
	tcase_add_loop_test(tcase, log_random, 0, 8);
	tcase_add_test(tcase, log_extremes);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
