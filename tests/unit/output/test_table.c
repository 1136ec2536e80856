/*
 * Tables for people: widths of columns, cuts, masks, colours; and that no line of whatever text is
 * wider than it may be, or holds anything that acts on a terminal.
 */
#include "output/table.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/width.h"
#include "unit.h"

#define CELLS_MAX 12

static const struct rt_table_column words[] = {
    {.title = "NAME", .weight = 1, .min = 4},
    {.title = "N", .right = true},
    {.title = "PLACE", .weight = 1, .min = 4, .keep_end = true, .leave = 1},
};

/* The table of some cells, NUL-terminated; the caller frees it. */
static char *table_make(struct rt_style style, const struct rt_table_column *columns, size_t count,
			const struct rt_slice *cells, size_t cell_count)
{
	struct rt_buf out = {0};
	struct rt_sink sink = rt_buf_sink(&out);
	struct rt_table *table;
	struct rt_error err;

	ck_assert_int_eq(rt_table_new(style, &table, &err), RT_OK);
	rt_table_begin(table, columns, count);
	for (size_t i = 0; i < cell_count; i++)
		rt_table_cell(table, cells[i], RT_TONE_PLAIN);
	ck_assert_int_eq(rt_table_send(table, &sink, &err), RT_OK);
	rt_table_free(table);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out.data;
}

static const struct {
	const char *what;
	unsigned width;
	const char *cells[CELLS_MAX];
	const char *shown;
} rows[] = {
    {"no rows", 80, {NULL}, "NAME  N  PLACE\n"},
    {"all fits",
     80,
     {"a", "1", "x", "bcdef", "22", "y/z"},
     "NAME    N  PLACE\na       1  x\nbcdef  22  y/z\n"},
    {"exactly",
     16,
     {"a", "1", "x", "bcdef", "22", "y/z"},
     "NAME    N  PLACE\na       1  x\nbcdef  22  y/z\n"},
    {"one column less",
     15,
     {"abcdef", "22", "src/abcde"},
     "NAME   N  PLACE\nabc\xE2\x80\xA6  22  \xE2\x80\xA6"
     "bcde\n"},
    {"empty cells, and no blanks at the end",
     80,
     {"", "", "", "a", "", ""},
     "NAME  N  PLACE\n\na\n"},
    {"0 is the default", 0, {"a", "1", "x"}, "NAME  N  PLACE\na     1  x\n"},
    {"too narrow for the last one", 12, {"abcdef", "22", "src/abcde"}, "NAME     N\nabcdef  22\n"},
    {"and for the number", 4, {"abcdef", "22", "src/abcde"}, "NAME\nabc\xE2\x80\xA6\n"},
    {"three columns", 3, {"abcdef", "22", "src"}, "NA\xE2\x80\xA6\nab\xE2\x80\xA6\n"},
    {"one", 1, {"abcdef", "22", "src"}, "\xE2\x80\xA6\n\xE2\x80\xA6\n"},
    {"wide characters",
     80,
     {"\xE4\xB8\xAD\xE6\x96\x87", "1", "x", "abcde", "1", "y"},
     "NAME   N  PLACE\n\xE4\xB8\xAD\xE6\x96\x87   1  x\nabcde  1  y\n"},
    {"cut between wide characters",
     6,
     {"\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97\xE6\xBC\xA2", "1", "x"},
     "NAME\n\xE4\xB8\xAD\xE6\x96\x87\xE2\x80\xA6\n"},
    {"marks stay with their character",
     4,
     {"abe\xCC\x81xyz", "1", "x"},
     "NAME\nabe\xCC\x81\xE2\x80\xA6\n"},
    {"marks beyond eight",
     80,
     {"a\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
      "b",
      "1", "x"},
     "NAME  N  PLACE\n"
     "a\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
     "b    1  x\n"},
    {"no blank before the sign of a cut", 4, {"ab cdef", "1", "x"}, "NAME\nab\xE2\x80\xA6\n"},
    {"controls",
     80,
     {"a\033[31mb", "1", "\302\233x\x7f"},
     "NAME            N  PLACE\n"
     "a\xE2\x9F\xA8U+001B\xE2\x9F\xA9[31mb  1  "
     "\xE2\x9F\xA8U+009B\xE2\x9F\xA9x\xE2\x9F\xA8U+007F\xE2\x9F\xA9\n"},
    {"bidirectional controls",
     80,
     {"a\xE2\x80\xAE"
      "b",
      "1", "\xE2\x81\xA6"},
     "NAME        N  PLACE\n"
     "a\xE2\x9F\xA8U+202E\xE2\x9F\xA9"
     "b  1  \xE2\x9F\xA8U+2066\xE2\x9F\xA9\n"},
    {"line breaks and tabs", 80, {"a\nb", "1", "\tx\r\n"}, "NAME  N  PLACE\na b   1   x\n"},
    {"a command after a carriage return",
     80,
     {"\r::x", "1", ":", ":a", "1", "\r:"},
     "NAME    N  PLACE\n \xE2\x9F\xA8:\xE2\x9F\xA9:x  1  :\n:a      1   :\n"},
    {"not UTF-8",
     80,
     {"a\xFF"
      "b",
      "1", "x\xC3"},
     "NAME  N  PLACE\na\xEF\xBF\xBD"
     "b   1  x\xEF\xBF\xBD\n"},
    {"commands of CI systems",
     80,
     {"::error::x", "1", "  ::x", "a::b", "1", "##[group]##x"},
     "NAME          N  PLACE\n"
     "\xE2\x9F\xA8:\xE2\x9F\xA9:error::x  1    \xE2\x9F\xA8:\xE2\x9F\xA9:x\n"
     "a::b          1  ##\xE2\x9F\xA8[\xE2\x9F\xA9group]##x\n"},
};

