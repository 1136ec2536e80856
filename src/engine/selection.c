/*
 * Makes bulk-update requests. Input: what to set, then issues. Output: requests as JSON Lines.
 * Refuses what no request may ask for. A request has as many ids as the contract allows, or fewer
 * where they are so long that it would be beyond the limit "request".
 */
#include "engine/selection.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/utf8.h"
#include "engine/issue_state.h"

/* What stands around the ids of a request, and a newline. */
#define BEFORE_IDS RT_SLICE("{\"issue_ids\":[")
#define AFTER_IDS RT_SLICE("]")
#define AROUND_IDS 32u

/* --- What is asked for ------------------------------------------------------------------- */

static enum rt_status put(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	return rt_buf_append(out, text.ptr, text.len, err);
}

static bool is_utf8(struct rt_slice text)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		len = rt_utf8_length(text.ptr + at, text.len - at);
		if (!len)
			return false;
	}
	return true;
}

/* Append ,"NAME":VALUE. */
static enum rt_status put_member(struct rt_buf *out, enum rt_request_member member,
				 struct rt_slice value, bool quoted, struct rt_error *err)
{
	enum rt_status status = put(out, RT_SLICE(",\""), err);

	if (status == RT_OK)
		status = put(out, rt_request_member_name(member), err);
	if (status == RT_OK)
		status = put(out, RT_SLICE("\":"), err);
	if (status == RT_OK)
		status = quoted ? rt_json_string_encode(value, out, err) : put(out, value, err);
	return status;
}

static bool is_word(struct rt_slice value)
{
	return rt_slice_equal(value, RT_SLICE("true")) || rt_slice_equal(value, RT_SLICE("false"));
}

/* Find what may be set; the ids and notes are members of a request, too. */
static bool find_member(struct rt_slice name, enum rt_request_member *ret_member)
{
	static const enum rt_request_member members[] = {RT_RQ_SEVERITY, RT_RQ_FALSE_POSITIVE,
							 RT_RQ_EXPLOITABLE};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (rt_slice_equal(rt_request_member_name(members[i]), name)) {
			*ret_member = members[i];
			return true;
		}
	}
	return false;
}

/* Read one MEMBER=VALUE. seen: a bit for each member that has been set. */
static enum rt_status read_set(struct rt_selection *s, const char *text, unsigned *seen,
			       struct rt_error *err)
{
	const char *equals = strchr(text, '=');
	struct rt_slice value =
	    rt_slice_make(equals ? equals + 1 : "", equals ? strlen(equals + 1) : 0);
	enum rt_request_member member;

	if (!equals || !find_member(rt_slice_make(text, (size_t)(equals - text)), &member))
		return rt_error_set(err, RT_E_USAGE,
				    "want severity=LEVEL, false_positive=true or false, or "
				    "exploitable=true or false, have \"%s\"",
				    text);
	if (*seen & 1u << member)
		return rt_error_set(err, RT_E_USAGE, "want each member once, have \"%s\" again",
				    text);
	*seen |= 1u << member;
	if (!is_utf8(value))
		return rt_error_set(err, RT_E_USAGE, "want UTF-8, have another encoding");
	if (member != RT_RQ_SEVERITY && !is_word(value))
		return rt_error_set(err, RT_E_USAGE, "want true or false, have \"%s\"", text);
	return put_member(&s->members, member, value, member == RT_RQ_SEVERITY, err);
}

/* Hold all of it against the rules of a request with one id. */
static enum rt_status check(struct rt_selection *s, struct rt_error *err)
{
	struct rt_buf json = {0}, scratch = {0};
	struct rt_request request;
	enum rt_status status = put(&json, RT_SLICE("{\"issue_ids\":[\"x\"]"), err);

