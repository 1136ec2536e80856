/*
 * The launcher: the decoder's program, started once and asked for a child for each file. It is a
 * program of its own, so that what decodes strangers' bytes has nothing in its memory, environment
 * or descriptors that was the caller's; it loads its libraries once; and it never looks at a byte
 * of a file, which only its children do.
 */
#ifndef RT_SOURCE_LAUNCHER_H
#define RT_SOURCE_LAUNCHER_H

#include "source/child.h"
#include "source/job.h"

/* {0} is one that has not been started. */
struct rt_launcher {
	struct rt_child child; /* its process */
};

/*
 * Start the program of the launcher, as rt_attendant's duty `launch` has it: sock becomes its
 * descriptor 0, and stays the caller's.
 */
pid_t rt_launcher_start(int sock, bool is_attendant, struct rt_error *err);

/*
 * Have a child started for a job, and the launcher before it where that has not happened yet.
 * A child is the caller's: it is to be waited for, and dies with the thread that called this
 * first for the launcher, as the launcher does.
 *
 * job: its descriptors stay the caller's. *ret_pid: the child's.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_IO, RT_E_NOMEM).
 */
enum rt_status rt_launcher_run(struct rt_launcher *launcher, const struct rt_job *job,
			       pid_t *ret_pid, struct rt_error *err);

/* End it; its children go on. It is one that has not been started then. */
void rt_launcher_release(struct rt_launcher *launcher);

#endif
