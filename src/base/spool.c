/*
 * Holds an answer back. After a failed append nothing more is taken or passed on: an answer with a
 * hole in it is none.
 */
#include "base/spool.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/forker.h"
#include "base/io.h"
#include "base/limits.h"

/* Bytes that are read at once. */
#define WINDOW_BYTES ((size_t)64 * 1024)

void rt_spool_init(struct rt_spool *spool)
{
	spool->buf = (struct rt_buf){0};
	spool->filed = 0;
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
	spool->filed += spool->buf.len;
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
	if (len > RT_SPOOL_MEMORY) {
		spool->filed += len;
		return rt_write_all(spool->fd, data, len, "temporary file", err);
	}
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
	struct rt_range filed = {spool->fd, 0, spool->filed, "temporary file"};
	enum rt_status status = RT_OK;

	if (spool->lost)
		return refuse_lost(err);
	if (spool->fd >= 0)
		status = rt_pull_copy(rt_range_pull(&filed), sink, err);
	if (status == RT_OK && spool->buf.len)
		status = sink->write(sink->ctx, spool->buf.data, spool->buf.len, err);
	return status;
}

/* Fill the window from an offset of the file on. */
static enum rt_status fill_window(const struct rt_spool *spool, uint64_t offset, size_t len,
				  struct rt_spool_window *window, struct rt_error *err)
{
	size_t want = len < WINDOW_BYTES && !window->exact ? WINDOW_BYTES : len;

	if (want > spool->filed - offset)
		want = (size_t)(spool->filed - offset);
	window->at = offset;
	window->buf.len = 0;
	if (rt_buf_reserve(&window->buf, want, err) != RT_OK)
		return RT_FATAL;
	while (window->buf.len < want) {
		ssize_t got = rt_read_at(spool->fd, window->buf.data + window->buf.len,
					 want - window->buf.len, (off_t)(offset + window->buf.len));

		if (got <= 0)
			return rt_error_sys(err, got < 0 ? errno : EIO, "temporary file");
		window->buf.len += (size_t)got;
	}
	return RT_OK;
}

enum rt_status rt_spool_read(const struct rt_spool *spool, uint64_t offset, size_t len,
			     struct rt_spool_window *window, const char **ret_bytes,
			     struct rt_error *err)
{
	uint64_t before = offset - window->at;

	if (offset >= spool->filed) {
		*ret_bytes = spool->buf.data + (offset - spool->filed);
		return RT_OK;
	}
	if (offset < window->at || before > window->buf.len || len > window->buf.len - before) {
		if (fill_window(spool, offset, len, window, err) != RT_OK)
			return RT_FATAL;
		before = 0;
	}
	*ret_bytes = window->buf.data + before;
	return RT_OK;
}
