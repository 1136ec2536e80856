/*
 * `retriage validate`: every fault of exports or requests: a report on standard output, and the
 * first hundred as lines for people.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	enum rt_status status;
	uint64_t faults = 0;
	int exit_status;

	if (options->as == CLI_AS_REQUEST && options->input.duplicates != RT_DUPLICATES_REFUSE) {
		cli_message_usage(&cli->messages, "--duplicates",
				  "want records of an export, have requests");
		return CLI_EXIT_USAGE;
	}
	if (options->as == CLI_AS_REQUEST)
		status = rt_validate_requests(&cli->input, options->style, &cli->output,
					      cli_show_fault, cli, &faults, &cli->err);
	else
		status = rt_validate(&cli->input, (enum rt_kind)options->as, options->style,
				     &cli->output, cli_show_fault, cli, &faults, &cli->err);
	cli->yes = faults == 0;
	exit_status = cli_end(cli, status);
	if (exit_status == CLI_EXIT_NO)
		cli_show_more_faults(cli, "; see the report");
	return exit_status;
}

/* In the order of enum rt_kind; CLI_AS_REQUEST is after its last. */
static const char *const as_words[] = {"any", "issue", "ruleset", "request", NULL};

static const struct cli_option own[] = {
    CLI_ROW(
	"as", CLI_WORD, as, "KIND",
	"what the files hold: issue, ruleset, request, or\nany record of an export (default any)",
	.words = as_words),
    {0},
};

const struct cli_command cli_validate = {
    .name = "validate",
    .options = own,
    .takes = CLI_FORMAT | CLI_STYLE | CLI_EXPORTS,
    .operands = "[FILE...]",
    .group = "other",
    .brief = "every fault of exports or requests, with its place",
    .help = "Checks exports, or with --as request request documents, and reports every fault\n"
	    "it can tell apart, not only the first; nothing is applied.\n"
	    "The report goes to standard output; each fault is also a line on standard error.\n"
	    "Exit status 1 means that there are faults.\n",
    .example = "retriage validate --as issue findings.jsonl",
    .run = run,
};
