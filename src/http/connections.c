/*
 * Accepts connections, hands them to libmicrohttpd's threads, and shuts down those whose clients
 * take too long: the library's timeout is one of silence, and a client that sends a byte now and
 * then would stay for ever. Where there are as many as there may be, the one that has kept us
 * waiting longest for a request yields to the next; strangers before those who have shown a key.
 * They are accepted here and not by the library, which listens at one socket only, and takes the
 * descriptors that answering needs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/instant.h"
#include "http/server.h"

/* Connections accepted before the main thread looks at anything else. */
#define BATCH 64u
/* Milliseconds until connections are accepted again where that failed, for want of memory say. */
#define PAUSE_MS 10u
/* Descriptors that answering requests takes for a moment. */
#define SPARE_DESCRIPTORS 4

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Write an address as a URL has it, without its port. Returns the port. */
static unsigned spell(const union address *address, char text[RT_ADDRESS_MAX])
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

/* Connections of one address where it is not NULL. */
static unsigned count(const struct rt_server *server, const char *address)
{
	unsigned found = 0;

	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++)
		found += server->connections[i].is_open &&
			 (!address || strcmp(server->connections[i].address, address) == 0);
	return found;
}

/* Have a connection end. The library closes it, and notices that by itself. */
static void shut_down(struct rt_server *server, size_t fd)
{
	server->connections[fd].since = UINT64_MAX;
	/* Where another thread closes it meanwhile, its descriptor is not that of another
	 * connection: those are accepted by this thread. One that it has no memory for is closed
	 * without a word. */
	if (shutdown((int)fd, SHUT_RDWR) < 0 && errno == EBADF)
		server->connections[fd].is_open = false;
}

#define NOBODY SIZE_MAX

/* The descriptor of the connection that yields its place to another, or NOBODY. */
static size_t next_to_yield(const struct rt_server *server)
{
	const struct rt_connection *all = server->connections;
	size_t found = NOBODY;

	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++) {
		if (!all[i].is_open || all[i].is_whole || all[i].since == UINT64_MAX)
			continue;
		if (found == NOBODY || all[i].has_key < all[found].has_key ||
		    (all[i].has_key == all[found].has_key && all[i].since < all[found].since))
			found = i;
	}
	return found;
}

bool rt_connections_room(struct rt_server *server)
{
	unsigned open = count(server, NULL);

	return open < server->most || (open == server->most && next_to_yield(server) != NOBODY);
}

/* Give a new connection to one of the library's threads. */
static void hand_over(struct rt_server *server, int fd, const union address *peer, socklen_t len)
{
	struct rt_connection *place = &server->connections[fd];
	struct MHD_Daemon *daemon = server->daemons[(unsigned)fd % RT_HTTP_THREADS];
	size_t yields;

	/* The library may have closed another one without a word. */
	place->is_open = false;
	place->port = spell(peer, place->address);
	if (count(server, place->address) >= RT_HTTP_CONNECTIONS_PER_ADDRESS) {
		(void)close(fd);
		return;
	}
	if (count(server, NULL) >= server->most && (yields = next_to_yield(server)) != NOBODY)
		shut_down(server, yields);
	place->has_key = false;
	place->since = 0;
	rt_connection_waits(place, false);
	place->is_open = true;
	/* It closes the descriptor where it fails. */
	if (RT_MHD(add_connection)(daemon, fd, &peer->any, len) != MHD_YES)
		place->is_open = false;
}

void rt_connections_accept(struct rt_server *server, int listening_fd)
{
	for (unsigned i = 0; i < BATCH && rt_connections_room(server); i++) {
		union address peer = {.any = {.sa_family = AF_UNSPEC}};
		socklen_t len = sizeof(peer);
		int fd = accept4(listening_fd, &peer.any, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			if (errno != EAGAIN)
				rt_clock_pause(PAUSE_MS);
			return;
		}
		if ((size_t)fd < RT_CONNECTION_PLACES)
			hand_over(server, fd, &peer, len);
		else
			(void)close(fd);
	}
}

