/*
 * Tables for people: sentences, and tables with columns, whose rows never wrap, for one width.
 *
 * All text may come from input. What could act on a terminal becomes visible (U+202E is shown as
 * ⟨U+202E⟩), a line break or a tab becomes a blank, and no line can be taken for a command by a CI
 * system that reads logs ("::" at the beginning of a text, "##["). What is too wide is cut and
 * ends, or begins, with "…". Widths count columns of a terminal, not characters. In Markdown
 * nothing is left out or cut but what has more than RT_TABLE_WIDTH_MAX of them.
 *
 * The first error is kept and turns every later call into nothing; rt_table_send() reports it.
 */
#ifndef RT_OUTPUT_TABLE_H
#define RT_OUTPUT_TABLE_H

#include "base/decimal.h"
#include "base/error.h"
#include "engine/summary.h"
#include "retriage.h"

struct rt_table;

#define RT_TABLE_COLUMNS_MAX 12u

/* How a text looks where colours are wanted; nothing is said by colour alone. */
enum rt_tone {
	RT_TONE_PLAIN = 0,
	RT_TONE_STRONG,
	RT_TONE_FAINT,
	RT_TONE_LEVEL, /* and the four after it: of the severity level critical .. info */
	RT_TONE_COUNT = RT_TONE_LEVEL + RT_SEVERITY_LEVELS,
};

/* The tone of a severity, decoded; of one that is no level RT_TONE_PLAIN. */
enum rt_tone rt_tone_of_severity(struct rt_slice severity);

struct rt_table_column {
	const char *title; /* ASCII */
	bool right;        /* set to the right: numbers */
	bool keep_end;     /* where it is cut, its end stays: paths */
	unsigned weight;   /* its share where not all columns fit; 0: it is never cut */
	unsigned min;      /* with a weight: what it keeps before a column is left out */
	unsigned leave; /* where the others are too wide for min, the highest is left out first */
};

/*
 * style: width and color are used. ret_table: on RT_OK without lines, owned by the caller.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_table_new(struct rt_style style, struct rt_table **ret_table,
			    struct rt_error *err);

/* A sentence of its own, which ends the table before it, broken at blanks where it is too wide.
 * text: as in a cell. */
void rt_table_line(struct rt_table *table, struct rt_slice text, enum rt_tone tone);

/* The same of a text of at most 1023 bytes. */
void rt_table_say(struct rt_table *table, enum rt_tone tone, const char *format, ...)
    RT_PRINTF(3, 4);

/* Begin a table, which ends the one before it. columns: 1 .. RT_TABLE_COLUMNS_MAX, copied. */
void rt_table_begin(struct rt_table *table, const struct rt_table_column *columns, size_t count);

/* The next cell of the table, row by row; every row is to be filled. text: borrowed for the call.*/
void rt_table_cell(struct rt_table *table, struct rt_slice text, enum rt_tone tone);

/* The same with the first line of a text that is not blank, and "…" where there are more. */
void rt_table_cell_line(struct rt_table *table, struct rt_slice text, enum rt_tone tone);

/* A JSON value as a cell has it: a string's text, "-" where there is none or null, else as it is
 * written. Borrowed until the next call. */
struct rt_slice rt_table_text(struct rt_table *table, struct rt_slice json);

/* Keep a fault of elsewhere, unless there is one. status: RT_OK does nothing. */
void rt_table_fail(struct rt_table *table, enum rt_status status, const struct rt_error *err);

/* The next cell leads to an https address where colours are wanted, which is a terminal (OSC 8).
 * What a terminal might take for the end of it is no address. Borrowed for the call. */
void rt_table_link(struct rt_table *table, struct rt_slice address);

/* A number as people write it: 1,768. A 0 is faint. */
void rt_table_cell_count(struct rt_table *table, uint64_t count);

/* Everything is said: pass it on. Returns RT_OK, or RT_FATAL with the first error of all. */
enum rt_status rt_table_send(struct rt_table *table, const struct rt_sink *sink,
			     struct rt_error *err);

/* NULL is allowed. */
void rt_table_free(struct rt_table *table);

#endif
