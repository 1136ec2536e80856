/*
 * A child process for one decoder: forked, limited, watched and reaped.
 */
#ifndef RT_SOURCE_CHILD_H
#define RT_SOURCE_CHILD_H

#include "source/ring.h"

/* Milliseconds without any progress after which a decoder counts as hung. Decoding moves a
 * counter every 256 KiB at most, which takes the slowest format (bzip2, a busy machine) well
 * under a second. */
#define RT_CHILD_STALL_MS 60000

/* Descriptors that a child may keep besides its socket. */
#define RT_CHILD_KEEP 4u

struct rt_child {
	pid_t pid; /* 0: none */
	int pidfd; /* -1 where the kernel has none */
	int sock;  /* our end of the ring's socket pair */
};

/* What the child is to do. */
struct rt_child_spec {
	/* Runs in the child, under all limits, with no descriptor but sock and keep. */
	void (*run)(void *ctx, struct rt_ring *ring, int sock);
	void *ctx;
	int keep[RT_CHILD_KEEP]; /* descriptors that stay open, or -1: the first keep_count */
	size_t keep_count;
	uint64_t memory_bytes; /* address space it may add to what it starts with */
	uint64_t file_bytes;   /* size that a file it writes may reach */
};

/*
 * Start a child. ring: shared with it.
 * child: on RT_OK to be ended by rt_child_stop() or rt_child_collect(); else holds none.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_IO, RT_E_NOMEM).
 */
enum rt_status rt_child_start(struct rt_child *child, const struct rt_child_spec *spec,
			      struct rt_ring *ring, struct rt_error *err);

/* Kill the child, whatever it does, and reap it. Does nothing when there is none. */
void rt_child_stop(struct rt_child *child);

/*
 * Reap a child that has closed its end of the socket; one that lives on all the same is killed.
 * *ret_signal: the signal that ended it, 0 when it exited or when somebody else has reaped it.
 */
void rt_child_collect(struct rt_child *child, int *ret_signal);

#endif
