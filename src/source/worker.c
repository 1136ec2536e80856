/*
 * One file through a decoder process. Input: an open file. Output: its parts, copied once out of
 * the shared blocks. Whatever the child writes is copied, checked and clamped before use; a child
 * that dies, hangs or breaks the rules is an error of its file.
 */
#include "source/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/unnamed.h"

#define BLOCK_FLAGS ((uint32_t)(RT_BLOCK_BEGIN | RT_BLOCK_END | RT_BLOCK_FINISH))

void rt_worker_init(struct rt_worker *worker, struct rt_launcher *launcher,
		    struct rt_unread *unread)
{
	*worker = (struct rt_worker){
	    .launcher = launcher, .ring_fd = -1, .stall_ms = RT_CHILD_STALL_MS, .unread = unread};
}

static bool spool_may_be_needed(enum rt_magic magic, bool seekable)
{
	if (rt_magic_is_compression(magic))
		return true;
	return !seekable && (magic == RT_MAGIC_ZIP || magic == RT_MAGIC_7ZIP);
}

/* Set up the state of a new file. */
static void worker_begin_file(struct rt_worker *worker, const struct rt_file *file,
			      enum rt_magic magic, const struct rt_limits *limits,
			      uint64_t expanded_left)
{
	worker->file = file;
	worker->limits = limits;
	worker->magic = magic;
	worker->expanded_left = expanded_left;
	worker->unread_count = 0;
	worker->delivered = 0;
	worker->in_part = false;
	worker->has_block = false;
	/* A tar or cpio gives as much as it holds, everything else counts as expanded. */
	if (!file->seekable ||
	    __builtin_add_overflow(expanded_left, file->size, &worker->delivered_max))
		worker->delivered_max = UINT64_MAX;
}

/* Have a child started with one end of a socket pair, and watch it by the other. */
static enum rt_status worker_launch(struct rt_worker *worker, struct rt_job *job,
				    struct rt_error *err)
{
	enum rt_status status;
	int socks[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) != 0)
		return rt_error_sys(err, errno, "cannot make a socket pair");
	job->fds[RT_JOB_SOCK] = socks[1];
	status = rt_launcher_run(worker->launcher, job, &pid, err);
	close(socks[1]);
	if (status == RT_OK)
		rt_child_watch(&worker->child, pid, socks[0]);
	else
		close(socks[0]);
	worker->reader.sock = worker->child.sock;
	return status;
}

enum rt_status rt_worker_start_job(struct rt_worker *worker, struct rt_job *job,
				   const struct rt_file *file, enum rt_magic magic,
				   struct rt_error *err)
{
	worker_begin_file(worker, file, magic, job->decode.limits, job->decode.meter.expanded_max);
	if (!worker->ring)
		worker->ring = rt_ring_new(&worker->ring_fd, err);
	if (!worker->ring)
		return RT_FATAL;
	/* Before the child starts: it counts on zeros. */
	rt_ring_reader_init(&worker->reader, worker->ring, -1, worker->stall_ms);
	job->fds[RT_JOB_RING] = worker->ring_fd;
	job->fds[RT_JOB_FILE] = file->fd;
	return worker_launch(worker, job, err);
}

enum rt_status rt_worker_start(struct rt_worker *worker, const struct rt_file *file,
			       const uint8_t *head, size_t head_len,
			       const struct rt_options *options, uint64_t expanded_left,
			       struct rt_error *err)
{
	const struct rt_limits *limits = &options->limits;
	enum rt_magic magic = rt_magic_find(head, head_len);
	int spool = spool_may_be_needed(magic, file->seekable) ? rt_unnamed_open() : -1;
	struct rt_job job = {
	    .kind = RT_JOB_READ,
	    .decode = {.limits = limits,
		       .choice = &options->choice,
		       .below = file->name,
		       .meter = {.expanded_max = expanded_left, .limit = limits->expanded_bytes},
		       .seekable = file->seekable,
		       .size = file->size,
		       .head = file->seekable ? NULL : head,
		       .head_len = file->seekable ? 0 : head_len},
	    .memory_bytes = limits->decoder_bytes,
	    .file_bytes = spool >= 0 ? limits->temporary_bytes : 0,
	    .fds = RT_JOB_NO_FDS,
	};
	enum rt_status status;

	job.fds[RT_JOB_SPOOL] = spool;
	status = rt_worker_start_job(worker, &job, file, magic, err);
	if (spool >= 0)
		close(spool);
	return status;
}

