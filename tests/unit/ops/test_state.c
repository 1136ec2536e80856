/*
 * The state: records of an export as its journal has left them, and journals that are damaged or
 * of another export.
 */
#include "ops/state.h"

#include "base/limits.h"
#include "plan_make.h"
#include "scratch.h"

#define EXPORT                                                                                     \
	"{\"issues\":[{\"id\":\"a\",\"severity\":\"low\",\"title\":\"t\",\"notes\":\"old\"},"      \
	"{\"id\":\"b\",\"severity\":\"l\\u006fw\",\"false_positive\":true,\"cvss_score\":9.80},"   \
	"{\"id\":\"c\"}],\"rulesets\":[{\"id\":\"a\",\"name\":\"n\",\"rules_text\":\"r\","         \
	"\"org_id\":\"o\",\"created_at\":\"2025-01-01T00:00:00Z\","                                \
	"\"updated_at\":\"2025-01-01T00:00:00Z\"}]}"

static const char *path_list[2];
static struct rt_error err;

static enum rt_status drop(void *ctx, const void *data, size_t len, struct rt_error *own)
{
	(void)ctx;
	(void)data;
	(void)len;
	(void)own;
	return RT_OK;
}

static struct rt_options options_of(const char *path, const char *journal)
{
	struct rt_options options = {
	    .paths = path_list, .path_count = 1, .input_fd = -1, .journal = journal};

	path_list[0] = path;
	rt_limits_init(&options.limits);
	memset(&err, 0, sizeof(err));
	return options;
}

/* Make the journal "j" of the export "e.json" with one request, at a time of 1970. */
static void journal_add(const char *request, int64_t seconds)
{
	struct rt_options options = options_of(at("e.json"), at("j"));
	struct rt_sink sink = {drop, NULL};
	const char *requests[1] = {at("r.json")};
	struct rt_update update = {.requests = requests, .request_count = 1, .at = seconds};
	struct rt_update_counts counts;

	put("r.json", request);
	ck_assert_int_eq(rt_apply(&options, &update, (struct rt_style){0}, &sink, &counts, &err),
			 RT_OK);
}

/* The members that updates change, of every record, as text. */
static enum rt_status show(const struct rt_options *options, char *text, size_t cap)
{
	static const enum rt_member members[] = {RT_M_SEVERITY,    RT_M_FALSE_POSITIVE,
						 RT_M_EXPLOITABLE, RT_M_UPDATED_AT,
						 RT_M_TITLE,       RT_M_CVSS_SCORE};
	const struct rt_record *record;
	struct rt_state *state = NULL;
	enum rt_status status = rt_state_open(options, &state, &err);
	size_t len = 0;

	text[0] = '\0';
	while (status == RT_OK && (status = rt_state_next(state, &record, &err)) == RT_OK) {
		len += (size_t)snprintf(text + len, cap - len, "%.*s:", (int)record->id.len,
					record->id.ptr);
		for (size_t i = 0; i < 6; i++) {
			enum rt_member m = members[i];
			bool is_there = record->types[m] != 0;
			uint8_t want = m == RT_M_CVSS_SCORE ? RT_TYPE_NUMBER : RT_TYPE_STRING;

			if (m == RT_M_FALSE_POSITIVE || m == RT_M_EXPLOITABLE)
				want = RT_TYPE_BOOL;
			ck_assert(!is_there || record->types[m] == want);
			len += (size_t)snprintf(text + len, cap - len, " %.*s",
						is_there ? (int)record->values[m].len : 1,
						is_there ? record->values[m].ptr : "-");
		}
		len += (size_t)snprintf(text + len, cap - len, "\n");
	}
	rt_state_free(state);
	return status;
}

#define RULESET "a: - - - \"2025-01-01T00:00:00Z\" - -\n"

