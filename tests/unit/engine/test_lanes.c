/*
 * Reading in lanes: any number of them must say what one reader says, of good exports and bad ones,
 * wherever a fault, a second id or what looks like a border between records stands.
 */
#include "engine/lanes.h"

#include <inttypes.h>

#include "base/limits.h"
#include "question.h"
#include "scratch.h"
#include "split.h"

static const unsigned lane_counts[] = {2, 3, 7, 1, RT_THREADS_MAX};
/* Those that each text is read with; the others are for some of them. */
#define LANES_EACH 3u

#define LANE_COUNTS (sizeof(lane_counts) / sizeof(lane_counts[0]))

static struct split_names fixtures;

/* Repeatable random numbers (xorshift). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct rt_limits limits;

static struct rt_options options_make(const char *const *path, unsigned lanes)
{
	return (struct rt_options){
	    .paths = path, .path_count = 1, .limits = limits, .threads = lanes};
}

static struct question asked;

/* Small files are read by one reader where the number of lanes is not set. */
static void same_by(size_t counts, const char *what, const char *path)
{
	question_same(&asked, options_make(&path, 0), 0, lane_counts, counts, what);
}

static void same(const char *what, const char *path)
{
	same_by(LANES_EACH, what, path);
}

/* Lanes of which the first started right and reads on; 0: one reader has to do it. */
static size_t used(const char *path, unsigned count)
{
	struct rt_options options = options_make(&path, count);
	struct rt_lanes *lanes = rt_lanes_summarize(&options, asked.recent, 0);
	size_t number = lanes ? rt_lanes_used(lanes) : 0;

	rt_lanes_free(lanes);
	return number;
}

START_TEST(each_fixture)
{
	struct rt_buf data;

	/* The rest is read by one reader whatever is set. */
	if (!strstr(fixtures.names[_i], ".json"))
		return;
	data = split_load(&fixtures, _i);
	put_bytes(fixtures.names[_i], data.len ? data.data : "", data.len);
	same_by(1, fixtures.names[_i], at(fixtures.names[_i]));
	rt_buf_release(&data);
}
END_TEST

/* --- Exports that are made -------------------------------------------------------------------- */

#define RECORDS 300u

/* How records stand in a text; every %d of a record is its number. */
struct form {
	const char *what;
	const char *before, *between, *after;
	const char *record;
	bool lanes; /* borders can be told, and so 3 lanes are used */
};

#define PLAIN                                                                                      \
	"{\"id\":\"i%d\",\"severity\":\"s%d\",\"category\":\"c%d\",\"line_number\":%d,"            \
	"\"created_at\":\"2025-01-01T00:00:%d0Z\"}"
#define IN_TEXT                                                                                    \
	"{\"id\":\"i%d\",\"severity\":\"high\",\"title\":\"},{\\\"id\\\":1,\\n},{\",\"notes\":"    \
	"[{\"text\":\"a\"},{\"text\":\"b\"}]}"
#define NESTED                                                                                     \
	"{\"id\":\"i%d\",\"severity\":\"high\",\"parts\":[{\"id\":\"p\",\"severity\":\"low\"},"    \
	"{\"id\":\"p\",\"severity\":\"low\"},{\"id\":\"p\",\"severity\":\"low\"},{\"id\":\"q\","   \
	"\"severity\":\"low\"}],\"x\":%d}"
#define RULESET                                                                                    \
	"{\"id\":\"i%d\",\"name\":\"n\",\"rules_text\":\"r\",\"org_id\":\"o\",\"created_at\":"     \
	"\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\"}"

