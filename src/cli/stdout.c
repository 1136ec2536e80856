/*
 * Standard output as a sink, and the form of tables on it. A full disk or a closed pipe is an
 * error.
 */
#include "cli/stdout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is shown for a path in errors of standard output. */
#define STDOUT_NAME "standard output"

static enum rt_status stdout_failed(int sys, struct rt_error *err)
{
	char text[128] = "";

	*err = (struct rt_error){.code = RT_E_IO, .sys = sys};
	(void)snprintf(err->path, sizeof(err->path), STDOUT_NAME);
	(void)snprintf(err->message, sizeof(err->message), "%s",
		       strerror_r(sys, text, sizeof(text)));
	return RT_FATAL;
}

static enum rt_status stdout_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	const char *at = data;

	(void)ctx;
	while (len) {
		ssize_t done = write(STDOUT_FILENO, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return stdout_failed(errno, err);
		at += done;
		len -= (size_t)done;
	}
	return RT_OK;
}

const struct rt_sink cli_stdout = {.write = stdout_write};

bool cli_stream_is(int fd, const char *path)
{
	struct stat stream, other;

	/* Mostly it is a terminal or a pipe, and no path need be looked at. */
	if (fstat(fd, &stream) != 0 || !S_ISREG(stream.st_mode))
		return false;
	if (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &other) : stat(path, &other))
		return false;
	return stream.st_dev == other.st_dev && stream.st_ino == other.st_ino;
}

bool cli_stdout_unread(const struct rt_error *err)
{
	return err->code == RT_E_IO && err->sys == EPIPE && strcmp(err->path, STDOUT_NAME) == 0;
}

/* Columns of a line; 0: not known. COLUMNS is taken where it can be meant. */
static unsigned width(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size = {0};
	unsigned long columns;
	char *end;

	if (text && *text >= '0' && *text <= '9') {
		columns = strtoul(text, &end, 10);
		if (*end == '\0' && columns >= 10 && columns <= 1000)
			return (unsigned)columns;
	}
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct rt_style cli_stdout_style(const struct cli_options *options, bool by_default)
{
	struct rt_style style = options->style;

	if (by_default && !options->has_format && !options->has_layout)
		style.format = RT_FORMAT_TABLE;
	style.width = width();
	style.color = cli_color_wanted(options->color, STDOUT_FILENO);
	return style;
}

enum rt_status cli_stdout_close(struct rt_error *err)
{
	/* After EINTR the descriptor is gone on Linux, and nothing was lost. */
	if (close(STDOUT_FILENO) == 0 || errno == EINTR)
		return RT_OK;
	return stdout_failed(errno, err);
}
