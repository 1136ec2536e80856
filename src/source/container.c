/*
 * Walks a container: libarchive finds the members of a tar, 7z or cpio and gives their bytes,
 * libzip those of a zip. Nothing is extracted, so a name is only ever shown. Neither library is
 * trusted to say that all is well: whatever libarchive warns of is refused, and an end has to be
 * the format's own.
 */
#include "source/container.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/map.h"
#include "files/files.h"
#include "source/archive.h"
#include "source/stream.h"
#include "source/zip.h"

struct container {
	struct rt_decode *decode;
	const struct rt_visit *visit;
	struct rt_zip *zip; /* NULL: libarchive reads it, from the feed */
	struct archive *archive;
	struct rt_feed *feed;
	struct rt_stream *file; /* of a 7z, which is sought in; else NULL */
	enum rt_magic magic;
	struct rt_map names; /* of candidates */
	struct rt_siphash_key key;
	uint64_t members;
	uint64_t candidates;
};

/* --- Opening ---------------------------------------------------------------------------------- */

#define SEVENZIP_HEADER 32u

static int64_t source_seek(struct archive *archive, void *ctx, int64_t offset, int whence)
{
	struct rt_feed *feed = ctx;
	int64_t base = 0;
	int64_t at;

	(void)archive;
	if (whence == SEEK_CUR)
		base = (int64_t)feed->total;
	else if (whence == SEEK_END)
		base = (int64_t)feed->size;
	if (__builtin_add_overflow(base, offset, &at) || at < 0)
		return ARCHIVE_FATAL;
	rt_stream_file_seek(feed->below, (uint64_t)at);
	feed->total = (uint64_t)at;
	if (feed->status == RT_END)
		feed->status = RT_OK;
	return at;
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
	    !__builtin_add_overflow(rt_bytes_load64(head + 12), rt_bytes_load64(head + 20), &end) &&
	    !__builtin_add_overflow(end, sizeof(head), &end) && end == size)
		return RT_OK;
	return rt_error_reject(
	    err, RT_E_INPUT,
	    "the 7z archive does not end where its header says: it has %" PRIu64 " bytes", size);
}

/* Make the archive ready for archive_read_open1(). The header of a 7z is checked before libarchive
 * sees it. */
static enum rt_status container_open(struct container *c, const struct rt_layers *layers,
				     struct rt_error *err)
{
	static const int formats[] = {
	    [RT_MAGIC_TAR] = ARCHIVE_FORMAT_TAR,
	    [RT_MAGIC_7ZIP] = ARCHIVE_FORMAT_7ZIP,
	    [RT_MAGIC_CPIO] = ARCHIVE_FORMAT_CPIO,
	};
	bool is_sevenzip = c->magic == RT_MAGIC_7ZIP;

	c->archive = archive_read_new();
	c->feed = calloc(1, sizeof(*c->feed));
	if (!c->archive || !c->feed)
		return rt_error_nomem(err);
	c->feed->size = layers->size;
	c->feed->below = rt_layers_stream(layers);
	if (is_sevenzip)
		c->feed->below = c->file = rt_stream_file(layers->fd, (struct rt_pull){NULL, NULL},
							  c->decode->meter.progress, err);
	if (!c->feed->below ||
	    archive_read_support_format_by_code(c->archive, formats[c->magic]) != ARCHIVE_OK ||
	    (is_sevenzip &&
	     archive_read_set_seek_callback(c->archive, source_seek) != ARCHIVE_OK) ||
	    archive_read_set_read_callback(c->archive, rt_feed_read) != ARCHIVE_OK ||
	    archive_read_set_callback_data(c->archive, c->feed) != ARCHIVE_OK)
		return rt_error_nomem(err);
	return is_sevenzip ? sevenzip_check(layers->fd, layers->size, err) : RT_OK;
}

/* --- The end of a container ------------------------------------------------------------------- */

/*
 * libarchive ends cleanly on a tar that was cut between two members and on one with zeros in its
 * middle; here the end must be two zero blocks, with nothing but zeros and whole blocks after them.
 * A cpio must end in its trailer.
 */

#define TAR_BLOCK UINT64_C(512)
/* The longest form of the last cpio header: 110 bytes of newc and "TRAILER!!!" with its NUL. */
#define CPIO_TRAILER 121u

