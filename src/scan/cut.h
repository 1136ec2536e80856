/*
 * What to cut out of an object while it is scanned: members by their names, some of them in objects
 * inside, each into a slot of its own.
 */
#ifndef RT_SCAN_CUT_H
#define RT_SCAN_CUT_H

#include <stdint.h>

#include "base/slice.h"

struct rt_cut;

struct rt_cut_member {
	struct rt_slice name;
	uint8_t slot;
	uint8_t types;               /* a set of enum rt_type; null may stand as well */
	const struct rt_cut *inside; /* of an object, or of an array's first element; or NULL */
};

#define RT_CUT_NO_SLOT 255u

struct rt_cut {
	const struct rt_cut_member *members; /* best in the order in which they mostly stand */
	size_t count;
	uint8_t slot; /* where the object's first byte goes, as a sign of it; or RT_CUT_NO_SLOT */
};

#endif
