/*
 * Progress of a run: how much of the input is read and how fast.
 * Input: byte counts from the library, the monotonic clock. Output: a line through message.c.
 * Refuses to show anything in the first second, or where nobody looks.
 */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define MEGABYTE 1e6

static uint64_t now(void)
{
	struct timespec ts = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

bool cli_progress_begin(struct cli_progress *progress, struct cli_messages *messages,
			const struct cli_options *options)
{
	progress->messages = messages;
	progress->start = now();
	progress->next = progress->start + SECOND;
	return !options->quiet && !options->no_progress && isatty(STDERR_FILENO);
}

void cli_progress_show(void *ctx, uint64_t done, uint64_t total)
{
	struct cli_progress *progress = ctx;
	uint64_t at = now();
	double seconds = (double)(at - progress->start) / (double)SECOND;
	double rate = (double)done / MEGABYTE / seconds;
	char text[80];

	if (at < progress->next)
		return;
	progress->next = at + SECOND / 5;
	/* A file that grows while it is read has more bytes than it had: no percentage then. */
	if (total && done <= total)
		(void)snprintf(text, sizeof(text), "%3.0f%%  %.0f of %.0f MB  %.0f MB/s",
			       100.0 * (double)done / (double)total, (double)done / MEGABYTE,
			       (double)total / MEGABYTE, rate);
	else
		(void)snprintf(text, sizeof(text), "%.0f MB  %.0f MB/s", (double)done / MEGABYTE,
			       rate);
	cli_message_progress(progress->messages, text);
}
