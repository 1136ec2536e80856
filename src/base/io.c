/*
 * Reads and writes descriptors. Input: bytes, or room for them. Output: the same, in as many calls
 * as the system needs. Refuses to take a part of a write for the whole.
 */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

enum rt_status rt_write_all(int fd, const void *data, size_t len, const char *what,
			    struct rt_error *err)
{
	const char *at = data;

	while (len) {
		ssize_t done = write(fd, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return rt_error_sys(err, done < 0 ? errno : EIO, "%s", what);
		at += done;
		len -= (size_t)done;
	}
	return RT_OK;
}

ssize_t rt_read_at(int fd, void *buf, size_t cap, off_t offset)
{
	ssize_t got;

	do {
		got = offset < 0 ? read(fd, buf, cap) : pread(fd, buf, cap, offset);
	} while (got < 0 && errno == EINTR);
	return got;
}
