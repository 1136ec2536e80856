/*
 * Requests as libmicrohttpd hands them over, and their answers. Input: callbacks with a head, the
 * pieces of a body, and the end of it. Output: one answer, and one log line.
 * Refuses to keep a body that nobody wants: it is dropped as it comes, up to a bound, so that the
 * client sees the answer; beyond, the connection ends.
 */
#include "http/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "http/problem.h"

void rt_exchange_refuse(struct rt_exchange *exchange, unsigned status, const char *detail)
{
	exchange->status = status;
	exchange->answer =
	    rt_answer_problem(status, detail, rt_slice_make(NULL, 0), &exchange->answer_bytes);
}

void rt_exchange_refuse_rules(struct rt_exchange *exchange, const char *detail,
			      struct rt_slice errors)
{
	exchange->status = MHD_HTTP_UNPROCESSABLE_CONTENT;
	exchange->answer =
	    rt_answer_problem(exchange->status, detail, errors, &exchange->answer_bytes);
}

void rt_exchange_refuse_large(struct rt_exchange *exchange)
{
	char detail[96];

	(void)snprintf(detail, sizeof(detail),
		       "want a request document of at most %" PRIu64 " bytes (limit \"request\")",
		       exchange->server->options.limits.request_bytes);
	rt_exchange_refuse(exchange, 413, detail);
}

void rt_exchange_refuse_export(struct rt_exchange *exchange, const struct rt_error *err)
{
	struct rt_server *server = exchange->server;

	if (rt_service_has_changed(err)) {
		rt_committer_fail(&server->committer, err);
		rt_exchange_refuse(exchange, 503, "the export has changed: the service ends");
	} else {
		rt_http_log_error(&server->log, "the export", err);
		rt_exchange_refuse(exchange, err->code == RT_E_NOMEM ? 503 : 500,
				   "the export could not be read");
	}
}

void *rt_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct rt_exchange *exchange = calloc(1, sizeof(*exchange));
	struct rt_server *server = cls;
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (!exchange || !target || !(exchange->text = strdup(target))) {
		free(exchange);
		return NULL;
	}
	exchange->server = server;
	exchange->connection = connection;
	exchange->deadline = info ? info->socket_context : NULL;
	exchange->line = (struct rt_head_line){(uintptr_t)target, strlen(target)};
	exchange->at = (int64_t)time(NULL);
	exchange->clock = rt_clock();
	exchange->late = atomic_load(&server->stopping);
	(void)atomic_fetch_add(&server->requests, 1);
	return exchange;
}

/* Of an answer that libmicrohttpd made by itself, to what it could not read. */
static unsigned foreign_status(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);

	return info ? info->http_status : 0;
}

static void log_request(const struct rt_exchange *exchange, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	bool answered = exchange->stage == RT_STAGE_ANSWERED;
	char peer[RT_PEER_MAX];
	struct rt_http_access access = {
	    .at = exchange->at,
	    .method = {exchange->method, strlen(exchange->method)},
	    .target = {exchange->text, exchange->line.target_len},
	    .status = answered ? exchange->status : foreign_status(connection),
	    .bytes =
		strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0 ? 0 : exchange->answer_bytes,
	    .microseconds = (rt_clock() - exchange->clock) / 1000,
	    .name = exchange->name,
	    .peer = peer,
	};

	rt_listen_peer(info ? info->client_addr : NULL, peer);
	rt_http_log_access(&exchange->server->log, &access);
}

void rt_exchange_end(void *cls, struct MHD_Connection *connection, void **context,
		     enum MHD_RequestTerminationCode how)
{
	struct rt_exchange *exchange = *context;
	struct rt_server *server = cls;

	(void)how;
	*context = NULL;
	if (!exchange)
		return;
	log_request(exchange, connection);
	rt_connection_deadline(exchange->deadline, RT_HTTP_REQUEST_SECONDS);
	if (exchange->answer)
		MHD_destroy_response(exchange->answer);
	(void)atomic_fetch_sub(&server->rulesets.held, exchange->held);
	rt_job_free(exchange->job);
	free(exchange->text);
	free(exchange);
	(void)atomic_fetch_sub(&server->requests, 1);
}

