/*
 * The options of all commands: one table that parses them and that --help is written from.
 */
#ifndef RT_CLI_OPTIONS_H
#define RT_CLI_OPTIONS_H

#include "cli/message.h"

/* Groups of options that several commands take; those of one command stand beside it. */
enum {
	CLI_STATE = 1,        /* an answer from the state that a journal leads to */
	CLI_FORMAT = 2,       /* an answer in JSON or YAML */
	CLI_STYLE = 4,        /* how JSON is laid out */
	CLI_LIMITS = 8,       /* ceilings of what is read */
	CLI_SCANNER = 16,     /* how an export is read */
	CLI_CHOICE = 32,      /* which files and members of it */
	CLI_REPEATS = 64,     /* what becomes of ids that are there several times */
	CLI_FILTER = 128,     /* which issues are meant */
	CLI_CONDITIONS = 256, /* what the findings must fulfil */
	CLI_FILES = 512,      /* how files of any kind are read */
	CLI_BASELINE = 1024,  /* an earlier scan to compare with */
	CLI_MATCH = 2048,     /* how two scans are matched */
	CLI_EXPORTS = CLI_LIMITS | CLI_SCANNER | CLI_CHOICE | CLI_REPEATS,
};

/* As many options as a command may have. */
#define CLI_OPTIONS_MAX 64u

/* Texts of an option that may be given several times. */
#define CLI_TEXTS_MAX 64u

struct cli_texts {
	const char *texts[CLI_TEXTS_MAX];
	size_t count;
};

/* Expressions of --where, --not and --or, in their order. */
struct cli_terms {
	struct rt_term terms[CLI_TEXTS_MAX];
	size_t count;
};

/* What --to names; the names of the kinds are the library's. */
struct cli_outputs {
	struct rt_report_output list[CLI_TEXTS_MAX];
	size_t count;
};

/* --as: the places of its words; those of enum rt_kind come before. */
enum { CLI_AS_REQUEST = RT_KIND_RULESET + 1 };

/* What the command line says. Texts are borrowed from it. */
struct cli_options {
	const char *const *operands; /* EXPORT, REQUEST, JOURNAL, FILE or NAME */
	size_t operand_count;
	struct rt_options
	    input; /* how data sets are read; no paths yet, nor what they are compared with */
	struct rt_style style; /* of documents; see cli_stdout_style() */
	enum cli_color color;
	struct cli_texts include; /* globs */
	struct cli_texts exclude; /* likewise */
	unsigned recent;          /* summary */
	bool partial;             /* summary */
	const char *repo_id;      /* rulesets; NULL: all */
	bool org_wide;            /* rulesets */
	unsigned as; /* validate: enum rt_kind, or CLI_AS_REQUEST; list: enum rt_list_form */
	bool has_as;
	const char *old_journal, *new_journal; /* diff, carry; NULL: none */
	const char *requests;                  /* carry; NULL: none */
	bool apply;                            /* carry */
	unsigned accept;                       /* carry: place in its words */
	bool accepts;
	struct cli_texts baseline;    /* EXPORTs of an earlier scan */
	const char *baseline_journal; /* NULL: none */
	bool exit_code;               /* diff */
	const char *output;           /* apply, verify, summary; NULL: none; "-": standard output */
	const char *results; /* apply, verify: the file they go to; NULL: standard output */
	bool in_place;       /* apply */
	int64_t at;          /* apply: seconds since 1970; holds where has_at is set */
	bool has_at;
	const char *actor;              /* apply; NULL: nobody */
	bool strict;                    /* apply */
	const char *expect;             /* verify; NULL: nothing */
	const char *head;               /* verify; NULL: none */
	struct cli_texts request_files; /* verify */
	bool head_only;                 /* log */
	struct cli_texts issues;        /* log */
	struct cli_texts actors;        /* log */
	const char *since, *until;      /* log: times as rt_time_parse_from() has them, or NULL */
	const char *listen;             /* serve; NULL: as the library has it */
	struct cli_texts hosts;         /* serve */
	const char *key_file;           /* serve; NULL: none */
	const char *new_key;            /* serve: the name of a key to be made; NULL: none */
	struct cli_terms terms;         /* gate, report, list */
	uint64_t sla[5];                /* likewise; holds where has_sla is set */
	bool has_sla;
	struct rt_gate_options conditions; /* gate, report; without `at` */
	struct cli_outputs to;             /* report */
	struct rt_report report;           /* report: what is said by flags and numbers */
	struct cli_texts strip_prefixes;
	unsigned hide; /* report: place in the words; holds where hides is set */
	bool hides;
	unsigned reader;         /* report: likewise, of --for */
	struct rt_list list;     /* list: what is said by flags and texts */
	struct rt_decide decide; /* decide: what is said by flags, words and texts */
	unsigned dismiss;        /* decide: place in the words; holds where dismisses is set */
	bool dismisses, yes;     /* decide */
	struct cli_texts rules;  /* lint: NAME=LEVEL */
	unsigned rows;           /* list, decide */
	bool has_rows;
	bool has_format;           /* --format was given */
	bool has_layout;           /* --pretty or --compact was given */
	bool met[CLI_OPTIONS_MAX]; /* which options were given, as cli_option_rows() has them */
	bool quiet;
	bool no_progress;
	bool help;    /* --help was met; what follows it was not looked at */
	bool version; /* likewise --version */
};

