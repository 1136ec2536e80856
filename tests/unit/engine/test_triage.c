/*
 * Triage order: each rule decides where all before it tie; the first of many are kept, whatever the
 * order they come in; and what is kept comes back as it was.
 */
#include "engine/triage.h"

#include <stdio.h>
#include <stdlib.h>

#include "record_make.h"

#define BUFFER 8192

/* In order. Each stands before the next by one rule alone, where it can. */
static const char *const ordered[] = {
    /* severity */
    "{\"id\":\"z\",\"severity\":\"critical\"}",
    /* others behind the level that a gate counts them as, in byte order, and those without one */
    "{\"id\":\"e0\",\"severity\":\"\"}",
    "{\"id\":\"d9\",\"severity\":\"Critical\",\"cvss_score\":1}",
    "{\"id\":\"d8\",\"severity\":\"High\",\"cvss_score\":10}",
    "{\"id\":\"d7\",\"severity\":\"Highest\"}",
    "{\"id\":\"d6\",\"severity\":null,\"exploitable\":true}",
    /* the other levels */
    "{\"id\":\"y\",\"severity\":\"hi\\u0067h\"}",
    "{\"id\":\"x\",\"severity\":\"medium\",\"exploitable\":true}",
    /* exploitable, then the score: whatever comes after it */
    "{\"id\":\"w\",\"severity\":\"medium\",\"exploitable\":false,\"cvss_score\":1e400}",
    "{\"id\":\"v\",\"severity\":\"medium\",\"cvss_score\":10}",
    "{\"id\":\"u\",\"severity\":\"medium\",\"cvss_score\":9.81}",
    "{\"id\":\"t\",\"severity\":\"medium\",\"cvss_score\":9.8,\"file_path\":\"0\"}",
    "{\"id\":\"s\",\"severity\":\"medium\",\"cvss_score\":0.098e2,\"file_path\":\"a\"}",
    "{\"id\":\"r\",\"severity\":\"medium\",\"cvss_score\":0.98}",
    "{\"id\":\"q\",\"severity\":\"medium\",\"cvss_score\":0.0980}",
    "{\"id\":\"p\",\"severity\":\"medium\",\"cvss_score\":1e-400}",
    "{\"id\":\"o\",\"severity\":\"medium\",\"cvss_score\":0}",
    "{\"id\":\"n\",\"severity\":\"medium\",\"cvss_score\":-0.5}",
    "{\"id\":\"m\",\"severity\":\"medium\",\"cvss_score\":-1}",
    "{\"id\":\"l\",\"severity\":\"medium\",\"cvss_score\":-1e400}",
    /* path, of which a beginning stands first; then line and column, null last */
    "{\"id\":\"k\",\"severity\":\"medium\",\"file_path\":\"\"}",
    "{\"id\":\"j\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":-"
    "9223372036854775808}",
    "{\"id\":\"i\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":-1}",
    "{\"id\":\"h\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":0}",
    "{\"id\":\"g\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":9,\"column_start\":"
    "3}",
    "{\"id\":\"f2\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":9,\"column_start\":"
    "20}",
    "{\"id\":\"a\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":9}",
    "{\"id\":\"aa\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":9}",
    "{\"id\":\"b\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":9,\"column_start\":"
    "null}",
    "{\"id\":\"f1\",\"severity\":\"medium\",\"file_path\":\"a\",\"line_number\":"
    "9223372036854775807}",
    "{\"id\":\"f0\",\"severity\":\"medium\",\"file_path\":\"a\"}",
    "{\"id\":\"e9\",\"severity\":\"medium\",\"file_path\":\"a\\u0000\"}",
    "{\"id\":\"e8\",\"severity\":\"medium\",\"file_path\":\"a\\u0000\\u0000\"}",
    "{\"id\":\"e7\",\"severity\":\"medium\",\"file_path\":\"a\\u0000b\"}",
    "{\"id\":\"e6\",\"severity\":\"medium\",\"file_path\":\"a\\u0001\"}",
    "{\"id\":\"e5\",\"severity\":\"medium\",\"file_path\":\"ab\"}",
    "{\"id\":\"e4\",\"severity\":\"medium\",\"file_path\":\"\\u00fc\"}",
    "{\"id\":\"e3\",\"severity\":\"medium\",\"file_path\":null}",
    "{\"id\":\"e2\",\"severity\":\"low\"}",
    "{\"id\":\"e1\",\"severity\":\"info\"}",
    /* false positives after all that is open */
    "{\"id\":\"d5\",\"severity\":\"critical\",\"false_positive\":true,\"exploitable\":true}",
    "{\"id\":\"d4\",\"severity\":\"info\",\"false_positive\":true}",
};

#define COUNT (sizeof(ordered) / sizeof(ordered[0]))

static struct rt_error err;

static void add(struct rt_triage *triage, const char *text, struct rt_slice notes, uint64_t number)
{
	struct rt_finding finding;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, text);
	finding = rt_finding_of(&made.record, notes, number);
	ck_assert_int_eq(rt_triage_add(triage, &finding, &err), RT_OK);
	made_release(&made);
}

static const struct rt_finding *get(struct rt_triage *triage, uint64_t place)
{
	const struct rt_finding *finding;

	ck_assert_int_eq(rt_triage_get(triage, place, &finding, &err), RT_OK);
	return finding;
}

static struct rt_triage *triage_make(uint64_t max)
{
	struct rt_triage *triage;

	ck_assert_int_eq(rt_triage_new(max, 0, &triage, &err), RT_OK);
	return triage;
}

