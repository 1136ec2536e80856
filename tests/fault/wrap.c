/*
 * Allocations of our own code that fail, for a build under AddressSanitizer, whose malloc() no
 * library can take the place of: the linker sends our calls here (--wrap), those of other libraries
 * go on as they are. What leaks after a failure is then LeakSanitizer's to say.
 *
 * Environment: LD_FAULT_AT (which allocation fails, from 1), LD_FAULT_ON (also every one after it),
 * LD_FAULT_LOG (a file whose one byte becomes 1 when one has failed), LD_FAULT_PLACES (as
 * fault.c has it). Without LD_FAULT_AT all succeed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "places.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static _Atomic long long calls;
static long long at;
static bool on, by_place;
static _Atomic bool failed;
static char *log_byte;

static void open_log(const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 1) == 0)
		map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		log_byte = map;
	if (fd >= 0)
		close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("LD_FAULT_AT");

	at = number ? strtoll(number, NULL, 10) : 0;
	on = getenv("LD_FAULT_ON") != NULL;
	by_place = getenv("LD_FAULT_PLACES") != NULL;
	places_begin();
	if (getenv("LD_FAULT_LOG"))
		open_log(getenv("LD_FAULT_LOG"));
}

/* Frames that are the test's own: those of place_is_new() and is_meant(). */
#define SKIPPED 2
#define CALLERS 12

__attribute__((noinline)) static bool is_meant(void)
{
	long long call;

	if (!at)
		return false;
	if (by_place && !place_is_new(SKIPPED, CALLERS))
		return on && failed;
	call = atomic_fetch_add(&calls, 1) + 1;
	return call == at || (on && call > at);
}

static bool fails(void)
{
	if (!is_meant())
		return false;
	failed = true;
	if (log_byte)
		*log_byte = 1;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(align, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}
