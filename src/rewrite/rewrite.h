/*
 * An export written again, whole, with patches applied: plain, packed, or a directory.
 */
#ifndef RT_REWRITE_REWRITE_H
#define RT_REWRITE_REWRITE_H

#include "base/patch.h"
#include "files/replace.h"

/*
 * Write options->paths[0] again with patches applied, beside the target: rt_replace_commit() puts
 * it in the target's place.
 *
 * options: one path; "-" is options->input_fd and must be a regular file at its start.
 * patches: sorted. stamp: rt_files_stamp() of the pass that the patches come from; files that have
 * changed since are refused, also while they are being written.
 * replace: opened, not begun; begun here. It is for a directory where the path is one
 * (RT_REPLACE_DIRECTORY), which is written with all that is below it, files that are no candidates
 * included; else for a file.
 * Returns RT_OK or RT_FATAL with err set, path included: the export's where that is at fault, else
 * the target's.
 */
enum rt_status rt_rewrite(const struct rt_options *options, const struct rt_patches *patches,
			  uint64_t stamp, struct rt_replace *replace, struct rt_error *err);

#endif
