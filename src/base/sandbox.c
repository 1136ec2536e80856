/*
 * Asks the kernel directly for Landlock, capabilities, limits and the program's list of refused
 * calls: the C library has no calls for most of them, and its headers may be older than the kernel.
 * The list of calls that an unpacking process may make is built by libseccomp.
 */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"

/* What newer versions know, by their numbers. */
#define FS_VERSION_1 ((UINT64_C(1) << 13) - 1)
#define FS_REFER (UINT64_C(1) << 13)     /* from 2 on */
#define FS_TRUNCATE (UINT64_C(1) << 14)  /* from 3 on */
#define FS_IOCTL_DEV (UINT64_C(1) << 15) /* from 5 on */
#define NET_BIND UINT64_C(1)             /* of TCP, from 4 on */
#define NET_CONNECT UINT64_C(2)          /* likewise */
#define SCOPE_SOCKETS UINT64_C(1)        /* abstract ones, from 6 on */
#define SCOPE_SIGNALS UINT64_C(2)        /* likewise */

/* struct landlock_ruleset_attr, as long as it has become by version 6. */
struct ruleset {
	uint64_t fs, net, scoped;
};

bool rt_sandbox_has_seccomp(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* The version of Landlock, from 1 on; 0: there is none. */
static unsigned landlock_version(void)
{
	long version =
	    syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (unsigned)version : 0;
}

/* --- Paths ------------------------------------------------------------------------------- */

/* All that a version knows of files. */
static uint64_t fs_known(unsigned version)
{
	uint64_t known = FS_VERSION_1;

	if (version >= 2)
		known |= FS_REFER;
	if (version >= 3)
		known |= FS_TRUNCATE;
	if (version >= 5)
		known |= FS_IOCTL_DEV;
	return known;
}

/* net, scoped: what is given up where the version knows it. */
static bool begin(struct rt_sandbox_paths *paths, uint64_t net, uint64_t scoped)
{
	unsigned version = landlock_version();
	struct ruleset all = {.fs = fs_known(version)};
	size_t size = sizeof(all.fs);

	*paths = (struct rt_sandbox_paths){-1, version};
	if (!version)
		return true;
	if (version >= 4) {
		all.net = net;
		size += sizeof(all.net);
	}
	if (version >= 6) {
		all.scoped = scoped;
		size += sizeof(all.scoped);
	}
	paths->ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	return paths->ruleset >= 0;
}

/*
 * Signals are left to seccomp where that is there: the one by which the kernel ends the forker when
 * this process has died, of its PR_SET_PDEATHSIG, counts as ours.
 */
bool rt_sandbox_paths_begin(struct rt_sandbox_paths *paths, bool listens)
{
	return begin(paths, listens ? NET_CONNECT : NET_BIND | NET_CONNECT,
		     rt_sandbox_has_seccomp() ? SCOPE_SOCKETS : SCOPE_SOCKETS | SCOPE_SIGNALS);
}

/* What a use of a file or folder comes to. */
static uint64_t fs_wanted(enum rt_sandbox_use use, bool is_folder)
{
	uint64_t wanted = LANDLOCK_ACCESS_FS_READ_FILE;

	if (is_folder)
		wanted |= LANDLOCK_ACCESS_FS_READ_DIR;
	if (use == RT_SANDBOX_READ)
		return wanted;
	wanted |= LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
	if (is_folder)
		wanted |= LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			  LANDLOCK_ACCESS_FS_MAKE_SYM | FS_REFER;
	return wanted;
}

bool rt_sandbox_paths_keep(struct rt_sandbox_paths *paths, int fd, enum rt_sandbox_use use)
{
	struct landlock_path_beneath_attr rule = {.parent_fd = fd};
	struct stat st;

	if (paths->ruleset < 0)
		return true;
	if (fstat(fd, &st) != 0)
		return false;
	rule.allowed_access = fs_wanted(use, S_ISDIR(st.st_mode)) & fs_known(paths->version);
	return syscall(SYS_landlock_add_rule, paths->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
		       0) == 0 ||
	       errno == EBADFD;
}

bool rt_sandbox_paths_end(struct rt_sandbox_paths *paths)
{
	bool is_done =
	    paths->ruleset < 0 || syscall(SYS_landlock_restrict_self, paths->ruleset, 0) == 0;

	if (paths->ruleset >= 0)
		close(paths->ruleset);
	paths->ruleset = -1;
	return is_done;
}

/* --- Rights and calls -------------------------------------------------------------------- */

bool rt_sandbox_keep_capabilities(uint32_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= i ? 0 : kept;
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) == 0;
}

