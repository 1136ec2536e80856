/*
 * Merging partial summaries that are damaged, or say what cannot be: each is refused, with its
 * name, and nothing is answered. That those which are right merge to the right answer is what
 * tests/property/test_merge.py shows.
 */
#include "base/limits.h"
#include "base/sha256.h"
#include "scratch.h"

/* Three issues and a ruleset: every kind of line. */
static const char export[] =
    "[{\"id\":\"a\",\"severity\":\"low\",\"category\":\"x\",\"false_positive\":true},\n"
    "{\"id\":\"b\",\"severity\":\"odd\",\"scan_id\":\"s\"},\n"
    "{\"id\":\"c\",\"severity\":null},\n"
    "{\"id\":\"r\",\"name\":\"n\",\"rules_text\":\"t\",\"org_id\":\"o\",\"created_by\":\"c\","
    "\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\"}]";
/* Another one with other ids. */
static const char other[] = "{\"id\":\"d\",\"severity\":\"high\"}";

struct merged {
	enum rt_status status;
	struct rt_error err;
	struct rt_buf answer;
};

static enum rt_status take(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	return rt_buf_append(ctx, data, len, err);
}

static void merge(const char *first, const char *second, struct merged *merged)
{
	const char *paths[] = {first, second};
	struct rt_options options = {.paths = paths, .path_count = second ? 2 : 1};
	struct rt_sink sink = {take, &merged->answer};
	struct rt_style style = {.format = RT_FORMAT_JSON};

	rt_limits_init(&options.limits);
	merged->answer = (struct rt_buf){0};
	merged->status = rt_merge(&options, style, &sink, &merged->err);
}

/* Make a partial summary of an export beside it. */
static struct rt_buf partial_of(const char *name, const char *text, unsigned recent)
{
	char partial[80];
	const char *path = at(name);
	struct rt_options options = {.paths = &path, .path_count = 1};
	struct rt_error err;

	put(name, text);
	(void)snprintf(partial, sizeof(partial), "%s.partial", name);
	rt_limits_init(&options.limits);
	ck_assert_int_eq(rt_partial(&options, recent, at(partial), NULL, &err), RT_OK);
	return bytes_of(at(partial));
}

/* Whether an error is about the bad document: of an id that stands twice, the inputs come first. */
static bool names_it(const struct rt_error *err)
{
	return strcmp(err->path, at("bad.partial")) == 0 ||
	       (strstr(err->message, "duplicate id") && strstr(err->message, at("bad.partial")));
}

/* Whether bytes are refused as a partial summary, by itself or after a good one. */
static void expect_refused(const char *what, size_t number, const void *data, size_t len)
{
	struct merged merged;

	put_bytes("bad.partial", data, len);
	merge(at(number % 2 ? "bad.partial" : "other.partial"),
	      number % 2 ? NULL : at("bad.partial"), &merged);
	ck_assert_msg(merged.status == RT_FATAL && merged.answer.len == 0, "%s, %zu: %d", what,
		      number, merged.status);
	ck_assert_msg((merged.err.code == RT_E_INPUT || merged.err.code == RT_E_USAGE) &&
			  names_it(&merged.err) && merged.err.message[0],
		      "%s, %zu: code %d, path %s, %s", what, number, (int)merged.err.code,
		      merged.err.path, merged.err.message);
	rt_buf_release(&merged.answer);
}

START_TEST(test_cut)
{
	struct rt_buf whole = partial_of("good", export, 1);

	/* The last byte is a newline, which says nothing. */
	for (size_t len = 0; len < whole.len - 1; len += UNIT_ROUNDS_FOR_ONE)
		expect_refused("cut", len, whole.data, len);
	rt_buf_release(&whole);
}
END_TEST

START_TEST(test_flipped)
{
	struct rt_buf whole = partial_of("good", export, 1);
	static const unsigned char bits[] = {0x01, 0x20, 0x80};

	for (size_t i = 0; i < whole.len; i += UNIT_ROUNDS_FOR_ONE) {
		whole.data[i] = (char)(whole.data[i] ^ bits[i % 3]);
		expect_refused("flipped", i, whole.data, whole.len);
		whole.data[i] = (char)(whole.data[i] ^ bits[i % 3]);
	}
	rt_buf_release(&whole);
}
END_TEST

START_TEST(test_more)
{
	struct rt_buf whole = partial_of("good", export, 1);
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&whole, "{}", 2, &err), RT_OK);
	expect_refused("more", 1, whole.data, whole.len);
	rt_buf_release(&whole);
}
END_TEST

/* What comes before a document's digest, and after it. */
#define LAST_OPEN "{\"sha256\":\""
#define LAST_CLOSE "\"}\n"
#define LAST_BYTES (sizeof(LAST_OPEN) - 1 + RT_SHA256_HEX + sizeof(LAST_CLOSE) - 1)