static const struct form forms[] = {
    {"array", "[", ",", "]", PLAIN, true},
    {"pretty array", "[\n ", ",\n ", "\n]\n", PLAIN, true},
    {"with a BOM and blanks", "\xef\xbb\xbf \n\n [", " \r\n,\t", "]", PLAIN, true},
    {"lines", "", "\n", "\n", PLAIN, true},
    {"lines, CRLF and blank ones", "", "\r\n \r\n", "", PLAIN, true},
    {"wrapped", "{\"a\":[{}],\"issues\":[", ",", "],\"rulesets\":[],\"z\":{}}", PLAIN, true},
    {"wrapped, rulesets after", "{\"issues\":[", ",",
     "],\"rulesets\":[{\"id\":\"i1\",\"name\":\"n\",\"rules_text\":\"r\",\"org_id\":\"o\","
     "\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\"}]}",
     PLAIN, true},
    {"rulesets", "[", ",", "]", RULESET, true},
    {"borders in texts", "[", ",", "]", IN_TEXT, true},
    {"records in records", "[", ",", "]", NESTED, false},
    {"records in records, lines", "", "\n", "\n", NESTED, true},
    {"of no kind by themselves", "{\"issues\":[", ",", "]}", "{\"id\":\"%d\"}", false},
    {"as rulesets, as issues",
     "{\"rulesets\":[{\"id\":\"r\",\"name\":\"n\",\"rules_text\":\"r\",\"org_id\":\"o\","
     "\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\"}],"
     "\"issues\":[",
     ",", "]}", RULESET, false},
    {"in a member that is not read", "{\"issues\":[{\"id\":\"i\",\"severity\":\"low\"}],\"x\":[",
     ",", "]}", PLAIN, false},
    {"nothing after", "[", ",", "] x", PLAIN, false},
    {"issues twice", "{\"issues\":[", ",", "],\"issues\":[]}", PLAIN, false},
    {"never closed", "[", ",", "", PLAIN, false},
    {"a comma too much", "[", ",", ",]", PLAIN, false},
    {"two on a line", "", " ", "", PLAIN, false},
    {"another array", "[", ",", "][]", PLAIN, false},
};

#define FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

static void add(struct rt_buf *text, const char *bytes, size_t len)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, bytes, len, &err), RT_OK);
}

static void add_record(struct rt_buf *text, const char *record, unsigned number)
{
	char digits[16];
	int len = snprintf(digits, sizeof(digits), "%u", number);

	for (; *record; record++) {
		if (record[0] == '%' && record[1] == 'd') {
			/* Dates and line numbers go up and down, and are equal now and then. */
			bool date = record[2] == '0';

			add(text, date ? &digits[len - 1] : digits, date ? 1 : (size_t)len);
			record++;
		} else {
			add(text, record, 1);
		}
	}
}

/* other: what stands as record number `where`; NULL: nothing else. */
static struct rt_buf text_make(const struct form *form, const char *other, unsigned where)
{
	struct rt_buf text = {0};

	add(&text, form->before, strlen(form->before));
	for (unsigned i = 0; i < RECORDS; i++) {
		if (i)
			add(&text, form->between, strlen(form->between));
		add_record(&text, other && i == where ? other : form->record, i);
	}
	add(&text, form->after, strlen(form->after));
	return text;
}

START_TEST(each_form)
{
	const struct form *form = &forms[_i];
	struct rt_buf text = text_make(form, NULL, 0);

	put_bytes("form", text.data, text.len);
	same_by(LANE_COUNTS, form->what, at("form"));
	if (form->lanes)
		ck_assert_msg(used(at("form"), 3) == 3, "%s: %zu lanes", form->what,
			      used(at("form"), 3));
	rt_buf_release(&text);
}
END_TEST

/* Filters that pick all, some, those of the first or the last lane, none, and one that fails where
 * it is held against a text of some length. */
static const struct rt_term filters[] = {
    {RT_TERM_NOT, "title=none"},        {RT_TERM_WHERE, "line_number~7"},
    {RT_TERM_WHERE, "line_number=..9"}, {RT_TERM_WHERE, "line_number=298.."},
    {RT_TERM_WHERE, "title=none"},      {RT_TERM_WHERE, "notes~b"},
    {RT_TERM_WHERE, "title~(i|i)*x"},
};

static const struct rt_list lists[] = {
    {.form = RT_LIST_TABLE, .rows = RECORDS, .count_by = "category"},
    {.form = RT_LIST_COUNT},
    {.form = RT_LIST_CSV, .count_by = "severity,category"},
};

#define LISTS ((int)(sizeof(lists) / sizeof(lists[0])))

/* Each list of what each filter picks. */
START_TEST(each_list)
{
	static const size_t used_forms[] = {0, 3, 8};

	for (size_t form = 0; form < sizeof(used_forms) / sizeof(used_forms[0]); form++) {
		struct rt_buf text = text_make(&forms[used_forms[form]], NULL, 0);

		put_bytes("list", text.data, text.len);
		for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
			struct rt_list list = lists[_i];

			list.terms = &filters[i];
			list.term_count = 1;
			asked.list = &list;
			for (unsigned way = 0; way < 3; way++) {
				asked.style.pretty = way == 1;
				asked.style.format = way == 2 ? RT_FORMAT_YAML : RT_FORMAT_JSON;
				same(filters[i].text, at("list"));
			}
		}
		rt_buf_release(&text);
	}
}
END_TEST

