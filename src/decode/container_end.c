/*
 * What libarchive takes for the end of a container. Input: the bytes that have passed, and the
 * place where libarchive stopped. It ends cleanly on a tar that was cut between two members and
 * on one with zeros in its middle; here the end must be two zero blocks, with nothing but zeros
 * and whole blocks after them. A cpio must end in its trailer, and a zip must have had as many
 * members as its directory.
 */
#include "decode/container_end.h"

#include <archive.h>
#include <inttypes.h>

#define TAR_BLOCK UINT64_C(512)
/* The longest form of the last cpio header: 110 bytes of newc and "TRAILER!!!" with its NUL. */
#define CPIO_TRAILER 121u

/* Read to the end of the stream, or to the first byte that is not zero after `end`. */
static enum rt_status feed_drain(struct rt_container_source *source, uint64_t end,
				 struct rt_error *err)
{
	struct rt_feed *feed = source->feed;
	const void *data;

	while (feed->nonzero_end <= end && rt_feed_read(source->archive, feed, &data) > 0)
		;
	if (feed->status < 0) {
		*err = feed->err;
		return feed->status;
	}
	return RT_OK;
}

static enum rt_status tar_check(struct rt_container_source *source, struct rt_error *err)
{
	const struct rt_feed *feed = source->feed;
	int64_t position = archive_read_header_position(source->archive);
	uint64_t end = position > 0 ? (uint64_t)position : 0;
	enum rt_status status = feed_drain(source, end, err);

	if (status != RT_OK)
		return status;
	if (feed->nonzero_end > end)
		(void)rt_error_set(
		    err, RT_E_INPUT,
		    "want a tar that ends at its first zero block, have block %" PRIu64
		    " zero and data after it",
		    end / TAR_BLOCK);
	else if (feed->total < end + 2 * TAR_BLOCK)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a tar that ends with two zero blocks, have an end after "
				   "block %" PRIu64,
				   feed->total / TAR_BLOCK);
	else if (feed->total % TAR_BLOCK)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a tar of whole blocks of 512 bytes, have %" PRIu64
				   " byte%s",
				   feed->total, RT_S(feed->total));
	else
		return RT_OK;
	return RT_REJECT;
}

static enum rt_status cpio_check(struct rt_container_source *source, struct rt_error *err)
{
	int64_t position = archive_read_header_position(source->archive);
	uint64_t end = position > 0 ? (uint64_t)position : 0;
	enum rt_status status = feed_drain(source, end + CPIO_TRAILER, err);

	if (status != RT_OK)
		return status;
	if (source->feed->nonzero_end > end + CPIO_TRAILER) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a cpio that ends with its trailer, have data after it");
		return RT_REJECT;
	}
	return RT_OK;
}

enum rt_status rt_container_end_check(enum rt_magic magic, struct rt_container_source *source,
				      uint64_t members, struct rt_error *err)
{
	if (magic == RT_MAGIC_TAR)
		return tar_check(source, err);
	if (magic == RT_MAGIC_CPIO)
		return cpio_check(source, err);
	if (magic == RT_MAGIC_ZIP && members != source->entries) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want the %" PRIu64
				   " member%s of the zip's directory, have %" PRIu64,
				   source->entries, RT_S(source->entries), members);
		return RT_REJECT;
	}
	return RT_OK;
}
