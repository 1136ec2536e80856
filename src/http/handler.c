/*
 * Answers requests. Whether a request is admitted is decided when its head is there, in a fixed
 * order, framing first: a client without a key learns nothing of what is behind. A body that is not
 * wanted is dropped as it comes, up to a bound, so that the client sees the answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/instant.h"
#include "base/utf8.h"
#include "engine/request.h"
#include "http/server.h"
#include "output/answers.h"
#include "scan/scan.h"

enum operation { UPDATE, SUMMARY, RULESETS, HEALTH, OPENAPI };

#define READING "GET, HEAD, OPTIONS"

static const struct route {
	const char *path, *method, *allow;
	enum operation operation;
	bool needs_key;
} routes[] = {
    {"*", "OPTIONS", "GET, HEAD, PATCH, OPTIONS", HEALTH, false},
    {"/api/issues/bulk", "PATCH", "PATCH, OPTIONS", UPDATE, true},
    {"/api/issues/summary", "GET", READING, SUMMARY, true},
    {"/api/rulesets", "GET", READING, RULESETS, true},
    {"/healthz", "GET", READING, HEALTH, false},
    {"/openapi.json", "GET", READING, OPENAPI, false},
};

/* The fields that matter. None may be there twice. */
enum field { HOST, ORIGIN, KEY, TYPE, LENGTH, CODING, ENCODING, EXPECT, FIELDS };

static const char *const field_names[FIELDS] = {"Host",
						"Origin",
						"X-API-Key",
						"Content-Type",
						"Content-Length",
						"Transfer-Encoding",
						"Content-Encoding",
						"Expect"};

/* One request, from its first line to the last byte of its answer. */
struct exchange {
	struct rt_server *server;
	struct rt_connection *place;
	struct MHD_Connection *connection;
	const struct route *route;  /* NULL: there is none, or it was not looked for */
	const char *method;         /* NULL: its head was not read to the end */
	const char *name;           /* of its key; NULL: none */
	const char *fields[FIELDS]; /* NULL: absent */
	uint64_t length;            /* of the body; 0 where it is in chunks */
	const char *told;           /* the head up to here is what the library has shown of it */
	const char *head_end;
	bool is_odd;          /* two readers could take it for two things */
	struct rt_slice repo; /* repo_id in the query; ptr NULL: all */
	unsigned repos;       /* how often it is there */
	struct rt_buf body;
	uint64_t body_bytes;           /* that have come */
	unsigned status;               /* of the answer; 0: not decided */
	struct MHD_Response *response; /* NULL with a status: there was no memory */
	size_t bytes;                  /* of the answer, which the server counts */
	bool is_counted;               /* among the server's requests */
	bool closes;                   /* the connection ends with the answer */
	int64_t at;                    /* when it began: seconds since 1970 */
	uint64_t clock;                /* likewise, of rt_clock_us() */
	char target[];                 /* as it came */
};

/* --- Answers ------------------------------------------------------------------------------ */

/* Decide on an answer. body: with is_own from malloc(), and moves; else of static storage. */
static void answer(struct exchange *x, unsigned status, const char *type, struct rt_slice body,
		   bool is_own)
{
	/* Answers change with each update, and are for the holder of a key. */
	const char *const fields[][2] = {
	    {"Content-Type", body.len ? type : NULL},
	    {"Cache-Control", "no-store"},
	    {"X-Content-Type-Options", "nosniff"},
	    {"Allow", status == 405 || status == 204 ? x->route->allow : NULL},
	    {"WWW-Authenticate", status == 401 ? "ApiKey" : NULL},
	    {"Connection", x->closes ? "close" : NULL},
	};

	x->status = status;
	x->bytes = body.len;
	(void)atomic_fetch_add(&x->server->held, x->bytes);
	x->response = RT_MHD(create_response_from_buffer)(body.len, (void *)(uintptr_t)body.ptr,
							  is_own ? MHD_RESPMEM_MUST_FREE
								 : MHD_RESPMEM_PERSISTENT);
	if (!x->response && is_own)
		free((void *)(uintptr_t)body.ptr);
	for (size_t i = 0; x->response && i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i][1] && RT_MHD(add_response_header)(x->response, fields[i][0],
								fields[i][1]) != MHD_YES) {
			RT_MHD(destroy_response)(x->response);
			x->response = NULL;
		}
	}
}

