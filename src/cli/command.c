/*
 * What every command that reads a data set does before and after: options for the library, signals,
 * progress, and at the end the exit status. No command waits for a person to type a data set unless
 * "-" asks for it, or writes a message into a file that it reads.
 */
#include "cli/command.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/stdout.h"
#include "retriage.h"

/* --- Signals ---------------------------------------------------------------------------------- */

/*
 * A thread waits for SIGINT, SIGTERM and SIGHUP, removes temporary files and ends the process by
 * the signal. Signals that the parent process has set to be ignored stay ignored.
 */

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static sigset_t waited_for(void)
{
	struct sigaction action;
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < NUMBERS; i++) {
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
			(void)sigaddset(&set, numbers[i]);
	}
	return set;
}

static void *wait_for_one(void *unused)
{
	sigset_t set = waited_for();
	int number;

	(void)unused;
	if (sigwait(&set, &number) != 0)
		return NULL;
	rt_abandon();
	/* Its action is the default one: once it is let through, it ends the process. */
	(void)raise(number);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return NULL;
}

/*
 * From now on SIGINT, SIGTERM and SIGHUP take away the temporary files first, and then end the
 * process as they always do. Before any other thread is made. Without a thread for it they end the
 * process at once, and the next run on the same target takes the files away.
 */
static void interrupt_begin(void)
{
	sigset_t set = waited_for();
	pthread_t thread;

	/* Blocked in all threads, so that they reach the one that waits. */
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, wait_for_one, NULL) == 0)
		(void)pthread_detach(thread);
	else
		(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* --- The progress line ------------------------------------------------------------------------ */

/*
 * How much of the input is read, and how fast: a line on a terminal, from the second second on.
 */

#define SECOND UINT64_C(1000000000)
#define MEGABYTE 1e6

static uint64_t now(void)
{
	struct timespec ts = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/*
 * The progress callback of struct rt_options: shows a line after the first second, at most five
 * times a second. ctx: struct cli. done, total: bytes; a total of 0 is not known.
 */
static void progress_show(void *ctx, uint64_t done, uint64_t total)
{
	struct cli *cli = ctx;
	struct cli_progress *progress = &cli->progress;
	uint64_t at = now();
	double seconds = (double)(at - progress->start) / (double)SECOND;
	double rate = (double)done / MEGABYTE / seconds;
	char text[80];

	if (at < progress->next)
		return;
	progress->next = at + SECOND / 5;
	/* A file that grows while it is read has more bytes than it had: no percentage then. */
	if (total && done <= total)
		(void)snprintf(text, sizeof(text), "%3.0f%%  %.0f of %.0f MB  %.0f MB/s",
			       100.0 * (double)done / (double)total, (double)done / MEGABYTE,
			       (double)total / MEGABYTE, rate);
	else
		(void)snprintf(text, sizeof(text), "%.0f MB  %.0f MB/s", (double)done / MEGABYTE,
			       rate);
	cli_message_progress(&cli->messages, text);
}

/* --- Commands --------------------------------------------------------------------------------- */

/* Lines; who has more faults than that reads a report. */
#define FAULT_LINES_MAX 100u

const struct cli_command *cli_command_find(const char *name)
{
	size_t i = 0;

	while (cli_commands[i] && strcmp(cli_commands[i]->name, name) != 0)
		i++;
	return cli_commands[i];
}

/* Commands as other programs name them, and what does that here. */
static const struct {
	const char *name, *meant;
} elsewhere[] = {
    {"dismiss", "decide"},
    {"suppress", "decide"},
    {"ignore", "decide"},
    {"mark", "decide"},
    {"triage", "decide"},
    {"export", "report"},
    {"stats", "summary"},
    {"count", "summary"},
    {"compare", "diff"},
    {"check", "gate"},
    {"history", "log"},
    {"update", "apply"},
    {"audit", "verify"},
    {"merge-journal", "carry"},
    {"undo", "decide --reopen"},
    {"reopen", "decide --reopen"},
    {"show", "list --where id=ID"},
};

/* What a word that is no command may mean: another program's command, or a file. */
static const char *meant_by(const char *name, char *text, size_t cap)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		if (strcmp(elsewhere[i].name, name) == 0) {
			(void)snprintf(text, cap, "; did you mean \"retriage %s\"?",
				       elsewhere[i].meant);
			return text;
		}
	}
	if (access(name, F_OK) == 0) {
		(void)snprintf(text, cap, "; did you mean \"retriage summary %s\"?", name);
		return text;
	}
	return NULL;
}

