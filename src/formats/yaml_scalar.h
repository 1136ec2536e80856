/*
 * Types of YAML scalars under the core schema of YAML 1.2 (YAML 1.2.2 §10.3.2, SPEC D18), and
 * their JSON text. Included by yaml*.c only.
 */
#ifndef RT_FORMATS_YAML_SCALAR_H
#define RT_FORMATS_YAML_SCALAR_H

#include "base/buf.h"
#include "base/error.h"

enum rt_yaml_type {
	YAML_TYPE_STRING,
	YAML_TYPE_NULL,
	YAML_TYPE_BOOL,
	YAML_TYPE_INT,   /* decimal */
	YAML_TYPE_OCTAL, /* 0o17 */
	YAML_TYPE_HEX,   /* 0x1F */
	YAML_TYPE_FLOAT,
	YAML_TYPE_NONFINITE, /* .inf and .nan, which JSON lacks */
};

/* The type of a plain scalar without a tag. */
enum rt_yaml_type rt_yaml_scalar_type(struct rt_slice text);

/* Whether rt_yaml_append_number() takes the type. */
static inline bool rt_yaml_type_is_number(enum rt_yaml_type type)
{
	return type == YAML_TYPE_INT || type == YAML_TYPE_OCTAL || type == YAML_TYPE_HEX ||
	       type == YAML_TYPE_FLOAT;
}

/* "a string", "an integer" and so on: for messages. */
const char *rt_yaml_type_name(enum rt_yaml_type type);

/*
 * Append a number as JSON: its own text where that is JSON, else the same value in the same type
 * (007 is 7, .5 is 0.5, 5. is 5.0, 0x1F is 31).
 * text: of type INT, OCTAL, HEX or FLOAT.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_NOMEM, or RT_E_INPUT for an octal or hexadecimal
 * integer from 2^64.
 */
enum rt_status rt_yaml_append_number(struct rt_buf *out, enum rt_yaml_type type,
				     struct rt_slice text, struct rt_error *err);

/*
 * Whether the JSON of a number may stand in the place of its text: readers of YAML 1.1 and of 1.2
 * find the same value in both. It may not where zeros stand before it: a string such as 08 is often
 * written without quotes.
 * tagged: the text has a tag, which the JSON lacks.
 */
bool rt_yaml_number_stays(struct rt_slice text, struct rt_slice json, bool tagged);

#endif
