/*
 * The progress line of a long run on a terminal.
 */
#ifndef RT_CLI_PROGRESS_H
#define RT_CLI_PROGRESS_H

#include "cli/message.h"
#include "cli/options.h"

struct cli_progress {
	struct cli_messages *messages; /* borrowed */
	uint64_t start;                /* of the run, nanoseconds of the monotonic clock */
	uint64_t next;                 /* when the line may change again */
};

/*
 * Start the clock of a run. messages: borrowed for as long as progress is used.
 * Returns whether progress is to be shown: standard error is a terminal and no option is against.
 */
bool cli_progress_begin(struct cli_progress *progress, struct cli_messages *messages,
			const struct cli_options *options);

/*
 * The progress callback of struct rt_options: shows a line after the first second, at most five
 * times a second. ctx: struct cli_progress. done, total: bytes; a total of 0 is not known.
 */
void cli_progress_show(void *ctx, uint64_t done, uint64_t total);

#endif
