/*
 * The body of an update. Input: bytes. Output: a request, or an answer that has every fault.
 * Refuses what is not JSON (400) and what breaks a rule of SPEC D12 (422).
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/request_walk.h"
#include "http/exchange.h"
#include "record/json.h"

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
	rt_exchange_refuse(exchange, 503, "out of memory");
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
static struct rt_slice strip(const struct rt_buf *text)
{
	const char *end = text->data + text->len;
	const char *start = rt_items_blanks(text->data, end);

	while (end > start && strchr(" \t\r\n", end[-1]))
		end--;
	return rt_slice_make(start, (size_t)(end - start));
}

bool rt_exchange_check_update(struct rt_exchange *exchange)
{
	const struct rt_options *options = &exchange->server->options;
	const struct rt_buf *body = &exchange->job->body;
	char line[RT_ERROR_LINE_MAX];
	struct rt_error err;
	enum rt_status status;

	if (body->len == 0) {
		rt_exchange_refuse(exchange, 400, "want a JSON document, have nothing");
		return false;
	}
	status = rt_json_check(body->data, body->len, &options->limits, options->simd, &err);
	if (status == RT_OK)
		return check_rules(exchange, strip(body));
	if (err.code == RT_E_NOMEM) {
		refuse_memory(exchange);
		return false;
	}
	rt_error_at(&err, "body", NULL);
	rt_exchange_refuse(exchange, 400, rt_error_format(&err, line, sizeof(line)));
	return false;
}