/* What breaks a gate, its worst and its counts, of what each filter picks. */
START_TEST(each_gate)
{
	static const size_t used_forms[] = {0, 3, 8};
	static struct rt_gate_options all;

	rt_gate_options_init(&all);
	all.fail_on = 4;
	all.max[RT_MAX_NAMES - 1] = 10;
	all.at_least = RECORDS;
	all.at = 1781524800;
	asked.conditions = &all;
	for (size_t form = 0; form < sizeof(used_forms) / sizeof(used_forms[0]); form++) {
		struct rt_buf text = text_make(&forms[used_forms[form]], NULL, 0);

		put_bytes("gate", text.data, text.len);
		for (all.unknown_as = -1; all.unknown_as < 2; all.unknown_as++) {
			all.count_false_positives = all.unknown_as == 1;
			asked.term = NULL;
			same("no filter", at("gate"));
			for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
				asked.term = &filters[i];
				same(filters[i].text, at("gate"));
			}
		}
		rt_buf_release(&text);
	}
}
END_TEST

/* Each as a record somewhere: first, last, and around the middle, where a lane starts. */
static const char *const others[] = {
    "{\"id\":\"i0\",\"severity\":\"low\"}",
    "{\"id\":\"i150\",\"severity\":\"low\"}",
    "{\"id\":\"i299\",\"severity\":\"low\"}",
    "{\"id\":\"i\\u0037\",\"severity\":\"low\"}",
    "{\"id\":\"\",\"severity\":\"low\"}",
    "{\"severity\":\"low\"}",
    "{\"id\":\"x\",\"severity\":1}",
    "{\"id\":\"x\",\"severity\":\"low\",\"severity\":\"low\"}",
    "{\"id\":\"x\",\"severity\":\"low\"",
    "{\"id\":\"x\",\"severity\":\"low}",
    "{\"id\":\"x\",\"severity\":\"low\"}}",
    "[{\"id\":\"x\",\"severity\":\"low\"}]",
    "{\"id\":\"x\"}",
    "null",
    "",
    "{\"id\":\"x\",\"severity\":\"\xff\"}",
    ("{\"id\":\"x\",\"severity\":\"low\",\"other\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]}"),
    "{\"id\":\"x\",\"title\":\"alone of its kind\"}",
};

START_TEST(each_other)
{
	static const unsigned places[] = {0, 100, 149, 150, 151, 298, 299};

	limits.depth = 32;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (size_t form = 0; form < 4; form += 3) {
			struct rt_buf text = text_make(&forms[form], others[_i], places[i]);

			put_bytes("other", text.data, text.len);
			same(others[_i], at("other"));
			rt_buf_release(&text);
		}
	}
}
END_TEST

#define ROUNDS 12u

/* A byte changed, taken out or put in, anywhere. */
START_TEST(any_byte)
{
	static const char bytes[] = "{}[],:\"\\ \n0a\x80\x01";
	uint64_t state = 88172645463325252u + (uint64_t)_i;

	for (unsigned round = 0; round < ROUNDS / UNIT_ROUNDS_FOR_ONE; round++) {
		struct rt_buf text = text_make(&forms[_i], NULL, 0);
		size_t where = next_random(&state) % text.len;
		char byte = bytes[next_random(&state) % (sizeof(bytes) - 1)];
		char name[64];

		snprintf(name, sizeof(name), "%s: byte %zu", forms[_i].what, where);
		if (next_random(&state) % 2)
			text.data[where] = byte;
		else
			memmove(text.data + where, text.data + where + 1, --text.len - where);
		put_bytes("byte", text.data, text.len);
		same(name, at("byte"));
		rt_buf_release(&text);
	}
}
END_TEST

/* --- Limits and choices ----------------------------------------------------------------------- */

/* From limits that are passed at once to some that none passes. */
START_TEST(each_limit)
{
	static const struct rt_list counts = {.form = RT_LIST_COUNT,
					      .count_by = "category,severity"};
	struct rt_buf text = text_make(&forms[0], NULL, 0);
	static struct rt_gate_options gate;

	put_bytes("limits", text.data, text.len);
	asked.recent = RECORDS;
	rt_gate_options_init(&gate);
	gate.at_least = 1;
	asked.list = _i == 3 ? &counts : NULL;
	asked.conditions = _i == 4 ? &gate : NULL;
	for (uint64_t limit = 256; limit < 400000; limit += limit / 3) {
		rt_limits_init(&limits);
		*(_i == 1   ? &limits.recent_bytes
		  : _i == 2 ? &limits.record_bytes
			    : &limits.distinct_bytes) = _i == 2 ? limit / 16 : limit;
		same("limits", at("limits"));
	}
	rt_buf_release(&text);
}
END_TEST

