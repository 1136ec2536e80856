/*
 * A library to preload that makes calls of the C library fail, for tests of what happens then.
 *
 * Environment: LD_FAULT_KIND (malloc, read, write, open, close, map, fork, sync, cut, rename,
 * remove, attribute, stat, lock, folder, random, socket, place; or disk: write, sync, cut, rename
 * and remove together), LD_FAULT_AT (which call of that kind fails, from 1, counted from main() on
 * and in each process for itself), LD_FAULT_ON (also every call after it), LD_FAULT_LOG (a file
 * whose one byte becomes 1 when one has failed; it is opened before the process is confined),
 * LD_FAULT_ERROR (the number that errno is set to, instead of one that fits), LD_FAULT_PLACES (an
 * allocation at a place that there was one at before is not counted, and fails only after another).
 *
 * Or LD_FAULT_ARM, for a process that lives long: a file with a struct arm, which the process
 * shares with the test. It is idle until the test sets `armed`, which it does last, after it has
 * set the rest; and idle again when the test has cleared that. Calls are counted in the file, so
 * that each arming begins anew, and the test sees what has failed.
 *
 * Writes to standard error never fail: the test wants to read them. Nor do reads and writes of an
 * event descriptor, which have no such failure. With an error of its own, as EINTR is, they do.
 * Without LD_FAULT_KIND and LD_FAULT_ARM it is idle.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "places.h"

/* The C library's own names for what is replaced here; dlsym() itself allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

/* What fails. The test writes it into a file as it stands: struct's "=16s6q" in Python. */
struct arm {
	char kind[16];
	int64_t at;
	int64_t on;
	_Atomic int64_t armed;
	_Atomic int64_t calls;
	_Atomic int64_t failed;
	int64_t round; /* another number for each arming */
};

static struct arm own = {.kind = ""};
static struct arm *arm = &own;
static char *log_byte;
static int own_error; /* 0: one that fits */
static bool by_place;

/* Frames that are the test's own: those of place_is_new(), is_known() and fails(). */
#define SKIPPED 3
#define CALLERS 12

/* What a disk that is gone, or full, makes fail. */
static bool is_disk(const char *which)
{
	static const char *const kinds[] = {"write", "sync", "cut", "rename", "remove"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(which, kinds[i]) == 0)
			return true;
	}
	return false;
}

/* Whether it is a call of the kind that is to fail. */
static bool is_meant(const char *which)
{
	return atomic_load(&arm->armed) && (strcmp(which, arm->kind) == 0 ||
					    (strcmp(arm->kind, "disk") == 0 && is_disk(which)));
}

/* Whether there was a call at this place since it was armed. */
__attribute__((noinline)) static bool is_known(void)
{
	static _Atomic int64_t round;

	if (atomic_exchange(&round, arm->round) != arm->round)
		memset((void *)places, 0, sizeof(places));
	return !place_is_new(SKIPPED, CALLERS);
}

__attribute__((noinline)) static bool fails(const char *which)
{
	int64_t call;

	if (!is_meant(which))
		return false;
	if (by_place && strcmp(which, "malloc") == 0 && is_known())
		return arm->on && atomic_load(&arm->failed);
	call = atomic_fetch_add(&arm->calls, 1) + 1;
	if (call != arm->at && !(arm->on && call > arm->at))
		return false;
	(void)atomic_fetch_add(&arm->failed, 1);
	if (log_byte)
		*log_byte = 1;
	return true;
}

/* As fails(), and sets errno. */
static bool fails_with(const char *which, int error)
{
	if (!fails(which))
		return false;
	errno = own_error ? own_error : error;
	return true;
}

/* As fails_with(), for a call on a descriptor. Those of events have no type of file; they, and what
 * is said, can be interrupted only: a process of its own would fail as well, and could not say so.
 */
