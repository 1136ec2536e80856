/*
 * The files of a data set, in the order given, as open descriptors, one at a time. What tells one
 * pass over them from another is a stamp: whoever reads twice holds both against each other.
 */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/forker.h"
#include "base/io.h"
#include "base/map.h"
#include "base/sandbox.h"
#include "base/siphash.h"
#include "files/descend.h"
#include "files/name.h"
#include "files/replace.h"
#include "files/unread.h"

/* --- Files ----------------------------------------------------------------------------------- */

/* Before the path of a candidate; before others their enum rt_unread_reason. */
#define CANDIDATE RT_UNREAD_REASONS

struct rt_files {
	const struct rt_options *options;
	size_t next;           /* index of the next path */
	int dir;               /* the directory being read, or -1 */
	struct rt_paths below; /* its candidates, in byte order */
	size_t candidates;
	size_t below_next; /* index of the next of them */
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
	files->below_next = 0;
	rt_paths_release(&files->below);
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
		return files_failed(err, path, name, "cannot stat the file");
	if (name && !S_ISREG(st.st_mode)) {
		(void)rt_error_set(err, RT_E_IO, "the file was replaced while it was read");
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

	if (files->stdin_used)
		return rt_error_on(err, "-", RT_E_USAGE, "standard input is named twice");
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

	if (files->below_next == files->below.count) {
		files_close_directory(files);
		return RT_END;
	}
	name = files->below.paths[files->below_next++] + 1;
	/* O_NONBLOCK: a FIFO put in the file's place must not hold us; no effect on files. */
	fd = rt_descend_open(files->dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return files_failed(err, path, name, "cannot open the file");
	return files_take(files, fd, path, name, err);
}

/* --- The candidates below a directory -------------------------------------------------------- */

/* What a path that is no directory's is: CANDIDATE, an enum rt_unread_reason, or -1: nothing. */
static int judge(struct rt_files *files, const char *path, const struct stat *st)
{
	enum rt_name verdict = rt_name_judge(&files->options->choice, NULL, path);

	if (verdict == RT_NAME_CANDIDATE && S_ISREG(st->st_mode)) {
		files->total += (uint64_t)st->st_size;
		files->candidates++;
		return CANDIDATE;
	}
	if (verdict == RT_NAME_LEFT_OUT) {
		files->unread.chosen = true;
		return -1;
	}
	if (S_ISREG(st->st_mode))
		return (int)rt_unread_of_name(path);
	return S_ISLNK(st->st_mode) ? RT_UNREAD_SYMLINK : RT_UNREAD_SPECIAL;
}

static enum rt_status meet(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	struct rt_files *files = ctx;
	char *kept = NULL;
	int what;

	/* What is being written beside its target is not there yet. */
	if (rt_temporary_is_own(entry->name))
		return RT_END;
	what = S_ISDIR(entry->st.st_mode) ? -1 : judge(files, entry->path, &entry->st);
	if (what < 0)
		return RT_OK;
	if (asprintf(&kept, "%c%s", what, entry->path) < 0)
		return rt_error_nomem(err);
	return rt_paths_push(&files->below, kept, err);
}

/* After the byte that says what they are. */
static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

/* Tell of what is not read, and leave the candidates in the list. */
static enum rt_status add_unread(struct rt_files *files, const char *path, struct rt_error *err)
{
	struct rt_paths *below = &files->below;
	enum rt_status status = RT_OK;
	size_t count = below->count;

	below->count = 0;
	for (size_t i = 0; i < count; i++) {
		char *each = below->paths[i];

		if (*each == CANDIDATE) {
			below->paths[below->count++] = each;
			continue;
		}
		if (status == RT_OK)
			status = rt_unread_add(&files->unread, path, each + 1, NULL,
					       (enum rt_unread_reason) * each, err);
		free(each);
	}
	return status;
}

static enum rt_status files_open_directory(struct rt_files *files, const char *path,
					   struct rt_error *err)
{
	const struct rt_options *options = files->options;
	struct rt_paths directories = {0}, *below = &files->below;
	enum rt_status status;

	files->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (files->dir < 0)
		return files_failed(err, path, NULL, "cannot open the directory");
	files->candidates = 0;
	/* Without a file that one of them matches it is refused. */
	files->unread.chosen |= options->choice.include_count > 0;
	status =
	    rt_descend(files->dir, options->limits.archive_members, meet, files, &directories, err);
	rt_paths_release(&directories);
	if (status == RT_OK && !files->candidates)
		status = rt_name_refuse_none(&options->choice, "a directory", "file", err);
	if (status == RT_OK) {
		qsort(below->paths, below->count, sizeof(*below->paths), compare_names);
		status = add_unread(files, path, err);
	}
	if (status != RT_OK) {
		rt_error_member_below(err, path);
		files_close_directory(files);
		return status;
	}
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
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return rt_error_on(err, path, RT_E_USAGE,
				   "want a file, a directory or a FIFO, have a device or socket");
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

/* Have visit see each regular file of options, until it returns anything but RT_OK. */
static enum rt_status visit_files(const struct rt_options *options,
				  enum rt_status (*visit)(void *ctx, const struct rt_file *file,
							  const struct stat *st,
							  struct rt_error *err),
				  void *ctx, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < options->path_count; i++) {
		struct rt_options one = *options;
		struct rt_files *files = NULL;
		const struct rt_file *file;
		struct stat st;

		one.paths = options->paths + i;
		one.path_count = 1;
		/* To open a FIFO is to wait for who writes it. */
		if (strcmp(one.paths[0], "-") != 0 && stat(one.paths[0], &st) == 0 &&
		    S_ISFIFO(st.st_mode))
			continue;
		status = rt_files_open(&one, &files, err);
		while (status == RT_OK && (status = rt_files_next(files, &file, err)) == RT_OK) {
			if (fstat(file->fd, &st) == 0 && S_ISREG(st.st_mode))
				status = visit(ctx, file, &st, err);
		}
		rt_files_free(files);
		/* A directory that cannot be used is left to its reader. */
		if (status == RT_END || status == RT_REJECT)
			status = RT_OK;
	}
	return status;
}

/* The files that were met, and what is wrong with a second one. */
struct sharing {
	struct rt_map met;
	const char *message;
};

static struct rt_hash128 identity_of(const struct stat *st)
{
	static const struct rt_siphash_key key = {0, 0};
	uint64_t words[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};

	return rt_siphash(&key, rt_slice_make((const char *)words, sizeof(words)));
}

static enum rt_status add_file(void *ctx, const struct rt_file *file, const struct stat *st,
			       struct rt_error *err)
{
	struct sharing *sharing = ctx;
	uint32_t *number = rt_map_put(&sharing->met, identity_of(st), err);

	(void)file;
	if (number)
		*number = 1;
	return number ? RT_OK : RT_FATAL;
}

static enum rt_status refuse_file(void *ctx, const struct rt_file *file, const struct stat *st,
				  struct rt_error *err)
{
	struct sharing *sharing = ctx;

	if (!rt_map_get(&sharing->met, identity_of(st)))
		return RT_OK;
	(void)rt_error_set(err, RT_E_USAGE, "%s", sharing->message);
	rt_error_below(err, file->path, file->name);
	return RT_FATAL;
}

enum rt_status rt_files_refuse_shared(const struct rt_options *options,
				      const struct rt_options *others, const char *message,
				      struct rt_error *err)
{
	struct sharing sharing = {.message = message};
	enum rt_status status = visit_files(others, add_file, &sharing, err);

	if (status == RT_OK)
		status = visit_files(options, refuse_file, &sharing, err);
	rt_map_release(&sharing.met);
	return status;
}

enum rt_status rt_files_refuse_changed(const struct rt_options *options, struct rt_error *err)
{
	return rt_error_on(err, options->paths[0], RT_E_IO, "the export changed while it was read");
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

/* --- Inputs that are read more than once ----------------------------------------------------- */

static enum rt_status copy_pipe(int from, int to, const struct rt_limits *limits,
				struct rt_error *err)
{
	uint64_t total = 0, max = limits->expanded_bytes;
	char block[RT_OUT_BYTES];
	ssize_t got;

	while ((got = rt_read_at(from, block, sizeof(block), -1)) > 0) {
		if (total + (uint64_t)got > max)
			return rt_error_limit(err, "the input", "expanded", max);
		if (rt_unnamed_write(to, block, (size_t)got, &total, limits->temporary_bytes,
				     "temporary file", err) != RT_OK)
			return RT_FATAL;
	}
	if (got < 0)
		return rt_error_sys(err, errno, "cannot read standard input");
	return lseek(to, 0, SEEK_SET) < 0 ? rt_error_sys(err, errno, "temporary file") : RT_OK;
}

static enum rt_status hold_input(struct rt_hold *hold, struct rt_error *err)
{
	int from = hold->options.input_fd;
	struct stat st;

	if (fstat(from, &st) != 0)
		return rt_error_sys(err, errno, "cannot read standard input");
	if (hold->fd >= 0 || (S_ISREG(st.st_mode) && lseek(from, 0, SEEK_CUR) == 0))
		return RT_OK;
	hold->fd = rt_unnamed_open();
	if (hold->fd < 0)
		return rt_error_sys(err, errno, "temporary file");
	hold->options.input_fd = hold->fd;
	return copy_pipe(from, hold->fd, &hold->options.limits, err);
}

enum rt_status rt_hold_init(struct rt_hold *hold, const struct rt_options *options,
			    struct rt_error *err)
{
	enum rt_status status = RT_OK;

	*hold = (struct rt_hold){*options, -1};
	for (size_t i = 0; status == RT_OK && i < options->path_count; i++) {
		const char *path = options->paths[i];
		struct stat st;

		if (strcmp(path, "-") == 0)
			status = hold_input(hold, err);
		else if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
			status = rt_error_set(err, RT_E_USAGE,
					      "is read twice, which a FIFO cannot be; - reads it "
					      "from standard input");
		if (status != RT_OK)
			rt_error_at(err, path, NULL);
	}
	return status;
}

void rt_hold_release(struct rt_hold *hold)
{
	if (hold->fd >= 0)
		(void)close(hold->fd);
	hold->fd = -1;
}
