/*
 * The socket that the shim listens on.
 */
#ifndef RT_HTTP_LISTEN_H
#define RT_HTTP_LISTEN_H

#include "base/error.h"

struct rt_listen {
	int fd;        /* -1: none */
	int other_fd;  /* of localhost the IPv6 address; -1: none */
	char host[64]; /* the address as in a URL: an IPv6 address has its brackets */
	unsigned port; /* the one it got */
	bool loopback; /* only this machine can reach it */
	bool any;      /* all addresses of this machine */
};

/*
 * Bind and listen. text: as struct rt_serve has it, or NULL.
 * ret_listen: set on RT_OK; closed by rt_listen_close().
 * Returns RT_OK; RT_FATAL with err set: RT_E_USAGE where text has no such form, RT_E_IO.
 */
enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err);

/* Close what is open of it. */
void rt_listen_close(struct rt_listen *listening);

/* Room for an address with its port, and a NUL. */
#define RT_PEER_MAX 72u

struct sockaddr;

/* Write a peer's address and port, or "-" where it is of another family. */
void rt_listen_peer(const struct sockaddr *address, char text[RT_PEER_MAX]);

#endif
