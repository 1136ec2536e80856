/*
 * Merging partial summaries that are damaged, or say what cannot be: each is refused, with its
 * name, and nothing is answered. That those which are right merge to the right answer is what
 * tests/property/test_merge.py shows.
 */
#include "base/limits.h"
#include "base/sha256.h"
#include "scratch.h"

/* Two issues and a ruleset: every kind of line but a note, and two ids out of three kinds. */
static const char export[] =
    "[{\"id\":\"a\",\"severity\":\"low\",\"category\":\"x\",\"false_positive\":true},\n"
    "{\"id\":\"b\",\"severity\":\"odd\",\"scan_id\":\"s\"},\n"
    "{\"id\":\"c\",\"severity\":null}]";
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
			  strcmp(merged.err.path, at("bad.partial")) == 0 && merged.err.message[0],
		      "%s, %zu: code %d, path %s, %s", what, number, (int)merged.err.code,
		      merged.err.path, merged.err.message);
	rt_buf_release(&merged.answer);
}

START_TEST(test_cut)
{
	struct rt_buf whole = partial_of("good", export, 1);

	for (size_t len = 0; len < whole.len; len += UNIT_ROUNDS_FOR_ONE)
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

	ck_assert_int_eq(rt_buf_append(&whole, "\n", 1, &err), RT_OK);
	expect_refused("more", 1, whole.data, whole.len);
	rt_buf_release(&whole);
}
END_TEST

/* Give bytes the digest that they should have. */
static void mend(struct rt_buf *buf)
{
	rt_sha256_of(rt_slice_make(buf->data, buf->len - RT_SHA256_BYTES),
		     (uint8_t *)buf->data + buf->len - RT_SHA256_BYTES);
}

/* What a document says that cannot be, with a digest that holds. */
static const struct {
	const char *from, *to, *message;
} lies[] = {
    {"partial\":1", "partial\":2", "want version 1"},
    {"\"version\":\"0.", "\"version\":\"9.", "was written by retriage 9."},
    {"\"recent\":2", "\"recent\":3", "the first partial summary has"},
    {"\"recent\":2", "\"recent\":9999", "want at most 1000"},
    {"\"include\":[]", "\"include\":[\"x\"]", "the first partial summary has"},
    {"\"failed_runs\":\"refuse\"", "\"failed_runs\":\"accept\"", "the first partial summary has"},
    {"\"inputs\":1", "\"inputs\":0", "want {\"value\":"},
    {"\"inputs\":1", "\"inputs\":01", "want a number"},
    {"\"inputs\":1", "\"inputs\":99999999999999999999", "want"},
    {"\"inputs\":1", "\"inputs\":5000000000", "want fewer than 2^32"},
    {"\"notes\":0", "\"notes\":1", "want {\"note\":"},
    {"\"issues\":3", "\"issues\":4", "want counts that add up"},
    {"\"issues\":3", "\"issues\":2", "want counts that add up"},
    {"\"rulesets\":0", "\"rulesets\":1", "want"},
    {"\"rulesets\":0", "\"rulesets\":18446744073709551615", "want"},
    {"\"rulesets\":0", "\"rulesets\":x", "want a number"},
    {"\"false_positives\":1", "\"false_positives\":0", "want counts that add up"},
    {"\"false_positives\":1", "\"false_positives\":4", "want no more than issues"},
    {"\"no_severity\":1", "\"no_severity\":2", "want no more than are unknown"},
    {"\"severities\":7", "\"severities\":4", "want at least the five"},
    {"\"severities\":7", "\"severities\":6", "want no more than are unknown"},
    {"\"categories\":2", "\"categories\":3", "want {\"value\":"},
    {"\"recent_issues\":2", "\"recent_issues\":1", "want as many as there are issues"},
    {"\"recent_issues\":2", "\"recent_issues\":2 ", "want } and the line's end"},
    {"{\"path\"", "{\"Path\"", "want {\"path\":"},
    {"\"member\":null", "\"member\":3", "want a string"},
    {"\"value\":\"critical\"", "\"value\":\"worst\"", "want the five levels"},
    {"\"value\":\"odd\"", "\"value\":\"info\"", "want a severity that is no level"},
    {"\"value\":\"odd\"", "\"value\":\"zzz\"", "want values in byte order"},
    {"\"value\":\"odd\"", "\"value\":\"\\ud800\"", "want"},
    {"\"odd\",\"count\":1", "\"odd\",\"count\":0", "want at least one, and"},
    {"\"odd\",\"count\":1", "\"odd\",\"count\":9000000000000000000", "want counts that add up"},
    {"\"low\",\"count\":1,\"open\":0", "\"low\",\"count\":1,\"open\":1", "want counts that add up"},
    {"{\"id\":\"a\"", "{\"id\":\"z\"", "want recent issues whose ids"},
    {"{\"id\":\"a\"", "{\"id\":\"b\"", "want recent issues whose ids"},
    {"{\"id\":\"a\"", "{\"id\":7", "want"},
    {"{\"id\":\"a\",", "{", "want"},
    {"{\"id\":\"a\",\"scan_id\":null", "{\"id\":\"a\",\"scan_id\":7", "want string or null"},
    {"\"created_at\":null", "\"id\":\"q\"", "repeated"},
};

