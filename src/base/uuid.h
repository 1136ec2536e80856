/*
 * UUIDs (RFC 9562): whether a text is one, and one made from a name.
 */
#ifndef RT_BASE_UUID_H
#define RT_BASE_UUID_H

#include <stdint.h>

#include "base/slice.h"

#define RT_UUID_BYTES 16u
#define RT_UUID_CHARS 36u

/* Whether text is a UUID in its usual form: 32 hex digits of either case in five groups. */
bool rt_uuid_is(struct rt_slice text);

/*
 * The UUID of version 5 of a name in a namespace (RFC 9562 section 5.5), in lower case, no NUL.
 *
 * The RFC makes it by SHA-1, which is broken where somebody gains from two texts with one digest.
 * Here nobody does: the name is an issue's id, ids are unique in a data set, and the UUID only
 * names the same issue again in another report.
 */
void rt_uuid_of_name(const uint8_t space[RT_UUID_BYTES], struct rt_slice name,
		     char text[RT_UUID_CHARS]);

/* The UUID of a version that is made of these bytes, whose bits of version and variant are
 * overwritten; version 8 is of bytes of one's own, such as those of a digest. Text as above. */
void rt_uuid_format(uint8_t bytes[RT_UUID_BYTES], unsigned version, char text[RT_UUID_CHARS]);

#endif
