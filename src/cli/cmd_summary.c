/*
 * `retriage summary`: counts of a data set and its newest issues, as a document or a table; with
 * --partial a shard that `retriage merge` makes one summary of.
 */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

/* Whether the options go with each other; if not, a message was written. */
static bool check_usage(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	bool to_stdout = !options->output || strcmp(options->output, "-") == 0;

	if (!options->partial && options->output)
		cli_message_usage(&cli->messages, "--output", "goes with --partial only");
	else if (options->partial && (options->has_format || options->has_layout))
		cli_message_usage(&cli->messages, "--partial", "cannot go with %s",
				  options->has_format ? "a format" : "a layout");
	else if (options->partial && options->terms.count)
		cli_message_usage(&cli->messages, "--partial", "cannot go with a filter");
	else if (options->partial && options->baseline.count)
		cli_message_usage(&cli->messages, "--partial", "cannot go with --baseline");
	else if (options->partial && to_stdout && isatty(STDOUT_FILENO))
		cli_message_usage(
		    &cli->messages, "--partial",
		    "a partial summary is no text for a terminal; -o OUT writes it to a file");
	else
		return true;
	return false;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;

	if (!check_usage(cli))
		return CLI_EXIT_USAGE;
	if (options->output && strcmp(options->output, "-") != 0)
		cli->changed = "; the partial summary is written all the same";
	return cli_end(
	    cli,
	    options->partial
		? rt_partial(&cli->input, options->recent, options->output, &cli->output, &cli->err)
		: rt_summary(&cli->input, options->recent, cli->at, options->terms.terms,
			     options->terms.count, cli->style, &cli->output, &cli->err));
}

static const struct cli_option own[] = {
    CLI_ROW("recent", CLI_NUMBER, recent, "N", "show the N newest issues, 0 to 1000 (default 10)",
	    .max = RT_RECENT_MAX),
    CLI_TIME_ROW("the present, which dismissals expire by, of a table\n(default SOURCE_DATE_EPOCH, "
		 "else now)"),
    CLI_THREADS_ROW,
    CLI_FLAG_ROW("partial", partial,
		 "write a partial summary, of which merge makes one\nwith others"),
    CLI_ROW("output", CLI_PATH, output, "OUT",
	    "write the partial summary to OUT when all is well;\n- is standard output",
	    .letter = 'o'),
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_summary = {
    .name = "summary",
    .options = own,
    .takes = CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_STYLE | CLI_EXPORTS,
    .operands = "[EXPORT...]",
    .group = "look",
    .brief = "counts by severity and rule, and the newest issues",
    .help = "Counts the issues of a data set by severity and by rule (the field category),\n"
	    "counts the false positives, and shows the newest issues in full. The table has\n"
	    "open and all issues by severity and for the ten rules with most open ones, and\n"
	    "a row for each of the newest issues.\n"
	    "\n"
	    "With --partial it counts a shard of a data set on one of several machines; see\n"
	    "retriage merge --help.\n",
    .example = "retriage summary --recent 3 scan-results.tar.gz",
    .run = run,
};
