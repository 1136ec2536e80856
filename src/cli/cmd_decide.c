/*
 * `retriage decide`: one decision about all issues that a filter picks.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"

/* In their order in the library. */
static const char *const reason_words[] = {
    "false_positive", "accepted_risk", "wont_fix", "used_in_tests", "mitigated", "duplicate", NULL};
static const char *const answer_words[] = {"no", "yes", NULL};

/* Ask the user on the terminal. */
static bool confirm(void *ctx)
{
	struct cli *cli = ctx;
	char answer[16] = "";
	ssize_t got;

	cli_message_progress(&cli->messages, "");
	(void)fprintf(stderr, "Write this to %s? [y/N] ", cli->options.input.journal);
	got = read(STDIN_FILENO, answer, sizeof(answer) - 1);
	return got > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

/* What a run that has ended well comes to: exit status 1 where `&&` has nothing to go on with. */
static int conclude(struct cli *cli, const struct rt_decide_counts *counts)
{
	const struct cli_options *options = &cli->options;

	if (counts->refused)
		cli_note(cli, "nothing was changed");
	else if (!options->decide.dry_run && options->input.journal && counts->requests)
		cli_note_epoch(cli, "time of the update");
	else if (!options->decide.dry_run && counts->requests)
		cli_note(cli,
			 "nothing was changed: --journal JOURNAL would write this, and so does "
			 "retriage apply with these requests");
	if (counts->refused || !counts->selected)
		return CLI_EXIT_NO;
	return options->input.journal || counts->requests ? CLI_EXIT_OK : CLI_EXIT_NO;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	bool asks = options->input.journal && !options->decide.dry_run && !options->yes &&
		    isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct rt_decide decide = options->decide;
	struct rt_decide_counts counts;
	enum rt_status status;
	int exit_status;

	decide.terms = options->terms.terms;
	decide.term_count = options->terms.count;
	decide.reason = options->dismisses ? reason_words[options->dismiss] : NULL;
	decide.actor = options->input.journal ? cli_choose_actor(cli) : NULL;
	decide.at = cli->at;
	decide.now = cli->now;
	decide.shows = decide.dry_run || asks;
	decide.rows = options->rows;
	decide.confirm = asks ? confirm : NULL;
	decide.confirm_ctx = cli;
	status = rt_decide(&cli->input, &decide, cli->style, &cli->output, &counts, &cli->err);
	exit_status = cli_end(cli, status);
	return exit_status == CLI_EXIT_OK ? conclude(cli, &counts) : exit_status;
}

static const struct cli_option own[] = {
    CLI_ROW("dismiss", CLI_WORD, dismiss, "REASON",
	    "dismiss them: false_positive, accepted_risk, wont_fix,\n"
	    "used_in_tests, mitigated or duplicate",
	    .words = reason_words, .given = CLI_AT(dismisses)),
    CLI_ROW("expires", CLI_NAME, decide.expires, "DATE",
	    "until the end of that day, as in 2027-03-31, or 30d",
	    .wanted = "a day, as in 2027-03-31, or 30d for 30 days"),
    CLI_FLAG_ROW("reopen", decide.reopen, "take dismissals back"),
    CLI_ROW("severity", CLI_WORD, decide.severity, "LEVEL", "critical, high, medium, low or info",
	    .words = cli_level_words),
    CLI_ROW("exploitable", CLI_WORD, decide.exploitable, "yes|no", "whether they can be exploited",
	    .words = answer_words),
    CLI_ROW("note", CLI_NAME, decide.note, "TEXT", "add a note",
	    .wanted = "a text that is not empty"),
    CLI_FLAG_ROW("all", decide.all, "decide about all issues: without --where and --not"),
    CLI_ROW("journal", CLI_PATH_OUTPUT, input.journal, "JOURNAL",
	    "append the decision to JOURNAL, made if need be;\n"
	    "without it the requests are written, for apply"),
    CLI_ROW("actor", CLI_NAME, actor, "NAME",
	    "who decides (default: of the variable\nRETRIAGE_ACTOR, else the user's name)",
	    .wanted = "a name"),
    CLI_FLAG_ROW("dry-run", decide.dry_run, "show what would change, and stop"),
    CLI_FLAG_ROW("yes", yes, "do not show and ask first on a terminal"),
    CLI_ROWS_ROW("rows that are shown (default 25)"),
    CLI_TIME_ROW(
	"the time of the decision (default: of the variable\nSOURCE_DATE_EPOCH, else now)"),
    {0},
};

const struct cli_command cli_decide = {
    .name = "decide",
    .options = own,
    .takes = CLI_BASELINE | CLI_FILTER | CLI_EXPORTS,
    .writes_tables = true,
    .operands = "FILTER... DECISION... EXPORT",
    .group = "decide",
    .brief = "dismiss, reopen or rate what a filter selects",
    .help = "Makes one decision about all issues that a filter picks: dismisses them for a\n"
	    "reason and perhaps until a day, reopens them, or says how severe or exploitable\n"
	    "they are. What would not change is not written. An id may be cut to a\n"
	    "beginning of 6 characters or more that only one id has, and --where id=@FILE\n"
	    "reads ids from FILE, one a line.\n",
    .example = "retriage decide --where 'path=tests/**' --dismiss used_in_tests \\\n"
	       "    --expires 2027-03-31 --journal triage.jsonl codeql.sarif",
    .run = run,
};
