/*
 * What counts of a text where two scans are compared: code without its blanks, since indentation
 * moves; paths with slashes; messages with 0 for their numbers, since they name lines and counts.
 */
#ifndef RT_ENGINE_FOLD_H
#define RT_ENGINE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum rt_fold { RT_FOLD_CODE, RT_FOLD_PATH };

/*
 * Write what counts of a string, straight from its JSON text. json: the bytes between its quotes,
 * checked; ptr NULL is allowed. out: room for json.len bytes. Returns the bytes written.
 */
size_t rt_fold(struct rt_slice json, enum rt_fold how, char *out);

/* Which numbers of a message count as 0. A number that names something ("advisory 1500", "#12")
 * always stays. */
enum rt_fold_numbers {
	RT_FOLD_WORDS,  /* those that are words of their own: not the 2 of "1.2" */
	RT_FOLD_DIGITS, /* all but those behind a dash in a word: CVE-2021-44228, UTF-8 */
};

/*
 * Write a message with 0 for its numbers. text: decoded. out: room for text.len bytes.
 * ret_numbers: their first digits, of 4 bits each, so that texts that differ in numbers alone have
 * an order. Returns the bytes written.
 */
#define RT_FOLD_NUMBER_DIGITS 12u
size_t rt_fold_message(struct rt_slice text, enum rt_fold_numbers which, char *out,
		       uint64_t *ret_numbers);

/* The next number of a text that names something. *at: where to look, 0 at first. ret_digits:
 * borrowed from text. Returns false after the last one. */
bool rt_fold_next_name(struct rt_slice text, size_t *at, struct rt_slice *ret_digits);

/*
 * Whether code without blanks hides what was there: REDACTED, requires login, **** and their like,
 * or something that is set to such a text. A lone brace is code.
 */
bool rt_fold_is_redacted(struct rt_slice code);

/* Letters, digits, '_', and all that is not ASCII. */
bool rt_fold_in_word(char c);

/* A number of a text, the same in every run: for an order, where equal ones do no harm. An
 * author of the text can make any number of it. */
uint32_t rt_fold_number(struct rt_slice text);

#endif
