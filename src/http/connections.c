/*
 * Accepts connections, hands them to libmicrohttpd's threads, and shuts down those whose clients
 * are slow. They are accepted here because the library stops accepting when it has as many as it
 * may have: slow clients would keep all others out then, unseen in the kernel's queue; and where it
 * may have more than there is room for, it takes the descriptors that answering needs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/instant.h"
#include "http/server.h"

/* Connections accepted before the main thread looks at anything else. */
#define BATCH 64u
/* Milliseconds until connections are accepted again where there is no room, or no descriptor. */
#define PAUSE_MS 10u
/* Milliseconds between two notes that there are too many. */
#define NOTE_MS 60000u
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

/* Connections of one address where it is not NULL. Has the lock. */
static unsigned count(const struct rt_server *server, int state, const char *address)
{
	unsigned found = 0;

	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++)
		found += (int)server->connections[i].state == state &&
			 (!address || strcmp(server->connections[i].address, address) == 0);
	return found;
}

/* The descriptor is still the connection's: it is closed after rt_connections_notify(), which
 * takes the lock. Has the lock. */
static void shut_down(struct rt_connection *connection)
{
	connection->state = RT_CONNECTION_LEAVING;
	(void)shutdown(connection->fd, SHUT_RDWR);
}

/*
 * Shut down one connection, of one address where it is not NULL, that waits for its client: rather
 * one without a key, then one of the address that has most, then the one that has waited longest.
 * Returns false where none waits. Has the lock.
 */
static bool evict(struct rt_server *server, const char *address)
{
	struct rt_connection *worst = NULL;
	unsigned most = 0, mates;

	if (rt_clock_ms() >= server->note_until) {
		server->note_until = rt_clock_ms() + NOTE_MS;
		rt_server_note(server, "too many connections: those that wait longest for their "
				       "clients are closed");
	}
	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++) {
		struct rt_connection *one = &server->connections[i];

		if (one->state != RT_CONNECTION_OPEN || !one->deadline ||
		    (address && strcmp(one->address, address) != 0) ||
		    (worst && !worst->has_key && one->has_key))
			continue;
		mates = count(server, RT_CONNECTION_OPEN, one->address);
		if (!worst || worst->has_key != one->has_key || mates > most ||
		    (mates == most && one->since < worst->since)) {
			worst = one;
			most = mates;
		}
	}
	if (worst)
		shut_down(worst);
	return worst;
}

/* Find room for a connection with a descriptor; NULL: none. Has the lock. */
static struct rt_connection *take_place(struct rt_server *server, int fd, const char *address)
{
	struct rt_connection *found = NULL;
	bool is_many =
	    count(server, RT_CONNECTION_OPEN, address) >= RT_HTTP_CONNECTIONS_PER_ADDRESS;

	if ((is_many || count(server, RT_CONNECTION_OPEN, NULL) >= server->connections_limit) &&
	    !evict(server, is_many ? address : NULL))
		return NULL;
	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++) {
		/* One that the library had no memory for was closed without notice. */
		if (server->connections[i].fd == fd)
			server->connections[i].state = RT_CONNECTION_FREE;
		if (server->connections[i].state == RT_CONNECTION_FREE)
			found = &server->connections[i];
	}
	return found;
}

/* Give a new connection to one of the library's threads. */
static void hand_over(struct rt_server *server, int fd, const union rt_address *peer, socklen_t len)
{
	struct rt_connection *place, fresh = {.state = RT_CONNECTION_OPEN, .fd = fd};

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
	if (RT_MHD(add_connection)(server->daemons[server->next_daemon], fd, &peer->any, len) ==
	    MHD_YES)
		return;
	(void)pthread_mutex_lock(&server->connections_lock);
	place->state = RT_CONNECTION_FREE;
	(void)pthread_mutex_unlock(&server->connections_lock);
}

