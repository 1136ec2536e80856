/*
 * `retriage list`: the issues that a filter picks (WORKFLOW section 4).
 */
#include <unistd.h>

#include "cli/command.h"

/* In the order of enum rt_list_form. */
static const char *const form_words[] = {"table",   "json",  "csv",      "ids",
					 "records", "count", "findings", NULL};

/* The form that was asked for by --as, by --format, or by what else is asked for. */
static enum rt_list_form choose_form(const struct cli_options *options)
{
	if (options->has_as)
		return (enum rt_list_form)options->as;
	if (options->has_format)
		return options->style.format == RT_FORMAT_TABLE ? RT_LIST_TABLE : RT_LIST_JSON;
	return isatty(STDOUT_FILENO) && !options->has_layout ? RT_LIST_TABLE : RT_LIST_JSON;
}

/* Whether the options go with each other; if not, a message was written. */
static bool check_usage(struct cli *cli, enum rt_list_form form)
{
	const struct cli_options *options = &cli->options;
	bool table = form == RT_LIST_TABLE,
	     document = form == RT_LIST_JSON || form == RT_LIST_COUNT;

	bool columns = table || form == RT_LIST_CSV || form == RT_LIST_FINDINGS;

	if (options->list.columns && (!columns || options->list.count_by)) {
		cli_message_usage(&cli->messages, "--columns",
				  "a list as %s has no columns; one as table, csv or findings has",
				  options->list.count_by ? "counts" : form_words[form]);
		return false;
	}
	if (!options->has_format || (options->style.format == RT_FORMAT_TABLE ? table : document))
		return true;
	cli_message_usage(&cli->messages, "--format",
			  "want table with --as table, json or yaml with --as json or --as count, "
			  "have %s with --as %s",
			  cli_format_words[options->style.format], form_words[form]);
	return false;
}

/* Who gives an option that does nothing may have meant another form. */
static void note_idle(struct cli *cli, enum rt_list_form form)
{
	const struct cli_options *options = &cli->options;
	bool table = form == RT_LIST_TABLE;

	cli_note_idle(cli, options->list.csv_raw && form != RT_LIST_CSV, "csv-raw",
		      "without --as csv");
	cli_note_idle(cli, options->has_rows && !table, "rows", "without --as table");
	cli_note_idle(cli, options->list.sort && (!table || options->list.count_by), "sort",
		      "without --as table");
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	enum rt_list_form form = choose_form(options);
	struct rt_list list = options->list;
	struct rt_list_counts counts = {0};
	enum rt_status status;

	list.form = form;
	list.terms = options->terms.terms;
	list.term_count = options->terms.count;
	list.rows = options->rows;
	list.at = cli->at;
	cli->style.format = options->style.format;
	if (!check_usage(cli, form))
		return CLI_EXIT_USAGE;
	status = rt_list(&cli->input, &list, cli->style, &cli->output, &counts, &cli->err);
	if (status == RT_OK)
		note_idle(cli, form);
	/* A form that has no text for no issue says so by its exit status. */
	cli->yes = counts.selected ||
		   (form != RT_LIST_IDS && form != RT_LIST_RECORDS && form != RT_LIST_FINDINGS);
	return cli_end(cli, status);
}

static const struct cli_option own[] = {
    CLI_ROW("as", CLI_WORD, as, "FORM",
	    "table, json, csv, ids, records, count or findings\n"
	    "(default: table on a terminal, json elsewhere)",
	    .words = form_words, .given = CLI_AT(has_as)),
    CLI_ROW("count-by", CLI_MEMBERS, list.count_by, "FIELD,...",
	    "not the issues but how many have which values of one\n"
	    "to three fields, also folder, folder:N and owner"),
    CLI_ROW("columns", CLI_NAME, list.columns, "FIELD,...",
	    "of a table, CSV or findings; triage: what is needed\nto decide",
	    .wanted = "names of fields with commas between them"),
    CLI_ROW("sort", CLI_NAME, list.sort, "FIELD,...",
	    "order of a table, -FIELD falling (default: the worst\nfirst)",
	    .wanted = "names of fields with commas between them"),
    CLI_ROW("link", CLI_TEXT, list.link, "TEMPLATE",
	    "the column link of CSV, as of report; on a terminal\n"
	    "places of a table lead there"),
    CLI_FLAG_ROW("csv-bom", list.csv_bom, "CSV begins with a byte order mark"),
    CLI_FLAG_ROW("show-secrets", list.show_secrets,
		 "CSV and findings have the code of secrets, too"),
    CLI_ROWS_ROW("rows of a table, the worst issues first (default 25)"),
    CLI_TIME_ROW("the present, for age and for dates such as -30d\n"
		 "(default SOURCE_DATE_EPOCH, else now)"),
    CLI_THREADS_ROW,
    CLI_FLAG_ROW("csv-raw", list.csv_raw, "CSV without the guard against formulas"),
    CLI_FORMAT_ROW("json or yaml, of --as json and --as count; table is\n--as table"),
    {0},
};

const struct cli_command cli_list = {
    .name = "list",
    .options = own,
    .takes = CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_STYLE | CLI_EXPORTS,
    .operands = "[EXPORT...]",
    .group = "look",
    .brief = "the issues that a filter selects",
    .help = "Lists issues in the form that --as names: a table, worst first; JSON or CSV, as\n"
	    "they are in answers; ids; records of the export; how many they are; or findings,\n"
	    "a JSON object a line, with status, reason, age, owner and what else follows.\n",
    .example = "retriage list --where severity=high.. --not false_positive scan.json.gz",
    .run = run,
};
