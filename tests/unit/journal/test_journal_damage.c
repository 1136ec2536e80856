/*
 * Damage to a journal of 20 entries (HOSTILE 13): every truncation, every flipped bit, and lines
 * that are deleted, swapped or doubled, each judged right and named by its entry.
 */
#include <fcntl.h>
#include <unistd.h>

#include "journal_make.h"
#include "unit.h"

#define ENTRIES 20u
#define LINES (ENTRIES + 1)

/* Every bit costs a sanitizer a minute, and has no other memory to find than one bit of each byte.
 */
#define ONE_BIT (UNIT_HAS_ASAN != 0)

static struct rt_buf whole;
static size_t starts[LINES + 2];

static void journal_setup(void)
{
	journal_dir_make();
	journal_extend(ENTRIES);
	whole = journal_bytes("j");
	ck_assert_uint_eq(journal_lines(&whole, starts, LINES + 2), LINES);
}

static void journal_teardown(void)
{
	rt_buf_release(&whole);
	journal_dir_remove();
}

/* The error names a line of the journal, by its number and by what it is. */
static void assert_named(const struct journal_result *result, size_t line, const char *what,
			 size_t at)
{
	char record[32] = "journal header";

	if (line)
		(void)snprintf(record, sizeof(record), "entry %zu", line);
	ck_assert_msg(result->status == RT_REJECT, "%s %zu: status %d", what, at, result->status);
	ck_assert_int_eq(result->err.code, RT_E_INPUT);
	ck_assert_msg(strcmp(result->err.record, record) == 0, "%s %zu: want %s, have %s: %s", what,
		      at, record, result->err.record, result->err.message);
	ck_assert_uint_eq(result->err.line, line + 1);
	ck_assert_msg(result->err.message[0] != 0, "%s", result->err.message);
	ck_assert_str_eq(result->err.path, journal_path("j"));
	if (line)
		ck_assert_uint_eq(result->entries, line - 1);
}

START_TEST(undamaged)
{
	struct journal_result result = journal_read("j", RT_JOURNAL_READ);

	ck_assert_int_eq(result.status, RT_OK);
	ck_assert_uint_eq(result.entries, ENTRIES);
	ck_assert_uint_eq(result.torn, 0);
}
END_TEST

/* The line that a byte belongs to, newlines included. */
static size_t line_of(size_t at)
{
	size_t line = 0;

	while (starts[line + 1] <= at)
		line++;
	return line;
}

/* A reader is told of the tail; a writer tells it when it has dealt with it. */
static void assert_said(enum rt_journal_mode mode, size_t size, size_t line, bool unended)
{
	char want[512] = "";

	if (mode == RT_JOURNAL_READ && unended)
		(void)snprintf(want, sizeof(want),
			       "%s: the last line is whole, but has no line end\n",
			       journal_path("j"));
	else if (mode == RT_JOURNAL_READ && size > starts[line])
		(void)snprintf(want, sizeof(want),
			       "%s: the last %zu %s the beginning of entry %zu: an "
			       "incomplete append, or a cut\n",
			       journal_path("j"), size - starts[line],
			       size == starts[line] + 1 ? "byte is" : "bytes are", line);
	ck_assert_str_eq(journal_notices, want);
}

/*
 * Cut at every byte: what is left are the entries before, and the beginning of one; where only the
 * newline is gone, the entry counts. Without a whole first line there is nothing to read, and for a
 * writer a journal to be begun.
 */
