/*
 * Gathers text in larger pieces for a sink.
 */
#include "output/emit.h"

void rt_emit_init(struct rt_emit *e, const struct rt_sink *sink)
{
	*e = (struct rt_emit){.sink = *sink};
}

void rt_emit_fail(struct rt_emit *e, enum rt_status status, const struct rt_error *err)
{
	if (status == RT_OK || e->status != RT_OK)
		return;
	e->status = status;
	e->err = *err;
}

static void pass(struct rt_emit *e, const void *data, size_t len)
{
	if (e->status != RT_OK || !len)
		return;
	e->status = e->sink.write(e->sink.ctx, data, len, &e->err);
}

static void flush(struct rt_emit *e)
{
	pass(e, e->buf.data, e->buf.len);
	e->buf.len = 0;
}

char *rt_emit_make_room(struct rt_emit *e, size_t len)
{
	if (e->status == RT_OK && e->buf.len + len > RT_EMIT_ROOM)
		flush(e);
	if (e->status == RT_OK)
		e->status = rt_buf_reserve(&e->buf, len, &e->err);
	return e->status == RT_OK ? e->buf.data + e->buf.len : NULL;
}

void rt_emit_more(struct rt_emit *e, const void *data, size_t len)
{
	char *room;

	if (len > RT_EMIT_ROOM) {
		flush(e);
		pass(e, data, len);
		return;
	}
	room = rt_emit_room(e, len);
	if (!room || !len)
		return;
	memcpy(room, data, len);
	rt_emit_added(e, len);
}

void rt_emit_uint(struct rt_emit *e, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	rt_emit_bytes(e, text + at, sizeof(text) - at);
}

static enum rt_status emit_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_emit *e = ctx;

	rt_emit_bytes(e, data, len);
	if (e->status != RT_OK)
		*err = e->err;
	return e->status;
}

struct rt_sink rt_emit_sink(struct rt_emit *e)
{
	return (struct rt_sink){emit_write, e};
}

enum rt_status rt_emit_finish(struct rt_emit *e, struct rt_error *err)
{
	flush(e);
	if (e->status != RT_OK)
		*err = e->err;
	return e->status;
}

void rt_emit_release(struct rt_emit *e)
{
	rt_buf_release(&e->buf);
}
