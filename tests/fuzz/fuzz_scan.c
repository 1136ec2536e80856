/*
 * Any bytes as a JSON text: every code path of the scanner must say the same, whole and cut into
 * windows, and jansson must agree whether it is JSON.
 *
 * jansson differs from RFC 8259 in that it refuses numbers beyond int64 and double and NUL in a
 * key, and skips raw NUL bytes between tokens: nothing is asked of it there.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "scan/scan.h"
#include "tests/fuzz/turn.h"
#include "tests/unit/scan_env.h"

/* Windows that grow are copied each time: beyond this it would cost more than it shows. */
#define CUT_MAX 600u
#define DEPTH 64u
#define SIMDS 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rt_status check(const char *text, size_t len, const char *simd, struct rt_error *err)
{
	struct rt_limits limits;

	rt_limits_init(&limits);
	limits.depth = DEPTH;
	memset(err, 0, sizeof(*err));
	scan_env(simd, 0);
	return rt_json_check(text, len, &limits, err);
}

static void agree_with_jansson(const char *text, size_t len, enum rt_status status,
			       const struct rt_error *err)
{
	json_error_t fault;
	json_t *json;
	enum json_error_code code;

	if (err->code == RT_E_LIMIT)
		return;
	json = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &fault);
	code = json ? json_error_unknown : json_error_code(&fault);
	if (status == RT_OK && !json && code != json_error_numeric_overflow &&
	    code != json_error_null_byte_in_key)
		abort();
	if (status != RT_OK && json && !memchr(text, '\0', len))
		abort();
	json_decref(json);
}

/* Show the scanner len bytes of text from start on, in a block of their own. */
static char *show(struct rt_scan *s, const char *text, size_t start, size_t len, bool final)
{
	char *block = calloc(1, len - start + RT_PADDING);

	if (!block)
		abort();
	memcpy(block, text + start, len - start);
	s->end = block + len - start;
	s->final = final;
	s->origin = start - (uint64_t)(uintptr_t)block;
	return block;
}

/* Piece by piece, `step` more bytes at a time: the same end of the value, or the same fault. */
static void agree_cut(const char *text, size_t len, size_t step, const struct rt_scan_ops *ops,
		      enum rt_status status, const struct rt_error *err)
{
	struct rt_nest nest = {.depth = 0};
	size_t start = 0, in_view = 0;
	struct rt_scan s;
	bool done, more;

	rt_scan_init(&s, DEPTH);
	do {
		bool final = in_view > len;
		char *block = show(&s, text, start, final ? len : in_view, final);
		const char *at;

		done = ops->nested(&s, &nest, block, &at);
		start = (size_t)(s.origin + (uintptr_t)at);
		more = !done && !s.fault.at;
		if (more && final)
			abort();
		if (!done && !more &&
		    (s.origin + (uintptr_t)s.fault.at != err->offset || s.fault.code != err->code ||
		     s.line != err->line || err->offset - s.line_start + 1 != err->column))
			abort();
		in_view = final || in_view == len || in_view + step < len ? in_view + step : len;
		free(block);
	} while (more);
	/* What may stand after a value is none of its business. */
	if (done != (status == RT_OK || strstr(err->message, "nothing after") != NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const simds[SIMDS] = {"portable", NULL};
	const char *text = (const char *)data;
	struct rt_error first, other;
	enum rt_status status = check(text, size, simds[0], &first);
	size_t end;

	for (size_t i = turn_first(data, size, SIMDS, &end); i < end && i < SIMDS; i++) {
		if (i > 0 && (check(text, size, simds[i], &other) != status ||
			      memcmp(&first, &other, sizeof(first)) != 0))
			abort();
		scan_env(simds[i], 0);
		if (size <= CUT_MAX)
			agree_cut(text, size, 1 + size % 7, rt_scan_ops(), status, &first);
	}
	if (size)
		agree_with_jansson(text, size, status, &first);
	return 0;
}
