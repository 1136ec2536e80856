/*
 * One request as JSON text and back: what is written, what is read, and every rule with its
 * pointer.
 */
#include "engine/request.h"

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/summary.h"
#include "scan/json.h"
#include "unit.h"

/* Text in a block of its own, so that what is borrowed from it is known, and its end is sharp. */
static struct rt_slice own(const char *text)
{
	struct rt_slice own = rt_slice_make(text, strlen(text));
	char *copy = malloc(own.len);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, own.ptr, own.len);
	own.ptr = copy;
	return own;
}

/* Good texts, and how the request is written. */
static const struct {
	const char *what, *in, *out; /* out NULL: as in */
} good[] = {
    {"an id alone", "{\"issue_ids\":[\"a\"]}", NULL},
    {"all members",
     "{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"critical\",\"false_positive\":true,"
     "\"exploitable\":false,\"notes\":\"n\"}",
     NULL},
    {"another order",
     "{\"notes\":\"n\",\"exploitable\":false,\"false_positive\":true,\"severity\":\"info\","
     "\"issue_ids\":[\"b\",\"a\"]}",
     "{\"issue_ids\":[\"b\",\"a\"],\"severity\":\"info\",\"false_positive\":true,"
     "\"exploitable\":false,\"notes\":\"n\"}"},
    {"nulls",
     "{\"notes\":null,\"exploitable\":null,\"false_positive\":null,\"severity\":null,"
     "\"issue_ids\":[\"a\"]}",
     "{\"issue_ids\":[\"a\"]}"},
    {"an empty note", "{\"issue_ids\":[\"a\"],\"notes\":\"\"}", NULL},
    {"repeated ids", "{\"issue_ids\":[\"a\",\"b\",\"a\",\"a\"]}", NULL},
    {"high", "{\"issue_ids\":[\"a\"],\"severity\":\"high\"}", NULL},
    {"medium", "{\"issue_ids\":[\"a\"],\"severity\":\"medium\"}", NULL},
    {"low", "{\"issue_ids\":[\"a\"],\"severity\":\"low\"}", NULL},
    {"flags the other way", "{\"issue_ids\":[\"a\"],\"false_positive\":false,\"exploitable\":true}",
     NULL},
    {"blanks anywhere",
     " \t{ \"issue_ids\"\n:\r\n[ \"a\" ,\t\"b\" ] , \"severity\" : \"low\"\n, \"notes\" : null }\n",
     "{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"low\"}"},
    {"escaped names and values",
     "{\"issue_\\u0069ds\":[\"\\u0061\\n\",\"b\"],\"\\u0073everity\":\"\\u0068igh\","
     "\"notes\":\"\\ud83d\\ude00\\/\\\"\"}",
     "{\"issue_ids\":[\"a\\n\",\"b\"],\"severity\":\"high\",\"notes\":\"\xF0\x9F\x98\x80/\\\"\"}"},
    {"a NUL in an id", "{\"issue_ids\":[\"\\u0000\"]}", NULL},
    {"what a terminal could act on",
     "{\"issue_ids\":[\"\x7F\"],\"notes\":\"\xC2\x9B\xE2\x80\xAE\xEF\xBB\xBF\"}",
     "{\"issue_ids\":[\"\\u007f\"],\"notes\":\"\\u009b\\u202e\\ufeff\"}"},
    {"quotes, brackets and backslashes in strings",
     "{\"issue_ids\":[\"]\",\"},\\\\\",\"\\\"\"],\"notes\":\"{[\"}", NULL},
};

/* Check by the scanner what rt_request_parse() takes as checked, without the blanks around it. */
static struct rt_slice checked(struct rt_slice text, const char *what)
{
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	ck_assert_msg(rt_json_check(text.ptr, text.len, &limits, &err) == RT_OK, "%s: %s", what,
		      err.message);
	while (strchr(" \t\r\n", text.ptr[0])) {
		text.ptr++;
		text.len--;
	}
	while (strchr(" \t\r\n", text.ptr[text.len - 1]))
		text.len--;
	return text;
}

