/*
 * Any bytes through rt_text: what YAML becomes must be JSON for somebody else's parser, the same
 * however input and output are cut, and have places inside the input.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "formats/text.h"

struct input {
	const char *ptr;
	size_t len;
	size_t step;
};

struct result {
	enum rt_status status;
	struct rt_error err;
	bool yaml;
	struct rt_buf out;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rt_status input_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	struct input *input = ctx;
	size_t len = input->len < cap ? input->len : cap;

	(void)err;
	if (len > input->step)
		len = input->step;
	if (len == 0)
		return RT_END;
	memcpy(buf, input->ptr, len);
	input->ptr += len;
	input->len -= len;
	*ret_len = len;
	return RT_OK;
}

/* Places must lie in the input and never go back. */
static void check_places(const struct rt_marks *marks, uint64_t from, uint64_t to, size_t size)
{
	struct rt_place last = {1, 1, 0};

	for (; from < to; from += 7) {
		struct rt_place place = rt_marks_find(marks, from);

		if (place.offset > size || place.offset < last.offset || place.line < last.line ||
		    place.column == 0 || place.column > place.offset + 1)
			abort();
		last = place;
	}
}

/* Some names are wanted to be strings and some lists of them. */
static enum rt_text_want want_text(struct rt_slice list, struct rt_slice name)
{
	return (enum rt_text_want)((list.len + name.len + (name.len ? name.ptr[0] & 3 : 0)) % 3);
}

static void convert(const char *ptr, size_t len, size_t step, size_t cap, struct result *result)
{
	const struct rt_text_hints hints = {.want = want_text, .named_yaml = len & 1};
	struct input input = {ptr, len, step};
	struct rt_text text = {.open = false};
	struct rt_limits limits;
	struct rt_error own;
	char buf[4096];
	size_t got;

	rt_limits_init(&limits);
	/* Small, so that the limits are met and a run is short. */
	limits.alias_bytes = 32 * RT_KIB;
	limits.record_bytes = 64 * RT_KIB;
	limits.expanded_bytes = RT_MIB;
	memset(result, 0, sizeof(*result));
	result->status = rt_text_open(&text, (struct rt_pull){input_read, &input}, &hints, &limits,
				      &result->err);
	result->yaml = text.form == RT_TEXT_YAML;
	while (result->status == RT_OK) {
		result->status = rt_text_read(&text, buf, cap, &got, &result->err);
		if (result->status != RT_OK)
			break;
		if (got == 0 || got > cap || rt_buf_append(&result->out, buf, got, &own) != RT_OK)
			abort();
		if (result->yaml) {
			check_places(text.marks, result->out.len - got, result->out.len, len);
			rt_marks_forget(text.marks, result->out.len);
		}
	}
	rt_text_close(&text);
	if (result->status != RT_END && (result->err.code == RT_E_NONE || !result->err.message[0]))
		abort();
}

/* One document. jansson has limits that we lack: int64, double, NUL in a name, its stack. */
static void check_json(const char *ptr, size_t len)
{
	json_error_t error;
	json_t *json;

	json = json_loadb(ptr, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	if (!json && json_error_code(&error) != json_error_numeric_overflow &&
	    json_error_code(&error) != json_error_null_byte_in_key &&
	    json_error_code(&error) != json_error_stack_overflow)
		abort();
	json_decref(json);
}

static void check_documents(const struct rt_buf *out)
{
	const char *end = out->data + out->len;
	const char *p = out->data;

	while (p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));

		if (!line)
			abort();
		check_json(p, (size_t)(line - p));
		p = line + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *ptr = (const char *)data;
	struct result whole, cut;

	convert(ptr, size, SIZE_MAX, 4096, &whole);
	convert(ptr, size, 1 + size % 5, 1 + size % 3, &cut);
	if (whole.status != cut.status || whole.yaml != cut.yaml || whole.out.len != cut.out.len ||
	    (whole.out.len && memcmp(whole.out.data, cut.out.data, cut.out.len) != 0))
		abort();
	if (whole.status != RT_END &&
	    (strcmp(whole.err.message, cut.err.message) != 0 || whole.err.line != cut.err.line ||
	     whole.err.offset != cut.err.offset))
		abort();
	if (whole.yaml && whole.status == RT_END)
		check_documents(&whole.out);
	rt_buf_release(&whole.out);
	rt_buf_release(&cut.out);
	return 0;
}
