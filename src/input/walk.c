/*
 * Walking a directory. Input: an open directory. Output: the paths of its candidates in byte
 * order. Symbolic links inside are never followed, so there are no cycles and no way out; other
 * file types than regular ones are passed over. Refuses directories with more entries than the
 * limit, paths longer than PATH_MAX, and directories without any candidate.
 */
#include "input/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/files.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* One walk under way. Directories wait in `todo` so that depth costs no stack. */
struct scan {
	struct rt_walk *found;
	struct rt_walk todo;
	uint64_t left; /* entries that may still be met */
	int root;
	const char *base; /* the directory being listed, "" for the root */
};

int rt_walk_open(int fd, const char *name, int flags)
{
	char part[NAME_MAX + 1];
	int at = fd;

	for (;;) {
		const char *slash = strchr(name, '/');
		int next;
		int saved;

		if (!slash) {
			next = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC);
		} else if ((size_t)(slash - name) >= sizeof(part)) {
			next = -1;
			errno = ENAMETOOLONG;
		} else {
			memcpy(part, name, (size_t)(slash - name));
			part[slash - name] = '\0';
			next = openat(at, part, OPEN_DIRECTORY);
			name = slash + 1;
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

void rt_walk_release(struct rt_walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		free(walk->names[i]);
	free(walk->names);
	memset(walk, 0, sizeof(*walk));
}

/* Takes ownership of name, also when it fails. */
static enum rt_status walk_push(struct rt_walk *walk, char *name, struct rt_error *err)
{
	if (walk->count == walk->cap) {
		size_t cap = walk->cap ? 2 * walk->cap : 64;
		char **names = reallocarray(walk->names, cap, sizeof(*names));

		if (!names) {
			free(name);
			return rt_error_nomem(err);
		}
		walk->names = names;
		walk->cap = cap;
	}
	walk->names[walk->count++] = name;
	return RT_OK;
}

static enum rt_status walk_failed(struct rt_error *err, const char *name)
{
	(void)rt_error_sys(err, errno, "cannot read the directory");
	rt_error_at(err, NULL, name[0] ? name : NULL);
	return rt_error_no_usage(err);
}

/* Join the listed directory and one entry's name; NULL with err set. */
static char *scan_join(const struct scan *scan, const char *entry, struct rt_error *err)
{
	char *name = NULL;
	int len = asprintf(&name, "%s%s%s", scan->base, scan->base[0] ? "/" : "", entry);

	if (len < 0) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	if (len >= PATH_MAX) {
		(void)rt_error_set(err, RT_E_LIMIT, "want paths shorter than %d bytes, have %d",
				   PATH_MAX, len);
		rt_error_at(err, NULL, name);
		free(name);
		return NULL;
	}
	return name;
}

static enum rt_status scan_entry(struct scan *scan, int fd, const char *entry, struct rt_error *err)
{
	struct stat st;
	char *name;
	bool is_candidate = rt_name_is_candidate(entry, strlen(entry));

	if (scan->left-- == 0) {
		(void)rt_error_set(
		    err, RT_E_LIMIT,
		    "want a directory within the limit \"members\", have more entries");
		return RT_REJECT;
	}
	if (fstatat(fd, entry, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? RT_OK : walk_failed(err, scan->base);
	if (!S_ISDIR(st.st_mode) && !(S_ISREG(st.st_mode) && is_candidate))
		return RT_OK;
	name = scan_join(scan, entry, err);
	if (!name)
		return err->code == RT_E_LIMIT ? RT_REJECT : RT_FATAL;
	if (S_ISDIR(st.st_mode))
		return walk_push(&scan->todo, name, err);
	scan->found->bytes += (uint64_t)st.st_size;
	return walk_push(scan->found, name, err);
}

static enum rt_status scan_directory(struct scan *scan, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct dirent *entry;
	DIR *dir;
	int fd = rt_walk_open(scan->root, scan->base[0] ? scan->base : ".", OPEN_DIRECTORY);

	if (fd < 0)
		return walk_failed(err, scan->base);
	dir = fdopendir(fd);
	if (!dir) {
		status = walk_failed(err, scan->base);
		close(fd);
		return status;
	}
	while (status == RT_OK) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = scan_entry(scan, fd, entry->d_name, err);
	}
	if (status == RT_OK && errno)
		status = walk_failed(err, scan->base);
	closedir(dir);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum rt_status rt_walk_collect(struct rt_walk *walk, int fd, uint64_t max_entries,
			       struct rt_error *err)
{
	struct scan scan = {.found = walk, .left = max_entries, .root = fd, .base = ""};
	enum rt_status status = scan_directory(&scan, err);

	while (status == RT_OK && scan.todo.count) {
		char *name = scan.todo.names[--scan.todo.count];

		scan.base = name;
		status = scan_directory(&scan, err);
		free(name);
	}
	rt_walk_release(&scan.todo);
	if (status != RT_OK)
		return status;
	if (!walk->count) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a directory with a *.json, *.ndjson, *.jsonl, *.yaml or "
				   "*.yml file, have none");
		return RT_REJECT;
	}
	qsort(walk->names, walk->count, sizeof(*walk->names), compare_names);
	return RT_OK;
}
