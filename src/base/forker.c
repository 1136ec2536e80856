/*
 * The forker, and what it does: requests of fixed size from the program that it is a copy of, and
 * one answer each, over a socket. Both may carry descriptors.
 */
#include "base/forker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/late.h"

enum task { TASK_FORK, TASK_END, TASK_UNNAMED };

/* A request and its answer. */
struct message {
	enum task task;
	int32_t process; /* of TASK_END */
	int32_t result;  /* a process, a wait status or 0; -1: it failed */
	int32_t sys;
	/* Of TASK_FORK: a bit for each descriptor that comes with it. */
	uint32_t given, needs_late;
};

/* The socket to it; -1: there is none, or this is it. One request at a time. */
static struct {
	int sock;
	pid_t pid;
	pthread_mutex_t lock;
} own = {.sock = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Messages ------------------------------------------------------------------------------ */

union room {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(RT_FORKER_FDS * sizeof(int))];
};

static bool send_message(int sock, struct message *data, const int *fds, size_t count)
{
	struct iovec part = {data, sizeof(*data)};
	union room room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t put;

	if (count) {
		message.msg_control = room.bytes;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fds));
		room.head.cmsg_level = SOL_SOCKET;
		room.head.cmsg_type = SCM_RIGHTS;
		room.head.cmsg_len = CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(&room.head), fds, count * sizeof(*fds));
	}
	do {
		put = sendmsg(sock, &message, MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	return put == (ssize_t)sizeof(*data);
}

/* Take a message and the descriptors with it. Returns false with errno set. */
static bool take_message(int sock, struct message *data, int fds[RT_FORKER_FDS], size_t *ret_count)
{
	struct iovec part = {data, sizeof(*data)};
	union room room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = room.bytes,
				 .msg_controllen = sizeof(room.bytes)};
	const struct cmsghdr *rights;
	ssize_t got;

	*ret_count = 0;
	do {
		got = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	rights = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (rights && rights->cmsg_type == SCM_RIGHTS) {
		*ret_count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(*fds);
		memcpy(fds, CMSG_DATA(rights), *ret_count * sizeof(*fds));
	}
	/* The rest did not fit under the limit on descriptors. */
	if (got == (ssize_t)sizeof(*data) && !(message.msg_flags & MSG_CTRUNC))
		return true;
	if (got >= 0)
		errno = message.msg_flags & MSG_CTRUNC ? EMFILE : EPIPE;
	return false;
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)close(fds[i]);
}

/* --- What it does ---------------------------------------------------------------------------- */

static pid_t fork_child(rt_forker_child *child, const int fds[RT_FORKER_FDS], bool needs_late)
{
	pid_t parent = getpid(), pid;
	struct rt_error err;

	/* Once for all children, which could not, and say which of them they miss. */
	if (needs_late) {
		(void)rt_late_load(RT_LATE_LIBARCHIVE, &err);
		(void)rt_late_load(RT_LATE_LIBZIP, &err);
	}
	pid = fork();
	if (pid == 0)
		child(fds, parent);
	return pid;
}

