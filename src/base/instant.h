/*
 * Points in time as SPEC D10 reads them.
 */
#ifndef RT_BASE_INSTANT_H
#define RT_BASE_INSTANT_H

#include <stdint.h>

#include "base/slice.h"

/*
 * A point in time. Compare with rt_instant_compare(). The fraction's digits stay where they were
 * read: an instant that outlives its text must have its fraction pointed anew.
 */
struct rt_instant {
	int64_t seconds;          /* since 1970-01-01T00:00:00Z, leap seconds not counted */
	struct rt_slice fraction; /* digits after the point without trailing zeros; maybe empty */
};

/*
 * Read a date-time: YYYY-MM-DD, then nothing (midnight), or 'T' or a space and hh:mm, optionally
 * :ss and after it a fraction of any length, optionally an offset: 'Z', ±hh, ±hhmm or ±hh:mm.
 * Without an offset it is UTC; second 60 is the next minute's 0 (SPEC D10; a subset of ISO 8601).
 *
 * text: the whole of it must be the date-time; borrowed by ret_instant for the fraction.
 * Returns whether it is one; else *ret_instant is untouched.
 */
bool rt_instant_parse(struct rt_slice text, struct rt_instant *ret_instant);

/* Read "-30d", a number of days before a point in time, both in seconds since 1970-01-01T00:00:00Z.
 * Returns false where text is something else, or more than all years that a date has. */
bool rt_instant_days_ago(struct rt_slice text, int64_t at, int64_t *ret_seconds);

/* Whether text is a full ISO 8601 date-time, with a time of day (SPEC D4, of rulesets). */
bool rt_instant_is_date_time(struct rt_slice text);

/* Characters of a time as retriage writes it: YYYY-MM-DDTHH:MM:SSZ (SPEC D16). */
#define RT_INSTANT_CHARS 20u

/*
 * Write a time in that form, without a NUL. seconds: since 1970-01-01T00:00:00Z.
 * Returns false, with nothing written, when its year is not one of 0000 to 9999.
 */
bool rt_instant_format(int64_t seconds, char text[RT_INSTANT_CHARS]);

/* Negative, 0 or positive: a is before, at or after b. */
int rt_instant_compare(const struct rt_instant *a, const struct rt_instant *b);

/* --- Clocks ---------------------------------------------------------------------------------- */

/* Milliseconds of a clock that nobody sets: only differences mean something. */
uint64_t rt_clock_ms(void);

/* Likewise in microseconds. */
uint64_t rt_clock_us(void);

/* Sleep for so many milliseconds, or less where a signal comes. */
void rt_clock_pause(unsigned ms);

#endif