/* Give bytes the digest that they should have. */
static void mend(struct rt_buf *buf)
{
	uint8_t digest[RT_SHA256_BYTES];

	rt_sha256_of(rt_slice_make(buf->data, buf->len - LAST_BYTES), digest);
	rt_sha256_hex(digest, buf->data + buf->len - LAST_BYTES + sizeof(LAST_OPEN) - 1);
}

#define ORDER "want records after each input, and recent issues after all else, have another line"

/* What a document says that cannot be, with a digest that holds. */
static const struct {
	const char *from, *to, *message;
} lies[] = {
    {"partial\":2", "partial\":1", "want form 2 as retriage"},
    {"partial\":2", "partial\":1e999", "want form 2 as retriage"},
    {"\"version\":\"0.", "\"version\":\"9.", "want form 2 as retriage"},
    {"\"recent\":2", "\"recent\":3", "the first partial summary has"},
    {"\"include\":[]", "\"include\":[\"x\"]", "the first partial summary has"},
    {"\"failed_runs\":\"refuse\"", "\"failed_runs\":\"accept\"", "the first partial summary has"},
    {"\"exclude\":[]}}", "\"exclude\":[]},\"x\":1}", "the first partial summary has"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n7\n", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n[{}]\n", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{}\n", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"x\":1}\n", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"note\":\"\"}\n", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"line\":1,\"column\":1,\"issue\":{\"id\":\"q\"}}\n",
     "want the input that records are from"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"line\":1,\"column\":1,\"ruleset\":\"q\"}\n",
     "want the input that records are from"},
    {"{\"path\"", "{\"Path\"", "want a line of"},
    {"\"member\":null", "\"member\":3", "want a line of"},
    {"\"line\":1", "\"line\":1.5", "want a line of"},
    {"\"line\":1", "\"line\":\"1\"", "want a line of"},
    {"\"column\":2,", "", "want a line of"},
    {"\"ruleset\":\"r\"", "\"ruleset\":{\"id\":\"r\"}", "want a line of"},
    {"\"issue\":{\"id\":\"b\"", "\"issue\":{\"id\":\"a\"", "duplicate id"},
    {"\"issue\":{\"id\":\"b\"", "\"issue\":{\"id\":\"\"", "want an issue"},
    {"\"issue\":{\"id\":\"b\"", "\"issue\":{\"id\":7", "want an issue"},
    {"\"issue\":{\"id\":\"b\",", "\"issue\":{", "want an issue"},
    {"\"issue\":{\"id\":\"c\"}", "\"issue\":null", "want an issue"},
    {"\"issue\":{\"id\":\"c\"}", "\"issue\":{\"id\":\"c\",\"id\":\"c\"}", "want an issue"},
    {"\"severity\":\"odd\"", "\"severity\":7", "want an issue"},
    {"\"severity\":\"odd\"", "\"severity\":\"\\ud800\"", "want"},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":\"z\"", "want issues that are there"},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":\"b\"", "want issues that are there"},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":\"d\"", "want issues that are there"},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":\"r\"", "want issues that are there"},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":7", "want an issue"},
    {"{\"recent\":{\"id\":\"a\",\"scan_id\":null", "{\"recent\":{\"id\":\"a\",\"scan_id\":7",
     "want an issue"},
    {"\"line\":1", "\"line\":-5", "want a line of"},
    {"\"line\":1", "\"line\":0", "want a line of"},
    {"\"line\":1", "\"line\":null", "want a line of"},
    {"\"line\":1", "\"line\":1099511627776", "want a line of"},
    {"\"column\":2", "\"column\":-1", "want a line of"},
    {"\"column\":2", "\"column\":null", "want a line of"},
    {"\"column\":2", "\"column\":2,\"x\":{}", "want a line of"},
    {"\"column\":2", "\"column\": 2", "want a line of"},
    {"\"ruleset\":\"r\"", "\"ruleset\":null", "want a line of"},
    {"\"ruleset\":\"r\"", "\"ruleset\":\"\"", "want a line of"},
    {"{\"path\":", "{\"x\":0,\"path\":", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"path\":null,\"member\":null}\n", "want a line of"},
    {"{\"sha256\"", "{\"x\":0,\"sha256\"", "want a line of"},
    {"\"exclude\":[]}}\n", "\"exclude\":[]}}\n{\"path\":\"\",\"member\":\"\"}\n", ORDER},
    {"{\"sha256\"", "{\"path\":\"\",\"member\":null}\n{\"sha256\"", ORDER},
    {"{\"recent\":{\"id\":\"a\"", "{\"path\":\"\",\"member\":null}\n{\"recent\":{\"id\":\"a\"",
     ORDER},
    {"{\"sha256\"", "{\"line\":9,\"column\":1,\"issue\":{\"id\":\"q\"}}\n{\"sha256\"", ORDER},
    {"{\"sha256\"", "{\"line\":9,\"column\":1,\"ruleset\":\"q\"}\n{\"sha256\"", ORDER},
    {"{\"recent\":{\"id\":\"a\"", "{\"recent\":{\"id\":\"c\",\"x\":[]}}\n{\"recent\":{\"id\":\"a\"",
     "want as many as there are issues"},
};

