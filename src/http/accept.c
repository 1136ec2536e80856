/*
 * Taking connections. Input: the listening socket. Output: connections of the daemon.
 * Refuses more at once than RT_HTTP_CONNECTIONS.
 */
#include "http/accept.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "http/mhd.h"

/* At most this many in a row, so that commands and deadlines are looked at in between. */
#define BATCH 16

static bool is_room(struct rt_server *server)
{
	return rt_connections_count(&server->connections) < RT_HTTP_CONNECTIONS;
}

int rt_accept_fd(struct rt_server *server)
{
	if (rt_clock() < server->accept_again)
		return -1;
	if (is_room(server))
		return server->listening.fd;
	server->accept_again = rt_clock() + RT_ACCEPT_PAUSE_MS * RT_CLOCK_MS;
	return -1;
}

/* Whether accept() only failed for the one connection, or had none; else it is tried again later.
 * Linux hands on what happened to a connection before it was accepted: accept(2). */
static bool go_on_after(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		return false;
	default:
		return true;
	}
}

/* Hand a connection to the daemon, which closes what it does not take. */
static void hand_over(struct rt_server *server, int fd, const struct sockaddr *address,
		      socklen_t len)
{
	struct rt_connection *connection = rt_connections_add(&server->connections, fd);

	if (!connection)
		(void)close(fd);
	else if (MHD_add_connection(server->daemon, fd, address, len) != MHD_YES)
		rt_connections_remove(&server->connections, connection);
}

void rt_accept(struct rt_server *server)
{
	for (unsigned i = 0; i < BATCH && is_room(server); i++) {
		struct sockaddr_storage address;
		socklen_t len = sizeof(address);
		int fd = accept4(server->listening.fd, (struct sockaddr *)&address, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && !go_on_after(errno)) {
			rt_http_log_note(&server->log, "connections wait: %s", strerror(errno));
			server->accept_again = rt_clock() + RT_CLOCK_SECOND;
		}
		if (fd < 0)
			return;
		hand_over(server, fd, (struct sockaddr *)&address, len);
	}
}

void rt_accept_end(struct rt_server *server)
{
	(void)close(server->listening.fd);
	server->listening.fd = -1;
}
