/*
 * `retriage summary`: the issues summary of a data set (SPEC D9, D10).
 * Input: EXPORTs. Output: one document. Refuses whatever the library refuses.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;

	if (!cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_summary(&run.input, cli->options.recent, cli->options.style, &run.output, &err);
	return cli_run_end(&run, status, &err);
}

static const struct cli_option own[] = {
    {.name = "recent",
     .type = CLI_NUMBER,
     .at = CLI_AT(recent),
     .max = RT_RECENT_MAX,
     .value = "N",
     .help = "show the N newest issues, 0 to 1000 (default 10)"},
    {0},
};

const struct cli_command cli_summary = {
    .name = "summary",
    .options = own,
    .takes = CLI_STATE | CLI_READING | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_SEVERAL,
    .operand = {.type = CLI_PATH},
    .operands = "[EXPORT...]",
    .brief = "counts of issues, and the newest ones",
    .help = "Counts the issues of a data set by severity and by category, counts the false\n"
	    "positives, and shows the newest issues in full.\n",
    .example = "retriage summary --recent 3 scan-results.tar.gz",
    .run = run,
};
