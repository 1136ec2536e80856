/*
 * Any bytes as a record: where the scanner takes them, every edit must give a record again that
 * has what was asked for and, beside that, the members of the old one byte by byte; and the two
 * must compare as different just where a value has changed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_string.h"
#include "base/limits.h"
#include "engine/edit.h"
#include "ops/compare.h"
#include "scan/items.h"
#include "scan/scan.h"
#include "tests/fuzz/turn.h"

#define ORIGIN 12345u
#define EDITS 4u
/* Depth that a scan of what was edited may have more: a note is an object in an array. */
#define DEPTH 64u
#define DEPTH_MORE 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rt_edit all_edits[EDITS] = {
    {RT_EDIT_SET, {"severity", 8}, {"\"l\\\"w\"", 6}},
    {RT_EDIT_NOTES, {"notes", 5}, {"{\"text\":\"a]\"},{\"text\":\"}b\"}", 27}},
    {RT_EDIT_SET, {"exploitable", 11}, {"true", 4}},
    {RT_EDIT_SET, {"updated_at", 10}, {"\"2024-01-02T03:04:05Z\"", 22}},
};

static void want(bool holds)
{
	if (!holds)
		abort();
}

/* A scanned text, in a block with padding. */
struct scanned {
	struct rt_record record;
	char *block;
};

static bool scan(struct scanned *scanned, struct rt_slice text, uint32_t depth)
{
	struct rt_scan s;
	const char *end;

	scanned->block = calloc(1, text.len + RT_PADDING);
	want(scanned->block);
	if (text.len)
		memcpy(scanned->block, text.ptr, text.len);
	rt_scan_init(&s, depth);
	s.end = scanned->block + text.len;
	s.final = true;
	s.origin = 0 - (uint64_t)(uintptr_t)scanned->block;
	if (text.len == 0 || *scanned->block != '{')
		return false;
	end = rt_scan_ops()->record(&s, scanned->block, &scanned->record);
	scanned->record.kind = RT_KIND_ISSUE;
	return end && end == s.end;
}

static struct rt_slice decode(struct rt_slice text)
{
	char *out = malloc(text.len ? text.len : 1);

	want(out);
	return rt_slice_make(out, rt_json_string_decode(text, out));
}

/* Whether two strings or two other scalars are the same value. */
static bool value_equal(struct rt_slice a, struct rt_slice b)
{
	struct rt_slice left, right;
	bool equal;

	if (*a.ptr != '"' || *b.ptr != '"')
		return rt_slice_equal(a, b);
	left = decode(rt_slice_make(a.ptr + 1, a.len - 2));
	right = decode(rt_slice_make(b.ptr + 1, b.len - 2));
	equal = rt_slice_equal(left, right);
	free((char *)left.ptr);
	free((char *)right.ptr);
	return equal;
}

/* The edit of a member, or NULL. */
static const struct rt_edit *edit_of(struct rt_slice key, const struct rt_edit *edits, size_t count)
{
	struct rt_slice name = decode(key);
	const struct rt_edit *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (rt_slice_equal(name, edits[i].name))
			found = &edits[i];
	}
	free((char *)name.ptr);
	return found;
}

/* Notes: the old ones in their bytes (old.ptr NULL: none), then the new ones. */
static void check_notes(struct rt_slice old, struct rt_slice now, struct rt_slice added)
{
	struct rt_items items, before;
	struct rt_item item, other;

	want(*now.ptr == '[');
	rt_items_init(&items, now);
	if (old.ptr && *old.ptr == '[') {
		rt_items_init(&before, old);
		while (rt_items_next(&before, &other))
			want(rt_items_next(&items, &item) &&
			     rt_slice_equal(item.value, other.value));
	} else if (old.ptr && *old.ptr == '"') {
		want(rt_items_next(&items, &item));
		want(memmem(item.value.ptr, item.value.len, old.ptr, old.len));
	} else {
		want(!old.ptr || *old.ptr == 'n');
	}
	for (const char *at = added.ptr, *end = at + added.len; at < end; at++) {
		const char *from = at;

		at = rt_items_value(at, end);
		want(rt_items_next(&items, &item));
		want(rt_slice_equal(item.value, rt_slice_make(from, (size_t)(at - from))));
	}
	want(!rt_items_next(&items, &item));
}

