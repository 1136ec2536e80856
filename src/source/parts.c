/*
 * The parts of a data set. The first bytes of a file decide whether it is read here or by a process
 * that unpacks. Errors of the stages below get their place here, and a bad file is gone on after.
 */
#include "source/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/io.h"
#include "source/worker.h"

/* --- Parts ----------------------------------------------------------------------------------- */

/* Bytes of input between two calls of the progress function. */
#define PROGRESS_STEP (UINT64_C(1) << 20)

enum mode {
	MODE_NONE,  /* between two files */
	MODE_PLAIN, /* the file is the part */
	MODE_WORKER /* a decoder gives the parts */
};

struct rt_parts {
	const struct rt_options *options;
	struct rt_files *files;
	const struct rt_file *file; /* while mode is not MODE_NONE */
	enum mode mode;
	struct rt_plain plain;
	struct rt_worker worker;
	uint64_t expanded; /* by the files before this one */
	uint64_t done;     /* bytes of the files before this one */
	uint64_t shown;    /* as progress was last told */
	bool total_known;
	struct rt_part part;
	char *path;       /* as part.path shows it, where the file is in a directory */
	char inner[1024]; /* name in the archive */
};

enum rt_status rt_parts_open(const struct rt_options *options, struct rt_parts **ret_parts,
			     struct rt_error *err)
{
	struct rt_parts *parts = calloc(1, sizeof(*parts));
	enum rt_status status;

	if (!parts)
		return rt_error_nomem(err);
	parts->options = options;
	parts->total_known = true;
	status = rt_files_open(options, &parts->files, err);
	rt_worker_init(&parts->worker, status == RT_OK ? rt_files_unread(parts->files) : NULL);
	if (status != RT_OK) {
		rt_parts_free(parts);
		return status;
	}
	*ret_parts = parts;
	return RT_OK;
}

/* Bytes of the current file that have been read. */
static uint64_t parts_file_done(const struct rt_parts *parts)
{
	uint64_t done = 0;

	if (parts->mode == MODE_PLAIN)
		done = parts->plain.at;
	else if (parts->mode == MODE_WORKER)
		done = parts->file->seekable ? parts->worker.progress.consumed : parts->plain.at;
	/* A decoder may read a place twice, and is not to be believed anyway. */
	if (parts->mode != MODE_NONE && parts->file->seekable && done > parts->file->size)
		done = parts->file->size;
	return done;
}

static void parts_progress(struct rt_parts *parts, uint64_t step)
{
	const struct rt_options *options = parts->options;
	uint64_t done = parts->done + parts_file_done(parts);

	if (!options->progress || done < parts->shown + step)
		return;
	parts->shown = done;
	options->progress(options->progress_ctx, done,
			  parts->total_known ? rt_files_total(parts->files) : 0);
}

static void parts_close_file(struct rt_parts *parts)
{
	/* Passed is passed, however little of it had to be read. */
	parts->done += parts->file->seekable ? parts->file->size : parts_file_done(parts);
	if (parts->mode == MODE_WORKER) {
		parts->expanded += rt_worker_expanded(&parts->worker);
		rt_worker_stop(&parts->worker);
	}
	parts->mode = MODE_NONE;
	parts_progress(parts, 1);
}

/* Start on the current file as the part, or the one that has the parts. */
static enum rt_status parts_name(struct rt_parts *parts, struct rt_error *err)
{
	const struct rt_file *file = parts->file;
	size_t len = strlen(file->path);

	free(parts->path);
	parts->path = NULL;
	parts->part = (struct rt_part){.path = file->path, .size = file->size};
	if (!file->name)
		return RT_OK;
	if (asprintf(&parts->path, "%s%s%s", file->path,
		     len > 0 && file->path[len - 1] == '/' ? "" : "/", file->name) < 0) {
		parts->path = NULL;
		return rt_error_nomem(err);
	}
	parts->part.path = parts->path;
	return RT_OK;
}

/* Put the place of the current file to err, with inner as member where err has none. */
static void parts_place(struct rt_parts *parts, const char *inner, struct rt_error *err)
{
	rt_error_below(err, parts->file->path, parts->file->name);
	rt_error_at(err, NULL, inner);
}

static enum rt_status parts_open_file(struct rt_parts *parts, struct rt_error *err)
{
	const struct rt_limits *limits = &parts->options->limits;
	enum rt_status status = parts_name(parts, err);

	parts->inner[0] = '\0';
	if (status == RT_OK)
		status = rt_plain_open(&parts->plain, parts->file, err);
	if (status == RT_OK && rt_magic_find(parts->plain.head, parts->plain.head_len)) {
		uint64_t left = limits->expanded_bytes > parts->expanded
				    ? limits->expanded_bytes - parts->expanded
				    : 0;

		status = rt_worker_start(&parts->worker, &parts->plain, parts->options, left, err);
		if (status == RT_OK)
			parts->mode = MODE_WORKER;
	} else if (status == RT_OK) {
		parts->mode = MODE_PLAIN;
		parts->part.plain = parts->file->seekable;
	}
	if (status < 0)
		parts_place(parts, NULL, err);
	return status;
}

