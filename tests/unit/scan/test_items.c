/*
 * Members and elements of checked text, one by one; where strings end; and that no byte after a
 * text is read, whatever it is.
 */
#include "scan/items.h"

#include <stdio.h>

#include "unit.h"

static const struct {
	const char *what, *text;
	const char *items; /* wanted: key=value or value, '|' after each */
} lists[] = {
    {"empty object", "{}", ""},
    {"empty array", "[\r\n]", ""},
    {"one member", "{\"a\":1}", "a=1|"},
    {"one element", "[ 1 ]", "1|"},
    {"blanks of all kinds", "{ \"a\"\t:\r\n1 ,\n\"b\" : null }", "a=1|b=null|"},
    {"literals and numbers", "[null,true ,false\n,-1.5e+3]", "null|true|false|-1.5e+3|"},
    {"strings", "[\"\",\"a\",\"\\\"\",\"\\\\\",\"\\\\\\\"]\"]",
     "\"\"|\"a\"|\"\\\"\"|\"\\\\\"|\"\\\\\\\"]\"|"},
    {"brackets in strings", "{\"}\":\"]\",\"[\":\"{\"}", "}=\"]\"|[=\"{\"|"},
    {"nested", "{\"a\":{\"b\":[1,{\"c\":\"}\"}]},\"d\":[[],[ ]]}",
     "a={\"b\":[1,{\"c\":\"}\"}]}|d=[[],[ ]]|"},
    {"an empty key", "{\"\":\"\"}", "=\"\"|"},
    {"keys keep their escapes", "{\"\\u0061\\\"\":1}", "\\u0061\\\"=1|"},
    {"commas and colons in strings", "{\"a,b:c\":\"d,e:f\",\"g\":[\",\"]}",
     "a,b:c=\"d,e:f\"|g=[\",\"]|"},
    {"words of eight bytes", "[\"01234567\",\"0123456\",\"012345678\",\"0123456789abcdef\"]",
     "\"01234567\"|\"0123456\"|\"012345678\"|\"0123456789abcdef\"|"},
    {"bytes from 0x80 on", "[\"\xC2\xA2\xC3\x9C\xE2\x80\xA2\",\"\xDC\xA2\"]",
     "\"\xC2\xA2\xC3\x9C\xE2\x80\xA2\"|\"\xDC\xA2\"|"},
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* A copy that ends where the text does. To be freed. */
static char *copy(const char *text, size_t len)
{
	char *block = malloc(len ? len : 1);

	ck_assert_ptr_nonnull(block);
	memcpy(block, text, len);
	return block;
}

START_TEST(list)
{
	size_t len = strlen(lists[_i].text);
	char *block = copy(lists[_i].text, len), have[400] = "";
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, rt_slice_make(block, len));
	while (rt_items_next(&items, &item)) {
		ck_assert((item.key.ptr != NULL) == (*block == '{'));
		if (item.key.ptr) {
			strncat(have, item.key.ptr, item.key.len);
			strcat(have, "=");
		}
		strncat(have, item.value.ptr, item.value.len);
		strcat(have, "|");
	}
	ck_assert(!rt_items_next(&items, &item));
	ck_assert_msg(strcmp(have, lists[_i].items) == 0, "%s: want %s, have %s", lists[_i].what,
		      lists[_i].items, have);
	ck_assert_msg(rt_items_value(block, block + len) == block + len, "%s: the whole",
		      lists[_i].what);
	free(block);
}
END_TEST

static const struct {
	const char *what, *text; /* after the opening quote */
	size_t end;
	bool loose;
} strings[] = {
    {"empty", "\"", 0, false},
    {"plain", "abc\"x", 3, false},
    {"seven bytes", "1234567\"", 7, false},
    {"eight bytes", "12345678\"", 8, false},
    {"a backslash as the eighth", "1234567\\\"8\"", 10, false},
    {"an escaped quote", "\\\"\"", 2, false},
    {"an escaped backslash", "\\\\\"", 2, false},
    {"both", "\\\\\\\"\"", 4, false},
    {"letters", "\\n\\t\\r\\b\\f\"", 10, false},
    {"a slash", "\\/\"", 2, true},
    {"a plain slash", "/\"", 1, false},
    {"\\u", "\\u0041\"", 6, true},
    {"u after a backslash that is text", "\\\\u0041\"", 7, false},
    {"the two bytes that differ from a quote by one bit", "\x23\x20\xA2\xDC\x5D\x4C\"", 6, false},
};

