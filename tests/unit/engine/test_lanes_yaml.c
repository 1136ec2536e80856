/*
 * One file of YAML in lanes: excerpts that are read side by side must say what one reader says,
 * whatever stands between the items, around them, and where an item seems to start.
 */
#include "engine/lanes.h"

#include "base/limits.h"
#include "question.h"
#include "scratch.h"
#include "split.h"

#define RECORDS 60u

static const unsigned lane_counts[] = {3, 2, 8};

#define LANE_COUNTS (sizeof(lane_counts) / sizeof(lane_counts[0]))

static struct split_names fixtures;
static struct rt_limits limits;
static struct question asked;

static struct rt_options options_make(const char *const *path, unsigned lanes)
{
	return (struct rt_options){
	    .paths = path, .path_count = 1, .limits = limits, .threads = lanes};
}

static void same_by(size_t counts, const char *what, const char *path)
{
	question_same(&asked, options_make(&path, 1), 1, lane_counts, counts, what);
}

/* Lanes that have read it; 0: one reader has to do it. */
static size_t used(const char *path, unsigned count)
{
	struct rt_options options = options_make(&path, count);
	struct rt_lanes *lanes = rt_lanes_summarize(&options, asked.recent, 0);
	size_t number = lanes ? rt_lanes_used(lanes) : 0;

	rt_lanes_free(lanes);
	return number;
}

/* How items stand in a text; every @ of an item is its number. */
struct form {
	const char *what;
	const char *before, *item, *after;
	int lanes; /* used of 3 */
};

#define ANY (-1)
#define PLAIN "- id: i@\n  severity: high\n  category: c@\n  created_at: 2025-01-01\n"
#define INNER "  - id: i@\n    severity: low\n"
#define ONE(id) "- id: " id "\n  severity: low\n"
#define TEN "          "
#define FAR TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define RULES                                                                                      \
	"- id: @\n  name: n\n  rules_text: r\n  org_id: o\n  created_at: 2025-01-01T00:00:00Z\n"   \
	"  updated_at: 2025-01-01T00:00:00Z\n"

