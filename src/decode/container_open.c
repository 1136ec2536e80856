/*
 * Setting libarchive up for one container. Input: a stream, or a seekable file. Output: an
 * archive that knows exactly one format and no filter, so that it cannot guess.
 * Refuses a 7z whose header does not lead to the end of the file.
 */
#include "decode/container_open.h"

#include <archive.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"
#include "decode/zip_directory.h"

#define SEVENZIP_HEADER 32u

static ssize_t source_read(struct archive *archive, void *ctx, const void **ret_data)
{
	struct rt_container_source *source = ctx;
	ssize_t got;

	if (source->at >= source->size)
		return 0;
	got = rt_read_at(source->fd, source->block, RT_FEED_BYTES, (off_t)source->at);
	if (got < 0) {
		source->status = rt_error_sys(&source->err, errno, "cannot read the file");
		archive_set_error(archive, EIO, "the file cannot be read");
		return -1;
	}
	source->at += (uint64_t)got;
	/* Seeks go back and forth; what counts for whoever watches is that it moves. */
	atomic_fetch_add_explicit(&source->progress->consumed, (uint64_t)got, memory_order_relaxed);
	*ret_data = source->block;
	return got;
}

static int64_t source_seek(struct archive *archive, void *ctx, int64_t offset, int whence)
{
	struct rt_container_source *source = ctx;
	int64_t base = 0;
	int64_t at;

	(void)archive;
	if (whence == SEEK_CUR)
		base = (int64_t)source->at;
	else if (whence == SEEK_END)
		base = (int64_t)source->size;
	if (__builtin_add_overflow(base, offset, &at) || at < 0)
		return ARCHIVE_FATAL;
	source->at = (uint64_t)at;
	return at;
}

static uint64_t little64(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | at[i];
	return value;
}

/* libarchive reads a 7z whatever comes after it. */
static enum rt_status sevenzip_check(int fd, uint64_t size, struct rt_error *err)
{
	uint8_t head[SEVENZIP_HEADER] = {0};
	uint64_t end;
	ssize_t got = rt_read_at(fd, head, sizeof(head), 0);

	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the file");
	if (got == sizeof(head) &&
	    !__builtin_add_overflow(little64(head + 12), little64(head + 20), &end) &&
	    !__builtin_add_overflow(end, sizeof(head), &end) && end == size)
		return RT_OK;
	(void)rt_error_set(
	    err, RT_E_INPUT,
	    "want a 7z archive that ends where its header says, have %" PRIu64 " bytes", size);
	return RT_REJECT;
}

static int source_set_format(struct archive *archive, enum rt_magic magic)
{
	switch (magic) {
	case RT_MAGIC_TAR:
		return archive_read_support_format_tar(archive);
	case RT_MAGIC_CPIO:
		return archive_read_support_format_cpio(archive);
	case RT_MAGIC_ZIP:
		return archive_read_support_format_zip_seekable(archive);
	default:
		return archive_read_support_format_7zip(archive);
	}
}

static enum rt_status source_check(struct rt_container_source *source, enum rt_magic magic,
				   const struct rt_limits *limits, struct rt_error *err)
{
	if (magic == RT_MAGIC_ZIP)
		return rt_zip_directory_check(source->fd, source->size, limits->archive_members,
					      &source->entries, err);
	if (magic == RT_MAGIC_7ZIP)
		return sevenzip_check(source->fd, source->size, err);
	return RT_OK;
}

enum rt_status rt_container_open(struct rt_container_source *source, enum rt_magic magic,
				 struct rt_stream *stream, int fd, uint64_t size,
				 const struct rt_limits *limits, struct rt_progress *progress,
				 struct rt_error *err)
{
	struct archive *archive = archive_read_new();
	archive_read_callback *reader = source_read;
	void *ctx = source;

	*source = (struct rt_container_source){
	    .archive = archive, .fd = fd, .size = size, .progress = progress};
	if (!archive)
		return rt_error_nomem(err);
	if (stream) {
		source->feed = calloc(1, sizeof(*source->feed));
		if (!source->feed)
			return rt_error_nomem(err);
		source->feed->below = stream;
		reader = rt_feed_read;
		ctx = source->feed;
	} else {
		source->block = malloc(RT_FEED_BYTES);
		if (!source->block ||
		    archive_read_set_seek_callback(archive, source_seek) != ARCHIVE_OK)
			return rt_error_nomem(err);
	}
	if (source_set_format(archive, magic) != ARCHIVE_OK ||
	    archive_read_set_read_callback(archive, reader) != ARCHIVE_OK ||
	    archive_read_set_callback_data(archive, ctx) != ARCHIVE_OK)
		return rt_error_nomem(err);
	return source_check(source, magic, limits, err);
}

void rt_container_close(struct rt_container_source *source)
{
	if (source->archive)
		archive_read_free(source->archive);
	free(source->feed);
	free(source->block);
	*source = (struct rt_container_source){0};
}
