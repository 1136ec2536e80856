/*
 * YAML as JSON text: scalars, tags, keys, anchors and errors (SPEC D18).
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "convert.h"

/* A value in block style, and the JSON it becomes; NULL: the message is an error's. */
static const struct {
	const char *yaml, *json, *message;
} scalars[] = {
    {"", "null", NULL},
    {"~", "null", NULL},
    {"null", "null", NULL},
    {"Null", "null", NULL},
    {"NULL", "null", NULL},
    {"nULL", "\"nULL\"", NULL},
    {"~~", "\"~~\"", NULL},
    {"true", "true", NULL},
    {"True", "true", NULL},
    {"TRUE", "true", NULL},
    {"tRUE", "\"tRUE\"", NULL},
    {"false", "false", NULL},
    {"False", "false", NULL},
    {"FALSE", "false", NULL},
    {"no", "\"no\"", NULL},
    {"on", "\"on\"", NULL},
    {"y", "\"y\"", NULL},
    {"1:30", "\"1:30\"", NULL},
    {"2024-01-01", "\"2024-01-01\"", NULL},
    {"=", "\"=\"", NULL},
    {"<<", "\"<<\"", NULL},
    {"0", "0", NULL},
    {"-0", "-0", NULL},
    {"+0", "0", NULL},
    {"00", "0", NULL},
    {"-00", "-0", NULL},
    {"12", "12", NULL},
    {"+1", "1", NULL},
    {"-7", "-7", NULL},
    {"07", "7", NULL},
    {"-007", "-7", NULL},
    {"08", "8", NULL},
    {"1_000", "\"1_000\"", NULL},
    {"0b1", "\"0b1\"", NULL},
    {"123456789012345678901234567890", "123456789012345678901234567890", NULL},
    {"-", "[null]", NULL},
    {"+", "\"+\"", NULL},
    {".", "\".\"", NULL},
    {"-.", "\"-.\"", NULL},
    {"0o7", "7", NULL},
    {"0o017", "15", NULL},
    {"0o8", "\"0o8\"", NULL},
    {"0o", "\"0o\"", NULL},
    {"-0o7", "\"-0o7\"", NULL},
    {"0o1777777777777777777777", "18446744073709551615", NULL},
    {"0o2000000000000000000000", NULL,
     "want an integer that fits 64 bits, have 0o2000000000000000000000"},
    {"0x1F", "31", NULL},
    {"0xff", "255", NULL},
    {"0xg", "\"0xg\"", NULL},
    {"0xG", "\"0xG\"", NULL},
    {"0x", "\"0x\"", NULL},
    {"0X1", "\"0X1\"", NULL},
    {"0x0000000000000000000000001", "1", NULL},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615", NULL},
    {"0x10000000000000000", NULL, "want an integer that fits 64 bits, have 0x10000000000000000"},
    {"0x1234567890123456789012345678901234567890123456789012345678901234567890123456789012345",
     NULL,
     "want an integer that fits 64 bits, have "
     "0x123456789012345678901234567890123456789012345678901234567890123456789012345678"},
    {"1.5", "1.5", NULL},
    {"9.80", "9.80", NULL},
    {"1.", "1.0", NULL},
    {".5", "0.5", NULL},
    {"-.5", "-0.5", NULL},
    {"+.5e1", "0.5e1", NULL},
    {"01.50", "1.50", NULL},
    {"1e3", "1e3", NULL},
    {"1E+03", "1E+03", NULL},
    {"1.e5", "1.0e5", NULL},
    {"1e", "\"1e\"", NULL},
    {"1e+", "\"1e+\"", NULL},
    {"1.2.3", "\"1.2.3\"", NULL},
    {"e3", "\"e3\"", NULL},
    {".e3", "\".e3\"", NULL},
    {"1e400", "1e400", NULL},
    {".inf", NULL, "want a finite number, have .inf"},
    {"-.Inf", NULL, "want a finite number, have -.Inf"},
    {"+.INF", NULL, "want a finite number, have +.INF"},
    {".nan", NULL, "want a finite number, have .nan"},
    {".NaN", NULL, "want a finite number, have .NaN"},
    {".NAN", NULL, "want a finite number, have .NAN"},
    {".Nan", "\".Nan\"", NULL},
    {"-.nan", "\"-.nan\"", NULL},
    {".iNF", "\".iNF\"", NULL},
    {"'12'", "\"12\"", NULL},
    {"\"null\"", "\"null\"", NULL},
    {"\"\"", "\"\"", NULL},
    {"\"a\\0b\"", "\"a\\u0000b\"", NULL},
    {"\"\\a\\b\\t\\n\\f\\r\\e\\\"\\\\\\/\"", "\"\\u0007\\b\\t\\n\\f\\r\\u001b\\\"\\\\/\"", NULL},
    {"\"\\u00e9\\U0001F600\\x41\"",
     "\"\xc3\xa9\xf0\x9f\x98\x80"
     "A\"",
     NULL},
    {"|\n  a\n   b\n", "\"a\\n b\\n\"", NULL},
    {">-\n  a\n  b\n", "\"a b\"", NULL},
    {"long text that is copied eight bytes a time \\ and \" so on",
     "\"long text that is copied eight bytes a time \\\\ and \\\" so on\"", NULL},
    {"!!str 12", "\"12\"", NULL},
    {"!!str", "\"\"", NULL},
    {"!!int \"12\"", "12", NULL},
    {"!!int 0x1F", "31", NULL},
    {"!!int 0o17", "15", NULL},
    {"!!int foo", NULL, "want what the tag !!int says, have a string"},
    {"!!int 1.0", NULL, "want what the tag !!int says, have a float"},
    {"!!float 3", "3.0", NULL},
    {"!!float -0", "-0.0", NULL},
    {"!!float 1e3", "1e3", NULL},
    {"!!float '1.50'", "1.50", NULL},
    {"!!float .inf", NULL, "want a finite number, have .inf"},
    {"!!float x", NULL, "want what the tag !!float says, have a string"},
    {"!!bool true", "true", NULL},
    {"!!bool 0o7", NULL, "want what the tag !!bool says, have an integer"},
    {"!!bool 0x7", NULL, "want what the tag !!bool says, have an integer"},
    {"!!bool yes", NULL, "want what the tag !!bool says, have a string"},
    {"!!null ''", "null", NULL},
    {"!!null 0", NULL, "want what the tag !!null says, have an integer"},
    {"!!seq x", NULL, "want what the tag !!seq says, have a string"},
    {"!!seq [1]", "[1]", NULL},
    {"!!map {a: 1}", "{\"a\":1}", NULL},
    {"!!map [1]", NULL, "want what the tag !!map says, have a sequence"},
    {"!!str {a: 1}", NULL, "want what the tag !!str says, have a mapping"},
    {"!!set {a}", NULL, "only tags of the core schema are read, not tag:yaml.org,2002:set"},
    {"!!python/object:os.system x", NULL,
     "only tags of the core schema are read, not tag:yaml.org,2002:python/object:os.system"},
    {"!foo x", NULL, "only tags of the core schema are read, not !foo"},
    {"!<tag:yaml.org,2002:int> 7", "7", NULL},
    {"! 12", "\"12\"", NULL},
    {"!", "\"\"", NULL},
    {"&a ! 12", "\"12\"", NULL},
    {"&a # !\n  ! 12", "\"12\"", NULL},
    {"! &a 12", "\"12\"", NULL},
    {"&a 12", "12", NULL},
    {"! [12]", "[12]", NULL},
};

