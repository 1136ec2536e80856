/*
 * One request and its answer: what is let in, what is done, what is said. Knows no socket.
 */
#ifndef RT_HTTP_EXCHANGE_H
#define RT_HTTP_EXCHANGE_H

#include <pthread.h>

#include "http/message.h"
#include "http/reply.h"
#include "http/route.h"
#include "http/server.h"
#include "http/target.h"

struct rt_exchange {
	struct rt_server *server;
	const struct rt_head *head; /* holds until the exchange is over */
	struct rt_target target;
	const struct rt_route *route;   /* NULL: not let in */
	char name[RT_KEY_NAME_MAX + 1]; /* of its key; "": none */
	struct rt_job *job;             /* of an update */
	uint64_t body_bytes;            /* that came in */
	struct rt_reply reply;          /* its status is 0 until it is decided */
	bool closes;                    /* the connection ends with the answer */
	int64_t at;                     /* when it began: seconds since 1970 */
	uint64_t clock;                 /* likewise, of rt_clock_us() */
};

/*
 * Look at a head that is there, good or bad, and decide whether the request is let in: framing,
 * host, origin, path, method, key, type, size, in this order. exchange: filled in; ended by
 * rt_exchange_end() whatever comes.
 */
void rt_exchange_begin(struct rt_exchange *exchange, struct rt_server *server,
		       const struct rt_head *head);

/*
 * Whether the answer is to be sent now, body or not: after anything odd, and to a client that waits
 * to be told to send its body or has too much of it. Else the body is read first.
 */
bool rt_exchange_is_decided(const struct rt_exchange *exchange);

/* A piece of the body. Returns false where there is so much of it that no more is read. */
bool rt_exchange_take(struct rt_exchange *exchange, struct rt_slice piece);

/* The body is framed badly. */
void rt_exchange_refuse_body(struct rt_exchange *exchange, unsigned status, const char *fault);

/* All of the request is there: do what it asks, and decide the answer. May wait for the journal. */
void rt_exchange_finish(struct rt_exchange *exchange);

/* Write the log line and release everything. peer: address and port. sent: it has been answered. */
void rt_exchange_end(struct rt_exchange *exchange, const char *peer, bool sent);

#endif
