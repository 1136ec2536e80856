/*
 * `retriage schema`: one of the JSON Schemas that the binary carries, or their names.
 */
#include "cli/command.h"
#include "cli/stdout.h"

#include <string.h>

static enum rt_status list_names(struct rt_error *err)
{
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);
	enum rt_status status = RT_OK;

	for (size_t i = 0; i < count && status == RT_OK; i++) {
		status = cli_stdout_text(schemas[i].name, err);
		if (status == RT_OK)
			status = cli_stdout_text("\n", err);
	}
	return status;
}

static const struct rt_schema *schema_by_name(const char *name)
{
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(schemas[i].name, name) == 0)
			return &schemas[i];
	}
	return NULL;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const struct rt_schema *schema;
	struct rt_error err;
	enum rt_status status;

	if (options->operand_count == 0)
		return cli_finish(cli, list_names(&err), &err);
	schema = schema_by_name(options->operands[0]);
	if (!schema) {
		cli_option_refuse(&cli_schema.operand, options->operands[0], &cli->messages);
		return CLI_EXIT_USAGE;
	}
	status = cli_stdout.write(cli_stdout.ctx, schema->text, schema->len, &err);
	return cli_finish(cli, status, &err);
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
