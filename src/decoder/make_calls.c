/*
 * The filter of calls, made when the program is built: libseccomp turns the list into what the
 * kernel runs before each call of a process. Run on the machine that builds. Output: C, with that
 * program as rt_calls and its length as rt_calls_count.
 *
 * Not made at the start of each process: that took 700 allocations and a library more to load.
 */
#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/job.h"

/* A call that is not on the list: ends the process, or fails where a sanitizer has its own. */
#ifdef RT_SANITIZED
#define DENY SCMP_ACT_ERRNO(EPERM)
#else
#define DENY SCMP_ACT_KILL_PROCESS
#endif

/* What of a call has to be right for it to be let through. */
enum on {
	ON_ANY,     /* nothing */
	ON_FILES,   /* it is on one of the job's descriptors but its socket */
	ON_WRITTEN, /* likewise, and not on the file that is read */
	ON_SOCKET,  /* it is on the socket and names no address */
	ON_MEMORY,  /* new memory, which is no file's and is not executed */
	ON_PROTECT, /* memory that is not executed */
	ON_NONE,    /* it fails as if there were too many descriptors */
};

/*
 * What the decoder calls, as strace shows it over all forms that are read and written, and what
 * allocation and errors of its libraries may call beside that. What a library would like to open,
 * the time zone for one, is not there.
 */
static const struct {
	int call;
	enum on on;
} allowed[] = {
    {SCMP_SYS(pread64), ON_FILES},      {SCMP_SYS(read), ON_FILES},
    {SCMP_SYS(sendto), ON_SOCKET},      {SCMP_SYS(recvfrom), ON_SOCKET},
    {SCMP_SYS(write), ON_WRITTEN},      {SCMP_SYS(mmap), ON_MEMORY},
    {SCMP_SYS(munmap), ON_ANY},         {SCMP_SYS(brk), ON_ANY},
    {SCMP_SYS(lseek), ON_FILES},        {SCMP_SYS(fstat), ON_FILES},
    {SCMP_SYS(pwrite64), ON_WRITTEN},   {SCMP_SYS(ftruncate), ON_WRITTEN},
    {SCMP_SYS(mremap), ON_ANY},         {SCMP_SYS(madvise), ON_ANY},
    {SCMP_SYS(mprotect), ON_PROTECT},   {SCMP_SYS(futex), ON_ANY},
    {SCMP_SYS(getrandom), ON_ANY},      {SCMP_SYS(clock_gettime), ON_ANY},
    {SCMP_SYS(rt_sigprocmask), ON_ANY}, {SCMP_SYS(open), ON_NONE},
    {SCMP_SYS(openat), ON_NONE},        {SCMP_SYS(exit), ON_ANY},
    {SCMP_SYS(exit_group), ON_ANY},
};

#ifdef RT_SANITIZED
/* What a sanitizer calls besides, to work and to report: the last two to any place, for memory of
 * fixed addresses and standard error. */
static const int of_sanitizers[] = {
    SCMP_SYS(sigaltstack), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(getpid),
    SCMP_SYS(gettid),      SCMP_SYS(sched_yield),  SCMP_SYS(mmap),         SCMP_SYS(write),
};
#endif

/* The numbers of the job's descriptors: 3 is the socket, 4 the file, 5 to 7 are written. */
_Static_assert(RT_JOB_FD_FIRST == 3 && RT_JOB_FILE - RT_JOB_SOCK == 1 &&
		   RT_JOB_SPOOL - RT_JOB_SOCK == 2 && RT_JOB_OUT_SPOOL - RT_JOB_SOCK == 4,
	       "the numbers that the filter knows");
#define FD_SOCK 3u
#define FD_FILE 4u

/* An argument's lower half, which is all that the kernel takes of a number of 32 bits: its bits in
 * mask are those of value. */
#define HALF(index, mask, value) SCMP_CMP(index, SCMP_CMP_MASKED_EQ, (mask), (value))

/* Put a call on the list. Returns 0, or an errno that is negative. */
static int allow(scmp_filter_ctx filter, int call, enum on on)
{
	int failed = 0;

	switch (on) {
	case ON_ANY:
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	case ON_NONE:
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EMFILE), call, 0);
	case ON_FILES:
		failed =
		    seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, HALF(0, UINT32_MAX, FD_FILE));
		/* fall through */
	case ON_WRITTEN:
		if (!failed)
			failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
						  HALF(0, UINT32_MAX, FD_FILE + 1));
		if (!failed)
			failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
						  HALF(0, UINT32_MAX - 1, FD_FILE + 2));
		return failed;
	case ON_SOCKET:
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 2,
					HALF(0, UINT32_MAX, FD_SOCK),
					SCMP_CMP(4, SCMP_CMP_EQ, 0, 0));
	case ON_MEMORY:
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 2,
					HALF(4, UINT32_MAX, UINT32_MAX), HALF(2, PROT_EXEC, 0));
	case ON_PROTECT:
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, HALF(2, PROT_EXEC, 0));
	}
	return -EINVAL;
}

static int make_list(scmp_filter_ctx filter)
{
	int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

#ifdef RT_SANITIZED
	for (size_t i = 0; !failed && i < sizeof(of_sanitizers) / sizeof(of_sanitizers[0]); i++)
		failed = allow(filter, of_sanitizers[i], ON_ANY);
#endif
	for (size_t i = 0; !failed && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		failed = allow(filter, allowed[i].call, allowed[i].on);
	return failed;
}

/* The kernel's program, read from a file, as C. Returns whether it is there. */
static bool print_program(FILE *file)
{
	struct sock_filter step;
	size_t count = 0;

	rewind(file);
	(void)printf("/* Made by src/decoder/make_calls.c. */\n"
		     "#include \"decoder/jail.h\"\n\n"
		     "const struct sock_filter rt_calls[] = {\n");
	for (; fread(&step, sizeof(step), 1, file) == 1; count++)
		(void)printf("\t{0x%x, %u, %u, 0x%x},\n", step.code, step.jt, step.jf, step.k);
	(void)printf("};\nconst unsigned short rt_calls_count = %zu;\n", count);
	return count > 0 && fflush(stdout) == 0;
}

int main(void)
{
	scmp_filter_ctx filter = seccomp_init(DENY);
	FILE *file = tmpfile();
	int failed = filter && file ? make_list(filter) : -ENOMEM;
	bool is_made;

	if (!failed)
		failed = seccomp_export_bpf(filter, fileno(file));
	if (failed)
		(void)fprintf(stderr, "make_calls: cannot make the filter: error %d\n", -failed);
	is_made = !failed && print_program(file);
	if (file)
		(void)fclose(file);
	if (filter)
		seccomp_release(filter);
	return is_made ? 0 : 1;
}
