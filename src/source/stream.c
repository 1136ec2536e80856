/*
 * What all streams share, the stream of a file, and those of compressions. That a file cannot be
 * read is the system's fault (RT_E_IO), never the input's.
 */
#include "source/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/io.h"
#include "source/archive.h"

/* --- The frames of lz4 ----------------------------------------------------------------------- */

/* What the next bytes are. */
enum rt_lz4_part {
	RT_LZ4_MAGIC,      /* the first four of a frame */
	RT_LZ4_DESCRIPTOR, /* two with flags */
	RT_LZ4_BLOCK,      /* the length of a block */
	RT_LZ4_SKIPPABLE,  /* the length of a frame that is skipped */
	RT_LZ4_LEGACY,     /* the length of an old frame's block, or the magic of another frame */
	RT_LZ4_JUNK,       /* no frame's */
};

/* Where a walk is; {0} at the start of a file. */
struct rt_lz4_frames {
	enum rt_lz4_part part;
	uint64_t skip;    /* bytes that come before that part */
	uint8_t bytes[4]; /* what there is of it */
	size_t have;
	bool has_block_sums, has_content_sum;
};

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

static void descriptor_end(struct rt_lz4_frames *frames)
{
	uint8_t flags = frames->bytes[0];

	frames->has_block_sums = flags & 1u << 4;
	frames->has_content_sum = flags & 1u << 2;
	/* The size of the content, the number of a dictionary, and a byte to check them. */
	frames->skip = (flags & 1u << 3 ? 8u : 0u) + (flags & 1u ? 4u : 0u) + 1;
	frames->part = RT_LZ4_BLOCK;
}

static void block_end(struct rt_lz4_frames *frames, uint32_t size)
{
	if (size) {
		frames->skip = (size & ~STORED) + (frames->has_block_sums ? SUM_BYTES : 0u);
		return;
	}
	frames->skip = frames->has_content_sum ? SUM_BYTES : 0u;
	frames->part = RT_LZ4_MAGIC;
}

/* A part has been read. */
static void part_end(struct rt_lz4_frames *frames)
{
	uint32_t value = (uint32_t)rt_bytes_number(frames->bytes, 4);

	frames->have = 0;
	if (frames->part == RT_LZ4_DESCRIPTOR) {
		descriptor_end(frames);
	} else if (frames->part == RT_LZ4_BLOCK) {
		block_end(frames, value);
	} else if (frames->part == RT_LZ4_SKIPPABLE) {
		frames->skip = value;
		frames->part = RT_LZ4_MAGIC;
	} else if (frames->part == RT_LZ4_LEGACY && value <= LEGACY_MAX) {
		frames->skip = value;
	} else {
		frames->part = frame_begin(value);
	}
}

/* Go over the next bytes of the file. */
static void lz4_frames_walk(struct rt_lz4_frames *frames, const uint8_t *data, size_t len)
{
	while (len && frames->part != RT_LZ4_JUNK) {
		size_t need = frames->part == RT_LZ4_DESCRIPTOR ? 2 : sizeof(frames->bytes);
		size_t left = frames->skip ? (size_t)frames->skip : need - frames->have;
		size_t count = len < left ? len : left;

		if (frames->skip) {
			frames->skip -= count;
		} else {
			memcpy(frames->bytes + frames->have, data, count);
			frames->have += count;
			if (frames->have == need)
				part_end(frames);
		}
		data += count;
		len -= count;
	}
}

/* Whether the bytes so far end with a frame. */
static bool lz4_frames_are_whole(const struct rt_lz4_frames *frames)
{
	return (frames->part == RT_LZ4_MAGIC || frames->part == RT_LZ4_LEGACY) && !frames->skip &&
	       !frames->have;
}

/* --- Gzip, by ISA-L --------------------------------------------------------------------------- */

/*
 * The end comes only after every CRC and length has been checked, which libarchive never does, and
 * with nothing but zero padding behind the last member.
 *
 * ISA-L and not zlib: on 234 MB of JSON it inflates with CRC in 0.31 s where zlib 1.2.13 takes
 * 0.79 s, and it checks the same sums.
 */

#define INPUT_BYTES 65536u
#define MEMBER_MAGIC 0x1f

/* Free a stream that has nothing of its own. */
static void plain_free(struct rt_stream *stream)
{
	free(stream);
}

