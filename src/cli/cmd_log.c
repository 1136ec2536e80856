/*
 * `retriage log`: a journal for people, or for programs.
 * Input: a JOURNAL. Output: a table, a document, or where the journal ends.
 * Refuses a damaged journal.
 */
#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;

	if (options->operand_count != 1) {
		cli_message_usage(&cli->messages, "", "want one JOURNAL, have %zu names",
				  options->operand_count);
		return CLI_EXIT_USAGE;
	}
	if (options->head_only && options->has_format) {
		cli_message_usage(&cli->messages, "--head", "want it without --format, have both");
		return CLI_EXIT_USAGE;
	}
	cli_run_begin_over(&run, cli, NULL, 0);
	run.input.journal = options->operands[0];
	if (options->head_only)
		status = rt_log_head(&run.input, &run.output, &err);
	else
		status = rt_log(&run.input, options->has_format ? &options->style : NULL,
				&run.output, &err);
	return cli_run_end(&run, status, &err);
}

static const char *const format_words[] = {"json", "yaml", NULL}; /* enum rt_format */

static const struct cli_option own[] = {
    {.name = "head",
     .type = CLI_FLAG,
     .at = CLI_AT(head_only),
     .help = "only SEQ:HASH of the last entry, to keep elsewhere"},
    {.name = "format",
     .type = CLI_WORD,
     .at = CLI_AT(style.format),
     .given = CLI_AT(has_format),
     .words = format_words,
     .value = "FORMAT",
     .help = "json or yaml (default: a table for people)"},
    {0},
};

const struct cli_command cli_log = {
    .name = "log",
    .options = own,
    .takes = CLI_STYLE | CLI_LIMITS,
    .operand = {.type = CLI_PATH},
    .operands = "JOURNAL",
    .brief = "who updated what and when, from a journal",
    .help = "Shows the entries of a journal, having checked their chain; verify checks also\n"
	    "what they did. SEQ:HASH of --head, kept elsewhere, shows later that nothing\n"
	    "before it was changed and nothing behind it was cut off.\n",
    .example = "retriage log audit.jsonl",
    .run = run,
};
