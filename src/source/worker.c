/*
 * Reads the frames of a process that unpacks. Whatever that says is checked before it is used; one
 * that dies, hangs or breaks the rules is an error of its file.
 */
#include "source/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/forker.h"
#include "base/io.h"
#include "source/decode.h"

/* Marks of a child: an honest one has some for each token of its source, of a byte at least. */
#define MARKS_MAX(source_bytes) (4 * (source_bytes) + 4096)

void rt_worker_init(struct rt_worker *worker, struct rt_unread *unread)
{
	*worker = (struct rt_worker){.child = {0, -1}, .unread = unread};
}

/* --- Starting --------------------------------------------------------------------------------- */

enum rt_status rt_worker_start_job(struct rt_worker *worker, const struct rt_job *job,
				   const struct rt_file *file, enum rt_magic magic,
				   struct rt_pull source, struct rt_error *err)
{
	rt_worker_init(worker, worker->unread);
	worker->file = file;
	worker->limits = job->decode.limits;
	worker->magic = magic;
	worker->expanded_left = job->decode.meter.expanded_max;
	worker->source = source;
	/* A tar or cpio gives as much as it holds, everything else counts as expanded. */
	if (!file->seekable ||
	    __builtin_add_overflow(worker->expanded_left, file->size, &worker->delivered_max))
		worker->delivered_max = UINT64_MAX;
	return rt_child_start(job, &worker->child, err);
}

static enum rt_status run_decode(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	(void)frames;
	return rt_decode_run(&job->decode, err);
}

enum rt_status rt_worker_start(struct rt_worker *worker, struct rt_plain *plain,
			       const struct rt_options *options, uint64_t expanded_left,
			       struct rt_error *err)
{
	const struct rt_limits *limits = &options->limits;
	const struct rt_file *file = plain->file;
	enum rt_magic magic = rt_magic_find(plain->head, plain->head_len);
	struct rt_pull source = {file->seekable ? NULL : rt_plain_read, plain};
	struct rt_job job = {
	    .run = run_decode,
	    .decode = {.limits = limits,
		       .choice = &options->choice,
		       .below = file->name,
		       .meter = {.expanded_max = expanded_left, .limit = limits->expanded_bytes},
		       .size = file->size},
	    .needs_late = true,
	    .memory_bytes = limits->decoder_bytes,
	    .file_bytes = limits->temporary_bytes,
	    .fds = RT_JOB_NO_FDS,
	};
	enum rt_status status;

	/* What has to be sought in may be in what is compressed, or be no file. */
	if (rt_magic_is_compression(magic) || !file->seekable)
		job.fds[RT_JOB_SPOOL] = rt_unnamed_open();
	else
		job.file_bytes = 0;
	if (file->seekable)
		job.fds[RT_JOB_FILE] = file->fd;
	status = rt_worker_start_job(worker, &job, file, magic, source, err);
	if (job.fds[RT_JOB_SPOOL] >= 0)
		(void)close(job.fds[RT_JOB_SPOOL]);
	return status;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* The first fault, or the end, sticks: nothing is received after it, and what was to be filled is
 * as it was. */
static void stop(struct rt_worker *worker, enum rt_status status)
{
	if (worker->status == RT_OK)
		worker->status = status;
}

static void broken(struct rt_worker *worker)
{
	if (worker->status == RT_OK)
		stop(worker, rt_error_reject(worker->err, RT_E_INPUT,
					     "the unpacking process broke its protocol"));
}

/* The child has closed its end without a last word. */
static enum rt_status gone(struct rt_worker *worker)
{
	const char *format = rt_magic_name(worker->magic);
	int status = rt_child_end(&worker->child);

	if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == RT_CHILD_UNFIT)
		return rt_error_set(worker->err, RT_E_IO, "the unpacking process could not start");
	if (status != -1 && WIFSIGNALED(status))
		return rt_error_reject(worker->err, RT_E_INPUT,
				       "the process that unpacks %s data stopped (signal %d)",
				       format, WTERMSIG(status));
	return rt_error_reject(worker->err, RT_E_INPUT, "the process that unpacks %s data stopped",
			       format);
}

