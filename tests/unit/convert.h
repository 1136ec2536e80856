/*
 * Conversion of YAML in memory, for the tests of text that is not read from files.
 */
#ifndef RT_TESTS_CONVERT_H
#define RT_TESTS_CONVERT_H

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "formats/text.h"
#include "unit.h"

/* A pull over memory: at most step bytes a read (0: all); then repeats of the last byte. */
struct memory {
	struct rt_slice left;
	size_t step;
	uint64_t repeats;
	char last;
};

static inline enum rt_status memory_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
					 struct rt_error *err)
{
	struct memory *memory = ctx;
	size_t len = memory->left.len;

	(void)err;
	if (memory->step && cap > memory->step)
		cap = memory->step;
	if (len == 0 && memory->repeats == 0)
		return RT_END;
	if (len == 0) {
		*ret_len = memory->repeats < cap ? (size_t)memory->repeats : cap;
		memset(buf, memory->last, *ret_len);
		memory->repeats -= *ret_len;
		return RT_OK;
	}
	if (len > cap)
		len = cap;
	memcpy(buf, memory->left.ptr, len);
	memory->left.ptr += len;
	memory->left.len -= len;
	*ret_len = len;
	return RT_OK;
}

/* Convert all of memory, cap bytes a read; out is NUL-terminated. Returns the last status. */
static inline enum rt_status convert_hinted(struct memory *memory,
					    const struct rt_text_hints *hints,
					    const struct rt_limits *limits, size_t cap,
					    struct rt_buf *out, struct rt_error *err)
{
	struct rt_text text = {.open = false};
	enum rt_status status;
	struct rt_error own;
	char buf[65536];
	size_t len;

	*out = (struct rt_buf){0};
	memset(err, 0, sizeof(*err));
	status = rt_text_open(&text, (struct rt_pull){memory_read, memory}, hints, limits, err);
	while (status == RT_OK) {
		status = rt_text_read(&text, buf, cap, &len, err);
		if (status == RT_OK)
			ck_assert_int_eq(rt_buf_append(out, buf, len, &own), RT_OK);
	}
	rt_text_close(&text);
	ck_assert_int_eq(rt_buf_append(out, "", 1, &own), RT_OK);
	return status;
}

static inline enum rt_status convert_with(struct memory *memory, const struct rt_limits *limits,
					  size_t cap, struct rt_buf *out, struct rt_error *err)
{
	return convert_hinted(memory, NULL, limits, cap, out, err);
}

static inline enum rt_status convert(const char *yaml, size_t len, struct rt_buf *out,
				     struct rt_error *err)
{
	struct memory memory = {.left = rt_slice_make(yaml, len)};
	struct rt_limits limits;

	rt_limits_init(&limits);
	return convert_with(&memory, &limits, 65536, out, err);
}

#endif
