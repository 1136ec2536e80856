/*
 * Whether two records hold the same: pairs that do and pairs that do not, each also inside of
 * arrays and objects; and the account of those that are there, changed, missing or too many.
 */
#include "ops/compare.h"

#include <stdio.h>

#include "base/limits.h"
#include "unit.h"

/* Text of a value on each side. */
static const struct {
	const char *what, *a, *b;
	bool same;
} pairs[] = {
    {"a string", "\"a\"", "\"a\"", true},
    {"another string", "\"a\"", "\"b\"", false},
    {"a longer one", "\"a\"", "\"a \"", false},
    {"empty and null", "\"\"", "null", false},
    {"a letter as an escape", "\"caf\xC3\xA9\"", "\"c\\u0061f\\u00E9\"", true},
    {"hex digits in both cases", "\"\\u00e9\\u001F\"", "\"\\u00E9\\u001f\"", true},
    {"line ends", "\"a\\nb\\r\\t\\b\\f\"", "\"a\\u000ab\\u000D\\u0009\\u0008\\u000c\"", true},
    {"slashes", "\"a/b\\/\"", "\"a\\/b/\"", true},
    {"quotes and backslashes", "\"\\\"\\\\\"", "\"\\u0022\\u005C\"", true},
    {"a pair", "\"\xF0\x9F\x98\x80!\"", "\"\\ud83D\\uDe00!\"", true},
    {"a pair in capitals", "\"\xF0\x9F\x98\x80!\"", "\"\\uD83D\\uDE00!\"", true},
    {"another pair", "\"\xF0\x9F\x98\x80\"", "\"\\ud83D\\uDe01\"", false},
    {"the largest code point", "\"\xF4\x8F\xBF\xBF\"", "\"\\udbff\\udfff\"", true},
    {"a pair's first two digits alone", "\"\xED\x9F\xBF\"", "\"\\ud7ff\"", true},
    {"NUL", "\"\\u0000\"", "\"\"", false},
    {"VT", "\"\\u000b\"", "\"\\u000B\"", true},
    {"DEL", "\"\x7F\"", "\"\\u007f\"", true},
    {"an escape that is text", "\"\\\\u0041\"", "\"A\"", false},
    {"an escape that is text, twice", "\"\\\\u0041/\"", "\"\\u005cu0041\\/\"", true},
    {"n and its escape", "\"n\"", "\"\\n\"", false},
    {"string and number", "\"1\"", "1", false},
    {"string and literal", "\"true\"", "true", false},
    {"numbers by their text", "9.80", "9.8", false},
    {"the same number", "-9.80e+01", "-9.80e+01", true},
    {"e and E", "1e5", "1E5", false},
    {"minus nothing", "-0", "0", false},
    {"long numbers", "123456789012345678901234567890", "123456789012345678901234567890", true},
    {"the last digit", "123456789012345678901234567890", "123456789012345678901234567891", false},
    {"true and false", "true", "false", false},
    {"null and false", "null", "false", false},
    {"arrays", "[1,\"a\",null]", "[ 1 ,\r\n\"a\",\tnull ]", true},
    {"an array's order", "[1,2]", "[2,1]", false},
    {"elements that repeat", "[1,1,2]", "[1,2,2]", false},
    {"one element less", "[1,1]", "[1]", false},
    {"an element that is null", "[null]", "[]", false},
    {"array and object", "[]", "{}", false},
    {"array and its element", "[1]", "1", false},
    {"array in an array", "[[1]]", "[1]", false},
    {"the same elements cut otherwise", "[[1],[2,3]]", "[[1,2],[3]]", false},
    {"nothing at another place", "[[],1]", "[1,[]]", false},
    {"empty arrays", "[[],[]]", "[[ ],[\n]]", true},
    {"members", "{\"a\":1,\"b\":2}", "{ \"b\" : 2 , \"a\" : 1 }", true},
    {"members with their values swapped", "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false},
    {"one name for another", "{\"a\":1}", "{\"b\":1}", false},
    {"name and value swapped", "{\"a\":\"b\"}", "{\"b\":\"a\"}", false},
    {"an empty name", "{\"\":1}", "{\"\\u0000\":1}", false},
    {"a name with escapes", "{\"a/b\":1}", "{\"\\u0061\\/b\":1}", true},
    {"a null member and none", "{\"a\":null}", "{}", false},
    {"a member twice", "{\"a\":1,\"a\":1}", "{\"a\":1}", false},
    {"a member twice, in the other order", "{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}", false},
    {"a member twice, others in between", "{\"a\":1,\"b\":0,\"a\":2}", "{\"a\":1,\"a\":2,\"b\":0}",
     true},
    {"a member twice, others", "{\"a\":1,\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2,\"a\":2}", false},
    {"names and indices", "{\"0\":1}", "[1]", false},
    {"deep", "{\"a\":{\"b\":[{\"c\":1,\"d\":2},3]},\"e\":4}",
     "{\"e\":4,\"a\":{\"b\":[{\"d\":2,\"c\":1},3]}}", true},
    {"deep, one level moved", "{\"a\":{\"b\":[{\"c\":1},{\"d\":2}]}}",
     "{\"a\":{\"b\":[{\"c\":1,\"d\":2}]}}", false},
    {"member of the one or the other", "{\"a\":{\"x\":1},\"b\":{}}", "{\"a\":{},\"b\":{\"x\":1}}",
     false},
    {"values of two objects swapped", "[{\"x\":1,\"y\":2},{\"x\":3,\"y\":4}]",
     "[{\"x\":1,\"y\":4},{\"x\":3,\"y\":2}]", false},
    {"brackets in strings", "{\"a\":\"}]\",\"b\":[\"{\"]}", "{\"b\":[\"{\"],\"a\":\"}]\"}", true},
    {"a name of 31 bytes", "{\"abcdefghijklmnopqrstuvwxyz01234\":1}",
     "{\"abcdefghijklmnopqrstuvwxyz01235\":1}", false},
    {"a name of 200 bytes",
     "{\"abcdefghijklmnopqrstuvwxyz01234567890123456789abcdefghijklmnopqrstuvwxyz0123456789012345"
     "6789abcdefghijklmnopqrstuvwxyz01234567890123456789abcdefghijklmnopqrstuvwxyz01234567890123"
     "456789\":1}",
     "{\"abcdefghijklmnopqrstuvwxyz01234567890123456789abcdefghijklmnopqrstuvwxyz0123456789012345"
     "6789abcdefghijklmnopqrstuvwxyz01234567890123456789abcdefghijklmnopqrstuvwxyz01234567890123"
     "456788\":1}",
     false},
};

#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/* Where a value stands in its record; %s takes it. */
static const char *const places[] = {
    "{\"x\":%s}",
    "{\"id\":\"a\",\"x\" : %s ,\"y\":[\"z\"]}",
    "{\"x\":[%s]}",
    "{\"x\":[1,{\"y\":2,\"z\":%s}],\"w\":null}",
    "{\n\"x\"\r:\t{ \"y\" :{\"z\":[[ %s ]]}} }",
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static struct rt_compare *compare_new(void)
{
	struct rt_compare *compare = NULL;
	struct rt_error err;

	ck_assert_int_eq(rt_compare_new(&compare, &err), RT_OK);
	return compare;
}

/* A slice of a block that ends where the text does. To be freed. */
static struct rt_slice exact(const char *text)
{
	size_t len = strlen(text);
	char *block = malloc(len);

	ck_assert_ptr_nonnull(block);
	memcpy(block, text, len);
	return rt_slice_make(block, len);
}

static void add(struct rt_compare *compare, enum rt_kind kind, const char *id, const char *text)
{
	struct rt_slice block = exact(text), name = exact(id);
	struct rt_error err;

	ck_assert_int_eq(rt_compare_add(compare, kind, name, block, &err), RT_OK);
	free((char *)block.ptr);
	free((char *)name.ptr);
}

static enum rt_compare_result check(struct rt_compare *compare, enum rt_kind kind, const char *id,
				    const char *text)
{
	enum rt_compare_result result = (enum rt_compare_result)9;
	struct rt_slice block = exact(text);
	struct rt_error err;

	ck_assert_int_eq(
	    rt_compare_check(compare, kind, rt_slice_make(id, strlen(id)), block, &result, &err),
	    RT_OK);
	free((char *)block.ptr);
	return result;
}

/* Put a value into its place. */
static void put(char *out, size_t place, const char *value)
{
	const char *gap = strstr(places[place], "%s");

	sprintf(out, "%.*s%s%s", (int)(gap - places[place]), places[place], value, gap + 2);
}

static void check_pair(const char *what, const char *a, const char *b, bool same)
{
	struct rt_compare *compare = compare_new();

	add(compare, RT_KIND_ISSUE, "a", a);
	add(compare, RT_KIND_ISSUE, "b", b);
	ck_assert_msg(check(compare, RT_KIND_ISSUE, "a", a) == RT_COMPARE_SAME, "%s: %s", what, a);
	ck_assert_msg(check(compare, RT_KIND_ISSUE, "b", a) ==
			  (same ? RT_COMPARE_SAME : RT_COMPARE_DIFFERENT),
		      "%s: %s %s", what, a, b);
	ck_assert_msg(check(compare, RT_KIND_ISSUE, "a", b) ==
			  (same ? RT_COMPARE_SAME : RT_COMPARE_DIFFERENT),
		      "%s: %s %s", what, b, a);
	rt_compare_free(compare);
}

START_TEST(pair)
{
	char a[1000], b[1000];

	for (size_t i = 0; i < PLACES; i++) {
		put(a, i, pairs[_i].a);
		put(b, i, pairs[_i].b);
		check_pair(pairs[_i].what, a, b, pairs[_i].same);
	}
}
END_TEST

/* Members in any order: all orders of four, at two levels. */
START_TEST(permuted)
{
	static const char *const members[] = {"\"id\":\"a\"", "\"n\":{\"x\":1,\"y\":[2,3]}",
					      "\"s\":\"\\u0041\"", "\"s\":null"};
	struct rt_compare *compare = compare_new();
	size_t met = 0;

	add(compare, RT_KIND_ISSUE, "a",
	    "{\"id\":\"a\",\"o\":{\"id\":\"a\",\"n\":{\"y\":[2,3],\"x\":1},\"s\":\"A\",\"s\":null},"
	    "\"n\":{\"x\":1,\"y\":[2,3]},\"s\":\"A\",\"s\":null}");
	for (unsigned order = 0; order < 256; order++) {
		unsigned at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
		char list[200], text[600];

		unsigned place[4] = {0};

		if ((1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) != 15)
			continue;
		for (unsigned i = 0; i < 4; i++)
			place[at[i]] = i;
		sprintf(list, "%s,%s, %s,%s", members[at[0]], members[at[1]], members[at[2]],
			members[at[3]]);
		sprintf(text, "{%s,\"o\":{%s}}", list, list);
		/* The two of one name keep their order, or they say something else. */
		ck_assert_msg(check(compare, RT_KIND_ISSUE, "a", text) ==
				  (place[2] < place[3] ? RT_COMPARE_SAME : RT_COMPARE_DIFFERENT),
			      "%s", text);
		met++;
	}
	ck_assert_uint_eq(met, 24);
	rt_compare_free(compare);
}
END_TEST

/* Lengths around those where a text is cut into words and blocks. */
static const size_t lengths[] = {13,   14,   15,   29,    30,    31,    45,    46,    47,   61,
				 62,   63,   64,   1021,  1022,  1023,  1024,  1037,  1038, 2045,
				 2046, 2047, 9999, 16381, 16382, 16383, 16384, 32767, 50000};

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* Long values: each byte counts, and the length. The blank makes other bytes of the same value. */
START_TEST(long_text)
{
	size_t len = lengths[_i], steps = len < 3000 ? 1 : 97, before = strlen("{\"x\":\"");
	struct rt_compare *compare = compare_new();
	char *text = malloc(len + 40), *other = malloc(len + 40);

	ck_assert(text && other);
	sprintf(text, "{\"x\":\"%*s\"}", (int)len, "");
	sprintf(other, "{\"x\": \"%*s\"}", (int)len, "");
	add(compare, RT_KIND_ISSUE, "a", text);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", text), RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", other), RT_COMPARE_SAME);
	for (size_t at = 0; at < len; at += at + 3000 < len ? steps : 1) {
		text[before + at] = '!';
		other[before + at + 1] = '!';
		ck_assert_msg(check(compare, RT_KIND_ISSUE, "a", text) == RT_COMPARE_DIFFERENT &&
				  check(compare, RT_KIND_ISSUE, "a", other) == RT_COMPARE_DIFFERENT,
			      "byte %zu of %zu", at, len);
		text[before + at] = ' ';
		other[before + at + 1] = ' ';
	}
	for (size_t less = 1; less <= 17; less++) {
		sprintf(text, "{\"x\":\"%*s\"}", (int)(len > less ? len - less : len + less), "");
		ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", text), RT_COMPARE_DIFFERENT);
	}
	rt_compare_free(compare);
	free(text);
	free(other);
}
END_TEST

