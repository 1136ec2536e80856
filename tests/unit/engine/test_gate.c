/*
 * Gates: what each condition counts, what its worst findings are, and ends of decisions.
 */
#include "engine/gate.h"

#include <stdio.h>

#include "record_make.h"

/* 2026-06-15T12:00:00Z */
#define NOW INT64_C(1781524800)

static struct rt_error err;

static struct rt_gate_options none(void)
{
	struct rt_gate_options options;

	rt_gate_options_init(&options);
	options.at = NOW;
	return options;
}

/* Add an issue; `fp` in its name: a false positive, of which `ends` have come to their end. */
static void add(struct rt_gate *gate, const char *severity, const char *name, uint64_t number)
{
	const char *notes = strstr(name, "ends") ? "[{\"text\":\"exp:2026-06-14\"}]" : "[\"n\"]";
	struct rt_buf scratch = {0};
	struct rt_finding finding;
	struct made made;
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"id\":\"%s\",\"severity\":%s,\"false_positive\":%s,\"file_path\":\"%s\","
		 "\"line_number\":%d}",
		 name, severity, strstr(name, "fp") ? "true" : "false", name, (int)number);
	made_init(&made, RT_KIND_ISSUE, text);
	finding = rt_finding_of(&made.record, rt_slice_make(notes, strlen(notes)), number);
	ck_assert_int_eq(rt_finding_decide(&finding, NOW, &scratch, &err), RT_OK);
	ck_assert_int_eq(rt_gate_add(gate, &finding, &err), RT_OK);
	rt_buf_release(&scratch);
	made_release(&made);
}

/* Two of each level open, one false positive each, one of which has ended; two others. The first so
 * many are added to a gate, the rest to another one that is merged with it. */
static void add_all(struct rt_gate *first, struct rt_gate *rest, size_t split)
{
	static const char *const levels[] = {"\"critical\"", "\"high\"", "\"medium\"", "\"low\"",
					     "\"info\""};
	char name[32];
	size_t added = 0;

	for (size_t i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "b%zu", i);
		add(added++ < split ? first : rest, levels[i], name, 4 * i);
		snprintf(name, sizeof(name), "a%zu", i);
		add(added++ < split ? first : rest, levels[i], name, 4 * i + 1);
		snprintf(name, sizeof(name), "fp%zu", i);
		add(added++ < split ? first : rest, levels[i], name, 4 * i + 2);
	}
	add(added++ < split ? first : rest, "\"high\"", "fp-ends", 20);
	add(added++ < split ? first : rest, "\"High\"", "other", 21);
	add(added++ < split ? first : rest, "null", "unsaid", 22);
	rt_gate_merge(first, rest);
}

