/*
 * The writer: JSON compact and pretty, YAML, escapes, and errors of the sink. What it writes is
 * read back by jansson, PyYAML and our own YAML reader.
 */
#include "output/writer.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "formats/text.h"
#include "unit.h"

struct memory {
	struct rt_buf buf;
	size_t max; /* bytes before write fails */
	unsigned calls;
};

static enum rt_status memory_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct memory *memory = ctx;

	memory->calls++;
	if (memory->buf.len + len > memory->max)
		return rt_error_sys(err, 28, "write"); /* ENOSPC */
	return rt_buf_append(&memory->buf, data, len, err);
}

/* Write json with a style; the text is in memory. */
static void write_value(struct memory *memory, struct rt_style style, const char *json)
{
	struct rt_sink sink = {memory_write, memory};
	struct rt_writer *w;
	struct rt_error err;

	*memory = (struct memory){.max = SIZE_MAX};
	ck_assert_int_eq(rt_writer_open(style, &sink, &w, &err), RT_OK);
	rt_writer_value(w, rt_slice_make(json, strlen(json)));
	ck_assert_int_eq(rt_writer_finish(w, &err), RT_OK);
	rt_writer_free(w);
	ck_assert_int_eq(rt_buf_append(&memory->buf, "", 1, &err), RT_OK);
}

/* As many bytes as a key has that stands before its colon. */
#define SIXTEEN "abcdefghijklmnop"
#define LONG SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN

static const struct {
	const char *what, *json, *compact, *pretty, *yaml;
} values[] = {
    {"empty object", "{}", "{}", "{}", "{}"},
    {"empty array", " [ ] ", "[]", "[]", "[]"},
    {"nested", "{\"a\" : [1, {\"b\":{}}], \"c\":null }", "{\"a\":[1,{\"b\":{}}],\"c\":null}",
     "{\n  \"a\": [\n    1,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": null\n}",
     "a:\n- 1\n- b: {}\nc: null"},
    {"words", "[true,false,null]", "[true,false,null]", "[\n  true,\n  false,\n  null\n]",
     "- true\n- false\n- null"},
    {"own text of numbers", "[9.80,-0,1e3,1.5E+2,2.5e-3,2.5e3]",
     "[9.80,-0,1e3,1.5E+2,2.5e-3,2.5e3]",
     "[\n  9.80,\n  -0,\n  1e3,\n  1.5E+2,\n  2.5e-3,\n  2.5e3\n]",
     "- 9.80\n- -0\n- !!float 1e3\n- 1.5E+2\n- 2.5e-3\n- !!float 2.5e3"},
    {"needed escapes", "[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"]",
     "[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"]",
     "[\n  \"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"\n]",
     "- \"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\""},
    {"escapes that are not needed", "[\"\\/\\u0041\\u00e9\\ud83d\\ude00\"]",
     "[\"/A\xc3\xa9\xf0\x9f\x98\x80\"]", "[\n  \"/A\xc3\xa9\xf0\x9f\x98\x80\"\n]",
     "- \"/A\xc3\xa9\xf0\x9f\x98\x80\""},
    {"DEL and C1", "[\"\x7f\xc2\x80\xc2\x9f\xc2\xa0\"]", "[\"\\u007f\\u0080\\u009f\xc2\xa0\"]",
     "[\n  \"\\u007f\\u0080\\u009f\xc2\xa0\"\n]", "- \"\\u007f\\u0080\\u009f\xc2\xa0\""},
    {"bidirectional", "[\"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\"]",
     "[\"\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\"]",
     "[\n  \"\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\"\n]",
     "- \"\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\""},
    {"separators and BOM", "[\"\xe2\x80\xa8\xe2\x80\xa9\xe2\x81\xa9\xef\xbb\xbf\"]",
     "[\"\\u2028\\u2029\\u2069\\ufeff\"]", "[\n  \"\\u2028\\u2029\\u2069\\ufeff\"\n]",
     "- \"\\u2028\\u2029\\u2069\\ufeff\""},
    {"their neighbours", "[\"\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x81\xa5\xef\xbb\xbe\"]",
     "[\"\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x81\xa5\xef\xbb\xbe\"]",
     "[\n  \"\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x81\xa5\xef\xbb\xbe\"\n]",
     "- \"\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x81\xa5\xef\xbb\xbe\""},
    {"escaped key", "{\"a\\n\\u202e\":1}", "{\"a\\n\\u202e\":1}", "{\n  \"a\\n\\u202e\": 1\n}",
     "\"a\\n\\u202e\": 1"},
    {"lines", "{\"a\":\"x\\n  y\\n\"}", "{\"a\":\"x\\n  y\\n\"}", "{\n  \"a\": \"x\\n  y\\n\"\n}",
     "a: |\n  x\n    y"},
    {"what is no character", "[\"\xef\xbf\xbe\xef\xbf\xbf\"]", "[\"\xef\xbf\xbe\xef\xbf\xbf\"]",
     "[\n  \"\xef\xbf\xbe\xef\xbf\xbf\"\n]", "- \"\\ufffe\\uffff\""},
    {"a command in lines", "[\"x\\n \\t::y\",\"x\\ny::z\"]", "[\"x\\n \\t::y\",\"x\\ny::z\"]",
     "[\n  \"x\\n \\t::y\",\n  \"x\\ny::z\"\n]", "- \"x\\n \\t::y\"\n- |-\n  x\n  y::z"},
    {"long key", "{\"" LONG "x\":[1]}", "{\"" LONG "x\":[1]}",
     "{\n  \"" LONG "x\": [\n    1\n  ]\n}", "? " LONG "x\n:\n- 1"},
    {"string before a bracket", "[\"a\"]", "[\"a\"]", "[\n  \"a\"\n]", "- a"},
};

