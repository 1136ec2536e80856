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

#define TOOL                                                                                       \
	"\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[{\"id\":\"r\",\"name\":\"n\"}]}},"        \
	"\"invocations\":[{\"startTimeUtc\":\"2026-01-02T03:04:05Z\"},{}]"
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

/* What comes of a log: its text and notes, or its faults with their places. remake: nothing is
 * kept. */
static struct rt_buf read_log(struct rt_slice log, size_t window, bool remake)
{
	struct text text = {log, 0};
	struct rt_buf out = {0};
	struct rt_sarif_hints hints = {
	    .note = note, .note_ctx = &out, .window = window, .remake = remake};
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
	char line[1200];

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
    /* All that a table may still add to, or that is read apart from it. */
    {"{\"rule\":{\"id\":\"r\"},\"kind\":\"review\",\"level\":\"error\",\"analysisTarget\":{\"uri\":"
     "\"t\"},"
     "\"provenance\":{\"invocationIndex\":0,\"firstDetectionTimeUtc\":\"2025-01-02T03:04:05Z\"},"
     "\"locations\":[{\"physicalLocation\":{\"region\":{\"startLine\":3,\"startColumn\":2,"
     "\"endLine\":4,\"endColumn\":9},\"contextRegion\":{\"startLine\":2,\"snippet\":{\"text\":"
     "\"a\\nb\\nc\\nd\\ne\"}}},\"logicalLocations\":[{\"fullyQualifiedName\":\"f\"}]}],"
     "\"message\":{\"text\":\"m{0}\",\"arguments\":[\"1\"]},\"taxa\":[{\"id\":\"CWE-1\"}],"
     "\"suppressions\":[{\"kind\":\"inSource\"}],\"fixes\":[{\"description\":{\"text\":\"d\"},"
     "\"artifactChanges\":[{\"replacements\":[{\"insertedContent\":{\"text\":\"i\"}}]}]}],"
     "\"properties\":{\"tags\":[\"a\"],\"security-severity\":\"8\",\"confidence\":0.5}}",
     NULL},
    {"{\"provenance\":{\"invocationIndex\":0},\"locations\":[{\"physicalLocation\":{\"region\":"
     "{\"startLine\":3,\"snippet\":{\"text\":\"s\"}}}}],\"fingerprints\":{\"a\":\"12345678\"},"
     "\"webRequest\":{\"target\":\"/x\"}}",
     NULL},
    {"{\"webRequest\":{\"target\":\"/x\"}}", NULL},
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
    {TOOL "," ARTIFACTS ",", ",\"automationDetails\":{\"id\":\"x/1\"}"},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* Batches of one result, of several, and of all, at places of every kind. */
START_TEST(batches)
{
	static const size_t windows[] = {0, 64, 100, 300, 1000};
	static const unsigned at[] = {3, 4, 60, RESULTS - 1};
	unsigned which = (unsigned)_i / TABLES, table = (unsigned)_i % TABLES;

	for (size_t count = 0; count <= sizeof(at) / sizeof(at[0]); count += 2) {
		struct rt_buf log = make_log(tables[table].before, tables[table].after, at, count,
					     others[which].other);
		struct rt_buf whole = read_log(rt_buf_slice(&log), 0, true);

		if (count && others[which].fault)
			ck_assert_msg(strstr(whole.data, others[which].fault) != NULL, "%.400s",
				      whole.data);
		else
			ck_assert(strstr(whole.data, "\"a.c\"") != NULL);
		for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
			struct rt_buf parts = read_log(rt_buf_slice(&log), windows[w], false);

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

/* A part that can be read again, and how many bytes of it were. */
struct part {
	struct text text;
	size_t again;
};

static enum rt_status again(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	struct part *part = ctx;
	struct text rest = {part->text.text, (size_t)offset};

	if (text_pull(&rest, buf, cap, ret_len, err) != RT_OK)
		return RT_END;
	part->again += *ret_len;
	return RT_OK;
}

/* How many bytes of a log are read a second time. */
static size_t read_again(struct rt_slice log, size_t window)
{
	struct part part = {.text = {log, 0}};
	struct rt_sarif_hints hints = {.again = again, .again_ctx = &part, .window = window};
	struct rt_sarif *sarif = NULL;
	struct rt_limits limits;
	struct rt_error err;
	enum rt_status status;
	char buf[4096];
	size_t len;
	bool is;

	rt_limits_init(&limits);
	status = rt_sarif_open((struct rt_pull){text_pull, &part.text}, &hints, &limits, &sarif,
			       &is, &err);
	while (status == RT_OK)
		status = rt_sarif_read(sarif, buf, sizeof(buf), &len, &err);
	ck_assert_int_eq(status, RT_END);
	rt_sarif_free(sarif);
	return part.again;
}

/*
 * A log is read once, wherever its tables stand; some of it again where the first results are told
 * by artifacts that follow; and all results where another table follows that nobody could expect,
 * or where they do not fit into a batch.
 */
START_TEST(read_once)
{
	static const char other[] = "{\"properties\":{\"retriage\":{\"severity\":\"low\"}}}";
	static const unsigned at[] = {3};
	struct rt_buf log = make_log(tables[_i].before, tables[_i].after, at, 1, other);
	size_t some = read_again(rt_buf_slice(&log), 300), all = read_again(rt_buf_slice(&log), 20);

	ck_assert_uint_ge(all, _i ? log.len * 9 / 10 : 0);
	ck_assert_uint_ge(some, _i == 3 ? log.len * 9 / 10 : _i == 1);
	ck_assert_uint_le(some, _i == 3 ? log.len : _i == 1 ? log.len / 3 : 0);
	rt_buf_release(&log);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_batches");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60); /* of sanitizers that watch threads */
	tcase_add_loop_test(cases, batches, 0, (int)(TABLES * sizeof(others) / sizeof(others[0])));
	tcase_add_loop_test(cases, read_once, 0, TABLES);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
