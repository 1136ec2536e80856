/*
 * libarchive over a stream. One filter or one format is added by name and no other can be:
 * libarchive's own detection spins without end on self-reproducing input (its issue 2366). Some of
 * its filters take bytes behind the last frame, or a cut, for a clean end: we look at the bytes
 * that pass.
 */
#include "source/unpacker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "source/archive.h"

/* --- The frames of lz4 ----------------------------------------------------------------------- */

#define MAGIC_FRAME 0x184D2204u
#define MAGIC_SKIPPABLE 0x184D2A50u /* to 0x184D2A5F */
#define MAGIC_LEGACY 0x184C2102u

#define SUM_BYTES 4u
#define STORED (1u << 31)
/* An old block holds 8 MiB, which a few bytes more may be needed for; a magic is a larger number.
 */
#define LEGACY_MAX ((8u << 20) + (8u << 20) / 255 + 16)

static enum rt_lz4_part frame_begin(uint32_t magic)
{
	if (magic == MAGIC_FRAME)
		return RT_LZ4_DESCRIPTOR;
	if ((magic & ~15u) == MAGIC_SKIPPABLE)
		return RT_LZ4_SKIPPABLE;
	return magic == MAGIC_LEGACY ? RT_LZ4_LEGACY : RT_LZ4_JUNK;
}

/* Bytes that tell of what comes next. */
static size_t part_len(enum rt_lz4_part part)
{
	return part == RT_LZ4_DESCRIPTOR ? 2 : 4;
}

/* A part has been read, or all that there is of it. */
static void part_end(struct rt_unpacker *u, size_t len)
{
	uint32_t value = (uint32_t)rt_bytes_number(u->bytes, 4);
	uint8_t flags = u->bytes[0];

	if (len < part_len(u->part)) {
		if (u->part == RT_LZ4_MAGIC || u->part == RT_LZ4_LEGACY)
			u->part = RT_LZ4_JUNK;
		u->skip = 1;
	} else if (u->part == RT_LZ4_DESCRIPTOR) {
		u->block_sum = flags & 1u << 4 ? SUM_BYTES : 0;
		u->content_sum = flags & 1u << 2 ? SUM_BYTES : 0;
		/* The size of the content, the number of a dictionary, and a byte to check them. */
		u->skip = (flags & 1u << 3 ? 8u : 0u) + (flags & 1u ? 4u : 0u) + 1;
		u->part = RT_LZ4_BLOCK;
	} else if (u->part == RT_LZ4_BLOCK && value) {
		u->skip = (uint64_t)(value & ~STORED) + u->block_sum;
	} else if (u->part == RT_LZ4_BLOCK) {
		u->skip = u->content_sum;
		u->part = RT_LZ4_MAGIC;
	} else if (u->part == RT_LZ4_SKIPPABLE) {
		u->skip = value;
		u->part = RT_LZ4_MAGIC;
	} else if (u->part == RT_LZ4_LEGACY && value <= LEGACY_MAX) {
		u->skip = value;
	} else {
		u->part = frame_begin(value);
	}
}

/* --- Headers of tar -------------------------------------------------------------------------- */

/* Whether a block is a header of a kind whose sum is right. */
static bool is_header(const uint8_t *block, char kind)
{
	enum { SUM = 148, KIND = 156, MAGIC = 257 };
	unsigned sum = 8 * ' ', said = 0;
	const uint8_t *at = block + SUM;

	if (block[KIND] != (uint8_t)kind || memcmp(block + MAGIC, "ustar", 5) != 0)
		return false;
	for (size_t i = 0; i < RT_TAR_BLOCK; i++)
		sum += i < SUM || i >= SUM + 8 ? block[i] : 0;
	while (at < block + SUM + 8 && *at == ' ')
		at++;
	for (; at < block + SUM + 8 && *at >= '0' && *at <= '7'; at++)
		said = said * 8 + (*at - '0');
	return said == sum;
}

