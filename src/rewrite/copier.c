/*
 * Writes a plain export while it is read. Input: the export's path; then patches, and how far the
 * reading has come. Output: the begun target with the export's bytes, patched.
 *
 * A thread follows the reading, with a descriptor of its own. The other way is to write the
 * reading's window as it goes: that saves the second read of the file (of 220 MB: 25 of 57 ms),
 * but adds the other 32 ms to the 95 ms of reading, and ties the window's blanks, pipes and moves
 * to the writing. Behind a thread little is left to do when the reading ends: an update took 170 ms
 * with one pass after the other and takes 113 ms so, the flush to disk included.
 * Refuses exports that are packed, no file or not seekable, and those that change meanwhile.
 */
#include "rewrite/copier.h"

#include <stdlib.h>

#include "base/helper.h"
#include "decode/decode.h"
#include "files/splice.h"
#include "rewrite/rewrite.h"
#include "source/plain.h"

/* Bytes between two steps. They are what is left to be written when the reading ends, and the
 * system's own copy wants a step to be large. */
#define STEP_BYTES (UINT64_C(2) << 20)

struct rt_copier {
	const struct rt_options *options;
	const struct rt_replace *replace;
	struct rt_files *files;
	uint64_t passed; /* place that the thread was last told of */
	struct rt_helper helper;
	/* The thread's while it is busy: a step, and what became of it and those before. */
	struct rt_splicer *splicer;
	struct rt_patches patches;
	uint64_t end; /* place in the file that the reading has come to */
	enum rt_status status;
	struct rt_error err;
};

/* Open the export. Returns RT_END for one that is not for us. */
static enum rt_status open_export(struct rt_copier *c, const struct rt_file **ret_file,
				  struct rt_error *err)
{
	struct rt_plain plain;
	enum rt_status status = rt_files_open(c->options, &c->files, err);

	if (status == RT_OK)
		status = rt_files_next(c->files, ret_file, err);
	if (status == RT_OK && ((*ret_file)->name || !(*ret_file)->seekable))
		return RT_END;
	if (status == RT_OK)
		status = rt_plain_open(&plain, *ret_file, err);
	if (status == RT_OK)
		return rt_decode_is_needed(plain.head, plain.head_len) ? RT_END : RT_OK;
	rt_error_at(err, c->options->paths[0], NULL);
	return RT_FATAL;
}

/* Do a step, unless an earlier one failed. */
static void work(void *ctx)
{
	struct rt_copier *c = ctx;

	if (c->status == RT_OK)
		c->status = rt_splicer_run(c->splicer, &c->patches, 0, c->end, &c->err);
	rt_patches_release(&c->patches);
}

/* Give the thread a step, for which it is free. */
static void give_step(struct rt_copier *c, struct rt_patches *patches, uint64_t end)
{
	rt_patches_sort(patches);
	c->patches = *patches;
	*patches = (struct rt_patches){0};
	c->end = end;
	rt_helper_go(&c->helper);
}

enum rt_status rt_copier_start(const struct rt_options *options, struct rt_replace *replace,
			       struct rt_copier **ret_copier, struct rt_error *err)
{
	struct rt_copier *c = calloc(1, sizeof(*c));
	const struct rt_file *file;
	enum rt_status status;
	int to = -1, sys;

	if (!c)
		return rt_error_nomem(err);
	c->options = options;
	c->replace = replace;
	status = open_export(c, &file, err);
	if (status == RT_OK)
		status = rt_replace_begin(replace, &to, err);
	if (status != RT_OK)
		goto out;
	status = rt_splicer_open(file->fd, file->size, to, &c->splicer, err);
	if (status == RT_OK) {
		sys = rt_helper_start(&c->helper, work, c);
		if (sys)
			status = rt_error_sys(err, sys, "cannot start a thread");
	}
	if (status != RT_OK)
		rt_error_at(err, rt_replace_target(replace), NULL);
out:
	if (status != RT_OK)
		rt_copier_free(c);
	else
		*ret_copier = c;
	return status;
}

void rt_copier_pass(struct rt_copier *c, struct rt_patches *patches, uint64_t offset)
{
	if (offset < c->passed + STEP_BYTES)
		return;
	c->passed = offset;
	if (rt_helper_is_free(&c->helper))
		give_step(c, patches, offset);
}

enum rt_status rt_copier_finish(struct rt_copier *c, struct rt_patches *patches, uint64_t stamp,
				struct rt_error *err)
{
	const char *export = c->options->paths[0];

	/* The stamp of the thread's file is as old as the thread. */
	if (rt_files_stamp(c->files) != stamp)
		return rt_rewrite_refuse(c->options, err);
	rt_helper_wait(&c->helper);
	give_step(c, patches, UINT64_MAX);
	rt_helper_end(&c->helper);
	if (c->status != RT_OK) {
		*err = c->err;
		rt_error_at(err, c->status == RT_REJECT ? export : rt_replace_target(c->replace),
			    NULL);
		return RT_FATAL;
	}
	/* Once more: it may have changed while it was being written. */
	return rt_rewrite_check(c->options, stamp, err);
}

void rt_copier_free(struct rt_copier *c)
{
	if (!c)
		return;
	rt_helper_end(&c->helper);
	rt_splicer_free(c->splicer);
	rt_files_free(c->files);
	free(c);
}
