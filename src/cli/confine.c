/*
 * The files of a run, as the command and its options name them: none of them may be standard output
 * or standard error, and the process is confined to them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

/* More than the paths of all options: those that can be given several times, and some of one. */
#define OPTION_PATHS (4 * CLI_TEXTS_MAX + 16u)

/* All that the operands and options name; to be freed. NULL: no memory. */
static struct rt_kept_path *list_paths(const struct cli *cli, const struct cli_command *command,
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
	    {options->input.owners, true, false},
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

/* Nothing that is said may get into a file that is read. */
static void mute(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDERR_FILENO) < 0)
		(void)close(STDERR_FILENO);
	if (null >= 0)
		(void)close(null);
}

/* Whether standard output and standard error go elsewhere than to a file of the run. way: what to
 * do else. */
static bool check_stream(struct cli *cli, const struct rt_kept_path *path, const char *way)
{
	if (path->read && cli_stream_is(STDERR_FILENO, path->path)) {
		mute();
		return false;
	}
	if (!cli_stream_is(STDOUT_FILENO, path->path))
		return true;
	cli_message_usage(&cli->messages, path->path, "standard output goes to this file as well%s",
			  way);
	return false;
}

/* The same for all files of the run; standard input is one where no file is named. */
static bool check_streams(struct cli *cli, const struct rt_kept_path *paths, size_t count)
{
	const struct rt_kept_path standard_input = {"-", true, false};
	const char *output = cli->options.output;
	bool good = cli->options.operand_count || check_stream(cli, &standard_input, "");

	for (size_t i = 0; good && i < count; i++) {
		bool is_stream = !paths[i].read && strcmp(paths[i].path, "-") == 0;
		const char *way = "";

		if (paths[i].path == output && cli->options.partial)
			way = "; use -o - for standard output";
		else if (paths[i].path == output)
			way = "; use -o - for standard output, and --results FILE for what else "
			      "goes there";
		good = is_stream || check_stream(cli, &paths[i], way);
	}
	return good;
}

int cli_confine(struct cli *cli, const struct cli_command *command)
{
	struct rt_confinement kept = {.serves = command->load != NULL,
				      .require_jail = cli->options.input.require_jail};
	struct rt_kept_path *paths = list_paths(cli, command, &kept.path_count);
	int exit_status = CLI_EXIT_OK;

	cli->err = (struct rt_error){.code = RT_E_NOMEM, .message = "out of memory"};
	kept.paths = paths;
	if (paths && !check_streams(cli, paths, kept.path_count)) {
		exit_status = CLI_EXIT_USAGE;
	} else if (!paths || rt_confine(&kept, &cli->err) != RT_OK) {
		cli_message_error(&cli->messages, &cli->err);
		exit_status = CLI_EXIT_SYSTEM;
	}
	free(paths);
	return exit_status;
}
