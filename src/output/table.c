/*
 * Tables for people, in lines of at most the width that is asked for. Nothing that could act on a
 * terminal is passed on, and nothing wraps.
 *
 * A table's cells wait in a spool until its last one: only then the widths of its columns are
 * known. A cell is masked, and cut to what the whole line could hold, before it waits there.
 */
#include "output/table.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/spool.h"
#include "base/utf8.h"
#include "output/markdown.h"

#define GAP 2u
/* Marks that are drawn over one character; more of them would only run over other lines. */
#define MARKS_MAX 8u
#define ELLIPSIS "\xE2\x80\xA6"

/* What is before each cell in the spool. */
struct cell {
	size_t len;       /* bytes */
	size_t link;      /* bytes of an address, which are after those; 0: none */
	unsigned columns; /* that it is wide; more than the line has where it was cut */
	enum rt_tone tone;
};

struct rt_table {
	unsigned width;
	bool color, markdown;
	size_t row;          /* of the next cell in Markdown; 0: the titles */
	struct rt_spool out; /* lines that are done */
	struct rt_table_column columns[RT_TABLE_COLUMNS_MAX];
	size_t count; /* of columns; 0: no table is begun */
	size_t next;  /* column of the next cell */
	struct rt_spool cells;
	unsigned natural[RT_TABLE_COLUMNS_MAX]; /* the widest cell */
	unsigned given[RT_TABLE_COLUMNS_MAX];   /* what it gets; 0: it is left out */
	struct rt_buf decoded;                  /* the text of a JSON string */
	struct rt_buf masked;                   /* a text as it may be shown */
	struct rt_buf text;                     /* a cell in the making */
	struct rt_buf link;                     /* of the next cell */
	struct rt_buf arrived;                  /* from the spool, not yet laid out */
	struct rt_buf line;                     /* a line in the making */
	size_t blanks;                          /* that are before what the line gets next */
	enum rt_status status;
	struct rt_error err;
};

enum rt_status rt_table_new(struct rt_style style, struct rt_table **ret_table,
			    struct rt_error *err)
{
	struct rt_table *t = calloc(1, sizeof(*t));

	if (!t)
		return rt_error_nomem(err);
	t->width = style.width ? style.width : RT_WIDTH_DEFAULT;
	if (t->width > RT_TABLE_WIDTH_MAX)
		t->width = RT_TABLE_WIDTH_MAX;
	t->markdown = style.format == RT_FORMAT_MARKDOWN;
	t->color = style.color && !t->markdown;
	if (t->markdown)
		t->width = RT_TABLE_WIDTH_MAX;
	rt_spool_init(&t->out);
	rt_spool_init(&t->cells);
	*ret_table = t;
	return RT_OK;
}

void rt_table_free(struct rt_table *t)
{
	if (!t)
		return;
	rt_spool_release(&t->out);
	rt_spool_release(&t->cells);
	rt_buf_release(&t->decoded);
	rt_buf_release(&t->masked);
	rt_buf_release(&t->text);
	rt_buf_release(&t->link);
	rt_buf_release(&t->arrived);
	rt_buf_release(&t->line);
	free(t);
}

enum rt_tone rt_tone_of_severity(struct rt_slice severity)
{
	unsigned level = rt_severity_rank(severity);

	return level < RT_SEVERITY_LEVELS ? RT_TONE_LEVEL + (enum rt_tone)level : RT_TONE_PLAIN;
}

static void add(struct rt_table *t, struct rt_buf *to, const char *text, size_t len)
{
	RT_STEP(t, rt_buf_append(to, text, len, &t->err));
}

static void add_spool(struct rt_table *t, struct rt_spool *to, const void *data, size_t len)
{
	struct rt_sink sink = rt_spool_sink(to);

	RT_STEP(t, sink.write(sink.ctx, data, len, &t->err));
}

/* --- Columns ----------------------------------------------------------------------------- */

