/*
 * Starts the decoder's program and hands jobs to it. Input: the program's bytes; jobs. Output:
 * running children. The program is written to a memory file that is sealed, and executed from
 * there: no file of that name has to be found, or could be exchanged.
 * Refuses nothing by itself; what the system refuses is said by its name.
 */
#include "source/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attendant.h"
#include "base/error.h"
#include "base/io.h"
#include "source/image.h"

/* New kernels want to be told that a memory file is a program; old ones do not know the word. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

/* What of the environment the program gets: what the dynamic loader reads, and the sanitizers where
 * it is built with them. Who can set these of this process has it in hand anyway. */
static const char *const passed[] = {
    "LD_",
#ifdef RT_SANITIZED
    "ASAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",
#endif
};
#define PASSED_MAX 64u

static bool is_passed(const char *variable)
{
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		if (strncmp(variable, passed[i], strlen(passed[i])) == 0)
			return true;
	}
	return false;
}

static void choose_environment(char *environment[PASSED_MAX + 1])
{
	size_t count = 0;

	for (char **each = environ; each && *each && count < PASSED_MAX; each++) {
		if (is_passed(*each))
			environment[count++] = *each;
	}
	environment[count] = NULL;
}

/* The program as a file. Returns its descriptor or -1 with err set. */
static int make_program(struct rt_error *err)
{
	static const char name[] = "retriage-decoder";
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags);
	if (fd < 0) {
		(void)rt_error_sys(err, errno,
				   "cannot make the decoder's program (memfd_create, which "
				   "vm.memfd_noexec may forbid)");
		return -1;
	}
	if (rt_write_all(fd, rt_image, (size_t)rt_image_len, "cannot write the decoder's program",
			 err) == RT_OK) {
		if (fcntl(fd, F_ADD_SEALS,
			  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
			return fd;
		(void)rt_error_sys(err, errno, "cannot seal the decoder's program");
	}
	close(fd);
	return -1;
}

/*
 * In the forked process: become the program, with its socket as descriptor 0 and standard error,
 * on which the loader says what it misses. program, sock: 3 or more. Only calls that are safe after
 * a fork from one of several threads.
 */
__attribute__((noreturn)) static void become(int program, int sock, char *const *environment)
{
	char name[] = "retriage-decoder";
	char *arguments[] = {name, NULL};
	struct rt_job_reply reply = {0, 0};

	if (dup2(sock, STDIN_FILENO) == STDIN_FILENO)
		(void)execveat(program, "", arguments, environment, AT_EMPTY_PATH);
	reply.sys = errno;
	(void)!write(sock, &reply, sizeof(reply));
	_exit(127);
}

/* Descriptors below 3 are the program's standard ones, even where the caller has closed them.
 * Returns the descriptor, or -1 with errno set. */
static int move_up(int fd)
{
	int moved, sys;

	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	sys = errno;
	close(fd);
	errno = sys;
	return moved;
}

pid_t rt_launcher_start(int sock, bool is_attendant, struct rt_error *err)
{
	char *environment[PASSED_MAX + 1];
	int made = make_program(err), program = made < 0 ? -1 : move_up(made);
	pid_t pid;

	if (made < 0)
		return -1;
	if (program < 0) {
		(void)rt_error_sys(err, errno, "cannot start a decoder process");
		return -1;
	}
	choose_environment(environment);
	/* An attendant has one thread, so that a copy of the process is whole. */
	pid = is_attendant
		  ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL)
		  : fork();
	if (pid == 0)
		become(program, sock, environment);
	if (pid < 0)
		(void)rt_error_sys(err, errno, "cannot start a decoder process");
	close(program);
	return pid;
}

static enum rt_status launcher_start(struct rt_launcher *launcher, struct rt_error *err)
{
	int socks[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) != 0)
		return rt_error_sys(err, errno, "cannot make a socket pair");
	socks[1] = move_up(socks[1]);
	if (socks[1] < 0) {
		(void)rt_error_sys(err, errno, "cannot start a decoder process");
		close(socks[0]);
		return RT_FATAL;
	}
	pid = rt_attendant_serves() ? rt_attendant_launch(socks[1], err)
				    : rt_launcher_start(socks[1], false, err);
	if (pid > 0)
		rt_child_watch(&launcher->child, pid, socks[0]);
	else
		close(socks[0]);
	close(socks[1]);
	return pid > 0 ? RT_OK : RT_FATAL;
}

/* --- Jobs -------------------------------------------------------------------------------- */

/* Send a head with the job's descriptors. */
static ssize_t send_head(int sock, struct rt_job_head *head, const struct rt_job *job)
{
	struct iovec part = {head, sizeof(*head)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(RT_JOB_FDS * sizeof(int))];
	} room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes};
	struct cmsghdr *rights = &room.align;
	size_t count = 0;
	int *fds = (int *)(void *)CMSG_DATA(rights);
	ssize_t put;

	for (unsigned i = 0; i < RT_JOB_FDS; i++) {
		if (job->fds[i] < 0)
			continue;
		head->given |= 1u << i;
		fds[count++] = job->fds[i];
	}
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(count * sizeof(int));
	message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	do {
		put = sendmsg(sock, &message, MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	return put;
}

/* Send bytes to the launcher, or take them from it; false with errno set, or 0 at the end. */
static bool pass(int sock, void *data, size_t len, bool is_sent)
{
	char *at = data;

	while (len) {
		ssize_t done =
		    is_sent ? send(sock, at, len, MSG_NOSIGNAL) : recv(sock, at, len, MSG_WAITALL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = 0;
		if (done <= 0)
			return false;
		at += done;
		len -= (size_t)done;
	}
	return true;
}

/* Send a job, and take the answer to it. */
static bool exchange(int sock, const struct rt_job *job, struct rt_buf *message,
		     struct rt_job_reply *reply)
{
	struct rt_job_head head = {.len = message->len};

	/* So small a message is not parted. */
	return send_head(sock, &head, job) == (ssize_t)sizeof(head) &&
	       pass(sock, message->data, message->len, true) &&
	       pass(sock, reply, sizeof(*reply), false);
}

/* The launcher does not answer: it has ended. What it may have said before counts. */
static enum rt_status launcher_blame(struct rt_launcher *launcher, int sys, struct rt_error *err)
{
	struct rt_job_reply reply = {0, 0};

	if (sys == EPIPE && pass(launcher->child.sock, &reply, sizeof(reply), false) && reply.sys)
		sys = reply.sys;
	rt_launcher_release(launcher);
	if (sys && sys != EPIPE && sys != ECONNRESET)
		return rt_error_sys(err, sys, "cannot start a decoder process");
	return rt_error_set(err, RT_E_IO, "cannot start a decoder process: its program has ended");
}

enum rt_status rt_launcher_run(struct rt_launcher *launcher, const struct rt_job *job,
			       pid_t *ret_pid, struct rt_error *err)
{
	struct rt_job_reply reply = {0, 0};
	struct rt_buf message = {0};
	enum rt_status status = rt_job_pack(job, &message, err);

	if (status == RT_OK && !launcher->child.pid)
		status = launcher_start(launcher, err);
	if (status == RT_OK && !exchange(launcher->child.sock, job, &message, &reply))
		status = launcher_blame(launcher, errno, err);
	else if (status == RT_OK && !reply.pid)
		status = rt_error_sys(err, reply.sys, "cannot start a decoder process");
	rt_buf_release(&message);
	*ret_pid = reply.pid;
	return status;
}

void rt_launcher_release(struct rt_launcher *launcher)
{
	rt_child_stop(&launcher->child);
}
