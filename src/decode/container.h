/*
 * Containers: tar, 7z and cpio, read by libarchive with exactly the one format, and zip by libzip.
 */
#ifndef RT_DECODE_CONTAINER_H
#define RT_DECODE_CONTAINER_H

#include "decode/input.h"
#include "decode/zip.h"

struct archive;
struct archive_entry;

/* Whether a container can only be read by seeking in it: its directory is at its end. */
static inline bool rt_container_must_seek(enum rt_magic magic)
{
	return magic == RT_MAGIC_ZIP || magic == RT_MAGIC_7ZIP;
}

/* One member of a container, while it is the current one. */
struct rt_archived {
	struct archive_entry *entry; /* of a zip, name, type and size are set */
	const char *name;            /* a candidate's; NULL where the member is none (SPEC D1) */
	struct rt_stream *stream;    /* its bytes as the container holds them, from their start */
	const struct rt_zip_member *zip; /* of a zip; else NULL */
	uint64_t index;                  /* from 0, over all members */
};

/* What to do with members. */
struct rt_visit {
	/* A member; what is left of its stream afterwards is passed over. */
	enum rt_status (*member)(void *ctx, const struct rt_archived *member, struct rt_error *err);
	/* The end is good. NULL is allowed. */
	enum rt_status (*end)(void *ctx, struct rt_error *err);
	void *ctx;
};

/*
 * Go through all members in the container's order, with all checks but those of a document's
 * compression.
 *
 * stream: a tar or cpio from its first byte; NULL for zip and 7z.
 * fd, size: a regular file that is a zip or 7z as a whole; unused for tar and cpio.
 * Returns as rt_decode_run().
 */
enum rt_status rt_container_walk(struct rt_decode *decode, enum rt_magic magic,
				 struct rt_stream *stream, int fd, uint64_t size,
				 const struct rt_visit *visit, struct rt_error *err);

/*
 * The document in a candidate: its stream, or a decompressor over that.
 *
 * *ret_packed: the compression, RT_MAGIC_NONE for none. *ret_stream: to be freed where it is not
 * member->stream. Returns RT_OK; RT_REJECT for nested compression or a container; RT_FATAL.
 */
enum rt_status rt_member_unpack(struct rt_decode *decode, const struct rt_archived *member,
				enum rt_magic *ret_packed, struct rt_stream **ret_stream,
				struct rt_error *err);

#endif
