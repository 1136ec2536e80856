/*
 * `retriage log`: who decided what and when, from a journal whose chain is checked first; with the
 * export it began with, also from what to what.
 */
#include <string.h>

#include "cli/command.h"

#define DAY 86400

/* In the order of enum rt_format as far as "table". */
static const char *const format_words[] = {"json", "yaml", "table", "csv", NULL};
#define CSV_WORD 3

/* Whether the options go with each other; if not, a message was written. */
static bool check_usage(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	bool chosen =
	    options->issues.count || options->actors.count || options->since || options->until;

	if (!options->head_only)
		return true;
	if (options->has_format)
		cli_message_usage(&cli->messages, "--head", "cannot go with --format");
	else if (chosen || options->operand_count > 1)
		cli_message_usage(&cli->messages, "--head", "takes the JOURNAL alone, not %s",
				  chosen ? "a choice of entries" : "an EXPORT");
	else
		return true;
	return false;
}

/* Read the time of an option, NULL: none. Returns false where it is no time; a message was
 * written. */
static bool choose_time(struct cli *cli, const char *option, const char *text, bool *ret_has,
			int64_t *ret_time)
{
	*ret_has = text != NULL;
	if (!text)
		return true;
	if (!cli_choose_time(cli))
		return false;
	if (rt_time_parse_from(text, cli->at, ret_time))
		return true;
	cli_message_usage(&cli->messages, option,
			  "want a date-time such as 2026-01-31T12:00:00Z, a date, or -30d for 30 "
			  "days ago, have \"%s\"",
			  text);
	return false;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_log_filter filter = {
	    .issues = options->issues.texts,
	    .issue_count = options->issues.count,
	    .actors = options->actors.texts,
	    .actor_count = options->actors.count,
	};

	if (!check_usage(cli) ||
	    !choose_time(cli, "--since", options->since, &filter.has_since, &filter.since) ||
	    !choose_time(cli, "--until", options->until, &filter.has_until, &filter.until))
		return CLI_EXIT_USAGE;
	/* A date means its whole day. */
	if (options->until && *options->until != '-' &&
	    strlen(options->until) == strlen("2026-01-31"))
		filter.until += DAY - 1;
	if (cli->style.format == (enum rt_format)CSV_WORD)
		cli->style.format = RT_FORMAT_CSV;
	cli->input.paths++;
	cli->input.path_count--;
	cli->input.journal = options->operands[0];
	return cli_end(cli, options->head_only ? rt_log_head(&cli->input, &cli->output, &cli->err)
					       : rt_log(&cli->input, &filter, cli->style,
							&cli->output, &cli->err));
}

static const struct cli_option own[] = {
    CLI_ROW("issue", CLI_NAMES, issues, "ID",
	    "only entries that name this issue; may be given\nseveral times",
	    .wanted = "at most 64 ids, none of them empty"),
    CLI_ROW("actor", CLI_NAMES, actors, "NAME",
	    "only entries of this actor; may be given several\ntimes",
	    .wanted = "at most 64 names, none of them empty"),
    CLI_ROW("since", CLI_TEXT, since, "TIME",
	    "only entries of that time or later: a date-time, a\ndate, or -30d for 30 days ago"),
    CLI_ROW("until", CLI_TEXT, until, "TIME", "only entries of that time or earlier, likewise"),
    CLI_FLAG_ROW("head", head_only, "only SEQ:HASH of the last entry, to keep elsewhere"),
    CLI_ROW("format", CLI_WORD, style.format, "FORMAT",
	    "json, yaml, table (the default), in which entries of\n"
	    "one decision are one row, or csv",
	    .words = format_words, .given = CLI_AT(has_format)),
    {0},
};

const struct cli_command cli_log = {
    .name = "log",
    .options = own,
    .takes = CLI_STYLE | CLI_LIMITS | CLI_SCANNER | CLI_REPEATS,
    .least = 1,
    .most = 2,
    .wanted = "a JOURNAL and perhaps its base EXPORT",
    .writes_tables = true,
    .operands = "JOURNAL [EXPORT]",
    .group = "prove",
    .brief = "who decided what and when",
    .help = "Shows the entries of a journal, having checked their chain; verify checks also\n"
	    "what they did. With EXPORT, which has to be the journal's base, it shows how\n"
	    "many issues each entry changed, and with --issue the old and new values. Of\n"
	    "several conditions an entry has to meet all.\n"
	    "\n"
	    "SEQ:HASH of --head, kept elsewhere, shows later that nothing before it was\n"
	    "changed and nothing after it was cut off.\n",
    .example = "retriage log audit.jsonl",
    .run = run,
};
