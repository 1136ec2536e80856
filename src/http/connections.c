/*
 * Accepts connections, hands them to libmicrohttpd's threads, and shuts down those whose clients
 * are slow: the library only has a bound on silence, so that one which sends a byte now and then
 * would stay for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/instant.h"
#include "http/server.h"

/* Connections accepted before the main thread looks at anything else. */
#define BATCH 64u
/* Milliseconds until connections are accepted again where there is no room, or no descriptor. */
#define PAUSE_MS 10u
/* Descriptors that answering requests takes for a moment. */
#define SPARE_DESCRIPTORS 4u

void rt_connections_init(struct rt_server *server)
{
	int lowest = fcntl(server->listening.fds[0], F_DUPFD_CLOEXEC, 0);
	unsigned used = (unsigned)(lowest < 0 ? 0 : lowest) + SPARE_DESCRIPTORS;
	struct rlimit limit = {.rlim_cur = 0};

	if (lowest >= 0)
		(void)close(lowest);
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= used + RT_HTTP_CONNECTIONS)
		server->connections_limit = RT_HTTP_CONNECTIONS;
	else
		server->connections_limit =
		    limit.rlim_cur > used ? (unsigned)limit.rlim_cur - used : 1;
}

/* Open connections, of one address where it is not NULL. Has the lock. */
static unsigned count(const struct rt_server *server, const char *address)
{
	unsigned found = 0;

	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++)
		found += server->connections[i].is_open &&
			 (!address || strcmp(server->connections[i].address, address) == 0);
	return found;
}

/* Find room for a connection with a descriptor; NULL: none. Has the lock. */
static struct rt_connection *take_place(struct rt_server *server, int fd, const char *address)
{
	struct rt_connection *found = NULL;

	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		/* One that the library had no memory for was closed without notice. */
		if (server->connections[i].fd == fd)
			server->connections[i].is_open = false;
		if (!server->connections[i].is_open)
			found = &server->connections[i];
	}
	return count(server, address) < RT_HTTP_CONNECTIONS_PER_ADDRESS ? found : NULL;
}

/* Give a new connection to one of the library's threads. */
static void hand_over(struct rt_server *server, int fd, const union rt_address *peer, socklen_t len)
{
	struct rt_connection *place, fresh = {.is_open = true, .fd = fd};

	fresh.port = rt_address_spell(peer, fresh.address);
	(void)pthread_mutex_lock(&server->connections_lock);
	place = take_place(server, fd, fresh.address);
	if (place)
		*place = fresh;
	(void)pthread_mutex_unlock(&server->connections_lock);
	if (!place) {
		(void)close(fd);
		return;
	}
	rt_connection_waits(server, place, RT_HTTP_REQUEST_SECONDS);
	server->next_daemon = (server->next_daemon + 1) % RT_HTTP_THREADS;
	/* It closes the descriptor where it fails. */
	if (server->mhd.add_connection(server->daemons[server->next_daemon], fd, &peer->any, len) ==
	    MHD_YES)
		return;
	(void)pthread_mutex_lock(&server->connections_lock);
	place->is_open = false;
	(void)pthread_mutex_unlock(&server->connections_lock);
}

void rt_connections_accept(struct rt_server *server, int listening_fd)
{
	for (unsigned i = 0; i < BATCH; i++) {
		bool has_room = rt_connections_check(server) < server->connections_limit;
		union rt_address peer;
		socklen_t len = sizeof(peer);
		int fd = has_room
			     ? accept4(listening_fd, &peer.any, &len, SOCK_CLOEXEC | SOCK_NONBLOCK)
			     : -1;

		if (fd < 0) {
			if (!has_room || errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			    errno == ENOMEM)
				server->pause_until = rt_clock_ms() + PAUSE_MS;
			return;
		}
		hand_over(server, fd, &peer, len);
	}
}

unsigned rt_connections_check(struct rt_server *server)
{
	uint64_t now = rt_clock_ms();
	unsigned open;

	(void)pthread_mutex_lock(&server->connections_lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		struct rt_connection *one = &server->connections[i];

		/* The descriptor is still its own: it is closed after rt_connections_notify(),
		 * which takes the lock. */
		if (one->is_open && one->deadline && one->deadline <= now)
			(void)shutdown(one->fd, SHUT_RDWR);
	}
	open = count(server, NULL);
	(void)pthread_mutex_unlock(&server->connections_lock);
	return open;
}

void rt_connection_waits(struct rt_server *server, struct rt_connection *connection,
			 unsigned seconds)
{
	(void)pthread_mutex_lock(&server->connections_lock);
	connection->deadline = seconds ? rt_clock_ms() + UINT64_C(1000) * seconds : 0;
	(void)pthread_mutex_unlock(&server->connections_lock);
}

void rt_connections_notify(void *cls, struct MHD_Connection *mhd, void **context,
			   enum MHD_ConnectionNotificationCode what)
{
	struct rt_server *server = cls;
	struct rt_connection *connection = *context;
	int fd =
	    server->mhd.get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	(void)pthread_mutex_lock(&server->connections_lock);
	for (size_t i = 0; !connection && i < RT_HTTP_CONNECTIONS; i++) {
		if (server->connections[i].is_open && server->connections[i].fd == fd)
			*context = connection = &server->connections[i];
	}
	if (connection && what == MHD_CONNECTION_NOTIFY_CLOSED)
		connection->is_open = false;
	(void)pthread_mutex_unlock(&server->connections_lock);
}