const struct cli_command *cli_command_by_name(struct cli *cli, const char *name,
					      const struct cli_topic *topics)
{
	const struct cli_command *command = cli_command_find(name);
	struct rt_nearest nearest;
	char hint[RT_HINT_MAX], text[RT_HINT_MAX] = "";
	const char *meant, *otherwise = "; see retriage --help";
	size_t used = 0;

	if (command)
		return command;
	meant = meant_by(name, text, sizeof(text));
	rt_nearest_begin(&nearest, name, meant ? 0 : strlen(name));
	for (size_t i = 0; cli_commands[i] && !meant; i++)
		rt_nearest_offer(&nearest, cli_commands[i]->name);
	for (; topics && topics->name && !meant; topics++) {
		rt_nearest_offer(&nearest, topics->name);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 used ? ", " : "; topics: ", topics->name);
		otherwise = text;
	}
	cli_message_usage(&cli->messages, "", "%s \"%s\"%s",
			  used ? "neither a command nor a topic:" : "unknown command", name,
			  meant ? meant : rt_nearest_hint(&nearest, "", otherwise, hint));
	return NULL;
}

bool cli_choose_time(struct cli *cli)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	long long seconds;
	char *end;

	cli->at = cli->options.has_at ? cli->options.at : cli->now;
	if (cli->options.has_at || !epoch)
		return true;
	/* Beyond its range strtoll() gives the end of it, which is no year of four digits. */
	seconds = strtoll(epoch, &end, 10);
	cli->at = seconds;
	if (epoch[0] >= '0' && epoch[0] <= '9' && *end == '\0' && seconds <= RT_TIME_MAX)
		return true;
	cli_message_usage(&cli->messages, "SOURCE_DATE_EPOCH",
			  "want seconds since 1970, up to the year 9999, have \"%s\"", epoch);
	return false;
}

/* A variable that has something; NULL: it has not. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

const char *cli_choose_actor(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	const char *actor = options->actor ? options->actor : variable("RETRIAGE_ACTOR");

	if (actor || (!options->input.journal && !options->apply))
		return actor;
	actor = variable("LOGNAME");
	actor = actor ? actor : variable("USER");
	if (actor)
		cli_note(cli, "the actor is %s, who is logged in; --actor NAME names another",
			 actor);
	return actor;
}

void cli_note_epoch(struct cli *cli, const char *what)
{
	const char *epoch = cli->options.has_at ? NULL : getenv("SOURCE_DATE_EPOCH");

	if (epoch)
		cli_note(cli, "the %s is that of SOURCE_DATE_EPOCH, %s", what, epoch);
}

static void show_notice(void *ctx, const char *text)
{
	struct cli *cli = ctx;

	cli_note(cli, "%s", text);
}

/* A terminal may be both: an answer must not begin in the middle of the progress line. */
static enum rt_status write_output(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct cli *cli = ctx;

	cli_message_progress(&cli->messages, "");
	return cli_stdout.write(cli_stdout.ctx, data, len, err);
}

/* How the data set is read. */
static void begin_input(struct cli *cli, bool from_stdin)
{
	static const char *const standard_input[] = {"-"};
	const struct cli_options *options = &cli->options;
	struct rt_options *input = &cli->input;

	*input = options->input;
	input->paths = from_stdin ? standard_input : options->operands;
	input->path_count = from_stdin ? 1 : options->operand_count;
	input->input_fd = STDIN_FILENO;
	input->choice = (struct rt_choice){options->include.texts, options->include.count,
					   options->exclude.texts, options->exclude.count,
					   &cli->choice_matched};
	input->strip_prefixes = options->strip_prefixes.texts;
	input->strip_prefix_count = options->strip_prefixes.count;
	input->sla = options->has_sla ? options->sla : NULL;
	input->notice = show_notice;
	input->notice_ctx = cli;
	if (options->baseline.count) {
		cli->baseline = *input;
		cli->baseline.paths = options->baseline.texts;
		cli->baseline.path_count = options->baseline.count;
		cli->baseline.journal = options->baseline_journal;
		input->baseline = &cli->baseline;
	}
	cli->progress.start = now();
	cli->progress.next = cli->progress.start + SECOND;
	if (!options->quiet && !options->no_progress && isatty(STDERR_FILENO)) {
		input->progress = progress_show;
		input->progress_ctx = cli;
	}
}

bool cli_begin(struct cli *cli, const struct cli_command *command)
{
	struct cli_options *options = &cli->options;
	bool to_stdout =
	    !options->results && !(options->output && strcmp(options->output, "-") == 0);
	/* Of commands that read an export and name no operand that they need. */
	bool from_stdin = !options->operand_count && !command->least && !command->load &&
			  (command->takes & CLI_SCANNER);
	bool has_time = false;

	for (const struct cli_option *row = command->options; row && row->name; row++)
		has_time = has_time || row->at == CLI_AT(at);
	cli->command = command;
	cli->now = (int64_t)time(NULL);
	if (has_time && !cli_choose_time(cli))
		return false;
	if (from_stdin && isatty(STDIN_FILENO)) {
		cli_message_usage(&cli->messages, "",
				  "EXPORT is missing; - reads standard input from a terminal");
		return false;
	}
	if (options->results && !options->has_layout)
		options->style.pretty = false;
	if (options->output || options->in_place || options->results || options->requests ||
	    options->to.count)
		interrupt_begin();
	cli->style = cli_stdout_style(options, command->writes_tables ||
						   (to_stdout && isatty(STDOUT_FILENO)));
	cli->output = (struct rt_sink){write_output, cli};
	cli->yes = true;
	begin_input(cli, from_stdin);
	return true;
}

