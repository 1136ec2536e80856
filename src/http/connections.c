/*
 * Taking connections. Input: the listening socket. Output: a thread for each connection.
 * Refuses more of one address than RT_HTTP_CONNECTIONS_PER_ADDRESS, and more in all than
 * RT_HTTP_CONNECTIONS: then whoever has kept its thread waiting longest gives way.
 */
#include "http/connections.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/connection.h"
#include "http/listen.h"
#include "http/server.h"

/* At most this many in a row, so that commands are looked at in between. */
#define BATCH 16
/* Milliseconds between tries while all places are taken, and while there are no descriptors. */
#define PAUSE_MS 20
#define STARVED_MS 1000
/* Milliseconds that a client may keep its thread waiting whatever happens. */
#define PATIENCE_MS 1000
/* Milliseconds between two lines about connections that are turned away. */
#define REFUSED_MS 60000
/* A thread's stack: heads, errors and masks are on it. Sanitizers want more of everything. */
#define STACK_BYTES ((size_t)1024 * 1024)

int rt_connections_fd(struct rt_server *server)
{
	return rt_clock_ms() < server->connections.pause_until ? -1 : server->listening.fd;
}

void rt_connections_close(struct rt_connection *connection)
{
	struct rt_connections *connections = &connection->server->connections;

	(void)pthread_mutex_lock(&connections->lock);
	(void)close(connection->fd);
	connection->state = RT_CONNECTION_OVER;
	(void)pthread_mutex_unlock(&connections->lock);
}

/* A free place; NULL: none. Joins a thread that has ended in it. */
static struct rt_connection *find_place(struct rt_connections *connections)
{
	struct rt_connection *found = NULL;
	bool over = false;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS && !found; i++) {
		if (connections->all[i].state != RT_CONNECTION_OPEN)
			found = &connections->all[i];
	}
	if (found) {
		over = found->state == RT_CONNECTION_OVER;
		found->state = RT_CONNECTION_NONE;
	}
	(void)pthread_mutex_unlock(&connections->lock);
	if (over)
		(void)pthread_join(found->thread, NULL);
	return found;
}

/* Shut down the connection that has waited longest for its client, where there is one. */
static void give_way(struct rt_connections *connections)
{
	struct rt_connection *oldest = NULL;
	uint64_t since = rt_clock_ms() - PATIENCE_MS;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		struct rt_connection *connection = &connections->all[i];
		uint64_t waits = atomic_load(&connection->waits);

		if (connection->state == RT_CONNECTION_OPEN && waits && waits < since) {
			oldest = connection;
			since = waits;
		}
	}
	/* Whoever closes the descriptor takes the lock, so that the number is still its own. */
	if (oldest)
		(void)shutdown(oldest->fd, SHUT_RDWR);
	(void)pthread_mutex_unlock(&connections->lock);
}

static bool is_same_address(const union rt_peer *a, const union rt_peer *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
	return memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof(a->v6.sin6_addr)) == 0;
}

static bool has_too_many(struct rt_connections *connections, const union rt_peer *peer)
{
	unsigned count = 0;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		const struct rt_connection *connection = &connections->all[i];

		count += connection->state == RT_CONNECTION_OPEN &&
			 is_same_address(&connection->peer, peer);
	}
	(void)pthread_mutex_unlock(&connections->lock);
	return count >= RT_HTTP_CONNECTIONS_PER_ADDRESS;
}

/* Say that somebody was turned away, at most once in a while. */
static void say_refused(struct rt_server *server, const union rt_peer *peer, const char *why)
{
	char text[RT_PEER_MAX];

	if (rt_clock_ms() < server->connections.refused_until)
		return;
	server->connections.refused_until = rt_clock_ms() + REFUSED_MS;
	rt_listen_peer(&peer->any, text);
	rt_http_log_note(&server->log, "%s is turned away: %s", text, why);
}

static int start_thread(struct rt_connection *connection)
{
	pthread_attr_t attributes;
	int sys = pthread_attr_init(&attributes);

	if (sys != 0)
		return sys;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sys = pthread_create(&connection->thread, &attributes, rt_connection_run, connection);
	(void)pthread_attr_destroy(&attributes);
	return sys;
}

/* Give a connection its thread; its descriptor is closed where there is none for it. */
static void open_connection(struct rt_server *server, struct rt_connection *place, int fd,
			    const union rt_peer *peer)
{
	struct rt_connections *connections = &server->connections;
	int on = 1;
	int sys;

	if (has_too_many(connections, peer)) {
		char why[64];

		(void)close(fd);
		(void)snprintf(why, sizeof(why), "its address has %u connections open",
			       RT_HTTP_CONNECTIONS_PER_ADDRESS);
		say_refused(server, peer, why);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	place->server = server;
	place->fd = fd;
	place->peer = *peer;
	atomic_store(&place->waits, rt_clock_ms());
	(void)pthread_mutex_lock(&connections->lock);
	place->state = RT_CONNECTION_OPEN;
	sys = start_thread(place);
	if (sys != 0)
		place->state = RT_CONNECTION_NONE;
	(void)pthread_mutex_unlock(&connections->lock);
	if (sys == 0)
		return;
	(void)close(fd);
	say_refused(server, peer, strerror(sys));
}

/* What a failed accept() means. Linux hands on what happened to a connection before it was taken
 * as well: accept(2). */
static enum rt_status judge(struct rt_server *server, int error, struct rt_error *err)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		rt_http_log_note(&server->log, "connections wait: %s", strerror(error));
		server->connections.pause_until = rt_clock_ms() + STARVED_MS;
		return RT_OK;
	case EINVAL:
	case EBADF:
	case ENOTSOCK:
	case EOPNOTSUPP:
		return rt_error_sys(err, error, "the listening socket takes no more connections");
	default:
		return RT_OK;
	}
}

enum rt_status rt_connections_take(struct rt_server *server, int listening_fd, struct rt_error *err)
{
	struct rt_connections *connections = &server->connections;

	for (unsigned i = 0; i < BATCH; i++) {
		union rt_peer peer = {.any = {.sa_family = AF_UNSPEC}};
		socklen_t len = sizeof(peer);
		struct rt_connection *place = find_place(connections);
		int fd;

		if (!place) {
			give_way(connections);
			connections->pause_until = rt_clock_ms() + PAUSE_MS;
			return RT_OK;
		}
		fd = accept4(listening_fd, &peer.any, &len, SOCK_CLOEXEC);
		if (fd < 0)
			return judge(server, errno, err);
		open_connection(server, place, fd, &peer);
	}
	return RT_OK;
}

void rt_connections_end(struct rt_server *server)
{
	struct rt_connections *connections = &server->connections;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		if (connections->all[i].state == RT_CONNECTION_OPEN)
			(void)shutdown(connections->all[i].fd, SHUT_RDWR);
	}
	(void)pthread_mutex_unlock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		if (connections->all[i].state != RT_CONNECTION_NONE)
			(void)pthread_join(connections->all[i].thread, NULL);
	}
}