static bool fails_on(int fd, const char *which, int error)
{
	struct stat st;

	if (!is_meant(which))
		return false;
	if (own_error != EINTR && (fd == STDERR_FILENO || (syscall(SYS_fstat, fd, &st) == 0 &&
							   (st.st_mode & S_IFMT) == 0)))
		return false;
	return fails_with(which, error);
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
	return fails_on(fd, "read", EIO) ? -1 : syscall(SYS_read, fd, buf, len);
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

ssize_t __pread_chk(int fd, void *buf, size_t len, off_t at, size_t cap);
ssize_t __pread_chk(int fd, void *buf, size_t len, off_t at, size_t cap)
{
	if (len > cap)
		abort();
	return pread(fd, buf, len, at);
}

ssize_t readv(int fd, const struct iovec *parts, int count)
{
	return fails_with("read", EIO) ? -1 : syscall(SYS_readv, fd, parts, count);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	if (fails_on(fd, "write", ENOSPC))
		return -1;
	return syscall(SYS_write, fd, buf, len);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t at)
{
	return fails_with("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, buf, len, at);
}

ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t len, unsigned flags)
{
	if (fails_with("write", ENOSPC))
		return -1;
	return syscall(SYS_copy_file_range, from, from_at, to, to_at, len, flags);
}

int close(int fd)
{
	bool failed = fails("close") || (fd == STDOUT_FILENO && fails("write"));
	int result = (int)syscall(SYS_close, fd);

	/* As a network file system does: the descriptor is gone all the same. */
	if (!failed)
		return result;
	errno = own_error ? own_error : EIO;
	return -1;
}

static int open_at(int folder, const char *path, int flags, unsigned mode)
{
	return fails_with("open", EMFILE) ? -1
					  : (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* The mode is read whether it was passed or not: its bits do not matter then. */
int open(const char *path, int flags, ...)
{
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = va_arg(args, unsigned);
	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = va_arg(args, unsigned);
	va_end(args);
	return open_at(folder, path, flags, mode);
}

/* What the C library's headers make of a call whose flags are known to need no mode. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags);
int __openat_2(int folder, const char *path, int flags)
{
	return open_at(folder, path, flags, 0);
}

int pipe2(int fds[2], int flags)
{
	return fails_with("open", EMFILE) ? -1 : (int)syscall(SYS_pipe2, fds, flags);
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
	return fails_with("open", EMFILE)
		   ? -1
		   : (int)syscall(SYS_socketpair, domain, type, protocol, fds);
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return fails_with("open", EMFILE) ? -1 : (int)syscall(SYS_accept4, fd, address, len, flags);
}

ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	return fails_with("socket", ECONNRESET)
		   ? -1
		   : syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL);
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return fails_with("socket", ECONNRESET) ? -1
						: syscall(SYS_sendto, fd, buf, len, flags, NULL, 0);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return fails_with("socket", ECONNRESET) ? -1 : syscall(SYS_recvmsg, fd, message, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return fails_with("socket", ECONNRESET) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}

int fcntl(int fd, int command, ...)
{
	va_list args;
	void *argument;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	if (command == F_DUPFD_CLOEXEC && fails_with("open", EMFILE))
		return -1;
	if (command == F_OFD_SETLK && fails_with("lock", ENOLCK))
		return -1;
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

int dup2(int old, int new)
{
	if (fails_with("place", EBUSY))
		return -1;
	/* Not every machine has the older call, which takes the same one twice. */
	return old == new ? old : (int)syscall(SYS_dup3, old, new, 0);
}

int flock(int fd, int operation)
{
	return fails_with("lock", ENOLCK) ? -1 : (int)syscall(SYS_flock, fd, operation);
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

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = (int (*)(
	    pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))next("pthread_create");

	return fails("fork") ? EAGAIN : real(thread, attributes, start, argument);
}

int fsync(int fd)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int syncfs(int fd)
{
	return fails_with("sync", EIO) ? -1 : (int)syscall(SYS_syncfs, fd);
}

int ftruncate(int fd, off_t len)
{
	return fails_with("cut", EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int renameat(int from, const char *old, int to, const char *new)
{
	return fails_with("rename", EIO) ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	return fails_with("rename", EIO) ? -1
					 : (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int unlink(const char *path)
{
	return fails_with("remove", EIO) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
	return fails_with("remove", EIO) ? -1 : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int fchmod(int fd, mode_t mode)
{
	return fails_with("attribute", EPERM) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	return fails_with("attribute", EPERM) ? -1 : (int)syscall(SYS_fchown, fd, uid, gid);
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	return fails_with("attribute", EIO) ? -1 : syscall(SYS_fgetxattr, fd, name, value, size);
}

int stat(const char *path, struct stat *st)
{
	return fails_with("stat", EIO) ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
	return fails_with("stat", EIO)
		   ? -1
		   : (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
	return fails_with("stat", EIO) ? -1 : (int)syscall(SYS_fstat, fd, st);
}

int fstatat(int folder, const char *path, struct stat *st, int flags)
{
	return fails_with("stat", EIO) ? -1 : (int)syscall(SYS_newfstatat, folder, path, st, flags);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	return fails_with("folder", ENOSPC) ? -1 : (int)syscall(SYS_mkdirat, folder, path, mode);
}

int symlinkat(const char *text, int folder, const char *path)
{
	return fails_with("folder", ENOSPC) ? -1 : (int)syscall(SYS_symlinkat, text, folder, path);
}

struct dirent *readdir(DIR *dir)
{
	struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) next("readdir");

	return fails_with("folder", EIO) ? NULL : real(dir);
}

ssize_t getrandom(void *buf, size_t len, unsigned flags)
{
	return fails_with("random", ENOSYS) ? -1 : syscall(SYS_getrandom, buf, len, flags);
}

typedef int main_function(int argc, char **argv, char **envp);
typedef int start_function(main_function *start, int argc, char **argv, void (*init)(void),
			   void (*fini)(void), void (*end)(void), void *stack);

static main_function *real_main;

/* Share what fails with the test. Without the file nothing is tested: that must show. */
static void share(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);

	arm = (void *)syscall(SYS_mmap, NULL, sizeof(*arm), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      0);
	if (fd < 0 || arm == MAP_FAILED)
		abort();
	syscall(SYS_close, fd);
}

/* Map the log. */
static void open_log(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_RDWR, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && syscall(SYS_ftruncate, fd, 1) == 0)
		map = (void *)syscall(SYS_mmap, NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		log_byte = map;
	syscall(SYS_close, fd);
}

/* Counting starts here: what the loader and the libraries' start-up do is not ours to test. */
static int counted_main(int argc, char **argv, char **envp)
{
	const char *which = getenv("LD_FAULT_KIND"), *at = getenv("LD_FAULT_AT");
	const char *shared = getenv("LD_FAULT_ARM"), *error = getenv("LD_FAULT_ERROR");

	if (getenv("LD_FAULT_LOG"))
		open_log(getenv("LD_FAULT_LOG"));
	if (which && strlen(which) < sizeof(own.kind))
		strcpy(own.kind, which);
	own.at = at ? strtol(at, NULL, 10) : 0;
	own.on = getenv("LD_FAULT_ON") != NULL;
	own_error = error ? (int)strtol(error, NULL, 10) : 0;
	by_place = getenv("LD_FAULT_PLACES") != NULL;
	places_begin();
	if (shared)
		share(shared);
	else
		atomic_store(&own.armed, 1);
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
