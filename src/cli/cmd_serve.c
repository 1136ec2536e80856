/*
 * `retriage serve`: the HTTP shim (contract 4 and 5, SPEC D21).
 * Input: an EXPORT and its journal, keys, signals. Output: answers to clients; standard error has
 * a line a request. Or, with --new-key, a fresh key.
 * Refuses to serve without a journal or without a key.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stdout.h"

/* Milliseconds that a line waits for whoever reads them, before lines are lost. */
#define STALL_MS 1000

/* Where a signal is told to the library. A handler has no argument to bring it along, so that it
 * has to be static; it is written once, before the handlers are there. */
static volatile sig_atomic_t control_fd = -1;

static void on_signal(int number)
{
	int saved = errno;

	/* A full pipe has commands enough. */
	if (write(control_fd, number == SIGHUP ? "h" : "t", 1) < 0)
		errno = saved;
	errno = saved;
}

static bool catch_signal(int number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	return sigaction(number, &action, NULL) == 0;
}

/* What is told of a running service, and to whom. */
struct told {
	struct cli *cli;
	bool stalled;       /* nobody reads standard error */
	unsigned long lost; /* lines, since then */
};

/* From here on there is something to finish: until then a signal ends the process at once. */
static void on_ready(void *ctx)
{
	(void)ctx;
	(void)catch_signal(SIGTERM);
	(void)catch_signal(SIGINT);
}

static void show_lost(struct told *told)
{
	char line[80];
	const char *what = told->lost == 1 ? "line was" : "lines were";

	if (told->cli->options.log == CLI_LOG_JSON) {
		(void)snprintf(line, sizeof(line), "{\"note\":\"%lu %s lost\"}\n", told->lost,
			       what);
		cli_message_lines(&told->cli->messages, line, strlen(line));
	} else {
		cli_message_note(&told->cli->messages, "%lu %s lost: nobody read them", told->lost,
				 what);
	}
	told->lost = 0;
}

/* The bytes of the whole lines at the start of lines that fit into one write; at least one line. */
static size_t first_lines(const char *lines, size_t len)
{
	const char *end = memrchr(lines, '\n', len < PIPE_BUF ? len : PIPE_BUF);

	if (!end)
		end = memchr(lines, '\n', len);
	return end ? (size_t)(end + 1 - lines) : len;
}

static unsigned long count_lines(const char *lines, size_t len)
{
	unsigned long count = 0;

	for (size_t i = 0; i < len; i++)
		count += lines[i] == '\n';
	return count;
}

/* Lines on standard error. Whoever reads them may stop to: clients do not wait for them. */
static void show_lines(void *ctx, const char *lines, size_t len)
{
	struct told *told = ctx;
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (told->cli->options.quiet)
		return;
	while (len) {
		size_t some = first_lines(lines, len);

		/* A pipe that is ready has room for PIPE_BUF bytes. */
		told->stalled = poll(&out, 1, told->stalled ? 0 : STALL_MS) == 0;
		if (told->stalled) {
			told->lost += count_lines(lines, some);
		} else {
			if (told->lost)
				show_lost(told);
			cli_message_lines(&told->cli->messages, lines, some);
		}
		lines += some;
		len -= some;
	}
}

/*
 * The socket that a service manager listens on for us (sd_listen_fds(3)). ret_listen: as --listen
 * has it; NULL: there is none. Returns false where there are several.
 */
static bool find_activated(const char **ret_listen)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	char own[24];

	*ret_listen = NULL;
	(void)snprintf(own, sizeof(own), "%ld", (long)getpid());
	if (!pid || !count || strcmp(pid, own) != 0)
		return true;
	*ret_listen = "fd:3";
	return strcmp(count, "1") == 0;
}

static int make_key(struct cli *cli, const char *name)
{
	char key[44], line[160], text[256];
	struct rt_error err;
	enum rt_status status = rt_serve_new_key(name, key, line, &err);

	if (status == RT_OK) {
		(void)snprintf(text, sizeof(text), "%s\n%s\n", key, line);
		status = cli_stdout_text(text, &err);
	}
	return cli_finish(cli, status, &err);
}

/*
 * Give back what a long answer took once it is sent: glibc raises its bound for that with each long
 * block that is freed, and has a heap for each of many threads.
 */
static void bound_heaps(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	(void)mallopt(M_ARENA_MAX, 4);
#endif
}

