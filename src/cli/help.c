/*
 * The texts of --help and --version.
 * Input: the tables of commands and options. Output: standard output, lines of at most 80 columns.
 * A failed write is reported like that of an answer.
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/stdout.h"

/* Columns before the text of an option or a command. */
#define TEXT_COLUMN 24

/* The first failed write is kept in err, and what follows it is dropped. */
struct page {
	enum rt_status status;
	struct rt_error err;
};

static void put(struct page *page, const char *text)
{
	if (page->status == RT_OK)
		page->status = cli_stdout_text(text, &page->err);
}

/* A title and its text, whose further lines are set below its first. */
static void put_entry(struct page *page, const char *title, const char *text)
{
	char line[128];

	if (strlen(title) > TEXT_COLUMN - 4) {
		(void)snprintf(line, sizeof(line), "  %s\n", title);
		put(page, line);
		title = "";
	}
	while (*text) {
		size_t len = strcspn(text, "\n");

		(void)snprintf(line, sizeof(line), "  %-*s%.*s\n", TEXT_COLUMN - 2, title, (int)len,
			       text);
		put(page, line);
		title = "";
		text += len + (text[len] == '\n');
	}
}

static void put_options(struct page *page, const struct cli_command *command)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);

	for (size_t i = 0; i < count; i++) {
		const struct cli_option *row = rows[i];
		char title[64], letter[8] = "";

		if (row->letter)
			(void)snprintf(letter, sizeof(letter), "-%c, ", row->letter);
		(void)snprintf(title, sizeof(title), "%s--%s%s%s", letter, row->name,
			       row->value ? " " : "", row->value ? row->value : "");
		put_entry(page, title, row->help);
	}
}

/* has_default: standard input is read where no EXPORT is named, and several are one data set. */
static void put_inputs(struct page *page, bool has_default)
{
	put(page,
	    has_default
		? "An EXPORT is a file, a directory or - for standard input, which is also read\n"
		  "where none is named. It holds JSON, JSON Lines, YAML or a SARIF log, plain or\n"
		  "compressed (gz, zst, xz, bz2, lz4), by itself or in an archive (tar, zip, 7z,\n"
		  "cpio). Several are read as one data set.\n\n"
		: "An EXPORT is a file, a directory or - for standard input. It holds JSON, JSON\n"
		  "Lines, YAML or a SARIF log, plain or compressed (gz, zst, xz, bz2, lz4), by\n"
		  "itself or in an archive (tar, zip, 7z, cpio). SARIF, 7z and cpio are only "
		  "read.\n"
		  "\n");
}

static void put_exits(struct page *page)
{
	put(page, "Exit status:\n"
		  "  0  done\n"
		  "  1  the answer is no: findings do not pass, none are picked, a validation\n"
		  "     found faults, a journal does not hold, or, with --strict, an id is not\n"
		  "     in the export\n"
		  "  2  wrong usage or bad input; nothing on standard output\n"
		  "  3  the system failed: input or output, memory\n");
}

int cli_help_program(struct cli *cli)
{
	struct page page = {.status = RT_OK};

	put(&page, "Usage: retriage COMMAND [OPTION...] [EXPORT...]\n\n"
		   "Answers questions about exported code-security findings and updates them,\n"
		   "offline.\n\n"
		   "Commands (retriage COMMAND --help tells more):\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		if (cli_commands[i]->group) {
			put(&page, "\n");
			put(&page, cli_commands[i]->group);
			put(&page, ":\n");
		}
		put_entry(&page, cli_commands[i]->name, cli_commands[i]->brief);
	}
	put(&page, "\nOptions of every command:\n");
	put_entry(&page, "-h, --help", "show the command's help");
	put_entry(&page, "-V, --version", "show the version");
	put(&page, "\n");
	put_inputs(&page, true);
	put_exits(&page);
	put(&page, "\nExample:\n  retriage summary --pretty export.json\n");
	return cli_finish(cli, page.status, &page.err);
}

int cli_help_command(struct cli *cli, const struct cli_command *command)
{
	struct page page = {.status = RT_OK};
	char line[256];

	(void)snprintf(line, sizeof(line), "Usage: retriage %s [OPTION...]%s%s\n\n", command->name,
		       command->operands[0] ? " " : "", command->operands);
	put(&page, line);
	put(&page, command->help);
	put(&page, "\nOptions:\n");
	put_options(&page, command);
	put(&page, "\n");
	if (command->inputs != CLI_INPUTS_NONE)
		put_inputs(&page, command->inputs == CLI_INPUTS_SEVERAL);
	(void)snprintf(line, sizeof(line), "Example:\n  %s\n", command->example);
	put(&page, line);
	return cli_finish(cli, page.status, &page.err);
}

int cli_help_version(struct cli *cli)
{
	struct rt_error err;
	struct rt_jail jail = rt_jail_look();
	char text[128], landlock[32];
	enum rt_status status;

	(void)snprintf(landlock, sizeof(landlock), "Landlock %u", jail.landlock);
	(void)snprintf(text, sizeof(text), "retriage " RT_VERSION "\njail: %s, %s\n",
		       jail.seccomp ? "seccomp" : "no seccomp",
		       jail.landlock ? landlock : "no Landlock");
	status = cli_stdout_text(text, &err);

	return cli_finish(cli, status, &err);
}
