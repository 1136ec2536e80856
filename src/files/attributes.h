/*
 * What a file has beside its bytes, carried over to the one that takes its place.
 */
#ifndef RT_FILES_ATTRIBUTES_H
#define RT_FILES_ATTRIBUTES_H

#include <sys/stat.h>

#include "base/error.h"

/*
 * Give a file the owner, group, access control list, user attributes and mode of another.
 *
 * from_fd: the other file. from: its status. Returns RT_OK or RT_FATAL (RT_E_IO, RT_E_NOMEM); err
 * has no path.
 */
enum rt_status rt_attributes_copy(int from_fd, const struct stat *from, int to_fd,
				  struct rt_error *err);

#endif