static int serve(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct told told = {.cli = cli};
	struct rt_serve serve = {
	    .listen = options->listen,
	    .key_file = options->key_file,
	    .key = getenv("RETRIAGE_API_KEY"),
	    .allowed_hosts = options->hosts.texts,
	    .allowed_host_count = options->hosts.count,
	    .log_json = options->log == CLI_LOG_JSON,
	    .log = show_lines,
	    .log_ctx = &told,
	    .ready = on_ready,
	};
	struct cli_run run;
	struct rt_error err;
	enum rt_status status;
	int fds[2];

	if (!serve.listen && !find_activated(&serve.listen)) {
		cli_message_usage(&cli->messages, "LISTEN_FDS", "want one socket, have \"%s\"",
				  getenv("LISTEN_FDS"));
		return CLI_EXIT_USAGE;
	}
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0) {
		cli_message_note(&cli->messages, "pipe: %s", strerror(errno));
		return CLI_EXIT_SYSTEM;
	}
	bound_heaps();
	serve.control_fd = fds[0];
	control_fd = fds[1];
	(void)catch_signal(SIGHUP);
	cli_run_begin_over(&run, cli, options->operands, 1);
	status = rt_serve(&run.input, &serve, &err);
	/* The pipe stays: a signal may come until the very end. */
	return cli_run_end(&run, status, &err);
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;

	if (options->new_key)
		return make_key(cli, options->new_key);
	if (options->operand_count != 1) {
		cli_message_usage(&cli->messages, "", "want one EXPORT, have %zu",
				  options->operand_count);
		return CLI_EXIT_USAGE;
	}
	if (!options->journal) {
		cli_message_usage(&cli->messages, "--journal", "want a path, have nothing");
		return CLI_EXIT_USAGE;
	}
	if (!options->key_file && !getenv("RETRIAGE_API_KEY")) {
		cli_message_usage(&cli->messages, "--api-key-file",
				  "want a file, or a key in RETRIAGE_API_KEY, have neither; "
				  "--new-key NAME makes a key");
		return CLI_EXIT_USAGE;
	}
	return serve(cli);
}

static const char *const log_words[] = {"text", "json", NULL}; /* CLI_LOG_TEXT, ... */

static const struct cli_option own[] = {
    {.name = "journal",
     .type = CLI_PATH_OUTPUT,
     .at = CLI_AT(journal),
     .value = "JOURNAL",
     .help = "the journal of EXPORT, which updates are written to;\nbegun where it is not there"},
    {.name = "listen",
     .type = CLI_NAME,
     .at = CLI_AT(listen),
     .value = "ADDR:PORT",
     .wanted = "a numeric address and a port",
     .help = "numeric address and port, 0 for any free one;\nlocalhost:PORT is 127.0.0.1 and ::1, "
	     ":PORT is\n127.0.0.1; 0.0.0.0:PORT lets other machines in\n(default 127.0.0.1:8080)"},
    {.name = "api-key-file",
     .type = CLI_PATH,
     .at = CLI_AT(key_file),
     .value = "FILE",
     .help = "keys that are let in, \"NAME sha256:HEX\" a line;\nfor its owner alone (chmod 600); "
	     "read anew on\nSIGHUP"},
    {.name = "allow-host",
     .type = CLI_NAMES,
     .at = CLI_AT(hosts),
     .value = "HOST",
     .wanted = "at most 64 hosts, none of them empty",
     .help = "a Host that requests may name besides ADDR, as a\nproxy's; may be given several "
	     "times"},
    {.name = "log",
     .type = CLI_WORD,
     .at = CLI_AT(log),
     .words = log_words,
     .value = "FORM",
     .help = "text or json: a line a request (default text)"},
    {.name = "new-key",
     .type = CLI_NAME,
     .at = CLI_AT(new_key),
     .value = "NAME",
     .wanted = "a name",
     .help = "print a fresh key, for X-API-Key, and below it the\nline for the key file, and end"},
    {0},
};

const struct cli_command cli_serve = {
    .name = "serve",
    .serves = true,
    .options = own,
    .takes = CLI_LIMITS | CLI_SCANNER | CLI_REPEATS,
    .operand = {.type = CLI_PATH},
    .operands = "--journal JOURNAL EXPORT",
    .brief = "the three operations of the service over HTTP",
    .help = "Answers PATCH /api/issues/bulk, GET /api/issues/summary and GET /api/rulesets\n"
	    "from the state of EXPORT and JOURNAL, besides GET /healthz and GET\n"
	    "/openapi.json. An update is in JOURNAL and on disk before it is answered.\n"
	    "EXPORT has to stay as it is. Requests need a key of --api-key-file, or the one\n"
	    "in the variable RETRIAGE_API_KEY, in the header X-API-Key; --new-key makes one.\n"
	    "SIGTERM ends it when what is in flight is answered.\n",
    .example = "retriage serve --journal audit.jsonl --api-key-file keys.txt scan.json.gz",
    .run = run,
};
