/*
 * Finding what is to be read in a directory. Input: an open directory. Output: the paths of its
 * candidates in byte order, and of what is passed over. Symbolic links inside are never followed,
 * so there are no cycles and no way out; other file types than regular ones are never read. Refuses
 * directories without any candidate, and what a descent refuses.
 */
#include "files/walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/name.h"
#include "files/replace.h"
#include "files/unread.h"

/* One walk under way. */
struct scan {
	struct rt_walk *walk;
	const struct rt_choice *choice;
};

void rt_walk_release(struct rt_walk *walk)
{
	rt_paths_release(&walk->found);
	rt_paths_release(&walk->unread);
	walk->bytes = 0;
}

/* Note a path that is not read. */
static enum rt_status scan_pass(const struct scan *scan, const char *path,
				enum rt_unread_reason reason, struct rt_error *err)
{
	char *kept = NULL;

	if (asprintf(&kept, "%c%s", (char)reason, path) < 0)
		return rt_error_nomem(err);
	return rt_paths_push(&scan->walk->unread, kept, err);
}

/* Sort a path in that is no directory's. */
static enum rt_status scan_file(const struct scan *scan, const char *path, const struct stat *st,
				struct rt_error *err)
{
	enum rt_name verdict = rt_name_judge(scan->choice, NULL, path);
	enum rt_unread_reason reason = RT_UNREAD_SPECIAL;
	char *kept;

	if (verdict == RT_NAME_CANDIDATE && S_ISREG(st->st_mode)) {
		scan->walk->bytes += (uint64_t)st->st_size;
		kept = strdup(path);
		return kept ? rt_paths_push(&scan->walk->found, kept, err) : rt_error_nomem(err);
	}
	if (verdict == RT_NAME_LEFT_OUT)
		return RT_OK;
	if (S_ISREG(st->st_mode))
		reason = rt_unread_of_name(path);
	else if (S_ISLNK(st->st_mode))
		reason = RT_UNREAD_SYMLINK;
	return scan_pass(scan, path, reason, err);
}

static enum rt_status scan_entry(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	/* What is being written beside its target is not there yet. */
	if (rt_temporary_is_own(entry->name))
		return RT_END;
	if (S_ISDIR(entry->st.st_mode))
		return RT_OK;
	return scan_file(ctx, entry->path, &entry->st, err);
}

static enum rt_status stop_at_entry(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	(void)ctx;
	(void)err;
	return rt_temporary_is_own(entry->name) ? RT_END : RT_REJECT;
}

/* Somebody may take a directory with a document's name for a document; what is in it is met. */
static enum rt_status scan_directory(const struct scan *scan, int root, const char *path,
				     struct rt_error *err)
{
	struct rt_paths directories = {0};
	struct rt_error ignored = {.code = RT_E_NONE};
	bool empty;
	int fd;

	if (rt_name_judge(scan->choice, NULL, path) != RT_NAME_CANDIDATE)
		return RT_OK;
	fd = rt_descend_open(root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return RT_OK;
	empty = rt_descend(fd, UINT64_MAX, stop_at_entry, NULL, &directories, &ignored) == RT_OK;
	rt_paths_release(&directories);
	close(fd);
	return empty ? scan_pass(scan, path, RT_UNREAD_DIRECTORY, err) : RT_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* After the byte that says why. */
static int compare_unread(const void *a, const void *b)
{
	return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

enum rt_status rt_walk_collect(struct rt_walk *walk, int fd, const struct rt_choice *choice,
			       uint64_t max_entries, struct rt_error *err)
{
	struct scan scan = {walk, choice};
	struct rt_paths directories = {0};
	enum rt_status status = rt_descend(fd, max_entries, scan_entry, &scan, &directories, err);

	for (size_t i = 0; status == RT_OK && i < directories.count; i++)
		status = scan_directory(&scan, fd, directories.paths[i], err);
	rt_paths_release(&directories);
	if (status != RT_OK)
		return status;
	if (!walk->found.count)
		return rt_name_refuse_none(choice, "a directory", "file", err);
	qsort(walk->found.paths, walk->found.count, sizeof(*walk->found.paths), compare_names);
	if (walk->unread.count)
		qsort(walk->unread.paths, walk->unread.count, sizeof(*walk->unread.paths),
		      compare_unread);
	return RT_OK;
}