START_TEST(layout)
{
	struct rt_slice cells[CELLS_MAX];
	size_t count = 0;
	char *shown;

	for (; count < CELLS_MAX && rows[_i].cells[count]; count++)
		cells[count] = rt_slice_make(rows[_i].cells[count], strlen(rows[_i].cells[count]));
	shown = table_make((struct rt_style){.width = rows[_i].width}, words, 3, cells, count);
	ck_assert_msg(strcmp(shown, rows[_i].shown) == 0, "%s:\n%s", rows[_i].what, shown);
	free(shown);
}
END_TEST

static const struct {
	const char *text, *shown;
} lines[] = {
    {"", "A\n\n"},
    {"one", "A\none\n"},
    {"\n \t\n one\n\n", "A\none\n"},
    {"one\ntwo", "A\none\xE2\x80\xA6\n"},
    {"one\r\ntwo", "A\none\xE2\x80\xA6\n"},
    {"\r\none\r\n", "A\none\n"},
    {"twenty columns of it!\nand more", "A\ntwenty columns of i\xE2\x80\xA6\n"},
};

START_TEST(first_line)
{
	static const struct rt_table_column one = {.title = "A", .weight = 1};
	struct rt_buf out = {0};
	struct rt_sink sink = rt_buf_sink(&out);
	struct rt_table *table;
	struct rt_error err;

	ck_assert_int_eq(rt_table_new((struct rt_style){.width = 20}, &table, &err), RT_OK);
	rt_table_begin(table, &one, 1);
	rt_table_cell_line(table, rt_slice_make(lines[_i].text, strlen(lines[_i].text)),
			   RT_TONE_PLAIN);
	ck_assert_int_eq(rt_table_send(table, &sink, &err), RT_OK);
	ck_assert_msg(out.len == strlen(lines[_i].shown) &&
			  memcmp(out.data, lines[_i].shown, out.len) == 0,
		      "%s: %.*s", lines[_i].text, (int)out.len, out.data);
	rt_table_free(table);
	rt_buf_release(&out);
}
END_TEST

