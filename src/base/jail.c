/*
 * Asks for seccomp and Landlock, and uses the latter. Input: none. Output: what there is.
 * Refuses, where a jail is required, a kernel without either.
 */
#include "base/jail.h"

#include <errno.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What newer versions know, by their numbers. */
#define FS_VERSION_1 ((UINT64_C(1) << 13) - 1)
#define FS_REFER (UINT64_C(1) << 13)     /* from 2 on */
#define FS_TRUNCATE (UINT64_C(1) << 14)  /* from 3 on */
#define FS_IOCTL_DEV (UINT64_C(1) << 15) /* from 5 on */
#define NET_TCP UINT64_C(3)              /* bind and connect, from 4 on */
#define SCOPES UINT64_C(3)               /* abstract sockets and signals, from 6 on */

/* struct landlock_ruleset_attr, as long as it has become by version 6. */
struct ruleset {
	uint64_t fs, net, scoped;
};

bool rt_jail_has_seccomp(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

unsigned rt_jail_landlock(void)
{
	long version =
	    syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (unsigned)version : 0;
}

bool rt_jail_give_up_paths(void)
{
	unsigned version = rt_jail_landlock();
	struct ruleset all = {.fs = FS_VERSION_1};
	size_t size = sizeof(all.fs);
	bool is_done;
	int fd;

	if (!version)
		return true;
	if (version >= 2)
		all.fs |= FS_REFER;
	if (version >= 3)
		all.fs |= FS_TRUNCATE;
	if (version >= 5)
		all.fs |= FS_IOCTL_DEV;
	if (version >= 4) {
		all.net = NET_TCP;
		size += sizeof(all.net);
	}
	if (version >= 6) {
		all.scoped = SCOPES;
		size += sizeof(all.scoped);
	}
	fd = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	if (fd < 0)
		return false;
	is_done = syscall(SYS_landlock_restrict_self, fd, 0) == 0;
	close(fd);
	return is_done;
}

enum rt_status rt_jail_require(struct rt_error *err)
{
	bool seccomp = rt_jail_has_seccomp();

	if (seccomp && rt_jail_landlock())
		return RT_OK;
	return rt_error_set(err, RT_E_IO,
			    "want a kernel with seccomp and Landlock, as a jail is required, have "
			    "one without %s",
			    seccomp ? "Landlock" : "seccomp");
}

struct rt_jail rt_jail_look(void)
{
	return (struct rt_jail){.seccomp = rt_jail_has_seccomp(), .landlock = rt_jail_landlock()};
}
