/*
 * Logs as records: recognition, passes over a source that is read again or spooled, ordinals,
 * places, limits, and files that change between the passes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "sarif/ids.h"
#include "sarif/sarif.h"
#include "scan_env.h"
#include "unit.h"

#define TOOL "\"tool\":{\"driver\":{\"name\":\"t\"}}"
#define HEAD "{\"version\":\"2.1.0\",\"runs\":[{" TOOL ",\"results\":["
#define TAIL "]}]}"

/* --- Recognition ------------------------------------------------------------------------------ */

static const struct {
	const char *text;
	enum rt_sarif_verdict open, final; /* where more may follow, and where nothing does */
} heads[] = {
    {"{", RT_SARIF_OPEN, RT_SARIF_NO},
    {"{}", RT_SARIF_NO, RT_SARIF_NO},
    {"{\"runs\"", RT_SARIF_OPEN, RT_SARIF_NO},
    {"{\"runs\":", RT_SARIF_OPEN, RT_SARIF_NO},
    {"{\"runs\": [", RT_SARIF_MAYBE, RT_SARIF_MAYBE},
    {"{\"r\\u0075ns\":3", RT_SARIF_MAYBE, RT_SARIF_MAYBE},
    {"{\"version\":\"2.1.0\"", RT_SARIF_OPEN, RT_SARIF_NO},
    {"{\"version\":\"2.1.0\",\"runs\":n", RT_SARIF_MAYBE, RT_SARIF_MAYBE},
    {"{\"a\":{\"runs\":[]},\"b\":1}", RT_SARIF_NO, RT_SARIF_NO},
    {"{\"a\":\"\\\"runs\\\":[\"", RT_SARIF_OPEN, RT_SARIF_NO},
    {"{\"issues\":[", RT_SARIF_NO, RT_SARIF_NO},
    {"{\"issues\":null,\"runs\":[", RT_SARIF_MAYBE, RT_SARIF_MAYBE},
    {"{\"rulesets\":[],\"runs\":[", RT_SARIF_NO, RT_SARIF_NO},
    {"{\"version\" 1", RT_SARIF_NO, RT_SARIF_NO},
    {"{ x", RT_SARIF_NO, RT_SARIF_NO},
};

START_TEST(look)
{
	struct rt_slice head = {heads[_i].text, strlen(heads[_i].text)};

	ck_assert_msg(rt_sarif_look(head, false) == heads[_i].open, "%s", head.ptr);
	ck_assert_msg(rt_sarif_look(head, true) == heads[_i].final, "%s", head.ptr);
	/* Cut anywhere, it is never decided otherwise than before. */
	for (size_t len = 1; len < head.len; len++) {
		enum rt_sarif_verdict verdict = rt_sarif_look(rt_slice_make(head.ptr, len), false);

		ck_assert_msg(verdict == RT_SARIF_OPEN || verdict == heads[_i].open, "%.*s",
			      (int)len, head.ptr);
	}
}
END_TEST

/* --- Reading ---------------------------------------------------------------------------------- */

/* A log in memory, which can be pulled and read again. */
struct memory {
	struct rt_slice text;
	size_t at;
	size_t step;    /* at most so many bytes a read; 0: all */
	bool changes;   /* reading again gives other bytes */
	bool fails;     /* the pull ends in a failure */
	unsigned again; /* reads that were not the first */
};

static enum rt_status give(const struct memory *memory, size_t at, void *buf, size_t cap,
			   size_t *ret_len)
{
	size_t len = memory->text.len - at;

	if (memory->step && cap > memory->step)
		cap = memory->step;
	*ret_len = len < cap ? len : cap;
	memcpy(buf, memory->text.ptr + at, *ret_len);
	return *ret_len ? RT_OK : RT_END;
}

static enum rt_status pull(void *ctx, void *buf, size_t cap, size_t *ret_len, struct rt_error *err)
{
	struct memory *memory = ctx;
	enum rt_status status = give(memory, memory->at, buf, cap, ret_len);

	if (status == RT_END && memory->fails) {
		(void)rt_error_set(err, RT_E_INPUT, "want its end, have a cut");
		return RT_REJECT;
	}
	memory->at += *ret_len;
	return status;
}

static enum rt_status again(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	struct memory *memory = ctx;
	enum rt_status status = give(memory, (size_t)offset, buf, cap, ret_len);

	(void)err;
	memory->again++;
	for (size_t i = 0; memory->changes && i < *ret_len; i++) {
		if (((char *)buf)[i] == 'm')
			((char *)buf)[i] = 'n';
	}
	return status;
}

