/*
 * Writing to descriptors. Input: bytes. Output: the same, in as many calls as the system needs.
 * Refuses to take a part for the whole.
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
		if (done < 0)
			return rt_error_sys(err, errno, "%s", what);
		at += done;
		len -= (size_t)done;
	}
	return RT_OK;
}