unsigned rt_connections_most(const struct rt_server *server)
{
	int next = dup(server->listening.fds[0]);
	long room = sysconf(_SC_OPEN_MAX) - next - SPARE_DESCRIPTORS;

	if (next < 0 || room < 1)
		room = 1;
	if (next >= 0)
		(void)close(next);
	return room < RT_HTTP_CONNECTIONS ? (unsigned)room : RT_HTTP_CONNECTIONS;
}

unsigned rt_connections_check(struct rt_server *server)
{
	bool is_busy = count(server, NULL) >= server->most - server->most / 4;
	unsigned patience = is_busy ? RT_HTTP_BUSY_SECONDS : RT_HTTP_REQUEST_SECONDS;
	uint64_t now = rt_clock_ms();

	for (size_t i = 0; i < RT_CONNECTION_PLACES; i++) {
		const struct rt_connection *one = &server->connections[i];
		unsigned seconds = one->is_whole ? RT_HTTP_ANSWER_SECONDS : patience;

		if (one->is_open && one->since <= now &&
		    now - one->since >= UINT64_C(1000) * seconds)
			shut_down(server, i);
	}
	return count(server, NULL);
}

void rt_connection_waits(struct rt_connection *connection, bool is_whole)
{
	if (connection->since == UINT64_MAX)
		return;
	connection->is_whole = is_whole;
	connection->since = rt_clock_ms();
}

struct rt_connection *rt_connection_of(struct rt_server *server, struct MHD_Connection *mhd)
{
	int fd = RT_MHD(get_connection_info)(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	return &server->connections[fd];
}

void rt_connections_notify(void *server, struct MHD_Connection *mhd, void **context,
			   enum MHD_ConnectionNotificationCode what)
{
	(void)context;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
		rt_connection_of(server, mhd)->is_open = false;
}

/* --- Addresses ------------------------------------------------------------------------------- */

/* Connections that wait to be accepted, while the export is read as well. */
#define BACKLOG 256

/* Returns the length of the address; 0: host is none. */
static socklen_t parse_address(const char *host, unsigned port, union address *address)
{
	char bare[INET6_ADDRSTRLEN] = "";

	*address =
	    (union address){.v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1)
		return sizeof(address->v4);
	(void)sscanf(host, "[%45[^]]", bare);
	if (strlen(host) != strlen(bare) + 2 || host[strlen(host) - 1] != ']')
		return 0;
	*address =
	    (union address){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)}};
	return inet_pton(AF_INET6, bare, &address->v6.sin6_addr) == 1 ? sizeof(address->v6) : 0;
}

/* Listen on one more address; port 0 becomes the one it got. */
static enum rt_status open_one(struct rt_listen *listening, int *fd, const char *host,
			       struct rt_error *err)
{
	union address address;
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
	listening->port = spell(&address, listening->host);
	listening->loopback = address.any.sa_family == AF_INET
				  ? ntohl(address.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
				  : IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
	return RT_OK;
}

enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err)
{
	const char *given = text ? text : "127.0.0.1:8080", *colon = strrchr(given, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	unsigned long port = digits && digits <= 5 ? strtoul(colon + 1, NULL, 10) : 65536;
	char host[RT_ADDRESS_MAX] = "127.0.0.1";
	union address address;
	bool both;

	*ret_listen = (struct rt_listen){.fds = {-1, -1}, .port = (unsigned)port};
	if (colon && colon != given)
		(void)snprintf(host, sizeof(host), "%.*s", (int)(colon - given), given);
	both = strcmp(host, "localhost") == 0;
	if (port > 65535 || colon[1 + digits] || (!both && !parse_address(host, 0, &address)))
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
	char full[512];

	(void)snprintf(full, sizeof(full), "%s:%u", name, port);
	return strcasecmp(text, full) == 0 || (!needs_port && strcasecmp(text, name) == 0);
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
