/*
 * The second look at an edited record of YAML: what it passes and, above all, what it refuses, as
 * if the editor had planned something wrong.
 */
#include <stdlib.h>

#include "text/yaml_edit_state.h"
#include "text_pull.h"
#include "unit.h"

#define SET(member, json)                                                                          \
	{                                                                                          \
		RT_EDIT_SET, RT_SLICE(member), RT_SLICE(json)                                      \
	}
#define SEVERITY SET("severity", "\"high\"")
#define NUMBER SET("severity", "\"1\"")
#define FALSE SET("false_positive", "false")
#define NOTE                                                                                       \
	{                                                                                          \
		RT_EDIT_NOTES, RT_SLICE("notes"), RT_SLICE("{\"text\":\"n\"}")                     \
	}
#define STRING                                                                                     \
	{                                                                                          \
		.kind = YAML_VALUE_SCALAR, .type = YAML_TYPE_STRING                                \
	}
#define ARRAY                                                                                      \
	{                                                                                          \
		.kind = YAML_VALUE_SEQUENCE                                                        \
	}
#define OBJECT                                                                                     \
	{                                                                                          \
		.kind = YAML_VALUE_MAPPING                                                         \
	}

static const struct row {
	struct rt_edit edit;
	struct yaml_value value; /* the edited member as it was */
	const char *before, *after;
	bool passes;
	const char *follows; /* the record in its source */
	const char *note;    /* the notes, if they were a string */
} rows[] = {
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: high\n", true, NULL, NULL},
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: ! high\n", true, NULL, NULL},
    {SEVERITY, OBJECT, "severity: {a: [b]}\nx: 1\n", "severity: high\nx: 1\n", true, NULL, NULL},
    {SEVERITY, {0}, "id: e\n", "id: e\nseverity: high\n", true, NULL, NULL},
    {SEVERITY, STRING, "? [a]\n: 1\nseverity: x\n", "? [a]\n: 1\nseverity: high\n", true, NULL,
     NULL},
    /* the member itself */
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: low\n", false, NULL, NULL},
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: [high]\n", false, NULL, NULL},
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: &a high\n", false, NULL, NULL},
    {SEVERITY, STRING, "id: e\nseverity: low\n", "id: e\nseverity: !a high\n", false, NULL, NULL},
    {NUMBER, STRING, "id: e\nseverity: low\n", "id: e\nseverity: '1'\n", true, NULL, NULL},
    {NUMBER, STRING, "id: e\nseverity: low\n", "id: e\nseverity: 1\n", false, NULL, NULL},
    {SEVERITY, {0}, "id: e\n", "id: e\n", false, NULL, NULL},
    {SEVERITY, {0}, "id: e\n", "id: e\nSeverity: high\n", false, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: false\n", true, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: true\n", false, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: 'false'\n", false, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: &a false\n", false, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: !a false\n", false, NULL, NULL},
    {FALSE, STRING, "false_positive: x\n", "false_positive: [false]\n", false, NULL, NULL},
    /* notes */
    {NOTE, {0}, "id: e\n", "id: e\nnotes: [{text: n}]\n", true, NULL, NULL},
    {NOTE, {0}, "id: e\n", "id: e\nnotes: {text: n}\n", false, NULL, NULL},
    {NOTE, {0}, "id: e\n", "id: e\nnotes: [{text: m}]\n", false, NULL, NULL},
    {NOTE, {0}, "id: e\n", "id: e\nnotes: [{text: n}, x]\n", false, NULL, NULL},
    {NOTE, ARRAY, "notes: [a, {b: c}]\n", "notes: [a, {b: c}, {text: n}]\n", true, NULL, NULL},
    {NOTE, ARRAY, "notes: [a, {b: c}]\n", "notes: [a, {b: d}, {text: n}]\n", false, NULL, NULL},
    {NOTE, ARRAY, "notes: [a, {b: c}]\n", "notes: [{text: n}]\n", false, NULL, NULL},
    {NOTE, ARRAY, "notes: [a]\n", "notes: !!x [a, {text: n}]\n", false, NULL, NULL},
    {NOTE, STRING, "notes: o\n", "notes: [{added_at: null, text: o}, {text: n}]\n", true, NULL,
     "o"},
    {NOTE, STRING, "notes: o\n", "notes: [{added_at: null, text: p}, {text: n}]\n", false, NULL,
     "o"},
    {NOTE, STRING, "notes: o\n", "notes: [{added_at: 1, text: o}, {text: n}]\n", false, NULL, "o"},
    {NOTE, STRING, "notes: o\n", "notes: [{text: n}]\n", false, NULL, "o"},
    /* all else */
    {SEVERITY, {0}, "x: &a 1\n", "x: &b 1\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: &a 1\n", "x: 1\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: 1\n", "x: &a 1\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: !t 1\n", "x: !u 1\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: 'a'\n", "x: \"a\"\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: ab\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: b\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "y: a\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: [a]\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: [a]\n", "x: &a [a]\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: [a]\n", "x: !a [a]\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: [a]\n", "x:\n- a\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: [a]\n", "x: [a, b]\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: {a: b}\n", "x: &a {a: b}\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: {a: b}\n", "x: !a {a: b}\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: {a: b}\n", "x:\n  a: b\nseverity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: a\nseverity: high\ny: 1\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "{x: a, severity: high}\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "- x: a\n  severity: high\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: a\nseverity: high\n--- {}\n", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "", false, NULL, NULL},
    {SEVERITY, {0}, "x: a\n", "x: a\nseverity: high\n\x01", false, NULL, NULL},
    /* what follows is read with it */
    {SEVERITY, STRING, "severity: low", "severity: high", true, "\n \t\n # c\n", NULL},
    {SEVERITY, STRING, "severity: low", "severity: 'high'", true, "\n  \n # c\n", NULL},
    {SEVERITY, STRING, "severity: low", "severity: 'high'", false, "\n \t\n # c\n", NULL},
};

/* Look at row's record with these changes, whose texts are in row->after. */
static enum rt_status check(const struct row *row, const struct yaml_change *changes, size_t count,
			    struct rt_error *err)
{
	struct rt_yaml_record want = {0, &row->edit, 1};
	struct yaml_record *record = calloc(1, sizeof(*record));
	size_t len = strlen(row->before);
	struct rt_buf source = {0};
	struct text text = {0};
	struct rt_limits limits;
	struct yaml_tee tee;
	enum rt_status status;
	char block[64];
	size_t got;

	ck_assert_ptr_nonnull(record);
	rt_limits_init(&limits);
	ck_assert_int_eq(rt_buf_append(&source, row->before, len, err), RT_OK);
	if (row->follows)
		ck_assert_int_eq(rt_buf_append(&source, row->follows, strlen(row->follows), err),
				 RT_OK);
	record->want = &want;
	record->place = (struct rt_place){.offset = 0, .line = 1, .column = 1};
	record->end = len;
	record->follows = source.len;
	record->values[0] = row->value;
	record->change_count = count;
	memcpy(record->changes, changes, count * sizeof(*changes));
	ck_assert_int_eq(rt_buf_append(&record->text, row->after, strlen(row->after), err), RT_OK);
	if (row->note)
		ck_assert_int_eq(rt_buf_append(&record->note, row->note, strlen(row->note), err),
				 RT_OK);
	text.text = rt_buf_slice(&source);
	ck_assert_int_eq(rt_yaml_tee_init(&tee, (struct rt_pull){text_pull, &text}, err), RT_OK);
	while (rt_yaml_tee_read(&tee, block, sizeof(block), &got, err) == RT_OK)
		;
	status = rt_yaml_edit_check(record, &tee, &limits, err);
	rt_yaml_tee_release(&tee);
	rt_buf_release(&record->note);
	rt_buf_release(&record->text);
	rt_buf_release(&source);
	free(record);
	return status;
}

static void expect_refused(enum rt_status status, const struct rt_error *err, const char *what)
{
	ck_assert_msg(status == RT_REJECT, "%s", what);
	ck_assert_str_eq(err->message, "want an issue in a form of YAML that can be changed in its "
				       "place, have another");
	ck_assert_int_eq(err->code, RT_E_INPUT);
	ck_assert_uint_eq(err->line, 1);
	ck_assert_uint_eq(err->column, 1);
}

/* The whole record is changed for another text. */
START_TEST(test_rows)
{
	const struct row *row = &rows[_i];
	struct yaml_change all = {.len = strlen(row->before), .text_len = strlen(row->after)};
	struct rt_error err = {0};
	enum rt_status status = check(row, &all, 1, &err);

	if (row->passes)
		ck_assert_msg(status == RT_OK, "%s: %s", row->after, err.message);
	else
		expect_refused(status, &err, row->after);
}
END_TEST

/* Changes that lie over each other, or beyond the record. */
START_TEST(test_places)
{
	static const struct row row = {SEVERITY, STRING, "severity: low\n", "high", false,
				       "# c\n",  NULL};
	static const struct yaml_change good[] = {{10, 1, 0, 2, false}, {11, 2, 2, 2, false}};
	static const struct yaml_change over[] = {{10, 2, 0, 2, false}, {11, 2, 2, 2, false}};
	static const struct yaml_change beyond[] = {{10, 5, 0, 4, false}};
	struct rt_error err = {0};

	ck_assert_int_eq(check(&row, good, 2, &err), RT_OK);
	expect_refused(check(&row, over, 2, &err), &err, "over");
	expect_refused(check(&row, beyond, 1, &err), &err, "beyond");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("yaml_edit_check");
	TCase *tcase = tcase_create("yaml_edit_check");

	tcase_add_loop_test(tcase, test_rows, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, test_places);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