START_TEST(truncated)
{
	enum rt_journal_mode mode = _i ? RT_JOURNAL_APPEND : RT_JOURNAL_READ;

	for (size_t size = whole.len; size-- > 0;) {
		size_t line = line_of(size);
		bool unended = size + 1 == starts[line + 1];
		struct journal_result result;

		ck_assert_int_eq(truncate(journal_path("j"), (off_t)size), 0);
		result = journal_read("j", mode);
		if (line == 0 && mode == RT_JOURNAL_READ && !unended) {
			assert_named(&result, 0, "cut at", size);
			ck_assert_str_eq(result.err.message,
					 size ? "want a journal, have no complete first line"
					      : "want a journal, have an empty file");
			continue;
		}
		ck_assert_msg(result.status == RT_OK, "cut at %zu: %s", size, result.err.message);
		ck_assert_msg(result.torn == (unended ? 0 : size - starts[line]),
			      "cut at %zu: torn %u", size, (unsigned)result.torn);
		ck_assert_msg(result.unended == unended, "cut at %zu", size);
		ck_assert_uint_eq(result.entries, unended ? line : line ? line - 1 : 0);
		ck_assert(result.has_base == (line > 0 || unended));
		assert_said(mode, size, line, unended);
	}
}
END_TEST

/* Flip every bit of a line: whatever it was, the line is damaged, the last one too. */
START_TEST(flipped)
{
	size_t line = (size_t)_i;
	int fd = open(journal_path("j"), O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	for (size_t at = starts[line]; at < starts[line + 1]; at++) {
		for (unsigned bit = ONE_BIT ? at % 8 : 0; bit < 8; bit += ONE_BIT ? 8 : 1) {
			char byte = (char)(whole.data[at] ^ (1 << bit));
			struct journal_result result;

			ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
			result = journal_read("j", RT_JOURNAL_READ);
			assert_named(&result, line, "flip at", at);
		}
		ck_assert_int_eq(pwrite(fd, whole.data + at, 1, (off_t)at), 1);
	}
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* Whatever stands in the place of the last newline, and however much of it: that is damage. */
START_TEST(newline_replaced)
{
	static const char *const after[] = {"\r", " ", "\r\r", "}", "{", "{\"seq\":21,\"at\":\""};
	size_t count = sizeof(after) / sizeof(after[0]);
	size_t lines[] = {0, 1, ENTRIES};

	for (unsigned byte = 0; byte < 256 + count; byte++) {
		size_t end = starts[lines[_i] + 1];
		size_t len = byte < 256 ? 1 : strlen(after[byte - 256]);
		char text[64] = {(char)byte};
		struct rt_buf bytes = {0};
		struct journal_result result;
		struct rt_error err;

		if (byte == '\n')
			continue;
		if (byte >= 256)
			memcpy(text, after[byte - 256], len);
		ck_assert_int_eq(rt_buf_append(&bytes, whole.data, end - 1, &err), RT_OK);
		ck_assert_int_eq(rt_buf_append(&bytes, text, len, &err), RT_OK);
		journal_put("j", bytes.data, bytes.len);
		for (unsigned mode = RT_JOURNAL_READ; mode <= RT_JOURNAL_APPEND; mode++) {
			result = journal_read("j", (enum rt_journal_mode)mode);
			assert_named(&result, lines[_i], "instead of the newline", byte);
			ck_assert_msg(strncmp(result.err.message, "want a line end, have ", 22) ==
					  0,
				      "%s", result.err.message);
			ck_assert_uint_eq(result.err.offset, end - 1);
		}
		rt_buf_release(&bytes);
	}
}
END_TEST

/* A flipped bit is told as one: the line's bytes are not those that were hashed. */
START_TEST(flip_is_told)
{
	size_t at = starts[7] + 40;
	struct journal_result result;

	whole.data[at] ^= 1;
	journal_put("j", whole.data, whole.len);
	result = journal_read("j", RT_JOURNAL_READ);
	assert_named(&result, 7, "flip at", at);
	ck_assert_str_eq(result.err.field, "hash");
	ck_assert_ptr_nonnull(
	    strstr(result.err.message, "the line was changed after it was written: its hash was "));
	ck_assert_uint_eq(result.err.offset, starts[8] - 1 - 2 - RT_SHA256_HEX);
	ck_assert_uint_eq(result.err.column, result.err.offset - starts[7] + 1);
}
END_TEST

/* Texts after two entries, without a newline: the beginning of entry 3, or damage. */
#define AT "{\"seq\":3,\"at\":\"2025-04-"
#define ACTOR "{\"seq\":3,\"at\":\"2025-04-30T23:59:59Z\",\"actor\":"
#define REQUEST ACTOR "null,\"request\":"
#define RESULT REQUEST "{\"issue_ids\":[\"a\",\"b\"],\"notes\":\"n\"},\"result\":"
#define COUNTS RESULT "{\"updated_count\":"
static const struct {
	const char *what, *tail;
	const char *message; /* its beginning; NULL: a beginning */
} tail_rows[] = {
    {"a brace", "{", NULL},
    {"NUL", "\0", "this is not the beginning of entry 3"},
    {"the number", "{\"seq\":3", NULL},
    {"another number", "{\"seq\":4", "this is not the beginning of entry 3"},
    {"another number and more", "{\"seq\":4,\"at\":\"2025-04-30T23:59:59Z\"",
     "this is not the beginning of entry 3: {\"seq\":4,\"at\":\"2025-04-3"},
    {"a longer number", "{\"seq\":31", "this is not the beginning of entry 3"},
    {"the 30th", AT "3", NULL},
    {"an hour from 20 on", AT "30T2", NULL},
    {"no actor yet", ACTOR, NULL},
    {"nul", ACTOR "nul", NULL},
    {"nil", ACTOR "ni", "want null, have "},
    {"a name", ACTOR "\"J\xC3\xB6rg", NULL},
    {"half a character", ACTOR "\"J\xC3", NULL},
    {"three bytes of four", ACTOR "\"\xF0\x90\x80", NULL},
    {"two bytes of three", ACTOR "\"\xE0\xA0", NULL},
    {"a tab in a name", ACTOR "\"J\trg", "want no control byte"},
    {"half an escape", ACTOR "\"\\u00", NULL},
    {"a wrong escape", ACTOR "\"\\x", "want "},
    {"a request", REQUEST "{\"issue_ids\":[\"a\",", NULL},
    {"blanks in a string", REQUEST "{\"issue_ids\":[\"a b \\\" c", NULL},
    {"a comma too many", REQUEST "{,", "want "},
    {"a result", RESULT, NULL},
    {"no count yet", COUNTS, NULL},
    {"a count", COUNTS "2", NULL},
    {"a count with a zero before it", COUNTS "01", "want "},
    {"counts", COUNTS "1,\"failed_count\":1", NULL},
    {"its beginning", COUNTS "1,\"failed_count\":1,\"sha256\":\"0af", NULL},
};

START_TEST(tails)
{
	size_t len = strlen(tail_rows[_i].tail), size = starts[3];
	struct journal_result result;
	char bytes[4096];

	len += len == 0; /* NUL */
	ck_assert_uint_lt(size + len, sizeof(bytes));
	memcpy(bytes, whole.data, size);
	memcpy(bytes + size, tail_rows[_i].tail, len);
	journal_put("j", bytes, size + len);
	result = journal_read("j", RT_JOURNAL_APPEND);
	if (!tail_rows[_i].message) {
		ck_assert_msg(result.status == RT_OK, "%s: %s", tail_rows[_i].what,
			      result.err.message);
		ck_assert_uint_eq(result.torn, len);
		return;
	}
	assert_named(&result, 3, tail_rows[_i].what, 0);
	ck_assert_msg(
	    strncmp(result.err.message, tail_rows[_i].message, strlen(tail_rows[_i].message)) == 0,
	    "%s: have %s", tail_rows[_i].what, result.err.message);
}
END_TEST

/* Put the journal together from its lines; the numbers are those of its lines, from 0. */
static void put_lines(const size_t *lines, size_t count)
{
	struct rt_buf out = {0};
	struct rt_error err;

	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(rt_buf_append(&out, whole.data + starts[lines[i]],
					       starts[lines[i] + 1] - starts[lines[i]], &err),
				 RT_OK);
	journal_put("j", out.data, out.len);
	rt_buf_release(&out);
}

/* Leave a line out. The one after it follows on nothing; a missing last one cannot be seen. */
START_TEST(deleted)
{
	size_t lines[LINES], count = 0, gone = (size_t)_i;
	struct journal_result result;
	char text[64];

	for (size_t i = 0; i < LINES; i++) {
		if (i != gone)
			lines[count++] = i;
	}
	put_lines(lines, count);
	result = journal_read("j", RT_JOURNAL_READ);
	if (gone == ENTRIES) {
		ck_assert_int_eq(result.status, RT_OK);
		ck_assert_uint_eq(result.entries, ENTRIES - 1);
		return;
	}
	assert_named(&result, gone, "without line", gone);
	if (gone == 0)
		return;
	ck_assert_str_eq(result.err.field, "prev");
	(void)snprintf(text, sizeof(text), "the line, of seq %zu, does not follow ", gone + 1);
	ck_assert_msg(strstr(result.err.message, text) != NULL, "%s", result.err.message);
}
END_TEST

/* A line twice, right after itself and at the end. */
START_TEST(doubled)
{
	size_t lines[LINES + 1], twice = (size_t)_i, count = 0;
	struct journal_result result;

	for (size_t i = 0; i < LINES; i++) {
		lines[count++] = i;
		if (i == twice)
			lines[count++] = i;
	}
	put_lines(lines, count);
	result = journal_read("j", RT_JOURNAL_READ);
	assert_named(&result, twice + 1, "doubled line", twice);
	for (size_t i = 0; i < LINES; i++)
		lines[i] = i;
	lines[LINES] = twice;
	put_lines(lines, LINES + 1);
	result = journal_read("j", RT_JOURNAL_READ);
	assert_named(&result, LINES, "repeated line", twice);
}
END_TEST

/* Two lines that have changed places, whichever they are: the first of the two places is named. */
START_TEST(swapped)
{
	size_t first = (size_t)_i, lines[LINES];

	for (size_t second = first + 1; second < LINES; second++) {
		struct journal_result result;

		for (size_t i = 0; i < LINES; i++)
			lines[i] = i == first ? second : i == second ? first : i;
		put_lines(lines, LINES);
		result = journal_read("j", RT_JOURNAL_READ);
		assert_named(&result, first, "swapped with", second);
	}
}
END_TEST

/* A whole line at the end that does not check is damage, and a writer leaves all as it is. */
START_TEST(damage_is_not_repaired)
{
	struct journal_result result;
	struct rt_buf after;

	whole.data[whole.len - 10] ^= 4;
	journal_put("j", whole.data, whole.len);
	result = journal_read("j", RT_JOURNAL_APPEND);
	assert_named(&result, ENTRIES, "flip in", ENTRIES);
	after = journal_bytes("j");
	ck_assert_uint_eq(after.len, whole.len);
	ck_assert_mem_eq(after.data, whole.data, whole.len);
	rt_buf_release(&after);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("journal_damage");
	TCase *tcase = tcase_create("journal_damage");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, journal_setup, journal_teardown);
	tcase_add_test(tcase, undamaged);
	tcase_add_loop_test(tcase, truncated, 0, 2);
	tcase_add_loop_test(tcase, flipped, 0, LINES);
	tcase_add_loop_test(tcase, newline_replaced, 0, 3);
	tcase_add_loop_test(tcase, tails, 0, sizeof(tail_rows) / sizeof(tail_rows[0]));
	tcase_add_test(tcase, flip_is_told);
	tcase_add_loop_test(tcase, deleted, 0, LINES);
	tcase_add_loop_test(tcase, doubled, 0, LINES);
	tcase_add_loop_test(tcase, swapped, 0, LINES - 1);
	tcase_add_test(tcase, damage_is_not_repaired);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
