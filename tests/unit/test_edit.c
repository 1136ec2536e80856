/*
 * Edits of records: what is written for each form of a record, byte by byte; what is refused; and
 * that a random edit of a random record changes the members it names, and no byte beside.
 */
#include "engine/edit.h"

#include <jansson.h>
#include <stdio.h>

#include "record/json.h"
#include "record_make.h"
#include "unit.h"

/* Not 0, so that an offset without it shows. */
#define ORIGIN UINT64_C(0x100000007)
#define PART 3u

#define NOTE "{\"added_at\":\"T\",\"text\":\"n\"}"
#define NOTE2 "{\"added_at\":\"T\",\"text\":\"m\"}"

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
    {"missing behind a nested member",
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

static size_t edits_count(const struct rt_edit *edits)
{
	size_t count = 0;

	while (edits[count].name.len)
		count++;
	return count;
}

/* A patch lies inside of its record, and what it takes away is a whole value and nothing beside. */
static void check_patch(struct rt_patch patch, const char *text)
{
	struct rt_limits limits;
	struct rt_error err;
	const char *taken = text + (patch.offset - ORIGIN);

	ck_assert_uint_eq(patch.part, PART);
	ck_assert_uint_ge(patch.offset, ORIGIN + 1);
	ck_assert_uint_le(patch.offset + patch.len, ORIGIN + strlen(text) - 1);
	if (!patch.len)
		return;
	rt_limits_init(&limits);
	ck_assert_int_eq(rt_json_check(taken, patch.len, &limits, RT_SIMD_AUTO, &err), RT_OK);
	ck_assert(!strchr(" \t\r\n", taken[0]) && !strchr(" \t\r\n", taken[patch.len - 1]));
}

/* Edit a record, whose bytes end where they end, and apply the patches. */
static enum rt_status edit(const char *text, const struct rt_edit *edits, struct rt_buf *out,
			   struct rt_error *err)
{
	struct rt_patches patches = {0};
	enum rt_status status;
	struct made made;

	memset(err, 0, sizeof(*err));
	made_init(&made, RT_KIND_ISSUE, text);
	status =
	    rt_edit_record(&made.record, edits, edits_count(edits), PART, ORIGIN, &patches, err);
	ck_assert(!patches.unsorted);
	for (size_t i = 0; i < rt_patches_count(&patches); i++)
		check_patch(rt_patches_get(&patches, i), text);
	if (status == RT_OK)
		ck_assert_int_eq(rt_edit_apply(made.record.text, &patches, ORIGIN, out, err),
				 RT_OK);
	else
		ck_assert_uint_eq(rt_patches_count(&patches), 0);
	rt_patches_release(&patches);
	made_release(&made);
	return status;
}

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

/* --- Random records and edits ------------------------------------------------------------------
 */

/* Repeatable random numbers (xorshift), from 0 to below. */
static size_t pick(uint64_t *state, size_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)((*state >> 16) % below);
}

static void out_text(char *out, const char *text)
{
	strcat(out, text);
}

/* Blanks in one of the ways a record may have them, or of any kind. */
static void out_blanks(char *out, uint64_t *state, size_t way)
{
	static const char *const ways[] = {"", " ", "\n  ", "\r\n\t"};
	static const char *const kinds[] = {" ", "\t", "\n", "\r", "\r\n", ""};

	if (way < 4) {
		out_text(out, ways[way]);
		return;
	}
	for (size_t count = pick(state, 4); count; count--)
		out_text(out, kinds[pick(state, 6)]);
}

/* A key, with some of its letters as escapes. */
static void out_key(char *out, uint64_t *state, const char *name)
{
	bool escapes = pick(state, 8) == 0;

	out_text(out, "\"");
	for (; *name; name++) {
		char letter[8];

		snprintf(letter, sizeof(letter), escapes && pick(state, 3) == 0 ? "\\u%04x" : "%c",
			 *name);
		out_text(out, letter);
	}
	out_text(out, "\"");
}

