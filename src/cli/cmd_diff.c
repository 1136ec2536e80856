/*
 * `retriage diff`: what is new, gone, moved or changed from one scan to the next.
 */
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_diff diff = {
	    .terms = options->terms.terms,
	    .term_count = options->terms.count,
	    .rows = options->rows,
	};
	struct rt_style style = cli_stdout_style(options, isatty(STDOUT_FILENO));
	struct rt_options old;
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	bool differ = false;
	int exit_status;

	if (!cli_choose_time(cli, (int64_t)time(NULL), &diff.at, NULL))
		return CLI_EXIT_USAGE;
	cli_run_begin_over(&run, cli, options->operands, 2);
	old = run.input;
	old.path_count = 1;
	old.journal = options->old_journal;
	run.input.paths++;
	run.input.path_count = 1;
	run.input.journal = options->new_journal;
	status = rt_diff(&old, &run.input, &diff, style, &run.output, &differ, &err);
	exit_status = cli_run_end(&run, status, &err);
	if (exit_status != CLI_EXIT_OK)
		return exit_status;
	return differ && options->exit_code ? CLI_EXIT_NO : CLI_EXIT_OK;
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
    .takes =
	CLI_MATCH | CLI_FILTER | CLI_STYLE | CLI_LIMITS | CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_NONE,
    .least = 2,
    .most = 2,
    .wanted = "OLD and NEW",
    .operand = {.type = CLI_PATH},
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
