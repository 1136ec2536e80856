/*
 * Documents out: events in, JSON or YAML text out to a sink.
 *
 * The writer keeps the first error and turns every later call into nothing; rt_writer_finish()
 * reports it. Strings are written with the fewest escapes JSON needs, and besides with \uXXXX for
 * DEL, C1 controls, line and paragraph separators and bidirectional controls, so that an answer
 * is safe to look at on a terminal (the value is the same). Numbers keep their own text.
 *
 * YAML is written in block style so that readers of YAML 1.1 and of the YAML 1.2 core schema find
 * the same values: a string is plain where none of them could take it for something else, a literal
 * block where it has lines and its characters allow that, else in double quotes and escaped as
 * above.
 */
#ifndef RT_OUTPUT_WRITER_H
#define RT_OUTPUT_WRITER_H

#include "base/error.h"
#include "output/slot.h"

struct rt_writer;

/* Whether an answer is given in a style: most: RT_FORMAT_YAML of a document, RT_FORMAT_TABLE where
 * there is a table, too. Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_style_check(struct rt_style style, enum rt_format most, struct rt_error *err);

/*
 * style: of a document. sink: copied; its ctx is borrowed until rt_writer_free().
 * ret_writer: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_writer_open(struct rt_style style, const struct rt_sink *sink,
			      struct rt_writer **ret_writer, struct rt_error *err);

/* The name of the next member; valid UTF-8, not escaped. */
void rt_writer_key(struct rt_writer *w, struct rt_slice name);

/* A string; valid UTF-8, not escaped, may hold any code point. */
void rt_writer_string(struct rt_writer *w, struct rt_slice text);
/*
 * Any JSON value as it is in an input: checked text of RFC 8259, no blanks around it. Blanks
 * inside it, and escapes that are not needed, are not written. In YAML a number that a YAML 1.1
 * reader would take for a string, such as 1e3, gets the tag !!float before it; the text stays.
 */
void rt_writer_value(struct rt_writer *w, struct rt_slice json);

/*
 * A part of a document, as in
 *	RT_WRITE(w, "{found: %u, pass: %b, place: {path: %s", found, pass, path)
 * Brackets may be open before it and after it. What is before a colon is a key. The next value is
 * put in the place of
 *	%s  a text, valid UTF-8; null where ptr is NULL
 *	%e  any bytes with a NUL behind them, of which those that are no UTF-8 become U+FFFD; null
 *	    where there are none
 *	%v  a JSON value
 *	%h  a SHA-256 in hex, of rt_slot_digest()
 *	%k  a key, before its colon: a text, or our own words
 *	%u  a number
 *	%z  a number; null where it is 0
 *	%b  true or false
 */
#define RT_WRITE(w, ...) rt_writer_fill(w, RT_SLOTS(__VA_ARGS__))

/* slots: the form, and its values. */
void rt_writer_fill(struct rt_writer *w, const struct rt_slot *slots);

/*
 * End the document: a newline is written (YAML: the document ends with one already) and all bytes
 * are passed to the sink. In JSON another document may follow.
 * Returns RT_OK, or RT_FATAL with err set to the first error of all calls before.
 */
enum rt_status rt_writer_finish(struct rt_writer *w, struct rt_error *err);

/* NULL is allowed. */
void rt_writer_free(struct rt_writer *w);

#endif