/* What a value has to be, and what member of struct cli_options an option's is stored in. */
enum cli_type {
	CLI_PATH,        /* a file, a directory or "-", as operands mostly are; const char * */
	CLI_FLAG,        /* takes none; bool, true */
	CLI_FLAG_OFF,    /* takes none; bool, false */
	CLI_NUMBER,      /* an integer from min to max; unsigned */
	CLI_TEXT,        /* any text; const char * */
	CLI_NAME,        /* text that is not empty; const char * */
	CLI_PATH_OUTPUT, /* of what is written: a stream cannot be replaced, nor appended to for
			  * good, so that it cannot be "-"; const char * */
	CLI_WORD,        /* one of words; the index of it: unsigned or an enum */
	CLI_TIME,        /* seconds since 1970; int64_t */
	CLI_COUNT,       /* an integer from min on; uint64_t */
	CLI_LIMIT,       /* NAME=SIZE; struct rt_limits */
	CLI_MAX,     /* NAME=N, several times, each NAME once; uint64_t by NAME's place in words;
		      * max: what says that there is none, 0: RT_MAX_NONE */
	CLI_TO,      /* KIND=FILE, several times; struct cli_outputs */
	CLI_MEMBERS, /* a member that issues can be counted by, or two; const char * */
	CLI_TERM,    /* an expression, several times; min is its kind; struct cli_terms */
	CLI_NAMES,   /* a text that is not empty, several times; struct cli_texts */
	CLI_PATHS,   /* likewise, files, directories or "-" */
	CLI_GLOBS,   /* a glob, several times; struct cli_texts */
	CLI_SCHEMA,  /* an operand: the name of a schema */
	CLI_COMMAND, /* an operand: the name of a command */
	CLI_TOPIC,   /* an operand: the name of a command or of a topic of help */
};

/* Where --help of a command has an option. */
enum cli_section {
	CLI_IN_FULL = 0,
	CLI_IN_GATE,    /* in full in that of gate, elsewhere by its name */
	CLI_IN_LIST,    /* of report, by its name; in full in that of list */
	CLI_IN_FILTERS, /* by its name, as those that follow; in full in a topic, if any */
	CLI_IN_INPUT,
	CLI_IN_COMMON,
	CLI_SECTIONS,
};

struct cli_option {
	const char *name;         /* long name without its dashes; NULL: an operand */
	char letter;              /* short name; 0: none */
	enum cli_type type;       /* of its value */
	unsigned takes;           /* groups it belongs to; 0 in the common table: every command */
	size_t at;                /* CLI_AT() of the member it is stored in */
	size_t given;             /* CLI_AT() of a bool that becomes true with it; 0: none */
	unsigned min, max;        /* CLI_NUMBER */
	const char *const *words; /* CLI_WORD, CLI_MAX; ends with NULL */
	const char *value;        /* what --help calls its value; NULL: takes none */
	const char *wanted;       /* for the message about a bad value; NULL: follows from type */
	const char *help;         /* lines of at most 52 columns */
	const char *kinds;        /* of report: those that it is for, in words; NULL: all */
	enum cli_section section; /* where --help has it */
};

#define CLI_AT(member) offsetof(struct cli_options, member)

/* Severity levels, critical first; ends with NULL. */
extern const char *const cli_level_words[];

/* Of --format where there is a table, in the order of enum rt_format; ends with NULL. */
extern const char *const cli_format_words[];
extern const char *const cli_format_md_words[]; /* with "md" */

