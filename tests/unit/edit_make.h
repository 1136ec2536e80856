/*
 * Records for tests that are edited: from their text to their text.
 */
#ifndef RT_TESTS_EDIT_MAKE_H
#define RT_TESTS_EDIT_MAKE_H

#include "engine/edit.h"
#include "record_make.h"
#include "scan/json.h"
#include "unit.h"

/* Not 0, so that an offset without it shows. */
#define ORIGIN UINT64_C(0x100000007)
#define PART 3u

#define NOTE "{\"added_at\":\"T\",\"text\":\"n\"}"
#define NOTE2 "{\"added_at\":\"T\",\"text\":\"m\"}"

static inline size_t edits_count(const struct rt_edit *edits)
{
	size_t count = 0;

	while (edits[count].name.len)
		count++;
	return count;
}

/* A patch lies inside of its record, and what it takes away is a whole value and nothing beside. */
static inline void check_patch(struct rt_patch patch, const char *text)
{
	struct rt_limits limits;
	struct rt_error err;
	const char *taken = text + (patch.offset - ORIGIN);

	ck_assert_uint_eq(patch.part, PART);
	ck_assert_uint_ge(patch.offset, ORIGIN + 1);
	ck_assert_uint_le(patch.offset + patch.len, ORIGIN + strlen(text) - 1);
	if (!patch.len)
		return;
	rt_limits_init(&limits);
	ck_assert_int_eq(rt_json_check(taken, patch.len, &limits, &err), RT_OK);
	ck_assert(!strchr(" \t\r\n", taken[0]) && !strchr(" \t\r\n", taken[patch.len - 1]));
}

/* Edit a record, whose bytes end where they end, and apply the patches. */
static inline enum rt_status edit(const char *text, const struct rt_edit *edits, struct rt_buf *out,
				  struct rt_error *err)
{
	struct rt_patches patches = {0};
	enum rt_status status;
	struct made made;

	memset(err, 0, sizeof(*err));
	made_init(&made, RT_KIND_ISSUE, text);
	status =
	    rt_edit_record(&made.record, edits, edits_count(edits), PART, ORIGIN, &patches, err);
	ck_assert(!patches.unsorted);
	for (size_t i = 0; i < rt_patches_count(&patches); i++)
		check_patch(rt_patches_get(&patches, i), text);
	if (status == RT_OK)
		ck_assert_int_eq(rt_edit_apply(made.record.text, &patches, ORIGIN, out, err),
				 RT_OK);
	else
		ck_assert_uint_eq(rt_patches_count(&patches), 0);
	rt_patches_release(&patches);
	made_release(&made);
	return status;
}

#endif
