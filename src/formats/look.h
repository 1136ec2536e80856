/*
 * Looks at the first bytes of a part: what is before its first node, and whether what begins
 * with a bracket is JSON or a YAML flow collection.
 */
#ifndef RT_FORMATS_LOOK_H
#define RT_FORMATS_LOOK_H

#include <stdint.h>

#include "base/slice.h"

/* What is before the first node: blanks, comments, and one "---" by itself. */
struct rt_lead {
	size_t bytes;  /* of it */
	size_t indent; /* of these: blanks on the line of the node */
	uint64_t line; /* lines before that line */
	bool marked;   /* the "---" was met: what follows is YAML */
	bool comment;  /* likewise a comment */
};

/*
 * Measure it in the first len bytes of a part. final: none come after these.
 * Returns whether it ends there; false: more bytes may belong to it.
 */
bool rt_lead_find(struct rt_lead *ret_lead, const char *data, size_t len, bool final);

/* Make blanks of tabs where YAML allows them and libyaml does not. data: the same, found to an end
 * in len bytes. */
void rt_lead_mend(const struct rt_lead *lead, char *data, size_t len);

/* Whether a text begins with a bracket. */
static inline bool rt_text_is_flow(struct rt_slice text)
{
	return text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

/*
 * Whether a text that begins with a bracket is a YAML flow collection by its first key or value: by
 * what is common in YAML and no slip in JSON, where careless writers leave NaN, None, True, 01.
 */
bool rt_flow_is_yaml(struct rt_slice text);

#endif
