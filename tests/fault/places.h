/*
 * Places: a call by the same callers as one before it is at the same place, and need not fail
 * again. What has to fail is then not thousands of calls, but some hundred places. For what makes
 * calls fail in this folder.
 */
#ifndef FAULT_PLACES_H
#define FAULT_PLACES_H

#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A power of two, larger than there are places in a test. */
#define PLACES 65536u
#define MOST_FRAMES 24

static _Atomic uint64_t places[PLACES];

/* To be called before the process is confined: the first backtrace() loads a library. */
static void places_begin(void)
{
	void *frames[1];

	(void)backtrace(frames, 1);
}

/*
 * Whether the caller's place is new; it is known from then on. Of the frames, the first `skipped`
 * belong to the test. Where there is no room for more places, none is new.
 */
__attribute__((noinline)) static bool place_is_new(int skipped, int callers)
{
	void *frames[MOST_FRAMES];
	int count = backtrace(frames, skipped + callers);
	uint64_t place = 1;

	for (int i = skipped; i < count; i++)
		place = (place ^ (uintptr_t)frames[i]) * UINT64_C(0x9E3779B97F4A7C15);
	place |= 1;
	for (uint64_t probe = 0; probe < PLACES; probe++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&places[(place + probe) % PLACES], &none, place))
			return true;
		if (none == place)
			return false;
	}
	return false;
}

#endif
