/*
 * Temporaries beside a target. Input: a directory and the target's name. Output: a new file or
 * directory of a name that nobody has, locked; and a directory without those of dead runs.
 * Refuses to touch what another process has locked, what is no file or directory, and other names.
 */
#include "files/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "files/descend.h"
#include "retriage.h"

#define MARK ".retriage-"
#define RANDOM_DIGITS 8
/* What this process has made, for rt_abandon(): a signal knows nothing of who works on what. The
 * lock is held while one is made or taken away. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_temporary *list;

/* Names to try: with 32 random bits even the second one is not to be expected. */
#define TRIES 100

/*
 * The start of all temporaries' names for a target: `.NAME.retriage-`. A long NAME is cut, at the
 * end of a character, so that the whole is a file name.
 */
static void make_prefix(char prefix[NAME_MAX + 1], int at, const char *name)
{
	char part[NAME_MAX + 1];
	long max = fpathconf(at, _PC_NAME_MAX);
	size_t room = max > 0 && max < NAME_MAX ? (size_t)max : NAME_MAX;

	room -= strlen("." MARK) + RANDOM_DIGITS;
	rt_error_text(part, room + 1 < sizeof(part) ? room + 1 : sizeof(part),
		      rt_slice_make(name, strlen(name)));
	(void)snprintf(prefix, NAME_MAX + 1, ".%.*s%s", (int)room, part, MARK);
}

int rt_temporary_lock(int fd)
{
	int result;

	do {
		result = flock(fd, LOCK_EX | LOCK_NB);
	} while (result != 0 && errno == EINTR);
	return result == 0 ? 0 : errno;
}

/*
 * Wait for the lock on a temporary of our own: one that clears up may hold it for a moment, having
 * met the file before we could lock it, and takes the file away then. Without locks in the file
 * system nobody can clear up either.
 * Returns 0 or an errno; *ret_gone: the file was taken away.
 */
static int lock_new(int fd, bool *ret_gone)
{
	struct stat st;
	int result;

	do {
		result = flock(fd, LOCK_EX);
	} while (result != 0 && errno == EINTR);
	if (fstat(fd, &st) != 0)
		return errno;
	*ret_gone = st.st_nlink == 0;
	return 0;
}

/* One try. *ret_again: another name may do better. Returns the descriptor or -1 with errno set. */
static int try_make(const struct rt_temporary *temporary, int at, bool is_directory, mode_t mode,
		    bool *ret_again)
{
	int flags = is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL;
	int fd, error;

	*ret_again = false;
	if (is_directory && mkdirat(at, temporary->name, mode) != 0) {
		*ret_again = errno == EEXIST;
		return -1;
	}
	fd = openat(at, temporary->name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	error = fd < 0 ? errno : lock_new(fd, ret_again);
	if (!error && !*ret_again)
		return fd;
	if (fd >= 0)
		close(fd);
	/* A directory that cannot be opened is ours all the same; a file was not made then. */
	if (error && (is_directory || fd >= 0))
		rt_descend_remove(at, temporary->name);
	*ret_again = *ret_again || error == EEXIST || (is_directory && error == ENOENT);
	errno = error;
	return -1;
}

/* The same, with temporary->fd; what was made is on the list before anybody looks there. Returns
 * whether one was made; else errno is set. */
static bool make_and_list(struct rt_temporary *temporary, bool is_directory, mode_t mode,
			  bool *ret_again)
{
	int error;

	(void)pthread_mutex_lock(&list_lock);
	temporary->fd = try_make(temporary, temporary->at, is_directory, mode, ret_again);
	error = errno;
	if (temporary->fd >= 0) {
		temporary->next = list;
		list = temporary;
	}
	(void)pthread_mutex_unlock(&list_lock);
	errno = error;
	return temporary->fd >= 0;
}

bool rt_temporary_is_own(const char *name)
{
	const struct rt_temporary *at;

	(void)pthread_mutex_lock(&list_lock);
	for (at = list; at && strcmp(at->name, name) != 0;)
		at = at->next;
	(void)pthread_mutex_unlock(&list_lock);
	return at != NULL;
}

static void take_off_list(const struct rt_temporary *temporary)
{
	struct rt_temporary **link = &list;

	while (*link && *link != temporary)
		link = &(*link)->next;
	if (*link)
		*link = temporary->next;
}

enum rt_status rt_temporary_make(struct rt_temporary *temporary, int at, const char *name,
				 bool is_directory, mode_t mode, struct rt_error *err)
{
	char prefix[NAME_MAX + 1];
	bool again = true;

	temporary->fd = -1;
	temporary->at = at;
	make_prefix(prefix, at, name);
	for (int i = 0; again && i < TRIES; i++) {
		uint32_t random;

		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return rt_error_sys(err, errno, "cannot have a random number");
		(void)snprintf(temporary->name, sizeof(temporary->name), "%.*s%08" PRIx32,
			       NAME_MAX - RANDOM_DIGITS, prefix, random);
		if (make_and_list(temporary, is_directory, mode, &again))
			return RT_OK;
	}
	(void)rt_error_sys(err, errno, "cannot make a temporary %s beside it",
			   is_directory ? "directory" : "file");
	return rt_error_no_usage(err);
}

void rt_temporary_discard(struct rt_temporary *temporary)
{
	if (temporary->fd < 0)
		return;
	(void)pthread_mutex_lock(&list_lock);
	take_off_list(temporary);
	rt_descend_remove(temporary->at, temporary->name);
	(void)pthread_mutex_unlock(&list_lock);
	/* The lock goes last: nobody else is to start on the same work. */
	close(temporary->fd);
	temporary->fd = -1;
}

void rt_temporary_keep(struct rt_temporary *temporary)
{
	(void)pthread_mutex_lock(&list_lock);
	take_off_list(temporary);
	temporary->name[0] = '\0';
	(void)pthread_mutex_unlock(&list_lock);
}

void rt_abandon(void)
{
	(void)pthread_mutex_lock(&list_lock);
	for (struct rt_temporary *at = list; at; at = at->next)
		rt_descend_remove(at->at, at->name);
	/* Not unlocked: nothing is to be made any more. */
}

/* Take one away if nobody has its lock. */
static void clear_one(int at, const char *name)
{
	/* Network file systems lock what is open for writing only; a directory cannot be, and one
	 * that was about to be renamed may have got a mode that does not allow all. */
	static const int modes[] = {O_RDWR, O_RDONLY, O_WRONLY};
	struct stat opened, named;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(modes) / sizeof(modes[0]); i++)
		fd = openat(at, name, modes[i] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return;
	/* The name may have come to mean another file between the two looks. */
	if (fstat(fd, &opened) == 0 && (S_ISREG(opened.st_mode) || S_ISDIR(opened.st_mode)) &&
	    rt_temporary_lock(fd) == 0 && fstatat(at, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    rt_same_file(&named, &opened))
		rt_descend_remove(at, name);
	close(fd);
}

static bool is_temporary(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 && strlen(name) == len + RANDOM_DIGITS &&
	       strspn(name + len, "0123456789abcdef") == RANDOM_DIGITS;
}

void rt_temporary_clear(int at, const char *name)
{
	char prefix[NAME_MAX + 1];
	struct dirent *entry;
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	make_prefix(prefix, at, name);
	while ((entry = readdir(dir))) {
		if (is_temporary(entry->d_name, prefix))
			clear_one(at, entry->d_name);
	}
	closedir(dir);
}
