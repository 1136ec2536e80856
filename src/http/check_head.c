/*
 * Admission of requests. Input: the head of one. Output: its route and the name of its key, or an
 * answer that says why not.
 * Refuses in a fixed order, framing first: who is not let in learns nothing of what is behind.
 */
#include <stdio.h>

#include "base/limits.h"
#include "http/exchange.h"
#include "http/media.h"
#include "http/problem.h"

/* Whether the request is meant for this service. */
static bool check_host(struct rt_exchange *exchange)
{
	const struct rt_hosts *hosts = &exchange->server->hosts;
	struct rt_slice host = exchange->head.fields[RT_FIELD_HOST];
	struct rt_slice authority = exchange->target.authority;
	struct rt_slice origin = exchange->head.fields[RT_FIELD_ORIGIN];
	/* A target in absolute form has the last word (RFC 9112 3.2.2). */
	struct rt_slice meant = authority.ptr ? authority : host;

	if ((host.ptr && !rt_hosts_is_host(host)) ||
	    (authority.ptr && !rt_hosts_is_host(authority))) {
		exchange->close = true;
		rt_exchange_refuse(exchange, 400,
				   "want the name of a host, as in example.org:8080");
		return false;
	}
	if (meant.ptr && !rt_hosts_has(hosts, meant)) {
		rt_exchange_refuse(exchange, 421,
				   "want a Host that is served here: whoever runs the service can "
				   "add others with --allow-host");
		return false;
	}
	if (origin.ptr && !rt_hosts_has_origin(hosts, origin)) {
		rt_exchange_refuse(exchange, 403,
				   "want no Origin, or one that is served here: whoever runs the "
				   "service can add its host with --allow-host");
		return false;
	}
	return true;
}

/* Add a header to the answer that was decided. Without memory there is none: one that lacks the
 * header would not be what it says it is. */
static void add_header(struct rt_exchange *exchange, const char *name, const char *value)
{
	if (!exchange->answer || MHD_add_response_header(exchange->answer, name, value) == MHD_YES)
		return;
	MHD_destroy_response(exchange->answer);
	exchange->answer = NULL;
}

static void answer_options(struct rt_exchange *exchange, const char *allow)
{
	exchange->status = MHD_HTTP_NO_CONTENT;
	exchange->answer = rt_answer_empty();
	add_header(exchange, "Allow", allow);
}

static void refuse_method(struct rt_exchange *exchange)
{
	char detail[128];

	(void)snprintf(detail, sizeof(detail), "this path has the methods %s",
		       exchange->route->allow);
	rt_exchange_refuse(exchange, 405, detail);
}

static bool check_route(struct rt_exchange *exchange)
{
	bool options = strcmp(exchange->method, MHD_HTTP_METHOD_OPTIONS) == 0;

	if (options && rt_slice_equal(exchange->target.path, RT_SLICE("*"))) {
		answer_options(exchange, "GET, HEAD, PATCH, OPTIONS");
		return false;
	}
	exchange->route = rt_route_find(exchange->target.path);
	if (!exchange->route) {
		rt_exchange_refuse(exchange, 404,
				   "there is nothing at this path; /openapi.json has what there "
				   "is");
		return false;
	}
	if (!rt_route_allows(exchange->route, exchange->method)) {
		refuse_method(exchange);
		add_header(exchange, "Allow", exchange->route->allow);
		return false;
	}
	if (options)
		answer_options(exchange, exchange->route->allow);
	return !options;
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
	struct rt_slice text = exchange->head.fields[RT_FIELD_API_KEY];
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 *hash;
	struct rt_error err;

	if (!exchange->route->needs_key)
		return true;
	if (text.ptr) {
		if (rt_sha256_new(&hash, &err) != RT_OK) {
			rt_exchange_refuse(exchange, 503, "out of memory");
			return false;
		}
		rt_sha256_of(hash, text, digest);
		rt_sha256_free(hash);
		if (find_key(exchange, digest))
			return true;
	}
	rt_exchange_refuse(exchange, 401,
			   text.ptr ? "want a key that is let in, have another in X-API-Key"
				    : "want a key in the header X-API-Key, have none");
	add_header(exchange, "WWW-Authenticate", "ApiKey");
	return false;
}

/* Type and size of an update. */
static bool check_body_head(struct rt_exchange *exchange)
{
	uint64_t limit = exchange->server->options.limits.request_bytes;

	if (exchange->route->operation != RT_OPERATION_UPDATE)
		return true;
	if (!rt_media_is_json(exchange->head.fields[RT_FIELD_CONTENT_TYPE])) {
		rt_exchange_refuse(exchange, 415,
				   "want the header Content-Type: application/json, in UTF-8");
		return false;
	}
	if (exchange->head.body_bytes > limit) {
		rt_exchange_refuse_large(exchange);
		return false;
	}
	return true;
}

bool rt_exchange_check_head(struct rt_exchange *exchange)
{
	const struct rt_head *head = &exchange->head;
	struct rt_slice text = {exchange->text, exchange->line.target_len};

	if (head->status) {
		exchange->close = true;
		rt_exchange_refuse(exchange, head->status, head->fault);
		return false;
	}
	if (!rt_target_parse(text, &exchange->target)) {
		exchange->close = true;
		rt_exchange_refuse(exchange, 400, "want a path, with a query of RFC 3986 or none");
		return false;
	}
	if (exchange->late) {
		exchange->close = true;
		rt_exchange_refuse(exchange, 503, "the service is stopping");
		return false;
	}
	return check_host(exchange) && check_route(exchange) && check_key(exchange) &&
	       check_body_head(exchange);
}