static enum MHD_Result queue(struct rt_exchange *exchange, struct MHD_Response *answer)
{
	exchange->stage = RT_STAGE_ANSWERED;
	rt_connection_deadline(exchange->deadline, RT_HTTP_ANSWER_SECONDS);
	return MHD_queue_response(exchange->connection, exchange->status, answer);
}

enum MHD_Result rt_exchange_send(struct rt_exchange *exchange)
{
	enum MHD_Result queued;

	if (!exchange->answer)
		return MHD_NO;
	/* What follows a chunked body depends on how its lines are read: nothing may follow. */
	if ((exchange->close || exchange->head.chunked) &&
	    MHD_add_response_header(exchange->answer, "Connection", "close") != MHD_YES)
		return MHD_NO;
	queued = queue(exchange, exchange->answer);
	MHD_destroy_response(exchange->answer);
	exchange->answer = NULL;
	return queued;
}

enum MHD_Result rt_exchange_share(struct rt_exchange *exchange, struct MHD_Response *answer,
				  uint64_t bytes)
{
	exchange->status = MHD_HTTP_OK;
	exchange->answer_bytes = bytes;
	return queue(exchange, answer);
}

/* Send a document. body: released. */
static enum MHD_Result send_document(struct rt_exchange *exchange, struct rt_buf *body)
{
	exchange->status = MHD_HTTP_OK;
	exchange->answer_bytes = body->len;
	exchange->answer = rt_answer_json(body);
	rt_buf_release(body);
	return rt_exchange_send(exchange);
}

/* Send a document of static storage. */
static enum MHD_Result send_text(struct rt_exchange *exchange, const char *text, size_t len)
{
	exchange->status = MHD_HTTP_OK;
	exchange->answer_bytes = len;
	exchange->answer = rt_answer_json_static(text, len);
	return rt_exchange_send(exchange);
}

static enum MHD_Result send_refusal(struct rt_exchange *exchange, unsigned status,
				    const char *detail)
{
	rt_exchange_refuse(exchange, status, detail);
	return rt_exchange_send(exchange);
}

/* Whether the export is as it was read; else the service ends, or a refusal is decided alone. */
static bool check_export(struct rt_exchange *exchange)
{
	struct rt_server *server = exchange->server;
	struct rt_error err;

	if (rt_service_look(server->service, &err) == RT_OK)
		return true;
	rt_exchange_refuse_export(exchange, &err);
	return false;
}

static enum MHD_Result answer_summary(struct rt_exchange *exchange)
{
	enum MHD_Result queued;

	if (rt_committer_answer_summary(&exchange->server->committer, exchange, &queued))
		return queued;
	return send_refusal(exchange, 503, "the service is stopping, or out of memory");
}

static enum MHD_Result answer_openapi(struct rt_exchange *exchange)
{
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(schemas[i].name, "openapi") == 0)
			return send_text(exchange, schemas[i].text, schemas[i].len);
	}
	return send_refusal(exchange, 404, "there is nothing at this path");
}

static enum MHD_Result answer_read(struct rt_exchange *exchange)
{
	static const char health[] = "{\"status\":\"ok\"}\n";

	switch (exchange->route->operation) {
	case RT_OPERATION_SUMMARY:
		return check_export(exchange) ? answer_summary(exchange)
					      : rt_exchange_send(exchange);
	case RT_OPERATION_RULESETS:
		return check_export(exchange) ? rt_rulesets_answer(exchange)
					      : rt_exchange_send(exchange);
	case RT_OPERATION_OPENAPI:
		return answer_openapi(exchange);
	case RT_OPERATION_HEALTH:
	case RT_OPERATION_UPDATE:
		break;
	}
	return send_text(exchange, health, sizeof(health) - 1);
}

static uint64_t drain_limit(const struct rt_exchange *exchange)
{
	return exchange->server->options.limits.request_bytes * RT_HTTP_DRAIN_FACTOR;
}