/* The number of octal digits that a field of 12 bytes is; more than there may be: another form. */
static size_t size_of(const uint8_t *field)
{
	size_t size = 0;

	for (size_t i = 0; i < 12 && field[i] && field[i] != ' '; i++)
		size =
		    field[i] >= '0' && field[i] <= '7' ? size * 8 + (field[i] - '0') : SIZE_MAX / 8;
	return size;
}

/* A header for all members is there: look at what it says. */
static void check_global(struct rt_unpacker *u)
{
	static const char *const keys[] = {" path=", " linkpath=", " size="};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (memmem(u->global, u->global_len, keys[i], strlen(keys[i])))
			u->status = rt_error_reject(&u->err, RT_E_INPUT,
						    "the tar has a header that gives all members "
						    "one name or size, which programs read "
						    "differently");
	}
}

/* Look for headers for all members: other programs name the members that follow by them. A block
 * of a member that looks like one is taken for one. */
static void check_blocks(struct rt_unpacker *u, size_t len)
{
	enum { SIZE = 124 };

	for (size_t at = 0; u->status >= 0 && at + RT_TAR_BLOCK <= len; at += RT_TAR_BLOCK) {
		const uint8_t *block = u->bytes + at;

		if (u->global_left) {
			size_t take = u->global_left < RT_TAR_BLOCK ? u->global_left : RT_TAR_BLOCK;

			memcpy(u->global + u->global_len, block, take);
			u->global_len += take;
			u->global_left -= take;
			if (!u->global_left)
				check_global(u);
		} else if (is_header(block, 'g')) {
			u->global_len = 0;
			u->global_left = size_of(block + SIZE);
			if (u->global_left > RT_TAR_GLOBAL)
				u->status = rt_error_reject(
				    &u->err, RT_E_INPUT,
				    "the tar has a header for all members of more than %u bytes",
				    RT_TAR_GLOBAL);
		}
	}
}

/* --- Bytes for libarchive -------------------------------------------------------------------- */

/* Some bytes; of lz4 what is between two parts of its frames, or one of these. */
static ssize_t unpacker_feed(struct archive *archive, void *ctx, const void **ret_data)
{
	struct rt_unpacker *u = ctx;
	bool walks = u->magic == RT_MAGIC_LZ4 && u->part != RT_LZ4_JUNK;
	size_t cap = sizeof(u->bytes), want = 1, len = 0, end;

	if (walks && !u->skip)
		cap = want = part_len(u->part);
	else if (walks && u->skip < cap)
		cap = (size_t)u->skip;
	while (u->status == RT_OK &&
	       (len < want || (u->magic == RT_MAGIC_TAR && len % RT_TAR_BLOCK))) {
		size_t got = 0;

		u->status = rt_stream_read(u->below, u->bytes + len, cap - len, &got, &u->err);
		len += got;
	}
	if (u->magic == RT_MAGIC_TAR && u->status >= 0)
		check_blocks(u, len);
	if (u->status < 0) {
		archive_set_error(archive, EIO, "the stream below failed");
		return -1;
	}
	for (end = len; end && u->bytes[end - 1] == 0; end--)
		;
	if (end)
		u->nonzero_end = u->fed + end;
	u->fed += len;
	if (walks && u->skip)
		u->skip -= len;
	else if (walks && len)
		part_end(u, len);
	*ret_data = u->bytes;
	return (ssize_t)len;
}

static int64_t unpacker_seek(struct archive *archive, void *ctx, int64_t offset, int whence)
{
	struct rt_unpacker *u = ctx;
	int64_t base = 0, at;

	(void)archive;
	if (whence == SEEK_CUR)
		base = (int64_t)u->fed;
	else if (whence == SEEK_END)
		base = (int64_t)u->file_size;
	if (__builtin_add_overflow(base, offset, &at) || at < 0)
		return ARCHIVE_FATAL;
	rt_stream_file_seek(u->below, (uint64_t)at);
	u->fed = (uint64_t)at;
	if (u->status == RT_END)
		u->status = RT_OK;
	return at;
}

enum rt_status rt_unpacker_reject(const struct rt_unpacker *u, struct rt_error *err)
{
	const char *text = archive_error_string(u->archive);
	bool is_container = rt_magic_is_container(u->magic);