struct notes {
	struct rt_buf text;
};

static enum rt_status note(void *ctx, const struct rt_error *told, struct rt_error *err)
{
	struct notes *notes = ctx;
	char line[2048];

	(void)snprintf(line, sizeof(line), "%s%s\n", told->record, told->message);
	return rt_buf_append(&notes->text, line, strlen(line), err);
}

/* What comes of a part: its records, a line each, or its text where it is no log; its fault. */
struct outcome {
	enum rt_status status;
	bool is;
	struct rt_buf text;
	struct rt_error err;
};

static enum rt_status read_some(struct rt_sarif *sarif, bool is, size_t cap, struct rt_buf *text,
				struct rt_error *err)
{
	struct rt_record record = {.kind = RT_KIND_ANY};
	char buf[4096];
	size_t len;
	enum rt_status status =
	    is ? rt_sarif_next(sarif, &record, err) : rt_sarif_read(sarif, buf, cap, &len, err);

	if (status != RT_OK)
		return status;
	if (!is)
		return rt_buf_append(text, buf, len, err);
	ck_assert_int_eq(rt_buf_append(text, record.text.ptr, record.text.len, err), RT_OK);
	return rt_buf_append(text, "\n", 1, err);
}

static struct outcome read_memory(struct memory *memory, struct rt_sarif_hints hints,
				  const struct rt_limits *limits, size_t cap, size_t window)
{
	struct outcome outcome = {.status = RT_OK};
	struct rt_sarif *sarif = NULL;
	struct rt_error err;

	scan_env(NULL, window);
	hints.again_ctx = memory;
	outcome.status = rt_sarif_open((struct rt_pull){pull, memory}, &hints, limits, &sarif,
				       &outcome.is, &outcome.err);
	while (outcome.status == RT_OK)
		outcome.status = read_some(sarif, outcome.is, cap, &outcome.text, &outcome.err);
	rt_sarif_free(sarif);
	ck_assert_int_eq(rt_buf_append(&outcome.text, "", 1, &err), RT_OK);
	return outcome;
}

static struct outcome read_string(const char *string)
{
	struct memory memory = {.text = {string, strlen(string)}};
	struct rt_limits limits;

	rt_limits_init(&limits);
	return read_memory(&memory, (struct rt_sarif_hints){.skipped = 0}, &limits, 4096, 16);
}

/* The number of times that a text stands in another. */
static unsigned count(const char *text, const char *part)
{
	unsigned number = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		number++;
	return number;
}

static const char plain[] =
    HEAD "{\"message\":{\"text\":\"m1\"}},\n {\"message\":{\"text\":\"m2\"}}" TAIL;

/* Spooled or read again, by pieces or at once: the same text. */
START_TEST(sources)
{
	struct rt_limits limits;
	struct outcome whole = read_string(plain);

	rt_limits_init(&limits);
	ck_assert_int_eq(whole.status, RT_END);
	ck_assert_msg(count(whole.text.data, "\"id\":\"s2-") == 2, "%s", whole.text.data);
	for (size_t step = 0; step < 9; step++) {
		for (unsigned how = 0; how < 2; how++) {
			struct memory memory = {.text = {plain, sizeof(plain) - 1}, .step = step};
			struct outcome other = read_memory(
			    &memory, (struct rt_sarif_hints){.again = how ? again : NULL}, &limits,
			    1 + step * 100, 0);

			ck_assert_int_eq(other.status, RT_END);
			ck_assert_str_eq(other.text.data, whole.text.data);
			ck_assert_int_eq(memory.again > 0, how);
			rt_buf_release(&other.text);
		}
	}
	rt_buf_release(&whole.text);
}
END_TEST

