/*
 * The two filters of system calls. libseccomp makes them, which crashes or goes on for ever where
 * an allocation fails: so that is not done in the program itself, but in the forker or a child.
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

/*
 * Make the program's, and write it to a pipe. It refuses what the program is not made of: starting
 * programs and processes, looking into others, signals to them, connections, new code, and what
 * only administrators call. program: its process. serves: it makes sockets to listen. Returns
 * whether it is written; else errno is set.
 */
bool rt_calls_write(int to, int program, bool serves);

/* Read it again. Likewise. */
bool rt_calls_read(struct rt_calls *calls, int from);

/* Make that of a process that unpacks, which allows some twenty; read_only: a descriptor that is
 * not written, or -1. Likewise. */
bool rt_calls_make_child(struct rt_calls *calls, int read_only);

/* Put a filter in force, in all threads. Returns whether it is; else errno is set. */
bool rt_calls_load(const struct rt_calls *calls);

#endif
