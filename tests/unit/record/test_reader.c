/*
 * The reader: forms of a document, places of faults, faults one by one, limits. Every text is read
 * on every code path and through windows of many sizes, and must give the same each time.
 */
#include "record/reader.h"

#include "paths.h"
#include "read_all.h"

#define RULESET(id)                                                                                \
	"{\"id\":\"" id "\",\"name\":\"n\",\"rules_text\":\"t\",\"org_id\":\"o\","                 \
	"\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:00:00Z\"}"
#define WANT_KIND                                                                                  \
	"want an issue (scan_id, file_path or severity) or a ruleset (rules_text), have neither\n"
#define WANT_FORM                                                                                  \
	"want an array of records, an object with \"issues\" or \"rulesets\", or a record, have "
#define END_OF_TEXT "have the end of the text (as JSON)\n"

static const size_t windows[] = {0, 1, 2, 3, 7, 16, 63, 64, 65, 300, 5000};

/* Read text in every way; what is said is want. */
static void read_every_way(const char *what, struct rt_slice text, struct read_how how,
			   const char *want)
{
	for (size_t path = 0; path < PATH_COUNT; path++) {
		if (!path_ops(path))
			continue;
		how.simd = paths[path];
		for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
			struct rt_buf said;

			how.window = windows[i];
			said = read_text(text, &how);
			ck_assert_msg(strcmp(said.data, want) == 0,
				      "%s: %s, window %zu: have\n%swant\n%s", what, paths[path],
				      windows[i], said.data, want);
			rt_buf_release(&said);
		}
	}
}

