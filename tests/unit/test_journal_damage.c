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
#if defined(__SANITIZE_ADDRESS__)
#define ONE_BIT true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_BIT true
#endif
#endif
#ifndef ONE_BIT
#define ONE_BIT false
#endif

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
	ck_assert_msg(strncmp(result->err.message, "want ", 5) == 0, "%s", result->err.message);
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

/*
 * Cut at every byte: what is left are the entries before, and a torn tail. Without a whole first
 * line there is nothing to read, and for a writer a journal to be begun.
 */
START_TEST(truncated)
{
	enum rt_journal_mode mode = _i ? RT_JOURNAL_APPEND : RT_JOURNAL_READ;

	for (size_t size = whole.len; size-- > 0;) {
		size_t line = line_of(size);
		struct journal_result result;

		ck_assert_int_eq(truncate(journal_path("j"), (off_t)size), 0);
		result = journal_read("j", mode);
		if (line == 0 && mode == RT_JOURNAL_READ) {
			assert_named(&result, 0, "cut at", size);
			ck_assert_str_eq(result.err.message,
					 size ? "want a journal, have no complete first line"
					      : "want a journal, have an empty file");
			continue;
		}
		ck_assert_msg(result.status == RT_OK, "cut at %zu: %s", size, result.err.message);
		ck_assert_msg(result.torn == size - starts[line], "cut at %zu: torn %u", size,
			      (unsigned)result.torn);
		ck_assert_uint_eq(result.entries, line ? line - 1 : 0);
		ck_assert(result.has_base == (line > 0));
	}
}
END_TEST

/*
 * Flip every bit of a line. Only the last line's newline is special: without it the line was never
 * acknowledged, so it is a torn tail.
 */
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
			if (at + 1 < whole.len) {
				assert_named(&result, line, "flip at", at);
			} else {
				ck_assert_int_eq(result.status, RT_OK);
				ck_assert_uint_eq(result.entries, ENTRIES - 1);
				ck_assert_uint_eq(result.torn, starts[LINES] - starts[ENTRIES]);
			}
		}
		ck_assert_int_eq(pwrite(fd, whole.data + at, 1, (off_t)at), 1);
	}
	ck_assert_int_eq(close(fd), 0);
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
	ck_assert_ptr_nonnull(strstr(result.err.message, " of the line's bytes, have "));
	ck_assert_uint_eq(result.err.offset, starts[8] - 1 - 2 - RT_SHA256_HEX);
	ck_assert_uint_eq(result.err.column, result.err.offset - starts[7] + 1);
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

/* Leave a line out. The one behind it follows on nothing; a missing last one cannot be seen. */
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
	(void)snprintf(text, sizeof(text), " before a line with seq %zu, have ", gone + 1);
	ck_assert_msg(strstr(result.err.message, text) != NULL, "%s", result.err.message);
}
END_TEST

/* A line twice, right behind itself and at the end. */
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
	tcase_add_test(tcase, flip_is_told);
	tcase_add_loop_test(tcase, deleted, 0, LINES);
	tcase_add_loop_test(tcase, doubled, 0, LINES);
	tcase_add_loop_test(tcase, swapped, 0, LINES - 1);
	tcase_add_test(tcase, damage_is_not_repaired);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
