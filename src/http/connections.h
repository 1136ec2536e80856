/*
 * The open connections: how many there are, and their deadlines. libmicrohttpd closes those that
 * are silent; one that drips a byte now and then is closed here.
 *
 * Threads: any may call these functions.
 */
#ifndef RT_HTTP_CONNECTIONS_H
#define RT_HTTP_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rt_connection {
	struct rt_connection *prev, *next;
	int fd;
	bool started;                  /* a thread serves it */
	atomic_uint_fast64_t deadline; /* in nanoseconds of rt_clock() */
};

struct rt_connections {
	pthread_mutex_t lock;
	struct rt_connection *first;
	unsigned count;
};

/* The monotonic clock in nanoseconds. */
uint64_t rt_clock(void);

#define RT_CLOCK_SECOND UINT64_C(1000000000)
#define RT_CLOCK_MS UINT64_C(1000000)

unsigned rt_connections_count(struct rt_connections *connections);

/* Add a connection, whose first request has a deadline from now on. NULL: out of memory. */
struct rt_connection *rt_connections_add(struct rt_connections *connections, int fd);

/* The connection with a descriptor is served from now on. NULL: there is none. */
struct rt_connection *rt_connections_start(struct rt_connections *connections, int fd);

/* Take a connection away, before its descriptor is closed if it was served, and free it. NULL is
 * allowed. */
void rt_connections_remove(struct rt_connections *connections, struct rt_connection *connection);

/* Set a connection's deadline, seconds from now on; 0: none. NULL is allowed. */
void rt_connection_deadline(struct rt_connection *connection, unsigned seconds);

/* Shut down all whose deadline is over; the thread that serves one then sees its end. One that no
 * thread ever served is gone by then: libmicrohttpd drops those it has no memory for. */
void rt_connections_sweep(struct rt_connections *connections);

/* Forget all; nobody serves one any more. */
void rt_connections_release(struct rt_connections *connections);

#endif
