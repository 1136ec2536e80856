/*
 * Copying a directory with all that is in it; the candidates are left to the caller, who writes
 * them with patches applied.
 *
 * Files, directories and symbolic links are copied, files and directories with their modes as far
 * as the umask leaves them. Links keep their text. Files with several hard links become files of
 * their own.
 */
#ifndef RT_FILES_TREE_H
#define RT_FILES_TREE_H

#include "base/error.h"
#include "base/patch.h"

/*
 * Copy the directories, links and other files of a directory into an empty one; the candidates
 * (rt_name_judge()) are passed over.
 *
 * from, to: directories; `to` must not lie inside `from`. max_entries: of any kind, that may be
 * met. Returns RT_OK; RT_REJECT where the directory cannot be read or copied: it has FIFOs, devices
 * or sockets, or more entries than max_entries; RT_FATAL where writing failed. err has the member
 * but not the path.
 */
enum rt_status rt_tree_copy(int from, int to, const struct rt_choice *choice, uint64_t max_entries,
			    struct rt_error *err);

/*
 * Make the file `name` (path below the directory) for writing, with the mode of from_fd's. *ret_fd:
 * owned by the caller. Returns as rt_tree_copy(); err has neither path nor member.
 */
enum rt_status rt_tree_create(int from_fd, int to, const char *name, int *ret_fd,
			      struct rt_error *err);

/*
 * All files are written: give `to` the mode of `from`, and flush the file system that it is on to
 * disk. Returns as rt_tree_copy().
 */
enum rt_status rt_tree_finish(int from, int to, struct rt_error *err);

/* --- A file with patches --------------------------------------------------------------------- */

/*
 * Write a file's bytes to out_fd, with the patches of one part applied. The system is told now and
 * then to start writing them to disk, so that the flush that follows finds little left to do.
 *
 * in_fd: a regular file of `size` bytes, read from its start whatever its offset, which stays.
 * patches: sorted. part: the number of the file's part. out_fd: empty, at its start.
 * Returns RT_OK; RT_REJECT (RT_E_IO) where reading failed, the file is shorter than size or a patch
 * is not for this file; RT_FATAL (RT_E_IO, RT_E_NOMEM) where writing failed. err has no path.
 */
enum rt_status rt_splice(int in_fd, uint64_t size, const struct rt_patches *patches, uint32_t part,
			 int out_fd, struct rt_error *err);

#endif
