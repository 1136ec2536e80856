/*
 * The filters of calls, made when the program is built: libseccomp turns lists into what the kernel
 * runs before each call of a process. Run on the machine that builds, with `decoder` or `program`.
 * Output: C, with the filters of that.
 *
 * Not made at the start of each process: that took 700 allocations and a library more to load.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/jail.h"
#include "source/job.h"

/* What of a call has to be right for it to be let through. */
enum on {
	ON_ANY,       /* nothing */
	ON_FILES,     /* it is on one of the job's descriptors but its socket */
	ON_WRITTEN,   /* likewise, and not on the file that is read */
	ON_SOCKET,    /* it is on the socket and names no address */
	ON_MEMORY,    /* new memory, which is no file's and is not executed */
	ON_PROTECT,   /* memory that is not executed */
	ON_NONE,      /* it fails as if there were too many descriptors */
	ON_TERMINAL,  /* it asks what the terminal is like */
	ON_CONTROL,   /* it is about a descriptor or a lock, not about signals */
	ON_THREAD,    /* it is a thread that is started, not a process */
	ON_OWN,       /* it is about this process, by its number */
	ON_LOOK,      /* it asks for a limit of this process */
	ON_PAIR,      /* a pair of stream sockets for this machine */
	ON_INTERNET,  /* a TCP socket */
	ON_NO_NAME,   /* the socket is one that is connected */
	ON_CONNECTED, /* likewise, by the flags that our messages have */
	ON_OPEN,      /* the file is one that is open */
	ON_QUESTION,  /* it asks what filters there can be */
};

struct call {
	int call;
	enum on on;
};

/*
 * What the decoder calls, as strace shows it over all forms that are read and written, and what
 * allocation and errors of its libraries may call beside that. What a library would like to open,
 * the time zone for one, is not there.
 */
static const struct call of_decoder[] = {
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
    {SCMP_SYS(exit_group), ON_ANY},     {-1, ON_ANY},
};

/*
 * What the program calls, as strace shows it over its tests, and what other versions of the C
 * library may call for the same. Which paths it opens is for Landlock to say.
 */