void rt_connections_accept(struct rt_server *server, int listening_fd)
{
	for (unsigned i = 0; i < BATCH; i++) {
		union rt_address peer = {.any = {.sa_family = AF_UNSPEC}};
		socklen_t len = sizeof(peer);
		int fd = accept4(listening_fd, &peer.any, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			hand_over(server, fd, &peer, len);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			(void)pthread_mutex_lock(&server->connections_lock);
			if (count(server, RT_CONNECTION_LEAVING, NULL) == 0)
				(void)evict(server, NULL);
			(void)pthread_mutex_unlock(&server->connections_lock);
			server->pause_until = rt_clock_ms() + PAUSE_MS;
		}
		return;
	}
}

unsigned rt_connections_check(struct rt_server *server)
{
	uint64_t now = rt_clock_ms();
	unsigned open;

	(void)pthread_mutex_lock(&server->connections_lock);
	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++) {
		struct rt_connection *one = &server->connections[i];

		if (one->state == RT_CONNECTION_OPEN && one->deadline && one->deadline <= now)
			shut_down(one);
	}
	open = count(server, RT_CONNECTION_OPEN, NULL);
	(void)pthread_mutex_unlock(&server->connections_lock);
	return open;
}

void rt_connection_waits(struct rt_server *server, struct rt_connection *connection,
			 unsigned seconds)
{
	(void)pthread_mutex_lock(&server->connections_lock);
	connection->since = rt_clock_ms();
	connection->deadline = seconds ? connection->since + UINT64_C(1000) * seconds : 0;
	(void)pthread_mutex_unlock(&server->connections_lock);
}

void rt_connections_notify(void *cls, struct MHD_Connection *mhd, void **context,
			   enum MHD_ConnectionNotificationCode what)
{
	struct rt_server *server = cls;
	struct rt_connection *connection = *context;
	int fd = RT_MHD(get_connection_info)(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	(void)pthread_mutex_lock(&server->connections_lock);
	for (size_t i = 0; !connection && i < RT_CONNECTION_PLACES; i++) {
		if (server->connections[i].state != RT_CONNECTION_FREE &&
		    server->connections[i].fd == fd)
			*context = connection = &server->connections[i];
	}
	if (connection && what == MHD_CONNECTION_NOTIFY_CLOSED)
		connection->state = RT_CONNECTION_FREE;
	(void)pthread_mutex_unlock(&server->connections_lock);
}

/* --- Addresses ------------------------------------------------------------------------------- */

/* Connections that wait to be accepted, while the export is read as well. */
#define BACKLOG 256

/* Read 1 to 5 digits. Returns false where text is something else, or beyond 65535. */
static bool parse_port(const char *text, unsigned *ret_port)
{
	size_t len = strspn(text, "0123456789");
	unsigned port = 0;

	for (size_t i = 0; i < len && i < 5; i++)
		port = port * 10 + (unsigned)(text[i] - '0');
	*ret_port = port;
	return len >= 1 && len <= 5 && text[len] == '\0' && port <= 65535;
}

/* Returns the length of the address; 0: host is none. */
static socklen_t parse_address(const char *host, unsigned port, union rt_address *address)
{
	char bare[INET6_ADDRSTRLEN] = "";

	*address =
	    (union rt_address){.v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1)
		return sizeof(address->v4);
	(void)sscanf(host, "[%45[^]]", bare);
	if (strlen(host) != strlen(bare) + 2 || host[strlen(host) - 1] != ']')
		return 0;
	*address =
	    (union rt_address){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)}};
	return inet_pton(AF_INET6, bare, &address->v6.sin6_addr) == 1 ? sizeof(address->v6) : 0;
}

unsigned rt_address_spell(const union rt_address *address, char text[RT_ADDRESS_MAX])
{
	bool is_v6 = address->any.sa_family == AF_INET6;
	char bare[INET6_ADDRSTRLEN] = "";

	(void)inet_ntop(address->any.sa_family,
			is_v6 ? (const void *)&address->v6.sin6_addr
			      : (const void *)&address->v4.sin_addr,
			bare, sizeof(bare));
	(void)snprintf(text, RT_ADDRESS_MAX, is_v6 ? "[%s]" : "%s", bare);
	return ntohs(is_v6 ? address->v6.sin6_port : address->v4.sin_port);
}