START_TEST(scalar)
{
	struct rt_error err;
	struct rt_buf out;
	char yaml[256];
	char want[256];
	int len;

	len = snprintf(yaml, sizeof(yaml), strcmp(scalars[_i].yaml, "-") ? "- %s\n" : "- - \n",
		       scalars[_i].yaml);
	if (scalars[_i].json) {
		snprintf(want, sizeof(want), "[%s]\n", scalars[_i].json);
		ck_assert_msg(convert(yaml, (size_t)len, &out, &err) == RT_END, "%s: %s", yaml,
			      err.message);
		ck_assert_str_eq(out.data, want);
	} else {
		ck_assert_msg(convert(yaml, (size_t)len, &out, &err) == RT_REJECT, "%s: %s", yaml,
			      out.data);
		ck_assert_str_eq(err.message, scalars[_i].message);
		ck_assert_int_eq(err.code, RT_E_INPUT);
	}
	rt_buf_release(&out);
}
END_TEST

static const struct {
	const char *what, *yaml, *json;
} documents[] = {
    {"block", "a:\n- 1\n- b: {}\n  c: []\nd:\n", "{\"a\":[1,{\"b\":{},\"c\":[]}],\"d\":null}\n"},
    {"flow", "--- {a: [1, {b: {}}], ? c : d, e}",
     "{\"a\":[1,{\"b\":{}}],\"c\":\"d\",\"e\":null}\n"},
    {"pair in a sequence", "- [a: 1]\n", "[[{\"a\":1}]]\n"},
    {"empty document", "---\n", "null\n"},
    {"two documents", "a: 1\n---\nb: 2\n...\n", "{\"a\":1}\n{\"b\":2}\n"},
    {"documents and directives", "%YAML 1.1\n---\n1\n...\n%YAML 1.2\n--- 2\n", "1\n2\n"},
    {"a tag directive", "%TAG !e! tag:yaml.org,2002:\n--- !e!int '3'\n", "3\n"},
    {"string keys", "'1': a\n!!str 2: b\n? \"<<\"\n: c\n",
     "{\"1\":\"a\",\"2\":\"b\",\"<<\":\"c\"}\n"},
    {"duplicate keys", "a: 1\na: 2\n", "{\"a\":1,\"a\":2}\n"},
    {"alias of a scalar", "- &x a\n- *x\n- &x b\n- *x\n", "[\"a\",\"a\",\"b\",\"b\"]\n"},
    {"alias of a collection", "- &x {a: [1, b]}\n- *x\n- [*x]\n",
     "[{\"a\":[1,\"b\"]},{\"a\":[1,\"b\"]},[{\"a\":[1,\"b\"]}]]\n"},
    {"anchors in anchors", "- &x [a, &y {b: c}, &z [*y, 1]]\n- *y\n- *z\n- *x\n",
     "[[\"a\",{\"b\":\"c\"},[{\"b\":\"c\"},1]],{\"b\":\"c\"},[{\"b\":\"c\"},1],"
     "[\"a\",{\"b\":\"c\"},[{\"b\":\"c\"},1]]]\n"},
    {"anchor given anew inside its node", "- &a [&a 1, *a]\n- *a\n", "[[1,1],1]\n"},
    {"alias as key", "- &k id\n- {*k : 1}\n", "[\"id\",{\"id\":1}]\n"},
    {"anchored key", "&k id: 1\nb: *k\n", "{\"id\":1,\"b\":\"id\"}\n"},
    {"anchor of nothing", "a: &x\nb: *x\n", "{\"a\":null,\"b\":null}\n"},
    {"anchors per document", "--- &a 1\n--- &a 2\n", "1\n2\n"},
    {"CRLF", "a: 1\r\nb: |\r\n  x\r\n", "{\"a\":1,\"b\":\"x\\n\"}\n"},
};

