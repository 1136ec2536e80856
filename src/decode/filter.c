/*
 * Decompression by libarchive. Input: a stream of zstd, xz, bzip2 or lz4 frames. Output: their
 * bytes. One filter is added by name and no other can be: libarchive's own detection spins
 * without end on self-reproducing input (its issue 2366).
 * Refuses cuts, failed checksums, and bytes after the last frame, which some of libarchive's
 * filters take for a clean end.
 */
#include "decode/filter.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct filter_stream {
	struct rt_stream stream;
	struct rt_meter *meter;
	struct archive *archive;
	enum rt_magic magic;
	uint64_t decoder_bytes;
	bool begun;          /* the stream's one entry has been opened */
	const uint8_t *data; /* libarchive's bytes, not yet read */
	size_t len;
	struct rt_feed feed;
};

/* Keep the end of the bytes that are about to be overwritten. */
static void feed_keep(struct rt_feed *feed)
{
	size_t keep = feed->len < sizeof(feed->before) ? feed->len : sizeof(feed->before);

	if (feed->len == 0)
		return;
	memcpy(feed->before, feed->data + feed->len - keep, keep);
	feed->before_len = keep;
	feed->len = 0;
}

bool rt_feed_look(const struct rt_feed *feed, uint64_t at, void *buf, size_t len)
{
	uint64_t start = feed->total - feed->len;
	uint8_t *out = buf;

	if (at + feed->before_len < start || at > feed->total || len > feed->total - at)
		return false;
	for (size_t i = 0; i < len; i++, at++)
		out[i] = at < start ? feed->before[feed->before_len - (size_t)(start - at)]
				    : feed->data[at - start];
	return true;
}

ssize_t rt_feed_read(struct archive *archive, void *ctx, const void **ret_data)
{
	struct rt_feed *feed = ctx;
	size_t len = 0;
	size_t end;

	feed_keep(feed);
	if (feed->status == RT_OK)
		feed->status =
		    rt_stream_read(feed->below, feed->data, sizeof(feed->data), &len, &feed->err);
	if (feed->status == RT_END)
		return 0;
	if (feed->status < 0) {
		archive_set_error(archive, EIO, "the stream below failed");
		return -1;
	}
	for (end = len; end && feed->data[end - 1] == 0; end--)
		;
	if (end)
		feed->nonzero_end = feed->total + end;
	feed->total += len;
	feed->len = len;
	*ret_data = feed->data;
	return (ssize_t)len;
}

enum rt_status rt_archive_reject(struct archive *archive, const char *what, uint64_t decoder_bytes,
				 struct rt_error *err)
{
	const char *text = archive_error_string(archive);

	/* The libraries below libarchive report a failed allocation in words only. */
	if (archive_errno(archive) == ENOMEM ||
	    (text && (strcasestr(text, "memory") || strcasestr(text, "allocat"))))
		(void)rt_error_set(
		    err, RT_E_LIMIT,
		    "want %s that decodes within %" PRIu64
		    " byte%s of memory (limit \"decoder\"), have one that needs more",
		    what, decoder_bytes, RT_S(decoder_bytes));
	else
		(void)rt_error_set(err, RT_E_INPUT, "want %s that is whole and intact, have: %s",
				   what, text && text[0] ? text : "damaged data");
	return RT_REJECT;
}

static enum rt_status filter_reject(struct filter_stream *filter, struct rt_error *err)
{
	char what[32];

	if (filter->feed.status < 0) {
		*err = filter->feed.err;
		return filter->feed.status;
	}
	(void)snprintf(what, sizeof(what), "%s data", rt_magic_name(filter->magic));
	return rt_archive_reject(filter->archive, what, filter->decoder_bytes, err);
}

/* libarchive sees the end; make sure that it has seen all of the stream below. */
static enum rt_status filter_end(struct filter_stream *filter, struct rt_error *err)
{
	int64_t used = archive_filter_bytes(filter->archive, -1);
	uint8_t more;
	size_t len;

