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
/* Seconds between two lines about connections that are turned away. */
#define REFUSED_SECONDS 60

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
		server->accept_again = rt_clock() + RT_CLOCK_SECOND;
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

/* Say that somebody was turned away, at most once in a while. */
static void say_refused(struct rt_server *server, const struct sockaddr *address)
{
	char peer[RT_PEER_MAX];

	if (rt_clock() < server->refused_again)
		return;
	server->refused_again = rt_clock() + REFUSED_SECONDS * RT_CLOCK_SECOND;
	rt_listen_peer(address, peer);
	rt_http_log_note(&server->log,
			 "%s is turned away: its address has %u connections open, or memory is out",
			 peer, RT_HTTP_CONNECTIONS_PER_ADDRESS);
}

/* Hand a connection to the daemon, which closes what it does not take. */
static void hand_over(struct rt_server *server, int fd, const struct sockaddr *address,
		      socklen_t len)
{
	struct rt_connection *connection = rt_connections_add(&server->connections, fd);

	if (connection && MHD_add_connection(server->daemon, fd, address, len) == MHD_YES)
		return;
	if (connection)
		rt_connections_remove(&server->connections, connection);
	else
		(void)close(fd);
	say_refused(server, address);
}

enum rt_status rt_accept(struct rt_server *server, int listening_fd, struct rt_error *err)
{
	for (unsigned i = 0; i < BATCH && is_room(server); i++) {
		struct sockaddr_storage address;
		socklen_t len = sizeof(address);
		int fd = accept4(listening_fd, (struct sockaddr *)&address, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return judge(server, errno, err);
		hand_over(server, fd, (struct sockaddr *)&address, len);
	}
	return RT_OK;
}

void rt_accept_end(struct rt_server *server)
{
	rt_listen_close(&server->listening);
}
