/*
 * The decoder's program: a launcher, and its children. Input: jobs on descriptor 0, each with the
 * descriptors that it is about. Output: one child for each, whose parent is the launcher's own.
 *
 * The launcher takes no byte of a file in its hands. A child makes one use of its job's
 * descriptors and ends. Both die with the process that asked for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decoder/jail.h"
#include "decoder/run.h"

/* The launcher's socket. */
#define CONTROL STDIN_FILENO

/* Where a job's descriptors are while they are put in their places: above all of those. */
#define ASIDE 16

/* Whether standard error is kept: sanitizers report there. */
#ifdef RT_SANITIZED
static const bool reports = true;
#else
static const bool reports = false;
#endif

/* What the launcher has prepared for its children. */
static struct rt_jail_plan plan;

/* A job as it has come in. */
struct order {
	struct rt_job_head head;
	int fds[RT_JOB_FDS]; /* -1: none */
	struct rt_job job;
	struct rt_job_room room;
};

/* --- A child ------------------------------------------------------------------------------ */

/* Put the descriptors in their places and close all others. */
static bool place_fds(struct order *order)
{
	int *fds = order->fds;

	for (size_t i = 0; i < RT_JOB_FDS; i++) {
		if (fds[i] >= 0)
			fds[i] = fcntl(fds[i], F_DUPFD, ASIDE);
	}
	for (size_t i = RT_JOB_SOCK; i < RT_JOB_FDS; i++) {
		int place = rt_job_fd((enum rt_job_fd)i);

		if (fds[i] < 0)
			close(place);
		else if (dup2(fds[i], place) != place)
			return false;
		order->job.fds[i] = fds[i] < 0 ? -1 : place;
	}
	close(CONTROL);
	close(STDOUT_FILENO);
	if (!reports)
		close(STDERR_FILENO);
	order->job.decode.fd = order->job.fds[RT_JOB_FILE];
	order->job.decode.spool_fd = order->job.fds[RT_JOB_SPOOL];
	return order->job.fds[RT_JOB_SOCK] >= 0 &&
	       (order->job.decode.fd >= 0 || order->job.kind == RT_JOB_YAML);
}

/* The patches of a job; false where they cannot be had. */
static bool map_patches(const struct order *order, struct rt_patches *patches)
{
	const struct rt_job *job = &order->job;
	int fd = order->fds[RT_JOB_PATCHES];
	off_t len = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	void *map;

	*patches = (struct rt_patches){0};
	if (fd < 0 || len <= 0)
		return job->patches == 0;
	map = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0);
	return map != MAP_FAILED &&
	       rt_patches_view(patches, map, (size_t)len, job->patches, job->patch_len);
}

/* Bytes of address space that a child may have: the launcher's, what it maps for its job, and what
 * the job allows it. */
static uint64_t child_space(const struct order *order, const struct rt_patches *patches)
{
	uint64_t space = plan.space + sizeof(struct rt_ring) + patches->items.len +
			 patches->text.len + order->head.len;

	return __builtin_add_overflow(space, order->job.memory_bytes, &space) ? RLIM_INFINITY
									      : space;
}

/* The child's life. parent: the process that wants its work. */
__attribute__((noreturn)) static void child_main(struct order *order, pid_t parent)
{
	struct rt_patches patches;
	struct rt_ring *ring;

	if (!place_fds(order))
		_exit(1);
	ring = order->fds[RT_JOB_RING] < 0 ? NULL : rt_ring_map(order->fds[RT_JOB_RING]);
	if (!ring || !map_patches(order, &patches))
		_exit(1);
	(void)close_range((unsigned)rt_job_fd(RT_JOB_FDS), ~0u, 0);
	if (!rt_jail_limit(child_space(order, &patches), order->job.file_bytes) ||
	    !rt_jail_child(&plan) || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
	    !rt_jail_calls(&plan))
		_exit(1);
	rt_job_run(&order->job, &patches, ring, order->job.fds[RT_JOB_SOCK]);
	_exit(0);
}

