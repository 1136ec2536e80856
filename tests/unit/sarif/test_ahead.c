/*
 * Tables that follow the results of a run, taken ahead of them: where a guess is right nothing is
 * read twice, and whatever it is the answer is that of a log that is read from front to back.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "sarif/sarif.h"
#include "unit.h"

/* A log in memory, of which what was not pulled yet may be another when it is read. */
struct memory {
	struct rt_slice text;
	size_t at;
	bool changes;      /* by then, 'm' is 'n' there */
	unsigned fails_at; /* the read of it that fails, from 1; 0: none */
	unsigned ahead;    /* reads of it */
	unsigned over;     /* reads of the first byte that are not the first */
};

static enum rt_status give(const struct memory *memory, size_t at, void *buf, size_t cap,
			   size_t *ret_len)
{
	size_t len = memory->text.len - at;

	*ret_len = len < cap ? len : cap;
	memcpy(buf, memory->text.ptr + at, *ret_len);
	return *ret_len ? RT_OK : RT_END;
}

/* A few bytes at a time, so that most of a log is still to come. */
static enum rt_status pull(void *ctx, void *buf, size_t cap, size_t *ret_len, struct rt_error *err)
{
	struct memory *memory = ctx;
	enum rt_status status = give(memory, memory->at, buf, cap < 16 ? cap : 16, ret_len);

	(void)err;
	memory->at += *ret_len;
	return status;
}

static enum rt_status again(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	struct memory *memory = ctx;
	enum rt_status status = give(memory, (size_t)offset, buf, cap, ret_len);
	bool ahead = offset + *ret_len > memory->at;

	memory->over += offset == 0;
	memory->ahead += ahead;
	if (ahead && memory->ahead == memory->fails_at)
		return rt_error_set(err, RT_E_IO, "want bytes, have none"), RT_FATAL;
	for (size_t i = 0; memory->changes && i < *ret_len; i++) {
		if (offset + i >= memory->at && ((char *)buf)[i] == 'm')
			((char *)buf)[i] = 'n';
	}
	return status;
}

static enum rt_status note(void *ctx, const struct rt_error *told, struct rt_error *err)
{
	char line[2048];

	(void)snprintf(line, sizeof(line), "\n%s: %s", told->record, told->message);
	return rt_buf_append(ctx, line, strlen(line), err);
}

static void tell(struct rt_buf *out, enum rt_status status, const struct rt_error *fault)
{
	struct rt_error err;
	char line[2048];

	(void)snprintf(line, sizeof(line), "\n%d %u:%u %s: %s: %s", status, (unsigned)fault->line,
		       (unsigned)fault->column, fault->record, fault->field, fault->message);
	ck_assert_int_eq(rt_buf_append(out, line, strlen(line), &err), RT_OK);
}

/* All that comes of a log: notes, text and faults. sized: its tables may be taken ahead. */
static struct rt_buf read_log(struct memory *memory, bool sized, const struct rt_limits *limits)
{
	struct rt_buf out = {0};
	const struct rt_sarif_hints hints = {.window = 64,
					     .again = again,
					     .again_ctx = memory,
					     .size = sized ? memory->text.len : 0,
					     .note = note,
					     .note_ctx = &out};
	struct rt_sarif *sarif = NULL;
	struct rt_error err;
	enum rt_status status;
	char buf[4096];
	size_t len;
	bool is;

	status = rt_sarif_open((struct rt_pull){pull, memory}, &hints, limits, &sarif, &is, &err);
	while (status == RT_OK) {
		status = rt_sarif_read(sarif, buf, sizeof(buf), &len, &err);
		if (status == RT_OK)
			ck_assert_int_eq(rt_buf_append(&out, buf, len, &err), RT_OK);
	}
	for (; status < 0; status = rt_sarif_next_fault(sarif, &err))
		tell(&out, status, &err);
	rt_sarif_free(sarif);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out;
}

#define LOG(members) "{\"version\":\"2.1.0\",\"runs\":[{" members "}]}"
#define RESULT "{\"ruleId\":\"r\",\"message\":{\"text\":\"m\"}}"
#define RESULTS "\"results\":[" RESULT ",\n" RESULT ",{\"ruleId\":\"q\"}]"
#define TOOL(name)                                                                                 \
	"\"tool\" : {\"driver\":{\"name\":\"" name "\",\"rules\":[{\"id\":\"r\",\"name\":\"m\"}]}" \
	"}"
