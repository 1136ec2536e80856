/*
 * The two filters of system calls. libseccomp makes them, in a process of its own: where memory is
 * short it crashes, or goes on for ever. For base/sandbox.c.
 */
#ifndef RT_BASE_CALLS_H
#define RT_BASE_CALLS_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

struct rt_calls {
	unsigned short count;
	struct sock_filter steps[1024];
};

/* Make the program's, as rt_sandbox_refuse_calls(). Returns whether it is made; else errno is set.
 */
bool rt_calls_refuse(struct rt_calls *calls, bool serves, bool copies);

/* Likewise that of a process with these descriptors that unpacks; read_only is not written. */
bool rt_calls_allow(struct rt_calls *calls, const int *fds, size_t count, int read_only);

/* Put it in force, in all threads. Returns whether it is; else errno is set. */
bool rt_calls_load(const struct rt_calls *calls);

#endif
