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

/* The same in steps, for patches that become known one after another. */
struct rt_splicer;

/*
 * Start, with arguments as above; out_fd's space is reserved, and is the splicer's to write until
 * the last step. ret_splicer: on RT_OK owned by the caller; borrows the descriptors.
 * Returns RT_OK or RT_FATAL (RT_E_IO, RT_E_NOMEM). err has no path.
 */
enum rt_status rt_splicer_open(int in_fd, uint64_t size, int out_fd,
			       struct rt_splicer **ret_splicer, struct rt_error *err);

/*
 * Write on. patches: sorted, borrowed for the call; those of `part` lie after those of earlier
 * steps. end: no later step has a patch that begins before it; size or more: this is the last
 * step, and all is written. Up to a block of what lies before `end` may wait for the next step.
 * Returns as rt_splice(); after a failure only rt_splicer_free() is left.
 */
enum rt_status rt_splicer_run(struct rt_splicer *splicer, const struct rt_patches *patches,
			      uint32_t part, uint64_t end, struct rt_error *err);

/* NULL is allowed. */
void rt_splicer_free(struct rt_splicer *splicer);

#endif
