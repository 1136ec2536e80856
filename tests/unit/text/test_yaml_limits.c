/*
 * YAML as JSON text: places of the source, cuts of input and output, and limits against hostile
 * input (SPEC D22, HOSTILE 3).
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "convert.h"

/* Many keys and values, so that marks fill blocks; 'é' makes bytes differ from characters. */
static struct rt_buf many_records(unsigned count)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	unsigned i;

	for (i = 0; i < count; i++) {
		char text[200];
		int len = snprintf(
		    text, sizeof(text),
		    "- id: k%u\n  \xc3\xa9:   v%u # \xc3\xa9\n  t: [%u, \"q%u\"]\n\n", i, i, i, i);

		ck_assert_int_eq(rt_buf_append(&buf, text, (size_t)len, &err), RT_OK);
	}
	return buf;
}

/* The place of a text in the source, found the slow way. */
static struct rt_place place_of(const struct rt_buf *source, const char *needle)
{
	const char *found = memmem(source->data, source->len, needle, strlen(needle));
	struct rt_place place = {1, 1, 0};

	ck_assert_ptr_nonnull(found);
	for (; source->data + place.offset < found; place.offset++) {
		place.column++;
		if (source->data[place.offset] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

static void check_place(const struct rt_text *text, const struct rt_buf *out,
			const struct rt_buf *source, const char *json, const char *yaml)
{
	const char *found = memmem(out->data, out->len, json, strlen(json));
	struct rt_place want = place_of(source, yaml);
	size_t i;

	ck_assert_ptr_nonnull(found);
	for (i = 0; i < strlen(json); i++) {
		struct rt_place have = rt_text_place(text, (uint64_t)(found - out->data) + i);

		ck_assert_uint_eq(have.offset, want.offset);
		ck_assert_uint_eq(have.line, want.line);
		ck_assert_uint_eq(have.column, want.column);
	}
}

START_TEST(places)
{
	struct rt_buf source = many_records(3000);
	struct memory memory = {.left = rt_buf_slice(&source), .step = _i ? 7 : 0};
	struct rt_limits limits;
	struct rt_buf out = {0};
	struct rt_text *text;
	struct rt_error err;
	char buf[100];
	char json[20];
	char yaml[20];
	unsigned i;
	size_t len;

	rt_limits_init(&limits);
	ck_assert_int_eq(
	    rt_text_open((struct rt_pull){memory_read, &memory}, NULL, &limits, &text, &err),
	    RT_OK);
	while (rt_text_read(text, buf, sizeof(buf), &len, &err) == RT_OK)
		ck_assert_int_eq(rt_buf_append(&out, buf, len, &err), RT_OK);
	check_place(text, &out, &source, "[", "- id: k0\n");
	check_place(text, &out, &source, "\"k0\"", "k0\n");
	/* Each of the first pairs, so that some are the first of their block. */
	for (i = 0; i < 300; i++) {
		snprintf(json, sizeof(json), "\"v%u\"", i);
		snprintf(yaml, sizeof(yaml), "v%u ", i);
		check_place(text, &out, &source, json, yaml);
	}
	check_place(text, &out, &source, "\"k1999\"", "k1999");
	check_place(text, &out, &source, "\"q2998\"]", "\"q2998\"");
	rt_text_forget(text,
		       (uint64_t)((char *)memmem(out.data, out.len, "\"k1500\"", 7) - out.data));
	check_place(text, &out, &source, "\"k1500\"", "k1500");
	check_place(text, &out, &source, "\"q2998\"]", "\"q2998\"");
	rt_text_forget(text, out.len);
	ck_assert_uint_eq(rt_text_place(text, out.len).line, 11999);
	rt_text_free(text);
	rt_buf_release(&out);
	rt_buf_release(&source);
}
END_TEST

START_TEST(alias_places)
{
	static const char yaml[] = "- &a {b: [c]}\n- x\n-  *a\n";
	struct rt_buf source = {(char *)(uintptr_t)yaml, strlen(yaml), 0};
	struct memory memory = {.left = rt_buf_slice(&source)};
	struct rt_limits limits;
	struct rt_text *text;
	struct rt_error err;
	char buf[100];
	size_t len, at;

	rt_limits_init(&limits);
	ck_assert_int_eq(
	    rt_text_open((struct rt_pull){memory_read, &memory}, NULL, &limits, &text, &err),
	    RT_OK);
	ck_assert_int_eq(rt_text_read(text, buf, sizeof(buf), &len, &err), RT_OK);
	ck_assert_uint_eq(len, strlen("[{\"b\":[\"c\"]},\"x\",{\"b\":[\"c\"]}]\n"));
	for (at = 17; at < len; at++) {
		ck_assert_uint_eq(rt_text_place(text, at + 1).line, 3);
		ck_assert_uint_eq(rt_text_place(text, at + 1).column, 4);
	}
	rt_text_free(text);
}
END_TEST

/* The same text, however the input and the output are cut. */
START_TEST(split)
{
	struct rt_buf source = many_records(60);
	struct rt_limits limits;
	struct memory memory;
	struct rt_error err;
	struct rt_buf want, have;
	size_t cut;

	rt_limits_init(&limits);
	ck_assert_int_eq(convert(source.data, source.len, &want, &err), RT_END);
	for (cut = 1; cut < 70; cut += cut < 20 ? 1 : 13) {
		memory = (struct memory){.left = rt_buf_slice(&source), .step = cut};
		ck_assert_int_eq(convert_with(&memory, &limits, 65536, &have, &err), RT_END);
		ck_assert_str_eq(have.data, want.data);
		rt_buf_release(&have);
		memory = (struct memory){.left = rt_buf_slice(&source), .step = 70 - cut};
		ck_assert_int_eq(convert_with(&memory, &limits, cut, &have, &err), RT_END);
		ck_assert_str_eq(have.data, want.data);
		rt_buf_release(&have);
	}
	rt_buf_release(&want);
	rt_buf_release(&source);
}
END_TEST

/* A line break of YAML 1.1 is found wherever reads cut it, but in quotes, and what is nearly one is
 * text. */
START_TEST(old_breaks)
{
	static const char *const nearly[] = {"\xc2\xa5", "\xe2\x80\xa7", "\xe2\x80\xaa",
					     "\xe2\x81\xa8"};
	static const char *const breaks[] = {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
	static const char *const folded[] = {" ", "\xe2\x80\xa8", "\xe2\x80\xa9"};
	static char text[70000];
	struct rt_limits limits;

	rt_limits_init(&limits);
	for (size_t i = 0; i < 4 * 3 * 8; i++) {
		size_t at = (i % 4 < 3 ? (size_t)16384 << i % 4 : 100) - i / 12, which = i / 4 % 3;
		struct memory memory = {.step = i % 5 ? 0 : 1 + i % 7};
		struct rt_error err;
		struct rt_buf out;

		for (int quoted = 0; quoted < 2; quoted++) {
			size_t len = (size_t)sprintf(text, "- b %s%s", quoted ? "\n- \"" : "#",
						     nearly[i % 4]);

			memset(text + len, 'x', at - len);
			len = at + (size_t)sprintf(text + at, "%s- y\"\n- c\n", breaks[which]);
			memory.left = rt_slice_make(text, len);
			if (!quoted) {
				ck_assert_int_eq(convert_with(&memory, &limits, 65536, &out, &err),
						 RT_REJECT);
				ck_assert_msg(strstr(err.message, "in quotes, have it outside"),
					      "%s", err.message);
				ck_assert_uint_eq(err.column, at + 1);
			} else {
				char want[64];

				ck_assert_msg(convert_with(&memory, &limits, 65536, &out, &err) ==
						  RT_END,
					      "%s", err.message);
				(void)sprintf(want, "x%s- y\"", folded[which]);
				ck_assert_ptr_nonnull(strstr(out.data, want));
			}
			rt_buf_release(&out);
		}
	}
}
END_TEST

/* Input without end, or without measure: an error, and soon. */
static const struct {
	const char *what, *start;
	const char *unit; /* repeated a million times; NULL: last without end */
	char last;
	enum rt_code code;
} hostile[] = {
    {"flow sequences", "- ", "[", 0, RT_E_LIMIT},
    {"block sequences", "", "- ", 0, RT_E_LIMIT},
    {"flow mappings", "", "{a: ", 0, RT_E_LIMIT},
    {"keys", "", "? ", 0, RT_E_INPUT},
    {"anchors", "", "&a ", 0, RT_E_INPUT},
    {"directives", "", "%TAG !a! b\n", 0, RT_E_INPUT},
    {"plain scalar", "a: b", NULL, 'x', RT_E_LIMIT},
    {"quoted scalar", "a: \"", NULL, 'x', RT_E_LIMIT},
    {"empty lines in quotes", "a: \"", NULL, '\n', RT_E_LIMIT},
    {"comment", "a: #", NULL, 'x', RT_E_LIMIT},
    {"blanks", "a:", NULL, ' ', RT_E_LIMIT},
    {"line breaks", "a:", NULL, '\n', RT_E_LIMIT},
    {"tag", "!", NULL, 'x', RT_E_LIMIT},
    {"anchor", "&", NULL, 'x', RT_E_LIMIT},
};

START_TEST(endless)
{
	struct memory memory = {.repeats = UINT64_MAX, .last = hostile[_i].last};
	struct rt_buf source = {0};
	struct rt_limits limits;
	struct rt_error err;
	struct rt_buf out;
	unsigned i;

	rt_limits_init(&limits);
	ck_assert_int_eq(rt_buf_append(&source, hostile[_i].start, strlen(hostile[_i].start), &err),
			 RT_OK);
	if (hostile[_i].unit) {
		memory.repeats = 0;
		for (i = 0; i < 1000000; i++)
			ck_assert_int_eq(rt_buf_append(&source, hostile[_i].unit,
						       strlen(hostile[_i].unit), &err),
					 RT_OK);
	}
	memory.left = rt_buf_slice(&source);
	ck_assert_int_eq(convert_with(&memory, &limits, 65536, &out, &err), RT_REJECT);
	ck_assert_msg(err.code == hostile[_i].code, "%s: %s", hostile[_i].what, err.message);
	ck_assert_uint_gt(err.line, 0);
	if (!hostile[_i].unit)
		ck_assert_uint_lt(UINT64_MAX - memory.repeats, limits.record_bytes + 262144);
	ck_assert_uint_lt(out.len, 5000);
	rt_buf_release(&out);
	rt_buf_release(&source);
}
END_TEST

/* Each %TAG line is compared with all before it. */
START_TEST(directives)
{
	struct rt_buf source = {0};
	struct rt_error err;
	struct rt_buf out;
	unsigned i;

	for (i = 0; i < 200000; i++) {
		char line[40];
		int len = snprintf(line, sizeof(line), "%%TAG !a%u! b\n", i);

		ck_assert_int_eq(rt_buf_append(&source, line, (size_t)len, &err), RT_OK);
	}
	ck_assert_int_eq(convert(source.data, source.len, &out, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want at most 1000 YAML directives in a document, have more");
	rt_buf_release(&out);
	rt_buf_release(&source);
}
END_TEST

START_TEST(depth)
{
	struct rt_limits limits;
	struct memory memory;
	struct rt_error err;
	struct rt_buf out;

	rt_limits_init(&limits);
	limits.depth = 3;
	memory = (struct memory){.left = RT_SLICE("- - - - - a\n")};
	ck_assert_int_eq(convert_with(&memory, &limits, 65536, &out, &err), RT_END);
	ck_assert_str_eq(out.data, "[[[[[\"a\"]]]]]\n");
	rt_buf_release(&out);
	memory = (struct memory){.left = RT_SLICE("- - - - - - a\n")};
	ck_assert_int_eq(convert_with(&memory, &limits, 65536, &out, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_uint_eq(err.column, 11);
	ck_assert_str_eq(err.message, "want at most 3 levels of nesting in a record, have more");
	rt_buf_release(&out);
}
END_TEST

/* The 341 bytes of old: nine levels of nine aliases each. */
static const char laughs[] = "a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
			     "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
			     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
			     "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
			     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
			     "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
			     "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n"
			     "h: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n"
			     "i: &i [*h,*h,*h,*h,*h,*h,*h,*h,*h]\n";

START_TEST(alias_bomb)
{
	struct rt_error err;
	struct rt_buf out;

	ck_assert_int_eq(convert(laughs, strlen(laughs), &out, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_uint_eq(err.line, 7);
	ck_assert_uint_lt(out.len, 3 * RT_LIMIT_ALIAS);
	rt_buf_release(&out);
}
END_TEST

/* The budget of a record, of a document's anchors, and of the whole part. */
static const struct {
	const char *what, *yaml;
	uint64_t alias, expanded;
	uint64_t line; /* of the error; 0: none */
} budgets[] = {
    {"as much as allowed in an item", "- &a aaaaaaaa\n- [*a,*a]\n- [*a,*a]\n", 200, 1000, 0},
    {"items of a sequence anew",
     "- &a [aaaaaaaa]\n- [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "- [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n",
     130, 1000, 0},
    {"one too many",
     "- &a [aaaaaaaa]\n- [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "- {x: [*a,*a,*a,*a,*a,*a],\n y: [*a,*a,*a,*a,*a,*a]}\n",
     130, 1000, 4},
    {"items in a member anew",
     "i:\n- &a [aaaaaaaa]\n- x: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "- x: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n",
     130, 1000, 0},
    {"text of anchors", "- &a aaaaaaaa\n- &b bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n", 200, 1000, 2},
    {"number of anchors", "- &a 1\n- &b 2\n- &c 3\n", 200, 1000, 3},
    {"anchors of each document", "--- &a 1\n--- &a 2\n--- &a 3\n", 110, 1000, 0},
    {"the whole part", "- &a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n- *a\n- *a\n- *a\n",
     200, 200, 4},
};

START_TEST(budget)
{
	struct memory memory = {.left = {budgets[_i].yaml, strlen(budgets[_i].yaml)}};
	enum rt_status status;
	struct rt_limits limits;
	struct rt_error err;
	struct rt_buf out;

	rt_limits_init(&limits);
	limits.alias_bytes = budgets[_i].alias;
	limits.expanded_bytes = budgets[_i].expanded;
	status = convert_with(&memory, &limits, 65536, &out, &err);
	ck_assert_msg(status == (budgets[_i].line ? RT_REJECT : RT_END), "%s: %s", budgets[_i].what,
		      err.message);
	if (budgets[_i].line) {
		ck_assert_int_eq(err.code, RT_E_LIMIT);
		ck_assert_uint_eq(err.line, budgets[_i].line);
	}
	rt_buf_release(&out);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

static Suite *suite_make(void)
{
	Suite *suite = suite_create("yaml_limits");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, places, 0, 2);
	tcase_add_test(cases, alias_places);
	tcase_add_test(cases, split);
	tcase_add_loop_test(cases, endless, 0, ROWS(hostile));
	tcase_add_test(cases, old_breaks);
	tcase_add_test(cases, directives);
	tcase_add_test(cases, depth);
	tcase_add_test(cases, alias_bomb);
	tcase_add_loop_test(cases, budget, 0, ROWS(budgets));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
