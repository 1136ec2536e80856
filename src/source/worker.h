/*
 * One file through a process that unpacks: its parts, as that says them.
 */
#ifndef RT_SOURCE_WORKER_H
#define RT_SOURCE_WORKER_H

#include "base/marks.h"
#include "source/child.h"
#include "source/parts.h"

struct rt_worker {
	struct rt_child child;
	struct rt_unread *unread; /* told of members that are not read; NULL: nobody is */
	/* The file, and what may honestly be said of it. */
	const struct rt_file *file;
	const struct rt_limits *limits;
	enum rt_magic magic;
	uint64_t expanded_left; /* what the run had left when the file was begun */
	uint64_t delivered_max;
	/* What has been said. */
	uint64_t delivered;    /* bytes of parts */
	uint64_t unread_count; /* members that are not read */
	bool chosen;           /* a glob has matched a member */
	struct rt_frame_progress progress;
	bool in_part;
	struct rt_marks *marks;    /* where marks go; NULL: there are none */
	uint64_t marks_count, fed; /* marks that have come; bytes of source that were given */
	/* Where the bytes come from that it asks for; {NULL}: it must not ask. */
	struct rt_pull source;
	enum rt_status source_status; /* what that said last */
	struct rt_error source_err;
	/* RT_OK until the first fault, or the end; where the fault goes. */
	enum rt_status status;
	struct rt_error *err;
	/* The frame that is being read, and bytes that have come. */
	struct rt_frame frame;
	bool in_frame;
	uint32_t left; /* bytes of it that are still to be read */
	size_t at, len;
	uint8_t bytes[4096];
};

/* Ready for a first file. unread: borrowed as long as the worker. */
void rt_worker_init(struct rt_worker *worker, struct rt_unread *unread);

/*
 * Start on a file.
 *
 * plain, options: borrowed until rt_worker_stop(); the first bytes of the file are in plain.
 * expanded_left: bytes that may still come out of decompression in this run.
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_worker_start(struct rt_worker *worker, struct rt_plain *plain,
			       const struct rt_options *options, uint64_t expanded_left,
			       struct rt_error *err);

/*
 * Start on a job of the caller's, which says parts, and how it ended, as rt_decode_run() does.
 *
 * file, limits: borrowed until rt_worker_stop(). magic: what the file is, for messages. source: the
 * bytes that it asks for; {NULL}: it must not.
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_worker_start_job(struct rt_worker *worker, const struct rt_job *job,
				   const struct rt_file *file, enum rt_magic magic,
				   struct rt_pull source, struct rt_error *err);

/*
 * Go to the next part; the rest of the one before is drained.
 *
 * name: receives cap bytes at most, NUL-terminated; "" where the file itself is the part.
 * Returns RT_OK; RT_END when the file is done and was good; RT_REJECT or RT_FATAL with err set,
 * in which only the member may be known.
 */
enum rt_status rt_worker_next(struct rt_worker *worker, char *name, size_t cap,
			      struct rt_error *err);

/* Go to the end. *ret_parts: set on RT_OK. Else as rt_worker_next(). */
enum rt_status rt_worker_count(struct rt_worker *worker, uint32_t *ret_parts, struct rt_error *err);

/* As rt_parts_read(), but for the place in err. */
enum rt_status rt_worker_read(struct rt_worker *worker, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err);

/* Bytes that came out of decompression of this file so far, at most expanded_left. */
uint64_t rt_worker_expanded(const struct rt_worker *worker);

/* End the file and its process, if there is one. */
void rt_worker_stop(struct rt_worker *worker);

#endif