struct gzip_stream {
	struct rt_stream stream;
	struct rt_stream *below;
	struct rt_meter *meter;
	bool below_ended;
	bool padding;      /* zero bytes after the last member have begun */
	uint64_t consumed; /* compressed bytes taken from below */
	struct inflate_state state;
	uint8_t input[INPUT_BYTES];
};

static enum rt_status gzip_fill(struct gzip_stream *gzip, struct rt_error *err)
{
	size_t len = 0;
	enum rt_status status;

	if (gzip->state.avail_in || gzip->below_ended)
		return RT_OK;
	status = rt_stream_read(gzip->below, gzip->input, sizeof(gzip->input), &len, err);
	if (status == RT_END) {
		gzip->below_ended = true;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	gzip->state.next_in = gzip->input;
	gzip->state.avail_in = (uint32_t)len;
	gzip->consumed += len;
	return RT_OK;
}

static enum rt_status gzip_reject(struct rt_error *err, int code)
{
	if (code == ISAL_INCORRECT_CHECKSUM)
		return rt_error_reject(err, RT_E_INPUT,
				       "damaged gzip data: the CRC or the length does not match");
	if (code == ISAL_INVALID_WRAPPER || code == ISAL_UNSUPPORTED_METHOD)
		return rt_error_reject(err, RT_E_INPUT, "damaged gzip header");
	return rt_error_reject(err, RT_E_INPUT, "damaged gzip data (code %d)", code);
}

/* Start on a member. The state is as isal_inflate_init() makes it, without its 64 KiB. */
static void gzip_member_begin(struct gzip_stream *gzip)
{
	isal_inflate_reset(&gzip->state);
	gzip->state.crc_flag = ISAL_GZIP;
}

/*
 * A member has ended and there is input: another member, or zero padding to the end.
 * RT_OK: go on; RT_REJECT: neither.
 */
static enum rt_status gzip_between(struct gzip_stream *gzip, struct rt_error *err)
{
	struct inflate_state *state = &gzip->state;

	if (!gzip->padding && state->next_in[0] == MEMBER_MAGIC) {
		gzip_member_begin(gzip);
		return RT_OK;
	}
	gzip->padding = true;
	for (uint32_t i = 0; i < state->avail_in; i++) {
		if (state->next_in[i] != 0)
			return rt_error_reject(err, RT_E_INPUT,
					       "there are other bytes after the gzip data");
	}
	state->avail_in = 0;
	return RT_OK;
}

/* One step: fill, then inflate or go between members. RT_END after the last member. */
static enum rt_status gzip_step(struct gzip_stream *gzip, struct rt_error *err)
{
	bool between = gzip->state.block_state == ISAL_BLOCK_FINISH;
	enum rt_status status = gzip_fill(gzip, err);
	uint32_t in = gzip->state.avail_in;
	uint32_t out = gzip->state.avail_out;
	int code;

	if (status != RT_OK)
		return status;
	if (between)
		return in ? gzip_between(gzip, err) : RT_END;
	code = isal_inflate(&gzip->state);
	if (code != ISAL_DECOMP_OK)
		return gzip_reject(err, code);
	/* Not even bytes that it holds back itself: nothing more will come. */
	if (gzip->below_ended && gzip->state.avail_out == out && gzip->state.avail_in == in &&
	    gzip->state.block_state != ISAL_BLOCK_FINISH)
		return rt_error_reject(err, RT_E_INPUT,
				       "the gzip data were cut off after %" PRIu64 " byte%s",
				       gzip->consumed, RT_S(gzip->consumed));
	return RT_OK;
}

static enum rt_status gzip_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct gzip_stream *gzip = (struct gzip_stream *)stream;
	uint32_t room = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
	enum rt_status status = RT_OK;

	gzip->state.next_out = buf;
	gzip->state.avail_out = room;
	while (status == RT_OK && gzip->state.avail_out == room)
		status = gzip_step(gzip, err);
	if (status != RT_OK)
		return status;
	*ret_len = room - gzip->state.avail_out;
	return rt_meter_add(gzip->meter, *ret_len, err);
}

/*
 * Members one after another give one stream; CRC and length of each are checked. Behind the last
 * member only zero bytes may follow.
 * below, meter: borrowed. Returns NULL with err set when memory is short.
 */