static const struct call of_program[] = {
    /* memory, threads, time */
    {SCMP_SYS(mmap), ON_PROTECT},
    {SCMP_SYS(mprotect), ON_PROTECT},
    {SCMP_SYS(munmap), ON_ANY},
    {SCMP_SYS(mremap), ON_ANY},
    {SCMP_SYS(madvise), ON_ANY},
    {SCMP_SYS(brk), ON_ANY},
    {SCMP_SYS(membarrier), ON_ANY},
    {SCMP_SYS(clone), ON_THREAD},
    {SCMP_SYS(set_robust_list), ON_ANY},
    {SCMP_SYS(rseq), ON_ANY},
    {SCMP_SYS(futex), ON_ANY},
    {SCMP_SYS(sched_yield), ON_ANY},
    {SCMP_SYS(sched_getaffinity), ON_ANY},
    {SCMP_SYS(exit), ON_ANY},
    {SCMP_SYS(exit_group), ON_ANY},
    {SCMP_SYS(clock_gettime), ON_ANY},
    {SCMP_SYS(clock_getres), ON_ANY},
    {SCMP_SYS(clock_nanosleep), ON_ANY},
    {SCMP_SYS(nanosleep), ON_ANY},
    {SCMP_SYS(gettimeofday), ON_ANY},
    {SCMP_SYS(time), ON_ANY},
    {SCMP_SYS(restart_syscall), ON_ANY},
    {SCMP_SYS(getrandom), ON_ANY},
    {SCMP_SYS(prlimit64), ON_LOOK},
    {SCMP_SYS(sysinfo), ON_ANY},
    {SCMP_SYS(uname), ON_ANY},
    {SCMP_SYS(seccomp), ON_QUESTION},
    {SCMP_SYS(landlock_create_ruleset), ON_ANY},
    /* who this is */
    {SCMP_SYS(getpid), ON_ANY},
    {SCMP_SYS(gettid), ON_ANY},
    {SCMP_SYS(getppid), ON_ANY},
    {SCMP_SYS(getuid), ON_ANY},
    {SCMP_SYS(geteuid), ON_ANY},
    {SCMP_SYS(getgid), ON_ANY},
    {SCMP_SYS(getegid), ON_ANY},
    /* signals; of children only how they end */
    {SCMP_SYS(rt_sigaction), ON_ANY},
    {SCMP_SYS(rt_sigprocmask), ON_ANY},
    {SCMP_SYS(rt_sigreturn), ON_ANY},
    {SCMP_SYS(rt_sigtimedwait), ON_ANY},
    {SCMP_SYS(rt_sigpending), ON_ANY},
    {SCMP_SYS(rt_sigsuspend), ON_ANY},
    {SCMP_SYS(sigaltstack), ON_ANY},
    {SCMP_SYS(tgkill), ON_OWN},
    {SCMP_SYS(wait4), ON_ANY},
    {SCMP_SYS(waitid), ON_ANY},
    {SCMP_SYS(pidfd_open), ON_ANY},
    /* files: looking, reading, writing */
    {SCMP_SYS(open), ON_ANY},
    {SCMP_SYS(openat), ON_ANY},
    {SCMP_SYS(close), ON_ANY},
    {SCMP_SYS(close_range), ON_ANY},
    {SCMP_SYS(dup), ON_ANY},
    {SCMP_SYS(dup2), ON_ANY},
    {SCMP_SYS(dup3), ON_ANY},
    {SCMP_SYS(pipe2), ON_ANY},
    {SCMP_SYS(eventfd2), ON_ANY},
    {SCMP_SYS(memfd_create), ON_ANY},
    {SCMP_SYS(stat), ON_ANY},
    {SCMP_SYS(lstat), ON_ANY},
    {SCMP_SYS(fstat), ON_ANY},
    {SCMP_SYS(newfstatat), ON_ANY},
    {SCMP_SYS(statx), ON_ANY},
    {SCMP_SYS(statfs), ON_ANY},
    {SCMP_SYS(fstatfs), ON_ANY},
    {SCMP_SYS(access), ON_ANY},
    {SCMP_SYS(faccessat), ON_ANY},
    {SCMP_SYS(faccessat2), ON_ANY},
    {SCMP_SYS(readlink), ON_ANY},
    {SCMP_SYS(readlinkat), ON_ANY},
    {SCMP_SYS(getcwd), ON_ANY},
    {SCMP_SYS(getdents64), ON_ANY},
    {SCMP_SYS(lseek), ON_ANY},
    {SCMP_SYS(read), ON_ANY},
    {SCMP_SYS(readv), ON_ANY},
    {SCMP_SYS(pread64), ON_ANY},
    {SCMP_SYS(write), ON_ANY},
    {SCMP_SYS(writev), ON_ANY},
    {SCMP_SYS(pwrite64), ON_ANY},
    {SCMP_SYS(copy_file_range), ON_ANY},
    {SCMP_SYS(sendfile), ON_ANY},
    {SCMP_SYS(splice), ON_ANY},
    {SCMP_SYS(fadvise64), ON_ANY},
    {SCMP_SYS(fallocate), ON_ANY},
    {SCMP_SYS(ftruncate), ON_ANY},
    {SCMP_SYS(fsync), ON_ANY},
    {SCMP_SYS(fdatasync), ON_ANY},
    {SCMP_SYS(sync_file_range), ON_ANY},
    {SCMP_SYS(flock), ON_ANY},
    {SCMP_SYS(fcntl), ON_CONTROL},
    {SCMP_SYS(ioctl), ON_TERMINAL},
    {SCMP_SYS(poll), ON_ANY},
    {SCMP_SYS(ppoll), ON_ANY},
    {SCMP_SYS(umask), ON_ANY},
    /* their names and attributes */
    {SCMP_SYS(unlink), ON_ANY},
    {SCMP_SYS(unlinkat), ON_ANY},
    {SCMP_SYS(rename), ON_ANY},
    {SCMP_SYS(renameat), ON_ANY},
    {SCMP_SYS(renameat2), ON_ANY},
    {SCMP_SYS(mkdir), ON_ANY},
    {SCMP_SYS(mkdirat), ON_ANY},
    {SCMP_SYS(symlinkat), ON_ANY},
    {SCMP_SYS(linkat), ON_ANY},
    {SCMP_SYS(fchmod), ON_ANY},
    {SCMP_SYS(fchown), ON_ANY},
    {SCMP_SYS(utimensat), ON_OPEN},
    {SCMP_SYS(flistxattr), ON_ANY},
    {SCMP_SYS(fgetxattr), ON_ANY},
    {SCMP_SYS(fsetxattr), ON_ANY},
    /* sockets to decoders */
    {SCMP_SYS(socketpair), ON_PAIR},
    {SCMP_SYS(sendto), ON_NO_NAME},
    {SCMP_SYS(recvfrom), ON_ANY},
    {SCMP_SYS(sendmsg), ON_CONNECTED},
    {SCMP_SYS(recvmsg), ON_ANY},
    {SCMP_SYS(shutdown), ON_ANY},
    {-1, ON_ANY},
};

