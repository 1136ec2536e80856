/*
 * The open connections: taking them off the listening socket, how many there may be, a thread for
 * each, and the end of all.
 */
#ifndef RT_HTTP_CONNECTIONS_H
#define RT_HTTP_CONNECTIONS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"

struct rt_server;

union rt_peer {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* A connection with its thread, or a place for one. */
struct rt_connection {
	struct rt_server *server;
	pthread_t thread;
	int fd;
	union rt_peer peer;
	/* Since when it waits for a request to be complete, of rt_clock_ms(); 0: it does not. */
	atomic_uint_fast64_t waits;
	enum {
		RT_CONNECTION_NONE,
		RT_CONNECTION_OPEN,
		RT_CONNECTION_OVER, /* its descriptor is closed, its thread is to be joined */
	} state;                    /* under the lock, as fd */
};

/* {0} but the lock. All but the lock and what it guards is for the thread that controls. */
struct rt_connections {
	pthread_mutex_t lock;
	struct rt_connection all[RT_HTTP_CONNECTIONS];
	uint64_t pause_until;   /* of rt_clock_ms(): when connections are taken again */
	uint64_t refused_until; /* likewise: when it is said again that one was turned away */
};

/* The descriptor to poll for connections; -1 while none are taken. They wait in the kernel's queue
 * meanwhile. */
int rt_connections_fd(struct rt_server *server);

/*
 * Take some of the connections that wait at a listening socket. Where all places are taken, the
 * connection that has waited longest for its client gives way. Returns RT_OK; RT_FATAL with err set
 * where the listening socket takes none any more: whoever gave it to us has shut it down.
 */
enum rt_status rt_connections_take(struct rt_server *server, int listening_fd,
				   struct rt_error *err);

/* Shut all down, and wait for their threads. */
void rt_connections_end(struct rt_server *server);

#endif
