/*
 * Where a record may end or begin, seen from the middle of a text.
 */
#ifndef RT_RECORD_BORDER_H
#define RT_RECORD_BORDER_H

#include "record/view.h"

/*
 * Find the first '}' in view after which there seems to be another record of a kind: what stands
 * between records, and an object that passes as one. Whether it is one depends on what stands
 * before it, which nobody has looked at.
 *
 * cursor: its scanner has the depth of the records; what it has learnt of layouts is of no use
 * after. lines: records are lines of their own; else commas stand between them. ret_offset: of the
 * byte after the '}'. Returns false where there is none, or only some that do not pass.
 */
bool rt_border_find(struct rt_cursor *cursor, enum rt_kind kind, bool lines, uint64_t *ret_offset);

#endif