/* A masked text while it is walked, one character at a time. */
struct walk {
	const char *at, *end;
	unsigned marks; /* since the last character that has a width */
	/* The character, and its columns. */
	const char *shown;
	size_t len;
	unsigned columns;
};

/* Borrowed until the next one. */
static struct rt_slice masked(struct rt_table *t, struct rt_slice text)
{
	t->masked.len = 0;
	RT_STEP(t, rt_mask(text, RT_MASK_LINES_BLANK, &t->masked, &t->err));
	return t->masked.len ? rt_buf_slice(&t->masked) : RT_SLICE("");
}

/* Columns on a terminal, as the C library has it for UTF-8; what it does not know takes one. */
static unsigned width_of(uint32_t point)
{
	int width = wcwidth((wchar_t)point);

	return width < 0 ? 1 : (unsigned)width;
}

/* Go to the next character. Returns false at the end. */
static bool walk_next(struct walk *w)
{
	size_t len;

	if (w->at == w->end)
		return false;
	len = rt_utf8_length(w->at, (size_t)(w->end - w->at));
	w->shown = w->at;
	w->columns = width_of(rt_utf8_decode(w->at, len));
	w->marks = w->columns ? 0 : w->marks + 1;
	w->len = w->marks > MARKS_MAX ? 0 : len;
	w->at += len;
	return true;
}

static struct walk walk_start(struct rt_slice text)
{
	return (struct walk){.at = text.ptr, .end = rt_slice_end(text)};
}

/*
 * Append a masked text: from its column `from` on; if that is 0, up to one column
 * more than `most`. Returns the columns.
 */
static unsigned add_columns(struct rt_table *t, struct rt_slice text, size_t from, unsigned most)
{
	struct walk w = walk_start(text);
	unsigned columns = 0;
	size_t before = 0;

	while ((from || columns <= most) && walk_next(&w)) {
		before += w.columns;
		if (from && before <= from)
			continue;
		add(t, &t->text, w.shown, w.len);
		columns += w.columns;
	}
	return columns;
}

static size_t measure(struct rt_slice text)
{
	struct walk w = walk_start(text);
	size_t columns = 0;

	while (walk_next(&w))
		columns += w.columns;
	return columns;
}

/* --- Cells ------------------------------------------------------------------------------- */

/* more: there is more text, which no cell shows. */
static void put_cell(struct rt_table *t, struct rt_slice text, bool more, enum rt_tone tone)
{
	struct cell cell = {.tone = tone};
	size_t column = t->next, from = 0;

	text = masked(t, text);
	if (t->columns[column].keep_end) {
		size_t all = measure(text);

		from = all > t->width ? all - t->width - 1 : 0;
	}
	t->text.len = 0;
	cell.columns = add_columns(t, text, from, t->width);
	if (more) {
		add(t, &t->text, ELLIPSIS, sizeof(ELLIPSIS) - 1);
		cell.columns++;
	}
	cell.len = t->text.len;
	cell.link = t->link.len;
	add_spool(t, &t->cells, &cell, sizeof(cell));
	add_spool(t, &t->cells, t->text.data, t->text.len);
	add_spool(t, &t->cells, t->link.data, t->link.len);
	t->link.len = 0;
	if (cell.columns > t->natural[column])
		t->natural[column] = cell.columns;
	t->next = (column + 1) % t->count;
}

void rt_table_cell(struct rt_table *t, struct rt_slice text, enum rt_tone tone)
{
	put_cell(t, text, false, tone);
}

void rt_table_cell_line(struct rt_table *t, struct rt_slice text, enum rt_tone tone)
{
	struct rt_slice line = rt_first_line(text), rest = text;

	/* What is left after it is blank, or more. */
	if (line.len)
		rest = rt_slice_make(rt_slice_end(line),
				     (size_t)(rt_slice_end(text) - rt_slice_end(line)));
	put_cell(t, line, rt_first_line(rest).len > 0, tone);
}

