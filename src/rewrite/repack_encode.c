/*
 * Compression. Input: bytes. Output: one gzip member, one zstd, lz4 or xz stream, or bzip2 data,
 * to a sink. gzip and deflate by zlib, which takes a whole header; zstd by libzstd, which writes
 * checksums; the others by libarchive, with one filter and no format. All at the level their own
 * tools have when nothing is said, and with one thread. Refuses to lose a sink's error: it comes
 * back as it was, with its errno.
 *
 * Of a gzip's header the extra field is not kept: what is in use there describes the compressed
 * bytes (block sizes of bgzip), which are new.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "rewrite/repack_state.h"

#define GZIP_WINDOW (MAX_WBITS + 16)
#define DEFLATE_LEVEL 6
#define DEFLATE_MEMORY 8

/* Where a zstd frame has its descriptor, and what in it says that a checksum is at the end. */
#define ZSTD_DESCRIPTOR_AT 4u
#define ZSTD_HAS_CHECKSUM 0x04u

struct rt_encoder {
	enum rt_status (*write)(struct rt_encoder *encoder, const void *data, size_t len,
				struct rt_error *err);
	enum rt_status (*finish)(struct rt_encoder *encoder, struct rt_error *err);
	struct rt_sink to;
	/* libarchive */
	struct archive *archive; /* NULL before the first data */
	enum rt_magic magic;
	enum rt_status status; /* of the sink, behind libarchive's back */
	struct rt_error err;   /* of the sink, when status < 0 */
	/* libzstd */
	ZSTD_CCtx *zstd;
	/* zlib */
	bool has_deflate;
	z_stream deflate;
	gz_header header;
	char name[RT_MAGIC_BYTES];
	char comment[RT_MAGIC_BYTES];
	uint8_t block[REPACK_BLOCK];
};

/* --- zlib -------------------------------------------------------------------------------- */

/* Deflate what there is, until all is taken in, or with Z_FINISH until all is out. */
static enum rt_status deflate_run(struct rt_encoder *encoder, int flush, struct rt_error *err)
{
	z_stream *z = &encoder->deflate;
	enum rt_status status = RT_OK;
	int r = Z_OK;

	while (status == RT_OK && r == Z_OK) {
		z->next_out = encoder->block;
		z->avail_out = sizeof(encoder->block);
		r = deflate(z, flush);
		if (z->avail_out < sizeof(encoder->block))
			status = encoder->to.write(encoder->to.ctx, encoder->block,
						   sizeof(encoder->block) - z->avail_out, err);
		if (flush == Z_NO_FLUSH && !z->avail_in && z->avail_out)
			break;
	}
	/* Z_BUF_ERROR: there was nothing to do. */
	if (status == RT_OK && r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return rt_error_nomem(err);
	return status;
}

static enum rt_status deflate_write(struct rt_encoder *encoder, const void *data, size_t len,
				    struct rt_error *err)
{
	const uint8_t *bytes = data;
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		uInt now = len < REPACK_BLOCK ? (uInt)len : (uInt)REPACK_BLOCK;

		/* zlib only reads there; its interface is older than const. */
		memcpy(&encoder->deflate.next_in, &bytes, sizeof(bytes));
		encoder->deflate.avail_in = now;
		status = deflate_run(encoder, Z_NO_FLUSH, err);
		bytes += now;
		len -= now;
	}
	return status;
}

static enum rt_status deflate_finish(struct rt_encoder *encoder, struct rt_error *err)
{
	encoder->deflate.avail_in = 0;
	return deflate_run(encoder, Z_FINISH, err);
}