/* The decoder's next part. RT_END: the file is done and closed. */
static enum rt_status parts_next_decoded(struct rt_parts *parts, struct rt_error *err)
{
	enum rt_status status =
	    rt_worker_next(&parts->worker, parts->inner, sizeof(parts->inner), err);

	if (status == RT_OK) {
		parts->part.member = parts->inner[0] ? parts->inner : NULL;
		parts->part.size = 0;
		return RT_OK;
	}
	/* While the rest of the part before is drained, the error is that part's. */
	if (status < 0)
		parts_place(parts, parts->worker.in_part ? parts->inner : NULL, err);
	parts_close_file(parts);
	return status;
}

enum rt_status rt_parts_next(struct rt_parts *parts, const struct rt_part **ret_part,
			     struct rt_error *err)
{
	enum rt_status status = RT_END;

	if (parts->mode == MODE_WORKER)
		status = parts_next_decoded(parts, err);
	else if (parts->mode == MODE_PLAIN)
		parts_close_file(parts);
	while (status == RT_END) {
		status = rt_files_next(parts->files, &parts->file, err);
		if (status != RT_OK)
			return status;
		if (!parts->file->seekable)
			parts->total_known = false;
		status = parts_open_file(parts, err);
		if (status == RT_OK && parts->mode == MODE_WORKER)
			status = parts_next_decoded(parts, err);
	}
	if (status == RT_OK)
		*ret_part = &parts->part;
	return status;
}

enum rt_status rt_parts_read(struct rt_parts *parts, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err)
{
	enum rt_status status = RT_END;

	if (parts->mode == MODE_PLAIN)
		status = rt_plain_read(&parts->plain, buf, cap, ret_len, err);
	else if (parts->mode == MODE_WORKER)
		status = rt_worker_read(&parts->worker, buf, cap, ret_len, err);
	if (status == RT_OK)
		parts_progress(parts, PROGRESS_STEP);
	if (status < 0) {
		parts_place(parts, parts->inner, err);
		parts_close_file(parts);
	}
	return status;
}

enum rt_status rt_parts_read_at(struct rt_parts *parts, uint64_t offset, void *buf, size_t cap,
				size_t *ret_len, struct rt_error *err)
{
	enum rt_status status = rt_plain_read_at(&parts->plain, offset, buf, cap, ret_len, err);

	if (status < 0)
		parts_place(parts, parts->inner, err);
	return status;
}

void rt_parts_seek(struct rt_parts *parts, uint64_t offset)
{
	parts->plain.at = offset;
}

const struct rt_unread *rt_parts_unread(const struct rt_parts *parts)
{
	return rt_files_unread(parts->files);
}

uint64_t rt_parts_stamp(const struct rt_parts *parts)
{
	return rt_files_stamp(parts->files);
}

void rt_parts_free(struct rt_parts *parts)
{
	if (!parts)
		return;
	rt_worker_stop(&parts->worker);
	rt_files_free(parts->files);
	free(parts->path);
	free(parts);
}

/* --- Files that need no decoder -------------------------------------------------------------- */

static enum rt_status plain_read_at(const struct rt_plain *plain, void *buf, size_t cap,
				    uint64_t at, size_t *ret_len, struct rt_error *err)
{
	const struct rt_file *file = plain->file;
	ssize_t got = rt_read_at(file->fd, buf, cap, file->seekable ? (off_t)at : -1);

	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the file");
	*ret_len = (size_t)got;
	return got ? RT_OK : RT_END;
}

enum rt_status rt_plain_open(struct rt_plain *plain, const struct rt_file *file,
			     struct rt_error *err)
{
	enum rt_status status = RT_OK;

	plain->file = file;
	plain->at = 0;
	plain->head_len = 0;
	while (status == RT_OK && plain->head_len < sizeof(plain->head)) {
		size_t len = 0;

		status = plain_read_at(plain, plain->head + plain->head_len,
				       sizeof(plain->head) - plain->head_len, plain->head_len, &len,
				       err);
		plain->head_len += len;
	}
	return status < 0 ? status : RT_OK;
}

enum rt_status rt_plain_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err)
{
	struct rt_plain *plain = ctx;
	const struct rt_file *file = plain->file;
	enum rt_status status = RT_OK;

	if (!file->seekable && plain->at < plain->head_len) {
		size_t held = plain->head_len - (size_t)plain->at;

		*ret_len = held < cap ? held : cap;
		memcpy(buf, plain->head + plain->at, *ret_len);
	} else {
		status = plain_read_at(plain, buf, cap, plain->at, ret_len, err);
	}
	if (status == RT_OK)
		plain->at += *ret_len;
	if (status == RT_END && file->seekable && plain->at < file->size)
		return rt_error_set(err, RT_E_IO,
				    "the file was changed: it had %" PRIu64
				    " byte%s and now has %" PRIu64,
				    file->size, RT_S(file->size), plain->at);
	return status;
}

enum rt_status rt_plain_read_at(const struct rt_plain *plain, uint64_t offset, void *buf,
				size_t cap, size_t *ret_len, struct rt_error *err)
{
	enum rt_status status = plain_read_at(plain, buf, cap, offset, ret_len, err);

	if (status < 0 || (status == RT_OK && rt_file_is_unchanged(plain->file)))
		return status;
	return rt_error_set(err, RT_E_IO, "the file changed while it was read");
}
