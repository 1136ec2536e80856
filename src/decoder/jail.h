/*
 * What a child that decodes may still do: nearly nothing. Its launcher gives up first what neither
 * of them needs.
 *
 * Where the kernel has seccomp, a call that is not on the list ends the child; where it has
 * Landlock, there is no path. Neither is needed for the other, or for the bounds and the rights.
 */
#ifndef RT_DECODER_JAIL_H
#define RT_DECODER_JAIL_H

#include "base/jail.h"

/* What the launcher prepares for its children. */
struct rt_jail_plan {
	uint64_t space; /* bytes of address space that this process has in use */
	bool is_traced; /* somebody debugs it, or watches its calls */
	bool has_calls; /* the kernel runs filters of calls */
};

/* Put all signals as a fresh process has them. */
void rt_jail_signals(void);

/* Look at this process as it is, and at what the kernel has. */
void rt_jail_plan(struct rt_jail_plan *plan);

/* The filter of calls, as the build made it (make_calls.c). */
extern const struct rt_jail_calls rt_calls_decoder;

/*
 * Give up what a launcher does not need: paths, new rights, being looked into, and all rights but
 * to change its user. False where the system does not do as it promises.
 */
bool rt_jail_launcher(const struct rt_jail_plan *plan);

/*
 * Bound this process: no core file, no new descriptor or process, files up to file_bytes, and
 * address space up to space. False where the system does not.
 */
bool rt_jail_limit(uint64_t space, uint64_t file_bytes);

/*
 * Give up the rights of a launcher's child: it becomes nobody where it was root, and whether it is
 * to die with its parent has to be said after this. False as rt_jail_launcher().
 */
bool rt_jail_child(const struct rt_jail_plan *plan);

/* From here on there are only the calls of the plan. False likewise. */
bool rt_jail_calls(const struct rt_jail_plan *plan);

#endif
