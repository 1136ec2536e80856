/*
 * Answers as libmicrohttpd wants them. Input: bodies; or a status and what is wrong. Output:
 * responses with the headers that go with them.
 * Refuses nothing. Texts that came from a request are made UTF-8 and escaped as JSON.
 */
#include "http/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "http/log.h"

static const char *title_of(unsigned status)
{
	static const struct {
		unsigned status;
		const char *title;
	} titles[] = {
	    {400, "Bad Request"},
	    {401, "Unauthorized"},
	    {403, "Forbidden"},
	    {404, "Not Found"},
	    {405, "Method Not Allowed"},
	    {413, "Content Too Large"},
	    {415, "Unsupported Media Type"},
	    {421, "Misdirected Request"},
	    {422, "Unprocessable Content"},
	    {431, "Request Header Fields Too Large"},
	    {501, "Not Implemented"},
	    {503, "Service Unavailable"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (titles[i].status == status)
			return titles[i].title;
	}
	return "Internal Server Error";
}

static bool add_headers(struct MHD_Response *response, const char *type)
{
	/* Answers change with each update, and are for the holder of a key. */
	return MHD_add_response_header(response, "Content-Type", type) == MHD_YES &&
	       MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES &&
	       MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES;
}

/* Give a response its headers; response: NULL where memory ran out already. */
static struct MHD_Response *with_type(struct MHD_Response *response, const char *type)
{
	if (!response || add_headers(response, type))
		return response;
	MHD_destroy_response(response);
	return NULL;
}

static struct MHD_Response *make(struct rt_buf *body, const char *type)
{
	struct MHD_Response *response =
	    MHD_create_response_from_buffer_with_free_callback(body->len, body->data, free);

	/* The body is the response's now. */
	if (response)
		*body = (struct rt_buf){0};
	return with_type(response, type);
}

struct MHD_Response *rt_answer_json(struct rt_buf *body)
{
	return make(body, "application/json");
}

struct MHD_Response *rt_answer_json_static(const char *text, size_t len)
{
	/* Not written to: the library's type is that of all kinds of buffers. */
	void *buffer = (void *)(uintptr_t)text;

	return with_type(MHD_create_response_from_buffer(len, buffer, MHD_RESPMEM_PERSISTENT),
			 "application/json");
}

struct MHD_Response *rt_answer_empty(void)
{
	return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
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

struct MHD_Response *rt_answer_problem(unsigned status, const char *detail, struct rt_slice errors,
				       uint64_t *ret_bytes)
{
	struct MHD_Response *response = NULL;
	struct rt_buf body = {0};
	struct rt_error err;

	*ret_bytes = 0;
	if (write_problem(status, detail, errors, &body, &err) == RT_OK) {
		*ret_bytes = body.len;
		response = make(&body, "application/problem+json");
	}
	rt_buf_release(&body);
	return response;
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
