/*
 * Checks one JSON text in memory. Input: bytes. Output: yes, or the first fault with its place.
 * Refuses everything RFC 8259 does not allow, also what is only cut short.
 */
#include "scan/json.h"

#include <stdlib.h>

#include "base/error.h"
#include "scan/scan.h"

static enum rt_status json_fault(const struct rt_scan *s, const struct rt_scan_fault *fault,
				 const char *text, struct rt_error *err)
{
	char byte[32];

	rt_scan_describe(s, fault->at, byte, sizeof(byte));
	(void)rt_error_set(err, fault->code, "want %s, have %s", fault->want,
			   fault->have ? fault->have : byte);
	err->line = s->line;
	err->offset = (uint64_t)(fault->at - text);
	err->column = err->offset - s->line_start + 1;
	return RT_REJECT;
}

enum rt_status rt_json_check(const char *ptr, size_t len, const struct rt_limits *limits,
			     struct rt_error *err)
{
	char *text = calloc(1, len + RT_PADDING);
	enum rt_status status = RT_OK;
	struct rt_scan s;
	const char *at;

	if (!text)
		return rt_error_nomem(err);
	if (len)
		memcpy(text, ptr, len);
	rt_scan_init(&s, limits->depth);
	s.end = text + len;
	s.final = true;
	s.origin = 0 - (uint64_t)(uintptr_t)text;
	at = rt_scan_ops()->value(&s, rt_scan_blanks(&s, text), NULL);
	if (!at) {
		status = json_fault(&s, &s.fault, text, err);
	} else {
		struct rt_scan_fault after = {rt_scan_blanks(&s, at), "nothing after the value",
					      NULL, RT_E_INPUT};

		if (after.at < s.end)
			status = json_fault(&s, &after, text, err);
	}
	free(text);
	return status;
}
