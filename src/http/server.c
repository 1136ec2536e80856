/*
 * The HTTP shim from its start to its end. libmicrohttpd's threads answer; the main thread accepts
 * connections, closes those of slow clients, and waits for the signal to end.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/instant.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/mask.h"
#include "files/files.h"
#include "http/server.h"

/* Milliseconds between two looks at slow clients, and at whether the service has failed. */
#define LOOK_MS 200
/* Milliseconds between two looks at requests that are being answered, while stopping, and at a
 * connection that is to end. */
#define DRAIN_MS 10
/* Memory of a connection: a head of RT_HTTP_HEAD_BYTES, the library's table of it, and more, so
 * that a head that is too long is seen and answered by us. */
#define CONNECTION_BYTES ((size_t)64 * 1024)

/* --- The log ------------------------------------------------------------------------------ */

void rt_server_log(struct rt_server *server, const char *line)
{
	if (!server->serve->log)
		return;
	(void)pthread_mutex_lock(&server->log_lock);
	server->serve->log(server->serve->log_ctx, line, strlen(line));
	(void)pthread_mutex_unlock(&server->log_lock);
}

void rt_server_note(struct rt_server *server, const char *fmt, ...)
{
	char text[2048] = "retriage: ";
	struct rt_buf line = {0};
	struct rt_error err;
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text + 10, sizeof(text) - 10, fmt, args);
	va_end(args);
	if (rt_mask(rt_slice_make(text, strlen(text)), RT_MASK_LINES_SHOW, &line, &err) == RT_OK &&
	    rt_buf_append(&line, "\n", 2, &err) == RT_OK)
		rt_server_log(server, line.data);
	rt_buf_release(&line);
}

/* A notice of the library, for the operator of the service. */
static void take_notice(void *ctx, const char *text)
{
	rt_server_note(ctx, "%s", text);
}

void rt_server_fail(struct rt_server *server, const struct rt_error *err)
{
	char line[RT_ERROR_LINE_MAX];

	if (server->has_failed)
		return;
	server->has_failed = true;
	*server->err = *err;
	rt_server_note(server, "the service ends: %s", rt_error_format(err, line, sizeof(line)));
}

/* --- Keys ------------------------------------------------------------------------------------ */

/* Of a name, as sscanf() has it; RT_KEY_NAME_MAX. */
#define NAME "%64[0-9A-Za-z._@-]"

/* All are compared to their last byte. */
static const char *find(const struct rt_keys *keys, const uint8_t digest[RT_SHA256_BYTES])
{
	const char *found = NULL;

	for (size_t i = 0; i < keys->count; i++) {
		if (CRYPTO_memcmp(keys->items[i].digest, digest, RT_SHA256_BYTES) == 0)
			found = keys->items[i].name;
	}
	return found;
}

static enum rt_status add(struct rt_keys *keys, const char *name,
			  const uint8_t digest[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_key *key;

	if (keys->count == RT_HTTP_KEYS_MAX)
		return rt_error_set(err, RT_E_LIMIT, "more than %u keys", RT_HTTP_KEYS_MAX);
	/* Two names for one key: the journal would name the wrong one. */
	if (find(keys, digest))
		return rt_error_set(
		    err, RT_E_INPUT,
		    "this key was given before, in this file or in RETRIAGE_API_KEY");
	key = &keys->items[keys->count++];
	(void)snprintf(key->name, sizeof(key->name), "%s", name);
	memcpy(key->digest, digest, RT_SHA256_BYTES);
	return RT_OK;
}

/* Add the keys of a key file's text. A line is "NAME sha256:HEX" with one space; empty lines and
 * lines that start with '#' are skipped. One name may have several keys; one key has one name. err
 * gets no line's text. */
static enum rt_status add_text(struct rt_keys *keys, struct rt_slice text, struct rt_error *err)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	for (uint64_t number = 1; at < end; number++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		char line[256] = "", name[RT_KEY_NAME_MAX + 1], blank[2], hex[RT_SHA256_HEX + 1];
		uint8_t digest[RT_SHA256_BYTES];
		int used = 0;
		enum rt_status status;

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, at);
		at = newline ? newline + 1 : end;
		if (len && line[len < sizeof(line) ? len - 1 : 0] == '\r')
			line[--len] = '\0';
		if (len == 0 || line[0] == '#')
			continue;
		if (sscanf(line, NAME "%1[ ]sha256:%64[0-9a-f]%n", name, blank, hex, &used) != 3 ||
		    (size_t)used != len || !rt_sha256_parse(hex, digest))
			status = rt_error_set(err, RT_E_INPUT,
					      "want NAME sha256:HEX with 64 lower-case hex digits; "
					      "--new-key NAME prints such a line");
		else
			status = add(keys, name, digest, err);
		err->line = number;
		err->column = 1;
		if (status != RT_OK)
			return status;
	}
	return RT_OK;
}

/*
 * A reader of the file learns who has a key, and a writer can add one. A file of somebody else, as
 * service managers provide it, may be shared with a group that only reads.
 */
