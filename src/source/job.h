/*
 * What the decoder's process is asked to do with one file: one message over a socket, and the
 * descriptors that go with it. Both ends are of one build, since the one carries the other's
 * program in it, so that numbers travel as they are.
 */
#ifndef RT_SOURCE_JOB_H
#define RT_SOURCE_JOB_H

#include "base/buf.h"
#include "base/pull.h"
#include "decode/input.h"

enum rt_job_kind {
	RT_JOB_READ,   /* rt_decode_run(): the parts */
	RT_JOB_YAML,   /* YAML into JSON text: a source that is pulled over the ring, one part */
	RT_JOB_REPACK, /* rt_repack_run(): the file written again, and its parts as names alone */
};

/* Descriptors that a job comes with. From RT_JOB_SOCK on each has the same number in every child,
 * RT_JOB_FD_FIRST and up in this order; the first two are closed once they have been mapped. */
enum rt_job_fd {
	RT_JOB_RING,      /* a ring's memory */
	RT_JOB_PATCHES,   /* what rt_patches_save() has made; of RT_JOB_REPACK only */
	RT_JOB_SOCK,      /* the ring's socket */
	RT_JOB_FILE,      /* decode.fd */
	RT_JOB_SPOOL,     /* decode.spool_fd */
	RT_JOB_OUT,       /* the new file */
	RT_JOB_OUT_SPOOL, /* a file for members that are made before their size is known */
	RT_JOB_FDS,
};

#define RT_JOB_FD_FIRST 3

#define RT_JOB_NO_FDS                                                                              \
	{                                                                                          \
		-1, -1, -1, -1, -1, -1, -1                                                         \
	}

/* The number of a descriptor in the child. */
static inline int rt_job_fd(enum rt_job_fd which)
{
	return RT_JOB_FD_FIRST + (int)which - (int)RT_JOB_SOCK;
}

struct rt_job {
	enum rt_job_kind kind;
	/* Limits, choice, below, head, size and the meter's bounds are told; fd and spool_fd are
	 * in fds, and the rest is the child's own. */
	struct rt_decode decode;
	uint64_t memory_bytes;       /* address space that may be added to what there is */
	uint64_t file_bytes;         /* size that a file it writes may reach */
	uint32_t first_part;         /* number of the file's first part; of RT_JOB_REPACK */
	uint64_t start;              /* offset of the first byte; of RT_JOB_YAML, as the next */
	uint32_t wanted;             /* enum rt_text_wanted */
	uint64_t patches, patch_len; /* number of them, and bytes of their texts */
	int fds[RT_JOB_FDS];         /* -1: none */
};

/* What goes before a job's message, so that its length is known; the descriptors come with it. */
struct rt_job_head {
	uint64_t len;   /* bytes of the message */
	uint32_t given; /* bits of enum rt_job_fd: those that come, in that order */
};

/* What the launcher answers. */
struct rt_job_reply {
	int32_t pid; /* of the child; 0: there is none */
	int32_t sys; /* why there is none */
};

/* Append the message of a job. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_job_pack(const struct rt_job *job, struct rt_buf *message, struct rt_error *err);

/* A job as it was unpacked: what it points to lies here or in the message. */
struct rt_job_room {
	struct rt_limits limits;
	struct rt_choice choice;
	const char **globs;
};

/*
 * Read a message. job: filled in but for its descriptors; it points into message and room.
 * room: on true to be given to free() by its globs.
 * Returns false for one that is not whole, or when memory is short.
 */
bool rt_job_unpack(const char *message, size_t len, struct rt_job *job, struct rt_job_room *room);

#endif
