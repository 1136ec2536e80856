/*
 * A plain export written again while it is still being read: rt_rewrite() for the usual case, so
 * that an update takes hardly longer than the reading.
 */
#ifndef RT_REWRITE_COPIER_H
#define RT_REWRITE_COPIER_H

#include "base/patch.h"
#include "files/replace.h"

struct rt_copier;

/*
 * Start to write options->paths[0] beside the target, in a thread.
 *
 * options: one path, borrowed until rt_copier_free(). replace: opened; begun here unless RT_END is
 * returned, and to be freed after the copier.
 * ret_copier: on RT_OK owned by the caller.
 * Returns RT_OK; RT_END: the export is not one plain, seekable file, nothing has been done, and
 * rt_rewrite() is the way; RT_FATAL with err set, path included.
 */
enum rt_status rt_copier_start(const struct rt_options *options, struct rt_replace *replace,
			       struct rt_copier **ret_copier, struct rt_error *err);

/*
 * The reading has come to `offset` of the file: all patches that begin before it are known, and
 * none of those that are given begins after it. For calling often: it mostly does nothing. Where
 * it does, the patches are taken and the list is empty then.
 */
void rt_copier_pass(struct rt_copier *copier, struct rt_patches *patches, uint64_t offset);

/*
 * The reading has come to the end: write the rest, with the patches that were not taken yet.
 * stamp: rt_files_stamp() of the reading; a file that has changed before or after is refused.
 * Returns RT_OK: all is written, and rt_replace_commit() may follow; or RT_FATAL with err set as
 * by rt_rewrite().
 */
enum rt_status rt_copier_finish(struct rt_copier *copier, struct rt_patches *patches,
				uint64_t stamp, struct rt_error *err);

/* Waits for the thread to do what it is at, and ends it. NULL is allowed. */
void rt_copier_free(struct rt_copier *copier);

#endif
