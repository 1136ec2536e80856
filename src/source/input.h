/*
 * One file that is decoded, and where its parts go.
 */
#ifndef RT_SOURCE_INPUT_H
#define RT_SOURCE_INPUT_H

#include "files/files.h"
#include "source/stream.h"

/* What a process that unpacks says. */
enum rt_frame_type {
	RT_FRAME_BEGIN,    /* a part: its name, or nothing where the file itself is the part */
	RT_FRAME_DATA,     /* bytes of the part */
	RT_FRAME_MARKS,    /* struct rt_frame_mark: places of the text that comes next */
	RT_FRAME_END,      /* of the part, whose checks have passed */
	RT_FRAME_UNREAD,   /* a member that is not read: a byte (enum rt_unread_reason), its name;
			    * once also one that a glob has matched */
	RT_FRAME_PROGRESS, /* struct rt_frame_progress */
	RT_FRAME_PULL,     /* it waits for the next bytes of the source */
	RT_FRAME_FINISH,   /* struct rt_frame_finish; nothing comes after */
};

/* Bytes of a name; longer ones are cut. */
#define RT_FRAME_NAME 1023u

/* Where decoded parts go: what begins, their bytes, what ends, and what is not read. */
struct rt_say {
	void (*put)(void *ctx, enum rt_frame_type type, const void *data, size_t len);
	void *ctx;
};

/* A part begins. member: its name in the container, NULL when the file is the part. */
void rt_say_begin(const struct rt_say *say, const char *member);

/* The part has ended and its checks have passed. */
static inline void rt_say_end(const struct rt_say *say)
{
	say->put(say->ctx, RT_FRAME_END, NULL, 0);
}

/* Between two parts: a member that is not read, and not left out by choice. */
void rt_say_unread(const struct rt_say *say, const char *member, enum rt_unread_reason reason);

/* One file to decode. */
struct rt_decode {
	const struct rt_limits *limits;
	const struct rt_choice *choice; /* of members; NULL: those with a document's name */
	const char *below; /* the file's path below a directory, for the choice; NULL: none */
	struct rt_meter meter;
	struct rt_say say;
	int fd;                /* a regular file, or -1: source has the bytes; borrowed */
	uint64_t size;         /* bytes of the file */
	struct rt_pull source; /* of the bytes, where fd is -1 */
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