static enum rt_status worker_broken(struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a decoder that keeps to its rules, have one that does not");
	return RT_REJECT;
}

static enum rt_status worker_wait(struct rt_worker *worker, struct rt_error *err)
{
	const char *format = rt_magic_name(worker->magic);
	int sig;

	switch (rt_ring_wait(&worker->reader)) {
	case RT_WAIT_BLOCK:
		return RT_OK;
	case RT_WAIT_FAILED:
		return rt_error_sys(err, errno, "cannot wait for the decoder");
	case RT_WAIT_BROKEN:
		return worker_broken(err);
	case RT_WAIT_STALLED:
		(void)rt_error_set(err, RT_E_INPUT,
				   "want %s data, have a decoder without progress for %d s", format,
				   worker->stall_ms / 1000);
		return RT_REJECT;
	case RT_WAIT_GONE:
		break;
	}
	rt_child_collect(&worker->child, &sig);
	if (sig)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want %s data, have a decoder that stopped (signal %d)", format,
				   sig);
	else
		(void)rt_error_set(err, RT_E_INPUT, "want %s data, have a decoder that stopped",
				   format);
	return RT_REJECT;
}

/* A text that a hostile child may have written: it ends where its field does. Returns its length.
 */
static size_t text_copy(char *field, size_t cap, const volatile char *from)
{
	size_t i;

	for (i = 0; i + 1 < cap && from[i]; i++)
		field[i] = from[i];
	field[i] = '\0';
	return i;
}

/* Take in what the first `end` bytes of a block say about members that are not read. */
static enum rt_status worker_take_unread(struct rt_worker *worker, uint32_t end,
					 struct rt_error *err)
{
	const volatile struct rt_block *block = rt_ring_block(&worker->reader);
	const struct rt_file *file = worker->file;
	enum rt_status status = RT_OK;

	while (status == RT_OK && worker->at < end) {
		char name[RT_BLOCK_NAME];
		uint8_t reason = block->data[worker->at++];
		size_t left = end - worker->at;
		size_t len = left ? text_copy(name, left < sizeof(name) ? left : sizeof(name),
					      (const volatile char *)block->data + worker->at)
				  : 0;

		/* Its NUL belongs to it, and more of them than members there cannot be. */
		if (len >= left || block->data[worker->at + len] || reason >= RT_UNREAD_REASONS ||
		    ++worker->unread_count > worker->limits->archive_members)
			return worker_broken(err);
		worker->at += (uint32_t)len + 1;
		if (worker->unread)
			status = rt_unread_add(worker->unread, file->path, file->name, name,
					       (enum rt_unread_reason)reason, err);
	}
	return status;
}

/* Take the block that has come as the current one. */
static enum rt_status worker_take(struct rt_worker *worker, struct rt_error *err)
{
	const volatile struct rt_block *block = rt_ring_block(&worker->reader);
	uint32_t unread = block->unread;

	worker->flags = block->flags;
	worker->len = block->len;
	worker->at = 0;
	worker->has_block = true;
	if (worker->flags & ~BLOCK_FLAGS || worker->len > RT_RING_DATA || unread > worker->len ||
	    (!worker->flags && !worker->len) || (unread && worker->in_part))
		return worker_broken(err);
	worker->delivered += worker->len - unread;
	if (worker->delivered > worker->delivered_max)
		return worker_broken(err);
	return worker_take_unread(worker, unread, err);
}

static void worker_unload_if_done(struct rt_worker *worker)
{
	if (worker->flags || worker->at < worker->len)
		return;
	rt_ring_release(&worker->reader);
	worker->has_block = false;
}

/* Make sure that there is a current block with something left in it. */
static enum rt_status worker_load(struct rt_worker *worker, struct rt_error *err)
{
	while (!worker->has_block) {
		enum rt_status status = worker_wait(worker, err);

		if (status == RT_OK)
			status = worker_take(worker, err);
		if (status != RT_OK)
			return status;
		worker_unload_if_done(worker);
	}
	return RT_OK;
}

/* The child's last word on its file. */
static enum rt_status worker_finish(struct rt_worker *worker, struct rt_error *err)
{
	const volatile struct rt_block *block = rt_ring_block(&worker->reader);
	int32_t status = block->status;
	int sys = block->err.sys;
	int code = (int)block->err.code;
	char message[sizeof(err->message)];