/* What is no log comes out as it was, with what follows and how it ends. */
START_TEST(no_log)
{
	static const char *const texts[] = {" {\"id\":\"a\",\"runs\":[1,2]}\n{\"id\":\"b\"}\n",
					    "{\"runs\":[{\"results\":42}]}",
					    "{\"version\":\"2.1.0\",\"runs\":[5],\"issues\":[]}",
					    "{\"runs\":[1,]}",
					    "{\"version\":null,\"runs\":[1]}",
					    "{\"runs\":[\"abc"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (unsigned how = 0; how < 4; how++) {
			struct memory memory = {
			    .text = {texts[i], strlen(texts[i])}, .step = 3, .fails = how & 1};
			struct rt_limits limits;
			struct outcome outcome;

			rt_limits_init(&limits);
			outcome = read_memory(
			    &memory, (struct rt_sarif_hints){.again = how & 2 ? again : NULL},
			    &limits, 5, 8);
			ck_assert_msg(!outcome.is, "%s", texts[i]);
			ck_assert_int_eq(outcome.status, how & 1 ? RT_REJECT : RT_END);
			ck_assert_str_eq(outcome.text.data, texts[i]);
			rt_buf_release(&outcome.text);
		}
	}
}
END_TEST

#define LINKED                                                                                     \
	"\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[{\"id\":\"r\",\"relationships\":[{"       \
	"\"target\":"                                                                              \
	"{\"index\":0,\"toolComponent\":{\"name\":\"CWE\",\"index\":0}}}]}]}}"
#define TAXONOMIES "\"taxonomies\":[{\"name\":\"CWE\",\"taxa\":[{\"id\":\"79\"}]}]"
#define LINKS "\"results\":[{\"ruleId\":\"r\"},{\"ruleId\":\"r\",\"taxa\":[]},{\"ruleId\":\"r\"}]"

/* What a rule says is found out with all tables, wherever they stand. */
START_TEST(links)
{
	static const char *const orders[] = {
	    LINKED "," TAXONOMIES "," LINKS,
	    LINKED "," LINKS "," TAXONOMIES,
	    LINKS "," TAXONOMIES "," LINKED,
	    TAXONOMIES "," LINKS "," LINKED,
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct outcome outcome;
		char text[1024];

		(void)snprintf(text, sizeof(text), "{\"version\":\"2.1.0\",\"runs\":[{%s}]}",
			       orders[i]);
		outcome = read_string(text);
		ck_assert_int_eq(outcome.status, RT_END);
		ck_assert_msg(count(outcome.text.data, "\"cwe_ids\":[\"CWE-79\"]") == 3, "%s: %s",
			      text, outcome.text.data);
		rt_buf_release(&outcome.text);
	}
}
END_TEST

