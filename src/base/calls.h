/*
 * The two filters of system calls, made by libseccomp. For base/sandbox.c.
 */
#ifndef RT_BASE_CALLS_H
#define RT_BASE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* The program's: as rt_sandbox_refuse_calls(). Returns whether it is in force; else errno is set.
 */
bool rt_calls_refuse(bool serves, bool copies);

/* Of a process that unpacks, with these descriptors of which read_only is not written. Likewise. */
bool rt_calls_allow(const int *fds, size_t count, int read_only);

#endif
