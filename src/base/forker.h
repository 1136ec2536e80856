/*
 * A process that is forked before the program has read anything or started a thread, and that does
 * for it what a confined process must not do by itself: it forks the processes that unpack, ends
 * them, and opens temporary files. It never sees a byte of input.
 *
 * Why not fork from the program: a copy of a process with threads has only the one that forked, and
 * the locks of the others stay taken; a copy made later has the API keys and the inputs in its
 * memory; and a program that may not start processes is harder to abuse. A program of the library's
 * user that is not confined has no such process and does all of that itself.
 */
#ifndef RT_BASE_FORKER_H
#define RT_BASE_FORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Descriptors that a new process can be given. */
#define RT_FORKER_FDS 6

/* What later stages have it do. */
struct rt_forker_duties {
	/* Fork a process with these descriptors (-1: none) and no others. needs_late: it calls
	 * libraries that are loaded late. Returns its number, or -1 with errno set. */
	pid_t (*fork_child)(const int fds[RT_FORKER_FDS], bool needs_late);
	/* End it whatever it does, and wait for it. Returns its wait status, or -1. */
	int (*end_child)(pid_t child);
	/* Open a temporary file. Returns its descriptor, or -1 with errno set. */
	int (*open_unnamed)(void);
};

/*
 * Start it; the calls below ask it from then on. To be called once, before any thread is started.
 * duties: static. Returns RT_OK, or RT_FATAL with err set (RT_E_IO).
 */
enum rt_status rt_forker_start(const struct rt_forker_duties *duties, struct rt_error *err);

/* Whether this process has one, so that the calls below have to be used. */
bool rt_forker_runs(void);

/* As the duties. The descriptors stay the caller's. */
pid_t rt_forker_fork(const int fds[RT_FORKER_FDS], bool needs_late);
int rt_forker_end(pid_t child);
int rt_forker_open_unnamed(void);

/* --- Libraries that are loaded late ---------------------------------------------------------- */

/* Load them, before the process confines itself. Does nothing the second time. */
void rt_late_load(void);

/* The address of a function; the process ends where there is none. */
void *rt_late_find(const char *name);

/* A function, by its name, as in RT_LATE(archive_read_new)(). */
#ifdef RT_LINKED
#define RT_LATE(name) (name)
#else
#define RT_LATE(name)                                                                              \
	(*({                                                                                       \
		static __typeof__(&(name)) found_;                                                 \
		if (!found_)                                                                       \
			found_ = (__typeof__(&(name)))rt_late_find(#name);                         \
		found_;                                                                            \
	}))
#endif

#endif