/* Two pieces of a long value swapped, whatever their distance. */
START_TEST(swapped)
{
	static const size_t distances[] = {1, 2, 4, 8, 16, 24, 32, 512, 1024, 2048, 16384};
	size_t before = strlen("{\"x\":\"");
	struct rt_compare *compare = compare_new();
	char text[20000];

	for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
		char *first = text + before + 40, *second = first + distances[i];

		sprintf(text, "{\"x\":\"%*s\"}", 19000, "");
		*first = '1';
		*second = '2';
		add(compare, RT_KIND_ISSUE, "a", text);
		ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", text), RT_COMPARE_SAME);
		*first = '2';
		*second = '1';
		ck_assert_msg(check(compare, RT_KIND_ISSUE, "a", text) == RT_COMPARE_DIFFERENT,
			      "%zu bytes apart", distances[i]);
	}
	rt_compare_free(compare);
}
END_TEST

/* The account: same, different, extra, missing; kinds apart; a record met twice. */
START_TEST(account)
{
	struct rt_compare *compare = compare_new();

	ck_assert_uint_eq(rt_compare_missing(compare), 0);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", "{}"), RT_COMPARE_EXTRA);
	ck_assert(!rt_compare_is_missing(compare, RT_KIND_ISSUE, RT_SLICE("a")));
	add(compare, RT_KIND_ISSUE, "a", "{\"id\":\"a\",\"x\":1}");
	add(compare, RT_KIND_RULESET, "a", "{\"id\":\"a\",\"x\":2}");
	add(compare, RT_KIND_ISSUE, "b", "{\"id\":\"b\"}");
	ck_assert_uint_eq(rt_compare_missing(compare), 3);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "b", "{\"id\":\"b\"}"), RT_COMPARE_EXTRA);
	ck_assert_uint_eq(rt_compare_missing(compare), 3);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", "{\"x\":2,\"id\":\"a\"}"),
			 RT_COMPARE_DIFFERENT);
	ck_assert_uint_eq(rt_compare_missing(compare), 2);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", "{\"x\":1,\"id\":\"a\"}"),
			 RT_COMPARE_SAME);
	ck_assert_uint_eq(rt_compare_missing(compare), 2);
	ck_assert(!rt_compare_is_missing(compare, RT_KIND_ISSUE, RT_SLICE("a")));
	ck_assert(rt_compare_is_missing(compare, RT_KIND_RULESET, RT_SLICE("a")));
	ck_assert(rt_compare_is_missing(compare, RT_KIND_ISSUE, RT_SLICE("b")));
	ck_assert(!rt_compare_is_missing(compare, RT_KIND_RULESET, RT_SLICE("b")));
	ck_assert(!rt_compare_is_missing(compare, RT_KIND_ISSUE, RT_SLICE("a\0")));
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "a", "{\"x\":2,\"id\":\"a\"}"),
			 RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "b", "{\"id\":\"b\"}"), RT_COMPARE_SAME);
	ck_assert_uint_eq(rt_compare_missing(compare), 0);
	rt_compare_free(compare);
}
END_TEST

