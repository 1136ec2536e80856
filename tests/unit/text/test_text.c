/*
 * What a part is taken for by its first bytes: JSON, YAML, or nothing of ours.
 */
#include "text/text.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "unit.h"

/* A pull over memory, at most step bytes a read; bytes repeats of the last byte follow. */
struct memory {
	struct rt_slice left;
	size_t step;
	uint64_t repeats;
	char last;
	bool fails; /* instead of RT_END */
};

static enum rt_status memory_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct memory *memory = ctx;
	size_t len = memory->left.len;

	if (memory->step && cap > memory->step)
		cap = memory->step;
	if (len == 0 && memory->repeats > 0) {
		*ret_len = memory->repeats < cap ? (size_t)memory->repeats : cap;
		memset(buf, memory->last, *ret_len);
		memory->repeats -= *ret_len;
		return RT_OK;
	}
	if (len == 0 && memory->fails)
		return rt_error_sys(err, 5, "read"); /* EIO */
	if (len == 0)
		return RT_END;
	if (len > cap)
		len = cap;
	memcpy(buf, memory->left.ptr, len);
	memory->left.ptr += len;
	memory->left.len -= len;
	*ret_len = len;
	return RT_OK;
}

static enum rt_status open_memory(struct memory *memory, struct rt_text **ret_text,
				  struct rt_error *err)
{
	static struct rt_limits limits;

	rt_limits_init(&limits);
	memset(err, 0, sizeof(*err));
	return rt_text_open((struct rt_pull){memory_read, memory}, NULL, &limits, ret_text, err);
}

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct {
	const char *what;
	struct rt_slice in;
	bool yaml;
	const char *out; /* NULL: as it came, without a BOM */
} kinds[] = {
    {"empty object", TEXT("{}"), false, NULL},
    {"empty array", TEXT("[]"), false, NULL},
    {"member", TEXT("{\"id\":1}"), false, NULL},
    {"blanks before and inside", TEXT("   \n\n [ \n\t{ \r\n \"a\""), false, NULL},
    {"array of digits", TEXT("[1,2]"), false, NULL},
    {"array of a negative number", TEXT("[-1]"), false, NULL},
    {"array of true", TEXT("[true]"), false, NULL},
    {"array of false, cut", TEXT("[false"), false, NULL},
    {"array of null and a blank", TEXT("[null ,1]"), false, NULL},
    {"brackets to the end", TEXT("[[[{"), false, NULL},
    {"wrong comma", TEXT("[,"), false, NULL},
    {"wrong colon", TEXT("{:"), false, NULL},
    {"raw NUL", TEXT("[ \0"), false, NULL},
    {"JSON Lines", TEXT("{\"a\":1}\n{\"a\":2}\n"), false, NULL},
    {"BOM", TEXT("\xef\xbb\xbf[\"a\"]"), false, NULL},
    {"BOM and blanks", TEXT("\xef\xbb\xbf\n [\"a\"]"), false, NULL},
    {"flow mapping, plain key", TEXT("{id: a}"), true, "{\"id\":\"a\"}\n"},
    {"flow sequence, single quote", TEXT("[{'id': 1}]"), true, "[{\"id\":1}]\n"},
    {"flow sequence, plain word", TEXT("[foo]"), true, "[\"foo\"]\n"},
    {"word that starts with null", TEXT("[nullable]"), true, "[\"nullable\"]\n"},
    {"word that is cut", TEXT("[nul"), true, ""},
    {"comment, then JSON", TEXT("# x\n{\"a\": 1}"), true, "{\"a\":1}\n"},
    {"document marker, then JSON", TEXT("--- {\"a\": 1}"), true, "{\"a\":1}\n"},
    {"BOM and block mapping",
     TEXT("\xef\xbb\xbf"
	  "a: b\n"),
     true, "{\"a\":\"b\"}\n"},
    {"not ASCII", TEXT("\xc3\xa9: 1\n"), true, "{\"\xc3\xa9\":1}\n"},
    {"bracket, then not ASCII", TEXT("[\xc3\xa9]"), true, "[\"\xc3\xa9\"]\n"},
    {"quoted scalar", TEXT("\"a\""), true, "\"a\"\n"},
    {"quoted key, plain value", TEXT("{\"id\": a, \"b\": 1}"), true, "{\"id\":\"a\",\"b\":1}\n"},
    {"a plain value after a JSON one", TEXT("{\"id\": \"a\", \"b\": c}"), false, NULL},
    {"a key with NaN", TEXT("{\"id\": NaN}"), false, NULL},
    {"carriage returns alone", TEXT("\r\rid: a\rb: c\r"), true, "{\"id\":\"a\",\"b\":\"c\"}\n"},
    {"carriage return, then JSON", TEXT("\r\n\r [1]"), false, " \n\r [1]"},
    {"a line of tabs", TEXT("  \t\nid: a\nb: c\n"), true, "{\"id\":\"a\",\"b\":\"c\"}\n"},
    {"lines of tabs after a comment", TEXT("# x\n\t\n \t \nid: a\nb: c\n"), true,
     "{\"id\":\"a\",\"b\":\"c\"}\n"},
    {"a comment after tabs", TEXT("\t\t# x\nid: a\n"), true, "{\"id\":\"a\"}\n"},
    {"a line of tabs after the marker", TEXT("\t\n--- \t# x\n\t\nid: a\n"), true,
     "{\"id\":\"a\"}\n"},
    {"a marker by itself", TEXT("---\n"), true, "null\n"},
    {"a marker at the end", TEXT("---"), true, "null\n"},
    {"two markers", TEXT("---\n---\nid: a\n"), true, "null\n{\"id\":\"a\"}\n"},
    {"a word that starts like a marker", TEXT("---a: b\n"), true, "{\"---a\":\"b\"}\n"},
    {"a marker's beginning", TEXT("--"), true, "\"--\"\n"},
    {"an indented marker", TEXT(" ---: b\n"), true, "{\"---\":\"b\"}\n"},
    {"a tab before a flow mapping", TEXT("\t{id: a}\n"), true, "{\"id\":\"a\"}\n"},
};