	if (u->status < 0) {
		*err = u->err;
		return u->status;
	}
	/* The libraries below libarchive report a failed allocation in words only. */
	if (archive_errno(u->archive) == ENOMEM ||
	    (text && (strcasestr(text, "memory") || strcasestr(text, "allocat")))) {
		(void)rt_error_limit(err, "memory to decode it", "decoder", u->decoder_bytes);
		return RT_REJECT;
	}
	return rt_error_reject(err, RT_E_INPUT, "%s%s %s is damaged: %s", is_container ? "a " : "",
			       rt_magic_name(u->magic), is_container ? "archive" : "data",
			       text && text[0] ? text : "libarchive does not say how");
}

/* --- The ends -------------------------------------------------------------------------------- */

/*
 * libarchive ends cleanly on a tar that was cut between two members and on one with zeros in its
 * middle, and reads a cpio without its trailer.
 */

static bool ends_with_frame(const struct rt_unpacker *u)
{
	return (u->part == RT_LZ4_MAGIC || u->part == RT_LZ4_LEGACY) && !u->skip;
}

/* What libarchive takes for the end of a whole lz4 file, and is none. */
static enum rt_status refuse_cut_lz4(const struct rt_unpacker *u, struct rt_error *err)
{
	if (u->part == RT_LZ4_JUNK || u->part == RT_LZ4_LEGACY)
		return rt_error_reject(err, RT_E_INPUT, "there are other bytes after the lz4 data");
	return rt_error_reject(err, RT_E_INPUT,
			       "the lz4 data were cut off after %" PRIu64 " byte%s", u->fed,
			       RT_S(u->fed));
}

/* libarchive sees the end; make sure that it has seen all of the stream below. */
static enum rt_status compression_end(struct rt_unpacker *u, struct rt_error *err)
{
	int64_t used = archive_filter_bytes(u->archive, -1);
	uint8_t more;
	size_t len;

	if (u->status == RT_OK)
		u->status = rt_stream_read(u->below, &more, 1, &len, &u->err);
	if (u->status < 0)
		return rt_unpacker_reject(u, err);
	if (u->magic == RT_MAGIC_LZ4 && u->status == RT_END && !ends_with_frame(u))
		return refuse_cut_lz4(u, err);
	if (u->status == RT_END && used >= 0 && (uint64_t)used == u->fed)
		return RT_END;
	return rt_error_reject(err, RT_E_INPUT, "there are other bytes after the %s data",
			       rt_magic_name(u->magic));
}

/* The longest form of the last cpio header: 110 bytes of newc and "TRAILER!!!" with its NUL. */
#define CPIO_TRAILER 121u
#define TAR_BLOCK ((uint64_t)RT_TAR_BLOCK)

/* Read to the end of the stream, or to the first byte that is not zero after `end`. */
static enum rt_status drain(struct rt_unpacker *u, uint64_t end, struct rt_error *err)
{
	const void *data;

	while (u->nonzero_end <= end && unpacker_feed(u->archive, u, &data) > 0)
		;
	if (u->status < 0)
		*err = u->err;
	return u->status < 0 ? u->status : RT_OK;
}

/* Two zero blocks, with nothing but zeros and whole blocks after them. */
static enum rt_status tar_end(struct rt_unpacker *u, uint64_t end, struct rt_error *err)
{
	enum rt_status status = drain(u, end, err);

	if (status != RT_OK)
		return status;
	if (u->nonzero_end > end)
		return rt_error_reject(err, RT_E_INPUT,
				       "the tar ends with block %" PRIu64
				       ", and there is data after it",
				       end / TAR_BLOCK);
	if (u->fed < end + 2 * TAR_BLOCK)
		return rt_error_reject(err, RT_E_INPUT,
				       "the tar was cut off after block %" PRIu64
				       ": two zero blocks would end it",
				       u->fed / TAR_BLOCK);
	if (u->fed % TAR_BLOCK)
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "the tar is not made of whole blocks of 512 bytes: it has %" PRIu64 " byte%s",
		    u->fed, RT_S(u->fed));
	return RT_END;
}

