/*
 * What a process that unpacks says to the one that started it: frames of a type, a length and so
 * many bytes, over one socket. The other way come the job, and bytes of the source where it asks.
 *
 * The reader (source/worker.c) believes nothing of it: the process may have been taken over by its
 * input.
 */
#ifndef RT_SOURCE_FRAMES_H
#define RT_SOURCE_FRAMES_H

#include "base/pull.h"
#include "decode/input.h"

enum rt_frame_type {
	RT_FRAME_BEGIN,    /* a part: its name, or nothing where the file itself is the part */
	RT_FRAME_DATA,     /* bytes of the part */
	RT_FRAME_MARKS,    /* struct rt_frame_mark: places of the text that comes next */
	RT_FRAME_END,      /* of the part, whose checks have passed */
	RT_FRAME_UNREAD,   /* a member that is not read: a byte (enum rt_unread_reason), its name */
	RT_FRAME_PROGRESS, /* struct rt_frame_progress */
	RT_FRAME_PULL,     /* it waits for the next bytes of the source */
	RT_FRAME_FINISH,   /* struct rt_frame_finish; nothing comes after */
};

struct rt_frame {
	uint32_t type;
	uint32_t len; /* at most RT_FRAME_MAX */
};

/* The hand-over of a frame costs some microseconds, so much of data some tens. */
#define RT_FRAME_MAX (256u << 10)

/* Bytes of a name; longer ones are cut. */
#define RT_FRAME_NAME 1023u

struct rt_frame_mark {
	uint64_t at;
	struct rt_place place;
};

struct rt_frame_progress {
	uint64_t consumed, expanded;
};

struct rt_frame_finish {
	int32_t status;
	struct rt_frame_progress progress;
	struct rt_error err; /* where status is negative */
};

/* What the answer to RT_FRAME_PULL begins with. */
struct rt_frame_source {
	int32_t status;
	uint32_t len; /* bytes that follow, where status is RT_OK */
};

/* They fit into an empty socket, so that the reader never waits for the other. */
#define RT_FRAME_SOURCE_MAX (64u << 10)

/* The message of a run that ended because its source failed, which the reader knows better. */
#define RT_FRAME_SOURCE_FAILED "source"

/* --- The writer's side -------------------------------------------------------------------- */

/* Frames that are gathered, and the source. Where the reader has gone, the process ends. */
struct rt_frames {
	int sock;     /* borrowed */
	size_t from;  /* bytes of block that have been handed over */
	size_t len;   /* bytes in block */
	size_t open;  /* where a frame of data begins that goes on; SIZE_MAX: nowhere */
	bool is_lent; /* bytes are being written behind */
	struct rt_frame_source source;
	uint32_t source_at; /* bytes of it that were taken */
	uint8_t bytes[RT_FRAME_SOURCE_MAX];
	uint8_t block[sizeof(struct rt_frame) + RT_FRAME_MAX];
};

void rt_frames_init(struct rt_frames *frames, int sock);

/* An output of rt_decode_run() that writes frames. */
struct rt_emit rt_frames_emit(struct rt_frames *frames);

/* Add a frame. len: at most RT_FRAME_MAX. */
void rt_frames_put(struct rt_frames *frames, enum rt_frame_type type, const void *data, size_t len);

/* Say how far it is, before all that has been gathered. */
void rt_frames_tell(struct rt_frames *frames, struct rt_frame_progress progress);

/* Hand over what has been gathered. */
void rt_frames_flush(struct rt_frames *frames);

/* Read the next bytes of the source; a failure has the message above. */
struct rt_pull rt_frames_source(struct rt_frames *frames);

/* Fill a buffer from the socket. Returns false at its end. */
bool rt_frames_take(int sock, void *buf, size_t len);

#endif