static const struct {
	const char *what;
	int fail_on;       /* -1: not asked */
	unsigned max_name; /* RT_MAX_NAMES: none */
	uint64_t max, at_least;
	bool with_false_positives;
	int unknown_as;
	bool pass;
	uint64_t found;
	const char *worst; /* ids with blanks between them */
	const char *line;
} rows[] = {
    {"critical, and what is no level", 0, 7, 0, 0, false, -1, false, 4, "a0 b0 other unsaid",
     "critical and above: 4 open, 0 allowed"},
    {"high and above: five of many", 1, 7, 0, 0, false, -1, false, 7, "a0 b0 other unsaid a1",
     "high and above: 7 open (1 with an expired dismissal), 0 allowed"},
    {"info: all", 4, 7, 0, 0, false, -1, false, 13, "a0 b0 other unsaid a1", NULL},
    {"unknown as low is not critical", 0, 7, 0, 0, false, 3, false, 2, "a0 b0", NULL},
    {"unknown as high", 1, 7, 0, 0, false, 1, false, 7, "a0 b0 a1 b1 fp-ends", NULL},
    {"false positives, too", 0, 7, 0, 0, true, -1, false, 5, "a0 b0 other unsaid fp0",
     "critical and above: 5 found, 0 allowed"},
    {"at most as many", -1, 0, 4, 0, false, -1, true, 4, "", "critical: 4 open, 4 allowed"},
    {"one more", -1, 0, 3, 0, false, -1, false, 4, "a0 b0 other unsaid",
     "critical: 4 open, 3 allowed"},
    {"an ended one counts, and the unknown in the worst level of --max", -1, 1, 2, 0, false, -1,
     false, 5, "a1 b1 fp-ends other unsaid",
     "high: 5 open (1 with an expired dismissal), 2 allowed"},
    {"unknown", -1, 5, 1, 0, false, -1, false, 2, "other unsaid", NULL},
    {"unknown counted as low is in low", -1, 3, 3, 0, false, 3, false, 4, "a3 b3 other unsaid",
     NULL},
    {"total", -1, 6, 12, 0, false, -1, false, 13, "a0 b0 other unsaid a1", NULL},
    {"total allowed", -1, 6, 13, 0, false, -1, true, 13, "", NULL},
    {"as many as there are, of any kind", -1, 7, 0, 18, false, -1, true, 18, "",
     "at least 18 issues: 18 found"},
    {"fewer", -1, 7, 0, 19, false, -1, false, 18, "", "at least 19 issues: 18 found"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void condition_is(int row, size_t split)
{
	struct rt_gate_options options = none();
	const struct rt_condition *condition;
	const struct rt_verdict *verdict;
	struct rt_gate *gate, *rest;
	char line[192], worst[128] = "";

	options.fail_on = rows[row].fail_on;
	if (rows[row].max_name < RT_MAX_NAMES)
		options.max[rows[row].max_name] = rows[row].max;
	if (rows[row].at_least)
		options.at_least = rows[row].at_least;
	options.count_false_positives = rows[row].with_false_positives;
	options.unknown_as = rows[row].unknown_as;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_OK);
	ck_assert_int_eq(rt_gate_new(&options, &rest, &err), RT_OK);
	add_all(gate, rest, split);
	rt_gate_free(rest);
	verdict = rt_gate_judge(gate, &(struct rt_gate_rest){0});
	ck_assert_uint_eq(verdict->count, 1);
	condition = &verdict->conditions[0];
	ck_assert_msg(verdict->pass == rows[row].pass && condition->pass == rows[row].pass, "%s",
		      rows[row].what);
	ck_assert_msg(condition->found == rows[row].found, "%s: found %d", rows[row].what,
		      (int)condition->found);
	for (size_t i = 0; i < condition->place_count; i++)
		snprintf(worst + strlen(worst), sizeof(worst) - strlen(worst), "%s%.*s",
			 i ? " " : "", (int)condition->places[i].id.len,
			 condition->places[i].id.ptr);
	ck_assert_msg(strcmp(worst, rows[row].worst) == 0, "%s: want %s, have %s", rows[row].what,
		      rows[row].worst, worst);
	rt_condition_text(condition, line, sizeof(line));
	if (rows[row].line)
		ck_assert_str_eq(line, rows[row].line);
	ck_assert(verdict->total == 18 && verdict->open == 13 && verdict->false_positives == 5 &&
		  verdict->expired == 1 && verdict->unknown_severity == 2);
	rt_gate_free(gate);
}

START_TEST(conditions)
{
	for (size_t split = 0; split <= 18; split++)
		condition_is(_i, split);
}
END_TEST

/* One issue by itself: which conditions are about it? */
START_TEST(counts)
{
	static const struct {
		const char *severity, *notes;
		bool open;
		uint32_t conditions; /* 1: critical and above, 2: medium */
	} issues[] = {
	    {"\"critical\"", NULL, true, 1},
	    {"\"high\"", NULL, true, 0},
	    {"\"medium\"", NULL, true, 2},
	    {"\"odd\"", NULL, true, 3},
	    {"\"critical\"", NULL, false, 0},
	    {"\"critical\"", "[{\"text\":\"exp:2026-06-15\"}]", false, 0},
	    {"\"critical\"", "[{\"text\":\"exp:2026-06-14\"}]", false, 1},
	    {"\"high\"", "[{\"text\":\"exp:2026-06-14\"}]", false, 0},
	};
	struct rt_gate_options options = none();
	struct rt_buf scratch = {0};
	struct rt_gate *gate;

	options.fail_on = 0;
	options.max[2] = 100;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_OK);
	for (size_t i = 0; i < sizeof(issues) / sizeof(issues[0]); i++) {
		const char *notes = issues[i].notes;
		struct rt_finding finding;
		struct made made;
		char text[128];

		snprintf(text, sizeof(text), "{\"id\":\"a\",\"severity\":%s,\"false_positive\":%s}",
			 issues[i].severity, issues[i].open ? "false" : "true");
		made_init(&made, RT_KIND_ISSUE, text);
		finding =
		    rt_finding_of(&made.record, rt_slice_make(notes, notes ? strlen(notes) : 0), i);
		ck_assert_int_eq(rt_finding_decide(&finding, NOW, &scratch, &err), RT_OK);
		ck_assert_msg(rt_gate_conditions(gate, &finding) == issues[i].conditions, "%zu", i);
		ck_assert_int_eq(rt_gate_add(gate, &finding, &err), RT_OK);
		ck_assert_msg(rt_gate_conditions(gate, &finding) == issues[i].conditions, "%zu", i);
		made_release(&made);
	}
	rt_buf_release(&scratch);
	rt_gate_free(gate);
}
END_TEST

