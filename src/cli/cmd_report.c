/*
 * `retriage report`: HTML, Markdown, CSV, JUnit and more of one data set, which is read once; all
 * files are replaced, or none.
 */
#include <string.h>

#include "cli/command.h"

/* What --hide knows. */
static const char *const hide_words[] = {"false_positive", NULL};

/* What --for knows. */
static const char *const reader_words[] = {"github", NULL};

static const struct cli_option own[] = {
    CLI_ROW("to", CLI_TO, to, "KIND=FILE",
	    "KIND is html, md, csv, junit, codequality, github,\ngitlab-sast, sarif or sonarqube; "
	    "FILE - is standard\noutput; may be given several times",
	    .wanted =
		"KIND=FILE, at most 64 times, where KIND is html, md, csv, junit, codequality, "
		"github, gitlab-sast, sarif or sonarqube"),
    CLI_TIME_ROW(
	"the present, for ages and ends of dismissals (default\nSOURCE_DATE_EPOCH, else now)"),
    CLI_ROW("title", CLI_NAME, report.title, "TEXT", "title of HTML and Markdown",
	    .kinds = "html or md"),
    CLI_ROW("link", CLI_NAME, report.link, "TEMPLATE",
	    "https address of code, with {repo}, {path} or {line}", .kinds = "html, md or csv"),
    CLI_ROW("max-findings", CLI_COUNT, report.max_findings, "N",
	    "findings that HTML and JUnit list (default 10000)", .kinds = "html or junit"),
    CLI_FLAG_ROW("no-code", report.no_code, "no snippets, contexts and remediation code",
		 .kinds = "html, md or csv"),
    CLI_ROW("hide", CLI_WORD, hide, "WHAT", "false_positive: dismissed issues are only counted",
	    .words = hide_words, .given = CLI_AT(hides), .kinds = "html, junit or gitlab-sast"),
    CLI_ROW("columns", CLI_NAME, report.columns, "FIELD,...",
	    "of CSV; triage: what is needed to decide", .section = CLI_IN_LIST, .kinds = "csv",
	    .wanted = "names of fields with commas between them"),
    CLI_FLAG_ROW("csv-bom", report.csv_bom, "CSV begins with a byte order mark",
		 .section = CLI_IN_LIST, .kinds = "csv"),
    CLI_FLAG_ROW("show-secrets", report.show_secrets, "show the code of secrets, too",
		 .section = CLI_IN_LIST, .kinds = "html, md or csv"),
    CLI_ROW("history", CLI_PATH_OUTPUT, report.history, "FILE",
	    "append a line of counts; HTML draws the last ones"),
    CLI_FLAG_ROW("csv-raw", report.csv_raw, "CSV without the guard against formulas",
		 .section = CLI_IN_LIST, .kinds = "csv"),
    CLI_ROW("for", CLI_WORD, reader, "READER",
	    "SARIF within github's limits, without dismissed issues", .words = reader_words,
	    .given = CLI_AT(report.for_github), .kinds = "sarif"),
    CLI_FLAG_ROW("keep-suppressed", report.keep_suppressed,
		 "with --for github: with dismissed issues"),
    CLI_ROW("category", CLI_NAME, report.category, "TEXT",
	    "SARIF: what tells runs apart; {tool} and {n} in it", .kinds = "sarif"),
    CLI_ROW("losses", CLI_PATH_OUTPUT, report.losses, "FILE",
	    "what SARIF has no place for, and what is left out"),
    CLI_FLAG_ROW("keep-gone", report.keep_gone,
		 "SARIF: results that the baseline alone has, as absent", .kinds = "sarif"),
    {0},
};

/* Whether anything is said about conditions, if only what has no effect by itself. */
static bool has_conditions(const struct cli_options *options)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(&cli_report, rows), i = 0;

	while (i < count && !(options->met[i] && rows[i]->takes == CLI_CONDITIONS))
		i++;
	return i < count;
}

static struct rt_report make_report(struct cli *cli)
{
	struct cli_options *options = &cli->options;
	struct rt_report report = options->report;

	options->conditions.at = report.at = cli->at;
	report.outputs = options->to.list;
	report.output_count = options->to.count;
	report.terms = options->terms.terms;
	report.term_count = options->terms.count;
	report.conditions = has_conditions(options) ? &options->conditions : NULL;
	report.hide_false_positives = options->hides;
	return report;
}

/* Whether a file is written besides standard output. */
static bool has_files(const struct rt_report *report)
{
	for (size_t i = 0; i < report->output_count; i++) {
		if (strcmp(report->outputs[i].file, "-") != 0)
			return true;
	}
	return false;
}

/* Who gives an option that does nothing may have meant another. */
static void note_idle(struct cli *cli, const struct rt_report *report)
{
	for (size_t i = 0; own[i].name; i++) {
		bool used = !own[i].kinds || !cli->options.met[i];

		for (size_t k = 0; k < report->output_count && !used; k++)
			used = strstr(own[i].kinds, report->outputs[k].kind) != NULL;
		if (!used)
			cli_note(cli, "--%s has no effect without --to %s", own[i].name,
				 own[i].kinds);
	}
}

static int run(struct cli *cli)
{
	struct rt_report report = make_report(cli);
	enum rt_status status;

	if (!report.output_count) {
		cli_message_usage(&cli->messages, "",
				  "--to KIND=FILE is missing; see retriage report --help");
		return CLI_EXIT_USAGE;
	}
	if (report.conditions)
		cli_note_epoch(cli, "present");
	/* That files were not written has to be said. */
	cli->pipe_ignored = cli->pipe_ignored || has_files(&report);
	status = rt_report(&cli->input, &report, &cli->output, &cli->yes, &cli->err);
	if (status == RT_OK && has_files(&report))
		cli->changed = "; the files are written all the same";
	if (status == RT_OK)
		note_idle(cli, &report);
	return cli_end(cli, status);
}

const struct cli_command cli_report = {
    .name = "report",
    .options = own,
    .takes = CLI_CONDITIONS | CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_EXPORTS,
    .operands = "--to KIND=FILE [EXPORT...]",
    .group = "look",
    .brief = "HTML, Markdown, CSV, JUnit and more, from one read",
    .help = "Reads a data set once and writes reports of it, all of them or none. With\n"
	    "conditions, as retriage gate has them, the reports show the verdict, and exit\n"
	    "status 1 means that one fails. Filters choose what the reports are about.\n",
    .example = "retriage report --to html=report.html --to junit=report.xml scan.json.gz",
    .run = run,
};
