/*
 * A library to preload that makes calls of the C library fail, for tests of what happens then.
 *
 * Environment: FAULT_KIND (malloc, read, write, open, map, fork, sync), FAULT_AT (which call of
 * that kind fails, from 1, counted from main() on and in each process for itself), FAULT_ON (also
 * every call after it), FAULT_LOG (a file that is created when one has failed). Writes to standard
 * error never fail: the test wants to read them. Refuses nothing; without FAULT_KIND it is idle.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The C library's own names for what is replaced here; dlsym() itself allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_long calls;
static long fail_at;
static bool fail_on;
static bool active;
static const char *kind = "";
static const char *log_path;

static bool fails(const char *which)
{
	long call;

	if (!active || strcmp(which, kind) != 0)
		return false;
	call = atomic_fetch_add(&calls, 1) + 1;
	if (call != fail_at && !(fail_on && call > fail_at))
		return false;
	if (log_path)
		syscall(SYS_close,
			syscall(SYS_openat, AT_FDCWD, log_path, O_CREAT | O_WRONLY, 0600));
	return true;
}

/* As fails(), and sets errno. */
static bool fails_with(const char *which, int error)
{
	if (!fails(which))
		return false;
	errno = error;
	return true;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *malloc(size_t size)
{
	return fails_with("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails_with("malloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails_with("malloc", ENOMEM) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails_with("malloc", ENOMEM) ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **ret, size_t align, size_t size)
{
	if (fails("malloc"))
		return ENOMEM;
	*ret = __libc_memalign(align, size);
	return *ret ? 0 : ENOMEM;
}

ssize_t read(int fd, void *buf, size_t len)
{
	return fails_with("read", EIO) ? -1 : syscall(SYS_read, fd, buf, len);
}

ssize_t __read_chk(int fd, void *buf, size_t len, size_t cap);
ssize_t __read_chk(int fd, void *buf, size_t len, size_t cap)
{
	if (len > cap)
		abort();
	return read(fd, buf, len);
}

ssize_t pread(int fd, void *buf, size_t len, off_t at)
{
	return fails_with("read", EIO) ? -1 : syscall(SYS_pread64, fd, buf, len, at);
}

ssize_t readv(int fd, const struct iovec *parts, int count)
{
	return fails_with("read", EIO) ? -1 : syscall(SYS_readv, fd, parts, count);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	if (fd != STDERR_FILENO && fails_with("write", ENOSPC))
		return -1;
	return syscall(SYS_write, fd, buf, len);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t at)
{
	return fails_with("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, buf, len, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	if (fd != STDERR_FILENO && fails_with("write", ENOSPC))
		return -1;
	return syscall(SYS_writev, fd, parts, count);
}

int close(int fd)
{
	if (fd != STDOUT_FILENO || !fails_with("write", EIO))
		return (int)syscall(SYS_close, fd);
	syscall(SYS_close, fd);
	errno = EIO;
	return -1;
}

int open(const char *path, int flags, ...)
{
	/* The mode is read whether it was passed or not: its bits do not matter then. */
	__builtin_va_list args;
	unsigned mode;

	__builtin_va_start(args, flags);
	mode = __builtin_va_arg(args, unsigned);
	__builtin_va_end(args);
	return fails_with("open", EMFILE) ? -1
					  : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	__builtin_va_list args;
	unsigned mode;

	__builtin_va_start(args, flags);
	mode = __builtin_va_arg(args, unsigned);
	__builtin_va_end(args);
	return fails_with("open", EMFILE) ? -1
					  : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int memfd_create(const char *name, unsigned flags)
{
	return fails_with("open", EMFILE) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int pipe2(int fds[2], int flags)
{
	return fails_with("open", EMFILE) ? -1 : (int)syscall(SYS_pipe2, fds, flags);
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (fails_with("map", ENOMEM))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t(*)(void))next("fork");

	return fails_with("fork", EAGAIN) ? -1 : real();
}

int fsync(int fd)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t len)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

typedef int main_function(int argc, char **argv, char **envp);
typedef int start_function(main_function *start, int argc, char **argv, void (*init)(void),
			   void (*fini)(void), void (*end)(void), void *stack);

static main_function *real_main;

/* Counting starts here: what the loader and the libraries' start-up do is not ours to test. */
static int counted_main(int argc, char **argv, char **envp)
{
	const char *at = getenv("FAULT_AT");

	kind = getenv("FAULT_KIND") ? getenv("FAULT_KIND") : "";
	fail_at = at ? strtol(at, NULL, 10) : 0;
	fail_on = getenv("FAULT_ON") != NULL;
	log_path = getenv("FAULT_LOG");
	active = true;
	return real_main(argc, argv, envp);
}

start_function __libc_start_main;
int __libc_start_main(main_function *start, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*end)(void), void *stack)
{
	start_function *real = (start_function *)next("__libc_start_main");

	real_main = start;
	return real(counted_main, argc, argv, init, fini, end, stack);
}
