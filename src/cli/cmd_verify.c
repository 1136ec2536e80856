/*
 * `retriage verify`: checks a journal's chain and executes its requests again on the export that
 * it began with; on request it writes the export that they lead to.
 */
#include <string.h>

#include "cli/command.h"

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct rt_verification verification = {
	    .head = options->head,
	    .expect = options->expect,
	    .output = options->output,
	    .report = options->results,
	    .requests = options->request_files.texts,
	    .request_count = options->request_files.count,
	    .now = cli->now,
	};
	bool to_stdout = options->output && strcmp(options->output, "-") == 0;
	enum rt_status status;
	int exit_status;

	cli->input.paths++;
	cli->input.path_count = 1;
	cli->input.journal = options->operands[0];
	status =
	    rt_verify(&cli->input, &verification, cli->style, &cli->output, &cli->yes, &cli->err);
	if (options->output && !to_stdout && cli->yes)
		cli->changed = "; the export is written all the same";
	exit_status = cli_end(cli, status);
	/* A table on standard output has said it. */
	if (exit_status == CLI_EXIT_NO && !options->quiet &&
	    (options->results || to_stdout || cli->style.format != RT_FORMAT_TABLE))
		cli_message_error(&cli->messages, &cli->err);
	return exit_status;
}

static const struct cli_option own[] = {
    CLI_ROW("expect", CLI_PATH, expect, "EXPORT",
	    "an export that must hold the state, whatever its\ncontainer"),
    CLI_ROW("head", CLI_NAME, head, "SEQ:HASH", "a head of log --head that JOURNAL must extend",
	    .wanted = "SEQ:HASH as log --head prints it"),
    CLI_ROW("requests", CLI_NAMES, request_files, "FILE",
	    "requests that JOURNAL must hold, these and no others\n"
	    "in this order; may be given several times",
	    .wanted = "at most 64 paths, none of them empty"),
    CLI_ROW("output", CLI_PATH, output, "OUT",
	    "if all is well, write the export with the state\n"
	    "that JOURNAL leads to; - is standard output, where\n"
	    "the report is not written then",
	    .letter = 'o'),
    CLI_ROW("results", CLI_PATH_OUTPUT, results, "FILE",
	    "write the report to FILE, not to standard output"),
    CLI_FORMAT_ROW(CLI_FORMAT_TABLE),
    {0},
};

const struct cli_command cli_verify = {
    .name = "verify",
    .options = own,
    .takes = CLI_STYLE | CLI_LIMITS | CLI_SCANNER | CLI_REPEATS,
    .least = 2,
    .most = 2,
    .wanted = "a JOURNAL and an EXPORT",
    .operands = "JOURNAL EXPORT",
    .group = "prove",
    .brief = "prove a journal against the export it began with",
    .help = "Checks every line of a journal and their chain, that EXPORT is its base, and,\n"
	    "executing every request again, each result. The report names the first thing\n"
	    "that is wrong; exit status 1 means that there is one. As a table it is the\n"
	    "verdict in one line. With -o - nothing but the export is written to standard\n"
	    "output, and where there is a fault, nothing.\n",
    .example = "retriage verify --expect final.json.gz audit.jsonl scan.json.gz",
    .run = run,
};
