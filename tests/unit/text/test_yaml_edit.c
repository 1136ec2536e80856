/*
 * Edits of YAML source: what is written, byte for byte, and what is refused.
 */
#include <errno.h>
#include <stdio.h>

#include "yaml_edit_apply.h"

#define SET(member, json)                                                                          \
	{                                                                                          \
		RT_EDIT_SET, RT_SLICE(member), RT_SLICE(json)                                      \
	}
#define NOTES(json)                                                                                \
	{                                                                                          \
		RT_EDIT_NOTES, RT_SLICE("notes"), RT_SLICE(json)                                   \
	}
#define SEVERITY SET("severity", "\"high\"")
#define FALSE SET("false_positive", "false")
#define UPDATED SET("updated_at", "\"2026-01-01T00:00:00Z\"")
#define NOTE NOTES("{\"added_at\":\"T\",\"text\":\"n\"}")
#define COMMENTED "# 0123456789012345678901234567890123456789012345\nxy: z\n"
#define TWO                                                                                        \
	NOTES("{\"added_at\":\"T\",\"text\":\"n "                                                  \
	      "\\\"1\\\"\"},{\"added_at\":\"T\",\"text\":\"\\u00e9\"}")

/* Edits of all records whose id starts with "e" (their first member). */
static const struct row {
	const char *what;
	struct rt_edit edits[RT_EDITS_MAX];
	const char *before, *after;
} rows[] = {
    {"plain", {SEVERITY}, "id: e\nseverity: low\n", "id: e\nseverity: high\n"},
    {"plain with a comment",
     {SEVERITY},
     "- id: e\n  severity: low  # c\n  x: 1\n- id: f\n  severity: low\n",
     "- id: e\n"
     "  severity: high\n"
     "  x: 1\n"
     "- id: f\n"
     "  severity: low\n"},
    {"double quotes", {SEVERITY}, "id: e\nseverity: \"low\"\n", "id: e\nseverity: \"high\"\n"},
    {"on lines of its own",
     {SEVERITY},
     "id: e\nseverity: # c\n  very\n  low # d\nx: 1",
     "id: e\n"
     "severity: high\n"
     "x: 1"},
    {"tabs on blank lines after a plain scalar",
     {SEVERITY, UPDATED},
     "- id: e\n  severity: low\t\n   \t\n\n    \t\n\n  x: y \n   \t \r\n   \t# c\n- id: f\n   \t\n",
     "- id: e\n"
     "  severity: high\n"
     "  x: y\n"
     "  updated_at: \"2026-01-01T00:00:00Z\"\n"
     "- id: f\n"
     "   \t\n"},
    {"tabs on blank lines at the end",
     {UPDATED},
     "id: e\nupdated_at: x\n \t\n  \t",
     "id: e\n"
     "updated_at: \"2026-01-01T00:00:00Z\""},
    {"empty", {SEVERITY}, "id: e\nseverity:\nx: 1\n", "id: e\nseverity: high\nx: 1\n"},
    {"empty at the end", {SEVERITY}, "id: e\nseverity:", "id: e\nseverity: high"},
    {"null", {SEVERITY}, "id: e\nseverity: ~\n", "id: e\nseverity: high\n"},
    {"null, with a tag", {SEVERITY}, "id: e\nseverity: !!null\n", "id: e\nseverity: high\n"},
    {"a tag",
     {SEVERITY},
     "id: e\nseverity: !!str low # c\n",
     "id: e\n"
     "severity: high\n"},
    {"a tag and quotes", {SEVERITY}, "id: e\nseverity: ! 'low'\n", "id: e\nseverity: 'high'\n"},
    {"a tag on another line",
     {SEVERITY},
     "id: e\nseverity: !!str # c\n  low\n",
     "id: e\n"
     "severity: high\n"},
    {"literal", {SEVERITY}, "id: e\nseverity: |-\n  low\nx: 1\n", "id: e\nseverity: high\nx: 1\n"},
    {"literal without text", {SEVERITY}, "id: e\nseverity: |", "id: e\nseverity: high"},
    {"several lines in quotes",
     {SEVERITY},
     "id: e\nseverity: \"lo\\\n   w\"# c\nx: 1\n",
     "id: e\n"
     "severity: \"high\"\n"
     "x: 1\n"},
    {"an alias",
     {SEVERITY},
     "x: &x low\nissues:\n- id: e\n  severity: *x\n",
     "x: &x low\nissues:\n- id: e\n  severity: high\n"},
    {"an explicit key",
     {SEVERITY},
     "? id\n: e\n? severity\n: low\n",
     "id: e\n"
     "severity: high\n"},
    {"a date-time",
     {UPDATED},
     "- id: e\n  updated_at: 2025-01-01 00:00:00\n- id: e1\n  updated_at: ~\n"
     "- id: e2\n  updated_at: '2025'\n",
     "- id: e\n  updated_at: 2026-01-01T00:00:00Z\n- id: e1\n"
     "  updated_at: \"2026-01-01T00:00:00Z\"\n- id: e2\n"
     "  updated_at: '2026-01-01T00:00:00Z'\n"},
    {"a word that YAML 1.1 has for a boolean",
     {SET("severity", "\"No\""), SET("a", "\"it's\""), SET("b", "\"a\\nb\\u2028\"")},
     "id: e\nseverity: x\na: ''\nb: 'x'\n",
     "id: e\n"
     "severity: \"No\"\n"
     "a: 'it''s'\n"
     "b: \"a\\nb\\L\"\n"},
    {"missing",
     {SEVERITY, FALSE, UPDATED},
     "- id: e\n  x: 1 # c\n# d\n- id: f\n",
     "- id: e\n"
     "  x: 1\n"
     "  severity: high\n"
     "  false_positive: false\n"
     "  updated_at: \"2026-01-01T00:00:00Z\"\n"
     "# d\n"
     "- id: f\n"},
    {"missing, no line break", {SEVERITY}, "id: e", "id: e\nseverity: high"},
    {"missing, CR LF",
     {SEVERITY, NOTE},
     "-  id: e\r\n-  id: f\r\n",
     "-  id: e\r\n"
     "   severity: high\r\n"
     "   notes:\r\n"
     "   - added_at: T\r\n"
     "     text: \"n\"\r\n"
     "-  id: f\r\n"},
    {"missing, CR LF only before", {SEVERITY}, "---\r\nid: e", "---\r\nid: e\nseverity: high"},
    {"missing after a sequence",
     {SEVERITY},
     "- id: e\n  tags:\n  - a\n  -\n- id: f\n",
     "- id: e\n"
     "  tags:\n"
     "  - a\n"
     "  - null\n"
     "  severity: high\n"
     "- id: f\n"},
    {"missing after a mapping",
     {SEVERITY},
     "- id: e\n  x:\n    a: {b: [c,\n d]} # c\n\n...\n",
     "- id: e\n"
     "  x:\n"
     "    a: {b: [c, d]}\n"
     "  severity: high\n"
     "\n"
     "...\n"},
    {"missing after nothing",
     {SEVERITY},
     "- id: e\n  x: # c\n---\n- id: e1\n  x:",
     "- id: e\n"
     "  x: null\n"
     "  severity: high\n"
     "---\n"
     "- id: e1\n"
     "  x: null\n"
     "  severity: high"},
    {"missing after a literal",
     {SEVERITY},
     "- id: e\n  x: |\n    a\n\n\n- id: e2\n  x: |+\n    a\n\n- id: f\n",
     "- id: e\n"
     "  x: |\n"
     "    a\n"
     "  severity: high\n"
     "\n"
     "\n"
     "- id: e2\n"
     "  x: \"a\\n\\n\"\n"
     "  severity: high\n"
     "\n"
     "- id: f\n"},
    {"missing after a literal with an anchor and a tag, without a line break",
     {SEVERITY},
     "id: e\nx: &x !!str |\n  a",
     "id: e\n"
     "x: &x !!str \"a\"\n"
     "severity: high"},
    {"missing after a plain scalar of some lines",
     {SEVERITY},
     "- id: e\n  x: a\n   b\n\n   c # d\n  # e\n",
     "- id: e\n"
     "  x: \"a b\\nc\"\n"
     "  severity: high\n"
     "  # e\n"},
    {"missing after a key in quotes",
     {SEVERITY, NOTE},
     "\"id\": \"e\"\n",
     "\"id\": \"e\"\n"
     "\"severity\": \"high\"\n"
     "\"notes\":\n"
     "- \"added_at\": \"T\"\n"
     "  \"text\": \"n\"\n"},
    {"flow", {SEVERITY}, "{id: e, severity: low}", "{id: e, severity: high}"},
    {"flow, missing",
     {SEVERITY, NOTE},
     "[{id: e}, {id: e1, x: [a] , # c\n }]",
     "[{id: e, severity: high, notes: [{added_at: T, text: \"n\"}]}, {id: e1, x: [a], severity: "
     "high, notes: [{added_at: T, text: \"n\"}]}]"},
    {"flow, after nothing",
     {SEVERITY},
     "[{id: e, x: }, {id: e1, \"x\":}, {id: e2, x}]",
     "[{id: e, x: null, severity: high}, {id: e1, \"x\": null, severity: high}, {id: e2, x: null, "
     "severity: high}]"},
    {"flow, empty",
     {SEVERITY},
     "[{id: e, severity: }, {id: e1, \"severity\":}, {id: e2, severity}]",
     "[{id: e, severity: high}, {id: e1, \"severity\": high}, {id: e2, severity: high}]"},
    {"flow, like JSON",
     {SEVERITY, FALSE, NOTE},
     "# c\n{\"id\":\"e\",\"severity\":null}",
     "# c\n"
     "{\"id\": \"e\", \"severity\": \"high\", \"false_positive\": false, \"notes\": "
     "[{\"added_at\": \"T\", \"text\": \"n\"}]}"},
    {"notes, missing",
     {TWO},
     "- id: e\n- id: f\n",
     "- id: e\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: \"n \\\"1\\\"\"\n"
     "  - added_at: T\n"
     "    text: \"\xc3\xa9\"\n"
     "- id: f\n"},
    {"notes with what YAML takes for the end of a line, or for nothing",
     {NOTES("{\"added_at\":\"T\",\"text\":\"\x7f\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\"}")},
     "- id: e\n",
     "- id: e\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: \"\\x7F\\N\\L\\P\\uFEFF\"\n"},
    {"notes, null",
     {NOTE, SEVERITY},
     "- id: e\n  notes: ~ # c\n- id: e1\n  notes:   # d\n  x: 1\n- id: e2\n  notes:\n    null",
     "- id: e\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "  severity: high\n"
     "- id: e1\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "  x: 1\n"
     "  severity: high\n"
     "- id: e2\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "  severity: high"},
    {"notes, a string",
     {NOTE},
     "- id: e\n  notes: it, is 'so' # c\n- id: e1\n  notes: 'a'\n  x: 1\n",
     "- id: e\n"
     "  notes:\n"
     "  - added_at: null\n"
     "    text: it, is 'so'\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "- id: e1\n"
     "  notes:\n"
     "  - added_at: null\n"
     "    text: 'a'\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "  x: 1\n"},
    {"notes, a string in a flow",
     {NOTE},
     "{id: e, notes: a b}",
     "{id: e, notes: [{added_at: null, text: a b}, {added_at: T, text: \"n\"}]}"},
    {"notes, a string that looks like a number",
     {NOTE, SEVERITY},
     "- {id: e, notes: 08, severity: 1e3}\n- id: e1\n  notes: 1.50 # c\n  severity: 2\n",
     "- {id: e, notes: [{added_at: null, text: \"08\"}, {added_at: T, text: \"n\"}], severity: "
     "high}\n"
     "- id: e1\n"
     "  notes:\n"
     "  - added_at: null\n"
     "    text: \"1.50\"\n"
     "  - added_at: T\n"
     "    text: \"n\"\n"
     "  severity: high\n"},
    {"notes, a string with a tag",
     {NOTE},
     "{id: e, notes: !!str 12}",
     "{id: e, notes: [{added_at: null, text: !!str \"12\"}, {added_at: T, text: \"n\"}]}"},
    {"notes, block",
     {TWO, SEVERITY},
     "- id: e\n  notes:\n  - added_at: T\n    text: |\n      a\n\n  x: 1\n",
     "- id: e\n"
     "  notes:\n"
     "  - added_at: T\n"
     "    text: |\n"
     "      a\n"
     "  - added_at: T\n"
     "    text: \"n \\\"1\\\"\"\n"
     "  - added_at: T\n"
     "    text: \"\xc3\xa9\"\n"
     "  x: 1\n"
     "  severity: high\n"},
    {"notes, block of flows",
     {NOTE},
     "id: e\nnotes:\n- {added_at: T, text: a}\n-\n",
     "id: e\n"
     "notes:\n"
     "- {added_at: T, text: a}\n"
     "- null\n"
     "- added_at: T\n"
     "  text: \"n\"\n"},
    {"notes, flow",
     {NOTE},
     "[{id: e, notes: [ ]}, {id: e1, notes: [a, ]}, {id: e2, notes: [ a: ]}]",
     "[{id: e, notes: [{added_at: T, text: \"n\"}]}, {id: e1, notes: [a, {added_at: T, text: "
     "\"n\"}]}, {id: e2, notes: [{a: null}, {added_at: T, text: \"n\"}]}]"},
    {"a byte order mark and blanks",
     {SEVERITY},
     "\xef\xbb\xbf \t\n\r\n - id: e\n   severity: low\n",
     "\xef\xbb\xbf \t\n\r\n - id: e\n   severity: high\n"},
    {"characters of several bytes",
     {SEVERITY},
     "x: \xe2\x82\xac\xf0\x9f\x98\x80\nissues: # \xc3\xa9\n- id: e\xc3\xa9\n  y: \xc3\xa9 # "
     "\xc3\xa9\n"
     "  severity: \xc3\xa9\xc3\xa9 # \xc3\xa9\n",
     "x: \xe2\x82\xac\xf0\x9f\x98\x80\n"
     "issues: # \xc3\xa9\n"
     "- id: e\xc3\xa9\n"
     "  y: \xc3\xa9\n"
     "  severity: high\n"},
    {"a record with a tag",
     {SEVERITY, FALSE},
     "- !!map\n  id: e\n  severity: low\n- !!map {id: e1}\n",
     "- !!map\n  id: e\n  severity: high\n  false_positive: false\n"
     "- !!map {id: e1, severity: high, false_positive: false}\n"},
    {"anchors that nothing edited has",
     {SEVERITY},
     "issues:\n- id: e\n  x: &x [1, 2]\n  &k severity: low\n- id: e1\n  x: *x\n",
     "issues:\n- id: e\n  x: &x [1, 2]\n  &k severity: high\n- id: e1\n  x: *x\n  severity: "
     "high\n"},
    {"a pair without braces", {SEVERITY}, "[id: e]", "[{id: e, severity: high}]"},
    {"a key without a colon",
     {SEVERITY},
     "? id\n: e\n? severity\n? x\n: 1\n",
     "id: e\nseverity: high\nx: 1\n"},
    {"a tag with a handle of its own",
     {SEVERITY},
     "%TAG !y! tag:yaml.org,2002:\n---\nid: e\nx: !y!str 1\n",
     "%TAG !y! tag:yaml.org,2002:\n---\nid: e\nx: !!str 1\nseverity: high\n"},
    {"an alias of what an earlier record has",
     {SEVERITY},
     "- id: f\n  x: &x\n  - 08\n- id: e\n  y: *x\n",
     "- id: f\n  x: &x\n  - 08\n- id: e\n  y: *x\n  severity: high\n"},
    {"comments deeper than the members, and others",
     {SEVERITY},
     "- id: e\n  x: |\n    a\n    b\n     # c\n  # d\n   # e\n  # f\n# g\n- id: f\n",
     "- id: e\n  x: |\n    a\n    b\n     # c\n  severity: high\n  # f\n# g\n- id: f\n"},
    {"tags that say a string",
     {SEVERITY},
     "{id: e, x: [! a, ! '1', ! 1, !!int 1]}",
     "{id: e, x: [\"a\", '1', \"1\", !!int 1], severity: high}"},
    {"far to the right",
     {SEVERITY},
     "-                                                                      id: e\n- id: f\n",
     "-                                                                      {id: e, severity: "
     "high}\n- id: f\n"},
    {"another member ends the anchor's node",
     {SEVERITY},
     "a: &a {b: {c: d}}\nissues:\n- id: e\n",
     "a: &a {b: {c: d}}\nissues:\n- id: e\n  severity: high\n"},
};

static size_t count_edits(const struct rt_edit *edits)
{
	size_t count = 0;

	while (count < RT_EDITS_MAX && edits[count].name.ptr)
		count++;
	return count;
}

START_TEST(test_rows)
{
	const struct row *row = &rows[_i];
	struct rt_slice source = rt_slice_make(row->before, strlen(row->before));
	static const size_t steps[] = {0, 1, 3};
	struct rt_buf json, out;
	struct places places;
	enum rt_status status;
	struct rt_error err;

	status = find_places(source, "{\"id\":\"e", &places, &json, &err);
	ck_assert_msg(status == RT_END, "%s: %s", row->what, err.message);
	ck_assert_msg(places.count > 0, "%s: %s", row->what, json.data);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		status = apply(source, steps[i], &places, row->edits, count_edits(row->edits), &out,
			       &err);
		ck_assert_msg(status == RT_OK, "%s: %s", row->what, err.message);
		ck_assert_msg(strcmp(out.data, row->after) == 0, "%s:\n%s", row->what, out.data);
		rt_buf_release(&out);
	}
	rt_buf_release(&json);
}
END_TEST

/* Edits of all records whose id starts with "e"; at: place of the fault, LINE:COLUMN FIELD. */
static const struct bad_row {
	const char *what;
	struct rt_edit edits[RT_EDITS_MAX];
	const char *source, *at, *message;
	size_t first; /* records before this one are not edited */
} bad_rows[] = {
    {"an anchor at the value",
     {SEVERITY},
     "- id: e\n  severity: &s low\n",
     "2:13 severity",
     "want a value without an anchor where it is changed, have \"&s\"",
     0},
    {"an anchor at an empty value",
     {SEVERITY},
     "- id: e\n  severity: &s\n",
     "2:13 severity",
     "want a value without an anchor where it is changed, have \"&s\"",
     0},
    {"an anchor at notes",
     {NOTE},
     "- id: e\n  notes: &n\n  - a\n",
     "2:10 notes",
     "want a value without an anchor where it is changed, have \"&n\"",
     0},
    {"an anchor at notes in a flow",
     {NOTE},
     "{id: e, notes: &n [a]}",
     "1:16 notes",
     "want a value without an anchor where it is changed, have \"&n\"",
     0},
    {"an anchor at the record",
     {SEVERITY},
     "- id: f\n- &r\n  id: e\n",
     "2:3 ",
     "want an issue without an anchor where it is changed, have \"&r\"",
     0},
    {"an anchor around the record",
     {SEVERITY},
     "issues: &all\n- id: e\ncopy: *all\n",
     "2:3 ",
     "want an issue outside of anchored nodes where it is changed, have \"&all\"",
     0},
    {"an anchor far around the record",
     {SEVERITY},
     "&top\nx: &x [1]\nissues:\n- id: e\n",
     "4:3 ",
     "want an issue outside of anchored nodes where it is changed, have \"&top\"",
     0},
    {"an alias in place of a record",
     {SEVERITY},
     "x: &x {id: e}\nissues:\n- id: e1\n- *x\n- id: f\n",
     "4:3 ",
     "want an issue that stands in its place where it is changed, have it after an alias",
     1},
    {"an alias in place of all records",
     {SEVERITY},
     "x: &x\n- id: e\n- id: e1\nissues: *x\n",
     "4:9 ",
     "want an issue that stands in its place where it is changed, have it after an alias",
     2},
    {"an alias as a key",
     {SEVERITY},
     "id: e\nx: &k severity\n*k : low\n",
     "3:1 ",
     "want keys that stand in their place in an issue that is changed, have an alias",
     0},
    {"notes twice",
     {NOTE},
     "id: e\nnotes: a\nx: 1\nnotes: b\n",
     "4:1 notes",
     "want the member once, have it twice",
     0},
    {"notes, a number under a tag",
     {NOTE},
     "id: e\nnotes: !!int 12\n",
     "2:8 notes",
     "want notes that are an array, a string or null, have an integer",
     0},
    {"notes, a boolean under a tag",
     {NOTE},
     "id: e\nnotes: !!bool 'true'\n",
     "2:8 notes",
     "want notes that are an array, a string or null, have a boolean",
     0},
    {"notes, an object",
     {NOTE},
     "id: e\nnotes:\n  a: b\n",
     "3:3 notes",
     "want notes that are an array, a string or null, have an object",
     0},
    {"notes, an alias",
     {NOTE},
     "id: e\nx: &x a\nnotes: *x\n",
     "3:8 notes",
     "want notes that are an array, a string or null, have an alias",
     0},
    {"an array",
     {SEVERITY},
     "{id: e, severity: [a]}",
     "1:19 severity",
     "want a scalar where a value is changed, have an array",
     0},
    {"an object",
     {SEVERITY},
     "id: e\nseverity:\n  a: b\n",
     "3:3 severity",
     "want a scalar where a value is changed, have an object",
     0},
};

START_TEST(test_bad_rows)
{
	const struct bad_row *row = &bad_rows[_i];
	struct rt_slice source = rt_slice_make(row->source, strlen(row->source));
	struct places places, used = {.count = 0};
	struct rt_buf json, out;
	enum rt_status status;
	struct rt_error err;
	char at[256];

	status = find_places(source, "{\"id\":\"e", &places, &json, &err);
	ck_assert_msg(status == RT_END || strstr(row->what, "twice"), "%s: %s", row->what,
		      err.message);
	for (size_t i = row->first; i < places.count; i++)
		used.list[used.count++] = places.list[i];
	ck_assert_msg(used.count > 0, "%s", row->what);
	status = apply(source, 1, &used, row->edits, count_edits(row->edits), &out, &err);
	snprintf(at, sizeof(at), "%llu:%llu %s", (unsigned long long)err.line,
		 (unsigned long long)err.column, err.field);
	ck_assert_msg(status == RT_REJECT && err.code == RT_E_INPUT, "%s: %d", row->what, status);
	ck_assert_msg(strcmp(err.message, row->message) == 0, "%s: %s", row->what, err.message);
	ck_assert_msg(strcmp(at, row->at) == 0, "%s: %s", row->what, at);
	rt_buf_release(&json);
}
END_TEST

/* Edit the mapping at an offset under some limits; the status, and the message in err. */
static enum rt_status edit_at(struct rt_slice source, uint64_t repeats, uint64_t offset,
			      const struct rt_limits *limits, struct rt_patches *patches,
			      struct rt_error *err)
{
	static const struct rt_edit edits[] = {SEVERITY};
	struct rt_yaml_record record = {offset, edits, 1};
	const struct rt_yaml_records records = {.list = &record, .count = 1};
	struct memory memory = {.left = source, .repeats = repeats, .last = '\n'};

	memset(err, 0, sizeof(*err));
	return rt_yaml_edit((struct rt_pull){memory_read, &memory}, limits, &records, 0, patches,
			    err);
}

START_TEST(test_limits)
{
	struct rt_slice deep = RT_SLICE("- - - - id: e\n");
	struct rt_patches patches = {0};
	struct rt_limits limits;
	struct rt_error err;
	char *text = NULL;

	rt_limits_init(&limits);
	ck_assert_int_eq(edit_at(deep, 0, 8, &limits, &patches, &err), RT_OK);
	ck_assert_uint_eq(rt_patches_count(&patches), 1);
	limits.depth = 2;
	ck_assert_int_eq(edit_at(deep, 0, 8, &limits, &patches, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want at most 2 levels of nesting in a record, have more");
	ck_assert_uint_eq(err.column, 9);

	/* A comment of 50 bytes before each of five members. */
	limits.record_bytes = 64;
	ck_assert_int_ge(asprintf(&text, "id: e\n%s%s%s%s%s", COMMENTED, COMMENTED, COMMENTED,
				  COMMENTED, COMMENTED),
			 0);
	ck_assert_int_eq(
	    edit_at(rt_slice_make(text, 6 + 4 * strlen(COMMENTED)), 0, 0, &limits, &patches, &err),
	    RT_OK);
	ck_assert_int_eq(edit_at(rt_slice_make(text, strlen(text)), 0, 0, &limits, &patches, &err),
			 RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want at most 256 bytes of YAML in an issue that is changed, "
				      "have more");
	free(text);
	rt_patches_release(&patches);
}
END_TEST

/* What a caller does wrong, and a source that has changed since it was read. */
START_TEST(test_not_met)
{
	static const struct {
		const char *source;
		uint64_t offset;
		const char *message;
	} all[] = {
	    {"- id: e\n", 1,
	     "want an issue that stands in its place where it is changed, have it "
	     "after an alias"},
	    {"- id: e\n", 100, "want a mapping where an issue is to be changed, have none"},
	    {"- [e]\n", 2,
	     "want an issue that stands in its place where it is changed, have it "
	     "after an alias"},
	    {"- {id: e\n", 2,
	     "want valid YAML, have: did not find expected ',' or '}' while "
	     "parsing a flow mapping"},
	    {"", 0, "want a mapping where an issue is to be changed, have none"},
	};
	struct rt_patches patches = {0};
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rt_slice source = rt_slice_make(all[i].source, strlen(all[i].source));

		ck_assert_int_eq(edit_at(source, 0, all[i].offset, &limits, &patches, &err),
				 RT_REJECT);
		ck_assert_str_eq(err.message, all[i].message);
		ck_assert_uint_gt(err.line, 0);
	}
	ck_assert_uint_eq(rt_patches_count(&patches), 0);
	rt_patches_release(&patches);
}
END_TEST

/* After the last edited record nothing is read, however much there is. */
START_TEST(test_stops)
{
	struct rt_slice source = RT_SLICE("- id: e\n- x: {\n");
	struct rt_patches patches = {0};
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	ck_assert_int_eq(edit_at(source, UINT64_MAX / 2, 2, &limits, &patches, &err), RT_OK);
	ck_assert_uint_eq(rt_patches_count(&patches), 1);
	ck_assert_uint_eq(rt_patches_get(&patches, 0).offset, 2);
	rt_patches_release(&patches);
}
END_TEST

static enum rt_status broken_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	unsigned *left = ctx;

	(void)cap;
	if ((*left)-- == 0)
		return rt_error_sys(err, EIO, "cannot read");
	*(char *)buf = ' ';
	*ret_len = 1;
	return RT_OK;
}

START_TEST(test_broken)
{
	static const struct rt_edit edits[] = {SEVERITY};
	struct rt_yaml_record record = {0, edits, 1};
	const struct rt_yaml_records records = {.list = &record, .count = 1};
	struct rt_patches patches = {0};
	struct rt_limits limits;

	rt_limits_init(&limits);
	for (unsigned i = 0; i < 8; i++) {
		struct rt_error err;
		unsigned left = i;

		ck_assert_int_eq(rt_yaml_edit((struct rt_pull){broken_read, &left}, &limits,
					      &records, 0, &patches, &err),
				 RT_FATAL);
		ck_assert_int_eq(err.code, RT_E_IO);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("yaml_edit");
	TCase *tcase = tcase_create("yaml_edit");

	tcase_add_loop_test(tcase, test_rows, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tcase, test_bad_rows, 0, sizeof(bad_rows) / sizeof(bad_rows[0]));
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_not_met);
	tcase_add_test(tcase, test_stops);
	tcase_add_test(tcase, test_broken);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
