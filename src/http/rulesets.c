/*
 * Answers with rulesets. Input: requests, with a repository or without. Output: documents.
 * Refuses to make more of them at once than RT_HTTP_HELD_BYTES: a client may be slow to take what
 * it asked for, or never do so.
 */
#include "http/rulesets.h"

#include <stdlib.h>

#include "base/limits.h"
#include "http/exchange.h"
#include "http/problem.h"

static enum MHD_Result refuse(struct rt_exchange *exchange, unsigned status, const char *detail)
{
	rt_exchange_refuse(exchange, status, detail);
	return rt_exchange_send(exchange);
}

/* Make a document. repo_id: ptr NULL for all. Returns NULL with a refusal decided. */
static struct MHD_Response *make(struct rt_exchange *exchange, struct rt_slice repo_id,
				 uint64_t *ret_bytes)
{
	struct rt_server *server = exchange->server;
	struct MHD_Response *answer = NULL;
	struct rt_buf body = {0};
	struct rt_error err;

	if (rt_service_rulesets(server->service, repo_id, &body, &err) == RT_OK) {
		*ret_bytes = body.len;
		answer = rt_answer_json(&body);
		if (!answer)
			(void)rt_error_nomem(&err);
	}
	rt_buf_release(&body);
	if (answer)
		return answer;
	rt_exchange_refuse_export(exchange, &err);
	return NULL;
}

static enum MHD_Result answer_all(struct rt_exchange *exchange)
{
	struct rt_rulesets *rulesets = &exchange->server->rulesets;
	enum MHD_Result queued = MHD_NO;
	bool made;

	(void)pthread_mutex_lock(&rulesets->lock);
	if (!rulesets->all)
		rulesets->all = make(exchange, rt_slice_make(NULL, 0), &rulesets->all_bytes);
	made = rulesets->all != NULL;
	if (made)
		queued = rt_exchange_share(exchange, rulesets->all, rulesets->all_bytes);
	(void)pthread_mutex_unlock(&rulesets->lock);
	return made ? queued : rt_exchange_send(exchange);
}

static enum MHD_Result answer_some(struct rt_exchange *exchange, struct rt_slice repo_id)
{
	struct rt_rulesets *rulesets = &exchange->server->rulesets;

	if (atomic_load(&rulesets->held) >= RT_HTTP_HELD_BYTES)
		return refuse(exchange, 503, "too many answers wait to be taken");
	exchange->answer = make(exchange, repo_id, &exchange->answer_bytes);
	if (exchange->status == 0 && exchange->answer) {
		exchange->status = MHD_HTTP_OK;
		exchange->held = exchange->answer_bytes;
		(void)atomic_fetch_add(&rulesets->held, exchange->held);
	}
	return rt_exchange_send(exchange);
}

enum MHD_Result rt_rulesets_answer(struct rt_exchange *exchange)
{
	struct rt_slice query = exchange->target.query;
	struct rt_slice repo_id = {NULL, 0};
	enum MHD_Result result;
	char *value = malloc(query.len + 1);

	if (!value)
		return refuse(exchange, 503, "out of memory");
	switch (rt_target_parameter(query, "repo_id", value, &repo_id)) {
	case RT_PARAMETER_REPEATED:
		result = refuse(exchange, 400, "want repo_id once, have it again");
		break;
	case RT_PARAMETER_BAD:
		result = refuse(exchange, 400, "want repo_id in UTF-8 without NUL");
		break;
	default:
		result = repo_id.ptr ? answer_some(exchange, repo_id) : answer_all(exchange);
	}
	free(value);
	return result;
}

void rt_rulesets_release(struct rt_rulesets *rulesets)
{
	if (rulesets->all)
		MHD_destroy_response(rulesets->all);
}