static struct rt_stream *gzip_open(struct rt_stream *below, struct rt_meter *meter,
				   struct rt_error *err)
{
	struct gzip_stream *gzip = calloc(1, sizeof(*gzip));

	if (!gzip) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	gzip->stream.read = gzip_read;
	gzip->stream.free = plain_free;
	gzip->below = below;
	gzip->meter = meter;
	isal_inflate_init(&gzip->state);
	gzip_member_begin(gzip);
	return &gzip->stream;
}

/* --- The other compressions, by libarchive ---------------------------------------------------- */

/*
 * One filter is added by name and no other can be: libarchive's own detection spins without end on
 * self-reproducing input (its issue 2366). Some of its filters take bytes behind the last frame, or
 * a cut, for a clean end: we look at the bytes that pass.
 */

struct filter_stream {
	struct rt_stream stream;
	struct rt_meter *meter;
	struct archive *archive;
	enum rt_magic magic;
	uint64_t decoder_bytes;
	bool begun;          /* the stream's one entry has been opened */
	const uint8_t *data; /* libarchive's bytes, not yet read */
	size_t len;
	struct rt_lz4_frames frames; /* of lz4 */
	struct rt_feed feed;
};

ssize_t rt_feed_read(struct archive *archive, void *ctx, const void **ret_data)
{
	struct rt_feed *feed = ctx;
	size_t len = 0;
	size_t end;

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
	*ret_data = feed->data;
	return (ssize_t)len;
}

enum rt_status rt_feed_reject(const struct rt_feed *feed, struct archive *archive,
			      enum rt_magic magic, uint64_t decoder_bytes, struct rt_error *err)
{
	const char *text = archive_error_string(archive);
	bool is_container = rt_magic_is_container(magic);

	if (feed->status < 0) {
		*err = feed->err;
		return feed->status;
	}
	/* The libraries below libarchive report a failed allocation in words only. */
	if (archive_errno(archive) == ENOMEM ||
	    (text && (strcasestr(text, "memory") || strcasestr(text, "allocat")))) {
		(void)rt_error_limit(err, "memory to decode it", "decoder", decoder_bytes);
		return RT_REJECT;
	}
	return rt_error_reject(err, RT_E_INPUT, "%s%s %s is damaged: %s", is_container ? "a " : "",
			       rt_magic_name(magic), is_container ? "archive" : "data",
			       text && text[0] ? text : "libarchive does not say how");
}

static enum rt_status filter_reject(struct filter_stream *filter, struct rt_error *err)
{
	return rt_feed_reject(&filter->feed, filter->archive, filter->magic, filter->decoder_bytes,
			      err);
}

/* The read callback of a filter; ctx is its feed. */
static ssize_t filter_feed(struct archive *archive, void *ctx, const void **ret_data)
{
	struct filter_stream *filter =
	    (struct filter_stream *)((char *)ctx - offsetof(struct filter_stream, feed));
	ssize_t len = rt_feed_read(archive, ctx, ret_data);

	if (len > 0 && filter->magic == RT_MAGIC_LZ4)
		lz4_frames_walk(&filter->frames, *ret_data, (size_t)len);
	return len;
}

/* What libarchive takes for the end of a whole lz4 file, and is none. */
static enum rt_status refuse_cut_lz4(const struct filter_stream *filter, struct rt_error *err)
{
	bool between = filter->frames.part == RT_LZ4_MAGIC && !filter->frames.skip;

	if (between || filter->frames.part == RT_LZ4_JUNK || filter->frames.part == RT_LZ4_LEGACY)
		return rt_error_reject(err, RT_E_INPUT, "there are other bytes after the lz4 data");
	return rt_error_reject(err, RT_E_INPUT,
			       "the lz4 data were cut off after %" PRIu64 " byte%s",
			       filter->feed.total, RT_S(filter->feed.total));
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
	if (filter->magic == RT_MAGIC_LZ4 && filter->feed.status == RT_END &&
	    !lz4_frames_are_whole(&filter->frames))
		return refuse_cut_lz4(filter, err);
	if (filter->feed.status == RT_END && used >= 0 && (uint64_t)used == filter->feed.total)
		return RT_END;
	return rt_error_reject(err, RT_E_INPUT, "there are other bytes after the %s data",
			       rt_magic_name(filter->magic));
}

