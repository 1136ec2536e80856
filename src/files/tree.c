/*
 * Copies a directory. First all bytes are written and only then all is flushed, so that the disk
 * works while we write.
 */
#include "files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/io.h"
#include "files/descend.h"
#include "files/files.h"
#include "files/splice.h"

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

enum rt_status rt_tree_create(int to, const char *name, int *ret_fd, struct rt_error *err)
{
	const char *last;
	int parent = open_parent(to, name, &last);
	enum rt_status status = RT_OK;

	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	*ret_fd = openat(parent, last, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 S_IRUSR | S_IWUSR);
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
	if (mkdirat(parent, name, S_IRWXU) != 0)
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
		status = rt_tree_create(tree->to, entry->path, &to, err);
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

/* Give an open file or directory its mode and times, and flush it. */
static enum rt_status finish_one(int from, int to, struct rt_error *err)
{
	struct timespec times[2];
	struct stat st;

	if (fstat(from, &st) != 0)
		return unreadable(err, "cannot look at the file");
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	/* Its owner may be another now: nobody is to run it as somebody else. */
	if (fchmod(to, st.st_mode & 01777) != 0 || futimens(to, times) != 0)
		return unwritable(err, "cannot keep the mode and times of the file");
	/* EINVAL: a file system that has nothing to flush for a directory. */
	if (fsync(to) != 0 && errno != EINVAL)
		return unwritable(err, "cannot write the new file to disk");
	return RT_OK;
}

static enum rt_status finish_file(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	const struct tree *tree = ctx;
	enum rt_status status;
	int from, to;

	if (!S_ISREG(entry->st.st_mode))
		return RT_OK;
	from = rt_descend_open(tree->from, entry->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (from < 0)
		return unreadable(err, "cannot open the file");
	to = openat(entry->at, entry->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	status = to < 0 ? unwritable(err, "cannot open the new file") : finish_one(from, to, err);
	if (to >= 0)
		close(to);
	close(from);
	return status;
}

static enum rt_status finish_directory(const struct tree *tree, const char *path,
				       struct rt_error *err)
{
	enum rt_status status;
	int from = rt_descend_open(tree->from, path, O_RDONLY | O_DIRECTORY);
	int to = rt_descend_open(tree->to, path, O_RDONLY | O_DIRECTORY);

	if (from < 0)
		status = unreadable(err, "cannot open the directory");
	else if (to < 0)
		status = unwritable(err, "cannot open the new directory");
	else
		status = finish_one(from, to, err);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (status < 0)
		rt_error_at(err, NULL, path);
	return status;
}

enum rt_status rt_tree_finish(int from, int to, struct rt_error *err)
{
	struct rt_paths directories = {0};
	struct tree tree = {.from = from, .to = to};
	/* Our own copy: its entries were counted on the way in. */
	enum rt_status status = rt_descend(to, UINT64_MAX, finish_file, &tree, &directories, err);

	/* Backwards: a directory's times and mode are set when all below it is done. */
	for (size_t i = directories.count; status == RT_OK && i > 0; i--)
		status = finish_directory(&tree, directories.paths[i - 1], err);
	rt_paths_release(&directories);
	if (status == RT_OK)
		status = finish_one(from, to, err);
	return status;
}
