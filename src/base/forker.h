/*
 * A process that is forked before the program has read anything or started a thread, and that does
 * for it what a confined process must not do by itself: it forks the processes that unpack, ends
 * them, and opens temporary files. It never sees a byte of input.
 *
 * Why not fork from the program: a copy of a process with threads has only the one that forked, and
 * the locks of the others stay taken; a copy made later has the API keys and the inputs in its
 * memory; and a program that may not start processes is harder to abuse. A program of the library's
 * user that is not confined has no such process, and the calls below do all of that in it.
 */
#ifndef RT_BASE_FORKER_H
#define RT_BASE_FORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Descriptors that a new process can be given. */
#define RT_FORKER_FDS 5

/* What a new process does: with these descriptors (-1: none), and some that are not its own, until
 * it exits. parent: the process that it ends with. */
typedef void rt_forker_child(const int fds[RT_FORKER_FDS], pid_t parent);

/*
 * Start it; it does what the calls below ask for from then on. To be called once, before any thread
 * is started. child: of all processes that it forks. Returns RT_OK, or RT_FATAL with err set
 * (RT_E_IO).
 */
enum rt_status rt_forker_start(rt_forker_child *child, struct rt_error *err);

/* Fork a process. fds: stay the caller's. needs_late: it calls libraries that are loaded late.
 * Returns its number, or -1 with errno set. */
pid_t rt_forker_fork(rt_forker_child *child, const int fds[RT_FORKER_FDS], bool needs_late);

/* End such a process whatever it does, and wait for it. Returns its wait status, or -1. */
int rt_forker_end(pid_t pid);

/*
 * Open a new file without a name for reading and writing in $TMPDIR, /var/tmp or /tmp, the first
 * that takes one. Returns a descriptor that is closed on exec, or -1 with errno set.
 */
int rt_unnamed_open(void);

#endif
