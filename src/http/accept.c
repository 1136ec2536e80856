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

int rt_accept_fd(struct rt_server *server)
{
	if (rt_clock() < server->accept_again)
		return -1;
	if (atomic_load(&server->connections.count) < RT_HTTP_CONNECTIONS)
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

void rt_accept(struct rt_server *server)
{
	for (unsigned i = 0; i < BATCH; i++) {
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
		/* Closes what it does not take. */
		(void)MHD_add_connection(server->daemon, fd, (struct sockaddr *)&address, len);
	}
}

void rt_accept_end(struct rt_server *server)
{
	(void)close(server->listening.fd);
	server->listening.fd = -1;
}
