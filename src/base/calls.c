/*
 * Lists of system calls. A process that unpacks has a list of what it may call, for it does little,
 * and dies of any other. The program has one of what it may not: it is made of more libraries than
 * could be listed call by call.
 */
#include "base/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The lower half of an argument, which is all that the kernel takes of a number of 32 bits. */
#define HALF(index, mask, value) SCMP_CMP(index, SCMP_CMP_MASKED_EQ, (mask), (value))
#define IS(index, value) HALF(index, 0xffffffffu, value)

/* Lists of calls by their names. */
#define CALL(name) SCMP_SYS(name)

/* A call that is on a list where an argument says so. */
struct call {
	int number;
	struct scmp_arg_cmp where;
};

static int add_all(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed = seccomp_rule_add(filter, action, calls[i], 0);
	return failed;
}

static int add_where(scmp_filter_ctx filter, uint32_t action, const struct call *calls,
		     size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed =
		    seccomp_rule_add_array(filter, action, calls[i].number, 1, &calls[i].where);
	return failed;
}

/* Seconds of processor time that a filter may take; it takes less than a thousandth of that. */
#define MAKE_SECONDS 2u

/* Bound the processor time of this process from now on, or (seconds: 0) as it was. */
static void bound_time(struct rlimit *was, unsigned seconds)
{
	struct rlimit limit = *was;
	struct rusage used;

	if (seconds && getrlimit(RLIMIT_CPU, was) == 0 && getrusage(RUSAGE_SELF, &used) == 0) {
		limit.rlim_max = was->rlim_max;
		limit.rlim_cur =
		    (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + seconds;
	}
	(void)setrlimit(RLIMIT_CPU, &limit);
}

/* Write a filter and release it. failed: an errno that is negative, or 0. */
static bool write_filter(scmp_filter_ctx filter, int failed, int to)
{
	/* libseccomp says that the kernel said no; errno says what. */
	if (!failed) {
		do {
			failed = seccomp_export_bpf(filter, to);
		} while (failed == -ECANCELED && errno == EINTR);
	}
	if (filter)
		seccomp_release(filter);
	errno = -failed;
	return !failed;
}

bool rt_calls_read(struct rt_calls *calls, int from)
{
	size_t len = 0;
	ssize_t got;

	while ((got = rt_read_at(from, (char *)calls->steps + len, sizeof(calls->steps) - len,
				 -1)) > 0)
		len += (size_t)got;
	calls->count = (unsigned short)(len / sizeof(calls->steps[0]));
	if (got == 0)
		errno = ENOMEM;
	return got == 0 && len > 0;
}

bool rt_calls_load(const struct rt_calls *calls)
{
	struct sock_filter steps[sizeof(calls->steps) / sizeof(calls->steps[0])];
	struct sock_fprog program = {calls->count, steps};

	memcpy(steps, calls->steps, sizeof(steps));
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
	       0;
}

/* --- The program ------------------------------------------------------------------------------ */

/* Other programs and processes, connections, shared memory, files by their names, of which Landlock
 * knows nothing, what the kernel runs for others, and administration. */
/* clang-format off */
static const int refused[] = {
    CALL(fchownat), CALL(execve), CALL(execveat), CALL(fork), CALL(vfork), CALL(kill), CALL(tkill),
    CALL(rt_sigqueueinfo), CALL(rt_tgsigqueueinfo), CALL(pidfd_open), CALL(pidfd_send_signal),
    CALL(pidfd_getfd), CALL(process_vm_readv), CALL(process_vm_writev), CALL(process_madvise),
    CALL(kcmp), CALL(setpriority), CALL(sched_setaffinity), CALL(sched_setscheduler),
    CALL(sched_setparam), CALL(sched_setattr), CALL(ioprio_set), CALL(setrlimit), CALL(move_pages),
    CALL(migrate_pages), CALL(connect), CALL(shmget), CALL(shmat), CALL(shmctl), CALL(msgget),
    CALL(semget), CALL(mq_open), CALL(chmod), CALL(fchmodat), CALL(chown), CALL(lchown),
    CALL(utime), CALL(utimes), CALL(futimesat), CALL(setxattr), CALL(lsetxattr), CALL(removexattr),
    CALL(lremovexattr), CALL(truncate), CALL(open_by_handle_at), CALL(inotify_init),
    CALL(inotify_init1), CALL(fanotify_init), CALL(bpf), CALL(perf_event_open), CALL(userfaultfd),
    CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register), CALL(add_key),
    CALL(request_key), CALL(keyctl), CALL(personality), CALL(modify_ldt), CALL(setuid),
    CALL(setgid), CALL(setreuid), CALL(setregid), CALL(setresuid), CALL(setresgid),
    CALL(setgroups), CALL(mount), CALL(umount), CALL(umount2), CALL(move_mount), CALL(open_tree),
    CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(fspick), CALL(mount_setattr),
    CALL(pivot_root), CALL(chroot), CALL(unshare), CALL(setns), CALL(init_module),
    CALL(finit_module), CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load), CALL(reboot),
    CALL(swapon), CALL(swapoff), CALL(acct), CALL(quotactl), CALL(syslog), CALL(settimeofday),
    CALL(clock_settime), CALL(clock_adjtime), CALL(adjtimex), CALL(sethostname),
    CALL(setdomainname), CALL(iopl), CALL(ioperm), CALL(vhangup),
