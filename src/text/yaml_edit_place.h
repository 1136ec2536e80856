/*
 * Where a value's parts lie in its source, and where lines can be added after it. Included by
 * yaml_edit*.c only.
 */
#ifndef RT_TEXT_YAML_EDIT_PLACE_H
#define RT_TEXT_YAML_EDIT_PLACE_H

#include "text/yaml_edit_source.h"

/* What has a place in the source and is not nothing: a scalar, an alias, a flow collection. */
struct yaml_extent {
	uint64_t start; /* of its tag or anchor, if it has one */
	uint64_t end;
	bool block; /* a literal or folded scalar */
};

/* The parts of a value. */
struct yaml_parts {
	uint64_t tag_end;     /* start of the value if it has no tag */
	uint64_t start;       /* after the tag and what follows it */
	uint64_t end;         /* of the value; of the header of a block scalar */
	uint64_t content;     /* of a block scalar: first byte after the header's line, */
	uint64_t content_end; /* and end of its last line that is not blank; else both are 0 */
};

/* Where lines are added after a value, and how. */
struct yaml_spot {
	uint64_t offset;
	bool begins;      /* at the start of a line: a break goes after each line, not before */
	const char *line; /* the break; static */
	/*
	 * A block scalar ends with the source, without a line break, and has to end without one
	 * when lines come after it: strip_len bytes at strip_at become a minus sign.
	 */
	bool strip;
	uint64_t strip_at;
	uint64_t strip_len;
};

/* Take a value apart. Its tag was the core schema's, or the source would not have been read. */
struct yaml_parts rt_yaml_edit_parts(const struct yaml_tee *tee, struct yaml_extent extent);

/*
 * The spot for lines with column blanks before them, after the line on which a value ends.
 */
struct yaml_spot rt_yaml_edit_spot(const struct yaml_tee *tee, struct yaml_extent extent,
				   size_t column);

#endif
