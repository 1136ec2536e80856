/*
 * The filter of calls: a program that the kernel runs before each call of a process. Input: none.
 * Output: the program, made once for all children.
 *
 * libseccomp makes such programs for any list. It was here first, and went: for these twenty calls
 * it brought a library to load and 700 allocations to each start.
 * Refuses calls of another architecture's numbers.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/jail.h"
#include "decoder/jail.h"
#include "source/job.h"

/* A call that is not on the list: ends the process, or fails where a sanitizer has its own. */
#ifdef RT_SANITIZED
#define DENY (SECCOMP_RET_ERRNO | EPERM)
#else
#define DENY SECCOMP_RET_KILL_PROCESS
#endif

/* Numbers of x86-64's other way to call begin here. */
#define X32 0x40000000u

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
	unsigned call;
	enum on on;
} allowed[] = {
    {SYS_pread64, ON_FILES},      {SYS_read, ON_FILES},       {SYS_sendto, ON_SOCKET},
    {SYS_recvfrom, ON_SOCKET},    {SYS_write, ON_WRITTEN},    {SYS_mmap, ON_MEMORY},
    {SYS_munmap, ON_ANY},         {SYS_brk, ON_ANY},          {SYS_lseek, ON_FILES},
    {SYS_fstat, ON_FILES},        {SYS_pwrite64, ON_WRITTEN}, {SYS_ftruncate, ON_WRITTEN},
    {SYS_mremap, ON_ANY},         {SYS_madvise, ON_ANY},      {SYS_mprotect, ON_PROTECT},
    {SYS_futex, ON_ANY},          {SYS_getrandom, ON_ANY},    {SYS_clock_gettime, ON_ANY},
    {SYS_rt_sigprocmask, ON_ANY},
#ifdef SYS_open
    {SYS_open, ON_NONE},
#endif
    {SYS_openat, ON_NONE},        {SYS_exit, ON_ANY},         {SYS_exit_group, ON_ANY},
};

#ifdef RT_SANITIZED
/* What a sanitizer calls besides, to work and to report. */
static const unsigned of_sanitizers[] = {
    SYS_sigaltstack, SYS_rt_sigaction, SYS_rt_sigreturn, SYS_getpid, SYS_gettid, SYS_sched_yield,
};
#endif

/* The numbers of the job's descriptors, as bits: 4 is the file, 5 to 7 are written. */
_Static_assert(RT_JOB_FD_FIRST == 3 && RT_JOB_FILE - RT_JOB_SOCK == 1 &&
		   RT_JOB_SPOOL - RT_JOB_SOCK == 2 && RT_JOB_OUT_SPOOL - RT_JOB_SOCK == 4,
	       "the numbers that the filter knows");
#define FD_SOCK 3u
#define FD_FILE 4u

static struct sock_filter program[160];
static unsigned short count;

static void put(uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
	program[count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(size_t offset)
{
	put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument, on machines that have it first. */
static size_t argument(unsigned index)
{
	return offsetof(struct seccomp_data, args) + sizeof(uint64_t) * index;
}

static void answer(uint32_t action)
{
	put(BPF_RET | BPF_K, action, 0, 0);
}

/* Deny unless what was loaded, with the bits of mask alone, is value. */
static void want(uint32_t mask, uint32_t value)
{
	if (mask != UINT32_MAX)
		put(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	put(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
	answer(DENY);
}

/* The conditions of a call. */
static void put_conditions(enum on on)
{
	switch (on) {
	case ON_WRITTEN:
		load(argument(0));
		put(BPF_JMP | BPF_JEQ | BPF_K, FD_FILE, 0, 1);
		answer(DENY);
		want(~3u, FD_FILE);
		break;
	case ON_FILES:
		load(argument(0));
		want(~3u, FD_FILE);
		break;
	case ON_SOCKET:
		load(argument(0));
		want(UINT32_MAX, FD_SOCK);
		load(argument(4));
		want(UINT32_MAX, 0);
		load(argument(4) + sizeof(uint32_t));
		want(UINT32_MAX, 0);
		break;
	case ON_MEMORY:
		load(argument(4));
		want(UINT32_MAX, UINT32_MAX);
		load(argument(2));
		want(PROT_EXEC, 0);
		break;
	case ON_PROTECT:
		load(argument(2));
		want(PROT_EXEC, 0);
		break;
	case ON_ANY:
	case ON_NONE:
		break;
	}
}

/* A call: its conditions and its answer are passed over where it is another. */
static void put_call(unsigned call, enum on on)
{
	unsigned short at = count;

	put(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
	put_conditions(on);
	answer(on == ON_NONE ? SECCOMP_RET_ERRNO | EMFILE : SECCOMP_RET_ALLOW);
	program[at].jf = (uint8_t)(count - at - 1);
}

struct sock_fprog rt_calls_filter(void)
{
	count = 0;
	load(offsetof(struct seccomp_data, arch));
	want(UINT32_MAX, RT_JAIL_ARCH);
	load(offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	put(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
	answer(DENY);
#endif
#ifdef RT_SANITIZED
	for (size_t i = 0; i < sizeof(of_sanitizers) / sizeof(of_sanitizers[0]); i++)
		put_call(of_sanitizers[i], ON_ANY);
	/* These to any place: memory of fixed addresses, standard error. */
	put_call(SYS_mmap, ON_ANY);
	put_call(SYS_write, ON_ANY);
#endif
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		put_call(allowed[i].call, allowed[i].on);
	answer(DENY);
	return (struct sock_fprog){count, program};
}