struct rt_slice rt_table_text(struct rt_table *t, struct rt_slice json)
{
	if (!json.ptr || *json.ptr == 'n')
		return RT_SLICE("-");
	if (*json.ptr == '"')
		RT_STEP(t, rt_json_string_text(rt_slice_make(json.ptr + 1, json.len - 2),
					       &t->decoded, &json, &t->err));
	return json;
}

void rt_table_fail(struct rt_table *t, enum rt_status status, const struct rt_error *err)
{
	if (status == RT_OK || t->status != RT_OK)
		return;
	t->status = status;
	t->err = *err;
}

/* Longer addresses are cut by terminals. */
#define LINK_MAX 2000u

void rt_table_link(struct rt_table *t, struct rt_slice address)
{
	bool is_safe = t->color && address.len < LINK_MAX;

	for (size_t i = 0; is_safe && i < address.len; i++)
		is_safe = address.ptr[i] > ' ' && address.ptr[i] < 0x7F;
	t->link.len = 0;
	if (is_safe)
		add(t, &t->link, address.ptr, address.len);
}

void rt_table_cell_count(struct rt_table *t, uint64_t count)
{
	put_cell(t, rt_slice_of(RT_COUNT(count)), false, count ? RT_TONE_PLAIN : RT_TONE_FAINT);
}

/* --- The widths of columns --------------------------------------------------------------- */

/* What a column keeps in any case. */
static unsigned least(const struct rt_table *t, size_t i)
{
	const struct rt_table_column *column = &t->columns[i];

	return column->weight && column->min < t->natural[i] ? column->min : t->natural[i];
}

/* Take a column from the one that has most for its weight, of those that are shown and have more
 * than their least. Returns false where there is none. */
static bool narrow(struct rt_table *t)
{
	size_t widest = t->count;

	for (size_t i = 0; i < t->count; i++) {
		if (t->given[i] > least(t, i) &&
		    (widest == t->count || t->given[i] * t->columns[widest].weight >
					       t->given[widest] * t->columns[i].weight))
			widest = i;
	}
	if (widest < t->count)
		t->given[widest]--;
	return widest < t->count;
}

/* Leave the column out that is the first to give way; the others have what they want again.
 * Returns false where there is no other. */
static bool leave_out(struct rt_table *t)
{
	size_t out = 0, shown = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!t->given[i])
			continue;
		if (!t->given[out] || t->columns[i].leave >= t->columns[out].leave)
			out = i;
		t->given[i] = t->natural[i];
		shown++;
	}
	if (shown > 1)
		t->given[out] = 0;
	else
		t->given[out] = t->width;
	return shown > 1;
}

/* Columns of a line, with the gaps between those that are shown. */
static unsigned line_width(const struct rt_table *t)
{
	unsigned width = 0;

	for (size_t i = 0; i < t->count; i++)
		width += t->given[i] ? t->given[i] + GAP : 0;
	return width - (width ? GAP : 0);
}

static void set_widths(struct rt_table *t)
{
	memcpy(t->given, t->natural, sizeof(t->given));
	while (line_width(t) > t->width && (narrow(t) || leave_out(t)))
		;
}

/* --- Lines ------------------------------------------------------------------------------- */

/* Blanks at the end of a line are never written. */
static void add_blanks(struct rt_table *t)
{
	for (; t->blanks; t->blanks--)
		add(t, &t->line, " ", 1);
}

static const char *tone_begin(enum rt_tone tone)
{
	static const char *const sequences[RT_TONE_COUNT] = {
	    "", "\033[1m", "\033[2m", "\033[1;31m", "\033[31m", "\033[33m", "\033[36m", "\033[2m",
	};

	return sequences[tone];
}

/* Begin a link, or end the one that is begun. */
static void add_link(struct rt_table *t, struct rt_slice address)
{
	add(t, &t->line, "\033]8;;", 5);
	add(t, &t->line, address.ptr, address.len);
	add(t, &t->line, "\033\\", 2);
}

static void add_toned(struct rt_table *t, struct rt_slice text, struct rt_slice link,
		      enum rt_tone tone)
{
	const char *begin = t->color ? tone_begin(tone) : "";
	size_t len = text.len;