static int end_child(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};
	int status = -1;
	pid_t got;

	/* Its number is not another's before it has been waited for; where SIGCHLD is ignored, or
	 * somebody else has waited, it may be. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return -1;
	(void)kill(pid, SIGKILL);
	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	return got == pid ? status : -1;
}

static int open_in(const char *folder)
{
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system can: there it has a name for a moment. */
	if (snprintf(path, sizeof(path), "%s/retriage-XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

static int open_unnamed(void)
{
	const char *folders[] = {secure_getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (folders[i] && folders[i][0])
			fd = open_in(folders[i]);
	}
	return fd;
}

/* --- The forker ------------------------------------------------------------------------------ */

/* Do what a request asks, which becomes its answer. Returns a descriptor for it, or -1. */
static int serve(rt_forker_child *child, struct message *message, const int *fds, size_t count)
{
	int placed[RT_FORKER_FDS], fd = -1;
	size_t next = 0;

	errno = 0;
	switch (message->task) {
	case TASK_FORK:
		for (unsigned i = 0; i < RT_FORKER_FDS; i++)
			placed[i] = message->given & 1u << i && next < count ? fds[next++] : -1;
		message->result = fork_child(child, placed, message->needs_late != 0);
		break;
	case TASK_END:
		message->result = end_child(message->process);
		break;
	case TASK_UNNAMED:
		fd = open_unnamed();
		message->result = fd < 0 ? -1 : 0;
		break;
	}
	message->sys = errno;
	return fd;
}

/* Keep the socket and standard error, and nothing that somebody could wait for the end of. */
static bool forker_begin(int sock, pid_t parent)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		return false;
	(void)prctl(PR_SET_NAME, "retriage-forker");
	/* Its program may want to finish something first. */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	if (dup2(sock, STDIN_FILENO) < 0)
		return false;
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	(void)close_range(STDERR_FILENO + 1, ~0u, 0);
	return true;
}

__attribute__((noreturn)) static void forker_main(rt_forker_child *child, int sock, pid_t parent)
{
	struct message message;
	bool goes_on = forker_begin(sock, parent);
	int fds[RT_FORKER_FDS];
	size_t count;

	while (goes_on) {
		int fd = -1;

		if (take_message(STDIN_FILENO, &message, fds, &count))
			fd = serve(child, &message, fds, count);
		else if (errno == EMFILE)
			message = (struct message){.result = -1, .sys = EMFILE};
		else
			break;
		close_all(fds, count);
		goes_on = send_message(STDIN_FILENO, &message, &fd, fd >= 0);
		if (fd >= 0)
			(void)close(fd);
	}
	_exit(0);
}

/* Have it end before its program does: it is in the same folder, which somebody may want to unmount
 * next. */
static void dismiss(void)
{
	(void)close(own.sock);
	while (waitpid(own.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

enum rt_status rt_forker_start(rt_forker_child *child, struct rt_error *err)
{
	pid_t parent = getpid(), pid;
	int socks[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return rt_error_sys(err, errno, "cannot make a socket pair");
	pid = fork();
	if (pid == 0)
		forker_main(child, socks[1], parent);
	if (pid < 0)
		(void)rt_error_sys(err, errno, "cannot start a process");
	(void)close(socks[1]);
	if (pid < 0) {
		(void)close(socks[0]);
		return RT_FATAL;
	}
	own.sock = socks[0];
	own.pid = pid;
	(void)atexit(dismiss);
	return RT_OK;
}

/* --- The program's side -------------------------------------------------------------------- */

/*
 * Ask, and wait for the answer. ret_fd: the descriptor that came with it, or -1. Returns the
 * answer's result; -1 with errno set where that is a failure.
 */
static int32_t ask(struct message *message, const int *fds, size_t count, int *ret_fd)
{
	int got[RT_FORKER_FDS] = {-1};
	size_t got_count = 0;
	bool answered;

	(void)pthread_mutex_lock(&own.lock);
	answered = send_message(own.sock, message, fds, count) &&
		   take_message(own.sock, message, got, &got_count);
	(void)pthread_mutex_unlock(&own.lock);
	*ret_fd = answered && got_count == 1 ? got[0] : -1;
	if (*ret_fd < 0)
		close_all(got, got_count);
	if (answered && message->result < 0)
		errno = message->sys ? message->sys : EIO;
	return answered ? message->result : -1;
}

pid_t rt_forker_fork(rt_forker_child *child, const int fds[RT_FORKER_FDS], bool needs_late)
{
	struct message message = {.task = TASK_FORK, .needs_late = needs_late};
	int given[RT_FORKER_FDS], none;
	size_t count = 0;

	if (own.sock < 0)
		return fork_child(child, fds, needs_late);
	for (unsigned i = 0; i < RT_FORKER_FDS; i++) {
		if (fds[i] >= 0) {
			message.given |= 1u << i;
			given[count++] = fds[i];
		}
	}
	return ask(&message, given, count, &none);
}

int rt_forker_end(pid_t pid)
{
	struct message message = {.task = TASK_END, .process = pid};
	int none;

	return own.sock < 0 ? end_child(pid) : ask(&message, NULL, 0, &none);
}

int rt_unnamed_open(void)
{
	struct message message = {.task = TASK_UNNAMED};
	int fd;

	if (own.sock < 0)
		return open_unnamed();
	if (ask(&message, NULL, 0, &fd) >= 0 && fd < 0)
		errno = EMFILE;
	return fd;
}
