/*
 * The newest issues, against a plain sort of all of them; what is kept of each; and the limit.
 */
#include "engine/recent.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "record_make.h"
#include "unit.h"

#define ISSUES 3000u
#define ALL (2 * ISSUES)

/* Repeatable random numbers (xorshift). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* An issue to be made: what its created_at says, in milliseconds, or that it says nothing. */
struct model {
	bool dated;
	int64_t ms;
	char id[24];
	char created_at[64]; /* JSON text; empty: the member is missing */
};

static int by_age(const void *a, const void *b)
{
	const struct model *left = a, *right = b;

	if (left->dated != right->dated)
		return left->dated ? -1 : 1;
	if (left->dated && left->ms != right->ms)
		return left->ms > right->ms ? -1 : 1;
	return strcmp(left->id, right->id);
}

static int by_age_backwards(const void *a, const void *b)
{
	return by_age(b, a);
}

/* Write the instant in one of its many forms. 1700000000 is 2023-11-14T22:13:20Z. */
static void write_date(struct model *m, uint64_t form)
{
	static const char *const offsets[] = {"Z", "", "+00", "-0000", "+00:00"};
	static const char *const zeros[] = {"", "0", "00000000000"};
	unsigned second = (unsigned)(m->ms / 1000 - 1700000000) + 20, ms = (unsigned)(m->ms % 1000);
	/* Second 60 is the next minute's 0. */
	bool next = second == 60 && form / 5 % 2;
	char fraction[32] = "";

	if (ms)
		snprintf(fraction, sizeof(fraction), ".%03u%s", ms, zeros[form % 3]);
	else if (form % 3)
		snprintf(fraction, sizeof(fraction), ".%s", zeros[form % 3]);
	/* In the time of a zone half an hour ahead, or with an escape, once in a while. */
	if (form % 7 == 0)
		snprintf(m->created_at, sizeof(m->created_at), "\"2023-11-14T22:43:%02u%s+0030\"",
			 second, fraction);
	else if (form % 11 == 0)
		snprintf(m->created_at, sizeof(m->created_at),
			 "\"2023-11-14\\u002022\\u003A13:%02u%s\"", second, fraction);
	else
		snprintf(m->created_at, sizeof(m->created_at), "\"2023-11-14%c22:%02u:%02u%s%s\"",
			 form % 2 ? 'T' : ' ', next ? 14 : 13, next ? 0 : second, fraction,
			 offsets[form % 5]);
}

/* Few seconds and fewer fractions, so that many are equal; one in ten has no date. */
static void model_fill(struct model *models, uint64_t state)
{
	static const char *const undated[] = {
	    "",           "null", "\"\"", "\"soon\"", "\"2023-02-29\"", "\"2023-11-14T22:13:20Z \"",
	    "\"9999\\n\""};

	for (size_t i = 0; i < ISSUES; i++) {
		struct model *m = &models[i];
		uint64_t form = next_random(&state);

		m->dated = next_random(&state) % 10 != 0;
		m->ms = (INT64_C(1700000000) + (int64_t)(form / 64 % 41)) * 1000;
		m->ms += (int64_t[]){0, 0, 1, 10, 100, 999, 90, 9}[form % 8];
		/* Ids in byte order are not in order of their numbers, nor of their length. */
		snprintf(m->id, sizeof(m->id), "%" PRIx64, (uint64_t)i * 2654435761u);
		if (m->dated)
			write_date(m, next_random(&state) % 2310);
		else
			snprintf(m->created_at, sizeof(m->created_at), "%s", undated[form % 7]);
	}
}

static void made_from(struct made *made, const struct model *m)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"id\":\"%s\"%s%s,\"title\":\"of %s\"}", m->id,
		 m->created_at[0] ? ",\"created_at\":" : "", m->created_at, m->id);
	made_init(made, RT_KIND_ISSUE, text);
}

static void add(struct rt_recent *recent, const struct model *m)
{
	struct rt_error err = {0};
	struct made made;

	made_from(&made, m);
	if (rt_recent_add(recent, &made.record, false, &err) != RT_OK)
		ck_abort_msg("%s: %s", m->id, err.message);
	made_release(&made);
}