/* Read to the end of the stream, or to the first byte that is not zero after `end`. */
static enum rt_status feed_drain(struct container *c, uint64_t end, struct rt_error *err)
{
	struct rt_feed *feed = c->feed;
	const void *data;

	while (feed->nonzero_end <= end && rt_feed_read(c->archive, feed, &data) > 0)
		;
	if (feed->status < 0) {
		*err = feed->err;
		return feed->status;
	}
	return RT_OK;
}

static enum rt_status tar_check(struct container *c, struct rt_error *err)
{
	const struct rt_feed *feed = c->feed;
	int64_t position = archive_read_header_position(c->archive);
	uint64_t end = position > 0 ? (uint64_t)position : 0;
	enum rt_status status = feed_drain(c, end, err);

	if (status != RT_OK)
		return status;
	if (feed->nonzero_end > end)
		return rt_error_reject(err, RT_E_INPUT,
				       "the tar ends with block %" PRIu64
				       ", and there is data after it",
				       end / TAR_BLOCK);
	if (feed->total < end + 2 * TAR_BLOCK)
		return rt_error_reject(err, RT_E_INPUT,
				       "the tar was cut off after block %" PRIu64
				       ": two zero blocks would end it",
				       feed->total / TAR_BLOCK);
	if (feed->total % TAR_BLOCK)
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "the tar is not made of whole blocks of 512 bytes: it has %" PRIu64 " byte%s",
		    feed->total, RT_S(feed->total));
	return RT_OK;
}

static enum rt_status cpio_check(struct container *c, struct rt_error *err)
{
	int64_t position = archive_read_header_position(c->archive);
	uint64_t end = position > 0 ? (uint64_t)position : 0;
	enum rt_status status = feed_drain(c, end + CPIO_TRAILER, err);

	if (status != RT_OK)
		return status;
	if (c->feed->nonzero_end > end + CPIO_TRAILER)
		return rt_error_reject(err, RT_E_INPUT,
				       "the cpio archive has data after its trailer");
	return RT_OK;
}

/* --- Members ---------------------------------------------------------------------------------- */

/* The data of the current member. */
struct member_stream {
	struct rt_stream stream;
	struct container *container;
	const uint8_t *data; /* libarchive's bytes, not yet read */
	size_t len;
	uint64_t total; /* bytes delivered or held in data */
	uint64_t size;  /* as the header says; UINT64_MAX where it does not */
};

static enum rt_status container_reject(struct container *c, struct rt_error *err)
{
	return rt_feed_reject(c->feed, c->archive, c->magic, c->decode->limits->decoder_bytes, err);
}

static enum rt_status member_end(struct member_stream *member, struct rt_error *err)
{
	if (member->size == UINT64_MAX || member->total == member->size)
		return RT_END;
	return rt_error_reject(err, RT_E_INPUT,
			       "the member should have %" PRIu64 " byte%s, but has %" PRIu64,
			       member->size, RT_S(member->size), member->total);
}

static enum rt_status member_pull(struct member_stream *member, struct rt_error *err)
{
	struct container *c = member->container;
	const void *data = NULL;
	int64_t offset = 0;
	int r = archive_read_data_block(c->archive, &data, &member->len, &offset);

	member->data = data;
	if (r == ARCHIVE_EOF) {
		member->len = 0;
		return member_end(member, err);
	}
	if (r != ARCHIVE_OK)
		return container_reject(c, err);
	if (!member->len)
		return RT_OK;
	if (offset < 0 || (uint64_t)offset != member->total)
		return rt_error_reject(err, RT_E_INPUT, "the member is sparse, which is not read");
	member->total += member->len;
	/* A tar or cpio holds its members as they are: no bytes come out that went not in. */
	if (rt_container_must_seek(c->magic))
		return rt_meter_add(&c->decode->meter, member->len, err);
	return RT_OK;
}

static enum rt_status member_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct member_stream *member = (struct member_stream *)stream;
	enum rt_status status = RT_OK;

	while (status == RT_OK && !member->len)
		status = member_pull(member, err);
	if (status != RT_OK)
		return status;
	*ret_len = member->len < cap ? member->len : cap;
	memcpy(buf, member->data, *ret_len);
	member->data += *ret_len;
	member->len -= *ret_len;
	return RT_OK;
}