#define TAXONOMIES "\"taxonomies\":[{\"name\":\"CWE\",\"taxa\":[{\"id\":\"79\"}]}]"
#define AT(index) "{\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{" index "}}}]}"
#define ARTIFACTS "\"artifacts\":[{\"location\":{\"uri\":\"a/m.c\"}}]"

#define LONG                                                                                       \
	"................................................................"                         \
	"................................................................"

enum how { NONE, RIGHT, WRONG };

static const struct {
	const char *what, *text;
	enum how how;
} logs[] = {
    {"rules first", LOG(TOOL("t") "," RESULTS), NONE},
    {"rules last", LOG(RESULTS "," TOOL("t")), RIGHT},
    {"sorted", LOG("\"artifacts\":[]," RESULTS "," TAXONOMIES "," TOOL("t") ",\"x\":1"), RIGHT},
    {"another member between", LOG(RESULTS ",\"x\":[{}]," TOOL("t")), RIGHT},
    {"artifacts before it", LOG(RESULTS "," ARTIFACTS ",\"x\":\"\\\"tool\\\":{\"," TOOL("t")),
     RIGHT},
    {"all of the others before it",
     LOG(RESULTS ",\"invocations\":[{\"executionSuccessful\":false}],\"automationDetails\":{"
		 "\"id\":\"m/\"},\"originalUriBaseIds\":{\"R\":{\"uri\":\"file:///m/\"}}," TOOL(
		     "t") ",\"versionControlProvenance\":[{\"repositoryUri\":\"https://m/n\"}]"),
     RIGHT},
    {"artifacts after rules and results",
     LOG(TOOL("t") ",\"results\":[" AT("\"index\":0") "]," ARTIFACTS ",\"x\":\"" LONG "\""), RIGHT},
    {"as a value", LOG(RESULTS "," TOOL("tool") ",\"x\":\"tool\""), RIGHT},
    {"inside of another member", LOG(RESULTS "," TOOL("t") ",\"properties\":{\"tool\":{}}"), RIGHT},
    {"as in a run of its own", LOG(RESULTS "," TOOL("t") ",\"x\":[{" TOOL("u") "}]"), WRONG},
    {"in an array of the tool's", LOG(RESULTS ",\"x\":[{" TOOL("u") "}]"), WRONG},
    {"two runs", LOG(RESULTS "," TOOL("t") "},{" RESULTS "," TOOL("u")), WRONG},
    {"the second without", LOG(RESULTS "," TOOL("t") "},{" RESULTS), NONE},
    {"of the second run", LOG(RESULTS "},{" TOOL("t")), WRONG},
    {"in both places", LOG(TOOL("t") "," RESULTS "," TOOL("u")), NONE},
    {"twice behind", LOG(RESULTS "," TOOL("t") "," TOOL("u")), WRONG},
    {"results twice", LOG(RESULTS "," TOOL("t") "," RESULTS), WRONG},
    {"results twice, before it", LOG(RESULTS "," RESULTS "," TOOL("t")), WRONG},
    {"escaped", LOG(RESULTS ",\"t\\u006fol\":{\"driver\":{\"name\":\"t\"}}"), NONE},
    {"null", LOG(RESULTS ",\"tool\":null"), RIGHT},
    {"a wrong type", LOG(RESULTS ",\"tool\":[]"), WRONG},
    {"a fault in a rule", LOG(RESULTS ",\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[7]}}"),
     WRONG},
    {"a loop of bases",
     LOG(RESULTS "," TOOL("t") ",\"originalUriBaseIds\":{\"R\":{\"uriBaseId\":\"R\"}}"), WRONG},
    {"findings elsewhere",
     LOG(RESULTS ",\"externalPropertyFileReferences\":{\"results\":[{}]}," TOOL("t")), WRONG},
    {"a fault in a result", LOG("\"results\":[" RESULT ",{\"level\":\"x\"}]," TOOL("t")), WRONG},
    {"one that tables tell", LOG("\"results\":[" RESULT "," AT("\"index\":7") "]," TOOL("t")),
     RIGHT},
    {"one in a large result",
     LOG("\"results\":[{\"level\":\"x\",\"x\":\"................"
	 "...........................................\"}]," TOOL("t")),
     WRONG},
    {"a fault in a record",
     LOG("\"results\":[" RESULT
	 ",{\"properties\":{\"retriage\":{\"id\":1,\"tags\":7}}}]," TOOL("t")),
     RIGHT},
    {"a fault behind", LOG(RESULTS "," TOOL("t")) " x", RIGHT},
    {"bad text before", LOG("\"results\":[" RESULT ",tru]," TOOL("t")), WRONG},
    {"bad text between", LOG(RESULTS ",\"x\":[1,]," TOOL("t")), WRONG},
    {"cut short", "{\"version\":\"2.1.0\",\"runs\":[{" RESULTS "," TOOL("t"), NONE},
    {"no results", LOG(TOOL("t") ",\"results\":null"), NONE},
    {"an empty list", LOG("\"results\":[]," TOOL("t")), RIGHT},
    {"no log", "{\"runs\":[{" RESULTS "," TOOL("t") "}],\"issues\":[]}", RIGHT},
    {"another version", "{\"runs\":[{" RESULTS "," TOOL("t") "}],\"version\":\"2.0.0\"}", RIGHT},
};