/* After a fault in a rule, the results that have it are looked at for more faults, and no more. */
START_TEST(after_a_rule)
{
	static const char text[] =
	    "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":["
	    "{\"id\":\"A\",\"defaultConfiguration\":{\"level\":7}}]}},\"results\":["
	    "{\"ruleId\":\"A\"},{\"ruleIndex\":0},{\"ruleId\":\"A\",\"kind\":\"y\"}]}]}";
	struct memory memory = {.text = {text, sizeof(text) - 1}};
	const struct rt_sarif_hints hints = {.skipped = 0};
	struct rt_sarif *sarif = NULL;
	struct rt_limits limits;
	struct rt_record record;
	struct rt_error err;
	bool is;

	rt_limits_init(&limits);
	ck_assert_int_eq(
	    rt_sarif_open((struct rt_pull){pull, &memory}, &hints, &limits, &sarif, &is, &err),
	    RT_OK);
	ck_assert(is);
	ck_assert_int_eq(rt_sarif_next(sarif, &record, &err), RT_REJECT);
	ck_assert_str_eq(err.field, "reportingConfiguration.level");
	ck_assert_int_eq(rt_sarif_next(sarif, &record, &err), RT_REJECT);
	ck_assert_str_eq(err.record, "run 0: result 2");
	ck_assert_str_eq(err.field, "kind");
	ck_assert_int_eq(rt_sarif_next(sarif, &record, &err), RT_END);
	rt_sarif_free(sarif);
}
END_TEST

/* A file that was changed between the passes is no answer. */
START_TEST(changed)
{
	struct memory memory = {.text = {plain, sizeof(plain) - 1}, .changes = true};
	struct rt_limits limits;
	struct outcome outcome;

	rt_limits_init(&limits);
	outcome = read_memory(&memory, (struct rt_sarif_hints){.again = again}, &limits, 4096, 0);
	ck_assert_int_eq(outcome.status, RT_FATAL);
	ck_assert_int_eq(outcome.err.code, RT_E_IO);
	ck_assert(strstr(outcome.err.message, "have it changed") != NULL);
	rt_buf_release(&outcome.text);
}
END_TEST

/* --- Faults ----------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	uint64_t line, column;
	const char *record, *field, *message;
} faults[] = {
    {"{\"version\":\"2.0.0\",\"runs\":[5]}", 1, 12, "", "version",
     "want \"2.1.0\", have \"2.0.0\""},
    {"{\"runs\":[5],\n\"version\":2.1}", 2, 11, "", "version", "want \"2.1.0\", have 2.1"},
    {"{\"$schema\":\"x/sarif-2.json\",\"runs\":[]}", 1, 1, "", "version", "have none"},
    {"{\"version\":\"2.1.0\",\"runs\":null}", 1, 27, "", "runs", "have null: this log has no scan"},
    {"{\"version\":\"2.1.0\",\"runs\":[\n]}", 1, 27, "", "runs", "have an empty one"},
    {"{\"version\":\"2.1.0\",\"runs\":{}}", 1, 27, "", "runs", "want an array, have an object"},
    {"{\"version\":\"2.1.0\",\"runs\":[3]}", 1, 28, "run 0", "", "want an object, have a number"},
    {HEAD TAIL " {}", 1, 76, "", "", "want nothing after the document, have '{'"},
    {HEAD "\n{}, null" TAIL, 2, 5, "run 0: result 1", "", "want an object, have null"},
    {HEAD "],\"results\":[" TAIL, 1, 73, "run 0", "results", "it a second time"},
    {"{\"version\":\"2.1.0\",\"runs\":[{" TOOL "}]}", 1, 28, "run 0", "results", "have none"},
    {HEAD "{\"message\":{\"text\":\"m\"}},\n]}]}", 2, 1, "", "", "want a value, have ']'"},
    {HEAD "[", 1, 72, "", "", "want a value, have the end"},
    {HEAD "[]" TAIL, 1, 71, "run 0: result 0", "", "want an object, have an array"},
    {"{\"version\":\"2.1.0\",\"inlineExternalProperties\":[{\"results\":[]},{\"results\":[1]}],"
     "\"runs\":[]}",
     1, 63, "", "inlineExternalProperties", "want results in the runs"},
    {HEAD "{}, {\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"index\":3}}}]}" TAIL,
     1, 138, "run 0: result 1", "artifactLocation.index", "want less than 0, have 3"},
    {HEAD TAIL "x", 1, 75, "", "", "want nothing after the document, have 'x'"},
};

START_TEST(fault)
{
	struct outcome outcome = read_string(faults[_i].text);
	char place[64], want[64];

	ck_assert_msg(outcome.status == RT_REJECT && outcome.is, "%s: %s", faults[_i].text,
		      outcome.text.data);
	ck_assert_str_eq(outcome.text.data, "");
	(void)snprintf(place, sizeof(place), "%d:%d", (int)outcome.err.line,
		       (int)outcome.err.column);
	(void)snprintf(want, sizeof(want), "%d:%d", (int)faults[_i].line, (int)faults[_i].column);
	ck_assert_msg(strcmp(place, want) == 0, "%s: %s %s", faults[_i].text, place,
		      outcome.err.message);
	ck_assert_str_eq(outcome.err.record, faults[_i].record);
	ck_assert_str_eq(outcome.err.field, faults[_i].field);
	ck_assert_msg(strstr(outcome.err.message, faults[_i].message), "%s", outcome.err.message);
	rt_buf_release(&outcome.text);
}
END_TEST

/* Rules that are too much are told as such; a result is a record. */
START_TEST(limited)
{
	struct rt_limits limits;
	struct memory memory = {.text = {plain, sizeof(plain) - 1}};
	struct outcome outcome;

	rt_limits_init(&limits);
	limits.metadata_bytes = 200;
	outcome = read_memory(&memory, (struct rt_sarif_hints){0}, &limits, 4096, 0);
	ck_assert_int_eq(outcome.status, RT_REJECT);
	ck_assert_int_eq(outcome.err.code, RT_E_LIMIT);
	ck_assert_msg(strstr(outcome.err.message, "limit \"metadata\""), "%s", outcome.err.message);
	ck_assert_str_eq(outcome.err.record, "run 0");
	rt_buf_release(&outcome.text);

	rt_limits_init(&limits);
	limits.record_bytes = 24;
	memory.at = 0;
	outcome = read_memory(&memory, (struct rt_sarif_hints){0}, &limits, 4096, 0);
	ck_assert_int_eq(outcome.status, RT_REJECT);
	ck_assert_msg(strstr(outcome.err.message, "limit \"record\""), "%s", outcome.err.message);
	rt_buf_release(&outcome.text);

	rt_limits_init(&limits);
	limits.expanded_bytes = 50;
	memory.at = 0;
	outcome = read_memory(&memory, (struct rt_sarif_hints){.skipped = 0}, &limits, 4096, 8);
	ck_assert_int_eq(outcome.status, RT_FATAL);
	ck_assert_int_eq(outcome.err.code, RT_E_LIMIT);
	rt_buf_release(&outcome.text);
}
END_TEST

/* No room for the temporary file is a failure of the system. */
START_TEST(full)
{
	struct rlimit was, none;
	struct outcome outcome;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){0, was.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	outcome = read_string(plain);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
	ck_assert_int_eq(outcome.status, RT_FATAL);
	ck_assert_int_eq(outcome.err.code, RT_E_IO);
	ck_assert(strstr(outcome.err.message, "temporary file for a SARIF log") != NULL);
	rt_buf_release(&outcome.text);
}
END_TEST

/* --- Scans that failed, notes ----------------------------------------------------------------- */

#define FAILED "\"invocations\":[{\"executionSuccessful\":false}]"
#define PARTLY "\"invocations\":[{\"executionSuccessful\":false},{\"executionSuccessful\":true}]"

static const struct {
	const char *text;
	bool refused; /* without --failed-runs accept */
	unsigned issues;
	const char *notes;
	unsigned failed;  /* runs */
	const char *tool; /* of the first */
} scans[] = {
    {HEAD TAIL, false, 0, "", 0, NULL},
    {"{\"version\":\"2.1.0\",\"runs\":[{" FAILED ",\"results\":[]}]}", true, 0,
     "1 run has no results: taken as no issues (--failed-runs accept)\n", 1, ""},
    {"{\"version\":\"2.1.0\",\"runs\":[{\"invocations\":[{\"executionSuccessful\":true}]}]}", false,
     0, "1 run succeeded without results: taken as no issues\n", 0, NULL},
    {"{\"version\":\"2.1.0\",\"runs\":[{\"results\":[]," PARTLY "}]}", false, 0,
     "1 run failed in part (executionSuccessful is false in some invocations) and has no results\n",
     1, ""},
    {HEAD "{\"level\":\"note\"}]," FAILED "},{\"results\":[{\"level\":\"note\"}]," FAILED "}]}",
     false, 2, "2 runs failed (executionSuccessful is false); their results are read\n", 2, "t"},
    {"{\"version\":\"2.1.0\",\"runs\":[{\"results\":null}]}", true, 0,
     "1 run has no results: taken as no issues (--failed-runs accept)\n", 0, NULL},
    {"{\"version\":\"2.1.0\",\"runs\":[]}", true, 0,
     "no runs: taken as no issues (--failed-runs accept)\n", 0, NULL},
    {"{\"version\":\"2.1.0\",\"runs\":[{" TOOL ",\"results\":[{\"level\":\"note\"}]},{" FAILED
     ",\"results\":[]}]}",
     true, 1, "1 run has no results: taken as no issues (--failed-runs accept)\n", 1, ""},
    {HEAD "{\"level\":\"note\",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{"
	  "\"index\":0}}}]}],"
	  "\"artifacts\":[{\"location\":{\"uri\":\"a\"}}]}]}",
     false, 1, "", 0, NULL},
    {HEAD "{\"kind\":\"pass\"},{\"kind\":\"pass\"},{\"baselineState\":\"absent\"},{\"level\":"
	  "\"note\"}" TAIL,
     false, 1, "3 results skipped (kind: pass 2, baselineState: absent 1)\n", 0, NULL},
    {HEAD "{\"level\":\"note\"}]},{" TOOL
	  ",\"results\":[{\"level\":\"note\"},{\"level\":\"note\"}" TAIL,
     false, 3, "2 issues have identities of issues of earlier runs\n", 0, NULL},
};

START_TEST(scan)
{
	for (unsigned accept = 0; accept < 2; accept++) {
		struct memory memory = {.text = {scans[_i].text, strlen(scans[_i].text)}};
		struct notes notes = {{0}};
		struct rt_failed_scans failed = {.count = 0};
		struct rt_sarif_hints hints = {
		    .accept_failed = accept, .note = note, .note_ctx = &notes, .failed = &failed};
		struct rt_limits limits;
		struct outcome outcome;

		rt_limits_init(&limits);
		outcome = read_memory(&memory, hints, &limits, 4096, 0);
		ck_assert_msg(outcome.is, "%s", scans[_i].text);
		if (scans[_i].refused && !accept) {
			ck_assert_int_eq(outcome.status, RT_REJECT);
			ck_assert_str_eq(outcome.text.data, "");
			ck_assert_ptr_null(notes.text.data);
		} else {
			ck_assert_int_eq(rt_buf_append(&notes.text, "", 1, &outcome.err), RT_OK);
			ck_assert_int_eq(outcome.status, RT_END);
			ck_assert_uint_eq(count(outcome.text.data, "\"scan_id\""),
					  scans[_i].issues);
			ck_assert_str_eq(notes.text.data, scans[_i].notes);
			ck_assert_uint_eq(failed.count, scans[_i].failed);
			ck_assert_str_eq(failed.tool, scans[_i].tool ? scans[_i].tool : "");
		}
		rt_buf_release(&notes.text);
		rt_buf_release(&outcome.text);
	}
}
END_TEST

/* --- Ordinals --------------------------------------------------------------------------------- */

/* Issues in the order of the log, and what they have to become. */
static const struct {
	char id;
	uint32_t line, column;
	uint64_t message;
	uint32_t ordinal;
} issues[] = {
    {'a', 9, 1, 0, 4}, {'a', 4, 7, 0, 3}, {'b', 1, 1, 0, 1}, {'a', 4, 2, 5, 2},
    {'a', 4, 2, 3, 1}, {'c', 0, 0, 0, 1}, {'c', 0, 0, 0, 2}, /* the second run */
    {'a', 1, 1, 0, 5}, {'b', 1, 1, 0, 2}, {'d', 1, 1, 0, 1},
};

#define ISSUES (sizeof(issues) / sizeof(issues[0]))

START_TEST(ordinals)
{
	struct rt_sarif_notes counts[2] = {{.levels = ""}, {.levels = ""}};
	const struct rt_sarif_ids_run runs[] = {{0, &counts[0]}, {7, &counts[1]}};
	struct rt_sarif_ids ids = {0};
	struct rt_error err;

	for (size_t i = 0; i < ISSUES; i++) {
		struct rt_sarif_identity identity = {.line = issues[i].line,
						     .column = issues[i].column,
						     .message = issues[i].message};

		/* Some differ only after the bytes that are sorted by. */
		memset(identity.id, 7, sizeof(identity.id));
		identity.id[15] = (uint8_t)issues[i].id;
		ck_assert_int_eq(rt_sarif_ids_add(&ids, &identity, &err), RT_OK);
		ck_assert(rt_sarif_ids_same(&ids.list[i], &identity));
		identity.line++;
		ck_assert(!rt_sarif_ids_same(&ids.list[i], &identity));
	}
	ids.list[9].rank = (struct rt_sarif_rank){1, 1}; /* an id of its own */
	ck_assert_int_eq(rt_sarif_ids_number(&ids, runs, 2, &err), RT_OK);
	for (size_t i = 0; i < ISSUES; i++) {
		static const uint32_t counts_of[] = {5, 2, 2, 1};

		ck_assert_msg(ids.list[i].rank.number == issues[i].ordinal, "%zu: %u", i,
			      ids.list[i].rank.number);
		ck_assert_msg(ids.list[i].rank.count == counts_of[issues[i].id - 'a'], "%zu: %u", i,
			      ids.list[i].rank.count);
	}
	ck_assert_uint_eq(counts[0].counts[RT_SARIF_NOTE_ORDINAL], 0);
	ck_assert_uint_eq(counts[1].counts[RT_SARIF_NOTE_ORDINAL], 2);
	rt_sarif_ids_release(&ids);
}
END_TEST

/* Ids of their own are never numbered, and many are sorted as few are. */
START_TEST(many)
{
	struct rt_sarif_notes counts = {.levels = ""};
	const struct rt_sarif_ids_run runs[] = {{0, &counts}};
	struct rt_sarif_ids ids = {0};
	struct rt_error err;
	unsigned seed = 1;

	for (unsigned i = 0; i < 100000; i++) {
		struct rt_sarif_identity identity = {.own = i % 10 == 0, .line = 100000 - i};
		unsigned of = i % 50000;

		seed = of * 2654435761u;
		memcpy(identity.id, &seed, sizeof(seed));
		ck_assert_int_eq(rt_sarif_ids_add(&ids, &identity, &err), RT_OK);
	}
	ck_assert_int_eq(rt_sarif_ids_number(&ids, runs, 1, &err), RT_OK);
	for (unsigned i = 0; i < 100000; i++)
		ck_assert_msg(ids.list[i].rank.number == (i % 10 && i < 50000 ? 2 : 1), "%u: %u", i,
			      ids.list[i].rank.number);
	rt_sarif_ids_release(&ids);
}
END_TEST

/* --- Places ----------------------------------------------------------------------------------- */

static const char placed[] = HEAD "\n{},\n  {\"properties\":{\"retriage\":{\n\"id\":\"x\",\n "
				  "\"repo_name\":\"y\"}}}" TAIL;

/* A member of a record, and where it comes from. */
static const struct {
	size_t record;
	enum rt_member member;
	uint64_t line, column;
	const char *from;
} origins[] = {
    {0, RT_M_ID, 2, 1, "{},\n"},
    {1, RT_M_SCAN_ID, 3, 3, "{\"properties\""},
    {1, RT_M_ID, 4, 6, "\"x\""},
    {1, RT_M_REPO_NAME, 5, 14, "\"y\""},
};

START_TEST(places)
{
	struct memory memory = {.text = {placed, sizeof(placed) - 1}};
	const struct rt_sarif_hints hints = {.skipped = 3};
	struct rt_sarif *sarif = NULL;
	struct rt_record record;
	struct rt_limits limits;
	struct rt_error err;
	bool is;

	rt_limits_init(&limits);
	ck_assert_int_eq(
	    rt_sarif_open((struct rt_pull){pull, &memory}, &hints, &limits, &sarif, &is, &err),
	    RT_OK);
	for (size_t n = 0; rt_sarif_next(sarif, &record, &err) == RT_OK; n++) {
		for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
			struct rt_place place;

			if (origins[i].record != n)
				continue;
			place =
			    rt_sarif_place(sarif, &record, record.values[origins[i].member].ptr);
			ck_assert_uint_eq(place.line, origins[i].line);
			ck_assert_uint_eq(place.column, origins[i].column);
			ck_assert_uint_eq(place.offset,
					  (uint64_t)(strstr(placed, origins[i].from) - placed) + 3);
		}
	}
	rt_sarif_free(sarif);
}
END_TEST

