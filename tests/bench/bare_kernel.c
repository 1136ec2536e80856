/*
 * A kernel with neither seccomp nor Landlock, as retriage asks for them; with -DAS_IT_IS the one
 * that is there. Preloaded, one against the other, to measure what confinement costs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* The C library's, which no header of its own says more of. */
long syscall(long number, ...);

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long given[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		given[i] = va_arg(list, long);
	va_end(list);
#ifndef AS_IT_IS
	if (number == SYS_seccomp || number == SYS_landlock_create_ruleset) {
		errno = ENOSYS;
		return -1;
	}
#endif
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
