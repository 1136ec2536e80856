/*
 * Says which step of the program fails. A step that is taken again by the same three callers is the
 * same one, and fails the first time only.
 *
 * Environment: LD_FAULT_AT (which step, in the order that they are first taken in, from 1),
 * LD_FAULT_LOG (a file whose one byte becomes 1 when one has failed; opened before the process is
 * confined), LD_FAULT_IN_CHILD (those of the processes that unpack fail, each of which counts its
 * own, and no others). Without LD_FAULT_AT none fails.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "places.h"

/* Whether the step that asks is to fail: what steps.py makes calls it. */
bool rt_step_fails(void);

/* Frames of the test's own: those of place_is_new() and of rt_step_fails(). */
#define SKIPPED 2
#define CALLERS 4 /* the first is what stands for the step */

static _Atomic unsigned long count;
static unsigned long at;
static char *log_byte;

/* The process whose steps fail: 0, the program; 2, one that its forker has forked. */
static unsigned wanted, depth;

static void in_child(void)
{
	depth++;
	count = 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("LD_FAULT_AT");
	const char *path = getenv("LD_FAULT_LOG");
	int fd = path ? open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600) : -1;
	void *map = MAP_FAILED;

	if (number)
		at = strtoul(number, NULL, 10);
	wanted = getenv("LD_FAULT_IN_CHILD") ? 2 : 0;
	(void)pthread_atfork(NULL, NULL, in_child);
	if (fd >= 0 && ftruncate(fd, 1) == 0)
		map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		log_byte = map;
	if (fd >= 0)
		close(fd);
	places_begin();
}

__attribute__((noinline)) bool rt_step_fails(void)
{
	bool fails;

	if (!at || depth != wanted || !place_is_new(SKIPPED, CALLERS))
		return false;
	fails = atomic_fetch_add(&count, 1) + 1 == at;
	if (fails && log_byte)
		*log_byte = 1;
	return fails;
}