/* The log as it is read from front to back. */
static struct rt_buf read_plainly(const char *text, const struct rt_limits *limits,
				  unsigned *ret_over)
{
	struct memory memory = {.text = {text, strlen(text)}};
	struct rt_buf out = read_log(&memory, false, limits);

	if (ret_over)
		*ret_over = memory.over;
	return out;
}

START_TEST(right_or_wrong)
{
	struct memory memory = {.text = {logs[_i].text, strlen(logs[_i].text)}};
	struct rt_buf ahead, plain;
	struct rt_limits limits;
	unsigned over;
	enum how how;

	rt_limits_init(&limits);
	plain = read_plainly(logs[_i].text, &limits, &over);
	ahead = read_log(&memory, true, &limits);
	ck_assert_msg(strcmp(ahead.data, plain.data) == 0, "%s: %s\nwant: %s", logs[_i].what,
		      ahead.data, plain.data);
	/* A search that finds nothing reads ahead as well. */
	how = memory.over > over ? WRONG : memory.ahead ? RIGHT : NONE;
	if (logs[_i].how != NONE)
		ck_assert_msg(how == logs[_i].how, "%s: %d", logs[_i].what, how);
	rt_buf_release(&ahead);
	rt_buf_release(&plain);
}
END_TEST

/* What was read ahead was another text than what comes. */
START_TEST(changed)
{
	const char *text = logs[_i].text;
	struct memory memory = {.text = {text, strlen(text)}, .changes = true};
	struct rt_buf ahead, plain;
	struct rt_limits limits;

	rt_limits_init(&limits);
	plain = read_plainly(text, &limits, NULL);
	ahead = read_log(&memory, true, &limits);
	ck_assert_msg(strcmp(ahead.data, plain.data) == 0, "%s: %s", logs[_i].what, ahead.data);
	rt_buf_release(&ahead);
	rt_buf_release(&plain);
}
END_TEST

/* Each read ahead fails once, and it is as if nothing had been tried. */
START_TEST(unread)
{
	const char *text = logs[_i].text;
	struct rt_limits limits;
	struct rt_buf plain;

	rt_limits_init(&limits);
	plain = read_plainly(text, &limits, NULL);
	for (unsigned n = 1;; n++) {
		struct memory memory = {.text = {text, strlen(text)}, .fails_at = n};
		struct rt_buf ahead = read_log(&memory, true, &limits);

		ck_assert_msg(strcmp(ahead.data, plain.data) == 0, "%s: %s", logs[_i].what,
			      ahead.data);
		rt_buf_release(&ahead);
		if (memory.ahead < n)
			break;
	}
	rt_buf_release(&plain);
}
END_TEST

/* The limit on tables is met, or not, as by a log that is read from front to back. */
START_TEST(limited)
{
	const char *text = logs[_i].text;
	struct rt_limits limits;

	rt_limits_init(&limits);
	for (limits.metadata_bytes = 100; limits.metadata_bytes < 6000;
	     limits.metadata_bytes += 100) {
		struct memory memory = {.text = {text, strlen(text)}};
		struct rt_buf plain = read_plainly(text, &limits, NULL);
		struct rt_buf ahead = read_log(&memory, true, &limits);

		ck_assert_msg(strcmp(ahead.data, plain.data) == 0, "%s: %s", logs[_i].what,
			      ahead.data);
		rt_buf_release(&ahead);
		rt_buf_release(&plain);
	}
}
END_TEST

static Suite *suite_make(void)
{
	const int count = (int)(sizeof(logs) / sizeof(logs[0]));
	Suite *suite = suite_create("ahead");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, right_or_wrong, 0, count);
	tcase_add_loop_test(cases, changed, 0, count);
	tcase_add_loop_test(cases, unread, 0, count);
	tcase_add_loop_test(cases, limited, 0, count);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
