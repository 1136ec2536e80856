/*
 * The texts of --help and --version, in lines of at most 80 columns, made from the tables of
 * commands and options. A failed write is reported like that of an answer.
 */
#include "cli/help.h"

#include <dlfcn.h>
#include <isa-l.h>
#include <jansson.h>
#include <openssl/crypto.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "gen/late.h"

/* Columns before the text of an option or a command. */
#define TEXT_COLUMN 24

/* Columns of a line. */
#define WIDTH 79u

/* A title and its text, whose further lines are set below its first. */
static void put_entry(struct cli *cli, const char *title, const char *text)
{
	if (strlen(title) > TEXT_COLUMN - 3) {
		cli_say(cli, "  %s\n", title);
		title = "";
	}
	while (*text) {
		size_t len = strcspn(text, "\n");

		cli_say(cli, "  %-*s%.*s\n", TEXT_COLUMN - 2, title, (int)len, text);
		title = "";
		text += len + (text[len] == '\n');
	}
}

static void put_option(struct cli *cli, const struct cli_option *row)
{
	char title[64], letter[8] = "";

	if (row->letter)
		(void)snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	(void)snprintf(title, sizeof(title), "%s--%s%s%s", letter, row->name, row->value ? " " : "",
		       row->value ? row->value : "");
	put_entry(cli, title, row->help);
}

/* The options of one section by their names; title: what comes before them, if there are any. */
static void put_names(struct cli *cli, const char *title, enum cli_section section,
		      const struct cli_option *const *rows, size_t count)
{
	char word[64];
	size_t column = 0;

	for (size_t i = 0; i < count; i++) {
		const char *before = column ? ", " : title;

		if (rows[i]->section != section)
			continue;
		(void)snprintf(word, sizeof(word), "--%s", rows[i]->name);
		if (column + strlen(before) + strlen(word) > WIDTH) {
			before = ",\n  ";
			column = 0;
		}
		column += strlen(before) + strlen(word);
		cli_put(cli, before);
		cli_put(cli, word);
	}
	if (column)
		cli_put(cli, "\n");
}

static void put_options(struct cli *cli, const struct cli_command *command)
{
	static const char *const titles[CLI_SECTIONS] = {
	    [CLI_IN_GATE] = "Conditions (retriage gate --help): ",
	    [CLI_IN_LIST] = "Tables and CSV (retriage list --help): ",
	    [CLI_IN_FILTERS] = "Filters (retriage help filters): ",
	    [CLI_IN_INPUT] = "Input options (retriage help input): ",
	    [CLI_IN_COMMON] = "Common options: ",
	};
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);
	enum cli_section full = command == &cli_gate ? CLI_IN_GATE : CLI_IN_FULL;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (rows[i]->section != CLI_IN_FULL && rows[i]->section != full)
			continue;
		cli_put(cli, any ? "" : "Options:\n");
		put_option(cli, rows[i]);
		any = true;
	}
	for (unsigned section = CLI_IN_GATE; section < CLI_SECTIONS; section++) {
		if (section != full)
			put_names(cli, titles[section], section, rows, count);
	}
}

int cli_help_program(struct cli *cli)
{
	const char *group = NULL;

	cli_put(cli,
		"Usage: retriage COMMAND [OPTION...] [EXPORT...]\n\n"
		"Answers, gates and reports from exported code-security findings, offline.\n\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *command = cli_commands[i];

		if (!command->group)
			continue;
		cli_say(cli, "  %-8s%-11s%s\n",
			group && strcmp(group, command->group) == 0 ? "" : command->group,
			command->name, command->brief);
		group = command->group;
	}
	cli_put(cli, "\nretriage COMMAND --help   options of a command; --version: the version\n"
		     "retriage help TOPIC       ");
	for (size_t i = 0; cli_topics[i].name; i++) {
		cli_put(cli, i ? ", " : "");
		cli_put(cli, cli_topics[i].name);
	}
	cli_put(cli, "\n");
	return cli_finish(cli, cli->put);
}

int cli_help_command(struct cli *cli, const struct cli_command *command)
{
	cli_say(cli, "Usage: retriage %s [OPTION...]%s%s\n\n", command->name,
		command->operands[0] ? " " : "", command->operands);
	cli_put(cli, command->help);
	cli_put(cli, "\n");
	put_options(cli, command);
	cli_say(cli, "\nExample:\n  %s\n", command->example);
	return cli_finish(cli, cli->put);
}

/* The options that no command describes in full. */
static void put_input_options(struct cli *cli)
{
	static const struct cli_command all = {.takes = ~0u};
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(&all, rows);

	for (enum cli_section section = CLI_IN_INPUT; section < CLI_SECTIONS; section++) {
		if (section == CLI_IN_COMMON)
			cli_put(cli, "\nCommon options:\n");
		for (size_t i = 0; i < count; i++) {
			if (rows[i]->section == section)
				put_option(cli, rows[i]);
		}
	}
}

int cli_help_topic(struct cli *cli, const struct cli_topic *topic)
{
	cli_put(cli, topic->text);
	if (strcmp(topic->name, "input") == 0)
		put_input_options(cli);
	return cli_finish(cli, cli->put);
}

/* What a library that is loaded when it is needed says of its version. */
static void put_late(struct cli *cli, const char *before, const char *file, const char *call,
		     const char *package)
{
	void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
	void *found = library ? dlsym(library, call) : NULL;
	const char *(*version)(void), *text;

	/* dlsym() gives a pointer to an object, which C has no cast for. */
	memcpy(&version, &found, sizeof(version));
	if (!found) {
		cli_say(cli, "%snot found (package %s)", before, package);
		return;
	}
	text = version();
	/* One says its name before it. */
	cli_say(cli, "%s%s", before, strrchr(text, ' ') ? strrchr(text, ' ') + 1 : text);
}

static void put_libraries(struct cli *cli)
{
	char pcre2[64] = "";
	const struct scmp_version *seccomp = seccomp_version();

	put_late(cli, "libraries: libarchive ", RT_LATE_LIBARCHIVE_FILE, "archive_version_string",
		 RT_LATE_LIBARCHIVE_PACKAGE);
	put_late(cli, ", libzip ", RT_LATE_LIBZIP_FILE, "zip_libzip_version",
		 RT_LATE_LIBZIP_PACKAGE);
#ifndef RT_WITHOUT_HTTP
	put_late(cli, ", libmicrohttpd ", RT_LATE_LIBMICROHTTPD_FILE, "MHD_get_version",
		 RT_LATE_LIBMICROHTTPD_PACKAGE);
#endif
	(void)pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
	pcre2[strcspn(pcre2, " ")] = '\0';
	cli_say(cli,
		",\n  libyaml %s, jansson %s, PCRE2 %s, OpenSSL %s, ISA-L %d.%d.%d, "
		"libseccomp %u.%u.%u\n",
		yaml_get_version_string(), jansson_version_str(), pcre2,
		OpenSSL_version(OPENSSL_VERSION_STRING), ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
		ISAL_PATCH_VERSION, seccomp ? seccomp->major : 0, seccomp ? seccomp->minor : 0,
		seccomp ? seccomp->micro : 0);
}

int cli_help_version(struct cli *cli)
{
	struct rt_jail jail = rt_jail_look();
	char landlock[32];

	(void)snprintf(landlock, sizeof(landlock), "Landlock %u", jail.landlock);
	cli_say(cli, "retriage " RT_VERSION "\nsandbox: %s, %s\n",
		jail.seccomp ? "seccomp" : "no seccomp", jail.landlock ? landlock : "no Landlock");
	put_libraries(cli);
	return cli_finish(cli, cli->put);
}
