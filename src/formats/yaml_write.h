/*
 * A record as YAML text, to be put in the place of another one; and strings of documents.
 */
#ifndef RT_FORMATS_YAML_WRITE_H
#define RT_FORMATS_YAML_WRITE_H

#include "base/buf.h"

/*
 * Append a record, which all readers of YAML 1.1 and 1.2 read alike: numbers with their own text,
 * no anchors. Its first line begins where the record did, and there is no line break after its last
 * one; whatever blanks and comments follow do not change it.
 *
 * json: a checked object. style: of the extent (base/marks.h) that it is for. Returns RT_OK or
 * RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_yaml_write(struct rt_slice json, uint64_t style, struct rt_buf *out,
			     struct rt_error *err);

/*
 * Append a string as such records have it. column: where the lines of a literal block begin, which
 * it is then if it has lines; 0: it is to be on one line. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_yaml_string(struct rt_slice text, size_t column, struct rt_buf *out,
			      struct rt_error *err);

#endif