static bool is_kept(const struct rt_issue *issue, const struct model *m)
{
	const struct rt_slice *values = issue->values;
	char title[64];

	snprintf(title, sizeof(title), "\"of %s\"", m->id);
	return issue->dated == m->dated &&
	       rt_slice_equal(issue->id, rt_slice_make(m->id, strlen(m->id))) &&
	       rt_slice_equal(values[RT_M_TITLE], rt_slice_make(title, strlen(title))) &&
	       rt_slice_equal(values[RT_M_CREATED_AT],
			      rt_slice_make(m->created_at, strlen(m->created_at))) &&
	       (values[RT_M_CREATED_AT].ptr == NULL) == (m->created_at[0] == '\0') &&
	       !values[RT_M_SEVERITY].ptr;
}

static const struct {
	const char *what;
	size_t max;
	int (*order)(const void *a, const void *b); /* of arrival; NULL: as it comes */
} runs[] = {
    {"none", 0, NULL},
    {"one", 1, NULL},
    {"two", 2, NULL},
    {"ten", 10, NULL},
    {"ten, newest first", 10, by_age},
    {"ten, newest last", 10, by_age_backwards},
    {"a thousand", 1000, NULL},
    {"a thousand, newest first", 1000, by_age},
    {"a thousand, newest last", 1000, by_age_backwards},
    {"exactly all", ISSUES, NULL},
    {"more than there are", ALL, NULL},
    {"more than there are, newest last", ALL, by_age_backwards},
};

START_TEST(as_sorted)
{
	struct model *models = calloc(ISSUES, sizeof(*models));
	size_t max = runs[_i].max, expected = max < ISSUES ? max : ISSUES;
	struct rt_recent recent;
	struct rt_error err;

	ck_assert_ptr_nonnull(models);
	model_fill(models, 88172645463325252u + (uint64_t)_i);
	if (runs[_i].order)
		qsort(models, ISSUES, sizeof(*models), runs[_i].order);
	ck_assert_int_eq(rt_recent_init(&recent, max, RT_LIMIT_RECENT, &err), RT_OK);
	for (size_t i = 0; i < ISSUES; i++)
		add(&recent, &models[i]);
	qsort(models, ISSUES, sizeof(*models), by_age);
	ck_assert_uint_eq(recent.count, expected);
	for (size_t i = 0; i < expected; i++) {
		if (!is_kept(recent.issues[i], &models[i]))
			ck_abort_msg("%s: %zu: want %s at %s, have %.*s", runs[_i].what, i,
				     models[i].id, models[i].created_at,
				     (int)recent.issues[i]->id.len, recent.issues[i]->id.ptr);
	}
	rt_recent_release(&recent);
	rt_recent_release(&recent);
	free(models);
}
END_TEST

/* Dates that look older than they are, next to one in the usual form: the only one kept is wanted.
 */
static const struct {
	const char *what, *first, *second;
	char wanted; /* id: "b" comes first, then "a" */
} pairs[] = {
    {"older", "2023-11-14T22:14:01Z", "2023-11-14T22:14:00Z", 'b'},
    {"newer", "2023-11-14T22:14:01Z", "2023-11-14T22:14:02Z", 'a'},
    {"equal", "2023-11-14T22:14:01Z", "2023-11-14T22:14:01Z", 'a'},
    {"second 60 is the same", "2023-11-14T22:14:00Z", "2023-11-14T22:13:60Z", 'a'},
    {"a blank for the T", "2023-11-14T22:14:00Z", "2023-11-14 22:14:01Z", 'a'},
    {"kept with a blank", "2023-11-14 22:14:02Z", "2023-11-14T22:14:01Z", 'b'},
    {"a day with escapes", "2023-11-14T22:14:00Z", "\\u0032023-11-1\\u0035", 'a'},
    {"no date", "2023-11-14T22:14:00Z", "1023-11-14T22:14:0xZ", 'b'},
    {"kept is no date", "3023-11-14T22:14:0xZ", "2023-11-14T22:14:00Z", 'a'},
    {"a zone", "2023-11-14T22:14:00Z", "2023-11-14T22:13-01", 'a'},
};