/* Under a name that says YAML: what is not JSON to its end is YAML. */
static const struct {
	const char *what;
	struct rt_slice in;
	bool yaml;
} names[] = {
    {"JSON", TEXT("{\"id\": \"a\\ud83d\\ude00\", \"b\": [1.50]}\n"), false},
    {"JSON Lines", TEXT("{\"a\":1}\n{\"a\":2}\n"), false},
    {"JSON that is cut", TEXT("{\"a\":1"), false},
    {"a plain value after a JSON one", TEXT("{\"id\": \"a\", \"b\": c}"), true},
    {"a trailing comma", TEXT("[{\"id\": \"a\"},]"), true},
    {"a number of YAML", TEXT("[{\"id\": \"a\", \"n\": 0x1F}]"), true},
    {"a tab in a string", TEXT("[\"a\tb\"]"), true},
    {"another document", TEXT("[\"a\"]\n---\n[\"b\"]\n"), true},
};

START_TEST(named)
{
	for (size_t step = 0; step < 9; step++) {
		const struct rt_text_hints hints = {.named_yaml = true};
		struct memory memory = {.left = names[_i].in, .step = step};
		struct rt_text *text = NULL;
		struct rt_limits limits;
		struct rt_error err;

		rt_limits_init(&limits);
		ck_assert_msg(rt_text_open((struct rt_pull){memory_read, &memory}, &hints, &limits,
					   &text, &err) == RT_OK,
			      "%s: %s", names[_i].what, err.message);
		ck_assert_msg(rt_text_is_yaml(text) == names[_i].yaml, "%s", names[_i].what);
		rt_text_free(text);
	}
}
END_TEST

/* The look goes as far as one record may have bytes, and holds no more. */
START_TEST(named_far)
{
	const struct rt_text_hints hints = {.named_yaml = true};
	struct rt_buf in = {0};
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	limits.record_bytes = 100000;
	ck_assert_int_eq(rt_buf_append(&in, "[\"a\"", 4, &err), RT_OK);
	for (size_t i = 0; i < 30000; i++)
		ck_assert_int_eq(rt_buf_append(&in, ",\"b\"", 4, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&in, ",c]", 3, &err), RT_OK);
	for (int far = 0; far < 2; far++) {
		struct memory memory = {.left = rt_buf_slice(&in), .step = 1000};
		struct rt_text *text = NULL;

		limits.record_bytes = far ? 200000 : 100000;
		ck_assert_int_eq(rt_text_open((struct rt_pull){memory_read, &memory}, &hints,
					      &limits, &text, &err),
				 RT_OK);
		ck_assert_int_eq(rt_text_is_yaml(text), far);
		if (!far)
			ck_assert_uint_eq(in.len - memory.left.len, 100000);
		rt_text_free(text);
	}
	rt_buf_release(&in);
}
END_TEST

