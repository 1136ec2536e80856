/*
 * Any bytes as YAML: objects of it are edited, and the outcome must read as the same documents
 * with those edits made, or the edits must have been refused with a reason and a place.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "formats/yaml_edit.h"
#include "scan/scan.h"

#define OBJECTS_MAX 3u

struct input {
	const char *ptr;
	size_t len;
	size_t step;
};

/* Objects that are edited: their numbers in the order of their braces, and their places. */
struct chosen {
	size_t numbers[OBJECTS_MAX];
	uint64_t offsets[OBJECTS_MAX];
	size_t count;
};

/* Objects of jansson's values by their numbers. */
struct numbered {
	const struct chosen *chosen;
	json_t *objects[OBJECTS_MAX];
	size_t next;
};

static const struct rt_edit edits[] = {
    {RT_EDIT_SET, RT_SLICE("severity"), RT_SLICE("\"high\"")},
    {RT_EDIT_SET, RT_SLICE("b"), RT_SLICE("false")},
    {RT_EDIT_SET, RT_SLICE("updated_at"), RT_SLICE("\"2026-01-01T00:00:00Z\"")},
    {RT_EDIT_NOTES, RT_SLICE("notes"),
     RT_SLICE("{\"added_at\":\"T\",\"text\":\"n\\\"'\"},{\"added_at\":\"T\",\"text\":\"\"}")},
};
#define EDIT_COUNT (sizeof(edits) / sizeof(edits[0]))

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

/* The index after the object at index at. */
static size_t object_end(const struct rt_buf *json, size_t at, size_t *number)
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
			depth++, ++*number;
		else if (!string && c == '}' && --depth == 0)
			break;
	}
	return at + 1;
}

/* Choose objects that do not lie in each other, the first ones after a number that skip has. */
static void choose(const struct rt_buf *json, const struct rt_text *text, size_t skip,
		   struct chosen *chosen)
{
	size_t at = 0, number = 0;

	while (chosen->count < OBJECTS_MAX && next_object(json, &at)) {
		if (number < skip) {
			number++;
			at++;
			continue;
		}
		chosen->numbers[chosen->count] = number;
		chosen->offsets[chosen->count++] = rt_text_place(text, at).offset;
		at = object_end(json, at, &number);
	}
}

/* Convert to JSON, and choose objects if there is a choice to be made. False: not YAML, or bad.
 * What has been changed already has a name that says YAML: where a note is the first value of all,
 * the new ones before it are JSON. */
static bool convert(struct rt_slice source, size_t skip, struct rt_buf *out, struct chosen *chosen)
{
	struct input input = {source.ptr, source.len, SIZE_MAX};
	const struct rt_text_hints hints = {.named_yaml = !chosen};
	struct rt_limits limits = limits_small();
	struct rt_text *text = NULL;
	enum rt_status status;
	struct rt_error err;
	char buf[4096];
	size_t len;

	*out = (struct rt_buf){0};
	status = rt_text_open((struct rt_pull){input_read, &input}, &hints, &limits, &text, &err);
	if (status == RT_OK && !rt_text_is_yaml(text))
		status = RT_REJECT;
	while (status == RT_OK) {
		status = rt_text_read(text, buf, sizeof(buf), &len, &err);
		if (status == RT_OK && rt_buf_append(out, buf, len, &err) != RT_OK)
			abort();
	}
	if (status == RT_END && chosen)
		choose(out, text, skip, chosen);
	rt_text_free(text);
	return status == RT_END;
}

/* JSON lines as an array; NULL where jansson refuses what we take. */
static json_t *load(const struct rt_buf *lines)
{
	json_t *all = json_array();
	size_t at = 0;

	while (at < lines->len) {
		const char *from = lines->data + at;
		const char *end = memchr(from, '\n', lines->len - at);
		json_t *json =
		    json_loadb(from, (size_t)(end - from),
			       JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);

		if (!json) {
			json_decref(all);
			return NULL;
		}
		json_array_append_new(all, json);
		at = (size_t)(end + 1 - lines->data);
	}
	return all;
}

static void number_objects(struct numbered *numbered, json_t *json)
{
	const char *key;
	json_t *item;
	size_t i;

	for (i = 0; json_is_object(json) && i < numbered->chosen->count; i++) {
		if (numbered->chosen->numbers[i] == numbered->next)
			numbered->objects[i] = json;
	}
	numbered->next += json_is_object(json);
	json_array_foreach(json, i, item) number_objects(numbered, item);
	json_object_foreach(json, key, item) number_objects(numbered, item);
}

static json_t *notes_of(const struct rt_edit *edit)
{
	char text[256];

	snprintf(text, sizeof(text), "[%.*s]", (int)edit->value.len, edit->value.ptr);
	return json_loads(text, 0, NULL);
}

