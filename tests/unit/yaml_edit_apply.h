/*
 * Edits of YAML in memory by way of what reads it, for the tests of the editor.
 */
#ifndef RT_TESTS_YAML_EDIT_APPLY_H
#define RT_TESTS_YAML_EDIT_APPLY_H

#include "convert.h"
#include "text/yaml_edit.h"

#define APPLY_RECORDS_MAX 64u

/* The places of the objects in a YAML source whose JSON text starts as wanted. */
struct places {
	struct rt_place list[APPLY_RECORDS_MAX];
	size_t count;
};

/*
 * Convert a source and find its objects. starts: what the JSON text of a wanted one begins with.
 * json: NUL-terminated, to be released. Returns the last status.
 */
static inline enum rt_status find_places(struct rt_slice source, const char *starts,
					 struct places *places, struct rt_buf *json,
					 struct rt_error *err)
{
	struct memory memory = {.left = source};
	struct rt_text *text = NULL;
	struct rt_limits limits;
	enum rt_status status;
	struct rt_error own;
	char buf[4096];
	size_t len;

	rt_limits_init(&limits);
	*json = (struct rt_buf){0};
	places->count = 0;
	status = rt_text_open((struct rt_pull){memory_read, &memory}, NULL, &limits, &text, err);
	while (status == RT_OK) {
		status = rt_text_read(text, buf, sizeof(buf), &len, err);
		if (status == RT_OK)
			ck_assert_int_eq(rt_buf_append(json, buf, len, &own), RT_OK);
	}
	ck_assert_int_eq(rt_buf_append(json, "", 1, &own), RT_OK);
	ck_assert(!text || rt_text_is_yaml(text));
	for (char *at = json->data; text && (at = strstr(at, starts)) != NULL; at++) {
		ck_assert_uint_lt(places->count, APPLY_RECORDS_MAX);
		places->list[places->count++] = rt_text_place(text, (uint64_t)(at - json->data));
	}
	rt_text_free(text);
	return status;
}

/* The source with the patches of part 7 in it; NUL-terminated, to be released. */
static inline struct rt_buf splice(struct rt_slice source, struct rt_patches *patches)
{
	struct rt_buf out = {0};
	struct rt_error err;
	uint64_t at = 0;

	rt_patches_sort(patches);
	for (size_t i = 0; i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		ck_assert_uint_eq(patch.part, 7);
		ck_assert_uint_ge(patch.offset, at);
		ck_assert_uint_le(patch.offset + patch.len, source.len);
		ck_assert_int_eq(rt_buf_append(&out, source.ptr + at, patch.offset - at, &err),
				 RT_OK);
		ck_assert_int_eq(rt_buf_append(&out, patch.text.ptr, patch.text.len, &err), RT_OK);
		at = patch.offset + patch.len;
	}
	ck_assert_int_eq(rt_buf_append(&out, source.ptr + at, source.len - at, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out;
}

/*
 * Make the same edits to each record at a place. step: bytes the source gives a read, 0: all.
 * out: on RT_OK the new source, NUL-terminated, to be released.
 */
static inline enum rt_status apply(struct rt_slice source, size_t step, const struct places *places,
				   const struct rt_edit *edits, size_t edit_count,
				   struct rt_buf *out, struct rt_error *err)
{
	struct rt_yaml_record list[APPLY_RECORDS_MAX];
	const struct rt_yaml_records records = {.list = list, .count = places->count};
	struct memory memory = {.left = source, .step = step};
	struct rt_patches patches = {0};
	struct rt_limits limits;
	enum rt_status status;

	rt_limits_init(&limits);
	memset(err, 0, sizeof(*err));
	for (size_t i = 0; i < places->count; i++)
		list[i] = (struct rt_yaml_record){places->list[i].offset, edits, edit_count};
	status = rt_yaml_edit((struct rt_pull){memory_read, &memory}, &limits, &records, 7,
			      &patches, err);
	if (status == RT_OK)
		*out = splice(source, &patches);
	rt_patches_release(&patches);
	return status;
}

#endif