static void write_back(const char *what, const struct rt_request *request, const char *want)
{
	struct rt_buf out = {0};
	struct rt_error err;
	json_t *object;

	ck_assert_int_eq(rt_request_write(request, &out, &err), RT_OK);
	ck_assert_msg(rt_slice_equal(rt_buf_slice(&out), rt_slice_make(want, strlen(want))),
		      "%s: want %s\nhave %.*s", what, want, (int)out.len, out.data);
	object = json_loadb(out.data, out.len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(json_is_object(object), "%s: no JSON", what);
	ck_assert_uint_eq(json_array_size(json_object_get(object, "issue_ids")), request->id_count);
	json_decref(object);
	rt_buf_release(&out);
}

START_TEST(reads)
{
	struct rt_slice text = own(good[_i].in), json = checked(text, good[_i].what);
	struct rt_buf scratch = {0};
	struct rt_request request;
	enum rt_status status;
	struct rt_error err;

	memset(&request, 0x55, sizeof(request));
	status = rt_request_parse(json, &scratch, &request, &err);
	ck_assert_msg(status == RT_OK, "%s: %s: %s", good[_i].what, err.field, err.message);
	write_back(good[_i].what, &request, good[_i].out ? good[_i].out : good[_i].in);
	rt_buf_release(&scratch);
	free((char *)(uintptr_t)text.ptr);
}
END_TEST

/* The members of a request as numbers. */
START_TEST(values)
{
	struct rt_slice text =
	    own("{\"issue_ids\":[\"a\\t\",\"b\"],\"severity\":\"info\","
		"\"exploitable\":true,\"false_positive\":false,\"notes\":\"x\"}");
	struct rt_buf scratch = {0};
	struct rt_request request;
	struct rt_error err;

	ck_assert_int_eq(rt_request_parse(text, &scratch, &request, &err), RT_OK);
	ck_assert_uint_eq(request.id_count, 2);
	ck_assert(rt_slice_equal(request.ids[0], RT_SLICE("a\t")));
	ck_assert(rt_slice_equal(request.ids[1], RT_SLICE("b")));
	ck_assert_int_eq(request.severity, 4);
	ck_assert_int_eq(request.false_positive, 0);
	ck_assert_int_eq(request.exploitable, 1);
	ck_assert(rt_slice_equal(request.notes, RT_SLICE("x")));
	free((char *)(uintptr_t)text.ptr);

	/* The next one takes nothing over, and scratch is used again. */
	text = own("{\"issue_ids\":[\"\\u0063\"]}");
	ck_assert_int_eq(rt_request_parse(text, &scratch, &request, &err), RT_OK);
	ck_assert_uint_eq(request.id_count, 1);
	ck_assert(rt_slice_equal(request.ids[0], RT_SLICE("c")));
	ck_assert_int_eq(request.severity, RT_REQUEST_KEEP);
	ck_assert_int_eq(request.false_positive, RT_REQUEST_KEEP);
	ck_assert_int_eq(request.exploitable, RT_REQUEST_KEEP);
	ck_assert_ptr_null(request.notes.ptr);
	ck_assert_uint_eq(scratch.len, 1);
	rt_buf_release(&scratch);
	free((char *)(uintptr_t)text.ptr);
}
END_TEST

/* One broken rule each: the pointer and the message. */
static const struct {
	const char *what, *in, *field, *message;
} bad[] = {
    {"an array", "[\"a\"]", "", "want a request, which is an object, have array"},
    {"a string", "\"a\"", "", "want a request, which is an object, have string \"a\""},
    {"a number", "-5.0e1", "", "want a request, which is an object, have number -5.0e1"},
    {"null", "null", "", "want a request, which is an object, have null"},
    {"a boolean", "true", "", "want a request, which is an object, have boolean true"},
    {"nothing", "{}", "/issue_ids", "want array of string, have nothing"},
    {"no ids", "{\"severity\":\"high\"}", "/issue_ids", "want array of string, have nothing"},
    {"ids are null", "{\"issue_ids\":null}", "/issue_ids", "want array of string, have null"},
    {"ids are a string", "{\"issue_ids\":\"a\"}", "/issue_ids",
     "want array of string, have string \"a\""},
    {"ids are an object", "{\"issue_ids\":{\"a\":1}}", "/issue_ids",
     "want array of string, have object"},
    {"0 ids", "{\"issue_ids\":[ ]}", "/issue_ids", "want 1 to 100 ids, have 0"},
    {"an id is a number", "{\"issue_ids\":[\"a\",12]}", "/issue_ids/1",
     "want string, have number 12"},
    {"an id is null", "{\"issue_ids\":[null,\"a\"]}", "/issue_ids/0", "want string, have null"},
    {"an id is an array", "{\"issue_ids\":[[\"a\"]]}", "/issue_ids/0", "want string, have array"},
    {"an id is a boolean", "{\"issue_ids\":[false]}", "/issue_ids/0",
     "want string, have boolean false"},
    {"an empty id", "{\"issue_ids\":[\"a\",\"b\",\"\"]}", "/issue_ids/2",
     "want an id that is not empty, have \"\""},
    {"no level", "{\"issue_ids\":[\"a\"],\"severity\":\"urgent\"}", "/severity",
     "want one of critical, high, medium, low or info, have \"urgent\""},
    {"a level in capitals", "{\"issue_ids\":[\"a\"],\"severity\":\"High\"}", "/severity",
     "want one of critical, high, medium, low or info, have \"High\""},
    {"a level with more", "{\"issue_ids\":[\"a\"],\"severity\":\"low\\u0000\"}", "/severity",
     "want one of critical, high, medium, low or info, have \"low\x01\""},
    {"an empty severity", "{\"issue_ids\":[\"a\"],\"severity\":\"\"}", "/severity",
     "want one of critical, high, medium, low or info, have \"\""},
    {"severity is a number", "{\"issue_ids\":[\"a\"],\"severity\":1}", "/severity",
     "want string or null, have number 1"},
    {"false_positive is a string", "{\"issue_ids\":[\"a\"],\"false_positive\":\"no\"}",
     "/false_positive", "want boolean or null, have string \"no\""},
    {"false_positive is a number", "{\"issue_ids\":[\"a\"],\"false_positive\":0}",
     "/false_positive", "want boolean or null, have number 0"},
    {"exploitable is an object", "{\"issue_ids\":[\"a\"],\"exploitable\":{}}", "/exploitable",
     "want boolean or null, have object"},
    {"notes are an array", "{\"issue_ids\":[\"a\"],\"notes\":[\"x\"]}", "/notes",
     "want string or null, have array"},
    {"notes are a long number",
     "{\"issue_ids\":[\"a\"],\"notes\":12345678901234567890123456789012345678901}", "/notes",
     "want string or null, have number"},
    {"an unknown member", "{\"issue_ids\":[\"a\"],\"status\":\"open\"}", "/status",
     "want a member issue_ids, severity, false_positive, exploitable or notes, have \"status\""},
    {"an unknown member that is null", "{\"issue_ids\":[\"a\"],\"Notes\":null}", "/Notes",
     "want a member issue_ids, severity, false_positive, exploitable or notes, have \"Notes\""},
    {"a name to be escaped in a pointer", "{\"a~/b\\u002f\\u0000\":1}", "/a~0~1b~1\x01",
     "want a member issue_ids, severity, false_positive, exploitable or notes, have "
     "\"a~/b/\x01\""},
    {"an empty name", "{\"\":[]}", "/",
     "want a member issue_ids, severity, false_positive, exploitable or notes, have \"\""},
    {"severity twice", "{\"severity\":\"low\",\"severity\":\"low\"}", "/severity",
     "want the member once, have it again"},
    {"notes twice, null first", "{\"notes\":null,\"notes\":\"\"}", "/notes",
     "want the member once, have it again"},
    {"ids twice, once escaped", "{\"issue_ids\":[\"a\"],\"issue_id\\u0073\":5}", "/issue_ids",
     "want the member once, have it again"},
};

START_TEST(refuses)
{
	struct rt_slice text = own(bad[_i].in);
	struct rt_buf scratch = {0};
	struct rt_request request;
	enum rt_status status;
	struct rt_error err;

	(void)checked(text, bad[_i].what);
	status = rt_request_parse(text, &scratch, &request, &err);
	ck_assert_msg(status == RT_REJECT, "%s: %d", bad[_i].what, status);
	ck_assert_msg(err.code == RT_E_INPUT, "%s: code %d", bad[_i].what, err.code);
	ck_assert_msg(strcmp(err.field, bad[_i].field) == 0, "%s: field %s", bad[_i].what,
		      err.field);
	ck_assert_msg(strcmp(err.message, bad[_i].message) == 0, "%s: %s", bad[_i].what,
		      err.message);
	rt_buf_release(&scratch);
	free((char *)(uintptr_t)text.ptr);
}
END_TEST

static void put(struct rt_buf *text, const char *more)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, more, strlen(more), &err), RT_OK);
}

