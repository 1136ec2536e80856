/*
 * Text out: a buffer before a sink that keeps the first error and turns every later call into
 * nothing, so that who writes a report need not look after each piece.
 */
#ifndef RT_OUTPUT_EMIT_H
#define RT_OUTPUT_EMIT_H

#include "base/buf.h"

/* Bytes that are gathered before they are passed on. */
#define RT_EMIT_ROOM ((size_t)64 * 1024)

struct rt_emit {
	struct rt_sink sink;
	struct rt_buf buf;
	enum rt_status status;
	struct rt_error err; /* holds where status is not RT_OK */
};

/* sink: copied; its ctx is borrowed until the release. */
void rt_emit_init(struct rt_emit *e, const struct rt_sink *sink);

/* A sink that appends to e, for as long as e stays where it is. */
struct rt_sink rt_emit_sink(struct rt_emit *e);

/* As rt_emit_room(), where the buffer has no such room. */
char *rt_emit_make_room(struct rt_emit *e, size_t len);

/* Of the room for a piece of up to len bytes, whose bytes rt_emit_added() counts then; NULL after
 * an error. */
static inline char *rt_emit_room(struct rt_emit *e, size_t len)
{
	if (e->status != RT_OK || len > e->buf.cap - e->buf.len || e->buf.len + len > RT_EMIT_ROOM)
		return rt_emit_make_room(e, len);
	return e->buf.data + e->buf.len;
}

static inline void rt_emit_added(struct rt_emit *e, size_t len)
{
	e->buf.len += len;
}

/* A piece that does not fit what the buffer has. */
void rt_emit_more(struct rt_emit *e, const void *data, size_t len);

static inline void rt_emit_bytes(struct rt_emit *e, const void *data, size_t len)
{
	if (e->status != RT_OK || len > e->buf.cap - e->buf.len ||
	    e->buf.len + len > RT_EMIT_ROOM) {
		rt_emit_more(e, data, len);
	} else if (len) {
		memcpy(e->buf.data + e->buf.len, data, len);
		e->buf.len += len;
	}
}

static inline void rt_emit_slice(struct rt_emit *e, struct rt_slice text)
{
	rt_emit_bytes(e, text.ptr, text.len);
}

/* text: NUL-terminated. */
static inline void rt_emit_text(struct rt_emit *e, const char *text)
{
	rt_emit_bytes(e, text, strlen(text));
}

static inline void rt_emit_char(struct rt_emit *e, char c)
{
	char *room = rt_emit_room(e, 1);

	if (!room)
		return;
	*room = c;
	rt_emit_added(e, 1);
}

void rt_emit_uint(struct rt_emit *e, uint64_t value);

/* Keep an error of elsewhere, unless there is one. status: RT_OK does nothing. */
void rt_emit_fail(struct rt_emit *e, enum rt_status status, const struct rt_error *err);

/* Pass on what is left. Returns RT_OK, or RT_FATAL with the first error of all. */
enum rt_status rt_emit_finish(struct rt_emit *e, struct rt_error *err);

void rt_emit_release(struct rt_emit *e);

#endif
