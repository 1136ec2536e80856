/*
 * Starts a process that unpacks, and is it: takes its job, gives up all that it does not need, and
 * runs it.
 */
#include "source/child.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/forker.h"
#include "base/sandbox.h"

/* Whether standard error is kept: sanitizers report there. */
#ifdef RT_SANITIZED
static const bool reports = true;
#else
static const bool reports = false;
#endif

/* A job as it is sent: what it points to comes with it: the patches, and then texts, each with
 * its NUL. */
struct message {
	struct rt_job job;
	struct rt_limits limits;
	struct rt_patches patches;
	uint8_t has_below;
	uint64_t include_count, exclude_count;
	uint64_t len; /* bytes behind */
};

/* --- Starting ----------------------------------------------------------------------------- */

static enum rt_status pack(const struct rt_job *job, struct rt_buf *packed, struct rt_error *err)
{
	static const struct rt_choice any;
	static const struct rt_patches none;
	const struct rt_choice *choice = job->decode.choice ? job->decode.choice : &any;
	const struct rt_patches *patches = job->patches ? job->patches : &none;
	const struct {
		const char *const *texts;
		size_t count;
	} all[] = {{&job->decode.below, job->decode.below != NULL},
		   {choice->include, choice->include_count},
		   {choice->exclude, choice->exclude_count}};
	struct message message;
	enum rt_status status;

	/* Its gaps are sent too. */
	memset(&message, 0, sizeof(message));
	message.job = *job;
	message.limits = *job->decode.limits;
	message.patches = *patches;
	message.has_below = job->decode.below != NULL;
	message.include_count = choice->include_count;
	message.exclude_count = choice->exclude_count;
	status = RT_BUF_PUT(packed, err, rt_slice_make((const char *)&message, sizeof(message)),
			    rt_buf_slice(&patches->items), rt_buf_slice(&patches->text));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t k = 0; status == RT_OK && k < all[i].count; k++)
			status = rt_buf_append(packed, all[i].texts[k], strlen(all[i].texts[k]) + 1,
					       err);
	}
	if (status != RT_OK)
		return status;
	message.len = packed->len - sizeof(message);
	memcpy(packed->data, &message, sizeof(message));
	return RT_OK;
}

static bool send_all(int sock, const char *data, size_t len)
{
	while (len) {
		ssize_t put = send(sock, data, len, MSG_NOSIGNAL);

		if (put < 0 && errno != EINTR)
			return false;
		data += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

enum rt_status rt_child_start(const struct rt_job *job, struct rt_child *ret_child,
			      struct rt_error *err)
{
	const struct timeval stall = {.tv_sec = RT_CHILD_STALL_S};
	struct rt_buf packed = {0};
	enum rt_status status = pack(job, &packed, err);
	int socks[2], fds[RT_JOB_FDS];

	*ret_child = (struct rt_child){0, -1};
	if (status != RT_OK)
		goto out;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) != 0) {
		status = rt_error_sys(err, errno, "cannot make a socket pair");
		goto out;
	}
	(void)setsockopt(socks[0], SOL_SOCKET, SO_RCVTIMEO, &stall, sizeof(stall));
	memcpy(fds, job->fds, sizeof(fds));
	fds[RT_JOB_SOCK] = socks[1];
	ret_child->pid = rt_forker_fork(rt_child_main, fds, job->needs_late);
	ret_child->sock = socks[0];
	/* Its end is its own: else nobody would notice here that it has gone. */
	(void)close(socks[1]);
	/* A child that is gone before it has its job has said why. */
	if (ret_child->pid < 0 ||
	    (!send_all(socks[0], packed.data, packed.len) && errno != EPIPE && errno != ECONNRESET))
		status = rt_error_sys(err, errno, "cannot start a process to unpack the file");
out:
	if (status != RT_OK)
		(void)rt_child_end(ret_child);
	rt_buf_release(&packed);
	return status;
}