/* A request of that many ids and, where it is not 0, that many times a character as its notes. */
static struct rt_buf make(unsigned ids, unsigned points, const char *point)
{
	struct rt_buf text = {0};

	put(&text, "{\"issue_ids\":[");
	for (unsigned i = 0; i < ids; i++)
		put(&text, i ? ",\"i\"" : "\"i\"");
	put(&text, "]");
	if (points)
		put(&text, ",\"notes\":\"");
	for (unsigned i = 0; i < points; i++)
		put(&text, point);
	put(&text, points ? "\"}" : "}");
	return text;
}

static const struct {
	const char *what;
	unsigned ids, points;
	const char *point;
	const char *message; /* NULL: accepted */
} limits[] = {
    {"1 id", 1, 0, "", NULL},
    {"100 ids", 100, 0, "", NULL},
    {"101 ids", 101, 0, "", "want 1 to 100 ids, have 101"},
    {"30000 ids", 30000, 0, "", "want 1 to 100 ids, have 30000"},
    {"1000 points of 1 byte", 1, 1000, "n", NULL},
    {"1001 points of 1 byte", 1, 1001, "n", "want at most 1000 code points, have 1001"},
    {"1000 points of 2 bytes", 1, 1000, "\xC3\xA4", NULL},
    {"1001 points of 2 bytes", 1, 1001, "\xC3\xA4", "want at most 1000 code points, have 1001"},
    {"1000 points of 4 bytes", 1, 1000, "\xF0\x9F\x98\x80", NULL},
    {"1001 points of 4 bytes", 1, 1001, "\xF0\x9F\x98\x80",
     "want at most 1000 code points, have 1001"},
    {"1000 pairs of escapes", 1, 1000, "\\uD83D\\uDE00", NULL},
    {"1001 pairs of escapes", 1, 1001, "\\uD83D\\uDE00",
     "want at most 1000 code points, have 1001"},
    {"1000 escapes", 1, 1000, "\\n", NULL},
};

