/*
 * Results on two threads: the same text, faults, places and notes as from one batch, however many
 * batches there are and wherever something is wrong.
 */
#include "sarif/batches.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "sarif/sarif.h"
#include "text_pull.h"
#include "unit.h"

#define RESULTS 100u

#define TOOL "\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[{\"id\":\"r\",\"name\":\"n\"}]}}"
#define ARTIFACTS "\"artifacts\":[{\"location\":{\"uri\":\"a.c\"}}]"

static void put(struct rt_buf *out, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(out, text, strlen(text), &err), RT_OK);
}

static enum rt_status note(void *ctx, const struct rt_error *told, struct rt_error *err)
{
	(void)err;
	put(ctx, told->record);
	put(ctx, told->message);
	put(ctx, "\n");
	return RT_OK;
}

/* What comes of a log: its text and notes, or its faults with their places. */
static struct rt_buf read_log(struct rt_slice log, size_t window)
{
	struct text text = {log, 0};
	struct rt_buf out = {0};
	struct rt_sarif_hints hints = {.note = note, .note_ctx = &out, .window = window};
	struct rt_sarif *sarif = NULL;
	struct rt_limits limits;
	struct rt_error err;
	enum rt_status status;
	char buf[4096];
	size_t len;
	bool is;

	rt_limits_init(&limits);
	status =
	    rt_sarif_open((struct rt_pull){text_pull, &text}, &hints, &limits, &sarif, &is, &err);
	ck_assert_int_eq(status, RT_OK);
	while ((status = rt_sarif_read(sarif, buf, sizeof(buf), &len, &err)) == RT_OK)
		ck_assert_int_eq(rt_buf_append(&out, buf, len, &err), RT_OK);
	while (status == RT_REJECT) {
		(void)snprintf(buf, sizeof(buf), "%s: %s: %s at %zu:%zu, %zu\n", err.record,
			       err.field, err.message, (size_t)err.line, (size_t)err.column,
			       (size_t)err.offset);
		put(&out, buf);
		status = rt_sarif_next_fault(sarif, &err);
	}
	ck_assert_int_eq(status, RT_END);
	rt_sarif_free(sarif);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out;
}

/* A log where some results, by their numbers, are other ones. */
static struct rt_buf make_log(const char *before, const char *after, const unsigned *others,
			      size_t count, const char *other)
{
	struct rt_buf log = {0};
	char line[200];

	put(&log, "{\"version\":\"2.1.0\",\"runs\":[{");
	put(&log, before);
	put(&log, "\"results\":[\n");
	for (unsigned i = 0; i < RESULTS; i++) {
		(void)snprintf(line, sizeof(line),
			       "{\"ruleId\":\"r\",\"message\":{\"text\":\"m%u\"},\"locations\":"
			       "[{\"physicalLocation\":{\"artifactLocation\":{\"index\":0}}}]}",
			       i % 7);
		for (size_t k = 0; k < count; k++) {
			if (others[k] == i)
				(void)snprintf(line, sizeof(line), "%s", other);
		}
		put(&log, i ? ",\n" : "");
		put(&log, line);
	}
	put(&log, "]");
	put(&log, after);
	put(&log, "}]}\n");
	return log;
}

/* What stands at some places, and what has to be said of the first of them; NULL: no fault. */
static const struct {
	const char *other, *fault;
} others[] = {
    {"{\"kind\":\"pass\"}", NULL},
    {"{\"message\":{\"id\":\"none\"}}", NULL},
    {"{\"properties\":{\"retriage\":{\"id\":\"own\",\n\"severity\":\"low\"}}}", NULL},
    {"{\"kind\":\"fial\"}", "result 3: kind: want"},
    {"7", "result 3: : want an object, have a number"},
    {"{\"ruleIndex\":1.5}", "result 3: ruleIndex: want an integer"},
    {"{\"rule\":{\"index\":9}}", "result 3: rule.index: want less than 1"},
    {"{\"suppressions\":[1]}", "result 3: suppressions: want an object"},
    {"{\"kind\":\"fail\" 1}", ": want ',' or '}', have '1'"},
};

static const struct {
	const char *before, *after;
} tables[] = {
    {TOOL "," ARTIFACTS ",", ""},
    {TOOL ",", "," ARTIFACTS},
    {"", "," TOOL "," ARTIFACTS},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* Batches of one result, of several, and of all, at places of every kind. */
START_TEST(batches)
{
	static const size_t windows[] = {64, 100, 1000};
	static const unsigned at[] = {3, 4, 60, RESULTS - 1};
	unsigned which = (unsigned)_i / TABLES, table = (unsigned)_i % TABLES;

	for (size_t count = 0; count <= sizeof(at) / sizeof(at[0]); count += 2) {
		struct rt_buf log = make_log(tables[table].before, tables[table].after, at, count,
					     others[which].other);
		struct rt_buf whole = read_log(rt_buf_slice(&log), 0);

		if (count && others[which].fault)
			ck_assert_msg(strstr(whole.data, others[which].fault) != NULL, "%.400s",
				      whole.data);
		else
			ck_assert(strstr(whole.data, "\"a.c\"") != NULL);
		for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
			struct rt_buf parts = read_log(rt_buf_slice(&log), windows[w]);

			ck_assert_msg(strcmp(whole.data, parts.data) == 0,
				      "window %zu: have %.400s, want %.400s", windows[w],
				      parts.data, whole.data);
			rt_buf_release(&parts);
		}
		rt_buf_release(&whole);
		rt_buf_release(&log);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_batches");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60); /* of sanitizers that watch threads */
	tcase_add_loop_test(cases, batches, 0, (int)(TABLES * sizeof(others) / sizeof(others[0])));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
