/*
 * Lock files. Input: a path and a time to wait. Output: a descriptor that holds the lock.
 * Refuses links and whatever else is no regular file: who can write to the folder must not choose
 * what is locked.
 */
#include "base/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

/* Pauses between two tries: short at first, as most holders are quick. */
#define PAUSE_FIRST_MS 10u
#define PAUSE_LAST_MS 50u

static enum rt_status lockfile_open(const char *path, int *ret_fd, struct rt_error *err)
{
	int fd =
	    open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
		return rt_error_set(err, RT_E_USAGE, "want a regular file for the lock, have %s",
				    errno == ELOOP ? "a link" : "something else");
	if (fd < 0)
		return rt_error_sys(err, errno, "cannot open the lock file");
	if (fstat(fd, &st) != 0) {
		int sys = errno;

		(void)close(fd);
		return rt_error_sys(err, sys, "cannot look at the lock file");
	}
	if (!S_ISREG(st.st_mode)) {
		(void)close(fd);
		return rt_error_set(err, RT_E_USAGE,
				    "want a regular file for the lock, have something else");
	}
	*ret_fd = fd;
	return RT_OK;
}

/* Set or drop the lock on the whole file. Returns 0 or an errno; EAGAIN: another holds it. */
static int lockfile_set(int fd, short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET};

	while (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
		if (errno == EACCES)
			return EAGAIN;
		if (errno != EINTR)
			return errno;
	}
	return 0;
}

/*
 * Whether path still leads to the file behind fd: a lock on one that was replaced is none.
 * Returns 0, EAGAIN where it does not, or an errno.
 */
static int lockfile_check_name(int fd, const char *path)
{
	struct stat ours, named;

	if (fstat(fd, &ours) != 0 || lstat(path, &named) != 0)
		return errno == ENOENT ? EAGAIN : errno;
	return rt_same_file(&ours, &named) ? 0 : EAGAIN;
}

/* One try. Returns RT_OK, RT_END when another has it, or RT_FATAL. */
static enum rt_status lockfile_try(const char *path, int *ret_fd, struct rt_error *err)
{
	enum rt_status status;
	int fd = -1, sys;

	status = lockfile_open(path, &fd, err);
	if (status != RT_OK)
		return status;
	sys = lockfile_set(fd, F_WRLCK);
	if (sys == 0)
		sys = lockfile_check_name(fd, path);
	if (sys == 0) {
		*ret_fd = fd;
		return RT_OK;
	}
	rt_lockfile_release(fd);
	return sys == EAGAIN ? RT_END : rt_error_sys(err, sys, "cannot lock the file");
}

enum rt_status rt_lockfile_take(const char *path, unsigned wait_ms, void (*on_wait)(void *ctx),
				void *wait_ctx, int *ret_fd, struct rt_error *err)
{
	enum rt_status status = lockfile_try(path, ret_fd, err);
	uint64_t end = rt_clock_ms() + wait_ms;
	unsigned pause = PAUSE_FIRST_MS;

	if (status == RT_END && on_wait && wait_ms)
		on_wait(wait_ctx);
	while (status == RT_END && rt_clock_ms() < end) {
		rt_clock_pause(pause);
		pause = pause * 2 < PAUSE_LAST_MS ? pause * 2 : PAUSE_LAST_MS;
		status = lockfile_try(path, ret_fd, err);
	}
	if (status == RT_END)
		(void)rt_error_set(err, RT_E_IO,
				   "want the lock, have it held by another process for %u s",
				   wait_ms / 1000);
	if (status != RT_OK)
		rt_error_at(err, path, NULL);
	return status == RT_OK ? RT_OK : RT_FATAL;
}

void rt_lockfile_release(int fd)
{
	if (fd < 0)
		return;
	/* Closing alone would leave the lock with a child that was forked in the meantime. */
	(void)lockfile_set(fd, F_UNLCK);
	(void)close(fd);
}
