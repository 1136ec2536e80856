/*
 * Walks a container: libarchive finds the members of a tar, 7z or cpio and gives their bytes,
 * libzip those of a zip. Nothing is extracted, so a name is only ever shown.
 */
#include "source/container.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/map.h"
#include "files/files.h"
#include "source/archive.h"
#include "source/unpacker.h"
#include "source/zip.h"

struct container {
	struct rt_decode *decode;
	rt_visit *visit;
	void *ctx;
	struct rt_zip *zip;           /* of a zip */
	struct rt_unpacker *unpacker; /* else */
	struct rt_stream *file;       /* of a 7z, which is sought in; else NULL */
	enum rt_magic magic;
	struct rt_map names; /* of candidates */
	struct rt_siphash_key key;
	uint64_t members;
	uint64_t candidates;
	bool chosen; /* a glob has matched a member, which has been told */
};

/* --- Opening ---------------------------------------------------------------------------------- */

#define SEVENZIP_HEADER 32u

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

/* The header of a 7z is checked before libarchive sees it. */
static enum rt_status container_open(struct container *c, const struct rt_layers *layers,
				     struct rt_error *err)
{
	struct rt_decode *decode = c->decode;
	struct rt_stream *below = rt_layers_stream(layers);
	enum rt_status status = RT_OK;

	if (c->magic == RT_MAGIC_7ZIP) {
		below = c->file = rt_stream_file(layers->fd, (struct rt_pull){NULL, NULL},
						 decode->meter.progress, err);
		status = c->file ? sevenzip_check(layers->fd, layers->size, err) : RT_FATAL;
	}
	if (status != RT_OK)
		return status;
	c->unpacker = rt_unpacker_open(c->magic, below, decode->limits->decoder_bytes, err);
	if (!c->unpacker)
		return RT_FATAL;
	c->unpacker->file_size = layers->size;
	/* A tar or cpio holds its members as they are: no bytes come out that went not in. */
	if (c->magic == RT_MAGIC_7ZIP)
		c->unpacker->meter = &decode->meter;
	return RT_OK;
}

/* --- Members ---------------------------------------------------------------------------------- */

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
	return status == RT_OK ? c->visit(c->ctx, member, err) : status;
}

/* Whether a member has to be matched by a glob; an archive without such a one is refused. */
static bool includes(const struct container *c)
{
	return c->decode->choice && c->decode->choice->include_count > 0;
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
	if (!c->chosen && (verdict == RT_NAME_LEFT_OUT || includes(c))) {
		c->chosen = true;
		rt_say_unread(&c->decode->say, member->path, RT_UNREAD_CHOSEN);
	}
	if (verdict == RT_NAME_CANDIDATE && member->kind == RT_MEMBER_FILE) {
		status = container_candidate(c, member, err);
	} else {
		container_pass(c, member, verdict);
		status = c->visit(c->ctx, member, err);
		/* What is not wanted of a 7z has to be decompressed all the same: it is counted. */
		if (status == RT_OK && c->magic == RT_MAGIC_7ZIP)
			status = rt_pull_copy(rt_stream_pull(member->stream), NULL, err);
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
	struct rt_archived member = {
	    .index = c->members, .entry = entry, .stream = &c->unpacker->stream};
	enum rt_status status;

	member.kind = kind_of(c->unpacker->archive, entry);
	member.is_encrypted = archive_entry_is_encrypted(entry);
	if (!path)
		path = archive_entry_pathname_utf8(entry);
	/* libarchive's own text goes with its entry. */
	if (path && !(member.path = strdup(path)))
		return rt_error_nomem(err);
	status = container_member(c, &member, err);
	free(member.path);
	return status;
}

/* One member with its header. RT_END: there is none, and the end is good. */
static enum rt_status container_next(struct container *c, struct rt_error *err)
{
	struct archive_entry *entry;
	enum rt_status status;

	if (c->zip)
		return container_next_zip(c, err);
	status = rt_unpacker_next(c->unpacker, &entry, err);
	if (status != RT_OK)
		return status;
	/* Its checksums are what libarchive never looks at. */
	if (archive_format(c->unpacker->archive) == ARCHIVE_FORMAT_CPIO_SVR4_CRC)
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "want a cpio archive without checksums, such as cpio -H newc "
		    "writes, have one with them");
	status = container_entry(c, entry, err);
	if (status == RT_OK && archive_read_data_skip(c->unpacker->archive) != ARCHIVE_OK)
		status = rt_unpacker_reject(c->unpacker, err);
	return status;
}

/* Every member, and the end. */
static enum rt_status container_walk(struct container *c, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK)
		status = container_next(c, err);
	if (status == RT_END && !c->candidates)
		status = rt_name_refuse_none(c->decode->choice, "an archive", "member", err);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_container_walk(struct rt_decode *decode, const struct rt_layers *layers,
				 rt_visit *visit, void *ctx, struct rt_error *err)
{
	struct container c = {.decode = decode, .visit = visit, .ctx = ctx, .magic = layers->inner};
	enum rt_status status;

	if (c.magic == RT_MAGIC_ZIP)
		status = rt_zip_open(layers->fd, layers->size, decode->limits->archive_members,
				     &decode->meter, &c.zip, err);
	else
		status = container_open(&c, layers, err);
	if (status == RT_OK)
		status = container_walk(&c, err);
	rt_unpacker_free(c.unpacker);
	rt_stream_free(c.file);
	rt_zip_free(c.zip);
	rt_map_release(&c.names);
	return status;
}