START_TEST(document)
{
	const char *yaml = documents[_i].yaml;
	struct rt_error err;
	struct rt_buf out;

	ck_assert_msg(convert(yaml, strlen(yaml), &out, &err) == RT_END, "%s: %s",
		      documents[_i].what, err.message);
	ck_assert_msg(!strcmp(out.data, documents[_i].json), "%s: %s", documents[_i].what,
		      out.data);
	rt_buf_release(&out);
}
END_TEST

static const struct {
	const char *what, *yaml;
	uint64_t line, column;
	const char *message;
} errors[] = {
    {"integer key", "a: 1\n12: b\n", 2, 1, "want a mapping key that is a string, have an integer"},
    {"boolean key", "{a: 1, true: b}", 1, 8, "want a mapping key that is a string, have a boolean"},
    {"null key", "a: 1\n~: b\n", 2, 1, "want a mapping key that is a string, have null"},
    {"float key", "a: 1\n.inf: b\n", 2, 1, "want a mapping key that is a string, have a float"},
    {"empty key", "- {? : b}\n", 1, 6, "want a mapping key that is a string, have null"},
    {"sequence key", "? [a]\n: b\n", 1, 3, "want a mapping key that is a string, have a sequence"},
    {"mapping key", "a: 1\n? {a: 1}\n: b\n", 2, 3,
     "want a mapping key that is a string, have a mapping"},
    {"merge key", "a: &a {b: 1}\nc:\n  <<: *a\n", 3, 3,
     "want a mapping key that is a string, have the merge key <<"},
    {"alias key", "- &a 1\n- *a : 1\n", 2, 3,
     "want a mapping key that is a string, have an alias of something else"},
    {"unknown alias", "a:\n  - *b\n", 2, 5, "the alias *b has no anchor before it"},
    {"alias of another document", "--- &a 1\n--- *a\n", 2, 5,
     "the alias *a has no anchor before it"},
    {"cyclic alias", "a: &a [*a]\n", 1, 8, "the alias *a is inside its own node"},
    {"cyclic alias, deeper", "&a x: &b\n  y: [1, *b]\n", 2, 10,
     "the alias *b is inside its own node"},
    {"column in bytes", "\xc3\xa9\xc3\xa9: {\xe6\xbc\xa2: 1, 2: 3}\n", 1, 16,
     "want a mapping key that is a string, have an integer"},
    {"column in bytes, long line",
     "aaaaaaaaaaaaaaa: {\xf0\x9f\x98\x80"
     "bbbbbbbbbbbbbb: 1, 2: 3}\n",
     1, 42, "want a mapping key that is a string, have an integer"},
    {"lines in a literal", "a: |\n  x\n\n  y\n2: 3\n", 5, 1,
     "want a mapping key that is a string, have an integer"},
    {"a CR alone is no line", "a: 1\r# b\n1: 2\n", 2, 1,
     "want a mapping key that is a string, have an integer"},
    {"nothing, in a line that is not ended", "# a\n# b", 2, 4,
     "the document has only blanks and comments"},
    {"syntax", "a: 1\nb: [1, 2\nc: 3\n", 3, 2,
     "not valid YAML: did not find expected ',' or ']' while parsing a flow sequence"},
    {"tab", "a:\n\t- 1\n", 2, 1,
     "not valid YAML: found character that cannot start any token while scanning for "
     "the next token"},
    {"control byte", "a: \xc3\xa9 b\x07\n", 1, 8,
     "not valid YAML: byte 0x07: control characters are not allowed"},
    {"no UTF-8", "a: 1\nb: \xff\n", 2, 4, "not valid YAML: byte 0xFF: invalid leading UTF-8 octet"},
    {"a line break of YAML 1.1 in a comment",
     "a: 1 # b\xc2\x85"
     "c: 2\n",
     1, 9, "U+0085 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"one in plain text", "a: \xc3\xa9\nb: c\xe2\x80\xa8 d\n", 2, 5,
     "U+2028 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"one in a literal", "a: |\n b\xe2\x80\xa9 c\n", 2, 3,
     "U+2029 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"one after an anchor", "a: &b # c\xe2\x80\xa8  \"d\"\n", 1, 10,
     "U+2028 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"one after quotes", "- \"\xc2\x85\"\n- 'b' # \xc2\x85\n", 2, 9,
     "U+0085 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"one at the end", "a: \"b\"\n\xe2\x80\xa9", 2, 1,
     "U+2029 ends a line in YAML 1.1 but not in 1.2: it must be in quotes"},
    {"lone surrogate", "a: \"\\ud800\"\n", 1, 7,
     "not valid YAML: found invalid Unicode character escape code while parsing a quoted "
     "scalar"},
    {"YAML 2", "%YAML 2.0\n--- 1\n", 1, 1, "not valid YAML: found incompatible YAML document"},
    {"BOM counts as no column",
     "\xef\xbb\xbf"
     "1: 2\n",
     1, 1, "want a mapping key that is a string, have an integer"},
};