/* Listen on one more address; port 0 becomes the one it got. */
static enum rt_status open_one(struct rt_listen *listening, int *fd, const char *host,
			       struct rt_error *err)
{
	union rt_address address;
	socklen_t len = parse_address(host, listening->port, &address);
	int on = 1;

	*fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd >= 0) {
		/* A service that is started again need not wait until its connections are
		 * forgotten. */
		(void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (address.any.sa_family == AF_INET6)
			(void)setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	}
	if (*fd < 0 || bind(*fd, &address.any, len) < 0 || listen(*fd, BACKLOG) < 0 ||
	    getsockname(*fd, &address.any, &len) < 0)
		return rt_error_sys(err, errno, "cannot listen on %s:%u", host, listening->port);
	listening->port = rt_address_spell(&address, listening->host);
	listening->loopback = address.any.sa_family == AF_INET
				  ? ntohl(address.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
				  : IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
	return RT_OK;
}

enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err)
{
	const char *given = text ? text : "127.0.0.1:8080", *colon = strrchr(given, ':');
	char host[RT_ADDRESS_MAX] = "127.0.0.1";
	union rt_address address;
	bool both;

	*ret_listen = (struct rt_listen){.fds = {-1, -1}};
	if (colon && colon != given)
		(void)snprintf(host, sizeof(host), "%.*s", (int)(colon - given), given);
	both = strcmp(host, "localhost") == 0;
	if (!colon || !parse_port(colon + 1, &ret_listen->port) ||
	    (!both && !parse_address(host, 0, &address)))
		return rt_error_set(err, RT_E_USAGE,
				    "--listen: want ADDR:PORT with a numeric address, "
				    "localhost:PORT or :PORT, have \"%s\"",
				    given);
	if (!both)
		return open_one(ret_listen, &ret_listen->fds[0], host, err);
	/* Clients try the one or the other first, and on a machine with several users the other
	 * must not be somebody else's. One is enough where there is no IPv6. */
	if (open_one(ret_listen, &ret_listen->fds[0], "127.0.0.1", err) != RT_OK ||
	    (open_one(ret_listen, &ret_listen->fds[1], "[::1]", err) != RT_OK &&
	     err->sys != EADDRNOTAVAIL && err->sys != EAFNOSUPPORT))
		return RT_FATAL;
	(void)strcpy(ret_listen->host, "localhost");
	return RT_OK;
}

void rt_listen_close(struct rt_listen *listening)
{
	for (size_t i = 0; i < 2; i++) {
		if (listening->fds[i] >= 0)
			(void)close(listening->fds[i]);
		listening->fds[i] = -1;
	}
}

/* Whether text is a name, with a port after it or, where that may be left out, without. */
static bool is_host(const char *text, const char *name, unsigned port, bool needs_port)
{
	size_t len = strlen(name);
	unsigned own = 0;

	if (strncasecmp(text, name, len) != 0)
		return false;
	return text[len] == '\0'
		   ? !needs_port
		   : text[len] == ':' && parse_port(text + len + 1, &own) && own == port;
}

bool rt_host_is_served(const struct rt_listen *listening, const struct rt_serve *serve,
		       const char *text, bool is_origin)
{
	const char *const names[] = {listening->host, "localhost", "127.0.0.1", "[::1]"};

	for (size_t i = 0; i < (listening->loopback ? 4 : 1); i++) {
		if (is_host(text, names[i], listening->port, is_origin))
			return true;
	}
	for (size_t i = 0; i < serve->allowed_host_count; i++) {
		if (is_host(text, serve->allowed_hosts[i], listening->port, false))
			return true;
	}
	return false;
}
