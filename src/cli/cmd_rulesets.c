/*
 * `retriage rulesets`: the rulesets of a data set, or those of one repository, as one array.
 */
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;

	if (!cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_rulesets(&run.input, options->repo_id, options->org_wide,
			     cli_stdout_style(options, isatty(STDOUT_FILENO)), &run.output, &err);
	return cli_run_end(&run, status, &err);
}

static const struct cli_option own[] = {
    CLI_ROW("repo-id", CLI_TEXT, repo_id, "ID", "only rulesets that are bound to this repository"),
    CLI_FLAG_ROW("org-wide", org_wide,
		 "with --repo-id, also those that are bound to no\nrepository"),
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_rulesets = {
    .name = "rulesets",
    .options = own,
    .takes = CLI_STATE | CLI_STYLE | CLI_LIMITS | CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_SEVERAL,
    .operand = {.type = CLI_PATH},
    .operands = "[EXPORT...]",
    .group = "other",
    .brief = "the rulesets, all or those of one repository",
    .help = "Lists the rulesets of a data set in its order.\n",
    .example = "retriage rulesets --repo-id repo-7 --org-wide export.json",
    .run = run,
};
