/*
 * Makes answers. Input: bodies; or a status and what is wrong. Output: heads, problem documents.
 * Texts that came from a request are made UTF-8 and escaped as JSON.
 */
#include "http/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "http/log.h"

/* Names of statuses (RFC 9110 §15). */
static const char *title_of(unsigned status)
{
	static const struct {
		unsigned status;
		const char *title;
	} titles[] = {
	    {200, "OK"},
	    {204, "No Content"},
	    {400, "Bad Request"},
	    {401, "Unauthorized"},
	    {403, "Forbidden"},
	    {404, "Not Found"},
	    {405, "Method Not Allowed"},
	    {413, "Content Too Large"},
	    {414, "URI Too Long"},
	    {415, "Unsupported Media Type"},
	    {421, "Misdirected Request"},
	    {422, "Unprocessable Content"},
	    {431, "Request Header Fields Too Large"},
	    {501, "Not Implemented"},
	    {503, "Service Unavailable"},
	    {505, "HTTP Version Not Supported"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (titles[i].status == status)
			return titles[i].title;
	}
	return "Internal Server Error";
}

/* --- Documents ---------------------------------------------------------------------------- */

struct rt_document *rt_document_new(struct rt_buf *text, rt_held *held)
{
	struct rt_document *document = malloc(sizeof(*document));
	char *fitted;

	if (!document)
		return NULL;
	/* It may wait for long; what it does not need is given back. */
	fitted = realloc(text->data, text->len);
	if (fitted) {
		text->data = fitted;
		text->cap = text->len;
	}
	atomic_init(&document->users, 1);
	document->held = held;
	document->text = *text;
	*text = (struct rt_buf){0};
	if (held)
		(void)atomic_fetch_add(held, document->text.len);
	return document;
}

struct rt_document *rt_document_share(struct rt_document *document)
{
	(void)atomic_fetch_add(&document->users, 1);
	return document;
}

void rt_document_release(struct rt_document *document)
{
	if (!document || atomic_fetch_sub(&document->users, 1) != 1)
		return;
	if (document->held)
		(void)atomic_fetch_sub(document->held, document->text.len);
	rt_buf_release(&document->text);
	free(document);
}

/* --- Answers ------------------------------------------------------------------------------ */

void rt_reply_release(struct rt_reply *reply)
{
	rt_document_release(reply->document);
	*reply = (struct rt_reply){0};
}

void rt_reply_text(struct rt_reply *reply, struct rt_slice text)
{
	rt_reply_release(reply);
	reply->status = 200;
	reply->body = text;
}

void rt_reply_json(struct rt_reply *reply, struct rt_document *document)
{
	rt_reply_text(reply, rt_buf_slice(&document->text));
	reply->document = document;
}

static enum rt_status write_problem(unsigned status, const char *detail, struct rt_slice errors,
				    struct rt_buf *out, struct rt_error *err)
{
	char start[128];
	int len = snprintf(start, sizeof(start),
			   "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%u,\"detail\":",
			   title_of(status), status);
	enum rt_status done = rt_buf_append(out, start, (size_t)len, err);

	if (done == RT_OK)
		done = rt_http_json_text(rt_slice_make(detail, strlen(detail)), out, err);
	if (done == RT_OK && errors.ptr) {
		done = rt_buf_append(out, ",\"errors\":[", 11, err);
		if (done == RT_OK)
			done = rt_buf_append(out, errors.ptr, errors.len, err);
		if (done == RT_OK)
			done = rt_buf_append(out, "]", 1, err);
	}
	return done == RT_OK ? rt_buf_append(out, "}\n", 2, err) : done;
}

void rt_reply_problem(struct rt_reply *reply, unsigned status, const char *detail,
		      struct rt_slice errors)
{
	static const char no_memory[] =
	    "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
	    "\"detail\":\"out of memory\"}\n";
	struct rt_document *document = NULL;
	struct rt_buf body = {0};
	struct rt_error err;

	if (write_problem(status, detail, errors, &body, &err) == RT_OK)
		document = rt_document_new(&body, NULL);
	if (document) {
		rt_reply_json(reply, document);
		reply->status = status;
	} else {
		rt_reply_text(reply, rt_slice_make(no_memory, sizeof(no_memory) - 1));
		reply->status = 503;
	}
	reply->is_problem = true;
	rt_buf_release(&body);
}

/* The time as RFC 9110 §5.6.7 has it; "" where the clock is beyond its years. */
static void spell_date(int64_t at, char date[40])
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm;
	time_t seconds = (time_t)at;

	date[0] = '\0';
	if (!gmtime_r(&seconds, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900)
		return;
	(void)snprintf(date, 40, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n",
		       days + (size_t)3 * (size_t)tm.tm_wday, tm.tm_mday,
		       months + (size_t)3 * (size_t)tm.tm_mon, tm.tm_year + 1900, tm.tm_hour,
		       tm.tm_min, tm.tm_sec);
}

size_t rt_reply_head(const struct rt_reply *reply, enum rt_reply_end end, int64_t at,
		     char head[RT_REPLY_HEAD_BYTES])
{
	static const char *const connection[] = {
	    [RT_REPLY_STAYS] = "",
	    [RT_REPLY_STAYS_OLD] = "Connection: keep-alive\r\n",
	    [RT_REPLY_CLOSES] = "Connection: close\r\n",
	};
	char body[200] = "", date[40];
	int len;

	spell_date(at, date);
	/* Answers change with each update, and are for the holder of a key. */
	if (reply->body.ptr)
		(void)snprintf(body, sizeof(body),
			       "Content-Type: application/%sjson\r\nContent-Length: %zu\r\n"
			       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n",
			       reply->is_problem ? "problem+" : "", reply->body.len);
	len = snprintf(head, RT_REPLY_HEAD_BYTES, "HTTP/1.1 %u %s\r\n%s%s%s%s%s%s%s\r\n",
		       reply->status, title_of(reply->status), date, body,
		       reply->allow ? "Allow: " : "", reply->allow ? reply->allow : "",
		       reply->allow ? "\r\n" : "",
		       reply->status == 401 ? "WWW-Authenticate: ApiKey\r\n" : "", connection[end]);
	return (size_t)len;
}

enum rt_status rt_problem_fault(const struct rt_error *fault, struct rt_buf *out,
				struct rt_error *err)
{
	struct rt_error message = {.code = fault->code};
	char line[RT_ERROR_LINE_MAX];
	enum rt_status status;

	/* What it is about and the message, masked: they may show a part of the request. */
	memcpy(message.record, fault->record, sizeof(message.record));
	memcpy(message.message, fault->message, sizeof(message.message));
	rt_error_format(&message, line, sizeof(line));
	status = rt_buf_append(out, ",", out->len ? 1 : 0, err);
	if (status == RT_OK)
		status = rt_buf_append(out, "{\"pointer\":", 11, err);
	if (status == RT_OK)
		status =
		    rt_http_json_text(rt_slice_make(fault->field, strlen(fault->field)), out, err);
	if (status == RT_OK)
		status = rt_buf_append(out, ",\"detail\":", 10, err);
	if (status == RT_OK)
		status = rt_http_json_text(rt_slice_make(line, strlen(line)), out, err);
	return status == RT_OK ? rt_buf_append(out, "}", 1, err) : status;
}
