/*
 * Confines the process to the paths and calls that the command and its options need.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* More than the paths of all options: those that can be given several times, and some of one. */
#define OPTION_PATHS (3 * CLI_TEXTS_MAX + 8u)

struct paths {
	const char **paths;
	size_t count;
};

/* path: NULL is none. */
static void add(struct paths *paths, const char *path)
{
	if (path)
		paths->paths[paths->count++] = path;
}

static void add_read(struct paths *read, const struct cli_options *options)
{
	for (size_t i = 0; i < options->operand_count; i++)
		add(read, options->operands[i]);
	for (size_t i = 0; i < options->request_files.count; i++)
		add(read, options->request_files.texts[i]);
	for (size_t i = 0; i < options->baseline.count; i++)
		add(read, options->baseline.texts[i]);
	for (size_t i = 0; i < options->terms.count; i++) {
		const char *text = options->terms.terms[i].text;

		if (text && strncmp(text, "id=@", 4) == 0)
			add(read, text + 4);
	}
	add(read, options->baseline_journal);
	add(read, options->list.owners);
	add(read, options->report.history);
	add(read, options->expect);
	add(read, options->key_file);
	add(read, options->input.journal);
	add(read, options->old_journal);
	add(read, options->new_journal);
}

/* is_state: the journal is only read. */
static void add_written(struct paths *written, const struct cli_options *options, bool is_state)
{
	for (size_t i = 0; i < options->to.count; i++)
		add(written, strchr(options->to.texts[i], '=') + 1);
	add(written, options->output);
	add(written, options->results);
	add(written, options->requests);
	if (options->to.count)
		add(written, options->report.history);
	if (options->apply)
		add(written, options->new_journal);
	if (options->in_place && options->operand_count)
		add(written, options->operands[0]);
	if (!is_state)
		add(written, options->input.journal);
}

bool cli_confine(struct cli *cli, const struct cli_command *command)
{
	const struct cli_options *options = &cli->options;
	size_t most = options->operand_count + OPTION_PATHS;
	struct paths read = {calloc(most, sizeof(char *)), 0};
	struct paths written = {calloc(most, sizeof(char *)), 0};
	struct rt_error err = {.code = RT_E_NOMEM, .message = "out of memory"};
	enum rt_status status = RT_FATAL;

	if (read.paths && written.paths) {
		add_read(&read, options);
		add_written(&written, options, command->takes & CLI_STATE);
		status = rt_confine(
		    &(struct rt_confinement){.read = read.paths,
					     .read_count = read.count,
					     .write = written.paths,
					     .write_count = written.count,
					     .serves = command->load != NULL,
					     .require_jail = options->input.require_jail},
		    &err);
	}
	free(read.paths);
	free(written.paths);
	if (status != RT_OK)
		cli_message_error(&cli->messages, &err);
	return status == RT_OK;
}