	if (status == RT_OK)
		status = put(&json, rt_buf_slice(&s->members), err);
	if (status == RT_OK)
		status = put(&json, RT_SLICE("}"), err);
	if (status == RT_OK)
		status = rt_request_parse(rt_buf_slice(&json), &scratch, &request, err);
	if (status == RT_OK)
		s->step = (struct rt_step){
		    .severity = request.severity,
		    .false_positive = request.false_positive,
		    .exploitable = request.exploitable,
		    .notes = rt_buf_slice(&s->note),
		};
	rt_buf_release(&json);
	rt_buf_release(&scratch);
	return status;
}

/* Say of which option it is. */
static enum rt_status blame(struct rt_error *err, const char *option)
{
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(option, strlen(option)));
	err->code = err->code == RT_E_NOMEM ? RT_E_NOMEM : RT_E_USAGE;
	return RT_FATAL;
}

static enum rt_status read_note(struct rt_selection *s, struct rt_slice note, struct rt_error *err)
{
	enum rt_status status;

	if (!is_utf8(note))
		return rt_error_set(err, RT_E_USAGE, "want UTF-8, have another encoding");
	status = put(&s->note, note, err);
	return status == RT_OK ? put_member(&s->members, RT_RQ_NOTES, note, true, err) : status;
}

enum rt_status rt_selection_init(struct rt_selection *s, const char *const *set, size_t set_count,
				 const char *note, const struct rt_limits *limits,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;
	unsigned seen = 0;

	*s = (struct rt_selection){.asks = set_count || note, .bytes_max = limits->request_bytes};
	for (size_t i = 0; status == RT_OK && i < set_count; i++)
		status = read_set(s, set[i], &seen, err);
	if (status == RT_OK)
		status = check(s, err);
	if (status != RT_OK)
		return blame(err, "--set");
	if (note)
		status = read_note(s, rt_slice_make(note, strlen(note)), err);
	if (status == RT_OK)
		status = check(s, err);
	return status == RT_OK ? RT_OK : blame(err, "--note");
}

void rt_selection_release(struct rt_selection *s)
{
	rt_buf_release(&s->note);
	rt_buf_release(&s->members);
	rt_buf_release(&s->ids);
}

bool rt_selection_changes(const struct rt_selection *s, const struct rt_record *issue)
{
	struct rt_issue_state state = rt_issue_state_of(issue);

	return rt_issue_state_step(&state, &s->step, 0);
}

/* --- Requests ---------------------------------------------------------------------------- */

enum rt_status rt_selection_end(struct rt_selection *s, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status;

	if (!s->id_count)
		return RT_OK;
	status = put(out, BEFORE_IDS, err);
	if (status == RT_OK)
		status = put(out, rt_buf_slice(&s->ids), err);
	if (status == RT_OK)
		status = put(out, AFTER_IDS, err);
	if (status == RT_OK && s->members.len)
		status = put(out, rt_buf_slice(&s->members), err);
	if (status == RT_OK)
		status = put(out, RT_SLICE("}\n"), err);
	s->ids.len = 0;
	s->id_count = 0;
	s->requests++;
	return status;
}

enum rt_status rt_selection_add(struct rt_selection *s, const struct rt_record *issue,
				struct rt_buf *out, struct rt_error *err)
{
	uint64_t fixed = AROUND_IDS + (uint64_t)s->members.len;
	uint64_t id = (uint64_t)rt_json_string_encoded_len(issue->id) + 1;
	enum rt_status status = RT_OK;

	if (fixed + id > s->bytes_max)
		return rt_error_set(err, RT_E_LIMIT,
				    "want a request of at most %" PRIu64
				    " byte%s (limit \"request\"), have one that is longer with "
				    "this id",
				    s->bytes_max, RT_S(s->bytes_max));
	if (s->id_count == RT_REQUEST_IDS_MAX || fixed + s->ids.len + id > s->bytes_max)
		status = rt_selection_end(s, out, err);
	if (status == RT_OK && s->id_count)
		status = put(&s->ids, RT_SLICE(","), err);
	if (status == RT_OK)
		status = rt_json_string_encode(issue->id, &s->ids, err);
	s->id_count++;
	return status;
}
