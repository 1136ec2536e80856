/*
 * Does what a confined process must not. Input: requests of fixed size from the process that it was
 * copied from, each with a descriptor at most. Output: one answer each, likewise.
 * Refuses to kill what is no child of its parent, and whatever is no request of the four kinds.
 */
#include "base/attendant.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

enum task { TASK_LAUNCH, TASK_HOLDER, TASK_UNNAMED, TASK_KILL };

struct request {
	uint32_t task;
	int32_t pid; /* TASK_KILL */
	uint64_t device, inode;
};

struct reply {
	int32_t result; /* a process or 0; -1: it failed */
	int32_t code, sys;
	char text[256]; /* the message of a failure, or a holder */
};

/* The socket to it; -1: none. One request at a time. */
static struct {
	bool serves;
	int sock;
	pid_t pid;
	pthread_mutex_t lock;
} own = {.sock = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Messages ------------------------------------------------------------------------------ */

/* Send len bytes as one message, with a descriptor (-1: none). */
static bool send_message(int sock, void *data, size_t len, int fd)
{
	struct iovec part = {data, len};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t put;

	if (fd >= 0) {
		message.msg_control = room.bytes;
		message.msg_controllen = sizeof(room.bytes);
		room.align.cmsg_level = SOL_SOCKET;
		room.align.cmsg_type = SCM_RIGHTS;
		room.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&room.align), &fd, sizeof(fd));
	}
	do {
		put = sendmsg(sock, &message, MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	return put == (ssize_t)len;
}

/* Take a message of len bytes. ret_fd: the descriptor that came with it, or -1. */
static bool take_message(int sock, void *data, size_t len, int *ret_fd)
{
	struct iovec part = {data, len};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = room.bytes,
				 .msg_controllen = sizeof(room.bytes)};
	const struct cmsghdr *rights;
	ssize_t got;

	*ret_fd = -1;
	do {
		got = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	rights = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (rights && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(rights), sizeof(*ret_fd));
	if (got == (ssize_t)len)
		return true;
	if (*ret_fd >= 0)
		(void)close(*ret_fd);
	*ret_fd = -1;
	return false;
}

/* --- The attendant ------------------------------------------------------------------------- */

/* Whether a process is a child of parent. It may have ended, and be another by now. */
static bool is_child(pid_t pid, pid_t parent)
{
	char path[64], text[512];
	const char *behind;
	int fd;
	ssize_t got;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : rt_read_at(fd, text, sizeof(text) - 1, -1);
	if (fd >= 0)
		(void)close(fd);
	text[got > 0 ? got : 0] = '\0';
	/* "4711 (name) S 1 ...", where a name may hold anything. */
	behind = strrchr(text, ')');
	return behind && strlen(behind) > 4 && strtol(behind + 4, NULL, 10) == parent;
}

/* The descriptor is taken before the look, so that what is killed is what was looked at. */
static void kill_child(pid_t pid, pid_t parent)
{
	int fd = pid > 1 ? pidfd_open(pid, 0) : -1;

	if (fd >= 0 && is_child(pid, parent))
		(void)pidfd_send_signal(fd, SIGKILL, NULL, 0);
	else if (fd < 0 && errno == ENOSYS && pid > 1 && is_child(pid, parent))
		(void)kill(pid, SIGKILL);
	if (fd >= 0)
		(void)close(fd);
}

static void launch(const struct rt_attendant_duties *duties, int sock, struct reply *reply)
{
	struct rt_error err = {.code = RT_E_NONE};

	reply->result = sock < 0 ? -1 : (int32_t)duties->launch(sock, true, &err);
	reply->code = (int32_t)err.code;
	reply->sys = err.sys;
	rt_error_text(reply->text, sizeof(reply->text),
		      rt_slice_make(err.message, strlen(err.message)));
}

/* Do what a request asks. Returns a descriptor for the answer, or -1. */
static int attend(const struct rt_attendant_duties *duties, const struct request *request,
		  pid_t parent, int fd, struct reply *reply)
{
	int result = -1;

	switch (request->task) {
	case TASK_LAUNCH:
		launch(duties, fd, reply);
		break;
	case TASK_HOLDER:
		duties->name_holder((dev_t)request->device, (ino_t)request->inode, reply->text,
				    sizeof(reply->text));
		break;
	case TASK_UNNAMED:
		result = duties->open_unnamed();
		reply->result = result < 0 ? -1 : 0;
		reply->sys = result < 0 ? errno : 0;
		break;
	case TASK_KILL:
		kill_child(request->pid, parent);
		break;
	default:
		reply->result = -1;
		reply->sys = EINVAL;
	}
	return result;
}

/* Keep the socket and standard error, and nothing that somebody could wait for the end of. */
static bool attendant_begin(int sock, pid_t parent)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		return false;
	(void)prctl(PR_SET_NAME, "retriage-attend");
	/* Its program may want to finish something first. */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	if (dup2(sock, STDIN_FILENO) < 0)
		return false;
	(void)close(STDOUT_FILENO);
	(void)close_range(STDERR_FILENO + 1, ~0u, 0);
	return true;
}

