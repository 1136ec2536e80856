/*
 * `retriage validate`: every fault of exports.
 * Input: FILEs. Output: a report on standard output, and a line for each fault for people.
 * Refuses to flood a terminal: the lines stop at a ceiling, the report goes on.
 */
#include "cli/command.h"
#include "cli/stdout.h"

#include <inttypes.h>

/* Lines; who has more faults than that reads the report. */
#define FAULT_LINES_MAX 100u

static void show_fault(void *ctx, const struct rt_error *fault)
{
	struct cli *cli = ctx;

	if (cli->options.quiet || cli->fault_lines == FAULT_LINES_MAX)
		return;
	cli->fault_lines++;
	cli_message_error(&cli->messages, fault);
}

static int run(struct cli *cli)
{
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	uint64_t faults = 0;
	int exit_status;

	if (!cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_validate(&run.input, cli->options.kind, cli->options.style, &cli_stdout,
			     show_fault, cli, &faults, &err);
	exit_status = cli_run_end(&run, status, &err);
	if (exit_status != CLI_EXIT_OK || faults == 0)
		return exit_status;
	if (!cli->options.quiet && faults > cli->fault_lines) {
		uint64_t more = faults - cli->fault_lines;

		cli_message_note(&cli->messages, "%" PRIu64 " more fault%s; the report lists %s",
				 more, more == 1 ? "" : "s", more == 1 ? "it" : "them");
	}
	return CLI_EXIT_NO;
}

const struct cli_command cli_validate = {
    .name = "validate",
    .bit = CLI_VALIDATE,
    .operands = "[FILE...]",
    .brief = "every fault of exports, with its place",
    .help = "Checks exports and reports every fault it can tell apart, not only the first.\n"
	    "The report goes to standard output; each fault is also a line on standard error.\n"
	    "Exit status 1 means that there are faults.\n",
    .example = "retriage validate --as issue findings.jsonl",
    .run = run,
};