static void member_init(struct member_stream *member, struct container *c,
			struct archive_entry *entry)
{
	*member =
	    (struct member_stream){.stream.read = member_read, .container = c, .size = UINT64_MAX};
	if (archive_entry_size_is_set(entry) && archive_entry_size(entry) >= 0)
		member->size = (uint64_t)archive_entry_size(entry);
}

/* Two candidates of one name would make every place in an error message ambiguous. */
static enum rt_status container_add_name(struct container *c, const char *name,
					 struct rt_error *err)
{
	struct rt_slice text = rt_slice_make(name, strlen(name));
	uint32_t *number;

	if (!c->names.cap && rt_siphash_key_init(&c->key, err) != RT_OK)
		return RT_FATAL;
	number = rt_map_put(&c->names, rt_siphash(&c->key, text), err);
	if (!number)
		return RT_FATAL;
	if ((*number)++)
		return rt_error_reject(err, RT_E_INPUT, "two members have this name");
	return RT_OK;
}

/*
 * In the newer forms of cpio the last name of a file has the data, and the names before it have
 * none. A mode without type bits, as some writers of cpio have it, is a regular file's.
 */
static enum rt_member_kind kind_of(struct archive *archive, struct archive_entry *entry)
{
	unsigned type = archive_entry_filetype(entry);
	bool has_data = archive_entry_size(entry) > 0 &&
			archive_format(archive) == ARCHIVE_FORMAT_CPIO_SVR4_NOCRC;

	if (archive_entry_symlink(entry) || type == AE_IFLNK)
		return RT_MEMBER_SYMLINK;
	if (archive_entry_hardlink(entry) && !has_data)
		return RT_MEMBER_HARDLINK;
	if (type == AE_IFDIR)
		return RT_MEMBER_FOLDER;
	return type == AE_IFREG || !type ? RT_MEMBER_FILE : RT_MEMBER_SPECIAL;
}

/* Tell of a member that is not read. */
static void container_pass(struct container *c, const struct rt_archived *member,
			   enum rt_name verdict)
{
	static const enum rt_unread_reason reasons[] = {
	    [RT_MEMBER_SYMLINK] = RT_UNREAD_SYMLINK,
	    [RT_MEMBER_HARDLINK] = RT_UNREAD_HARDLINK,
	    [RT_MEMBER_SPECIAL] = RT_UNREAD_SPECIAL,
	};

	if (member->kind == RT_MEMBER_FOLDER || verdict == RT_NAME_LEFT_OUT)
		return;
	rt_say_unread(&c->decode->say, member->path,
		      member->kind == RT_MEMBER_FILE ? rt_unread_of_name(member->path)
						     : reasons[member->kind]);
}

static enum rt_status container_candidate(struct container *c, struct rt_archived *member,
					  struct rt_error *err)
{
	enum rt_status status;

	c->candidates++;
	member->name = member->path;
	if (member->is_encrypted)
		return rt_error_reject(err, RT_E_INPUT, "the member is encrypted");
	status = container_add_name(c, member->name, err);
	return status == RT_OK ? c->visit->member(c->visit->ctx, member, err) : status;
}

static enum rt_status container_member(struct container *c, struct rt_archived *member,
				       struct rt_error *err)
{
	enum rt_status status;
	enum rt_name verdict;

	if (++c->members > c->decode->limits->archive_members) {
		(void)rt_error_limit(err, "the number of members", "members",
				     c->decode->limits->archive_members);
		return RT_REJECT;
	}
	if (!member->path)
		return rt_error_reject(err, RT_E_INPUT,
				       "the name of member %" PRIu64 " is not text", c->members);
	verdict = rt_name_judge(c->decode->choice, c->decode->below, member->path);
	if (verdict == RT_NAME_CANDIDATE && member->kind == RT_MEMBER_FILE) {
		status = container_candidate(c, member, err);
	} else {
		container_pass(c, member, verdict);
		status = c->visit->member(c->visit->ctx, member, err);
	}
	if (status == RT_REJECT || (status < 0 && member->name))
		rt_error_at(err, NULL, member->path);
	return status;
}

