/*
 * Addresses: the sockets that the service listens on, and the hosts that requests may be meant for.
 * A browser that was led to this service by somebody else's name, or by somebody else's page, is
 * turned away (SPEC D21, HOSTILE 15).
 */
#ifndef RT_HTTP_ADDRESS_H
#define RT_HTTP_ADDRESS_H

#include <netinet/in.h>

#include "base/error.h"

union rt_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Room for an address as a URL has it, and a NUL. */
#define RT_ADDRESS_MAX 64u

/* Write an address as a URL has it, without its port. Returns the port. */
unsigned rt_address_spell(const union rt_address *address, char text[RT_ADDRESS_MAX]);

struct rt_listen {
	int fds[2];                /* two for localhost; -1: none */
	char host[RT_ADDRESS_MAX]; /* as in a URL */
	unsigned port;             /* the one it got */
	bool loopback;             /* only this machine can reach it */
};

/*
 * Bind and listen; the sockets do not block. text: as struct rt_serve has it, or NULL.
 * ret_listen: closed by rt_listen_close(), whatever is returned.
 * Returns RT_OK; RT_FATAL with err set: RT_E_USAGE where text has no such form, RT_E_IO.
 */
enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err);

void rt_listen_close(struct rt_listen *listening);

/*
 * Whether the value of a Host field is served: our own address, or one of those that are allowed;
 * either as it is or with our port after it. is_origin: the text is what an Origin (RFC 6454 §7)
 * has after its scheme: our address without its port is another server of this machine then.
 */
bool rt_host_is_served(const struct rt_listen *listening, const struct rt_serve *serve,
		       const char *text, bool is_origin);

#endif