static enum rt_status deflate_open(struct rt_encoder *encoder, int window, struct rt_error *err)
{
	if (deflateInit2(&encoder->deflate, DEFLATE_LEVEL, Z_DEFLATED, window, DEFLATE_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return rt_error_nomem(err);
	encoder->has_deflate = true;
	encoder->write = deflate_write;
	encoder->finish = deflate_finish;
	return RT_OK;
}

/* Keep what the first member's header says, as far as it is in sight. */
static enum rt_status gzip_keep_header(struct rt_encoder *encoder, const uint8_t *head, size_t len,
				       struct rt_error *err)
{
	gz_header *header = &encoder->header;
	z_stream z = {0};
	uint8_t sink[1];

	*header = (gz_header){.name = (Bytef *)encoder->name,
			      .name_max = sizeof(encoder->name),
			      .comment = (Bytef *)encoder->comment,
			      .comm_max = sizeof(encoder->comment)};
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return rt_error_nomem(err);
	memcpy(&z.next_in, &head, sizeof(head));
	z.avail_in = (uInt)len;
	z.next_out = sink;
	z.avail_out = sizeof(sink);
	if (inflateGetHeader(&z, header) == Z_OK)
		(void)inflate(&z, Z_BLOCK);
	(void)inflateEnd(&z);
	/* A text that does not end in sight is none; one that was not there was set to NULL. */
	if (header->done != 1) {
		header->name = Z_NULL;
		header->comment = Z_NULL;
		header->time = 0;
		header->os = 255;
	}
	header->hcrc = 0;
	return deflateSetHeader(&encoder->deflate, header) == Z_OK ? RT_OK : rt_error_nomem(err);
}

/* --- libzstd ----------------------------------------------------------------------------- */

/* Compress what there is, until all is taken in, or with ZSTD_e_end until all is out. */
static enum rt_status zstd_run(struct rt_encoder *encoder, const void *data, size_t len,
			       ZSTD_EndDirective directive, struct rt_error *err)
{
	ZSTD_inBuffer in = {data, len, 0};
	enum rt_status status = RT_OK;
	size_t left = 1;

	while (status == RT_OK && (in.pos < in.size || (directive == ZSTD_e_end && left))) {
		ZSTD_outBuffer out = {encoder->block, sizeof(encoder->block), 0};

		left = ZSTD_compressStream2(encoder->zstd, &out, &in, directive);
		if (ZSTD_isError(left))
			return rt_error_nomem(err);
		if (out.pos)
			status = encoder->to.write(encoder->to.ctx, encoder->block, out.pos, err);
	}
	return status;
}

static enum rt_status zstd_write(struct rt_encoder *encoder, const void *data, size_t len,
				 struct rt_error *err)
{
	return zstd_run(encoder, data, len, ZSTD_e_continue, err);
}

static enum rt_status zstd_finish(struct rt_encoder *encoder, struct rt_error *err)
{
	return zstd_run(encoder, NULL, 0, ZSTD_e_end, err);
}

/* A new frame has a checksum where the old one had. */
static enum rt_status zstd_open(struct rt_encoder *encoder, const uint8_t *head, size_t len,
				struct rt_error *err)
{
	int checksum = len > ZSTD_DESCRIPTOR_AT && head[ZSTD_DESCRIPTOR_AT] & ZSTD_HAS_CHECKSUM;

	encoder->zstd = ZSTD_createCCtx();
	if (!encoder->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(
				  encoder->zstd, ZSTD_c_checksumFlag, checksum ? 1 : 0)))
		return rt_error_nomem(err);
	encoder->write = zstd_write;
	encoder->finish = zstd_finish;
	return RT_OK;
}

/* --- libarchive -------------------------------------------------------------------------- */

static ssize_t filter_out(struct archive *archive, void *ctx, const void *data, size_t len)
{
	struct rt_encoder *encoder = ctx;

	if (encoder->status == RT_OK)
		encoder->status = encoder->to.write(encoder->to.ctx, data, len, &encoder->err);
	if (encoder->status == RT_OK)
		return (ssize_t)len;
	archive_set_error(archive, EIO, "the sink failed");
	return -1;
}

static enum rt_status filter_failed(struct rt_encoder *encoder, struct rt_error *err)
{
	const char *text = archive_error_string(encoder->archive);

	if (encoder->status < 0) {
		*err = encoder->err;
		return encoder->status;
	}
	if (archive_errno(encoder->archive) == ENOMEM ||
	    (text && (strcasestr(text, "memory") || strcasestr(text, "allocat"))))
		return rt_error_nomem(err);
	return rt_error_set(err, RT_E_IO, "cannot compress: %s", text ? text : "unknown error");
}

static int filter_add(struct archive *archive, enum rt_magic magic)
{
	switch (magic) {
	case RT_MAGIC_XZ:
		return archive_write_add_filter_xz(archive);
	case RT_MAGIC_BZIP2:
		return archive_write_add_filter_bzip2(archive);
	default:
		return archive_write_add_filter_lz4(archive);
	}
}

/* Only with the first data: libarchive's lz4 crashes where it is ended without any. */
static enum rt_status filter_start(struct rt_encoder *encoder, struct rt_error *err)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	enum rt_status status = RT_OK;