START_TEST(limited)
{
	struct rt_buf text = make(limits[_i].ids, limits[_i].points, limits[_i].point);
	const char *field = limits[_i].points ? "/notes" : "/issue_ids";
	struct rt_buf scratch = {0};
	struct rt_request request;
	enum rt_status status;
	struct rt_error err;

	status = rt_request_parse(rt_buf_slice(&text), &scratch, &request, &err);
	if (!limits[_i].message) {
		ck_assert_msg(status == RT_OK, "%s: %s", limits[_i].what, err.message);
		ck_assert_uint_eq(request.id_count, limits[_i].ids);
	} else {
		ck_assert_msg(status == RT_REJECT, "%s: %d", limits[_i].what, status);
		ck_assert_str_eq(err.message, limits[_i].message);
		ck_assert_str_eq(err.field, field);
	}
	rt_buf_release(&scratch);
	rt_buf_release(&text);
}
END_TEST

/* Names and values longer than a message has room for are cut, not a sequence in two. */
START_TEST(long_texts)
{
	struct rt_buf text = {0}, scratch = {0};
	struct rt_request request;
	struct rt_error err;

	put(&text, "{\"issue_ids\":[\"a\"],\"");
	for (unsigned i = 0; i < 2000; i++)
		put(&text, i % 2 ? "~" : "\xE2\x82\xAC");
	put(&text, "\":1}");
	ck_assert_int_eq(rt_request_parse(rt_buf_slice(&text), &scratch, &request, &err),
			 RT_REJECT);
	ck_assert_uint_gt(strlen(err.field), sizeof(err.field) - 8);
	ck_assert_int_eq(strncmp(err.field, "/\xE2\x82\xAC~0\xE2\x82\xAC~0", 11), 0);
	ck_assert_ptr_nonnull(strstr(err.message, "...\""));
	text.len = 0;
	put(&text, "{\"issue_ids\":[\"a\"],\"severity\":\"");
	for (unsigned i = 0; i < 2000; i++)
		put(&text, "\xF0\x9F\x98\x80");
	put(&text, "\"}");
	ck_assert_int_eq(rt_request_parse(rt_buf_slice(&text), &scratch, &request, &err),
			 RT_REJECT);
	ck_assert_ptr_nonnull(strstr(err.message, "\xF0\x9F\x98\x80...\""));
	rt_buf_release(&text);
	rt_buf_release(&scratch);
}
END_TEST

