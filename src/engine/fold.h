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

/* Bytes that out needs to have more than the text. */
#define RT_FOLD_ROOM 8u

/*
 * Write what counts of a string. json: the bytes between its quotes, checked; ptr NULL is allowed.
 * Returns the bytes written, at most json.len; up to RT_FOLD_ROOM behind them are overwritten.
 */
typedef size_t rt_fold_fn(struct rt_slice json, enum rt_fold how, char *out);

/* The fastest that this processor has, as rt_scan_ops() chooses. */
rt_fold_fn *rt_fold_choose(void);

/* A number of a text, the same in every run: for an order, where equal ones do no harm. An
 * author of the text can make any number of it. */
uint32_t rt_fold_number(struct rt_slice text);

#endif