static const struct {
	const char *what;
	const char *requests[4]; /* at seconds 0, 1, ... of 1970 */
	const char *shown;
} rows[] = {
    {"no journal",
     {NULL},
     "a: \"low\" - - - \"t\" -\nb: \"l\\u006fw\" true - - - 9.80\n"
     "c: - - - - - -\n" RULESET},
    {"nothing changed",
     {"{\"issue_ids\":[\"a\",\"b\",\"x\"],\"severity\":\"low\",\"notes\":\"\"}"},
     "a: \"low\" - - - \"t\" -\nb: \"l\\u006fw\" true - - - 9.80\nc: - - - - - -\n" RULESET},
    {"one of each",
     {"{\"issue_ids\":[\"a\"],\"severity\":\"high\"}",
      "{\"issue_ids\":[\"b\"],\"false_positive\":false}",
      "{\"issue_ids\":[\"c\"],\"notes\":\"n\"}"},
     "a: \"high\" - - \"1970-01-01T00:00:00Z\" \"t\" -\n"
     "b: \"l\\u006fw\" false - \"1970-01-01T00:00:01Z\" - 9.80\n"
     "c: - - - \"1970-01-01T00:00:02Z\" - -\n" RULESET},
    {"all of one, a ruleset has the same id",
     {"{\"issue_ids\":[\"a\"],\"severity\":\"high\",\"exploitable\":true}",
      "{\"issue_ids\":[\"a\"],\"severity\":\"info\",\"false_positive\":true}",
      "{\"issue_ids\":[\"a\"],\"exploitable\":true}"},
     "a: \"info\" true true \"1970-01-01T00:00:01Z\" \"t\" -\n"
     "b: \"l\\u006fw\" true - - - 9.80\nc: - - - - - -\n" RULESET},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

START_TEST(table)
{
	struct rt_options options;
	char text[2048];
	size_t i = 0;

	put("e.json", EXPORT);
	for (; rows[_i].requests[i]; i++)
		journal_add(rows[_i].requests[i], (int64_t)i);
	options = options_of(at("e.json"), i ? at("j") : NULL);
	ck_assert_int_eq(show(&options, text, sizeof(text)), RT_END);
	ck_assert_msg(strcmp(text, rows[_i].shown) == 0, "%s: want\n%shave\n%s", rows[_i].what,
		      rows[_i].shown, text);
	expect_text(at("e.json"), EXPORT);
}
END_TEST

/* From standard input, a pipe: it is read twice, for the records and for the digest. */
START_TEST(pipe_input)
{
	struct rt_options options;
	char text[2048];
	int fds[2];

	put("e.json", EXPORT);
	journal_add("{\"issue_ids\":[\"c\"],\"severity\":\"high\"}", 0);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], EXPORT, strlen(EXPORT)), (ssize_t)strlen(EXPORT));
	close(fds[1]);
	options = options_of("-", at("j"));
	options.input_fd = fds[0];
	ck_assert_int_eq(show(&options, text, sizeof(text)), RT_END);
	ck_assert_ptr_nonnull(strstr(text, "c: \"high\""));
	close(fds[0]);
}
END_TEST

/* Of the first record: its notes, and its text with the state laid over. */
static const struct {
	const char *what, *record;
	const char *request; /* NULL: no journal */
	const char *notes;   /* NULL: none */
	const char *text;    /* NULL: the record's */
} laid[] = {
    {"no others", "{\"id\":\"a\",\"title\":\"notes\"}", NULL, NULL, NULL},
    {"others without notes", "{\"id\":\"a\",\"x\":{\"notes\":[1]}}", NULL, NULL, NULL},
    {"null", "{\"id\":\"a\",\"notes\":null}", NULL, NULL, NULL},
    {"no list", "{\"id\":\"a\",\"notes\":{\"text\":\"x\"}}", NULL, NULL, NULL},
    {"a list", "{\"id\":\"a\",\"notes\": [ {\"text\":\"x\"} ]}", NULL, "[ {\"text\":\"x\"} ]",
     NULL},
    {"a text", "{\"id\":\"a\",\"notes\":\"x\"}", NULL, "[{\"added_at\":null,\"text\":\"x\"}]",
     NULL},
    {"a name with an escape", "{\"id\":\"a\",\"n\\u006Ftes\":[]}", NULL, "[]", NULL},
    {"the last one counts", "{\"id\":\"a\",\"notes\":[1],\"notes\":[]}", NULL, "[]", NULL},
    {"nothing of the journal's is about it", "{\"id\":\"a\",\"notes\":[]}",
     "{\"issue_ids\":[\"z\"],\"notes\":\"n\"}", "[]", NULL},
    {"added where there are none", "{\"id\":\"a\"}", "{\"issue_ids\":[\"a\"],\"notes\":\"n\"}",
     "[{\"added_at\":\"1970-01-01T00:00:00Z\",\"text\":\"n\"}]",
     "{\"id\":\"a\",\"updated_at\":\"1970-01-01T00:00:00Z\","
     "\"notes\":[{\"added_at\":\"1970-01-01T00:00:00Z\",\"text\":\"n\"}]}"},
    {"added to a list", "{\"id\":\"a\",\"notes\":[ {\"text\":\"x\"} ]}",
     "{\"issue_ids\":[\"a\"],\"notes\":\"n\"}",
     "[{\"text\":\"x\"} ,{\"added_at\":\"1970-01-01T00:00:00Z\",\"text\":\"n\"}]",
     "{\"id\":\"a\",\"notes\":[ {\"text\":\"x\"}, {\"added_at\":\"1970-01-01T00:00:00Z\","
     "\"text\":\"n\"} ],\"updated_at\":\"1970-01-01T00:00:00Z\"}"},
    {"added to a text", "{\"id\":\"a\",\"notes\":\"x\"}", "{\"issue_ids\":[\"a\"],\"notes\":\"n\"}",
     "[{\"added_at\":null,\"text\":\"x\"},{\"added_at\":\"1970-01-01T00:00:00Z\","
     "\"text\":\"n\"}]",
     NULL},
    {"added to an empty list", "{\"id\":\"a\",\"notes\":[ ]}",
     "{\"issue_ids\":[\"a\"],\"notes\":\"n\"}",
     "[{\"added_at\":\"1970-01-01T00:00:00Z\",\"text\":\"n\"}]", NULL},
    {"a member alone", "{\"id\":\"a\",\"severity\":\"low\",\"x\":1.50}",
     "{\"issue_ids\":[\"a\"],\"severity\":\"high\"}", NULL,
     "{\"id\":\"a\",\"severity\":\"high\",\"x\":1.50,"
     "\"updated_at\":\"1970-01-01T00:00:00Z\"}"},
    {"what is there already", "{\"id\":\"a\",\"severity\":\"low\"}",
     "{\"issue_ids\":[\"a\"],\"severity\":\"low\"}", NULL, "{\"id\":\"a\",\"severity\":\"low\"}"},
};

