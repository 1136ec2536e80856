/* Copies a directory, as plainly as cp -r does. */
#include "files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "files/descend.h"
#include "files/files.h"

/* Its owner may be another now: nobody is to run it as somebody else. */
#define MODE_BITS 0777u

struct tree {
	int from, to;
	const struct rt_choice *choice; /* of the candidates */
	struct stat made;               /* `to` */
};

/* What is read: the export is at fault. */
static enum rt_status unreadable(struct rt_error *err, const char *what)
{
	(void)rt_error_sys(err, errno, "%s", what);
	(void)rt_error_no_usage(err);
	return RT_REJECT;
}

static enum rt_status unwritable(struct rt_error *err, const char *what)
{
	(void)unreadable(err, what);
	return RT_FATAL;
}

/*
 * Open the directory below root that holds the entry at path. *ret_name: the entry's name there.
 * Returns a new descriptor, or -1 with errno set.
 */
static int open_parent(int root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		return fcntl(root, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	/* Paths are shorter than PATH_MAX, or were not walked to. */
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return rt_descend_open(root, folder, O_RDONLY | O_DIRECTORY);
}

enum rt_status rt_tree_create(int from_fd, int to, const char *name, int *ret_fd,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;
	const char *last;
	struct stat st;
	int parent;

	if (fstat(from_fd, &st) != 0)
		return unreadable(err, "cannot stat the file");
	parent = open_parent(to, name, &last);
	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	*ret_fd = openat(parent, last, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 st.st_mode & MODE_BITS);
	if (*ret_fd < 0)
		status = unwritable(err, "cannot make the new file");
	close(parent);
	return status;
}

static enum rt_status copy_link(const struct rt_entry *entry, int parent, const char *name,
				struct rt_error *err)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(entry->at, entry->name, text, sizeof(text) - 1);

	if (len < 0)
		return unreadable(err, "cannot read the symbolic link");
	text[len] = '\0';
	return symlinkat(text, parent, name) == 0
		   ? RT_OK
		   : unwritable(err, "cannot make the symbolic link");
}

static enum rt_status copy_file(const struct tree *tree, const struct rt_entry *entry,
				struct rt_error *err)
{
	static const struct rt_patches none;
	struct stat st;
	int to = -1;
	enum rt_status status = RT_OK;
	/* O_NONBLOCK: a FIFO put in the file's place must not hold us; no effect on files. */
	int from = openat(entry->at, entry->name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (from < 0)
		return unreadable(err, "cannot open the file");
	if (fstat(from, &st) != 0)
		status = unreadable(err, "cannot stat the file");
	else if (!S_ISREG(st.st_mode))
		status = rt_error_reject(err, RT_E_IO, "the file was replaced while it was read");
	if (status == RT_OK)
		status = rt_tree_create(from, tree->to, entry->path, &to, err);
	if (status == RT_OK)
		status = rt_splice(from, (uint64_t)st.st_size, &none, 0, to, err);
	if (to >= 0 && close(to) != 0 && status == RT_OK)
		status = unwritable(err, "cannot close the new file");
	close(from);
	return status;
}

static enum rt_status copy_entry(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	const struct tree *tree = ctx;
	mode_t mode = entry->st.st_mode;
	enum rt_status status = RT_OK;
	const char *name;
	int parent;

	/* Mounts may hide this from who compares paths, and there would be no end to it. */
	if (S_ISDIR(mode) && rt_same_file(&entry->st, &tree->made))
		return rt_error_reject(err, RT_E_USAGE,
				       "the new directory is inside that of the export");
	if (S_ISREG(mode))
		return rt_name_judge(tree->choice, NULL, entry->path) == RT_NAME_CANDIDATE
			   ? RT_OK
			   : copy_file(tree, entry, err);
	if (!S_ISDIR(mode) && !S_ISLNK(mode))
		return rt_error_reject(err, RT_E_USAGE, "cannot copy %s",
				       S_ISFIFO(mode) ? "a FIFO" : "a device or socket");
	parent = open_parent(tree->to, entry->path, &name);
	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	if (S_ISLNK(mode))
		status = copy_link(entry, parent, name, err);
	else if (mkdirat(parent, name, (mode & MODE_BITS) | S_IRWXU) != 0)
		status = unwritable(err, "cannot make the new directory");
	close(parent);
	return status;
}

enum rt_status rt_tree_copy(int from, int to, const struct rt_choice *choice, uint64_t max_entries,
			    struct rt_error *err)
{
	struct rt_paths directories = {0};
	struct tree tree = {.from = from, .to = to, .choice = choice};
	enum rt_status status;

	if (fstat(to, &tree.made) != 0)
		return unwritable(err, "cannot stat the new directory");
	status = rt_descend(from, max_entries, copy_entry, &tree, &directories, err);
	rt_paths_release(&directories);
	return status;
}

enum rt_status rt_tree_finish(int from, int to, struct rt_error *err)
{
	struct stat st;

	if (fstat(from, &st) != 0)
		return unreadable(err, "cannot stat the directory");
	if (fchmod(to, (st.st_mode & MODE_BITS) | S_IRWXU) != 0)
		return unwritable(err, "cannot keep the mode of the directory");
	return syncfs(to) == 0 ? RT_OK : unwritable(err, "cannot write the new files to disk");
}

/* --- A file with patches --------------------------------------------------------------------- */

struct splice {
	struct rt_range from;
	struct rt_outfile to;
	uint64_t started; /* bytes that the system was asked to write to disk */
};

/* The export is at fault. */
static enum rt_status read_export(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct splice *s = ctx;
	struct rt_pull from = rt_range_pull(&s->from);
	enum rt_status status = from.read(from.ctx, buf, cap, ret_len, err);

	return status < 0 ? RT_REJECT : status;
}

static enum rt_status write_new(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct splice *s = ctx;
	enum rt_status status = rt_outfile_write(&s->to, data, len, err);

	if (status == RT_OK)
		rt_write_begin(s->to.fd, s->to.written, &s->started);
	return status;
}

enum rt_status rt_splice(int in_fd, uint64_t size, const struct rt_patches *patches, uint32_t part,
			 int out_fd, struct rt_error *err)
{
	struct splice *s = calloc(1, sizeof(*s));
	struct rt_sink to = {write_new, s};
	enum rt_status status;

	if (!s)
		return rt_error_nomem(err);
	s->from = (struct rt_range){in_fd, 0, size, "cannot read the file"};
	s->to.fd = out_fd;
	s->to.what = "cannot write the new file";
	status = rt_patches_apply(patches, part, (struct rt_pull){read_export, s}, &to, err);
	if (status == RT_OK)
		status = rt_outfile_flush(&s->to, err);
	free(s);
	return status;
}
