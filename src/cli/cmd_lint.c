/*
 * `retriage lint`: decisions that an auditor would ask about.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct rt_lint lint = {
	    .rules = cli->options.rules.texts,
	    .rule_count = cli->options.rules.count,
	    .rows = cli->options.rows,
	    .at = cli->at,
	};

	return cli_end(cli,
		       rt_lint(&cli->input, &lint, cli->style, &cli->output, &cli->yes, &cli->err));
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
    .takes = CLI_STATE | CLI_STYLE | CLI_EXPORTS,
    .writes_tables = true,
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
