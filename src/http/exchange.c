/*
 * Requests and their answers. Input: the head of a request, the pieces of its body. Output: one
 * answer, and one log line.
 * Refuses in a fixed order, framing first: who is not let in learns nothing of what is behind. A
 * body that nobody wants is dropped as it comes, up to a bound, so that the client sees the answer.
 */
#include "http/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/request.h"
#include "scan/json.h"
#include "text/text.h"

static bool is_method(const struct rt_exchange *exchange, const char *method)
{
	return rt_slice_equal(exchange->head->method, rt_slice_make(method, strlen(method)));
}

/* Decide to answer with a problem document. detail: as rt_reply_problem(). */
static void answer_problem(struct rt_exchange *exchange, unsigned status, const char *detail)
{
	rt_reply_problem(&exchange->reply, status, detail, rt_slice_make(NULL, 0));
}

/* The same, for what leaves it open where the next request begins or who it is from. */
static bool refuse_and_close(struct rt_exchange *exchange, unsigned status, const char *detail)
{
	exchange->closes = true;
	answer_problem(exchange, status, detail);
	return false;
}

static bool refuse(struct rt_exchange *exchange, unsigned status, const char *detail)
{
	answer_problem(exchange, status, detail);
	return false;
}

static bool refuse_large(struct rt_exchange *exchange)
{
	char detail[96];

	(void)snprintf(detail, sizeof(detail),
		       "want a request document of at most %" PRIu64 " bytes (limit \"request\")",
		       exchange->server->options.limits.request_bytes);
	return refuse(exchange, 413, detail);
}

/*
 * Decide to refuse where the export could not be looked at: 503, or read: 500, or 503 without
 * memory; where it has changed 503, and the service ends.
 */
static void refuse_export(struct rt_exchange *exchange, bool is_read, const struct rt_error *err)
{
	struct rt_server *server = exchange->server;

	if (rt_service_has_changed(err)) {
		rt_committer_fail(&server->committer, err);
		answer_problem(exchange, 503, "the export has changed: the service ends");
	} else {
		rt_http_log_error(&server->log, "the export", err);
		answer_problem(exchange, is_read && err->code != RT_E_NOMEM ? 500 : 503,
			       is_read ? "the export could not be read"
				       : "the export could not be looked at");
	}
}

/* Whether another answer may wait to be taken; else a refusal is decided. */
static bool has_room(struct rt_exchange *exchange)
{
	if (atomic_load(&exchange->server->held) < RT_HTTP_HELD_BYTES)
		return true;
	answer_problem(exchange, 503, "too many answers wait to be taken");
	return false;
}

/* --- Who is let in ------------------------------------------------------------------------ */

/* Whether the request is meant for this service. */
static bool check_host(struct rt_exchange *exchange)
{
	const struct rt_hosts *hosts = &exchange->server->hosts;
	struct rt_slice host = exchange->head->fields[RT_FIELD_HOST];
	struct rt_slice authority = exchange->target.authority;
	struct rt_slice origin = exchange->head->fields[RT_FIELD_ORIGIN];
	/* A target in absolute form has the last word (RFC 9112 §3.2.2). */
	struct rt_slice meant = authority.ptr ? authority : host;

	if ((host.ptr && !rt_hosts_is_host(host)) ||
	    (authority.ptr && !rt_hosts_is_host(authority)))
		return refuse_and_close(exchange, 400,
					"want the name of a host, as in example.org:8080");
	if (meant.ptr && !rt_hosts_has(hosts, meant))
		return refuse(exchange, 421,
			      "want a Host that is served here: whoever runs the service can add "
			      "others with --allow-host");
	if (origin.ptr && !rt_hosts_has_origin(hosts, origin))
		return refuse(exchange, 403,
			      "want no Origin, or one that is served here: whoever runs the "
			      "service can add its host with --allow-host");
	return true;
}

static bool answer_options(struct rt_exchange *exchange, const char *allow)
{
	exchange->reply = (struct rt_reply){.status = 204, .allow = allow};
	return false;
}

static bool check_route(struct rt_exchange *exchange)
{
	bool options = is_method(exchange, "OPTIONS");
	const struct rt_route *route = rt_route_find(exchange->target.path);

	if (options && rt_slice_equal(exchange->target.path, RT_SLICE("*")))
		return answer_options(exchange, "GET, HEAD, PATCH, OPTIONS");
	if (!route)
		return refuse(exchange, 404,
			      "there is nothing at this path; /openapi.json has what there is");
	if (!rt_route_allows(route, exchange->head->method)) {
		char detail[128];

		(void)snprintf(detail, sizeof(detail), "this path has the methods %s",
			       route->allow);
		answer_problem(exchange, 405, detail);
		exchange->reply.allow = route->allow;
		return false;
	}
	if (options)
		return answer_options(exchange, route->allow);
	exchange->route = route;
	return true;
}

