/*
 * The hosts that requests may be meant for. A browser that was led to this service by somebody
 * else's name, or by somebody else's page, is turned away (SPEC D21, HOSTILE 15).
 */
#ifndef RT_HTTP_HOSTS_H
#define RT_HTTP_HOSTS_H

#include "base/error.h"

struct rt_host {
	char *name;    /* as a Host header has it */
	bool may_link; /* it may be that of an Origin */
};

struct rt_hosts {
	struct rt_host *hosts;
	size_t count;
	size_t capacity;
};

/*
 * Allow a host, and host:port. {0} is an empty list.
 * host: NUL-terminated, a name, an address, or either with a port of its own.
 * ours: it is what we listen on. Without a port it may be the Host of a request, but as an Origin
 * it is another server of this machine.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where it is none of these.
 */
enum rt_status rt_hosts_allow(struct rt_hosts *hosts, const char *host, unsigned port, bool ours,
			      struct rt_error *err);

/* Whether a text has the form of a Host header's value (RFC 9110 §7.2), and is not empty. */
bool rt_hosts_is_host(struct rt_slice text);

/* Whether a Host header's value is on the list; letters of either case are equal. */
bool rt_hosts_has(const struct rt_hosts *hosts, struct rt_slice host);

/*
 * Whether an Origin header's value (RFC 6454 §7) is http or https of a host on the list. A port
 * that is left out is the scheme's own.
 */
bool rt_hosts_has_origin(const struct rt_hosts *hosts, struct rt_slice origin);

/* Free the names; the list is empty again. */
void rt_hosts_release(struct rt_hosts *hosts);

#endif