static const struct call nothing[] = {{-1, ON_ANY}};

/* What ends the program: nothing that it is made of calls these. */
static const struct call fatal[] = {
    {SCMP_SYS(execve), ON_ANY},
    {SCMP_SYS(execveat), ON_ANY},
#ifndef RT_SANITIZED /* which look for leaks by it */
    {SCMP_SYS(ptrace), ON_ANY},
#endif
    {SCMP_SYS(process_vm_readv), ON_ANY},
    {SCMP_SYS(process_vm_writev), ON_ANY},
    {SCMP_SYS(process_madvise), ON_ANY},
    {SCMP_SYS(pidfd_getfd), ON_ANY},
    {SCMP_SYS(kcmp), ON_ANY},
    {SCMP_SYS(bpf), ON_ANY},
    {SCMP_SYS(perf_event_open), ON_ANY},
    {SCMP_SYS(userfaultfd), ON_ANY},
    {SCMP_SYS(io_uring_setup), ON_ANY},
    {SCMP_SYS(io_uring_enter), ON_ANY},
    {SCMP_SYS(io_uring_register), ON_ANY},
    {SCMP_SYS(add_key), ON_ANY},
    {SCMP_SYS(request_key), ON_ANY},
    {SCMP_SYS(keyctl), ON_ANY},
    {SCMP_SYS(mount), ON_ANY},
    {SCMP_SYS(umount2), ON_ANY},
    {SCMP_SYS(move_mount), ON_ANY},
    {SCMP_SYS(open_tree), ON_ANY},
    {SCMP_SYS(fsopen), ON_ANY},
    {SCMP_SYS(fsconfig), ON_ANY},
    {SCMP_SYS(fsmount), ON_ANY},
    {SCMP_SYS(fspick), ON_ANY},
    {SCMP_SYS(mount_setattr), ON_ANY},
    {SCMP_SYS(pivot_root), ON_ANY},
    {SCMP_SYS(chroot), ON_ANY},
    {SCMP_SYS(unshare), ON_ANY},
    {SCMP_SYS(setns), ON_ANY},
    {SCMP_SYS(open_by_handle_at), ON_ANY},
    {SCMP_SYS(init_module), ON_ANY},
    {SCMP_SYS(finit_module), ON_ANY},
    {SCMP_SYS(delete_module), ON_ANY},
    {SCMP_SYS(kexec_load), ON_ANY},
    {SCMP_SYS(kexec_file_load), ON_ANY},
    {SCMP_SYS(reboot), ON_ANY},
    {SCMP_SYS(swapon), ON_ANY},
    {SCMP_SYS(swapoff), ON_ANY},
    {SCMP_SYS(acct), ON_ANY},
    {SCMP_SYS(settimeofday), ON_ANY},
    {SCMP_SYS(clock_settime), ON_ANY},
    {SCMP_SYS(clock_adjtime), ON_ANY},
    {SCMP_SYS(adjtimex), ON_ANY},
    {SCMP_SYS(sethostname), ON_ANY},
    {SCMP_SYS(setdomainname), ON_ANY},
    {SCMP_SYS(iopl), ON_ANY},
    {SCMP_SYS(ioperm), ON_ANY},
    {SCMP_SYS(connect), ON_ANY},
    {-1, ON_ANY},
};

/* What only a server calls, and only who copies a folder: others touch attributes of open files. */
static const struct call of_servers[] = {
    {SCMP_SYS(socket), ON_INTERNET},
    {SCMP_SYS(bind), ON_ANY},
    {SCMP_SYS(listen), ON_ANY},
    {SCMP_SYS(accept4), ON_ANY},
    {SCMP_SYS(epoll_create1), ON_ANY},
    {SCMP_SYS(epoll_ctl), ON_ANY},
    {SCMP_SYS(epoll_wait), ON_ANY},
    {SCMP_SYS(epoll_pwait), ON_ANY},
    {SCMP_SYS(setsockopt), ON_ANY},
    {SCMP_SYS(getsockopt), ON_ANY},
    {SCMP_SYS(getsockname), ON_ANY},
    {SCMP_SYS(getpeername), ON_ANY},
    {-1, ON_ANY},
};
static const struct call of_copiers[] = {
    {SCMP_SYS(fchownat), ON_ANY},
    {SCMP_SYS(utimensat), ON_ANY},
    {-1, ON_ANY},
};

