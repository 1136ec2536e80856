/*
 * `retriage apply`: bulk updates of issues (contract 4.1, SPEC D12 to D17).
 * Input: an EXPORT and REQUESTs. Output: a result a request; as asked for, the updated export or
 * journal entries. Refuses requests with faults, all of which are said.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/stdout.h"

/* The time of the update (SPEC D16). Returns false when SOURCE_DATE_EPOCH is no number. */
static bool choose_time(struct cli *cli, int64_t *ret_at)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	long long seconds;
	char *end;

	*ret_at = cli->options.has_at ? cli->options.at : (int64_t)time(NULL);
	if (cli->options.has_at || !epoch)
		return true;
	/* Beyond its range strtoll() gives a time that the library refuses. */
	seconds = strtoll(epoch, &end, 10);
	*ret_at = seconds;
	if (epoch[0] >= '0' && epoch[0] <= '9' && *end == '\0')
		return true;
	cli_message_usage(&cli->messages, "SOURCE_DATE_EPOCH",
			  "want seconds since 1970, have \"%s\"", epoch);
	return false;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_update update = {
	    .requests = options->operands + 1,
	    .request_count = options->operand_count - 1,
	    .output = options->output,
	    .in_place = options->in_place,
	    .actor = options->actor,
	    .on_fault = cli_show_fault,
	    .fault_ctx = cli,
	};
	struct rt_update_counts counts;
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	int exit_status;

	if (options->operand_count < 2) {
		cli_message_usage(&cli->messages, "", "want an EXPORT and a REQUEST, have %s",
				  options->operand_count ? "only one of them" : "neither");
		return CLI_EXIT_USAGE;
	}
	if (!choose_time(cli, &update.at))
		return CLI_EXIT_USAGE;
	if (update.output || update.in_place)
		cli_interrupt_begin();
	cli_run_begin_over(&run, cli, options->operands, 1);
	status = rt_apply(&run.input, &update, options->style, &cli_stdout, &counts, &err);
	if (status == RT_REJECT && !options->quiet) {
		cli_show_more_faults(cli, "; see retriage validate --as request");
		return CLI_EXIT_USAGE;
	}
	if (update.output || update.in_place || options->journal)
		cli->changed = "; the updates are made all the same";
	exit_status = cli_run_end(&run, status, &err);
	if (exit_status != CLI_EXIT_OK || !options->strict || counts.failed == 0)
		return exit_status;
	cli_message_note(&cli->messages,
			 "want every id in the export, have %" PRIu64 " that %s not", counts.failed,
			 counts.failed == 1 ? "is" : "are");
	return CLI_EXIT_NO;
}

const struct cli_command cli_apply = {
    .name = "apply",
    .bit = CLI_APPLY,
    .operands = "EXPORT REQUEST...",
    .brief = "bulk updates of issues, as request documents ask for",
    .help = "Applies bulk-update requests to an export and answers each with its result. A\n"
	    "REQUEST is a file of one request or of many (JSON Lines, YAML documents), a\n"
	    "directory, an archive, or - for standard input; all are checked before the first\n"
	    "is applied. Without -o, --in-place and --journal nothing is changed.\n",
    .example = "retriage apply --journal audit.jsonl --actor alice scan.json.gz triage.json",
    .run = run,
};
