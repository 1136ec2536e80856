/*
 * What is to be written instead of some ranges of a data set's parts: a list in the order of parts
 * and, in a part, of offsets.
 */
#ifndef RT_BASE_PATCH_H
#define RT_BASE_PATCH_H

#include "base/buf.h"
#include "base/map.h"
#include "base/pull.h"
#include "base/slice.h"

/* Bytes [offset, offset + len) of a part, counted from 0 in its decompressed source, a byte order
 * mark included, become `text`. len 0 inserts before offset. */
struct rt_patch {
	uint32_t part; /* number of the part in the data set, from 0 */
	uint64_t offset;
	uint64_t len;
	struct rt_slice text; /* borrowed until the list changes; maybe empty */
};

/* {0} is an empty list. Another process of the same build may be given the bytes of a sorted one.
 */
struct rt_patches {
	struct rt_buf items; /* of a private struct */
	struct rt_buf text;
	struct rt_map kept;        /* of long texts: numbers of items, from 1 */
	struct rt_siphash_key key; /* of that */
	bool unsorted;             /* the last item was not added in order */
};

/*
 * Add a patch; its text is copied. A long one becomes several patches, and what has been copied
 * before, such as the note of an update on a hundred issues, is not copied again. Patches may be
 * added in any order but must not overlap; two insertions at one offset keep the order they were
 * added in. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_patches_add(struct rt_patches *patches, struct rt_patch patch,
			      struct rt_error *err);

/* Bring the list into order; before rt_patches_get() and rt_patches_find(). */
void rt_patches_sort(struct rt_patches *patches);

size_t rt_patches_count(const struct rt_patches *patches);

/* The patch at index (from 0, below the count) in a sorted list. */
struct rt_patch rt_patches_get(const struct rt_patches *patches, size_t index);

/* Index of the first patch of `part` or of a later one, in a sorted list; the count if none is. */
size_t rt_patches_find(const struct rt_patches *patches, uint32_t part);

/* Whether there is a patch for a part in a sorted list. */
bool rt_patches_has_part(const struct rt_patches *patches, uint32_t part);

/* Add the patches of `count` parts from `part` on, of a sorted list, to an empty list, which is
 * sorted then. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_patches_select(const struct rt_patches *patches, uint32_t part, uint32_t count,
				 struct rt_patches *selected, struct rt_error *err);

/* Bytes that a part of so many has with its patches applied. */
uint64_t rt_patches_new_size(const struct rt_patches *patches, uint32_t part, uint64_t size);

void rt_patches_release(struct rt_patches *patches);

/* --- Applying them --------------------------------------------------------------------------- */

/* A part on its way to a sink. */
struct rt_patching {
	const struct rt_patches *patches;
	const struct rt_sink *to;
	size_t next, end;  /* indexes of the next patch, and after the last of the part */
	uint64_t at;       /* of the part: before it all is done */
	uint64_t replaced; /* bytes from there on that a patch has taken the place of */
};

void rt_patching_begin(struct rt_patching *patching, const struct rt_patches *patches,
		       uint32_t part, const struct rt_sink *to);

/* Pass on the part's next bytes. What is inserted after the last of them comes with those that
 * follow, or at the end. */
enum rt_status rt_patching_pass(struct rt_patching *patching, const char *data, size_t len,
				struct rt_error *err);

/*
 * Pull a part to its end, and pass it to a sink with its patches applied.
 * Returns RT_OK; RT_REJECT (RT_E_IO) where the part ends before its last patch; else what from or
 * to said.
 */
enum rt_status rt_patches_apply(const struct rt_patches *patches, uint32_t part,
				struct rt_pull from, const struct rt_sink *to,
				struct rt_error *err);

/* --- Edits of a record ----------------------------------------------------------------------- */

enum rt_edit_kind {
	RT_EDIT_SET,   /* the member's value becomes `value`; a missing one is added at the end */
	RT_EDIT_NOTES, /* `value` is appended to the member as SPEC D14 has it */
};

/* One changed member. An object has each name at most once in its list of edits. */
struct rt_edit {
	enum rt_edit_kind kind;
	struct rt_slice name; /* of the member, decoded; ASCII letters and '_' only */
	/*
	 * JSON text without blanks around it. RT_EDIT_SET: any value.
	 * RT_EDIT_NOTES: one or more objects with string members, separated by ','; they become
	 * the last elements of the member's array. A missing or null member becomes an array of
	 * them; a string S becomes the element {"added_at":null,"text":S} before them.
	 * Its strings have no escapes but \" \\ \n \t \r \b \f and \uXXXX below U+10000.
	 */
	struct rt_slice value;
};

#define RT_EDITS_MAX 7u

#endif
