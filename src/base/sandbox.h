/*
 * What the kernel has to confine a process with: Landlock for paths, seccomp for calls,
 * capabilities and resource limits. The program gives up what it needs no more once it knows its
 * inputs and outputs (ops/confine.c); a process that unpacks gives up nearly all (source/child.c).
 *
 * Where the kernel has no Landlock or no seccomp, the functions about that do nothing and succeed.
 * Those that return a bool return whether the kernel does what it should, with errno set.
 */
#ifndef RT_BASE_SANDBOX_H
#define RT_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Whether filters of calls can end a process. */
bool rt_sandbox_has_seccomp(void);

/* Returns RT_OK, or RT_FATAL with err set (RT_E_IO), where seccomp or Landlock is missing. */
enum rt_status rt_sandbox_require(struct rt_error *err);

/* --- Paths -------------------------------------------------------------------------------- */

/* What a process may go on doing with a path that it keeps. */
enum rt_sandbox_use {
	RT_SANDBOX_READ,  /* read the file, or list the folder and read all below it */
	RT_SANDBOX_WRITE, /* in the folder and below it read, make, change, rename and remove */
};

/* The paths that a process keeps. */
struct rt_sandbox_paths {
	int ruleset; /* -1: there is no Landlock */
	unsigned version;
};

/* Begin to choose them. listens: it keeps the right to listen on TCP ports, too. */
bool rt_sandbox_paths_begin(struct rt_sandbox_paths *paths, bool listens);

/* Keep the path that fd is open on. What is in no file system, as a pipe, is kept anyway. */
bool rt_sandbox_paths_keep(struct rt_sandbox_paths *paths, int fd, enum rt_sandbox_use use);

/*
 * Give up all others, and what else Landlock knows: TCP, abstract sockets and, where there is no
 * seccomp to forbid them, signals. For this thread and those it starts. paths is released.
 */
bool rt_sandbox_paths_end(struct rt_sandbox_paths *paths);

/* --- Rights and calls --------------------------------------------------------------------- */

/* Keep only these capabilities, a bit for each of the first 32, of those there are. */
bool rt_sandbox_keep_capabilities(uint32_t kept);

/*
 * Refuse, in all threads, what the program is not made of: starting programs and processes, looking
 * into others, signals to them, connections and new code. serves: it makes sockets to listen.
 */
bool rt_sandbox_refuse_calls(bool serves);

/*
 * Of a process that unpacks: give up everything else, for good: paths, rights, root, being looked
 * into, and all but some twenty calls, of which any other ends the process.
 * parent: the process that it ends with. read_only: a descriptor that is not written, or -1.
 * memory: bytes of address space beyond what it has. file_bytes: size that a file which it writes
 * may reach.
 */
bool rt_sandbox_enter(pid_t parent, int read_only, uint64_t memory, uint64_t file_bytes);

#endif