START_TEST(test_lies)
{
	struct rt_buf whole = partial_of("good", export, 2), told = {0};
	const char *from = memmem(whole.data, whole.len, lies[_i].from, strlen(lies[_i].from));
	size_t before, after = strlen(lies[_i].from);
	struct merged merged;
	struct rt_error err;

	ck_assert_msg(from != NULL, "%s is not there", lies[_i].from);
	before = (size_t)(from - whole.data);
	after += before;
	ck_assert_int_eq(rt_buf_append(&told, whole.data, before, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&told, lies[_i].to, strlen(lies[_i].to), &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&told, whole.data + after, whole.len - after, &err), RT_OK);
	mend(&told);
	put_bytes("bad.partial", told.data, told.len);
	rt_buf_release(&told);
	told = partial_of("other", other, 2);
	merge(at("other.partial"), at("bad.partial"), &merged);
	ck_assert_msg(merged.status == RT_FATAL && merged.answer.len == 0, "%s", lies[_i].to);
	ck_assert_msg(strstr(merged.err.message, lies[_i].message) != NULL, "%s: %s", lies[_i].to,
		      merged.err.message);
	ck_assert_str_eq(merged.err.path, at("bad.partial"));
	rt_buf_release(&merged.answer);
	rt_buf_release(&told);
	rt_buf_release(&whole);
}
END_TEST

/* Ids out of order, of inputs that are not there, of another kind than is counted. */
START_TEST(test_ids)
{
	struct rt_buf whole = partial_of("good", export, 1);
	char *ids = whole.data + whole.len - RT_SHA256_BYTES - 3 * 19, first[19];
	static const struct {
		size_t at;
		char bits;
		const char *what;
	} wrong[] = {{16, 2, "an input"}, {16, 1, "a kind"}, {16, (char)0x80, "a number"}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ids[wrong[i].at] = (char)(ids[wrong[i].at] ^ wrong[i].bits);
		mend(&whole);
		expect_refused(wrong[i].what, i, whole.data, whole.len);
		ids[wrong[i].at] = (char)(ids[wrong[i].at] ^ wrong[i].bits);
	}
	memcpy(first, ids, sizeof(first));
	memcpy(ids, ids + 19, sizeof(first));
	mend(&whole);
	expect_refused("the same id twice", 0, whole.data, whole.len);
	memcpy(ids + 19, first, sizeof(first));
	mend(&whole);
	expect_refused("ids out of order", 1, whole.data, whole.len);
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
	tcase_add_test(tcase, test_ids);
	tcase_add_test(tcase, test_same);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(make)