	while (len && text.ptr[len - 1] == ' ')
		len--;
	if (len) {
		add_blanks(t);
		if (link.len)
			add_link(t, link);
		add(t, &t->line, begin, strlen(begin));
		add(t, &t->line, text.ptr, len);
		if (link.len)
			add_link(t, (struct rt_slice){"", 0});
		if (*begin)
			add(t, &t->line, "\033[0m", 4);
	}
	t->blanks += text.len - len;
}

static void end_line(struct rt_table *t)
{
	t->blanks = 0;
	add(t, &t->line, "\n", 1);
	add_spool(t, &t->out, t->line.data, t->line.len);
	t->line.len = 0;
}

/* Cut a masked text at its end. *columns: what there is room for, and then what it takes. */
static void cut_end(struct rt_table *t, struct rt_slice text, unsigned *columns)
{
	struct walk w = walk_start(text);
	unsigned used = 0, kept = 0;
	size_t len = 0;

	t->text.len = 0;
	while (walk_next(&w) && used + w.columns < *columns) {
		used += w.columns;
		if (w.shown[0] == ' ')
			continue;
		len = (size_t)(w.at - text.ptr);
		kept = used;
	}
	add(t, &t->text, text.ptr, len);
	add(t, &t->text, ELLIPSIS, sizeof(ELLIPSIS) - 1);
	*columns = kept + 1;
}

/* The same at its beginning. all: the columns that the text takes. */
static void cut_begin(struct rt_table *t, struct rt_slice text, unsigned all, unsigned *columns)
{
	struct walk w = walk_start(text);
	const char *from = text.ptr;

	while (all >= *columns && walk_next(&w)) {
		all -= w.columns;
		from = w.at;
	}
	/* A mark must not be drawn over the sign of the cut. */
	while (walk_next(&w) && w.columns == 0)
		from = w.at;
	t->text.len = 0;
	add(t, &t->text, ELLIPSIS, sizeof(ELLIPSIS) - 1);
	add(t, &t->text, from, (size_t)(text.ptr + text.len - from));
	*columns = all + 1;
}

/* Put a masked text of a number of columns into a field of the line; its link is behind it. */
static void put_field(struct rt_table *t, const struct rt_table_column *column, unsigned given,
		      struct rt_slice text, const struct cell *cell)
{
	struct rt_slice link = rt_slice_make(text.ptr + text.len, cell->link);
	unsigned columns = cell->columns;

	if (columns > given) {
		columns = given;
		if (column->keep_end)
			cut_begin(t, text, cell->columns, &columns);
		else
			cut_end(t, text, &columns);
		text = rt_buf_slice(&t->text);
	}
	t->blanks += column->right ? given - columns : 0;
	add_toned(t, text, link, cell->tone);
	t->blanks += column->right ? 0 : given - columns;
}

static void add_words(struct rt_table *t, struct rt_slice text)
{
	struct rt_put put = {&t->line, &t->err, t->status};

	rt_markdown_words(&put, text);
	t->status = put.status;
}

/* Put a cell of the table into its row of Markdown; behind the titles comes the line that says
 * which columns are numbers. */
static void place_words(struct rt_table *t, struct rt_slice text)
{
	add(t, &t->line, "| ", 2);
	add_words(t, text);
	add(t, &t->line, " ", 1);
	if (t->next)
		return;
	add(t, &t->line, "|", 1);
	end_line(t);
	if (t->row++)
		return;
	for (size_t i = 0; i < t->count; i++)
		add(t, &t->line, t->columns[i].right ? "| --: " : "| --- ", 6);
	add(t, &t->line, "|", 1);
	end_line(t);
}

/* Put a cell of the table into its line. */
static void place_cell(struct rt_table *t, struct rt_slice text, const struct cell *cell)
{
	size_t column = t->next;

	t->next = (column + 1) % t->count;
	if (t->markdown) {
		place_words(t, text);
		return;
	}
	if (t->given[column]) {
		put_field(t, &t->columns[column], t->given[column], text, cell);
		t->blanks += GAP;
	}
	if (t->next == 0)
		end_line(t);
}

