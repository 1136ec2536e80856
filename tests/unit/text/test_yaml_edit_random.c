/*
 * Random exports and edits of them: what is written reads as the export with its edits made, for
 * the reader that we have and for jansson.
 */
#include <jansson.h>
#include <stdio.h>

#include "yaml_edit_apply.h"
#include "yaml_edit_make.h"

#define ROUNDS 1500

static const struct rt_edit all_edits[] = {
    {RT_EDIT_SET, RT_SLICE("severity"), RT_SLICE("\"high\"")},
    {RT_EDIT_SET, RT_SLICE("false_positive"), RT_SLICE("true")},
    {RT_EDIT_SET, RT_SLICE("exploitable"), RT_SLICE("false")},
    {RT_EDIT_SET, RT_SLICE("updated_at"), RT_SLICE("\"2026-01-01T00:00:00Z\"")},
    {RT_EDIT_NOTES, RT_SLICE("notes"),
     RT_SLICE("{\"added_at\":\"2026\",\"text\":\"a \\\"b\\\"\\n\xe2\x82\xac\"},"
	      "{\"added_at\":\"2027\",\"text\":\"\"}")},
};

/* A random choice of edits, at least one. */
static size_t choose_edits(struct make *make, struct rt_edit edits[static RT_EDITS_MAX])
{
	size_t count = 0;

	while (count == 0) {
		for (size_t i = 0; i < sizeof(all_edits) / sizeof(all_edits[0]); i++) {
			if (make_one_in(make, 2))
				edits[count++] = all_edits[i];
		}
	}
	return count;
}

static json_t *load(const char *prefix, struct rt_slice text, const char *suffix)
{
	struct rt_buf all = {0};
	struct rt_error err;
	json_error_t error;
	json_t *json;

	ck_assert_int_eq(rt_buf_append(&all, prefix, strlen(prefix), &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&all, text.ptr, text.len, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&all, suffix, strlen(suffix), &err), RT_OK);
	json = json_loadb(all.data, all.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	ck_assert_msg(json != NULL, "%s in %.*s", error.text, (int)all.len, all.data);
	rt_buf_release(&all);
	return json;
}

/* Make an edit as SPEC D14 has it. Returns false where it has to be refused. */
static bool edit_json(json_t *record, const struct rt_edit *edit)
{
	char name[32];
	json_t *old, *value, *item;
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)edit->name.len, edit->name.ptr);
	old = json_object_get(record, name);
	if (edit->kind == RT_EDIT_SET) {
		if (json_is_array(old) || json_is_object(old))
			return false;
		json_object_set_new(record, name, load("", edit->value, ""));
		return true;
	}
	value = load("[", edit->value, "]");
	if (json_is_array(old)) {
		json_array_foreach(value, i, item) json_array_append(old, item);
		json_decref(value);
		return true;
	}
	if (json_is_string(old))
		json_array_insert_new(value, 0, json_pack("{s:n,s:O}", "added_at", "text", old));
	json_object_set_new(record, name, value);
	return !old || json_is_string(old) || json_is_null(old);
}

static bool edit_records(json_t *json, const struct rt_edit *edits, size_t count)
{
	const char *id = json_string_value(json_object_get(json, "id"));
	json_t *item;
	size_t i;

	if (json_is_array(json)) {
		json_array_foreach(json, i, item)
		{
			if (!edit_records(item, edits, count))
				return false;
		}
	}
	if (json_is_object(json) && json_object_get(json, "issues"))
		return edit_records(json_object_get(json, "issues"), edits, count);
	for (i = 0; id && i < count; i++) {
		if (!edit_json(json, &edits[i]))
			return false;
	}
	return true;
}

/* JSON documents, one a line, as an array; edited if there are edits. NULL: refused. */
static json_t *load_lines(const char *text, const struct rt_edit *edits, size_t count)
{
	json_t *all = json_array();

	while (*text) {
		const char *end = strchr(text, '\n');

		ck_assert_ptr_nonnull(end);
		json_array_append_new(all, load("", rt_slice_make(text, (size_t)(end - text)), ""));
		text = end + 1;
	}
	for (size_t i = 0; i < json_array_size(all); i++) {
		if (!edit_records(json_array_get(all, i), edits, count)) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

static void show(const char *what, const struct make *make, const struct rt_buf *after)
{
	printf("%s\n<<<\n%.*s\n===\n%s\n>>>\n", what, (int)make->out.len, make->out.data,
	       after->data ? after->data : "");
	fflush(stdout);
}

/* Returns whether the edits were made. */
static bool edit_once(struct make *make)
{
	struct rt_slice source = rt_buf_slice(&make->out);
	struct rt_buf before = {0}, after = {0}, out = {0};
	struct rt_edit edits[RT_EDITS_MAX];
	size_t count = choose_edits(make, edits);
	json_t *want, *have;
	struct places places;
	enum rt_status status;
	struct rt_error err;

	status = find_places(source, "{\"id\":\"e", &places, &before, &err);
	if (status != RT_END)
		show(err.message, make, &before);
	ck_assert_int_eq(status, RT_END);
	ck_assert_uint_gt(places.count, 0);
	want = load_lines(before.data, edits, count);
	status = apply(source, make_any(make, 20), &places, edits, count, &out, &err);
	if (status == RT_OK ? !want : want && !make->foreign)
		show(err.message, make, &out);
	ck_assert(status == RT_OK ? want != NULL : !want || make->foreign);
	if (status == RT_OK) {
		struct places again;

		if (find_places(rt_slice_make(out.data, out.len - 1), "{\"id\":\"e", &again, &after,
				&err) != RT_END) {
			show(err.message, make, &out);
			ck_abort();
		}
		have = load_lines(after.data, NULL, 0);
		if (!json_equal(want, have)) {
			show("other", make, &out);
			ck_abort();
		}
		json_decref(have);
	}
	json_decref(want);
	rt_buf_release(&before);
	rt_buf_release(&after);
	rt_buf_release(&out);
	return status == RT_OK;
}

START_TEST(test_random)
{
	bool foreign = _i == 1;
	unsigned made = 0;

	for (unsigned i = 1; i <= ROUNDS; i++) {
		struct make make = {.state = i * UINT64_C(0x9E3779B97F4A7C15) + (unsigned)_i,
				    .foreign = foreign};

		make_export(&make);
		made += edit_once(&make);
		rt_buf_release(&make.out);
	}
	ck_assert_uint_gt(made, ROUNDS / 4);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("yaml_edit_random");
	TCase *tcase = tcase_create("yaml_edit_random");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_random, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
