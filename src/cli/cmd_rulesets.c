/*
 * `retriage rulesets`: the rulesets of a data set, or those of one repository, as one array.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	return cli_end(cli, rt_rulesets(&cli->input, cli->options.repo_id, cli->options.org_wide,
					cli->style, &cli->output, &cli->err));
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
    .takes = CLI_STATE | CLI_STYLE | CLI_EXPORTS,
    .operands = "[EXPORT...]",
    .group = "other",
    .brief = "the rulesets, all or those of one repository",
    .help = "Lists the rulesets of a data set in its order.\n",
    .example = "retriage rulesets --repo-id repo-7 --org-wide export.json",
    .run = run,
};