/* Find the name of the key with a digest. Returns false where nobody has it. */
static bool find_key(struct rt_exchange *exchange, const uint8_t digest[RT_SHA256_BYTES])
{
	struct rt_server *server = exchange->server;
	const struct rt_key *key;

	(void)pthread_rwlock_rdlock(&server->keys_lock);
	key = rt_keys_find(&server->keys, digest);
	if (key)
		memcpy(exchange->name, key->name, sizeof(exchange->name));
	(void)pthread_rwlock_unlock(&server->keys_lock);
	return key != NULL;
}

static bool check_key(struct rt_exchange *exchange)
{
	struct rt_slice text = exchange->head->fields[RT_FIELD_API_KEY];
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 *hash;
	struct rt_error err;

	if (!exchange->route->needs_key)
		return true;
	if (!text.ptr)
		return refuse(exchange, 401, "want a key in the header X-API-Key, have none");
	if (rt_sha256_new(&hash, &err) != RT_OK)
		return refuse(exchange, 503, "out of memory");
	rt_sha256_of(hash, text, digest);
	rt_sha256_free(hash);
	return find_key(exchange, digest) ||
	       refuse(exchange, 401, "want a key that is let in, have another in X-API-Key");
}

/* Type and size of an update, and room for it. */
static bool check_update_head(struct rt_exchange *exchange)
{
	const struct rt_head *head = exchange->head;
	struct rt_slice encoding = head->fields[RT_FIELD_CONTENT_ENCODING];

	if (exchange->route->operation != RT_OPERATION_UPDATE)
		return true;
	if (!rt_route_is_json(head->fields[RT_FIELD_CONTENT_TYPE]))
		return refuse(exchange, 415,
			      "want the header Content-Type: application/json, in UTF-8");
	if (encoding.ptr && !rt_slice_equal(encoding, RT_SLICE("identity")))
		return refuse(exchange, 415, "want a body without a Content-Encoding");
	if (head->body_bytes > exchange->server->options.limits.request_bytes)
		return refuse_large(exchange);
	exchange->job = rt_job_new();
	return exchange->job || refuse(exchange, 503, "out of memory");
}

static bool let_in(struct rt_exchange *exchange)
{
	const struct rt_head *head = exchange->head;

	if (head->status)
		return refuse_and_close(exchange, head->status, head->fault);
	if (!rt_target_parse(head->target, &exchange->target))
		return refuse_and_close(exchange, 400,
					"want a path, with a query of RFC 3986 or none");
	if (atomic_load(&exchange->server->stopping))
		return refuse_and_close(exchange, 503, "the service is stopping");
	return check_host(exchange) && check_route(exchange) && check_key(exchange) &&
	       check_update_head(exchange);
}

/* --- The checks of an update ------------------------------------------------------------------ */

/* What is no JSON is refused with 400, what breaks a rule of SPEC D12 with 422 and every fault. */

/* Walk over the request. Returns RT_OK with the number of faults, or RT_FATAL. */
static enum rt_status collect_faults(struct rt_job *job, struct rt_slice json, struct rt_buf *out,
				     uint64_t *ret_faults, struct rt_error *err)
{
	struct rt_request_walk walk;
	struct rt_error fault;
	enum rt_status status;

	*ret_faults = 0;
	rt_request_walk_start(&walk, json, &job->scratch, &job->request);
	while ((status = rt_request_walk_next(&walk, &fault)) == RT_REJECT) {
		(*ret_faults)++;
		if (*ret_faults > RT_HTTP_FAULTS_LISTED_MAX)
			continue;
		if (rt_problem_fault(&fault, out, err) != RT_OK)
			return RT_FATAL;
	}
	if (status == RT_END)
		return RT_OK;
	*err = fault;
	return RT_FATAL;
}

static void refuse_memory(struct rt_exchange *exchange)
{
	answer_problem(exchange, 503, "out of memory");
}

static bool check_rules(struct rt_exchange *exchange, struct rt_slice json)
{
	struct rt_buf errors = {0};
	struct rt_error err;
	char detail[96];
	uint64_t faults;

	if (collect_faults(exchange->job, json, &errors, &faults, &err) != RT_OK) {
		refuse_memory(exchange);
	} else if (faults) {
		(void)snprintf(detail, sizeof(detail), "%" PRIu64 " rule%s broken", faults,
			       faults == 1 ? " is" : "s are");
		rt_reply_problem(&exchange->reply, 422, detail, rt_buf_slice(&errors));
	}
	rt_buf_release(&errors);
	return exchange->reply.status == 0;
}