static const struct form forms[] = {
    {"items", "", PLAIN, "", 3},
    {"of a member, not indented", "tool: x\nissues:\n", PLAIN, "", 3},
    {"of a member, indented", "issues:\n", INNER, "", 3},
    {"members after", "issues:\n", PLAIN, "rulesets: []\nz: {a: b}\n", 3},
    {"a mark, directives and comments", "\xef\xbb\xbf# a\n%YAML 1.2\n---\n# b\nissues: # c\n",
     "# d\n\n" PLAIN, "...\n# e\n", 3},
    {"far from the dash", "", "-    id: i@\n     severity: low\n", "", 3},
    {"too far from the dash", "", "-" FAR "  id: i@\n" FAR "   severity: low\n", "", 0},
    {"too far to the right", "issues:\n", FAR "- id: i@\n" FAR "  severity: low\n", "", 0},
    {"CRLF", "issues:\r\n", "- id: i@\r\n  severity: low\r\n", "", 3},
    {"in braces", "", "- {id: i@, severity: low}\n", "", 3},
    {"lists and texts in items", "",
     PLAIN "  tags:\n  - a\n  - b\n  title: |+\n    - id: x\n\n  notes: >-\n   - y\n\n   z\n", "",
     3},
    {"numbers as texts", "issues:\n", "- id: @\n  severity: low\n  title: 1.5\n", "", 3},
    {"rulesets", "rulesets:\n", RULES, "", 3},
    {"a tag and an anchor before", "a: &a 1\nissues: !!seq\n", PLAIN, "", 3},
    {"an unfinished last line", "", PLAIN, "- {id: x, severity: low}", 3},
    {"other records after", "issues:\n", PLAIN,
     "rulesets:\n- id: r\n  name: n\n  rules_text: r\n  org_id: o\n  created_at: "
     "2025-01-01T00:00:00Z\n  updated_at: 2025-01-01T00:00:00Z\n",
     3},
    {"other records before",
     "rulesets:\n- id: r\n  name: n\n  rules_text: r\n  org_id: o\n  created_at: "
     "2025-01-01T00:00:00Z\n  updated_at: 2025-01-01T00:00:00Z\nissues:\n",
     PLAIN, "", 0},
    {"items of something else after", "issues:\n" ONE("a") "x:\n", PLAIN, "", 0},
    {"another document of such items", "", PLAIN, "---\n" ONE("a"), 0},
    {"a document each", "", "---\nid: i@\nseverity: low\n", "", 0},
    {"a document each, of one item", "", PLAIN "...\n", "", 0},
    {"anchors at items", "", "- &a@\n  id: i@\n  severity: low\n", "", 0},
    {"anchors in items", "", "- id: i@\n  severity: &a@ low\n", "", 0},
    {"one in all aliases", "x: &s low\nissues:\n", "- id: i@\n  severity: *s\n", "", 0},
    {"an alias after", "x: &a 1\nissues:\n", PLAIN, "y: *a\n", 0},
    {"one list in braces", "issues: [\n", "{id: i@, severity: low},\n", "]\n", 0},
    {"one list in braces, with dashes", "issues: [\n", "{id: i@, severity: low, a: \n- 1},\n",
     "]\n", 0},
    {"a list in a list", "", "- - id: i@\n    severity: low\n", "", 0},
    {"a dash of its own", "", "-\n  id: i@\n  severity: low\n", "", 0},
    {"a tab after the dash", "", "-\t{id: i@, severity: low}\n", "", ANY},
    {"what seems an item, in quotes", "", PLAIN "  title: \"x\n- id: y\n- z\"\n", "", ANY},
    {"what seems an item, in single ones", "", PLAIN "  title: 'x\n- id: y\n- z'\n", "", ANY},
    {"what seems an item, in plain text", "", PLAIN "  title: x\n   - id y\n   - z\n", "", 3},
    {"other line breaks", "issues:\n", "- id: i@\r  severity: low\r  title: x\r", "", ANY},
    {"a line break of YAML 1.1", "issues:\n", PLAIN, "- id: z\n  title: x\xc2\x85  severity: low\n",
     0},
    {"a member in the middle, after other line breaks", "issues:\n", PLAIN, "- id: z\rx: 1\r", ANY},
    {"the end of a document, after other line breaks", "", PLAIN "...\r", "", ANY},
    {"issues twice", "issues:\n", PLAIN, "issues: []\n", 0},
    {"a member twice", "x: 1\nissues:\n", PLAIN, "x: 2\n", ANY},
    {"an id twice", "", PLAIN, ONE("i7"), 0},
    {"a fault at the end", "", PLAIN, "- id: z\n  severity: high\n  line_number: x\n", 0},
    {"quotes that do not end", "", PLAIN, "- id: \"z\n", 0},
    {"nothing to divide", "", "# @\n", "- {id: a, severity: low}\n", ANY},
    {"nothing", "", "# @\n", "", 0},
    {"nothing at all", "issues: []\n", "# @\n", "", 0},
};

#define FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

static void add(struct rt_buf *text, const char *bytes)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, bytes, strlen(bytes), &err), RT_OK);
}

static void add_item(struct rt_buf *text, const char *item, unsigned number)
{
	char piece[16];

	for (; *item; item++) {
		if (*item == '@')
			snprintf(piece, sizeof(piece), "%u", number);
		else
			snprintf(piece, sizeof(piece), "%c", *item);
		add(text, piece);
	}
}

/* other: what stands as item number `where`; NULL: nothing else. */
static struct rt_buf text_make(const struct form *form, const char *other, unsigned where)
{
	struct rt_buf text = {0};

	add(&text, form->before);
	for (unsigned i = 0; i < RECORDS; i++)
		add_item(&text, other && i == where ? other : form->item, i);
	add(&text, form->after);
	return text;
}

START_TEST(each_form)
{
	const struct form *form = &forms[_i];
	struct rt_buf text = text_make(form, NULL, 0);
	size_t number;

	put_bytes("form.yaml", text.data, text.len);
	same_by(LANE_COUNTS, form->what, at("form.yaml"));
	number = used(at("form.yaml"), 3);
	ck_assert_msg(form->lanes == ANY || number == (size_t)form->lanes, "%s: %zu lanes",
		      form->what, number);
	rt_buf_release(&text);
}
END_TEST

