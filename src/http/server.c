/*
 * The HTTP shim: start, control, stop. Input: an export with its journal, keys, an address.
 * Output: answers, until told to end.
 * Refuses to start without a key, and to go on when a flush failed.
 */
#include "http/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/limits.h"
#include "files/files.h"

/* Milliseconds between looks at the listening socket while it is left alone. */
#define PAUSE_MS 20
/* Milliseconds between looks at what is in flight while stopping. */
#define DRAIN_MS 10
/* Seconds for the last answers to be sent. */
#define LAST_ANSWERS_SECONDS 5u

/* --- Keys --------------------------------------------------------------------------------- */

/*
 * Who can read the file learns who has a key, and who can write to it lets himself in. A file of
 * somebody else, as service managers hand them over, may be shared with a group that only reads.
 */
static enum rt_status check_mode(const struct stat *st, struct rt_error *err)
{
	mode_t too_much = st->st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;

	if (!S_ISREG(st->st_mode) || !(st->st_mode & too_much))
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE,
			    "want a key file that nobody else can read or write, have mode %04o; "
			    "chmod 600 makes it one",
			    (unsigned)st->st_mode & 07777);
}

static enum rt_status read_file(int fd, struct rt_buf *out, struct rt_error *err)
{
	ssize_t got;

	do {
		if (out->len > RT_HTTP_KEY_FILE_BYTES)
			return rt_error_set(err, RT_E_LIMIT, "want a key file of at most 1 MiB");
		if (rt_buf_reserve(out, 4096, err) != RT_OK)
			return RT_FATAL;
		got = read(fd, out->data + out->len, 4096);
		if (got > 0)
			out->len += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? rt_error_sys(err, errno, "cannot read the key file") : RT_OK;
}

static enum rt_status read_key_file(struct rt_server *server, struct rt_keys *keys,
				    struct rt_error *err)
{
	const char *path = server->serve->key_file;
	struct rt_buf text = {0};
	enum rt_status status;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == EACCES)
		return rt_error_sys(err, errno,
				    "want a key file that belongs to whoever serves, and chmod 600 "
				    "on it");
	if (fd < 0)
		return rt_error_sys(err, errno, "cannot open the key file");
	status = fstat(fd, &st) == 0 ? check_mode(&st, err)
				     : rt_error_sys(err, errno, "cannot look at the key file");
	if (status == RT_OK)
		status = read_file(fd, &text, err);
	if (status == RT_OK)
		status =
		    rt_keys_add_file(keys, rt_slice_make(text.len ? text.data : "", text.len), err);
	rt_buf_release(&text);
	(void)close(fd);
	return status;
}

/* Read the key sources of `serve` into keys, empty before. */
static enum rt_status read_keys(struct rt_server *server, struct rt_keys *keys,
				struct rt_error *err)
{
	const struct rt_serve *serve = server->serve;

	if (serve->key &&
	    rt_keys_add_key(keys, rt_slice_make(serve->key, strlen(serve->key)), err) != RT_OK)
		return RT_FATAL;
	if (serve->key_file && read_key_file(server, keys, err) != RT_OK) {
		rt_error_at(err, serve->key_file, NULL);
		return RT_FATAL;
	}
	if (keys->count == 0)
		return rt_error_set(err, RT_E_USAGE,
				    "want at least one key to let somebody in, have none");
	return RT_OK;
}

/* Read the keys anew; bad ones leave those that are in use. */
static void reload_keys(struct rt_server *server)
{
	struct rt_keys fresh = {0}, old;
	struct rt_error err;

	if (read_keys(server, &fresh, &err) != RT_OK) {
		rt_http_log_error(&server->log, "the keys stay as they were", &err);
		rt_keys_release(&fresh);
		return;
	}
	(void)pthread_rwlock_wrlock(&server->keys_lock);
	old = server->keys;
	server->keys = fresh;
	(void)pthread_rwlock_unlock(&server->keys_lock);
	rt_keys_release(&old);
	rt_http_log_note(&server->log, "%zu key%s read", fresh.count, RT_S(fresh.count));
}

