/*
 * Edits of records: what is written for each form of a record, byte by byte, and what is refused.
 */
#include "engine/edit.h"

#include <stdio.h>

#include "edit_make.h"

#define SET(name, value)                                                                           \
	{                                                                                          \
		RT_EDIT_SET, {name, sizeof(name) - 1},                                             \
		{                                                                                  \
			value, sizeof(value) - 1                                                   \
		}                                                                                  \
	}
#define ADD(value)                                                                                 \
	{                                                                                          \
		RT_EDIT_NOTES, {"notes", 5},                                                       \
		{                                                                                  \
			value, sizeof(value) - 1                                                   \
		}                                                                                  \
	}

static const struct {
	const char *what, *text;
	struct rt_edit edits[RT_EDITS_MAX + 1]; /* up to the first without a name */
	const char *want;
} goods[] = {
    {"no edit", "{ \"id\":\"a\" }", {{0}}, "{ \"id\":\"a\" }"},
    {"a value",
     "{\"id\":\"a\",\"severity\":\"low\"}",
     {SET("severity", "\"critical\"")},
     "{\"id\":\"a\",\"severity\":\"critical\"}"},
    {"blanks around a value stay",
     "{\"id\":\"a\" ,\r\n\t\"severity\" \t:\n \"low\"\r\n}",
     {SET("severity", "\"high\"")},
     "{\"id\":\"a\" ,\r\n\t\"severity\" \t:\n \"high\"\r\n}"},
    {"null becomes a value",
     "{\"id\":\"a\",\"exploitable\":null,\"x\":1}",
     {SET("exploitable", "true")},
     "{\"id\":\"a\",\"exploitable\":true,\"x\":1}"},
    {"a key with escapes",
     "{\"id\":\"a\",\"\\u0073everit\\u0079\":\"low\"}",
     {SET("severity", "\"info\"")},
     "{\"id\":\"a\",\"\\u0073everit\\u0079\":\"info\"}"},
    {"the same name further down",
     "{\"x\":{\"severity\":1,\"notes\":2},\"id\":\"severity\",\"y\":[{\"severity\":3}]}",
     {SET("severity", "\"low\"")},
     "{\"x\":{\"severity\":1,\"notes\":2},\"id\":\"severity\",\"y\":[{\"severity\":3}],"
     "\"severity\":\"low\"}"},
    {"several, not in their order",
     "{\"updated_at\":\"t\",\"id\":\"a\",\"false_positive\":false,\"severity\":\"low\"}",
     {SET("severity", "\"high\""), SET("false_positive", "true"), SET("updated_at", "\"T\"")},
     "{\"updated_at\":\"T\",\"id\":\"a\",\"false_positive\":true,\"severity\":\"high\"}"},
    {"missing, compact",
     "{\"id\":\"a\",\"title\":\"t\"}",
     {SET("severity", "\"low\"")},
     "{\"id\":\"a\",\"title\":\"t\",\"severity\":\"low\"}"},
    {"missing, one member",
     "{\"id\":\"a\"}",
     {SET("severity", "1")},
     "{\"id\":\"a\",\"severity\":1}"},
    {"missing, one member with blanks",
     "{\n  \"id\" : \"a\"\n}",
     {SET("severity", "1")},
     "{\n  \"id\" : \"a\",\n  \"severity\" : 1\n}"},
    {"missing, indented",
     "{\n  \"id\": \"a\",\n  \"title\": \"t\"\n}",
     {SET("severity", "\"low\""), SET("exploitable", "true")},
     "{\n  \"id\": \"a\",\n  \"title\": \"t\",\n  \"severity\": \"low\",\n  \"exploitable\": "
     "true\n}"},
    {"missing, tabs and CRLF",
     "{\r\n\t\"id\":\t\"a\",\r\n\t\"title\":\t\"t\"\r\n}",
     {SET("severity", "\"low\"")},
     "{\r\n\t\"id\":\t\"a\",\r\n\t\"title\":\t\"t\",\r\n\t\"severity\":\t\"low\"\r\n}"},
    {"missing, the comma in front",
     "{ \"id\": \"a\"\n, \"title\": \"t\"\n}",
     {SET("severity", "\"low\"")},
     "{ \"id\": \"a\"\n, \"title\": \"t\"\n, \"severity\": \"low\"\n}"},
    {"missing, on one line with blanks",
     "{ \"id\": \"a\", \"title\": \"t\" }",
     {SET("severity", "\"low\"")},
     "{ \"id\": \"a\", \"title\": \"t\", \"severity\": \"low\" }"},
    {"missing after a nested member",
     "{ \"id\": \"a\", \"x\" :{ \"y\":[ 1 ,2 ] , \"z\"  :\"}\\\"]\" } }",
     {SET("severity", "1")},
     "{ \"id\": \"a\", \"x\" :{ \"y\":[ 1 ,2 ] , \"z\"  :\"}\\\"]\" }, \"severity\" :1 }"},
    {"missing and the last member changed",
     "{\"id\":\"a\", \"severity\":\"low\"}",
     {SET("exploitable", "true"), SET("severity", "\"high\"")},
     "{\"id\":\"a\", \"severity\":\"high\", \"exploitable\":true}"},
    {"no member at all",
     "{ }",
     {SET("severity", "1"), ADD(NOTE)},
     "{\"severity\":1,\"notes\":[" NOTE "] }"},
    {"no notes", "{\"id\":\"a\"}", {ADD(NOTE)}, "{\"id\":\"a\",\"notes\":[" NOTE "]}"},
    {"null notes",
     "{\"id\":\"a\",\"notes\": null }",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"notes\": [" NOTE "] }"},
    {"two notes for null",
     "{\"notes\":null,\"id\":\"a\"}",
     {ADD(NOTE "," NOTE2)},
     "{\"notes\":[" NOTE "," NOTE2 "],\"id\":\"a\"}"},
    {"empty array",
     "{\"id\":\"a\",\"notes\":[]}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"notes\":[" NOTE "]}"},
    {"empty array with a line in it",
     "{\"id\":\"a\",\"notes\":[\n ]}",
     {ADD(NOTE "," NOTE2)},
     "{\"id\":\"a\",\"notes\":[" NOTE "," NOTE2 "\n ]}"},
    {"one note there",
     "{\"id\":\"a\",\"notes\":[" NOTE2 "]}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"notes\":[" NOTE2 "," NOTE "]}"},
    {"one note there, indented",
     "{\"id\":\"a\",\"notes\": [\n\t{ \"x\" : [] }\n\t ]}",
     {ADD(NOTE "," NOTE2)},
     "{\"id\":\"a\",\"notes\": [\n\t{ \"x\" : [] },\n\t" NOTE ",\n\t" NOTE2 "\n\t ]}"},
    {"two notes there, the comma with blanks",
     "{\"id\":\"a\",\"notes\": [1 , 2  ]}",
     {ADD(NOTE "," NOTE2)},
     "{\"id\":\"a\",\"notes\": [1 , 2 , " NOTE " , " NOTE2 "  ]}"},
    {"the last gap counts",
     "{\"id\":\"a\",\"notes\":[1,\n2,3]}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"notes\":[1,\n2,3," NOTE "]}"},
    {"string notes",
     "{\"id\":\"a\",\"notes\":\"\\u0041\\/\\\"]\"}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"notes\":[{\"added_at\":null,\"text\":\"\\u0041\\/\\\"]\"}," NOTE "]}"},
    {"empty string notes",
     "{\"notes\" : \"\" , \"id\":\"a\"}",
     {ADD(NOTE "," NOTE2)},
     "{\"notes\" : [{\"added_at\":null,\"text\":\"\"}," NOTE "," NOTE2 "] , \"id\":\"a\"}"},
    {"string notes last and a missing member",
     "{\"id\":\"a\",\"notes\":\"s\"}",
     {ADD(NOTE), SET("severity", "\"low\"")},
     "{\"id\":\"a\",\"notes\":[{\"added_at\":null,\"text\":\"s\"}," NOTE "],\"severity\":\"low\"}"},
    {"the same, asked for the other way round",
     "{\"id\":\"a\",\"notes\":\"s\"}",
     {SET("severity", "\"low\""), ADD(NOTE)},
     "{\"id\":\"a\",\"notes\":[{\"added_at\":null,\"text\":\"s\"}," NOTE "],\"severity\":\"low\"}"},
    {"notes under an escaped key",
     "{\"id\":\"a\",\"\\u006eot\\u0065s\":[1]}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"\\u006eot\\u0065s\":[1," NOTE "]}"},
    {"keys that are not notes",
     "{\"id\":\"a\",\"note\":1,\"notes \":2,\"Notes\":3,\"notes\\u0000\":4,\"\":5}",
     {ADD(NOTE)},
     "{\"id\":\"a\",\"note\":1,\"notes \":2,\"Notes\":3,\"notes\\u0000\":4,\"\":5,\"notes\":[" NOTE
     "]}"},
    {"all at once",
     "{\n \"severity\": \"low\",\n \"notes\": [\n  1\n ],\n \"id\": \"a\",\n \"exploitable\": "
     "null\n}",
     {SET("severity", "\"high\""), SET("false_positive", "true"), SET("exploitable", "false"),
      ADD(NOTE), SET("updated_at", "\"T\"")},
     "{\n \"severity\": \"high\",\n \"notes\": [\n  1,\n  " NOTE
     "\n ],\n \"id\": \"a\",\n \"exploitable\": false,\n \"false_positive\": true,\n "
     "\"updated_at\": \"T\"\n}"},
    {"a repeated member that is not edited",
     "{\"id\":\"a\",\"x\":1,\"x\":2}",
     {SET("severity", "1")},
     "{\"id\":\"a\",\"x\":1,\"x\":2,\"severity\":1}"},
};