/* Decide to answer with a problem document. fault, walk: of a 422, see rt_problem_write(). */
static void refuse_rules(struct exchange *x, unsigned status, const char *detail,
			 const struct rt_error *fault, struct rt_request_walk *walk)
{
	const char *title = RT_MHD(get_reason_phrase_for)(status);
	struct rt_buf body = {0};
	struct rt_error err;

	if (rt_problem_write(status, title, detail, fault, walk, &body, &err) == RT_OK) {
		answer(x, status, "application/problem+json", rt_buf_slice(&body), true);
		return;
	}
	/* Without memory for it the connection is closed. */
	rt_buf_release(&body);
	x->status = status;
}

static void refuse(struct exchange *x, unsigned status, const char *detail)
{
	refuse_rules(x, status, detail, NULL, NULL);
}

/* --- Heads -------------------------------------------------------------------------------- */

/*
 * Take the next part of the head. The library leaves parts where they came: between two of them are
 * blanks and at most so many bytes that end a line or a name, or are NUL by now. Anything else is
 * what it keeps from us, in one version or another: the rest behind a NUL, a folded line.
 */
static void take_part(struct exchange *x, const char *part, size_t len, unsigned most)
{
	const char *at = x->told;

	for (; at < part && at < x->head_end; at++) {
		if (*at == ' ' || *at == '\t')
			continue;
		if (!most-- || !strchr("\r\n:", *at))
			break;
	}
	x->is_odd |= at != part;
	x->told = part + len;
}

/* MHD_KeyValueIteratorN, of fields and of what is in the target's query. */
static enum MHD_Result take_value(void *exchange, enum MHD_ValueKind kind, const char *name,
				  size_t name_len, const char *value, size_t value_len)
{
	struct exchange *x = exchange;

	if (kind == MHD_GET_ARGUMENT_KIND) {
		if (rt_slice_equal(rt_slice_make(name, name_len), RT_SLICE("repo_id"))) {
			x->repo = rt_slice_make(value ? value : "", value_len);
			x->repos++;
		}
		return MHD_YES;
	}
	take_part(x, name, name_len, x->server->trims ? 3 : 2);
	take_part(x, value, value_len, 1);
	for (size_t i = 0; i < name_len; i++)
		x->is_odd |= name[i] <= ' ' || strchr("\"(),/:;<=>?@[]{}\\\177", name[i]);
	for (size_t i = 0; i < value_len; i++)
		x->is_odd |= (unsigned char)value[i] < ' ' && value[i] != '\t';
	for (size_t i = 0; i < FIELDS; i++) {
		if (strcasecmp(name, field_names[i]) != 0)
			continue;
		x->is_odd |= x->fields[i] || (value_len && strchr(" \t", value[value_len - 1]));
		x->fields[i] = value;
	}
	return MHD_YES;
}

