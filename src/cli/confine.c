/*
 * Confines the process to the paths and calls that the command and its options need.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* More than the paths of all options: those that can be given several times, and some of one. */
#define OPTION_PATHS (4 * CLI_TEXTS_MAX + 16u)

struct rt_kept_path *cli_paths(const struct cli *cli, const struct cli_command *command,
			       size_t *ret_count)
{
	const struct cli_options *options = &cli->options;
	struct rt_kept_path *paths = calloc(options->operand_count + OPTION_PATHS, sizeof(*paths));
	const struct cli_texts *lists[] = {&options->request_files, &options->baseline};
	/* A journal is written where its state is not all that is asked for. */
	const struct rt_kept_path rest[] = {
	    {options->output, false, true},
	    {options->results, false, true},
	    {options->requests, false, true},
	    {options->input.journal, true, !(command->takes & CLI_STATE)},
	    {options->old_journal, true, false},
	    {options->new_journal, true, options->apply},
	    {options->baseline_journal, true, false},
	    {options->expect, true, false},
	    {options->key_file, true, false},
	    {options->list.owners, true, false},
	    {options->report.history, true, true},
	    {options->report.losses, false, true},
	};
	size_t count = 0;

	if (!paths)
		return NULL;
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		if (rest[i].path)
			paths[count++] = rest[i];
	}
	for (size_t i = 0; i < options->to.count; i++)
		paths[count++] = (struct rt_kept_path){options->to.list[i].file, false, true};
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < lists[k]->count; i++)
			paths[count++] = (struct rt_kept_path){lists[k]->texts[i], true, false};
	}
	for (size_t i = 0; i < options->terms.count; i++) {
		const char *text = options->terms.terms[i].text;

		if (text && strncmp(text, "id=@", 4) == 0)
			paths[count++] = (struct rt_kept_path){text + 4, true, false};
	}
	for (size_t i = 0; i < options->operand_count; i++)
		paths[count++] =
		    (struct rt_kept_path){options->operands[i], true, options->in_place && i == 0};
	*ret_count = count;
	return paths;
}

bool cli_confine(struct cli *cli, const struct cli_command *command)
{
	struct rt_confinement kept = {.serves = command->load != NULL,
				      .require_jail = cli->options.input.require_jail};
	struct rt_kept_path *paths = cli_paths(cli, command, &kept.path_count);
	struct rt_error err = {.code = RT_E_NOMEM, .message = "out of memory"};
	enum rt_status status = RT_FATAL;

	kept.paths = paths;
	if (paths)
		status = rt_confine(&kept, &err);
	free(paths);
	if (status != RT_OK)
		cli_message_error(&cli->messages, &err);
	return status == RT_OK;
}