int rt_child_end(struct rt_child *child)
{
	int status = -1;

	/* One that waits to write notices this. */
	if (child->pid)
		(void)close(child->sock);
	if (child->pid > 0)
		status = rt_forker_end(child->pid);
	*child = (struct rt_child){0, -1};
	return status;
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void write_all(int sock, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t put = write(sock, at, len);

		/* There is nothing left to do, and nobody to say so to. */
		if (put < 0 && errno != EINTR)
			_exit(1);
		at += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
}

void rt_frames_flush(struct rt_frames *frames)
{
	write_all(frames->sock, frames->block, frames->len);
	frames->len = 0;
}

void rt_frames_put(void *ctx, enum rt_frame_type type, const void *data, size_t len)
{
	struct rt_frames *frames = ctx;
	struct rt_frame head = {type, (uint32_t)len};

	if (sizeof(head) + len > sizeof(frames->block) - frames->len)
		rt_frames_flush(frames);
	memcpy(frames->block + frames->len, &head, sizeof(head));
	if (len)
		memcpy(frames->block + frames->len + sizeof(head), data, len);
	frames->len += sizeof(head) + len;
}

/* Say how far it is. */
static void tell_progress(void *ctx, const struct rt_progress *progress)
{
	const struct rt_frame_progress said = {progress->consumed, progress->expanded};

	rt_frames_put(ctx, RT_FRAME_PROGRESS, &said, sizeof(said));
	rt_frames_flush(ctx);
}

/* Fill a buffer from the socket. Returns false at its end. */
static bool take_all(int sock, void *buf, size_t len)
{
	uint8_t *at = buf;

	while (len) {
		ssize_t got = read(sock, at, len);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		at += got > 0 ? got : 0;
		len -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Have the next bytes of the source sent. */
static void ask(struct rt_frames *frames)
{
	const struct rt_frame head = {RT_FRAME_PULL, 0};

	rt_frames_flush(frames);
	write_all(frames->sock, &head, sizeof(head));
	if (!take_all(frames->sock, &frames->source, sizeof(frames->source)) ||
	    frames->source.len > sizeof(frames->bytes) ||
	    !take_all(frames->sock, frames->bytes, frames->source.len))
		_exit(1);
	frames->source_at = 0;
}

/* Read the next bytes of the source. */
static enum rt_status source_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_frames *frames = ctx;
	size_t left;

	if (frames->source.status == RT_OK && frames->source_at == frames->source.len)
		ask(frames);
	if (frames->source.status == RT_END)
		return RT_END;
	if (frames->source.status != RT_OK)
		return rt_error_set(err, RT_E_IO, "cannot read the file");
	left = frames->source.len - frames->source_at;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, frames->bytes + frames->source_at, *ret_len);
	frames->source_at += (uint32_t)*ret_len;
	return RT_OK;
}

/* --- The child ------------------------------------------------------------------------------- */

/*
 * Put the descriptors where each of them always is, and close all others. Those that the forker has
 * received are in order, and none is above its place; others are brought out of the way first.
 */
static bool place(int fds[RT_JOB_FDS])
{
	bool is_dense = true;

	for (int i = 0; i < RT_JOB_FDS; i++)
		is_dense &= fds[i] <= RT_JOB_FD_FIRST + i;
	for (int i = 0; i < RT_JOB_FDS && !is_dense; i++) {
		if (fds[i] >= 0 &&
		    (fds[i] = fcntl(fds[i], F_DUPFD, RT_JOB_FD_FIRST + RT_JOB_FDS)) < 0)
			return false;
	}
	for (int i = RT_JOB_FDS; i-- > 0;) {
		if (fds[i] < 0)
			(void)close(RT_JOB_FD_FIRST + i);
		else if (dup2(fds[i], RT_JOB_FD_FIRST + i) < 0)
			return false;
		else
			fds[i] = RT_JOB_FD_FIRST + i;
	}
	(void)close_range(0, reports ? STDERR_FILENO - 1 : STDERR_FILENO, 0);
	(void)close_range(RT_JOB_FD_FIRST + RT_JOB_FDS, ~0u, 0);
	return true;
}

/* Be as a fresh process is: without others' signals and environment. */
static void begin(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	/* A spool that reaches its bound is EFBIG and a message. */
	(void)signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (char **each = environ; each && *each; each++)
		memset(*each, 0, strlen(*each));
	(void)clearenv();
	(void)prctl(PR_SET_NAME, "retriage-unpack");
}

/* Point the job to what has come with it. Returns false where that does not add up. */
static bool unpack(struct message *message, char *data, struct rt_choice *choice)
{
	struct rt_patches *patches = &message->patches;
	size_t count = (size_t)(message->include_count + message->exclude_count);
	const char **globs = calloc(count + 1, sizeof(*globs)), *at;

	if (!globs)
		return false;
	patches->items.data = data;
	patches->text.data = data + patches->items.len;
	at = patches->text.data + patches->text.len;
	message->job.patches = patches;
	message->job.decode.limits = &message->limits;
	message->job.decode.choice = choice;
	message->job.decode.below = message->has_below ? at : NULL;
	if (message->has_below)
		at += strlen(at) + 1;
	for (size_t i = 0; i < count; i++) {
		globs[i] = at;
		at += strlen(at) + 1;
	}
	*choice = (struct rt_choice){
	    .include = globs,
	    .include_count = (size_t)message->include_count,
	    .exclude = globs + message->include_count,
	    .exclude_count = (size_t)message->exclude_count,
	};
	return at == data + message->len;
}

/* Take the job and what it needs of the system, and give up the rest. */
static bool enter(const int fds[RT_JOB_FDS], struct message *message, pid_t parent)
{
	static struct rt_choice choice;
	struct rt_job *job = &message->job;
	char *data;

	if (!take_all(fds[RT_JOB_SOCK], message, sizeof(*message)) ||
	    !(data = malloc((size_t)message->len + 1)) ||
	    !take_all(fds[RT_JOB_SOCK], data, (size_t)message->len) ||
	    !unpack(message, data, &choice))
		return false;
	memcpy(job->fds, fds, sizeof(job->fds));
	job->decode.fd = fds[RT_JOB_FILE];
	job->decode.spool_fd = fds[RT_JOB_SPOOL];
	return rt_sandbox_enter(parent, RT_JOB_FD_FIRST + RT_JOB_FILE, job->memory_bytes,
				job->file_bytes);
}

void rt_child_main(const int given[RT_JOB_FDS], pid_t parent)
{
	struct rt_frames *frames = calloc(1, sizeof(*frames));
	struct message *message = calloc(1, sizeof(*message));
	int fds[RT_JOB_FDS];
	struct rt_progress progress = {.tell = tell_progress, .ctx = frames};
	struct rt_frame_finish finish = {.status = RT_FATAL};

	memcpy(fds, given, sizeof(fds));
	begin();
	if (!frames || !message || !place(fds))
		_exit(RT_CHILD_UNFIT);
	frames->sock = fds[RT_JOB_SOCK];
	/* libarchive has no name for UTF-8 members in the C locale. */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		(void)setlocale(LC_CTYPE, "en_US.UTF-8");
	errno = 0;
	if (enter(fds, message, parent)) {
		message->job.decode.say = (struct rt_say){rt_frames_put, frames};
		message->job.decode.source = (struct rt_pull){source_read, frames};
		message->job.decode.meter.progress = &progress;
		finish.status = message->job.run(&message->job, frames, &finish.err);
	} else {
		(void)rt_error_sys(&finish.err, errno, "cannot confine the unpacking process");
	}
	finish.progress = (struct rt_frame_progress){progress.consumed, progress.expanded};
	rt_frames_put(frames, RT_FRAME_FINISH, &finish, sizeof(finish));
	rt_frames_flush(frames);
	_exit(0);
}
