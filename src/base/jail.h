/*
 * What the kernel has to confine a process with, asked of it directly: the C library has no calls
 * for it, and its headers may be older than the kernel.
 */
#ifndef RT_BASE_JAIL_H
#define RT_BASE_JAIL_H

#include <linux/filter.h>
#include <stdint.h>

#include "base/error.h"

/* Whether processes that leave the calls allowed to them can be killed. */
bool rt_jail_has_seccomp(void);

/* What a process may go on doing with a path that it keeps. */
enum rt_jail_use {
	RT_JAIL_READ,  /* read the file, or list the folder and read all below it */
	RT_JAIL_WRITE, /* in the folder and below it read, make, change, rename and take away */
};

/* What a process keeps of what Landlock takes away. */
struct rt_jail_paths {
	int ruleset; /* -1: there is no Landlock */
	unsigned version;
};

/*
 * Begin to choose the paths that are kept. listens: so are bound sockets of TCP.
 * Returns whether the kernel does as its version promises; true where there is no Landlock.
 */
bool rt_jail_paths_begin(struct rt_jail_paths *paths, bool listens);

/* Keep the path that fd is open on. What is in no file system, as a pipe, is kept anyway. */
bool rt_jail_paths_keep(struct rt_jail_paths *paths, int fd, enum rt_jail_use use);

/*
 * Give up all others, and what else Landlock knows: TCP, abstract sockets and, where there is no
 * seccomp to forbid them, signals to processes that have not given them up likewise. For this
 * thread and those it starts; for good. paths is released. Returns as rt_jail_paths_begin().
 */
bool rt_jail_paths_end(struct rt_jail_paths *paths);

/* The same with no path kept, and without signals. */
bool rt_jail_give_up_paths(void);

/* Keep only these capabilities, a bit for each of the first 32, of those there are; none can come
 * back. */
bool rt_jail_keep_capabilities(uint32_t kept);

/* A filter of calls, which the build has made (decoder/make_calls.c). */
struct rt_jail_calls {
	const struct sock_filter *steps;
	unsigned short count;
};

/* What only some programs need of calls: sockets that listen; attributes of files by their names,
 * as of links in a folder that is copied. */
#define RT_JAIL_SERVES 1u
#define RT_JAIL_COPIES 2u
#define RT_JAIL_NEEDS 4u

/* What a confined program may call, by its needs. In it stands RT_JAIL_OWN_PID where the process's
 * own number has to be. */
extern const struct rt_jail_calls rt_calls_program[RT_JAIL_NEEDS];

#define RT_JAIL_OWN_PID UINT32_C(0x52747069)

/* Let a filter of calls decide from here on, in all threads. Returns whether it does. */
bool rt_jail_filter(const struct rt_jail_calls *calls);

/* Returns RT_OK, or RT_FATAL with err set (RT_E_IO), where something is missing here. */
enum rt_status rt_jail_require(struct rt_error *err);

#endif