	encoder->archive = archive;
	if (!archive || !entry) {
		status = rt_error_nomem(err);
	} else {
		archive_entry_set_pathname(entry, "data");
		archive_entry_set_filetype(entry, AE_IFREG);
		/* ARCHIVE_WARN would mean an external program: never. No zeros after the end. */
		if (filter_add(archive, encoder->magic) != ARCHIVE_OK ||
		    archive_write_set_format_raw(archive) != ARCHIVE_OK ||
		    archive_write_set_bytes_per_block(archive, (int)REPACK_BLOCK) != ARCHIVE_OK ||
		    archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK ||
		    archive_write_open(archive, encoder, NULL, filter_out, NULL) != ARCHIVE_OK ||
		    archive_write_header(archive, entry) != ARCHIVE_OK)
			status = filter_failed(encoder, err);
	}
	archive_entry_free(entry);
	return status;
}

static enum rt_status filter_write(struct rt_encoder *encoder, const void *data, size_t len,
				   struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!len)
		return RT_OK;
	if (!encoder->archive)
		status = filter_start(encoder, err);
	if (status != RT_OK)
		return status;
	return archive_write_data(encoder->archive, data, len) == (ssize_t)len
		   ? RT_OK
		   : filter_failed(encoder, err);
}

static enum rt_status filter_finish(struct rt_encoder *encoder, struct rt_error *err)
{
	/* Magic, version 1 with a checksum of the content, blocks of 64 KiB, the header's
	 * checksum; no block; the checksum of nothing. */
	static const uint8_t lz4_empty[] = {0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0,
					    0,    0,    0,    0x05, 0x5d, 0xcc, 0x02};
	enum rt_status status = RT_OK;

	if (!encoder->archive && encoder->magic == RT_MAGIC_LZ4)
		return encoder->to.write(encoder->to.ctx, lz4_empty, sizeof(lz4_empty), err);
	if (!encoder->archive)
		status = filter_start(encoder, err);
	if (status != RT_OK)
		return status;
	return archive_write_close(encoder->archive) == ARCHIVE_OK ? RT_OK
								   : filter_failed(encoder, err);
}

/* --- Both -------------------------------------------------------------------------------- */

static struct rt_encoder *encoder_new(const struct rt_sink *to, struct rt_error *err)
{
	struct rt_encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		(void)rt_error_nomem(err);
	else
		encoder->to = *to;
	return encoder;
}

enum rt_status rt_encoder_open(enum rt_magic magic, const uint8_t *head, size_t head_len,
			       const struct rt_sink *to, struct rt_encoder **ret_encoder,
			       struct rt_error *err)
{
	struct rt_encoder *encoder = encoder_new(to, err);
	enum rt_status status = RT_OK;

	if (!encoder)
		return RT_FATAL;
	if (magic == RT_MAGIC_GZIP) {
		status = deflate_open(encoder, GZIP_WINDOW, err);
		if (status == RT_OK)
			status = gzip_keep_header(encoder, head, head_len, err);
	} else if (magic == RT_MAGIC_ZSTD) {
		status = zstd_open(encoder, head, head_len, err);
	} else {
		encoder->magic = magic;
		encoder->write = filter_write;
		encoder->finish = filter_finish;
	}
	if (status == RT_OK)
		*ret_encoder = encoder;
	else
		rt_encoder_free(encoder);
	return status;
}

enum rt_status rt_encoder_open_deflate(const struct rt_sink *to, struct rt_encoder **ret_encoder,
				       struct rt_error *err)
{
	struct rt_encoder *encoder = encoder_new(to, err);
	enum rt_status status = encoder ? deflate_open(encoder, -MAX_WBITS, err) : RT_FATAL;

	if (status == RT_OK)
		*ret_encoder = encoder;
	else
		rt_encoder_free(encoder);
	return status;
}

static enum rt_status encoder_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_encoder *encoder = ctx;

	return encoder->write(encoder, data, len, err);
}

struct rt_sink rt_encoder_sink(struct rt_encoder *encoder)
{
	return (struct rt_sink){encoder_write, encoder};
}

enum rt_status rt_encoder_finish(struct rt_encoder *encoder, struct rt_error *err)
{
	return encoder->finish(encoder, err);
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
	(void)ZSTD_freeCCtx(encoder->zstd);
	if (encoder->has_deflate)
		(void)deflateEnd(&encoder->deflate);
	free(encoder);
}
