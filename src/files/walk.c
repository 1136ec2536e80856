/*
 * Walking a directory. Input: an open directory. Output: the paths of its candidates in byte
 * order, and of what is passed over. Symbolic links inside are never followed, so there are no
 * cycles and no way out; other file types than regular ones are never read. Refuses directories
 * with more entries than the limit, paths longer than PATH_MAX, and directories without any
 * candidate.
 */
#include "files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "files/replace.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* One walk under way. Directories wait in `todo` so that depth costs no stack. */
struct scan {
	struct rt_walk *walk;
	struct rt_walk_names todo;
	const struct rt_choice *choice;
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

static void names_release(struct rt_walk_names *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct rt_walk_names){0};
}

void rt_walk_release(struct rt_walk *walk)
{
	names_release(&walk->found);
	names_release(&walk->unread);
	walk->bytes = 0;
}

/* Takes ownership of name, also when it fails. */
static enum rt_status names_push(struct rt_walk_names *list, char *name, struct rt_error *err)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		char **names = reallocarray(list->names, cap, sizeof(*names));

		if (!names) {
			free(name);
			return rt_error_nomem(err);
		}
		list->names = names;
		list->cap = cap;
	}
	list->names[list->count++] = name;
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

/* Note a path that is not read. */
static enum rt_status scan_pass(struct scan *scan, const char *name, enum rt_unread_reason reason,
				struct rt_error *err)
{
	char *kept = NULL;

	if (asprintf(&kept, "%c%s", (char)reason, name) < 0)
		return rt_error_nomem(err);
	return names_push(&scan->walk->unread, kept, err);
}

/* Sort a path in that is no directory's. Takes ownership of name. */
static enum rt_status scan_file(struct scan *scan, char *name, const struct stat *st,
				struct rt_error *err)
{
	enum rt_name verdict = rt_name_judge(scan->choice, NULL, name);
	enum rt_unread_reason reason = RT_UNREAD_SPECIAL;
	enum rt_status status = RT_OK;

	if (verdict == RT_NAME_CANDIDATE && S_ISREG(st->st_mode)) {
		scan->walk->bytes += (uint64_t)st->st_size;
		return names_push(&scan->walk->found, name, err);
	}
	if (S_ISREG(st->st_mode))
		reason = rt_name_is_archive(name) ? RT_UNREAD_ARCHIVE : RT_UNREAD_NAME;
	else if (S_ISLNK(st->st_mode))
		reason = RT_UNREAD_SYMLINK;
	if (verdict != RT_NAME_LEFT_OUT)
		status = scan_pass(scan, name, reason, err);
	free(name);
	return status;
}

static enum rt_status scan_entry(struct scan *scan, int fd, const char *entry, struct rt_error *err)
{
	struct stat st;
	char *name;

	if (scan->left-- == 0) {
		(void)rt_error_set(
		    err, RT_E_LIMIT,
		    "want a directory within the limit \"members\", have more entries");
		return RT_REJECT;
	}
	if (fstatat(fd, entry, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? RT_OK : walk_failed(err, scan->base);
	name = scan_join(scan, entry, err);
	if (!name)
		return err->code == RT_E_LIMIT ? RT_REJECT : RT_FATAL;
	if (S_ISDIR(st.st_mode))
		return names_push(&scan->todo, name, err);
	return scan_file(scan, name, &st, err);
}

static enum rt_status scan_directory(struct scan *scan, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint64_t left = scan->left;
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
		/* What is being written beside its target is not there yet. */
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    !rt_temporary_is_own(entry->d_name))
			status = scan_entry(scan, fd, entry->d_name, err);
	}
	if (status == RT_OK && errno)
		status = walk_failed(err, scan->base);
	closedir(dir);
	/* Somebody may take one with a document's name for a document; what is in it is met. */
	if (status == RT_OK && scan->left == left &&
	    rt_name_judge(scan->choice, NULL, scan->base) == RT_NAME_CANDIDATE)
		status = scan_pass(scan, scan->base, RT_UNREAD_DIRECTORY, err);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Behind the byte that says why. */
static int compare_unread(const void *a, const void *b)
{
	return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

enum rt_status rt_walk_collect(struct rt_walk *walk, int fd, const struct rt_choice *choice,
			       uint64_t max_entries, struct rt_error *err)
{
	struct scan scan = {
	    .walk = walk, .choice = choice, .left = max_entries, .root = fd, .base = ""};
	enum rt_status status = scan_directory(&scan, err);

	while (status == RT_OK && scan.todo.count) {
		char *name = scan.todo.names[--scan.todo.count];

		scan.base = name;
		status = scan_directory(&scan, err);
		free(name);
	}
	names_release(&scan.todo);
	if (status != RT_OK)
		return status;
	if (!walk->found.count)
		return rt_name_refuse_none(choice, "a directory", "file", err);
	qsort(walk->found.names, walk->found.count, sizeof(*walk->found.names), compare_names);
	if (walk->unread.count)
		qsort(walk->unread.names, walk->unread.count, sizeof(*walk->unread.names),
		      compare_unread);
	return RT_OK;
}