START_TEST(value)
{
	const char *const wants[] = {values[_i].compact, values[_i].pretty, values[_i].yaml};
	const struct rt_style styles[] = {
	    {.format = RT_FORMAT_JSON},
	    {.format = RT_FORMAT_JSON, .pretty = true},
	    {.format = RT_FORMAT_YAML},
	};
	struct memory memory;
	char want[512];
	size_t i;

	for (i = 0; i < 3; i++) {
		write_value(&memory, styles[i], values[_i].json);
		snprintf(want, sizeof(want), "%s\n", wants[i]);
		ck_assert_msg(!strcmp(memory.buf.data, want), "%s: style %zu: want %s have %s",
			      values[_i].what, i, want, memory.buf.data);
		rt_buf_release(&memory.buf);
	}
}
END_TEST

/* Strings that some YAML reader may take for something else, and some that none does. */
static const struct {
	const char *text;
	bool plain;
} strings[] = {
    {"", false},
    {"no", false},
    {"Yes", false},
    {"on", false},
    {"OFF", false},
    {"y", false},
    {"N", false},
    {"true", false},
    {"FALSE", false},
    {"null", false},
    {"~", false},
    {"=", false},
    {"<<", false},
    {"1", false},
    {"-1", false},
    {"+1", false},
    {"007", false},
    {"0o7", false},
    {"0x1F", false},
    {"0b1", false},
    {"1_000", false},
    {"1:30", false},
    {"1:30.5", false},
    {"1.5", false},
    {".5", false},
    {"5.", false},
    {"1e3", false},
    {".inf", false},
    {"-.INF", false},
    {".NaN", false},
    {"2024-01-01", false},
    {"2024-01-01T10:00:00Z", false},
    {"2024-01-01 10:00:00 +01:00", false},
    {"- a", false},
    {"a: b", false},
    {"a #b", false},
    {"#a", false},
    {"[a", false},
    {"{a", false},
    {"a", true},
    {"none", true},
    {"12 monkeys", false},
    {".github/x", false},
    {"-v", false},
    {"a:b", false},
    {"\xc3\xa9", false},
    {"nullable", true},
    {"a<<b", false},
    {"x86", true},
};

START_TEST(plain)
{
	struct memory memory;
	char json[128];
	char want[128];

	snprintf(json, sizeof(json), "[\"%s\"]", strings[_i].text);
	snprintf(want, sizeof(want), strings[_i].plain ? "- %s\n" : "- \"%s\"\n", strings[_i].text);
	write_value(&memory, (struct rt_style){.format = RT_FORMAT_YAML}, json);
	ck_assert_str_eq(memory.buf.data, want);
	rt_buf_release(&memory.buf);
}
END_TEST

