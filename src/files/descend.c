/*
 * Walks a tree of directories. Those that are met wait in a list, so that depth costs no stack, and
 * are opened one part of their path after another, so that no symbolic link is followed.
 */
#include "files/descend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

struct walk {
	struct rt_paths *directories;
	enum rt_status (*visit)(void *ctx, const struct rt_entry *entry, struct rt_error *err);
	void *ctx;
	uint64_t left; /* entries that may still be met */
};

void rt_paths_release(struct rt_paths *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct rt_paths){0};
}

enum rt_status rt_paths_push(struct rt_paths *list, char *path, struct rt_error *err)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		char **paths = reallocarray(list->paths, cap, sizeof(*paths));

		if (!paths) {
			free(path);
			return rt_error_nomem(err);
		}
		list->paths = paths;
		list->cap = cap;
	}
	list->paths[list->count++] = path;
	return RT_OK;
}

int rt_descend_open(int fd, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int at = fd;

	for (;;) {
		const char *slash = strchr(path, '/');
		int next;
		int saved;

		if (!slash) {
			next = openat(at, path, flags | O_NOFOLLOW | O_CLOEXEC);
		} else if ((size_t)(slash - path) >= sizeof(part)) {
			next = -1;
			errno = ENAMETOOLONG;
		} else {
			memcpy(part, path, (size_t)(slash - path));
			part[slash - path] = '\0';
			next = openat(at, part, OPEN_DIRECTORY);
			path = slash + 1;
		}
		saved = errno;
		if (at != fd)
			close(at);
		errno = saved;
		if (next < 0 || !slash)
			return next;
		at = next;
	}
}

static enum rt_status walk_failed(struct rt_error *err, const char *path)
{
	(void)rt_error_sys(err, errno, "cannot read the directory");
	rt_error_at(err, NULL, path[0] ? path : NULL);
	return rt_error_no_usage(err);
}

/* Join a directory's path and the name of one in it. *ret_path: on RT_OK owned by the caller. */
static enum rt_status walk_join(const char *base, const char *name, char **ret_path,
				struct rt_error *err)
{
	int len = asprintf(ret_path, "%s%s%s", base, base[0] ? "/" : "", name);

	if (len < 0)
		return rt_error_nomem(err);
	if (len < PATH_MAX)
		return RT_OK;
	(void)rt_error_set(err, RT_E_LIMIT, "want paths shorter than %d bytes, have %d", PATH_MAX,
			   len);
	rt_error_at(err, NULL, *ret_path);
	free(*ret_path);
	return RT_REJECT;
}

/* Visit one entry; one that is a directory is also put on the list. */
static enum rt_status walk_entry(struct walk *walk, int at, const char *base, const char *name,
				 struct rt_error *err)
{
	struct rt_entry entry = {.at = at, .name = name};
	enum rt_status status;
	char *path;

	if (walk->left-- == 0)
		return rt_error_reject(err, RT_E_LIMIT,
				       "the directory has more entries than --limit members");
	if (fstatat(at, name, &entry.st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? RT_OK : walk_failed(err, base);
	status = walk_join(base, name, &path, err);
	if (status != RT_OK)
		return status;
	entry.path = path;
	status = walk->visit(walk->ctx, &entry, err);
	if (status < 0)
		rt_error_at(err, NULL, path);
	if (status == RT_OK && S_ISDIR(entry.st.st_mode))
		return rt_paths_push(walk->directories, path, err);
	free(path);
	return status == RT_END ? RT_OK : status;
}

static enum rt_status walk_directory(struct walk *walk, int root, const char *base,
				     struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct dirent *entry;
	DIR *dir;
	int fd = rt_descend_open(root, base[0] ? base : ".", OPEN_DIRECTORY);

	if (fd < 0)
		return walk_failed(err, base);
	dir = fdopendir(fd);
	if (!dir) {
		status = walk_failed(err, base);
		close(fd);
		return status;
	}
	while (status == RT_OK) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = walk_entry(walk, fd, base, entry->d_name, err);
	}
	/* What a visit left in errno does not count: errno is the last readdir()'s here. */
	if (status == RT_OK && errno)
		status = walk_failed(err, base);
	closedir(dir);
	return status;
}

enum rt_status rt_descend(int root, uint64_t max_entries,
			  enum rt_status (*visit)(void *ctx, const struct rt_entry *entry,
						  struct rt_error *err),
			  void *ctx, struct rt_paths *directories, struct rt_error *err)
{
	struct walk walk = {directories, visit, ctx, max_entries};
	enum rt_status status = walk_directory(&walk, root, "", err);

	for (size_t i = 0; status == RT_OK && i < directories->count; i++)
		status = walk_directory(&walk, root, directories->paths[i], err);
	return status;
}

/* Remove what is in a directory, whose descriptor this closes. */
static void remove_below(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		(void)close(fd);
	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rt_descend_remove(fd, entry->d_name);
	}
	if (dir)
		(void)closedir(dir);
}

void rt_descend_remove(int at, const char *name)
{
	int fd;

	if (unlinkat(at, name, 0) == 0 || errno != EISDIR)
		return;
	fd = openat(at, name, OPEN_DIRECTORY);
	if (fd >= 0) {
		(void)fchmod(fd, S_IRWXU);
		remove_below(fd);
	}
	(void)unlinkat(at, name, AT_REMOVEDIR);
}