START_TEST(error)
{
	const char *yaml = errors[_i].yaml;
	struct rt_error err;
	struct rt_buf out;

	ck_assert_msg(convert(yaml, strlen(yaml), &out, &err) == RT_REJECT, "%s: %s",
		      errors[_i].what, out.data);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_msg(!strcmp(err.message, errors[_i].message), "%s: %s", errors[_i].what,
		      err.message);
	ck_assert_msg(err.line == errors[_i].line && err.column == errors[_i].column,
		      "%s: have %u:%u", errors[_i].what, (unsigned)err.line, (unsigned)err.column);
	rt_buf_release(&out);
}
END_TEST

/* An error comes after all text before it. */
START_TEST(error_is_last)
{
	static const char yaml[] = "- a\n- b\n- 1: 2\n";
	struct rt_error err;
	struct rt_buf out;

	ck_assert_int_eq(convert(yaml, strlen(yaml), &out, &err), RT_REJECT);
	ck_assert_str_eq(out.data, "[\"a\",\"b\",{");
	rt_buf_release(&out);
}
END_TEST

/* "s" is a string and "l" a list of them; in the list "no", nothing is. */
static enum rt_text_want want_text(struct rt_slice list, struct rt_slice name)
{
	if (rt_slice_equal(list, RT_SLICE("no")))
		return RT_WANT_ANY;
	if (rt_slice_equal(name, RT_SLICE("s")) ||
	    rt_slice_equal(name, RT_SLICE("a_name_of_23_characters")))
		return RT_WANT_STRING;
	return rt_slice_equal(name, RT_SLICE("l")) ? RT_WANT_STRINGS : RT_WANT_ANY;
}

