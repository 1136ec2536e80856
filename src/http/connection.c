/*
 * Talks to one client until it ends, or has to. Input: a connected socket. Output: answers to its
 * requests, one after the other.
 * Refuses to wait for ever: RT_HTTP_IDLE_SECONDS without a byte, RT_HTTP_REQUEST_SECONDS for a
 * whole request, RT_HTTP_ANSWER_SECONDS for an answer to be taken.
 */
#include "http/connection.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "http/body.h"
#include "http/exchange.h"

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
		body.ptr += (size_t)sent - of_head;
		body.len -= (size_t)sent - of_head;
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
	struct rt_slice expect = head->fields[RT_FIELD_EXPECT];

	*ret_over = head->len;
	if (rt_exchange_is_decided(exchange))
		return true;
	if (head->has_body && !head->is_old && expect.ptr &&
	    rt_slice_equal(expect, RT_SLICE("100-continue")) &&
	    !send_both(talk, go_on, rt_slice_make(NULL, 0)))
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

void *rt_connection_run(void *ctx)
{
	struct talk talk;

	talk.connection = ctx;
	talk.len = 0;
	set_timeout(&talk, SO_RCVTIMEO, RT_HTTP_IDLE_SECONDS);
	set_timeout(&talk, SO_SNDTIMEO, RT_HTTP_IDLE_SECONDS);
	while (talk_once(&talk))
		;
	linger(&talk);
	rt_connections_close(talk.connection);
	return NULL;
}
