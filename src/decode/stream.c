/*
 * What all streams share, and the stream of a file. Input: a descriptor, and the bytes that a
 * pipe has given away already. Output: bytes in order. Read errors are the system's fault
 * (RT_E_IO), never the input's.
 */
#include "decode/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"
#include "decode/filter.h"
#include "decode/gzip.h"

struct file_stream {
	struct rt_stream stream;
	struct rt_progress *progress;
	int fd;
	bool seekable;
	uint64_t at; /* bytes read so far */
};

enum rt_status rt_meter_add(struct rt_meter *meter, uint64_t len, struct rt_error *err)
{
	if (len > meter->expanded_max - meter->expanded)
		return rt_error_set(err, RT_E_LIMIT,
				    "want at most %" PRIu64
				    " byte%s after decompression (limit \"expanded\"), have more",
				    meter->limit, RT_S(meter->limit));
	meter->expanded += len;
	atomic_store_explicit(&meter->progress->expanded, meter->expanded, memory_order_relaxed);
	return RT_OK;
}

enum rt_status rt_stream_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	size_t left = stream->head_len - stream->head_at;

	if (left) {
		*ret_len = left < cap ? left : cap;
		memcpy(buf, stream->head + stream->head_at, *ret_len);
		stream->head_at += *ret_len;
		return RT_OK;
	}
	if (stream->state == RT_OK)
		stream->state = stream->read(stream, buf, cap, ret_len, err);
	return stream->state;
}

enum rt_status rt_stream_drain(struct rt_stream *stream, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint8_t block[4096];
	size_t len;

	while (status == RT_OK)
		status = rt_stream_read(stream, block, sizeof(block), &len, err);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_stream_sniff(struct rt_stream *stream, enum rt_magic *ret_magic,
			       struct rt_error *err)
{
	while (stream->state == RT_OK && stream->head_len < sizeof(stream->head)) {
		size_t len = 0;

		stream->state = stream->read(stream, stream->head + stream->head_len,
					     sizeof(stream->head) - stream->head_len, &len, err);
		if (stream->state == RT_OK)
			stream->head_len += len;
	}
	if (stream->state < 0)
		return stream->state;
	*ret_magic = rt_magic_find(stream->head, stream->head_len);
	return RT_OK;
}

void rt_stream_free(struct rt_stream *stream)
{
	if (stream)
		stream->free(stream);
}

static enum rt_status file_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct file_stream *file = (struct file_stream *)stream;
	ssize_t got;

	atomic_store_explicit(&file->progress->waiting, 1, memory_order_relaxed);
	got = rt_read_at(file->fd, buf, cap, file->seekable ? (off_t)file->at : -1);
	atomic_store_explicit(&file->progress->waiting, 0, memory_order_relaxed);
	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the file");
	if (got == 0)
		return RT_END;
	*ret_len = (size_t)got;
	file->at += (uint64_t)got;
	atomic_store_explicit(&file->progress->consumed, file->at, memory_order_relaxed);
	return RT_OK;
}

static void file_free(struct rt_stream *stream)
{
	free(stream);
}

struct rt_stream *rt_stream_file(int fd, bool seekable, const void *head, size_t head_len,
				 struct rt_progress *progress, struct rt_error *err)
{
	struct file_stream *file = calloc(1, sizeof(*file));

	if (!file) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	file->stream.read = file_read;
	file->stream.free = file_free;
	file->progress = progress;
	file->fd = fd;
	file->seekable = seekable;
	if (head_len)
		memcpy(file->stream.head, head, head_len);
	file->stream.head_len = head_len;
	file->at = head_len;
	return &file->stream;
}

struct rt_stream *rt_stream_decompress(enum rt_magic magic, struct rt_stream *below,
				       struct rt_meter *meter, uint64_t decoder_bytes,
				       struct rt_error *err)
{
	if (magic == RT_MAGIC_GZIP)
		return rt_gzip_open(below, meter, err);
	return rt_filter_open(magic, below, meter, decoder_bytes, err);
}
