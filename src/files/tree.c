/* Copies a directory, as plainly as cp -r does. */
#include "files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/io.h"
#include "files/descend.h"
#include "files/files.h"
#include "files/splice.h"

/* Its owner may be another now: nobody is to run it as somebody else. */
#define MODE_BITS 0777u

struct tree {
	int from, to;
	const struct rt_choice *choice; /* of the candidates */
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
		return unreadable(err, "cannot look at the file");
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

static enum rt_status copy_directory(const struct tree *tree, const struct rt_entry *entry,
				     struct rt_error *err)
{
	const char *name;
	int parent = open_parent(tree->to, entry->path, &name);
	enum rt_status status = RT_OK;

	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	if (mkdirat(parent, name, (entry->st.st_mode & MODE_BITS) | S_IRWXU) != 0)
		status = unwritable(err, "cannot make the new directory");
	close(parent);
	return status;
}

static enum rt_status copy_link(const struct tree *tree, const struct rt_entry *entry,
				struct rt_error *err)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(entry->at, entry->name, text, sizeof(text) - 1);
	enum rt_status status = RT_OK;
	const char *name;
	int parent;

	if (len < 0)
		return unreadable(err, "cannot read the symbolic link");
	text[len] = '\0';
	parent = open_parent(tree->to, entry->path, &name);
	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	if (symlinkat(text, parent, name) != 0)
		status = unwritable(err, "cannot make the symbolic link");
	close(parent);
	return status;
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
	if (fstat(from, &st) != 0) {
		status = unreadable(err, "cannot look at the file");
	} else if (!S_ISREG(st.st_mode)) {
		(void)rt_error_set(err, RT_E_IO, "want a regular file, have it replaced");
		status = RT_REJECT;
	}
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

	if (S_ISDIR(entry->st.st_mode))
		return copy_directory(tree, entry, err);
	if (S_ISLNK(entry->st.st_mode))
		return copy_link(tree, entry, err);
	if (!S_ISREG(entry->st.st_mode)) {
		(void)rt_error_set(err, RT_E_USAGE,
				   "want files, directories and symbolic links to copy, have %s",
				   S_ISFIFO(entry->st.st_mode) ? "a FIFO" : "a device or socket");
		return RT_REJECT;
	}
	if (rt_name_judge(tree->choice, NULL, entry->path) == RT_NAME_CANDIDATE)
		return RT_OK;
	return copy_file(tree, entry, err);
}

/* Refuse a copy into the directory itself: there is no end to it. Looks at all above `to`. */
static enum rt_status refuse_inside(int from, int to, struct rt_error *err)
{
	struct stat source, st = {0}, below;
	enum rt_status status = RT_OK;
	int fd = openat(to, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(from, &source) != 0 || fstat(fd, &st) != 0)
		status = unwritable(err, "cannot look at the folder of the new directory");
	while (status == RT_OK) {
		int up;

		if (rt_same_file(&st, &source)) {
			(void)rt_error_set(err, RT_E_USAGE,
					   "want a new directory outside of the export's, have one "
					   "inside of it");
			status = RT_FATAL;
			break;
		}
		below = st;
		up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = up;
		if (fd < 0 || fstat(fd, &st) != 0)
			status = unwritable(err, "cannot look at the folder of the new directory");
		else if (rt_same_file(&st, &below))
			break; /* the root is its own parent */
	}
	if (fd >= 0)
		close(fd);
	return status;
}

enum rt_status rt_tree_copy(int from, int to, const struct rt_choice *choice, uint64_t max_entries,
			    struct rt_error *err)
{
	struct rt_paths directories = {0};
	struct tree tree = {from, to, choice};
	enum rt_status status = refuse_inside(from, to, err);

	if (status == RT_OK)
		status = rt_descend(from, max_entries, copy_entry, &tree, &directories, err);
	rt_paths_release(&directories);
	return status;
}

enum rt_status rt_tree_finish(int from, int to, struct rt_error *err)
{
	struct stat st;

	if (fstat(from, &st) != 0)
		return unreadable(err, "cannot look at the directory");
	if (fchmod(to, (st.st_mode & MODE_BITS) | S_IRWXU) != 0)
		return unwritable(err, "cannot keep the mode of the directory");
	return syncfs(to) == 0 ? RT_OK : unwritable(err, "cannot write the new files to disk");
}
