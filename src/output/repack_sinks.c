/*
 * Where a repacker's bytes go. Input: bytes. Output: the new file, or a spool for a member whose
 * size must be known before its first byte is written.
 * Refuses to call a short write a success; a full disk keeps its errno.
 */
#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "output/repack_state.h"

/* Write all bytes at the descriptor's offset, and show that there is progress. */
static enum rt_status write_all(int fd, const void *data, size_t len, struct rt_progress *progress,
				const char *what, struct rt_error *err)
{
	enum rt_status status = rt_write_all(fd, data, len, what, err);

	atomic_fetch_add_explicit(&progress->consumed, len, memory_order_relaxed);
	return status;
}

enum rt_status rt_repack_out_flush(struct rt_repack_out *out, struct rt_error *err)
{
	size_t len = out->len;

	out->len = 0;
	return write_all(out->fd, out->block, len, out->progress, "cannot write the file", err);
}

static enum rt_status out_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_out *out = ctx;
	enum rt_status status = RT_OK;

	if (len > sizeof(out->block) - out->len)
		status = rt_repack_out_flush(out, err);
	if (status == RT_OK && len >= sizeof(out->block))
		return write_all(out->fd, data, len, out->progress, "cannot write the file", err);
	if (status == RT_OK && len) {
		memcpy(out->block + out->len, data, len);
		out->len += len;
	}
	return status;
}

struct rt_sink rt_repack_out_sink(struct rt_repack_out *out)
{
	return (struct rt_sink){out_write, out};
}

static enum rt_status spool_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_spool *spool = ctx;

	spool->len += len;
	return write_all(spool->fd, data, len, spool->progress, "cannot write a temporary file",
			 err);
}

enum rt_status rt_repack_spool_begin(struct rt_repack_spool *spool, struct rt_sink *ret_sink,
				     struct rt_error *err)
{
	if (spool->fd < 0)
		return rt_error_set(err, RT_E_IO,
				    "want a place for a temporary file (TMPDIR), have none");
	if (ftruncate(spool->fd, 0) != 0 || lseek(spool->fd, 0, SEEK_SET) != 0)
		return rt_error_sys(err, errno, "cannot empty a temporary file");
	spool->len = 0;
	*ret_sink = (struct rt_sink){spool_write, spool};
	return RT_OK;
}

enum rt_status rt_repack_copy(int fd, uint64_t at, uint64_t len, const struct rt_sink *to,
			      struct rt_error *err)
{
	uint8_t block[REPACK_BLOCK];
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		size_t cap = len < sizeof(block) ? (size_t)len : sizeof(block);
		ssize_t got = rt_read_at(fd, block, cap, (off_t)at);

		if (got < 0)
			return rt_error_sys(err, errno, "cannot read the file");
		if (got == 0)
			return rt_error_set(err, RT_E_IO,
					    "want the bytes that the file had, have fewer: it was "
					    "changed");
		at += (uint64_t)got;
		len -= (uint64_t)got;
		status = to->write(to->ctx, block, (size_t)got, err);
	}
	return status;
}

enum rt_status rt_repack_zeros(uint64_t len, const struct rt_sink *to, struct rt_error *err)
{
	static const uint8_t zeros[512];
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		size_t now = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);

		status = to->write(to->ctx, zeros, now, err);
		len -= now;
	}
	return status;
}

static enum rt_status tally_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_tally *tally = ctx;

	tally->len += len;
	tally->crc = (uint32_t)crc32_z(tally->crc, data, len);
	return tally->to.write(tally->to.ctx, data, len, err);
}

struct rt_sink rt_repack_tally_sink(struct rt_repack_tally *tally)
{
	return (struct rt_sink){tally_write, tally};
}
