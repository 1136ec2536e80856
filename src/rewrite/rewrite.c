/*
 * Writes an export again. Plain files are spliced; packed ones are decoded and encoded again, but
 * only where a patch is for one of their parts; the rest is copied byte for byte. An export that is
 * not as it was when it was read is refused, before and after.
 */
#include "rewrite/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/tree.h"
#include "rewrite/repack.h"
#include "source/parts.h"
#include "source/worker.h"

/* Hold the export against the stamp of the pass that read it. Returns RT_OK or RT_FATAL. */
static enum rt_status check_stamp(const struct rt_options *options, uint64_t stamp,
				  struct rt_error *err)
{
	uint64_t now = 0;

	/* A file that is gone, for one, has changed too. */
	if (rt_files_look(options, &now, err) == RT_OK && now == stamp)
		return RT_OK;
	return rt_files_refuse_changed(options, err);
}

struct rewrite {
	const struct rt_options *options;
	const struct rt_patches *patches;
	struct rt_replace *replace;
	uint32_t part; /* number of the current file's first part */
	struct rt_error *err;
};

/*
 * Put the place to an error: RT_REJECT is about the export, else the target. file: NULL where no
 * file is meant, and a member lies in a directory.
 */
static enum rt_status blame(const struct rewrite *w, enum rt_status status,
			    const struct rt_file *file)
{
	const char *path =
	    status == RT_REJECT ? w->options->paths[0] : rt_replace_target(w->replace);

	if (status >= 0)
		return status;
	if (file)
		rt_error_below(w->err, path, file->name);
	else
		rt_error_member_below(w->err, path);
	return RT_FATAL;
}

/*
 * The number of parts of a packed file that nobody wants to be decoded for anything else.
 * plain: its first bytes have been looked at.
 */
static enum rt_status count_parts(struct rewrite *w, struct rt_plain *plain, uint32_t *ret_count)
{
	struct rt_worker worker;
	enum rt_status status;

	rt_worker_init(&worker, NULL);
	status =
	    rt_worker_start(&worker, plain, w->options, w->options->limits.expanded_bytes, w->err);
	if (status == RT_OK)
		status = rt_worker_count(&worker, ret_count, w->err);
	rt_worker_stop(&worker);
	return status == RT_OK ? RT_OK : RT_REJECT;
}

/* Whether a patch is for one of `count` parts from w->part on. */
static bool has_patch(const struct rewrite *w, uint32_t count)
{
	size_t first = rt_patches_find(w->patches, w->part);

	return first < rt_patches_count(w->patches) &&
	       rt_patches_get(w->patches, first).part - w->part < count;
}

/*
 * Write a packed file. *ret_parts: its parts; where no patch is left for it or for any file after
 * it, that is not found out, for it does not matter any more.
 */
static enum rt_status write_packed(struct rewrite *w, struct rt_plain *plain, uint32_t *ret_parts,
				   int fd)
{
	const struct rt_file *file = plain->file;
	static const struct rt_patches none;
	struct rt_patches own = {.unsorted = false};
	enum rt_magic magic = rt_magic_find(plain->head, plain->head_len);
	enum rt_status status = file->name ? RT_OK : rt_repack_check_form(magic, w->err);

	*ret_parts = 0;
	/* Only a directory has files for which the answer may be no. */
	if (status == RT_OK && has_patch(w, UINT32_MAX) && file->name)
		status = count_parts(w, plain, ret_parts);
	else if (status == RT_OK && has_patch(w, UINT32_MAX))
		*ret_parts = UINT32_MAX;
	if (status != RT_OK)
		return status;
	if (!has_patch(w, *ret_parts))
		return rt_splice(file->fd, file->size, &none, 0, fd, w->err);
	/* Each file of a directory has its own: all of them for each of many would be too many. */
	if (file->name)
		status = rt_patches_select(w->patches, w->part, *ret_parts, &own, w->err);
	if (status == RT_OK)
		status = rt_repack(w->options, file->name ? &own : w->patches, file, magic, w->part,
				   ret_parts, fd, w->err);
	rt_patches_release(&own);
	return status;
}