/* Strings with escapes, many and long: all of them stay where they were decoded to. */
START_TEST(many_escapes)
{
	struct rt_buf text = {0}, scratch = {0};
	struct rt_request request;
	struct rt_error err;
	char id[64];

	put(&text, "{\"notes\":\"");
	for (unsigned i = 0; i < 30; i++)
		put(&text, "x\\n");
	put(&text, "\",\"issue_ids\":[");
	for (unsigned i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "%s\"i\\n%u\"", i ? "," : "", i);
		put(&text, id);
	}
	put(&text, "]}");
	ck_assert_int_eq(rt_request_parse(rt_buf_slice(&text), &scratch, &request, &err), RT_OK);
	ck_assert_uint_eq(request.id_count, 100);
	for (unsigned i = 0; i < 100; i++) {
		int len = snprintf(id, sizeof(id), "i\n%u", i);

		ck_assert(rt_slice_equal(request.ids[i], rt_slice_make(id, (size_t)len)));
	}
	ck_assert_uint_eq(request.notes.len, 60);
	ck_assert_int_eq(memcmp(request.notes.ptr, "x\nx\nx\n", 6), 0);
	rt_buf_release(&text);
	rt_buf_release(&scratch);
}
END_TEST

/* The names in the order of the contract, and the levels as numbers. */
START_TEST(names)
{
	static const char *const want[] = {"issue_ids", "severity", "false_positive", "exploitable",
					   "notes"};

	ck_assert_uint_eq(sizeof(want) / sizeof(want[0]), RT_REQUEST_MEMBERS);
	for (unsigned i = 0; i < RT_REQUEST_MEMBERS; i++) {
		struct rt_slice name = rt_request_member_name((enum rt_request_member)i);

		ck_assert(rt_slice_equal(name, rt_slice_make(want[i], strlen(want[i]))));
	}
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

static Suite *suite_make(void)
{
	Suite *suite = suite_create("request");
	TCase *tcase = tcase_create("request");

	tcase_add_loop_test(tcase, reads, 0, COUNT(good));
	tcase_add_test(tcase, values);
	tcase_add_loop_test(tcase, refuses, 0, COUNT(bad));
	tcase_add_loop_test(tcase, limited, 0, COUNT(limits));
	tcase_add_test(tcase, long_texts);
	tcase_add_test(tcase, many_escapes);
	tcase_add_test(tcase, names);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