#define LAID (sizeof(laid) / sizeof(laid[0]))

static void expect_slice(const char *what, struct rt_slice have, const char *want)
{
	if (!want)
		ck_assert_msg(have.ptr == NULL && have.len == 0, "%s: want nothing, have %.*s",
			      what, (int)have.len, have.ptr);
	else
		ck_assert_msg(have.len == strlen(want) && memcmp(have.ptr, want, have.len) == 0,
			      "%s: want %s, have %.*s", what, want, (int)have.len, have.ptr);
}

START_TEST(notes_and_text)
{
	const struct rt_record *record;
	struct rt_options options;
	struct rt_state *state;
	struct rt_finding finding = {0};
	struct rt_filter *all;
	struct rt_slice text;
	char export[512];
	bool picked;

	snprintf(export, sizeof(export), "{\"issues\":[%s,{\"id\":\"b\"}]}", laid[_i].record);
	put("e.json", export);
	if (laid[_i].request)
		journal_add(laid[_i].request, 0);
	options = options_of(at("e.json"), laid[_i].request ? at("j") : NULL);
	ck_assert_int_eq(rt_state_open(&options, &state, &err), RT_OK);
	ck_assert_int_eq(rt_state_next(state, &record, &err), RT_OK);
	ck_assert_int_eq(rt_filter_new(NULL, 0, 0, &all, &err), RT_OK);
	ck_assert_int_eq(rt_state_pick(state, all, true, &finding, &picked, &err), RT_OK);
	ck_assert(picked);
	ck_assert_int_eq(rt_state_text(state, &text, &err), RT_OK);
	expect_slice(laid[_i].what, finding.notes, laid[_i].notes);
	if (laid[_i].text || !laid[_i].request)
		expect_slice(laid[_i].what, text, laid[_i].text ? laid[_i].text : laid[_i].record);
	ck_assert_int_eq(rt_state_next(state, &record, &err), RT_OK);
	ck_assert_int_eq(rt_state_pick(state, all, true, &finding, &picked, &err), RT_OK);
	expect_slice(laid[_i].what, finding.notes, NULL);
	ck_assert_int_eq(rt_state_next(state, &record, &err), RT_END);
	rt_filter_free(all);
	rt_state_free(state);
}
END_TEST

static const struct {
	const char *what, *command; /* in the folder, after the journal's making */
	enum rt_code code;
	const char *path, *field;
	bool at_once; /* before a record is delivered */
} bads[] = {
    {"no journal", "rm j", RT_E_USAGE, "j", "", true},
    {"an empty journal", ": >j", RT_E_INPUT, "j", "", true},
    {"line 1", "sed -i 1s/base/bass/ j", RT_E_INPUT, "j", "", true},
    {"an entry", "sed -i 2s/high/hihg/ j", RT_E_INPUT, "j", "hash", true},
    {"a blank more in the export", "echo >>e.json", RT_E_INPUT, "j", "base/sha256", false},
    {"another value in the export", "sed -i s/old/odd/ e.json", RT_E_INPUT, "j", "base/sha256",
     false},
    {"no export", "rm e.json", RT_E_USAGE, "e.json", "", true},
    {"a fault of the export", "echo x >>e.json", RT_E_INPUT, "e.json", "", false},
};

#define BADS (sizeof(bads) / sizeof(bads[0]))

START_TEST(refused)
{
	struct rt_options options;
	char command[256], text[2048];

	put("e.json", EXPORT);
	journal_add("{\"issue_ids\":[\"c\"],\"severity\":\"high\"}", 0);
	snprintf(command, sizeof(command), "cd '%s' && %s", scratch, bads[_i].command);
	ck_assert_int_eq(system(command), 0);
	options = options_of(at("e.json"), at("j"));
	ck_assert_msg(show(&options, text, sizeof(text)) == RT_FATAL, "%s", bads[_i].what);
	ck_assert_msg(err.code == bads[_i].code, "%s: %s", bads[_i].what, err.message);
	ck_assert_msg(strcmp(err.path, at(bads[_i].path)) == 0, "%s: %s", bads[_i].what, err.path);
	if (bads[_i].field[0])
		ck_assert_str_eq(err.field, bads[_i].field);
	ck_assert_msg((text[0] == '\0') == bads[_i].at_once, "%s: %s", bads[_i].what, text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("state");
	TCase *tcase = tcase_create("state");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, table, 0, ROWS);
	tcase_add_test(tcase, pipe_input);
	tcase_add_loop_test(tcase, notes_and_text, 0, LAID);
	tcase_add_loop_test(tcase, refused, 0, BADS);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