/* What an item cannot be, does not look like, or ends, anywhere. */
static const char *const others[] = {
    "- id: i3\n  severity: low\n",
    "- id: x\n  severity: 1\n",
    "- id: x\n",
    "- null\n",
    "-\n",
    "x: 1\n",
    "x:\n- id: x\n  severity: low\n",
    "x:\n",
    "? x\n",
    "? - id: x\n",
    "---\n",
    "--- \n- id: x\n  severity: low\n",
    "...\n",
    "...\nissues:\n",
    "%YAML 1.1\n",
    " - id: x\n   severity: low\n",
    "  title: second\n",
    "  title: \"\n",
    "  title: '\n",
    "  title: |\n",
    "  title: >+\n- not text\n",
    "  title: [\n",
    "  title: {a: [b,\n- c\n",
    "  title: *a\n",
    "  title: &a x\n",
    "\t- id: x\n",
    "- id: x\n  severity: low\n  x: {<<: {a: b}}\n",
    "- !!str x\n",
    "\xff\n",
    "# only a comment\n",
};

START_TEST(each_other)
{
	static const size_t in[] = {0, 1};
	static const unsigned where[] = {0, 1, 30, 59};

	for (size_t form = 0; form < sizeof(in) / sizeof(in[0]); form++) {
		for (size_t i = 0; i < sizeof(where) / sizeof(where[0]) / UNIT_ROUNDS_FOR_ONE;
		     i++) {
			struct rt_buf text = text_make(&forms[in[form]], others[_i], where[i]);

			put_bytes("other.yaml", text.data, text.len);
			same_by(1, others[_i], at("other.yaml"));
			rt_buf_release(&text);
		}
	}
}
END_TEST

/* A document that ends before an item, be it where the file is cut. */
START_TEST(document_ends)
{
	for (unsigned i = 1; i < RECORDS; i++) {
		char item[80];
		struct rt_buf text;

		snprintf(item, sizeof(item), "...\n%s", forms[0].item);
		text = text_make(&forms[0], item, i);
		put_bytes("ends.yaml", text.data, text.len);
		ck_assert_msg(used(at("ends.yaml"), 2) == 0, "before item %u", i);
		rt_buf_release(&text);
	}
}
END_TEST

/* Lists, in which the order of what is read shows, and a gate. */
START_TEST(each_question)
{
	static const struct rt_list lists[] = {
	    {.form = RT_LIST_CSV, .csv_raw = true},
	    {.form = RT_LIST_RECORDS},
	    {.form = RT_LIST_TABLE, .rows = 7},
	};
	struct rt_gate_options conditions;
	struct rt_buf text = text_make(&forms[1], NULL, 0);

	put_bytes("asked.yaml", text.data, text.len);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		asked.list = &lists[i];
		same_by(LANE_COUNTS, "list", at("asked.yaml"));
	}
	asked.list = NULL;
	rt_gate_options_init(&conditions);
	conditions.fail_on = 2;
	conditions.at = 1781524800;
	asked.conditions = &conditions;
	same_by(LANE_COUNTS, "gate", at("asked.yaml"));
	rt_buf_release(&text);
}
END_TEST

START_TEST(each_fixture)
{
	struct rt_buf data;

	if (!strstr(fixtures.names[_i], ".y"))
		return;
	data = split_load(&fixtures, _i);
	put_bytes(fixtures.names[_i], data.len ? data.data : "", data.len);
	same_by(1, fixtures.names[_i], at(fixtures.names[_i]));
	rt_buf_release(&data);
}
END_TEST

static void setup(void)
{
	scratch_setup();
	rt_limits_init(&limits);
	asked = (struct question){.recent = 10};
}

static Suite *suite_make(void)
{
	Suite *suite = suite_create("lanes_yaml");
	TCase *tcase = tcase_create("lanes_yaml");

	split_list(&fixtures, "fixtures");
	tcase_add_checked_fixture(tcase, setup, scratch_teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, each_form, 0, FORMS);
	tcase_add_loop_test(tcase, each_other, 0, (int)(sizeof(others) / sizeof(others[0])));
	tcase_add_test(tcase, document_ends);
	tcase_add_test(tcase, each_question);
	tcase_add_loop_test(tcase, each_fixture, 0, fixtures.count);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
