/*
 * What the kernel has to confine a process with, asked of it directly: the C library has no calls
 * for it, and its headers may be older than the kernel.
 */
#ifndef RT_BASE_JAIL_H
#define RT_BASE_JAIL_H

#include "base/error.h"

/* Whether processes that leave the calls allowed to them can be killed. */
bool rt_jail_has_seccomp(void);

/* The version of Landlock, from 1 on; 0: there is none. */
unsigned rt_jail_landlock(void);

/*
 * Give up all paths, and what else Landlock knows: TCP, abstract sockets, signals to processes that
 * have not given them up likewise. For this process and those it starts; for good.
 * Returns whether the kernel did as its version promises; true where there is no Landlock.
 */
bool rt_jail_give_up_paths(void);

/* Returns RT_OK, or RT_FATAL with err set (RT_E_IO), where something is missing here. */
enum rt_status rt_jail_require(struct rt_error *err);

#endif
