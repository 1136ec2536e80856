/*
 * What counts of a text where two scans are compared: code without its blanks, since indentation
 * moves; messages with a 0 for each run of digits, since they name lines and counts; paths with
 * slashes. Straight from the JSON text, without decoding it first.
 */
#ifndef RT_ENGINE_FOLD_H
#define RT_ENGINE_FOLD_H

#include <stdint.h>

#include "base/slice.h"

enum rt_fold { RT_FOLD_CODE, RT_FOLD_MESSAGE, RT_FOLD_PATH };

/*
 * Write what counts of a string. json: the bytes between its quotes, checked; ptr NULL is allowed.
 * out: room for json.len bytes. Returns the bytes written.
 */
size_t rt_fold(struct rt_slice json, enum rt_fold how, char *out);

/* A number of a text, the same in every run: for an order, where equal ones do no harm. An
 * author of the text can make any number of it. */
uint32_t rt_fold_number(struct rt_slice text);

#endif
