/*
 * A new file is made beside its target, locked, written, flushed, and renamed: the target is old
 * until that one rename, and new and on disk after it. What could go wrong is looked for before the
 * first byte of an input is read, as far as it can be seen.
 */
#include "files/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/forker.h"
#include "base/instant.h"
#include "base/io.h"
#include "base/limits.h"
#include "files/descend.h"
#include "retriage.h"

/* --- What a file has beside its bytes -------------------------------------------------------- */

#define MODE_BITS 07777u
/* An access control list of some five hundred entries. */
#define LIST_BYTES 4096u

/*
 * Give a new file the owner, group, access control list and mode of the old one. from: its status.
 * Returns RT_OK or RT_FATAL (RT_E_IO); err has no path.
 */
static enum rt_status attributes_copy(int from_fd, const struct stat *from, int to_fd,
				      struct rt_error *err)
{
	static const char list[] = "system.posix_acl_access";
	char entries[LIST_BYTES];
	ssize_t len = fgetxattr(from_fd, list, entries, sizeof(entries));
	struct stat to;

	if (len < 0 && errno != ENODATA && errno != ENOTSUP)
		return rt_error_sys(err, errno, "cannot read the access control list");
	if (fstat(to_fd, &to) != 0)
		return rt_error_sys(err, errno, "cannot stat the new file");
	if ((to.st_uid != from->st_uid || to.st_gid != from->st_gid) &&
	    fchown(to_fd, from->st_uid, from->st_gid) != 0)
		return rt_error_sys(err, errno, "cannot keep the owner of the file");
	if (len > 0 && fsetxattr(to_fd, list, entries, (size_t)len, 0) != 0)
		return rt_error_sys(err, errno, "cannot keep the access control list");
	/* The folder may have given the new file one. */
	if (len <= 0 && fremovexattr(to_fd, list) != 0 && errno != ENODATA && errno != ENOTSUP)
		return rt_error_sys(err, errno, "cannot keep the access control list");
	/* Last: a change of owner takes bits away, and the list's mask is the group's bits. */
	if (fchmod(to_fd, from->st_mode & MODE_BITS) != 0)
		return rt_error_sys(err, errno, "cannot keep the mode of the file");
	return RT_OK;
}

/* --- Replacing -------------------------------------------------------------------------------- */

/* Milliseconds between two looks at a lock. */
#define LOCK_POLL_MS 20u

struct rt_replace {
	const char *target; /* as given */
	char *path;         /* the target with its links followed; name points into it */
	const char *name;   /* its last part */
	enum rt_replace_kind kind;
	bool settled;    /* rt_replace_settle() is done */
	bool has_links;  /* the old file has other names, which keep it */
	int folder;      /* the directory it is in */
	int locked;      /* in place: the file, with our lock; else -1 */
	struct stat old; /* in place: as it was when we had the lock */
	int fd;          /* the new file, for reading and writing, or directory; -1: none yet */
	char
	    temporary[NAME_MAX + 1]; /* its name in the folder until it is the target's; or empty */
	struct rt_replace *next;     /* of all in this process that have such a name */
	uint64_t written;            /* bytes, through the sink */
	uint64_t started;            /* of them, as rt_write_begin() has it */
	struct rt_sink sink;         /* of a stream */
	void (*on_notice)(void *ctx, const char *text);
	void *notice_ctx;
};

static enum rt_status failed(const struct rt_replace *r, struct rt_error *err, const char *what)
{
	(void)rt_error_sys(err, errno, "%s", what);
	rt_error_at(err, r->target, NULL);
	return RT_FATAL;
}

/* As failed(), once the target has been found: what goes missing then is no wrong usage. */
static enum rt_status broken(const struct rt_replace *r, struct rt_error *err, const char *what)
{
	(void)failed(r, err, what);
	return rt_error_no_usage(err);
}

/* --- Temporary files -------------------------------------------------------------------------- */

/*
 * Names that nobody has, in the folder of the target. What another process has locked is being
 * written; what nobody has, a dead run has left. Nothing of any other name is touched.
 */

#define MARK ".retriage-"
#define RANDOM_DIGITS 8
/* What this process has made, for rt_abandon(): a signal knows nothing of who works on what. The
 * lock is held while one is made or taken away. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_replace *list;

/* Names to try: with 32 random bits even the second one is not to be expected. */
#define TRIES 100

