/*
 * A text in memory as a pull of bytes.
 */
#ifndef RT_TESTS_TEXT_PULL_H
#define RT_TESTS_TEXT_PULL_H

#include <string.h>

#include "base/pull.h"

struct text {
	struct rt_slice text;
	size_t at;
};

/* As struct rt_pull has it; ctx: a struct text. */
static inline enum rt_status text_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
				       struct rt_error *err)
{
	struct text *text = ctx;
	size_t left = text->text.len - text->at;

	(void)err;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, text->text.ptr + text->at, *ret_len);
	text->at += *ret_len;
	return *ret_len ? RT_OK : RT_END;
}

#endif
