/*
 * Takes away what a process that decodes does not need. Input: the bounds of its job. Output: none;
 * what was taken away does not come back. Refuses to go on where the kernel has a way to take
 * something away and then does not.
 */
#include "decoder/jail.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"

/* Bytes that a process is taken to have mapped when it cannot be asked. */
#define SPACE_GUESS (UINT64_C(1) << 30)

/* The user that everybody else's files and processes do not belong to. */
#define NOBODY 65534u

/* A sanitizer maps terabytes at its start, reports on standard error. */
#ifdef RT_SANITIZED
static const bool has_sanitizer = true;
#else
static const bool has_sanitizer = false;
#endif

void rt_jail_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	/* A spool that reaches its bound is EFBIG and a message. */
	(void)signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* --- Bounds ------------------------------------------------------------------------------ */

/* The number after a name in the status of a process; other where there is none. */
static uint64_t status_number(const char *status, const char *name, uint64_t other)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : other;
}

/* Look at this process: the address space in use, a generous guess where /proc does not say, and
 * whether it is traced. */
static void look_at_status(struct rt_jail_plan *plan)
{
	char text[4096] = "";
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)rt_read_at(fd, text, sizeof(text) - 1, -1);
		close(fd);
	}
	plan->space = status_number(text, "\nVmSize:", SPACE_GUESS >> 10) << 10;
	plan->is_traced = status_number(text, "\nTracerPid:", 0) != 0;
}

static bool set_limit(__rlimit_resource_t resource, uint64_t value)
{
	struct rlimit now;
	struct rlimit limit;

	if (getrlimit(resource, &now) != 0)
		return false;
	/* Never more than the parent has, whatever it may raise itself to. */
	limit.rlim_max = value < now.rlim_cur ? value : now.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

bool rt_jail_limit(uint64_t space, uint64_t file_bytes)
{
	/* Without its limits a decoder must not run. */
	return set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, file_bytes) &&
	       set_limit(RLIMIT_NOFILE, 0) && set_limit(RLIMIT_NPROC, 0) &&
	       (has_sanitizer || set_limit(RLIMIT_AS, space));
}

/* --- Rights ------------------------------------------------------------------------------ */

/* Nobody may look into this process; who has begun to already would only see less than before. */
static bool hide_memory(const struct rt_jail_plan *plan)
{
	return plan->is_traced || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

bool rt_jail_launcher(const struct rt_jail_plan *plan)
{
	/* Only who has the right to can, and needs to. */
	for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return hide_memory(plan) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       rt_jail_keep_capabilities(1u << CAP_SETUID | 1u << CAP_SETGID) &&
	       rt_jail_give_up_paths();
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

bool rt_jail_child(const struct rt_jail_plan *plan)
{
	become_nobody();
	return hide_memory(plan) && rt_jail_keep_capabilities(0);
}

/* --- All together ------------------------------------------------------------------------- */

void rt_jail_plan(struct rt_jail_plan *plan)
{
	*plan = (struct rt_jail_plan){.space = 0};
	look_at_status(plan);
	plan->has_calls = rt_jail_has_seccomp();
}

bool rt_jail_calls(const struct rt_jail_plan *plan)
{
	return !plan->has_calls || rt_jail_filter(&rt_calls_decoder);
}
