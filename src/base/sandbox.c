/*
 * Asks the kernel for Landlock, capabilities and limits directly: the C library has no calls for
 * them, and its headers may be older than the kernel. The filters of calls are in calls.c.
 */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

bool rt_sandbox_enter(const struct rt_sandbox_child *kept)
{
	bool is_traced;
	uint64_t space = look_at_self(&is_traced);

	/* The ruleset for paths is a descriptor, of which there are none after the limits. */
	return give_up_rights(is_traced, kept->parent) && give_up_paths() &&
	       set_limits(kept, space) && (!kept->calls || rt_calls_load(kept->calls));
}

/* --- What there is ----------------------------------------------------------------------- */

enum rt_status rt_sandbox_require(struct rt_error *err)
{
	bool seccomp = rt_sandbox_has_seccomp();

	if (seccomp && landlock_version())
		return RT_OK;
	return rt_error_set(err, RT_E_IO,
			    "want a kernel with seccomp and Landlock, as a jail is required, have "
			    "one without %s",
			    seccomp ? "Landlock" : "seccomp");
}

struct rt_jail rt_jail_look(void)
{
	return (struct rt_jail){.seccomp = rt_sandbox_has_seccomp(),
				.landlock = landlock_version()};
}