/* Plain scalars that would be numbers, and the JSON they become. */
static const struct {
	const char *what, *yaml, *json;
} wanted[] = {
    {"at the top", "s: 08\nn: 08\nl: [1e3, a, 0x1F]\nm: [07]\n",
     "{\"s\":\"08\",\"n\":8,\"l\":[\"1e3\",\"a\",\"0x1F\"],\"m\":[7]}"},
    {"in an array", "- s: 0o7\n  n: 0o7\n- {l: [.5], s: +1}\n",
     "[{\"s\":\"0o7\",\"n\":7},{\"l\":[\".5\"],\"s\":\"+1\"}]"},
    {"in a list of the object", "v: 1\nx:\n- s: 1.\n  n: 1.\n",
     "{\"v\":1,\"x\":[{\"s\":\"1.\",\"n\":1.0}]}"},
    {"in another list", "no:\n- s: 07\nx:\n- s: 07\n",
     "{\"no\":[{\"s\":7}],\"x\":[{\"s\":\"07\"}]}"},
    {"numbers of any size", "s: 123456789012345678901234567890\nl: [0x10000000000000000]\n",
     "{\"s\":\"123456789012345678901234567890\",\"l\":[\"0x10000000000000000\"]}"},
    {"other types", "s: true\nl: [null, ~, false, .5.5, 1:30]\n",
     "{\"s\":true,\"l\":[null,null,false,\".5.5\",\"1:30\"]}"},
    {"tags and quotes", "s: !!int 7\nl: [!!float 1, '1', !!str 1, !<!> 1]\n",
     "{\"s\":7,\"l\":[1.0,\"1\",\"1\",\"1\"]}"},
    {"a list where a string is wanted, and a string for a list", "s: [07]\nl: 07\n",
     "{\"s\":[7],\"l\":7}"},
    {"deeper", "l: [[07], {s: 07}]\nx: {s: 07}\ny: [{l: {s: 07}}, [{s: 07}]]\n",
     "{\"l\":[[7],{\"s\":\"07\"}],\"x\":{\"s\":7},\"y\":[{\"l\":{\"s\":7}},[{\"s\":7}]]}"},
    {"an array in an array", "- [07]\n- - s: 07\n", "[[7],[{\"s\":7}]]"},
    {"a scalar and an array of them", "--- 07\n--- [07]\n", "7\n[7]"},
    {"the longest name", "a_name_of_23_characters: 07\na_name_of_24_characters_: 07\n",
     "{\"a_name_of_23_characters\":\"07\",\"a_name_of_24_characters_\":7}"},
    {"names in quotes and as aliases", "\"s\": 07\nx: &s s\ny: [{*s : 07}]\n",
     "{\"s\":\"07\",\"x\":\"s\",\"y\":[{\"s\":\"07\"}]}"},
    {"an alias of a number", "n: &n 07\ns: *n\nm: *n\nl: [*n, 08]\n",
     "{\"n\":7,\"s\":\"07\",\"m\":7,\"l\":[\"07\",\"08\"]}"},
    {"an alias of a string", "s: &n 07\nn: *n\n", "{\"s\":\"07\",\"n\":7}"},
    {"an alias of a list", "m: &m [07, 'a\"', &x 08, [09]]\nl: *m\ns: *x\nn: *m\n",
     "{\"m\":[7,\"a\\\"\",8,[9]],\"l\":[\"07\",\"a\\\"\",\"08\",[9]],\"s\":\"08\","
     "\"n\":[7,\"a\\\"\",8,[9]]}"},
    {"an alias of objects",
     "no: &o\n- {s: 07, 'x\\': 'l', l: [01, true], n: 02, z: {s: 03, l: []}}\n- s: '}'\nx: *o\n",
     "{\"no\":[{\"s\":7,\"x\\\\\":\"l\",\"l\":[1,true],\"n\":2,\"z\":{\"s\":3,\"l\":[]}},"
     "{\"s\":\"}\"}],\"x\":[{\"s\":\"07\",\"x\\\\\":\"l\",\"l\":[\"01\",true],\"n\":2,"
     "\"z\":{\"s\":3,\"l\":[]}},{\"s\":\"}\"}]}"},
    {"an alias in what has an anchor",
     "a: &a 07\nb: &b [*a, 08]\nl: *b\nc: &c {s: *a, l: *b}\ny: [*c]\n",
     "{\"a\":7,\"b\":[7,8],\"l\":[\"07\",\"08\"],\"c\":{\"s\":7,\"l\":[7,8]},"
     "\"y\":[{\"s\":\"07\",\"l\":[\"07\",\"08\"]}]}"},
};