/* Any value; notes aside, their type is none of the editor's business. */
static void out_value(char *out, uint64_t *state, size_t way, unsigned depth)
{
	static const char *const scalars[] = {
	    "null",
	    "true",
	    "false",
	    "-0",
	    "9.80",
	    "1e400",
	    "123456789012345678901234567890",
	    "\"\"",
	    "\"a\"",
	    "\"\\\\\"",
	    "\"\\\\\\\"\"",
	    "\"]},{[\"",
	    "\"\xC3\xA9\\ud83d\\ude00\\u0000\"",
	    "\"\\\"notes\\\":[]\"",
	};
	size_t kind = depth ? pick(state, 6) : 0;
	size_t count = pick(state, 4);

	if (kind < 4) {
		out_text(out, scalars[pick(state, sizeof(scalars) / sizeof(scalars[0]))]);
		return;
	}
	out_text(out, kind == 4 ? "[" : "{");
	for (size_t i = 0; i < count; i++) {
		if (i)
			out_text(out, ",");
		out_blanks(out, state, way);
		if (kind == 5) {
			static const char *const keys[] = {"notes", "severity", "x"};

			out_key(out, state, keys[i % 3]);
			out_text(out, ":");
			out_blanks(out, state, way);
		}
		out_value(out, state, way, depth - 1);
	}
	out_blanks(out, state, way);
	out_text(out, kind == 4 ? "]" : "}");
}

static const char *const members[] = {"severity",   "notes", "false_positive", "exploitable",
				      "updated_at", "x",     "title",          "nested"};

#define MEMBERS (sizeof(members) / sizeof(members[0]))
#define EDITED 5u /* the first so many of them */