#ifdef RT_SANITIZED
/* What a sanitizer calls besides, to work and to report: the last two to any place, for memory of
 * fixed addresses and standard error. */
static const struct call of_sanitizers[] = {
    {SCMP_SYS(sigaltstack), ON_ANY},
    {SCMP_SYS(rt_sigaction), ON_ANY},
    {SCMP_SYS(rt_sigreturn), ON_ANY},
    {SCMP_SYS(getpid), ON_ANY},
    {SCMP_SYS(gettid), ON_ANY},
    {SCMP_SYS(sched_yield), ON_ANY},
    {SCMP_SYS(mmap), ON_ANY},
    {SCMP_SYS(write), ON_ANY},
    {-1, ON_ANY},
};
#define OTHER_OF_DECODER SCMP_ACT_ERRNO(EPERM)
#define OTHER_OF_PROGRAM SCMP_ACT_ALLOW
#define FATAL SCMP_ACT_ERRNO(EPERM)
#else
#define of_sanitizers nothing
#define OTHER_OF_DECODER SCMP_ACT_KILL_PROCESS
/* As where the system is too old to have it, for which libraries have another way. */
#define OTHER_OF_PROGRAM SCMP_ACT_ERRNO(ENOSYS)
#define FATAL SCMP_ACT_KILL_PROCESS
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

/* Let a call do what stands in a list of values for one argument. */
static int on_values(scmp_filter_ctx filter, uint32_t action, int call, unsigned index,
		     const uint32_t *values, size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed =
		    seccomp_rule_add(filter, action, call, 1, HALF(index, UINT32_MAX, values[i]));
	return failed;
}

/* TCGETS2, as newer versions of the C library have it; its macro wants a type of the kernel's. */
#define NEW_TCGETS 0x802c542au

#define VALUES(...)                                                                                \
	(const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* Those that are about one argument, or two. */
static int on_argument(scmp_filter_ctx filter, uint32_t action, int call, enum on on)
{
	const uint32_t kind = ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK);

	switch (on) {
	case ON_FILES:
		return on_values(filter, action, call, 0,
				 VALUES(FD_FILE, FD_FILE + 1, FD_FILE + 2, FD_FILE + 3));
	case ON_WRITTEN:
		return on_values(filter, action, call, 0,
				 VALUES(FD_FILE + 1, FD_FILE + 2, FD_FILE + 3));
	case ON_TERMINAL:
		return on_values(filter, action, call, 1, VALUES(TCGETS, NEW_TCGETS, TIOCGWINSZ));
	case ON_CONTROL:
		return on_values(filter, action, call, 1,
				 VALUES(F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL,
					F_SETFL, F_OFD_SETLK, F_OFD_GETLK, F_ADD_SEALS,
					F_GET_SEALS));
	case ON_SOCKET:
		return seccomp_rule_add(filter, action, call, 2, HALF(0, UINT32_MAX, FD_SOCK),
					SCMP_CMP(4, SCMP_CMP_EQ, 0, 0));
	case ON_MEMORY:
		return seccomp_rule_add(filter, action, call, 2, HALF(4, UINT32_MAX, UINT32_MAX),
					HALF(2, PROT_EXEC, 0));
	case ON_PAIR:
		return seccomp_rule_add(filter, action, call, 2, HALF(0, UINT32_MAX, AF_UNIX),
					HALF(1, kind, SOCK_STREAM));
	case ON_INTERNET:
		return seccomp_rule_add(filter, action, call, 2, HALF(0, UINT32_MAX, AF_INET),
					HALF(1, kind, SOCK_STREAM)) +
		       seccomp_rule_add(filter, action, call, 2, HALF(0, UINT32_MAX, AF_INET6),
					HALF(1, kind, SOCK_STREAM));
	case ON_LOOK:
		return seccomp_rule_add(filter, action, call, 2, HALF(0, UINT32_MAX, 0),
					SCMP_CMP(2, SCMP_CMP_EQ, 0, 0));
	default:
		return -EINVAL;
	}
}

