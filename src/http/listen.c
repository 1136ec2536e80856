/*
 * Listening. Input: ADDR:PORT, [ADDR]:PORT, localhost:PORT, :PORT or fd:N. Output: a listening
 * socket that does not block, of localhost two, and what it is called in a URL.
 * Refuses other names: what they stand for is decided elsewhere, and may change to an address that
 * more than this machine can reach. localhost is not looked up; no address is this machine alone.
 */
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT_LISTEN "127.0.0.1:8080"

/* Any free port is asked for so often until it is free at both addresses of localhost. */
#define PORT_TRIES 16u

/* Connections that wait to be accepted, while the export is read as well. */
#define BACKLOG 256

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Digits only, at most max. Returns false where text is something else. */
static bool parse_number(const char *text, unsigned max, unsigned *ret_value)
{
	unsigned value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (unsigned)(*text - '0');
		if (value > max)
			return false;
	}
	*ret_value = value;
	return true;
}

/* Returns the address's length; 0: text has another form. */
static socklen_t parse_address(const char *text, union address *address)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t len = colon ? (size_t)(colon - text) : 0;
	unsigned port;

	*address = (union address){0};
	if (len == 0 || len >= sizeof(host) || !parse_number(colon + 1, 65535, &port))
		return 0;
	memcpy(host, text, len);
	host[len] = '\0';
	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		address->v6.sin6_family = AF_INET6;
		address->v6.sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1
			   ? sizeof(address->v6)
			   : 0;
	}
	address->v4.sin_family = AF_INET;
	address->v4.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1 ? sizeof(address->v4) : 0;
}

/* Host and port of an address; false: of another family. */
static bool spell_address(const union address *address, char *host, size_t cap, unsigned *ret_port)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (address->any.sa_family == AF_INET) {
		(void)inet_ntop(AF_INET, &address->v4.sin_addr, text, sizeof(text));
		(void)snprintf(host, cap, "%s", text);
		*ret_port = ntohs(address->v4.sin_port);
		return true;
	}
	if (address->any.sa_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &address->v6.sin6_addr, text, sizeof(text));
		(void)snprintf(host, cap, "[%s]", text);
		*ret_port = ntohs(address->v6.sin6_port);
		return true;
	}
	return false;
}

void rt_listen_peer(const struct sockaddr *address, char text[RT_PEER_MAX])
{
	union address copy = {.any = {.sa_family = AF_UNSPEC}};
	char host[INET6_ADDRSTRLEN + 2];
	unsigned port;

	if (address && address->sa_family == AF_INET)
		memcpy(&copy.v4, address, sizeof(copy.v4));
	else if (address && address->sa_family == AF_INET6)
		memcpy(&copy.v6, address, sizeof(copy.v6));
	if (spell_address(&copy, host, sizeof(host), &port))
		(void)snprintf(text, RT_PEER_MAX, "%s:%u", host, port);
	else
		(void)snprintf(text, RT_PEER_MAX, "-");
}

/* Fill in what a listening socket is called. */
static enum rt_status listen_describe(struct rt_listen *listening, struct rt_error *err)
{
	union address address = {.any = {.sa_family = AF_UNSPEC}};
	socklen_t len = sizeof(address), flag_len = sizeof(int);
	int accepts = 0;

	if (getsockopt(listening->fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &flag_len) < 0 ||
	    !accepts || getsockname(listening->fd, &address.any, &len) < 0 ||
	    !spell_address(&address, listening->host, sizeof(listening->host), &listening->port))
		return rt_error_set(err, RT_E_USAGE,
				    "want a listening TCP socket, have another "
				    "descriptor");
	if (address.any.sa_family == AF_INET) {
		listening->loopback = ntohl(address.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
		listening->any = address.v4.sin_addr.s_addr == htonl(INADDR_ANY);
	} else {
		listening->loopback = IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
		listening->any = IN6_IS_ADDR_UNSPECIFIED(&address.v6.sin6_addr);
	}
	return RT_OK;
}

/* Why there is no socket for text. */
static enum rt_status refuse_address(const char *text, int sys, struct rt_error *err)
{
	switch (sys) {
	case EADDRINUSE:
		(void)rt_error_set(err, RT_E_IO,
				   "want an address that is free, have %s in use: end the program "
				   "that listens there, or choose another port with --listen (0: "
				   "any free one)",
				   text);
		break;
	case EADDRNOTAVAIL:
		(void)rt_error_set(err, RT_E_IO,
				   "want an address of this machine, have %s: choose another with "
				   "--listen",
				   text);
		break;
	case EACCES:
		(void)rt_error_set(err, RT_E_IO,
				   "want a port that this user may listen on, have %s: choose one "
				   "from 1024 on with --listen",
				   text);
		break;
	default:
		return rt_error_sys(err, sys, "listen on %s", text);
	}
	err->sys = sys;
	return RT_FATAL;
}

static enum rt_status socket_open(const char *text, int *ret_fd, struct rt_error *err)
{
	union address address;
	socklen_t len = parse_address(text, &address);
	int on = 1;
	int fd;

