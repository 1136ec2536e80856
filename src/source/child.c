/*
 * Watching a child. Input: its number and a socket that it holds the other end of. Output: how it
 * ended. One that does not end by itself is killed.
 */
#include "source/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attendant.h"

/* Milliseconds a child gets to exit after it has closed its socket. */
#define EXIT_GRACE_MS 2000

void rt_child_watch(struct rt_child *child, pid_t pid, int sock)
{
	*child = (struct rt_child){.pid = pid, .pidfd = pidfd_open(pid, 0), .sock = sock};
}

/*
 * Through the pidfd where there is one: were SIGCHLD ignored, the number of an ended child could
 * already be somebody else's.
 */
static void child_kill(const struct rt_child *child)
{
	if (rt_attendant_serves())
		rt_attendant_kill(child->pid);
	else if (child->pidfd >= 0)
		(void)pidfd_send_signal(child->pidfd, SIGKILL, NULL, 0);
	else
		(void)kill(child->pid, SIGKILL);
}

/* Returns the signal that ended it, or 0. */
static int child_reap(struct rt_child *child)
{
	int status = 0;
	pid_t got;

	/* One that could not be killed notices this, sooner or later. */
	if (child->sock >= 0)
		close(child->sock);
	do {
		got = waitpid(child->pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	if (child->pidfd >= 0)
		close(child->pidfd);
	*child = (struct rt_child){.pidfd = -1, .sock = -1};
	/* ECHILD: SIGCHLD is ignored, so it reaped itself, or another wait() took it. */
	return got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void rt_child_stop(struct rt_child *child)
{
	if (child->pid <= 0)
		return;
	child_kill(child);
	(void)child_reap(child);
}

/* Wait until the child has exited, at most the grace; false when it has not. */
static bool child_has_ended(const struct rt_child *child)
{
	struct pollfd poll_fd = {.fd = child->pidfd, .events = POLLIN};
	siginfo_t info;

	if (child->pidfd >= 0)
		return poll(&poll_fd, 1, EXIT_GRACE_MS) > 0;
	for (int i = 0; i < EXIT_GRACE_MS / 10; i++) {
		memset(&info, 0, sizeof(info));
		if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    info.si_pid)
			return true;
		(void)poll(NULL, 0, 10);
	}
	return false;
}

void rt_child_collect(struct rt_child *child, int *ret_signal)
{
	*ret_signal = 0;
	if (child->pid <= 0)
		return;
	if (!child_has_ended(child))
		child_kill(child);
	*ret_signal = child_reap(child);
}
