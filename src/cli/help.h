/*
 * Help texts, written from the tables of commands and options.
 */
#ifndef RT_CLI_HELP_H
#define RT_CLI_HELP_H

#include "cli/command.h"

/* Print the help of the program. Returns the exit status. */
int cli_help_program(struct cli *cli);

/* Print the help of one command. Returns the exit status. */
int cli_help_command(struct cli *cli, const struct cli_command *command);

/* The topic called name, or NULL. */
const struct cli_topic *cli_topic_find(const char *name);

/* Print a topic. Returns the exit status. */
int cli_help_topic(struct cli *cli, const struct cli_topic *topic);

/* Print the version. Returns the exit status. */
int cli_help_version(struct cli *cli);

#endif