/*
 * Start a child whose parent is ours: who asked for it watches it and sees how it ends. There is
 * one thread, so that a copy of the process is whole. Returns as fork().
 */
static pid_t clone_child(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* --- The launcher -------------------------------------------------------------------------- */

/* Take the descriptors that have come with a head. */
static void take_fds(struct order *order, struct msghdr *message)
{
	struct cmsghdr *rights = CMSG_FIRSTHDR(message);
	size_t count = 0, next = 0;
	const int *fds = NULL;

	if (rights && rights->cmsg_type == SCM_RIGHTS) {
		fds = (const int *)(void *)CMSG_DATA(rights);
		count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	}
	for (unsigned i = 0; i < RT_JOB_FDS; i++) {
		order->fds[i] = -1;
		if (order->head.given & 1u << i && next < count)
			order->fds[i] = fds[next++];
	}
}

/* Returns the bytes received: less than a head's at the end, or when the system failed. */
static ssize_t take_head(struct order *order)
{
	struct iovec part = {&order->head, sizeof(order->head)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(RT_JOB_FDS * sizeof(int))];
	} room = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = room.bytes,
				 .msg_controllen = sizeof(room.bytes)};
	ssize_t got;

	do {
		got = recvmsg(CONTROL, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(order->head))
		take_fds(order, &message);
	return got;
}

/* The message after a head, for the caller to free; NULL where it does not come whole. */
static char *take_message(uint64_t len)
{
	char *message = len < SIZE_MAX ? malloc((size_t)len + 1) : NULL;
	size_t done = 0;

	while (message && done < len) {
		ssize_t got = recv(CONTROL, message + done, (size_t)len - done, MSG_WAITALL);

		if (got == 0 || (got < 0 && errno != EINTR)) {
			free(message);
			return NULL;
		}
		done += got > 0 ? (size_t)got : 0;
	}
	return message;
}

static bool answer(pid_t child, int sys)
{
	struct rt_job_reply reply = {child < 0 ? 0 : (int32_t)child, child < 0 ? sys : 0};
	ssize_t put;

	do {
		put = send(CONTROL, &reply, sizeof(reply), MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	return put == (ssize_t)sizeof(reply);
}

/* Be a fresh process: what the caller's had open, ignored or blocked ends here. */
static bool launcher_begin(void)
{
	rt_jail_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return false;
	(void)prctl(PR_SET_NAME, "retriage-decode");
	/* libarchive has no name for UTF-8 members in the C locale. */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		(void)setlocale(LC_CTYPE, "en_US.UTF-8");
	(void)close(STDOUT_FILENO);
	/* The loader has told what it had to tell. */
	if (!reports)
		(void)close(STDERR_FILENO);
	(void)close_range(STDERR_FILENO + 1, ~0u, 0);
	rt_jail_plan(&plan);
	return rt_jail_launcher(&plan);
}

/* Take a job and have a child do it; false when there will be none more. */
static bool serve(pid_t parent)
{
	struct order order = {.fds = RT_JOB_NO_FDS};
	bool goes_on = false;
	char *message;
	pid_t child;

	if (take_head(&order) != (ssize_t)sizeof(order.head))
		return false;
	message = take_message(order.head.len);
	if (message && rt_job_unpack(message, (size_t)order.head.len, &order.job, &order.room)) {
		child = clone_child();
		if (child == 0)
			child_main(&order, parent);
		goes_on = answer(child, errno);
		free(order.room.globs);
	}
	for (size_t i = 0; i < RT_JOB_FDS; i++) {
		if (order.fds[i] >= 0)
			close(order.fds[i]);
	}
	free(message);
	return goes_on;
}

int main(void)
{
	pid_t parent = getppid();

	if (!launcher_begin())
		return 1;
	while (serve(parent))
		;
	return 0;
}
