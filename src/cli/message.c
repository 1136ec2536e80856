/*
 * Lines for people on standard error: errors, wrong usage, notes, the progress line. A line is
 * written at once, so that those of several processes do not mix. What comes from the input is
 * masked. A line that cannot be written is lost: there is no other place for it.
 */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* A place is at most a part of a line; around both there are colours and the program's name. */
#define LINE_MAX (RT_ERROR_LINE_MAX + 64)
#define PROGRESS_MAX 80

static void put(const char *text, size_t len)
{
	while (len) {
		ssize_t done = write(STDERR_FILENO, text, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		len -= (size_t)done;
	}
}

bool cli_color_wanted(enum cli_color color, int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color != CLI_COLOR_AUTO)
		return color == CLI_COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

void cli_messages_color(struct cli_messages *messages, enum cli_color color)
{
	messages->color = cli_color_wanted(color, STDERR_FILENO);
}

/* How many bytes of the formatted line are the place: path, member, line and column. */
static size_t place_length(const struct rt_error *err)
{
	struct rt_error place = *err;
	char text[RT_ERROR_LINE_MAX];

	place.record[0] = '\0';
	place.field[0] = '\0';
	place.message[0] = '\0';
	return strlen(rt_error_format(&place, text, sizeof(text)));
}

void cli_message_error(struct cli_messages *messages, const struct rt_error *err)
{
	char text[RT_ERROR_LINE_MAX];
	char line[LINE_MAX];
	size_t place = place_length(err);
	int len;

	cli_message_progress(messages, "");
	rt_error_format(err, text, sizeof(text));
	if (messages->color)
		len = snprintf(line, sizeof(line), BOLD "retriage: %.*s" PLAIN "%s\n", (int)place,
			       text, text + place);
	else
		len = snprintf(line, sizeof(line), "retriage: %s\n", text);
	if (len > 0)
		put(line, (size_t)len);
}

/* A line made of text alone goes the same way as an error, for the sake of the mask. */
void cli_message_usage(struct cli_messages *messages, const char *field, const char *fmt, ...)
{
	struct rt_error err = {.code = RT_E_USAGE};
	va_list args;

	va_start(args, fmt);
	(void)snprintf(err.field, sizeof(err.field), "%s", field);
	(void)vsnprintf(err.message, sizeof(err.message), fmt, args);
	va_end(args);
	cli_message_error(messages, &err);
}

void cli_message_lines(struct cli_messages *messages, const char *lines, size_t len)
{
	cli_message_progress(messages, "");
	put(lines, len);
}

void cli_message_progress(struct cli_messages *messages, const char *text)
{
	char line[2 * PROGRESS_MAX + 4];
	size_t width = strnlen(text, PROGRESS_MAX - 1);
	size_t blanks = messages->progress_width > width ? messages->progress_width - width : 0;
	int len;

	if (messages->progress_width == 0 && width == 0)
		return;
	/* Blanks instead of an erasing sequence: any terminal knows them. */
	len = snprintf(line, sizeof(line), "\r%.*s%*s%s", (int)width, text, (int)blanks, "",
		       width ? "" : "\r");
	put(line, (size_t)len);
	messages->progress_width = width;
}