#define STRINGS (sizeof(strings) / sizeof(strings[0]))

START_TEST(string)
{
	char text[64];

	/* At every place in a word. */
	for (size_t shift = 0; shift < 10; shift++) {
		size_t len =
		    (size_t)sprintf(text, "%.*s%s", (int)shift, "----------", strings[_i].text);
		char *block = copy(text, len);
		bool loose = false;

		ck_assert_msg(rt_items_string(block, block + len, &loose) ==
				  block + shift + strings[_i].end,
			      "%s", strings[_i].what);
		ck_assert_msg(loose == strings[_i].loose, "%s", strings[_i].what);
		free(block);
	}
}
END_TEST

/* A collection ends where its own bracket does, wherever strings, backslashes and brackets in
 * strings fall in a block. */
START_TEST(skip)
{
	static const char *const pieces[] = {"{\"k\":[1,{}]}", "\"}]\"", "\"\\\"]\"", "\"\\\\\"",
					     "[[], [\"[\"]]",  "-1.5e3", "null"};

	for (size_t pad = 0; pad < 140; pad++) {
		char text[1024];
		char *block;
		size_t len = (size_t)sprintf(text, "[\"");

		/* Backslashes in pairs, then text up to here. */
		for (size_t i = 0; i < pad; i++)
			text[len++] = i < pad / 2 * 2 && (size_t)_i % 2 ? '\\' : 'x';
		text[len++] = '"';
		for (size_t i = 0; i < 9; i++)
			len += (size_t)sprintf(text + len, ", %s",
					       pieces[((size_t)_i + i * (1 + pad % 5)) %
						      (sizeof(pieces) / sizeof(pieces[0]))]);
		text[len++] = ']';
		block = copy(text, len);
		ck_assert_msg(rt_items_value(block, block + len) == block + len, "%.*s", (int)len,
			      text);
		free(block);
		/* What follows is not looked at. */
		(void)sprintf(text + len, "]\"}");
		block = copy(text, len + 3);
		ck_assert(rt_items_value(block, block + len + 3) == block + len);
		ck_assert(rt_items_container(block, block + len + 3) == block + len);
		/* Without its end it goes to the end. */
		ck_assert(rt_items_value(block, block + len - 1) == block + len - 1);
		ck_assert(rt_items_container(block, block + len - 1) == block + len - 1);
		free(block);
	}
}
END_TEST

/* Every text above cut short at every byte. */
START_TEST(cut)
{
	for (size_t len = 0; len < strlen(lists[_i].text); len++) {
		char *block = copy(lists[_i].text, len);
		struct rt_items items;
		struct rt_item item;
		size_t count = 0;

		rt_items_init(&items, rt_slice_make(block, len));
		while (rt_items_next(&items, &item)) {
			ck_assert(item.value.ptr >= block &&
				  item.value.ptr + item.value.len <= block + len);
			ck_assert_uint_le(++count, len);
		}
		ck_assert(rt_items_value(block, block + len) <= block + len);
		free(block);
	}
}
END_TEST

START_TEST(keys)
{
	static const struct {
		const char *key, *name;
		bool is;
	} rows[] = {
	    {"notes", "notes", true},
	    {"note", "notes", false},
	    {"notess", "notes", false},
	    {"n\\u006ftes", "notes", true},
	    {"\\u006e\\u006F\\u0074\\u0065\\u0073", "notes", true},
	    {"n\\u0070tes", "notes", false},
	    {"", "", true},
	    {"\\n", "n", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(rt_items_key_is(rt_slice_make(rows[i].key, strlen(rows[i].key)),
					      rt_slice_make(rows[i].name, strlen(rows[i].name))) ==
				  rows[i].is,
			      "%s", rows[i].key);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("items");
	TCase *tcase = tcase_create("items");

	tcase_add_loop_test(tcase, list, 0, LISTS);
	tcase_add_loop_test(tcase, string, 0, STRINGS);
	tcase_add_loop_test(tcase, skip, 0, 14);
	tcase_add_loop_test(tcase, cut, 0, LISTS);
	tcase_add_test(tcase, keys);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