/* Receive what there is. Returns its bytes, at least one, or 0. */
static size_t receive(struct rt_worker *worker, void *buf, size_t cap)
{
	ssize_t got;

	do {
		got = recv(worker->child.sock, buf, cap, 0);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		return (size_t)got;
	if (got == 0 || errno == ECONNRESET)
		stop(worker, gone(worker));
	else if (errno != EAGAIN)
		stop(worker,
		     rt_error_sys(worker->err, errno, "cannot read from the unpacking process"));
	else
		stop(worker,
		     rt_error_reject(worker->err, RT_E_INPUT,
				     "the process that unpacks %s data made no progress for %d s",
				     rt_magic_name(worker->magic), RT_CHILD_STALL_S));
	return 0;
}

/* The next bytes of the frame, at most cap and what is left of it. buf: NULL: they are dropped.
 * Returns their number; 0 after a fault. */
static size_t frame_read(struct rt_worker *worker, void *buf, size_t cap)
{
	size_t len = cap < worker->left ? cap : worker->left;

	if (worker->status != RT_OK)
		return 0;
	if (worker->at == worker->len && buf && len >= sizeof(worker->bytes)) {
		len = receive(worker, buf, len);
	} else {
		if (worker->at == worker->len) {
			worker->at = 0;
			worker->len = receive(worker, worker->bytes, sizeof(worker->bytes));
		}
		len = len < worker->len - worker->at ? len : worker->len - worker->at;
		if (buf && len)
			memcpy(buf, worker->bytes + worker->at, len);
		worker->at += len;
	}
	worker->left -= (uint32_t)len;
	return len;
}

/* Fill buf from the frame, which has as much. */
static void frame_take(struct rt_worker *worker, void *buf, size_t len)
{
	size_t got;

	for (char *at = buf; len && worker->status == RT_OK; at += got, len -= got)
		got = frame_read(worker, at, len);
}

/* --- Frames ----------------------------------------------------------------------------------- */

static void take_progress(struct rt_worker *worker)
{
	if (worker->left != sizeof(worker->progress))
		broken(worker);
	frame_take(worker, &worker->progress, sizeof(worker->progress));
}

/* A text that ends where the frame does; NULs in it become visible. cap: more than there is. */
static void take_text(struct rt_worker *worker, char *text, size_t cap)
{
	char bytes[RT_FRAME_NAME];
	size_t len = worker->left;

	if (len > sizeof(bytes))
		broken(worker);
	frame_take(worker, bytes, len);
	if (worker->status == RT_OK)
		rt_error_text(text, cap, rt_slice_make(bytes, len));
}

static void take_unread(struct rt_worker *worker)
{
	const struct rt_file *file = worker->file;
	char name[RT_FRAME_NAME + 1];
	uint8_t reason = 0;

	if (worker->in_part || !worker->left)
		broken(worker);
	frame_take(worker, &reason, 1);
	/* More of them than members there cannot be, and it is told once that a glob has chosen. */
	if (reason > RT_UNREAD_CHOSEN ||
	    (reason == RT_UNREAD_CHOSEN ? worker->chosen
					: ++worker->unread_count > worker->limits->archive_members))
		broken(worker);
	worker->chosen |= reason == RT_UNREAD_CHOSEN;
	take_text(worker, name, sizeof(name));
	if (worker->status == RT_OK && worker->unread)
		stop(worker, rt_unread_add(worker->unread, file->path, file->name, name,
					   (enum rt_unread_reason)reason, worker->err));
}

static void take_marks(struct rt_worker *worker)
{
	struct rt_frame_mark mark = {.at = 0};

	worker->marks_count += worker->left / sizeof(mark);
	if (!worker->in_part || !worker->marks || worker->left % sizeof(mark) ||
	    worker->marks_count > MARKS_MAX(worker->fed))
		broken(worker);
	while (worker->left && worker->status == RT_OK) {
		frame_take(worker, &mark, sizeof(mark));
		if (worker->status == RT_OK)
			stop(worker, rt_marks_add(worker->marks, mark.at, mark.place, worker->err));
	}
}

/* Give the child what it has asked for. What the source fails with is kept for later. */
static void feed(struct rt_worker *worker)
{
	struct {
		struct rt_frame_source head;
		uint8_t bytes[RT_FRAME_SOURCE_MAX];
	} answer;
	size_t len = 0;
	ssize_t put;

	if (worker->left || !worker->source.read) {
		broken(worker);
		return;
	}
	if (worker->source_status == RT_OK)
		worker->source_status =
		    worker->source.read(worker->source.ctx, answer.bytes, sizeof(answer.bytes),
					&len, &worker->source_err);
	if (worker->source_status != RT_OK)
		len = 0;
	worker->fed += len;
	answer.head = (struct rt_frame_source){worker->source_status, (uint32_t)len};
	len += sizeof(answer.head);
	do {
		put = send(worker->child.sock, &answer, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (put < 0 && errno == EINTR);
	/* That it is gone shows on the next wait; but one that asks has room. */
	if (put != (ssize_t)len && (put >= 0 || (errno != EPIPE && errno != ECONNRESET)))
		broken(worker);
}

/* What the last frame says of a failure. */
static enum rt_status take_failure(struct rt_worker *worker, struct rt_frame_finish *finish)
{
	struct rt_error *said = &finish->err, *err = worker->err;

	/* Without more of its source it could only fail. */
	if (worker->source_status < 0) {
		*err = worker->source_err;
		return worker->source_status;
	}
	said->message[sizeof(said->message) - 1] = '\0';
	said->member[sizeof(said->member) - 1] = '\0';
	if (said->code == RT_E_NOMEM) {
		/* It is the child's bound that it met, not the machine's. */
		(void)rt_error_limit(err, "memory to decode it", "decoder",
				     worker->limits->decoder_bytes);
		finish->status = RT_REJECT;
	} else {
		(void)rt_error_set(err, said->code, "%s", said->message);
		err->sys = said->sys;
	}
	memcpy(err->member, said->member, sizeof(err->member));
	err->line = said->line;
	err->column = said->column;
	err->offset = said->offset;
	return (enum rt_status)finish->status;
}

static void take_finish(struct rt_worker *worker)
{
	struct rt_frame_finish finish = {.status = RT_OK};
	int code;

	if (worker->left != sizeof(finish))
		broken(worker);
	frame_take(worker, &finish, sizeof(finish));
	if (worker->status != RT_OK)
		return;
	worker->progress = finish.progress;
	code = (int)finish.err.code;
	if (finish.status == RT_OK && !worker->in_part)
		stop(worker, RT_END);
	else if ((finish.status != RT_REJECT && finish.status != RT_FATAL) || code <= RT_E_NONE ||
		 code > RT_E_NOMEM)
		broken(worker);
	else
		stop(worker, take_failure(worker, &finish));
}

/* Act on the frame that has begun, but for a part's beginning, bytes and end. */
static void take_frame(struct rt_worker *worker)
{
	switch (worker->frame.type) {
	case RT_FRAME_MARKS:
		take_marks(worker);
		break;
	case RT_FRAME_UNREAD:
		take_unread(worker);
		break;
	case RT_FRAME_PROGRESS:
		take_progress(worker);
		break;
	case RT_FRAME_PULL:
		feed(worker);
		break;
	case RT_FRAME_FINISH:
		take_finish(worker);
		break;
	default:
		broken(worker);
	}
}

/* Go to the next frame of a part, or to what is left of the current one. err: of all that follows.
 * Returns whether there is one. */
static bool next_frame(struct rt_worker *worker, struct rt_error *err)
{
	worker->err = err;
	while (worker->status == RT_OK && !worker->in_frame) {
		worker->left = sizeof(worker->frame);
		frame_take(worker, &worker->frame, sizeof(worker->frame));
		worker->left = worker->frame.len;
		if (worker->frame.len > RT_FRAME_MAX)
			broken(worker);
		worker->in_frame = worker->frame.type == RT_FRAME_BEGIN ||
				   worker->frame.type == RT_FRAME_DATA ||
				   worker->frame.type == RT_FRAME_END;
		if (worker->status == RT_OK && !worker->in_frame)
			take_frame(worker);
	}
	return worker->status == RT_OK;
}

/* --- Parts ------------------------------------------------------------------------------------ */

enum rt_status rt_worker_read(struct rt_worker *worker, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	if (!worker->in_part)
		return RT_END;
	if (!next_frame(worker, err))
		return worker->status;
	if (worker->frame.type == RT_FRAME_END && !worker->left) {
		worker->in_part = worker->in_frame = false;
		return RT_END;
	}
	if (worker->frame.type != RT_FRAME_DATA || !worker->left)
		broken(worker);
	*ret_len = frame_read(worker, buf, cap);
	worker->in_frame = worker->left > 0;
	worker->delivered += *ret_len;
	if (worker->delivered > worker->delivered_max)
		broken(worker);
	return worker->status;
}

enum rt_status rt_worker_next(struct rt_worker *worker, char *name, size_t cap,
			      struct rt_error *err)
{
	size_t len;

	while (worker->in_part && worker->status == RT_OK)
		(void)rt_worker_read(worker, NULL, RT_FRAME_MAX, &len, err);
	if (!next_frame(worker, err))
		return worker->status;
	if (worker->frame.type != RT_FRAME_BEGIN)
		broken(worker);
	else
		worker->in_part = true;
	worker->in_frame = false;
	take_text(worker, name, cap);
	return worker->status;
}

enum rt_status rt_worker_count(struct rt_worker *worker, uint32_t *ret_parts, struct rt_error *err)
{
	char name[sizeof(err->member)] = "";
	uint32_t parts = 0;

	while (rt_worker_next(worker, name, sizeof(name), err) == RT_OK) {
		/* More than any limit lets through, from a child that lies. */
		if (parts++ == UINT32_MAX)
			broken(worker);
	}
	if (worker->status < 0 && worker->in_part)
		rt_error_at(err, NULL, name);
	*ret_parts = parts;
	return worker->status == RT_END ? RT_OK : worker->status;
}

uint64_t rt_worker_expanded(const struct rt_worker *worker)
{
	uint64_t claimed = worker->progress.expanded;

	return claimed < worker->expanded_left ? claimed : worker->expanded_left;
}

void rt_worker_stop(struct rt_worker *worker)
{
	(void)rt_child_end(&worker->child);
	worker->in_part = false;
	worker->in_frame = false;
}