/* Whether it is clear what the request is and where it ends; else an answer is decided. */
static bool check_framing(struct exchange *x, const char *version)
{
	const union MHD_ConnectionInfo *info =
	    RT_MHD(get_connection_info)(x->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	bool is_reading = strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
	const char *coding;

	x->told = x->method + strlen(x->method) + 1 + strlen(x->target);
	x->head_end = x->method + (info ? info->header_size : 0);
	take_part(x, version, strlen(version), 1);
	(void)RT_MHD(get_connection_values_n)(
	    x->connection, (enum MHD_ValueKind)(MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND),
	    take_value, x);
	take_part(x, x->head_end, 0, x->server->trims ? 5 : 4);
	coding = x->fields[CODING];
	if (x->fields[LENGTH])
		x->length = strtoull(x->fields[LENGTH], NULL, 10);
	x->closes = true;
	if (!info || info->header_size > RT_HTTP_HEAD_BYTES)
		refuse(x, strlen(x->target) > RT_HTTP_HEAD_BYTES ? 414 : 431,
		       "the head is longer than 16 KiB");
	else if (x->is_odd || (coding && (x->fields[LENGTH] || strcmp(version, "HTTP/1.1") != 0)) ||
		 (is_reading && (coding || x->length)))
		refuse(
		    x, 400,
		    "a line of the head is folded or has a NUL, or a field that frames, names or "
		    "admits the request is there twice or has a value that it must not have");
	else if (coding && strcasecmp(coding, "chunked") != 0)
		refuse(x, 501, "the only transfer coding is chunked");
	else if (x->target[0] != '/' &&
		 (strcmp(x->target, "*") != 0 || strcmp(x->method, "OPTIONS") != 0))
		refuse(x, 400, "the target is no path");
	else if (atomic_load(&x->server->stopping))
		refuse(x, 503, "the service is stopping");
	else
		x->closes = false;
	return !x->closes;
}

static bool is_served_origin(const struct exchange *x, const char *origin)
{
	const char *host = strstr(origin, "://");
	size_t len = host ? (size_t)(host - origin) : 0;

	return (len == 4 || len == 5) && memcmp(origin, "https", len) == 0 &&
	       rt_host_is_served(&x->server->listening, x->server->serve, host + 3, true);
}

/* Whether it is JSON in UTF-8: a browser's form cannot send this type. */
static bool is_json(const char *type)
{
	char text[48] = "";

	for (size_t len = 0; type && *type && len < sizeof(text) - 1; type++) {
		if (!strchr(" \t\"", *type))
			text[len++] = *type;
	}
	return strcasecmp(text, "application/json") == 0 ||
	       strcasecmp(text, "application/json;charset=utf-8") == 0;
}

/* Decide whether a request whose head is there is admitted; else an answer is decided. */
static void admit(struct exchange *x)
{
	const char *host = x->fields[HOST], *origin = x->fields[ORIGIN];
	const char *encoding = x->fields[ENCODING];

	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		size_t len = strlen(routes[i].path);

		if (strncmp(x->target, routes[i].path, len) == 0 && strchr("?", x->target[len]))
			x->route = &routes[i];
	}
	if (host && !rt_host_is_served(&x->server->listening, x->server->serve, host, false))
		refuse(x, 421, "this Host is not served; --allow-host adds one");
	else if (origin && !is_served_origin(x, origin))
		refuse(x, 403, "this Origin is not served; --allow-host adds its host");
	else if (!x->route)
		refuse(x, 404, "there is nothing at this path; see /openapi.json");
	else if (strcmp(x->method, "OPTIONS") == 0)
		answer(x, 204, NULL, RT_SLICE(""), false);
	else if (strcmp(x->method, x->route->method) != 0 &&
		 (x->route->operation == UPDATE || strcmp(x->method, "HEAD") != 0))
		refuse(x, 405, "this path does not have this method");
	else if (!(x->name = rt_keys_find(&x->server->keys, x->fields[KEY])) && x->route->needs_key)
		refuse(x, 401, x->fields[KEY] ? "unknown API key" : "no API key in X-API-Key");
	else if (x->route->operation != UPDATE)
		return;
	else if (!is_json(x->fields[TYPE]))
		refuse(x, 415, "want Content-Type: application/json, in UTF-8");
	else if (encoding && strcasecmp(encoding, "identity") != 0)
		refuse(x, 415, "a body must not have a Content-Encoding");
	else if (x->length > x->server->options.limits.request_bytes)
		refuse(x, 413, "the request exceeds --limit request");
}

static void take_head(struct exchange *x, const char *version)
{
	uint64_t most = x->server->options.limits.request_bytes * RT_HTTP_DRAIN_FACTOR;

	/* Counted before the look at `stopping`, so that what is admitted is waited for; strangers
	 * are not. */
	(void)atomic_fetch_add(&x->server->requests, 1);
	if (check_framing(x, version))
		admit(x);
	x->is_counted = !x->status && x->name;
	x->place->has_key |= x->name != NULL;
	if (!x->is_counted)
		(void)atomic_fetch_sub(&x->server->requests, 1);
	/* A client that waits to be asked for a body, or has too much of one, is answered now. */
	if (x->status &&
	    (x->length > most || (x->fields[EXPECT] && (x->length || x->fields[CODING]))))
		x->closes = true;
}

/* A piece of the body. Returns false where there is so much that no more is read. */
static bool take_body(struct exchange *x, const char *data, size_t len)
{
	uint64_t limit = x->server->options.limits.request_bytes;
	struct rt_error err;

	x->body_bytes += len;
	if (!x->status && x->body_bytes > limit)
		refuse(x, 413, "the request exceeds --limit request");
	else if (!x->status && rt_buf_append(&x->body, data, len, &err) != RT_OK)
		refuse(x, 503, "out of memory");
	return x->body_bytes <= limit * RT_HTTP_DRAIN_FACTOR;
}

/* --- Answers from the service ------------------------------------------------------------- */