/*
 * The start of all temporaries' names for the target: `.NAME.retriage-`. A long NAME is cut, at the
 * end of a character, so that the whole is a file name.
 */
static void make_prefix(const struct rt_replace *r, char prefix[NAME_MAX + 1])
{
	char part[NAME_MAX + 1];
	long max = fpathconf(r->folder, _PC_NAME_MAX);
	size_t room = max > 0 && max < NAME_MAX ? (size_t)max : NAME_MAX;

	room -= strlen("." MARK) + RANDOM_DIGITS;
	rt_error_text(part, room + 1 < sizeof(part) ? room + 1 : sizeof(part),
		      rt_slice_of(r->name));
	(void)snprintf(prefix, NAME_MAX + 1, ".%.*s%s", (int)room, part, MARK);
}

/*
 * Take an exclusive flock() on fd. wait: 0 or LOCK_NB.
 * Returns 0; or an errno: EWOULDBLOCK, another process has it; others, the file system has no
 * such locks.
 */
static int take_lock(int fd, int wait)
{
	int result;

	do {
		result = flock(fd, LOCK_EX | wait);
	} while (result != 0 && errno == EINTR);
	return result == 0 ? 0 : errno;
}

/*
 * Make one by its name, and lock it. One that clears up may hold the lock for a moment, having met
 * the file before we could lock it, and takes it away then; without locks in the file system nobody
 * can clear up either. Returns 0 or an errno; EEXIST: another name may do better.
 */
