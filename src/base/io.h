/*
 * Whole writes.
 */
#ifndef RT_BASE_IO_H
#define RT_BASE_IO_H

#include "base/error.h"

/*
 * Write all of data to fd. what: what it is, for the message, for example "temporary file".
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_write_all(int fd, const void *data, size_t len, const char *what,
			    struct rt_error *err);

#endif
