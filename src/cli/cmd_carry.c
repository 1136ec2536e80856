/*
 * `retriage carry`: the decisions about one scan, brought to the next.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct rt_carry carry = {
	    .requests = options->requests,
	    .apply = options->apply,
	    .actor = cli_choose_actor(cli),
	    .accept_changed = options->accepts,
	    .at = cli->at,
	    .now = cli->now,
	    .rows = options->rows,
	};
	enum rt_status status;
	bool all = true;

	cli_begin_two(cli);
	status = rt_carry(&cli->baseline, &cli->input, &carry, cli->style, &cli->output, &all,
			  &cli->err);
	if (options->apply)
		cli->changed = "; the decisions are carried all the same";
	cli->yes = all || !options->strict;
	return cli_end(cli, status);
}

static const char *const accept_words[] = {"changed", NULL};

static const struct cli_option own[] = {
    CLI_ROW("old-journal", CLI_PATH, old_journal, "JOURNAL", "decisions about OLD"),
    CLI_ROW("new-journal", CLI_PATH_OUTPUT, new_journal, "JOURNAL", "decisions about NEW"),
    CLI_FLAG_ROW("apply", apply,
		 "append the decisions to the JOURNAL of NEW, made if\n"
		 "need be; each entry says where its decision was\n"
		 "first made, by whom and when"),
    CLI_ROW("requests", CLI_PATH_OUTPUT, requests, "FILE",
	    "write requests to FILE, for retriage apply"),
    CLI_ROW("accept", CLI_WORD, accept, "changed", "carry also where the code has changed",
	    .words = accept_words, .given = CLI_AT(accepts)),
    CLI_TIME_ROW("the present, for ends of decisions, and the time\n"
		 "of entries (default SOURCE_DATE_EPOCH, else now)"),
    CLI_ROW("actor", CLI_NAME, actor, "NAME",
	    "who carries, for the journal (default: of the\n"
	    "variable RETRIAGE_ACTOR, else the user's name)",
	    .wanted = "a name"),
    CLI_FLAG_ROW("strict", strict,
		 "exit with 1 if a decision is ambiguous, changed,\n"
		 "held or in conflict"),
    CLI_ROWS_ROW("rows of a table, what needs a look first (default 25)"),
    CLI_FORMAT_MD_ROW,
    {0},
};

const struct cli_command cli_carry = {
    .name = "carry",
    .options = own,
    .takes = CLI_MATCH | CLI_STYLE | CLI_EXPORTS,
    .least = 2,
    .most = 2,
    .wanted = "OLD and NEW",
    .operands = "OLD NEW",
    .group = "decide",
    .brief = "bring the decisions about one scan to the next",
    .help = "Finds the issue of NEW that each decision about OLD is about, as retriage diff\n"
	    "does, and writes what became of every decision: carried; there already; in\n"
	    "conflict with one about NEW; held, since the scanner has changed its mind;\n"
	    "changed code; ambiguous; expired; or gone. A decision is a dismissal or a\n"
	    "reopening, a word on whether it can be exploited, a note, and a severity that\n"
	    "the journal of OLD has changed. Nothing is changed without --apply.\n"
	    "\n"
	    "Two people's journals about one scan are merged by naming it twice:\n"
	    "  retriage carry --old-journal theirs --new-journal ours --apply SCAN SCAN\n",
    .example = "retriage carry --old-journal may.jsonl --new-journal june.jsonl --apply \\\n"
	       "        --actor alice may.sarif june.sarif",
    .run = run,
};