/* Put a call on a list. Returns 0, or an errno that is negative. */
static int add(scmp_filter_ctx filter, uint32_t action, int call, enum on on)
{
	switch (on) {
	case ON_ANY:
		return seccomp_rule_add(filter, action, call, 0);
	case ON_NONE:
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EMFILE), call, 0);
	case ON_PROTECT:
		return seccomp_rule_add(filter, action, call, 1, HALF(2, PROT_EXEC, 0));
	case ON_THREAD:
		return seccomp_rule_add(filter, action, call, 1,
					HALF(0, CLONE_THREAD, CLONE_THREAD));
	case ON_OWN:
		return seccomp_rule_add(filter, action, call, 1,
					HALF(0, UINT32_MAX, RT_JAIL_OWN_PID));
	case ON_NO_NAME:
		return seccomp_rule_add(filter, action, call, 1, SCMP_CMP(4, SCMP_CMP_EQ, 0, 0));
	case ON_CONNECTED:
		return seccomp_rule_add(filter, action, call, 1, HALF(2, UINT32_MAX, MSG_NOSIGNAL));
	case ON_QUESTION:
		return seccomp_rule_add(filter, action, call, 1,
					HALF(0, UINT32_MAX, SECCOMP_GET_ACTION_AVAIL));
	case ON_OPEN:
		return seccomp_rule_add(filter, action, call, 1, SCMP_CMP(1, SCMP_CMP_EQ, 0, 0));
	default:
		return on_argument(filter, action, call, on);
	}
}

static int add_all(scmp_filter_ctx filter, uint32_t action, const struct call *calls)
{
	int failed = 0;

	for (; !failed && calls->call != -1; calls++)
		failed = add(filter, action, calls->call, calls->on);
	return failed;
}

/* --- Filters ------------------------------------------------------------------------------ */

/* The kernel's program, read from a file, as C. Returns whether it is there. */
static bool print_steps(FILE *file, unsigned number)
{
	struct sock_filter step;
	size_t count = 0;

	rewind(file);
	(void)printf("\nstatic const struct sock_filter steps_%u[] = {\n", number);
	for (; fread(&step, sizeof(step), 1, file) == 1; count++)
		(void)printf("\t{0x%x, %u, %u, 0x%x},\n", step.code, step.jt, step.jf, step.k);
	(void)printf("};\n");
	return count > 0;
}

/* A filter as C. other: what becomes of calls that are on no list. Returns whether it is there. */
static bool print_filter(unsigned number, uint32_t other, const struct call *const *lists)
{
	scmp_filter_ctx filter = seccomp_init(other);
	FILE *file = tmpfile();
	int failed = filter && file ? 0 : -ENOMEM;
	bool is_made;

	if (!failed)
		failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	/* Found by halves, not one after another: there are many. */
	if (!failed)
		failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (; !failed && *lists; lists++) {
		uint32_t action = *lists == fatal ? FATAL : SCMP_ACT_ALLOW;

		/* What becomes of the others is no rule. */
		if (action != other)
			failed = add_all(filter, action, *lists);
	}
	if (!failed)
		failed = seccomp_export_bpf(filter, fileno(file));
	if (failed)
		(void)fprintf(stderr, "make_calls: cannot make filter %u: error %d\n", number,
			      -failed);
	is_made = !failed && print_steps(file, number);
	if (file)
		(void)fclose(file);
	if (filter)
		seccomp_release(filter);
	return is_made;
}

static void print_name(unsigned number)
{
	(void)printf("{steps_%u, sizeof(steps_%u) / sizeof(steps_%u[0])}", number, number, number);
}

static bool print_decoder(void)
{
	static const struct call *const lists[] = {of_sanitizers, of_decoder, NULL};
	bool is_made = print_filter(0, OTHER_OF_DECODER, lists);

	(void)printf("\nconst struct rt_jail_calls rt_calls_decoder = ");
	print_name(0);
	(void)printf(";\n");
	return is_made;
}

static bool print_program(void)
{
	bool is_made = true;

	for (unsigned i = 0; is_made && i < RT_JAIL_NEEDS; i++) {
		const struct call *const lists[] = {
		    fatal,
		    of_program,
		    i & RT_JAIL_SERVES ? of_servers : nothing,
		    i & RT_JAIL_COPIES ? of_copiers : nothing,
		    NULL,
		};

		is_made = print_filter(i, OTHER_OF_PROGRAM, lists);
	}
	(void)printf("\nconst struct rt_jail_calls rt_calls_program[] = {\n");
	for (unsigned i = 0; i < RT_JAIL_NEEDS; i++) {
		(void)printf("\t");
		print_name(i);
		(void)printf(",\n");
	}
	(void)printf("};\n");
	return is_made;
}

int main(int argc, char **argv)
{
	bool is_decoder = argc > 1 && strcmp(argv[1], "decoder") == 0;
	bool is_made;

	(void)printf("/* Made by src/decoder/make_calls.c. */\n#include \"%s/jail.h\"\n",
		     is_decoder ? "decoder" : "base");
	is_made = is_decoder ? print_decoder() : print_program();
	return is_made && fflush(stdout) == 0 ? 0 : 1;
}