START_TEST(events)
{
	struct memory memory = {.max = SIZE_MAX};
	struct rt_sink sink = {memory_write, &memory};
	struct rt_writer *w;
	struct rt_error err;

	ck_assert_int_eq(
	    rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &sink, &w, &err), RT_OK);
	RT_WRITE(w, "{n: %u, b: [%b, null", UINT64_MAX, true);
	rt_writer_string(w, rt_slice_make(NULL, 0));
	RT_WRITE(w, "%v, %v]}", RT_SLICE("9.80"), RT_SLICE("{\"x\": [ ] }"));
	ck_assert_int_eq(rt_writer_finish(w, &err), RT_OK);
	rt_writer_free(w);
	ck_assert_int_eq(rt_buf_append(&memory.buf, "", 1, &err), RT_OK);
	ck_assert_str_eq(memory.buf.data, "{\"n\":18446744073709551615,"
					  "\"b\":[true,null,\"\",9.80,{\"x\":[]}]}\n");
	rt_buf_release(&memory.buf);
}
END_TEST

/* Every place at which the sink can fail: the first error is kept, nothing is written after. */
START_TEST(sink_fails)
{
	struct rt_style style = {.format = _i ? RT_FORMAT_YAML : RT_FORMAT_JSON};
	size_t max;

	for (max = 0; max <= 260000; max += 65000) {
		struct memory memory = {.max = max};
		struct rt_sink sink = {memory_write, &memory};
		struct rt_error err = {0};
		struct rt_writer *w;
		unsigned calls, i;

		ck_assert_int_eq(rt_writer_open(style, &sink, &w, &err), RT_OK);
		RT_WRITE(w, "[");
		for (i = 0; i < 40000; i++)
			rt_writer_string(w, RT_SLICE("twelve bytes"));
		RT_WRITE(w, "]");
		ck_assert_int_eq(rt_writer_finish(w, &err), RT_FATAL);
		calls = memory.calls;
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_int_eq(err.sys, 28);
		RT_WRITE(w, "null");
		ck_assert_int_eq(rt_writer_finish(w, &err), RT_FATAL);
		ck_assert_uint_eq(memory.calls, calls);
		ck_assert_uint_le(memory.buf.len, max);
		rt_writer_free(w);
		rt_buf_release(&memory.buf);
	}
	rt_writer_free(NULL);
}
END_TEST

/* As deep as the scanner can be told to go. */
START_TEST(deep)
{
	struct rt_style style = {.format = _i ? RT_FORMAT_YAML : RT_FORMAT_JSON, .pretty = true};
	char json[2 * RT_LIMIT_DEPTH_MAX + 1];
	struct memory memory;

	memset(json, '[', RT_LIMIT_DEPTH_MAX);
	memset(json + RT_LIMIT_DEPTH_MAX, ']', RT_LIMIT_DEPTH_MAX);
	json[2 * RT_LIMIT_DEPTH_MAX] = '\0';
	write_value(&memory, style, json);
	ck_assert_ptr_nonnull(strstr(memory.buf.data, "[]"));
	rt_buf_release(&memory.buf);
}
END_TEST

/* One document that holds every string above and every value. */
static char *hostile_document(void)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	size_t i;

	ck_assert_int_eq(rt_buf_append(&buf, "[", 1, &err), RT_OK);
	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		char json[300];
		int len = snprintf(json, sizeof(json), "\"%s\",{\"%s\":\" %s\\n\\n x\"},",
				   strings[i].text, strings[i].text, strings[i].text);

		ck_assert_int_eq(rt_buf_append(&buf, json, (size_t)len, &err), RT_OK);
	}
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		ck_assert_int_eq(rt_buf_append(&buf, values[i].json, strlen(values[i].json), &err),
				 RT_OK);
		ck_assert_int_eq(rt_buf_append(&buf, ",", 1, &err), RT_OK);
	}
	ck_assert_int_eq(rt_buf_append(&buf, "0]", 3, &err), RT_OK);
	return buf.data;
}

static enum rt_status slice_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	struct rt_slice *left = ctx;
	size_t len = left->len < cap ? left->len : cap;

	(void)err;
	if (len == 0)
		return RT_END;
	memcpy(buf, left->ptr, len);
	left->ptr += len;
	left->len -= len;
	*ret_len = len;
	return RT_OK;
}

