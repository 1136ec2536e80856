/*
 * Compression, and the form of a tar, by libarchive's writer. A compression is at the level that
 * its own tool has when nothing is said, with one thread and no time: the same bytes give the same
 * bytes. A sink's error comes back as it was, with its errno.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/repack_state.h"
#include "source/archive.h"
#include "source/unpacker.h"

struct rt_encoder {
	struct archive *archive; /* NULL before the first data */
	enum rt_magic packed;
	bool is_tar;
	struct rt_sink to;
	enum rt_status status; /* of the sink, behind libarchive's back */
	struct rt_error err;   /* of the sink, when status < 0 */
};

static ssize_t encoder_out(struct archive *archive, void *ctx, const void *data, size_t len)
{
	struct rt_encoder *encoder = ctx;

	if (encoder->status == RT_OK)
		encoder->status = encoder->to.write(encoder->to.ctx, data, len, &encoder->err);
	if (encoder->status == RT_OK)
		return (ssize_t)len;
	archive_set_error(archive, EIO, "the sink failed");
	return -1;
}

static enum rt_status encoder_failed(struct rt_encoder *encoder, struct rt_error *err)
{
	const char *text = encoder->archive ? archive_error_string(encoder->archive) : "memory";

	if (encoder->status < 0) {
		*err = encoder->err;
		return encoder->status;
	}
	if ((encoder->archive && archive_errno(encoder->archive) == ENOMEM) ||
	    (text && (strcasestr(text, "memory") || strcasestr(text, "allocat"))))
		return rt_error_nomem(err);
	return rt_error_set(err, RT_E_IO, "cannot write a %s: %s",
			    rt_magic_name(encoder->packed ? encoder->packed : RT_MAGIC_TAR),
			    text ? text : "unknown error");
}

/* Of what is compressed only the bytes are written; a tar by itself is filled up to records of its
 * usual size. */
static bool set_form(const struct rt_encoder *encoder)
{
	struct archive *archive = encoder->archive;
	int form = encoder->is_tar ? archive_write_set_format_pax(archive)
				   : archive_write_set_format_raw(archive);

	if (form != ARCHIVE_OK || encoder->packed == RT_MAGIC_NONE)
		return form == ARCHIVE_OK;
	/* ARCHIVE_WARN would mean an external program: never. */
	return archive_write_add_filter(archive, rt_filter_code(encoder->packed)) == ARCHIVE_OK &&
	       (encoder->packed != RT_MAGIC_GZIP ||
		archive_write_set_filter_option(archive, "gzip", "timestamp", NULL) ==
		    ARCHIVE_OK) &&
	       archive_write_set_bytes_per_block(archive, (int)RT_OUT_BYTES) == ARCHIVE_OK &&
	       archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK;
}

static enum rt_status encoder_start(struct rt_encoder *encoder, struct rt_error *err)
{
	enum rt_status status = rt_late_load(RT_LATE_LIBARCHIVE, err);
	struct archive *archive = NULL;
	struct archive_entry *entry = NULL;

	if (status != RT_OK)
		return status;
	archive = encoder->archive = archive_write_new();
	entry = archive_entry_new();
	if (!archive || !entry) {
		status = rt_error_nomem(err);
		goto out;
	}
	archive_entry_set_pathname(entry, "data");
	archive_entry_set_filetype(entry, AE_IFREG);
	if (!set_form(encoder) ||
	    archive_write_open(archive, encoder, NULL, encoder_out, NULL) != ARCHIVE_OK ||
	    (!encoder->is_tar && archive_write_header(archive, entry) != ARCHIVE_OK))
		status = encoder_failed(encoder, err);
out:
	archive_entry_free(entry);
	return status;
}

enum rt_status rt_encoder_open(enum rt_magic packed, bool is_tar, const struct rt_sink *to,
			       struct rt_encoder **ret_encoder, struct rt_error *err)
{
	struct rt_encoder *encoder = calloc(1, sizeof(*encoder));
	enum rt_status status;

	if (!encoder)
		return rt_error_nomem(err);
	encoder->packed = packed;
	encoder->is_tar = is_tar;
	encoder->to = *to;
	/* libarchive's lz4 crashes where it is ended without any data: then it is not begun. */
	status = packed == RT_MAGIC_LZ4 && !is_tar ? RT_OK : encoder_start(encoder, err);
	if (status == RT_OK)
		*ret_encoder = encoder;
	else
		rt_encoder_free(encoder);
	return status;
}

static enum rt_status encoder_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_encoder *encoder = ctx;
	enum rt_status status = RT_OK;

	if (len && !encoder->archive)
		status = encoder_start(encoder, err);
	if (status != RT_OK || !len)
		return status;
	return archive_write_data(encoder->archive, data, len) == (ssize_t)len
		   ? RT_OK
		   : encoder_failed(encoder, err);
}

struct rt_sink rt_encoder_sink(struct rt_encoder *encoder)
{
	return (struct rt_sink){encoder_write, encoder};
}

enum rt_status rt_encoder_header(struct rt_encoder *encoder, struct archive_entry *entry,
				 struct rt_error *err)
{
	int r = archive_write_header(encoder->archive, entry);
	const char *text = r == ARCHIVE_WARN ? archive_error_string(encoder->archive) : NULL;

	/* A name that is no UTF-8 is written as it is, and the header says so. */
	if (r == ARCHIVE_OK || (text && strncmp(text, "Can't translate ", 16) == 0))
		return RT_OK;
	return encoder_failed(encoder, err);
}

enum rt_status rt_encoder_finish(struct rt_encoder *encoder, struct rt_error *err)
{
	/* Magic, version 1 with a checksum of the content, blocks of 64 KiB, the header's
	 * checksum; no block; the checksum of nothing. */
	static const uint8_t lz4_empty[] = {0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0,
					    0,    0,    0,    0x05, 0x5d, 0xcc, 0x02};

	if (!encoder->archive)
		return encoder->to.write(encoder->to.ctx, lz4_empty, sizeof(lz4_empty), err);
	return archive_write_close(encoder->archive) == ARCHIVE_OK ? RT_OK
								   : encoder_failed(encoder, err);
}

void rt_encoder_free(struct rt_encoder *encoder)
{
	if (!encoder)
		return;
	/* It may still write; by now nobody wants to know. */
	if (encoder->status == RT_OK)
		encoder->status = RT_FATAL;
	if (encoder->archive)
		archive_write_free(encoder->archive);
	free(encoder);
}