static const struct {
	const char *what;
	struct rt_slice text;
	const char *said;
} forms[] = {
#define ROW(what, text, said)                                                                      \
	{                                                                                          \
		what, {text, sizeof(text) - 1}, said                                               \
	}
    ROW("empty array", "[]", "end\n"),
    ROW("empty array with blanks", " \n[ \r\n\t ] \n", "end\n"),
    ROW("array", "[{\"id\":\"a\",\"severity\":\"x\"}, \n {\"id\":\"b\",\"scan_id\":null}]",
	"issue 1:2 a\nissue 2:2 b\nend\n"),
    ROW("array of both kinds", "[" RULESET("r") ",{\"id\":\"a\",\"file_path\":\"\"}]",
	"ruleset 1:2 r\nissue 1:126 a\nend\n"),
    ROW("array after a BOM", "\xEF\xBB\xBF[{\"id\":\"a\",\"severity\":7}]",
	"reject 1:23 issue \"a\": severity: want string or null, have integer 7\nend\n"),
    ROW("issues", "{\"issues\":[{\"id\":\"a\"},{\"id\":\"b\"}]}",
	"issue 1:12 a\nissue 1:23 b\nend\n"),
    ROW("rulesets", "{\n\"rulesets\":\n[\n" RULESET("r") "\n]\n}\n", "ruleset 4:1 r\nend\n"),
    ROW("both", "{\"rulesets\":[" RULESET("r") "],\"issues\":[{\"id\":\"a\"}]}",
	"ruleset 1:14 r\nissue 1:149 a\nend\n"),
    ROW("both empty", "{ \"rulesets\" : [ ] , \"issues\" : [ ] }", "end\n"),
    ROW("other members around",
	"{\"v\":{\"issues\":[1]},\"x\":[],\"issues\":[{\"id\":\"a\"}],"
	"\"n\":-1.5e3,\"s\":\"]\",\"t\":true}",
	"issue 1:38 a\nend\n"),
    ROW("key with an escape", "{\"i\\u0073sues\":[{\"id\":\"a\"}]}", "issue 1:17 a\nend\n"),
    ROW("issues null beside rulesets", "{\"issues\":null,\"rulesets\":[" RULESET("r") "]}",
	"ruleset 1:28 r\nend\n"),
    ROW("issues null, then an array", "{\"issues\":null,\"issues\":[{\"id\":\"a\"}]}",
	"issue 1:26 a\nend\n"),
    ROW("issues null only", "{\"issues\":null}",
	"reject 1:11 issues: want array, have null\nend\n"),
    ROW("issues an object beside rulesets",
	"{\"rulesets\":[],\n\"issues\":\n {},\"x\":1,\"issues\":[{\"id\":\"a\"}]}",
	"reject 3:2 issues: want array, have object\nissue 3:21 a\nend\n"),
    ROW("issues twice", "{\"issues\":[],\"issues\":[]}",
	"reject 1:14 issues: want the member once, have it again\nend\n"),
    ROW("issues twice, with line breaks between name and array",
	"{\"issues\":[],\n \"issues\"\n\n:\n\n[]}",
	"reject 2:2 issues: want the member once, have it again\nend\n"),
    ROW("the key decides", "{\"issues\":[" RULESET("r") "],\"rulesets\":[{\"id\":\"a\"}]}",
	"issue 1:12 r\n"
	"reject 1:149 ruleset \"a\": name: want string, have nothing\n"
	"reject 1:149 ruleset \"a\": rules_text: want string, have nothing\n"
	"reject 1:149 ruleset \"a\": org_id: want string, have nothing\n"
	"reject 1:149 ruleset \"a\": created_at: want date-time, have nothing\n"
	"reject 1:149 ruleset \"a\": updated_at: want date-time, have nothing\nend\n"),
    ROW("one record", "{\"id\":\"a\",\"severity\":null}", "issue 1:1 a\nend\n"),
    ROW("one record with an array", "{\"tags\":[\"x\"],\"id\":\"a\",\"severity\":null}",
	"issue 1:1 a\nend\n"),
    ROW("one record over lines", "\n{\"id\":\n\"a\",\n\"severity\":null\n}\n\n",
	"issue 2:1 a\nend\n"),
    ROW("one record with an object of ours inside",
	"{\"id\":\"a\",\"severity\":null,\"x\":{\"issues\":[]}}", "issue 1:1 a\nend\n"),
    ROW("lines", "{\"id\":\"a\",\"severity\":\"\"}\n{\"id\":\"b\",\"severity\":\"\"}\n",
	"issue 1:1 a\nissue 2:1 b\nend\n"),
    ROW("lines with blank ones between",
	"\n\n{\"id\":\"a\",\"severity\":\"\"} \t\r\n\r\n\r\n {\"id\":\"b\",\"severity\":\"\"}",
	"issue 3:1 a\nissue 6:2 b\nend\n"),
    ROW("lines of both kinds", RULESET("r") "\n{\"id\":\"b\",\"severity\":\"\"}\n",
	"ruleset 1:1 r\nissue 2:1 b\nend\n"),
    ROW("a value that is no object among lines",
	"{\"id\":\"a\",\"severity\":\"\"}\n[1,\n2]\n5\n{\"id\":\"b\",\"severity\":\"\"}\n",
	"issue 1:1 a\nreject 2:1 want a record, which is an object, have array\n"
	"reject 4:1 want a record, which is an object, have integer\nissue 5:1 b\nend\n"),
    ROW("two records in a line",
	"{\"id\":\"a\",\"severity\":\"\"} {\"id\":\"b\",\"severity\":\"\"}\n",
	"issue 1:1 a\nreject 1:26 want a line break after the record, have '{' (as JSON)\nend\n"),
    ROW("an object of ours among lines", "{\"id\":\"a\",\"severity\":\"\"}\n{\"issues\":[]}\n",
	"issue 1:1 a\nreject 2:1 " WANT_KIND "end\n"),
    ROW("a comma between lines", "{\"id\":\"a\",\"severity\":\"\"},\n{}\n",
	"issue 1:1 a\nreject 1:25 want a line break after the record, have ',' (as JSON)\nend\n"),
    ROW("empty object", "{}", "reject 1:1 " WANT_KIND "end\n"),
    ROW("no kind", "[{\"id\":\"a\"}]", "reject 1:2 record \"a\": " WANT_KIND "end\n"),

    ROW("number", "12", "reject 1:1 " WANT_FORM "integer\nend\n"),
    ROW("string", " \"issues\"", "reject 1:2 " WANT_FORM "string\nend\n"),
    ROW("null", "null\n", "reject 1:1 " WANT_FORM "null\nend\n"),
    ROW("values that are no objects, in an array",
	"[1,\n\"x\" , [[{}]], {\"id\":\"a\",\"severity\":\"\"}, null]",
	"reject 1:2 want a record, which is an object, have integer\n"
	"reject 2:1 want a record, which is an object, have string\n"
	"reject 2:7 want a record, which is an object, have array\nissue 2:15 a\n"
	"reject 2:41 want a record, which is an object, have null\nend\n"),

    ROW("text after an array", "[]\n x",
	"reject 2:2 want nothing after the document, have 'x' (as JSON)\nend\n"),
    ROW("two arrays", "[{\"id\":\"a\",\"severity\":\"\"}]\n[]",
	"issue 1:2 a\nreject 2:1 want nothing after the document, have '[' (as JSON)\nend\n"),
    ROW("two objects of ours", "{\"issues\":[]}\n{\"issues\":[]}\n",
	"reject 2:1 want nothing after the document, have '{' (as JSON)\nend\n"),
    ROW("NUL after", "[]\0",
	"reject 1:3 want nothing after the document, have byte 0x00 (as JSON)\nend\n"),

    ROW("array cut", "[", "reject 1:2 want a record or ']', " END_OF_TEXT "end\n"),
    ROW("array cut after a record", "[{\"id\":\"a\",\"severity\":\"\"} ",
	"issue 1:2 a\nreject 1:27 want ',' or ']', " END_OF_TEXT "end\n"),
    ROW("array cut after a comma", "[{\"id\":\"a\",\"severity\":\"\"},\n",
	"issue 1:2 a\nreject 2:1 want a record or ']', " END_OF_TEXT "end\n"),
    ROW("record cut", "[{\"id\":\"a\",\"title\":\"x",
	"reject 1:22 record \"a\": title: want a closing quote, " END_OF_TEXT "end\n"),
    ROW("object cut", "{\"issues\":[],", "reject 1:14 want a member name, " END_OF_TEXT "end\n"),
    ROW("object cut after an array", "{\"issues\":[] ",
	"reject 1:14 want ',' or '}', " END_OF_TEXT "end\n"),
    ROW("object cut in a name", "{\"issues\":[],\"ru",
	"reject 1:17 want a closing quote, " END_OF_TEXT "end\n"),
    ROW("object cut after a name", "{\"issues\":[],\"rulesets\" ",
	"reject 1:25 rulesets: want ':', " END_OF_TEXT "end\n"),
    ROW("object cut after a colon", "{\"issues\":[],\"rulesets\":\n",
	"reject 2:1 rulesets: want a value, " END_OF_TEXT "end\n"),
    ROW("object cut in another member",
	"{\"issues\":[],\"x\":[1,{\"a\":", "reject 1:26 want a value, " END_OF_TEXT "end\n"),

    ROW("no comma between records", "[{\"id\":\"a\",\"severity\":\"\"}{\"id\":\"b\"}]",
	"issue 1:2 a\nreject 1:26 want ',' or ']', have '{' (as JSON)\nend\n"),
    ROW("comma first", "[,{}]", "reject 1:2 want a value, have ',' (as JSON)\nend\n"),
    ROW("comma last", "[{\"id\":\"a\",\"severity\":\"\"},]",
	"issue 1:2 a\nreject 1:27 want a value, have ']' (as JSON)\nend\n"),
    ROW("two commas", "[{\"id\":\"a\",\"severity\":\"\"},,{}]",
	"issue 1:2 a\nreject 1:27 want a value, have ',' (as JSON)\nend\n"),
    ROW("array closed by a brace", "[}", "reject 1:2 want a value, have '}' (as JSON)\nend\n"),
    ROW("object closed by a bracket", "{\"issues\":[]]",
	"reject 1:13 want ',' or '}', have ']' (as JSON)\nend\n"),
    ROW("comma last in the object", "{\"issues\":[],}",
	"reject 1:14 want a member name, have '}' (as JSON)\nend\n"),
    ROW("comma first in the object", "{,\"issues\":[]}",
	"reject 1:2 want a member name or '}', have ',' (as JSON)\nend\n"),
    ROW("no comma in the object", "{\"x\":1\"issues\":[]}",
	"reject 1:7 want ',' or '}', have '\"' (as JSON)\nend\n"),
    ROW("no colon in the object", "{\"issues\":[],\n\"x\"\n1}",
	"reject 3:1 want ':', have '1' (as JSON)\nend\n"),
    ROW("number for a name", "{\"issues\":[],1:2}",
	"reject 1:14 want a member name, have '1' (as JSON)\nend\n"),
    ROW("fault in another member", "{\"issues\":[],\"x\":[\n1,\n 2 3]}",
	"reject 3:4 want ',' or ']', have '3' (as JSON)\nend\n"),
    ROW("literal for issues that is none", "{\"rulesets\":[],\"issues\":nul}",
	"reject 1:28 want null, have '}' (as JSON)\nend\n"),
    ROW("fault in a record",
	"[{\"id\":\"a\",\"severity\":\"\"},\n{\"id\":\"b\",\n\"tags\":[\"x\",]}]",
	"issue 1:2 a\nreject 3:13 record \"b\": tags: want a value, have ']' (as JSON)\nend\n"),
    ROW("fault in a record whose kind is known", "{\"issues\":[{\"id\":\"b\",\"title\":\"\\x\"}]}",
	"reject 1:32 issue \"b\": title: want one of \"\\/bfnrtu after a backslash, have "
	"'x' (as JSON)\nend\n"),
    ROW("fault between members", "[{\"id\":\"b\" \"title\":1}]",
	"reject 1:12 record \"b\": want ',' or '}', have '\"' (as JSON)\nend\n"),
    ROW("fault before the id", "[{\"title\":\"\t\",\"id\":\"b\"}]",
	"reject 1:12 title: want no control byte in a string, have byte 0x09 (as JSON)\nend\n"),
    ROW("bad UTF-8 in a record", "[{\"id\":\"b\",\"title\":\"\xC3\"}]",
	"reject 1:21 record \"b\": title: want UTF-8, have byte 0xC3 (as JSON)\nend\n"),

    ROW("faults one by one, and the next record",
	"[{\"id\":\"a\",\"severity\":1,\n\"tags\":{},\"tags\":[]},{\"id\":\"b\",\"severity\":\"\"},"
	"{\"severity\":\"\"},\n{\"id\":\"\",\"severity\":[]},{\"id\":\"\\u0063\",\"severity\":\"\"}"
	"]",
	"reject 1:23 issue \"a\": severity: want string or null, have integer 1\n"
	"reject 2:8 issue \"a\": tags: want array of string or null, have object\n"
	"reject 2:18 issue \"a\": tags: want the member once, have it again\n"
	"issue 2:22 b\nreject 2:47 id: want string, have nothing\n"
	"reject 3:7 issue \"\": id: want an id that is not empty, have \"\"\n"
	"reject 3:21 issue \"\": severity: want string or null, have array of string\nissue 3:25 "
	"c\nend\n"),
    ROW("an id with escapes in a fault", "[{\"id\":\"\\u0061\\n\",\"severity\":1}]",
	"reject 1:30 issue \"a\xEF\xBF\xBD\": severity: want string or null, have integer "
	"1\nend\n"),

    ROW("numbers in YAML where the contract wants strings",
	"issues:\n- {id: 08, notes: 1, name: 7, title: [1]}\n"
	"rulesets:\n- {id: 1e3, name: 07, rules_text: .5, org_id: 1, repo_ids: [1], "
	"created_at: 2, updated_at: 2024-01-01T00:00:00Z, scan_id: 1}\n",
	"reject 2:38 issue \"08\": title: want string or null, have array\n"
	"reject 4:77 ruleset \"1e3\": created_at: want ISO 8601 date-time, have \"2\"\nend\n"),
    ROW("a list of both kinds in YAML",
	"- {id: 08, scan_id: 7}\n- {id: 09, rules_text: 7, name: 5}\n",
	"issue 1:3 08\n"
	"reject 2:3 ruleset \"09\": org_id: want string, have nothing\n"
	"reject 2:3 ruleset \"09\": created_at: want date-time, have nothing\n"
	"reject 2:3 ruleset \"09\": updated_at: want date-time, have nothing\nend\n"),
    ROW("YAML list", "- id: a\n  severity: x\n-  id: b\n   severity: x\n",
	"issue 1:3 a\nissue 3:4 b\nend\n"),
    ROW("YAML stream", "id: a\nseverity: x\n---\n- id: b\n  severity: x\n---\nissues:\n- id: c\n",
	"issue 1:1 a\nissue 4:3 b\nissue 8:3 c\nend\n"),
#undef ROW
};

