/*
 * Any bytes as YAML: objects of it are written anew with what they say, and the outcome must read
 * as the same text, byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/patch.h"
#include "formats/text.h"
#include "formats/yaml_write.h"

#define OBJECTS_MAX 3u

struct input {
	const char *ptr;
	size_t len;
	size_t step;
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

static struct rt_limits limits_small(void)
{
	struct rt_limits limits;

	rt_limits_init(&limits);
	limits.alias_bytes = 16 * RT_KIB;
	limits.record_bytes = 64 * RT_KIB;
	limits.expanded_bytes = RT_MIB;
	return limits;
}

/* The next object in JSON text after *at, strings passed over; false: there is none. */
static bool next_object(const struct rt_buf *json, size_t *at)
{
	bool string = false;

	for (; *at < json->len; ++*at) {
		char c = json->data[*at];

		if (string && c == '\\')
			++*at;
		else if (c == '"')
			string = !string;
		else if (!string && c == '{')
			return true;
	}
	return false;
}

/* The index after the object at an index. */
static size_t object_end(const struct rt_buf *json, size_t at)
{
	bool string = false;
	size_t depth = 0;

	for (; at < json->len; at++) {
		char c = json->data[at];

		if (string && c == '\\')
			at++;
		else if (c == '"')
			string = !string;
		else if (!string && c == '{')
			depth++;
		else if (!string && c == '}' && --depth == 0)
			break;
	}
	return at + 1;
}

/* Write objects anew that do not lie in each other, the first ones after a number that skip has. */
static void write_some(const struct rt_buf *json, const struct rt_marks *marks, size_t skip,
		       struct rt_patches *patches)
{
	size_t at = 0, number = 0;
	struct rt_error err;

	for (size_t count = 0; count < OBJECTS_MAX && next_object(json, &at); number++) {
		size_t end = object_end(json, at);
		struct rt_extent extent = rt_marks_extent(marks, end - 1);
		uint64_t offset = rt_marks_find(marks, at).offset;
		struct rt_buf yaml = {0};

		if (number < skip || !extent.style || extent.style & RT_STYLE_ANCHORED ||
		    (extent.style & RT_STYLE_ANCHORS && marks->crosses)) {
			at++;
			continue;
		}
		if (rt_yaml_write(rt_slice_make(json->data + at, end - at), extent.style, &yaml,
				  &err) != RT_OK ||
		    rt_patches_add(
			patches,
			(struct rt_patch){0, offset, extent.end - offset, rt_buf_slice(&yaml)},
			&err) != RT_OK)
			abort();
		rt_buf_release(&yaml);
		at = end;
		count++;
	}
}

/* Convert to JSON, and write objects anew if patches is not NULL. Returns false where it is not
 * YAML, or bad. What has been written anew has a name that says YAML. */
static bool convert(struct rt_slice source, size_t skip, struct rt_buf *out,
		    struct rt_patches *patches)
{
	struct input input = {source.ptr, source.len, 1 + source.len % 7};
	const struct rt_text_hints hints = {.named_yaml = !patches};
	struct rt_limits limits = limits_small();
	struct rt_text text = {.open = false};
	enum rt_status status;
	struct rt_error err;
	char buf[4096];
	size_t len;

	*out = (struct rt_buf){0};
	status = rt_text_open(&text, (struct rt_pull){input_read, &input}, &hints, &limits, &err);
	if (status == RT_OK && text.form != RT_TEXT_YAML && patches)
		status = RT_REJECT;
	while (status == RT_OK) {
		status = rt_text_read(&text, buf, sizeof(buf), &len, &err);
		if (status == RT_OK && rt_buf_append(out, buf, len, &err) != RT_OK)
			abort();
	}
	if (status == RT_END && patches)
		write_some(out, text.marks, skip, patches);
	rt_text_close(&text);
	return status == RT_END;
}

static void splice(struct rt_slice source, struct rt_patches *patches, struct rt_buf *out)
{
	struct rt_error err;
	uint64_t at = 0;

	rt_patches_sort(patches);
	for (size_t i = 0; i <= rt_patches_count(patches); i++) {
		struct rt_patch patch = {.offset = source.len};

		if (i < rt_patches_count(patches))
			patch = rt_patches_get(patches, i);
		if (patch.offset < at || patch.len > source.len - patch.offset ||
		    rt_buf_append(out, source.ptr + at, patch.offset - at, &err) != RT_OK ||
		    rt_buf_append(out, patch.text.ptr, patch.text.len, &err) != RT_OK)
			abort();
		at = patch.offset + patch.len;
	}
}

/* JSON text without blanks outside of its strings: what has become JSON is passed on as it is. */
static void drop_blanks(struct rt_buf *json)
{
	bool string = false;
	size_t to = 0;

	for (size_t at = 0; at < json->len; at++) {
		char c = json->data[at];

		if (string && c == '\\')
			json->data[to++] = json->data[at++];
		else if (c == '"')
			string = !string;
		if (string || !strchr(" \n\r\t", c))
			json->data[to++] = json->data[at];
	}
	json->len = to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_slice source = rt_slice_make((const char *)data, size);
	struct rt_patches patches = {0};
	struct rt_buf before, after = {0}, out = {0};

	if (convert(source, size / 4 % 3, &before, &patches) && rt_patches_count(&patches)) {
		splice(source, &patches, &out);
		if (!convert(rt_buf_slice(&out), 0, &after, NULL))
			abort();
		drop_blanks(&before);
		drop_blanks(&after);
		if (before.len != after.len ||
		    (before.len && memcmp(before.data, after.data, before.len) != 0))
			abort();
	}
	rt_patches_release(&patches);
	rt_buf_release(&before);
	rt_buf_release(&after);
	rt_buf_release(&out);
	return 0;
}
