/*
 * Decimal numbers of any length, compared exactly, without a floating-point number in between.
 */
#ifndef RT_BASE_DECIMAL_H
#define RT_BASE_DECIMAL_H

#include <stdint.h>

#include "base/slice.h"

/* Powers of ten beyond this count as this. */
#define RT_DECIMAL_POWER_MAX INT64_C(1000000000000000000)

/* A number that has been read: sign × 0.DIGITS × 10^power. Borrows its text. */
struct rt_decimal {
	const char *at, *end; /* digits from the first that is not 0, perhaps with a point inside */
	int64_t power;        /* 0 where sign is 0 */
	int sign;             /* -1, 0 or 1 */
};

/*
 * Read a number in the grammar of JSON (RFC 8259 §6). text: borrowed as long as the decimal.
 * Returns false, with ret_decimal not to be used, where it is none.
 */
bool rt_decimal_read(struct rt_slice text, struct rt_decimal *ret_decimal);

/* Negative, 0 or positive: a is less than, equal to or more than b. */
int rt_decimal_compare(const struct rt_decimal *a, const struct rt_decimal *b);

/* Bytes that a number takes as people write it, NUL included. */
#define RT_COUNT_ROOM 28u

/* Write a number as people do, 1,768, with a NUL after it. Returns out. */
char *rt_count_text(uint64_t count, char out[RT_COUNT_ROOM]);

/* The same in bytes that last until the end of the block. */
#define RT_COUNT(count) rt_count_text(count, (char[RT_COUNT_ROOM]){0})

#endif