#ifndef RT_SANITIZED /* which look for leaks by it */
    CALL(ptrace),
#endif
};
/* clang-format on */

/* Those that are refused only where an argument is something. */
static int refuse_where(scmp_filter_ctx filter, uint32_t action, int program)
{
	const struct call calls[] = {
	    /* new code */
	    {SCMP_SYS(mmap), HALF(2, PROT_EXEC, PROT_EXEC)},
	    {SCMP_SYS(mprotect), HALF(2, PROT_EXEC, PROT_EXEC)},
	    {SCMP_SYS(pkey_mprotect), HALF(2, PROT_EXEC, PROT_EXEC)},
	    /* others' signals and limits, and what the terminal is
	       given to read */
	    {SCMP_SYS(tgkill), SCMP_CMP(0, SCMP_CMP_NE, (scmp_datum_t)program, 0)},
	    {SCMP_SYS(fcntl), IS(1, F_SETOWN)},
	    {SCMP_SYS(fcntl), IS(1, F_SETOWN_EX)},
	    {SCMP_SYS(prlimit64), SCMP_CMP(2, SCMP_CMP_NE, 0, 0)},
	    {SCMP_SYS(ioctl), IS(1, TIOCSTI)},
	    {SCMP_SYS(ioctl), IS(1, TIOCLINUX)},
	    /* sockets that reach somebody without a connection */
	    {SCMP_SYS(socketpair), HALF(1, 0xf, SOCK_DGRAM)},
	    {SCMP_SYS(socketpair), HALF(1, 0xf, SOCK_RAW)},
	    {SCMP_SYS(sendto), SCMP_CMP(4, SCMP_CMP_NE, 0, 0)},
#ifndef RT_SANITIZED /* which look for leaks by them */
	    {SCMP_SYS(prctl), SCMP_CMP(0, SCMP_CMP_NE, PR_SET_NAME, 0)},
	    {SCMP_SYS(clone), HALF(0, CLONE_THREAD, 0)},
#endif
	};

	return add_where(filter, action, calls, COUNT(calls));
}

/* Sockets other than TCP's; all, where this is no server. */
static int refuse_sockets(scmp_filter_ctx filter, uint32_t action, bool serves)
{
	static const int of_servers[] = {SCMP_SYS(socket), SCMP_SYS(bind), SCMP_SYS(listen),
					 SCMP_SYS(accept), SCMP_SYS(accept4)};
	struct call others[AF_INET6 + 1];
	size_t count = 0;

	if (!serves)
		return add_all(filter, action, of_servers, COUNT(of_servers));
	for (unsigned domain = 0; domain < AF_INET6; domain++) {
		if (domain != AF_INET)
			others[count++] = (struct call){SCMP_SYS(socket), IS(0, domain)};
	}
	others[count++] = (struct call){SCMP_SYS(socket), SCMP_CMP(0, SCMP_CMP_GT, AF_INET6, 0)};
	return add_where(filter, action, others, count);
}