START_TEST(refused)
{
	struct rt_gate_options options = none();
	struct rt_gate *gate = NULL;

	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_FATAL);
	options.count_false_positives = true;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	options.fail_on = 5;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_FATAL);
	options.fail_on = 0;
	options.unknown_as = 1;
	options.max[RT_LEVEL_OTHER] = 1;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_FATAL);
	ck_assert_ptr_null(gate);
	rt_gate_free(NULL);
}
END_TEST

/* All conditions at once are in the order of the options. */
START_TEST(all)
{
	struct rt_gate_options options = none();
	const struct rt_verdict *verdict;
	struct rt_gate *gate;

	options.fail_on = 0;
	options.at_least = 1;
	for (size_t i = 0; i < RT_MAX_NAMES; i++)
		options.max[i] = 0;
	ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_OK);
	verdict = rt_gate_judge(gate, &(struct rt_gate_rest){0});
	ck_assert_uint_eq(verdict->count, 2 + RT_MAX_NAMES);
	ck_assert_int_eq(verdict->conditions[0].kind, RT_CONDITION_FAIL_ON);
	for (unsigned i = 0; i < RT_MAX_NAMES; i++)
		ck_assert_uint_eq(verdict->conditions[1 + i].level, i);
	ck_assert(!verdict->pass && !verdict->conditions[8].pass && verdict->conditions[0].pass);
	rt_gate_free(gate);
}
END_TEST

/* What every gate asks for, beside its conditions, is one where it fails. */
START_TEST(always)
{
	struct rt_failed_scans failed = {.count = 1, .tool = "T"}, unnamed = {.count = 1},
			       more = {.count = 1234, .tool = "T"};
	const struct {
		uint64_t at_least;
		struct rt_gate_rest rest;
		const char *line; /* NULL: it passes */
	} cases[] = {
	    {RT_MAX_NONE, {0}, NULL},
	    {RT_MAX_NONE, {.excluded = 1}, "the filter selects none of 1 issue"},
	    {0, {.excluded = 1}, NULL},
	    {RT_MAX_NONE, {.failed = &failed}, "the scan of T failed"},
	    {0, {.failed = &more}, "1,234 scans, the first of T, failed"},
	    {0, {.failed = &unnamed}, "the scan failed"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_gate_options options = none();
		const struct rt_verdict *verdict;
		struct rt_gate *gate;
		char line[192] = "";

		options.fail_on = 0;
		options.at_least = cases[i].at_least;
		ck_assert_int_eq(rt_gate_new(&options, &gate, &err), RT_OK);
		verdict = rt_gate_judge(gate, &cases[i].rest);
		ck_assert(verdict->pass == !cases[i].line);
		ck_assert_uint_eq(verdict->count, cases[i].line ? 2 : 1);
		if (cases[i].line) {
			rt_condition_text(&verdict->conditions[1], line, sizeof(line));
			ck_assert_str_eq(line, cases[i].line);
		}
		rt_gate_free(gate);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("gate");
	TCase *tcase = tcase_create("gate");

	tcase_add_loop_test(tcase, conditions, 0, ROWS);
	tcase_add_test(tcase, counts);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, all);
	tcase_add_test(tcase, always);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