/* Rulesets are answered in order, so theirs counts; that of issues does not. Whatever is missing,
 * extra or different between them moves none. */
START_TEST(order)
{
	struct rt_compare *compare = compare_new();

	for (enum rt_kind kind = RT_KIND_ISSUE; kind <= RT_KIND_RULESET; kind++) {
		add(compare, kind, "a", "{\"x\":1}");
		add(compare, kind, "b", "{\"x\":2}");
		add(compare, kind, "c", "{\"x\":3}");
		add(compare, kind, "d", "{\"x\":4}");
	}
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "c", "{\"x\":3}"), RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", "{\"x\":1}"), RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "a", "{\"x\":1}"), RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "d", "{\"x\":5}"), RT_COMPARE_DIFFERENT);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "e", "{\"x\":5}"), RT_COMPARE_EXTRA);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "c", "{\"x\":3}"), RT_COMPARE_SAME);
	ck_assert_int_eq(check(compare, RT_KIND_RULESET, "b", "{\"x\":2}"), RT_COMPARE_MOVED);
	rt_compare_free(compare);
	rt_compare_free(NULL);
}
END_TEST

/* As deep as the scanner goes, and beside it. */
START_TEST(deepest)
{
	enum { LEVELS = RT_LIMIT_DEPTH_MAX - 1 };
	char *text = malloc(7 * LEVELS + 40), *at = text;
	struct rt_compare *compare = compare_new();

	ck_assert_ptr_nonnull(text);
	at += sprintf(at, "{\"x\":");
	for (int i = 0; i < LEVELS; i++)
		at += sprintf(at, i % 2 ? "{\"y\":" : "[");
	at += sprintf(at, "1");
	for (int i = LEVELS - 1; i >= 0; i--)
		*at++ = i % 2 ? '}' : ']';
	strcpy(at, "}");
	add(compare, RT_KIND_ISSUE, "a", text);
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", text), RT_COMPARE_SAME);
	*strchr(text, '1') = '2';
	ck_assert_int_eq(check(compare, RT_KIND_ISSUE, "a", text), RT_COMPARE_DIFFERENT);
	rt_compare_free(compare);
	free(text);
}
END_TEST

