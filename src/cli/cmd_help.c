/*
 * `retriage help` and `retriage version`: what --help and --version print, and the topics of help.
 */
#include "cli/command.h"
#include "cli/help.h"

static int run_help(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct cli_command *command;
	const struct cli_topic *topic;

	if (options->operand_count == 0)
		return cli_help_program(cli);
	topic = cli_topic_find(options->operands[0]);
	if (topic)
		return cli_help_topic(cli, topic);
	command = cli_command_by_name(cli, options->operands[0], cli_topics);
	return command ? cli_help_command(cli, command) : CLI_EXIT_USAGE;
}

static int run_version(struct cli *cli)
{
	if (cli->options.operand_count == 0)
		return cli_help_version(cli);
	cli_message_usage(&cli->messages, "", "version takes no operand, have \"%s\"",
			  cli->options.operands[0]);
	return CLI_EXIT_USAGE;
}

const struct cli_command cli_help = {
    .name = "help",
    .most = 1,
    .wanted = "one COMMAND or TOPIC",
    .operand = {.type = CLI_TOPIC},
    .operands = "[COMMAND|TOPIC]",
    .brief = "this text, or the help of a command",
    .help = "Shows the help of COMMAND or about TOPIC, or without one that of the program.\n"
	    "Topics: filters, input, exit, environment, limits.\n",
    .example = "retriage help apply",
    .run = run_help,
};

const struct cli_command cli_version = {
    .name = "version",
    .operand = {.type = CLI_FLAG},
    .operands = "",
    .brief = "the version",
    .help = "Shows the version of the program.\n",
    .example = "retriage version",
    .run = run_version,
};