/* Columns that are seldom: without a title, left out in front, of one column. */
START_TEST(seldom)
{
	static const struct {
		struct rt_table_column columns[3];
		size_t count;
		unsigned width;
		const char *cell, *shown;
	} tables[] = {
	    {{{.title = ""}}, 1, 80, "", "\n\n"},
	    {{{.title = "", .weight = 1}, {.title = "B"}}, 2, 80, "", "B\n\n"},
	    {{{.title = "AB", .leave = 3},
	      {.title = "CD", .leave = 1},
	      {.title = "EF", .leave = 2}},
	     3,
	     4,
	     "xy",
	     "CD\nxy\n"},
	    {{{.title = "AB", .weight = 1, .keep_end = true}},
	     1,
	     1,
	     "xy",
	     "\xE2\x80\xA6\n\xE2\x80\xA6\n"},
	};
	struct rt_slice cells[3];
	char *shown;

	for (size_t i = 0; i < 3; i++)
		cells[i] = rt_slice_make(tables[_i].cell, strlen(tables[_i].cell));
	shown = table_make((struct rt_style){.width = tables[_i].width}, tables[_i].columns,
			   tables[_i].count, cells, tables[_i].count);
	ck_assert_str_eq(shown, tables[_i].shown);
	free(shown);
}
END_TEST

/* A line has 1,000 columns at most, whatever it is asked to have. */
START_TEST(widest)
{
	struct rt_slice cells[3] = {{0}, RT_SLICE("1"), RT_SLICE("")};
	char name[1200], *shown;

	memset(name, 'x', sizeof(name));
	cells[0] = rt_slice_make(name, sizeof(name));
	shown = table_make((struct rt_style){.width = 100000}, words, 3, cells, 3);
	ck_assert_uint_eq(strspn(strchr(shown, 'x'), "x"), 989);
	free(shown);
}
END_TEST

