/*
 * retriage: finds the command, parses its options, confines the process, runs the command.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"

const struct cli_command *const cli_commands[] = {
    &cli_summary,  &cli_list,     &cli_report, &cli_gate,   &cli_diff,       &cli_decide,
    &cli_apply,    &cli_carry,    &cli_log,    &cli_verify, &cli_lint,
#ifndef RT_WITHOUT_HTTP
    &cli_serve,
#endif
    &cli_validate, &cli_rulesets, &cli_merge,  &cli_schema, &cli_completion, &cli_help,
    &cli_version,  NULL,
};

/*
 * Fill standard descriptors that the caller closed, so that no file of ours gets their numbers.
 * Each is opened the wrong way round: using it fails then, as it would have when closed.
 */
static bool fill_descriptors(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return false;
	}
	return true;
}

/* Whether somebody debugs this process, or watches its calls. */
static bool is_traced(void)
{
	static const char name[] = "\nTracerPid:\t";
	char text[1024];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	const char *tracer;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	tracer = strstr(text, name);
	return tracer && tracer[sizeof(name) - 1] != '0';
}

/*
 * Let no other process of the same user look into this one or write to its memory, and no core file
 * show exports and keys. Who has begun to trace it already would only see less than before.
 */
static void hide_memory(void)
{
	if (!is_traced())
		(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* The first word that is a command, or NULL. */
static const char *find_command(char **words)
{
	while (*words && !cli_command_find(*words))
		words++;
	return *words;
}

/* An option comes where a command has to be. Returns the exit status. */
static int answer_option(struct cli *cli, char **words)
{
	const char *word = words[0], *command = find_command(words + 1);
	struct rt_nearest nearest;
	char hint[RT_HINT_MAX];

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return cli_help_program(cli);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return cli_help_version(cli);
	rt_nearest_begin(&nearest, word, strlen(word));
	rt_nearest_offer(&nearest, "--help");
	rt_nearest_offer(&nearest, "--version");
	if (command && !nearest.name) {
		cli_message_usage(
		    &cli->messages, "",
		    "\"%s\" comes before the command; did you mean \"retriage %s %s\"?", word,
		    command, word);
		return CLI_EXIT_USAGE;
	}
	cli_message_usage(&cli->messages, "", "unknown option \"%s\"%s", word,
			  rt_nearest_hint(&nearest, "", "; see retriage --help", hint));
	return CLI_EXIT_USAGE;
}

/* Whether there are as many operands as the command takes; if not, a message was written. */
static bool check_count(struct cli *cli, const struct cli_command *command)
{
	size_t count = cli->options.operand_count;

	if (count >= command->least && (!command->most || count <= command->most))
		return true;
	cli_message_usage(&cli->messages, "", "want %s, have %zu name%s", command->wanted, count,
			  count == 1 ? "" : "s");
	return false;
}

static int run_command(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
	int exit_status;

	if (!cli_options_parse(command, argc, argv, &cli->options, &cli->messages))
		return CLI_EXIT_USAGE;
	if (cli->options.help)
		return cli_help_command(cli, command);
	if (cli->options.version)
		return cli_help_version(cli);
	if (!check_count(cli, command))
		return CLI_EXIT_USAGE;
	if (command->load && !command->load(cli))
		return CLI_EXIT_SYSTEM;
	/* For the columns of tables: what others say of characters stays as it is everywhere. */
	(void)setlocale(LC_CTYPE, "C.UTF-8");
	if (command->operand.type == CLI_PATH) {
		exit_status = cli_confine(cli, command);
		if (exit_status != CLI_EXIT_OK)
			return exit_status;
		if (!cli_begin(cli, command))
			return CLI_EXIT_USAGE;
	}
	return command->run(cli);
}

int main(int argc, char **argv)
{
	struct cli cli = {0};
	const struct cli_command *command;
	int status;

	if (!fill_descriptors())
		return CLI_EXIT_SYSTEM;
	hide_memory();
	/* A closed pipe, and a file that may not grow any more, are errors of the write, not a
	 * death in the middle of something. */
	cli.pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	(void)signal(SIGXFSZ, SIG_IGN);
	cli_messages_color(&cli.messages, CLI_COLOR_AUTO);
	if (argc < 2)
		return cli_help_program(&cli);
	if (argv[1][0] == '-')
		return answer_option(&cli, argv + 1);
	command = cli_command_by_name(&cli, argv[1], NULL);
	if (!command)
		return CLI_EXIT_USAGE;
	status = run_command(&cli, command, argc - 1, argv + 1);
#ifndef RT_SANITIZED /* which looks for leaks at the end */
	/* The end of GnuTLS, which libmicrohttpd brings along, aborts where there is no memory. */
	if (command->load)
		_exit(status);
#endif
	return status;
}
