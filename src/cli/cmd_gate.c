/*
 * `retriage gate`: do the issues of a data set meet the conditions of the options? The answer is
 * the exit status, the verdict and a line for each condition.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	struct cli_options *options = &cli->options;

	options->conditions.at = cli->at;
	cli_note_epoch(cli, "present");
	return cli_end(cli, rt_gate(&cli->input, &options->conditions, options->terms.terms,
				    options->terms.count, cli->style, &cli->output, &cli->yes,
				    &cli->err));
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
    .takes = CLI_CONDITIONS | CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_STYLE | CLI_EXPORTS,
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
