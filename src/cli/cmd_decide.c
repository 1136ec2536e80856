/*
 * `retriage decide`: one decision about all issues that a filter picks.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

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
		cli_note_epoch(cli);
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
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	int exit_status;

	decide.terms = options->terms.terms;
	decide.term_count = options->terms.count;
	decide.reason = options->dismisses ? reason_words[options->dismiss] : NULL;
	decide.note = options->note;
	decide.actor = options->input.journal ? cli_choose_actor(cli) : NULL;
	decide.now = (int64_t)time(NULL);
	decide.shows = decide.dry_run || asks;
	decide.rows = options->rows;
	decide.confirm = asks ? confirm : NULL;
	decide.confirm_ctx = cli;
	if (!cli_choose_time(cli, decide.now, &decide.at, NULL) || !cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_decide(&run.input, &decide, cli_stdout_style(options, true), &run.output,
			   &counts, &err);
	exit_status = cli_run_end(&run, status, &err);
	return exit_status == CLI_EXIT_OK ? conclude(cli, &counts) : exit_status;
}

static const struct cli_option own[] = {
    {.name = "dismiss",
     .type = CLI_WORD,
     .at = CLI_AT(dismiss),
     .given = CLI_AT(dismisses),
     .words = reason_words,
     .value = "REASON",
     .help = "dismiss them: false_positive, accepted_risk, wont_fix,\n"
	     "used_in_tests, mitigated or duplicate"},
    {.name = "expires",
     .type = CLI_NAME,
     .at = CLI_AT(decide.expires),
     .value = "DATE",
     .wanted = "a day, as in 2027-03-31",
     .help = "until the end of that day, as in 2027-03-31"},
    {.name = "reopen",
     .type = CLI_FLAG,
     .at = CLI_AT(decide.reopen),
     .help = "take dismissals back"},
    {.name = "severity",
     .type = CLI_WORD,
     .at = CLI_AT(decide.severity),
     .words = cli_level_words,
     .value = "LEVEL",
     .help = "critical, high, medium, low or info"},
    {.name = "exploitable",
     .type = CLI_WORD,
     .at = CLI_AT(decide.exploitable),
     .words = answer_words,
     .value = "yes|no",
     .help = "whether they can be exploited"},
    {.name = "note",
     .type = CLI_NAME,
     .at = CLI_AT(note),
     .value = "TEXT",
     .wanted = "a text that is not empty",
     .help = "add a note"},
    {.name = "all",
     .type = CLI_FLAG,
     .at = CLI_AT(decide.all),
     .help = "decide about all issues: without --where and --not"},
    {.name = "journal",
     .type = CLI_PATH_OUTPUT,
     .at = CLI_AT(input.journal),
     .value = "JOURNAL",
     .help = "append the decision to JOURNAL, made if need be;\n"
	     "without it the requests are written, for apply"},
    {.name = "actor",
     .type = CLI_NAME,
     .at = CLI_AT(actor),
     .value = "NAME",
     .wanted = "a name",
     .help = "who decides (default: of the variable\nRETRIAGE_ACTOR, else the user's name)"},
    {.name = "dry-run",
     .type = CLI_FLAG,
     .at = CLI_AT(decide.dry_run),
     .help = "show what would change, and stop"},
    {.name = "yes",
     .type = CLI_FLAG,
     .at = CLI_AT(yes),
     .help = "do not show and ask first on a terminal"},
    CLI_ROWS_ROW("rows that are shown (default 25)"),
    CLI_TIME_ROW(
	"the time of the decision (default: of the variable\nSOURCE_DATE_EPOCH, else now)"),
    {0},
};

const struct cli_command cli_decide = {
    .name = "decide",
    .options = own,
    .takes = CLI_BASELINE | CLI_FILTER | CLI_LIMITS | CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_ONE,
    .operand = {.type = CLI_PATH},
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
