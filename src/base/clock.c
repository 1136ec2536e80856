/*
 * Waits. Input: milliseconds. Output: the time that has passed.
 * It is for waiting alone, and no answer depends on it.
 */
#include "base/clock.h"

#include <time.h>

uint64_t rt_clock_us(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t rt_clock_ms(void)
{
	return rt_clock_us() / 1000;
}

void rt_clock_pause(unsigned ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	(void)nanosleep(&time, NULL);
}