#define GOODS (sizeof(goods) / sizeof(goods[0]))

START_TEST(good)
{
	struct rt_slice want = rt_slice_make(goods[_i].want, strlen(goods[_i].want));
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_int_eq(edit(goods[_i].text, goods[_i].edits, &out, &err), RT_OK);
	ck_assert_msg(rt_slice_equal(rt_buf_slice(&out), want), "%s:\nwant %s\nhave %.*s",
		      goods[_i].what, goods[_i].want, (int)out.len, out.data);
	rt_buf_release(&out);
}
END_TEST

#define WANT_NOTES "want notes that are an array, a string or null, have "
#define WANT_ONCE "want the member once, have it again"

static const struct {
	const char *what, *text;
	struct rt_edit edits[RT_EDITS_MAX + 1];
	const char *field, *message;
} bads[] = {
    {"number", "{\"id\":\"a\",\"notes\":7}", {ADD(NOTE)}, "notes", WANT_NOTES "number"},
    {"negative", "{\"id\":\"a\",\"notes\":-7.5}", {ADD(NOTE)}, "notes", WANT_NOTES "number"},
    {"true", "{\"id\":\"a\",\"notes\":true}", {ADD(NOTE)}, "notes", WANT_NOTES "boolean"},
    {"false", "{\"id\":\"a\",\"notes\":false}", {ADD(NOTE)}, "notes", WANT_NOTES "boolean"},
    {"object", "{\"id\":\"a\",\"notes\":{}}", {ADD(NOTE)}, "notes", WANT_NOTES "object"},
    {"notes twice", "{\"notes\":[],\"id\":\"a\",\"notes\":[]}", {ADD(NOTE)}, "notes", WANT_ONCE},
    {"notes twice, once escaped",
     "{\"notes\":[],\"id\":\"a\",\"\\u006Eotes\":null}",
     {ADD(NOTE)},
     "notes",
     WANT_ONCE},
    {"thrice", "{\"notes\":1,\"notes\":2,\"notes\":3}", {ADD(NOTE)}, "notes", WANT_ONCE},
    {"a documented member twice",
     "{\"id\":\"a\",\"severity\":\"low\",\"severity\":\"low\"}",
     {SET("severity", "\"high\"")},
     "severity",
     WANT_ONCE},
    {"nothing is patched before it",
     "{\"severity\":\"low\",\"id\":\"a\",\"notes\":7}",
     {SET("severity", "\"high\""), SET("exploitable", "true"), ADD(NOTE)},
     "notes",
     WANT_NOTES "number"},
};