/* With reads of any size from 1 on, and into buffers of any size from 1 on. */
START_TEST(kind)
{
	size_t step, cap;

	for (step = 0; step < 9; step++) {
		for (cap = 1; cap < 9; cap++) {
			struct memory memory = {.left = kinds[_i].in, .step = step};
			size_t skip = !strncmp(kinds[_i].in.ptr, "\xef\xbb\xbf", 3) ? 3 : 0;
			char have[128] = "";
			struct rt_text *text;
			struct rt_error err;
			size_t used = 0, len;

			ck_assert_msg(open_memory(&memory, &text, &err) == RT_OK, "%s: %s",
				      kinds[_i].what, err.message);
			ck_assert_msg(rt_text_is_yaml(text) == kinds[_i].yaml, "%s",
				      kinds[_i].what);
			ck_assert_uint_eq(rt_text_skipped(text), skip);
			while (rt_text_read(text, have + used, cap, &len, &err) == RT_OK)
				used += len;
			rt_text_free(text);
			if (kinds[_i].out)
				ck_assert_msg(!strncmp(have, kinds[_i].out, strlen(kinds[_i].out)),
					      "%s: have %s", kinds[_i].what, have);
			else
				ck_assert_mem_eq(have, kinds[_i].in.ptr + skip,
						 kinds[_i].in.len - skip);
		}
	}
}
END_TEST

