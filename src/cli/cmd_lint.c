/*
 * `retriage lint`: decisions that an auditor would ask about.
 */
#include <time.h>

#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_lint lint = {
	    .rules = options->rules.texts,
	    .rule_count = options->rules.count,
	    .rows = options->rows,
	};
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	bool clean = true;
	int exit_status;

	if (!cli_choose_time(cli, (int64_t)time(NULL), &lint.at, NULL) || !cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status =
	    rt_lint(&run.input, &lint, cli_stdout_style(options, true), &run.output, &clean, &err);
	exit_status = cli_run_end(&run, status, &err);
	return exit_status == CLI_EXIT_OK && !clean ? CLI_EXIT_NO : exit_status;
}

static const struct cli_option own[] = {
    CLI_ROW("rule", CLI_NAMES, rules, "NAME=LEVEL",
	    "error, warning or off for a rule; may be given several\ntimes",
	    .wanted = "NAME=LEVEL, at most 64 times"),
    CLI_ROWS_ROW("rows of the table (default 25)"),
    CLI_TIME_ROW("the present, which dismissals end by (default\nSOURCE_DATE_EPOCH, else now)"),
    CLI_FORMAT_ROW("json, yaml or table (default table)"),
    {0},
};

const struct cli_command cli_lint = {
    .name = "lint",
    .options = own,
    .takes = CLI_STATE | CLI_STYLE | CLI_LIMITS | CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_SEVERAL,
    .operand = {.type = CLI_PATH},
    .operands = "[EXPORT...]",
    .group = "prove",
    .brief = "decisions that an auditor would ask about",
    .help = "Finds decisions that an auditor would ask about. Errors, with which the exit\n"
	    "status is 1: reason (none is said), expired, both (dismissed and exploitable),\n"
	    "reason_word and expires_form (words that are not read as they were meant).\n"
	    "Warnings: expires_soon (within 14 days), no_expiry (of a critical issue),\n"
	    "flip (changed and changed back, or by two people), no_effect, no_actor, time,\n"
	    "bulk (one note on more than 200 issues) and duplicate_note.\n",
    .example = "retriage lint --journal audit.jsonl scan.json.gz",
    .run = run,
};
