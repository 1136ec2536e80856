/*
 * The list of open connections with a deadline each. Input: their begin and end, and what they are
 * doing. Output: their number, and sockets that are shut down.
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

unsigned rt_connections_count(struct rt_connections *connections)
{
	unsigned count;

	(void)pthread_mutex_lock(&connections->lock);
	count = connections->count;
	(void)pthread_mutex_unlock(&connections->lock);
	return count;
}

/* The functions below are called under the lock. */

static struct rt_connection *find(const struct rt_connections *connections, int fd)
{
	struct rt_connection *at = connections->first;

	while (at && at->fd != fd)
		at = at->next;
	return at;
}

static void insert(struct rt_connections *connections, struct rt_connection *connection)
{
	connection->next = connections->first;
	if (connection->next)
		connection->next->prev = connection;
	connections->first = connection;
	connections->count++;
}

static void unlink_and_free(struct rt_connections *connections, struct rt_connection *connection)
{
	if (connection->prev)
		connection->prev->next = connection->next;
	else
		connections->first = connection->next;
	if (connection->next)
		connection->next->prev = connection->prev;
	connections->count--;
	free(connection);
}

struct rt_connection *rt_connections_add(struct rt_connections *connections, int fd)
{
	struct rt_connection *connection = calloc(1, sizeof(*connection)), *lost;

	if (!connection)
		return NULL;
	connection->fd = fd;
	rt_connection_deadline(connection, RT_HTTP_REQUEST_SECONDS);
	(void)pthread_mutex_lock(&connections->lock);
	/* The kernel gives a number again once it is closed. */
	lost = find(connections, fd);
	if (lost)
		unlink_and_free(connections, lost);
	insert(connections, connection);
	(void)pthread_mutex_unlock(&connections->lock);
	return connection;
}

struct rt_connection *rt_connections_start(struct rt_connections *connections, int fd)
{
	struct rt_connection *connection;

	(void)pthread_mutex_lock(&connections->lock);
	connection = find(connections, fd);
	if (connection)
		connection->started = true;
	(void)pthread_mutex_unlock(&connections->lock);
	return connection;
}

void rt_connections_remove(struct rt_connections *connections, struct rt_connection *connection)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&connections->lock);
	unlink_and_free(connections, connection);
	(void)pthread_mutex_unlock(&connections->lock);
}

void rt_connections_sweep(struct rt_connections *connections)
{
	uint64_t now = rt_clock();
	struct rt_connection *next;

	(void)pthread_mutex_lock(&connections->lock);
	for (struct rt_connection *at = connections->first; at; at = next) {
		next = at->next;
		if (atomic_load(&at->deadline) > now)
			continue;
		/* Whoever closes the descriptor takes the connection off the list first, so that
		 * the number is still its own here. */
		if (at->started)
			(void)shutdown(at->fd, SHUT_RDWR);
		else
			unlink_and_free(connections, at);
	}
	(void)pthread_mutex_unlock(&connections->lock);
}

void rt_connections_release(struct rt_connections *connections)
{
	struct rt_connection *next;

	for (struct rt_connection *at = connections->first; at; at = next) {
		next = at->next;
		free(at);
	}
	connections->first = NULL;
	connections->count = 0;
}
