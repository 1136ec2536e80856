/*
 * The parent's view of the decoder process: one file in, its parts out.
 */
#ifndef RT_SOURCE_WORKER_H
#define RT_SOURCE_WORKER_H

#include "files/files.h"
#include "source/launcher.h"
#include "source/ring.h"

struct rt_worker {
	struct rt_launcher *launcher; /* borrowed */
	struct rt_ring *ring;         /* made on first use, kept for the files after */
	int ring_fd;                  /* its memory, or -1 */
	struct rt_child child;
	struct rt_ring_reader reader;
	int stall_ms;
	struct rt_unread *unread; /* told of members that are not read; NULL: nobody is */
	/* The file being decoded. */
	const struct rt_file *file;
	const struct rt_limits *limits;
	enum rt_magic magic;
	uint64_t expanded_left; /* what the run had left when the file was begun */
	uint64_t unread_count;  /* members of this file that are not read */
	uint64_t delivered;     /* bytes of parts */
	uint64_t delivered_max; /* more cannot honestly come out */
	bool in_part;
	/* Copies from the current block; a hostile child may change the block itself. */
	bool has_block;
	uint32_t flags; /* those not yet acted on */
	uint32_t len;
	uint32_t at;
};

/*
 * Ready for a first file; nothing is allocated yet. launcher: who starts its children; borrowed as
 * long as the worker. unread: told of members that are not read, as far as they have been met;
 * likewise; NULL: nobody is.
 */
void rt_worker_init(struct rt_worker *worker, struct rt_launcher *launcher,
		    struct rt_unread *unread);

/*
 * Start on a file.
 *
 * file, options: borrowed until rt_worker_stop(). head: the file's first head_len bytes; where it
 * is not seekable they have been taken from it.
 * expanded_left: bytes that may still come out of decompression in this run.
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_worker_start(struct rt_worker *worker, const struct rt_file *file,
			       const uint8_t *head, size_t head_len,
			       const struct rt_options *options, uint64_t expanded_left,
			       struct rt_error *err);

/*
 * Start on a file with a job of the caller's, whose child speaks as rt_decode_run()'s does: parts,
 * then the end.
 *
 * job: the descriptors of the ring and of the file are put in here. What it borrows, and file:
 * borrowed until rt_worker_stop(). magic: what the file is, for messages.
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_worker_start_job(struct rt_worker *worker, struct rt_job *job,
				   const struct rt_file *file, enum rt_magic magic,
				   struct rt_error *err);

/*
 * Go to the next part; the rest of the one before is drained.
 *
 * name: receives cap bytes at most, NUL-terminated. *ret_has_name: false when the file itself is
 * the part.
 * Returns RT_OK; RT_END when the file is done and was good; RT_REJECT or RT_FATAL with err set,
 * in which only the member may be known.
 */
enum rt_status rt_worker_next(struct rt_worker *worker, char *name, size_t cap, bool *ret_has_name,
			      struct rt_error *err);

/* As rt_parts_read(), but for the place in err. */
enum rt_status rt_worker_read(struct rt_worker *worker, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err);

/* Bytes taken from the file so far. */
uint64_t rt_worker_consumed(const struct rt_worker *worker);

/* Bytes that came out of decompression of this file so far, at most expanded_left. */
uint64_t rt_worker_expanded(const struct rt_worker *worker);

/* End the file at hand and its process, if there is one. */
void rt_worker_stop(struct rt_worker *worker);

/* rt_worker_stop() and free what is left. */
void rt_worker_release(struct rt_worker *worker);

#endif
