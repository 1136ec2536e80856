/*
 * Log lines, as text or as JSON objects. Input: requests that are over, notes, errors, of any
 * thread. Output: masked lines to the caller's function, in their order and many at a time: one
 * thread hands over what has gathered, so that nobody who answers a client waits for a write.
 * Refuses to show control bytes, bidirectional controls and invalid UTF-8, queries (they are data)
 * and paths of any length. A line for which there is no memory is lost; where the half that lines
 * wait in is full, those who have one wait.
 */
#include "http/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/instant.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "http/target.h"

/* How long lines gather: a person sees no difference, and thousands a second become one write. */
#define GATHER_NS 1000000L
#define SECOND_NS 1000000000L

#define REPLACEMENT "\xEF\xBF\xBD"

/* Append text with what is no UTF-8, and with `unsafe` what can steer a terminal, as U+FFFD. */
static enum rt_status append_masked(struct rt_slice text, bool unsafe, struct rt_buf *out,
				    struct rt_error *err)
{
	enum rt_status status = RT_OK;
	size_t at = 0, shown = 0; /* what stands between them is shown as it is */

	while (at < text.len && status == RT_OK) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (len && !(unsafe && rt_utf8_is_unsafe(rt_utf8_decode(text.ptr + at, len)))) {
			at += len;
			continue;
		}
		status = rt_buf_append(out, text.ptr + shown, at - shown, err);
		if (status == RT_OK)
			status = rt_buf_append(out, REPLACEMENT, 3, err);
		at += len ? len : 1;
		shown = at;
	}
	return status == RT_OK ? rt_buf_append(out, text.ptr + shown, at - shown, err) : status;
}

enum rt_status rt_http_json_text(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	struct rt_buf clean = {0};
	enum rt_status status = append_masked(text, false, &clean, err);

	if (status == RT_OK)
		status = rt_json_string_encode(rt_buf_slice(&clean), out, err);
	rt_buf_release(&clean);
	return status;
}

/* --- Handing over ------------------------------------------------------------------------- */

void rt_http_log_init(struct rt_http_log *log)
{
	pthread_condattr_t attributes;

	(void)pthread_mutex_init(&log->lock, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&log->come, &attributes);
	(void)pthread_cond_init(&log->taken, NULL);
	(void)pthread_condattr_destroy(&attributes);
}

/* Let lines gather after the first one, so that a write is for many. Has the lock. */
static void gather(struct rt_http_log *log)
{
	struct timespec until;
	int waited = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += GATHER_NS;
	if (until.tv_nsec >= SECOND_NS) {
		until.tv_nsec -= SECOND_NS;
		until.tv_sec++;
	}
	while (log->len < RT_HTTP_LOG_BYTES / 2 && !log->stop && waited == 0)
		waited = pthread_cond_timedwait(&log->come, &log->lock, &until);
}

/* Put what waits, if anything does. Has the lock, but for the time that it takes to put. */
static void put_waiting(struct rt_http_log *log)
{
	const char *lines = log->text[log->half];
	size_t len = log->len;

	log->half = !log->half;
	log->len = 0;
	(void)pthread_cond_broadcast(&log->taken);
	(void)pthread_mutex_unlock(&log->lock);
	if (len)
		log->put(log->ctx, lines, len);
	(void)pthread_mutex_lock(&log->lock);
}

/* The thread's function. ctx: the log. */
static void *run(void *ctx)
{
	struct rt_http_log *log = ctx;

	(void)pthread_mutex_lock(&log->lock);
	while (log->len || !log->stop) {
		log->idle = true;
		while (log->len == 0 && !log->stop)
			(void)pthread_cond_wait(&log->come, &log->lock);
		log->idle = false;
		gather(log);
		put_waiting(log);
	}
	(void)pthread_mutex_unlock(&log->lock);
	return NULL;
}

enum rt_status rt_http_log_start(struct rt_http_log *log, struct rt_error *err)
{
	int sys = log->put ? pthread_create(&log->thread, NULL, run, log) : 0;

	log->running = log->put && sys == 0;
	return sys == 0 ? RT_OK : rt_error_sys(err, sys, "thread");
}

void rt_http_log_stop(struct rt_http_log *log)
{
	if (!log->running)
		return;
	(void)pthread_mutex_lock(&log->lock);
	log->stop = true;
	(void)pthread_cond_signal(&log->come);
	(void)pthread_mutex_unlock(&log->lock);
	(void)pthread_join(log->thread, NULL);
	log->running = false;
}

/* Let a line wait for the thread. Has the lock. */
static void leave_line(struct rt_http_log *log, const struct rt_buf *line)
{
	while (log->len + line->len > RT_HTTP_LOG_BYTES)
		(void)pthread_cond_wait(&log->taken, &log->lock);
	memcpy(log->text[log->half] + log->len, line->data, line->len);
	log->len += line->len;
	if (log->idle || log->len >= RT_HTTP_LOG_BYTES / 2)
		(void)pthread_cond_signal(&log->come);
	log->idle = false;
}

/* End the line in buf and hand it over; status: whether all of it could be made. */
static void put_line(struct rt_http_log *log, struct rt_buf *buf, enum rt_status status)
{
	struct rt_error err;

	if (status == RT_OK && rt_buf_append(buf, "\n", 1, &err) == RT_OK && log->put) {
		(void)pthread_mutex_lock(&log->lock);
		if (log->running && buf->len <= RT_HTTP_LOG_BYTES)
			leave_line(log, buf);
		else
			log->put(log->ctx, buf->data, buf->len);
		(void)pthread_mutex_unlock(&log->lock);
	}
	rt_buf_release(buf);
}