/* A good document that says something else, with a digest that holds, as bad.partial. */
static void tell(const char *from, const char *to)
{
	struct rt_buf whole = partial_of("good", export, 2), told = {0};
	const char *there = memmem(whole.data, whole.len, from, strlen(from));
	size_t before, after = strlen(from);
	struct rt_error err;

	ck_assert_msg(there != NULL, "%s is not there", from);
	before = (size_t)(there - whole.data);
	after += before;
	ck_assert_int_eq(rt_buf_append(&told, whole.data, before, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&told, to, strlen(to), &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&told, whole.data + after, whole.len - after, &err), RT_OK);
	mend(&told);
	put_bytes("bad.partial", told.data, told.len);
	rt_buf_release(&told);
	rt_buf_release(&whole);
}

static void expect_lie(const char *first, const char *second, const char *lie, const char *message)
{
	struct merged merged;

	merge(first, second, &merged);
	ck_assert_msg(merged.status == RT_FATAL && merged.answer.len == 0, "%s", lie);
	ck_assert_msg(strstr(merged.err.message, message) != NULL, "%s: %s", lie,
		      merged.err.message);
	ck_assert(names_it(&merged.err));
	rt_buf_release(&merged.answer);
}

START_TEST(test_lies)
{
	struct rt_buf first = partial_of("other", other, 2);

	tell(lies[_i].from, lies[_i].to);
	expect_lie(at("other.partial"), at("bad.partial"), lies[_i].to, lies[_i].message);
	rt_buf_release(&first);
}
END_TEST

/* What the first document says of the number that those of others are compared with. */
static const char *const numbers[] = {"1.5", "-2", "null", "1001", "\"2\"", "2e0", "2 "};

START_TEST(test_numbers)
{
	char to[32];

	(void)snprintf(to, sizeof(to), "\"recent\":%s", numbers[_i]);
	tell("\"recent\":2", to);
	expect_lie(at("bad.partial"), NULL, to,
		   "want a whole number up to 1000, have another value");
}
END_TEST

/* A million inputs with the longest names are few bytes, compressed. */
START_TEST(test_names)
{
	struct rt_buf whole = partial_of("good", export, 1);
	const char *path = at("good.partial");
	struct rt_options options = {.paths = &path, .path_count = 1};
	struct rt_buf answer = {0};
	struct rt_sink sink = {take, &answer};
	struct rt_style style = {.format = RT_FORMAT_JSON};
	struct rt_error err;

	rt_limits_init(&options.limits);
	options.limits.metadata_bytes = strlen(path) + 1 + strlen(at("good")) + sizeof("0 ");
	ck_assert_int_eq(rt_merge(&options, style, &sink, &err), RT_OK);
	options.limits.metadata_bytes--;
	ck_assert_int_eq(rt_merge(&options, style, &sink, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.message, "the list of inputs exceeds --limit metadata="));
	ck_assert_str_eq(err.path, path);
	rt_buf_release(&answer);
	rt_buf_release(&whole);
}
END_TEST

/* More recent issues than there may be, of the first document, which says how many. */
START_TEST(test_most)
{
	struct rt_buf whole = partial_of("good", export, 1000);
	char *digits = memmem(whole.data, whole.len, ":1000", 5);

	memcpy(digits, ":1001", 5);
	mend(&whole);
	expect_refused("1001 recent issues", 1, whole.data, whole.len);
	rt_buf_release(&whole);
}
END_TEST

/* The same from the same: nothing of a run is in the document. */
START_TEST(test_same)
{
	struct rt_buf whole = partial_of("good", export, 2), again = partial_of("good", export, 2);

	ck_assert(whole.len == again.len && memcmp(whole.data, again.data, whole.len) == 0);
	rt_buf_release(&whole);
	rt_buf_release(&again);
}
END_TEST

static void begin(void)
{
	struct rt_buf buf;

	scratch_setup();
	buf = partial_of("other", other, 1);
	rt_buf_release(&buf);
}

static Suite *make(void)
{
	Suite *suite = suite_create("partial");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, begin, scratch_teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_cut);
	tcase_add_test(tcase, test_flipped);
	tcase_add_test(tcase, test_more);
	tcase_add_loop_test(tcase, test_lies, 0, (int)(sizeof(lies) / sizeof(lies[0])));
	tcase_add_loop_test(tcase, test_numbers, 0, (int)(sizeof(numbers) / sizeof(numbers[0])));
	tcase_add_test(tcase, test_names);
	tcase_add_test(tcase, test_most);
	tcase_add_test(tcase, test_same);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