static int try_make(struct rt_replace *r, mode_t mode)
{
	bool is_directory = r->kind == RT_REPLACE_DIRECTORY;
	int flags = is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL, error;
	struct stat st;

	if (is_directory && mkdirat(r->folder, r->temporary, mode) != 0)
		return errno;
	r->fd = openat(r->folder, r->temporary, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	error = r->fd < 0 ? errno : 0;
	if (error && !is_directory)
		return error;
	if (!error) {
		(void)take_lock(r->fd, 0);
		error = fstat(r->fd, &st) != 0 ? errno : 0;
	}
	if (!error && st.st_nlink > 0)
		return 0;
	if (r->fd >= 0)
		(void)close(r->fd);
	r->fd = -1;
	if (error)
		rt_descend_remove(r->folder, r->temporary);
	return !error || (is_directory && error == ENOENT) ? EEXIST : error;
}

/* Make one. mode: as for open() or mkdir(); the umask counts. */
static enum rt_status temporary_make(struct rt_replace *r, mode_t mode, struct rt_error *err)
{
	char prefix[NAME_MAX + 1];
	int error = EEXIST;

	make_prefix(r, prefix);
	for (int i = 0; error == EEXIST && i < TRIES; i++) {
		uint32_t random;

		if (!rt_random(&random, sizeof(random)))
			return failed(r, err, "cannot get random bytes");
		/* It is on the list before anybody looks there. */
		(void)pthread_mutex_lock(&list_lock);
		(void)snprintf(r->temporary, sizeof(r->temporary), "%.*s%08" PRIx32,
			       NAME_MAX - RANDOM_DIGITS, prefix, random);
		error = try_make(r, mode);
		if (!error) {
			r->next = list;
			list = r;
		}
		(void)pthread_mutex_unlock(&list_lock);
	}
	if (!error)
		return RT_OK;
	(void)rt_error_sys(err, error, "cannot make a temporary %s beside it",
			   r->kind == RT_REPLACE_DIRECTORY ? "directory" : "file");
	rt_error_at(err, r->target, NULL);
	return rt_error_no_usage(err);
}

bool rt_temporary_is_own(const char *name)
{
	const struct rt_replace *at;

	(void)pthread_mutex_lock(&list_lock);
	for (at = list; at && strcmp(at->temporary, name) != 0;)
		at = at->next;
	(void)pthread_mutex_unlock(&list_lock);
	return at != NULL;
}

/* It is no temporary any more: it has been renamed, or (removes) is taken away with all that is in
 * it. It stays open, and locked, until its descriptor is closed. */
static void temporary_end(struct rt_replace *r, bool removes)
{
	struct rt_replace **link = &list;

	(void)pthread_mutex_lock(&list_lock);
	while (*link && *link != r)
		link = &(*link)->next;
	if (*link)
		*link = r->next;
	if (removes)
		rt_descend_remove(r->folder, r->temporary);
	r->temporary[0] = '\0';
	(void)pthread_mutex_unlock(&list_lock);
}

/* Close the new file; what is not the target yet is taken away. */
static void discard(struct rt_replace *r)
{
	if (r->fd < 0)
		return;
	if (r->temporary[0])
		temporary_end(r, true);
	/* The lock goes last: nobody else is to start on the same work. */
	(void)close(r->fd);
	r->fd = -1;
}

void rt_abandon(void)
{
	(void)pthread_mutex_lock(&list_lock);
	for (struct rt_replace *at = list; at; at = at->next)
		rt_descend_remove(at->folder, at->temporary);
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
	    take_lock(fd, LOCK_NB) == 0 && fstatat(at, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
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

/*
 * Take away what dead runs have left for the target. What cannot be taken away, for whatever
 * reason, stays: it is in nobody's way.
 */
static void temporary_clear(const struct rt_replace *r)
{
	char prefix[NAME_MAX + 1];
	struct dirent *entry;
	int fd = openat(r->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	make_prefix(r, prefix);
	while ((entry = readdir(dir))) {
		if (is_temporary(entry->d_name, prefix))
			clear_one(r->folder, entry->d_name);
	}
	closedir(dir);
}

/* --- Looking at the target -------------------------------------------------------------------- */

static enum rt_status refused(const struct rt_replace *r, struct rt_error *err, enum rt_code code,
			      const char *what)
{
	return rt_error_on(err, r->target, code, "%s", what);
}

static const char *kind_name(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISLNK(mode))
		return "a symbolic link to nothing";
	if (S_ISFIFO(mode))
		return "a FIFO";
	return S_ISREG(mode) ? "a file" : "a device or socket";
}

static enum rt_status refused_kind(const struct rt_replace *r, const char *have, bool is_stream,
				   struct rt_error *err)
{
	const char *want = "a regular file or nothing", *way = "";

	if (r->kind == RT_REPLACE_IN_PLACE)
		want = "a regular file to change in place";
	else if (r->kind == RT_REPLACE_DIRECTORY)
		want = "nothing, so that a directory can be made";
	else if (is_stream)
		way = "; use -o - for standard output, and --results FILE for what else goes there";
	(void)rt_error_on(err, r->target, RT_E_USAGE, "want %s there, have %s%s", want, have, way);
	return RT_FATAL; /* seen by those who check a caller alone */
}

/*
 * What the target is, and where: r->path is set. A path that ends in '/' names a directory.
 */
static enum rt_status find_target(struct rt_replace *r, struct rt_error *err)
{
	struct stat st, itself;
	size_t len = strlen(r->target);
	bool is_link = lstat(r->target, &itself) == 0 && S_ISLNK(itself.st_mode);

	if (rt_is_descriptor(r->target))
		return refused_kind(r, "a link to a descriptor", true, err);
	if (stat(r->target, &st) == 0) {
		if (!S_ISREG(st.st_mode) || r->kind == RT_REPLACE_DIRECTORY)
			return refused_kind(r, kind_name(st.st_mode),
					    !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode), err);
		r->path = is_link ? realpath(r->target, NULL) : strdup(r->target);
		if (!r->path) {
			(void)failed(r, err, "cannot find the file");
			return RT_FATAL;
		}
		return RT_OK;
	}
	if (errno != ENOENT || r->kind == RT_REPLACE_IN_PLACE)
		return failed(r, err, "cannot find the file");
	if (is_link)
		return refused_kind(r, kind_name(itself.st_mode), false, err);
	while (r->kind == RT_REPLACE_DIRECTORY && len > 1 && r->target[len - 1] == '/')
		len--;
	r->path = strndup(r->target, len);
	if (!r->path) {
		(void)rt_error_nomem(err);
		return RT_FATAL;
	}
	return RT_OK;
}

/* Open the directory that r->path is in; r->name is set. */
static enum rt_status open_folder(struct rt_replace *r, struct rt_error *err)
{
	char *slash = strrchr(r->path, '/');
	char *folder = slash ? strndup(r->path, (size_t)(slash - r->path) + 1) : strdup(".");

	r->name = slash ? slash + 1 : r->path;
	if (!folder) {
		(void)rt_error_nomem(err);
		return RT_FATAL;
	}
	r->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (r->folder < 0)
		return failed(r, err, "cannot open the folder of the new file");
	if (!r->name[0] || strcmp(r->name, ".") == 0 || strcmp(r->name, "..") == 0)
		return refused(r, err, RT_E_USAGE, "the file has no name");
	if (faccessat(r->folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return failed(r, err, "cannot make a file in this folder");
	return RT_OK;
}

/* What a change of a file's bytes or names changes. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return rt_same_file(a, b) && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * One try to have the file and its lock. RT_END: another process has it, or the name means another
 * file by now.
 */
static enum rt_status try_lock(struct rt_replace *r, struct rt_error *err)
{
	struct stat named;
	int error;

	r->locked = openat(r->folder, r->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (r->locked < 0)
		return failed(r, err, "cannot open the file");
	error = take_lock(r->locked, LOCK_NB);
	if (error == EBADF) {
		/* Network file systems want it open for writing. */
		close(r->locked);
		r->locked =
		    openat(r->folder, r->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		error = r->locked < 0 ? errno : take_lock(r->locked, LOCK_NB);
	}
	if (error && error != EWOULDBLOCK) {
		errno = error;
		return failed(r, err, "cannot lock the file");
	}
	if (fstat(r->locked, &r->old) != 0 ||
	    fstatat(r->folder, r->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
		return failed(r, err, "cannot stat the file");
	if (!error && rt_same_file(&named, &r->old))
		return RT_OK;
	close(r->locked);
	r->locked = -1;
	return RT_END;
}

static void tell(const struct rt_replace *r, const char *text)
{
	if (r->on_notice)
		r->on_notice(r->notice_ctx, text);
}

static void tell_waiting(const struct rt_replace *r)
{
	char text[PATH_MAX + 160];

	(void)snprintf(text, sizeof(text),
		       "waiting for the lock of %s, held by another process (for at most %u s)",
		       r->target, RT_LOCK_WAIT_MS / 1000);
	tell(r, text);
}

static enum rt_status lock_target(struct rt_replace *r, struct rt_error *err)
{
	uint64_t end = rt_clock_ms() + RT_LOCK_WAIT_MS;
	bool told = false;
	enum rt_status status;

	while ((status = try_lock(r, err)) == RT_END) {
		if (!told)
			tell_waiting(r);
		told = true;
		if (rt_clock_ms() >= end) {
			(void)rt_error_on(err, r->target, RT_E_IO,
					  "the file's lock has been held by another process for "
					  "%u s",
					  RT_LOCK_WAIT_MS / 1000);
			return RT_FATAL;
		}
		rt_clock_pause(LOCK_POLL_MS);
	}
	if (status != RT_OK)
		return status;
	if (!S_ISREG(r->old.st_mode))
		return refused_kind(r, kind_name(r->old.st_mode), false, err);
	if (r->old.st_nlink > 1)
		return refused(
		    r, err, RT_E_USAGE,
		    "the file has several hard links: the others would keep the old content");
	return RT_OK;
}

enum rt_status rt_replace_open(const char *target, enum rt_replace_kind kind,
			       void (*on_notice)(void *ctx, const char *text), void *notice_ctx,
			       struct rt_replace **ret_replace, struct rt_error *err)
{
	struct rt_replace *r = calloc(1, sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	r->target = target;
	r->kind = kind;
	r->folder = r->locked = r->fd = -1;
	r->on_notice = on_notice;
	r->notice_ctx = notice_ctx;
	status = find_target(r, err);
	if (status == RT_OK)
		status = open_folder(r, err);
	if (status == RT_OK && kind == RT_REPLACE_IN_PLACE)
		status = lock_target(r, err);
	if (status != RT_OK) {
		rt_replace_free(r);
		return status;
	}
	temporary_clear(r);
	*ret_replace = r;
	return RT_OK;
}

enum rt_status rt_replace_open_stream(const struct rt_sink *sink, struct rt_replace **ret_replace,
				      struct rt_error *err)
{
	struct rt_replace *r = calloc(1, sizeof(*r));

	if (!r)
		return rt_error_nomem(err);
	r->target = "temporary file";
	r->kind = RT_REPLACE_STREAM;
	r->folder = r->locked = r->fd = -1;
	r->sink = *sink;
	*ret_replace = r;
	return RT_OK;
}

enum rt_status rt_replace_begin(struct rt_replace *r, int *ret_fd, struct rt_error *err)
{
	bool is_directory = r->kind == RT_REPLACE_DIRECTORY;
	/* What is to be replaced may be secret. A new file is as open as the umask leaves it, and
	 * so may be read by the same people before it is finished. */
	mode_t mode = is_directory ? 0700 : 0600;
	struct stat st;
	enum rt_status status = RT_OK;

	if (r->kind == RT_REPLACE_STREAM) {
		r->fd = rt_unnamed_open();
		if (r->fd < 0)
			status = broken(r, err, "cannot make a file without a name");
	} else {
		if (!is_directory && fstatat(r->folder, r->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			mode = 0666;
		status = temporary_make(r, mode, err);
	}
	*ret_fd = r->fd;
	return status;
}

static enum rt_status write_file(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_replace *r = ctx;
	enum rt_status status = rt_write_all(r->fd, data, len, "cannot write the new file", err);

	if (status != RT_OK) {
		rt_error_at(err, r->target, NULL);
		return status;
	}
	r->written += len;
	rt_write_begin(r->fd, r->written, &r->started);
	return RT_OK;
}

struct rt_sink rt_replace_sink(struct rt_replace *r)
{
	return (struct rt_sink){write_file, r};
}

/*
 * Look at the target once more, and make the new file as open as the old one is. The temporary has
 * the mode of a new file where there is none.
 */
static enum rt_status settle_file(struct rt_replace *r, struct rt_error *err)
{
	struct stat st;
	enum rt_status status;
	int fd;

	if (fstatat(r->folder, r->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT && r->kind == RT_REPLACE_FILE)
			return RT_OK;
		return broken(r, err, "cannot stat the old file");
	}
	if (!S_ISREG(st.st_mode) || (r->kind == RT_REPLACE_IN_PLACE && !is_same(&st, &r->old)))
		return refused(r, err, RT_E_IO, "the file has changed since it was read");
	r->has_links = st.st_nlink > 1;
	fd = openat(r->folder, r->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return broken(r, err, "cannot read the attributes of the old file");
	status = attributes_copy(fd, &st, r->fd, err);
	close(fd);
	if (status != RT_OK)
		rt_error_at(err, r->target, NULL);
	return status;
}

/* Flush the new file and close it, while another descriptor goes on holding its lock. */
static enum rt_status flush_file(struct rt_replace *r, struct rt_error *err)
{
	int fd = r->fd;
	int copy;

	if (fsync(fd) != 0)
		return broken(r, err, "cannot write the new file to disk");
	copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (copy < 0)
		return broken(r, err, "cannot close the new file");
	r->fd = copy;
	return close(fd) == 0 ? RT_OK : broken(r, err, "cannot close the new file");
}

enum rt_status rt_replace_settle(struct rt_replace *r, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (r->kind < RT_REPLACE_DIRECTORY && !r->settled) {
		status = settle_file(r, err);
		if (status == RT_OK)
			status = flush_file(r, err);
	}
	r->settled = true;
	if (status != RT_OK)
		discard(r);
	return status;
}

/* The target keeps its name, but shares the new file with no other name. */
static void tell_of_links(const struct rt_replace *r)
{
	char text[PATH_MAX + 128];

	(void)snprintf(text, sizeof(text),
		       "%s had several hard links: it is a new file now, the others keep the old "
		       "one",
		       r->target);
	tell(r, text);
}

enum rt_status rt_replace_commit(struct rt_replace *r, struct rt_error *err)
{
	struct rt_range made = {r->fd, 0, UINT64_MAX, "cannot read the temporary file"};
	enum rt_status status = rt_replace_settle(r, err);

	if (status != RT_OK)
		return status;
	if (r->kind == RT_REPLACE_STREAM)
		return rt_pull_copy(rt_range_pull(&made), &r->sink, err);
	/* A directory that somebody has made there just now is lost only where it is empty. */
	if (renameat(r->folder, r->temporary, r->folder, r->name) != 0) {
		status = broken(r, err, "cannot rename the new file");
		discard(r);
		return status;
	}
	/* It is the target now; its lock is let go of in the end. */
	temporary_end(r, false);
	if (r->has_links)
		tell_of_links(r);
	/* EINVAL: a file system that has nothing to flush for a directory. */
	if (fsync(r->folder) != 0 && errno != EINVAL)
		return broken(r, err,
			      "the new file is in place, but may not survive a power cut: cannot "
			      "write its folder to disk");
	return RT_OK;
}

const char *rt_replace_target(const struct rt_replace *r)
{
	return r->target;
}

void rt_replace_free(struct rt_replace *r)
{
	if (!r)
		return;
	discard(r);
	if (r->locked >= 0)
		close(r->locked);
	if (r->folder >= 0)
		close(r->folder);
	free(r->path);
	free(r);
}
