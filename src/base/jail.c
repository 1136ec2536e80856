/*
 * Asks for seccomp and Landlock, and uses them. Input: what a process keeps. Output: what there is;
 * what was given up does not come back. Refuses, where a jail is required, a kernel without either.
 */
#include "base/jail.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

bool rt_jail_has_seccomp(void)
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
static bool begin(struct rt_jail_paths *paths, uint64_t net, uint64_t scoped)
{
	unsigned version = landlock_version();
	struct ruleset all = {.fs = fs_known(version)};
	size_t size = sizeof(all.fs);

	*paths = (struct rt_jail_paths){-1, version};
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
 * Signals are left to seccomp where that is there: the one by which the kernel tells a decoder that
 * this process has died, of its PR_SET_PDEATHSIG, counts as ours.
 */
bool rt_jail_paths_begin(struct rt_jail_paths *paths, bool listens)
{
	return begin(paths, listens ? NET_CONNECT : NET_BIND | NET_CONNECT,
		     rt_jail_has_seccomp() ? SCOPE_SOCKETS : SCOPE_SOCKETS | SCOPE_SIGNALS);
}

/* What a use of a file or folder comes to. */
static uint64_t fs_wanted(enum rt_jail_use use, bool is_folder)
{
	uint64_t wanted = LANDLOCK_ACCESS_FS_READ_FILE;

	if (is_folder)
		wanted |= LANDLOCK_ACCESS_FS_READ_DIR;
	if (use == RT_JAIL_READ)
		return wanted;
	wanted |= LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
	if (is_folder)
		wanted |= LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			  LANDLOCK_ACCESS_FS_MAKE_SYM | FS_REFER;
	return wanted;
}

bool rt_jail_paths_keep(struct rt_jail_paths *paths, int fd, enum rt_jail_use use)
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

bool rt_jail_paths_end(struct rt_jail_paths *paths)
{
	bool is_done =
	    paths->ruleset < 0 || syscall(SYS_landlock_restrict_self, paths->ruleset, 0) == 0;

	if (paths->ruleset >= 0)
		close(paths->ruleset);
	paths->ruleset = -1;
	return is_done;
}

bool rt_jail_give_up_paths(void)
{
	struct rt_jail_paths none;

	return begin(&none, NET_BIND | NET_CONNECT, SCOPE_SOCKETS | SCOPE_SIGNALS) &&
	       rt_jail_paths_end(&none);
}

/* --- Rights and calls -------------------------------------------------------------------- */

bool rt_jail_keep_capabilities(uint32_t kept)
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

/* More than the steps of any filter of ours. */
#define STEPS_MAX 2048u

bool rt_jail_filter(const struct rt_jail_calls *calls)
{
	struct sock_filter steps[STEPS_MAX];
	struct sock_fprog program = {calls->count, steps};

	if (calls->count > STEPS_MAX)
		return false;
	memcpy(steps, calls->steps, calls->count * sizeof(*steps));
	for (unsigned short i = 0; i < calls->count; i++) {
		if (steps[i].k == RT_JAIL_OWN_PID)
			steps[i].k = (uint32_t)getpid();
	}
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
	       0;
}

/* --- What there is ----------------------------------------------------------------------- */

enum rt_status rt_jail_require(struct rt_error *err)
{
	bool seccomp = rt_jail_has_seccomp();

	if (seccomp && landlock_version())
		return RT_OK;
	return rt_error_set(err, RT_E_IO,
			    "want a kernel with seccomp and Landlock, as a jail is required, have "
			    "one without %s",
			    seccomp ? "Landlock" : "seccomp");
}

struct rt_jail rt_jail_look(void)
{
	return (struct rt_jail){.seccomp = rt_jail_has_seccomp(), .landlock = landlock_version()};
}