/* Lines between tables, numbers, and colours around the text alone. */
START_TEST(page)
{
	static const struct rt_table_column columns[] = {
	    {.title = "SEVERITY", .weight = 1, .min = 2},
	    {.title = "ALL", .right = true},
	};
	struct rt_style style = {.width = 13, .color = true};
	struct rt_buf out = {0};
	struct rt_sink sink = rt_buf_sink(&out);
	struct rt_table *table;
	struct rt_error err;

	ck_assert_int_eq(rt_table_new(style, &table, &err), RT_OK);
	rt_table_line(table, RT_SLICE("a line that is far too long"), RT_TONE_STRONG);
	rt_table_begin(table, columns, 2);
	rt_table_cell(table, RT_SLICE("critical"), RT_TONE_LEVEL);
	rt_table_cell_count(table, 1234567);
	rt_table_cell(table, RT_SLICE("info"), RT_TONE_LEVEL + 4);
	rt_table_cell_count(table, 0);
	rt_table_line(table, RT_SLICE(""), RT_TONE_FAINT);
	rt_table_begin(table, columns, 1);
	ck_assert_int_eq(rt_table_send(table, &sink, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	ck_assert_str_eq(out.data, "\033[1ma line that\xE2\x80\xA6\033[0m\n"
				   "\033[2mS\xE2\x80\xA6\033[0m        \033[2mALL\033[0m\n"
				   "\033[1;31mc\xE2\x80\xA6\033[0m  1,234,567\n"
				   "\033[2mi\xE2\x80\xA6\033[0m          \033[2m0\033[0m\n"
				   "\n\033[2mSEVERITY\033[0m\n");
	rt_table_free(table);
	rt_buf_release(&out);
}
END_TEST

START_TEST(counts)
{
	static const struct {
		uint64_t count;
		const char *text;
	} numbers[] = {
	    {0, "0"},
	    {999, "999"},
	    {1000, "1,000"},
	    {123456, "123,456"},
	    {UINT64_MAX, "18,446,744,073,709,551,615"},
	};
	char text[RT_COUNT_ROOM];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ck_assert_str_eq(rt_count_text(numbers[i].count, text), numbers[i].text);
}
END_TEST

static enum rt_status full(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	(void)ctx, (void)data, (void)len;
	*err = (struct rt_error){.code = RT_E_IO};
	return RT_FATAL;
}

/* More than a spool keeps in memory comes out whole; a sink that fails is told. */
START_TEST(many)
{
	const size_t count = 100000;
	struct rt_slice *cells = calloc(3 * count, sizeof(*cells));
	struct rt_sink sink = {full, NULL};
	struct rt_table *table;
	struct rt_error err;
	char *shown;

	ck_assert_ptr_nonnull(cells);
	for (size_t i = 0; i < count; i++) {
		cells[3 * i] = RT_SLICE("a name of thirty characters !!");
		cells[3 * i + 1] = RT_SLICE("1");
		cells[3 * i + 2] = RT_SLICE("place");
	}
	shown = table_make((struct rt_style){.width = 80}, words, 3, cells, 3 * count);
	ck_assert_uint_eq(strlen(shown),
			  (count + 1) * strlen("a name of thirty characters !!  1  place\n"));
	free(shown);
	free(cells);
	ck_assert_int_eq(rt_table_new((struct rt_style){0}, &table, &err), RT_OK);
	rt_table_line(table, RT_SLICE("x"), RT_TONE_PLAIN);
	ck_assert_int_eq(rt_table_send(table, &sink, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	rt_table_free(table);
}
END_TEST

/* --- Any text ---------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Pieces that meet all kinds of characters, and bytes that are none. */
static size_t random_text(uint32_t *seed, char *text, size_t cap)
{
	static const struct rt_slice pieces[] = {
	    {"a", 1},
	    {"word ", 5},
	    {" ", 1},
	    {"\xE4\xB8\xAD", 3},
	    {"\xCC\x81", 2},
	    {"\xF0\x9F\x98\x80", 4},
	    {"\xE2\x80\x8D", 3},
	    {"\xE2\x80\xAE", 3},
	    {"\xE3\x80\x80", 3},
	    {"\033[", 2},
	    {"\n", 1},
	    {"\t", 1},
	    {"::", 2},
	    {"##[", 3},
	    {"##vso[", 6},
	    {"\xFF", 1},
	    {"\xC3", 1},
	    {"\xE2\x80", 2},
	    {"/", 1},
	    {"\x01", 1},
	    {"\0", 1},
	};
	size_t len = 0, count = next_random(seed) % 40;

	while (count--) {
		struct rt_slice piece =
		    pieces[next_random(seed) % (sizeof(pieces) / sizeof(pieces[0]))];

		if (len + piece.len > cap)
			break;
		memcpy(text + len, piece.ptr, piece.len);
		len += piece.len;
	}
	return len;
}

/* What every line must hold to. */
static void check_line(const char *line, size_t len, unsigned width)
{
	unsigned columns = 0, blanks = 0;

	for (size_t at = 0, step; at < len; at += step) {
		uint32_t point;

		step = rt_utf8_length(line + at, len - at);
		ck_assert_msg(step != 0, "not UTF-8: %.*s", (int)len, line);
		point = rt_utf8_decode(line + at, step);
		ck_assert_msg(!rt_utf8_is_unsafe(point), "U+%04X", point);
		columns += rt_width(point);
		blanks = point == ' ' ? blanks + 1 : 0;
	}
	ck_assert_msg(columns <= width, "%u of %u: %.*s", columns, width, (int)len, line);
	ck_assert_msg(!len || blanks == 0, "blanks at the end: %.*s.", (int)len, line);
	ck_assert_ptr_null(memmem(line, len, "##[", 3));
	ck_assert_ptr_null(memmem(line, len, "##vso[", 6));
	while (len && *line == ' ')
		line++, len--;
	ck_assert(len < 2 || memcmp(line, "::", 2) != 0);
}

START_TEST(any)
{
	char texts[6][200];
	struct rt_slice cells[6];
	uint32_t seed = (uint32_t)_i + 1;

	for (unsigned width = 1; width < 100; width++) {
		char *shown, *line;

		for (size_t i = 0; i < 6; i++)
			cells[i] =
			    rt_slice_make(texts[i], random_text(&seed, texts[i], sizeof(texts[i])));
		shown = table_make((struct rt_style){.width = width}, words, 3, cells, 6);
		line = shown;
		for (int i = 0; i < 3; i++) {
			char *end = strchr(line, '\n');

			ck_assert_ptr_nonnull(end);
			check_line(line, (size_t)(end - line), width);
			line = end + 1;
		}
		ck_assert_str_eq(line, "");
		free(shown);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("table");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, layout, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(cases, first_line, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_loop_test(cases, seldom, 0, 4);
	tcase_add_test(cases, widest);
	tcase_add_test(cases, page);
	tcase_add_test(cases, counts);
	tcase_add_test(cases, many);
	tcase_add_loop_test(cases, any, 0, 40);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
