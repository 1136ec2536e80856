/*
 * The list of open connections with a deadline each. Input: their begin and end, and what they are
 * doing. Output: sockets that are shut down.
 * Refuses to let a client hold a connection by sending or taking a byte now and then.
 */
#include "http/connections.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/limits.h"

uint64_t rt_clock(void)
{
	struct timespec ts = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * RT_CLOCK_SECOND + (uint64_t)ts.tv_nsec;
}

void rt_connection_deadline(struct rt_connection *connection, unsigned seconds)
{
	if (connection)
		atomic_store(&connection->deadline,
			     seconds ? rt_clock() + seconds * RT_CLOCK_SECOND : UINT64_MAX);
}

struct rt_connection *rt_connections_add(struct rt_connections *connections, int fd)
{
	struct rt_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	connection->fd = fd;
	rt_connection_deadline(connection, RT_HTTP_REQUEST_SECONDS);
	(void)pthread_mutex_lock(&connections->lock);
	connection->next = connections->first;
	if (connection->next)
		connection->next->prev = connection;
	connections->first = connection;
	atomic_fetch_add(&connections->count, 1);
	(void)pthread_mutex_unlock(&connections->lock);
	return connection;
}

void rt_connections_remove(struct rt_connections *connections, struct rt_connection *connection)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&connections->lock);
	if (connection->prev)
		connection->prev->next = connection->next;
	else
		connections->first = connection->next;
	if (connection->next)
		connection->next->prev = connection->prev;
	atomic_fetch_sub(&connections->count, 1);
	(void)pthread_mutex_unlock(&connections->lock);
	free(connection);
}

void rt_connections_sweep(struct rt_connections *connections)
{
	uint64_t now = rt_clock();

	(void)pthread_mutex_lock(&connections->lock);
	for (struct rt_connection *at = connections->first; at; at = at->next) {
		/* Whoever closes the descriptor takes the connection off the list first, so that
		 * the number is still its own here. */
		if (atomic_load(&at->deadline) <= now)
			(void)shutdown(at->fd, SHUT_RDWR);
	}
	(void)pthread_mutex_unlock(&connections->lock);
}