/* --- Starting ----------------------------------------------------------------------------- */

static enum rt_status allow_hosts(struct rt_server *server, struct rt_error *err)
{
	static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]"};
	const struct rt_listen *listening = &server->listening;
	const struct rt_serve *serve = server->serve;
	enum rt_status status =
	    rt_hosts_allow(&server->hosts, listening->host, listening->port, true, err);

	for (size_t i = 0; i < 3 && status == RT_OK && listening->loopback; i++)
		status = rt_hosts_allow(&server->hosts, loopback[i], listening->port, true, err);
	for (size_t i = 0; i < serve->allowed_host_count && status == RT_OK; i++)
		status = rt_hosts_allow(&server->hosts, serve->allowed_hosts[i], listening->port,
					false, err);
	return status;
}

static void say_address(struct rt_server *server)
{
	const struct rt_listen *listening = &server->listening;

	if (listening->loopback)
		return;
	rt_http_log_note(&server->log,
			 "%s:%u can be reached by other machines, and keys cross the network "
			 "unencrypted",
			 listening->host, listening->port);
	if (listening->any && server->serve->allowed_host_count == 0)
		rt_http_log_note(&server->log,
				 "requests have to name a Host that is served: allow theirs with "
				 "--allow-host");
}

/* A notice of the library, for whoever runs the service. */
static void take_notice(void *ctx, const char *text)
{
	struct rt_server *server = ctx;

	rt_http_log_note(&server->log, "%s", text);
}

static enum rt_status open_service(struct rt_server *server, struct rt_error *err)
{
	char text[RT_INSTANT_CHARS];

	if (!rt_instant_format((int64_t)time(NULL), text))
		return rt_error_set(err, RT_E_IO, "want a clock between the years 0 and 9999");
	return rt_service_open(&server->options, rt_slice_make(text, sizeof(text)),
			       &server->service, err);
}

/* Everything that can be wrong is found before the first connection is taken. */
static enum rt_status prepare(struct rt_server *server, struct rt_error *err)
{
	enum rt_status status = rt_files_check(&server->options, true, err);

	if (status == RT_OK && !server->options.journal)
		status = rt_error_set(err, RT_E_USAGE, "want a journal, have none");
	if (status == RT_OK)
		status = read_keys(server, &server->keys, err);
	if (status == RT_OK)
		status = rt_listen_open(server->serve->listen, &server->listening, err);
	if (status == RT_OK)
		status = allow_hosts(server, err);
	if (status == RT_OK) {
		server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (server->wake_fd < 0)
			return rt_error_sys(err, errno, "eventfd");
		say_address(server);
		status = open_service(server, err);
	}
	return status;
}

/* --- Running ------------------------------------------------------------------------------ */

/* Read commands. Returns whether one of them is to end. */
static bool obey(struct rt_server *server)
{
	char bytes[64];
	ssize_t got = read(server->serve->control_fd, bytes, sizeof(bytes));
	bool reload = false;

	if (got < 0)
		return errno != EINTR && errno != EAGAIN;
	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] == 't')
			return true;
		reload |= bytes[i] == 'h';
	}
	if (reload)
		reload_keys(server);
	server->control_over = got == 0;
	return got == 0;
}

/* Take connections until told to end, or until the committer failed; RT_FATAL: until there were
 * none to take any more. */
static enum rt_status control(struct rt_server *server, struct rt_error *err)
{
	struct pollfd fds[] = {
	    {.fd = server->serve->control_fd, .events = POLLIN},
	    {.fd = server->wake_fd, .events = POLLIN},
	    {.events = POLLIN},
	    {.events = POLLIN},
	};

