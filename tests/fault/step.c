/*
 * Says which step of the program fails. A step that is taken again by the same three callers is the
 * same one, and fails the first time only.
 *
 * Environment: LD_FAULT_AT (which step, in the order that they are first taken in, from 1),
 * LD_FAULT_LOG (a file whose one byte becomes 1 when one has failed; opened before the process is
 * confined), LD_FAULT_IN_CHILD (those of the processes that unpack fail, each of which counts its
 * own, and no others). Without LD_FAULT_AT none fails.
 */
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether the step that asks is to fail: what steps.py makes calls it. */
bool rt_step_fails(void);

/* A power of two, larger than there are steps in a test. */
#define SLOTS 65536u

/* Two frames are in this file and in the step's own stead. */
#define SKIPPED 2
#define CALLERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t known[SLOTS];
static unsigned long count, at;
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
	void *map = MAP_FAILED, *frames[1];

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
	/* It loads a library the first time, which a process that is confined could not. */
	(void)backtrace(frames, 1);
}

/* Note a step; whether it was not known before. */
static bool note(uint64_t step)
{
	size_t slot = step % SLOTS;

	for (; known[slot] && known[slot] != step; slot = (slot + 1) % SLOTS)
		;
	if (known[slot])
		return false;
	known[slot] = step;
	return true;
}

__attribute__((noinline)) bool rt_step_fails(void)
{
	void *frames[SKIPPED + CALLERS] = {NULL};
	uint64_t step = 1;
	bool fails;

	if (!at || depth != wanted)
		return false;
	(void)backtrace(frames, SKIPPED + CALLERS);
	for (int i = SKIPPED - 1; i < SKIPPED + CALLERS; i++)
		step = (step ^ (uintptr_t)frames[i]) * UINT64_C(0x9E3779B97F4A7C15);
	(void)pthread_mutex_lock(&lock);
	fails = note(step | 1) && ++count == at;
	(void)pthread_mutex_unlock(&lock);
	if (fails && log_byte)
		*log_byte = 1;
	return fails;
}
