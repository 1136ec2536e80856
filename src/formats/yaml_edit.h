/*
 * Records of YAML source written anew: each at its indentation, by libyaml, with the styles,
 * anchors, aliases and plain scalars that it had. Comments and blanks inside it are lost; all else
 * of the source stays as it is, byte for byte.
 *
 * Each record is read again, with the blanks and comments behind it, before its patch counts.
 * Refused, each with its place: a record that is reached through an alias; a record that carries an
 * anchor or lies in a node with one, and an edited value with one, since aliases could repeat them;
 * notes that are an alias; keys that are aliases; an edited member that occurs twice; an array or
 * object in place of an edited scalar.
 */
#ifndef RT_FORMATS_YAML_EDIT_H
#define RT_FORMATS_YAML_EDIT_H

#include "base/patch.h"
#include "formats/text.h"

/* The edits of one record. */
struct rt_yaml_record {
	uint64_t offset; /* of the record's mapping in the source: rt_text_place() of its '{' */
	const struct rt_edit *edits;
	size_t edit_count; /* 1 .. RT_EDITS_MAX */
};

/* The records of a part that are edited. */
struct rt_yaml_records {
	const struct rt_yaml_record *list; /* in rising order of offset; equal ones are refused */
	size_t count;
	/* Fills in the edits of the record at an index as it begins; they are borrowed until the
	 * next call. Returns RT_OK or RT_FATAL. NULL: the list has them. */
	enum rt_status (*edits)(void *ctx, size_t index, struct rt_yaml_record *record,
				struct rt_error *err);
	void *ctx;
};

/*
 * Find the records in a part's YAML source and add a patch for each.
 *
 * pull: the part from its first byte, a byte order mark included, as rt_text_open() takes it. It
 * is read as far as the last record needs, not to its end.
 * limits: as rt_text_open(); an edited record may have four times record_bytes of source.
 * records: borrowed for the call. The source must be one that rt_text_open() and rt_text_read()
 * have taken whole. part: the number that the patches get. patches: added to; what has been added
 * stays when a later record is refused. Returns RT_OK; RT_REJECT with err set, place and, as far as
 * known, field included; RT_FATAL. err has neither path nor record.
 */
enum rt_status rt_yaml_edit(struct rt_pull pull, const struct rt_limits *limits,
			    const struct rt_yaml_records *records, uint32_t part,
			    struct rt_patches *patches, struct rt_error *err);

#endif