/* Read an update's body. Returns false with an answer decided. */
static bool read_request(struct exchange *x, struct rt_request_walk *walk)
{
	const struct rt_options *options = &x->server->options;
	struct rt_slice json = rt_buf_slice(&x->body);
	const char *encoding = rt_text_encoding(&json);
	enum rt_status status = RT_OK;
	char line[RT_ERROR_LINE_MAX];
	struct rt_error err;

	if (json.len == 0 || encoding)
		status = rt_error_set(&err, RT_E_INPUT, "want JSON in UTF-8, have %s",
				      encoding ? encoding : "nothing");
	if (status == RT_OK)
		status = rt_json_check(json.ptr, json.len, &options->limits, &err);
	if (status != RT_OK) {
		rt_error_at(&err, "body", NULL);
		refuse(x, err.code == RT_E_NOMEM ? 503 : 400,
		       rt_error_format(&err, line, sizeof(line)));
		return false;
	}
	for (; rt_is_blank(json.ptr[0]); json.len--)
		json.ptr++;
	status = rt_request_parse(walk, json, &err);
	if (status == RT_REJECT)
		refuse_rules(x, 422, "the request breaks rules", &err, walk);
	else if (status != RT_OK)
		refuse(x, 503, "out of memory");
	return status == RT_OK;
}

/* Do what is asked. Has the lock. */
static enum rt_status run(struct exchange *x, const struct rt_request *request, struct rt_buf *out,
			  struct rt_error *err)
{
	struct rt_service *service = x->server->service;
	struct rt_slice actor = {x->name, strlen(x->name)};
	uint64_t held = atomic_load(&x->server->held);
	char at[RT_INSTANT_CHARS];

	if (x->server->has_failed)
		return rt_error_set(err, RT_E_LIMIT, "the service is stopping");
	if (held >= RT_HTTP_HELD_BYTES)
		return rt_error_set(err, RT_E_LIMIT, "too many answers wait to be taken");
	if (!rt_instant_format((int64_t)time(NULL), at))
		return rt_error_set(err, RT_E_IO, "want a clock between the years 0 and 9999");
	if (x->route->operation == UPDATE)
		return rt_service_update(service, request, actor, rt_slice_make(at, sizeof(at)),
					 RT_HTTP_HELD_BYTES - held, out, err);
	if (rt_service_look(service, err) != RT_OK)
		return RT_FATAL;
	return x->route->operation == SUMMARY ? rt_service_summary(service, out, err)
					      : rt_service_rulesets(service, x->repo, out, err);
}

/* Decide on the answer where that failed. Has the lock. */
static void refuse_failed(struct exchange *x, const struct rt_error *err)
{
	char line[RT_ERROR_LINE_MAX];

	if (err->code == RT_E_NOMEM || err->code == RT_E_LIMIT) {
		refuse(x, 503, rt_error_format(err, line, sizeof(line)));
	} else if (x->route->operation == UPDATE || rt_service_has_changed(err)) {
		rt_server_fail(x->server, err);
		refuse(x, 503,
		       "the journal could not be written, or the export has changed: the "
		       "service ends");
	} else {
		rt_server_note(x->server, "%s", rt_error_format(err, line, sizeof(line)));
		refuse(x, 500, "the export could not be read");
	}
}

/* Answer from the export and its journal, one request at a time. */
static void answer_state(struct exchange *x)
{
	struct rt_request_walk walk = {0};
	struct rt_buf out = {0};
	enum rt_status status;
	struct rt_error err;

	if (x->route->operation != UPDATE || read_request(x, &walk)) {
		(void)pthread_mutex_lock(&x->server->lock);
		status = run(x, &walk.request, &out, &err);
		if (status == RT_OK) {
			answer(x, 200, "application/json", rt_buf_slice(&out), true);
			out = (struct rt_buf){0};
		} else if (status == RT_REJECT) {
			/* An issue's record cannot take the update, most likely its note. */
			(void)snprintf(err.field, sizeof(err.field), "%s",
				       walk.request.notes.len ? "/notes" : "");
			refuse_rules(x, 422, "the request breaks rules", &err, NULL);
		} else {
			refuse_failed(x, &err);
		}
		(void)pthread_mutex_unlock(&x->server->lock);
	}
	rt_tree_release(&walk.tree);
	rt_buf_release(&out);
}

