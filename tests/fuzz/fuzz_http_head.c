/*
 * Any bytes as what a client of the HTTP shim sends: heads and bodies, one after the other. How
 * they come must not matter: whole, byte by byte and cut at a place that the bytes name they give
 * the same. What is let through has the form that it is let through for, and every call goes
 * forward.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "http/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More requests in a row say nothing new. */
#define REQUESTS_MAX 8

static void check(bool good)
{
	if (!good)
		abort();
}

static void note(struct rt_buf *out, const char *what, size_t a, size_t b)
{
	struct rt_error err;
	char line[96];
	int len = snprintf(line, sizeof(line), "%s %zu %zu\n", what, a, b);

	check(rt_buf_append(out, line, (size_t)len, &err) == RT_OK);
}

static void note_text(struct rt_buf *out, const char *what, struct rt_slice text)
{
	struct rt_error err;

	note(out, what, text.len, text.ptr != NULL);
	if (text.len)
		check(rt_buf_append(out, text.ptr, text.len, &err) == RT_OK);
}

static void check_line(struct rt_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		check((c >= 0x20 && c != 0x7F) || c == '\t');
	}
}

static void note_head(struct rt_buf *out, const struct rt_head *head)
{
	note_text(out, "method", head->method);
	note_text(out, "target", head->target);
	check_line(head->target);
	check(head->method.len && head->target.len);
	for (size_t i = 0; i < RT_FIELDS; i++) {
		note_text(out, "field", head->fields[i]);
		check_line(head->fields[i]);
	}
	note(out, "body", head->has_body, head->chunked);
	note(out, "bytes", (size_t)head->body_bytes, head->stays);
	check(!(head->chunked && head->fields[RT_FIELD_CONTENT_LENGTH].ptr));
}

/* How many bytes are there to be seen, where `step` more come at a time. */
static size_t see(size_t seen, size_t size, size_t step)
{
	return size - seen < step ? size : seen + step;
}

/* Read a body from its first byte on. ret_over: where it ends. Returns whether it is all there. */
static bool read_body(const char *text, size_t size, size_t step, const struct rt_head *head,
		      struct rt_buf *out, size_t *ret_over)
{
	struct rt_body_reader reader;
	size_t at = 0, seen = 0, bytes = 0;
	struct rt_slice piece = {NULL, 0};
	struct rt_error err;

	rt_body_begin(&reader, head);
	for (;;) {
		size_t used;
		enum rt_body_state state =
		    rt_body_read(&reader, text + at, seen - at, &used, &piece);

		check(used <= seen - at);
		at += used;
		*ret_over = at;
		if (state == RT_BODY_PIECE) {
			check(piece.len > 0 && used >= piece.len);
			check(rt_buf_append(out, piece.ptr, piece.len, &err) == RT_OK);
			bytes += piece.len;
			continue;
		}
		if (state == RT_BODY_END) {
			check(head->chunked || bytes == head->body_bytes);
			note(out, "end", at, bytes);
			return true;
		}
		if (state == RT_BODY_BAD) {
			note(out, "bad body", reader.status, at);
			return false;
		}
		check(at == seen);
		if (seen == size)
			return false;
		seen = see(seen, size, step);
	}
}

static void read_all(const char *text, size_t size, size_t step, struct rt_buf *out)
{
	size_t at = 0;

	for (int i = 0; i < REQUESTS_MAX && at < size; i++) {
		struct rt_head head = {.status = 0};
		enum rt_head_state state;
		size_t seen = 0, over;

		do {
			seen = see(seen, size - at, step);
			state = rt_head_read(&head, text + at, seen);
		} while (state == RT_HEAD_MORE && seen < size - at);
		note(out, "head", state, head.len);
		if (state == RT_HEAD_BAD) {
			check(head.status >= 400 && head.fault);
			note(out, "bad head", head.status, 0);
		}
		if (state != RT_HEAD_DONE)
			return;
		check(head.len <= seen && head.len <= RT_HTTP_HEAD_BYTES);
		note_head(out, &head);
		at += head.len;
		if (!read_body(text + at, size - at, step, &head, out, &over))
			return;
		at += over;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of just this size: a sanitizer sees a byte too far. */
	char *copy = malloc(size ? size : 1);
	size_t steps[] = {size + 1, 1, size ? 1 + data[0] : 1};
	struct rt_buf first = {0};

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct rt_buf next = {0};

		read_all(copy, size, steps[i], i ? &next : &first);
		check(!i || rt_slice_equal(rt_buf_slice(&first), rt_buf_slice(&next)));
		rt_buf_release(&next);
	}
	rt_buf_release(&first);
	free(copy);
	return 0;
}