__attribute__((noreturn)) static void attendant_main(const struct rt_attendant_duties *duties,
						     int sock, pid_t parent)
{
	struct request request = {.task = TASK_LAUNCH};
	bool goes_on = attendant_begin(sock, parent);
	int fd = -1;

	while (goes_on && take_message(STDIN_FILENO, &request, sizeof(request), &fd)) {
		struct reply reply = {.result = 0};
		int given = attend(duties, &request, parent, fd, &reply);

		goes_on = send_message(STDIN_FILENO, &reply, sizeof(reply), given);
		if (fd >= 0)
			(void)close(fd);
		if (given >= 0)
			(void)close(given);
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

enum rt_status rt_attendant_start(const struct rt_attendant_duties *duties, struct rt_error *err)
{
	pid_t parent = getpid(), pid;
	int socks[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return rt_error_sys(err, errno, "cannot make a socket pair");
	pid = fork();
	if (pid == 0)
		attendant_main(duties, socks[1], parent);
	if (pid < 0)
		(void)rt_error_sys(err, errno, "cannot start a process");
	(void)close(socks[1]);
	if (pid < 0) {
		(void)close(socks[0]);
		return RT_FATAL;
	}
	own.serves = true;
	own.sock = socks[0];
	own.pid = pid;
	(void)atexit(dismiss);
	return RT_OK;
}

/* --- The program's side -------------------------------------------------------------------- */

void rt_attendant_do_without(void)
{
	own.serves = true;
}

bool rt_attendant_serves(void)
{
	return own.serves;
}

/* Ask, and wait for the answer. false with errno set where there is none. */
static bool ask(struct request *request, int fd, struct reply *reply, int *ret_fd)
{
	bool answered;

	errno = EPERM;
	if (own.sock < 0)
		return false;
	(void)pthread_mutex_lock(&own.lock);
	errno = EPIPE;
	answered = send_message(own.sock, request, sizeof(*request), fd) &&
		   take_message(own.sock, reply, sizeof(*reply), ret_fd);
	(void)pthread_mutex_unlock(&own.lock);
	return answered;
}

pid_t rt_attendant_launch(int sock, struct rt_error *err)
{
	struct request request = {.task = TASK_LAUNCH};
	struct reply reply = {.result = -1};
	int fd;

	if (!ask(&request, sock, &reply, &fd)) {
		(void)rt_error_sys(err, errno, "cannot start a decoder process");
		return -1;
	}
	reply.text[sizeof(reply.text) - 1] = '\0';
	if (reply.result < 0) {
		(void)rt_error_set(err, (enum rt_code)reply.code, "%s", reply.text);
		err->sys = reply.sys;
	}
	return (pid_t)reply.result;
}

bool rt_attendant_name_holder(const struct stat *file, char *text, size_t cap)
{
	struct request request = {
	    .task = TASK_HOLDER, .device = file->st_dev, .inode = file->st_ino};
	struct reply reply = {.result = -1};
	int fd;

	if (!ask(&request, -1, &reply, &fd))
		return false;
	reply.text[sizeof(reply.text) - 1] = '\0';
	(void)snprintf(text, cap, "%s", reply.text);
	return true;
}

int rt_attendant_open_unnamed(void)
{
	struct request request = {.task = TASK_UNNAMED};
	struct reply reply = {.result = -1};
	int fd = -1;

	if (own.sock < 0)
		return memfd_create("retriage", MFD_CLOEXEC);
	if (!ask(&request, -1, &reply, &fd))
		return -1;
	if (fd < 0)
		errno = reply.sys ? reply.sys : EIO;
	return fd;
}

void rt_attendant_kill(pid_t child)
{
	struct request request = {.task = TASK_KILL, .pid = (int32_t)child};
	struct reply reply = {.result = -1};
	int fd;

	(void)ask(&request, -1, &reply, &fd);
}