	if (status == RT_OK)
		return worker->in_part ? worker_broken(err) : RT_END;
	if ((status != RT_REJECT && status != RT_FATAL) || code <= RT_E_NONE || code > RT_E_NOMEM)
		return worker_broken(err);
	(void)text_copy(message, sizeof(message), block->err.message);
	if (code == RT_E_NOMEM) {
		/* It is the child's bound that it met, not the machine's. */
		(void)rt_error_set(
		    err, RT_E_LIMIT,
		    "want %s data that decode within %" PRIu64
		    " byte%s of memory (limit \"decoder\"), have some that need more",
		    rt_magic_name(worker->magic), worker->limits->decoder_bytes,
		    RT_S(worker->limits->decoder_bytes));
		status = RT_REJECT;
	} else {
		(void)rt_error_set(err, (enum rt_code)code, "%s", message);
		err->sys = sys;
	}
	(void)text_copy(err->member, sizeof(err->member), block->err.member);
	err->line = block->err.line;
	err->column = block->err.column;
	err->offset = block->err.offset;
	return (enum rt_status)status;
}

/* Copy what the current block has, and act on its end; RT_OK with *ret_len 0 at most there. */
static void worker_copy(struct rt_worker *worker, void *buf, size_t cap, size_t *ret_len)
{
	const volatile struct rt_block *block = rt_ring_block(&worker->reader);
	size_t len = worker->len - worker->at;

	len = len < cap ? len : cap;
	if (len && buf)
		memcpy(buf, (const uint8_t *)block->data + worker->at, len);
	worker->at += (uint32_t)len;
	*ret_len = len;
	if (worker->at == worker->len && worker->flags & RT_BLOCK_END) {
		worker->flags &= ~(uint32_t)RT_BLOCK_END;
		worker->in_part = false;
	}
	worker_unload_if_done(worker);
}

enum rt_status rt_worker_read(struct rt_worker *worker, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	size_t done = 0;

	while (worker->in_part && done < cap) {
		enum rt_status status;
		size_t len;

		/* What is there goes first; waiting and errors are for the next call. */
		if (done && !worker->has_block && !worker->reader.filled_count)
			break;
		status = worker_load(worker, err);
		if (status != RT_OK)
			return status;
		if (worker->flags & RT_BLOCK_BEGIN)
			return worker_broken(err);
		if (worker->flags & RT_BLOCK_FINISH && worker->at == worker->len) {
			if (done)
				break;
			return worker_finish(worker, err);
		}
		worker_copy(worker, buf ? (uint8_t *)buf + done : NULL, cap - done, &len);
		done += len;
	}
	*ret_len = done;
	return done ? RT_OK : RT_END;
}

enum rt_status rt_worker_next(struct rt_worker *worker, char *name, size_t cap, bool *ret_has_name,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;
	size_t len;

	while (status == RT_OK && worker->in_part)
		status = rt_worker_read(worker, NULL, RT_RING_DATA, &len, err);
	if (status >= 0)
		status = worker_load(worker, err);
	if (status != RT_OK)
		return status;
	if (!(worker->flags & RT_BLOCK_BEGIN)) {
		if (worker->flags & RT_BLOCK_FINISH && worker->at == worker->len)
			return worker_finish(worker, err);
		return worker_broken(err);
	}
	worker->flags &= ~(uint32_t)RT_BLOCK_BEGIN;
	worker->in_part = true;
	*ret_has_name = rt_ring_block(&worker->reader)->has_name != 0;
	name[0] = '\0';
	if (*ret_has_name)
		(void)text_copy(name, cap < RT_BLOCK_NAME ? cap : RT_BLOCK_NAME,
				rt_ring_block(&worker->reader)->name);
	worker_unload_if_done(worker);
	return RT_OK;
}

uint64_t rt_worker_consumed(const struct rt_worker *worker)
{
	return atomic_load_explicit(&worker->ring->progress.consumed, memory_order_relaxed);
}

uint64_t rt_worker_expanded(const struct rt_worker *worker)
{
	uint64_t claimed =
	    atomic_load_explicit(&worker->ring->progress.expanded, memory_order_relaxed);

	return claimed < worker->expanded_left ? claimed : worker->expanded_left;
}

void rt_worker_stop(struct rt_worker *worker)
{
	rt_child_stop(&worker->child);
	worker->in_part = false;
	worker->has_block = false;
}

void rt_worker_release(struct rt_worker *worker)
{
	rt_worker_stop(worker);
	rt_ring_free(worker->ring);
	worker->ring = NULL;
	if (worker->ring_fd >= 0)
		close(worker->ring_fd);
	worker->ring_fd = -1;
}
