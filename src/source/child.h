/*
 * A process that unpacks: forked for one job, with its descriptors and no others, confined before
 * it takes a byte of the file. What it says comes as frames over its socket.
 *
 * It is a copy of this process, or of the forker (base/forker.h) where there is one, so that a job
 * may carry addresses of functions.
 */
#ifndef RT_SOURCE_CHILD_H
#define RT_SOURCE_CHILD_H

#include <sys/types.h>

#include "base/forker.h"
#include "base/patch.h"
#include "base/pull.h"
#include "source/input.h"

struct rt_frame {
	uint32_t type;
	uint32_t len; /* at most RT_FRAME_MAX */
};

/* The hand-over of a frame costs some microseconds, so much of data some tens. */
#define RT_FRAME_MAX (256u << 10)

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

/* --- The writer's side -------------------------------------------------------------------- */

/* Frames that are gathered, and the source. Where the reader has gone, the process ends. */
struct rt_frames {
	int sock;   /* borrowed */
	size_t len; /* bytes in block */
	struct rt_frame_source source;
	uint32_t source_at; /* bytes of it that were taken */
	uint8_t bytes[RT_FRAME_SOURCE_MAX];
	uint8_t block[sizeof(struct rt_frame) + RT_FRAME_MAX];
};

/* Add a frame to struct rt_frames. len: at most RT_FRAME_MAX. */
void rt_frames_put(void *frames, enum rt_frame_type type, const void *data, size_t len);

/* Hand over what has been gathered. */
void rt_frames_flush(struct rt_frames *frames);

/* Seconds without a word after which a child counts as hung. It says something every
 * RT_PROGRESS_STEP bytes, which takes the slowest format (bzip2, a busy machine) a second. */
#define RT_CHILD_STALL_S 60

/* The exit status of one that could not begin. */
#define RT_CHILD_UNFIT 70

/* Descriptors that a job may come with. Each has the same number in every child. */
#define RT_JOB_FD_FIRST 3
enum rt_job_fd {
	RT_JOB_SOCK,      /* frames, and the other way the job and the source */
	RT_JOB_FILE,      /* decode.fd; none where the file is pulled */
	RT_JOB_SPOOL,     /* decode.spool_fd */
	RT_JOB_OUT,       /* a new file */
	RT_JOB_OUT_SPOOL, /* a file for members that are made before their size is known */
	RT_JOB_FDS,
};

_Static_assert(RT_JOB_FDS == RT_FORKER_FDS, "all of them can be given");

#define RT_JOB_NO_FDS                                                                              \
	{                                                                                          \
		-1, -1, -1, -1, -1                                                                 \
	}

struct rt_job {
	/* What the child does. How it ends is the last frame. */
	enum rt_status (*run)(struct rt_job *job, struct rt_frames *frames, struct rt_error *err);
	/* say, source and the meter's progress are the child's own; so are the descriptors. */
	struct rt_decode decode;
	bool needs_late;       /* it calls libraries that are loaded late */
	uint64_t memory_bytes; /* address space that may be added to what there is */
	uint64_t file_bytes;   /* size that a file it writes may reach */
	int fds[RT_JOB_FDS];   /* -1: none */
	/* Of YAML: the offset of the first byte, and `want` of struct rt_text_hints. */
	uint64_t start;
	void (*want)(void);
	/* Of a file that is written again. */
	uint32_t first_part; /* number of the file's first part */
	const struct rt_patches *patches;
};

/* {0} is none. */
struct rt_child {
	pid_t pid;
	int sock;
};

/*
 * Start a child on a job. job: its descriptors stay the caller's; the socket is made here.
 * ret_child: on RT_OK to be ended by rt_child_end().
 * Returns RT_OK, or RT_FATAL with err set (RT_E_IO, RT_E_NOMEM).
 */
enum rt_status rt_child_start(const struct rt_job *job, struct rt_child *ret_child,
			      struct rt_error *err);

/* End a child whatever it does. Returns its wait status, or -1 where that is not known. */
int rt_child_end(struct rt_child *child);

/* What it is, for the forker. */
rt_forker_child rt_child_main;

#endif
