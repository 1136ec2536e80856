/*
 * One request as JSON text and back. Input: a request; or text that the scanner has checked.
 * Output: compact JSON, one spelling for one request; or a request that borrows from the text.
 * Refuses what the rules of request_walk.c refuse.
 */
#include "engine/request.h"

#include "base/json_string.h"
#include "engine/request_walk.h"
#include "engine/summary.h"

/* Append `before`, the member's name in quotes, and a colon. */
static enum rt_status write_name(enum rt_request_member member, char before, struct rt_buf *out,
				 struct rt_error *err)
{
	struct rt_slice name = rt_request_member_name(member);
	enum rt_status status = rt_buf_reserve(out, name.len + 4, err);

	if (status != RT_OK)
		return status;
	out->data[out->len++] = before;
	out->data[out->len++] = '"';
	memcpy(out->data + out->len, name.ptr, name.len);
	out->len += name.len;
	out->data[out->len++] = '"';
	out->data[out->len++] = ':';
	return RT_OK;
}

static enum rt_status write_ids(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err)
{
	enum rt_status status = write_name(RT_RQ_ISSUE_IDS, '{', out, err);

	for (unsigned i = 0; i < request->id_count && status == RT_OK; i++) {
		status = rt_buf_append(out, i ? "," : "[", 1, err);
		if (status == RT_OK)
			status = rt_json_string_encode(request->ids[i], out, err);
	}
	return status == RT_OK ? rt_buf_append(out, "]", 1, err) : status;
}

static enum rt_status write_string(enum rt_request_member member, struct rt_slice text,
				   struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = write_name(member, ',', out, err);

	return status == RT_OK ? rt_json_string_encode(text, out, err) : status;
}

static enum rt_status write_flag(enum rt_request_member member, int flag, struct rt_buf *out,
				 struct rt_error *err)
{
	enum rt_status status = write_name(member, ',', out, err);

	return status == RT_OK ? rt_buf_append(out, flag ? "true" : "false", flag ? 4 : 5, err)
			       : status;
}

enum rt_status rt_request_write(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err)
{
	enum rt_status status = write_ids(request, out, err);

	if (status == RT_OK && request->severity != RT_REQUEST_KEEP)
		status = write_string(RT_RQ_SEVERITY, rt_severity_level((size_t)request->severity),
				      out, err);
	if (status == RT_OK && request->false_positive != RT_REQUEST_KEEP)
		status = write_flag(RT_RQ_FALSE_POSITIVE, request->false_positive, out, err);
	if (status == RT_OK && request->exploitable != RT_REQUEST_KEEP)
		status = write_flag(RT_RQ_EXPLOITABLE, request->exploitable, out, err);
	if (status == RT_OK && request->notes.ptr)
		status = write_string(RT_RQ_NOTES, request->notes, out, err);
	return status == RT_OK ? rt_buf_append(out, "}", 1, err) : status;
}

enum rt_status rt_request_parse(struct rt_slice json, struct rt_buf *scratch,
				struct rt_request *ret_request, struct rt_error *err)
{
	struct rt_request_walk walk;
	enum rt_status status;

	rt_request_walk_start(&walk, json, scratch, ret_request);
	status = rt_request_walk_next(&walk, err);
	return status == RT_END ? RT_OK : status;
}
