/*
 * Taking connections. Input: the listening socket. Output: a thread for each connection.
 * Refuses more of one address than RT_HTTP_CONNECTIONS_PER_ADDRESS, and more in all than
 * RT_HTTP_CONNECTIONS: then whoever has kept its thread waiting longest gives way.
 */
#include "http/connections.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/exchange.h"
#include "http/listen.h"
#include "http/message.h"
#include "http/server.h"

/* At most this many in a row, so that commands are looked at in between. */
#define BATCH 16
/* Milliseconds between tries while all places are taken, and while there are no descriptors. */
#define PAUSE_MS 20
#define STARVED_MS 1000
/* Milliseconds that a client may keep its thread waiting whatever happens. */
#define PATIENCE_MS 1000
/* Milliseconds between two lines about connections that are turned away. */
#define REFUSED_MS 60000
/* A thread's stack: heads, errors and masks are on it. Sanitizers want more of everything. */
#define STACK_BYTES ((size_t)1024 * 1024)

/* --- One connection --------------------------------------------------------------------------- */

/*
 * Talks to one client until it ends, or has to. Input: a connected socket. Output: answers to its
 * requests, one after the other.
 * Refuses to wait for ever: RT_HTTP_IDLE_SECONDS without a byte, RT_HTTP_REQUEST_SECONDS for a
 * whole request, RT_HTTP_ANSWER_SECONDS for an answer to be taken.
 */

/* Seconds that a client may go on sending after the last answer, so that it is not lost to a reset.
 */
#define LINGER_SECONDS 2u

/* A head, and room for a piece of the body after it, which the head's texts are borrowed from. */
struct talk {
	struct rt_connection *connection;
	uint64_t deadline; /* of rt_clock_ms() */
	size_t len;        /* bytes in buf */
	char buf[2 * RT_HTTP_HEAD_BYTES];
};

static void set_deadline(struct talk *talk, unsigned seconds)
{
	talk->deadline = rt_clock_ms() + (uint64_t)1000 * seconds;
}

static void set_timeout(struct talk *talk, int which, unsigned seconds)
{
	struct timeval time = {.tv_sec = seconds};

	(void)setsockopt(talk->connection->fd, SOL_SOCKET, which, &time, sizeof(time));
}

/* Have more bytes in buf. Returns false where there are none, or it took too long. */
static bool receive(struct talk *talk)
{
	ssize_t got;

	if (rt_clock_ms() >= talk->deadline)
		return false;
	do
		got = recv(talk->connection->fd, talk->buf + talk->len,
			   sizeof(talk->buf) - talk->len, 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	talk->len += (size_t)got;
	return true;
}

/* Send all of both. Returns false where the client does not take it. */
static bool send_both(struct talk *talk, struct rt_slice head, struct rt_slice body)
{
	while (head.len + body.len) {
		struct iovec parts[] = {{(void *)(uintptr_t)head.ptr, head.len},
					{(void *)(uintptr_t)body.ptr, body.len}};
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = body.len ? 2 : 1};
		ssize_t sent = sendmsg(talk->connection->fd, &message, MSG_NOSIGNAL);
		size_t of_head;

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0 || rt_clock_ms() >= talk->deadline)
			return false;
		of_head = (size_t)sent < head.len ? (size_t)sent : head.len;
		head = rt_slice_make(head.ptr + of_head, head.len - of_head);
		if ((size_t)sent > of_head) {
			body.ptr += (size_t)sent - of_head;
			body.len -= (size_t)sent - of_head;
		}
	}
	return true;
}

/* Read a head, good or bad. Returns false where none came. */
static bool read_head(struct talk *talk, struct rt_head *head)
{
	set_deadline(talk, RT_HTTP_REQUEST_SECONDS);
	atomic_store(&talk->connection->waits, rt_clock_ms());
	while (rt_head_read(head, talk->buf, talk->len) == RT_HEAD_MORE) {
		if (!receive(talk))
			return false;
	}
	atomic_store(&talk->connection->waits, 0);
	return true;
}

/* Read the body. ret_over: bytes of buf that are over. Returns false where the client is gone. */
static bool read_body(struct talk *talk, struct rt_exchange *exchange, size_t *ret_over)
{
	const size_t start = exchange->head->len;
	struct rt_body_reader reader;
	size_t at = start;

	rt_body_begin(&reader, exchange->head);
	for (;;) {
		struct rt_slice piece;
		size_t used;
		enum rt_body_state state =
		    rt_body_read(&reader, talk->buf + at, talk->len - at, &used, &piece);

		at += used;
		*ret_over = at;
		if (state == RT_BODY_END)
			return true;
		if (state == RT_BODY_BAD) {
			rt_exchange_refuse_body(exchange, reader.status, reader.fault);
			return true;
		}
		if (state == RT_BODY_PIECE && !rt_exchange_take(exchange, piece))
			return true;
		if (state == RT_BODY_MORE) {
			at = talk->len = start;
			if (!receive(talk))
				return false;
		}
	}
}

