/*
 * Answers with rulesets. Input: requests, with a repository or without. Output: documents.
 * Refuses to make more of them than RT_HTTP_HELD_BYTES lets wait: a client may be slow to take what
 * it asked for, or never do so.
 */
#include "http/rulesets.h"

#include <stdlib.h>

#include "http/exchange.h"

/* Make a document. repo_id: ptr NULL for all. Returns NULL with a refusal decided. */
static struct rt_document *make(struct rt_exchange *exchange, struct rt_slice repo_id)
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
	rt_exchange_refuse_export(exchange, &err);
	return NULL;
}

static struct rt_document *find_all(struct rt_exchange *exchange)
{
	struct rt_rulesets *rulesets = &exchange->server->rulesets;

	if (!rulesets->all)
		rulesets->all = make(exchange, rt_slice_make(NULL, 0));
	return rulesets->all ? rt_document_share(rulesets->all) : NULL;
}

static void answer(struct rt_exchange *exchange, struct rt_slice repo_id)
{
	struct rt_server *server = exchange->server;
	struct rt_document *document = NULL;

	/* Under the lock, so that what waits is beyond the bound by one list at most. */
	(void)pthread_mutex_lock(&server->rulesets.lock);
	if (!repo_id.ptr)
		document = find_all(exchange);
	else if (rt_exchange_has_room(exchange))
		document = make(exchange, repo_id);
	(void)pthread_mutex_unlock(&server->rulesets.lock);
	if (document)
		rt_reply_json(&exchange->reply, document);
}

void rt_rulesets_answer(struct rt_exchange *exchange)
{
	struct rt_slice query = exchange->target.query;
	struct rt_slice repo_id = {NULL, 0};
	char *value = malloc(query.len + 1);

	if (!value) {
		rt_exchange_refuse(exchange, 503, "out of memory");
		return;
	}
	switch (rt_target_parameter(query, "repo_id", value, &repo_id)) {
	case RT_PARAMETER_REPEATED:
		rt_exchange_refuse(exchange, 400, "want repo_id once, have it again");
		break;
	case RT_PARAMETER_BAD:
		rt_exchange_refuse(exchange, 400, "want repo_id in UTF-8 without NUL");
		break;
	default:
		answer(exchange, repo_id);
	}
	free(value);
}

void rt_rulesets_release(struct rt_rulesets *rulesets)
{
	rt_document_release(rulesets->all);
	rulesets->all = NULL;
}