/* What results repeat of their run is bounded by the log and the limit of tables. */
START_TEST(repeated)
{
	struct rt_buf text = {0};
	struct rt_limits limits;
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&text, HEAD, sizeof(HEAD) - 1, &err), RT_OK);
	for (unsigned i = 0; i < 3000; i++)
		ck_assert_int_eq(rt_buf_append(&text, i ? ",{}" : "{}", i ? 3 : 2, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&text, TAIL, sizeof(TAIL) - 1, &err), RT_OK);
	rt_limits_init(&limits);
	for (unsigned enough = 0; enough < 2; enough++) {
		struct memory memory = {.text = rt_buf_slice(&text)};
		struct outcome outcome;

		limits.metadata_bytes = enough ? 2 * RT_MIB : RT_MIB / 2;
		outcome =
		    read_memory(&memory, (struct rt_sarif_hints){.again = again}, &limits, 1, 0);
		ck_assert_int_eq(outcome.status, enough ? RT_END : RT_REJECT);
		if (!enough) {
			ck_assert_int_eq(outcome.err.code, RT_E_LIMIT);
			ck_assert_ptr_nonnull(strstr(outcome.err.message, "limit \"metadata\""));
		}
		rt_buf_release(&outcome.text);
	}
	rt_buf_release(&text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, look, 0, (int)(sizeof(heads) / sizeof(heads[0])));
	tcase_add_test(cases, sources);
	tcase_add_test(cases, no_log);
	tcase_add_test(cases, links);
	tcase_add_test(cases, after_a_rule);
	tcase_add_test(cases, changed);
	tcase_add_loop_test(cases, fault, 0, (int)(sizeof(faults) / sizeof(faults[0])));
	tcase_add_test(cases, limited);
	tcase_add_test(cases, full);
	tcase_add_loop_test(cases, scan, 0, (int)(sizeof(scans) / sizeof(scans[0])));
	tcase_add_test(cases, ordinals);
	tcase_add_test(cases, many);
	tcase_add_test(cases, places);
	tcase_add_test(cases, repeated);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
