/*
 * Time that goes by: waiting for others, and how long things take.
 */
#ifndef RT_BASE_CLOCK_H
#define RT_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that nobody sets: only differences mean something. */
uint64_t rt_clock_ms(void);

/* Likewise in microseconds. */
uint64_t rt_clock_us(void);

/* Sleep for so many milliseconds, or less where a signal comes. */
void rt_clock_pause(unsigned ms);

#endif