#define MANY 100000u

/* Growth: every record is found again, and memory is what it should be. */
START_TEST(many)
{
	struct rt_compare *compare = compare_new();
	char id[32], text[64];
	size_t before = unit_heap();

	for (unsigned i = 0; i < MANY; i++) {
		sprintf(id, "%u", i);
		sprintf(text, "{\"id\":\"%u\",\"x\":%u}", i, i * 3);
		add(compare, RT_KIND_ISSUE + i % 2, id, text);
		if (i >= 20000 && i % 1000 == 0)
			ck_assert_uint_le(unit_heap() - before, i * 70u);
	}
	ck_assert_uint_eq(rt_compare_missing(compare), MANY);
	for (unsigned i = 0; i < MANY; i += 2) {
		sprintf(id, "%u", i);
		sprintf(text, "{\"x\":%u,\"id\":\"%u\"}", i * 3 + (i % 8 == 0), i);
		ck_assert_int_eq(check(compare, RT_KIND_ISSUE, id, text),
				 i % 8 ? RT_COMPARE_SAME : RT_COMPARE_DIFFERENT);
		ck_assert_int_eq(check(compare, RT_KIND_RULESET, id, text), RT_COMPARE_EXTRA);
	}
	ck_assert_uint_eq(rt_compare_missing(compare), MANY / 2);
	for (unsigned i = 0; i < MANY; i++) {
		sprintf(id, "%u", i);
		ck_assert(rt_compare_is_missing(compare, RT_KIND_ISSUE + i % 2,
						rt_slice_make(id, strlen(id))) == (i % 2 == 1));
	}
	rt_compare_free(compare);
}
END_TEST

