/*
 * What the commands share: their descriptors, the state of one call, and the way in and out of a
 * run over a data set.
 */
#ifndef RT_CLI_COMMAND_H
#define RT_CLI_COMMAND_H

#include "cli/message.h"
#include "cli/options.h"

/* Exit statuses (SPEC D20). */
enum {
	CLI_EXIT_OK = 0,
	CLI_EXIT_NO = 1,     /* the answer is "no" */
	CLI_EXIT_USAGE = 2,  /* wrong usage or bad input */
	CLI_EXIT_SYSTEM = 3, /* I/O or memory */
};

/* The progress line of a long run on a terminal. */
struct cli_progress {
	uint64_t start; /* of the run, nanoseconds of the monotonic clock */
	uint64_t next;  /* when the line may change again */
};

/* One call of the program. */
struct cli {
	struct cli_options options;
	struct cli_messages messages;
	/* Of a run over a data set, set by cli_begin(). */
	const struct cli_command *command;
	struct rt_options input;    /* for the library: all operands */
	struct rt_options baseline; /* what that is compared with, if anything */
	struct rt_sink output; /* standard output; the progress line goes before it is written */
	struct rt_style style; /* of what goes there */
	int64_t now, at;       /* the present, and the one of --at or SOURCE_DATE_EPOCH */
	struct cli_progress progress;
	struct rt_error err; /* of the library's call, or of cli_put() */
	enum rt_status put;  /* of all cli_put() so far */
	bool choice_matched; /* a glob of --include or --exclude has matched a file */
	bool yes;            /* its answer; false is the exit status 1 */

	unsigned fault_lines; /* validate, apply: faults, or failed ids, that were said */
	uint64_t faults;      /* and those that were found */
	const char *changed;  /* apply, verify: something was written; what to say of it where
			       * standard output cannot be */
	bool pipe_ignored;    /* the parent process wants no SIGPIPE */
};

extern const struct cli_command cli_summary;
extern const struct cli_command cli_merge;
extern const struct cli_command cli_list;
extern const struct cli_command cli_decide;
extern const struct cli_command cli_diff;
extern const struct cli_command cli_carry;
extern const struct cli_command cli_rulesets;
extern const struct cli_command cli_gate;
extern const struct cli_command cli_report;
extern const struct cli_command cli_validate;
extern const struct cli_command cli_schema;
extern const struct cli_command cli_apply;
extern const struct cli_command cli_verify;
extern const struct cli_command cli_log;
extern const struct cli_command cli_lint;
extern const struct cli_command cli_serve; /* not with RT_WITHOUT_HTTP */
extern const struct cli_command cli_completion;
extern const struct cli_command cli_help;
extern const struct cli_command cli_version;

/* The command called name, or NULL. */
const struct cli_command *cli_command_find(const char *name);

/* The same; where there is none, a message was written. topics: what may stand there besides; NULL:
 * nothing. */
const struct cli_command *cli_command_by_name(struct cli *cli, const char *name,
					      const struct cli_topic *topics);

/*
 * Check that standard output goes elsewhere than to the files that the command reads or writes, and
 * standard error elsewhere than to those that it reads; then confine the process to what the
 * command and its options name, before anything of that is read.
 * Returns an exit status. Where it is not CLI_EXIT_OK, a message was written; where standard error
 * is such a file, nothing is said, then or later.
 */
int cli_confine(struct cli *cli, const struct cli_command *command);

/*
 * Prepare a run over the operands, or over standard input where the command reads it when there are
 * none: all of struct cli that the library's call needs. Results in a file are compact where
 * nothing else was asked for, and signals take temporary files away.
 * Returns false when standard input is a terminal that nobody asked to read, or a time is none; a
 * message was written.
 */
bool cli_begin(struct cli *cli, const struct cli_command *command);

/* Of commands that compare: the first operand is the baseline, the second the input. */
void cli_begin_two(struct cli *cli);

/*
 * Set cli->at by --at, else SOURCE_DATE_EPOCH, else cli->now. Returns false when SOURCE_DATE_EPOCH
 * is no number; a message was written.
 */
bool cli_choose_time(struct cli *cli);

/* Who updates: --actor, else the variable RETRIAGE_ACTOR, else, where it is written down, the
 * user's name, which is noted; NULL: nobody is named. */
const char *cli_choose_actor(struct cli *cli);

/* Note that the time of an update, or the present of a gate, is that of SOURCE_DATE_EPOCH, where it
 * is: builds set it for their own ends, and who set it may not have meant this. */
void cli_note_epoch(struct cli *cli, const char *what);

/* Write one line that is no error, unless --quiet is given. */
#define cli_note(cli, ...)                                                                         \
	((cli)->options.quiet ? (void)0 : cli_message_note(&(cli)->messages, __VA_ARGS__))

/* Who gives an option that does nothing may have meant another: note it. where: "without --..." */
void cli_note_idle(struct cli *cli, bool is_idle, const char *option, const char *where);

/*
 * Say a fault on standard error, up to a number of lines that a person will read; a callback of
 * the library. ctx: the struct cli.
 */
void cli_show_fault(void *ctx, const struct rt_error *fault);

/* Behind the last fault: say how many were not shown, and where they are to be found. */
void cli_show_more_faults(struct cli *cli, const char *where);

/*
 * End a run: takes the progress line away, writes cli->err where status is not RT_OK, else closes
 * standard output, checks that all of it arrived, and notes which options had no effect. Where
 * nobody reads standard output any more and nothing else was written, SIGPIPE ends the process, as
 * it ends a filter.
 * Returns the exit status, which is also that of the answer.
 */
int cli_end(struct cli *cli, enum rt_status status);

/* Close standard output after an answer without a run; status: as above. Returns the exit status.
 */
int cli_finish(struct cli *cli, enum rt_status status);

/* Write a text, or one of at most 511 bytes that is formatted as by printf, on standard output.
 * Nothing follows a write that has failed; cli_finish(cli, cli->put) says it. */
void cli_put(struct cli *cli, const char *text);
void cli_say(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