START_TEST(wanted_text)
{
	const struct rt_text_hints hints = {.want = want_text};
	const char *yaml = wanted[_i].yaml;
	struct memory memory = {.left = rt_slice_make(yaml, strlen(yaml))};
	struct rt_limits limits;
	struct rt_error err;
	struct rt_buf out;

	rt_limits_init(&limits);
	ck_assert_msg(convert_hinted(&memory, &hints, &limits, 65536, &out, &err) == RT_END,
		      "%s: %s", wanted[_i].what, err.message);
	out.data[out.len - 2] = '\0';
	ck_assert_msg(!strcmp(out.data, wanted[_i].json), "%s: %s", wanted[_i].what, out.data);
	rt_buf_release(&out);
}
END_TEST

/* What cannot be a number is refused where an alias would need it to be one. */
START_TEST(wanted_too_large)
{
	static const char yaml[] = "s: &x 0x10000000000000000\nn: *x\n";
	const struct rt_text_hints hints = {.want = want_text};
	struct memory memory = {.left = rt_slice_make(yaml, sizeof(yaml) - 1)};
	struct rt_limits limits;
	struct rt_error err;
	struct rt_buf out;

	rt_limits_init(&limits);
	ck_assert_int_eq(convert_hinted(&memory, &hints, &limits, 65536, &out, &err), RT_REJECT);
	ck_assert_str_eq(err.message,
			 "want an integer that fits 64 bits, have 0x10000000000000000");
	ck_assert(err.line == 2 && err.column == 4);
	rt_buf_release(&out);
}
END_TEST

