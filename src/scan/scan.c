/*
 * What the code paths of the scanner share: choosing one for this processor, skipping white space
 * outside of records, and naming a byte in messages.
 */
#include "scan/scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"

#if defined(__x86_64__)

static bool has_avx2(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

const struct rt_scan_ops *rt_scan_ops(void)
{
	const char *wanted = secure_getenv("RETRIAGE_SIMD");

	if ((wanted && strcmp(wanted, "portable") == 0) || !has_avx2())
		return &rt_scan_portable;
	return &rt_scan_avx2;
}

#else

const struct rt_scan_ops *rt_scan_ops(void)
{
	return &rt_scan_portable;
}

#endif

void *rt_scan_alloc(size_t bytes)
{
	void *memory = aligned_alloc(_Alignof(struct rt_scan), bytes);

	return memory ? memset(memory, 0, bytes) : NULL;
}

void rt_scan_init(struct rt_scan *s, uint64_t depth_limit)
{
	memset(s, 0, sizeof(*s));
	s->depth_limit =
	    (uint32_t)(depth_limit < RT_LIMIT_DEPTH_MAX ? depth_limit : RT_LIMIT_DEPTH_MAX);
	s->line = 1;
	s->gap_count = RT_GAP_NONE + 1;
	rt_member_index_init(&s->index);
}

const char *rt_scan_blanks(struct rt_scan *s, const char *at)
{
	for (;;) {
		/* Indentation is passed eight blanks at a time. */
		uint64_t other = rt_bytes_load64(at) ^ UINT64_C(0x2020202020202020);

		if (!other) {
			at += 8;
			continue;
		}
		at += (unsigned)__builtin_ctzll(other) / 8;
		if (*at != '\n' && *at != '\t' && *at != '\r')
			return at;
		if (*at++ == '\n') {
			s->line++;
			s->line_start = s->origin + (uintptr_t)at;
		}
	}
}

void rt_scan_describe(const struct rt_scan *s, const char *at, char *out, size_t cap)
{
	unsigned char c = (unsigned char)*at;

	if (at >= s->end)
		(void)snprintf(out, cap, "the end of the text");
	else if (c < 0x20 || c >= 0x7F)
		(void)snprintf(out, cap, "byte 0x%02X", c);
	else
		(void)snprintf(out, cap, "'%c'", c);
}

/* --- A whole text ---------------------------------------------------------------------------- */

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
					      NULL, RT_E_INPUT, NULL};

		if (after.at < s.end)
			status = json_fault(&s, &after, text, err);
	}
	free(text);
	return status;
}
