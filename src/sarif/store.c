/*
 * Puts bytes away. Input: bytes. Output: the same, once, in order.
 * Refuses nothing: where there is no memory or no disk, it says so.
 */
#include "sarif/store.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/unnamed.h"

/* Bytes that are read at once from the file, and written to it. */
#define FILE_BYTES ((size_t)256 * 1024)

#define FILE_NAME "temporary file for issues of a SARIF log"

uint64_t rt_sarif_store_bytes(const struct rt_sarif_store *store)
{
	return store->in_file + store->buf.len;
}

/* Put the bytes in buf into the file. */
static bool spill(struct rt_sarif_store *store, struct rt_error *err)
{
	if (store->fd < 0)
		store->fd = rt_unnamed_open();
	if (store->fd < 0 || lseek(store->fd, (off_t)store->in_file, SEEK_SET) < 0) {
		(void)rt_error_sys(err, errno, FILE_NAME);
		return false;
	}
	if (rt_write_all(store->fd, store->buf.data, store->buf.len, FILE_NAME, err) != RT_OK)
		return false;
	store->in_file += store->buf.len;
	store->buf.len = 0;
	return true;
}

bool rt_sarif_store_add(struct rt_sarif_store *store, struct rt_slice bytes)
{
	const size_t most = store->fd < 0 ? RT_SPOOL_MEMORY : FILE_BYTES;
	struct rt_error err;

	return rt_buf_append(&store->buf, bytes.ptr, bytes.len, &err) == RT_OK &&
	       (store->buf.len < most || spill(store, &err));
}

void rt_sarif_store_cut(struct rt_sarif_store *store, uint64_t bytes)
{
	if (bytes >= store->in_file) {
		store->buf.len = (size_t)(bytes - store->in_file);
	} else {
		store->in_file = bytes;
		store->buf.len = 0;
	}
	store->reading = false;
	store->at = store->buf_at = 0;
}

/* Have len bytes in buf from buf_at on. */
static enum rt_status need(struct rt_sarif_store *store, size_t len, struct rt_error *err)
{
	size_t left = store->buf.len - store->buf_at, want = len > FILE_BYTES ? len : FILE_BYTES;
	enum rt_status status = RT_OK;

	if (left >= len)
		return RT_OK;
	if (left)
		memmove(store->buf.data, store->buf.data + store->buf_at, left);
	store->buf.len = left;
	store->buf_at = 0;
	if (want > left + (store->in_file - store->at))
		want = left + (size_t)(store->in_file - store->at);
	status = rt_buf_reserve(&store->buf, want - left, err);
	while (status == RT_OK && store->buf.len < want) {
		ssize_t got = rt_read_at(store->fd, store->buf.data + store->buf.len,
					 want - store->buf.len, (off_t)store->at);

		if (got <= 0)
			return rt_error_sys(err, got < 0 ? errno : EIO, FILE_NAME);
		store->buf.len += (size_t)got;
		store->at += (uint64_t)got;
	}
	if (status == RT_OK && store->buf.len < len)
		return rt_error_sys(err, EIO, FILE_NAME);
	return status;
}

/* The first bytes are asked for. */
static enum rt_status begin(struct rt_sarif_store *store, struct rt_error *err)
{
	store->reading = true;
	if (store->fd < 0 || !store->in_file)
		return RT_OK;
	if (!spill(store, err))
		return err->code == RT_E_NOMEM ? RT_FATAL : rt_error_no_usage(err);
	return RT_OK;
}

enum rt_status rt_sarif_store_take(struct rt_sarif_store *store, size_t len, const char **ret_bytes,
				   struct rt_error *err)
{
	enum rt_status status = store->reading ? RT_OK : begin(store, err);

	if (status == RT_OK)
		status = need(store, len, err);
	if (status != RT_OK)
		return status;
	*ret_bytes = store->buf.data + store->buf_at;
	store->buf_at += len;
	return RT_OK;
}

bool rt_sarif_store_is_done(const struct rt_sarif_store *store)
{
	if (!store->reading)
		return !rt_sarif_store_bytes(store);
	return store->buf_at == store->buf.len && store->at == store->in_file;
}

void rt_sarif_store_release(struct rt_sarif_store *store)
{
	if (store->fd >= 0)
		(void)close(store->fd);
	rt_buf_release(&store->buf);
	*store = (struct rt_sarif_store){.fd = -1};
}
