/*
 * `retriage summary`: the issues summary of a data set (SPEC D9, D10).
 * Input: EXPORTs. Output: one document. Refuses whatever the library refuses.
 */
#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;

	if (!cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_summary(&run.input, cli->options.recent, cli->options.style, &cli_stdout, &err);
	return cli_run_end(&run, status, &err);
}

const struct cli_command cli_summary = {
    .name = "summary",
    .bit = CLI_SUMMARY,
    .operands = "[EXPORT...]",
    .brief = "counts of issues, and the newest ones",
    .help = "Counts the issues of a data set by severity and by category, counts the false\n"
	    "positives, and shows the newest issues in full.\n",
    .example = "retriage summary --recent 3 scan-results.tar.gz",
    .run = run,
};
