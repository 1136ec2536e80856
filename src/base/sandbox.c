/*
 * Asks the kernel directly for Landlock, capabilities, limits and filters of calls: the C library
 * has no calls for most of them, and its headers may be older than the kernel.
 */
#include "base/sandbox.h"

#include <assert.h>
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

/*
 * Signals are left to seccomp where that is there: the one by which the kernel ends the forker when
 * this process has died, of its PR_SET_PDEATHSIG, counts as ours.
 */
bool rt_sandbox_paths_begin(struct rt_sandbox_paths *paths, bool listens)
{
	unsigned version = landlock_version();
	struct ruleset all = {.fs = fs_known(version)};
	size_t size = sizeof(all.fs);

	*paths = (struct rt_sandbox_paths){-1, version};
	if (!version)
		return true;
	if (version >= 4) {
		all.net = listens ? NET_CONNECT : NET_BIND | NET_CONNECT;
		size += sizeof(all.net);
	}
	if (version >= 6) {
		all.scoped = SCOPE_SOCKETS | (rt_sandbox_has_seccomp() ? 0 : SCOPE_SIGNALS);
		size += sizeof(all.scoped);
	}
	paths->ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	return paths->ruleset >= 0;
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

static bool set_limits(uint64_t file_bytes, uint64_t space)
{
	return set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, file_bytes) &&
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

	return rt_sandbox_paths_begin(&none, false) && rt_sandbox_paths_end(&none);
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

/* --- Filters of calls ------------------------------------------------------------------------ */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define CALL(name) SCMP_SYS(name)

/* Where the kernel has the halves of an argument. */
#define ARG(number) ((uint32_t)offsetof(struct seccomp_data, args[number]))
#define LOW(number) (ARG(number) + 4 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
#define HIGH(number) (ARG(number) + 4 * (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__))
#define ALL 0xffffffffu

/* What becomes of a call. */
#define ALLOWED SECCOMP_RET_ALLOW
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
/* Of one that a process that unpacks does not need. */
#ifdef RT_SANITIZED
#define OTHERWISE REFUSED
#else
#define OTHERWISE SECCOMP_RET_KILL_PROCESS
#endif

/* A call of which that becomes where some bits of half an argument have a value; or unless they
 * have. */
struct rule {
	uint32_t action;
	int call;
	uint32_t half, mask, value;
	bool unless;
};

#define LOAD (BPF_LD | BPF_W | BPF_ABS)
#define EQUAL (BPF_JMP | BPF_JEQ | BPF_K)
#define RETURN (BPF_RET | BPF_K)
#define NUMBER ((uint32_t)offsetof(struct seccomp_data, nr))
/* Numbers from here on are those of calls of another kind, as x32 has them. */
#define NUMBERS_MAX 0x40000000u

/* The first rule that is a call's decides. It is put together here, and not by libseccomp, which
 * where memory fails ends neither well nor always. */
struct filter {
	unsigned short len;
	struct sock_filter steps[512];
};

/* Add a step. yes, no: steps to skip by what a comparison comes to. */
static void put(struct filter *filter, int code, uint32_t value, unsigned yes, unsigned no)
{
	assert(filter->len < COUNT(filter->steps));
	filter->steps[filter->len++] =
	    (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
}

static void filter_begin(struct filter *filter)
{
	filter->len = 0;
	put(filter, LOAD, (uint32_t)offsetof(struct seccomp_data, arch), 0, 0);
	put(filter, EQUAL, seccomp_arch_native(), 1, 0);
	put(filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	put(filter, LOAD, NUMBER, 0, 0);
	/* A tracer's way to leave a call out. */
	put(filter, EQUAL, ALL, 2, 0);
	put(filter, BPF_JMP | BPF_JGE | BPF_K, NUMBERS_MAX, 0, 1);
	put(filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

static void put_calls(struct filter *filter, const int *calls, size_t count, uint32_t action)
{
	for (size_t i = 0; i < count; i++) {
		put(filter, EQUAL, (uint32_t)calls[i], 0, 1);
		put(filter, RETURN, action, 0, 0);
	}
}

static void put_rules(struct filter *filter, const struct rule *rules, size_t count)
{
	for (const struct rule *rule = rules; rule < rules + count; rule++) {
		put(filter, EQUAL, (uint32_t)rule->call, 0, 5);
		put(filter, LOAD, rule->half, 0, 0);
		put(filter, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
		put(filter, EQUAL, rule->value, rule->unless, !rule->unless);
		put(filter, RETURN, rule->action, 0, 0);
		put(filter, LOAD, NUMBER, 0, 0);
	}
}

/* In all threads. otherwise: what becomes of calls without a rule. */
static bool filter_end(struct filter *filter, uint32_t otherwise)
{
	struct sock_fprog program = {(unsigned short)(filter->len + 1), filter->steps};

	put(filter, RETURN, otherwise, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
	       0;
}

/* --- The calls of the program ---------------------------------------------------------------- */

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

static const struct rule refused_where[] = {
    /* new code */
    {REFUSED, CALL(mmap), LOW(2), PROT_EXEC, PROT_EXEC, false},
    {REFUSED, CALL(mprotect), LOW(2), PROT_EXEC, PROT_EXEC, false},
    {REFUSED, CALL(pkey_mprotect), LOW(2), PROT_EXEC, PROT_EXEC, false},
    /* others' signals and limits, and what the terminal is given to read */
    {REFUSED, CALL(fcntl), LOW(1), ALL, F_SETOWN, false},
    {REFUSED, CALL(fcntl), LOW(1), ALL, F_SETOWN_EX, false},
    {REFUSED, CALL(prlimit64), LOW(2), ALL, 0, true},
    {REFUSED, CALL(prlimit64), HIGH(2), ALL, 0, true},
    {REFUSED, CALL(ioctl), LOW(1), ALL, TIOCSTI, false},
    {REFUSED, CALL(ioctl), LOW(1), ALL, TIOCLINUX, false},
    /* a file by its name */
    {REFUSED, CALL(utimensat), LOW(1), ALL, 0, true},
    {REFUSED, CALL(utimensat), HIGH(1), ALL, 0, true},
    /* sockets other than TCP's, and those that reach somebody without a connection */
    {REFUSED, CALL(socket), LOW(0), ALL & ~(uint32_t)(AF_INET ^ AF_INET6), AF_INET &AF_INET6, true},
    {REFUSED, CALL(socketpair), LOW(1), 0xf, SOCK_DGRAM, false},
    {REFUSED, CALL(socketpair), LOW(1), 0xf, SOCK_RAW, false},
    {REFUSED, CALL(sendto), LOW(4), ALL, 0, true},
    {REFUSED, CALL(sendto), HIGH(4), ALL, 0, true},
#ifndef RT_SANITIZED /* which look for leaks by them */
    {REFUSED, CALL(prctl), LOW(0), ALL, PR_SET_NAME, true},
    {REFUSED, CALL(clone), LOW(0), CLONE_THREAD, 0, false},
#endif
};

/* One bit tells the two apart. */
_Static_assert(((AF_INET ^ AF_INET6) & ((AF_INET ^ AF_INET6) - 1)) == 0, "");

bool rt_sandbox_refuse_calls(bool serves)
{
	const struct rule others = {REFUSED, CALL(tgkill), LOW(0), ALL, (uint32_t)getpid(), true};
	/* Whose flags are in memory; the C library has an older call then. */
	const int unknown[] = {CALL(clone3)};
	struct filter filter;

	if (!rt_sandbox_has_seccomp())
		return true;
	filter_begin(&filter);
	put_calls(&filter, refused, COUNT(refused), REFUSED);
	if (!serves)
		put_calls(&filter, of_servers, COUNT(of_servers), REFUSED);
	put_calls(&filter, unknown, COUNT(unknown), SECCOMP_RET_ERRNO | ENOSYS);
	put_rules(&filter, &others, 1);
	put_rules(&filter, refused_where, COUNT(refused_where));
	return filter_end(&filter, ALLOWED);
}

/* --- A process that unpacks ------------------------------------------------------------------- */

/*
 * What strace shows over all forms that are read and written, and what allocation and errors of the
 * libraries may call beside that.
 */
static const int allowed[] = {
    CALL(read),        CALL(pread64),       CALL(lseek),        CALL(fstat),          CALL(munmap),
    CALL(brk),         CALL(mremap),        CALL(madvise),      CALL(futex),          CALL(exit),
    CALL(getrandom),   CALL(clock_gettime), CALL(exit_group),   CALL(rt_sigprocmask),
#ifdef RT_SANITIZED
    CALL(sigaltstack), CALL(rt_sigaction),  CALL(rt_sigreturn), CALL(getpid),         CALL(gettid),
    CALL(sched_yield), CALL(mmap),          CALL(write),
#endif
};

/* What a library would like to open, the time zone for one, is not there. */
static const int missing[] = {CALL(open), CALL(openat), CALL(stat), CALL(newfstatat)};

/* Memory that is new, no file's, and not executed. */
static const struct rule allowed_where[] = {
    {ALLOWED, CALL(mprotect), LOW(2), PROT_EXEC, 0, false},
    {OTHERWISE, CALL(mmap), LOW(2), PROT_EXEC, PROT_EXEC, false},
    {ALLOWED, CALL(mmap), LOW(4), ALL, ALL, false},
};

/* To the descriptors of a job, but for one that is read only. */
static const int writes[] = {CALL(write), CALL(pwrite64), CALL(ftruncate)};

/* More than a process that unpacks has descriptors. */
#define FDS_MAX 10

static bool allow_calls(int read_only)
{
	struct filter filter;

	filter_begin(&filter);
	put_calls(&filter, allowed, COUNT(allowed), ALLOWED);
	put_calls(&filter, missing, COUNT(missing), SECCOMP_RET_ERRNO | EMFILE);
	put_rules(&filter, allowed_where, COUNT(allowed_where));
	for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++) {
		for (size_t i = 0; fd != read_only && i < COUNT(writes); i++)
			put_rules(
			    &filter,
			    &(struct rule){ALLOWED, writes[i], LOW(0), ALL, (uint32_t)fd, false},
			    1);
	}
	return filter_end(&filter, OTHERWISE);
}

bool rt_sandbox_enter(pid_t parent, int read_only, uint64_t memory, uint64_t file_bytes)
{
	bool is_traced;
	uint64_t space = look_at_self(&is_traced);

	if (__builtin_add_overflow(space, memory, &space))
		space = RLIM_INFINITY;
	/* The ruleset for paths is a descriptor, of which there are none after the limits. */
	return give_up_rights(is_traced, parent) && give_up_paths() &&
	       set_limits(file_bytes, space) &&
	       (!rt_sandbox_has_seccomp() || allow_calls(read_only));
}