/* The value without the blanks around it. */
static struct rt_slice strip(struct rt_slice text)
{
	const char *end = rt_slice_end(text);
	const char *start = rt_items_blanks(text.ptr, end);

	while (end > start && strchr(" \t\r\n", end[-1]))
		end--;
	return rt_slice_make(start, (size_t)(end - start));
}

/*
 * Check an update's body; job->request is set. Returns whether all is well; else an answer is
 * decided.
 */
static bool check_update(struct rt_exchange *exchange)
{
	const struct rt_options *options = &exchange->server->options;
	struct rt_slice body = rt_buf_slice(&exchange->job->body);
	const char *encoding = rt_text_encoding(&body);
	char line[RT_ERROR_LINE_MAX];
	struct rt_error err;
	enum rt_status status;

	if (encoding) {
		(void)snprintf(line, sizeof(line), "want UTF-8, have %s", encoding);
		answer_problem(exchange, 400, line);
		return false;
	}
	if (body.len == 0) {
		answer_problem(exchange, 400, "want a JSON document, have nothing");
		return false;
	}
	status = rt_json_check(body.ptr, body.len, &options->limits, options->simd, &err);
	if (status == RT_OK)
		return check_rules(exchange, strip(body));
	if (err.code == RT_E_NOMEM) {
		refuse_memory(exchange);
		return false;
	}
	rt_error_at(&err, "body", NULL);
	answer_problem(exchange, 400, rt_error_format(&err, line, sizeof(line)));
	return false;
}

/* --- Rulesets --------------------------------------------------------------------------------- */

/*
 * A list of all, made once for everybody, and lists for one repository: no more of them than
 * RT_HTTP_HELD_BYTES lets wait, for a client may be slow to take what it asked for, or never do so.
 */

/* Make a document. repo_id: ptr NULL for all. Returns NULL with a refusal decided. */
static struct rt_document *make_rulesets(struct rt_exchange *exchange, struct rt_slice repo_id)
{
	struct rt_server *server = exchange->server;
	struct rt_document *document = NULL;
	struct rt_buf body = {0};
	struct rt_error err;

	if (rt_service_rulesets(server->service, repo_id, &body, &err) == RT_OK) {
		document = rt_document_new(&body, repo_id.ptr ? &server->held : NULL);
		if (!document)
			(void)rt_error_nomem(&err);
	}
	rt_buf_release(&body);
	if (document)
		return document;
	refuse_export(exchange, true, &err);
	return NULL;
}

static struct rt_document *all_rulesets(struct rt_exchange *exchange)
{
	struct rt_rulesets *rulesets = &exchange->server->rulesets;

	if (!rulesets->all)
		rulesets->all = make_rulesets(exchange, rt_slice_make(NULL, 0));
	return rulesets->all ? rt_document_share(rulesets->all) : NULL;
}

static void answer_rulesets_of(struct rt_exchange *exchange, struct rt_slice repo_id)
{
	struct rt_server *server = exchange->server;
	struct rt_document *document = NULL;

	/* Under the lock, so that what waits is beyond the bound by one list at most. */
	(void)pthread_mutex_lock(&server->rulesets.lock);
	if (!repo_id.ptr)
		document = all_rulesets(exchange);
	else if (has_room(exchange))
		document = make_rulesets(exchange, repo_id);
	(void)pthread_mutex_unlock(&server->rulesets.lock);
	if (document)
		rt_reply_json(&exchange->reply, document);
}

static void answer_rulesets(struct rt_exchange *exchange)
{
	struct rt_slice query = exchange->target.query;
	struct rt_slice repo_id = {NULL, 0};
	char *value = malloc(query.len + 1);

	if (!value) {
		answer_problem(exchange, 503, "out of memory");
		return;
	}
	switch (rt_target_parameter(query, "repo_id", value, &repo_id)) {
	case RT_PARAMETER_REPEATED:
		answer_problem(exchange, 400, "want repo_id once, have it again");
		break;
	case RT_PARAMETER_BAD:
		answer_problem(exchange, 400, "want repo_id in UTF-8 without NUL");
		break;
	default:
		answer_rulesets_of(exchange, repo_id);
	}
	free(value);
}

/* --- From the head to the end ------------------------------------------------------------- */

static uint64_t drain_limit(const struct rt_exchange *exchange)
{
	return exchange->server->options.limits.request_bytes * RT_HTTP_DRAIN_FACTOR;
}

