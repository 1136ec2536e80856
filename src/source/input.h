/*
 * One file that is decoded, and where its parts go.
 */
#ifndef RT_SOURCE_INPUT_H
#define RT_SOURCE_INPUT_H

#include "files/files.h"
#include "source/stream.h"

/* Where decoded parts go. Every function returns RT_OK or RT_FATAL with err set. */
struct rt_emit {
	/* A part begins; member is its name in the container, NULL when the file is the part. */
	enum rt_status (*begin)(void *ctx, const char *member, struct rt_error *err);
	/* The next bytes of the part, len > 0. */
	enum rt_status (*data)(void *ctx, const void *data, size_t len, struct rt_error *err);
	/* The part has ended and its checks have passed. */
	enum rt_status (*end)(void *ctx, struct rt_error *err);
	/* Between two parts: a member that is not read, and not left out by choice. NULL is
	 * allowed. */
	enum rt_status (*unread)(void *ctx, const char *member, enum rt_unread_reason reason,
				 struct rt_error *err);
	void *ctx;
};

/* One file to decode. */
struct rt_decode {
	const struct rt_limits *limits;
	const struct rt_choice *choice; /* of members; NULL: those with a document's name */
	const char *below; /* the file's path below a directory, for the choice; NULL: none */
	struct rt_meter meter;
	struct rt_emit emit;
	int fd;                /* a regular file, or -1: source has the bytes; borrowed */
	uint64_t size;         /* bytes of the file */
	struct rt_pull source; /* what is no regular file */
	int spool_fd; /* an empty file of our own for what must be seekable, or -1; borrowed */
};

/* What a file turns out to be, for those who do more than read. {0} is none. */
struct rt_layers {
	enum rt_magic outer, inner; /* its compression; the container in it, or none: a document */
	struct rt_stream *file, *unpacked;
	/* A container that is sought in; with rt_layers_place(). */
	int fd;
	uint64_t size;
};

/* The stream of the document or container. */
static inline struct rt_stream *rt_layers_stream(const struct rt_layers *layers)
{
	return layers->unpacked ? layers->unpacked : layers->file;
}

#endif