/* A sink: cells from the spool, in pieces of any size. */
static enum rt_status take_cells(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_table *t = ctx;
	struct cell cell;
	size_t at = 0;

	add(t, &t->arrived, data, len);
	while (t->status == RT_OK && t->arrived.len - at >= sizeof(cell)) {
		memcpy(&cell, t->arrived.data + at, sizeof(cell));
		if (t->arrived.len - at - sizeof(cell) < cell.len + cell.link)
			break;
		at += sizeof(cell);
		place_cell(t, rt_slice_make(t->arrived.data + at, cell.len), &cell);
		at += cell.len + cell.link;
	}
	if (t->status != RT_OK) {
		*err = t->err;
		return t->status;
	}
	if (at)
		memmove(t->arrived.data, t->arrived.data + at, t->arrived.len - at);
	t->arrived.len -= at;
	return RT_OK;
}

/* Lay out the current table, if there is one. */
static void end_table(struct rt_table *t)
{
	struct rt_sink sink = {take_cells, t};

	if (!t->count)
		return;
	assert(t->next == 0);
	if (t->status == RT_OK) {
		set_widths(t);
		t->status = rt_spool_copy(&t->cells, &sink, &t->err);
	}
	/* What follows would be a row of it. */
	if (t->markdown)
		end_line(t);
	rt_spool_release(&t->cells);
	rt_spool_init(&t->cells);
	t->count = 0;
}

/* --- The functions of the header --------------------------------------------------------- */

void rt_table_begin(struct rt_table *t, const struct rt_table_column *columns, size_t count)
{
	assert(count && count <= RT_TABLE_COLUMNS_MAX);
	end_table(t);
	memcpy(t->columns, columns, count * sizeof(*columns));
	t->count = count;
	t->next = 0;
	t->row = 0;
	memset(t->natural, 0, sizeof(t->natural));
	for (size_t i = 0; i < count; i++)
		rt_table_cell(t, rt_slice_make(columns[i].title, strlen(columns[i].title)),
			      RT_TONE_FAINT);
}

/* Bytes of a masked text that a line has room for, up to a blank where there is one. */
static size_t one_line(const struct rt_table *t, struct rt_slice text)
{
	struct walk w = walk_start(text);
	unsigned columns = 0;
	size_t all = 0, words = 0;

	while (walk_next(&w)) {
		columns += w.columns;
		if (w.shown[0] == ' ')
			words = (size_t)(w.at - text.ptr);
		if (columns > t->width)
			return words ? words : all ? all : (size_t)(w.at - text.ptr);
		all = (size_t)(w.at - text.ptr);
	}
	return text.len;
}

void rt_table_line(struct rt_table *t, struct rt_slice text, enum rt_tone tone)
{
	static const struct rt_slice no_link = {"", 0};

	end_table(t);
	t->text.len = 0;
	(void)add_columns(t, masked(t, text), 0, UINT_MAX - 1);
	if (t->markdown) {
		add_words(t, rt_buf_slice(&t->text));
		end_line(t);
		if (text.len)
			end_line(t);
		return;
	}
	text = rt_buf_slice(&t->text);
	do {
		size_t len = one_line(t, text);

		add_toned(t, rt_slice_make(text.ptr, len), no_link, tone);
		end_line(t);
		text = rt_slice_make(text.ptr + len, text.len - len);
	} while (text.len);
}

void rt_table_say(struct rt_table *t, enum rt_tone tone, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	rt_table_line(t, rt_slice_of(text), tone);
}

enum rt_status rt_table_send(struct rt_table *t, const struct rt_sink *sink, struct rt_error *err)
{
	end_table(t);
	if (t->status != RT_OK) {
		*err = t->err;
		return t->status;
	}
	return rt_spool_copy(&t->out, sink, err);
}
