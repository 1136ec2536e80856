/*
 * Temporary files that nobody can find: they have no name, and go with their descriptor.
 */
#ifndef RT_BASE_UNNAMED_H
#define RT_BASE_UNNAMED_H

#include "base/error.h"

/*
 * Open a new file for reading and writing in $TMPDIR, /var/tmp or /tmp, the first that takes one.
 * Returns a descriptor that is closed on exec, or -1 with errno set.
 */
int rt_unnamed_open(void);

/*
 * Append to such a file what is copied from an input. *written: bytes in it, which this adds to.
 * max: the limit "temporary". what: begins the message of a failure.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_LIMIT, RT_E_IO).
 */
enum rt_status rt_unnamed_write(int fd, const void *data, size_t len, uint64_t *written,
				uint64_t max, const char *what, struct rt_error *err);

#endif
