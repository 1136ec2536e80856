/*
 * Opens temporary files without a name. Input: the folders to try. Output: a descriptor. A confined
 * process has its forker do it.
 * Refuses to follow $TMPDIR in a program that has more rights than its user.
 */
#include "base/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/forker.h"
#include "base/io.h"

static int open_in(const char *folder)
{
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system can: there it has a name for a moment. */
	if (snprintf(path, sizeof(path), "%s/retriage-XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

int rt_unnamed_open(void)
{
	const char *folders[] = {secure_getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;

	if (rt_forker_runs())
		return rt_forker_open_unnamed();
	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (folders[i] && folders[i][0])
			fd = open_in(folders[i]);
	}
	return fd;
}

enum rt_status rt_unnamed_write(int fd, const void *data, size_t len, uint64_t *written,
				uint64_t max, const char *what, struct rt_error *err)
{
	if (len > max || *written > max - len)
		return rt_error_set(err, RT_E_LIMIT,
				    "want at most %" PRIu64
				    " byte%s in a temporary file (limit \"temporary\"), have more",
				    max, RT_S(max));
	*written += len;
	return rt_write_all(fd, data, len, what, err);
}
