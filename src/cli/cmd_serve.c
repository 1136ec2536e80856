/*
 * `retriage serve`: the HTTP shim (contract 4 and 5, SPEC D21). Standard error has a line a
 * request. With --new-key it makes a key instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

/* Milliseconds that a line waits for its reader, before lines are lost. */
#define STALL_MS 1000

/* Where the signal's handler writes for the library to read. A handler has no argument, so that it
 * has to be static; it is written once, before the handlers are there. */
static volatile sig_atomic_t control_fd = -1;

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	/* A full pipe has bytes enough. */
	if (write(control_fd, "t", 1) < 0)
		errno = saved;
	errno = saved;
}

/* The log's reader. */
struct reader {
	struct cli *cli;
	bool stalled;       /* it has stopped reading standard error */
	unsigned long lost; /* lines, since then */
};

/* From here on there is something to finish: until then a signal ends the process at once. */
static void on_ready(void *ctx)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	(void)ctx;
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
}

/* Write a line on standard error. Clients do not wait for a reader who has stopped: lines are lost
 * then, and counted. */
static void show_line(void *ctx, const char *line, size_t len)
{
	struct reader *reader = ctx;
	struct cli *cli = reader->cli;
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (cli->options.quiet)
		return;
	/* A pipe that is ready has room for PIPE_BUF bytes. */
	reader->stalled = poll(&out, 1, reader->stalled ? 0 : STALL_MS) == 0;
	if (reader->stalled) {
		reader->lost++;
		return;
	}
	if (reader->lost)
		cli_message_note(&cli->messages, "%lu line%s lost: nobody read them", reader->lost,
				 reader->lost == 1 ? " was" : "s were");
	reader->lost = 0;
	cli_message_lines(&cli->messages, line, len);
}

static int make_key(struct cli *cli, const char *name)
{
	char key[44], line[160];
	enum rt_status status = rt_serve_new_key(name, key, line, &cli->err);

	if (status != RT_OK)
		return cli_finish(cli, status);
	cli_say(cli, "%s\n%s\n", key, line);
	return cli_finish(cli, cli->put);
}

/* Give back what a long answer took once it is sent: glibc raises its bound for that with each long
 * block that is freed. */
static void bound_heaps(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	(void)mallopt(M_ARENA_MAX, 4);
#endif
}

/* Before the process gives up the right to read libraries. */
static bool load(struct cli *cli)
{
	if (cli->options.new_key || rt_serve_load(&cli->err) == RT_OK)
		return true;
	cli_message_error(&cli->messages, &cli->err);
	return false;
}

static int serve(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct reader reader = {.cli = cli};
	struct rt_serve serve = {
	    .listen = options->listen,
	    .key_file = options->key_file,
	    .key = getenv("RETRIAGE_API_KEY"),
	    .allowed_hosts = options->hosts.texts,
	    .allowed_host_count = options->hosts.count,
	    .log = show_line,
	    .log_ctx = &reader,
	    .ready = on_ready,
	};
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0) {
		cli_message_note(&cli->messages, "pipe: %s", strerror(errno));
		return CLI_EXIT_SYSTEM;
	}
	bound_heaps();
	serve.control_fd = fds[0];
	control_fd = fds[1];
	/* The pipe stays: a signal may come until the very end. */
	return cli_end(cli, rt_serve(&cli->input, &serve, &cli->err));
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
	if (!options->input.journal) {
		cli_message_usage(&cli->messages, "--journal",
				  "is missing; updates are kept in it");
		return CLI_EXIT_USAGE;
	}
	if (!options->key_file && !getenv("RETRIAGE_API_KEY")) {
		cli_message_usage(
		    &cli->messages, "--api-key-file",
		    "is missing, and so is a key in RETRIAGE_API_KEY; --new-key NAME makes one");
		return CLI_EXIT_USAGE;
	}
	return serve(cli);
}

static const struct cli_option own[] = {
    CLI_ROW("journal", CLI_PATH_OUTPUT, input.journal, "JOURNAL",
	    "the journal of EXPORT, which updates are written to;\nit is made if there is none"),
    CLI_ROW("listen", CLI_NAME, listen, "ADDR:PORT",
	    "numeric address and port, 0 for any free one;\nlocalhost:PORT is 127.0.0.1 and ::1, "
	    ":PORT is\n127.0.0.1; 0.0.0.0:PORT lets other machines in\n(default 127.0.0.1:8080)",
	    .wanted = "a numeric address and a port"),
    CLI_ROW("api-key-file", CLI_PATH, key_file, "FILE",
	    "accepted keys, \"NAME sha256:HEX\" a line; for its\nowner alone (chmod 600)"),
    CLI_ROW("allow-host", CLI_NAMES, hosts, "HOST",
	    "a Host that requests may name besides ADDR, as a\nproxy's; may be given several "
	    "times",
	    .wanted = "at most 64 hosts, none of them empty"),
    CLI_ROW("new-key", CLI_NAME, new_key, "NAME",
	    "print a fresh key, for X-API-Key, and below it the\nline for the key file, and end",
	    .wanted = "a name"),
    {0},
};

const struct cli_command cli_serve = {
    .name = "serve",
    .load = load,
    .options = own,
    .takes = CLI_LIMITS | CLI_SCANNER | CLI_REPEATS,
    .operands = "--journal JOURNAL EXPORT",
    .group = "serve",
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
