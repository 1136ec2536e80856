/*
 * Takes away what a child that decodes does not need. Input: the bounds of its job. Output: none;
 * what was taken away does not come back.
 */
#include "decoder/jail.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"

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

/* Bytes of address space in use now; a generous guess where /proc does not say. */
static uint64_t address_space(void)
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

bool rt_jail_limit(uint64_t memory_bytes, uint64_t file_bytes)
{
	uint64_t space = address_space();

	/* Without its limits a decoder must not run. */
	if (!set_limit(RLIMIT_CORE, 0) || !set_limit(RLIMIT_FSIZE, file_bytes) ||
	    !set_limit(RLIMIT_NOFILE, 0))
		return false;
	return has_asan || __builtin_add_overflow(space, memory_bytes, &space) ||
	       set_limit(RLIMIT_AS, space);
}
