/*
 * `retriage diff`: what is new, gone, moved or changed from one scan to the next.
 */
#include "cli/command.h"

static const char *const form_words[] = {"findings", NULL};

/* The issues of both scans, a line each. */
static enum rt_status list_findings(struct cli *cli, bool *ret_differ)
{
	struct rt_list list = cli->options.list;
	struct rt_list_counts counts = {0};
	enum rt_status status;

	list.form = RT_LIST_FINDINGS;
	list.terms = cli->options.terms.terms;
	list.term_count = cli->options.terms.count;
	list.at = cli->at;
	list.gone = true;
	cli->input.baseline = &cli->baseline;
	status = rt_list(&cli->input, &list, cli->style, &cli->output, &counts, &cli->err);
	*ret_differ = counts.differs;
	return status;
}

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

	if (options->list.columns && !options->has_as) {
		cli_message_usage(&cli->messages, "--columns", "needs --as findings");
		return CLI_EXIT_USAGE;
	}
	cli_begin_two(cli);
	if (options->has_as)
		status = list_findings(cli, &differ);
	else
		status = rt_diff(&cli->baseline, &cli->input, &diff, cli->style, &cli->output,
				 &differ, &cli->err);
	cli->yes = !differ || !options->exit_code;
	return cli_end(cli, status);
}

static const struct cli_option own[] = {
    CLI_ROW("old-journal", CLI_PATH, old_journal, "JOURNAL", "decisions about OLD"),
    CLI_ROW("new-journal", CLI_PATH, new_journal, "JOURNAL", "decisions about NEW"),
    CLI_ROW("as", CLI_WORD, as, "FORM",
	    "findings: each issue as a line of JSON, as of list,\nthose that are gone at the end",
	    .words = form_words, .given = CLI_AT(has_as)),
    CLI_ROW("columns", CLI_NAME, list.columns, "FIELD,...", "of findings", .section = CLI_IN_LIST,
	    .wanted = "names of fields with commas between them"),
    CLI_FLAG_ROW("show-secrets", list.show_secrets, "findings have the code of secrets, too",
		 .section = CLI_IN_LIST),
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