	if (len == 0)
		return rt_error_set(
		    err, RT_E_USAGE,
		    "--listen: want ADDR:PORT with a numeric address, localhost:PORT or "
		    ":PORT, have \"%s\"",
		    text);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return rt_error_sys(err, errno, "socket for %s", text);
	/* A service that was restarted must not wait for its old connections to be forgotten. */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address.any.sa_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, &address.any, len) < 0 || listen(fd, BACKLOG) < 0) {
		(void)refuse_address(text, errno, err);
		(void)close(fd);
		return RT_FATAL;
	}
	*ret_fd = fd;
	return RT_OK;
}

/* Make a socket one of ours, whoever opened it. */
static enum rt_status socket_adopt(int fd, const char *text, struct rt_error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return rt_error_sys(err, errno, "%s", text);
	return RT_OK;
}

static enum rt_status listen_open(const char *text, struct rt_listen *listening,
				  struct rt_error *err)
{
	unsigned number;
	enum rt_status status = RT_OK;

	if (strncmp(text, "fd:", 3) == 0 && parse_number(text + 3, 1 << 20, &number))
		listening->fd = (int)number;
	else
		status = socket_open(text, &listening->fd, err);
	if (status == RT_OK)
		status = socket_adopt(listening->fd, text, err);
	return status == RT_OK ? listen_describe(listening, err) : status;
}

/*
 * Both addresses of localhost: clients try the one or the other first, and on a machine with
 * several users the other must not be somebody else's. One is enough where there is no IPv6.
 */
static enum rt_status listen_open_both(unsigned port, struct rt_listen *listening,
				       struct rt_error *err)
{
	char text[32];
	enum rt_status status;

	(void)snprintf(text, sizeof(text), "127.0.0.1:%u", port);
	status = listen_open(text, listening, err);
	if (status != RT_OK)
		return status;
	(void)snprintf(listening->host, sizeof(listening->host), "localhost");
	(void)snprintf(text, sizeof(text), "[::1]:%u", listening->port);
	status = socket_open(text, &listening->other_fd, err);
	if (status == RT_OK)
		return socket_adopt(listening->other_fd, text, err);
	return err->sys == EADDRNOTAVAIL || err->sys == EAFNOSUPPORT ? RT_OK : status;
}

/* Whether text is localhost:PORT. */
static bool is_localhost(const char *text, unsigned *ret_port)
{
	static const char name[] = "localhost:";
	size_t len = sizeof(name) - 1;

	return strncmp(text, name, len) == 0 && parse_number(text + len, 65535, ret_port);
}

enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err)
{
	struct rt_listen listening = {.fd = -1, .other_fd = -1};
	unsigned port = 0, tries = 0;
	enum rt_status status;
	char own[32];
	bool both;

	if (!text)
		text = DEFAULT_LISTEN;
	both = is_localhost(text, &port);
	if (text[0] == ':' && parse_number(text + 1, 65535, &port)) {
		(void)snprintf(own, sizeof(own), "127.0.0.1:%u", port);
		text = own;
	}
	do {
		status = both ? listen_open_both(port, &listening, err)
			      : listen_open(text, &listening, err);
		if (status != RT_OK)
			rt_listen_close(&listening);
		/* A port that was free at one address may not be so at the other. */
	} while (status != RT_OK && both && err->sys == EADDRINUSE && port == 0 &&
		 ++tries < PORT_TRIES);
	if (status == RT_OK)
		*ret_listen = listening;
	return status;
}

void rt_listen_close(struct rt_listen *listening)
{
	if (listening->fd >= 0)
		(void)close(listening->fd);
	if (listening->other_fd >= 0)
		(void)close(listening->other_fd);
	listening->fd = listening->other_fd = -1;
}