/* --- A process that unpacks -------------------------------------------------------------- */

/* Bytes of address space that a process is taken to have where /proc does not say. */
#define SPACE_GUESS (UINT64_C(1) << 30)

/* The user that everybody else's files and processes do not belong to. */
#define NOBODY 65534u

/* A sanitizer maps terabytes at its start. */
#ifdef RT_SANITIZED
static const bool has_sanitizer = true;
#else
static const bool has_sanitizer = false;
#endif

/* Bytes of address space in use, and whether this process is traced. */
static uint64_t look_at_self(bool *ret_is_traced)
{
	char text[4096] = "";
	const char *size, *tracer;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)rt_read_at(fd, text, sizeof(text) - 1, -1);
		(void)close(fd);
	}
	size = strstr(text, "\nVmSize:");
	tracer = strstr(text, "\nTracerPid:");
	*ret_is_traced = tracer && strtoull(tracer + strlen("\nTracerPid:"), NULL, 10) != 0;
	return size ? strtoull(size + strlen("\nVmSize:"), NULL, 10) << 10 : SPACE_GUESS;
}

static bool set_limit(__rlimit_resource_t resource, uint64_t value)
{
	struct rlimit now, limit;

	if (getrlimit(resource, &now) != 0)
		return false;
	/* Never more than the parent has, whatever it may raise itself to. */
	limit.rlim_max = value < now.rlim_cur ? value : now.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

static bool set_limits(const struct rt_sandbox_child *kept, uint64_t space)
{
	if (__builtin_add_overflow(space, kept->memory, &space))
		space = RLIM_INFINITY;
	return set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, kept->file_bytes) &&
	       set_limit(RLIMIT_NOFILE, 0) && set_limit(RLIMIT_NPROC, 0) &&
	       (has_sanitizer || set_limit(RLIMIT_AS, space));
}

/*
 * Be nobody, where this is root. The saved user stays root, by which a parent without CAP_KILL may
 * still end the process; to take it up again is no call that is left. Where users cannot be
 * changed, as in many containers, root without any capability has to do.
 */
static void become_nobody(void)
{
	if (geteuid() != 0)
		return;
	(void)setgroups(0, NULL);
	(void)!setresgid(NOBODY, NOBODY, NOBODY);
	(void)!setresuid(NOBODY, NOBODY, 0);
}

/* parent: the process that this one ends with, which a change of users would undo. */
static bool give_up_rights(bool is_traced, pid_t parent)
{
	/* Only who has the right to can, and needs to. */
	for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	become_nobody();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		return false;
	/* A debugger that is there already would only see less than before. */
	return (is_traced || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && rt_sandbox_keep_capabilities(0);
}

static bool give_up_paths(void)
{
	struct rt_sandbox_paths none;

	return begin(&none, NET_BIND | NET_CONNECT, SCOPE_SOCKETS | SCOPE_SIGNALS) &&
	       rt_sandbox_paths_end(&none);
}

/* --- What there is ----------------------------------------------------------------------- */

enum rt_status rt_sandbox_require(struct rt_error *err)
{
	bool seccomp = rt_sandbox_has_seccomp();

	if (seccomp && landlock_version())
		return RT_OK;
	return rt_error_set(err, RT_E_IO, "--require-sandbox: the kernel has no %s",
			    seccomp ? "Landlock" : "seccomp");
}

struct rt_jail rt_jail_look(void)
{
	return (struct rt_jail){.seccomp = rt_sandbox_has_seccomp(),
				.landlock = landlock_version()};
}

/* --- The calls of the program ---------------------------------------------------------------- */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define CALL(name) SCMP_SYS(name)

/* Other programs and processes, connections, shared memory, files by their names, of which Landlock
 * knows nothing, and what the kernel runs for others. What administrators call goes with the
 * rights. */
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
    CALL(request_key), CALL(keyctl), CALL(personality), CALL(modify_ldt), CALL(unshare),
    CALL(setns),
#ifndef RT_SANITIZED /* which look for leaks by it */
    CALL(ptrace),
#endif
};
/* clang-format on */

/* Sockets, where this is no server. */
static const int of_servers[] = {CALL(socket), CALL(bind), CALL(listen), CALL(accept),
				 CALL(accept4)};

/* Where the kernel has the halves of an argument. */
#define ARG(number) ((uint32_t)offsetof(struct seccomp_data, args[number]))
#define LOW(number) (ARG(number) + 4 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
#define HIGH(number) (ARG(number) + 4 * (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__))
#define ALL 0xffffffffu