static enum rt_status check_mode(int fd, struct rt_error *err)
{
	struct stat st = {.st_mode = 0};
	mode_t too_much;

	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_error_sys(err, errno, "cannot open the key file");
	too_much = st.st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
	if (!S_ISREG(st.st_mode) || !(st.st_mode & too_much))
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE,
			    "others can read or write the key file (mode %04o): chmod 600",
			    (unsigned)st.st_mode & 07777);
}

static enum rt_status add_file(struct rt_keys *keys, const char *path, struct rt_error *err)
{
	static const char *const words[] = {"cannot open the key file", "cannot read the key file",
					    "the key file exceeds 1 MiB"};
	struct rt_buf text = {0};
	/* A FIFO that nobody writes to is empty. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct rt_fault fault = {check_mode(fd, err), err};

	RT_STEP(&fault, rt_read_fd(fd, RT_HTTP_KEY_FILE_BYTES, words, &text, err));
	if (RT_STEP(&fault, add_text(keys, rt_buf_slice(&text), err)) != RT_OK)
		rt_error_at(err, path, NULL);
	rt_buf_release(&text);
	if (fd >= 0)
		(void)close(fd);
	return fault.status;
}

/* Add a key by itself, as "default". */
static enum rt_status add_key(struct rt_keys *keys, const char *key, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];

	for (const char *at = key; *at; at++) {
		if (*at <= ' ' || *at > '~')
			return rt_error_set(err, RT_E_USAGE,
					    "the key has characters that are not visible ASCII");
	}
	if (strlen(key) < RT_HTTP_KEY_CHARS_MIN)
		return rt_error_set(
		    err, RT_E_USAGE,
		    "the key has fewer than %u characters; --new-key NAME makes one",
		    RT_HTTP_KEY_CHARS_MIN);
	rt_sha256_of(rt_slice_make(key, strlen(key)), digest);
	return add(keys, "default", digest, err);
}

/* --- Starting ----------------------------------------------------------------------------- */

enum rt_status rt_serve_load(struct rt_error *err)
{
	return rt_late_load(RT_LATE_LIBMICROHTTPD, err);
}

static enum rt_status check_hosts(struct rt_server *server, struct rt_error *err)
{
	const struct rt_listen *listening = &server->listening;

	for (size_t i = 0; i < server->serve->allowed_host_count; i++) {
		const char *host = server->serve->allowed_hosts[i];

		if (!*host || strpbrk(host, " /@?#,"))
			return rt_error_set(
			    err, RT_E_USAGE,
			    "--allow-host: want a host such as example.org, have \"%s\"", host);
	}
	if (!listening->loopback)
		rt_server_note(server,
			       "%s:%u can be reached by other machines, unencrypted: put a "
			       "proxy with TLS in front",
			       listening->host, listening->port);
	return RT_OK;
}

/* Everything that can be wrong is found before the first connection is accepted. */
static enum rt_status prepare(struct rt_server *server, struct rt_error *err)
{
	const struct rt_serve *serve = server->serve;
	char now[RT_INSTANT_CHARS];

	if (rt_files_check(&server->options, true, err) != RT_OK)
		return RT_FATAL;
	if (!server->options.journal)
		return rt_error_set(err, RT_E_USAGE, "no journal is named");
	if (!rt_instant_format((int64_t)time(NULL), now))
		return rt_error_set(err, RT_E_IO, "want a clock between the years 0 and 9999");
	if ((serve->key && add_key(&server->keys, serve->key, err) != RT_OK) ||
	    (serve->key_file && add_file(&server->keys, serve->key_file, err) != RT_OK))
		return RT_FATAL;
	if (server->keys.count == 0)
		return rt_error_set(err, RT_E_USAGE, "there is no API key; --new-key makes one");
	if (rt_listen_open(serve->listen, &server->listening, err) != RT_OK ||
	    check_hosts(server, err) != RT_OK || rt_serve_load(err) != RT_OK)
		return RT_FATAL;
	return rt_service_open(&server->options, rt_slice_make(now, sizeof(now)), &server->service,
			       err);
}