START_TEST(yaml_read_back_by_us)
{
	char *json = hostile_document();
	struct memory memory, want;
	struct rt_limits limits;
	struct rt_slice left;
	struct rt_text text = {.open = false};
	struct rt_error err;
	char have[65536];
	size_t used = 0;
	size_t len;

	rt_limits_init(&limits);
	write_value(&memory, (struct rt_style){.format = RT_FORMAT_YAML}, json);
	write_value(&want, (struct rt_style){.format = RT_FORMAT_JSON}, json);
	left = rt_slice_make(memory.buf.data, memory.buf.len - 1);
	ck_assert_int_eq(
	    rt_text_open(&text, (struct rt_pull){slice_read, &left}, NULL, &limits, &err), RT_OK);
	while (rt_text_read(&text, have + used, sizeof(have) - 1 - used, &len, &err) == RT_OK)
		used += len;
	have[used] = '\0';
	rt_text_close(&text);
	/* Both through our writer, so that escapes are the same. */
	rt_buf_release(&memory.buf);
	write_value(&memory, (struct rt_style){.format = RT_FORMAT_JSON}, have);
	ck_assert_str_eq(memory.buf.data, want.buf.data);
	rt_buf_release(&memory.buf);
	rt_buf_release(&want.buf);
	free(json);
}
END_TEST

/* Compares JSON and YAML, both in hexadecimal, with Python's types: 1 is not true nor 1.0. */
static const char compare_py[] = "import json, sys, yaml\n"
				 "want = json.loads(bytes.fromhex(sys.argv[1]))\n"
				 "have = yaml.safe_load(bytes.fromhex(sys.argv[2]))\n"
				 "sys.exit(0 if repr(want) == repr(have) else 9)\n";

static char *hex(const char *text)
{
	size_t len = strlen(text);
	char *out = malloc(2 * len + 1);
	size_t i;

	ck_assert_ptr_nonnull(out);
	for (i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", (unsigned char)text[i]);
	out[2 * len] = '\0';
	return out;
}

START_TEST(yaml_read_back_by_pyyaml)
{
	char *json = hostile_document();
	struct memory memory;
	char *command;
	char *want;
	char *have;
	int len;

	if (system("/usr/bin/python3 -c 'import yaml' 2>/dev/null") != 0) {
		free(json);
		return;
	}
	write_value(&memory, (struct rt_style){.format = RT_FORMAT_YAML}, json);
	want = hex(json);
	have = hex(memory.buf.data);
	len = asprintf(&command, "/usr/bin/python3 -c '%s' %s %s", compare_py, want, have);
	ck_assert_int_gt(len, 0);
	ck_assert_int_eq(system(command), 0);
	free(command);
	free(want);
	free(have);
	free(json);
	rt_buf_release(&memory.buf);
}
END_TEST

START_TEST(json_read_back_by_jansson)
{
	struct rt_style style = {.format = RT_FORMAT_JSON, .pretty = _i != 0};
	char *json = hostile_document();
	struct memory memory;
	json_t *want, *have;

	write_value(&memory, style, json);
	want = json_loads(json, JSON_ALLOW_NUL, NULL);
	have = json_loads(memory.buf.data, JSON_ALLOW_NUL, NULL);
	ck_assert_ptr_nonnull(want);
	ck_assert_ptr_nonnull(have);
	ck_assert(json_equal(want, have));
	json_decref(want);
	json_decref(have);
	rt_buf_release(&memory.buf);
	free(json);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("writer");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, value, 0, (int)(sizeof(values) / sizeof(values[0])));
	tcase_add_loop_test(cases, plain, 0, (int)(sizeof(strings) / sizeof(strings[0])));
	tcase_add_test(cases, events);
	tcase_add_loop_test(cases, sink_fails, 0, 2);
	tcase_add_loop_test(cases, deep, 0, 2);
	tcase_add_test(cases, yaml_read_back_by_us);
	tcase_add_test(cases, yaml_read_back_by_pyyaml);
	tcase_add_loop_test(cases, json_read_back_by_jansson, 0, 2);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