/* A call that is refused where some bits of half an argument have a value; or unless they have. */
struct refusal {
	int call;
	uint32_t half, mask, value;
	bool unless;
};

static const struct refusal refused_where[] = {
    /* new code */
    {CALL(mmap), LOW(2), PROT_EXEC, PROT_EXEC, false},
    {CALL(mprotect), LOW(2), PROT_EXEC, PROT_EXEC, false},
    {CALL(pkey_mprotect), LOW(2), PROT_EXEC, PROT_EXEC, false},
    /* others' signals and limits, and what the terminal is given to read */
    {CALL(fcntl), LOW(1), ALL, F_SETOWN, false},
    {CALL(fcntl), LOW(1), ALL, F_SETOWN_EX, false},
    {CALL(prlimit64), LOW(2), ALL, 0, true},
    {CALL(prlimit64), HIGH(2), ALL, 0, true},
    {CALL(ioctl), LOW(1), ALL, TIOCSTI, false},
    {CALL(ioctl), LOW(1), ALL, TIOCLINUX, false},
    /* a file by its name */
    {CALL(utimensat), LOW(1), ALL, 0, true},
    {CALL(utimensat), HIGH(1), ALL, 0, true},
    /* sockets other than TCP's, and those that reach somebody without a connection */
    {CALL(socket), LOW(0), ALL & ~(uint32_t)(AF_INET ^ AF_INET6), AF_INET &AF_INET6, true},
    {CALL(socketpair), LOW(1), 0xf, SOCK_DGRAM, false},
    {CALL(socketpair), LOW(1), 0xf, SOCK_RAW, false},
    {CALL(sendto), LOW(4), ALL, 0, true},
    {CALL(sendto), HIGH(4), ALL, 0, true},
#ifndef RT_SANITIZED /* which look for leaks by them */
    {CALL(prctl), LOW(0), ALL, PR_SET_NAME, true},
    {CALL(clone), LOW(0), CLONE_THREAD, 0, false},
#endif
};

/* One bit tells the two apart. */
_Static_assert(((AF_INET ^ AF_INET6) & ((AF_INET ^ AF_INET6) - 1)) == 0, "");

#define LOAD (BPF_LD | BPF_W | BPF_ABS)
#define EQUAL (BPF_JMP | BPF_JEQ | BPF_K)
#define RETURN (BPF_RET | BPF_K)
#define NUMBER ((uint32_t)offsetof(struct seccomp_data, nr))
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
/* Numbers from here on are those of calls of another kind, as x32 has them. */
#define NUMBERS_MAX 0x40000000u

/* Steps of a call that is refused, and of one that is where an argument says so. */
#define STEPS 2
#define STEPS_WHERE 6

/* Add a step. yes, no: steps to skip by what a comparison comes to. */
static void put(struct sock_fprog *filter, int code, uint32_t value, unsigned yes, unsigned no)
{
	filter->filter[filter->len++] =
	    (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
}

static void refuse(struct sock_fprog *filter, int call, uint32_t how)
{
	put(filter, EQUAL, (uint32_t)call, 0, STEPS - 1);
	put(filter, RETURN, how, 0, 0);
}

static void refuse_where(struct sock_fprog *filter, const struct refusal *refusal)
{
	put(filter, EQUAL, (uint32_t)refusal->call, 0, STEPS_WHERE - 1);
	put(filter, LOAD, refusal->half, 0, 0);
	put(filter, BPF_ALU | BPF_AND | BPF_K, refusal->mask, 0, 0);
	put(filter, EQUAL, refusal->value, refusal->unless, !refusal->unless);
	put(filter, RETURN, REFUSED, 0, 0);
	put(filter, LOAD, NUMBER, 0, 0);
}

/* In all threads. */
static bool put_in_force(struct sock_fprog *filter)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter) ==
	       0;
}

/*
 * The filter is put together here, and not by libseccomp, which this process must not depend on:
 * where memory fails it ends neither well nor always.
 */