START_TEST(form)
{
	read_every_way(forms[_i].what, forms[_i].text, read_how_default(), forms[_i].said);
}
END_TEST

/* What the caller demands of records that stand in no array of ours. */
START_TEST(kind)
{
	struct read_how how = read_how_default();

	how.kind = RT_KIND_ISSUE;
	read_every_way("issue", RT_SLICE("[{\"id\":\"a\"}]"), how, "issue 1:2 a\nend\n");
	read_every_way("issue line", RT_SLICE("{\"id\":\"a\"}\n{\"id\":\"b\"}"), how,
		       "issue 1:1 a\nissue 2:1 b\nend\n");
	read_every_way("ruleset by its key", RT_SLICE("{\"rulesets\":[" RULESET("r") "]}"), how,
		       "ruleset 1:14 r\nend\n");
	how.kind = RT_KIND_RULESET;
	read_every_way("ruleset",
		       RT_SLICE("[{\"id\":\"a\",\"name\":\"\",\"org_id\":\"\",\"created_at\":"
				"\"2024-01-01T00:00Z\",\"updated_at\":"
				"\"2024-01-01T00:00Z\"}]"),
		       how,
		       "reject 1:2 ruleset \"a\": rules_text: want string, have nothing\nend\n");
}
END_TEST

/* --- Several parts ------------------------------------------------------------------------------
 */

