/*
 * Changes to the members of one object, for the editors of JSON and YAML source. What they mean is
 * the business of the stage that asks for them.
 */
#ifndef RT_BASE_EDIT_H
#define RT_BASE_EDIT_H

#include "base/slice.h"

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

#define RT_EDITS_MAX 5u

#endif