	for (;;) {
		int ready;

		fds[2].fd = rt_connections_fd(server);
		fds[3].fd = fds[2].fd < 0 ? -1 : server->listening.other_fd;
		ready = poll(fds, 4, fds[2].fd < 0 ? PAUSE_MS : -1);
		if (ready <= 0)
			continue;
		if (fds[1].revents || (fds[0].revents && obey(server)))
			return RT_OK;
		for (size_t i = 2; i < 4; i++) {
			if (fds[i].revents && rt_connections_take(server, fds[i].fd, err) != RT_OK)
				return RT_FATAL;
		}
	}
}

/*
 * Wait until nothing is in flight, at most some seconds; or until the committer failed, or somebody
 * is in a hurry.
 */
static void drain(struct rt_server *server, unsigned seconds, bool until_failure)
{
	uint64_t end = rt_clock_ms() + (uint64_t)1000 * seconds;
	struct pollfd fds[] = {
	    {.fd = server->control_over ? -1 : server->serve->control_fd, .events = POLLIN},
	    {.fd = until_failure ? server->wake_fd : -1, .events = POLLIN},
	};

	while (!server->hurry && atomic_load(&server->requests) && rt_clock_ms() < end) {
		int ready = poll(fds, 2, DRAIN_MS);

		if (ready > 0 && fds[1].revents)
			return;
		server->hurry = ready > 0 && fds[0].revents && obey(server);
	}
}

/* The listening socket is closed, which turns away whoever still waits there, unless somebody else
 * holds it as well. */
static void stop(struct rt_server *server)
{
	atomic_store(&server->stopping, true);
	rt_listen_close(&server->listening);
	drain(server, RT_HTTP_REQUEST_SECONDS, true);
	rt_committer_stop(&server->committer);
	drain(server, LAST_ANSWERS_SECONDS, false);
	rt_connections_end(server);
	rt_document_release(server->rulesets.all);
}

static enum rt_status run(struct rt_server *server, struct rt_error *err)
{
	const struct rt_listen *listening = &server->listening;
	/* Asked while nobody else is in the service. */
	unsigned long long issues = rt_service_issues(server->service);
	unsigned long long entries = rt_service_entries(server->service);
	enum rt_status status;

	server->committer.service = server->service;
	server->committer.log = &server->log;
	server->committer.held = &server->held;
	server->committer.wake_fd = server->wake_fd;
	if (rt_committer_start(&server->committer, err) != RT_OK)
		return RT_FATAL;
	if (server->serve->ready)
		server->serve->ready(server->serve->log_ctx);
	rt_http_log_note(&server->log, "ready on http://%s:%u (%llu issue%s, %llu entr%s)",
			 listening->host, listening->port, issues, RT_S(issues), entries,
			 entries == 1 ? "y" : "ies");
	status = control(server, err);
	stop(server);
	return rt_committer_failed(&server->committer, err) ? RT_FATAL : status;
}

static void server_free(struct rt_server *server)
{
	rt_service_free(server->service);
	rt_keys_release(&server->keys);
	rt_hosts_release(&server->hosts);
	rt_listen_close(&server->listening);
	if (server->wake_fd >= 0)
		(void)close(server->wake_fd);
	free(server);
}

enum rt_status rt_serve(const struct rt_options *options, const struct rt_serve *serve,
			struct rt_error *err)
{
	struct rt_server *server = calloc(1, sizeof(*server));
	enum rt_status status;

	if (!server)
		return rt_error_nomem(err);
	server->serve = serve;
	server->options = *options;
	server->options.notice = take_notice;
	server->options.notice_ctx = server;
	server->log.json = serve->log_json;
	server->log.put = serve->log;
	server->log.ctx = serve->log_ctx;
	rt_http_log_init(&server->log);
	(void)pthread_mutex_init(&server->connections.lock, NULL);
	(void)pthread_mutex_init(&server->rulesets.lock, NULL);
	(void)pthread_rwlock_init(&server->keys_lock, NULL);
	server->listening.fd = server->listening.other_fd = server->wake_fd = -1;
	status = prepare(server, err);
	if (status == RT_OK)
		status = rt_http_log_start(&server->log, err);
	if (status == RT_OK)
		status = run(server, err);
	rt_http_log_stop(&server->log);
	server_free(server);
	return status;
}
