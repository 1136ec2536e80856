/*
 * Edits of a record in JSON text, as patches: what is not edited stays byte for byte as it is
 * (SPEC D5).
 */
#ifndef RT_ENGINE_EDIT_H
#define RT_ENGINE_EDIT_H

#include "base/patch.h"
#include "scan/record.h"

/*
 * Add the patches that edit one record, or any other object.
 *
 * object: checked text from '{' to '}'.
 * edits: count of them, at most RT_EDITS_MAX; a name has at most 64 bytes.
 * part: number of the part. origin: offset in the part's source of the object's '{'.
 * patches: added to, in order.
 * Returns RT_OK; RT_REJECT where a member to be edited cannot be: notes that are neither array,
 * string nor null, or an edited member that occurs twice (err has code, message and field; the
 * caller adds the place and the record), patches is as it was; RT_FATAL.
 *
 * A new member or note is set apart from the last one there is as that is from the one before
 * it; blanks in front of the closing bracket stay where they are.
 */
enum rt_status rt_edit_object(struct rt_slice object, const struct rt_edit *edits, size_t count,
			      uint32_t part, uint64_t origin, struct rt_patches *patches,
			      struct rt_error *err);

/*
 * Hold the size that a record's text has with the patches from the one numbered `first` on against
 * the limit "record" (SPEC D22): what is written must be readable again. Returns RT_OK, or
 * RT_REJECT with err set (RT_E_LIMIT).
 */
enum rt_status rt_edit_fits(struct rt_slice text, const struct rt_patches *patches, size_t first,
			    uint64_t max, struct rt_error *err);

/*
 * A record's text with its patches applied.
 *
 * text: the record, as it was edited. patches: sorted, of this record only, as rt_edit_object()
 * adds them to an empty list. origin: as it was given there. out: what it holds is replaced.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_edit_apply(struct rt_slice text, const struct rt_patches *patches,
			     uint64_t origin, struct rt_buf *out, struct rt_error *err);

/*
 * Both: out is the record's text, edited. room: for its patches; what it holds is dropped.
 * Returns as rt_edit_object(), without a place.
 */
enum rt_status rt_edit_text(struct rt_slice text, const struct rt_edit *edits, size_t count,
			    struct rt_patches *room, struct rt_buf *out, struct rt_error *err);

#endif