#define BADS (sizeof(bads) / sizeof(bads[0]))

START_TEST(bad)
{
	struct rt_buf out = {0};
	struct rt_error err;

	ck_assert_msg(edit(bads[_i].text, bads[_i].edits, &out, &err) == RT_REJECT, "%s",
		      bads[_i].what);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.message, bads[_i].message);
	ck_assert_str_eq(err.field, bads[_i].field);
	rt_buf_release(&out);
}
END_TEST

/* Blanks by the thousand are not copied for each new member or note. */
START_TEST(wide_style)
{
	static const struct rt_edit edits[] = {SET("severity", "1"), ADD(NOTE "," NOTE2), {0}};
	char text[4000], want[4400];
	struct rt_buf out = {0};
	struct rt_error err;

	for (int len = 250; len < 260; len++) {
		/* The comma or colon is one byte of a style. */
		int gap = len < 256 ? len : 0;

		snprintf(text, sizeof(text), "{\"id\":\"a\",%*s\"notes\"%*s:[1,%*s2]}", len, "",
			 len, "", len, "");
		snprintf(want, sizeof(want),
			 "{\"id\":\"a\",%*s\"notes\"%*s:[1,%*s2,%*s" NOTE ",%*s" NOTE2
			 "],%*s\"severity\"%*s:1}",
			 len, "", len, "", len, "", gap, "", gap, "", gap, "", gap, "");
		ck_assert_int_eq(edit(text, edits, &out, &err), RT_OK);
		ck_assert_uint_eq(out.len, strlen(want));
		ck_assert_mem_eq(out.data, want, out.len);
	}
	rt_buf_release(&out);
}
END_TEST

/* Patches join a list that has others, of other parts and records. */
START_TEST(list_of_many)
{
	static const struct rt_edit edits[] = {SET("severity", "1")};
	struct rt_patches patches = {0};
	struct rt_error err;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, "{\"id\":\"a\",\"severity\":null}");
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_int_eq(rt_edit_record(&made.record, edits, 1, (uint32_t)(3 - i), 100 * i,
						&patches, &err),
				 RT_OK);
	ck_assert(patches.unsorted);
	rt_patches_sort(&patches);
	ck_assert_uint_eq(rt_patches_count(&patches), 4);
	for (uint64_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(rt_patches_get(&patches, i).part, i);
		ck_assert_uint_eq(rt_patches_get(&patches, i).offset, 100 * (3 - i) + 21);
		ck_assert_uint_eq(rt_patches_get(&patches, i).len, 4);
	}
	rt_patches_release(&patches);
	made_release(&made);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("edit");
	TCase *tcase = tcase_create("edit");

	tcase_add_loop_test(tcase, good, 0, GOODS);
	tcase_add_loop_test(tcase, bad, 0, BADS);
	tcase_add_test(tcase, wide_style);
	tcase_add_test(tcase, list_of_many);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
