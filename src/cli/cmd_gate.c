/*
 * `retriage gate`: do the issues of a data set meet the conditions of the options? The answer is
 * the exit status, the verdict and a line for each condition.
 */
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	struct cli_options *options = &cli->options;
	struct rt_style style = cli_stdout_style(options, isatty(STDOUT_FILENO));
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	bool pass = false;
	int exit_status;

	if (!cli_choose_time(cli, (int64_t)time(NULL), &options->conditions.at, NULL) ||
	    !cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_gate(&run.input, &options->conditions, options->terms.terms,
			 options->terms.count, style, &run.output, &pass, &err);
	exit_status = cli_run_end(&run, status, &err);
	return exit_status == CLI_EXIT_OK && !pass ? CLI_EXIT_NO : exit_status;
}

static const struct cli_option own[] = {
    CLI_TIME_ROW("the present, for ages and ends of dismissals (default\n"
		 "SOURCE_DATE_EPOCH, else now)"),
    CLI_THREADS_ROW,
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_gate = {
    .name = "gate",
    .options = own,
    .takes = CLI_CONDITIONS | CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_STYLE | CLI_LIMITS |
	     CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_SEVERAL,
    .operand = {.type = CLI_PATH},
    .operands = "[EXPORT...]",
    .group = "look",
    .brief = "pass or fail: does a scan meet your conditions?",
    .help = "Judges a scan: exit status 0 if all conditions hold, else 1. At least one is\n"
	    "needed. Issues count while they are open: not dismissed, or dismissed until a\n"
	    "day that has passed. A condition that fails names the worst issues, in a table\n"
	    "or on standard error beside the verdict. A filter that selects nothing fails,\n"
	    "as does a scan that says that it failed. A severity or an age that is not known\n"
	    "counts as the worst. New is what the --baseline does not have.\n",
    .example = "retriage gate --fail-on critical --max high=5 scan-results.tar.gz",
    .run = run,
};