/* A fault of grammar ends its part only; a fault of a record not even that. */
START_TEST(next_part)
{
	static const struct rt_slice texts[] = {
	    {"[{\"id\":\"a\",\"severity\":\"\"},{\"id\":\"b\"],7]", 39},
	    {"", 0},
	    {"{\"issues\":[{},{\"id\":\"c\"}]}", 26},
	    {"\xFF\xFE[\0]\0", 6},
	    {" 7", 2},
	    {"\n[{\"id\":\"d\",\"severity\":\"\"}]", 27},
	};
	static const char want[] = "issue 1:2 a\n"
				   "reject 1:36 record \"b\": want ',' or '}', have ']' (as JSON)\n"
				   "reject 1:1 want JSON or YAML, have nothing\n"
				   "reject 1:12 id: want string, have nothing\n"
				   "issue 1:15 c\n"
				   "reject 1:1 want UTF-8, have UTF-16\n"
				   "reject 1:2 " WANT_FORM "integer\n"
				   "issue 2:2 d\nend\n";
	const size_t count = sizeof(texts) / sizeof(texts[0]);
	char path_names[6][64];
	const char *list[6];
	int fds[6];

	for (size_t i = 0; i < count; i++) {
		fds[i] = memory_file(texts[i], path_names[i]);
		list[i] = path_names[i];
	}
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct read_how how = read_how_default();
		struct rt_buf said;

		how.window = windows[i];
		said = read_paths(list, count, &how);
		ck_assert_str_eq(said.data, want);
		rt_buf_release(&said);
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}
END_TEST

