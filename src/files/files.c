/*
 * The files of a data set, in the order given. Input: paths of the user, "-" among them. Output:
 * open descriptors, one at a time. Directories give their candidates in byte order.
 * Refuses devices and sockets, a second "-", and directories without a candidate.
 */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/siphash.h"
#include "files/walk.h"

struct rt_files {
	const struct rt_options *options;
	size_t next;         /* index of the next path */
	int dir;             /* the directory being read, or -1 */
	struct rt_walk walk; /* its candidates */
	size_t walk_next;    /* index of the next of them */
	struct rt_unread unread;
	uint64_t total; /* sizes of the files known so far */
	uint64_t stamp; /* of the files opened so far */
	bool stdin_used;
	struct rt_file file;
};

enum rt_status rt_files_check(const struct rt_options *options, bool one, struct rt_error *err)
{
	const char *wanted = one ? "one path" : "at least one path";

	if (options->path_count == 0)
		return rt_error_set(err, RT_E_USAGE, "want %s, have none", wanted);
	if (one && options->path_count > 1)
		return rt_error_set(err, RT_E_USAGE, "want %s, have %zu", wanted,
				    options->path_count);
	return options->require_jail ? rt_sandbox_require(err) : RT_OK;
}

enum rt_status rt_files_open(const struct rt_options *options, struct rt_files **ret_files,
			     struct rt_error *err)
{
	struct rt_files *files;

	if (rt_files_check(options, false, err) != RT_OK)
		return RT_FATAL;
	files = calloc(1, sizeof(*files));
	if (!files) {
		(void)rt_error_nomem(err);
		return RT_FATAL;
	}
	files->options = options;
	files->dir = -1;
	files->file.fd = -1;
	/* A look ahead for progress; what cannot be seen is reported when its turn comes. */
	for (size_t i = 0; i < options->path_count; i++) {
		struct stat st;

		if (stat(options->paths[i], &st) == 0 && S_ISREG(st.st_mode))
			files->total += (uint64_t)st.st_size;
	}
	*ret_files = files;
	return RT_OK;
}

static void files_close_file(struct rt_files *files)
{
	if (files->file.fd >= 0)
		close(files->file.fd);
	files->file = (struct rt_file){.fd = -1};
}

static void files_close_directory(struct rt_files *files)
{
	if (files->dir >= 0)
		close(files->dir);
	files->dir = -1;
	files->walk_next = 0;
	rt_walk_release(&files->walk);
}

static enum rt_status files_failed(struct rt_error *err, const char *path, const char *name,
				   const char *what)
{
	(void)rt_error_sys(err, errno, "%s", what);
	/* Below a directory it was there a moment ago: nobody named a wrong path. */
	if (name && err->code == RT_E_USAGE)
		err->code = RT_E_IO;
	rt_error_below(err, path, name);
	return RT_FATAL;
}

/*
 * Mix what tells one state of a file from another into the stamp. Nobody gains by a collision:
 * who can set all of these can also write the file, so the key needs no secret.
 */
static uint64_t mix(uint64_t stamp, const struct stat *st, bool seekable)
{
	static const struct rt_siphash_key key = {0, 0};
	uint64_t words[8] = {stamp};

	if (seekable) {
		words[1] = (uint64_t)st->st_dev;
		words[2] = (uint64_t)st->st_ino;
		words[3] = (uint64_t)st->st_size;
		words[4] = (uint64_t)st->st_mtim.tv_sec;
		words[5] = (uint64_t)st->st_mtim.tv_nsec;
		words[6] = (uint64_t)st->st_ctim.tv_sec;
		words[7] = (uint64_t)st->st_ctim.tv_nsec;
	}
	return rt_siphash(&key, rt_slice_make((const char *)words, sizeof(words))).low;
}

bool rt_file_is_unchanged(const struct rt_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 && mix(0, &st, true) == file->state;
}

/* Fill in files->file for an open descriptor, which it owns from here on. */
static enum rt_status files_take(struct rt_files *files, int fd, const char *path, const char *name,
				 struct rt_error *err)
{
	struct stat st;

	files->file =
	    (struct rt_file){.fd = fd, .path = path, .name = name, .input = files->next - 1};
	if (fstat(fd, &st) != 0)
		return files_failed(err, path, name, "cannot look at the file");
	if (name && !S_ISREG(st.st_mode)) {
		(void)rt_error_set(err, RT_E_IO, "want a regular file, have it replaced");
		rt_error_below(err, path, name);
		return RT_FATAL;
	}
	/* Standard input may have been read in part by others: then its rest is a stream. */
	if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
		files->file.seekable = true;
		files->file.size = (uint64_t)st.st_size;
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	files->file.state = mix(0, &st, true);
	files->stamp = mix(files->stamp, &st, files->file.seekable);
	return RT_OK;
}