START_TEST(next_to_usual)
{
	struct model models[2] = {{.id = "b"}, {.id = "a"}};
	struct rt_recent recent;
	struct rt_error err;

	snprintf(models[0].created_at, sizeof(models[0].created_at), "\"%s\"", pairs[_i].first);
	snprintf(models[1].created_at, sizeof(models[1].created_at), "\"%s\"", pairs[_i].second);
	ck_assert_int_eq(rt_recent_init(&recent, 1, RT_LIMIT_RECENT, &err), RT_OK);
	add(&recent, &models[0]);
	add(&recent, &models[1]);
	ck_assert_msg(*recent.issues[0]->id.ptr == pairs[_i].wanted, "%s", pairs[_i].what);
	rt_recent_release(&recent);
}
END_TEST

/* All members are kept, and as they were written. */
START_TEST(members)
{
	struct rt_recent recent;
	struct rt_error err;
	struct made made;
	char text[4096] = "{\"other\":1", value[64];
	size_t len = strlen(text);

	for (enum rt_member m = 0; m < RT_ISSUE_MEMBERS; m++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ",\"%s\":\"\\u0061 %d\"",
					rt_member_name(m).ptr, m);
	snprintf(text + len, sizeof(text) - len, "}");
	ck_assert_int_eq(rt_recent_init(&recent, 3, RT_LIMIT_RECENT, &err), RT_OK);
	made_init(&made, RT_KIND_ISSUE, text);
	ck_assert_int_eq(rt_recent_add(&recent, &made.record, false, &err), RT_OK);
	made_release(&made);
	ck_assert_uint_eq(recent.count, 1);
	ck_assert(rt_slice_equal(recent.issues[0]->id, RT_SLICE("a 0")));
	for (enum rt_member m = 0; m < RT_ISSUE_MEMBERS; m++) {
		len = (size_t)snprintf(value, sizeof(value), "\"\\u0061 %d\"", m);
		ck_assert_msg(
		    rt_slice_equal(recent.issues[0]->values[m], rt_slice_make(value, len)), "%s",
		    rt_member_name(m).ptr);
	}
	rt_recent_release(&recent);
}
END_TEST

/* Escapes in a date: up to 256 bytes of text are decoded. */
static const struct {
	const char *what;
	size_t zeros; /* of the fraction */
	bool dated;
} escaped[] = {
    {"short", 3, true},
    {"as long as may be", 256 - 25, true},
    {"a byte longer", 257 - 25, false},
    {"far longer", 10000, false},
};

START_TEST(escaped_date)
{
	char zeros[10001], text[10200];
	struct rt_recent recent;
	struct rt_error err;
	struct made made;

	memset(zeros, '0', sizeof(zeros) - 1);
	zeros[escaped[_i].zeros] = '\0';
	snprintf(text, sizeof(text),
		 "{\"id\":\"a\",\"created_at\":\"2023-11-14\\u005422:13:20.%s\"}", zeros);
	made_init(&made, RT_KIND_ISSUE, text);
	/* The escape is five bytes more than its letter. */
	ck_assert_uint_eq(rt_record_string(&made.record, RT_M_CREATED_AT).len,
			  25 + escaped[_i].zeros);
	ck_assert_int_eq(rt_recent_init(&recent, 1, RT_LIMIT_RECENT, &err), RT_OK);
	ck_assert_int_eq(rt_recent_add(&recent, &made.record, false, &err), RT_OK);
	made_release(&made);
	ck_assert_msg(recent.issues[0]->dated == escaped[_i].dated, "%s", escaped[_i].what);
	if (escaped[_i].dated)
		ck_assert_int_eq(recent.issues[0]->instant.seconds, 1700000000);
	rt_recent_release(&recent);
}
END_TEST