/* Open the archive and its one entry, which is the whole decompressed stream. */
static enum rt_status filter_begin(struct filter_stream *filter, struct rt_error *err)
{
	struct archive_entry *entry;
	int r = archive_read_open(filter->archive, &filter->feed, NULL, filter_feed, NULL);

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

int rt_filter_code(enum rt_magic magic)
{
	static const int codes[] = {
	    [RT_MAGIC_GZIP] = ARCHIVE_FILTER_GZIP, [RT_MAGIC_ZSTD] = ARCHIVE_FILTER_ZSTD,
	    [RT_MAGIC_XZ] = ARCHIVE_FILTER_XZ,     [RT_MAGIC_BZIP2] = ARCHIVE_FILTER_BZIP2,
	    [RT_MAGIC_LZ4] = ARCHIVE_FILTER_LZ4,
	};

	return codes[magic];
}

/*
 * magic: one of RT_MAGIC_ZSTD, RT_MAGIC_XZ, RT_MAGIC_BZIP2, RT_MAGIC_LZ4.
 * below, meter: borrowed. decoder_bytes: the limit "decoder", for messages.
 * Frames one after another give one stream; nothing else may follow.
 * Returns NULL with err set when memory is short or libarchive lacks the filter.
 */
static struct rt_stream *filter_open(enum rt_magic magic, struct rt_stream *below,
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
	if (archive_read_append_filter(filter->archive, rt_filter_code(magic)) != ARCHIVE_OK ||
	    archive_read_support_format_by_code(filter->archive, ARCHIVE_FORMAT_RAW) !=
		ARCHIVE_OK ||
	    archive_read_support_format_by_code(filter->archive, ARCHIVE_FORMAT_EMPTY) !=
		ARCHIVE_OK) {
		(void)rt_error_set(err, RT_E_INPUT, "this libarchive does not read %s data",
				   rt_magic_name(magic));
		filter_free(&filter->stream);
		return NULL;
	}
	return &filter->stream;
}

/* --- Opening ---------------------------------------------------------------------------------- */

struct file_stream {
	struct rt_stream stream;
	struct rt_progress *progress;
	struct rt_pull source;
	int fd;      /* -1: the source has the bytes */
	uint64_t at; /* bytes read so far */
};

enum rt_status rt_meter_add(struct rt_meter *meter, uint64_t len, struct rt_error *err)
{
	if (len > meter->expanded_max - meter->expanded)
		return rt_error_limit(err, "the decompressed input", "expanded", meter->limit);
	meter->expanded += len;
	rt_progress_add(meter->progress, 0, len);
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

static enum rt_status stream_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	return rt_stream_read(ctx, buf, cap, ret_len, err);
}

struct rt_pull rt_stream_pull(struct rt_stream *stream)
{
	return (struct rt_pull){stream_pull, stream};
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
	if (stream && stream->free)
		stream->free(stream);
}

static enum rt_status file_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct file_stream *file = (struct file_stream *)stream;
	ssize_t got;

	if (file->fd < 0)
		return file->source.read(file->source.ctx, buf, cap, ret_len, err);
	got = rt_read_at(file->fd, buf, cap, (off_t)file->at);
	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the file");
	if (got == 0)
		return RT_END;
	*ret_len = (size_t)got;
	file->at += (uint64_t)got;
	rt_progress_add(file->progress, (uint64_t)got, 0);
	return RT_OK;
}

struct rt_stream *rt_stream_file(int fd, struct rt_pull source, struct rt_progress *progress,
				 struct rt_error *err)
{
	struct file_stream *file = calloc(1, sizeof(*file));

	if (!file) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	file->stream.read = file_read;
	file->stream.free = plain_free;
	file->progress = progress;
	file->source = source;
	file->fd = fd;
	return &file->stream;
}

void rt_stream_file_seek(struct rt_stream *stream, uint64_t at)
{
	((struct file_stream *)stream)->at = at;
	if (stream->state == RT_END)
		stream->state = RT_OK;
}

struct rt_stream *rt_stream_decompress(enum rt_magic magic, struct rt_stream *below,
				       struct rt_meter *meter, uint64_t decoder_bytes,
				       struct rt_error *err)
{
	if (magic == RT_MAGIC_GZIP)
		return gzip_open(below, meter, err);
	return filter_open(magic, below, meter, decoder_bytes, err);
}