static int fill_refused(scmp_filter_ctx filter, int program, bool serves)
{
	const uint32_t action = SCMP_ACT_ERRNO(EPERM);
	const struct call named[] = {{SCMP_SYS(utimensat), SCMP_CMP(1, SCMP_CMP_NE, 0, 0)}};
	int failed = add_all(filter, action, refused, COUNT(refused));

	if (!failed)
		failed = refuse_where(filter, action, program);
	if (!failed)
		failed = refuse_sockets(filter, action, serves);
	if (!failed)
		failed = add_where(filter, action, named, COUNT(named));
	/* Whose flags are in memory; the C library has an older call then. */
	return failed ? failed
		      : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

bool rt_calls_write(int to, int program, bool serves)
{
	struct rlimit was = {RLIM_INFINITY, RLIM_INFINITY};
	scmp_filter_ctx filter;
	bool is_written;

	bound_time(&was, MAKE_SECONDS);
	filter = seccomp_init(SCMP_ACT_ALLOW);
	is_written =
	    write_filter(filter, filter ? fill_refused(filter, program, serves) : -ENOMEM, to);
	bound_time(&was, 0);
	return is_written;
}

/* --- A process that unpacks ------------------------------------------------------------------- */

/*
 * What strace shows over all forms that are read and written, and what allocation and errors of the
 * libraries may call beside that.
 */
static const int allowed[] = {
    SCMP_SYS(read),        SCMP_SYS(pread64),        SCMP_SYS(lseek),
    SCMP_SYS(fstat),       SCMP_SYS(munmap),         SCMP_SYS(brk),
    SCMP_SYS(mremap),      SCMP_SYS(madvise),        SCMP_SYS(futex),
    SCMP_SYS(exit),        SCMP_SYS(getrandom),      SCMP_SYS(clock_gettime),
    SCMP_SYS(exit_group),  SCMP_SYS(rt_sigprocmask),
#ifdef RT_SANITIZED
    SCMP_SYS(sigaltstack), SCMP_SYS(rt_sigaction),   SCMP_SYS(rt_sigreturn),
    SCMP_SYS(getpid),      SCMP_SYS(gettid),         SCMP_SYS(sched_yield),
    SCMP_SYS(mmap),        SCMP_SYS(write),
#endif
};

/* What a library would like to open, the time zone for one, is not there. */
static const int missing[] = {SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(stat),
			      SCMP_SYS(newfstatat)};

/* More than a process that unpacks has descriptors. */
#define FDS_MAX 10u

static int fill_allowed(scmp_filter_ctx filter, int read_only)
{
	const struct call protect[] = {{SCMP_SYS(mprotect), HALF(2, PROT_EXEC, 0)}};
	int failed = add_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));

	if (!failed)
		failed = add_all(filter, SCMP_ACT_ERRNO(EMFILE), missing, COUNT(missing));
	if (!failed)
		failed = add_where(filter, SCMP_ACT_ALLOW, protect, COUNT(protect));
	for (unsigned fd = 0; !failed && fd < FDS_MAX; fd++) {
		const struct call writes[] = {
		    {SCMP_SYS(write), IS(0, fd)},
		    {SCMP_SYS(pwrite64), IS(0, fd)},
		    {SCMP_SYS(ftruncate), IS(0, fd)},
		};

		if (fd > STDERR_FILENO && fd != (unsigned)read_only)
			failed = add_where(filter, SCMP_ACT_ALLOW, writes, COUNT(writes));
	}
	/* New memory, which is no file's and is not executed. */
	return failed ? failed
		      : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
					 HALF(2, PROT_EXEC, 0), IS(4, 0xffffffffu));
}

bool rt_calls_make_child(struct rt_calls *calls, int read_only)
{
#ifdef RT_SANITIZED
	const uint32_t other = SCMP_ACT_ERRNO(EPERM);
#else
	const uint32_t other = SCMP_ACT_KILL_PROCESS;
#endif
	struct rlimit was = {RLIM_INFINITY, RLIM_INFINITY};
	scmp_filter_ctx filter;
	bool is_made;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bound_time(&was, MAKE_SECONDS);
	filter = seccomp_init(other);
	/* It fits into a pipe several times. */
	is_made = write_filter(filter, filter ? fill_allowed(filter, read_only) : -ENOMEM, ends[1]);
	bound_time(&was, 0);
	(void)close(ends[1]);
	is_made = is_made && rt_calls_read(calls, ends[0]);
	(void)close(ends[0]);
	return is_made;
}
