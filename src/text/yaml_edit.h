/*
 * Edits of records in YAML source, as patches of its bytes: what is not edited stays as it is,
 * comments, styles and blanks included (SPEC D5).
 *
 * A value is written in the style of the one before it, where every reader, of YAML 1.1 or 1.2,
 * takes that for the same; else in quotes. Missing members go after the last one of their
 * mapping, in its indentation and with the source's line breaks. Each record is read again with
 * its patches before they are given out, and must say what it said but for the edits.
 *
 * Refused, each with its place: a record that is reached through an alias; a record that carries
 * an anchor or lies in a node with one, and an edited value with one, since aliases could repeat
 * them; notes that are an alias; keys that are aliases; an edited member that stands twice; an
 * array or object in place of an edited scalar; an edited value without a colon in block style
 * (`? severity`); a missing member where the mapping is a pair without braces (`[id: x]`); and a
 * record that cannot be read by itself, as with tag handles of a %TAG line.
 */
#ifndef RT_TEXT_YAML_EDIT_H
#define RT_TEXT_YAML_EDIT_H

#include "base/edit.h"
#include "base/patch.h"
#include "text/text.h"

/* The edits of one record. */
struct rt_yaml_record {
	uint64_t offset; /* of the record's mapping in the source: rt_text_place() of its '{' */
	const struct rt_edit *edits;
	size_t edit_count; /* 1 .. RT_EDITS_MAX */
};

/*
 * Find the records in a part's YAML source and add the patches that edit them.
 *
 * pull: the part from its first byte, a byte order mark included, as rt_text_open() takes it. It
 * is read as far as the last record needs, not to its end.
 * limits: as rt_text_open(); an edited record may have four times record_bytes of source, which
 * is the most that is held of it, three times over.
 * records: count of them in rising order of offset (equal ones are refused); borrowed for the
 * call. The source must be one that rt_text_open() and rt_text_read() have taken whole.
 * part: the number that the patches get. patches: added to; what has been added stays when a later
 * record is refused.
 * Returns RT_OK; RT_REJECT with err set, place and, as far as known, field included; RT_FATAL. err
 * has neither path nor record.
 */
enum rt_status rt_yaml_edit(struct rt_pull pull, const struct rt_limits *limits,
			    const struct rt_yaml_record *records, size_t count, uint32_t part,
			    struct rt_patches *patches, struct rt_error *err);

#endif