static const struct {
	const char *what;
	struct rt_slice in;
	uint64_t line, column, offset;
	const char *message;
} refused[] = {
    {"nothing", TEXT(""), 1, 1, 0, "want JSON or YAML, have nothing"},
    {"BOM only", TEXT("\xef\xbb\xbf"), 1, 1, 3, "want JSON or YAML, have nothing"},
    {"blanks only", TEXT(" \n\t\r\n "), 3, 2, 6, "want JSON or YAML, have nothing but blanks"},
    {"comments only", TEXT("# x\n# y\n"), 3, 1, 8,
     "want a JSON or YAML document, have blanks and comments only"},
    {"a comment after tabs only", TEXT("\t# x"), 1, 5, 4,
     "want a JSON or YAML document, have blanks and comments only"},
    {"a tab before a key", TEXT("\n \tid: a\n"), 2, 1, 1,
     "want valid YAML, have: found character that cannot start any token while scanning for the "
     "next token"},
    {"NUL", TEXT("\0"), 1, 1, 0, "want JSON, YAML or an archive, have binary data"},
    {"control byte after blanks", TEXT("\n \x01x"), 2, 2, 2,
     "want JSON, YAML or an archive, have binary data"},
    {"DEL",
     TEXT("\x7f"
	  "ELF"),
     1, 1, 0, "want JSON, YAML or an archive, have binary data"},
    {"no UTF-8", TEXT("\xe9t\xe9: 1"), 1, 1, 0, "want JSON, YAML or an archive, have binary data"},
    {"cut UTF-8", TEXT("\xf0\x9f"), 1, 1, 0, "want JSON, YAML or an archive, have binary data"},
    {"UTF-16LE BOM", TEXT("\xff\xfe[\0]\0"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-16BE BOM", TEXT("\xfe\xff\0[\0]"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-16 BOM only", TEXT("\xff\xfe"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-16LE", TEXT("[\0]\0"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-16BE", TEXT("\0[\0]"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-16LE, one character", TEXT("1\0"), 1, 1, 0, "want UTF-8, have UTF-16"},
    {"UTF-32LE BOM", TEXT("\xff\xfe\0\0[\0\0\0"), 1, 1, 0, "want UTF-8, have UTF-32"},
    {"UTF-32BE BOM", TEXT("\0\0\xfe\xff\0\0\0["), 1, 1, 0, "want UTF-8, have UTF-32"},
    {"UTF-32LE", TEXT("[\0\0\0"), 1, 1, 0, "want UTF-8, have UTF-32"},
    {"UTF-32BE", TEXT("\0\0\0["), 1, 1, 0, "want UTF-8, have UTF-32"},
};

START_TEST(refuse)
{
	size_t step;

	for (step = 0; step < 6; step++) {
		struct memory memory = {.left = refused[_i].in, .step = step};
		struct rt_text *text = NULL;
		struct rt_error err;

		ck_assert_msg(open_memory(&memory, &text, &err) == RT_REJECT, "%s",
			      refused[_i].what);
		ck_assert_ptr_null(text);
		ck_assert_int_eq(err.code, RT_E_INPUT);
		ck_assert_str_eq(err.message, refused[_i].message);
		ck_assert_uint_eq(err.line, refused[_i].line);
		ck_assert_uint_eq(err.column, refused[_i].column);
		ck_assert_uint_eq(err.offset, refused[_i].offset);
	}
}
END_TEST

/* A million brackets are JSON, and the look at them ends. */
START_TEST(brackets)
{
	struct memory memory = {.left = RT_SLICE("["), .repeats = 1000000, .last = '['};
	struct rt_text *text;
	struct rt_error err;

	ck_assert_int_eq(open_memory(&memory, &text, &err), RT_OK);
	ck_assert(!rt_text_is_yaml(text));
	ck_assert_uint_gt(memory.repeats, 990000);
	rt_text_free(text);
}
END_TEST

START_TEST(blanks_without_end)
{
	static const char blanks[] = " \n\t\r";
	struct memory memory = {.left = RT_SLICE(" "), .repeats = UINT64_MAX, .last = blanks[_i]};
	struct rt_text *text;
	struct rt_error err;

	ck_assert_int_eq(open_memory(&memory, &text, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_uint_le(UINT64_MAX - memory.repeats, RT_LIMIT_RECORD + 65536);
}
END_TEST

/* A long run of blanks is not kept, but what follows stands where it stood. */
START_TEST(long_blanks)
{
	const char *rest = _i ? "\n \n  a: 1\n" : "\n \n  [\"a\"]";
	struct rt_buf in = {0};
	struct rt_buf out = {0};
	struct memory memory;
	struct rt_text *text;
	struct rt_error err;
	char buf[1000];
	size_t lines = 0;
	size_t i, len;

	for (i = 0; i < 10000; i++)
		ck_assert_int_eq(rt_buf_append(&in, i % 7 ? " " : "\n", 1, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&in, rest, strlen(rest), &err), RT_OK);
	memory = (struct memory){.left = rt_buf_slice(&in)};
	ck_assert_int_eq(open_memory(&memory, &text, &err), RT_OK);
	ck_assert_int_eq(rt_text_is_yaml(text), _i);
	while (rt_text_read(text, buf, sizeof(buf), &len, &err) == RT_OK)
		ck_assert_int_eq(rt_buf_append(&out, buf, len, &err), RT_OK);
	for (i = 0; i < in.len - strlen(rest); i++)
		lines += in.data[i] == '\n';
	if (_i) {
		struct rt_place place = rt_text_place(text, 1);

		ck_assert_uint_eq(place.line, lines + 3);
		ck_assert_uint_eq(place.column, 3);
		ck_assert_uint_eq(place.offset, in.len - strlen("a: 1\n"));
	} else {
		ck_assert_uint_eq(out.len, in.len);
		ck_assert_mem_eq(out.data + out.len - 8, "\n  [\"a\"]", 8);
		for (i = 0; i < out.len; i++)
			lines -= out.data[i] == '\n';
		ck_assert_uint_eq(lines + 2, 0);
	}
	rt_text_free(text);
	rt_buf_release(&in);
	rt_buf_release(&out);
}
END_TEST

/* The pull's failure is passed on, wherever it comes. */
START_TEST(pull_fails)
{
	static const char json[] = "  [ true, {\"a\": 1}]";
	static const char yaml[] = "  - a: 1\n  - b: 2\n";
	const char *in = _i ? yaml : json;
	size_t at;

	for (at = 0; at <= strlen(in); at++) {
		struct memory memory = {.left = {in, at}, .fails = true};
		enum rt_status status;
		struct rt_text *text;
		struct rt_error err;
		char buf[64];
		size_t len;

		status = open_memory(&memory, &text, &err);
		if (status == RT_OK) {
			do
				status = rt_text_read(text, buf, sizeof(buf), &len, &err);
			while (status == RT_OK);
			rt_text_free(text);
		}
		ck_assert_int_eq(status, RT_FATAL);
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_int_eq(err.sys, 5);
	}
	rt_text_free(NULL);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("text");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, kind, 0, (int)(sizeof(kinds) / sizeof(kinds[0])));
	tcase_add_loop_test(cases, named, 0, (int)(sizeof(names) / sizeof(names[0])));
	tcase_add_test(cases, named_far);
	tcase_add_loop_test(cases, refuse, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_test(cases, brackets);
	tcase_add_loop_test(cases, blanks_without_end, 0, 4);
	tcase_add_loop_test(cases, long_blanks, 0, 2);
	tcase_add_loop_test(cases, pull_fails, 0, 2);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