	if (filter->feed.status == RT_OK)
		filter->feed.status =
		    rt_stream_read(filter->feed.below, &more, 1, &len, &filter->feed.err);
	if (filter->feed.status < 0)
		return filter_reject(filter, err);
	if (filter->feed.status == RT_END && used >= 0 && (uint64_t)used == filter->feed.total)
		return RT_END;
	(void)rt_error_set(err, RT_E_INPUT, "want nothing after the %s data, have other bytes",
			   rt_magic_name(filter->magic));
	return RT_REJECT;
}

/* Open the archive and its one entry, which is the whole decompressed stream. */
static enum rt_status filter_begin(struct filter_stream *filter, struct rt_error *err)
{
	struct archive_entry *entry;
	int r = archive_read_open(filter->archive, &filter->feed, NULL, rt_feed_read, NULL);

	filter->begun = true;
	/* A filter that fails on its first byte looks like an empty stream, and opens well: all
	 * that tells them apart is the error, which the next call clears. */
	if (r != ARCHIVE_OK || archive_errno(filter->archive) != 0)
		return filter_reject(filter, err);
	r = archive_read_next_header(filter->archive, &entry);
	if (r == ARCHIVE_OK)
		return RT_OK;
	return r == ARCHIVE_EOF ? filter_end(filter, err) : filter_reject(filter, err);
}

static enum rt_status filter_pull(struct filter_stream *filter, struct rt_error *err)
{
	enum rt_status status = filter->begun ? RT_OK : filter_begin(filter, err);
	const void *data;
	int64_t offset;
	int r;

	if (status != RT_OK)
		return status;
	r = archive_read_data_block(filter->archive, &data, &filter->len, &offset);
	filter->data = data;
	if (r == ARCHIVE_OK)
		return RT_OK;
	filter->len = 0;
	return r == ARCHIVE_EOF ? filter_end(filter, err) : filter_reject(filter, err);
}

static enum rt_status filter_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct filter_stream *filter = (struct filter_stream *)stream;
	enum rt_status status = RT_OK;

	while (status == RT_OK && !filter->len)
		status = filter_pull(filter, err);
	if (status != RT_OK)
		return status;
	*ret_len = filter->len < cap ? filter->len : cap;
	memcpy(buf, filter->data, *ret_len);
	filter->data += *ret_len;
	filter->len -= *ret_len;
	return rt_meter_add(filter->meter, *ret_len, err);
}

static void filter_free(struct rt_stream *stream)
{
	struct filter_stream *filter = (struct filter_stream *)stream;

	if (filter->archive)
		archive_read_free(filter->archive);
	free(filter);
}

static int filter_code(enum rt_magic magic)
{
	switch (magic) {
	case RT_MAGIC_ZSTD:
		return ARCHIVE_FILTER_ZSTD;
	case RT_MAGIC_XZ:
		return ARCHIVE_FILTER_XZ;
	case RT_MAGIC_BZIP2:
		return ARCHIVE_FILTER_BZIP2;
	default:
		return ARCHIVE_FILTER_LZ4;
	}
}

struct rt_stream *rt_filter_open(enum rt_magic magic, struct rt_stream *below,
				 struct rt_meter *meter, uint64_t decoder_bytes,
				 struct rt_error *err)
{
	struct filter_stream *filter = calloc(1, sizeof(*filter));

	if (!filter || !(filter->archive = archive_read_new())) {
		free(filter);
		(void)rt_error_nomem(err);
		return NULL;
	}
	filter->stream.read = filter_read;
	filter->stream.free = filter_free;
	filter->meter = meter;
	filter->magic = magic;
	filter->decoder_bytes = decoder_bytes;
	filter->feed.below = below;
	/* ARCHIVE_WARN would mean an external program: never. */
	if (archive_read_append_filter(filter->archive, filter_code(magic)) != ARCHIVE_OK ||
	    archive_read_support_format_raw(filter->archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(filter->archive) != ARCHIVE_OK) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a libarchive that reads %s data, have one without",
				   rt_magic_name(magic));
		filter_free(&filter->stream);
		return NULL;
	}
	return &filter->stream;
}