/* There is no other member. A 7z was held against its header's own word for its end. */
static enum rt_status container_end(struct rt_unpacker *u, struct rt_error *err)
{
	int64_t position = archive_read_header_position(u->archive);
	uint64_t end = position > 0 ? (uint64_t)position : 0;
	enum rt_status status;

	if (u->magic == RT_MAGIC_TAR)
		return tar_end(u, end, err);
	if (u->magic != RT_MAGIC_CPIO)
		return RT_END;
	status = drain(u, end + CPIO_TRAILER, err);
	if (status == RT_OK && u->nonzero_end > end + CPIO_TRAILER)
		return rt_error_reject(err, RT_E_INPUT,
				       "the cpio archive has data after its trailer");
	return status == RT_OK ? RT_END : status;
}

static enum rt_status member_end(const struct rt_unpacker *u, struct rt_error *err)
{
	if (u->size == UINT64_MAX || u->total == u->size)
		return RT_END;
	return rt_error_reject(err, RT_E_INPUT,
			       "the member should have %" PRIu64 " byte%s, but has %" PRIu64,
			       u->size, RT_S(u->size), u->total);
}

/* --- Reading --------------------------------------------------------------------------------- */

static enum rt_status unpacker_begin(struct rt_unpacker *u, struct rt_error *err)
{
	int r = archive_read_open1(u->archive);

	u->begun = true;
	/* A filter that fails on its first byte looks like an empty stream, and opens well: all
	 * that tells them apart is the error, which the next call clears. */
	if (r == ARCHIVE_OK && (rt_magic_is_container(u->magic) || archive_errno(u->archive) == 0))
		return RT_OK;
	return rt_unpacker_reject(u, err);
}

/* Go to the next entry: a compression has one, which is all that comes out of it. */
static enum rt_status next_entry(struct rt_unpacker *u, struct archive_entry **ret_entry,
				 struct rt_error *err)
{
	enum rt_status status = u->begun ? RT_OK : unpacker_begin(u, err);
	int r;

	if (status != RT_OK)
		return status;
	r = archive_read_next_header(u->archive, ret_entry);
	if (r == ARCHIVE_OK)
		return RT_OK;
	if (r != ARCHIVE_EOF)
		return rt_unpacker_reject(u, err);
	*ret_entry = NULL;
	return rt_magic_is_container(u->magic) ? container_end(u, err) : compression_end(u, err);
}

/* Have some of libarchive's bytes. */
static enum rt_status unpacker_pull(struct rt_unpacker *u, struct rt_error *err)
{
	bool is_container = rt_magic_is_container(u->magic);
	const void *data = NULL;
	int64_t offset = 0;
	int r = archive_read_data_block(u->archive, &data, &u->len, &offset);

	u->data = data;
	if (r == ARCHIVE_OK && u->len && is_container &&
	    (offset < 0 || (uint64_t)offset != u->total))
		return rt_error_reject(err, RT_E_INPUT, "the member is sparse, which is not read");
	u->total += r == ARCHIVE_OK ? u->len : 0;
	if (r == ARCHIVE_OK)
		return RT_OK;
	u->len = 0;
	if (r != ARCHIVE_EOF)
		return rt_unpacker_reject(u, err);
	return is_container ? member_end(u, err) : compression_end(u, err);
}

static enum rt_status unpacker_read(struct rt_stream *stream, void *buf, size_t cap,
				    size_t *ret_len, struct rt_error *err)
{
	struct rt_unpacker *u = (struct rt_unpacker *)stream;
	enum rt_status status = RT_OK;
	struct archive_entry *entry;

	if (!u->begun)
		status = next_entry(u, &entry, err);
	while (status == RT_OK && !u->len)
		status = unpacker_pull(u, err);
	if (status != RT_OK)
		return status;
	*ret_len = u->len < cap ? u->len : cap;
	memcpy(buf, u->data, *ret_len);
	u->data += *ret_len;
	u->len -= *ret_len;
	return u->meter ? rt_meter_add(u->meter, *ret_len, err) : RT_OK;
}