START_TEST(each_recent)
{
	struct rt_buf text = text_make(&forms[1], NULL, 0);

	put_bytes("recent", text.data, text.len);
	for (asked.recent = 0; asked.recent <= RECORDS + 1; asked.recent += asked.recent / 2 + 1)
		same("recent", at("recent"));
	rt_buf_release(&text);
}
END_TEST

/* What is read by one reader, however many lanes are set; and more than there may be. */
START_TEST(not_in_lanes)
{
	const char *path = at("a");
	struct rt_options options = options_make(&path, 2);
	struct rt_buf text = {0};
	struct rt_sink sink = rt_buf_sink(&text);
	const struct rt_list list = {.form = RT_LIST_JSON};
	struct rt_list_counts counts;
	struct rt_error err;

	put("a", "[{\"id\":\"1\",\"severity\":\"low\"}]");
	put("b", "- id: 2\n  severity: low\n");
	ck_assert_uint_eq(used(at("a"), 2), 1);
	ck_assert_uint_eq(used(at("b"), 2), 0);
	ck_assert_uint_eq(used(at("none"), 2), 0);
	options.duplicates = RT_DUPLICATES_WORST;
	ck_assert_ptr_null(rt_lanes_summarize(&options, 0, 0));
	options.threads = RT_THREADS_MAX + 1;
	ck_assert_int_eq(rt_summary(&options, 0, 0, asked.style, &sink, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_int_eq(rt_list(&options, &list, asked.style, &sink, &counts, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
}
END_TEST

static void setup(void)
{
	asked = (struct question){.style.pretty = true, .recent = RT_RECENT_DEFAULT};
	scratch_setup();
	rt_limits_init(&limits);
}

struct told {
	uint64_t done, total;
	unsigned times;
};

static void take_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct told *told = ctx;

	ck_assert_msg(done >= told->done && done <= total, "%" PRIu64 " of %" PRIu64, done, total);
	ck_assert(told->times == 0 || total == told->total);
	*told = (struct told){done, total, told->times + 1};
}

/* The first lane tells of the work of all, which only grows, up to the size of the file; whether
 * the number of lanes is set or found. */
START_TEST(tells_progress)
{
	char code[4096];
	struct rt_buf text = {0};

	memset(code, 'x', sizeof(code));
	for (unsigned i = 0; i < 2600; i++) {
		add_record(&text, "{\"id\":\"i%d\",\"severity\":\"low\",\"code_snippet\":\"", i);
		add(&text, code, sizeof(code));
		add(&text, "\"}\n", 3);
	}
	put_bytes("large", text.data, text.len);
	for (unsigned lanes = 0; lanes <= 3; lanes += 3) {
		const char *path = at("large");
		struct rt_options options = options_make(&path, lanes);
		struct told told = {0};
		struct rt_lanes *all;

		options.progress = take_progress;
		options.progress_ctx = &told;
		all = rt_lanes_summarize(&options, asked.recent, 0);
		/* One processor alone has no use for lanes. */
		ck_assert(all || lanes == 0);
		rt_lanes_free(all);
		ck_assert(told.times > 0 || lanes == 0);
		ck_assert(told.times == 0 || told.total == text.len);
	}
	rt_buf_release(&text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("lanes");
	TCase *tcase = tcase_create("lanes");

	split_list(&fixtures, "fixtures");
	tcase_add_checked_fixture(tcase, setup, scratch_teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, each_fixture, 0, fixtures.count);
	tcase_add_loop_test(tcase, each_form, 0, FORMS);
	tcase_add_loop_test(tcase, each_list, 0, LISTS);
	tcase_add_test(tcase, each_gate);
	tcase_add_loop_test(tcase, each_other, 0, (int)(sizeof(others) / sizeof(others[0])));
	tcase_add_loop_test(tcase, any_byte, 0, FORMS);
	tcase_add_loop_test(tcase, each_limit, 0, 5);
	tcase_add_test(tcase, each_recent);
	tcase_add_test(tcase, not_in_lanes);
	tcase_add_test(tcase, tells_progress);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