/* The places that callers ask for: of records, and of members found to be wrong later. */
START_TEST(places)
{
	static const char *const texts[] = {
	    "\xEF\xBB\xBF[\n {\"id\":\"a\",\n  \"tags\":\n   [], \"severity\": \"x\"}]",
	    "- id: a\n  tags:\n    []\n  severity: x\n",
	};
	static const uint64_t want[2][2][2] = {{{2, 2}, {4, 20}}, {{1, 3}, {4, 13}}};
	struct rt_options options = {.path_count = 2};
	char path_names[2][64];
	const char *list[] = {path_names[0], path_names[1]};
	const struct rt_record *record;
	struct rt_reader *reader;
	struct rt_error err;
	int fds[2];

	for (size_t i = 0; i < 2; i++)
		fds[i] = memory_file(rt_slice_make(texts[i], strlen(texts[i])), path_names[i]);
	options.paths = list;
	rt_limits_init(&options.limits);
	scan_env(NULL, 1);
	ck_assert_int_eq(rt_reader_open(&options, RT_KIND_ANY, &reader, &err), RT_OK);
	for (size_t i = 0; i < 2; i++) {
		struct rt_origin origin;

		ck_assert_int_eq(rt_reader_next(reader, &record, &err), RT_OK);
		rt_reader_origin(reader, &origin);
		ck_assert_str_eq(origin.path, list[i]);
		ck_assert_ptr_null(origin.member);
		ck_assert_uint_eq(origin.part, i);
		ck_assert_uint_eq(origin.line, want[i][0][0]);
		ck_assert_uint_eq(origin.column, want[i][0][1]);
		rt_error_set(&err, RT_E_INPUT, "want no x");
		rt_reader_blame(reader, RT_M_SEVERITY, &err);
		ck_assert_uint_eq(err.line, want[i][1][0]);
		ck_assert_uint_eq(err.column, want[i][1][1]);
		ck_assert_str_eq(texts[i] + err.offset, i ? "x\n" : "\"x\"}]");
		ck_assert_str_eq(err.path, list[i]);
		ck_assert_str_eq(err.record, "issue \"a\"");
		ck_assert_str_eq(err.field, "severity");
		rt_error_set(&err, RT_E_INPUT, "want no x");
		rt_reader_blame(reader, RT_M_UNKNOWN, &err);
		ck_assert_uint_eq(err.line, want[i][0][0]);
		ck_assert_uint_eq(err.column, want[i][0][1]);
		ck_assert_str_eq(err.field, "");
	}
	ck_assert_int_eq(rt_reader_next(reader, &record, &err), RT_END);
	rt_reader_free(reader);
	rt_reader_free(NULL);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* --- Limits
 * --------------------------------------------------------------------------------------- */

#define LIMIT_RECORD " want at most 100 bytes (limit \"record\"), have more\nend\n"
#define LIMIT_BLANKS                                                                               \
	" want fewer blanks in a row, have more bytes of them than the limit \"record\"\nend\n"

/*
 * A text with `fill` bytes where '~' stands, of letters or blanks; said when they are just as many
 * as the limit of 100 bytes allows, and with one more.
 */
static const struct {
	const char *what, *text;
	size_t fill; /* the most that is accepted */
	char with;
	const char *accepted, *refused;
} limited[] = {
    {"record in an array", "[{\"id\":\"~\",\"severity\":1}, {}]", 78, 'x',
     "reject 1:100 issue "
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": "
     "severity: want string or null, have integer 1\nreject 1:104 " WANT_KIND "end\n",
     "limit 1:2" LIMIT_RECORD},
    {"record after others",
     "[{\"id\":\"a\",\"severity\":null},\n{\"id\":\"b\",\"severity\":\"~\"}]", 76, 'x',
     "issue 1:2 a\nissue 2:1 b\nend\n", "issue 1:2 a\nlimit 2:1" LIMIT_RECORD},
    {"record in lines", "{\"id\":\"a\",\"severity\":null}\n {\"id\":\"b\",\"severity\":\"~\"}\n",
     76, 'x', "issue 1:1 a\nissue 2:2 b\nend\n", "issue 1:1 a\nlimit 2:2" LIMIT_RECORD},
    {"record in issues", "{\"issues\":[{\"id\":\"b\",\"severity\":\"~\"}]}", 76, 'x',
     "issue 1:12 b\nend\n", "limit 1:12" LIMIT_RECORD},
    {"record of blanks", "[{\"id\":\"b\",\"severity\":\"\"~}]", 76, '\n', "issue 1:2 b\nend\n",
     "limit 1:2" LIMIT_RECORD},
    {"record with a fault in its last byte", "[{\"id\":\"b\",\"severity\":\"~\"]", 76, 'x',
     "reject 1:101 issue \"b\": want ',' or '}', have ']' (as JSON)\nend\n",
     "limit 1:2" LIMIT_RECORD},
    {"record cut", "[{\"id\":\"b\",\"severity\":\"~", 77, 'x',
     "reject 1:101 record \"b\": severity: want a closing quote, " END_OF_TEXT "end\n",
     "limit 1:2" LIMIT_RECORD},
    {"value that is no record", "[\"~\"]", 98, 'x',
     "reject 1:2 want a record, which is an object, have string\nend\n", "limit 1:2" LIMIT_RECORD},
    {"name of a member around", "{\"issues\":[],\"~\":1}", 98, 'x', "end\n",
     "limit 1:14" LIMIT_RECORD},
    {"text in another member", "{\"issues\":[],\"x\":[1,\"~\"]}", 98, 'x', "end\n",
     "limit 1:21" LIMIT_RECORD},
    {"blanks before the document", "~[]", 100, ' ', "end\n", "limit 1:1" LIMIT_BLANKS},
    {"line breaks before the document", "~[]", 100, '\n', "end\n", "limit 1:1" LIMIT_BLANKS},
    {"blanks in an array", "[ {\"id\":\"b\",\"severity\":\"\"}~]", 100, '\n', "issue 1:3 b\nend\n",
     "issue 1:3 b\nlimit 1:27" LIMIT_BLANKS},
    {"blanks between lines", "{\"id\":\"b\",\"severity\":\"\"}~{\"id\":\"c\",\"severity\":\"\"}",
     100, '\n', "issue 1:1 b\nissue 101:1 c\nend\n", "issue 1:1 b\nlimit 1:25" LIMIT_BLANKS},
    {"blanks after the document", "[]~", 100, '\t', "end\n", "limit 1:3" LIMIT_BLANKS},
    {"blanks in another member", "{\"issues\":[],\n\"x\":[1,\n~2]}", 99, '\n', "end\n",
     "limit 2:8" LIMIT_BLANKS},
    {"blanks after another member", "{\"issues\":[],\"x\":[1]~}", 100, '\n', "end\n",
     "limit 1:21" LIMIT_BLANKS},
};

START_TEST(limits)
{
	const char *gap = strchr(limited[_i].text, '~');
	size_t before = (size_t)(gap - limited[_i].text), len = strlen(limited[_i].text) - 1;

	for (size_t more = 0; more < 2; more++) {
		size_t fill = limited[_i].fill + more;
		struct read_how how = read_how_default();
		struct rt_slice text;
		char buf[512];

		memcpy(buf, limited[_i].text, before);
		memset(buf + before, limited[_i].with, fill);
		memcpy(buf + before + fill, gap + 1, len - before);
		text = rt_slice_make(buf, len + fill);
		how.limits.record_bytes = 100;
		read_every_way(limited[_i].what, text, how,
			       more ? limited[_i].refused : limited[_i].accepted);
	}
}
END_TEST

/* Levels: the limit, and one more. */
START_TEST(depth)
{
	static const char deep[] =
	    " want arrays and objects nested less deep, have more levels than "
	    "the limit \"depth\" allows\nend\n";
	static const struct {
		const char *text, *said;
		unsigned levels;
		unsigned column; /* of the first level too many */
	} rows[] = {
	    {"[{\"id\":\"a\",\"severity\":\"\",\"x\":[[]]}]", "issue 1:2 a\nend\n", 4, 31},
	    {"{\"id\":\"a\",\"severity\":\"\",\"x\":{\"y\":[]}}", "issue 1:1 a\nend\n", 3, 34},
	    {"{\"issues\":[{\"id\":\"a\",\"x\":[[]]}]}", "issue 1:12 a\nend\n", 5, 27},
	    {"{\"x\":[[[]]],\"issues\":[]}", "end\n", 4, 8},
	    {"{\"issues\":[],\"x\":[[[]]]}", "end\n", 4, 20},
	};
	struct read_how how = read_how_default();
	const char *column;
	char want[256];

	how.limits.depth = rows[_i].levels;
	read_every_way("depth", rt_slice_make(rows[_i].text, strlen(rows[_i].text)), how,
		       rows[_i].said);
	how.limits.depth--;
	/* Those in a record name it. */
	column = _i < 3 ? "issue \"a\": " : "";
	snprintf(want, sizeof(want), "limit 1:%u %s%s", rows[_i].column, column, deep + 1);
	read_every_way("depth", rt_slice_make(rows[_i].text, strlen(rows[_i].text)), how, want);
}
END_TEST

/* The levels of one document are not those of the next. */
START_TEST(depth_of_stream)
{
	struct read_how how = read_how_default();

	how.limits.depth = 4;
	read_every_way("stream",
		       RT_SLICE("issues:\n- id: a\n---\n- id: b\n  severity: x\n  y: [[]]\n"), how,
		       "issue 2:3 a\nissue 4:3 b\nend\n");
}
END_TEST

/* --- Members around the arrays that no window holds
 * ------------------------------------------------ */

static void put_times(struct rt_buf *out, const char *text, size_t times)
{
	while (times--)
		say(out, text);
}

START_TEST(huge_members)
{
	struct read_how how = read_how_default();
	struct rt_buf text = {0};
	char want[128];

	how.limits.record_bytes = 1000;
	say(&text, "{\"before\":[");
	put_times(&text, "{\"a\":[1,\"text\"],\n\"b\":null}, ", 1000);
	say(&text, "{}],\"issues\":[\n{\"id\":\"a\"}\n],\"after\":{");
	put_times(&text, "\"a\":[true,{}],", 2000);
	say(&text, "\"b\":\"");
	put_times(&text, "x", 998);
	say(&text, "\"}, \"rulesets\":[]");
	if (_i == 0)
		say(&text, "}");
	snprintf(want, sizeof(want), "issue 1002:1 a\n%send\n",
		 _i ? "reject 1003:29032 want ',' or '}', " END_OF_TEXT : "");
	read_every_way("huge", rt_buf_slice(&text), how, want);
	rt_buf_release(&text);
}
END_TEST

/* Places in YAML are still known when much has been read before. */
START_TEST(yaml_places)
{
	struct rt_buf text = {0}, want = {0};
	struct rt_error err;

	for (unsigned i = 0; i < 1000; i++) {
		char line[128];

		snprintf(line, sizeof(line), "- id: \"%u\"\n  tags: []\n  severity: {}\n", i);
		say(&text, line);
		snprintf(line, sizeof(line),
			 "reject %u:13 issue \"%u\": severity: want string or null, have object\n",
			 3 * i + 3, i);
		say(&want, line);
	}
	say(&want, "end\n");
	ck_assert_int_eq(rt_buf_append(&want, "", 1, &err), RT_OK);
	read_every_way("YAML", rt_buf_slice(&text), read_how_default(), want.data);
	rt_buf_release(&text);
	rt_buf_release(&want);
}
END_TEST

/* An object too long for a record that turns out to hold no array of ours. */
START_TEST(huge_without_arrays)
{
	struct read_how how = read_how_default();
	struct rt_buf text = {0};

	how.limits.record_bytes = 1000;
	say(&text, "{\"id\":[");
	put_times(&text, "1,\n", 1000);
	say(&text, "1]}");
	read_every_way("huge", rt_buf_slice(&text), how,
		       "reject 1001:3 want an array \"issues\" or \"rulesets\", have the end of an "
		       "object too long for one record\nend\n");
	rt_buf_release(&text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("reader");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 120);
	tcase_add_loop_test(cases, form, 0, (int)(sizeof(forms) / sizeof(forms[0])));
	tcase_add_test(cases, kind);
	tcase_add_test(cases, next_part);
	tcase_add_test(cases, places);
	tcase_add_loop_test(cases, limits, 0, (int)(sizeof(limited) / sizeof(limited[0])));
	tcase_add_loop_test(cases, depth, 0, 5);
	tcase_add_test(cases, depth_of_stream);
	tcase_add_test(cases, yaml_places);
	tcase_add_loop_test(cases, huge_members, 0, 2);
	tcase_add_test(cases, huge_without_arrays);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