/* Digits of a fraction that count are compared even when they were escaped, or are many. */
START_TEST(fractions)
{
	static const char *const dates[] = {"2023-11-14T22:13:20.2\\u0030\\u0031",
					    "2023-11-14T22:13:20.20099999999999999999999999999",
					    "2023-11-14T22:13:20.2"};
	struct rt_recent recent;
	struct rt_error err;

	ck_assert_int_eq(rt_recent_init(&recent, 3, RT_LIMIT_RECENT, &err), RT_OK);
	for (size_t i = 3; i-- > 0;) {
		struct made made;
		char text[128];

		snprintf(text, sizeof(text), "{\"id\":\"%zu\",\"created_at\":\"%s\"}", i, dates[i]);
		made_init(&made, RT_KIND_ISSUE, text);
		ck_assert_int_eq(rt_recent_add(&recent, &made.record, false, &err), RT_OK);
		made_release(&made);
	}
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(recent.issues[i]->id.ptr[0], '0' + (int)i);
	rt_recent_release(&recent);
}
END_TEST

/* An issue with a title of so many bytes and a date in that second. */
static enum rt_status add_large(struct rt_recent *recent, size_t bytes, unsigned second,
				struct rt_error *err)
{
	char *text = malloc(bytes + 128);
	enum rt_status status;
	struct made made;
	int len;

	ck_assert_ptr_nonnull(text);
	len =
	    sprintf(text, "{\"id\":\"%02u\",\"created_at\":\"2023-11-14T22:13:%02uZ\",\"title\":\"",
		    second, second);
	memset(text + len, 'x', bytes);
	strcpy(text + len + bytes, "\"}");
	made_init(&made, RT_KIND_ISSUE, text);
	memset(err, 0, sizeof(*err));
	status = rt_recent_add(recent, &made.record, false, err);
	made_release(&made);
	free(text);
	return status;
}

/* The limit counts what is kept, not what goes by. */
START_TEST(limit)
{
	struct rt_recent recent;
	struct rt_error err;

	ck_assert_int_eq(rt_recent_init(&recent, 2, 10000, &err), RT_OK);
	ck_assert_int_eq(add_large(&recent, 4000, 10, &err), RT_OK);
	ck_assert_int_eq(add_large(&recent, 4000, 11, &err), RT_OK);
	ck_assert_uint_ge(recent.bytes, 8000);
	/* Older than those that are kept: of no account. */
	ck_assert_int_eq(add_large(&recent, 50000, 9, &err), RT_OK);
	/* In the place of an older one. */
	for (unsigned second = 12; second < 40; second++)
		ck_assert_int_eq(add_large(&recent, 4000 + second, second, &err), RT_OK);
	ck_assert_uint_le(recent.bytes, 10000);
	ck_assert_int_eq(add_large(&recent, 7000, 40, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want recent issues of at most 10000 bytes (limit "
				      "\"recent\"), have more");
	/* What was kept is as it was. */
	ck_assert_uint_eq(recent.count, 2);
	ck_assert(rt_slice_equal(recent.issues[0]->id, RT_SLICE("39")));
	ck_assert(rt_slice_equal(recent.issues[1]->id, RT_SLICE("38")));
	ck_assert_uint_eq(recent.issues[1]->values[RT_M_TITLE].len, 4038 + 2);
	rt_recent_release(&recent);
}
END_TEST

/* With no issue to keep, not even a large one is looked at. */
START_TEST(limit_none)
{
	struct rt_recent recent;
	struct rt_error err;

	ck_assert_int_eq(rt_recent_init(&recent, 0, 1, &err), RT_OK);
	ck_assert_int_eq(add_large(&recent, 4000, 10, &err), RT_OK);
	ck_assert_uint_eq(recent.count, 0);
	ck_assert_uint_eq(recent.bytes, 0);
	rt_recent_release(&recent);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("recent");
	TCase *tcase = tcase_create("recent");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, as_sorted, 0, sizeof(runs) / sizeof(runs[0]));
	tcase_add_loop_test(tcase, next_to_usual, 0, sizeof(pairs) / sizeof(pairs[0]));
	tcase_add_test(tcase, members);
	tcase_add_loop_test(tcase, escaped_date, 0, sizeof(escaped) / sizeof(escaped[0]));
	tcase_add_test(tcase, fractions);
	tcase_add_test(tcase, limit);
	tcase_add_test(tcase, limit_none);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