enum rt_status rt_unpacker_next(struct rt_unpacker *u, struct archive_entry **ret_entry,
				struct rt_error *err)
{
	enum rt_status status;

	*ret_entry = NULL;
	status = next_entry(u, ret_entry, err);
	if (status == RT_REJECT && *ret_entry)
		rt_error_at(err, NULL, archive_entry_pathname(*ret_entry));
	if (status != RT_OK)
		return status;
	u->stream = (struct rt_stream){.read = unpacker_read};
	u->len = 0;
	u->total = 0;
	u->size = UINT64_MAX;
	if (archive_entry_size_is_set(*ret_entry) && archive_entry_size(*ret_entry) >= 0)
		u->size = (uint64_t)archive_entry_size(*ret_entry);
	return RT_OK;
}

/* --- Opening --------------------------------------------------------------------------------- */

int rt_filter_code(enum rt_magic magic)
{
	static const int codes[] = {
	    [RT_MAGIC_GZIP] = ARCHIVE_FILTER_GZIP, [RT_MAGIC_ZSTD] = ARCHIVE_FILTER_ZSTD,
	    [RT_MAGIC_XZ] = ARCHIVE_FILTER_XZ,     [RT_MAGIC_BZIP2] = ARCHIVE_FILTER_BZIP2,
	    [RT_MAGIC_LZ4] = ARCHIVE_FILTER_LZ4,
	};

	return codes[magic];
}

static bool set_format(struct rt_unpacker *u)
{
	static const int formats[] = {
	    [RT_MAGIC_TAR] = ARCHIVE_FORMAT_TAR,
	    [RT_MAGIC_7ZIP] = ARCHIVE_FORMAT_7ZIP,
	    [RT_MAGIC_CPIO] = ARCHIVE_FORMAT_CPIO,
	};

	if (rt_magic_is_container(u->magic))
		return archive_read_support_format_by_code(u->archive, formats[u->magic]) ==
			   ARCHIVE_OK &&
		       (!rt_magic_must_seek(u->magic) ||
			archive_read_set_seek_callback(u->archive, unpacker_seek) == ARCHIVE_OK);
	/* ARCHIVE_WARN would mean an external program: never. */
	return archive_read_append_filter(u->archive, rt_filter_code(u->magic)) == ARCHIVE_OK &&
	       archive_read_support_format_by_code(u->archive, ARCHIVE_FORMAT_RAW) == ARCHIVE_OK &&
	       archive_read_support_format_by_code(u->archive, ARCHIVE_FORMAT_EMPTY) == ARCHIVE_OK;
}

static void unpacker_free(struct rt_stream *stream)
{
	rt_unpacker_free((struct rt_unpacker *)stream);
}

struct rt_unpacker *rt_unpacker_open(enum rt_magic magic, struct rt_stream *below,
				     uint64_t decoder_bytes, struct rt_error *err)
{
	struct rt_unpacker *u;

	if (rt_late_load(RT_LATE_LIBARCHIVE, err) != RT_OK)
		return NULL;
	u = calloc(1, sizeof(*u));
	if (!u || !(u->archive = archive_read_new())) {
		free(u);
		(void)rt_error_nomem(err);
		return NULL;
	}
	u->stream = (struct rt_stream){.read = unpacker_read, .free = unpacker_free};
	u->magic = magic;
	u->decoder_bytes = decoder_bytes;
	u->below = below;
	if (!set_format(u) ||
	    archive_read_set_read_callback(u->archive, unpacker_feed) != ARCHIVE_OK ||
	    archive_read_set_callback_data(u->archive, u) != ARCHIVE_OK) {
		if (rt_magic_is_container(magic))
			(void)rt_error_nomem(err);
		else
			(void)rt_error_set(err, RT_E_INPUT, "this libarchive does not read %s data",
					   rt_magic_name(magic));
		rt_unpacker_free(u);
		return NULL;
	}
	return u;
}

void rt_unpacker_free(struct rt_unpacker *u)
{
	if (!u)
		return;
	archive_read_free(u->archive);
	free(u);
}
