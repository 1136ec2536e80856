/*
 * Documents out: the calls of writer.h, given to one format's operations, and the buffer in front
 * of the sink. Input: a document's events, or a checked JSON value to walk. Output: text to a
 * sink. Refuses to go on after the first error, which it keeps.
 */
#include "output/writer_ops.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_string.h"

void rt_writer_fail(struct rt_writer *w, const struct rt_error *err)
{
	if (w->failed)
		return;
	w->err = *err;
	w->failed = true;
}

void rt_writer_flush(struct rt_writer *w)
{
	struct rt_error err;

	if (w->failed || w->len == 0)
		return;
	if (w->sink.write(w->sink.ctx, w->out, w->len, &err) != RT_OK)
		rt_writer_fail(w, &err);
	w->len = 0;
}

void rt_writer_bytes(struct rt_writer *w, const char *ptr, size_t len)
{
	struct rt_error err;

	if (len > WRITER_OUT_BYTES - w->len)
		rt_writer_flush(w);
	if (w->failed || len == 0)
		return;
	if (len < WRITER_OUT_BYTES) {
		memcpy(w->out + w->len, ptr, len);
		w->len += len;
		return;
	}
	if (w->sink.write(w->sink.ctx, ptr, len, &err) != RT_OK)
		rt_writer_fail(w, &err);
}

enum rt_status rt_style_check(struct rt_style style, struct rt_error *err)
{
	if (style.format != RT_FORMAT_TABLE)
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE, "want an answer in JSON or YAML, have a table");
}

enum rt_status rt_writer_open(struct rt_style style, const struct rt_sink *sink,
			      struct rt_writer **ret_writer, struct rt_error *err)
{
	struct rt_writer *w = malloc(sizeof(*w));

	if (!w)
		return rt_error_nomem(err);
	/* Without the buffer: an answer of a few lines shall not touch 64 KiB. */
	memset(w, 0, offsetof(struct rt_writer, out));
	w->ops = style.format == RT_FORMAT_YAML ? &rt_writer_yaml : &rt_writer_json;
	w->sink = *sink;
	w->pretty = style.pretty;
	w->ops->start(w);
	if (w->failed) {
		*err = w->err;
		rt_writer_free(w);
		return RT_FATAL;
	}
	*ret_writer = w;
	return RT_OK;
}

void rt_writer_object_begin(struct rt_writer *w)
{
	if (!w->failed)
		w->ops->begin(w, true);
}

void rt_writer_object_end(struct rt_writer *w)
{
	if (!w->failed)
		w->ops->end(w, true);
}

void rt_writer_array_begin(struct rt_writer *w)
{
	if (!w->failed)
		w->ops->begin(w, false);
}

void rt_writer_array_end(struct rt_writer *w)
{
	if (!w->failed)
		w->ops->end(w, false);
}

void rt_writer_key(struct rt_writer *w, struct rt_slice name)
{
	if (!w->failed)
		w->ops->key(w, name);
}

void rt_writer_string(struct rt_writer *w, struct rt_slice text)
{
	/* An empty slice may have no bytes to point at. */
	if (!w->failed)
		w->ops->string(w, text.len ? text : RT_SLICE(""));
}

void rt_writer_number(struct rt_writer *w, struct rt_slice text)
{
	if (!w->failed)
		w->ops->number(w, text);
}

void rt_writer_uint(struct rt_writer *w, uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	rt_writer_number(w, rt_slice_make(text, (size_t)len));
}

/* true, false or null. */
static void writer_word(struct rt_writer *w, struct rt_slice text)
{
	if (!w->failed)
		w->ops->word(w, text);
}

void rt_writer_bool(struct rt_writer *w, bool value)
{
	writer_word(w, value ? RT_SLICE("true") : RT_SLICE("false"));
}

void rt_writer_null(struct rt_writer *w)
{
	writer_word(w, RT_SLICE("null"));
}

/* The bytes between the quotes of the string that starts at json.ptr[at]. */
static struct rt_slice string_at(struct rt_slice json, size_t at)
{
	const char *from = json.ptr + at + 1;
	const char *end = json.ptr + json.len;
	const char *p = memchr(from, '"', (size_t)(end - from));

	/* A quote with an odd run of backslashes before it is a character of the string. */
	while (p) {
		const char *run = p;

		while (run > from && run[-1] == '\\')
			run--;
		if ((p - run) % 2 == 0)
			break;
		p = memchr(p + 1, '"', (size_t)(end - p - 1));
	}
	assert(p);
	return rt_slice_make(from, (size_t)(p - from));
}

/* text without its escapes: text itself, or bytes in w->decoded until the next call. */
static struct rt_slice string_decode(struct rt_writer *w, struct rt_slice text)
{
	struct rt_error err;

	if (rt_json_string_text(text, &w->decoded, &text, &err) == RT_OK)
		return text;
	rt_writer_fail(w, &err);
	return RT_SLICE("");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A string of a value: a member's name when a colon follows. Returns where to go on. */
static size_t value_string(struct rt_writer *w, struct rt_slice json, size_t at)
{
	struct rt_slice raw = string_at(json, at);
	size_t next = at + raw.len + 2;

	while (next < json.len && is_blank(json.ptr[next]))
		next++;
	if (next < json.len && json.ptr[next] == ':') {
		rt_writer_key(w, string_decode(w, raw));
		return next + 1;
	}
	if (w->ops == &rt_writer_json && rt_json_string_is_own(raw))
		writer_word(w, rt_slice_make(raw.ptr - 1, raw.len + 2));
	else
		rt_writer_string(w, string_decode(w, raw));
	return next;
}

/* A number or a word of a value. Returns where to go on. */
static size_t value_bare(struct rt_writer *w, struct rt_slice json, size_t at)
{
	size_t end = at;
	struct rt_slice text;

	while (end < json.len && !is_blank(json.ptr[end]) && json.ptr[end] != ',' &&
	       json.ptr[end] != ']' && json.ptr[end] != '}')
		end++;
	text = rt_slice_make(json.ptr + at, end - at);
	if (text.ptr[0] == '-' || (text.ptr[0] >= '0' && text.ptr[0] <= '9'))
		rt_writer_number(w, text);
	else
		writer_word(w, text);
	return end;
}

/*
 * The text is checked, so that brackets match: no stack is needed, and no depth is too deep.
 */
void rt_writer_value(struct rt_writer *w, struct rt_slice json)
{
	size_t at = 0;

	while (at < json.len && !w->failed) {
		char c = json.ptr[at];

		if (c == '"') {
			at = value_string(w, json, at);
			continue;
		}
		if (c != '{' && c != '}' && c != '[' && c != ']' && c != ',' && !is_blank(c)) {
			at = value_bare(w, json, at);
			continue;
		}
		if (c == '{' || c == '[')
			w->ops->begin(w, c == '{');
		else if (c == '}' || c == ']')
			w->ops->end(w, c == '}');
		at++;
	}
}

enum rt_status rt_writer_finish(struct rt_writer *w, struct rt_error *err)
{
	if (!w->failed)
		w->ops->finish(w);
	rt_writer_flush(w);
	if (!w->failed)
		return RT_OK;
	*err = w->err;
	return RT_FATAL;
}

void rt_writer_free(struct rt_writer *w)
{
	if (!w)
		return;
	w->ops->release(w);
	rt_buf_release(&w->decoded);
	free(w);
}
