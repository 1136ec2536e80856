/*
 * Writing a compressed file or an archive again, with patches applied to its parts: same
 * container, compression, member order, times and other members (SPEC section 2, D1).
 */
#ifndef RT_REWRITE_REPACK_H
#define RT_REWRITE_REPACK_H

#include "base/patch.h"
#include "files/files.h"
#include "source/child.h"

/*
 * Decode a file in a child process, apply patches to its parts, encode it again in the same
 * process and write it to out_fd.
 *
 * options: those that the data set is read with: limits and choice are used. patches: sorted.
 * file: open, seekable. magic: what it is, not RT_MAGIC_NONE.
 * first_part: number of the file's first part in the data set, counted as
 * rt_origin.part is. *ret_parts: the number of its parts, set on RT_OK.
 * out_fd: a regular file, empty, open for reading and writing; what is in it after a failure is of
 * no use.
 * Returns RT_OK; RT_REJECT where the file cannot be decoded, or its container is of a form that
 * cannot be written, a 7z or cpio for one; RT_FATAL where the system failed (a full disk is
 * RT_E_IO). err has the member but not the path.
 */
enum rt_status rt_repack(const struct rt_options *options, const struct rt_patches *patches,
			 const struct rt_file *file, enum rt_magic magic, uint32_t first_part,
			 uint32_t *ret_parts, int out_fd, struct rt_error *err);

/*
 * Whether a file that holds this is written again.
 * Returns RT_OK, or RT_REJECT with err set (RT_E_USAGE).
 */
enum rt_status rt_repack_check_form(enum rt_magic magic, struct rt_error *err);

#endif
