/*
 * `retriage schema`: one of the JSON Schemas that the binary carries, or their names.
 */
#include "cli/command.h"

#include <string.h>

static int run(struct cli *cli)
{
	const char *name = cli->options.operand_count ? cli->options.operands[0] : NULL;
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);
	bool found = !name;

	for (size_t i = 0; i < count; i++) {
		if (!name)
			cli_say(cli, "%s\n", schemas[i].name);
		else if (strcmp(schemas[i].name, name) == 0)
			cli_put(cli, schemas[i].text);
		found = found || strcmp(schemas[i].name, name) == 0;
	}
	if (found)
		return cli_finish(cli, cli->put);
	cli_option_refuse(&cli_schema.operand, name, &cli->messages);
	return CLI_EXIT_USAGE;
}

const struct cli_command cli_schema = {
    .name = "schema",
    .most = 1,
    .wanted = "one NAME",
    .operand = {.type = CLI_SCHEMA, .value = "NAME"},
    .operands = "[NAME]",
    .group = "other",
    .brief = "the JSON Schemas of all documents",
    .help = "Prints the JSON Schema (2020-12) called NAME, or without one the names of all.\n",
    .example = "retriage schema issues-summary",
    .run = run,
};
