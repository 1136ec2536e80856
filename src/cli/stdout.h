/*
 * Standard output, checked to its last byte.
 */
#ifndef RT_CLI_STDOUT_H
#define RT_CLI_STDOUT_H

#include "cli/options.h"

/* Writes straight to file descriptor 1; callers hand over large pieces. Its ctx is NULL. */
extern const struct rt_sink cli_stdout;

/*
 * Whether standard output or standard error, by its descriptor, goes to the file at a path, "-"
 * being standard input: what is written would come to be in what is read, or be lost when the file
 * is replaced.
 */
bool cli_stream_is(int fd, const char *path);

/* Whether err is that of a write to standard output whose reader is gone. */
bool cli_stdout_unread(const struct rt_error *err);

/*
 * The form of an answer that may be a table: the one that was asked for by --format, --pretty or
 * --compact, else a table where by_default says so; with the colours that --color decides and the
 * width of COLUMNS, of the terminal, or the library's own.
 */
struct rt_style cli_stdout_style(const struct cli_options *options, bool by_default);

/*
 * Close standard output, once, after the last write. Some file systems report a lost write only
 * here. Returns RT_OK, or RT_FATAL with err set (RT_E_IO).
 */
enum rt_status cli_stdout_close(struct rt_error *err);

#endif
