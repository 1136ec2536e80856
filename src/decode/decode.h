/*
 * Decoding one file: what runs inside the decoder process, and what the fuzz target calls without
 * one. It needs nothing but the descriptors it is given, memory and its output.
 */
#ifndef RT_DECODE_DECODE_H
#define RT_DECODE_DECODE_H

#include "decode/stream.h"
#include "files/files.h"

/* Where decoded parts go. Every function returns RT_OK or RT_FATAL with err set. */
struct rt_emit {
	/* A part begins; member is its name in the container, NULL when the file is the part. */
	enum rt_status (*begin)(void *ctx, const char *member, struct rt_error *err);
	/* Room for the next bytes of the part: at least 1 byte, valid until commit. */
	enum rt_status (*space)(void *ctx, void **ret_buf, size_t *ret_cap, struct rt_error *err);
	/* len (> 0) bytes have been written into that room. */
	enum rt_status (*commit)(void *ctx, size_t len, struct rt_error *err);
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
	int fd;           /* borrowed */
	bool seekable;    /* a regular file, to be read from offset 0 */
	uint64_t size;    /* bytes, where seekable is set */
	const void *head; /* bytes already taken from a pipe; NULL where seekable is set */
	size_t head_len;  /* at most RT_MAGIC_BYTES */
	int spool_fd;     /* an empty file of our own for what must be seekable, or -1; borrowed */
};

/*
 * Decode the whole file: at most one compression, in it at most one container, in that members
 * that are compressed at most once (SPEC D1).
 *
 * Returns RT_OK when every part was delivered and all checks passed; RT_REJECT when the file is
 * bad; RT_FATAL when the system failed or a limit of the whole run was passed. err has the
 * member but not the path.
 */
enum rt_status rt_decode_run(struct rt_decode *decode, struct rt_error *err);

/*
 * What to do with each layer that a file turns out to have, for those who do more than read.
 * Every function returns as rt_decode_run().
 */
struct rt_layers {
	/* The file is compressed: magic, with `inner` in it; head, its first head_len bytes, at
	 * most RT_MAGIC_BYTES. NULL is allowed. */
	enum rt_status (*outer)(void *ctx, enum rt_magic magic, enum rt_magic inner,
				const uint8_t *head, size_t head_len, struct rt_error *err);
	/* What is left is one document. */
	enum rt_status (*document)(void *ctx, struct rt_stream *stream, struct rt_error *err);
	/* What is left is a container; arguments as rt_container_walk() takes them. */
	enum rt_status (*container)(void *ctx, enum rt_magic magic, struct rt_stream *stream,
				    int fd, uint64_t size, struct rt_error *err);
	void *ctx;
};

/* rt_decode_run() with other hands: decode->emit is not used. Returns as rt_decode_run(). */
enum rt_status rt_decode_layers(struct rt_decode *decode, const struct rt_layers *layers,
				struct rt_error *err);

/*
 * Whether a file with these first bytes needs a decoder at all.
 */
static inline bool rt_decode_is_needed(const uint8_t *head, size_t len)
{
	return rt_magic_find(head, len) != RT_MAGIC_NONE;
}

/* Pass what is left of a stream to the output as one part. Returns as rt_decode_run(). */
enum rt_status rt_decode_emit(struct rt_decode *decode, const char *member,
			      struct rt_stream *stream, struct rt_error *err);

#endif