/* Hold the edited record to the old one. Returns whether a value differs. */
static bool check_members(struct rt_slice old, struct rt_slice now, const struct rt_edit *edits,
			  size_t count)
{
	struct rt_items before, after;
	struct rt_item was, is;
	bool changed = false;
	size_t found = 0;

	rt_items_init(&before, old);
	rt_items_init(&after, now);
	while (rt_items_next(&after, &is)) {
		bool there = rt_items_next(&before, &was);
		const struct rt_edit *edit = edit_of(is.key, edits, count);
		struct rt_slice value = there ? was.value : rt_slice_make(NULL, 0);

		want(there ? rt_slice_equal(was.key, is.key) : edit != NULL);
		found += edit != NULL;
		if (!edit) {
			want(rt_slice_equal(was.value, is.value));
		} else if (edit->kind == RT_EDIT_NOTES) {
			check_notes(value, is.value, edit->value);
			changed = true;
		} else {
			want(rt_slice_equal(is.value, edit->value));
			changed |= !there || !value_equal(value, is.value);
		}
	}
	want(found == count && !rt_items_next(&before, &was));
	return changed;
}

static void check_compare(struct rt_slice old, struct rt_slice now, bool changed)
{
	struct rt_compare *compare;
	enum rt_compare_result result;
	struct rt_slice id = RT_SLICE("a");
	struct rt_error err;

	want(rt_compare_new(&compare, &err) == RT_OK);
	want(rt_compare_add(compare, RT_KIND_ISSUE, id, old, &err) == RT_OK);
	want(rt_compare_check(compare, RT_KIND_ISSUE, id, old, &result, &err) == RT_OK);
	want(result == RT_COMPARE_SAME);
	want(rt_compare_check(compare, RT_KIND_ISSUE, id, now, &result, &err) == RT_OK);
	want(result == (changed ? RT_COMPARE_DIFFERENT : RT_COMPARE_SAME));
	rt_compare_free(compare);
}

static void check_edits(const struct rt_record *record, const struct rt_edit *edits, size_t count)
{
	struct rt_patches patches = {0};
	struct rt_error err = {0};
	struct scanned scanned;
	struct rt_buf out = {0};
	enum rt_status status =
	    rt_edit_object(record->text, edits, count, 0, ORIGIN, &patches, &err);

	if (status == RT_REJECT) {
		want(rt_patches_count(&patches) == 0 && err.field[0] && err.message[0]);
	} else {
		want(status == RT_OK && !patches.unsorted);
		want(rt_edit_apply(record->text, &patches, ORIGIN, &out, &err) == RT_OK);
		want(scan(&scanned, rt_buf_slice(&out), DEPTH + DEPTH_MORE));
		check_compare(record->text, scanned.record.text,
			      check_members(record->text, scanned.record.text, edits, count));
		free(scanned.block);
	}
	rt_patches_release(&patches);
	rt_buf_release(&out);
}

/* Make the edits whose bits are set, in either direction. */
static void check_set(const struct rt_record *record, unsigned set)
{
	struct rt_edit edits[EDITS];
	size_t count = 0;

	for (unsigned i = 0; i < EDITS; i++) {
		unsigned at = set % 3 ? i : EDITS - 1 - i;

		if (set >> at & 1)
			edits[count++] = all_edits[at];
	}
	check_edits(record, edits, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_slice text = rt_slice_make((const char *)data, size);
	struct scanned scanned = {.block = NULL};
	size_t end;

	/* Blanks and more around a record, so that other targets' seeds serve. */
	while (text.len && text.ptr[text.len - 1] != '}')
		text.len--;
	while (text.len && *text.ptr != '{') {
		text.ptr++;
		text.len--;
	}
	if (scan(&scanned, text, DEPTH)) {
		for (size_t i = turn_first(data, size, (1u << EDITS) - 1, &end); i < end; i++)
			check_set(&scanned.record, (unsigned)i + 1);
	}
	free(scanned.block);
	return 0;
}