/* All of the request is there. */
static void answer_request(struct exchange *x)
{
	struct rt_slice text = RT_SLICE("{\"status\":\"ok\"}\n");
	size_t count;
	const struct rt_schema *schemas = rt_schemas(&count);

	for (size_t i = 0; i < count && x->route->operation == OPENAPI; i++) {
		if (strcmp(schemas[i].name, "openapi") == 0)
			text = rt_slice_make(schemas[i].text, schemas[i].len);
	}
	if (!x->route->needs_key)
		answer(x, 200, "application/json", text, false);
	else if (x->route->operation == RULESETS &&
		 (x->repos > 1 || rt_utf8_prefix(x->repo) != x->repo.len ||
		  (x->repo.len && memchr(x->repo.ptr, '\0', x->repo.len))))
		refuse(x, 400, "want repo_id once, in UTF-8 without NUL");
	else
		answer_state(x);
}

/* --- libmicrohttpd's callbacks ------------------------------------------------------------ */

void *rt_handler_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct rt_server *server = cls;
	size_t len = target ? strlen(target) : 0;
	struct exchange *x = calloc(1, sizeof(*x) + len + 1);

	if (!x)
		return NULL;
	x->server = server;
	x->connection = connection;
	x->place = rt_connection_of(server, connection);
	x->at = (int64_t)time(NULL);
	x->clock = rt_clock_us();
	memcpy(x->target, target ? target : "", len);
	rt_connection_waits(x->place, false);
	return x;
}

static enum MHD_Result send_answer(struct exchange *x)
{
	struct MHD_Response *response = x->response;
	enum MHD_Result done;

	/* A daemon that is being stopped drops the answer and asks again. */
	x->response = NULL;
	if (!response)
		return MHD_NO;
	done = RT_MHD(queue_response)(x->connection, x->status, response);
	RT_MHD(destroy_response)(response);
	return done;
}

/* url is not looked at: it is decoded, and another text may have become one of ours. */
enum MHD_Result rt_handler_run(void *cls, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *data,
			       size_t *len, void **context)
{
	struct exchange *x = *context;
	size_t some = *len;

	(void)cls;
	(void)connection;
	(void)url;
	if (!x)
		return MHD_NO;
	if (!x->method) {
		x->method = method;
		take_head(x, version);
		/* What is answered before the library has read the body ends the connection. */
		return x->closes ? send_answer(x) : MHD_YES;
	}
	*len = 0;
	if (some)
		return take_body(x, data, some) ? MHD_YES : MHD_NO;
	rt_connection_waits(x->place, true);
	if (!x->status)
		answer_request(x);
	return send_answer(x);
}

/* How many bytes of a text the log shows: up to its query, which is data and sometimes a secret;
 * none where it has characters that it must not have. */
static int shown(const char *text, int most)
{
	size_t len = strcspn(text, "?");

	for (size_t i = 0; i < len; i++) {
		if (text[i] <= ' ' || text[i] > '~')
			return 0;
	}
	return rt_slice_shown(rt_slice_make(text, len), most);
}

void rt_handler_end(void *cls, struct MHD_Connection *connection, void **context,
		    enum MHD_RequestTerminationCode how)
{
	struct exchange *x = *context;
	char at[RT_INSTANT_CHARS] = "0000-00-00T00:00:00", line[512];
	const char *method;
	uint64_t us;

	(void)cls;
	(void)connection;
	if (!x)
		return;
	us = rt_clock_us() - x->clock;
	method = x->method && shown(x->method, 20) ? x->method : "-";
	(void)rt_instant_format(x->at, at);
	(void)snprintf(line, sizeof(line), "%.*s %.20s %.*s %03u %zu %" PRIu64 ".%03ums %s %s:%u\n",
		       (int)sizeof(at), at, method, shown(x->target, RT_HTTP_LOG_PATH_BYTES),
		       x->target, how == MHD_REQUEST_TERMINATED_COMPLETED_OK ? x->status : 0,
		       x->bytes, us / 1000, (unsigned)(us % 1000), x->name ? x->name : "-",
		       x->place->address, x->place->port);
	rt_server_log(x->server, line);
	rt_connection_waits(x->place, false);
	(void)atomic_fetch_sub(&x->server->held, x->bytes);
	if (x->response)
		RT_MHD(destroy_response)(x->response);
	if (x->is_counted)
		(void)atomic_fetch_sub(&x->server->requests, 1);
	rt_buf_release(&x->body);
	free(x);
	*context = NULL;
}