static enum rt_status start_daemons(struct rt_server *server, struct rt_error *err)
{
	server->trims = strcmp(RT_MHD(get_version)(), "1") > 0;
	for (size_t i = 0; i < RT_HTTP_THREADS; i++) {
		server->daemons[i] = RT_MHD(start_daemon)(
		    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC, 0, NULL,
		    NULL, rt_handler_run, server, MHD_OPTION_NOTIFY_CONNECTION,
		    rt_connections_notify, server, MHD_OPTION_NOTIFY_COMPLETED, rt_handler_end,
		    server, MHD_OPTION_URI_LOG_CALLBACK, rt_handler_begin, server,
		    MHD_OPTION_CONNECTION_LIMIT, (unsigned)RT_CONNECTION_PLACES,
		    MHD_OPTION_CONNECTION_TIMEOUT, RT_HTTP_REQUEST_SECONDS,
		    MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
		    MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
		if (!server->daemons[i])
			return rt_error_set(err, RT_E_IO, "cannot start a thread of libmicrohttpd");
	}
	return RT_OK;
}

/* --- Running ------------------------------------------------------------------------------ */

/* Whether there is a byte on control_fd, or its end. */
static bool is_told_to_end(struct rt_server *server, short events)
{
	char byte;
	ssize_t got = events ? read(server->serve->control_fd, &byte, 1) : -1;

	return got >= 0 || (events && errno != EINTR && errno != EAGAIN);
}

/* Accept connections until the signal to end comes, or the service fails. */
static void run(struct rt_server *server)
{
	struct pollfd fds[3] = {{.fd = server->serve->control_fd, .events = POLLIN},
				{.fd = server->listening.fds[0], .events = POLLIN},
				{.fd = server->listening.fds[1], .events = POLLIN}};
	unsigned long long issues = rt_service_issues(server->service);
	unsigned long long entries = rt_service_entries(server->service);

	if (server->serve->ready)
		server->serve->ready(server->serve->log_ctx);
	rt_server_note(server, "ready on http://%s:%u (%llu issue%s, %llu entr%s)",
		       server->listening.host, server->listening.port, issues, RT_S(issues),
		       entries, entries == 1 ? "y" : "ies");
	server->most = rt_connections_most(server);
	while (!atomic_load(&server->has_failed)) {
		unsigned open = rt_connections_check(server);

		fds[1].events = fds[2].events = rt_connections_room(server) ? POLLIN : 0;
		/* Where one yields, its place is free in a moment. */
		if (poll(fds, 3, open > server->most ? DRAIN_MS : open ? LOOK_MS : -1) <= 0)
			continue;
		if (is_told_to_end(server, fds[0].revents))
			return;
		for (size_t i = 1; i < 3; i++) {
			if (fds[i].revents)
				rt_connections_accept(server, fds[i].fd);
		}
	}
}

/* Accept nothing more, wait until what has begun is answered, or a second signal comes, and end. */
static void stop(struct rt_server *server)
{
	uint64_t end = rt_clock_ms() + UINT64_C(1000) * RT_HTTP_REQUEST_SECONDS;
	struct pollfd control = {.fd = server->serve->control_fd, .events = POLLIN};

	atomic_store(&server->stopping, true);
	rt_listen_close(&server->listening);
	while (atomic_load(&server->requests) && rt_clock_ms() < end) {
		(void)poll(&control, 1, DRAIN_MS);
		if (is_told_to_end(server, control.revents))
			break;
	}
}

enum rt_status rt_serve(const struct rt_options *options, const struct rt_serve *serve,
			struct rt_error *err)
{
	struct rt_server *server = calloc(1, sizeof(*server));
	struct rt_fault fault = {RT_OK, err};

	if (!server)
		return rt_error_nomem(err);
	server->serve = serve;
	server->err = err;
	server->options = *options;
	server->options.notice = take_notice;
	server->options.notice_ctx = server;
	server->listening.fds[0] = server->listening.fds[1] = -1;
	(void)pthread_mutex_init(&server->lock, NULL);
	(void)pthread_mutex_init(&server->log_lock, NULL);
	RT_STEP(&fault, prepare(server, err));
	if (RT_STEP(&fault, start_daemons(server, err)) == RT_OK) {
		run(server);
		stop(server);
	}
	for (size_t i = 0; i < RT_HTTP_THREADS; i++) {
		if (server->daemons[i])
			RT_MHD(stop_daemon)(server->daemons[i]);
	}
	if (server->has_failed)
		fault.status = RT_FATAL;
	rt_service_free(server->service);
	rt_listen_close(&server->listening);
	free(server);
	return fault.status;
}

const char *rt_keys_find(const struct rt_keys *keys, const char *key)
{
	uint8_t digest[RT_SHA256_BYTES];

	if (!key)
		return NULL;
	rt_sha256_of(rt_slice_make(key, strlen(key)), digest);
	return find(keys, digest);
}

/* The key is base64url without padding (RFC 4648 §5). */
enum rt_status rt_serve_new_key(const char *name, char key[44], char line[160],
				struct rt_error *err)
{
	uint8_t bytes[32], digest[RT_SHA256_BYTES];
	char text[45], hex[RT_SHA256_HEX], good[RT_KEY_NAME_MAX + 1];

	if (sscanf(name, NAME, good) != 1 || strcmp(name, good) != 0)
		return rt_error_set(err, RT_E_USAGE,
				    "want a name of 1 to %u letters, digits and ._@-, have \"%s\"",
				    RT_KEY_NAME_MAX, name);
	if (!rt_random(bytes, sizeof(bytes)))
		return rt_error_sys(err, errno, "getrandom");
	(void)EVP_EncodeBlock((unsigned char *)text, bytes, sizeof(bytes));
	for (size_t i = 0; i < 43; i++)
		key[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
	key[43] = '\0';
	rt_sha256_of(rt_slice_make(key, 43), digest);
	rt_sha256_hex(digest, hex);
	(void)snprintf(line, 160, "%s sha256:%.*s", name, (int)RT_SHA256_HEX, hex);
	return RT_OK;
}
