/*
 * The decoder's process. Input: a function to run. Output: a running child that holds nothing
 * but its input, its spool and the ring, and that dies with its parent.
 * The child gets bounded memory, no core file, no new descriptors, default signals, and a UTF-8
 * locale of its own, because libarchive has no name for UTF-8 members in the C locale.
 */
#include "source/child.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

/* Milliseconds a child gets to exit after it has closed its socket. */
#define EXIT_GRACE_MS 2000

/* Bytes that a process is taken to have mapped when it cannot be asked. */
#define SPACE_GUESS (UINT64_C(1) << 30)

/* A sanitizer maps terabytes at its start and reports on standard error. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(HAS_ASAN)
#define HAS_ASAN 1
#endif
#ifdef HAS_ASAN
static const bool has_asan = true;
#else
static const bool has_asan = false;
#endif

/* --- In the child ------------------------------------------------------------------------ */

static void child_reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	/* A spool that reaches its bound is EFBIG and a message. */
	(void)signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a;
	int y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Close every descriptor but those of the list, which is put in order. */
static void child_close_others(int *keep, size_t count)
{
	unsigned from = has_asan ? STDERR_FILENO + 1 : 0;

	qsort(keep, count, sizeof(*keep), compare_ints);
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0 || (unsigned)keep[i] < from)
			continue;
		if ((unsigned)keep[i] > from)
			(void)close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	(void)close_range(from, ~0u, 0);
}

/* Bytes of address space in use now; a generous guess where /proc does not say. */
static uint64_t child_address_space(void)
{
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : rt_read_at(fd, text, sizeof(text) - 1, -1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return SPACE_GUESS;
	/* The first number is the whole size, in pages. */
	return (uint64_t)strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void child_limit(__rlimit_resource_t resource, uint64_t value)
{
	struct rlimit now;
	struct rlimit limit;

	if (getrlimit(resource, &now) != 0)
		_exit(1);
	/* Never more than the parent has, whatever it may raise itself to. */
	limit.rlim_max = value < now.rlim_cur ? value : now.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	/* Without its limits a decoder must not run. */
	if (setrlimit(resource, &limit) != 0)
		_exit(1);
}

static void child_set_limits(const struct rt_child_spec *spec)
{
	uint64_t space = child_address_space();

	child_limit(RLIMIT_CORE, 0);
	child_limit(RLIMIT_FSIZE, spec->file_bytes);
	/* No new ones; those that are open stay usable. */
	child_limit(RLIMIT_NOFILE, 0);
	if (!has_asan && !__builtin_add_overflow(space, spec->memory_bytes, &space))
		child_limit(RLIMIT_AS, space);
}

__attribute__((noreturn)) static void child_main(const struct rt_child_spec *spec,
						 struct rt_ring *ring, int sock, pid_t parent)
{
	int keep[1 + RT_CHILD_KEEP] = {sock};

	memcpy(keep + 1, spec->keep, spec->keep_count * sizeof(*keep));
	child_reset_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		(void)setlocale(LC_CTYPE, "en_US.UTF-8");
	child_close_others(keep, 1 + spec->keep_count);
	child_set_limits(spec);
	/* From here on nothing is opened: the place for a jail. */
	spec->run(spec->ctx, ring, sock);
	_exit(0);
}

/* --- In the parent ----------------------------------------------------------------------- */

enum rt_status rt_child_start(struct rt_child *child, const struct rt_child_spec *spec,
			      struct rt_ring *ring, struct rt_error *err)
{
	pid_t parent = getpid();
	int socks[2];
	pid_t pid;

	*child = (struct rt_child){.pidfd = -1, .sock = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) != 0)
		return rt_error_sys(err, errno, "cannot make a socket pair");
	pid = fork();
	if (pid == 0)
		child_main(spec, ring, socks[1], parent);
	if (pid < 0) {
		(void)rt_error_sys(err, errno, "cannot start a decoder process");
		close(socks[0]);
		close(socks[1]);
		return RT_FATAL;
	}
	close(socks[1]);
	child->pid = pid;
	child->pidfd = pidfd_open(pid, 0);
	child->sock = socks[0];
	return RT_OK;
}

/*
 * Through the pidfd where there is one: were SIGCHLD ignored, the number of an ended child could
 * already be somebody else's.
 */
static void child_kill(const struct rt_child *child)
{
	if (child->pidfd >= 0)
		(void)pidfd_send_signal(child->pidfd, SIGKILL, NULL, 0);
	else
		(void)kill(child->pid, SIGKILL);
}

/* Returns the signal that ended it, or 0. */
static int child_reap(struct rt_child *child)
{
	int status = 0;
	pid_t got;

	do {
		got = waitpid(child->pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	if (child->pidfd >= 0)
		close(child->pidfd);
	if (child->sock >= 0)
		close(child->sock);
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