/* A record with some of the members in any order, the id in any place. */
static void random_record(char *out, uint64_t *state)
{
	size_t order[MEMBERS + 1], count = MEMBERS + 1, way = pick(state, 5);
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		size_t at = pick(state, i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	strcpy(out, "{");
	for (size_t i = 0; i < count; i++) {
		if (order[i] < MEMBERS && pick(state, 2))
			continue;
		if (!first)
			out_text(out, ",");
		first = false;
		out_blanks(out, state, way);
		out_key(out, state, order[i] < MEMBERS ? members[order[i]] : "id");
		if (way == 4)
			out_blanks(out, state, way);
		out_text(out, ":");
		out_blanks(out, state, way == 4 ? way : way != 0);
		if (order[i] < MEMBERS)
			out_value(out, state, way, 3);
		else
			out_text(out, "\"the id\"");
	}
	out_blanks(out, state, way);
	out_text(out, "}");
}

static size_t random_edits(struct rt_edit *edits, uint64_t *state)
{
	static const struct rt_slice values[] = {
	    {"\"low\"", 5}, {"true", 4}, {"false", 5}, {"\"a\\\"b\\\\\"", 8}, {"\"\"", 2}};
	static const struct rt_slice notes[] = {{NOTE, sizeof(NOTE) - 1},
						{NOTE "," NOTE2, sizeof(NOTE "," NOTE2) - 1}};
	size_t count = 0, at = pick(state, EDITED);

	for (size_t i = 0; i < EDITED; i++) {
		const char *name = members[(at + i) % EDITED];
		bool is_notes = strcmp(name, "notes") == 0;

		if (pick(state, 2))
			continue;
		edits[count].kind = is_notes ? RT_EDIT_NOTES : RT_EDIT_SET;
		edits[count].name = rt_slice_make(name, strlen(name));
		edits[count++].value = is_notes ? notes[pick(state, 2)] : values[pick(state, 5)];
	}
	edits[count].name.len = 0;
	return count;
}

/* Numbers lose their text in jansson, and large ones are refused: all as real, and none here. */
static json_t *tree(const char *text, size_t len)
{
	char copy[20000];
	json_error_t fault;
	json_t *json;
	size_t at = 0;

	/* 1e400 is beyond jansson; its length stays. */
	ck_assert_uint_lt(len, sizeof(copy));
	memcpy(copy, text, len);
	for (; at + 5 <= len; at++) {
		if (memcmp(copy + at, "1e400", 5) == 0)
			copy[at + 2] = '0';
	}
	json = json_loadb(
	    copy, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &fault);
	ck_assert_msg(json != NULL, "%s at %d: %.*s", fault.text, fault.position, (int)len, text);
	return json;
}

/* What the edit makes of the old value, in jansson's terms. */
static json_t *expected_value(const struct rt_edit *edit, json_t *old)
{
	char list[400];
	json_t *value, *whole;

	snprintf(list, sizeof(list), "[%.*s]", (int)edit->value.len, edit->value.ptr);
	value = json_loads(list, 0, NULL);
	ck_assert_ptr_nonnull(value);
	if (edit->kind == RT_EDIT_SET) {
		json_t *only = json_incref(json_array_get(value, 0));

		json_decref(value);
		return only;
	}
	if (json_is_string(old))
		whole = json_pack("[{s:n, s:O}]", "added_at", "text", old);
	else
		whole = json_is_array(old) ? json_deep_copy(old) : json_array();
	ck_assert_int_eq(json_array_extend(whole, value), 0);
	json_decref(value);
	return whole;
}

/* Whether notes in a record (a tree) refuse to be added to. */
static bool notes_refused(const json_t *record, const struct rt_edit *edits, size_t count)
{
	const json_t *notes = json_object_get(record, "notes");

	for (size_t i = 0; i < count; i++) {
		if (edits[i].kind == RT_EDIT_NOTES && notes && !json_is_array(notes) &&
		    !json_is_string(notes) && !json_is_null(notes))
			return true;
	}
	return false;
}

/* Bytes that are in both texts in this order: `from` is `into` with bytes put in. */
static bool is_within(struct rt_slice from, struct rt_slice into)
{
	size_t at = 0;

	for (size_t i = 0; i < into.len && at < from.len; i++)
		at += from.ptr[at] == into.ptr[i];
	return at == from.len;
}

static void check_result(const char *text, const struct rt_edit *edits, size_t count,
			 const struct rt_buf *out)
{
	struct rt_limits limits;
	struct rt_error err;
	json_t *before = tree(text, strlen(text)), *after = tree(out->data, out->len);
	bool only_notes = count == 1 && edits[0].kind == RT_EDIT_NOTES &&
			  !json_is_null(json_object_get(before, "notes"));

	rt_limits_init(&limits);
	ck_assert_msg(rt_json_check(out->data, out->len, &limits, RT_SIMD_AUTO, &err) == RT_OK,
		      "%s\n%.*s", text, (int)out->len, out->data);
	if (only_notes)
		ck_assert(is_within(rt_slice_make(text, strlen(text)), rt_buf_slice(out)));
	for (size_t i = 0; i < count; i++) {
		const char *name = members[0];
		json_t *old, *value;

		for (size_t m = 0; m < EDITED; m++) {
			if (strncmp(members[m], edits[i].name.ptr, edits[i].name.len) == 0)
				name = members[m];
		}
		old = json_object_get(before, name);
		value = expected_value(&edits[i], old);
		ck_assert_int_eq(json_object_set_new(before, name, value), 0);
	}
	ck_assert_msg(json_equal(before, after), "%s\n%.*s", text, (int)out->len, out->data);
	json_decref(before);
	json_decref(after);
}

#define ROUNDS 3000

START_TEST(random_all)
{
	uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(_i + 1);
	char *text = malloc(20000);
	unsigned refused = 0;

	ck_assert_ptr_nonnull(text);
	for (int round = 0; round < ROUNDS; round++) {
		struct rt_edit edits[RT_EDITS_MAX + 1] = {0};
		struct rt_buf out = {0};
		struct rt_error err;
		bool refuse;
		json_t *json;
		size_t count;

		random_record(text, &state);
		count = random_edits(edits, &state);
		json = tree(text, strlen(text));
		refuse = notes_refused(json, edits, count);
		json_decref(json);
		refused += refuse;
		ck_assert_msg(edit(text, edits, &out, &err) == (refuse ? RT_REJECT : RT_OK), "%s",
			      text);
		if (!refuse)
			check_result(text, edits, count, &out);
		rt_buf_release(&out);
	}
	/* Neither all nor none. */
	ck_assert_uint_gt(refused, ROUNDS / 50);
	ck_assert_uint_lt(refused, ROUNDS / 2);
	free(text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("edit");
	TCase *tcase = tcase_create("edit");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, good, 0, GOODS);
	tcase_add_loop_test(tcase, bad, 0, BADS);
	tcase_add_test(tcase, wide_style);
	tcase_add_test(tcase, list_of_many);
	tcase_add_loop_test(tcase, random_all, 0, 8);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