void cli_begin_two(struct cli *cli)
{
	cli->baseline = cli->input;
	cli->baseline.path_count = 1;
	cli->baseline.journal = cli->options.old_journal;
	cli->input.paths++;
	cli->input.path_count = 1;
	cli->input.journal = cli->options.new_journal;
}

void cli_show_fault(void *ctx, const struct rt_error *fault)
{
	struct cli *cli = ctx;

	cli->faults++;
	if (cli->options.quiet || cli->fault_lines == FAULT_LINES_MAX)
		return;
	cli->fault_lines++;
	cli_message_error(&cli->messages, fault);
}

void cli_show_more_faults(struct cli *cli, const char *where)
{
	uint64_t more = cli->faults - cli->fault_lines;

	if (!cli->options.quiet && more)
		cli_message_note(&cli->messages, "%" PRIu64 " more fault%s%s", more,
				 more == 1 ? "" : "s", where);
}

void cli_note_idle(struct cli *cli, bool is_idle, const char *option, const char *where)
{
	if (is_idle)
		cli_note(cli, "--%s has no effect %s", option, where);
}

/* Globs that have matched no file may have been meant for paths of findings. */
static void note_idle_globs(struct cli *cli, const struct cli_texts *globs, const char *option,
			    const char *filter)
{
	if (!globs->count || cli->choice_matched)
		return;
	if (cli->command->takes & CLI_FILTER)
		cli_note(cli, "--%s matched no file; for paths of findings: %s path=%s", option,
			 filter, globs->texts[0]);
	else
		cli_note(cli, "--%s matched no file", option);
}

static void note_idle_options(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	bool has_baseline = options->baseline.count, carries = cli->command == &cli_carry;
	const char *no_journal =
	    carries ? "without --new-journal and --apply" : "without --journal";

	note_idle_globs(cli, &options->include, "include", "--where");
	note_idle_globs(cli, &options->exclude, "exclude", "--not");

	cli_note_idle(cli, options->org_wide && !options->repo_id, "org-wide", "without --repo-id");
	cli_note_idle(cli, options->baseline_journal && !has_baseline, "baseline-journal",
		      "without --baseline");
	cli_note_idle(cli, options->input.fingerprint && !has_baseline && !options->operand_count,
		      "fingerprint", "without --baseline");
	cli_note_idle(cli, options->actor && !options->input.journal && !options->apply, "actor",
		      no_journal);
	cli_note_idle(cli, options->input.threads && options->partial, "threads", "with --partial");
	if (options->has_layout && options->style.format == RT_FORMAT_YAML)
		cli_note(cli, "--pretty and --compact have no effect on YAML");
}

int cli_end(struct cli *cli, enum rt_status status)
{
	int exit_status = cli_finish(cli, status);

	if (exit_status != CLI_EXIT_OK)
		return exit_status;
	note_idle_options(cli);
	return cli->yes ? CLI_EXIT_OK : CLI_EXIT_NO;
}

/* Whether err says no more than that nobody reads the answer. */
static bool answer_unread(const struct cli *cli, const struct rt_error *err)
{
	return !cli->changed && !cli->pipe_ignored && cli_stdout_unread(err);
}

/* Returns only where the signal cannot be had. */
static void end_by_sigpipe(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGPIPE);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int cli_finish(struct cli *cli, enum rt_status status)
{
	size_t len;

	cli_message_progress(&cli->messages, "");
	if (status == RT_OK) {
		status = cli_stdout_close(&cli->err);
		len = strlen(cli->err.message);
		if (status != RT_OK && cli->changed)
			(void)snprintf(cli->err.message + len, sizeof(cli->err.message) - len, "%s",
				       cli->changed);
	}
	if (status == RT_OK)
		return CLI_EXIT_OK;
	if (answer_unread(cli, &cli->err))
		end_by_sigpipe();
	cli_message_error(&cli->messages, &cli->err);
	return rt_error_exit_status(&cli->err);
}

void cli_put(struct cli *cli, const char *text)
{
	if (cli->put == RT_OK)
		cli->put = cli_stdout.write(cli_stdout.ctx, text, strlen(text), &cli->err);
}

void cli_say(struct cli *cli, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cli_put(cli, text);
}
