/*
 * Holds bytes back. Input: appended bytes. Output: the same bytes to a sink, later.
 * Refuses to go on after a failed append: the bytes are lost then, and nothing has been shown.
 */
#include "base/spool.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/unnamed.h"

void rt_spool_init(struct rt_spool *spool)
{
	spool->buf = (struct rt_buf){0};
	spool->fd = -1;
	spool->lost = false;
}

void rt_spool_release(struct rt_spool *spool)
{
	rt_buf_release(&spool->buf);
	if (spool->fd >= 0)
		(void)close(spool->fd);
	spool->fd = -1;
}

static enum rt_status spool_flush(struct rt_spool *spool, struct rt_error *err)
{
	enum rt_status status;

	if (spool->fd < 0)
		spool->fd = rt_unnamed_open();
	if (spool->fd < 0)
		return rt_error_sys(err, errno, "temporary file");
	status = rt_write_all(spool->fd, spool->buf.data, spool->buf.len, "temporary file", err);
	spool->buf.len = 0;
	return status;
}

static enum rt_status spool_append(struct rt_spool *spool, const void *data, size_t len,
				   struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (len > RT_SPOOL_MEMORY - spool->buf.len)
		status = spool_flush(spool, err);
	if (status != RT_OK)
		return status;
	if (len > RT_SPOOL_MEMORY)
		return rt_write_all(spool->fd, data, len, "temporary file", err);
	return rt_buf_append(&spool->buf, data, len, err);
}

static enum rt_status refuse_lost(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO, "temporary file: an earlier write failed");
}

static enum rt_status spool_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_spool *spool = ctx;
	enum rt_status status;

	if (spool->lost)
		return refuse_lost(err);
	status = spool_append(spool, data, len, err);
	spool->lost = status != RT_OK;
	return status;
}

struct rt_sink rt_spool_sink(struct rt_spool *spool)
{
	return (struct rt_sink){spool_write, spool};
}

enum rt_status rt_spool_reserve(struct rt_spool *spool, size_t len, struct rt_error *err)
{
	/* What is longer never goes into the buffer. */
	return len > RT_SPOOL_MEMORY ? RT_OK : rt_buf_reserve(&spool->buf, len, err);
}

enum rt_status rt_spool_copy(struct rt_spool *spool, const struct rt_sink *sink,
			     struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (spool->lost)
		return refuse_lost(err);
	if (spool->fd >= 0)
		status = rt_send_file(spool->fd, sink, "temporary file", err);
	if (status == RT_OK && spool->buf.len)
		status = sink->write(sink->ctx, spool->buf.data, spool->buf.len, err);
	return status;
}
