/*
 * Walks a tree of directories. Input: an open directory. Output: calls for its entries; or its
 * removal. Directories wait in a list, so that depth costs no stack.
 * Refuses to follow symbolic links, paths of PATH_MAX bytes or more, and more entries than allowed.
 */
#include "files/descend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/walk.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

struct walk {
	struct rt_descent *descent;
	enum rt_status (*visit)(void *ctx, const struct rt_entry *entry, struct rt_error *err);
	void *ctx;
	uint64_t left; /* entries that may still be met */
};

void rt_descent_release(struct rt_descent *descent)
{
	for (size_t i = 0; i < descent->count; i++)
		free(descent->paths[i]);
	free(descent->paths);
	*descent = (struct rt_descent){0};
}

/* Takes ownership of path, also when it fails. */
static enum rt_status push(struct rt_descent *descent, char *path, struct rt_error *err)
{
	if (descent->count == descent->cap) {
		size_t cap = descent->cap ? 2 * descent->cap : 16;
		char **paths = reallocarray(descent->paths, cap, sizeof(*paths));

		if (!paths) {
			free(path);
			return rt_error_nomem(err);
		}
		descent->paths = paths;
		descent->cap = cap;
	}
	descent->paths[descent->count++] = path;
	return RT_OK;
}

static enum rt_status walk_failed(struct rt_error *err, const char *path)
{
	(void)rt_error_sys(err, errno, "cannot read the directory");
	(void)rt_error_no_usage(err);
	rt_error_at(err, NULL, path[0] ? path : NULL);
	return RT_REJECT;
}

static enum rt_status walk_limited(struct rt_error *err, const char *path, const char *want)
{
	(void)rt_error_set(err, RT_E_LIMIT, "want %s, have more", want);
	rt_error_at(err, NULL, path[0] ? path : NULL);
	return RT_REJECT;
}

/* Visit one entry; one that is a directory is also put to the list. */
static enum rt_status walk_entry(struct walk *walk, int at, const char *base, const char *name,
				 struct rt_error *err)
{
	struct rt_entry entry = {.at = at, .name = name};
	enum rt_status status;
	char *path = NULL;

	if (walk->left-- == 0)
		return walk_limited(err, base, "entries within the limit \"members\"");
	if (fstatat(at, name, &entry.st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? RT_OK : walk_failed(err, base);
	if (asprintf(&path, "%s%s%s", base, base[0] ? "/" : "", name) < 0)
		return rt_error_nomem(err);
	entry.path = path;
	if (strlen(path) >= PATH_MAX)
		status = walk_limited(err, path, "paths shorter than PATH_MAX bytes");
	else
		status = walk->visit(walk->ctx, &entry, err);
	if (status < 0)
		rt_error_at(err, NULL, path);
	if (status == RT_OK && S_ISDIR(entry.st.st_mode))
		return push(walk->descent, path, err);
	free(path);
	return status;
}

static enum rt_status walk_directory(struct walk *walk, int root, const char *base,
				     struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct dirent *entry;
	DIR *dir;
	int fd = rt_walk_open(root, base[0] ? base : ".", OPEN_DIRECTORY);

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
			  void *ctx, struct rt_descent *descent, struct rt_error *err)
{
	struct walk walk = {descent, visit, ctx, max_entries};
	enum rt_status status = walk_directory(&walk, root, "", err);

	for (size_t i = 0; status == RT_OK && i < descent->count; i++)
		status = walk_directory(&walk, root, descent->paths[i], err);
	return status;
}

static enum rt_status remove_entry(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	int result = 0;

	(void)ctx;
	(void)err;
	if (!S_ISDIR(entry->st.st_mode))
		result = unlinkat(entry->at, entry->name, 0);
	else if ((entry->st.st_mode & S_IRWXU) != S_IRWXU)
		result = fchmodat(entry->at, entry->name, S_IRWXU, 0);
	(void)result; /* what stays is met again when its directory does not go */
	return RT_OK;
}

void rt_descend_remove(int at, const char *name)
{
	struct rt_descent descent = {0};
	struct rt_error err;
	int fd;

	if (unlinkat(at, name, 0) == 0 || errno != EISDIR)
		return;
	fd = openat(at, name, OPEN_DIRECTORY);
	if (fd < 0)
		return;
	(void)fchmod(fd, S_IRWXU);
	(void)rt_descend(fd, UINT64_MAX, remove_entry, NULL, &descent, &err);
	while (descent.count) {
		char *path = descent.paths[--descent.count];
		char *slash = strrchr(path, '/');
		int parent = fd;

		if (slash) {
			*slash = '\0';
			parent = rt_walk_open(fd, path, OPEN_DIRECTORY);
		}
		if (parent >= 0)
			(void)unlinkat(parent, slash ? slash + 1 : path, AT_REMOVEDIR);
		if (slash && parent >= 0)
			close(parent);
		free(path);
	}
	rt_descent_release(&descent);
	close(fd);
	(void)unlinkat(at, name, AT_REMOVEDIR);
}
