/*
 * Everything a person is told on standard error. No other file writes there.
 */
#ifndef RT_CLI_MESSAGE_H
#define RT_CLI_MESSAGE_H

#include "retriage.h"

enum cli_color {
	CLI_COLOR_AUTO = 0, /* on a terminal, unless NO_COLOR is set or TERM is dumb */
	CLI_COLOR_ALWAYS,
	CLI_COLOR_NEVER,
};

/* How to write; {0} is plain text. */
struct cli_messages {
	bool color;
	size_t progress_width; /* columns of the progress line that is on the terminal now */
};

/* Whether a descriptor gets colours. Reads the environment variables NO_COLOR and TERM. */
bool cli_color_wanted(enum cli_color color, int fd);

/* Decide about the colours of messages. */
void cli_messages_color(struct cli_messages *messages, enum cli_color color);

/* Write err as one line in the form of SPEC D20. */
void cli_message_error(struct cli_messages *messages, const struct rt_error *err);

/*
 * Write one line about wrong usage.
 * field: the option it is about, or "". fmt: as for printf; what it shows is masked.
 */
void cli_message_usage(struct cli_messages *messages, const char *field, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Write one line that is no error, formatted as by printf and masked. */
#define cli_message_note(messages, ...) cli_message_usage(messages, "", __VA_ARGS__)

/* Write lines of a log as they are. lines: len bytes, masked by the library. */
void cli_message_lines(struct cli_messages *messages, const char *lines, size_t len);

/*
 * Put text, less than 80 columns of ASCII, in the place of the progress line; "" takes the line
 * away. Every message does that by itself first.
 */
void cli_message_progress(struct cli_messages *messages, const char *text);

#endif