bool rt_sandbox_refuse_calls(bool serves)
{
	struct sock_filter steps[16 + STEPS * (COUNT(refused) + COUNT(of_servers)) +
				 STEPS_WHERE * COUNT(refused_where)];
	struct sock_fprog filter = {0, steps};
	const struct refusal others = {CALL(tgkill), LOW(0), ALL, (uint32_t)getpid(), true};

	if (!rt_sandbox_has_seccomp())
		return true;
	put(&filter, LOAD, (uint32_t)offsetof(struct seccomp_data, arch), 0, 0);
	put(&filter, EQUAL, seccomp_arch_native(), 1, 0);
	put(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	put(&filter, LOAD, NUMBER, 0, 0);
	/* A tracer's way to leave a call out. */
	put(&filter, EQUAL, ALL, 2, 0);
	put(&filter, BPF_JMP | BPF_JGE | BPF_K, NUMBERS_MAX, 0, 1);
	put(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse(&filter, refused[i], REFUSED);
	for (size_t i = 0; !serves && i < COUNT(of_servers); i++)
		refuse(&filter, of_servers[i], REFUSED);
	/* Whose flags are in memory; the C library has an older call then. */
	refuse(&filter, CALL(clone3), SECCOMP_RET_ERRNO | ENOSYS);
	refuse_where(&filter, &others);
	for (size_t i = 0; i < COUNT(refused_where); i++)
		refuse_where(&filter, &refused_where[i]);
	put(&filter, RETURN, SECCOMP_RET_ALLOW, 0, 0);
	return put_in_force(&filter);
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

/* The lower half of an argument, which is all that the kernel takes of a number of 32 bits. */
#define HALF(index, mask, value) SCMP_CMP(index, SCMP_CMP_MASKED_EQ, (mask), (value))

/* More than a process that unpacks has descriptors. */
#define FDS_MAX 10u

static int add_all(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed = seccomp_rule_add(filter, action, calls[i], 0);
	return failed;
}

static int fill_allowed(scmp_filter_ctx filter, int read_only)
{
	static const int writes[] = {SCMP_SYS(write), SCMP_SYS(pwrite64), SCMP_SYS(ftruncate)};
	int failed = add_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));

	if (!failed)
		failed = add_all(filter, SCMP_ACT_ERRNO(EMFILE), missing, COUNT(missing));
	if (!failed)
		failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
					  HALF(2, PROT_EXEC, 0));
	for (unsigned i = 0; !failed && i < COUNT(writes) * FDS_MAX; i++) {
		unsigned fd = i % FDS_MAX;

		if (fd > STDERR_FILENO && fd != (unsigned)read_only)
			failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, writes[i / FDS_MAX], 1,
						  HALF(0, ALL, fd));
	}
	/* New memory, which is no file's and is not executed. */
	return failed ? failed
		      : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
					 HALF(2, PROT_EXEC, 0), HALF(4, ALL, ALL));
}

#ifdef RT_SANITIZED
#define OTHERWISE SCMP_ACT_ERRNO(EPERM)
#else
#define OTHERWISE SCMP_ACT_KILL_PROCESS
#endif

/* Seconds of processor time that making the filter may take; it takes less than a thousandth. */
#define MAKE_SECONDS 1

/* Make the filter, in memory of its own. libseccomp may loop for ever where memory fails: then this
 * process ends. */
static bool make_filter(int read_only, struct sock_fprog *ret_filter)
{
	static struct sock_filter steps[1024];
	const struct itimerval bound = {.it_value = {.tv_sec = MAKE_SECONDS}};
	const struct itimerval none = {.it_value = {0}};
	int fd = memfd_create("calls", MFD_CLOEXEC), failed = -ENOMEM;
	scmp_filter_ctx filter;
	ssize_t len = 0;

	(void)setitimer(ITIMER_VIRTUAL, &bound, NULL);
	filter = seccomp_init(OTHERWISE);
	if (filter)
		failed = fill_allowed(filter, read_only);
	/* libseccomp says that the kernel said no; errno says what. */
	while (!failed && (failed = seccomp_export_bpf(filter, fd)) == -ECANCELED && errno == EINTR)
		failed = 0;
	seccomp_release(filter);
	(void)setitimer(ITIMER_VIRTUAL, &none, NULL);
	if (!failed)
		len = rt_read_at(fd, steps, sizeof(steps), 0);
	(void)close(fd);
	if (failed)
		errno = -failed;
	*ret_filter = (struct sock_fprog){
	    (unsigned short)(len > 0 ? (size_t)len / sizeof(steps[0]) : 0), steps};
	return ret_filter->len > 0;
}

bool rt_sandbox_enter(const struct rt_sandbox_child *kept)
{
	bool is_traced, has_seccomp = rt_sandbox_has_seccomp();
	uint64_t space = look_at_self(&is_traced);
	struct sock_fprog filter;

	/* The ruleset for paths is a descriptor, of which there are none after the limits. */
	return (!has_seccomp || make_filter(kept->read_only, &filter)) &&
	       give_up_rights(is_traced, kept->parent) && give_up_paths() &&
	       set_limits(kept, space) && (!has_seccomp || put_in_force(&filter));
}
