/*
 * Copying a plain file with patches applied.
 */
#ifndef RT_FILES_SPLICE_H
#define RT_FILES_SPLICE_H

#include "base/patch.h"

/*
 * Write a file's bytes to out_fd, with the patches of one part applied. The system is told now and
 * then to start writing them to disk, so that the flush that follows finds little left to do.
 *
 * in_fd: a regular file of `size` bytes, read from its start whatever its offset, which stays.
 * patches: sorted. part: the number of the file's part. out_fd: written from its offset on, open
 * without O_APPEND.
 * Returns RT_OK; RT_REJECT (RT_E_IO) where reading failed, the file is shorter than size or a patch
 * is not for this file; RT_FATAL (RT_E_IO, RT_E_NOMEM) where writing failed. err has no path.
 */
enum rt_status rt_splice(int in_fd, uint64_t size, const struct rt_patches *patches, uint32_t part,
			 int out_fd, struct rt_error *err);

#endif