/*
 * The head is here, the body is not. An answer that is queued now ends the connection, for the
 * library then reads no body; so it is only queued where that is wanted: after anything odd, and
 * to a client that waits to be told to send its body or has too much of it.
 */
static enum MHD_Result take_head(struct rt_exchange *exchange, const char *method,
				 const char *version)
{
	const struct rt_head *head = &exchange->head;

	memcpy(exchange->method, method, strnlen(method, RT_METHOD_MAX));
	rt_head_read(exchange->connection, method, version, &exchange->line, &exchange->head);
	exchange->stage = RT_STAGE_BODY;
	exchange->admitted = rt_exchange_check_head(exchange);
	if (exchange->admitted) {
		if (exchange->route->operation != RT_OPERATION_UPDATE)
			return MHD_YES;
		exchange->job = rt_job_new();
		if (exchange->job)
			return MHD_YES;
		rt_exchange_refuse(exchange, 503, "out of memory");
	}
	if (head->body_bytes > drain_limit(exchange) ||
	    (head->has_body && head->fields[RT_FIELD_EXPECT].ptr))
		exchange->close = true;
	return exchange->close ? rt_exchange_send(exchange) : MHD_YES;
}

/* A piece of the body. MHD_NO: there is too much of it. */
static enum MHD_Result take_piece(struct rt_exchange *exchange, const char *data, size_t size)
{
	struct rt_job *job = exchange->job;
	struct rt_error err;

	exchange->body_bytes += size;
	if (exchange->body_bytes > drain_limit(exchange))
		return MHD_NO;
	if (!exchange->admitted || exchange->status)
		return MHD_YES;
	if (exchange->body_bytes > exchange->server->options.limits.request_bytes) {
		rt_exchange_refuse_large(exchange);
		rt_buf_release(&job->body);
	} else if (rt_buf_append(&job->body, data, size, &err) != RT_OK) {
		rt_exchange_refuse(exchange, 503, "out of memory");
		rt_buf_release(&job->body);
	}
	return MHD_YES;
}

/* All of the request is here. */
static enum MHD_Result take_end(struct rt_exchange *exchange)
{
	struct rt_job *job = exchange->job;

	if (!exchange->admitted || exchange->status)
		return rt_exchange_send(exchange);
	if (exchange->route->operation != RT_OPERATION_UPDATE)
		return answer_read(exchange);
	if (!rt_exchange_check_update(exchange))
		return rt_exchange_send(exchange);
	job->connection = exchange->connection;
	memcpy(job->name, exchange->name, sizeof(job->name));
	exchange->stage = RT_STAGE_WAITING;
	rt_connection_deadline(exchange->deadline, 0);
	if (rt_committer_submit(&exchange->server->committer, job))
		return MHD_YES;
	return send_refusal(exchange, 503, "the service is stopping");
}

static enum MHD_Result answer_update(struct rt_exchange *exchange)
{
	struct rt_job *job = exchange->job;

	/* Without a status it is still with the committer; this is only a look in between. */
	if (job->status == 0)
		return MHD_YES;
	if (job->status == MHD_HTTP_OK)
		return send_document(exchange, &job->result);
	if (job->status == MHD_HTTP_UNPROCESSABLE_CONTENT) {
		rt_exchange_refuse_rules(exchange, "1 rule is broken", rt_buf_slice(&job->result));
		return rt_exchange_send(exchange);
	}
	return send_refusal(exchange, job->status, "the update could not be written down");
}

enum MHD_Result rt_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
				   const char *method, const char *version, const char *data,
				   size_t *size, void **context)
{
	struct rt_exchange *exchange = *context;
	enum MHD_Result result;

	(void)cls;
	(void)connection;
	(void)url;
	if (!exchange)
		return MHD_NO;
	switch (exchange->stage) {
	case RT_STAGE_NEW:
		return take_head(exchange, method, version);
	case RT_STAGE_BODY:
		if (*size == 0)
			return take_end(exchange);
		result = take_piece(exchange, data, *size);
		*size = 0;
		return result;
	case RT_STAGE_WAITING:
		return answer_update(exchange);
	case RT_STAGE_ANSWERED:
		break;
	}
	return MHD_YES;
}