/* Whatever order they come in: forwards, backwards, and with steps of 11 and 17 among them. */
START_TEST(order)
{
	static const size_t steps[] = {1, COUNT - 1, 11, 17};
	uint64_t max = _i % 2 ? COUNT : COUNT * 2;
	struct rt_triage *triage = triage_make(max);
	size_t at = 0;

	for (size_t i = 0; i < COUNT; i++) {
		at = (at + steps[_i]) % COUNT;
		add(triage, ordered[at], (struct rt_slice){0}, i);
	}
	rt_triage_sort(triage);
	ck_assert_uint_eq(rt_triage_count(triage), COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		const struct rt_finding *have = get(triage, i);
		struct made want;

		made_init(&want, RT_KIND_ISSUE, ordered[i]);
		ck_assert_msg(rt_slice_equal(have->record->id, want.record.id),
			      "place %zu: want %.*s, have %.*s", i, (int)want.record.id.len,
			      want.record.id.ptr, (int)have->record->id.len, have->record->id.ptr);
		made_release(&want);
	}
	rt_triage_free(triage);
}
END_TEST

/* Of many the first are kept: 0, 1, 2 .. of them. */
START_TEST(bound)
{
	struct rt_triage *triage = triage_make((uint64_t)_i);

	for (size_t i = 0; i < COUNT; i++)
		add(triage, ordered[(i * 11 + 5) % COUNT], (struct rt_slice){0}, i);
	rt_triage_sort(triage);
	ck_assert_uint_eq(rt_triage_count(triage), (uint64_t)_i);
	for (size_t i = 0; i < (size_t)_i; i++) {
		const struct rt_finding *have = get(triage, i);
		struct made want;

		made_init(&want, RT_KIND_ISSUE, ordered[i]);
		ck_assert(rt_slice_equal(have->record->id, want.record.id));
		made_release(&want);
	}
	rt_triage_free(triage);
}
END_TEST

/* What is kept comes back: members, types, notes, number, what follows from them. */
START_TEST(comes_back)
{
	const char *text = "{\"line_number\":7,\"id\":\"\\u0061\",\"tags\":[\"x\",\"y\"],"
			   "\"severity\":\"low\",\"false_positive\":true,\"title\":\"t\\n\","
			   "\"cvss_score\":9.80,\"x\":1,\"explanation\":null}";
	struct rt_triage *triage = triage_make(3);
	const struct rt_finding *have;
	struct rt_buf scratch = {0};
	struct rt_slice title;

	add(triage, text, RT_SLICE("[{\"text\":\"n\"}]"), 41);
	add(triage, "{\"id\":\"b\",\"severity\":\"critical\"}", (struct rt_slice){0}, 42);
	rt_triage_sort(triage);
	have = get(triage, 0);
	ck_assert_ptr_null(have->notes.ptr);
	ck_assert(have->open && have->level == 0 && have->number == 42);
	have = get(triage, 1);
	ck_assert(!have->open && have->level == 3 && have->number == 41);
	ck_assert(rt_slice_equal(have->record->id, RT_SLICE("a")));
	ck_assert(rt_slice_equal(have->notes, RT_SLICE("[{\"text\":\"n\"}]")));
	ck_assert(rt_slice_equal(rt_finding_number(have, RT_M_CVSS_SCORE), RT_SLICE("9.80")));
	ck_assert(rt_slice_equal(rt_finding_strings(have, RT_M_TAGS), RT_SLICE("[\"x\",\"y\"]")));
	ck_assert_int_eq(rt_finding_text(have, RT_M_TITLE, &scratch, &title, &err), RT_OK);
	ck_assert(rt_slice_equal(title, RT_SLICE("t\n")));
	ck_assert_int_eq(have->record->types[RT_M_EXPLANATION], RT_TYPE_NULL);
	ck_assert_int_eq(have->record->types[RT_M_CATEGORY], 0);
	rt_buf_release(&scratch);
	rt_triage_free(triage);
}
END_TEST

/* A finding whose path is `len` bytes and a number of three digits. */
static void add_long(struct rt_triage *triage, size_t len, unsigned number)
{
	char *text = malloc(len + BUFFER);

	ck_assert_ptr_nonnull(text);
	snprintf(text, len + BUFFER,
		 "{\"id\":\"%03u\",\"severity\":\"low\",\"file_path\":\"%0*u\"}", number, (int)len,
		 number);
	add(triage, text, (struct rt_slice){0}, number);
	free(text);
}

/* Paths that are the same as far as they decide leave it to the ids; and texts that do not fit the
 * memory for them go to a file. */
START_TEST(long_keys)
{
	static const size_t lengths[] = {480, 495, 500, 505, 512, 600, 5000};
	struct rt_triage *triage = triage_make(100);

	for (unsigned i = 0; i < 300; i++)
		add_long(triage, lengths[_i], (i * 7) % 300);
	rt_triage_sort(triage);
	ck_assert_uint_eq(rt_triage_count(triage), 100);
	for (unsigned i = 0; i < 100; i++) {
		const struct rt_finding *have = get(triage, i);

		ck_assert_uint_eq(have->number, i);
		ck_assert_uint_eq(have->record->values[RT_M_FILE_PATH].len, lengths[_i] + 2);
	}
	rt_triage_free(triage);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("triage");
	TCase *tcase = tcase_create("triage");

	tcase_add_loop_test(tcase, order, 0, 4);
	tcase_add_loop_test(tcase, bound, 0, (int)COUNT);
	tcase_add_test(tcase, comes_back);
	tcase_add_loop_test(tcase, long_keys, 0, 7);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