/*
 * A row of a table: the option's name, what its value has to be, the member that holds it, what
 * --help calls the value, and what --help says of the option; after that, fields of the row that
 * only some have. CLI_FLAG_ROW: of one that takes no value.
 */
#define CLI_ROW(option, kind, member, called, ...)                                                 \
	{                                                                                          \
		.name = option, .type = kind, .at = CLI_AT(member), .value = called,               \
		.help = __VA_ARGS__                                                                \
	}
#define CLI_FLAG_ROW(option, member, ...) CLI_ROW(option, CLI_FLAG, member, NULL, __VA_ARGS__)

/* The row of --format where there is a table; its help where that is the default of a terminal; and
 * the row of those that also write Markdown. */
#define CLI_FORMAT_ROW(text)                                                                       \
	CLI_ROW("format", CLI_WORD, style.format, "FORMAT", text, .words = cli_format_words,       \
		.given = CLI_AT(has_format))
#define CLI_FORMAT_TABLE "json, yaml or table (the default on a terminal)"
#define CLI_FORMAT_MD_ROW                                                                          \
	CLI_ROW("format", CLI_WORD, style.format, "FORMAT",                                        \
		"json, yaml, table or md, which is Markdown (default:\n"                           \
		"table on a terminal, json elsewhere)",                                            \
		.words = cli_format_md_words, .given = CLI_AT(has_format))

/* The rows of --rows and --at; text: what they are about. */
#define CLI_ROWS_ROW(text)                                                                         \
	CLI_ROW("rows", CLI_NUMBER, rows, "N", text, .max = 1000000, .given = CLI_AT(has_rows))
#define CLI_TIME_ROW(text) CLI_ROW("at", CLI_TIME, at, "TIME", text, .given = CLI_AT(has_at))

/* The row of --threads, of commands that read by several. */
#define CLI_THREADS_ROW                                                                            \
	CLI_ROW("threads", CLI_NUMBER, input.threads, "N",                                         \
		"count one large JSON file with N threads", .letter = 'j', .min = 1,               \
		.max = RT_THREADS_MAX)

struct cli;

struct cli_command {
	const char *name;
	const struct cli_option *options; /* its own; ends with {0}; NULL: none */
	unsigned takes;     /* groups of common options that it takes besides those of all */
	bool writes_tables; /* where no form is asked for, also when it is not to a terminal */
	/* Of a command that listens on a socket: loads what that needs, before the process is
	 * confined. Returns false after a message. */
	bool (*load)(struct cli *cli);
	size_t least, most;        /* how many operands it takes; most 0: any number */
	const char *wanted;        /* them, for the message about another number */
	struct cli_option operand; /* each of them: type, words, value; CLI_FLAG: none */
	const char *operands;      /* as the synopsis shows them */
	const char *group;         /* that `retriage help` has it in; NULL: it is not listed */
	const char *brief;         /* one line for the list of commands, of at most 57 columns */
	const char *help;          /* paragraphs for its own help, lines of at most 78 columns */
	const char *example;       /* one command line */
	/* Does the work. Returns the exit status. */
	int (*run)(struct cli *cli);
};

/* All commands in the order of --help; ends with NULL. */
extern const struct cli_command *const cli_commands[];

/* A text of `retriage help TOPIC`. */
struct cli_topic {
	const char *name;
	const char *text; /* lines of at most 80 columns */
};

/* All topics; ends with {0}. */
extern const struct cli_topic cli_topics[];

/* Fill rows with the options of a command in the order of --help. Returns how many there are. */
size_t cli_option_rows(const struct cli_command *command,
		       const struct cli_option *rows[CLI_OPTIONS_MAX]);

/*
 * The names that a value of this type may have, or begin with, one for each index from 0 on.
 * Returns NULL after the last, and where they are not known. Static storage.
 */
const char *cli_option_word(const struct cli_option *option, size_t index);

/* The bytes that a name at the front of a value ends before; "": the value is the name. */
const char *cli_option_ends(const struct cli_option *option);

/* Say that value is not what an option or an operand wants, and what is nearest to it. */
void cli_option_refuse(const struct cli_option *option, const char *value,
		       struct cli_messages *messages);

/*
 * Parse the arguments of one command. argv[0] is the command's name; argv is permuted.
 * options: set completely on success, and help or version alone when those were met.
 * Returns false when the usage is wrong; a message was written.
 */
bool cli_options_parse(const struct cli_command *command, int argc, char **argv,
		       struct cli_options *options, struct cli_messages *messages);

#endif