/* Write one file of the export to fd, and count its parts. to_file: fd is all of the target. */
static enum rt_status write_file(struct rewrite *w, const struct rt_file *file, int fd,
				 bool to_file)
{
	struct rt_plain plain;
	uint32_t parts = 1;
	enum rt_status status;

	if (to_file && file->name)
		return blame(w,
			     rt_error_reject(w->err, RT_E_USAGE,
					     "a directory cannot be written to one file"),
			     NULL);
	if (!file->seekable)
		return blame(w,
			     rt_error_reject(
				 w->err, RT_E_USAGE,
				 "only a regular file, read from its start, can be written again"),
			     file);
	if (rt_plain_open(&plain, file, w->err) != RT_OK)
		return blame(w, RT_REJECT, file);
	if (rt_magic_find(plain.head, plain.head_len) != RT_MAGIC_NONE)
		status = write_packed(w, &plain, &parts, fd);
	else
		status = rt_splice(file->fd, file->size, w->patches, w->part, fd, w->err);
	w->part += parts;
	return blame(w, status, file);
}

/* Write the candidate `file` of a directory below `to`. */
static enum rt_status write_candidate(struct rewrite *w, const struct rt_file *file, int to)
{
	int fd = -1;
	enum rt_status status =
	    blame(w, rt_tree_create(file->fd, to, file->name, &fd, w->err), file);

	if (status != RT_OK)
		return status;
	status = write_file(w, file, fd, false);
	if (close(fd) != 0 && status == RT_OK)
		status = blame(w, rt_error_sys(w->err, errno, "cannot close the new file"), file);
	return status;
}

/* Write all files, in the order in which they were read: parts are counted through. */
static enum rt_status write_files(struct rewrite *w, int to, bool is_directory)
{
	const struct rt_file *file;
	struct rt_files *files = NULL;
	enum rt_status status = rt_files_open(w->options, &files, w->err);

	while (status == RT_OK) {
		status = rt_files_next(files, &file, w->err);
		if (status < 0)
			status = blame(w, RT_REJECT, NULL);
		else if (status == RT_OK && is_directory)
			status = write_candidate(w, file, to);
		else if (status == RT_OK)
			status = write_file(w, file, to, true);
	}
	rt_files_free(files);
	return status == RT_END ? RT_OK : status;
}

static enum rt_status write_directory(struct rewrite *w, int to)
{
	uint64_t max = w->options->limits.archive_members;
	enum rt_status status;
	int from = open(w->options->paths[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (from < 0) {
		(void)rt_error_sys(w->err, errno, "cannot open the directory");
		return blame(w, RT_REJECT, NULL);
	}
	status = blame(w, rt_tree_copy(from, to, &w->options->choice, max, w->err), NULL);
	if (status == RT_OK)
		status = write_files(w, to, true);
	if (status == RT_OK)
		status = blame(w, rt_tree_finish(from, to, w->err), NULL);
	close(from);
	return status;
}

enum rt_status rt_rewrite(const struct rt_options *options, const struct rt_patches *patches,
			  uint64_t stamp, struct rt_replace *replace, struct rt_error *err)
{
	struct rewrite w = {.options = options, .patches = patches, .replace = replace, .err = err};
	struct stat st;
	int to = -1;
	enum rt_status status = check_stamp(options, stamp, err);

	if (status == RT_OK)
		status = rt_replace_begin(replace, &to, err);
	if (status != RT_OK)
		return status;
	if (fstat(to, &st) != 0)
		status = blame(&w, rt_error_sys(err, errno, "cannot stat the new file"), NULL);
	else if (S_ISDIR(st.st_mode))
		status = write_directory(&w, to);
	else
		status = write_files(&w, to, false);
	/* Once more: it may have changed while it was being written. */
	return status == RT_OK ? check_stamp(options, stamp, err) : status;
}
