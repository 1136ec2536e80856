/*
 * The options of all commands: one table that parses them and that --help is written from.
 */
#ifndef RT_CLI_OPTIONS_H
#define RT_CLI_OPTIONS_H

#include "cli/message.h"

struct cli_command;

/* Which commands an option belongs to. */
enum {
	CLI_SUMMARY = 1,
	CLI_RULESETS = 2,
	CLI_VALIDATE = 4,
	CLI_SCHEMA = 8,
	CLI_APPLY = 16,
	CLI_VERIFY = 32,
	CLI_LOG = 64,
	CLI_SERVE = 128,
	CLI_READING = CLI_SUMMARY | CLI_RULESETS | CLI_VALIDATE | CLI_APPLY | CLI_VERIFY,
	CLI_ANSWERING = CLI_READING | CLI_LOG,
	CLI_ALL = CLI_ANSWERING | CLI_SCHEMA | CLI_SERVE,
};

/* Hosts that can be named with --allow-host; who has more puts a proxy in front. */
#define CLI_HOSTS_MAX 64u

/* What the command line says. Texts are borrowed from it. */
struct cli_options {
	const char *const *operands; /* EXPORT, REQUEST, JOURNAL, FILE or NAME */
	size_t operand_count;
	struct rt_limits limits;
	enum rt_simd simd;
	struct rt_style style;
	enum cli_color color;
	unsigned jobs;       /* threads that may be used */
	unsigned recent;     /* summary */
	const char *repo_id; /* rulesets; NULL: all */
	bool org_wide;       /* rulesets */
	enum rt_kind kind;   /* validate */
	bool requests;       /* validate: files are requests, not exports */
	const char *journal; /* summary, rulesets, apply, serve; NULL: none */
	const char *output;  /* apply, verify; NULL: none */
	bool in_place;       /* apply */
	int64_t at;          /* apply: seconds since 1970; holds where has_at is set */
	bool has_at;
	const char *actor;                /* apply; NULL: nobody */
	bool strict;                      /* apply */
	const char *expect;               /* verify; NULL: nothing */
	const char *head;                 /* verify; NULL: none */
	bool head_only;                   /* log */
	const char *listen;               /* serve; NULL: as the library has it */
	const char *hosts[CLI_HOSTS_MAX]; /* serve */
	size_t host_count;
	const char *key_file; /* serve; NULL: none */
	const char *new_key;  /* serve: the name of a key to be made; NULL: none */
	bool log_json;        /* serve */
	bool has_format;      /* --format was given */
	bool quiet;
	bool no_progress;
	bool help;    /* --help was met; what follows it was not looked at */
	bool version; /* likewise --version */
};

struct cli_option {
	const char *name;   /* long name without its dashes; NULL: short only */
	char letter;        /* short name; 0: none */
	const char *value;  /* what --help calls its value; NULL: takes none */
	unsigned commands;  /* bits of the commands that take it */
	const char *help;   /* lines of at most 52 columns; NULL: not shown */
	const char *wanted; /* for the message when set() refuses a value; NULL: it never does */
	/* Stores the value (NULL where it takes none). Returns whether it is a good one. */
	bool (*set)(struct cli_options *options, const char *text);
};

/* All options in the order of --help; *ret_count is set. Static storage. */
const struct cli_option *cli_option_table(size_t *ret_count);

/*
 * Parse the arguments of one command. argv[0] is the command's name; argv is permuted.
 * options: set completely on success, and help or version alone when those were met.
 * Returns false when the usage is wrong; a message was written.
 */
bool cli_options_parse(const struct cli_command *command, int argc, char **argv,
		       struct cli_options *options, struct cli_messages *messages);

#endif
