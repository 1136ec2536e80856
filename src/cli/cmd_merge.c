/*
 * `retriage merge`: one summary of partial ones, which `retriage summary --partial` has written.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	if (cli->options.operand_count == 0) {
		cli_message_usage(&cli->messages, "",
				  "PARTIAL is missing; see retriage merge --help");
		return CLI_EXIT_USAGE;
	}
	return cli_end(cli, rt_merge(&cli->input, cli->style, &cli->output, &cli->err));
}

static const struct cli_option own[] = {
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_merge = {
    .name = "merge",
    .options = own,
    .takes = CLI_STYLE | CLI_LIMITS | CLI_FILES,
    .operands = "PARTIAL...",
    .group = "other",
    .brief = "one summary of partial ones, from several machines",
    .help = "Reads what summary --partial has written, each a shard of one data set, and\n"
	    "gives the summary that one run over all of their EXPORTs, in this order, would\n"
	    "have given. An issue that is in two of them is an error that names both\n"
	    "places.\n"
	    "\n"
	    "A PARTIAL is a file or - for standard input, plain or compressed; no archive.\n"
	    "All have to be made by this version, with the same --recent, --failed-runs,\n"
	    "--include and --exclude.\n",
    .example = "retriage merge monday.partial tuesday.partial",
    .run = run,
};