/* Have the whole request, and its answer decided. Returns as above. */
static bool hear(struct talk *talk, struct rt_exchange *exchange, size_t *ret_over)
{
	static const struct rt_slice go_on = {"HTTP/1.1 100 Continue\r\n\r\n", 25};
	const struct rt_head *head = exchange->head;

	*ret_over = head->len;
	if (rt_exchange_is_decided(exchange))
		return true;
	if (head->awaits_continue && !send_both(talk, go_on, rt_slice_make(NULL, 0)))
		return false;
	if (head->has_body && !read_body(talk, exchange, ret_over))
		return false;
	rt_exchange_finish(exchange);
	return true;
}

static bool answer(struct talk *talk, struct rt_exchange *exchange)
{
	const struct rt_head *head = exchange->head;
	bool no_body = rt_slice_equal(head->method, RT_SLICE("HEAD"));
	enum rt_reply_end end = RT_REPLY_STAYS;
	char text[RT_REPLY_HEAD_BYTES];
	size_t len;

	if (exchange->closes)
		end = RT_REPLY_CLOSES;
	else if (head->is_old)
		end = RT_REPLY_STAYS_OLD;
	len = rt_reply_head(&exchange->reply, end, exchange->at, text);
	set_deadline(talk, RT_HTTP_ANSWER_SECONDS);
	return send_both(talk, rt_slice_make(text, len),
			 no_body ? rt_slice_make(NULL, 0) : exchange->reply.body);
}

/* One request. Returns whether there may be another. */
static bool talk_once(struct talk *talk)
{
	struct rt_head head = {.status = 0};
	struct rt_exchange exchange;
	bool sent = false;
	char peer[RT_PEER_MAX];
	size_t over;
	bool stays;

	if (!read_head(talk, &head))
		return false;
	rt_exchange_begin(&exchange, talk->connection->server, &head);
	if (hear(talk, &exchange, &over))
		sent = answer(talk, &exchange);
	stays = sent && !exchange.closes;
	rt_listen_peer(&talk->connection->peer.any, peer);
	rt_exchange_end(&exchange, peer, sent);
	if (stays) {
		talk->len -= over;
		memmove(talk->buf, talk->buf + over, talk->len);
	}
	return stays;
}

/* End what we send, and let the client come to its end, so that it sees all of it. */
static void linger(struct talk *talk)
{
	if (shutdown(talk->connection->fd, SHUT_WR) != 0)
		return;
	set_timeout(talk, SO_RCVTIMEO, LINGER_SECONDS);
	set_deadline(talk, LINGER_SECONDS);
	do
		talk->len = 0;
	while (receive(talk));
}

/* The thread is at its end. */
static void close_connection(struct rt_connection *connection)
{
	struct rt_connections *connections = &connection->server->connections;

	(void)pthread_mutex_lock(&connections->lock);
	(void)close(connection->fd);
	connection->state = RT_CONNECTION_OVER;
	(void)pthread_mutex_unlock(&connections->lock);
}

/* The thread's function. ctx: a struct rt_connection that is open. */
static void *run_connection(void *ctx)
{
	struct talk talk;

	talk.connection = ctx;
	talk.len = 0;
	set_timeout(&talk, SO_RCVTIMEO, RT_HTTP_IDLE_SECONDS);
	set_timeout(&talk, SO_SNDTIMEO, RT_HTTP_IDLE_SECONDS);
	while (talk_once(&talk))
		;
	linger(&talk);
	close_connection(talk.connection);
	return NULL;
}

/* --- All of them ----------------------------------------------------------------------------- */

int rt_connections_fd(struct rt_server *server)
{
	return rt_clock_ms() < server->connections.pause_until ? -1 : server->listening.fd;
}

/* A free place; NULL: none. Joins a thread that has ended in it. */
static struct rt_connection *find_place(struct rt_connections *connections)
{
	struct rt_connection *found = NULL;
	bool over = false;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS && !found; i++) {
		if (connections->all[i].state != RT_CONNECTION_OPEN)
			found = &connections->all[i];
	}
	if (found) {
		over = found->state == RT_CONNECTION_OVER;
		found->state = RT_CONNECTION_NONE;
	}
	(void)pthread_mutex_unlock(&connections->lock);
	if (over)
		(void)pthread_join(found->thread, NULL);
	return found;
}

