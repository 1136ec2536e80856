/*
 * The way into a run over a data set and out of it, the same for every command that reads one.
 * Input: the parsed options. Output: options for the library; at the end the exit status.
 * Refuses to wait for a person to type a data set unless "-" asks for it.
 */
#include "cli/command.h"

#include <unistd.h>

#include "cli/stdout.h"

bool cli_run_begin(struct cli_run *run, struct cli *cli)
{
	static const char *const standard_input[] = {"-"};
	const struct cli_options *options = &cli->options;

	if (options->operand_count == 0 && isatty(STDIN_FILENO)) {
		cli_message_usage(&cli->messages, "",
				  "want an EXPORT, or - to read standard input from a terminal");
		return false;
	}
	*run = (struct cli_run){.cli = cli};
	run->input.paths = options->operand_count ? options->operands : standard_input;
	run->input.path_count = options->operand_count ? options->operand_count : 1;
	run->input.limits = options->limits;
	run->input.simd = options->simd;
	if (cli_progress_begin(&run->progress, &cli->messages, options)) {
		run->input.progress = cli_progress_show;
		run->input.progress_ctx = &run->progress;
	}
	return true;
}

int cli_run_end(struct cli_run *run, enum rt_status status, const struct rt_error *err)
{
	return cli_finish(run->cli, status, err);
}

int cli_finish(struct cli *cli, enum rt_status status, const struct rt_error *err)
{
	struct rt_error close_err;

	cli_message_progress(&cli->messages, "");
	if (status == RT_OK) {
		status = cli_stdout_close(&close_err);
		err = &close_err;
	}
	if (status == RT_OK)
		return CLI_EXIT_OK;
	cli_message_error(&cli->messages, err);
	return rt_error_exit_status(err);
}
