/*
 * `retriage diff`: what is new, gone, moved or changed from one scan to the next.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct rt_diff diff = {
	    .terms = options->terms.terms,
	    .term_count = options->terms.count,
	    .at = cli->at,
	    .rows = options->rows,
	};
	enum rt_status status;
	bool differ = false;

	cli_begin_two(cli);
	status = rt_diff(&cli->baseline, &cli->input, &diff, cli->style, &cli->output, &differ,
			 &cli->err);
	cli->yes = !differ || !options->exit_code;
	return cli_end(cli, status);
}

static const struct cli_option own[] = {
    CLI_ROW("old-journal", CLI_PATH, old_journal, "JOURNAL", "decisions about OLD"),
    CLI_ROW("new-journal", CLI_PATH, new_journal, "JOURNAL", "decisions about NEW"),
    CLI_FLAG_ROW("exit-code", exit_code, "exit with 1 if anything differs"),
    CLI_ROWS_ROW("rows of a table, the worst issues first (default 25)"),
    CLI_TIME_ROW("the present, for age and for dates such as -30d\n"
		 "(default SOURCE_DATE_EPOCH, else now)"),
    CLI_FORMAT_MD_ROW,
    {0},
};

const struct cli_command cli_diff = {
    .name = "diff",
    .options = own,
    .takes = CLI_MATCH | CLI_FILTER | CLI_STYLE | CLI_EXPORTS,
    .least = 2,
    .most = 2,
    .wanted = "OLD and NEW",
    .operands = "OLD NEW",
    .group = "look",
    .brief = "what is new, gone, moved or changed between two scans",
    .help = "Compares two scans, exports or SARIF logs, and says of each issue whether it\n"
	    "is new, gone, unchanged, moved (its line, path or title differs), changed (its\n"
	    "severity, code or decision differs), or one of several equal ones that\n"
	    "cannot be distinguished (ambiguous). Lines may move, files may be\n"
	    "renamed, and messages may be worded anew. An issue that is gone may be fixed,\n"
	    "or may not have been scanned. A filter picks a pair if it picks either side.\n",
    .example = "retriage diff may.sarif june.sarif",
    .run = run,
};