/* Real exports, written by PyYAML and read by us: what they were. Large ones are written by
 * libyaml, where PyYAML has it, which is ten times as fast. */
static const char *const reals[] = {"codeQL-output", "flawfinder", "issue_10191",
				    "semgrepowasp-benchmark-sample"};

static const char dump_py[] =
    "import json, sys, yaml\n"
    "text = open(sys.argv[1]).read()\n"
    "quick = getattr(yaml, \"CSafeDumper\", yaml.SafeDumper)\n"
    "yaml.dump(json.loads(text), sys.stdout, allow_unicode=sys.argv[2] == \"1\",\n"
    "          Dumper=quick if len(text) > 1000000 else yaml.SafeDumper)\n";

static struct rt_buf read_command(const char *command)
{
	FILE *file = popen(command, "r");
	struct rt_buf buf = {0};
	struct rt_error err;
	char part[65536];
	size_t len;

	ck_assert_ptr_nonnull(file);
	while ((len = fread(part, 1, sizeof(part), file)) > 0)
		ck_assert_int_eq(rt_buf_append(&buf, part, len, &err), RT_OK);
	ck_assert_int_eq(pclose(file), 0);
	return buf;
}

START_TEST(real)
{
	struct rt_buf source, out;
	struct rt_error err;
	json_t *want, *have;
	char path[128];
	char *command;
	struct stat st;

	snprintf(path, sizeof(path), "../shared/real/%s.issues.json", reals[_i / 2]);
	if (stat(path, &st) != 0 || system("/usr/bin/python3 -c 'import yaml' 2>/dev/null") != 0)
		return;
	ck_assert_int_gt(asprintf(&command, "PYTHONIOENCODING=utf-8 /usr/bin/python3 -c '%s' %s %d",
				  dump_py, path, _i % 2),
			 0);
	source = read_command(command);
	free(command);
	ck_assert_msg(convert(source.data, source.len, &out, &err) == RT_END, "%s", err.message);
	want = json_load_file(path, 0, NULL);
	have = json_loads(out.data, 0, NULL);
	ck_assert_ptr_nonnull(want);
	ck_assert_ptr_nonnull(have);
	ck_assert(json_equal(want, have));
	json_decref(want);
	json_decref(have);
	rt_buf_release(&source);
	rt_buf_release(&out);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

static Suite *suite_make(void)
{
	Suite *suite = suite_create("yaml");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, scalar, 0, ROWS(scalars));
	tcase_add_loop_test(cases, document, 0, ROWS(documents));
	tcase_add_loop_test(cases, error, 0, ROWS(errors));
	tcase_add_test(cases, error_is_last);
	tcase_add_loop_test(cases, wanted_text, 0, ROWS(wanted));
	tcase_add_test(cases, wanted_too_large);
	tcase_add_loop_test(cases, real, 0, 8);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