static enum rt_status append(struct rt_buf *out, struct rt_error *err, const char *fmt, ...)
    RT_PRINTF(3, 4);

/* Append a few numbers and short texts of our own. */
static enum rt_status append(struct rt_buf *out, struct rt_error *err, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(text))
		return RT_FATAL;
	return rt_buf_append(out, text, (size_t)len, err);
}

/* The time of a line, with a NUL. */
static void spell_time(int64_t seconds, char text[RT_INSTANT_CHARS + 1])
{
	if (!rt_instant_format(seconds, text))
		memcpy(text, "0000-00-00T00:00:00Z", RT_INSTANT_CHARS);
	text[RT_INSTANT_CHARS] = '\0';
}

static struct rt_slice cut(struct rt_slice text, size_t max)
{
	return text.len > max ? rt_slice_make(text.ptr, max) : text;
}

/* The path of a target: queries hold data, and sometimes secrets that were put there by mistake,
 * and so may whatever stands in the place of a target and is none. */
static struct rt_slice path_of(struct rt_slice target)
{
	struct rt_target parsed;

	if (!rt_target_parse(target, &parsed))
		return RT_SLICE("-");
	return cut(parsed.path, RT_HTTP_LOG_PATH_BYTES);
}

/* Likewise a method. */
static struct rt_slice method_of(struct rt_slice method)
{
	for (size_t i = 0; i < method.len; i++) {
		if (method.ptr[i] < 'A' || method.ptr[i] > 'Z')
			return RT_SLICE("-");
	}
	return method.len ? method : RT_SLICE("-");
}

static enum rt_status access_text(const struct rt_http_access *access, struct rt_buf *out,
				  struct rt_error *err)
{
	char at[RT_INSTANT_CHARS + 1];
	enum rt_status status;

	spell_time(access->at, at);
	status = append(out, err, "%s ", at);
	if (status == RT_OK)
		status = append_masked(method_of(access->method), true, out, err);
	if (status == RT_OK)
		status = rt_buf_append(out, " ", 1, err);
	if (status == RT_OK)
		status = append_masked(path_of(access->target), true, out, err);
	if (status == RT_OK)
		status = append(out, err, " %03u %" PRIu64 " %" PRIu64 ".%03ums %s %s",
				access->status, access->bytes, access->microseconds / 1000,
				(unsigned)(access->microseconds % 1000),
				access->name[0] ? access->name : "-", access->peer);
	return status;
}

static enum rt_status access_json(const struct rt_http_access *access, struct rt_buf *out,
				  struct rt_error *err)
{
	char at[RT_INSTANT_CHARS + 1];
	enum rt_status status;

	spell_time(access->at, at);
	status = append(out, err, "{\"at\":\"%s\",\"method\":", at);
	if (status == RT_OK)
		status = rt_http_json_text(method_of(access->method), out, err);
	if (status == RT_OK)
		status = rt_buf_append(out, ",\"path\":", 8, err);
	if (status == RT_OK)
		status = rt_http_json_text(path_of(access->target), out, err);
	if (status == RT_OK)
		status =
		    append(out, err,
			   ",\"status\":%u,\"bytes\":%" PRIu64 ",\"ms\":%" PRIu64
			   ".%03u,\"key\":%s%s%s,\"peer\":\"%s\"}",
			   access->status, access->bytes, access->microseconds / 1000,
			   (unsigned)(access->microseconds % 1000), access->name[0] ? "\"" : "",
			   access->name[0] ? access->name : "null", access->name[0] ? "\"" : "",
			   access->peer);
	return status;
}

void rt_http_log_access(struct rt_http_log *log, const struct rt_http_access *access)
{
	struct rt_buf line = {0};
	struct rt_error err;
	enum rt_status status;

	status = log->json ? access_json(access, &line, &err) : access_text(access, &line, &err);
	put_line(log, &line, status);
}

static void put_note(struct rt_http_log *log, const char *text)
{
	struct rt_slice slice = {text, strlen(text)};
	char at[RT_INSTANT_CHARS + 1];
	struct rt_buf line = {0};
	struct rt_error err;
	enum rt_status status;

	if (log->json) {
		spell_time((int64_t)time(NULL), at);
		status = append(&line, &err, "{\"at\":\"%s\",\"note\":", at);
		if (status == RT_OK)
			status = rt_http_json_text(slice, &line, &err);
		if (status == RT_OK)
			status = rt_buf_append(&line, "}", 1, &err);
	} else {
		/* A message as all others of the program; lines of requests begin with a time. */
		status = rt_buf_append(&line, "retriage: ", 10, &err);
		if (status == RT_OK)
			status = append_masked(slice, true, &line, &err);
	}
	put_line(log, &line, status);
}

void rt_http_log_note(struct rt_http_log *log, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put_note(log, text);
}

void rt_http_log_error(struct rt_http_log *log, const char *what, const struct rt_error *err)
{
	char line[RT_ERROR_LINE_MAX];

	rt_http_log_note(log, "%s: %s", what, rt_error_format(err, line, sizeof(line)));
}