/* Text that is no JSON gives some answer, and no byte after it is read. */
START_TEST(broken)
{
	static const char *const texts[] = {
	    "{",         "{\"",      "{\"a",        "{\"a\"",         "{\"a\":",
	    "{\"a\":\"", "{\"a\":1", "{\"a\":[",    "{\"a\":[1",      "{\"a\":[:]}",
	    "{:}",       "{\"\\",    "{\"a\":\"\\", "{\"a\":\"\\u00", "{\"a\":\"\\/\\ud83d",
	    "{,,]",      "{}}",      "[",
	};
	struct rt_compare *compare = compare_new();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		add(compare, RT_KIND_ISSUE, texts[i], texts[i]);
	rt_compare_free(compare);
}
END_TEST

/* Two records, and the member that is named; want NULL: none is. */
static const struct {
	const char *what, *a, *b, *name, *want, *have;
} named[] = {
    {"nothing", "{\"a\":1}", "{ \"a\" : 1 }", NULL, NULL, NULL},
    {"a value", "{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":4,\"b\":3,\"a\":1}", "b", "2", "3"},
    {"spelling is none", "{\"a\":\"x\",\"b\":2}", "{\"\\u0061\":\"\\u0078\",\"b\":3}", "b", "2",
     "3"},
    {"order in an array", "{\"a\":[1,{\"x\":1,\"y\":2}]}", "{\"a\":[{\"y\":2,\"x\":1},1]}", "a",
     "[1,{\"x\":1,\"y\":2}]", "[{\"y\":2,\"x\":1},1]"},
    {"one that is missing", "{\"a\":1,\"b\":null}", "{\"a\":1,\"c\":1}", "b", "null", NULL},
    {"one too many", "{\"a\":1}", "{\"a\":1,\"c\":null}", "c", NULL, "null"},
    {"one that is there twice", "{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":3}", "a", "2", "1"},
    {"empty ones", "{}", "{}", NULL, NULL, NULL},
};

