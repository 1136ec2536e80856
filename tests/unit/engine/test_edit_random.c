/*
 * Random edits of random records: the result is JSON again, has what was asked for and all that
 * was there before, as jansson sees it; and edits are refused where notes cannot be added to.
 */
#include <jansson.h>
#include <stdio.h>

#include "edit_make.h"

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
	ck_assert_msg(rt_json_check(out->data, out->len, &limits, &err) == RT_OK, "%s\n%.*s", text,
		      (int)out->len, out->data);
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

START_TEST(random_edit)
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
	Suite *suite = suite_create("edit_random");
	TCase *tcase = tcase_create("edit_random");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, random_edit, 0, 8);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
