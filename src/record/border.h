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
 * view: its scanner has the depth of the records; what it has learnt of layouts is of no use after.
 * lines: records are lines of their own; else commas stand between them.
 * ret_offset: of the byte after the '}'. Returns false where there is none, or only some that do
 * not pass.
 */
bool rt_border_find(struct rt_view *view, const struct rt_scan_ops *ops, enum rt_kind kind,
		    bool lines, uint64_t *ret_offset);

/* The items of a block sequence in YAML. */
struct rt_sequence {
	uint64_t offset; /* of the line of the first one */
	size_t indent;   /* blanks before the '-' of each of them */
};

/*
 * Find out whether a record is the first item of a block sequence, in a line of its own with its
 * '-'. origin: of the record. Returns RT_OK; RT_END: it is not; or as rt_parts_read_at().
 */
enum rt_status rt_border_find_sequence(struct rt_parts *parts, const struct rt_origin *origin,
				       struct rt_sequence *ret_sequence, struct rt_error *err);

/*
 * Find the first line from an offset on that seems to start another item. Whether it does depends
 * on what stands before it. ret_offset: of the line. Returns as above.
 */
enum rt_status rt_border_find_item(struct rt_parts *parts, const struct rt_sequence *sequence,
				   uint64_t from, uint64_t *ret_offset, struct rt_error *err);

#endif
