/*
 * Parsing of the command line behind the command's name.
 * Input: argv. Output: struct cli_options.
 * Refuses unknown options, values out of range, numbers with anything but digits in them.
 */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

#define JOBS_MAX 256u
#define LONGEST_LIMIT_NAME 32u

/* What getopt_long() returns for the option at index 0 of the table; beyond every letter. */
#define FIRST_CODE 256

static bool parse_number(const char *text, unsigned min, unsigned max, unsigned *ret_value)
{
	unsigned value = 0;

	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (unsigned)(*text - '0');
		/* max is small, so that this comes long before an overflow. */
		if (value > max)
			return false;
	}
	if (value < min)
		return false;
	*ret_value = value;
	return true;
}

/* The place of text in a list of words that ends with NULL; false: it is none of them. */
static bool parse_word(const char *text, const char *const *words, unsigned *ret_index)
{
	for (unsigned i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

static bool set_recent(struct cli_options *options, const char *text)
{
	return parse_number(text, 0, RT_RECENT_MAX, &options->recent);
}

static bool set_repo_id(struct cli_options *options, const char *text)
{
	options->repo_id = text;
	return true;
}

static bool set_org_wide(struct cli_options *options, const char *text)
{
	(void)text;
	options->org_wide = true;
	return true;
}

static bool set_kind(struct cli_options *options, const char *text)
{
	/* In the order of enum rt_kind. */
	static const char *const words[] = {"any", "issue", "ruleset", "request", NULL};
	unsigned index;

	if (!parse_word(text, words, &index))
		return false;
	options->requests = index > RT_KIND_RULESET;
	options->kind = options->requests ? RT_KIND_ANY : (enum rt_kind)index;
	return true;
}

/* A path, or another text that cannot be empty. */
static bool set_text(const char **ret_text, const char *text)
{
	*ret_text = text;
	return *text != '\0';
}

/* A path that is written: a stream cannot be replaced, nor appended to for good. */
static bool set_file(const char **ret_text, const char *text)
{
	return set_text(ret_text, text) && strcmp(text, "-") != 0;
}

static bool set_journal(struct cli_options *options, const char *text)
{
	return set_file(&options->journal, text);
}

static bool set_output(struct cli_options *options, const char *text)
{
	return set_file(&options->output, text);
}

static bool set_in_place(struct cli_options *options, const char *text)
{
	(void)text;
	options->in_place = true;
	return true;
}

static bool set_at(struct cli_options *options, const char *text)
{
	options->has_at = rt_time_parse(text, &options->at);
	return options->has_at;
}

static bool set_actor(struct cli_options *options, const char *text)
{
	return set_text(&options->actor, text);
}

static bool set_strict(struct cli_options *options, const char *text)
{
	(void)text;
	options->strict = true;
	return true;
}

static bool set_expect(struct cli_options *options, const char *text)
{
	return set_text(&options->expect, text);
}

static bool set_head(struct cli_options *options, const char *text)
{
	return set_text(&options->head, text);
}

static bool set_head_only(struct cli_options *options, const char *text)
{
	(void)text;
	options->head_only = true;
	return true;
}

static bool set_listen(struct cli_options *options, const char *text)
{
	return set_text(&options->listen, text);
}

static bool set_key_file(struct cli_options *options, const char *text)
{
	return set_text(&options->key_file, text);
}

static bool set_allow_host(struct cli_options *options, const char *text)
{
	if (options->host_count == CLI_HOSTS_MAX)
		return false;
	return set_text(&options->hosts[options->host_count++], text);
}

static bool set_new_key(struct cli_options *options, const char *text)
{
	return set_text(&options->new_key, text);
}

static bool set_log(struct cli_options *options, const char *text)
{
	static const char *const words[] = {"text", "json", NULL};
	unsigned index;

	if (!parse_word(text, words, &index))
		return false;
	options->log_json = index == 1;
	return true;
}

static bool set_format(struct cli_options *options, const char *text)
{
	/* In the order of enum rt_format. */
	static const char *const words[] = {"json", "yaml", NULL};
	unsigned index;

	if (!parse_word(text, words, &index))
		return false;
	options->style.format = (enum rt_format)index;
	options->has_format = true;
	return true;
}

static bool set_pretty(struct cli_options *options, const char *text)
{
	(void)text;
	options->style.pretty = true;
	return true;
}

static bool set_compact(struct cli_options *options, const char *text)
{
	(void)text;
	options->style.pretty = false;
	return true;
}

static bool set_limit(struct cli_options *options, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[LONGEST_LIMIT_NAME] = "";

	if (!equals || (size_t)(equals - text) >= sizeof(name))
		return false;
	memcpy(name, text, (size_t)(equals - text));
	return rt_limits_set(&options->limits, name, equals + 1);
}

static bool set_jobs(struct cli_options *options, const char *text)
{
	return parse_number(text, 1, JOBS_MAX, &options->jobs);
}

static bool set_simd(struct cli_options *options, const char *text)
{
	/* In the order of enum rt_simd. */
	static const char *const words[] = {"auto", "portable", "avx2", "avx512", NULL};
	unsigned index;

	if (!parse_word(text, words, &index))
		return false;
	options->simd = (enum rt_simd)index;
	return true;
}

static bool set_quiet(struct cli_options *options, const char *text)
{
	(void)text;
	options->quiet = true;
	return true;
}

static bool set_no_progress(struct cli_options *options, const char *text)
{
	(void)text;
	options->no_progress = true;
	return true;
}

static bool set_color(struct cli_options *options, const char *text)
{
	/* In the order of enum cli_color. */
	static const char *const words[] = {"auto", "always", "never", NULL};
	unsigned index;

	if (!parse_word(text, words, &index))
		return false;
	options->color = (enum cli_color)index;
	return true;
}

static bool set_help(struct cli_options *options, const char *text)
{
	(void)text;
	options->help = true;
	return true;
}

static bool set_version(struct cli_options *options, const char *text)
{
	(void)text;
	options->version = true;
	return true;
}

static const struct cli_option table[] = {
    {"recent", 0, "N", CLI_SUMMARY, "show the N newest issues, 0 to 1000 (default 10)",
     "an integer from 0 to 1000", set_recent},
    {"repo-id", 0, "ID", CLI_RULESETS, "only rulesets that are bound to this repository", NULL,
     set_repo_id},
    {"org-wide", 0, NULL, CLI_RULESETS,
     "with --repo-id, also those that are bound to no\nrepository", NULL, set_org_wide},
    {"output", 'o', "OUT", CLI_APPLY,
     "write the updated export to OUT: same container,\ncompression, members and order", "a path",
     set_output},
    {"in-place", 0, NULL, CLI_APPLY, "replace EXPORT by the updated one", NULL, set_in_place},
    {"journal", 0, "JOURNAL", CLI_APPLY,
     "append an entry a request; EXPORT stays as it is\nand the state is EXPORT and JOURNAL",
     "a path", set_journal},
    {"journal", 0, "JOURNAL", CLI_SUMMARY | CLI_RULESETS,
     "answer from the state that JOURNAL leads to", "a path", set_journal},
    {"at", 0, "TIME", CLI_APPLY,
     "the time of the update (default: of the variable\nSOURCE_DATE_EPOCH, else now)",
     "a date-time such as 2026-01-31T12:00:00Z", set_at},
    {"actor", 0, "NAME", CLI_APPLY, "who updates, for the journal", "a name", set_actor},
    {"strict", 0, NULL, CLI_APPLY, "exit with 1 where an id is not in the export", NULL,
     set_strict},
    {"expect", 0, "EXPORT", CLI_VERIFY,
     "an export that must hold the state, whatever its\ncontainer", "a path", set_expect},
    {"head", 0, "SEQ:HASH", CLI_VERIFY, "a head of log --head that JOURNAL must extend",
     "SEQ:HASH as log --head prints it", set_head},
    {"output", 'o', "OUT", CLI_VERIFY,
     "if all is well, write the export with the state\nthat JOURNAL leads to", "a path",
     set_output},
    {"head", 0, NULL, CLI_LOG, "only SEQ:HASH of the last entry, to keep elsewhere", NULL,
     set_head_only},
    {"journal", 0, "JOURNAL", CLI_SERVE,
     "the journal of EXPORT, which updates are written to;\nbegun where it is not there", "a path",
     set_journal},
    {"listen", 0, "ADDR:PORT", CLI_SERVE,
     "numeric address and port, 0 for any free one\n(default 127.0.0.1:8080)",
     "a numeric address and a port", set_listen},
    {"api-key-file", 0, "FILE", CLI_SERVE,
     "keys that are let in, \"NAME sha256:HEX\" a line;\nread anew on SIGHUP", "a path",
     set_key_file},
    {"allow-host", 0, "HOST", CLI_SERVE,
     "a Host that requests may name besides ADDR; may be\ngiven several times",
     "at most 64 hosts, none of them empty", set_allow_host},
    {"log", 0, "FORM", CLI_SERVE, "text or json: a line a request (default text)", "text or json",
     set_log},
    {"new-key", 0, "NAME", CLI_SERVE,
     "print a fresh key, and below it the line for the\nkey file, and end", "a name", set_new_key},
    {"as", 0, "KIND", CLI_VALIDATE,
     "what the files hold: issue, ruleset, request, or\nany record of an export (default any)",
     "issue, ruleset, request or any", set_kind},
    {"format", 0, "FORMAT", CLI_READING, "json or yaml (default json)", "json or yaml", set_format},
    {"format", 0, "FORMAT", CLI_LOG, "json or yaml (default: a table for people)", "json or yaml",
     set_format},
    {"pretty", 0, NULL, CLI_ANSWERING, "indent JSON (default on a terminal)", NULL, set_pretty},
    {"compact", 0, NULL, CLI_ANSWERING, "write JSON as one line (default elsewhere)", NULL,
     set_compact},
    {"limit", 0, "NAME=SIZE", CLI_ANSWERING | CLI_SERVE,
     "set a limit: record, depth, members, expanded,\ndecoder, alias, distinct, recent, request "
     "or\n"
     "requests; SIZE is a number, with KiB, MiB or GiB\nbehind it or not",
     "NAME=SIZE as --help has them, as in record=32MiB", set_limit},
    {"simd", 0, "PATH", CLI_READING | CLI_SERVE,
     "code path of the scanner: auto, portable, avx2 or\navx512 (default auto); results are the "
     "same",
     "auto, portable, avx2 or avx512", set_simd},
    {NULL, 'j', "N", CLI_READING, NULL, "an integer from 1 to 256", set_jobs},
    {"no-progress", 0, NULL, CLI_READING | CLI_SERVE, "never show progress", NULL, set_no_progress},
    {"quiet", 0, NULL, CLI_ALL,
     "no progress and no notes; an error that ends the\nrun is still said", NULL, set_quiet},
    {"color", 0, "WHEN", CLI_ALL, "colour messages: auto, always or never (default\nauto)",
     "auto, always or never", set_color},
    {"help", 0, NULL, CLI_ALL, "show this help", NULL, set_help},
    {"version", 0, NULL, CLI_ALL, "show the version", NULL, set_version},
};

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

const struct cli_option *cli_option_table(size_t *ret_count)
{
	*ret_count = TABLE_COUNT;
	return table;
}

/* What getopt_long() needs for one command. */
struct getopt_form {
	struct option longs[TABLE_COUNT + 1];
	char shorts[2 * TABLE_COUNT + 2];
};

static void getopt_form_fill(struct getopt_form *form, unsigned commands)
{
	size_t longs = 0;
	size_t shorts = 0;

	memset(form, 0, sizeof(*form));
	form->shorts[shorts++] = ':'; /* tells a missing value from an unknown option */
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		int has_value = table[i].value ? required_argument : no_argument;

		if (!(table[i].commands & commands))
			continue;
		if (table[i].name)
			form->longs[longs++] =
			    (struct option){table[i].name, has_value, NULL, FIRST_CODE + (int)i};
		if (table[i].letter) {
			form->shorts[shorts++] = table[i].letter;
			if (table[i].value)
				form->shorts[shorts++] = ':';
		}
	}
}

static const struct cli_option *option_by_code(int code)
{
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (code == FIRST_CODE + (int)i || (code && code == table[i].letter))
			return &table[i];
	}
	return NULL;
}

