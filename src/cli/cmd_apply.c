/*
 * `retriage apply`: bulk-update requests executed on an export, each answered by its result; the
 * updates go into the export, into another file or into a journal. Nothing is written where one
 * request has a fault.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/command.h"

/* Say what came of a run that has ended well. Returns the exit status. */
static int conclude(struct cli *cli, const struct rt_update_counts *counts)
{
	const struct cli_options *options = &cli->options;
	bool fails = options->strict && counts->failed > 0;

	if (fails)
		cli_message_note(&cli->messages,
				 "%" PRIu64 " id%s not in the export; the results name %s",
				 counts->failed, counts->failed == 1 ? " is" : "s are",
				 counts->failed == 1 ? "it" : "them");
	cli_note_epoch(cli, "time of the update");
	if (!options->output && !options->in_place && !options->input.journal)
		cli_note(cli, "nothing was changed; -o OUT, --in-place or --journal JOURNAL would "
			      "write the updates");
	cli_note(cli,
		 "%" PRIu64 " updated, %" PRIu64 " failed, %" PRIu64 " unchanged by %" PRIu64
		 " request%s",
		 counts->updated - counts->unchanged, counts->failed, counts->unchanged,
		 counts->requests, counts->requests == 1 ? "" : "s");
	return fails ? CLI_EXIT_NO : CLI_EXIT_OK;
}

/* Whether something is changed that lasts when standard output cannot be written. */
static bool lasts(const struct cli_options *options)
{
	return options->in_place || options->input.journal ||
	       (options->output && strcmp(options->output, "-") != 0);
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct rt_update update = {
	    .requests = options->operands + 1,
	    .request_count = options->operand_count - 1,
	    .output = options->output,
	    .results = options->results,
	    .in_place = options->in_place,
	    .actor = cli_choose_actor(cli),
	    .at = cli->at,
	    .now = cli->now,
	    .on_fault = cli_show_fault,
	    .fault_ctx = cli,
	};
	struct rt_update_counts counts;
	enum rt_status status;
	int exit_status;

	cli->input.path_count = 1;
	status = rt_apply(&cli->input, &update, cli->style, &cli->output, &counts, &cli->err);
	if (status == RT_REJECT && !options->quiet) {
		cli_show_more_faults(cli, "; see retriage validate --as request");
		return CLI_EXIT_USAGE;
	}
	if (lasts(options))
		cli->changed = "; the updates are made all the same";
	exit_status = cli_end(cli, status);
	return exit_status == CLI_EXIT_OK ? conclude(cli, &counts) : exit_status;
}

static const struct cli_option own[] = {
    CLI_ROW("output", CLI_PATH, output, "OUT",
	    "write the updated export to OUT: same container,\n"
	    "compression, members and order; - is standard output,\n"
	    "where the results are not written then",
	    .letter = 'o'),
    CLI_ROW("results", CLI_PATH_OUTPUT, results, "FILE",
	    "write the results to FILE, not to standard output"),
    CLI_FLAG_ROW("in-place", in_place, "replace EXPORT by the updated one"),
    CLI_ROW("journal", CLI_PATH_OUTPUT, input.journal, "JOURNAL",
	    "append an entry a request; EXPORT stays as it is\n"
	    "and the state is EXPORT and JOURNAL"),
    CLI_TIME_ROW("the time of the update (default: of the variable\nSOURCE_DATE_EPOCH, else now)"),
    CLI_ROW("actor", CLI_NAME, actor, "NAME",
	    "who updates, for the journal (default: of the\nvariable RETRIAGE_ACTOR, else the "
	    "user's name)",
	    .wanted = "a name"),
    CLI_FLAG_ROW("strict", strict, "exit with 1 where an id is not in the export"),
    CLI_FORMAT_ROW("of the results: json, yaml or table (the default on a\nterminal)"),
    {0},
};

const struct cli_command cli_apply = {
    .name = "apply",
    .options = own,
    .takes = CLI_STYLE | CLI_EXPORTS,
    .least = 2,
    .wanted = "an EXPORT and a REQUEST",
    .operands = "EXPORT REQUEST...",
    .group = "decide",
    .brief = "bulk updates, as request documents ask for",
    .help = "Applies bulk-update requests to an export and answers each with its result. A\n"
	    "REQUEST is a file of one request or of many (JSON Lines, YAML documents), a\n"
	    "directory, an archive, or - for standard input; all are checked before the first\n"
	    "is applied. Without -o, --in-place and --journal nothing is changed.\n",
    .example = "retriage apply --journal audit.jsonl --actor alice scan.json.gz triage.json",
    .run = run,
};