static enum rt_status files_open_stdin(struct rt_files *files, struct rt_error *err)
{
	int fd;

	if (files->stdin_used) {
		(void)rt_error_set(err, RT_E_USAGE, "want standard input once, have it twice");
		rt_error_at(err, "-", NULL);
		return RT_FATAL;
	}
	files->stdin_used = true;
	fd = fcntl(files->options->input_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return files_failed(err, "-", NULL, "cannot read standard input");
	return files_take(files, fd, "-", NULL, err);
}

/* The next candidate of the directory; RT_END after the last one. */
static enum rt_status files_open_below(struct rt_files *files, struct rt_error *err)
{
	const char *path = files->options->paths[files->next - 1];
	const char *name;
	int fd;

	if (files->walk_next == files->walk.found.count) {
		files_close_directory(files);
		return RT_END;
	}
	name = files->walk.found.paths[files->walk_next++];
	/* O_NONBLOCK: a FIFO put in the file's place must not hold us; no effect on files. */
	fd = rt_descend_open(files->dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return files_failed(err, path, name, "cannot open the file");
	return files_take(files, fd, path, name, err);
}

/* Take over what the walk has passed over. */
static enum rt_status files_add_unread(struct rt_files *files, const char *path,
				       struct rt_error *err)
{
	const struct rt_paths *list = &files->walk.unread;
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < list->count; i++)
		status = rt_unread_add(&files->unread, path, list->paths[i] + 1, NULL,
				       (enum rt_unread_reason)list->paths[i][0], err);
	return status;
}

static enum rt_status files_open_directory(struct rt_files *files, const char *path,
					   struct rt_error *err)
{
	const struct rt_options *options = files->options;
	enum rt_status status;

	files->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (files->dir < 0)
		return files_failed(err, path, NULL, "cannot open the directory");
	status = rt_walk_collect(&files->walk, files->dir, &options->choice,
				 options->limits.archive_members, err);
	if (status == RT_OK)
		status = files_add_unread(files, path, err);
	if (status != RT_OK) {
		rt_error_member_below(err, path);
		files_close_directory(files);
		return status;
	}
	files->total += files->walk.bytes;
	return files_open_below(files, err);
}

/* Open the path, or the first file below it. */
static enum rt_status files_open_path(struct rt_files *files, const char *path,
				      struct rt_error *err)
{
	struct stat st;
	int fd;

	if (strcmp(path, "-") == 0)
		return files_open_stdin(files, err);
	if (stat(path, &st) != 0)
		return files_failed(err, path, NULL, "cannot open the file");
	if (S_ISDIR(st.st_mode))
		return files_open_directory(files, path, err);
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		(void)rt_error_set(err, RT_E_USAGE,
				   "want a file, a directory or a FIFO, have a device or socket");
		rt_error_at(err, path, NULL);
		return RT_FATAL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return files_failed(err, path, NULL, "cannot open the file");
	return files_take(files, fd, path, NULL, err);
}

enum rt_status rt_files_next(struct rt_files *files, const struct rt_file **ret_file,
			     struct rt_error *err)
{
	enum rt_status status = RT_END;

	files_close_file(files);
	if (files->dir >= 0)
		status = files_open_below(files, err);
	while (status == RT_END) {
		if (files->next == files->options->path_count)
			return RT_END;
		status = files_open_path(files, files->options->paths[files->next++], err);
	}
	if (status == RT_OK)
		*ret_file = &files->file;
	return status;
}

struct rt_unread *rt_files_unread(struct rt_files *files)
{
	return &files->unread;
}

uint64_t rt_files_total(const struct rt_files *files)
{
	return files->total;
}

uint64_t rt_files_stamp(const struct rt_files *files)
{
	return files->stamp;
}

enum rt_status rt_files_look(const struct rt_options *options, uint64_t *ret_stamp,
			     struct rt_error *err)
{
	struct rt_files *files = NULL;
	const struct rt_file *file;
	enum rt_status status;
	struct stat st;

	/* The common case takes no memory and no descriptor. */
	if (options->path_count == 1 && strcmp(options->paths[0], "-") != 0 &&
	    stat(options->paths[0], &st) == 0 && S_ISREG(st.st_mode)) {
		*ret_stamp = mix(0, &st, true);
		return RT_OK;
	}
	status = rt_files_open(options, &files, err);
	while (status == RT_OK)
		status = rt_files_next(files, &file, err);
	if (status == RT_END)
		*ret_stamp = files->stamp;
	rt_files_free(files);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_files_refuse_changed(const struct rt_options *options, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_IO,
			   "want an export that stays as it is while it is read, have it changed");
	rt_error_at(err, options->paths[0], NULL);
	return RT_FATAL;
}

void rt_files_free(struct rt_files *files)
{
	if (!files)
		return;
	files_close_file(files);
	files_close_directory(files);
	rt_unread_release(&files->unread);
	free(files);
}
