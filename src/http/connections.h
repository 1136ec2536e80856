/*
 * Deadlines of connections. libmicrohttpd closes those that are silent; one that drips a byte now
 * and then is closed here.
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
	atomic_uint_fast64_t deadline; /* in nanoseconds of rt_clock() */
};

struct rt_connections {
	pthread_mutex_t lock;
	struct rt_connection *first;
	atomic_uint count;
};

/* The monotonic clock in nanoseconds. */
uint64_t rt_clock(void);

#define RT_CLOCK_SECOND UINT64_C(1000000000)
#define RT_CLOCK_MS UINT64_C(1000000)

/* Add a connection, whose first request has a deadline from now on. NULL: out of memory. */
struct rt_connection *rt_connections_add(struct rt_connections *connections, int fd);

/* Take a connection away, before its descriptor is closed, and free it. NULL is allowed. */
void rt_connections_remove(struct rt_connections *connections, struct rt_connection *connection);

/* Set a connection's deadline, seconds from now on; 0: none. NULL is allowed. */
void rt_connection_deadline(struct rt_connection *connection, unsigned seconds);

/* Shut down all whose deadline is over; the thread that serves one then sees its end. */
void rt_connections_sweep(struct rt_connections *connections);

#endif