/* One member of a zip. RT_END: there is none. */
static enum rt_status container_next_zip(struct container *c, struct rt_error *err)
{
	const struct rt_zip_directory *directory = rt_zip_members(c->zip);
	const struct rt_zip_member *zip = &directory->members[c->members];
	struct rt_archived member = {.index = c->members, .zip = zip};
	enum rt_status status;

	if (c->members == directory->count)
		return RT_END;
	member.stream = rt_zip_stream(c->zip, (size_t)c->members);
	member.is_encrypted = zip->flags & RT_ZIP_ENCRYPTED;
	if (zip->is_folder)
		member.kind = RT_MEMBER_FOLDER;
	else if (zip->is_link)
		member.kind = RT_MEMBER_SYMLINK;
	member.path = strndup(zip->name.ptr, zip->name.len);
	status = member.path ? container_member(c, &member, err) : rt_error_nomem(err);
	free(member.path);
	return status;
}

/* The entry that libarchive has found. */
static enum rt_status container_entry(struct container *c, struct archive_entry *entry,
				      struct rt_error *err)
{
	const char *path = archive_entry_pathname(entry);
	struct member_stream stream;
	struct rt_archived member = {.index = c->members, .entry = entry, .stream = &stream.stream};
	enum rt_status status;

	member.kind = kind_of(c->archive, entry);
	member.is_encrypted = archive_entry_is_encrypted(entry);
	member_init(&stream, c, entry);
	if (!path)
		path = archive_entry_pathname_utf8(entry);
	/* libarchive's own text goes with its entry. */
	if (path && !(member.path = strdup(path)))
		return rt_error_nomem(err);
	status = container_member(c, &member, err);
	free(member.path);
	return status;
}

/* One member with its header. RT_END: there is none. */
static enum rt_status container_next(struct container *c, struct rt_error *err)
{
	struct archive *archive = c->archive;
	struct archive_entry *entry;
	enum rt_status status;
	int r;

	if (c->zip)
		return container_next_zip(c, err);
	r = archive_read_next_header(archive, &entry);
	if (r == ARCHIVE_EOF)
		return RT_END;
	if (r != ARCHIVE_OK) {
		status = container_reject(c, err);
		if (status == RT_REJECT && entry)
			rt_error_at(err, NULL, archive_entry_pathname(entry));
		return status;
	}
	/* Its checksums are what libarchive never looks at. */
	if (archive_format(archive) == ARCHIVE_FORMAT_CPIO_SVR4_CRC)
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "want a cpio archive without checksums, such as cpio -H newc "
		    "writes, have one with them");
	status = container_entry(c, entry, err);
	if (status == RT_OK && archive_read_data_skip(archive) != ARCHIVE_OK)
		status = container_reject(c, err);
	return status;
}

/* Every member; then the end, which must be the format's own. */
static enum rt_status container_walk(struct container *c, struct rt_error *err)
{
	const struct rt_visit *visit = c->visit;
	enum rt_status status = RT_OK;

	while (status == RT_OK)
		status = container_next(c, err);
	if (status == RT_END && c->magic == RT_MAGIC_TAR)
		status = tar_check(c, err);
	else if (status == RT_END)
		status = c->magic == RT_MAGIC_CPIO ? cpio_check(c, err) : RT_OK;
	if (status == RT_OK && !c->candidates)
		status = rt_name_refuse_none(c->decode->choice, "an archive", "member", err);
	if (status == RT_OK && visit->end)
		status = visit->end(visit->ctx, err);
	return status;
}

enum rt_status rt_container_walk(struct rt_decode *decode, const struct rt_layers *layers,
				 const struct rt_visit *visit, struct rt_error *err)
{
	struct container c = {.decode = decode, .visit = visit, .magic = layers->inner};
	enum rt_status status;

	if (c.magic == RT_MAGIC_ZIP) {
		status = rt_zip_open(layers->fd, layers->size, decode->limits->archive_members,
				     &decode->meter, &c.zip, err);
	} else {
		status = container_open(&c, layers, err);
		if (status == RT_OK && archive_read_open1(c.archive) != ARCHIVE_OK)
			status = container_reject(&c, err);
	}
	if (status == RT_OK)
		status = container_walk(&c, err);
	if (c.archive)
		archive_read_free(c.archive);
	free(c.feed);
	rt_stream_free(c.file);
	rt_zip_free(c.zip);
	rt_map_release(&c.names);
	return status;
}