/* Shut down the connection that has waited longest for its client, where there is one. */
static void give_way(struct rt_connections *connections)
{
	struct rt_connection *oldest = NULL;
	uint64_t since = rt_clock_ms() - PATIENCE_MS;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		struct rt_connection *connection = &connections->all[i];
		uint64_t waits = atomic_load(&connection->waits);

		if (connection->state == RT_CONNECTION_OPEN && waits && waits < since) {
			oldest = connection;
			since = waits;
		}
	}
	/* Whoever closes the descriptor takes the lock, so that the number is still its own. */
	if (oldest)
		(void)shutdown(oldest->fd, SHUT_RDWR);
	(void)pthread_mutex_unlock(&connections->lock);
}

static bool is_same_address(const union rt_peer *a, const union rt_peer *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
	return memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof(a->v6.sin6_addr)) == 0;
}

static bool has_too_many(struct rt_connections *connections, const union rt_peer *peer)
{
	unsigned count = 0;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		const struct rt_connection *connection = &connections->all[i];

		count += connection->state == RT_CONNECTION_OPEN &&
			 is_same_address(&connection->peer, peer);
	}
	(void)pthread_mutex_unlock(&connections->lock);
	return count >= RT_HTTP_CONNECTIONS_PER_ADDRESS;
}

/* Say that somebody was turned away, at most once in a while. */
static void say_refused(struct rt_server *server, const union rt_peer *peer, const char *why)
{
	char text[RT_PEER_MAX];

	if (rt_clock_ms() < server->connections.refused_until)
		return;
	server->connections.refused_until = rt_clock_ms() + REFUSED_MS;
	rt_listen_peer(&peer->any, text);
	rt_http_log_note(&server->log, "%s is turned away: %s", text, why);
}

static int start_thread(struct rt_connection *connection)
{
	pthread_attr_t attributes;
	int sys = pthread_attr_init(&attributes);

	if (sys != 0)
		return sys;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sys = pthread_create(&connection->thread, &attributes, run_connection, connection);
	(void)pthread_attr_destroy(&attributes);
	return sys;
}

/* Give a connection its thread; its descriptor is closed where there is none for it. */
static void open_connection(struct rt_server *server, struct rt_connection *place, int fd,
			    const union rt_peer *peer)
{
	struct rt_connections *connections = &server->connections;
	int on = 1;
	int sys;

	if (has_too_many(connections, peer)) {
		char why[64];

		(void)close(fd);
		(void)snprintf(why, sizeof(why), "its address has %u connections open",
			       RT_HTTP_CONNECTIONS_PER_ADDRESS);
		say_refused(server, peer, why);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	place->server = server;
	place->fd = fd;
	place->peer = *peer;
	atomic_store(&place->waits, rt_clock_ms());
	(void)pthread_mutex_lock(&connections->lock);
	place->state = RT_CONNECTION_OPEN;
	sys = start_thread(place);
	if (sys != 0)
		place->state = RT_CONNECTION_NONE;
	(void)pthread_mutex_unlock(&connections->lock);
	if (sys == 0)
		return;
	(void)close(fd);
	say_refused(server, peer, strerror(sys));
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
		server->connections.pause_until = rt_clock_ms() + STARVED_MS;
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

enum rt_status rt_connections_take(struct rt_server *server, int listening_fd, struct rt_error *err)
{
	struct rt_connections *connections = &server->connections;

	for (unsigned i = 0; i < BATCH; i++) {
		union rt_peer peer = {.any = {.sa_family = AF_UNSPEC}};
		socklen_t len = sizeof(peer);
		struct rt_connection *place = find_place(connections);
		int fd;

		if (!place) {
			give_way(connections);
			connections->pause_until = rt_clock_ms() + PAUSE_MS;
			return RT_OK;
		}
		fd = accept4(listening_fd, &peer.any, &len, SOCK_CLOEXEC);
		if (fd < 0)
			return judge(server, errno, err);
		open_connection(server, place, fd, &peer);
	}
	return RT_OK;
}

void rt_connections_end(struct rt_server *server)
{
	struct rt_connections *connections = &server->connections;

	(void)pthread_mutex_lock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		if (connections->all[i].state == RT_CONNECTION_OPEN)
			(void)shutdown(connections->all[i].fd, SHUT_RDWR);
	}
	(void)pthread_mutex_unlock(&connections->lock);
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS; i++) {
		bool there;

		(void)pthread_mutex_lock(&connections->lock);
		there = connections->all[i].state != RT_CONNECTION_NONE;
		(void)pthread_mutex_unlock(&connections->lock);
		if (there)
			(void)pthread_join(connections->all[i].thread, NULL);
	}
}
