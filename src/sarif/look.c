/*
 * Tells SARIF logs from other JSON by the members at the top (SARIF.md S1, S2): first by as much as
 * has been read, then, where the first pass meets a fault, by all of them. Versions other than
 * 2.1.0 are refused.
 */
#include "base/limits.h"
#include "sarif/log.h"

int rt_log_member(struct rt_slice key)
{
	static const struct rt_slice names[LOG_MEMBERS] = {
	    [LOG_VERSION] = {"version", 7}, [LOG_SCHEMA] = {"$schema", 7},
	    [LOG_RUNS] = {"runs", 4},       [LOG_INLINE] = {"inlineExternalProperties", 24},
	    [LOG_ISSUES] = {"issues", 6},   [LOG_RULESETS] = {"rulesets", 8},
	};
	int member = 0;

	while (member < LOG_MEMBERS && !rt_items_key_is(key, names[member]))
		member++;
	return member;
}

/* A member's value from at on: its first byte is known. Returns the byte after it, or end. */
static const char *look_value(const char *at, const char *end, int member,
			      enum rt_sarif_verdict *verdict)
{
	if (member == LOG_RUNS)
		*verdict = RT_SARIF_MAYBE;
	else if ((member == LOG_ISSUES || member == LOG_RULESETS) && *at == '[')
		*verdict = RT_SARIF_NO;
	return rt_items_value(at, end);
}

/*
 * A member from its key's quote on. Returns the byte after its value; NULL: it is not whole, or no
 * member at all.
 */
static const char *look_member(const char *at, const char *end, enum rt_sarif_verdict *verdict)
{
	const char *key = at + 1;
	bool loose;

	at = rt_items_string(key, end, &loose);
	if (at == end)
		return NULL;
	struct rt_slice name = rt_slice_make(key, (size_t)(at - key));

	at = rt_items_blanks(at + 1, end);
	if (at == end)
		return NULL;
	if (*at != ':') {
		*verdict = RT_SARIF_NO;
		return NULL;
	}
	at = rt_items_blanks(at + 1, end);
	return at == end ? NULL : look_value(at, end, rt_log_member(name), verdict);
}

enum rt_sarif_verdict rt_sarif_look(struct rt_slice head, bool final)
{
	enum rt_sarif_verdict verdict = RT_SARIF_OPEN, open = final ? RT_SARIF_NO : RT_SARIF_OPEN;
	const char *at = head.ptr + 1, *end = rt_slice_end(head);

	for (;;) {
		at = rt_items_blanks(at, end);
		if (at < end && *at == ',')
			at = rt_items_blanks(at + 1, end);
		if (at == end)
			return open;
		if (*at != '"')
			return RT_SARIF_NO;
		at = look_member(at, end, &verdict);
		if (verdict != RT_SARIF_OPEN)
			return verdict;
		if (!at)
			return open;
	}
}

bool rt_log_top_is(const struct log_top *top)
{
	return top->has[LOG_RUNS] && (top->has[LOG_VERSION] || top->says_sarif) &&
	       !top->has[LOG_ISSUES] && !top->has[LOG_RULESETS];
}

void rt_log_check_version(struct rt_slice value, struct rt_sarif_fault *fault)
{
	static const char want[] = "\"2.1.0\"";
	static const char words[] = "; convert it first, e.g. with sarif-multitool transform";
	bool is_string = rt_sarif_type(value) == RT_SARIF_STRING;

	if (!value.ptr)
		rt_sarif_refuse(fault, NULL, "version", want, "none");
	else if (!is_string || !rt_sarif_equals(value, RT_SLICE("2.1.0")))
		rt_sarif_refuse(fault, value.ptr, "version", want, "%.*s%s",
				rt_slice_shown(value, 100), value.ptr, is_string ? words : "");
}

/* Take what a member at the top tells. */
static enum rt_status see_member(struct rt_cursor *cursor, int member, struct log_top *top,
				 struct rt_sarif_fault *fault, struct rt_cursor_spot *spot,
				 struct rt_error *err)
{
	struct rt_slice value;
	enum rt_status status;

	if (member == LOG_ISSUES || member == LOG_RULESETS)
		top->has[member] = top->has[member] || *cursor->at == '[';
	else if (member < LOG_MEMBERS)
		top->has[member] = top->has[member] || member == LOG_RUNS || *cursor->at != 'n';
	if (member != LOG_VERSION && member != LOG_SCHEMA)
		return rt_cursor_skip(cursor, err);
	status = rt_cursor_take(cursor, cursor->limits->record_bytes, &value, err);
	if (status != RT_OK)
		return status;
	if (member == LOG_SCHEMA) {
		top->says_sarif = memmem(value.ptr, value.len, "sarif", 5) != NULL;
	} else if (fault->status == RT_OK) {
		rt_log_check_version(value, fault);
		*spot = cursor->spot;
	}
	return RT_OK;
}

enum rt_status rt_log_recognise(struct rt_sarif *log, bool *ret_is, bool *ret_fault,
				struct rt_error *fault_err, struct rt_error *err)
{
	struct rt_cursor *cursor = log->cursor;
	const struct rt_cursor_spot at = rt_cursor_here(cursor);
	const struct rt_cursor_spot from = {.offset = 0, .line = 1};
	const uint32_t levels = cursor->scan.depth_base;
	const bool broken = cursor->broken;
	struct rt_sarif_fault fault;
	struct rt_cursor_spot spot = log->start;
	struct log_top top = {.says_sarif = false};
	bool first = true;
	enum rt_status status;

	rt_sarif_fault_clear(&fault);
	rt_cursor_seek(cursor, &from, 0);
	status = rt_cursor_blanks(cursor, err);
	if (status == RT_OK)
		status = rt_cursor_enter(cursor, err);
	while (status == RT_OK) {
		int member;

		status = rt_cursor_member(cursor, &first, rt_log_member, &member, err);
		if (status == RT_OK)
			status = see_member(cursor, member, &top, &fault, &spot, err);
	}
	rt_cursor_seek(cursor, &at, levels);
	cursor->broken = broken;
	*ret_is = rt_log_top_is(&top);
	/* In a log that breaks off, what is missing may have been meant to follow. */
	if (status == RT_END && !top.has[LOG_VERSION])
		rt_log_check_version(rt_slice_make(NULL, 0), &fault);
	*ret_fault = fault.status != RT_OK;
	if (*ret_fault)
		(void)rt_log_fault(log, &fault, &spot, fault.at, -1, -1, fault_err);
	return status == RT_FATAL ? RT_FATAL : RT_OK;
}