/* Whether a text is a way to write a number. */
static bool spells(const json_t *text, const json_t *number)
{
	struct rt_slice source = rt_slice_make(json_string_value(text), json_string_length(text));
	struct rt_buf out;
	json_t *read = convert(source, 0, &out, NULL) ? load(&out) : NULL;
	bool same = json_equal(json_array_get(read, 0), number);

	json_decref(read);
	rt_buf_release(&out);
	return same;
}

/* A number that is wanted as a note's text has become that text, of which JSON knows the value
 * only: want what there is, if it is a way to write it. */
static void take_spellings(json_t *want, json_t *have)
{
	const char *key;
	json_t *item, *other;
	size_t i;

	json_array_foreach(want, i, item) take_spellings(item, json_array_get(have, i));
	json_object_foreach(want, key, item)
	{
		other = json_object_get(have, key);
		if (strcmp(key, "text") == 0 && json_is_number(item) && json_is_string(other) &&
		    spells(other, item))
			json_object_set(want, key, other);
		else
			take_spellings(item, other);
	}
}

/* Make an edit; abort on notes that must have been refused. An alias that is set may have stood
 * for anything. */
static void edit_json(json_t *object, const struct rt_edit *edit)
{
	json_t *old, *value, *note;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)edit->name.len, edit->name.ptr);
	old = json_object_get(object, name);
	if (edit->kind == RT_EDIT_SET) {
		value = json_loadb(edit->value.ptr, edit->value.len, JSON_DECODE_ANY, NULL);
		json_object_set_new(object, name, value);
		return;
	}
	value = notes_of(edit);
	if (json_is_array(old)) {
		json_array_extend(old, value);
		json_decref(value);
		return;
	}
	if (json_is_string(old) || json_is_number(old)) {
		note = json_pack("{s:n,s:O}", "added_at", "text", old);
		json_array_insert_new(value, 0, note);
	} else if (old && !json_is_null(old)) {
		abort();
	}
	json_object_set_new(object, name, value);
}

/* What was spliced, read again. Where edits have left nothing of YAML it is JSON, which may have a
 * byte order mark. NULL: neither. */
static json_t *load_spliced(struct rt_slice spliced)
{
	size_t mark = spliced.len >= 3 && memcmp(spliced.ptr, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct rt_buf lines;
	json_t *json = NULL;

	if (convert(spliced, 0, &lines, NULL))
		json = load(&lines);
	else
		json = json_pack("[o]", json_loadb(spliced.ptr + mark, spliced.len - mark,
						   JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL));
	rt_buf_release(&lines);
	return json;
}

static void check_text(struct rt_slice spliced)
{
	struct rt_limits limits = limits_small();
	struct rt_buf lines;
	struct rt_error err;

	if (!convert(spliced, 0, &lines, NULL) &&
	    rt_json_check(spliced.ptr, spliced.len, &limits, &err) != RT_OK)
		abort();
	rt_buf_release(&lines);
}

/* The spliced source must read as before with the edits made. */
static void check(const struct rt_buf *before, const struct chosen *chosen, size_t edit_count,
		  struct rt_slice spliced)
{
	struct numbered numbered = {.chosen = chosen};
	json_t *want = load(before), *have;

	/* jansson refuses numbers that we take: then it must be good text. */
	if (!want) {
		check_text(spliced);
		return;
	}
	number_objects(&numbered, want);
	for (size_t i = 0; i < chosen->count; i++) {
		for (size_t e = 0; e < edit_count; e++)
			edit_json(numbered.objects[i], &edits[e]);
	}
	have = load_spliced(spliced);
	take_spellings(want, have);
	if (!have || !json_equal(want, have))
		abort();
	json_decref(want);
	json_decref(have);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_slice source = rt_slice_make((const char *)data, size);
	struct input input = {source.ptr, source.len, 1 + size % 7};
	struct rt_limits limits = limits_small();
	struct rt_yaml_record records[OBJECTS_MAX];
	size_t edit_count = 1 + size % EDIT_COUNT;
	struct rt_patches patches = {0};
	struct rt_buf before, out = {0};
	struct chosen chosen = {.count = 0};
	enum rt_status status;
	struct rt_error err = {.code = RT_E_NONE};

	if (convert(source, size / 4 % 3, &before, &chosen) && chosen.count > 0) {
		for (size_t i = 0; i < chosen.count; i++)
			records[i] = (struct rt_yaml_record){chosen.offsets[i], edits, edit_count};
		const struct rt_yaml_records wanted = {.list = records, .count = chosen.count};

		status = rt_yaml_edit((struct rt_pull){input_read, &input}, &limits, &wanted, 0,
				      &patches, &err);
		if (status == RT_OK) {
			splice(source, &patches, &out);
			check(&before, &chosen, edit_count, rt_buf_slice(&out));
		} else if (status != RT_REJECT || !err.message[0] || !err.line) {
			abort();
		}
	}
	rt_patches_release(&patches);
	rt_buf_release(&before);
	rt_buf_release(&out);
	return 0;
}