static void assert_text(const char *what, const char *want, struct rt_slice have)
{
	ck_assert_msg(!want == !have.ptr, "%s", what);
	ck_assert_msg(!want || rt_slice_equal(have, rt_slice_make(want, strlen(want))),
		      "%s: want %s, have %.*s", what, want, (int)have.len, have.ptr);
}

START_TEST(member)
{
	struct rt_slice a = exact(named[_i].a), b = exact(named[_i].b);
	struct rt_compare *compare = compare_new();
	struct rt_difference difference;
	struct rt_error err;

	ck_assert_int_eq(rt_compare_member(compare, a, b, &difference, &err), RT_OK);
	assert_text(named[_i].what, named[_i].name, difference.name);
	assert_text(named[_i].what, named[_i].want, difference.want);
	assert_text(named[_i].what, named[_i].have, difference.have);
	rt_compare_free(compare);
	free((char *)a.ptr);
	free((char *)b.ptr);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("compare");
	TCase *tcase = tcase_create("compare");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, member, 0, sizeof(named) / sizeof(named[0]));
	tcase_add_loop_test(tcase, pair, 0, PAIRS);
	tcase_add_test(tcase, permuted);
	tcase_add_loop_test(tcase, long_text, 0, LENGTHS);
	tcase_add_test(tcase, swapped);
	tcase_add_test(tcase, account);
	tcase_add_test(tcase, deepest);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, order);
	tcase_add_test(tcase, broken);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
