/*
 * Makes inputs readable again. Input: the options of a run. Output: the same, with standard input
 * in a file without a name where it was a pipe.
 * Refuses FIFOs among the paths: what they gave is gone.
 */
#include "files/hold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/unnamed.h"

#define COPY_BYTES ((size_t)256 * 1024)

static enum rt_status copy_pipe(int from, int to, const struct rt_limits *limits,
				struct rt_error *err)
{
	char *block = malloc(COPY_BYTES);
	enum rt_status status = RT_OK;
	uint64_t total = 0, max = limits->expanded_bytes;

	if (!block)
		return rt_error_nomem(err);
	while (status == RT_OK) {
		ssize_t got = rt_read_at(from, block, COPY_BYTES, -1);

		if (got < 0)
			status = rt_error_sys(err, errno, "cannot read standard input");
		if (got <= 0)
			break;
		if (total + (uint64_t)got > max)
			status = rt_error_set(err, RT_E_LIMIT,
					      "want at most %" PRIu64
					      " byte%s (limit \"expanded\"), have more",
					      max, RT_S(max));
		else
			status = rt_unnamed_write(to, block, (size_t)got, &total,
						  limits->temporary_bytes, "temporary file", err);
	}
	free(block);
	if (status == RT_OK && lseek(to, 0, SEEK_SET) < 0)
		status = rt_error_sys(err, errno, "temporary file");
	return status;
}

static enum rt_status hold_input(struct rt_hold *hold, struct rt_error *err)
{
	int from = hold->options.input_fd;
	struct stat st;

	if (fstat(from, &st) != 0)
		return rt_error_sys(err, errno, "cannot read standard input");
	if (hold->fd >= 0 || (S_ISREG(st.st_mode) && lseek(from, 0, SEEK_CUR) == 0))
		return RT_OK;
	hold->fd = rt_unnamed_open();
	if (hold->fd < 0)
		return rt_error_sys(err, errno, "temporary file");
	hold->options.input_fd = hold->fd;
	return copy_pipe(from, hold->fd, &hold->options.limits, err);
}

enum rt_status rt_hold_init(struct rt_hold *hold, const struct rt_options *options,
			    struct rt_error *err)
{
	enum rt_status status = RT_OK;

	*hold = (struct rt_hold){*options, -1};
	for (size_t i = 0; status == RT_OK && i < options->path_count; i++) {
		const char *path = options->paths[i];
		struct stat st;

		if (strcmp(path, "-") == 0)
			status = hold_input(hold, err);
		else if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
			status = rt_error_set(err, RT_E_USAGE,
					      "want a file that can be read twice, or - for "
					      "standard input, have a FIFO");
		if (status != RT_OK)
			rt_error_at(err, path, NULL);
	}
	return status;
}

void rt_hold_release(struct rt_hold *hold)
{
	if (hold->fd >= 0)
		(void)close(hold->fd);
	hold->fd = -1;
}
