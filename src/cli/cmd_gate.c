/*
 * `retriage gate`: whether findings pass (WORKFLOW section 3).
 * Input: EXPORTs. Output: the verdict, or on a terminal one line; each failed condition is a line
 * on standard error. Refuses to be asked for no condition.
 */
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

static int run(struct cli *cli)
{
	struct cli_options *options = &cli->options;
	struct rt_style style = cli_stdout_style(options, isatty(STDOUT_FILENO));
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	bool pass = false;
	int exit_status;

	if (!cli_choose_time(cli, (int64_t)time(NULL), &options->conditions.at, NULL) ||
	    !cli_run_begin(&run, cli))
		return CLI_EXIT_USAGE;
	status = rt_gate(&run.input, &options->conditions, options->terms.terms,
			 options->terms.count, style, &run.output, &pass, &err);
	exit_status = cli_run_end(&run, status, &err);
	return exit_status == CLI_EXIT_OK && !pass ? CLI_EXIT_NO : exit_status;
}

static const struct cli_option own[] = {
    {.name = "at",
     .type = CLI_TIME,
     .at = CLI_AT(at),
     .given = CLI_AT(has_at),
     .value = "TIME",
     .help = "the present, for notes that end a decision and for\n"
	     "ages (default SOURCE_DATE_EPOCH, else now)"},
    CLI_THREADS_ROW,
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_gate = {
    .name = "gate",
    .options = own,
    .takes = CLI_CONDITIONS | CLI_BASELINE | CLI_FILTER | CLI_STATE | CLI_STYLE | CLI_LIMITS |
	     CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
    .inputs = CLI_INPUTS_SEVERAL,
    .operand = {.type = CLI_PATH},
    .operands = "[EXPORT...]",
    .brief = "whether the findings pass",
    .help = "Holds the issues of a data set against conditions, of which at least one has to\n"
	    "be given, and all have to be fulfilled: exit status 0, else 1. An issue is open\n"
	    "unless it was dismissed; one whose notes have an end, exp:YYYY-MM-DD, is open\n"
	    "again after that day. Each condition is a line, with the worst issues where it\n"
	    "failed: as a table on standard output, else on standard error beside the verdict.\n"
	    "A filter that selects none of the issues fails, and so does a failed scan. What is\n"
	    "not known, a severity or an age, counts as the worst and is in every range.\n"
	    "With --baseline, an earlier scan, --fail-on-new and --max-new are about what is\n"
	    "new since.\n",
    .example = "retriage gate --fail-on critical --max high=5 scan-results.tar.gz",
    .run = run,
};
