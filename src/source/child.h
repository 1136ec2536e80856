/*
 * A child process that decodes: watched and reaped.
 */
#ifndef RT_SOURCE_CHILD_H
#define RT_SOURCE_CHILD_H

#include <sys/types.h>

/* Milliseconds without any progress after which a decoder counts as hung. Decoding moves a
 * counter every 256 KiB at most, which takes the slowest format (bzip2, a busy machine) well
 * under a second. */
#define RT_CHILD_STALL_MS 60000

/* {0} is none. */
struct rt_child {
	pid_t pid; /* 0: none */
	int pidfd; /* -1 where the kernel has none */
	int sock;  /* our end of its socket */
};

/*
 * Take charge of a child of this process. sock: owned from here on.
 * child: to be ended by rt_child_stop() or rt_child_collect().
 */
void rt_child_watch(struct rt_child *child, pid_t pid, int sock);

/* Kill the child, whatever it does, and reap it. Does nothing when there is none. */
void rt_child_stop(struct rt_child *child);

/*
 * Reap a child that has closed its end of the socket; one that lives on all the same is killed.
 * *ret_signal: the signal that ended it, 0 when it exited or when somebody else has reaped it.
 */
void rt_child_collect(struct rt_child *child, int *ret_signal);

#endif
