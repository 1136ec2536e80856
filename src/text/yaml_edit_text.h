/*
 * JSON values as YAML text that every reader takes for the same. Included by yaml_edit*.c only.
 */
#ifndef RT_TEXT_YAML_EDIT_TEXT_H
#define RT_TEXT_YAML_EDIT_TEXT_H

#include <yaml.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Append a string (UTF-8, decoded) in double quotes, on one line.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM), as all of these.
 */
enum rt_status rt_yaml_put_quoted(struct rt_buf *out, struct rt_slice text, struct rt_error *err);

/*
 * Append a value on one line.
 *
 * json: a string, a number or a literal. style: what a string should look like if it can.
 * dated: a plain string may be a date-time: what stood there was one.
 */
enum rt_status rt_yaml_put_scalar(struct rt_buf *out, struct rt_slice json,
				  yaml_scalar_style_t style, bool dated, struct rt_error *err);

/* Whether text could be a date or date-time for a YAML 1.1 reader. */
bool rt_yaml_is_dated(struct rt_slice text);

/* Append a name of ASCII letters and '_', in double quotes if quoted. */
enum rt_status rt_yaml_put_name(struct rt_buf *out, struct rt_slice name, bool quoted,
				struct rt_error *err);

/* Append count spaces. */
enum rt_status rt_yaml_put_spaces(struct rt_buf *out, size_t count, struct rt_error *err);

/*
 * Append the first object of *json as a mapping and take it, with a comma after it, off *json.
 *
 * line: NULL for a flow mapping; else what stands between the members of a block mapping: a line
 * break and its indentation.
 */
enum rt_status rt_yaml_put_object(struct rt_buf *out, struct rt_slice *json, const char *line,
				  bool quoted, struct rt_error *err);

/*
 * Take the next string or literal off objects of JSON, and the punctuation before it: a name or
 * a value, by turns.
 */
struct rt_slice rt_yaml_json_value(struct rt_slice *json);

/* Whether the object ends here; its brace, and a comma after it, are taken off then. */
bool rt_yaml_json_ends(struct rt_slice *json);

#endif