void rt_exchange_begin(struct rt_exchange *exchange, struct rt_server *server,
		       const struct rt_head *head)
{
	*exchange = (struct rt_exchange){
	    .server = server,
	    .head = head,
	    .closes = head->status || !head->stays,
	    .at = (int64_t)time(NULL),
	    .clock = rt_clock_us(),
	};
	/* Counted before the look at `stopping`: whoever is not told that the service is stopping
	 * is waited for. */
	(void)atomic_fetch_add(&server->requests, 1);
	if (let_in(exchange))
		return;
	if (head->body_bytes > drain_limit(exchange) ||
	    (head->has_body && head->fields[RT_FIELD_EXPECT].ptr))
		exchange->closes = true;
}

bool rt_exchange_is_decided(const struct rt_exchange *exchange)
{
	return exchange->reply.status && (exchange->closes || !exchange->head->has_body);
}

bool rt_exchange_take(struct rt_exchange *exchange, struct rt_slice piece)
{
	struct rt_job *job = exchange->job;
	struct rt_error err;

	exchange->body_bytes += piece.len;
	if (exchange->body_bytes > drain_limit(exchange)) {
		exchange->closes = true;
		return false;
	}
	if (exchange->reply.status || !job)
		return true;
	if (exchange->body_bytes > exchange->server->options.limits.request_bytes)
		(void)refuse_large(exchange);
	else if (rt_buf_append(&job->body, piece.ptr, piece.len, &err) != RT_OK)
		answer_problem(exchange, 503, "out of memory");
	if (exchange->reply.status)
		rt_buf_release(&job->body);
	return true;
}

void rt_exchange_refuse_body(struct rt_exchange *exchange, unsigned status, const char *fault)
{
	(void)refuse_and_close(exchange, status, fault);
}

static void answer_openapi(struct rt_exchange *exchange)
{
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(schemas[i].name, "openapi") == 0)
			rt_reply_text(&exchange->reply,
				      rt_slice_make(schemas[i].text, schemas[i].len));
	}
}

/* Whether the export is as it was read; else the service ends, or a refusal is decided alone. */
static bool check_export(struct rt_exchange *exchange)
{
	struct rt_error err;

	if (rt_service_look(exchange->server->service, &err) == RT_OK)
		return true;
	refuse_export(exchange, false, &err);
	return false;
}

static void answer_summary(struct rt_exchange *exchange)
{
	struct rt_document *summary;

	/* Those of earlier states are held for as long as somebody is being sent them. */
	if (!has_room(exchange))
		return;
	summary = rt_committer_summary(&exchange->server->committer);
	if (summary)
		rt_reply_json(&exchange->reply, summary);
	else
		answer_problem(exchange, 503,
			       "the service is stopping, or out of memory for a while");
}

static void answer_update(struct rt_exchange *exchange)
{
	struct rt_job *job = exchange->job;

	if (!check_update(exchange))
		return;
	memcpy(job->name, exchange->name, sizeof(job->name));
	if (!rt_committer_run(&exchange->server->committer, job))
		answer_problem(exchange, 503, "the service is stopping");
	else if (job->status == 422)
		rt_reply_problem(&exchange->reply, 422, "1 rule is broken",
				 rt_buf_slice(&job->result));
	else if (job->status != 200)
		answer_problem(exchange, job->status, job->fault);
	else
		rt_reply_json(&exchange->reply, rt_document_share(job->document));
}

void rt_exchange_finish(struct rt_exchange *exchange)
{
	if (exchange->reply.status)
		return;
	switch (exchange->route->operation) {
	case RT_OPERATION_UPDATE:
		answer_update(exchange);
		break;
	case RT_OPERATION_SUMMARY:
		if (check_export(exchange))
			answer_summary(exchange);
		break;
	case RT_OPERATION_RULESETS:
		if (check_export(exchange))
			answer_rulesets(exchange);
		break;
	case RT_OPERATION_OPENAPI:
		answer_openapi(exchange);
		break;
	case RT_OPERATION_HEALTH:
		rt_reply_text(&exchange->reply, RT_SLICE("{\"status\":\"ok\"}\n"));
		break;
	}
	/* What the request borrowed is not needed while the answer is sent. */
	rt_job_free(exchange->job);
	exchange->job = NULL;
}

void rt_exchange_end(struct rt_exchange *exchange, const char *peer, bool sent)
{
	struct rt_http_access access = {
	    .at = exchange->at,
	    .method = exchange->head->method,
	    .target = exchange->head->target,
	    .status = sent ? exchange->reply.status : 0,
	    .bytes = is_method(exchange, "HEAD") ? 0 : exchange->reply.body.len,
	    .microseconds = rt_clock_us() - exchange->clock,
	    .name = exchange->name,
	    .peer = peer,
	};

	rt_http_log_access(&exchange->server->log, &access);
	rt_reply_release(&exchange->reply);
	rt_job_free(exchange->job);
	(void)atomic_fetch_sub(&exchange->server->requests, 1);
}