/* "--name" or "-x" as the user knows the option. */
static void option_title(const struct cli_option *option, char *title, size_t cap)
{
	if (option->name)
		(void)snprintf(title, cap, "--%s", option->name);
	else
		(void)snprintf(title, cap, "-%c", option->letter);
}

/* The option that getopt_long() stumbled over; code is what it returned. */
static void refuse(const struct cli_command *command, int code, const char *word,
		   struct cli_messages *messages)
{
	const struct cli_option *option = option_by_code(optopt);
	char title[64];

	if (option)
		option_title(option, title, sizeof(title));
	if (code == ':' && option)
		cli_message_usage(messages, title, "want %s, have nothing",
				  option->wanted ? option->wanted : "a value");
	else if (optopt >= FIRST_CODE && option)
		cli_message_usage(messages, title, "want no value, have \"%s\"",
				  strchr(word, '=') ? strchr(word, '=') + 1 : word);
	else if (optopt)
		cli_message_usage(messages, "", "unknown option \"-%c\"; see retriage %s --help",
				  optopt, command->name);
	else
		cli_message_usage(messages, "", "unknown option \"%s\"; see retriage %s --help",
				  word, command->name);
}

static void options_init(struct cli_options *options)
{
	*options = (struct cli_options){.recent = RT_RECENT_DEFAULT, .jobs = 1};
	options->style.pretty = isatty(STDOUT_FILENO);
	rt_limits_init(&options->limits);
}

bool cli_options_parse(const struct cli_command *command, int argc, char **argv,
		       struct cli_options *options, struct cli_messages *messages)
{
	struct getopt_form form;
	int code;

	getopt_form_fill(&form, command->bit);
	options_init(options);
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, form.shorts, form.longs, NULL)) != -1) {
		const struct cli_option *option = option_by_code(code);
		char title[64];

		if (!option) {
			refuse(command, code, argv[optind - 1], messages);
			return false;
		}
		if (!option->set(options, optarg)) {
			option_title(option, title, sizeof(title));
			cli_message_usage(messages, title, "want %s, have \"%s\"", option->wanted,
					  optarg);
			return false;
		}
		if (options->help || options->version)
			return true;
	}
	options->operands = (const char *const *)&argv[optind];
	options->operand_count = (size_t)(argc - optind);
	cli_messages_color(messages, options->color);
	return true;
}
